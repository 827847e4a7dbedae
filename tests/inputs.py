"""Texts that tokenizers get wrong: what answers of the reference are recorded for."""

from __future__ import annotations

from collections.abc import Iterable

_TEXTS = [
    "", " ", "  ", "   ", "    ", "\n", "\n\n", "\n\n\n", " \n", "\n ", "\t", "\t\t", "\r\n",
    "\r", " \t\n\r\f\v", "\0", "a\0b", "\0\0", "\x01\x1b[31m\x7f", "\x1c\x1d\x1e\x1f", "\x85",
    "a", "A", "ab", "abc", "aab", "Hello", "Hello world", " Hello world", "Hello  world ",
    "Hello\nworld\n", "Hello, world!", "HELLO WORLD", "the", " the", "the the the", "there",
    "other", "How are you doing?", "in the beginning", "unaffable", "whole", " whole wholes",
    "x" * 40, "ab" * 33, "a" * 70, " " * 20 + "a", "a" + " " * 9, "=" * 17, ". . . ..", "...",
    "!!!", "?!", "it's I'm you'll DON'T we've she'd 'tis '", "can’t won’t",
    "foo_bar fooBar FooBAR", "__init__", "1", "12", "123", "1234567890", "1,234.56", "1 23 456",
    "0000", "3.14e-10", "٣٤٥", "²³½Ⅷ", "1st", "def f(x):\n    return x == 1  # no\n",
    "if (a) {\n\t\tb();\n}\n\n\n", "<html>&amp;</html>", "\\n \\t", "http://example.org/?q=a%20b",
    "a@b.c", "C:\\dir\\x", "$€£ +-*/ ^~`|", "()[]{}<>", "\"quoted\" 'it'", "é", "e\u0301", "éé",
    "É", "ÀÉÎ", "naïve café", "Straße", "İstanbul ı", "ﬁﬂ", "Å Å Å", "ñ ñ", "日本",
    "日本語のテキスト", "日 本", "中文，标点。", "한국어 텍스트", "ああああ あ", "。。。。",
    "Ａ１", "ไทยไม่มี", "नमस्ते", "שלום עולם", "مرحبا", "Привет, мир", "Ελληνικά", "ქართული",
    "ⴰⵎⴰⵣⵉⵖ", "😀", " 😀😀", "👩‍👩‍👧‍👦", "🇫🇷", "👍🏽", "a😀b", "☺️", "\U0001d400\U0001d7d8",
    "\U0010ffff", "\ue000\ue001", "\u00a0", "a\u00a0b", "\u3000", "a\u2003b\u2028c", "\u200b",
    "a\u200db", "\u2581", " \u2581a", "\u2581\u2581", "\ufeff", "\ufeffa", "a\uee00b", "\ufffd",
    "\ufffe", "\u0378", "q\u0323\u0307", "\u1e9b\u0323", "각 각", "<s>", "</s>", "<unk>",
    "<s>Hi</s>", "<|endoftext|>", "<mask>", " <mask> ", "[INST]", "<0x41>", "<dna>ACGTAC</dna>",
    "<dna> CCACACGATTACAC </dna>", "<dna>acgtn", "</dna>", "AAAAAA CCC", "ACGT ACGT ACGT",
    "CCACACCACACA", "NNACACACACACAC", "x<dna>CCCCCCAC</dna>y", "<dna></dna>", "<|plamo:chat|>",
    "<|plamo:x y|>", "<|plamo:|>", "aaaa    bbbb\n\n\n\n1111", "don.t , ? ! 's 'm n't",
]  # fmt: skip

_BYTES = [
    b"\xff", b"\xfe\xff", b"\x80", b"a\x80b", b"\xc3", b"\xc3(", b"\xe6\x97", b"\xe6\x97 \xa5",
    b"\xf0\x9f\x98", b"\xf0\x9f\x98a", b"\xc0\x80", b"\xc1\xbf", b"\xe0\x80\x80", b"\xe0\x9f\xbf",
    b"\xed\xa0\x80", b"\xed\xa0\xbd\xed\xb8\x80", b"\xf0\x80\x80\x80", b"\xf4\x90\x80\x80",
    b"\xf8\x88\x80\x80\x80", b"\xf5\x80\x80\x80", b"a\xffb\xfec \xff", b"\xe3\x81", b"<s>\xff</s>",
    bytes(range(256)),
]  # fmt: skip


def hard_inputs() -> list[bytes]:
    """Every text above, as bytes."""
    return [text.encode() for text in _TEXTS] + _BYTES


def around(special: Iterable[bytes]) -> list[bytes]:
    """Texts with special tokens in them: alone, doubled, spaced, cut short, side by side."""
    special = list(special)
    texts = []
    for token in special:
        texts += [token, token + token, b"a " + token + b" \n b", b"ab" + token + b"ab", token[:-1]]
    texts.append(b"".join(special))
    texts.append(b" ".join(reversed(special)) + b"\n")
    return texts
