"""Puts the page that explains a run together."""

from __future__ import annotations

import os

from tokcli.render.explain_input import fragments_stage, input_stage
from tokcli.render.explain_model import Run
from tokcli.render.explain_prepare import prepare_stage
from tokcli.render.explain_split import bytes_stage, chunks_stage
from tokcli.render.explain_steps import steps_stage
from tokcli.render.explain_tokens import strip, tokens_stage, warnings_stage
from tokcli.render.explain_view import Block, Limits, Line, Page, Paragraph, Span, line, plural
from tokcli.render.terminal import visible
from tokcli.vocab import VocabType

__all__ = ["page"]


def page(run: Run, limits: Limits) -> Page:
    """The page that explains `run`."""
    builders = {
        "input": input_stage,
        "fragments": fragments_stage,
        "prepare": prepare_stage,
        "chunks": chunks_stage,
        "bytes": bytes_stage,
        "steps": steps_stage,
        "tokens": tokens_stage,
        "warnings": warnings_stage,
    }
    stages = [builders[name](run, limits) for name in builders if name in limits.stages]
    return Page(_title(run), _head(run), stages, _signs(run))


def _title(run: Run) -> Line:
    vocab = run.vocab
    model = f", model {visible(vocab.model)}" if vocab.model else ""
    split = vocab.type == VocabType.BPE and vocab.pre
    pre = f", pre-tokenizer {visible(vocab.pre)}" if split else ""
    return line(
        Span(visible(os.path.basename(run.request.model)), "strong"),
        f": {vocab.type.label}{model}{pre}, {plural(len(vocab), 'token')}",
    )


def _head(run: Run) -> list[Block]:
    explanation = run.explanation
    switches = (
        ("add_special", explanation.add_special),
        ("parse_special", explanation.parse_special),
    )
    return [
        Paragraph(line(", ".join(f"{name} {'on' if on else 'off'}" for name, on in switches))),
        *strip(run, run.tokens),
    ]


def _signs(run: Run) -> list[tuple[str, str]]:
    signs = [("a..b", "bytes a to b of the input, b not included")]
    if any(not row.exact for row in run.tokens):
        signs.append(("~", "the text was rewritten: the span encloses what the token stands for"))
    return signs
