"""Text as numbers and back."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["Points", "code_points", "starts_character", "text_of"]

Points = NDArray[np.uint32]
# As Python's codec writes it, on machines of either byte order.
LITTLE_ENDIAN = np.dtype("<u4")


def code_points(text: str) -> Points:
    """The characters of `text`, surrogates among them, as numbers."""
    encoded = text.encode("utf-32-le", "surrogatepass")
    return np.frombuffer(encoded, LITTLE_ENDIAN).astype(np.uint32, copy=False)


def text_of(points: Points) -> str:
    """The text that has these code points."""
    encoded = points.astype(LITTLE_ENDIAN, copy=False).tobytes()
    return encoded.decode("utf-32-le", "surrogatepass")


def starts_character(text: bytes) -> NDArray[np.bool_]:
    """For each byte of well-formed UTF-8, whether a character starts there."""
    starts: NDArray[np.bool_] = np.frombuffer(text, np.uint8) & 0xC0 != 0x80
    return starts
