"""Ranking of blocks for a query: which ones are answers, and in which order.

``score = trust · confidence · decay · match · (0.75 + 0.5 · importance)`` (DESIGN 10, 12.9). ``match`` is how much of
the query's information a block contains (``finding.rules.scorer``), blended with the context if both sides have one. If
no block fits with a probability of at least ``thresholds.fits``, the answer is empty.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import field, replace
from datetime import UTC, datetime
from heapq import nlargest
from typing import TYPE_CHECKING, Any, cast

from alice_exp.finding.rules.concerns import (
    CONTEXT_WEIGHT,
    LONGEST,
    TASK_WEIGHT,
    block_text,
    context_similarity,
)
from alice_exp.finding.rules.scorer import AT_ONCE, Corpus, Found, Searchable, Texts
from alice_exp.kernel.jsonc import Json
from alice_exp.kernel.text.bilingual_lexicon import LEAST, scores
from alice_exp.kernel.text.times import seconds
from alice_exp.kernel.text.tokens import fold, tokens
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.rules.doubt import DAY, DEFAULT_HALF_LIFE, HALF_LIFE_DAYS, block_decay
from alice_exp.model.values.block import CONFIDENCE, TRUST, Placed, is_approved
from alice_exp.model.values.config import Config
from alice_exp.model.values.records import Episode

if TYPE_CHECKING:
    from alice_exp.kernel.text.named_dates import Span

GATE = Config().number("thresholds.fits")
"""The least probability that a block fits by its words (``thresholds.fits``, DESIGN 10)."""

FLOOR = 0.16
"""The match from which a block fits by its context."""

TAIL = 0.25
"""Blocks that reach this share of the best block's match are returned with it, even below the floor."""

RESCORED = 64
"""How many of the best matches an embedder, if there is one, puts in order."""

# So many blocks are parsed at once, so that filtering and ranking can stop early: few to find the first, more to fill.
_CHUNK, _AT_MOST = 4, 16


@dataclass(frozen=True, slots=True)
class Match:
    """A block that fits, with the factors of its score (``--explain``); all numbers lie in [0, 1], the score in
    [0, 1.25].

    ``context_match`` is ``None`` if one side has no context, so that the text alone decided. ``clear`` means that the
    match is an answer by itself; others are returned only together with a clear one. ``cosine`` in [-1, 1] is ``None``
    if no embedder took part. ``certainty`` is how sure it is that it answers and is not only about the subject.
    """

    placed: Placed
    score: float
    match: float
    text_match: float
    context_match: float | None
    confidence: float
    trust: float
    decay: float
    approved: bool
    clear: bool = True
    cosine: float | None = None
    certainty: float = 0.0

    @property
    def importance(self) -> float:
        """The factor of the block's importance, in [0.75, 1.25]."""
        return self.placed.block.importance_factor


def fit(
    placed: Placed,
    text_match: float,
    context: Mapping[str, Json],
    now: str,
    *,
    half_life_days: Mapping[str, float] = HALF_LIFE_DAYS,
    clear: bool = True,
    certainty: float = 0.0,
) -> Match | None:
    """A block's match with all its factors, or ``None`` if it matches not at all (DESIGN 10).

    ``text_match`` in [0, 1] comes from ``finding.rules.scorer``. Match and score are rounded to 6 decimals, so that
    the order does not depend on the last bit.
    """
    block = placed.block
    near = context_similarity(context, block.trigger.context) if context and block.trigger.context else None
    match = blended(text_match, near)
    if match <= 0.0:
        return None
    decay = block_decay(block, now, half_life_days=half_life_days)
    trust, confidence = TRUST[placed.place], CONFIDENCE[block.state]
    score = round(trust * confidence * decay * match * block.importance_factor, 6)
    factors = (confidence, trust, decay, is_approved(placed))
    return Match(placed, score, match, text_match, near, *factors, clear, None, certainty)


def blended(text_match: float, near: float | None) -> float:
    """0.4 · text + 0.6 · context if both sides have a context, else the text alone; 6 decimals (DESIGN 10)."""
    match = text_match if near is None else TASK_WEIGHT * text_match + CONTEXT_WEIGHT * near
    return round(min(1.0, match), 6)


@dataclass(frozen=True)
class Asked:
    """What decides between the blocks that a question may mean.

    ``gate`` is the least probability in [0, 1] of fitting; words decide it, and a context can only add. ``settled``
    gives a block as it is once the reads are counted in that wait for it; ``waiting`` are the ids of such blocks.
    """

    context: Mapping[str, Json]
    now: str
    gate: float = GATE
    half_life_days: Mapping[str, float] = field(default_factory=lambda: dict(HALF_LIFE_DAYS))
    passing: Callable[[Placed], bool] = lambda _: True
    waiting: AbstractSet[str] = frozenset()
    settled: Callable[[Placed], Placed] = lambda placed: placed


