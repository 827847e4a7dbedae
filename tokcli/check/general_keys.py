"""TOK117 to TOK119: what llama.cpp asks of the file as a whole before it comes to the tokenizer.

It does so too where only the vocabulary is loaded. Later shards of a split model are asked for
their alignment alone.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from tokcli.check.architectures import ARCHITECTURES
from tokcli.check.finding import Evidence, Problem, Repair, rule
from tokcli.check.known_keys import ALIGNMENT, ARCHITECTURE
from tokcli.check.repairs import convert_again
from tokcli.check.subject import Subject, quoted
from tokcli.gguf_metadata import UINT32

__all__ = ["RULES"]

PROJECTOR = "clip"


@rule("TOK117", "missing-architecture", "error", "no general.architecture")
def missing_architecture(subject: Subject) -> Iterator[Problem]:
    """llama.cpp asks for the architecture before it looks at anything else."""
    if ARCHITECTURE not in subject.metadata and subject.later_shard is None:
        message = f"{ARCHITECTURE} is missing: llama.cpp refuses the file"
        yield Problem(message, (Evidence(ARCHITECTURE),), convert_again())


@rule("TOK118", "unknown-architecture", "error", "an architecture that llama.cpp does not load")
def unknown_architecture(subject: Subject) -> Iterator[Problem]:
    """A name that llama.cpp does not know, or not as that of a model."""
    name = subject.text(ARCHITECTURE)
    if name is None or name in ARCHITECTURES or subject.later_shard is not None:
        return
    evidence = (subject.at_key(ARCHITECTURE),)
    if name == PROJECTOR:
        message = f"{ARCHITECTURE} is '{name}': llama.cpp takes this only as --mmproj of a model"
        yield Problem(message, evidence, Repair("check the model that it belongs to"))
        return
    near = difflib.get_close_matches(name, ARCHITECTURES, n=1)
    shown = quoted(name.encode("utf-8", "surrogateescape"))
    message = f"{ARCHITECTURE} is {shown}, which llama.cpp does not load: it refuses the file"
    advice = "use the file with the program it was made for, or with a newer llama.cpp"
    if near:
        advice = f"'{near[0]}' may be meant; or {advice}"
    yield Problem(message, evidence, Repair(advice))


@rule("TOK119", "bad-alignment", "error", "general.alignment is not a power of two")
def bad_alignment(subject: Subject) -> Iterator[Problem]:
    """The bytes to which the tensors are aligned; 0 is no power of two either."""
    entry = subject.metadata.get(ALIGNMENT)
    if entry is None or entry.type != UINT32:
        return
    assert isinstance(entry.value, int)
    if entry.value.bit_count() != 1:
        message = f"{ALIGNMENT} is {entry.value}, not a power of two: llama.cpp refuses the file"
        yield Problem(message, (subject.at_key(ALIGNMENT),), convert_again())


RULES = (missing_architecture, unknown_architecture, bad_alignment)
