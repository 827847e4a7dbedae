"""TOK307 to TOK309: the scores that order SPM's merges, and that Unigram and PLaMo add up."""

from __future__ import annotations

import math
from collections.abc import Iterator

from tokcli.check.finding import Evidence, Problem, rule
from tokcli.check.repairs import convert_again
from tokcli.check.subject import SCORES, Subject, counted
from tokcli.vocab import VocabType

__all__ = ["RULES"]

SCORED = (VocabType.SPM, VocabType.UGM, VocabType.PLAMO2, VocabType.PLAMO3)
# Fewer text tokens than this can rightly have one score.
ENOUGH = 4


def _effect(subject: Subject) -> str:
    if subject.type == VocabType.SPM:
        return "merges happen from left to right, whatever the model learned"
    return "any path with the fewest tokens is as good as the best"


@rule("TOK307", "missing-scores", "error", "no tokenizer.ggml.scores where they decide")
def missing_scores(subject: Subject) -> Iterator[Problem]:
    """llama.cpp takes zero for every score."""
    if subject.type in SCORED and SCORES not in subject.metadata and subject.raw_texts:
        message = f"{SCORES} is missing: llama.cpp takes 0 for all, and {_effect(subject)}"
        yield Problem(message, (Evidence(SCORES),), convert_again())


@rule("TOK308", "flat-scores", "error", "all text tokens have the same score")
def flat_scores(subject: Subject) -> Iterator[Problem]:
    """Scores that say nothing, as some converters write them."""
    scores = subject.scores
    if subject.type not in SCORED or scores is None or len(subject.normal_ids) < ENOUGH:
        return
    distinct = {scores[id] for id in subject.normal_ids}
    if len(distinct) == 1:
        score = distinct.pop()
        message = (
            f"all {len(subject.normal_ids)} tokens of type normal have the score {score:g}: "
            f"{_effect(subject)}"
        )
        yield Problem(message, (subject.at_key(SCORES),), convert_again())


@rule("TOK309", "nan-score", "error", "a score is not a number")
def nan_score(subject: Subject) -> Iterator[Problem]:
    """A comparison with such a score is never true, so the order depends on the build."""
    if subject.type not in SCORED or subject.scores is None:
        return
    ids = [id for id, score in enumerate(subject.scores) if math.isnan(score)]
    if ids:
        message = (
            f"{counted(len(ids), 'score')} of NaN, so what llama.cpp makes of text with such a "
            f"token is left to chance: {subject.tokens(ids)}"
        )
        evidence = tuple(subject.at_item(SCORES, id) for id in ids[:5])
        yield Problem(message, evidence, convert_again())


RULES = (missing_scores, flat_scores, nan_score)
