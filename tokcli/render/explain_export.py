"""A page as an HTML or SVG document, for sharing."""

from __future__ import annotations

import io
import re

from rich.console import Console

from tokcli.render.explain_rich import draw
from tokcli.render.explain_view import Page

__all__ = ["WIDTH", "as_html", "as_svg"]

WIDTH = 100


def as_html(page: Page, width: int = WIDTH) -> str:
    """A whole HTML document, `width` columns wide."""
    return _recorded(page, width).export_html(inline_styles=True)


def as_svg(page: Page, width: int = WIDTH) -> str:
    """A picture of a terminal, `width` columns wide."""
    svg = _recorded(page, width).export_svg(title="tokcli explain")
    # rich would have viewers fetch a font from the net; any monospace font will do.
    return re.sub(r"\s*@font-face \{[^}]*\}", "", svg)


def _recorded(page: Page, width: int) -> Console:
    console = Console(
        record=True,
        file=io.StringIO(),
        width=width,
        force_terminal=True,
        force_jupyter=False,
        color_system="truecolor",
        legacy_windows=False,
        markup=False,
        emoji=False,
        highlight=False,
    )
    draw(page, console)
    return console
