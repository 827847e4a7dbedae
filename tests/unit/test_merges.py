from __future__ import annotations

from pathlib import Path

import pytest

import tokcli
from tests import builders
from tokcli.errors import UsageError
from tokcli.listing.merge_rows import (
    MergeRow,
    count_ranks,
    merges_of_pair,
    merges_of_ranks,
    merges_of_tree,
    merges_using,
    split_merge,
)
from tokcli.listing.merge_tree import MergeNode, merge_tree, remark
from tokcli.listing.raw_text import raw_forms, to_plain, to_raw
from tokcli.vocab import Vocab


@pytest.fixture(scope="module")
def gpt2() -> Vocab:
    return tokcli.load().vocab


@pytest.fixture(scope="module")
def spm(tmp_path_factory: pytest.TempPathFactory) -> Vocab:
    return tokcli.load(builders.tiny_spm(tmp_path_factory.mktemp("spm") / "spm.gguf")).vocab


@pytest.mark.parametrize(
    ("merge", "sides"),
    [
        (b"a b", (b"a", b"b")),
        (b"  a", (b" ", b"a")),
        (b"a  ", (b"a", b" ")),
        (b"a b c", (b"a", b"b c")),
        (b"ab", (b"ab", b"")),
        (b" a", (b" a", b"")),
        (b"", (b"", b"")),
    ],
)
def test_splits_an_entry_as_llama_cpp_does(merge: bytes, sides: tuple[bytes, bytes]) -> None:
    assert split_merge(merge) == sides


@pytest.mark.parametrize(
    ("pair", "rank"),
    [
        ("Ġ a", 1), ("r e", 4), ("o w", 66), ("Ġa re", 133), ("H ow", 2181),
        ("  a", 1), (" a re", 133),
    ],
)  # fmt: skip
def test_finds_a_pair_by_raw_and_by_plain_text(gpt2: Vocab, pair: str, rank: int) -> None:
    assert [row.rank for row in merges_of_pair(gpt2, pair.encode())] == [rank]


def test_a_pair_that_does_not_merge_is_not_found(gpt2: Vocab) -> None:
    assert [merges_of_pair(gpt2, pair) for pair in (b"q zzz", b"are", b"", b" ")] == [[]] * 4


def test_rows_of_ranks(gpt2: Vocab) -> None:
    rows = list(merges_of_ranks(gpt2, [range(133, 134), range(2)]))

    assert rows == [
        MergeRow(133, "Ġa".encode(), b"re", 389),
        MergeRow(0, "Ġ".encode(), b"t", 256),
        MergeRow(1, "Ġ".encode(), b"a", 257),
    ]
    assert count_ranks(gpt2) == 50000
    assert [row.rank for row in merges_of_ranks(gpt2, limit=3)] == [0, 1, 2]


def test_merges_that_use_a_symbol(gpt2: Vocab) -> None:
    rows = list(merges_using(gpt2, "Ġare".encode()))

    assert [(row.rank, row.result.decode()) for row in rows] == [
        (1733, "Ġarea"), (2750, "Ġareas"), (3332, "Ġaren"), (13222, "Ġarena"),
    ]  # fmt: skip


def test_the_tree_is_what_merging_does(gpt2: Vocab) -> None:
    tree = merge_tree(gpt2, 389)

    assert tree.built
    assert tree.roots == (6,)
    assert tree.nodes == (
        MergeNode("Ġ".encode(), 220),
        MergeNode(b"a", 64),
        MergeNode(b"r", 81),
        MergeNode(b"e", 68),
        MergeNode("Ġa".encode(), 257, 1, None, 0, 1),
        MergeNode(b"re", 260, 4, None, 2, 3),
        MergeNode("Ġare".encode(), 389, 133, None, 4, 5),
    )
    assert [row.rank for row in merges_of_tree(gpt2, tree)] == [1, 4, 133]


def test_every_merged_token_of_gpt2_is_built_by_the_merge_that_names_it(gpt2: Vocab) -> None:
    for rank in range(0, 50000, 37):
        merge = gpt2.merges[rank]
        tree = merge_tree(gpt2, gpt2.token_to_id[merge.replace(b" ", b"")])

        assert tree.built
        assert tree.nodes[-1].rank == rank


