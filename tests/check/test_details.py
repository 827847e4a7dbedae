"""What the cases of tests/check/builders.py leave open about single rules."""

from __future__ import annotations

import struct
from pathlib import Path

import gguf
import pytest

from tests import builders
from tests.check.builders import CHATML, TEMPLATE, bpe, bpe_plus, made, patched, spm
from tests.vocabularies import BUILT_IN
from tokcli.check.charsmap_bounds import charsmap_faults
from tokcli.check.finding import Finding
from tokcli.check.fitting_pre import fitting_pre_names
from tokcli.check.registry import RULES, find_rule, select_rules
from tokcli.check.run import check_file, check_metadata, reaches
from tokcli.check.subject import Subject
from tokcli.errors import GgufError, UsageError
from tokcli.gguf_metadata import read_metadata


def by_rule(path: Path, **overrides: object) -> dict[str, Finding]:
    return {
        finding.rule_id: finding
        for finding in check_file(
            path, overrides={f"tokenizer.{k}": v for k, v in overrides.items()}
        )
    }


def test_healthy_files_have_no_findings(tmp_path: Path) -> None:
    healthy = [
        BUILT_IN,
        bpe(tmp_path / "bpe.gguf"),
        spm(tmp_path / "spm.gguf"),
        spm(tmp_path / "chat.gguf", **{TEMPLATE: CHATML}),
        builders.tiny_wpm(tmp_path / "wpm.gguf"),
        builders.tiny_ugm_charsmap(tmp_path / "ugm.gguf"),
        builders.tiny_rwkv(tmp_path / "rwkv.gguf"),
        builders.tiny_none(tmp_path / "none.gguf"),
        builders.tiny_test(tmp_path / "test.gguf"),
    ]
    for path in healthy:
        assert check_file(path) == (), path


def test_ids_and_names_are_unique() -> None:
    assert len({rule.id for rule in RULES}) == len({rule.name for rule in RULES}) == len(RULES)
    assert [rule.id for rule in RULES] == sorted(rule.id for rule in RULES)


@pytest.mark.parametrize(
    ("select", "ignore", "count"),
    [
        (["TOK101"], [], 1),
        (["tok101,missing-merges"], [], 2),
        (["TOK10"], ["TOK101", "unknown-pre"], 7),
        ([], ["TOK"], 0),
    ],
)
def test_selecting(select: list[str], ignore: list[str], count: int) -> None:
    assert len(select_rules(select, ignore)) == count


def test_selecting_what_is_not_there() -> None:
    with pytest.raises(
        UsageError, match=r"no rule is called 'missing-per' \(near it: missing-pre\)"
    ):
        select_rules(["missing-per"])
    with pytest.raises(UsageError, match="no rule is called 'TOK9'"):
        find_rule("TOK9")
    assert find_rule("tok101") is find_rule("Missing-Pre")


def test_severities_and_thresholds() -> None:
    table = {
        threshold: [reaches(severity, threshold) for severity in ("error", "warning", "note")]
        for threshold in ("error", "warning", "never")
    }
    assert table == {
        "error": [True, False, False],
        "warning": [True, True, False],
        "never": [False, False, False],
    }


def test_an_unreadable_file_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "no.gguf"
    path.write_bytes(b"<!DOCTYPE html>")
    with pytest.raises(GgufError, match="not a GGUF file"):
        check_file(path)


def test_offsets_point_at_the_evidence(tmp_path: Path) -> None:
    path = bpe_plus(tmp_path / "b.gguf", "raw space", pre=None)
    data = path.read_bytes()
    findings = by_rule(path)
    (token,) = findings["TOK205"].evidence
    assert token.offset is not None
    assert data[token.offset : token.offset + 17] == struct.pack("<Q", 9) + b"raw space"
    assert (token.index, token.text) == (271, b"raw space")
    assert findings["TOK101"].evidence[0].offset is None


