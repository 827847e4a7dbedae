"""The reader against gguf.GGUFReader, and against files that lie."""

from __future__ import annotations

import os
import random
import struct
import time
from array import array
from pathlib import Path
from typing import Any

import gguf
import pytest

from tests import vocabularies
from tokcli import GgufError, gguf_metadata
from tokcli.gguf_metadata import (
    ARRAY,
    BOOL,
    FLOAT32,
    INT8,
    INT32,
    INT64,
    STRING,
    TYPE_NAMES,
    UINT8,
    UINT32,
    UINT64,
    Entry,
    read_metadata,
)
from tokcli.gguf_strings import Strings


def header(n_entries: int, *, version: int = 3, order: str = "<") -> bytes:
    return b"GGUF" + struct.pack(f"{order}IQQ", version, 0, n_entries)


def text(value: bytes, order: str = "<") -> bytes:
    return struct.pack(f"{order}Q", len(value)) + value


def written(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def plain(entry: Entry) -> Any:
    """An entry's value in Python's own types."""
    return list(entry.value) if isinstance(entry.value, array) else entry.value


def by_gguf_reader(path: Path) -> dict[str, tuple[int, int | None, Any]]:
    """Key -> type, item type and value, as GGUFReader has them."""
    result: dict[str, tuple[int, int | None, Any]] = {}
    for name, field in gguf.GGUFReader(path).fields.items():
        if name.startswith("GGUF."):
            continue
        types = [int(kind) for kind in field.types]
        parts = [field.parts[index] for index in field.data]
        if types[-1] == STRING:
            values: list[Any] = [bytes(part) for part in parts]
        else:
            values = [part.tolist()[0] for part in parts]
        if types[0] == ARRAY:
            result[name] = (ARRAY, types[-1] if len(types) > 1 else None, values)
        else:
            result[name] = (types[0], None, values[0])
    return result


@pytest.mark.parametrize("name", vocabularies.TINY)
def test_reads_what_gguf_reader_reads(name: str, tmp_path: Path) -> None:
    path = vocabularies.path_of(name, tmp_path)
    metadata = read_metadata(path)

    ours = {key: (entry.type, entry.item_type, plain(entry)) for key, entry in metadata.items()}

    assert ours == by_gguf_reader(path)
    assert list(ours) == list(by_gguf_reader(path))


def test_type_numbers_are_those_of_gguf() -> None:
    assert {kind.value: kind.name for kind in gguf.GGUFValueType} == dict(
        enumerate(
            "UINT8 INT8 UINT16 INT16 UINT32 INT32 FLOAT32 BOOL STRING ARRAY UINT64 INT64 "
            "FLOAT64".split()
        )
    )
    assert (UINT8, INT8, UINT32, INT32) == (0, 1, 4, 5)
    assert (FLOAT32, BOOL, STRING, ARRAY, UINT64, INT64) == (6, 7, 8, 9, 10, 11)
    assert len(TYPE_NAMES) == len(gguf.GGUFValueType)


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("version", [2, 3])
def test_byte_orders_and_versions(order: str, version: int, tmp_path: Path) -> None:
    data = header(4, version=version, order=order)
    data += text(b"a", order) + struct.pack(f"{order}Ii", INT32, -5)
    data += text(b"b", order) + struct.pack(f"{order}I", STRING) + text(b"\xff\0", order)
    data += text(b"c", order) + struct.pack(f"{order}IIQ2h", ARRAY, 3, 2, -1, 513)
    data += text(b"d", order) + struct.pack(f"{order}IIQ", ARRAY, STRING, 2)
    data += text(b"x", order) + text(b"", order)

    metadata = read_metadata(written(tmp_path / "file.gguf", data))

    assert metadata.version == version
    assert metadata.byte_order == {"<": "little", ">": "big"}[order]
    assert metadata["a"] == Entry(INT32, None, -5)
    assert metadata["b"] == Entry(STRING, None, b"\xff\0")
    assert list(metadata["c"].value) == [-1, 513]  # type: ignore[call-overload]
    assert metadata["d"] == Entry(ARRAY, STRING, [b"x", b""])
    assert [entry.type_name for entry in metadata.values()] == [
        "i32",
        "str",
        "arr[i16]",
        "arr[str]",
    ]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "only 0 bytes"),
        (b"GG", "only 2 bytes"),
        (b"ggjt\x03\0\0\0", "starts with 'ggjt'"),
        (b"GGUF\x03", "the file ends inside the version"),
        (header(0, version=1), "version 1 is not supported"),
        (header(0, version=4), "version 4 is not supported"),
        (header(1 << 60), "number of key-values claims"),
        (header(1) + struct.pack("<Q", 1 << 62) + b"\0" * 20, "length of key 0 of 1 claims"),
        (header(1) + text(b"k") + struct.pack("<I", 99) + b"\0", "k has the unknown type 99"),
        (header(1) + text(b"k") + struct.pack("<IIQ", ARRAY, ARRAY, 0), "an array of arrays"),
        (header(1) + text(b"k") + struct.pack("<IIQ", ARRAY, 4, 1 << 60), "claims"),
        (header(1) + text(b"k") + struct.pack("<IIQ", ARRAY, 8, 1 << 61), "claims"),
        (header(1) + text(b"k") + struct.pack("<IIQQ", ARRAY, 8, 1, 99), "item 1 of 1"),
        (header(1) + text(b"k") + struct.pack("<IQ", STRING, 9) + b"short", "claims 9"),
        (header(2) + (text(b"k") + struct.pack("<II", UINT32, 1)) * 2, "k is there twice"),
    ],
)
def test_refuses_damaged_files(data: bytes, message: str, tmp_path: Path) -> None:
    path = written(tmp_path / "damaged.gguf", data)

    with pytest.raises(GgufError, match=r"damaged\.gguf") as caught:
        read_metadata(path)

    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_name_that_no_file_has() -> None:
    with pytest.raises(GgufError, match=r"cannot read 'a.x00b': no file has such a name"):
        read_metadata("a\0b")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (struct.pack("<Q", 1 << 16), "the length of key 0 of 1 claims 65536 (at byte 24)"),
        (text(b"k") + struct.pack("<IQ", STRING, 3 << 30), "the value of k claims 3221225472 (at"),
        (text(b"k") + struct.pack("<IQ", STRING, 1 << 30), "the value of k (at byte 45) ends at"),
        (text(b"k") + struct.pack("<IIQ", ARRAY, 8, 1 << 25), "the value of k claims 33554432 (at"),
        (
            text(b"k") + struct.pack("<IIQ", ARRAY, 4, 1 << 28),
            "the value of k (at byte 49) ends at",
        ),
        (
            text(b"k") + struct.pack("<IIQQQ", ARRAY, 8, 2, 0, 1 << 31),
            "the value of k, item 2 of 2 (at byte 49) ends at byte 2147483713",
        ),
    ],
)
def test_refuses_what_a_sparse_file_bears_out(data: bytes, message: str, tmp_path: Path) -> None:
    path = written(tmp_path / "sparse.gguf", header(1) + data)
    os.truncate(path, 4 << 30)
    start = time.process_time()

    with pytest.raises(GgufError) as caught:
        read_metadata(path)

    assert message in str(caught.value)
    assert time.process_time() - start < 1


