from __future__ import annotations

import json
from itertools import count
from typing import Any

import pytest

from tokcli.render.json_layout import LaidOut, Stream, json_document, json_pieces

VALUES: dict[str, Any] = {
    "text": 'a"b\\c é 日 😀',
    "key \"quoted\" é": [1, -2, 0.5, 1e300, True, False, None],
    "empty": [{}, [], "", {"a": {}}],
    "deep": {"a": [{"b": [[1], {"c": "d"}]}]},
    "tuple": (1, ("x",)),
}  # fmt: skip


def test_a_document_is_laid_out_as_by_json_dumps() -> None:
    assert json_document(VALUES) == json.dumps(VALUES, indent=2, ensure_ascii=False)


def test_controls_and_invisible_characters_are_escaped() -> None:
    assert json_document({"\x7f": "\n\x9b\u200b\U000e0001"}) == (
        '{\n  "\\u007f": "\\n\\u009b\\u200b\\udb40\\udc01"\n}'
    )


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_numbers_that_json_lacks(value: float) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        json_document([value])


def test_pieces_are_those_of_the_document() -> None:
    streamed = {
        "before": [1],
        "none": Stream([]),
        "items": Stream([{"n": 1, "inner": Stream(["a", {"b": []}])}, {}, [2]]),
        "laid out": LaidOut(json_document({"a": [1, {}]})),
    }
    plain = {
        "before": [1],
        "none": [],
        "items": [{"n": 1, "inner": ["a", {"b": []}]}, {}, [2]],
        "laid out": {"a": [1, {}]},
    }

    assert "".join(json_pieces(streamed)) == json_document(plain)


def test_items_are_made_when_it_is_their_turn() -> None:
    numbers = count(1)
    pieces = json_pieces({"items": Stream(numbers)})

    assert [next(pieces) for _ in range(3)] == ['{\n  "items": [\n    1', ",\n    2", ",\n    3"]
    assert next(numbers) == 4
