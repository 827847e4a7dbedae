"""UGM: the tokens with the best sum of scores, found by Viterbi (llm_tokenizer_ugm_session)."""

from __future__ import annotations

import struct
from array import array
from collections.abc import Iterable, MutableSequence
from functools import cached_property
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from tokcli import events
from tokcli.algorithms.base import LONG_TEXT, NO_TOKEN, Fragment
from tokcli.algorithms.exact_sums import ExactSums
from tokcli.algorithms.heads import lengths_by_head
from tokcli.algorithms.replaced_bytes import trace_replaced_bytes
from tokcli.algorithms.ugm_text import Normalizer, Units
from tokcli.algorithms.ugm_words import WordNormalizer
from tokcli.merging.cuts import Cuts, before, joined, well_formed
from tokcli.merging.memo import Memo
from tokcli.source_map import SourceMap
from tokcli.text.matches import LONGEST_LISTED
from tokcli.text.unicode import METASPACE, SIZES_BY_LEAD, decode, encode
from tokcli.vocab import NORMAL, UNUSED, USER_DEFINED, TokenId, Vocab

if TYPE_CHECKING:
    from tokcli.batch.word_ids import WordIds

__all__ = ["Ugm"]

HEAD = 2
UNKNOWN_PENALTY = 10.0
FLOAT_MAX = 3.4028234663852886e38
UNREACHED = -1.7976931348623157e308
# As many lists of the words of a long text are worked on at a time.
MOST_LISTS = 1 << 8


