from __future__ import annotations

import random
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import pytest

from tests.asking import small, texts, with_bytes
from tests.gguf_files import CONTROL, NORMAL, UNKNOWN, USER_DEFINED
from tests.reference import naive_partition
from tokcli.partition import Partitioner, SpecialFragment, TextFragment
from tokcli.tokenizer import Tokenizer
from tokcli.vocab import CONTROL as CONTROL_ATTR
from tokcli.vocab import LSTRIP, RSTRIP, Vocab

TOKENS = {
    "<unk>": UNKNOWN, "<s>": CONTROL, "</s>": CONTROL, "<|endoftext|>": CONTROL,
    "{u}": USER_DEFINED, "{u}{u}": USER_DEFINED, "u}x": USER_DEFINED, "<mask>": USER_DEFINED,
    "  ": USER_DEFINED, "▁": NORMAL, "a": NORMAL,
}  # fmt: skip


def tiny(folder: Path, **fields: Any) -> Tokenizer:
    tokens, types = with_bytes(list(TOKENS), list(TOKENS.values()))
    return small(folder, "llama", tokens, types=types, add_space_prefix=False, **fields)


def cut(tokenizer: Tokenizer, data: str, parse_special: bool = True) -> list[str]:
    """The fragments as their bytes, special ones in parentheses."""
    raw = data.encode()
    result = []
    for fragment in Partitioner(tokenizer.vocab).partition(raw, parse_special):
        part = raw[fragment.start : fragment.end].decode()
        result.append(f"({part})" if isinstance(fragment, SpecialFragment) else part)
    return result


@pytest.mark.parametrize(
    ("text", "with_special", "without"),
    [
        ("", [], []),
        ("a", ["a"], ["a"]),
        ("<s>a</s>", ["(<s>)", "a", "(</s>)"], ["<s>a</s>"]),
        ("<unk>", ["(<unk>)"], ["<unk>"]),
        ("a{u}a", ["a", "({u})", "a"], ["a", "({u})", "a"]),
        # The longest text first, wherever it stands.
        ("{u}{u}{u}", ["({u}{u})", "({u})"], ["({u}{u})", "({u})"]),
        ("{u}x", ["({u})", "x"], ["({u})", "x"]),
        ("   ", ["(  )", " "], ["(  )", " "]),
        ("<s><s>", ["(<s>)", "(<s>)"], ["<s><s>"]),
        ("<s", ["<s"], ["<s"]),
    ],
)
def test_fragments(tmp_path: Path, text: str, with_special: list[str], without: list[str]) -> None:
    tokenizer = tiny(tmp_path)

    assert cut(tokenizer, text) == with_special
    assert cut(tokenizer, text, parse_special=False) == without


def test_the_ids_follow(tmp_path: Path) -> None:
    tokenizer = tiny(tmp_path)

    assert texts(tokenizer, "<s>a{u}{u}", parse_special=True) == ["<s>", "a", "{u}{u}"]
    # "u}x" and "{u}" are of equal length; the lower id is searched first.
    assert texts(tokenizer, "{u}x") == ["{u}", "<0x78>"]


def test_rstrip_by_name(tmp_path: Path) -> None:
    tokenizer = tiny(tmp_path, **{"general.name": "Phi-3 mini"})

    # Every special token eats the white space behind it, but not these three, and </s> does.
    assert texts(tokenizer, "{u} \n\ta", parse_special=True) == ["{u}", "a"]
    assert texts(tokenizer, "</s> a", parse_special=True) == ["</s>", "a"]
    assert texts(tokenizer, "<s> a", parse_special=True) == ["<s>", "▁", "a"]
    assert texts(tokenizer, "<|endoftext|> a", parse_special=True) == ["<|endoftext|>", "▁", "a"]
    # C's isspace looks at bytes: a no-break space is none.
    assert texts(tokenizer, "{u}\u00a0", parse_special=True) == ["{u}", "<0xC2>", "<0xA0>"]


def test_lstrip_by_pre_tokenizer(tmp_path: Path) -> None:
    tokenizer = tiny(tmp_path, pre="jina-v2-de")

    assert texts(tokenizer, "a \n<mask> a", parse_special=True) == ["a", "<mask>", "▁", "a"]
    assert texts(tokenizer, " <mask>", parse_special=True) == ["<mask>"]
    # The white space before it is spent on the token before.
    assert texts(tokenizer, "  <mask>", parse_special=True) == ["<mask>"]


