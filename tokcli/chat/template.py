"""The chat templates of a GGUF file, and the variables that its vocabulary gives them.

Keys, as gguf-py's add_chat_template writes them: `tokenizer.chat_template` is the default one,
`tokenizer.chat_template.NAME` a named one, and `tokenizer.chat_templates` lists the names.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tokcli.chat.visible import visible
from tokcli.errors import TemplateError

if TYPE_CHECKING:
    from tokcli.chat.prompt import TokenizerLike
    from tokcli.gguf_metadata import Metadata

__all__ = ["DEFAULT", "ChatTemplate", "ChatTemplates", "template_variables"]

DEFAULT = "default"
KEY = "tokenizer.chat_template"
NAMES_KEY = "tokenizer.chat_templates"

# transformers' names for the special tokens that a template may print.
VARIABLES = {
    "unk_token": "unk",
    "sep_token": "sep",
    "pad_token": "pad",
    "mask_token": "mask",
}


@dataclass(frozen=True, slots=True)
class ChatTemplate:
    """One template: `source` is its text, `key` the GGUF key (or the path) it came from."""

    name: str
    source: str
    key: str


@dataclass(frozen=True, slots=True)
class ChatTemplates:
    """The templates of one file, by name; the nameless one is "default".

    `missing` lists names in `tokenizer.chat_templates` that no key holds a template for.
    """

    by_name: Mapping[str, ChatTemplate]
    missing: tuple[str, ...] = ()

    @classmethod
    def from_metadata(cls, metadata: Metadata) -> ChatTemplates:
        """The templates of a file. Bytes that are not UTF-8 become lone surrogates.

        Raises TemplateError for a template key whose value is not text.
        """
        found: dict[str, ChatTemplate] = {}
        for key in metadata:
            if key != KEY and not key.startswith(f"{KEY}."):
                continue
            source = metadata.text(key)
            if source is None:
                raise TemplateError(
                    f"{visible(key)}: a chat template is a str, and this is"
                    f" {metadata[key].type_name}: write it anew"
                )
            name = key[len(KEY) + 1 :] or DEFAULT
            if name not in found or key == KEY:
                found[name] = ChatTemplate(name, source, key)
        if DEFAULT in found:  # it is the one people mean, so it is named first
            found = {DEFAULT: found.pop(DEFAULT), **found}
        entry = metadata.get(NAMES_KEY)
        listed = entry.value if entry is not None and isinstance(entry.value, list) else []
        names = [n.decode("utf-8", "surrogateescape") for n in listed if isinstance(n, bytes)]
        return cls(found, tuple(name for name in names if name not in found))

    @property
    def names(self) -> tuple[str, ...]:
        """The names, the default first."""
        return tuple(self.by_name)

    def choose(self, name: str | None = None, *, with_tools: bool = False) -> ChatTemplate:
        """The template called `name`.

        Without a name: "tool_use" where tools are given and the file has one (as transformers and
        llama-server choose), else the default, else the only one there is.

        Raises TemplateError that lists the names there are.
        """
        if name is None:
            if with_tools and "tool_use" in self.by_name:
                return self.by_name["tool_use"]
            if DEFAULT in self.by_name:
                return self.by_name[DEFAULT]
            if len(self.by_name) == 1:
                return next(iter(self.by_name.values()))
        elif name in self.by_name:
            return self.by_name[name]
        if not self.by_name:
            raise TemplateError(f"the file has no chat template ({KEY}): give one with --template")
        names = ", ".join(visible(known) for known in self.by_name)
        what = "no default chat template" if name is None else f"no template {visible(name)!r}"
        raise TemplateError(f"the file has {what}: choose one of {names}")


def template_variables(tokenizer: TokenizerLike) -> dict[str, str]:
    """bos_token, eos_token and their like: the texts of the vocabulary's special tokens.

    As llama-server has it, bos_token and eos_token are empty where the vocabulary has no such
    token; the others are absent then.
    """
    special = tokenizer.vocab.special

    def text(slot: str) -> str | None:
        id = special[slot].id
        return None if id is None else tokenizer.piece(id).decode("utf-8", "surrogateescape")

    variables = {"bos_token": text("bos") or "", "eos_token": text("eos") or ""}
    for variable, slot in VARIABLES.items():
        value = text(slot)
        if value is not None:
            variables[variable] = value
    return variables