class Ugm:
    """Unigram tokenizer of one vocabulary (model `t5`)."""

    def __init__(self, vocab: Vocab) -> None:
        self._vocab = vocab
        self._normalizer = Normalizer(vocab)
        unknown = vocab.special_id("unk")
        self._unknown = NO_TOKEN if unknown is None else unknown

    @cached_property
    def _scores(self) -> dict[bytes, tuple[float, TokenId]]:
        """Token -> score and id, of the tokens that text can become; user-defined ones score 0."""
        vocab = self._vocab
        columns = zip(vocab.texts, vocab.file_attrs(), vocab.scores, strict=False)
        return {
            text: (0.0 if attr & USER_DEFINED else score, id)
            for id, (text, attr, score) in enumerate(columns)
            if attr & (NORMAL | USER_DEFINED | UNUSED)
        }

    @cached_property
    def _unknown_score(self) -> float:
        """Ten below the lowest score of a normal token, in 32-bit floats."""
        vocab = self._vocab
        scores = zip(vocab.file_attrs(), vocab.scores, strict=False)
        # In this order, NaN is never the lowest.
        lowest = min(chain((FLOAT_MAX,), (score for attr, score in scores if attr & NORMAL)))
        value: float = struct.unpack("f", struct.pack("f", lowest - UNKNOWN_PENALTY))[0]
        return value

    @cached_property
    def _lengths(self) -> dict[bytes, tuple[int, ...]]:
        """As lengths_by_head, but shortest first: among equal sums the path that was found first
        stays the best."""
        found = lengths_by_head(self._scores, HEAD)
        return {head: lengths[::-1] for head, lengths in found.items()}

    def tokenize(
        self, fragment: Fragment, output: list[TokenId], trace: events.TraceSink | None = None
    ) -> None:
        """See Algorithm.tokenize."""
        composed = self._normalizer.nfc(fragment.text)
        if trace is None:
            output.extend(self._tokenize_by_words(composed))
            return
        units: Units = []
        text = self._normalizer.normalize(composed, units)
        if self._normalizer.uses_nfc:
            decoded = decode(fragment.text)
            trace_replaced_bytes(fragment.text, decoded, trace)
            trace(events.TextPrepared("nfc", encode(decoded), composed))
        trace(events.TextPrepared("charsmap", composed, text, _changes(composed, units)))
        if not text:
            return
        source = self._source(fragment, composed, units)
        trace(events.ChunkStarted(text, text, *source.span(0, len(text)), 0, len(text), False))
        steps: list[tuple[TokenId, int, int]] = []
        self._best_path(text, trace, steps)
        for id, start, end in steps:
            source.emit(trace, id, start, end)
            output.append(id)

    def _tokenize_by_words(self, composed: bytes) -> Iterable[TokenId]:
        """As _best_path of the normalized text, in pieces where no path can span their ends."""
        try:
            # Surrogates stand for bytes that are ill-formed, which matters to their words alone.
            ids = self._ids_by_words(composed.decode("utf-8", "surrogateescape"))
        except UnicodeDecodeError:
            # Normalizing has made ill-formed text, or has left some.
            ids = None
        if ids is None:
            return self._best_path(self._normalizer.normalize(composed), None)
        return ids

    def _ids_by_words(self, text: str) -> list[TokenId] | None:
        words = self._words
        if words is None or not self._exact_sums.hold_for(text, words.become):
            return None
        if self._before_mark and len(list(islice(words.words.finditer(text), 2))) > 1:
            # A token may reach from the end of one word over the mark of the next.
            return None
        lists = words.split(text)
        if len(text) < LONG_TEXT:
            self._cuts.expect(len(text))
            found = chain.from_iterable(lists)
            ids = list(chain.from_iterable(map(self._by_word.__getitem__, found)))
        else:
            ids = []
            for first in lists:
                ids += self._word_ids.of(chain((first,), islice(lists, MOST_LISTS - 1)))
        return self._join_unknowns(ids) if self._unknown_may_start else ids

    @cached_property
    def _unknown_may_start(self) -> bool:
        """Whether a word may start with the unknown token: not if its U+2581 is a token."""
        if METASPACE not in self._scores:
            return True
        return self._unknown != NO_TOKEN and self._vocab.texts[self._unknown].startswith(METASPACE)

    @cached_property
    def _words(self) -> WordNormalizer | None:
        words = WordNormalizer(self._normalizer, self._normalizer.charsmap, self._scores)
        return words if words.separators else None

    @cached_property
    def _exact_sums(self) -> ExactSums:
        return ExactSums(self._scores, self._unknown_score)

    @cached_property
    def _by_word(self) -> Memo[str, tuple[TokenId, ...]]:
        assert self._words is not None
        normalize = self._words.normalize
        return Memo(lambda word: tuple(self._encode_normalized(normalize(word))))

    def _encode_normalized(self, word: str) -> list[TokenId]:
        return self._join_unknowns(list(self._cuts.encode(word)))

    @cached_property
    def _word_ids(self) -> WordIds:
        from tokcli.batch.ugm import UgmBatch
        from tokcli.batch.word_ids import WordIds

        assert self._words is not None
        normalize = self._words.normalize_all
        batch = UgmBatch(
            self._scores,
            self._unknown,
            self._unknown_score,
            lambda words: list(map(self._encode_normalized, words)),
        )
        return WordIds(lambda words: batch.encode(normalize(words)), len(self._vocab))

    @cached_property
    def _before_mark(self) -> set[str]:
        return before(METASPACE.decode(), self._scores)

    @cached_property
    def _cuts(self) -> Cuts:
        texts = self._scores
        return Cuts(
            METASPACE.decode(),
            tokens=lambda: joined(well_formed(texts)),
            before_mark=lambda: self._before_mark,
            encode=lambda piece: tuple(self._best_path(encode(piece), None)),
            distinct=True,
        )

    def _join_unknowns(self, ids: list[TokenId]) -> list[TokenId]:
        unknown = self._unknown
        if unknown not in ids:
            return ids
        last = [NO_TOKEN if unknown != NO_TOKEN else 0, *ids]
        return [
            id
            for id, previous in zip(ids, last, strict=False)
            if id != unknown or previous != unknown
        ]

    def _source(self, fragment: Fragment, composed: bytes, units: Units) -> SourceMap:
        start, end = fragment.start, fragment.start + len(fragment.text)
        if composed == fragment.text:
            moved = [(unit, start + first, start + last) for unit, first, last in units]
        else:
            moved = [(unit, start, end) for unit, _, _ in units]
        return SourceMap(moved, exact=False, end=end)

    def _best_path(
        self,
        text: bytes,
        trace: events.TraceSink | None,
        steps: list[tuple[TokenId, int, int]] | None = None,
    ) -> list[TokenId]:
        """The ids of the best path through `text`; neighbouring unknowns are one. `steps` receives
        each id with its span."""
        size = len(text)
        if not size:
            return []
        lookup = self._scores.get
        lengths = self._lengths.get
        totals = _column("d", UNREACHED, size + 1)
        ids = _column("l", self._unknown, size + 1)
        origins = _column("q", 0, size + 1)
        totals[0] = 0.0
        start = 0
        while start < size:
            width = min(SIZES_BY_LEAD[text[start] >> 4], size - start)
            total = totals[start]
            options: list[events.Candidate] = []
            whole_character = False
            head = text[start : start + HEAD]
            tries = lengths(head, ())
            if len(head) == HEAD and head[:1] in self._scores:
                tries = (1, *tries)
            for length in tries:
                end = start + length
                if end > size:
                    break
                found = lookup(text[start:end])
                if found is None:
                    continue
                if length == width:
                    whole_character = True
                score, id = found
                better = total + score > totals[end]
                if trace is not None:
                    options.append(
                        events.Candidate(id, text[start:end], score, total + score, better)
                    )
                if better:
                    totals[end] = total + score
                    ids[end] = id
                    origins[end] = start
            if not whole_character:
                end = start + width
                challenger = total + self._unknown_score
                better = challenger > totals[end]
                if trace is not None:
                    options.append(
                        events.Candidate(
                            None, text[start:end], self._unknown_score, challenger, better
                        )
                    )
                if better:
                    totals[end] = challenger
                    ids[end] = self._unknown
                    origins[end] = start
            if trace is not None:
                trace(events.Candidates(start, tuple(options)))
            start += width
        return self._backtrack(text, ids, origins, totals, trace, steps)

    def _backtrack(
        self,
        text: bytes,
        ids: MutableSequence[Any],
        origins: MutableSequence[Any],
        totals: MutableSequence[Any],
        trace: events.TraceSink | None,
        steps: list[tuple[TokenId, int, int]] | None,
    ) -> list[TokenId]:
        unknown = self._unknown
        if trace is None and steps is None:
            return _ids_backwards(ids, origins, unknown)
        path: list[tuple[TokenId, int, int]] = []
        taken: list[events.PathStep] = []
        end = len(text)
        while True:
            id, start = ids[end], origins[end]
            if path and id == unknown and path[-1][0] == unknown:
                path[-1] = (unknown, start, path[-1][2])
            else:
                path.append((id, start, end))
            if trace is not None:
                score = totals[end] - totals[start]
                taken.append(events.PathStep(id, text[start:end], score, totals[end]))
            if start == 0:
                break
            end = start
        path.reverse()
        if trace is not None:
            trace(events.BestPath(tuple(reversed(taken))))
        if steps is not None:
            steps.extend(path)
        return [id for id, _, _ in path]


def _column(code: str, value: float, size: int) -> MutableSequence[Any]:
    """`size` times `value`: as a list, which is quick, or an array, which is a quarter the size."""
    return [value] * size if size <= LONGEST_LISTED else array(code, [value]) * size


def _ids_backwards(
    ids: MutableSequence[Any], origins: MutableSequence[Any], unknown: TokenId
) -> list[TokenId]:
    """The ids of the best path, neighbouring unknowns as one."""
    path: list[TokenId] = []
    end = len(ids) - 1
    while True:
        id = ids[end]
        if id != unknown or not path or path[-1] != unknown:
            path.append(id)
        end = origins[end]
        if end == 0:
            break
    path.reverse()
    return path


def _changes(before: bytes, units: Units) -> tuple[events.Change, ...]:
    """Where the normalized text differs; what no unit covers was dropped."""
    changes = []
    position = 0
    for after, start, end in [*units, (b"", len(before), len(before))]:
        if position < start:
            changes.append(events.Change(position, start, b""))
        if before[start:end] != after:
            changes.append(events.Change(start, end, after))
        position = end
    return tuple(changes)
