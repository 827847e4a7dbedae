"""Values of GGUF keys: as bytes for the shell, as a short line for people, as JSON."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import Any

from tokcli.gguf_metadata import FLOAT32, STRING, Entry
from tokcli.gguf_strings import Strings
from tokcli.text.byte_escapes import escape
from tokcli.text.float_text import float_text

__all__ = ["json_entry", "json_value", "preview", "raw_lines"]

# What the value of an array is an instance of.
ITEMS = (list, Strings, array)
MAX_PREVIEW = 60
MAX_ITEM_PREVIEW = 20
PREVIEW_ITEMS = 4
JSON_ITEMS = 16


def raw_lines(entry: Entry) -> Iterable[str]:
    """The items of an array, or a number, a line each; texts as byte_escapes writes them, so
    that each is one line."""
    items = entry.value if entry.item_type is not None else [entry.value]
    assert isinstance(items, ITEMS)
    kind = entry.type if entry.item_type is None else entry.item_type
    return (_scalar(item, kind) for item in items)


def _scalar(value: object, kind: int) -> str:
    if isinstance(value, bytes):
        return escape(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return float_text(value) if kind == FLOAT32 and isinstance(value, float) else str(value)


def preview(entry: Entry) -> str:
    """The value on one short line: long texts are cut off, arrays show their first items."""
    if entry.item_type is None:
        return _shortened(_scalar(entry.value, entry.type), MAX_PREVIEW)
    items = entry.value
    assert isinstance(items, ITEMS)
    shown = [_quoted(item, entry.item_type) for item in items[:PREVIEW_ITEMS]]
    more = ", ..." if len(items) > PREVIEW_ITEMS else ""
    return f"{len(items)} items: {', '.join(shown)}{more}"


def _quoted(item: object, kind: int) -> str:
    text = _shortened(_scalar(item, kind), MAX_ITEM_PREVIEW)
    return f"'{text}'" if kind == STRING else text


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else text[:most] + "..."


def json_entry(key: str, entry: Entry) -> dict[str, Any]:
    """Key, type and value; of a long array only the first items, with `truncated`."""
    shown: dict[str, Any] = {"key": key, "type": entry.type_name}
    if entry.item_type is not None:
        assert isinstance(entry.value, ITEMS)
        shown["length"] = len(entry.value)
    value = json_value(entry, JSON_ITEMS)
    shown["value"] = value
    if isinstance(value, list) and len(value) < shown["length"]:
        shown["truncated"] = True
    return shown


def json_value(entry: Entry, limit: int | None = None) -> Any:
    """The value for JSON, of an array at most `limit` items. Text that is not UTF-8 is an object
    {"bytes": HEX}; floats that JSON lacks are the strings "nan", "inf", "-inf"."""
    if entry.item_type is None:
        return _json_scalar(entry.value, entry.type)
    items = entry.value
    assert isinstance(items, ITEMS)
    return [_json_scalar(item, entry.item_type) for item in items[:limit]]


def _json_scalar(value: object, kind: int) -> Any:
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            return {"bytes": value.hex()}
    if isinstance(value, float):
        text = _scalar(value, kind)
        return float(text) if text[-1].isdigit() else text
    return value
