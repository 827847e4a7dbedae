from __future__ import annotations

from tokcli.source_map import SourceMap
from tokcli.trace import Event, TokenEmitted


def test_rewritten_units_enclose_their_source() -> None:
    # "a b" with the space as U+2581.
    units = [(b"a", 5, 6), ("\u2581".encode(), 6, 7), (b"b", 7, 8)]
    source = SourceMap(units, exact=True, end=8)

    assert source.text == "a\u2581b".encode()
    assert source.span(0, 1) == (5, 6)
    assert source.span(1, 4) == (6, 7)
    assert source.span(1, 5) == (6, 8)
    assert source.span(0, 5) == (5, 8)


def test_a_part_of_a_rewritten_unit_stands_for_all_of_its_source() -> None:
    source = SourceMap([("\u2581".encode(), 3, 4)], exact=False, end=4)

    assert source.span(1, 2) == (3, 4)


def test_inserted_text_has_an_empty_span() -> None:
    source = SourceMap([(b"_", 0, 0), (b"ab", 0, 2)], exact=True, end=2)

    assert source.span(0, 1) == (0, 0)
    assert source.span(0, 2) == (0, 1)
    assert source.span(3, 3) == (2, 2)


def test_units_of_equal_length_are_mapped_byte_by_byte() -> None:
    source = SourceMap([("é".encode(), 4, 6)], exact=True, end=6)

    assert source.span(0, 1) == (4, 5)
    assert source.span(1, 2) == (5, 6)


def test_of_text_takes_offsets_by_code_point() -> None:
    source = SourceMap.of_text("aé", [0, 1, 3])

    assert source.text == "aé".encode()
    assert source.span(1, 3) == (1, 3)


def test_emit_reports_a_token() -> None:
    events: list[Event] = []
    source = SourceMap([(b"ab", 7, 9)], exact=True, end=9)

    source.emit(events.append, 3, 1, 2)

    assert events == [TokenEmitted(3, 8, 9, 1, 2, True)]
