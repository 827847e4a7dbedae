"""Reads the key-values of a GGUF file, and nothing else.

`gguf.GGUFReader` builds NumPy views of every string and takes seconds on a real vocabulary; this
reader takes a tenth of a second. Versions 2 and 3, little and big endian. Every count and length is
held against the size of the file, and against limits, before memory is taken: a sparse file can
bear out any claim. Tensors are never touched.
Format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
"""

from __future__ import annotations

import os
import stat
import struct
import sys
from array import array
from collections.abc import Iterator, Mapping
from typing import BinaryIO, NamedTuple

from tokcli.errors import GgufError
from tokcli.gguf_strings import Strings, end_of_strings, read_strings

__all__ = ["ARRAY", "BOOL", "STRING", "TYPE_NAMES", "Entry", "Metadata", "read_metadata"]

MAGIC = b"GGUF"
UINT8, INT8, UINT16, INT16, UINT32, INT32, FLOAT32, BOOL, STRING, ARRAY, UINT64, INT64, FLOAT64 = (
    range(13)
)
TYPE_NAMES = (
    "u8", "i8", "u16", "i16", "u32", "i32", "f32", "bool", "str", "arr", "u64", "i64", "f64",
)  # fmt: skip
SCALAR_CODES = {
    UINT8: "B", INT8: "b", UINT16: "H", INT16: "h", UINT32: "I", INT32: "i", FLOAT32: "f",
    BOOL: "B", UINT64: "Q", INT64: "q", FLOAT64: "d",
}  # fmt: skip
INTEGER_RANGES = {
    UINT8: (0, 2**8), INT8: (-(2**7), 2**7), UINT16: (0, 2**16), INT16: (-(2**15), 2**15),
    UINT32: (0, 2**32), INT32: (-(2**31), 2**31), UINT64: (0, 2**64), INT64: (-(2**63), 2**63),
}  # fmt: skip
# A key-value takes at least a key length, a type and one byte of value.
SMALLEST_ENTRY = 8 + 4 + 1
FIRST_READ = 16 << 20
# All key-values must lie within so many bytes. llama.cpp has this limit for each string and, in
# elements, for each array (GGUF_MAX_STRING_LENGTH and GGUF_MAX_ARRAY_ELEMENTS in gguf.cpp).
LIMIT = 1 << 30
# Python needs about 64 bytes for a short string, so that this many take up as much.
MOST_STRINGS = LIMIT // 64
# The array of strings of which few are asked for, when a short text is tokenized.
SELDOM_WHOLE = "tokenizer.ggml.merges"
# From the description of the format.
LONGEST_KEY = (1 << 16) - 1


class Entry(NamedTuple):
    """One key-value: `type` and, for arrays, `item_type` are GGUF type numbers.

    `value`: int, float, bool, bytes (str), a sequence of bytes (array of str), or array.array.
    """

    type: int
    item_type: int | None
    value: object

    @property
    def type_name(self) -> str:
        """The type as llama.cpp names it: "u32", "str", "arr[str]"."""
        if self.item_type is None:
            return TYPE_NAMES[self.type]
        return f"arr[{TYPE_NAMES[self.item_type]}]"


