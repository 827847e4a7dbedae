"""What a user should hear about a tokenized prompt: BOS twice, or not at all, and the like."""

from __future__ import annotations

from typing import NamedTuple

from tokcli.text.unicode import first_ill_formed, ill_formed
from tokcli.tokenizer import Tokenizer, added_specials
from tokcli.vocab import CONTROL, TokenId, Vocab, VocabType

__all__ = ["PromptWarning", "prompt_warnings", "unasked_specials"]

# Types that tokenize bytes rather than characters.
KEEP_BYTES = (VocabType.SPM, VocabType.RWKV, VocabType.TEST)


class PromptWarning(NamedTuple):
    """`code` is stable: "double-bos", "double-eos", "no-bos", "special-as-text",
    "replaced-bytes", "missing-pre".
    `message` says what, where, and what to do."""

    code: str
    message: str


def prompt_warnings(
    tokenizer: Tokenizer,
    data: bytes,
    ids: list[TokenId],
    *,
    add_special: bool,
    parse_special: bool,
) -> list[PromptWarning]:
    """Warnings about `ids`, which tokenize() gave for `data` with these settings."""
    vocab = tokenizer.vocab
    found = [
        PromptWarning(note.code, note.message) for note in vocab.notes if note.code == "missing-pre"
    ]
    bos, eos = vocab.special_id("bos"), vocab.special_id("eos")
    adds_bos = vocab.flag("add_bos") or vocab.type == VocabType.WPM
    if bos is not None and ids[:2] == [bos, bos] and (adds_bos or vocab.attr(bos) & CONTROL):
        added = add_special and adds_bos
        who = "one is added, and the text begins with another" if added else "both are in the text"
        cure = "drop it from the text, or use --no-bos" if added else "drop one from the text"
        found.append(
            PromptWarning("double-bos", f"the prompt starts with two BOS tokens ({who}); {cure}")
        )
    elif adds_bos and bos is not None and not add_special and ids[:1] != [bos]:
        found.append(
            PromptWarning(
                "no-bos",
                "the prompt has no BOS although the vocabulary adds one; leave out --no-bos and "
                "--no-special, or begin the text with it",
            )
        )
    if eos is not None and add_special and vocab.flag("add_eos") and ids[-2:] == [eos, eos]:
        found.append(
            PromptWarning(
                "double-eos",
                "the prompt ends with two EOS tokens (one is added, and the text ends with "
                "another); drop it from the text",
            )
        )
    if vocab.type not in KEEP_BYTES:
        first_replaced = first_ill_formed(data)
        if first_replaced is not None:
            count = sum(1 for _ in ill_formed(data))
            what = "1 byte that is" if count == 1 else f"{count} bytes that are"
            found.append(
                PromptWarning(
                    "replaced-bytes",
                    f"{what} no UTF-8 turned into U+FFFD, as in llama.cpp (first: byte "
                    f"{first_replaced} of the input, 0x{data[first_replaced]:02x}); the tokens do "
                    "not give that back",
                )
            )
    if not parse_special:
        spelled = tokenizer.partitioner.spelled(data)
        if spelled:
            first = spelled[0]
            text = vocab.texts[first.id].decode("utf-8", "backslashreplace")
            more = f" (and {len(spelled) - 1} more)" if len(spelled) > 1 else ""
            found.append(
                PromptWarning(
                    "special-as-text",
                    f"the text spells the control token {first.id} '{text}' at byte "
                    f"{first.start}{more}, and --no-parse-special takes it for plain text",
                )
            )
    return found


def unasked_specials(vocab: Vocab) -> str | None:
    """The special tokens, as the subject of a sentence, that llama-tokenize does not ask for though
    the vocabulary adds them: it asks only where BOS is to be added."""
    if vocab.flag("add_bos"):
        return None
    roles = [added.role for added in added_specials(vocab) if added is not None]
    if not roles:
        return None
    return f"{' and '.join(roles)} {'is' if len(roles) == 1 else 'are'}"