def rank(
    blocks: Iterable[Placed] | Searchable,
    query: str,
    context: Mapping[str, Json],
    now: str,
    top: int | None = None,
    **more: Any,
) -> list[Match]:
    """The blocks that fit, best first: by score, then newest, then id (DESIGN 10, B0.6); at most ``top``. ``more`` is
    as in ``Asked``.

    Candidates share a word or context with the question. Blocks that fail ``passing`` still count in the statistics, so
    that a filter changes no match. Further candidates are scored only where some of the likeliest did not pass and
    fewer than ``top`` did.
    """
    collection: Any = blocks if hasattr(blocks, "found") else Corpus.of(cast("Any", blocks))
    asked = Asked(context, now, **more)
    contexts = collection.contexts() if context else {}
    near = {number: context_similarity(context, own) for number, own in contexts.items()}
    also = nlargest(AT_ONCE, (number for number, share in near.items() if share > 0.0), key=near.__getitem__)
    answers: list[Match] = []
    least: float | None = None
    for found in collection.found(query, also, now[:10]):
        picked = _Picked(asked, collection, found, near)
        least = picked.least() if least is None else least
        if least is not None:
            answers = ordered([*answers, *picked.best(least, top)])[:top]
        if not picked.failed or (top is not None and len(answers) >= top):
            break
    return answers


class _Picked:
    """What is picked from blocks that may be answers; ``failed`` says whether one was left out by a filter."""

    def __init__(self, asked: Asked, collection: Searchable, found: Found, near: Mapping[int, float]) -> None:
        self._asked, self._collection, self._found = asked, collection, found
        self._scored, self._near, self._texts = found.scored, near, found.scored.matches
        both = {n: blended(self._texts.get(n, 0.0), share) for n, share in near.items()}
        self._matches = {**self._texts, **both}
        self._order = [n for _, n in sorted((-match, n) for n, match in self._matches.items() if match > 0.0)]
        self._read: dict[int, Placed] = {}
        self.failed = False

    def least(self) -> float | None:
        """The match down to which blocks are told with the first that fits and passes; ``None`` if none does."""
        for at, number in enumerate(self._order):
            if self._fits(number) and self._placed(self._order[at : at + _CHUNK], number):
                return TAIL * self._matches[number] if self._asked.gate else 0.0
        return None

    def best(self, least: float, top: int | None) -> list[Match]:
        """The ``top`` blocks of at least this match that pass, by score; no more are read than may be among them."""
        reaching = (number for number in self._order if self._matches[number] >= least)
        likely = sorted(((self._expected(number), number) for number in reaching), reverse=True)
        found: list[Match] = []
        # Mostly the first ones by expected score are the answer: no more of them are read than are asked for.
        step = min(_AT_MOST, top or _AT_MOST)
        for start in range(0, len(likely), step):
            if len(found) == top and found[-1].score > round(likely[start][0], 6) + 1e-6:
                break
            numbers = [number for _, number in likely[start : start + step]]
            fitting = (self._weighed(number, numbers) for number in numbers)
            found = ordered([*found, *filter(None, fitting)])[:top]
        return found

    def _fits(self, number: int) -> bool:
        """Whether a block is an answer by itself."""
        is_near = self._near.get(number, 0.0) > 0.0 and self._matches[number] >= FLOOR
        return is_near or self._scored.probability(number) >= self._asked.gate

    def _placed(self, some: Sequence[int], number: int) -> Placed | None:
        """A block as it is, read with ``some``; ``None`` if it does not pass."""
        if number not in self._read:
            left = [one for one in some if one not in self._read]
            self._read.update(zip(left, map(self._asked.settled, self._collection.blocks(left)), strict=True))
        placed = self._read[number]
        if self._asked.passing(placed):
            return placed
        self.failed = True
        return None

    def _expected(self, number: int) -> float:
        """The score that a block is expected to have, without reading it; no less than it has."""
        own = self._found.standing(number)
        age = max(0.0, seconds(self._asked.now) - own.updated) / DAY if own.updated is not None else 0.0
        lasting = LONGEST if own.id in self._asked.waiting else own.stretch
        half_life = self._asked.half_life_days.get(own.type, DEFAULT_HALF_LIFE) * lasting
        return float(own.weight * self._matches[number] * 0.5 ** (age / half_life))

    def _weighed(self, number: int, some: Sequence[int]) -> Match | None:
        asked, text, placed = self._asked, self._texts.get(number, 0.0), self._placed(some, number)
        if placed is None:
            return None
        return fit(
            placed,
            text,
            asked.context,
            asked.now,
            half_life_days=asked.half_life_days,
            clear=self._fits(number),
            certainty=round(self._scored.certainty(number), 6) if text else 0.0,
        )