class Metadata(Mapping[str, Entry]):
    """The key-values of a file, in the file's order, with what else its header says.

    Keys are text; bytes of a key that are not UTF-8 stand as lone surrogates (os.fsdecode's way).
    """

    def __init__(
        self,
        entries: dict[str, Entry],
        *,
        path: str,
        version: int = 3,
        byte_order: str = "little",
        tensor_count: int = 0,
    ) -> None:
        self._entries = entries
        self.path = path
        self.version = version
        self.byte_order = byte_order
        self.tensor_count = tensor_count

    def __getitem__(self, key: str) -> Entry:
        return self._entries[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def text(self, key: str) -> str | None:
        """The value of a string key, up to a NUL as llama.cpp reads it (gguf_get_val_str gives a C
        string); None where the key is absent or of another type."""
        entry = self._entries.get(key)
        if entry is None or not isinstance(entry.value, bytes):
            return None
        return entry.value.split(b"\0", 1)[0].decode("utf-8", "surrogateescape")

    def with_overrides(self, overrides: Mapping[str, object]) -> Metadata:
        """A copy in which each key of `overrides` has the given plain value.

        Values: str, bytes, bool, int, float, a list of str, int or float, or an Entry. An int takes
        the integer type that the file has for the key, else u32 (or i32, i64 where it does not
        fit).

        Raises GgufError for a value that no GGUF type holds.
        """
        entries = dict(self._entries)
        for key, value in overrides.items():
            entries[key] = make_entry(key, value, entries.get(key))
        return Metadata(
            entries,
            path=self.path,
            version=self.version,
            byte_order=self.byte_order,
            tensor_count=self.tensor_count,
        )


def make_entry(key: str, value: object, present: Entry | None = None) -> Entry:
    """The Entry for a plain Python value; `present` is what the file has under that key."""
    if isinstance(value, Entry):
        return value
    if isinstance(value, bool):
        return Entry(BOOL, None, value)
    if isinstance(value, str):
        return Entry(STRING, None, value.encode("utf-8", "surrogateescape"))
    if isinstance(value, bytes):
        return Entry(STRING, None, value)
    if isinstance(value, float):
        return Entry(FLOAT32, None, value)
    if isinstance(value, int):
        types = [UINT32, INT32, INT64, UINT64]
        if present is not None and present.type in INTEGER_RANGES:
            types.insert(0, present.type)
        for type_ in types:
            low, high = INTEGER_RANGES[type_]
            if low <= value < high:
                return Entry(type_, None, value)
    if isinstance(value, (list, tuple)):
        if all(isinstance(item, (str, bytes)) for item in value):
            texts = [
                item if isinstance(item, bytes) else item.encode("utf-8", "surrogateescape")
                for item in value
            ]
            return Entry(ARRAY, STRING, texts)
        try:
            if all(isinstance(item, int) for item in value):
                return Entry(ARRAY, INT32, array("i", value))
            return Entry(ARRAY, FLOAT32, array("f", value))
        except (TypeError, OverflowError):
            pass
    raise GgufError(f"override of {key}: no GGUF type holds {value!r}")


def read_metadata(path: str | os.PathLike[str]) -> Metadata:
    """Read the key-values of the GGUF file at `path`.

    Raises GgufError, with the key and byte offset, for a file that cannot be read, is no GGUF
    file, is cut short, or makes claims that its size cannot bear out.
    """
    name = os.fspath(path)
    try:
        with _open(name) as file:
            status = os.fstat(file.fileno())
            size = status.st_size if stat.S_ISREG(status.st_mode) else None
            return _Parser(file, size, name).parse()
    except OSError as error:
        reason = error.strerror or str(error)
        raise GgufError(f"cannot read {name or repr(name)}: {reason}") from error


def _open(name: str) -> BinaryIO:
    try:
        return open(name, "rb")
    except ValueError as error:
        raise GgufError(f"cannot read {name!a}: no file has such a name ({error})") from error


class _Parser:
    """Walks the header in a buffer that grows by reading on, as far as the keys reach."""

    def __init__(self, file: BinaryIO, size: int | None, path: str) -> None:
        self.file = file
        self.size = size
        self.path = path
        self.buffer = file.read(4)
        self.order = "<"

    def fail(self, message: str) -> GgufError:
        return GgufError(f"{self.path}: {message}")

    def truncated(self, where: str, offset: int) -> GgufError:
        return self.fail(
            f"the file ends inside {where} (at byte {offset}); it is cut short or damaged, "
            "fetch it again"
        )

    def need(self, end: int, offset: int, where: str) -> None:
        """Have the buffer reach up to `end`, for what is at `offset`."""
        if end > LIMIT:
            raise self.fail(
                f"{where} (at byte {offset}) ends at byte {end}, and the key-values of a file must "
                f"end within {LIMIT} bytes; it is damaged"
            )
        while end > len(self.buffer):
            have = len(self.buffer)
            wanted = 2 * have + FIRST_READ
            if self.size is None:
                self.buffer += self.file.read(wanted - have)
            else:
                # Reading again from the start keeps no second copy in memory.
                self.buffer = b""
                self.file.seek(0)
                self.buffer = self.file.read(wanted)
            if len(self.buffer) <= have:
                raise self.truncated(where, offset)

    def scalar(self, code: str, offset: int, where: str) -> tuple[int | float, int]:
        layout = struct.Struct(self.order + code)
        end = offset + layout.size
        if end > len(self.buffer):
            self.need(end, offset, where)
        return layout.unpack_from(self.buffer, offset)[0], end

    def count(self, offset: int, where: str, smallest: int, most: int) -> tuple[int, int]:
        """A u64 that counts things of at least `smallest` bytes each, at most `most` of them."""
        value, offset = self.scalar("Q", offset, where)
        assert isinstance(value, int)
        if self.size is not None and value * smallest > self.size - offset:
            raise self.fail(
                f"{where} claims {value} (at byte {offset - 8}), more than the file's "
                f"{self.size} bytes can hold; it is damaged"
            )
        if value > most:
            raise self.fail(
                f"{where} claims {value} (at byte {offset - 8}), and {most} is the most that is "
                "read; it is damaged"
            )
        return value, offset

    def string(self, offset: int, where: str, most: int = LIMIT) -> tuple[bytes, int]:
        length, offset = self.count(offset, f"the length of {where}", 1, most)
        end = offset + length
        if end > len(self.buffer):
            self.need(end, offset, where)
        return self.buffer[offset:end], end

    def parse(self) -> Metadata:
        if self.buffer != MAGIC:
            if len(self.buffer) < 4:
                raise self.fail(f"not a GGUF file: only {len(self.buffer)} bytes long")
            shown = self.buffer.decode("ascii", "backslashreplace")
            raise self.fail(f"not a GGUF file: it starts with {shown!r}, not 'GGUF'")
        version, offset = self.scalar("I", 4, "the version")
        assert isinstance(version, int)
        byte_order = "little"
        if version and version & 0xFFFF == 0:
            # Only the byte order of the other kind of machine leaves the low half empty.
            self.order, byte_order = ">", "big"
            version, offset = self.scalar("I", 4, "the version")
            assert isinstance(version, int)
        if version not in (2, 3):
            raise self.fail(f"GGUF version {version} is not supported (2 and 3 are); convert it")
        tensor_count, offset = self.scalar("Q", offset, "the tensor count")
        assert isinstance(tensor_count, int)
        n_entries, offset = self.count(offset, "the number of key-values", SMALLEST_ENTRY, LIMIT)
        entries: dict[str, Entry] = {}
        for index in range(n_entries):
            start = offset
            raw, offset = self.string(offset, f"key {index} of {n_entries}", LONGEST_KEY)
            key = raw.decode("utf-8", "surrogateescape")
            if key in entries:
                raise self.fail(f"key {_shown(key)} is there twice (at byte {start})")
            entries[key], offset = self.entry(key, offset)
        return Metadata(
            entries,
            path=self.path,
            version=version,
            byte_order=byte_order,
            tensor_count=tensor_count,
        )

    def entry(self, key: str, offset: int) -> tuple[Entry, int]:
        where = f"the value of {_shown(key)}"
        start = offset
        type_, offset = self.scalar("I", offset, f"the type of {_shown(key)}")
        if type_ == STRING:
            value, offset = self.string(offset, where)
            return Entry(STRING, None, value), offset
        if type_ == ARRAY:
            return self.array(key, where, offset)
        if type_ not in SCALAR_CODES:
            raise self.fail(f"{_shown(key)} has the unknown type {type_} (at byte {start})")
        assert isinstance(type_, int)
        number, offset = self.scalar(SCALAR_CODES[type_], offset, where)
        return Entry(type_, None, bool(number) if type_ == BOOL else number), offset

    def array(self, key: str, where: str, offset: int) -> tuple[Entry, int]:
        start = offset
        item_type, offset = self.scalar("I", offset, where)
        if item_type == STRING:
            n_items, offset = self.count(offset, f"the length of {where}", 8, MOST_STRINGS)
            end = self.plain_end(n_items, offset, where) if key == SELDOM_WHOLE else None
            if end is not None:
                return Entry(ARRAY, STRING, Strings(self.buffer[offset:end], n_items)), end
            texts, offset = self.strings(n_items, offset, where)
            return Entry(ARRAY, STRING, texts), offset
        if item_type not in SCALAR_CODES:
            what = "arrays" if item_type == ARRAY else f"the unknown type {item_type}"
            raise self.fail(f"{where} is an array of {what} (at byte {start}), which is not usable")
        assert isinstance(item_type, int)
        values = array(SCALAR_CODES[item_type])
        n_items, offset = self.count(offset, f"the length of {where}", values.itemsize, LIMIT)
        end = offset + n_items * values.itemsize
        self.need(end, offset, where)
        values.frombytes(memoryview(self.buffer)[offset:end])
        if (self.order == ">") != (sys.byteorder == "big"):
            values.byteswap()
        return Entry(ARRAY, item_type, values), end

    def plain_end(self, n_items: int, start: int, where: str) -> int | None:
        """Where so many strings end, if they are all there and such as Strings can have."""
        if self.order != "<":
            return None
        while True:
            end = end_of_strings(self.buffer, start, n_items)
            if end is None or end <= len(self.buffer):
                return end
            if self.size is None or end > self.size:
                return None
            self.need(end, start, where)

    def strings(self, n_items: int, start: int, where: str) -> tuple[list[bytes], int]:
        length = struct.Struct(self.order + "Q")
        while True:
            items, offset = read_strings(self.buffer, start, n_items, length)
            if offset <= len(self.buffer):
                return items, offset
            item = f"{where}, item {len(items)} of {n_items}"
            if self.size is not None and offset > self.size:
                raise self.truncated(item, self.size)
            del items
            self.need(offset, start, item)


def _shown(key: str) -> str:
    return key.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
