"""Repairs: command lines of the gguf package's tools, and advice where there is none."""

from __future__ import annotations

import os

from tokcli.check.finding import Repair
from tokcli.check.subject import Subject

__all__ = ["CONVERT_AGAIN", "SLOT_NAMES", "convert_again", "file_argument", "new_metadata"]

# What gguf-new-metadata calls the special tokens: their keys without "_token_id".
SLOT_NAMES = {
    "unk": "unknown",
    "sep": "seperator",
    "pad": "padding",
}

CONVERT_AGAIN = (
    "convert the model again with a current convert_hf_to_gguf.py; no tool edits arrays in place"
)


def convert_again(advice: str = "") -> Repair:
    """For what no command line mends."""
    return Repair(f"{advice}; {CONVERT_AGAIN}" if advice else CONVERT_AGAIN)


def new_metadata(
    subject: Subject, advice: str, *arguments: str, placeholders: tuple[str, ...] = ()
) -> Repair:
    """A copy of the file with other metadata, made by gguf-new-metadata (pip install gguf)."""
    path = file_argument(subject)
    command = ("gguf-new-metadata", *arguments, path, _output_path(path))
    return Repair(advice, command, placeholders)


def file_argument(subject: Subject) -> str:
    """The file as commands are told of it: a name that begins with a dash would be an option."""
    path = subject.metadata.path
    return f"./{path}" if path.startswith("-") else path


def _output_path(path: str) -> str:
    """The name that repairs give the mended copy."""
    stem, extension = os.path.splitext(path)
    return f"{stem}-fixed{extension or '.gguf'}"
