"""Search of episodes similar to a task, by formula or by words; their statistics; joining of two books.

The specification's formula is a Jaccard index of keywords, which no short query reaches with a long record. It decides
if the query has a context; without one, a search by words adds what it misses (DESIGN 10). Each search looks at every
episode: a home holds a thousand by default.

Sources: R0.28-R0.35, R0.45, R0.46, R0.48, R0.51, R0.54, B0.3-B0.7, B0.14, B0.16.
"""

from __future__ import annotations

import heapq
import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Literal, TypeAlias

from alice_exp.finding.rules.concerns import CONTEXT_WEIGHT, TASK_WEIGHT, context_similarity, contradicts
from alice_exp.kernel.jsonc import Json, plain
from alice_exp.kernel.text.times import milliseconds
from alice_exp.kernel.text.tokens import keywords, literal_keywords
from alice_exp.kernel.value_class import attributes, dataclass
from alice_exp.model.values.config import Config
from alice_exp.model.values.records import Episode, EpisodeBook

Keywords: TypeAlias = Callable[[str], frozenset[str]]
Rule = Literal["task_and_context", "task_alone_no_contexts", "task_alone_no_query_context", "words"]
"""The rule behind a retrieval similarity: R0.18, B0.3 (both contexts empty), B0.4 (the query's is), DESIGN 10."""


@dataclass(frozen=True, slots=True)
class Similarity:
    """A similarity with its rule and parts; the numbers are in [0, 1], ``score`` is rounded to 6 decimals."""

    score: float
    rule: Rule
    task: float
    context: float


def task_similarity(first: AbstractSet[str], second: AbstractSet[str]) -> float:
    """Jaccard similarity of two tasks' keyword sets, in [0, 1]; 0.0 if both sets are empty (R0.19)."""
    shared = len(first & second)
    return shared / (len(first) + len(second) - shared) if shared else 0.0


def similarity_with(
    task_a: str,
    context_a: Mapping[str, Json],
    task_b: str,
    context_b: Mapping[str, Json],
    keywords_of: Keywords = literal_keywords,
) -> float:
    """0.4 · task similarity + 0.6 · context similarity, in [0, 1], symmetric, unrounded (R0.18, R0.26).

    With ``keywords_of=kernel.text.tokens.keywords`` Chinese is compared by pairs of characters (R0.25).
    """
    task = task_similarity(keywords_of(task_a), keywords_of(task_b))
    return TASK_WEIGHT * task + CONTEXT_WEIGHT * context_similarity(context_a, context_b)


def retrieval_similarity(
    query: str, query_context: Mapping[str, Json]
) -> Callable[[str, Mapping[str, Json]], Similarity]:
    """A function that gives a stored task's similarity to the query, with CJK keywords (B0.1-B0.5).

    If the query has no context, only the tasks count: a missing dimension is not evidence (B0.3, B0.4); of a record
    without one the context scores 0. ``score`` is rounded, to be compared with a threshold directly (B0.5)."""
    asked = keywords(query)

    def compared(task: str, context: Mapping[str, Json]) -> Similarity:
        tasks, contexts = task_similarity(asked, keywords(task)), context_similarity(query_context, context)
        if query_context:
            blended = TASK_WEIGHT * tasks + CONTEXT_WEIGHT * contexts
            return Similarity(round(blended, 6), "task_and_context", tasks, contexts)
        rule: Rule = "task_alone_no_query_context" if context else "task_alone_no_contexts"
        return Similarity(round(tasks, 6), rule, tasks, contexts)

    return compared


THRESHOLD = 0.3
"""The score above which an episode is similar, after rounding (R0.28, B0.5)."""

GATE = Config().number("thresholds.fits")

LINE = 16
"""The most keywords of a one-line task: up to here matches by the formula come first, beyond it words rank alone."""

LOOKED_AT = 256
"""The best matches of a search by words among which one has to fit."""

SUCCESS = 0.2
"""What success adds to the rank of an episode found by words (B5.12): the attempt to be learned from comes first."""

SINCE, WORKS = 3, 0.8
"""How often what failed has to be done again, and the share that has to work, so that the failure warns of nothing."""

RESULT_LIMIT = 1000
"""The characters of a result that are kept (R0.48)."""


