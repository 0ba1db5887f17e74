"""Ranks what was said by the one scorer of every search, by who said it, and by the days a question names (DESIGN 10).

A turn also has the words of the turns beside it in its session, for less: an answer seldom repeats the words of its
question. What a person said counts more than what an assistant said, unless the question asks for the latter.
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from alice_exp.conversations.ports import Turn, Turns
from alice_exp.finding.rules.noise import K1, NO_NOISE, B, learn_noise, sample_size
from alice_exp.finding.rules.parsed_query import Query, pairs_of
from alice_exp.finding.rules.scorer import Scored, Statistics, score
from alice_exp.kernel.text.data_files import LazyPattern
from alice_exp.kernel.text.named_dates import asks_only_of_days, day_of, named_spans
from alice_exp.kernel.text.tokens import STOP_WORDS, fold, thirds, tokens_many, words
from alice_exp.kernel.value_class import dataclass

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from alice_exp.conversations.values import ChatRecord
    from alice_exp.kernel.text.date_spans import Span

STRIDE = 1 << 20
"""By how much the numbers of two sessions' first turns differ: a session's turns stand one behind the other, and
the last of one and the first of the next do not."""

NEAR = (0.5, 0.25)
"""What a word counts that stands one and two turns away."""

LENDERS = 0.2
"""A word of a larger share of the turns does not count for those beside it."""

PERSON = 1.5
"""What a person's turn counts beside an assistant's."""

DAY, SPEAKER = 0.3, 0.3
"""What a turn gains on a day that the question names, as a share of the best score, and by a speaker whom it names, as
a share of its own."""

LIKELY = 64
"""The most turns that are scored for their words, and the most for their day."""

LOOKED_AT = 10
"""The best matches of which one has to fit."""

_ASKS_ASSISTANT = LazyPattern(
    r"\byou(?:['’]ve| have| had)? (?:sa(?:y|id)|t(?:ell|old)|suggest|recommend|mention|propos|g[ai]ve|list|explain"
    r"|advis|wrote|write|provid|answer)|\byour (?:answer|suggestion|advice|reply|recommendation|explanation|list)"
    r"|\b(?:assistant|agent|ai|bot|chatbot)\b|助手|智能体|[你您]的(?:建议|回答|推荐|解释)"
    r"|[你您](?:之前|上次|当时|刚才|曾经?)?(?:都|是|有没有|怎么|还)?(?:说|讲|建议|推荐|提到|给|列|回答|解释|告诉)"
)
"""What asks for words of the assistant."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A match: its number and its score (> 0; comparable within one search only).

    ``by_words`` is the match of its words in [0, 1]; ``by_day`` and ``by_speaker`` tell whether the question named its
    day or its speaker.
    """

    number: int
    score: float
    by_words: float
    by_day: bool
    by_speaker: bool


def search(turns: Turns, question: str, now: str | None, top: int, gate: float = 0.0) -> list[Hit]:
    """The best matching turns, best first; equal ones in their order.

    ``now`` is the reference for "yesterday"; None: the newest turn's time. A question that only names a day finds what
    was said that day. Empty where none of the best has words that fit with probability ``gate``, unless it was said on
    a day that the question names.
    """
    query = Query.of(question)
    newest = turns.newest()
    days = named_spans(question, newest if now is None else now) if newest else []
    known = turns.statistics(query.tokens)
    chosen = turns.likely(query.tokens, days, LIKELY)
    found = turns.at(_beside(chosen), query.tokens)
    lengths = {number: turn.length for number, turn in found.items()}
    scored = score(query, known, _lent(found, chosen, known), lengths)
    on_day = {number for number in chosen if found[number].at and _is_within(found[number].at, days)}
    named = _named(turns.speakers(), question)
    scores = dict.fromkeys(on_day, 0.0) | dict(scored.matches)
    to_assistant = bool(_ASKS_ASSISTANT.search(fold(question)))
    for number in scores:
        turn = found[number]
        scores[number] *= (1 if to_assistant or turn.role != "user" else PERSON) * (
            1 + SPEAKER * (turn.speaker in named)
        )
    # 3月12号说了什么: 什么 and 说 are no words of a subject, so the day comes before all others.
    lift = (2.0 if asks_only_of_days(question) else DAY) * (max(scores.values(), default=0.0) or 1.0)
    for number in on_day:
        scores[number] += lift
    best = sorted(scores, key=lambda number: (-round(scores[number], 6), number))[: max(top, LOOKED_AT)]
    if gate and on_day.isdisjoint(best) and not _fits(query, known, found, best, gate):
        return []
    return [
        Hit(
            number,
            round(scores[number], 6),
            round(scored.matches.get(number, 0.0), 6),
            number in on_day,
            found[number].speaker in named,
        )
        for number in best[: max(0, top)]
    ]


def _beside(numbers: Iterable[int]) -> set[int]:
    reach = len(NEAR)
    return {number + step for number in numbers for step in range(-reach, reach + 1)}


def _lent(
    found: Mapping[int, Turn], chosen: Collection[int], known: Statistics
) -> Mapping[str, Mapping[int, float]]:
    """How often each chosen turn has each token, with what the turns beside it lend it."""
    held: defaultdict[str, dict[int, float]] = defaultdict(dict)
    rare = {token for token, holders in known.holders.items() if holders <= max(2.0, LENDERS * known.total)}
    damp = {number: 1 - B + B * turn.length / (known.average or 1.0) for number, turn in found.items()}
    for number in chosen:
        total: dict[str, float] = {**found[number].counts}
        for step, share in enumerate(NEAR, 1):
            for other in (number - step, number + step):
                if other not in found:
                    continue
                # A word of a long turn says as much less beside it as it does there.
                part = share * damp[number] / damp[other]
                for token, count in found[other].counts.items():
                    if token in rare or " " in token:
                        total[token] = total.get(token, 0.0) + part * count
        for token, share in total.items():
            held[token][number] = share
    return held


def _fits(
    query: Query, known: Statistics, found: Mapping[int, Turn], best: Sequence[int], gate: float
) -> bool:
    """Whether one of the best turns fits by its own words."""
    held: defaultdict[str, dict[int, float]] = defaultdict(dict)
    for number in best:
        for token, count in found[number].counts.items():
            held[token][number] = count
    scored: Scored = score(query, known, held, {number: found[number].length for number in best})
    return any(scored.probability(number) >= gate for number in best)


def _named(speakers: Iterable[str], question: str) -> set[str]:
    """Those of some speakers whom a question names."""
    asked, folded = set(words(question)), fold(question)
    return {
        name
        for name in speakers
        if not asked.isdisjoint(set(words(name)) - STOP_WORDS)
        or (not name.isascii() and len(name) > 1 and fold(name) in folded)
    }


def _is_within(at: str, days: Sequence[Span]) -> bool:
    return bool(days) and any(span.covers(day_of(at)) for span in days)


# ---------------------------------------------------------------------------------------------- taking turns in


@dataclass(frozen=True, slots=True)
class Said:
    """A turn to be taken in: its number, the text that is searched, who said it, and when (ISO-8601 UTC, or "")."""

    number: int
    text: str
    role: str = ""
    speaker: str = ""
    at: str = ""


SEARCHED = 64 << 10
"""Characters of a message that are searched."""


def said_by(records: Sequence[ChatRecord], start: int = 0) -> list[Said]:
    """The messages that are searched, all but empty ones and a system's; ``start`` is the number of their session's
    first one."""
    return [
        Said(
            start + one.index,
            one.message.content[:SEARCHED],
            one.message.role,
            one.message.speaker,
            one.message.at,
        )
        for one in records
        if one.message.content.strip() and one.message.role != "system"
    ]


def tokens_of(said: Sequence[Said]) -> list[list[str]]:
    """The tokens of each turn, with those of its speaker's name."""
    texts = (one.text if one.text.startswith(one.speaker) else f"{one.speaker}: {one.text}" for one in said)
    return tokens_many([*texts])