def test_offsets_of_numbers_in_big_endian(tmp_path: Path) -> None:
    from tests.check.builders import big_endian

    path = big_endian(tmp_path / "b.gguf")
    subject = Subject(read_metadata(path))
    offset = subject.offsets.item("tokenizer.ggml.token_type", 1)
    assert offset is not None
    assert path.read_bytes()[offset : offset + 4] == struct.pack(">i", builders.CONTROL)


def test_overrides_are_checked_and_have_no_place_in_the_file(tmp_path: Path) -> None:
    path = bpe(tmp_path / "b.gguf")
    (finding,) = check_file(path, overrides={"tokenizer.ggml.pre": "lama-bpe"})
    assert finding.rule_id == "TOK102"
    assert finding.evidence[0].offset is None
    assert check_file(bpe(path, pre=None), overrides={"tokenizer.ggml.pre": "gpt-2"}) == ()


def test_metadata_without_a_file(tmp_path: Path) -> None:
    path = bpe(tmp_path / "b.gguf", pre="default")
    metadata = read_metadata(path)
    path.unlink()
    (finding,) = check_metadata(metadata)
    assert (finding.rule_id, finding.evidence[0].offset) == ("TOK103", None)


def test_the_pre_tokenizer_that_fits_is_named() -> None:
    subject = Subject(read_metadata(BUILT_IN))
    assert fitting_pre_names(subject) == ["gpt-2"]
    (finding,) = check_file(BUILT_IN, overrides={"tokenizer.ggml.pre": ""})
    assert "none of a sample of the tokens is cut by gpt-2" in finding.repair.advice


def test_a_small_vocabulary_says_nothing_about_its_pre_tokenizer(tmp_path: Path) -> None:
    assert fitting_pre_names(Subject(read_metadata(bpe(tmp_path / "b.gguf")))) == []


def test_an_id_that_is_none_is_left_out(tmp_path: Path) -> None:
    key = b"tokenizer.ggml.eos_token_id"
    old = struct.pack("<QB", len(key), key[0])[:8] + key + struct.pack("<II", 4, 2)
    new = old[:-8] + struct.pack("<Ii", 5, -1)
    finding = by_rule(patched(spm, old, new)(tmp_path / "s.gguf"))["TOK106"]
    assert finding.repair.command is not None
    assert finding.repair.command[1:4] == ("--remove-metadata", key.decode(), "--force")


@pytest.mark.parametrize(
    ("name", "message", "advice"),
    [
        ("lama", "is 'lama', which llama.cpp does not load", "'llama' may be meant; or use"),
        ("", "is '', which llama.cpp does not load: it refuses the file", "use the file with the"),
        ("gptj", "is 'gptj', which llama.cpp does not load", "newer llama.cpp"),
        ("clip", "is 'clip': llama.cpp takes this only as --mmproj", "check the model that it"),
    ],
)
def test_architectures_that_are_refused(
    name: str, message: str, advice: str, tmp_path: Path
) -> None:
    (finding,) = check_file(spm(tmp_path / "s.gguf"), overrides={"general.architecture": name})
    assert finding.rule_id == "TOK118"
    assert message in finding.message
    assert advice in finding.repair.advice


@pytest.mark.parametrize(
    ("value", "refused"),
    [(0, True), (3, True), (2**32 - 1, True), (1, False), (32, False), (2**31, False)],
)
def test_alignments(value: int, refused: bool, tmp_path: Path) -> None:
    findings = check_file(spm(tmp_path / "s.gguf"), overrides={"general.alignment": value})
    assert [finding.rule_id for finding in findings] == (["TOK119"] if refused else [])


@pytest.mark.parametrize("key", ["general.alignment", "general.architecture"])
def test_general_keys_of_another_type(key: str, tmp_path: Path) -> None:
    (finding,) = check_file(spm(tmp_path / "s.gguf"), overrides={key: -1})
    assert finding.rule_id == "TOK106"
    assert f"{key} has type i32, and llama.cpp accepts" in finding.message


