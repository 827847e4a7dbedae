"""The reference library with its buffers at hand, so that only its own work is timed."""

from __future__ import annotations

import ctypes
import sys
import time

from tests.reference_library import ReferenceLibrary, library_path

__all__ = ["TimedReference", "reference_for"]


class TimedReference(ReferenceLibrary):
    """Each method gives its result and the CPU seconds that llama.cpp took."""

    def timed_tokenize(self, data: bytes) -> tuple[list[int], float]:
        """Tokenize with special tokens added and parsed."""
        size = len(data) + 8
        ids = (ctypes.c_int32 * size)()
        start = time.process_time()
        written = self._tokenize(self._vocab, data, len(data), ids, size, True, True)
        taken = time.process_time() - start
        return ids[:written], taken

    def timed_detokenize(self, ids: list[int], size: int) -> tuple[bytes, float]:
        """Detokenize to `size` bytes or so; what is cleaned up was longer before."""
        array = (ctypes.c_int32 * len(ids))(*ids)
        buffer = ctypes.create_string_buffer(2 * size + 64)
        start = time.process_time()
        written = self._detokenize(self._vocab, array, len(ids), buffer, len(buffer), False, True)
        taken = time.process_time() - start
        return buffer.raw[:written], taken


def reference_for(model: str) -> TimedReference | None:
    """The reference for `model`, None where the library is not installed."""
    return TimedReference(model) if library_path() is not None else None


def main() -> None:
    """Load a model and tokenize one text: what llama-tokenize does, where there is none."""
    TimedReference(sys.argv[1]).timed_tokenize(sys.argv[2].encode())


if __name__ == "__main__":
    main()