@dataclass(frozen=True, slots=True)
class Filters:
    """Filters of a search, all of which must hold (R0.32-R0.34, R0.54): strictly later than ``after`` (ISO time),
    reported as a ``success`` or failure, of a ``type`` (``Episode.task_type``), a reward of at least ``min_reward`` in
    [0, 1]."""

    after: str = ""
    success: bool | None = None
    type: str = ""
    min_reward: float = 0.0

    def admits(self, episode: Episode) -> bool:
        """Whether an episode passes the filters."""
        return (
            (self.success is None or (episode.success == self.success and not episode.unreported))
            and episode.reward >= self.min_reward
            and (not self.type or episode.task_type == self.type)
            and (not self.after or episode.timestamp > milliseconds(self.after))
        )

    def among(self, episodes: Iterable[Episode]) -> Filters:
        """The filters without the type if none of these episodes has it (R0.32)."""
        is_known = not self.type or any(one.task_type == self.type for one in episodes)
        return self if is_known else replace(self, type="")


@dataclass(frozen=True, slots=True)
class Match:
    """A similar episode with the terms of its score, which is above 0.3 by the formula, above 0 by words."""

    episode: Episode
    similarity: Similarity

    @property
    def score(self) -> float:
        """The similarity, in (0, 1]."""
        return self.similarity.score


@dataclass(frozen=True, slots=True)
class EpisodeStatistics:
    """Counts of a book (R0.45): ``average_reward`` in [0, 1], times in milliseconds; all 0 for an empty book."""

    total: int
    successful: int
    average_reward: float
    oldest_timestamp: int
    newest_timestamp: int
    types: Mapping[str, int]


def listed(
    episodes: Iterable[Episode], filters: Filters, until: str = "", limit: int = 0
) -> tuple[Episode, ...]:
    """The episodes that pass, newest first; ``until`` (ISO-8601 UTC) inclusive, ``limit`` 0: all."""
    last = milliseconds(until) if until else math.inf
    passing = [one for one in episodes if filters.admits(one) and one.timestamp <= last]
    passing.sort(key=lambda one: (-one.timestamp, one.id))
    return tuple(passing[:limit] if limit else passing)


def find_similar(
    episodes: Iterable[Episode],
    task: str,
    context: Mapping[str, Json] | None = None,
    top: int = 5,
    filters: Filters = Filters(),
) -> tuple[Match, ...]:
    """The episodes similar to a task, best first, then the newest, then by id; at most ``top`` (R0.28-R0.35)."""
    listed = tuple(episodes)
    wanted, compared = filters.among(listed), retrieval_similarity(task, context or {})
    matches = [Match(one, compared(one.task, one.context)) for one in listed if wanted.admits(one)]
    return _best([match for match in matches if match.score > THRESHOLD], top)


def find_by_words(
    episodes: Iterable[Episode], task: str, top: int = 5, filters: Filters = Filters(), gate: float = GATE
) -> tuple[Match, ...]:
    """The episodes whose task, action and reflection contain most of a task's information; best, newest, id first.

    ``score`` is that share, in (0, 1], of a failure divided by 1 + ``SUCCESS``; the result is empty if none fits with
    a probability of at least ``gate``. All given episodes count in the statistics, whatever the filters."""
    from alice_exp.finding.rules.ranking import TAIL
    from alice_exp.finding.rules.scorer import Texts

    listed = tuple(episodes)
    texts = Texts.of([" ".join((one.task, one.action, one.reflection, one.note)) for one in listed])
    found = texts.find(task)
    # Probability and match mostly rise together: whether any of the best fits decides for all.
    best = heapq.nlargest(LOOKED_AT, found.matches, key=found.matches.__getitem__)
    fitting = (found.matches[at] for at in best if found.probability(at) >= gate)
    least = TAIL * next(fitting, math.inf) if gate else 0.0
    wanted = filters.among(listed)
    shares = [(listed[at], round(share, 6)) for at, share in found.matches.items() if share >= least]
    matches = (
        _by_words(one, share, share if one.success else round(share / (1 + SUCCESS), 6))
        for one, share in shares
        if wanted.admits(one)
    )
    return _best(matches, top)


def find_without_context(
    episodes: Iterable[Episode], task: str, top: int = 5, filters: Filters = Filters(), gate: float = GATE
) -> tuple[Match, ...]:
    """The episodes similar to a task without a known context, best first (B0.3, B0.4, DESIGN 10).

    For a task of one line (``LINE`` keywords), first the matches by the formula with task similarity alone, then others
    by words, with a ``score`` below its threshold; for a longer one those by words, or by the formula if there are
    none."""
    listed = tuple(episodes)
    if len(keywords(task)) > LINE:
        return find_by_words(listed, task, top, filters, gate) or find_similar(
            listed, task, None, top, filters
        )
    formula = find_similar(listed, task, None, top, filters)
    if len(formula) >= top:
        return formula
    known = {match.episode.id for match in formula}
    # As many more, because the search by words finds those of the formula again.
    words = find_by_words(listed, task, top + len(formula), filters, gate)
    more = [
        _by_words(match.episode, match.score, round(THRESHOLD * match.score, 6))
        for match in words
        if match.episode.id not in known
    ]
    return (*formula, *more[: top - len(formula)])


