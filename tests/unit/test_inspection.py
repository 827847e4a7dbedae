from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import gguf
import pytest

from tests import builders
from tokcli.gguf_metadata import read_metadata
from tokcli.inspection import (
    Inspection,
    TemplateRow,
    VocabReport,
    inspect_metadata,
    kin_of_pre,
    tokenizer_keys,
)
from tokcli.pretokenizer_table import PRE_TOKENIZERS
from tokcli.render.gguf_values import json_value, preview, raw_lines
from tokcli.vocab import Provenance


def inspect(path: Path) -> Inspection:
    return inspect_metadata(read_metadata(path))


def report(path: Path) -> VocabReport:
    found = inspect(path).report
    assert found is not None
    return found


def sources(path: Path) -> dict[str, Provenance]:
    found = report(path)
    return {
        **{row.name: row.source for row in found.settings},
        **{row.role: row.source for row in found.special},
    }


def test_says_where_settings_come_from(tmp_path: Path) -> None:
    path = builders.tiny_bpe(tmp_path / "b.gguf", pre="llama-bpe", add_eos_token=True)
    found = sources(path)

    assert found["add_eos"] == Provenance("key", "tokenizer.ggml.add_eos_token")
    assert found["add_bos"] == Provenance("pre", "implied by pre-tokenizer 'llama-bpe'")
    assert found["nfc"] == Provenance("type", "default of BPE")
    gemma = sources(builders.tiny_raw_bpe(tmp_path / "g.gguf", add_bos_token=False))
    assert gemma["add_bos"].kind == "forced"


def test_says_where_special_ids_come_from(tmp_path: Path) -> None:
    found = sources(builders.tiny_spm(tmp_path / "s.gguf", eos_token_id=5, bos_token_id=70_000))

    assert found["EOS"] == Provenance("key", "tokenizer.ggml.eos_token_id")
    assert found["BOS"].kind == "type"
    assert "tokenizer.ggml.bos_token_id = 70000 is out of range" in found["BOS"].detail
    assert found["UNK"] == Provenance("type", "default of SPM")
    assert found["EOT"] == Provenance("text", "token text '<|endoftext|>'")
    assert found["FIM_PRE"].kind == "absent"


def test_says_which_settings_a_type_does_not_use(tmp_path: Path) -> None:
    def remarks(path: Path) -> dict[str, str | None]:
        return {row.name: row.remark for row in report(path).settings}

    wpm = remarks(builders.tiny_wpm(tmp_path / "w.gguf"))
    assert wpm["lowercase"] is None
    assert wpm["add_bos"] == "WPM adds BOS and SEP"
    assert wpm["nfc"] == "unused by WPM"
    bpe = remarks(builders.tiny_bpe(tmp_path / "b.gguf"))
    assert bpe["lowercase"] == "unused by BPE"
    assert bpe["ignore_merges"] is None
    assert bpe["add_space_prefix"] == "in detokenizing only"
    spm = remarks(builders.tiny_spm(tmp_path / "s.gguf"))
    assert spm["escape_whitespaces"] == "SPM always does"
    assert remarks(builders.tiny_ugm(tmp_path / "u.gguf"))["escape_whitespaces"] is None
    assert remarks(builders.tiny_whitespace(tmp_path / "ws.gguf"))["lowercase"] is None
    assert remarks(builders.tiny_hybriddna(tmp_path / "d.gguf"))["dna_auto_tags"] is None


def test_counts_types_and_names_overrides(tmp_path: Path) -> None:
    path = builders.tiny_bpe(tmp_path / "b.gguf")
    found = report(path)

    assert found.types["control"] == 2
    assert found.types["user_defined"] == 3
    assert sum(found.types.values()) == len(found.vocab)
    assert [(row.text, row.type, row.attributes) for row in found.overrides] == [
        (b"<|fim_middle|>", "normal", ("normal", "control"))
    ]


def test_a_type_without_a_meaning_is_named(tmp_path: Path) -> None:
    path = builders.write_vocab(
        tmp_path / "o.gguf", model="llama", tokens=["<unk>", "<s>", "</s>", "a"], types=[2, 3, 3, 9]
    )
    found = report(path)

    assert found.types == {"unknown": 1, "control": 2, "9": 1}
    assert [(row.id, row.type, row.attributes) for row in found.overrides] == [(3, "9", ())]


