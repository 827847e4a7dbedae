from __future__ import annotations


def run(argv: list[str]) -> int | None:
    return None
