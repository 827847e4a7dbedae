"""What tokens are to the vocabulary: names of types, attributes and roles."""

from __future__ import annotations

from functools import cache

from tokcli.vocab import TokenAttr, TokenId, TokenType, Vocab

__all__ = ["attribute_names", "role_name", "token_roles", "type_name", "type_number"]

_TYPE_NAMES = {kind.value: kind.name.lower() for kind in TokenType}
_TYPE_NUMBERS = {name: number for number, name in _TYPE_NAMES.items()}
_ATTRIBUTES = [(attr.value, attr.name.lower()) for attr in TokenAttr if attr.value and attr.name]


def type_name(number: int) -> str:
    """The name of a number in tokenizer.ggml.token_type: "normal", "control", ...; a number that
    has none is itself."""
    return _TYPE_NAMES.get(number, str(number))


def type_number(name: str) -> int | None:
    """The number of a type's name or of a number written out; None for anything else."""
    number = _TYPE_NUMBERS.get(name.lower().replace("-", "_"))
    if number is None and name.lstrip("-").isdecimal():
        number = int(name)
    return number


@cache
def attribute_names(attr: int) -> tuple[str, ...]:
    """The names of a token's TokenAttr bits, such as ("control", "lstrip")."""
    return tuple(name for bit, name in _ATTRIBUTES if attr & bit)


def role_name(slot: str) -> str:
    """The role of a special slot: "bos" is BOS, "fim_pre" FIM_PRE."""
    return slot.upper()


def token_roles(vocab: Vocab) -> dict[TokenId, tuple[str, ...]]:
    """The roles of every token that has one: BOS, EOS, FIM_PRE..., EOG where llama.cpp stops
    generating at it, and SUPPRESSED where it is never to be generated."""
    roles: dict[TokenId, list[str]] = {}
    for slot, special in vocab.special.items():
        if special.id is not None:
            roles.setdefault(special.id, []).append(role_name(slot))
    for id in sorted(vocab.eog_ids):
        roles.setdefault(id, []).append("EOG")
    suppressed = vocab.settings["suppress_tokens"].value
    assert isinstance(suppressed, tuple)
    for id in suppressed:
        roles.setdefault(id, []).append("SUPPRESSED")
    return {id: tuple(names) for id, names in roles.items()}
