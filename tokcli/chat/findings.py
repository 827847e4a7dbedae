"""What else is wrong with a rendered conversation, next to its BOS.

Codes are stable: control-in-message, marker-not-a-token, marker-typed-normal, turn-end-not-eog,
double-eos, eos-after-prompt, bos-after-text, bos-not-special, no-bos-token, template-needs-tools,
parts-joined.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from tokcli.chat.markers import MARKER
from tokcli.chat.origins import Origin
from tokcli.chat.prompt import Prompt
from tokcli.chat.visible import visible
from tokcli.vocab import CONTROL, SPECIAL_ATTRS, UNKNOWN, Provenance, TokenType

__all__ = ["Finding", "bos_findings", "control_in_messages", "eos_findings", "split_markers"]

SPACE_PREFIX = "▁".encode()


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong: a stable `code`, what it is, the proof, and one line of advice.

    `evidence` holds plain values: byte offsets into the rendering, ids, paths, counts.
    """

    code: str
    severity: Literal["error", "warning"]
    message: str
    evidence: Mapping[str, object]
    fix: str


def bos_findings(prompt: Prompt, template: str, origins: Sequence[Origin]) -> list[Finding]:
    """What is odd about the BOS beyond their number."""
    vocab = prompt.vocab
    id, source = vocab.special["bos"]
    uses_variable = "bos_token" in template
    if id is None:
        if not uses_variable:
            return []
        return [
            Finding(
                "no-bos-token",
                "warning",
                "the template prints bos_token, and the vocabulary has no BOS token: it prints"
                " nothing",
                {"source": source.detail},
                "gguf-new-metadata --special-token bos '<TOKEN>' IN.gguf OUT.gguf",
            )
        ]
    findings = []
    if uses_variable and not vocab.attr(id) & SPECIAL_ATTRS:
        text = prompt.text_of(id)
        findings.append(
            Finding(
                "bos-not-special",
                "error",
                f"the template prints bos_token, and that is {text!r} here: token {id}"
                f" ({_slot_source(source)}) is ordinary text",
                {"id": id, "token": text, "source": source.kind},
                "gguf-new-metadata --special-token bos '<TOKEN>' IN.gguf OUT.gguf",
            )
        )
    first = next(iter(prompt.specials.values()), None)
    typed = {prompt.byte(origin.start) for origin in origins}
    if first is not None and first.id == id and first.start > 0 and first.start not in typed:
        before = prompt.data[: first.strip_start]
        if before and not before.strip():
            line = prompt.rendering.line_at(prompt.character(first.start))
            findings.append(
                Finding(
                    "bos-after-text",
                    "error",
                    f"white space ({before!r}) stands before the template's"
                    f" {prompt.text_of(id)}: llama-server does not recognise it as the BOS, and the"
                    " prompt does not start with it",
                    {"byte": first.start, "line": line},
                    "write {{- bos_token }}, or take out what stands before it in the template",
                )
            )
    return findings


def eos_findings(prompt: Prompt, ids: Sequence[int], generation_prompt: bool) -> list[Finding]:
    """Two EOS at the end, or one after the words that the model is to go on from."""
    vocab = prompt.vocab
    eos = vocab.special["eos"].id
    if eos is None or not ids or ids[-1] != eos:
        return []
    last = max(prompt.specials.values(), default=None)
    ends = last is not None and last.id == eos and last.strip_end == len(prompt.data)
    source = _slot_source(vocab.settings["add_eos"].source)
    if ends and len(ids) > 1 and ids[-2] == eos:
        return [
            Finding(
                "double-eos",
                "warning",
                f"the template ends with {prompt.text_of(eos)}, and add_special adds another"
                f" ({source})",
                {"id": eos, "byte": last.start if last else None},
                "tokenize with add_special=False, or set --override-kv"
                " tokenizer.ggml.add_eos_token=bool:false",
            )
        ]
    if generation_prompt and not ends:
        return [
            Finding(
                "eos-after-prompt",
                "error",
                f"add_special puts {prompt.text_of(eos)} after the generation prompt ({source}):"
                " the model reads its own turn as over",
                {"id": eos},
                "tokenize with add_special=False, or set --override-kv"
                " tokenizer.ggml.add_eos_token=bool:false",
            )
        ]
    return []


