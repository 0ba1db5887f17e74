"""What a report asks of the pool and of trusted blocks: which of two rivals holds, which of those told together no
longer does (DESIGN 12.5), and what last week's approvals did."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import islice, product
from typing import Literal

from alice_exp.finding.rules.choice import are_rivals
from alice_exp.finding.rules.concerns import (
    TRUSTED,
    TRUSTED_PLACES,
    came_up,
)
from alice_exp.finding.rules.nearness import Kind, Neighbourhood, Relation
from alice_exp.kernel.errors import RefusedError
from alice_exp.kernel.text.times import days_before
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.rules.doubt import (
    DOUBTED,
    OUTCOMES,
    REPLACING,
    STILL_TRUE,
    Verdict,
    is_in_doubt,
    judged,
    of_tasks,
    trusted_since,
)
from alice_exp.model.rules.identity import Rejections, Returned
from alice_exp.model.values.block import Block, Placed, is_approved, is_put_away
from alice_exp.model.values.records import Episode
from alice_exp.model.values.snapshot import Put, Snapshot, Span

AT_ONCE = 3
"""The most questions that a report asks."""

ASKED_AGAIN = 7
"""After how many days a question that nobody answered is asked again."""

LATELY = 8
"""How many of a block's last outcomes a question counts."""


@dataclass(frozen=True, slots=True)
class Question:
    """A block that a person is asked about, the living ones that were told with it, and how its last uses ended."""

    placed: Placed
    beside: tuple[Placed, ...]
    failed: int
    uses: int


def questions(snapshot: Snapshot, day_began: str, now: str) -> tuple[Question, ...]:
    """What this report asks: what it asked today already, then what was never asked, then the longest unanswered."""
    found = [
        (doubt, placed)
        for placed in snapshot.concerned(came_up(DOUBTED))
        if placed.place in TRUSTED_PLACES and is_asked(placed.block, day_began, now)
        if (doubt := placed.block.doubt) is not None
    ]
    found.sort(key=lambda row: (row[0].asked < day_began, row[0].asked, row[0].since))
    known = snapshot.with_ids({one for doubt, _ in found[:AT_ONCE] for one in doubt.beside})
    return tuple(_question(placed, doubt.beside, known) for doubt, placed in found[:AT_ONCE])


def is_asked(block: Block, day_began: str, now: str) -> bool:
    """Whether a report asks about a block: at once, and weekly until the person answers (times are ISO-8601 UTC)."""
    if not is_in_doubt(block) or block.doubt is None:
        return False
    asked = block.doubt.asked
    return not asked or asked >= day_began or asked <= days_before(now, ASKED_AGAIN)


def _question(placed: Placed, beside: Sequence[str], known: dict[str, Placed]) -> Question:
    there = [known[one] for one in beside if one in known and known[one].place in TRUSTED_PLACES]
    effects: list[str] = []
    for piece in placed.block.evidence:
        if piece.effect == STILL_TRUE:
            effects.clear()
        elif piece.effect in OUTCOMES:
            effects.append(piece.effect)
    lately = effects[-LATELY:]
    return Question(placed, tuple(there), sum(one != "ok" for one in lately), len(lately))


NEW_AT_ONCE, AGAIN_AT_ONCE = 50, 20
"""How many blocks that became trusted since the report before are compared with the others, and how many of earlier."""

REMINDED_AFTER = (2, 4, 7, 14, 28, 56, 112, 224)
"""After how many days a contradiction that nobody answered is asked about again: each compares a day's blocks anew."""


def lately_trusted(snapshot: Snapshot, since: str, now: str) -> list[Placed]:
    """What became trusted since the last report (``since``), or so long ago that it is asked again; latest first."""
    late = [p for p in snapshot.concerned(*_spans(since, now), most=NEW_AT_ONCE) if p.place in TRUSTED_PLACES]
    return sorted(late, key=lambda placed: (trusted_since(placed.block), placed.block.id), reverse=True)


