"""Token ids from a pipe, each as soon as it is complete."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import BinaryIO

from tokcli.text.id_text import IdReader, is_json, parse_ids

__all__ = ["arriving_ids"]

CHUNK = 1 << 16
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')


def arriving_ids(source: BinaryIO) -> Iterator[list[int]]:
    """The ids on `source` in batches as they arrive, in any form that parse_ids takes.

    Those of a JSON document come when it ends. Raises UsageError for an item that is no id.
    """
    chunks = _chunks(source)
    start = ""
    for chunk in chunks:
        start += chunk
        if start.strip("[ \t\r\n"):
            break
    parse = _from_json if is_json(start) else _from_items
    return parse(chain((start,), chunks))


def _chunks(source: BinaryIO) -> Iterator[str]:
    # read() would wait for more than there is.
    read = getattr(source, "read1", source.read)
    while data := read(CHUNK):
        yield data.decode("utf-8", "backslashreplace")


def _from_items(chunks: Iterable[str]) -> Iterator[list[int]]:
    reader = IdReader()
    for chunk in chunks:
        yield reader.feed(chunk)
    yield reader.finish()


def _from_json(chunks: Iterable[str]) -> Iterator[list[int]]:
    document = rest = ""
    depth = 0
    for chunk in chunks:
        *lines, rest = (rest + chunk).split("\n")
        for line in lines:
            document += line + "\n"
            brackets = _STRING.sub("", line)
            depth += sum(map(brackets.count, "{[")) - sum(map(brackets.count, "}]"))
            if depth <= 0:
                yield parse_ids(document)
                document, depth = "", 0
    yield parse_ids(document + rest)
