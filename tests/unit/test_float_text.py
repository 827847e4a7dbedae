from __future__ import annotations

import math
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokcli.text.float_text import float_text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (-1000.0, "-1000"),
        (-3.0999999046325684, "-3.1"),
        (9.999999747378752e-06, "1e-05"),
        (3.4028234663852886e38, "3.4028235e+38"),
        (math.inf, "inf"),
        (-math.inf, "-inf"),
        (math.nan, "nan"),
    ],
)
def test_known_floats(value: float, text: str) -> None:
    assert float_text(value) == text


@given(st.floats(width=32, allow_nan=False))
def test_reads_back_as_the_same_32_bits(value: float) -> None:
    assert struct.unpack("f", struct.pack("f", float(float_text(value)))) == (value,)
