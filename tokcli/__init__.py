"""llama.cpp's tokenizers, read out of GGUF files, with the reasons for every token.

>>> import tokcli
>>> tok = tokcli.load()
>>> tok.tokenize("How are")
[2437, 389]
>>> tok.detokenize([2437, 389])
b'How are'
"""

from __future__ import annotations

from tokcli._version import __version__

# As typing has it, but importing that takes milliseconds, in which Ctrl-C is still Python's.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from tokcli.chat.render import render_chat
    from tokcli.errors import (
        GgufError,
        TemplateError,
        TokcliError,
        TokenIdError,
        TokenizeError,
        UsageError,
        VocabError,
    )
    from tokcli.explain import Explanation
    from tokcli.tokenizer import Tokenizer, load
    from tokcli.vocab import Vocab

__all__ = [
    "Explanation",
    "GgufError",
    "TemplateError",
    "TokcliError",
    "TokenIdError",
    "TokenizeError",
    "Tokenizer",
    "UsageError",
    "Vocab",
    "VocabError",
    "__version__",
    "load",
    "render_chat",
]

_HOMES = {
    "Explanation": "tokcli.explain",
    "Tokenizer": "tokcli.tokenizer",
    "Vocab": "tokcli.vocab",
    "load": "tokcli.tokenizer",
    "render_chat": "tokcli.chat.render",
}


def __getattr__(name: str) -> object:
    """Import public names when they are first asked for: `tokcli --version` needs none of them."""
    if name not in __all__:
        raise AttributeError(f"module 'tokcli' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(_HOMES.get(name, "tokcli.errors")), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """What the module holds, and the public names that it would import."""
    return sorted({*globals(), *__all__})