def test_knows_which_names_share_rules() -> None:
    assert "jais" in kin_of_pre("gpt-2").same_rules
    assert "roberta-bpe" in kin_of_pre("gpt-2").same_regexes
    # It strips spaces before <mask>, which gpt-2 does not.
    assert "jina-v2-de" in kin_of_pre("gpt-2").same_regexes
    assert kin_of_pre("tekken").same_rules == ("pixtral",)
    for name in PRE_TOKENIZERS:
        for other in kin_of_pre(name).same_rules:
            assert name in kin_of_pre(other).same_rules


@pytest.mark.parametrize(
    ("settings", "kind"),
    [
        ({"pre": "qwen2"}, "key"),
        ({"pre": None}, "absent"),
        ({"pre": ""}, "absent"),
        ({"model": "gemma4"}, "forced"),
    ],
)
def test_says_where_the_pre_tokenizer_comes_from(
    tmp_path: Path, settings: dict[str, Any], kind: str
) -> None:
    source = report(builders.tiny_bpe(tmp_path / "b.gguf", **settings)).pre_source

    assert source is not None
    assert source.kind == kind
    assert report(builders.tiny_spm(tmp_path / "s.gguf", pre="qwen2")).pre_source is None


def test_a_broken_tokenizer_leaves_the_keys(tmp_path: Path) -> None:
    found = inspect(builders.tiny_bpe(tmp_path / "b.gguf", merges=None))

    assert found.report is None
    assert "tokenizer.ggml.merges is missing" in str(found.error)
    assert "tokenizer.ggml.tokens" in tokenizer_keys(found.metadata)


def test_templates_with_their_sizes(tmp_path: Path) -> None:
    settings = {
        "tokenizer.chat_template": "é",
        "tokenizer.chat_template.tool_use": "abc",
        "tokenizer.chat_templates": ["tool_use", "rag"],
    }
    found = inspect(builders.tiny_spm(tmp_path / "s.gguf", **settings))

    assert list(found.templates) == [
        TemplateRow("default", "tokenizer.chat_template", 2),
        TemplateRow("tool_use", "tokenizer.chat_template.tool_use", 3),
    ]
    assert found.template_error == "tokenizer.chat_templates names rag, but no key holds it"
    broken = inspect(builders.tiny_spm(tmp_path / "b.gguf", **{"tokenizer.chat_template": 7}))
    assert "a chat template is a str" in str(broken.template_error)


def test_agrees_with_the_gguf_package(tmp_path: Path) -> None:
    path = builders.tiny_ugm_charsmap(tmp_path / "u.gguf", **{"general.name": "Ünï"})
    metadata = read_metadata(path)
    fields = gguf.GGUFReader(path).fields

    assert list(metadata) == [name for name in fields if not name.startswith("GGUF.")]
    for key, entry in metadata.items():
        names = [kind.name.lower() for kind in fields[key].types]
        known = {"string": "str", "array": "arr", "float32": "f32", "uint32": "u32", "int32": "i32"}
        shown = [known.get(name, name.replace("uint", "u")) for name in names]
        assert entry.type_name == (shown[0] if len(shown) == 1 else f"arr[{shown[1]}]")
        assert json_value(entry) == _plain(fields[key].contents())


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(item) for item in value]
    # The package widens 32-bit floats, and shows digits that the file does not hold.
    return pytest.approx(value, rel=1e-6) if isinstance(value, float) else value


def test_values_as_lines_and_previews(tmp_path: Path) -> None:
    path = builders.write_vocab(
        tmp_path / "v.gguf",
        model="llama",
        tokens=["a\nb", "\\", "'", "d", "e"],
        scores=[math.nan, -0.1, 1e30, -math.inf, 2.0],
        add_bos_token=True,
        **{"tokenizer.chat_template": "x\n" * 50},  # type: ignore[arg-type]
    )
    metadata = read_metadata(path)

    assert list(raw_lines(metadata["tokenizer.ggml.tokens"])) == [r"a\nb", r"\\", "'", "d", "e"]
    assert preview(metadata["tokenizer.ggml.tokens"]) == r"5 items: 'a\nb', '\\', ''', 'd', ..."
    assert json_value(metadata["tokenizer.ggml.scores"]) == ["nan", -0.1, 1e30, "-inf", 2.0]
    assert list(raw_lines(metadata["tokenizer.ggml.add_bos_token"])) == ["true"]
    assert preview(metadata["tokenizer.chat_template"]) == r"x\n" * 20 + "..."
