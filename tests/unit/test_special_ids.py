from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.asking import small
from tests.gguf_files import CONTROL, NORMAL, UNKNOWN, USER_DEFINED
from tokcli.loading.special_tokens import END_OF_GENERATION_TEXTS, GUESSED_TEXTS
from tokcli.vocab import TokenAttr, Vocab


def vocab(folder: Path, tokens: list[str], model: str = "rwkv", **fields: Any) -> Vocab:
    return small(folder, model, tokens, **fields).vocab


def codes(vocab: Vocab) -> set[str]:
    return {note.code for note in vocab.notes}


def test_defaults_of_a_type(tmp_path: Path) -> None:
    spm = vocab(tmp_path, ["a", "b", "c"], "llama")

    assert [spm.special_id(slot) for slot in ("bos", "eos", "unk", "sep")] == [1, 2, 0, None]
    assert spm.special["bos"].source.kind == "type"
    assert spm.special["sep"].source.kind == "absent"


def test_a_default_out_of_range_is_none(tmp_path: Path) -> None:
    bpe = vocab(tmp_path, ["a", "b"], "gpt2", pre="gpt-2", merges=["a b"])

    assert bpe.special_id("bos") is None
    assert "default-out-of-range" in codes(bpe)


def test_a_key_wins_and_a_bad_one_keeps_the_default(tmp_path: Path) -> None:
    spm = vocab(tmp_path, ["a", "b", "c", "d"], "llama", bos_token_id=3, eos_token_id=4)

    assert spm.special_id("bos") == 3
    assert spm.special["bos"].source == ("key", "tokenizer.ggml.bos_token_id")
    assert spm.special_id("eos") == 2
    assert "out of range" in spm.special["eos"].source.detail
    assert "bad-special-id" in codes(spm)


def test_the_old_names_of_fim_keys_win(tmp_path: Path) -> None:
    both = vocab(tmp_path, ["a", "b"], fim_pre_token_id=0, prefix_token_id=1)

    assert both.special_id("fim_pre") == 1


@pytest.mark.parametrize(
    ("slot", "text"), [(slot, text) for slot, texts in GUESSED_TEXTS.items() for text in texts]
)
def test_guessed_by_text(tmp_path: Path, slot: str, text: str) -> None:
    found = vocab(tmp_path, ["a", text])

    assert found.special_id(slot) == 1
    assert found.special[slot].source.kind == "text"
    # A normal token so found becomes a control token.
    assert found.attr(1) == TokenAttr.NORMAL | TokenAttr.CONTROL
    assert "control-looking" in codes(found)
    ends = slot in ("eot", "eom", "fim_pad", "fim_rep", "fim_sep")
    assert found.is_eog(1) == ends


def test_the_lowest_id_wins_a_tie(tmp_path: Path) -> None:
    tied = vocab(tmp_path, ["<EOT>", "<|eot_id|>"])

    assert tied.special_id("eot") == 0
    assert "guess-tie" in codes(tied)


def test_a_key_leaves_nothing_to_guess(tmp_path: Path) -> None:
    keyed = vocab(tmp_path, ["a", "<PRE>"], fim_pre_token_id=0)

    assert keyed.special_id("fim_pre") == 0
    assert keyed.attr(1) == TokenAttr.NORMAL


@pytest.mark.parametrize("text", END_OF_GENERATION_TEXTS)
def test_ends_generation_by_text(tmp_path: Path, text: str) -> None:
    found = vocab(tmp_path, ["a", text])

    assert found.eog_ids == {1}
    assert found.attr(1) & TokenAttr.CONTROL


def test_eos_eot_and_eom_end_generation(tmp_path: Path) -> None:
    keyed = vocab(tmp_path, ["a", "b", "c", "d"], eos_token_id=0, eot_token_id=1, eom_token_id=2)

    assert keyed.eog_ids == {0, 1, 2}


@pytest.mark.parametrize(
    ("others", "ends"),
    [
        (["<|return|>", "<|call|>"], False),
        (["<|return|>", "<|calls|>"], False),
        (["<|calls|>", "<|flush|>"], False),
        (["<|return|>"], True),
        (["<|return|>", "<|flush|>"], True),
        (["<|call|>"], True),
    ],
)
def test_end_leaves_the_set_beside_harmony_tokens(
    tmp_path: Path, others: list[str], ends: bool
) -> None:
    found = vocab(tmp_path, ["<|end|>", *others])

    assert found.is_eog(0) == ends
    assert (found.attr(0) == TokenAttr.USER_DEFINED) == (not ends)


@pytest.mark.parametrize("other", ["<|tool_response>", "<|plamo:eos|>"])
def test_strike_leaves_the_set(tmp_path: Path, other: str) -> None:
    fields: dict[str, Any] = {"types": [CONTROL, CONTROL]}
    if other == "<|plamo:eos|>":
        fields["eos_token_id"] = 1
    found = vocab(tmp_path, ["</s>", other], **fields)

    assert found.eog_ids == {1}
    assert found.attr(0) == TokenAttr.NORMAL
    assert "eog-dropped" in codes(found)


def test_channel_tokens_become_user_defined(tmp_path: Path) -> None:
    found = vocab(tmp_path, ["<|channel|>", "<|start|>"], types=[CONTROL, NORMAL])

    assert [found.attr(id) for id in (0, 1)] == [TokenAttr.USER_DEFINED] * 2


def test_unused_control_tokens_are_marked(tmp_path: Path) -> None:
    found = vocab(tmp_path, ["<unused0>", "unused"], types=[CONTROL, NORMAL])

    assert found.attr(0) == TokenAttr.CONTROL | TokenAttr.UNUSED
    assert found.attr(1) == TokenAttr.NORMAL


def test_what_is_cut_out_is_ordered_by_length(tmp_path: Path) -> None:
    found = vocab(
        tmp_path,
        ["a", "<u>", "<uu>", "<c>", "n"],
        types=[UNKNOWN, USER_DEFINED, USER_DEFINED, CONTROL, NORMAL],
    )

    assert found.special_token_ids == [2, 1, 3, 0]


PHI_3 = ["<unk>", "<s>", "</s>", "<|endoftext|>", "<|user|>", "a"]
PHI_3_TYPES = [UNKNOWN, CONTROL, CONTROL, CONTROL, USER_DEFINED, NORMAL]


@pytest.mark.parametrize("name", ["Phi-3-mini", "a PHI3 model"])
def test_phi_3_strips_on_the_right(tmp_path: Path, name: str) -> None:
    found = vocab(tmp_path, PHI_3, "llama", types=PHI_3_TYPES, **{"general.name": name})

    stripping = [id for id in range(6) if found.attr(id) & TokenAttr.RSTRIP]
    assert stripping == [2, 4]


@pytest.mark.parametrize(
    ("token", "fields", "strips"),
    [
        ("<mask>", {"pre": "jina-v2-de"}, True),
        ("<mask>", {"pre": "mmbert"}, True),
        ("<mask>", {"pre": "gpt-2"}, False),
        ("<mask>", {"architecture": "jina-bert-v3"}, True),
        ("<mask>", {"architecture": "nomic-bert-moe"}, True),
        ("[MASK]", {"general.name": "a Modern-BERT"}, True),
        ("[MASK]", {"general.name": "ModernBERT"}, False),
    ],
)
def test_mask_strips_on_the_left(
    tmp_path: Path, token: str, fields: dict[str, Any], strips: bool
) -> None:
    found = vocab(tmp_path, ["a", token], "llama", **fields)

    assert bool(found.attr(1) & TokenAttr.LSTRIP) == strips
