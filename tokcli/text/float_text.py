"""32-bit floats as the shortest decimal that reads back as the same float."""

from __future__ import annotations

import math
import struct
from functools import lru_cache

__all__ = ["float_text"]

_FLOAT32 = struct.Struct("f")


@lru_cache(maxsize=1 << 16)
def float_text(value: float) -> str:
    """`value`, a 32-bit float, in decimal (negative zero is 0); "nan", "inf" and "-inf" where
    there is none.

    >>> float_text(-3.0999999046325684)
    '-3.1'
    """
    if not math.isfinite(value):
        return "nan" if math.isnan(value) else f"{value:g}"
    if value == int(value) and abs(value) < 1e9:
        return str(int(value))
    for digits in range(6, 10):
        text = f"{value:.{digits}g}"
        if _FLOAT32.unpack(_FLOAT32.pack(float(text)))[0] == value:
            return text
    return repr(value)