def test_spm_merges_by_score(spm: Vocab) -> None:
    the = spm.token_to_id["▁the".encode()]
    tree = merge_tree(spm, the)
    merged = [node for node in tree.nodes if node.left is not None]

    assert tree.built
    assert [(node.text.decode(), node.score) for node in merged] == [
        ("▁t", 0.0), ("he", -0.0), ("▁the", -2.0),
    ]  # fmt: skip
    assert [row.result.decode() for row in merges_of_tree(spm, tree)] == ["▁t", "he", "▁the"]


def test_spm_pairs_are_all_that_may_merge_best_first(spm: Vocab) -> None:
    rows = list(merges_of_ranks(spm))
    pairs = {(row.left.decode(), row.right.decode()) for row in rows}

    assert [row.rank for row in rows] == sorted(row.rank for row in rows)
    assert {("▁t", "he"), ("▁th", "e")} <= pairs
    assert ("▁", "the") in pairs
    assert all(spm.token_to_id[row.result] == row.id for row in rows)
    # 'unreachable' is a token, but no two parts of it are.
    assert not any(row.result == b"unreachable" for row in rows)
    assert merges_of_pair(spm, b" t he")[0].result == "▁the".encode()
    assert {row.result.decode() for row in merges_using(spm, b"or")} == {"▁wor"}


def test_a_score_that_is_no_number_comes_last(tmp_path: Path) -> None:
    path = builders.write_vocab(
        tmp_path / "nan.gguf",
        model="llama",
        tokens=["<unk>", "<s>", "</s>", "a", "b", "ab", "ba"],
        types=[2, 3, 3, 1, 1, 1, 1],
        scores=[0.0, 0.0, 0.0, -3.0, -4.0, float("nan"), -5.0],
    )
    rows = merges_of_ranks(tokcli.load(path).vocab)

    assert [(row.rank, row.result) for row in rows] == [(3, b"ba"), (4, b"ab")]


def test_says_why_merging_does_not_build_a_token(tmp_path: Path, gpt2: Vocab, spm: Vocab) -> None:
    llama3 = tokcli.load(builders.tiny_bpe(tmp_path / "l.gguf", pre="llama-bpe")).vocab
    whole = llama3.token_to_id["Ġwhole".encode()]
    other = tokcli.load(builders.tiny_bpe(tmp_path / "g.gguf")).vocab

    assert not merge_tree(llama3, whole).built
    assert "ignore_merges is on" in str(remark(llama3, merge_tree(llama3, whole)))
    assert remark(other, merge_tree(other, whole)) == "text is never tokenized to it"
    assert "cut out of the text" in str(remark(gpt2, merge_tree(gpt2, 50256)))
    byte = spm.token_to_id[b"<0x0A>"]
    assert "stands for a byte" in str(remark(spm, merge_tree(spm, byte)))


def test_line_feeds_of_gemma_4_need_no_merges(tmp_path: Path) -> None:
    vocab = tokcli.load(builders.tiny_raw_bpe(tmp_path / "g.gguf")).vocab
    tree = merge_tree(vocab, vocab.token_to_id[b"\n\n\n"])

    assert not tree.built
    assert "line feeds" in str(remark(vocab, tree))


def test_what_does_not_merge_has_no_tree(tmp_path: Path) -> None:
    vocab = tokcli.load(builders.tiny_wpm(tmp_path / "w.gguf")).vocab

    with pytest.raises(UsageError, match="a WPM vocabulary does not merge"):
        merge_tree(vocab, 5)
    assert list(merges_of_ranks(vocab)) == []
    assert count_ranks(vocab) == 0


def test_raw_and_plain_text(gpt2: Vocab, spm: Vocab) -> None:
    assert to_raw(gpt2, b" are\n") == "ĠareĊ".encode()
    assert to_plain(gpt2, "ĠareĊ".encode()) == b" are\n"
    assert to_plain(gpt2, "日".encode()) == "日".encode()
    assert to_raw(spm, b" are") == "▁are".encode()
    assert to_plain(spm, "▁are".encode()) == b" are"
    assert raw_forms(gpt2, "é".encode()) == ["Ã©".encode(), "é".encode()]
    assert raw_forms(gpt2, "Ġare".encode())[0] == "Ġare".encode()
    assert raw_forms(gpt2, b"are") == [b"are"]