def _spans(since: str, now: str) -> list[Span]:
    """The time since the report before, and those of which a report reminds."""
    # With a "~" behind it the end of a span is part of it: who looks at nine each day misses none.
    again = (
        (TRUSTED, days_before(since, days), days_before(now, days) + "~") for days in REMINDED_AFTER if since
    )
    return [came_up(TRUSTED, since), *again]


def contradictions(
    snapshot: Snapshot, around: Neighbourhood, late: Sequence[Placed], since: str, now: str
) -> tuple[tuple[Placed, Relation], ...]:
    """Pairs of which one was ``lately_trusted`` and contradicts the other.

    Another value counts, too: to approve a change is not yet to say that the old no longer holds. A pair that no report
    showed side by side is asked about again, until a person answers."""
    spans = _spans(since, now)
    new = {placed.block.id for placed in _asked(late, spans[0], since)}
    fresh = [p for span in spans for p in _asked(late, span, since)]
    found: dict[frozenset[str], tuple[Placed, Relation]] = {}
    for placed, one in around.contradicted(fresh):
        # Of two the newer one changes the older.
        is_newer = trusted_since(placed.block) >= trusted_since(one.placed.block)
        is_named = one.kind == "opposes" or placed.block.id in new or _is_by_word(placed.block)
        if is_newer and is_named:
            found.setdefault(frozenset((placed.block.id, one.placed.block.id)), (placed, one))
    for placed, one in _heirs_of_one(late, snapshot):
        found.setdefault(frozenset((placed.block.id, one.placed.block.id)), (placed, one))
    return tuple((p, one) for p, one in found.values() if are_rivals(p, one.placed, one.kind) == "rival")


def _heirs_of_one(late: Sequence[Placed], snapshot: Snapshot) -> Iterator[tuple[Placed, Relation]]:
    """Pairs that took the place of one block, as two machines may decide, or of each other: only one was to hold. The
    newer of the two comes first."""
    if not (new := [placed for placed in late if placed.block.replaces]):
        return
    heirs = [p for p in snapshot.concerned(came_up(REPLACING)) if p.block.replaces and is_approved(p)]
    for one, other in product(new, heirs):
        ended = {one.block.id, *one.block.replaces} & {other.block.id, *other.block.replaces}
        if ended and is_approved(one) and one.block.id != other.block.id:
            pair = sorted((one, other), key=lambda p: (trusted_since(p.block), p.block.id))
            yield pair[1], Relation(pair[0], "trusted", "opposes", 0.0, ("", ""))


def _asked(late: Sequence[Placed], span: Span, since: str) -> Iterable[Placed]:
    """The first of some blocks that became trusted in a span, and are asked about for it."""
    _, after, before = map(str, span)
    within = (placed for placed in late if after < trusted_since(placed.block) < before)
    # Approved or not is asked of few: it takes a hash of what the block says.
    if after == since:
        return islice((placed for placed in within if is_approved(placed)), NEW_AT_ONCE)
    return islice((p for p in within if _is_by_word(p.block) and is_approved(p)), AGAIN_AT_ONCE)


def _is_by_word(block: Block) -> bool:
    """Whether the person's word alone made it trusted: no report showed it beside what it contradicts."""
    return block.approved is None or not block.approved.report


_ORDER: tuple[Verdict, ...] = ("in_doubt", "open", "helped", "unused")


def last_week(
    trusted: Iterable[Placed], day_began: str, episodes: Callable[[], Iterable[Episode]]
) -> tuple[tuple[Placed, Verdict], ...]:
    """On a Monday what was approved in the seven days before ``day_began`` (ISO-8601 UTC), each block with what came of
    it, what needs the person first; else nothing. ``episodes`` are read where there is any."""
    # Midnight in any time zone lies within half a day of noon of the same date in UTC.
    if (datetime.fromisoformat(day_began) + timedelta(hours=12)).weekday():
        return ()
    since = days_before(day_began, 7)
    late = [p for p in trusted if p.block.approved is not None and since <= p.block.approved.at < day_began]
    without = of_tasks(episodes() if late else ())
    found = [(placed, judged(placed, without)[1]) for placed in late]
    return tuple(sorted(found, key=lambda pair: (_ORDER.index(pair[1]), pair[0].block.id)))


