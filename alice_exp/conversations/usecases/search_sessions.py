"""Ranks what was said by the one scorer of every search, by who said it, and by the days a question names (DESIGN 10).

A turn also has the words of the turns beside it in its session, for less: an answer seldom repeats the words of its
question. What a person said counts more than what an assistant said, unless the question asks for the latter.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from alice_exp.conversations.store.file_sessions import chats, unknown
from alice_exp.conversations.values import ChatRecord
from alice_exp.finding.rules.noise import B
from alice_exp.finding.rules.parsed_query import Query
from alice_exp.finding.rules.scorer import Scored, Statistics, score
from alice_exp.kernel.text.data_files import LazyPattern
from alice_exp.kernel.text.named_dates import asks_only_of_days, day_of, named_spans
from alice_exp.kernel.text.tokens import STOP_WORDS, fold, words
from alice_exp.kernel.value_class import dataclass

if TYPE_CHECKING:
    from alice_exp.conversations.store.turn_index import IndexedTurns, Turn
    from alice_exp.home.session import Session

Search = Callable[[str, "str | None", int], "list[Found]"]
"""``search`` over the turns of a home: question, ``now``, ``top``."""

LENT, LENDERS = {0: 1.0, -1: 0.5, 1: 0.5, -2: 0.25, 2: 0.25}, 0.2
"""What a word counts that stands so many turns away; one of a larger share of the turns counts nothing there."""

PERSON, DAY, SPEAKER = 1.5, 0.3, 0.3
"""What a person's turn counts beside an assistant's, what one gains on a day that the question names, as a share of the
best score, and by a speaker whom it names, as a share of its own."""

LIKELY, LOOKED_AT = 64, 10
"""The most turns that are scored for their words, and the most for their day; the best, of which one has to fit."""

_ASKS_ASSISTANT = LazyPattern(
    r"\byou(?:['’]ve| have| had)? (?:sa(?:y|id)|t(?:ell|old)|suggest|recommend|mention|propos|g[ai]ve|list|explain"
    r"|advis|wrote|write|provid|answer)|\byour (?:answer|suggestion|advice|reply|recommendation|explanation|list)"
    r"|\b(?:assistant|agent|ai|bot|chatbot)\b|助手|智能体|[你您]的(?:建议|回答|推荐|解释)"
    r"|[你您](?:之前|上次|当时|刚才|曾经?)?(?:都|是|有没有|怎么|还)?(?:说|讲|建议|推荐|提到|给|列|回答|解释|告诉)"
)
"""What asks for words of the assistant."""


@dataclass(frozen=True, slots=True)
class Found:
    """A matching message, its score (> 0; comparable within one search only), the match of its words in [0, 1], whether
    the question named its day (``by_day``) or who spoke (``by_speaker``), and whether it is an answer by itself."""

    record: ChatRecord
    score: float
    by_words: float
    by_day: bool
    by_speaker: bool
    fits: bool = True


def search(turns: IndexedTurns, question: str, now: str | None, top: int, gate: float = 0.0) -> list[Found]:
    """The best matching turns, best first; equal ones in their order.

    ``now`` is the reference for "yesterday"; None: the newest turn's time. A question that only names a day finds what
    was said that day. Empty where none of the best has words that fit with probability ``gate``, unless it was said on
    a day that the question names.
    """
    query = Query.of(question)
    newest = turns.newest()
    days = named_spans(question, newest if now is None else now) if newest else []
    known = turns.statistics(query.tokens)
    chosen = turns.likely(known.holders, days, LIKELY)
    found = turns.beside(chosen, query.tokens)
    lengths = {number: turn.length for number, turn in found.items()}
    scored = score(query, known, _lent(found, chosen, known), lengths)
    times = {number: found[number].at for number in chosen if found[number].at}
    on_day = {number for number, at in times.items() if any(span.covers(day_of(at)) for span in days)}
    named = _named(turns.speakers(), question)
    scores = dict.fromkeys(on_day, 0.0) | dict(scored.matches)
    person = 1.0 if _ASKS_ASSISTANT.search(fold(question)) else PERSON
    for number in scores:
        turn = found[number]
        scores[number] *= person if turn.role == "user" else 1.0
        scores[number] *= 1 + SPEAKER * (turn.speaker in named)
    # 3月12号说了什么: 什么 and 说 are no words of a subject, so the day comes before all others.
    lift = (2.0 if asks_only_of_days(question) else DAY) * (max(scores.values(), default=0.0) or 1.0)
    for number in on_day:
        scores[number] += lift
    best = sorted(scores, key=lambda number: (-round(scores[number], 6), number))[: max(top, LOOKED_AT)]
    fitting = on_day.union(_fitting(query, known, found, best, gate))
    if fitting.isdisjoint(best):
        return []
    return [
        Found(
            turns.record(number),
            round(scores[number], 6),
            round(scored.matches.get(number, 0.0), 6),
            number in on_day,
            found[number].speaker in named,
            number in fitting,
        )
        for number in best[: max(0, top)]
    ]


def searching(opened: Session, sessions: Sequence[str] = (), prefix: str = "") -> Search:
    """The search of what was said in this home: in all, in the conversations named, or in those whose name begins so.
    ``NotFoundError`` if a named one does not exist."""
    from alice_exp.conversations.store.turn_index import turn_index

    gate, among = opened.config.number("thresholds.fits"), None
    if sessions or prefix:
        known = chats(opened).signatures()
        if missing := next((one for one in sessions if one not in known), ""):
            raise unknown(missing)
        among = [name for name in sessions or known if name.startswith(prefix)]
    index = turn_index(opened)
    return lambda query, now, top: index.ask(lambda turns: search(turns, query, now, top, gate), among)


def _lent(
    found: Mapping[int, Turn], chosen: Collection[int], known: Statistics
) -> Mapping[str, Mapping[int, float]]:
    """How often each chosen turn has each token, with what the turns beside it lend it; nothing lends a common word."""
    held: defaultdict[str, dict[int, float]] = defaultdict(dict)
    common = {token for token, holders in known.holders.items() if holders > max(2.0, LENDERS * known.total)}
    damp = {number: 1 - B + B * turn.length / (known.average or 1.0) for number, turn in found.items()}
    for number in chosen:
        for step, share in LENT.items():
            # A word of a long turn says as much less beside it as it does there.
            part = share * damp[number] / damp[number + step] if number + step in found else 0.0
            for token, count in found[number + step].counts.items() if part else ():
                if not step or token not in common or " " in token:
                    held[token][number] = held[token].get(number, 0.0) + part * count
    return held


def _fitting(
    query: Query, known: Statistics, found: Mapping[int, Turn], best: Sequence[int], gate: float
) -> set[int]:
    """Those of the best turns that fit by their own words."""
    held: defaultdict[str, dict[int, float]] = defaultdict(dict)
    for number in best:
        for token, count in found[number].counts.items():
            held[token][number] = count
    scored: Scored = score(query, known, held, {number: found[number].length for number in best})
    return {number for number in best if scored.probability(number) >= gate}


def _named(speakers: Iterable[str], question: str) -> set[str]:
    """Those of some speakers whom a question names."""
    asked, folded = set(words(question)), fold(question)
    return {
        name
        for name in speakers
        if not asked.isdisjoint(set(words(name)) - STOP_WORDS)
        or (not name.isascii() and len(name) > 1 and fold(name) in folded)
    }
