"""Search messages by words, neighbouring turns, dates and speakers (DESIGN 10).

BM25, where a turn also counts the words of neighbouring turns at a lower weight: an answer seldom repeats the words of
its question. A day named in the query boosts that day's turns, a name its speaker's, and a question for a time boosts
turns that mention one. The weights were tuned on LoCoMo; both halves of its questions gain alike
(``docs/bench/bench_conversations.py``).
"""

from __future__ import annotations

import heapq
import math
from array import array
from collections import Counter, defaultdict
from datetime import datetime
from itertools import pairwise
from typing import TYPE_CHECKING

from alice_exp.kernel.text.named_dates import asks_only_of_days, asks_when, day_of, named_spans
from alice_exp.kernel.text.tokens import STOP_WORDS, fold, thirds, tokens, tokens_many, words
from alice_exp.kernel.value_class import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from alice_exp.kernel.text.named_dates import Span

K1, B = 1.2, 0.5
"""BM25 parameters; B (length normalisation) is low because turns are short."""

NEAR = (0.5, 0.25)
"""Weight of words one and two turns away, within the same session."""

LENDERS = 0.2
"""Tokens found in a larger share of the turns are not passed on to neighbours."""

PAIR = 0.3
"""Bonus for two adjacent query words that are adjacent in the turn too, as a factor of the pair's idf."""

DAY = 0.3
"""Bonus for a turn of a day named in the query, as a share of the best score."""

SPEAKER = 0.3
"""Bonus for a turn whose speaker the query names, as a share of its score."""

TOLD_TIME = 0.15
"""Bonus for a turn that mentions a time when the query asks for one, as a share of its score."""

_LOOKED_AT = 100
"""Number of best turns that are checked for a mentioned time."""


@dataclass(frozen=True, slots=True)
class Said:
    """Text of one message or exchange. ``at`` is ISO-8601 UTC, empty if unknown.

    ``ref`` identifies it: ``session#index`` for our own sessions, any name for imported ones.
    """

    ref: str
    session: str
    text: str
    speaker: str = ""
    at: str = ""


@dataclass(frozen=True, slots=True)
class Talk:
    """Index over turns, built once by ``Talk.of``.

    ``postings`` maps a token to the turns that contain it and its length-normalised frequency in each; ``pairs`` maps
    two adjacent tokens to their turns. ``starts`` and ``ends`` are, per turn, the bounds of its session.
    """

    turns: tuple[Said, ...]
    postings: Mapping[str, tuple[array[int], array[float]]]
    pairs: Mapping[tuple[str, str], array[int]]
    starts: array[int]
    ends: array[int]
    times: tuple[datetime | None, ...]
    speakers: Mapping[str, frozenset[str]]

    @classmethod
    def of(cls, turns: Iterable[Said]) -> Talk:
        """Index turns, given in the order they were said, with the turns of a session together."""
        given = tuple(turns)
        rows = tokens_many([_with_speaker(turn) for turn in given])
        lengths = [sum(map(thirds, row)) for row in rows]
        average = sum(lengths) / len(rows) if rows else 1.0
        postings: defaultdict[str, tuple[array[int], array[float]]] = defaultdict(
            lambda: (array("I"), array("d"))
        )
        pairs: defaultdict[tuple[str, str], array[int]] = defaultdict(lambda: array("I"))
        for index, row in enumerate(rows):
            discount = 1 - B + B * lengths[index] / (average or 1.0)
            for token, count in Counter(row).items():
                holders, weights = postings[token]
                holders.append(index)
                weights.append(count / discount)
            for pair in set(pairwise(row)):
                pairs[pair].append(index)
        starts, ends = _sessions(given)
        times = tuple(day_of(turn.at) if turn.at else None for turn in given)
        names = {turn.speaker for turn in given if turn.speaker}
        speakers = {name: frozenset(words(name)) - STOP_WORDS for name in names}
        return cls(given, dict(postings), dict(pairs), starts, ends, times, speakers)


def _with_speaker(turn: Said) -> str:
    if not turn.speaker or turn.text.startswith(turn.speaker):
        return turn.text
    return f"{turn.speaker}: {turn.text}"


def _sessions(turns: Sequence[Said]) -> tuple[array[int], array[int]]:
    """For each turn, the index at which its session begins and the one after its end."""
    starts = array("I", bytes(4 * len(turns)))
    ends = array("I", bytes(4 * len(turns)))
    first = 0
    for index in range(len(turns) + 1):
        if index == len(turns) or turns[index].session != turns[first].session:
            for inside in range(first, index):
                starts[inside], ends[inside] = first, index
            first = index
    return starts, ends


