"""Who puts how many BOS at the start of the prompt, for each way of tokenizing a rendering.

llama-server cuts the template's own BOS (one of them, by its text) and EOS off the rendering when
the vocabulary adds them, and then tokenizes with add_special: common/chat.cpp of llama.cpp.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tokcli.chat.origins import Origin
from tokcli.chat.prompt import Prompt
from tokcli.chat.visible import visible
from tokcli.pretokenizer_table import PRE_TOKENIZERS
from tokcli.vocab import Provenance, TokenId, VocabType

__all__ = ["BosCount", "BosSource", "Caller"]

# Enough text after the last BOS for the tokenizer to be past it.
HEAD = 4096


@dataclass(frozen=True, slots=True)
class BosSource:
    """One BOS at the start of the prompt, and who put it there.

    `detail` says how the template writes it, which message holds it, or which key or default asks
    for it. Not for the vocabulary: `byte` and `line` (from 1) in the rendering, and
    `template_line`, the line of the template that put it out.
    """

    added_by: Literal["template", "message", "vocabulary"]
    detail: str
    byte: int | None = None
    line: int | None = None
    template_line: int | None = None


@dataclass(frozen=True, slots=True)
class Caller:
    """What one way of tokenizing makes of the rendering.

    `prompt` is what it tokenizes, and `dropped` names what llama-server cut off first. `fix` is one
    line, None where all is right.
    """

    name: Literal["add_special", "no_add_special", "llama-server"]
    title: str
    count: int
    right: bool
    sources: tuple[BosSource, ...]
    dropped: tuple[str, ...]
    fix: str | None
    prompt: bytes

    @property
    def add_special(self) -> bool:
        """Whether it has the tokenizer add the special tokens that the vocabulary asks for."""
        return self.name != "no_add_special"


class BosCount:
    """Counts the BOS of one prompt.

    `by_variable` holds the characters of the rendering where `{{ bos_token }}` put a BOS.
    """

    def __init__(
        self,
        prompt: Prompt,
        template: str,
        origins: Sequence[Origin],
        by_variable: frozenset[int],
    ) -> None:
        vocab = prompt.vocab
        self._prompt = prompt
        self._template_lines = template.split("\n")
        self._from_messages = {origin.start: origin.path for origin in origins}
        self._by_variable = by_variable
        self._setting = vocab.settings["add_bos"]
        self.id: TokenId | None = vocab.special["bos"].id
        self._piece = b"" if self.id is None else prompt.tokenizer.piece(self.id)
        self.text = visible(self._piece.decode("utf-8", "surrogateescape"))
        self.leading_bytes = self._leading()
        self.written = self._count(prompt.data, add_special=False)
        self.added = self._count(prompt.data, add_special=True) - self.written
        self._sources = self._written_sources()
        # A vocabulary that adds none leaves the choice to the template, and not to messages.
        self._own = any(source.added_by == "template" for source in self._sources)
        self.expected = 1 if self.added > 0 or self._own else 0

    def _leading(self) -> list[int]:
        """The bytes at which the rendering's leading BOS stand."""
        found: list[int] = []
        position = 0
        for fragment in self._prompt.specials.values():
            if fragment.id != self.id or fragment.strip_start != position:
                break
            found.append(fragment.start)
            position = fragment.strip_end
        return found

    def _count(self, data: bytes, *, add_special: bool) -> int:
        if self.id is None:
            return 0
        head = data[: HEAD + (self.leading_bytes[-1] if self.leading_bytes else 0)]
        ids = self._prompt.tokenizer.tokenize(head, add_special=add_special, parse_special=True)
        count = 0
        while count < len(ids) and ids[count] == self.id:
            count += 1
        return count

    @property
    def asked_by(self) -> str:
        """Why a prompt should begin with `expected` BOS."""
        if self.id is None:
            return "the vocabulary has no BOS token"
        if self.added > 0:
            return self._addition()
        if not self._setting.value:
            why = f"{_source('add_bos', False, self._setting.source)}: the vocabulary adds none"
        else:
            why = f"{self._prompt.vocab.type.label} vocabularies add no BOS, whatever add_bos says"
        return why if not self._own else f"{why}, and the template writes its own"

    def _addition(self) -> str:
        if self._prompt.vocab.type is VocabType.WPM:
            return "add_special: WPM vocabularies always add it"
        return _source("add_bos", True, self._setting.source)

    def callers(self) -> tuple[Caller, ...]:
        """The three ways of tokenizing: add_special, no_add_special, llama-server."""
        written = self._sources
        vocabulary = tuple(BosSource("vocabulary", self._addition()) for _ in range(self.added))
        with_special = vocabulary + written
        served, dropped = self._served()
        if served == self._prompt.data:
            served_sources = with_special
        else:
            left = self._count(served, add_special=True)
            # It cuts the first BOS of the rendering, so the last ones are left.
            served_sources = vocabulary + written[1:] if "BOS" in dropped else with_special
            served_sources = served_sources[:left]
        return (
            self._caller("add_special", "tokenize with add_special", with_special),
            self._caller("no_add_special", "tokenize without add_special", written),
            self._caller("llama-server", "llama-server", served_sources, dropped, served),
        )

    def _served(self) -> tuple[bytes, tuple[str, ...]]:
        data, vocab = self._prompt.data, self._prompt.vocab
        dropped = []
        if self._piece and vocab.flag("add_bos") and data.startswith(self._piece):
            data = data[len(self._piece) :]
            dropped.append("BOS")
        eos = vocab.special["eos"].id
        if eos is not None and vocab.flag("add_eos"):
            piece = self._prompt.tokenizer.piece(eos)
            if piece and data.endswith(piece):
                data = data[: -len(piece)]
                dropped.append("EOS")
        return data, tuple(dropped)

    def _written_sources(self) -> tuple[BosSource, ...]:
        sources = []
        line, before = 1, 0
        for index in range(self.written):
            known = index < len(self.leading_bytes)
            byte = self.leading_bytes[index] if known else index * len(self._piece)
            character = self._prompt.character(byte)
            line += self._prompt.data.count(b"\n", before, byte)
            before = byte
            template_line = self._prompt.rendering.line_at(character)
            path = self._from_messages.get(character)
            if path is not None:
                source = BosSource("message", visible(path), byte, line, template_line)
            else:
                named = character in self._by_variable
                detail = "{{ bos_token }}" if named else f"the text {self.text}"
                template_line = self._line_with("bos_token" if named else self.text, template_line)
                source = BosSource("template", detail, byte, line, template_line)
            sources.append(source)
        return tuple(sources)

    def _line_with(self, text: str, line: int | None) -> int | None:
        """The line that holds `text`: of what is put out in one go, only the first is known."""
        after = [n for n, t in enumerate(self._template_lines, 1) if text in t]
        return next((n for n in after if n >= (line or 1)), line if len(after) != 1 else after[0])

    def _caller(
        self,
        name: Literal["add_special", "no_add_special", "llama-server"],
        title: str,
        sources: tuple[BosSource, ...],
        dropped: tuple[str, ...] = (),
        prompt: bytes | None = None,
    ) -> Caller:
        count = len(sources)
        right = count == self.expected
        fix = None if right else self._fix(name, count, sources)
        data = self._prompt.data if prompt is None else prompt
        return Caller(name, title, count, right, sources, dropped, fix, data)

    def _fix(self, name: str, count: int, sources: tuple[BosSource, ...]) -> str:
        override = f", or run llama.cpp with {OVERRIDE}" if self._can_be_turned_off() else ""
        if count < self.expected:
            if name == "no_add_special":
                return (
                    "tokenize with add_special=True: the template leaves the BOS to the tokenizer"
                )
            return "let the template write {{ bos_token }} where its output begins" + override
        spelled = next((s for s in sources if s.added_by == "message"), None)
        if spelled is not None:
            return f"take {self.text} out of {spelled.detail}"
        line = next((s.template_line for s in sources if s.added_by == "template"), None)
        place = "" if line is None else f" (line {line} of the template)"
        if name == "add_special" and self.written == 1:
            return (
                f"tokenize with add_special=False: the template writes {self.text} itself{place}"
                + override
            )
        return f"let the template write {self.text} once, or not at all{place}"

    def _can_be_turned_off(self) -> bool:
        vocab = self._prompt.vocab
        rules = PRE_TOKENIZERS.get(vocab.pre)
        forced = rules is not None and rules.variant == "gemma4"
        return not forced and vocab.type not in (VocabType.WPM, VocabType.RWKV)


OVERRIDE = "--override-kv tokenizer.ggml.add_bos_token=bool:false"


def _source(name: str, value: bool, source: Provenance) -> str:
    said = f"{name} = {'true' if value else 'false'}"
    place = f"key {source.detail}" if source.kind == "key" else source.detail or source.kind
    return f"{said} ({visible(place)})"