def ordered(matches: Iterable[Match]) -> list[Match]:
    """Matches by descending score, then newest (``updated_at``), then id (B0.6)."""
    of = ((match, match.placed.block) for match in matches)
    return [one for one, _ in sorted(of, key=lambda o: (-o[0].score, -seconds(o[1].updated_at), o[1].id))]


SAME = 1.15
"""The factor on match and score of a block of the same project."""


def preferring(matches: Sequence[Match], project: str) -> list[Match]:
    """The matches in their order with those of this project, by all its names, lifted."""
    own = project.split()
    lifted = [
        replace(one, match=min(1.0, round(one.match * SAME, 6)), score=round(one.score * SAME, 6))
        if one.placed.block.project in own
        else one
        for one in matches
    ]
    return ordered(lifted) if own else lifted


ON_DAY = 0.3
"""What a block of a named day gains, as a share of the best match: as much as a message in a search of sessions."""


def of_days(matches: Sequence[Match], spans: Sequence[Span]) -> list[Match]:
    """The matches in their order with those lifted that were kept, or seen, on a day that the query names.

    Their age takes nothing from them: it is what was asked for.
    """
    if not spans:
        return list(matches)
    gain, found = ON_DAY * max((one.match for one in matches), default=0.0), []
    for one in matches:
        block = one.placed.block
        known = {block.created_at, *(piece.at for piece in block.evidence)} - {""}
        days = [datetime.fromisoformat(at).astimezone(UTC).replace(tzinfo=None) for at in known]
        if any(span.covers(day) for span in spans for day in days):
            raised = min(1.0, round(one.match + gain, 6))
            score = round(one.score / (one.decay or 1.0) * raised / one.match, 6)
            one = replace(one, match=raised, score=score, decay=1.0)
        found.append(one)
    return ordered(found)


def by_meaning(
    matches: Sequence[Match],
    query: str,
    cosines: Callable[[str, Sequence[str]], Sequence[float] | None] | None,
) -> list[Match]:
    """The matches with the first ``RESCORED`` ordered by score · (1 + lift) / 2.

    The lift of a cosine is its place in [0, 1] between the lowest and the highest of theirs, for an absolute one says
    nothing: unrelated texts have 0.1 with one model, 0.8 with another.
    """
    best = matches[:RESCORED]
    texts = [block_text(one.placed.block).strip() for one in best]
    near = cosines(query, texts) if cosines and len(best) > 1 else None
    if near is None:
        return list(matches)
    low, span = min(near), max(near) - min(near) or 1.0
    moved = [
        replace(one, score=round(one.score * (1 + (cosine - low) / span) / 2, 6), cosine=cosine)
        for one, cosine in zip(best, near, strict=True)
    ]
    return [*ordered(moved), *matches[RESCORED:]]


def is_foreign(placed: Placed, project: str) -> bool:
    """Whether a block belongs to another project than this, by all its names; one of no project belongs everywhere."""
    return placed.block.project not in ("", *project.split())


def fits_by_tags_alone(match: Match, task: str) -> bool:
    """Whether nothing of a note from a conversation but the tags that its reader gave it answers a task.

    They find the note for a question; 计划 as the tag of every goal is no ground to apply one to 定疫苗计划.
    """
    block = match.placed.block
    is_read = block.tags and any(one.kind == "session" for one in block.evidence)
    is_by_words = bool(is_read) and match.context_match is None
    return is_by_words and not Texts.of([block_text(replace(block, tags=()))]).find(task).matches


def fitting_episodes(
    episodes: Sequence[Episode], query: str, since: str = "", least: float = LEAST
) -> list[tuple[float, Episode]]:
    """The episodes that fit, best first, the newer of equal ones first, with a score in (0, 1].

    ``since`` is ISO-8601 UTC; ``least`` is the share of the query's weight that an episode has to have.
    """
    listed = [one for one in episodes if one.at >= since]
    wanted = tokens(query)
    told = [(one, episode_text(one)[:4096]) for one in listed]  # longer ones were pasted
    # Cutting a text to words costs most: only those are cut that have a word of the query at all.
    near = [(one, text) for one, text in told if any(map(fold(text).__contains__, wanted))]
    weighed = scores(query, [text for _, text in near], least, len(listed))
    found = [(score, one) for score, (one, _) in zip(weighed, near, strict=True) if score > 0]
    return sorted(found, key=lambda each: (-each[0], -each[1].timestamp, each[1].id))


def episode_text(one: Episode, word_of: Callable[[str], str] = str) -> str:
    """An episode in one line: task, action, how it ended (``word_of`` says it), what was learned and remarked."""
    ended = word_of("not reported" if one.unreported else "ok" if one.success else "failed")
    return " — ".join(filter(None, (f"{one.task}: {one.action} ({ended})", one.reflection, one.note)))
