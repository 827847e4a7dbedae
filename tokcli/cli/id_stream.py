"""Token ids from a pipe, each as soon as it is complete."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import BinaryIO

from tokcli.id_text import IdReader, is_json, parse_ids

__all__ = ["arriving_ids"]

CHUNK = 1 << 16


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
    for chunk in chunks:
        *lines, rest = (rest + chunk).split("\n")
        for line in lines:
            document += line + "\n"
            # Only at the margin can the line end a document, laid out or in one line.
            if line[:1] in ("{", "[", "}", "]") and line.rstrip().endswith(("}", "]")):
                yield parse_ids(document)
                document = ""
    yield parse_ids(document + rest)
