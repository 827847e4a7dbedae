"""Random input, tokcli against a live llama.cpp, on every tiny vocabulary.

The reference is the `oracle` extra (tests/reference_library.py); what that build is known to do
otherwise is left out below. TOKCLI_REFERENCE may name another command that speaks the protocol of
tests/reference_process.py: one that runs the reference build itself, with nothing left out.
HYPOTHESIS_PROFILE=long looks at 20,000 inputs a vocabulary.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tokcli
from tests import inputs, reference_library, vocabularies
from tests.answers import Comparison
from tests.reference_process import ReferenceProcess
from tokcli.tokenizer import Tokenizer

OTHER_REFERENCE = os.environ.get("TOKCLI_REFERENCE")

# What b11549 does otherwise than b12211. Whole vocabularies:
UNKNOWN_TO_LIBRARY = {
    "bpe-metaspace-first": "reads no metaspace.prepend_scheme",
    "bpe-tekken": "splits at marks",
    "hybriddna": "has other rules inside <dna> tags",
    "hybriddna-auto-tags": "has no automatic <dna> tags",
    "soprano": "does not know the pre-tokenizer",
    "soprano-no-unknown": "does not know the pre-tokenizer",
    "ugm-nfc": "reads no normalizer.nfc",
}
# Detokenizing: the default of clean_spaces was another, or its key is not read.
CLEANS_OTHERWISE = {"gemma4", "spm-clean-spaces"}
# Input: overlong forms and code points beyond U+10FFFF count as characters.
LENIENT_UTF8 = re.compile(rb"[\xc0\xc1\xf5-\xf7]|\xe0[\x80-\x9f]|\xf0[\x80-\x8f]|\xf4[\x90-\xbf]")


def reference_command() -> list[str]:
    if OTHER_REFERENCE:
        return shlex.split(OTHER_REFERENCE)
    if reference_library.library_path() is None:
        pytest.skip("xllamacpp is not installed; the `oracle` extra brings it")
    return [sys.executable, "-m", "tests.reference_library"]


@pytest.fixture(scope="module", params=vocabularies.TINY)
def pair(
    request: pytest.FixtureRequest, tiny_vocabularies: dict[str, Path]
) -> Iterator[tuple[str, Tokenizer, ReferenceProcess]]:
    """A vocabulary's name, tokcli with it, and the reference with it."""
    name = request.param
    command = reference_command()
    if not OTHER_REFERENCE and name in UNKNOWN_TO_LIBRARY:
        pytest.skip(f"{reference_library.VERSION} {UNKNOWN_TO_LIBRARY[name]}")
    with ReferenceProcess(command, tiny_vocabularies[name]) as reference:
        yield name, tokcli.load(tiny_vocabularies[name]), reference


def texts(tokenizer: Tokenizer) -> st.SearchStrategy[bytes]:
    """Characters, ill-formed bytes, hard cases and token texts, mixed."""
    vocab = tokenizer.vocab
    parts = st.one_of(
        st.text(max_size=12).map(str.encode),
        st.text("abcehlotw 12.\n'AC<>|", max_size=12).map(str.encode),
        st.binary(max_size=4),
        st.sampled_from(inputs.hard_inputs()),
        st.sampled_from([vocab.texts[i] for i in range(len(vocab)) if vocab.type_of(i) != 6]),
    )
    joined = st.lists(parts, max_size=8).map(b"".join)
    if OTHER_REFERENCE:
        return joined
    return joined.map(lambda text: LENIENT_UTF8.sub(b"?", text))


@given(data=st.data())
def test_tokenize(pair: tuple[str, Tokenizer, ReferenceProcess], data: st.DataObject) -> None:
    name, tokenizer, reference = pair
    text = data.draw(texts(tokenizer))
    comparison = Comparison(tokenizer, name)

    for add_special in (False, True):
        for parse_special in (False, True):
            question = {
                "op": "tokenize",
                "hex": text.hex(),
                "add_special": add_special,
                "parse_special": parse_special,
            }
            comparison.check(question, reference.ask(question), "")

    comparison.assert_same()


@given(data=st.data())
def test_detokenize(pair: tuple[str, Tokenizer, ReferenceProcess], data: st.DataObject) -> None:
    name, tokenizer, reference = pair
    if not OTHER_REFERENCE and name in CLEANS_OTHERWISE:
        pytest.skip(f"{reference_library.VERSION} cleans spaces by another rule")
    ids = data.draw(st.lists(st.integers(0, len(tokenizer.vocab) - 1), max_size=12))
    # Another reference may answer only what the library's callers ask for.
    flags = st.just(False) if OTHER_REFERENCE else st.booleans()
    remove_special = data.draw(flags)
    unparse_special = not data.draw(flags)
    question = {
        "op": "detokenize",
        "ids": ids,
        "remove_special": remove_special,
        "unparse_special": unparse_special,
    }
    comparison = Comparison(tokenizer, name)

    comparison.check(question, reference.ask(question), "")

    comparison.assert_same()