def length_of(row: Iterable[str]) -> int:
    """The length of a row of tokens in thirds of a word."""
    return sum(map(thirds, row))


class ReadTurns:
    """Turns at hand; implements ``Turns``."""

    def __init__(self, said: Sequence[Said]) -> None:
        rows = tokens_of(said)
        self._said = {one.number: (one, length_of(row)) for one, row in zip(said, rows, strict=True)}
        self._held: defaultdict[str, dict[int, int]] = defaultdict(dict)
        for one, row in zip(said, rows, strict=True):
            for token, count in Counter((*row, *pairs_of(row))).items():
                self._held[token][one.number] = count
        self._average = sum(length for _, length in self._said.values()) / max(1, len(said))
        self._noise = learn_noise(rows[: sample_size(len(rows))]) if rows else NO_NOISE

    def statistics(self, tokens: Collection[str]) -> Statistics:
        """See ``Turns``."""
        holders = {token: len(self._held.get(token, ())) for token in tokens}
        return Statistics(len(self._said), self._average, self._noise, holders)

    def likely(self, tokens: Collection[str], days: Sequence[Span], most: int) -> set[int]:
        """See ``Turns``."""
        known = self.statistics(tokens)
        scores: defaultdict[int, float] = defaultdict(float)
        for token in tokens:
            for number, count in self._held.get(token, {}).items():
                damp = K1 * (1 - B + B * self._said[number][1] / self._average)
                scores[number] += known.idf(known.holders[token]) * count / (count + damp)
        best = heapq.nsmallest(most, scores, key=lambda number: (-scores[number], number))
        told = {number for number, (one, _) in self._said.items() if one.at and _is_within(one.at, days)}
        return (_beside(best) & self._said.keys()) | told

    def at(self, numbers: Collection[int], tokens: Collection[str]) -> Mapping[int, Turn]:
        """See ``Turns``."""
        counts: dict[int, dict[str, int]] = {number: {} for number in numbers if number in self._said}
        for token in tokens:
            places = self._held.get(token, {})
            for number in counts.keys() & places.keys():
                counts[number][token] = places[number]
        found = {}
        for number, held in counts.items():
            one, length = self._said[number]
            found[number] = Turn(one.role, one.speaker, one.at, length, held)
        return found

    def newest(self) -> str:
        """See ``Turns``."""
        return max((one.at for one, _ in self._said.values()), default="")

    def speakers(self) -> Collection[str]:
        """See ``Turns``."""
        return {one.speaker for one, _ in self._said.values()} - {""}