@dataclass(frozen=True, slots=True)
class Hit:
    """A match: its index in ``Talk.turns`` and its score (> 0; comparable within one search only).

    ``by_words`` is the score from words alone; ``by_day`` and ``by_speaker`` tell whether the query named its day
    or its speaker.
    """

    turn: Said
    index: int
    score: float
    by_words: float
    by_day: bool
    by_speaker: bool


def search(talk: Talk, query: str, now: str | datetime | None = None, top: int | None = 10) -> list[Hit]:
    """The best matching turns, best first; equal scores in the order they were said.

    ``now`` is the reference for "yesterday"; default: the newest turn's time. A query that only names a day finds
    everything said that day.
    """
    if not talk.turns:
        return []
    by_words = _scores(talk, tokens(query))
    best = max(by_words)
    spoken = _speakers_named(talk, query)
    named = _days_named(talk, query, now)
    scores = (
        [
            score * (1 + SPEAKER) if score and talk.turns[index].speaker in spoken else score
            for index, score in enumerate(by_words)
        ]
        if spoken
        else list(by_words)
    )
    on_day = _on_days(talk, named)
    # 3月12号说了什么: 什么 and 说 are no words of a subject, so the day comes before all others.
    lift = 2.0 if on_day and asks_only_of_days(query) else DAY
    for index in on_day:
        scores[index] += lift * (best or 1.0)
    if asks_when(fold(query)):
        _lift_told_times(talk, scores)
    order = _best(scores, top)
    return [
        Hit(
            talk.turns[index],
            index,
            round(scores[index], 6),
            round(by_words[index], 6),
            index in on_day,
            talk.turns[index].speaker in spoken,
        )
        for index in order
    ]


def _best(scores: Sequence[float], top: int | None) -> list[int]:
    found = [index for index, score in enumerate(scores) if score > 0]
    if top is None:
        return sorted(found, key=lambda index: (-scores[index], index))
    return heapq.nsmallest(top, found, key=lambda index: (-scores[index], index))


def _scores(talk: Talk, asked: Sequence[str]) -> list[float]:
    """BM25 score of each turn over its own words and, at a lower weight, those of neighbouring turns."""
    total = len(talk.turns)
    scores = [0.0] * total
    for token in sorted(set(asked)):
        if token not in talk.postings:
            continue
        holders, weights = talk.postings[token]
        gain = math.log1p((total - len(holders) + 0.5) / (len(holders) + 0.5)) * (K1 + 1)
        held: Iterable[tuple[int, float]] = zip(holders, weights, strict=True)
        if len(holders) <= max(2.0, LENDERS * total):
            held = _lent(talk, holders, weights).items()
        for index, weight in held:
            scores[index] += gain * weight / (weight + K1)
    for pair in sorted(set(pairwise(asked))):
        together = talk.pairs.get(pair)
        if together:
            gain = PAIR * math.log1p((total - len(together) + 0.5) / (len(together) + 0.5))
            for index, weight in _lent(talk, together, [gain] * len(together)).items():
                scores[index] += weight
    return scores


def _lent(talk: Talk, holders: Iterable[int], weights: Iterable[float]) -> dict[int, float]:
    """Weight of a token in the turns that contain it and, reduced by ``NEAR``, in their neighbours."""
    found: defaultdict[int, float] = defaultdict(float)
    starts, ends = talk.starts, talk.ends
    for index, weight in zip(holders, weights, strict=True):
        found[index] += weight
        start, end = starts[index], ends[index]
        for distance, share in enumerate(NEAR, 1):
            if index - distance >= start:
                found[index - distance] += share * weight
            if index + distance < end:
                found[index + distance] += share * weight
    return found


def _speakers_named(talk: Talk, query: str) -> frozenset[str]:
    asked = set(words(query))
    folded = fold(query)
    return frozenset(
        name
        for name, parts in talk.speakers.items()
        if (parts & asked) or (not name.isascii() and len(name) > 1 and fold(name) in folded)
    )


def _days_named(talk: Talk, query: str, now: str | datetime | None) -> list[Span]:
    known = [time for time in talk.times if time is not None]
    if not known:
        return []
    return named_spans(query, max(known) if now is None else now)


def _on_days(talk: Talk, named: Sequence[Span]) -> frozenset[int]:
    """Indexes of the turns said on the named days."""
    if not named:
        return frozenset()
    return frozenset(
        index
        for index, time in enumerate(talk.times)
        if time is not None and any(span.covers(time) for span in named)
    )


def _lift_told_times(talk: Talk, scores: list[float]) -> None:
    """Boost, among the best turns, those that mention a time."""
    for index in _best(scores, _LOOKED_AT):
        turn = talk.turns[index]
        if named_spans(turn.text, talk.times[index] or datetime(2000, 1, 1)):
            scores[index] *= 1 + TOLD_TIME
