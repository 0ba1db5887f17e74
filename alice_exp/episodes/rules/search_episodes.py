"""Episodes as experience: finding similar ones, warning of similar failures, counting, joining two books.

The source's formula counts shared keywords against all keywords, so that a short question never reaches a long record
and long ones look all alike. It decides where a query has a context; without one, words find what it does not (DESIGN
10). Each search looks at every episode: a home holds a thousand by default.

Sources: R0.28-R0.35, R0.45, R0.46, R0.48, R0.51, R0.54, B0.3-B0.7, B0.14, B0.16.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from alice_exp.kernel.text.times import milliseconds
from alice_exp.kernel.text.tokens import keywords
from alice_exp.model.rules.similarity import Similarity, retrieval_similarity
from alice_exp.model.values.config import Config

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from alice_exp.kernel.jsonc.problem import Json
    from alice_exp.model.values.records import Episode, EpisodeBook, ImportMode

THRESHOLD = 0.3
"""An episode is similar above this score, after rounding (R0.28, B0.5)."""

GATE = Config().number("thresholds.match")

LINE = 16
"""Keywords of a task that is still one line: up to here the formula's finds stand first, beyond, words rank alone."""

RESULT_LIMIT = 1000
"""Characters of a result that are kept (R0.48)."""


@dataclass(frozen=True, slots=True)
class Filters:
    """Which episodes a search may return: all that are given must hold (R0.32-R0.34, R0.54).

    ``after``: later than this ISO time, strictly; ``success``: only successes or only failures; ``type``: as
    ``Episode.task_type``; ``min_reward`` in [0, 1].
    """

    after: str = ""
    success: bool | None = None
    type: str = ""
    min_reward: float = 0.0

    def admits(self, episode: Episode) -> bool:
        """Whether an episode passes."""
        return (
            (self.success is None or episode.success == self.success)
            and episode.reward >= self.min_reward
            and (not self.type or episode.task_type == self.type)
            and (not self.after or episode.timestamp > milliseconds(self.after))
        )

    def among(self, episodes: Iterable[Episode]) -> Filters:
        """The same without a type that none of these episodes has (R0.32)."""
        is_known = not self.type or any(one.task_type == self.type for one in episodes)
        return self if is_known else replace(self, type="")


@dataclass(frozen=True, slots=True)
class Match:
    """A similar episode and how its score came about: above 0.3 by the formula, above 0 by words."""

    episode: Episode
    similarity: Similarity

    @property
    def score(self) -> float:
        """The similarity, in (0, 1]."""
        return self.similarity.score


@dataclass(frozen=True, slots=True)
class EpisodeStatistics:
    """Counts of a book (R0.45): ``average_reward`` in [0, 1], times in milliseconds; all 0 where it is empty."""

    total: int
    successful: int
    average_reward: float
    oldest_timestamp: int
    newest_timestamp: int
    types: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Joined:
    """Two books as one: what is new, and the ids of records that exist with another content and were left."""

    book: EpisodeBook
    added: tuple[Episode, ...]
    left: tuple[str, ...]


def find_similar(
    episodes: Iterable[Episode],
    task: str,
    context: Mapping[str, Json] | None = None,
    top: int = 5,
    filters: Filters = Filters(),
) -> tuple[Match, ...]:
    """The episodes that are similar to a task, best first, then the newest, then by id; at most ``top`` (R0.28-R0.35).

    A type that no episode has filters nothing (R0.32).
    """
    listed = tuple(episodes)
    wanted, compared = filters.among(listed), retrieval_similarity(task, context or {})
    matches = [Match(one, compared(one.task, one.context)) for one in listed if wanted.admits(one)]
    return _best([match for match in matches if match.score > THRESHOLD], top)


def find_by_words(
    episodes: Iterable[Episode], task: str, top: int = 5, filters: Filters = Filters(), gate: float = GATE
) -> tuple[Match, ...]:
    """The episodes whose task, action and reflection hold most of what a task says; best, newest, id first.

    ``score`` is that share, in (0, 1]; none where the best is below ``gate`` of what jumbled words reach. The words of
    all given episodes count, whatever the filters admit; a type that no episode has filters nothing (R0.32).
    """
    from alice_exp.finding.rules.bm25 import matches_in
    from alice_exp.finding.rules.ranking import HIGHEST_FLOOR, TAIL

    listed = tuple(episodes)
    found = matches_in([" ".join((one.task, one.action, one.reflection)) for one in listed], task)
    floor = found.doubt * min(HIGHEST_FLOOR, gate * found.noise)
    best = max(found.matches.values(), default=0.0)
    least = min(floor, TAIL * best) if best >= floor else math.inf
    wanted = filters.among(listed)
    shares = [(listed[at], round(share, 6)) for at, share in found.matches.items() if share >= least]
    return _best([_by_words(one, share, share) for one, share in shares if wanted.admits(one)], top)