def test_stripped_space_is_in_the_fragment(tmp_path: Path) -> None:
    tokenizer = tiny(tmp_path, pre="jina-v2-de")
    mask = tokenizer.vocab.token_to_id[b"<mask>"]

    fragments = Partitioner(tokenizer.vocab).partition(b"a \n<mask>", True)

    assert fragments == [TextFragment(0, 1), SpecialFragment(3, 9, mask, 1, 9)]


def test_spelled_lists_what_parse_special_would_take(tmp_path: Path) -> None:
    tokenizer = tiny(tmp_path)

    found = Partitioner(tokenizer.vocab).spelled(b"<s>{u}<unk>")

    assert [fragment[:2] for fragment in found] == [(0, 3), (6, 11)]


def test_many_special_tokens_are_found(tmp_path: Path) -> None:
    special = [f"<extra_{number}>" for number in range(300)]
    tokens, types = with_bytes(special, [CONTROL] * 300)
    tokenizer = small(tmp_path, "llama", tokens, types=types, add_space_prefix=False)

    for number in (0, 7, 70, 299):
        assert tokenizer.tokenize(f"<extra_{number}>", add_special=False) == [number]
    assert tokenizer.tokenize("<extra_1><extra_29>", add_special=False) == [1, 29]


@dataclass
class Cutting:
    """What a Partitioner asks of a vocabulary: texts and attributes, all of them special."""

    texts: list[bytes]
    attrs: list[int]

    @property
    def special_token_ids(self) -> list[int]:
        return sorted(range(len(self.texts)), key=lambda id: -len(self.texts[id]))

    def attr(self, id: int) -> int:
        return self.attrs[id]

    def partitioner(self) -> Partitioner:
        return Partitioner(cast(Vocab, self))

    def tokens(self) -> list[tuple[bytes, int, int]]:
        return [(self.texts[id], id, self.attrs[id]) for id in self.special_token_ids]


# In long inputs some texts are frequent and some are not, which are found in different ways.
@pytest.mark.parametrize(("length", "rounds"), [(12, 3000), (3000, 60)])
def test_cuts_as_the_definition_reads(length: int, rounds: int) -> None:
    chance = random.Random(length)
    n_cut = 0
    for _ in range(rounds):
        alphabet = chance.choice(
            ["ab", "a ", "ab \n", "abcdefgh \n", "abcdefghijklmnopqrstuvwxyz "]
        )
        count = chance.randrange(1, 12)
        texts = ["".join(chance.choices(alphabet, k=chance.randrange(1, 6))) for _ in range(count)]
        attrs = [CONTROL_ATTR | chance.choice([0, LSTRIP, RSTRIP, LSTRIP | RSTRIP]) for _ in texts]
        vocab = Cutting([text.encode() for text in texts], attrs)
        parts = chance.choices([*alphabet, *texts], k=chance.randrange(length))
        data = "".join(parts).encode()

        fragments = vocab.partitioner().partition(data, True)

        assert fragments == naive_partition(data, vocab.tokens()), (data, vocab)
        n_cut += len(fragments) > 1
    assert n_cut > rounds // 2


def test_thousands_of_special_tokens_take_no_time() -> None:
    vocab = Cutting([f"<unused{number}>".encode() for number in range(6000)], [CONTROL_ATTR] * 6000)
    partitioner = vocab.partitioner()
    chance = random.Random(3)
    order = chance.sample(range(6000), 6000)
    start = time.process_time()

    close = partitioner.partition(b"".join(vocab.texts[id] for id in order), True)
    apart = partitioner.partition(b"".join(b" " * 300 + vocab.texts[id] for id in order), True)

    assert [fragment.id for fragment in close if isinstance(fragment, SpecialFragment)] == order
    assert [fragment.id for fragment in apart if isinstance(fragment, SpecialFragment)] == order
    assert (len(close), len(apart)) == (6000, 12000)
    assert time.process_time() - start < 10


def test_runs_of_special_tokens_take_no_time() -> None:
    vocab = Cutting([b" " * length for length in range(1, 32)], [CONTROL_ATTR] * 31)
    data = b"a".join(b" " * (number % 40) for number in range(20_000))
    start = time.process_time()

    fragments = vocab.partitioner().partition(data, True)

    assert sum(isinstance(fragment, SpecialFragment) for fragment in fragments) == 23_500
    assert time.process_time() - start < 10
