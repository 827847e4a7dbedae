"""Compiles chat templates, each of them once."""

from __future__ import annotations

from functools import lru_cache
from types import CodeType

from tokcli.chat.budget import LimitError, TimeLimit
from tokcli.chat.failures import template_error
from tokcli.errors import TemplateDefectError

__all__ = ["compiled"]

# Characters; the longest real ones have 40 thousand.
MAX_TEMPLATE = 1 << 17


def compiled(template: str, limit: TimeLimit) -> CodeType:
    """The code of `template`, made within `limit` where it is not known yet.

    Raises TemplateDefectError.
    """
    known = _known(template)
    if known.outcome is None:
        known.outcome = _compile(template, limit)
    if isinstance(known.outcome, str):
        raise TemplateDefectError(known.outcome)
    return known.outcome


class _Known:
    """What came of compiling a template: code, or why there is none. Failing takes as long as
    succeeding, so that either is kept."""

    outcome: CodeType | str | None = None


@lru_cache(maxsize=32)
def _known(template: str) -> _Known:
    return _Known()


def _compile(template: str, limit: TimeLimit) -> CodeType | str:
    if len(template) > MAX_TEMPLATE:
        return (
            f"chat template: refused, it has {len(template)} characters, and no more than "
            f"{MAX_TEMPLATE} are compiled: shorten it"
        )
    from tokcli.chat.sandbox import ChatEnvironment

    try:
        with limit:
            return ChatEnvironment(limit=limit).compile(template)
    except LimitError as exc:
        raise template_error(exc) from exc  # another time there may be more time
    except (MemoryError, RecursionError):
        return (
            "chat template: cannot be compiled, it nests too deeply or is too large: split long "
            "chains of elif, operators and parentheses"
        )
    except Exception as exc:
        return str(template_error(exc))
