"""Build tokcli/data/gpt-2.gguf, the built-in vocabulary, from GPT-2's published list of merges.

    python scripts/build_gpt2_vocab.py --merges vocab.bpe
    python scripts/build_gpt2_vocab.py --from-gguf other-gpt-2.gguf
    python scripts/build_gpt2_vocab.py --check

The list is `vocab.bpe` of https://github.com/openai/gpt-2: 50,000 lines "left right" in order of
rank, in the byte alphabet. Everything else follows from it: ids 0-255 are that alphabet in the
order of its code points, the result of merge r has id 256 + r, and <|endoftext|> comes last. The
same list gives the same file, byte for byte. --check reads the list out of the file in the
repository, builds anew, and fails when the two differ.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

import gguf

from tokcli.text.byte_alphabet import BYTE_TO_CHAR

TARGET = Path(__file__).resolve().parent.parent / "tokcli" / "data" / "gpt-2.gguf"
N_MERGES = 50_000
END_OF_TEXT = "<|endoftext|>"


def merges_from_text(path: Path) -> list[str]:
    """The merges of a `vocab.bpe` file, whose first line may name a version."""
    lines = path.read_text(encoding="utf-8").split("\n")
    return [line for line in lines if line and not line.startswith("#version")]


def merges_from_gguf(path: Path) -> list[str]:
    """The merges that a GGUF file holds."""
    field = gguf.GGUFReader(path).get_field(gguf.Keys.Tokenizer.MERGES)
    if field is None:
        raise SystemExit(f"{path}: no key {gguf.Keys.Tokenizer.MERGES}")
    return [bytes(field.parts[index]).decode("utf-8") for index in field.data]


def tokens_from_merges(merges: list[str]) -> list[str]:
    """All token texts, in the order of their ids."""
    tokens = sorted(BYTE_TO_CHAR)
    known = set(tokens)
    for rank, merge in enumerate(merges):
        left, separator, right = merge.partition(" ")
        if not separator or left not in known or right not in known:
            raise SystemExit(f"merge {rank} ({merge!r}) does not join two earlier tokens")
        tokens.append(left + right)
        known.add(left + right)
    tokens.append(END_OF_TEXT)
    if len(set(tokens)) != len(tokens):
        raise SystemExit("two merges give the same token")
    return tokens


def write(path: Path, merges: list[str]) -> None:
    """Write the vocabulary: no tensors, and the model's shape, without which llama.cpp would not
    load it."""
    if len(merges) != N_MERGES:
        raise SystemExit(f"expected {N_MERGES} merges, got {len(merges)}")
    tokens = tokens_from_merges(merges)
    end_of_text = len(tokens) - 1
    types = [gguf.TokenType.NORMAL] * end_of_text + [gguf.TokenType.CONTROL]

    writer = gguf.GGUFWriter(path, "gpt2")
    writer.add_name("gpt-2")
    writer.add_license("mit")
    writer.add_license_name("Modified MIT License")
    writer.add_license_link("https://github.com/openai/gpt-2/blob/master/LICENSE")
    writer.add_source_url("https://github.com/openai/gpt-2")
    writer.add_block_count(12)
    writer.add_context_length(1024)
    writer.add_embedding_length(768)
    writer.add_feed_forward_length(3072)
    writer.add_head_count(12)
    writer.add_layer_norm_eps(1e-5)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(tokens)
    writer.add_token_types([int(kind) for kind in types])
    writer.add_token_merges(merges)
    writer.add_bos_token_id(end_of_text)
    writer.add_eos_token_id(end_of_text)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()


def check() -> None:
    """Fail unless the file in the repository is what its own merges give."""
    with tempfile.TemporaryDirectory() as folder:
        rebuilt = Path(folder, TARGET.name)
        write(rebuilt, merges_from_gguf(TARGET))
        if rebuilt.read_bytes() != TARGET.read_bytes():
            raise SystemExit(f"{TARGET} differs from what its merges give; build it again")
    print(f"{TARGET.name} is what its {N_MERGES} merges give")


def main() -> None:
    """Parse the command line and do what it says."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--merges", type=Path, metavar="FILE", help="a list like vocab.bpe")
    source.add_argument("--from-gguf", type=Path, metavar="FILE", help="a GGUF that holds the list")
    source.add_argument("--check", action="store_true", help="compare the file in the repository")
    parser.add_argument("--output", type=Path, default=TARGET, metavar="FILE")
    arguments = parser.parse_args()
    if arguments.check:
        check()
        return
    if arguments.merges is not None:
        merges = merges_from_text(arguments.merges)
    else:
        merges = merges_from_gguf(arguments.from_gguf)
    write(arguments.output, merges)
    print(f"wrote {arguments.output}", file=sys.stderr)


if __name__ == "__main__":
    main()
