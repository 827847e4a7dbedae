from __future__ import annotations

import pytest

from tokcli.errors import UsageError
from tokcli.text.number_ranges import numbers_in, parse_ranges


def parse(text: str, count: int = 20) -> list[int]:
    return list(numbers_in(parse_ranges(text, option="--id", count=count, noun="token id")))


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("7", [7]),
        ("0,5-7", [0, 5, 6, 7]),
        ("5,3", [5, 3]),
        ("3-5,4-6,3", [3, 4, 5, 6]),
        (" 1 , 2 - 3 ", [1, 2, 3]),
        ("17-", [17, 18, 19]),
        ("18-900", [18, 19]),
    ],
)
def test_known_lists(text: str, numbers: list[int]) -> None:
    assert parse(text) == numbers


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "'' is no number"),
        ("a", "'a' is no number"),
        ("-3", "'-3' is no number"),
        ("1,,2", "'' is no number"),
        ("1.5", "'1.5' is no number"),
        ("٣", "is no number"),
        ("20", "token id 20 does not exist (0 to 19)"),
        ("25-30", "token id 25 does not exist (0 to 19)"),
        ("5-3", "range 5-3 ends before it starts"),
    ],
)
def test_what_is_no_list_is_refused(text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse(text)

    assert message in str(caught.value)


def test_there_may_be_no_numbers_at_all() -> None:
    with pytest.raises(UsageError, match="there are none"):
        parse("0", count=0)
