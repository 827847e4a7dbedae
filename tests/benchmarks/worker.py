"""One measurement in a process of its own: arguments in, a line of JSON out.

CPU time is what counts, after loading and one short call. Each run pays for the tables and caches
that a long text needs: nothing is left over from the run before.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import tokcli
from tests.benchmarks import texts
from tests.benchmarks.timed_reference import reference_for
from tokcli.tokenizer import Tokenizer

WARM_UP = b"How are you?\n"


def warm(model: str) -> Tokenizer:
    """The tokenizer of `model` after one short call."""
    tokenizer = tokcli.load(model)
    tokenizer.tokenize(WARM_UP)
    return tokenizer


def timed_tokenize(tokenizer: Tokenizer, data: bytes) -> tuple[list[int], float]:
    """The ids of `data` and the CPU seconds that they took."""
    start = time.process_time()
    ids = tokenizer.tokenize(data)
    return ids, time.process_time() - start


def beside_reference(model: str, data: bytes) -> dict[str, Any]:
    """Both tokenize `data`, the reference first: tokcli leaves more behind in memory. `again` is
    the time of a second call, which finds every word in a cache."""
    reference = reference_for(model)
    theirs, expected = None, None
    if reference is not None:
        reference.timed_tokenize(WARM_UP)
        expected, theirs = reference.timed_tokenize(data)
    tokenizer = warm(model)
    ids, ours = timed_tokenize(tokenizer, data)
    same = expected is None or ids == expected
    again = timed_tokenize(tokenizer, data)[1]
    return {"ours": ours, "again": again, "theirs": theirs, "bytes": len(data), "same": same}


def throughput(model: str, path: str) -> dict[str, Any]:
    """A whole text."""
    return beside_reference(model, texts.read_text(path))


def one_word(model: str, path: str, kind: str, size: str) -> dict[str, Any]:
    """A text that is one word."""
    return beside_reference(model, texts.word(kind, int(size), texts.read_text(path)))


def huggingface(model: str, path: str) -> dict[str, Any]:
    """A whole text beside `tokenizers`, which takes it line by line."""
    try:
        from tests.benchmarks.huggingface import build

        tokenizer = warm(model)
        other = build(tokenizer.vocab)
    except ImportError as error:
        return {"error": str(error)}
    data = texts.read_text(path)
    lines = data.decode("utf-8", "replace").splitlines(keepends=True)
    other.encode_batch_fast([WARM_UP.decode()], add_special_tokens=False)
    start = time.process_time()
    found = other.encode_batch_fast(lines, add_special_tokens=False)
    theirs = time.process_time() - start
    ours = timed_tokenize(tokenizer, data)[1]
    expected = [tokenizer.tokenize(line, add_special=False) for line in lines]
    equal = sum(one.ids == two for one, two in zip(found, expected, strict=True))
    return {
        "ours": ours,
        "theirs": theirs,
        "bytes": len(data),
        "equal_lines": equal / max(1, len(lines)),
    }


def growth(model: str, path: str) -> dict[str, Any]:
    """Natural text: seconds, and the peak of memory above that of the loaded
    vocabulary with all its tables."""
    tokenizer = warm(model)
    with open(path, "rb") as file:
        tokenizer.tokenize(file.read(20_000))
    before = _peak()
    data = Path(path).read_bytes()
    ids, taken = timed_tokenize(tokenizer, data)
    memory = _peak() - before
    del ids
    return {"ours": taken, "bytes": len(data), "memory": memory}


def make_natural(path: str, size: str, output: str) -> dict[str, Any]:
    """Write natural text of `size` bytes to a file, for `growth`."""
    Path(output).write_bytes(texts.natural(texts.read_text(path), int(size)))
    return {}


def detokenize(model: str, path: str, count: str) -> dict[str, Any]:
    """The first `count` ids of the text, as often as it takes."""
    tokenizer = warm(model)
    ids = tokenizer.tokenize(texts.read_text(path), add_special=False)
    ids = (ids * (1 + int(count) // max(1, len(ids))))[: int(count)]
    fresh = tokcli.load(model)
    fresh.detokenize(ids[:3])
    start = time.process_time()
    text = fresh.detokenize(ids)
    ours = time.process_time() - start
    reference = reference_for(model)
    theirs, expected = None, text
    if reference is not None:
        expected, theirs = reference.timed_detokenize(ids, len(text))
    return {"ours": ours, "theirs": theirs, "bytes": len(text), "same": text == expected}


def _peak() -> int:
    """The peak of this process's resident memory so far, in bytes."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


TASKS: dict[str, Callable[..., dict[str, Any]]] = {
    task.__name__: task
    for task in (throughput, one_word, huggingface, growth, make_natural, detokenize)
}


def main() -> None:
    """Run the task named first with the other arguments."""
    print(json.dumps(TASKS[sys.argv[1]](*sys.argv[2:])))


if __name__ == "__main__":
    main()