def test_keys_of_other_programs_are_a_note(tmp_path: Path) -> None:
    finding = by_rule(spm(tmp_path / "s.gguf", my_own_key=1))["TOK111"]
    assert finding.severity == "note"
    assert by_rule(spm(tmp_path / "s.gguf", cls_token_id=1)) == {}


def test_a_later_shard_sends_to_the_first_and_no_more(tmp_path: Path) -> None:
    path = tmp_path / "m-00002-of-00002.gguf"
    writer = gguf.GGUFWriter(path, "llama")
    writer.kv_data[0].clear()  # shards but the first say only which they are
    writer.add_uint16("split.no", 1)
    writer.add_uint16("split.count", 2)
    writer.add_int32("split.tensors.count", 0)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()
    (finding,) = check_file(path)
    assert finding.message == "this is shard 2 of a split model: the first has the metadata"
    assert finding.repair.advice == "check the first shard"
    missing = check_file(path, overrides={"split.no": 0})
    assert [finding.rule_id for finding in missing] == ["TOK104", "TOK117"]


@pytest.mark.parametrize(
    ("missing", "severity", "shown"),
    [
        ("\u0103\u0121", "warning", "2 bytes without a token (0x03, 0x7F)"),
        ("\u0103A", "error", "2 bytes without a token (0x03, 0x41)"),
    ],
)
def test_rare_bytes_are_a_warning(missing: str, severity: str, shown: str, tmp_path: Path) -> None:
    tokens = [char for char in builders.BYTE_LEVEL if char not in missing]
    end = len(tokens) + 1
    path = bpe(
        tmp_path / "b.gguf",
        tokens=[*tokens, "he", "<e>"],
        types=[builders.NORMAL] * end + [builders.CONTROL],
        merges=["h e"],
        bos_token_id=end,
        eos_token_id=end,
        eot_token_id=end,
    )
    finding = by_rule(path)["TOK206"]
    assert finding.severity == severity
    assert shown in finding.message


def test_damaged_maps_are_told_apart(tmp_path: Path) -> None:
    from tests.charsmap import precompiled_charsmap

    blob = precompiled_charsmap({"ﬁ": "fi", "A": "a"})
    size = int.from_bytes(blob[:4], "little")
    assert charsmap_faults(blob) is None
    assert "too short for its own header" in (charsmap_faults(b"abc") or "")
    assert "llama.cpp refuses it" in (charsmap_faults(blob[: size + 4]) or "")
    assert "has no trie" in (charsmap_faults(bytes(4) + b"a\0") or "")
    assert "lead outside its trie" in (charsmap_faults(struct.pack("<I", 400) + blob[4:500]) or "")
    assert "bytes of replacements" in (charsmap_faults(blob[: size + 6]) or "")


def test_what_each_type_ignores(tmp_path: Path) -> None:
    def ignored(build: object, **settings: object) -> str | None:
        assert callable(build)
        finding = by_rule(made(build, **settings)(tmp_path / "m.gguf")).get("TOK112")
        return None if finding is None else finding.message

    assert "RWKV ignores: no BOS is added" in (
        ignored(builders.tiny_rwkv, add_bos_token=True) or ""
    )
    assert "BOS is always added" in (ignored(builders.tiny_wpm, add_bos_token=False) or "")
    assert "BPE ignores: no space" in (ignored(bpe, add_space_prefix=True) or "")
    assert "nothing is put in front" in (
        ignored(spm, **{"metaspace.prepend_scheme": "first"}) or ""
    )
    assert ignored(spm, add_bos_token=False, add_space_prefix=True) is None
    assert ignored(builders.tiny_whitespace, **{"normalizer.lowercase": True}) is None


def test_control_characters_of_the_file_are_written_out(tmp_path: Path) -> None:
    finding = by_rule(bpe_plus(tmp_path / "b.gguf", "a\x1b[31m"))["TOK205"]
    assert r"'a\x1b[31m'" in finding.message