def _slot_source(source: Provenance) -> str:
    return f"{source.kind}: {visible(source.detail)}" if source.detail else source.kind


def control_in_messages(prompt: Prompt, origins: Sequence[Origin]) -> list[Finding]:
    """Control tokens that a message spelled, one finding for each message and token."""
    groups: dict[tuple[str, int], list[Origin]] = {}
    for origin in origins:
        fragment = prompt.special_at(prompt.byte(origin.start))
        if fragment is None:
            continue
        harmless = not prompt.vocab.attr(fragment.id) & (CONTROL | UNKNOWN)
        if harmless and MARKER.fullmatch(origin.text) is None:
            continue  # <tool_call> and the like, which assistants' messages hold rightly
        groups.setdefault((origin.path, fragment.id), []).append(origin)
    findings = []
    for (path, id), found in groups.items():
        offsets = [prompt.byte(origin.start) for origin in found]
        times = "" if len(found) == 1 else f", {len(found)} times"
        findings.append(
            Finding(
                "control-in-message",
                "warning",
                f"{visible(path)} spells the control token {prompt.text_of(id)} (id {id}){times}:"
                " the model reads it as the template's own",
                {
                    "path": path,
                    "message": _message_index(path),
                    "token": prompt.text_of(id),
                    "id": id,
                    "bytes": offsets,
                    "exact": all(origin.exact for origin in found),
                },
                "remove or break up such text in what users send, before it is rendered",
            )
        )
    return findings


def split_markers(prompt: Prompt, origins: Sequence[Origin]) -> list[Finding]:
    """Markers that the template wrote and that reach the model as several pieces of text."""
    places: dict[str, list[int]] = {}
    rest = 0  # both are in order, and a prompt may hold many thousands of each
    for match in MARKER.finditer(prompt.rendering.text):
        while rest < len(origins) and origins[rest].end <= match.start():
            rest += 1
        if rest == len(origins) or match.end() <= origins[rest].start:
            places.setdefault(match[0], []).append(match.start())
    findings = []
    for text, starts in places.items():
        offsets = [prompt.byte(start) for start in starts]
        data = prompt.data[offsets[0] : prompt.byte(starts[0] + len(text))]
        if any(prompt.special_at(offset) is not None for offset in offsets):
            continue
        pieces = prompt.tokenizer.tokenize(data, add_special=False, parse_special=True)
        if len(pieces) > 1 and pieces[0] == prompt.vocab.token_to_id.get(SPACE_PREFIX):
            pieces = pieces[1:]  # inside the prompt nothing is put before it
        if len(pieces) == 1:
            continue
        id = prompt.vocab.token_to_id.get(data)
        evidence = {
            "marker": text,
            "bytes": offsets,
            "line": prompt.rendering.line_at(starts[0]),
            "ids": pieces,
        }
        shown = visible(text)
        if id is None:
            findings.append(
                Finding(
                    "marker-not-a-token",
                    "warning",
                    f"the template writes {shown}, which is no token of this vocabulary: it becomes"
                    f" {len(pieces)} pieces of text",
                    evidence,
                    "use the template this model was trained with, or a vocabulary that has the"
                    " token",
                )
            )
        elif prompt.vocab.type_of(id) == TokenType.NORMAL:
            findings.append(
                Finding(
                    "marker-typed-normal",
                    "error",
                    f"the template writes {shown}, and token {id} is that text but typed NORMAL:"
                    f" it is not recognised as one token and becomes {len(pieces)} pieces",
                    {**evidence, "id": id},
                    f"convert the model again with token {id} typed CONTROL or USER_DEFINED",
                )
            )
    return findings


def _message_index(path: str) -> int | None:
    if not path.startswith("messages["):
        return None
    return int(path[len("messages[") : path.index("]")])
