"""Does a template take a message's content as text, or as a list of parts too?

As llama-server finds out (caps_get in common/jinja/caps.cpp of llama.cpp b12211): the template is
rendered with one message, and what it does with the content is watched. Its Jinja bears what is
undefined where Jinja2 does not, so that the user's variables are given to the template here.
Importing this module imports Jinja2.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jinja2

from tokcli.chat.budget import TimeLimit
from tokcli.chat.compiling import compiled
from tokcli.chat.sandbox import ChatEnvironment

__all__ = ["takes_text_only"]

CONTENT = "Hello"


def takes_text_only(template: str, variables: Mapping[str, Any], limit: TimeLimit) -> bool:
    """Whether llama-server makes texts of lists of parts for `template`.

    `variables`: what it is given besides messages and tools.

    Raises TemplateDefectError for a template that cannot be compiled.
    """
    text = WatchingEnvironment(CONTENT, limit)
    if not text.renders(template, variables) or text.used_as_list:
        return False
    if not text.asked_for_text:
        return True
    parts = WatchingEnvironment([], limit)
    return not (parts.renders(template, variables) and parts.used_as_list)


class WatchingEnvironment(ChatEnvironment):
    """Renders one message whose content is `content`, and notes what is done with that very object.

    `used_as_list`: it was looped over, indexed or given to selectattr, which are errors for text;
    `asked_for_text`: the template asked whether it is text.
    """

    def __init__(self, content: str | list[Any], limit: TimeLimit) -> None:
        super().__init__(limit=limit)
        # A text of its own: others with the same characters are other objects.
        self._content = _Text(content) if isinstance(content, str) else content
        self.used_as_list = False
        self.asked_for_text = False
        is_text: Any = self.tests["string"]
        select: Any = self.filters["selectattr"]

        def watching_string(value: Any) -> bool:
            self.asked_for_text |= value is self._content
            return bool(is_text(value))

        @jinja2.pass_context
        def watching_selectattr(context: Any, value: Any, *args: Any, **kwargs: Any) -> Any:
            self._use_as_list(value)
            return select(context, value, *args, **kwargs)

        self.tests["string"] = watching_string
        self.filters["selectattr"] = watching_selectattr

    def renders(self, template: str, variables: Mapping[str, Any]) -> bool:
        """Whether the template renders the message."""
        code = compiled(template, self.budget.limit)
        program = self.template_class.from_code(self, code, self.make_globals(None))
        names = {
            **variables,
            "messages": [{"role": "user", "content": self._content}],
            "tools": [],
            "add_generation_prompt": True,
        }
        try:
            with self.budget.limit:
                program.render(names)
        except Exception:
            return False
        return True

    def entered(self, items: Any) -> None:
        """Note a loop over the content."""
        self._use_as_list(items)

    def getitem(self, obj: Any, argument: Any) -> Any:
        """Note an index into the content; text has those as well."""
        if obj is self._content and isinstance(argument, int):
            self.used_as_list = True
        return super().getitem(obj, argument)

    def _use_as_list(self, value: Any) -> None:
        if value is self._content:
            self.used_as_list = True
            if isinstance(value, str):
                raise jinja2.TemplateRuntimeError("text is not a list")


class _Text(str):
    __slots__ = ()
