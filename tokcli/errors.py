"""Every error tokcli raises on purpose.

TokcliError
 +- GgufError         the file cannot be read, or is not a well-formed GGUF file
 +- VocabError        the metadata does not describe a usable tokenizer
 +- TokenizeError     this vocabulary cannot tokenize this text
 +- TokenIdError      a token id lies outside the vocabulary
 +- TemplateError     a chat template cannot be parsed or rendered
 |   +- TemplateDefectError   it cannot be compiled, or asks for more than a template may have
 |   +- TemplateRefusalError  it raised this itself, about the messages
 +- UsageError        the request itself makes no sense

The text of an error is one line: what is wrong, where (key, index, byte offset), what to do.
"""

from __future__ import annotations

__all__ = [
    "GgufError",
    "TemplateDefectError",
    "TemplateError",
    "TemplateRefusalError",
    "TokcliError",
    "TokenIdError",
    "TokenizeError",
    "UsageError",
    "VocabError",
]


class TokcliError(Exception):
    """Base of the family; `exit_code` is the exit status of the command that meets it."""

    exit_code = 3

    def __init__(self, message: str) -> None:
        super().__init__(" ".join(message.split()))


class GgufError(TokcliError):
    """The file cannot be read, or its key-values are not well-formed."""


class VocabError(TokcliError):
    """The metadata was read, and llama.cpp would not load (or would abort on) this tokenizer."""


class TokenizeError(TokcliError):
    """llama.cpp would end its process on this text with this vocabulary."""


class TokenIdError(TokcliError):
    """A token id lies outside the vocabulary."""

    exit_code = 2


class TemplateError(TokcliError):
    """A chat template cannot be parsed, or raised an error while it was rendered."""


class TemplateDefectError(TemplateError):
    """A chat template cannot be compiled, or it asks for more time, memory or rights than a
    template may have: no other messages help."""


class TemplateRefusalError(TemplateError):
    """The chat template itself raised an error about the messages, with raise_exception."""


class UsageError(TokcliError):
    """The request itself makes no sense."""

    exit_code = 2