def _by_words(episode: Episode, share: float, score: float) -> Match:
    return Match(episode, Similarity(score, "words", share, 0.0))


def _best(matches: Iterable[Match], top: int) -> tuple[Match, ...]:
    ranked = sorted(matches, key=lambda one: (-one.score, -one.episode.timestamp, one.episode.id))
    return tuple(ranked[: max(0, top)])


def similar_failures(
    episodes: Iterable[Episode], task: str, context: Mapping[str, Json] | None = None
) -> tuple[Match, ...]:
    """At most three failures at similar tasks, the warnings of a decision (R0.51); none for what has worked since, or
    in a context that contradicts this one."""
    listed = list(episodes)
    failed = (one for one in listed if not contradicts(context or {}, one.context))
    if not (found := find_similar(failed, task, context, 3, Filters(success=False))):
        return ()
    lived: defaultdict[str, list[Episode]] = defaultdict(list)
    for one in listed:
        lived[_deed(one)].append(one)

    def works_since(failure: Episode) -> bool:
        """Whether what failed then has been done ``SINCE`` times later at least and worked in ``WORKS`` of them."""
        alike = (one for one in lived[_deed(failure)] if one.timestamp > failure.timestamp)
        later = [one.success for one in alike if not one.unreported]
        return len(later) >= SINCE and sum(later) >= WORKS * len(later)

    return tuple(one for one in found if not works_since(one.episode))


_BOOKED = re.compile(r"[a-z_]+: (?:own reasoning|exp-[a-z2-9]{8}(?:, exp-[a-z2-9]{8})*)")


def as_told(episode: Episode) -> Episode:
    """The episode without its action and note where these only book what a decision applied, as ``universal: exp-…``:
    the record of those blocks tells it already, and it tells nobody what to do."""
    return replace(episode, action="", reflection="") if _BOOKED.fullmatch(episode.action) else episode


def _deed(episode: Episode) -> str:
    """What was done: an action without the tier that ``outcome`` writes before the ids of blocks."""
    _, colon, ids = (episode.told or episode.action).partition(": ")
    return ids if colon and ids.startswith("exp-") else episode.action.strip()


def statistics(episodes: Iterable[Episode]) -> EpisodeStatistics:
    """The counts, average reward and time range of episodes (R0.45)."""
    listed = list(episodes)
    reported = [episode for episode in listed if not episode.unreported]
    times = [episode.timestamp for episode in listed if episode.at]
    return EpisodeStatistics(
        len(listed),
        sum(episode.success for episode in reported),
        sum(episode.reward for episode in reported) / len(reported) if reported else 0.0,
        min(times, default=0),
        max(times, default=0),
        dict(Counter(episode.task_type for episode in listed).most_common()),
    )


def shorten_result(episode: Episode, limit: int = RESULT_LIMIT) -> Episode:
    """The episode with its result, or its JSON text, cut to ``limit`` characters and "...", and marked as cut (R0.48,
    B0.14). Idempotent."""
    text = plain(episode.result)
    if episode.result_truncated or len(text) <= limit:
        return episode
    # Do not cut between the halves of a surrogate pair, which a text from JSON may contain.
    end = limit - ("\ud800" <= text[limit - 1 : limit] <= "\udbff" and "\udc00" <= text[limit] <= "\udfff")
    return replace(episode, result=text[:end] + "...", result_truncated=True, result_length=len(text))


def join(
    book: EpisodeBook, incoming: Iterable[Episode], ids: Iterator[str]
) -> tuple[EpisodeBook, tuple[Episode, ...], tuple[str, ...]]:
    """Add the imported episodes that a book lacks (B0.16): the book, those added, and the ids whose content differs
    from ours and was left out. One without an id takes one of ``ids``, unless one has equal content."""
    by_id = {episode.id: episode for episode in book.episodes}
    contents = {_content(episode) for episode in book.episodes}
    added: list[Episode] = []
    left: list[str] = []
    for episode in incoming:
        if episode.id in by_id:
            # The count of reads is local, and no difference in content.
            ours = replace(by_id[episode.id], access_count=episode.access_count)
            left += [episode.id] if ours != episode else []
            continue
        if not episode.id and _content(episode) in contents:
            continue
        named = episode if episode.id else replace(episode, id=next(ids))
        by_id[named.id] = named
        contents.add(_content(named))
        added.append(named)
    return replace(book, episodes=(*book.episodes, *added)), tuple(added), tuple(left)


def _content(episode: Episode) -> str:
    """An episode's content without its id, as a comparable text."""
    said = attributes(episode, "task context action result success reward at reflection type")
    return json.dumps(said, ensure_ascii=False, sort_keys=True)
