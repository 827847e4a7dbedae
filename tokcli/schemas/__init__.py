"""JSON Schemas of what tokcli prints, as files of the package."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

__all__ = ["load_schema"]


def load_schema(name: str) -> dict[str, Any]:
    """The schema NAME.schema.json of this package, "explain" for instance."""
    text = files(__name__).joinpath(f"{name}.schema.json").read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema
