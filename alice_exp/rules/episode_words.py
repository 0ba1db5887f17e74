"""Episodes found by the words that they share with a task, weighed as ``recall`` weighs them (DESIGN 10).

The source's formula counts shared keywords against all keywords, so that a short question never reaches a long record.
Where a query has no context and the formula finds nothing, words decide; asked for, they decide in any case.
"""

from __future__ import annotations

from collections.abc import Iterable

from alice_exp.core.collection import Statistics
from alice_exp.core.config import Config
from alice_exp.core.records import Episode
from alice_exp.rules.episodes import Filters, Match
from alice_exp.rules.matching import Segment, text_matches
from alice_exp.rules.ranking import HIGHEST_FLOOR, TAIL
from alice_exp.rules.similarity import Similarity

GATE = Config().number("thresholds.match")


def find_by_words(
    episodes: Iterable[Episode],
    task: str,
    top: int = 5,
    filters: Filters | None = None,
    gate: float = GATE,
) -> tuple[Match, ...]:
    """The episodes whose task, action and reflection hold most of what a task says; best, newest, id first.

    ``score`` is that share, in (0, 1]; none where the best is below ``gate`` of what jumbled words reach. The words of
    all given episodes count, whatever the filters admit; a type that no episode has filters nothing (R0.32).
    """
    listed, wanted = tuple(episodes), filters or Filters()
    segment = Segment.of([" ".join((one.task, one.action, one.reflection)) for one in listed])
    found = text_matches(
        Statistics.of([(segment.lengths, segment.near, segment.noise)]),
        lambda tokens: {token: segment.postings[token] for token in tokens & segment.postings.keys()},
        task,
    )
    floor = min(HIGHEST_FLOOR, gate * found.noise)
    best = max(found.matches.values(), default=0.0)
    least = min(floor, TAIL * best)
    of_type = any(one.task_type == wanted.type for one in listed)
    matches = [
        Match(listed[at], Similarity(round(share, 6), "words", share, 0.0))
        for at, share in found.matches.items()
        if 0.0 < share >= least
        and best >= floor
        and wanted.admits(listed[at])
        and not (of_type and listed[at].task_type != wanted.type)
    ]
    matches.sort(key=lambda one: (-one.score, -one.episode.timestamp, one.episode.id))
    return tuple(matches[: max(0, top)])
