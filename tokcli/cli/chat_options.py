"""Options about conversations that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["Messages", "Template", "TemplateName"]

Messages = Annotated[
    str | None,
    typer.Option(
        "--messages",
        metavar="FILE",
        help="JSON list of messages, or the body of an OpenAI-style request (-: stdin), which the "
        "model's chat template turns into text.",
        show_default=False,
    ),
]

Template = Annotated[
    str | None,
    typer.Option(
        "--template",
        metavar="FILE",
        help="Use the chat template in this file, not the model's.",
        show_default=False,
    ),
]

TemplateName = Annotated[
    str | None,
    typer.Option(
        "--template-name",
        metavar="NAME",
        help="Use the model's chat template of this name. Default: tool_use where there are tools, "
        "else the one without a name.",
        show_default=False,
    ),
]
