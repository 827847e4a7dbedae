"""llama.cpp b11549 out of the xllamacpp wheel (the `oracle` extra), as a reference to compare with.

    python -m tests.reference_library MODEL.gguf

speaks the protocol of tests/reference_process.py. llama.cpp ends the process on input it aborts
on, so this never runs inside pytest.
"""

from __future__ import annotations

import ctypes
import importlib.util
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

VERSION = "b11549"


class ModelParams(ctypes.Structure):
    """llama_model_params of this build; only vocab_only is set here."""

    _fields_ = (
        ("devices", ctypes.c_void_p),
        ("tensor_buft_overrides", ctypes.c_void_p),
        ("n_gpu_layers", ctypes.c_int32),
        ("split_mode", ctypes.c_int),
        ("load_mode", ctypes.c_int),
        ("lazy_mode", ctypes.c_int),
        ("main_gpu", ctypes.c_int32),
        ("tensor_split", ctypes.c_void_p),
        ("progress_callback", ctypes.c_void_p),
        ("progress_callback_user_data", ctypes.c_void_p),
        ("kv_overrides", ctypes.c_void_p),
        ("vocab_only", ctypes.c_bool),
        ("check_tensors", ctypes.c_bool),
        ("use_extra_bufts", ctypes.c_bool),
        ("no_host", ctypes.c_bool),
        ("no_alloc", ctypes.c_bool),
        ("load_mtp", ctypes.c_bool),
    )


LogCallback = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p)


# llama.cpp logs to stderr otherwise.
_silent = LogCallback(lambda _level, _text, _data: None)


def library_path() -> Path | None:
    """Where the shared library is, None if the wheel is not installed."""
    spec = importlib.util.find_spec("xllamacpp")
    if spec is None or spec.origin is None:
        return None
    return Path(spec.origin).with_name("xllamacpp.abi3.so")


class ReferenceLibrary:
    """One loaded vocabulary."""

    def __init__(self, path: str) -> None:
        library = library_path()
        if library is None:
            raise SystemExit("xllamacpp is not installed; the `oracle` extra brings it")
        self._library = ctypes.CDLL(str(library))
        text, ids, size, flag = (
            ctypes.c_char_p,
            ctypes.POINTER(ctypes.c_int32),
            ctypes.c_int32,
            ctypes.c_bool,
        )
        handle = ctypes.c_void_p
        self._function("llama_log_set", None, LogCallback, handle)(_silent, None)
        self._function("llama_backend_init", None)()
        params = self._function("llama_model_default_params", ModelParams)()
        params.vocab_only = True
        load = self._function("llama_model_load_from_file", handle, text, ModelParams)
        model = load(os.fsencode(path), params)
        if not model:
            raise SystemExit(f"llama.cpp does not load {path}")
        self._vocab = self._function("llama_model_get_vocab", handle, handle)(model)
        self._tokenize = self._function(
            "llama_tokenize", size, handle, text, size, ids, size, flag, flag
        )
        self._detokenize = self._function(
            "llama_detokenize", size, handle, ids, size, text, size, flag, flag
        )
        self._piece = self._function(
            "llama_token_to_piece", size, handle, size, text, size, size, flag
        )

    def _function(self, name: str, result: Any, *arguments: Any) -> Any:
        function = getattr(self._library, name)
        function.restype, function.argtypes = result, arguments
        return function

    def tokenize(self, data: bytes, add_special: bool, parse_special: bool) -> list[int]:
        """The ids of `data`."""
        flags = add_special, parse_special
        size = len(data) + 8
        while True:
            ids = (ctypes.c_int32 * size)()
            written = self._tokenize(self._vocab, data, len(data), ids, size, *flags)
            if written >= 0:
                return list(ids[:written])
            size = -written

    def detokenize(self, ids: list[int], remove_special: bool, unparse_special: bool) -> bytes:
        """The bytes of `ids`."""
        array = (ctypes.c_int32 * len(ids))(*ids)
        flags = remove_special, unparse_special
        return _read(
            lambda buffer, size: self._detokenize(
                self._vocab, array, len(ids), buffer, size, *flags
            )
        )

    def piece(self, token: int, special: bool, lstrip: int) -> bytes:
        """The bytes of one token."""
        return _read(
            lambda buffer, size: self._piece(self._vocab, token, buffer, size, lstrip, special)
        )

    def answer(self, question: dict[str, Any]) -> dict[str, Any]:
        """The answer to one question of the protocol."""
        arguments = {name: value for name, value in question.items() if name != "op"}
        if question["op"] == "tokenize":
            data = bytes.fromhex(arguments.pop("hex"))
            return {"ids": self.tokenize(data, **arguments)}
        if question["op"] == "detokenize":
            return {"hex": self.detokenize(**arguments).hex()}
        token = arguments.pop("id")
        return {"hex": self.piece(token, **arguments).hex()}


def _read(call: Callable[[Any, int], int]) -> bytes:
    """What `call` writes; it answers a buffer that is too small with minus the size it needs."""
    size = 1024
    while True:
        buffer = ctypes.create_string_buffer(size)
        written = call(buffer, size)
        if written >= 0:
            return buffer.raw[:written]
        size = -written


def main() -> None:
    """Answer questions from stdin until it ends."""
    reference = ReferenceLibrary(sys.argv[1])
    for line in sys.stdin:
        print(json.dumps(reference.answer(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
