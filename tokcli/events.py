"""The events of tokcli.trace, whose module is imported with the first that is told: their classes
take longer to make than a short prompt takes, and only tracing needs them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tokcli.trace import *  # noqa: F403
else:

    def __getattr__(name: str) -> object:
        from tokcli import trace

        found = globals()[name] = getattr(trace, name)
        return found