def test_reads_values_longer_than_the_first_read(tmp_path: Path) -> None:
    value = random.Random(4).randbytes(17 << 20)
    data = header(3) + text(b"s") + struct.pack("<I", STRING) + text(value)
    data += text(b"a") + struct.pack("<IIQ", ARRAY, UINT8, len(value)) + value
    data += text(b"t") + struct.pack("<IIQ", ARRAY, STRING, 2) + text(value) + text(b"x")
    path = written(tmp_path / "long.gguf", data)

    metadata = read_metadata(path)

    assert metadata["s"].value == value
    assert metadata["a"].value == array("B", value)
    assert metadata["t"].value == [value, b"x"]


@pytest.mark.parametrize("first_read", [1, 40, 700, 1 << 20])
def test_merges_may_go_beyond_the_first_read(
    first_read: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gguf_metadata, "FIRST_READ", first_read)
    merges = [b"%d a" % number for number in range(3000)]
    key = text(b"tokenizer.ggml.merges") + struct.pack("<II", ARRAY, STRING)
    data = header(2) + key + struct.pack("<Q", len(merges)) + b"".join(map(text, merges))
    rest = text(b"after") + struct.pack("<II", UINT32, 7)
    path = written(tmp_path / "m.gguf", data + rest)

    metadata = read_metadata(path)

    assert isinstance(metadata["tokenizer.ggml.merges"].value, Strings)
    assert metadata["tokenizer.ggml.merges"].value == merges
    assert metadata["after"].value == 7
    for missing in (1, 5, 12, 5000):
        with pytest.raises(GgufError, match=r"merges, item \d+ of 3000 \(at byte \d+\); it is cut"):
            read_metadata(written(tmp_path / "cut.gguf", data[:-missing]))