def candidates(snapshot: Snapshot, leaving: Iterable[Placed] = ()) -> list[Placed]:
    """The undecided blocks of the pool but for those ``leaving`` it, oldest first, then by id."""
    gone = {placed.block.id for placed in leaving}
    living = [p for p in snapshot.within("low_value") if p.block.id not in gone and not is_put_away(p)]
    return sorted(living, key=lambda placed: (placed.block.created_at, placed.block.id))


def returned(snapshot: Snapshot, waiting: Iterable[Placed]) -> tuple[Returned, ...]:
    """Candidates that repeat something rejected before they were created. ``snapshot`` includes the archive.

    Only a sync brings such in: hand-typed ones are checked when they are adopted (``home.store.hand_edits``), those
    that a report has shown were then. What was rejected itself, and came back by git or an older file, is its own
    ``rejected``."""
    again = tuple(
        Returned(placed.block.id, placed, placed)
        for placed in snapshot.within("low_value")
        if placed.block.entry is not None and placed.block.entry.standing == "rejected" and not placed.stale
    )
    fresh = [placed for placed in waiting if placed.block.reported is None and not placed.stale]
    if not fresh:
        return again
    known = Rejections.within(snapshot)
    found = ((placed, known.find(placed.block.payload)) for placed in fresh)
    return again + tuple(
        Returned(placed.block.id, was, placed)
        for placed, was in found
        if was and was.block.archived and was.block.archived.at <= placed.block.created_at
    )


Answer = Literal["new", "old", "both", "neither"]
"""What a person says of two rivals: which of them holds."""


@dataclass(frozen=True, slots=True)
class Rival:
    """``new`` is to be approved or was so later, ``old`` is told or waits; ``kind``: ``opposes`` or ``replaces``."""

    new: Placed
    old: Placed
    kind: Kind


def told_rivals(
    snapshot: Snapshot, chosen: Sequence[Placed], answered: Collection[str] = (), *, asks: bool = False
) -> dict[str, Rival]:
    """The first rival of each block to be approved, by that block's id: one that is told now, or another of ``chosen``,
    with ``asks`` any candidate, that says the opposite; none of ``answered``, of which the person says it."""
    waiting = candidates(snapshot) if asks else [one for one in chosen if one.place == "low_value"]
    found: dict[str, Rival] = {}
    around = Neighbourhood(snapshot, (), waiting if len(waiting) > 1 else (), len(chosen))
    for new, one in around.contradicted(chosen, ("trusted", "waiting")):
        old = one.placed
        is_open = not is_in_doubt(old.block) if old.place in TRUSTED_PLACES else old in waiting
        if is_open and old.block.id not in answered and are_rivals(new, old, one.kind) == "rival":
            found.setdefault(new.block.id, Rival(new, old, one.kind))
    return found


def with_answers(
    block: Block, replacing: Sequence[Placed], both: Sequence[Placed]
) -> tuple[Block, list[Put]]:
    """The block with a person's answers on it, and the trusted others without an earlier answer on this pair."""
    puts = []
    for other in {one.block.id: one for one in (*replacing, *both)}.values():
        block = _unanswered(block, other.block.id)
        if other.place == "low_value":
            continue
        if other.place not in TRUSTED_PLACES:
            raise RefusedError("{id} is not trusted: nothing can take its place", id=other.block.id)
        if (after := _unanswered(other.block, block.id)) != other.block:
            puts.append(Put(after, other.path))
    # One that waits and does not hold is rejected: there is nothing to silence.
    silenced = [one for one in replacing if one.place != "low_value"]
    won, beside = (tuple(dict.fromkeys(one.block.id for one in each)) for each in (silenced, both))
    return replace(block, replaces=(*block.replaces, *won), both=(*block.both, *beside)), puts


def _unanswered(block: Block, other: str) -> Block:
    replaces, both = (tuple(one for one in ids if one != other) for ids in (block.replaces, block.both))
    return replace(block, replaces=replaces, both=both)