def find_without_context(
    episodes: Iterable[Episode], task: str, top: int = 5, filters: Filters = Filters(), gate: float = GATE
) -> tuple[Match, ...]:
    """The episodes that are like a task of which no context is known, best first (B0.3, B0.4, DESIGN 10).

    A task of one line (``LINE`` keywords): first what the formula finds, by task similarity alone, then what words find
    beyond it, with a ``score`` below the formula's threshold. A longer one: by words; where they find nothing, by the
    formula.
    """
    listed = tuple(episodes)
    if len(keywords(task)) > LINE:
        return find_by_words(listed, task, top, filters, gate) or find_similar(
            listed, task, None, top, filters
        )
    formula = find_similar(listed, task, None, top, filters)
    if len(formula) >= top:
        return formula
    known = {match.episode.id for match in formula}
    words = find_by_words(listed, task, top + len(formula), filters, gate)
    more = [match for match in words if match.episode.id not in known][: top - len(formula)]
    return (
        *formula,
        *(_by_words(match.episode, match.score, round(THRESHOLD * match.score, 6)) for match in more),
    )


def _by_words(episode: Episode, share: float, score: float) -> Match:
    return Match(episode, Similarity(score, "words", share, 0.0))


def _best(matches: Iterable[Match], top: int) -> tuple[Match, ...]:
    def place(match: Match) -> tuple[float, int, str]:
        return -match.score, -match.episode.timestamp, match.episode.id

    return tuple(sorted(matches, key=place)[: max(0, top)])


def similar_failures(
    episodes: Iterable[Episode],
    task: str,
    context: Mapping[str, Json] | None = None,
    top: int = 3,
) -> tuple[Match, ...]:
    """What failed at a similar task: the warnings of a decision (R0.51)."""
    return find_similar(episodes, task, context, top, Filters(success=False))


def statistics(episodes: Iterable[Episode]) -> EpisodeStatistics:
    """How many, how well, since when (R0.45)."""
    listed = list(episodes)
    times = [episode.timestamp for episode in listed if episode.at]
    return EpisodeStatistics(
        len(listed),
        sum(episode.success for episode in listed),
        sum(episode.reward for episode in listed) / len(listed) if listed else 0.0,
        min(times, default=0),
        max(times, default=0),
        dict(Counter(episode.task_type for episode in listed).most_common()),
    )


def shorten_result(episode: Episode, limit: int = RESULT_LIMIT) -> Episode:
    """The episode with a result of at most ``limit`` characters and "...", which says that it was cut (R0.48, B0.14).

    A text is measured as it is, anything else as its JSON text. Shortening twice is shortening once.
    """
    whole = episode.result
    text = whole if isinstance(whole, str) else json.dumps(whole, ensure_ascii=False)
    if episode.result_truncated or len(text) <= limit:
        return episode
    # Two halves of one character, where a text holds them apart, stay together.
    end = limit - ("\ud800" <= text[limit - 1 : limit] <= "\udbff" and "\udc00" <= text[limit] <= "\udfff")
    return replace(episode, result=text[:end] + "...", result_truncated=True, result_length=len(text))


def join(
    book: EpisodeBook,
    incoming: Iterable[Episode],
    ids: Iterator[str],
    mode: ImportMode = "merge",
) -> Joined:
    """A book with imported episodes (B0.16): ``merge`` adds what is not there, ``replace`` keeps nothing else.

    An episode without an id takes one of ``ids``, unless one that says the same is there: importing twice changes
    nothing. Where an id stands for something else here, ours stays and the id is told.
    """
    present = list(book.episodes) if mode == "merge" else []
    by_id = {episode.id: episode for episode in present}
    said = {_content(episode) for episode in present}
    added: list[Episode] = []
    left: list[str] = []
    for episode in incoming:
        if episode.id in by_id:
            ours = replace(by_id[episode.id], access_count=episode.access_count)
            left += [episode.id] if ours != episode else []
            continue
        if not episode.id and _content(episode) in said:
            continue
        named = episode if episode.id else replace(episode, id=next(ids))
        by_id[named.id] = named
        said.add(_content(named))
        added.append(named)
    return Joined(replace(book, episodes=(*present, *added)), tuple(added), tuple(left))


def _content(episode: Episode) -> str:
    """What an episode says, whatever its id."""
    parts = (
        episode.task,
        dict(episode.context),
        episode.action,
        episode.result,
        episode.success,
        episode.reward,
        episode.at,
        episode.reflection,
        episode.type,
    )
    return json.dumps(parts, ensure_ascii=False, sort_keys=True)