def test_names_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(GgufError, match=r"cannot read .*nothing\.gguf"):
        read_metadata(tmp_path / "nothing.gguf")


@pytest.mark.parametrize("name", ["spm", "ugm-charsmap", "bpe-llama3"])
def test_every_truncation_is_an_error(name: str, tmp_path: Path) -> None:
    data = vocabularies.path_of(name, tmp_path).read_bytes()
    chosen = random.Random(1).sample(range(len(data) - 1), 60)

    for size in chosen:
        with pytest.raises(GgufError):
            read_metadata(written(tmp_path / "cut.gguf", data[:size]))


def test_random_damage_is_read_or_refused_in_no_time(tmp_path: Path) -> None:
    chance = random.Random(2)
    data = vocabularies.path_of("spm", tmp_path).read_bytes()
    path = tmp_path / "damaged.gguf"
    outcomes = set()
    start = time.perf_counter()

    for _ in range(300):
        damaged = bytearray(data)
        place = chance.randrange(len(data) - 8)
        damaged[place : place + 8] = struct.pack("<Q", chance.getrandbits(chance.randrange(1, 64)))
        try:
            read_metadata(written(path, bytes(damaged)))
            outcomes.add("read")
        except GgufError:
            outcomes.add("refused")

    assert outcomes == {"read", "refused"}
    assert time.perf_counter() - start < 20


def test_overrides(tmp_path: Path) -> None:
    data = header(2)
    data += text(b"small") + struct.pack("<Ib", INT8, -1)
    data += text(b"name") + struct.pack("<I", STRING) + text(b"old")
    metadata = read_metadata(written(tmp_path / "file.gguf", data))

    changed = metadata.with_overrides(
        {
            "small": 5,
            "name": "nüw",
            "yes": True,
            "id": 7,
            "negative": -7,
            "large": 1 << 40,
            "half": 0.5,
            "texts": ["a", b"\xff"],
            "numbers": [1, -2],
            "floats": [0.5, 2],
        }
    )

    assert changed["small"] == Entry(INT8, None, 5)
    assert changed["name"] == Entry(STRING, None, "nüw".encode())
    assert changed["yes"] == Entry(BOOL, None, True)
    assert changed["id"] == Entry(UINT32, None, 7)
    assert changed["negative"] == Entry(INT32, None, -7)
    assert changed["large"] == Entry(INT64, None, 1 << 40)
    assert changed["half"] == Entry(FLOAT32, None, 0.5)
    assert changed["texts"] == Entry(ARRAY, STRING, [b"a", b"\xff"])
    assert changed["numbers"] == Entry(ARRAY, INT32, array("i", [1, -2]))
    assert changed["floats"] == Entry(ARRAY, FLOAT32, array("f", [0.5, 2]))
    assert metadata["small"] == Entry(INT8, None, -1)
    assert "yes" not in metadata


@pytest.mark.parametrize("value", [None, object(), 1 << 70, [1, "a"], [1 << 40], {}])
def test_an_override_that_no_type_holds(value: object, tmp_path: Path) -> None:
    metadata = read_metadata(written(tmp_path / "file.gguf", header(0)))

    with pytest.raises(GgufError, match="no GGUF type holds"):
        metadata.with_overrides({"key": value})


def test_text_is_none_for_other_types(tmp_path: Path) -> None:
    data = header(2)
    data += text(b"n") + struct.pack("<II", UINT32, 1)
    data += text(b"t\xff") + struct.pack("<I", STRING) + text(b"a\xfe")
    metadata = read_metadata(written(tmp_path / "file.gguf", data))

    assert metadata.text("n") is None
    assert metadata.text("missing") is None
    # As llama.cpp's C strings do, it ends at a NUL.
    assert metadata.with_overrides({"a": b"\xff\0b"}).text("a") == "\udcff"
    assert metadata.text("t\udcff") == "a\udcfe"
