"""Content of the daily report: numbered undecided candidates, changes, failing and fading blocks, problems.

Sources: R2.39-R2.44, R3.33, B2.20-B2.26, B2.43; DESIGN 6 and 7.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime
from types import MappingProxyType
from typing import Any

from alice_exp.blocks.rules.undo import BlockTexts, Lost, lost_decisions
from alice_exp.finding.rules.concerns import TRUSTED_PLACES, UNAPPROVED, came_up, faded
from alice_exp.finding.rules.nearness import Neighbourhood, Relation
from alice_exp.home.ports import Came
from alice_exp.kernel.journal.act import Commit
from alice_exp.kernel.jsonc import Problem
from alice_exp.kernel.value_class import attributes, dataclass
from alice_exp.model.rules.doubt import Verdict, block_decay
from alice_exp.model.rules.identity import Rejections, Returned, taken_out
from alice_exp.model.rules.lifecycle import Thresholds, expires_at, level
from alice_exp.model.rules.private_facts import Delicate, delicate, destination
from alice_exp.model.values.block import (
    EXPLICIT,
    Placed,
    content_hash,
    is_approved,
    is_put_away,
    is_shown_as_it_is,
)
from alice_exp.model.values.config import Wait
from alice_exp.model.values.records import Episode
from alice_exp.model.values.snapshot import Snapshot, namespace_name
from alice_exp.review.rules import doubts, state_changes
from alice_exp.review.rules.doubts import Question
from alice_exp.review.rules.state_changes import Elsewhere, Movement

FADING_BELOW = 0.5
"""A trusted block whose decay has fallen below this is offered for review (R3.33)."""

DAY = 86_400
"""Seconds in a day of waiting (R2.43)."""


@dataclass(frozen=True, slots=True)
class Item:
    """One undecided candidate: its number in the open report (0: not shown yet) and where an approval takes it.
    ``expires_at`` is ISO-8601 UTC, empty while no report has shown it (R2.43, B2.21); ``days_left`` is rounded up, -1
    for none."""

    number: int
    placed: Placed
    destination: str
    expires_at: str
    is_new: bool
    is_changed: bool
    days_left: int = -1
    relations: tuple[Relation, ...] = ()
    delicate: tuple[Delicate, ...] = ()
    proposed: Commit | None = None
    """The act that brought it in."""
    group: int = 0
    """The number of the group that it stands in, from 1; 0: by itself."""
    says_again: str = ""
    """The number, or id, of the first candidate before it that says the same; "" if none does."""

    @property
    def mark(self) -> Relation | None:
        """The rejected block that it repeats in other words, if there is one."""
        return next((r for r in self.relations if r.where == "rejected" and r.kind != "opposes"), None)

    @property
    def conflict(self) -> Relation | None:
        """The trusted block that it opposes or would replace; None if it does neither."""
        return self._beside("trusted", "opposes", "replaces")

    @property
    def opposite(self) -> Relation | None:
        """Another candidate that says the opposite, or gives another value; None if there is none."""
        return self._beside("waiting", "opposes", "replaces")

    @property
    def asks_of(self) -> Relation | None:
        """What it is asked about with: new, old, both or neither. Of two candidates the later one asks."""
        pair = [one.placed.block for one in (self, self.opposite) if one]
        is_later = len(pair) > 1 and max(pair, key=lambda one: (one.created_at, one.id)) is pair[0]
        return self.conflict or (self.opposite if is_later else None)

    @property
    def stands_apart(self) -> bool:
        """Whether it is decided by itself, never along with others by one key: it holds a secret, opposes or replaces
        what is trusted, or another one that waits, or was turned down before."""
        return bool(self.delicate or self.conflict or self.mark or self.opposite)

    @property
    def repeated(self) -> Relation | None:
        """The trusted block that says the same, or more of the same."""
        return self._beside("trusted", "identical", "same", "extends")

    def _beside(self, where: str, *kinds: str) -> Relation | None:
        return next((one for one in self.relations if one.where == where and one.kind in kinds), None)

    @property
    def is_explicit(self) -> bool:
        """Whether the user asked in a conversation to remember it, rather than that it was inferred (B4.18)."""
        block = self.placed.block
        return EXPLICIT in block.tags and any(one.kind == "session" for one in block.evidence)


@dataclass(frozen=True, slots=True)
class Agenda:
    """One report. ``new`` counts items that no earlier one has shown, ``today`` those created since the day began;
    ``since`` is the time of the one before (empty: the first), ``changed`` the state changes since then; ``by_hand``
    the ids and files in which a hand edit raised trust or changed the configuration."""

    report: str
    at: str
    since: str
    items: tuple[Item, ...]
    new: int
    today: int
    changed: tuple[Movement, ...]
    settle: tuple[tuple[Placed, Relation], ...]
    """Trusted blocks that contradict another trusted one, to settle: new since the report before, or asked again."""
    review: tuple[Question, ...]
    fading: tuple[Placed, ...]
    unapproved: tuple[Placed, ...]
    by_hand: tuple[str, ...]
    returned: tuple[Returned, ...]
    problems: tuple[Problem, ...]
    again: Mapping[str, str] = field(default_factory=dict)
    """Those of ``unapproved`` that repeat something rejected before: their ids, each with the rejected block's id."""
    proposed: Mapping[str, object] = field(default_factory=dict)
    """Keys that only this machine decides, as the tracked configuration would have them (DESIGN 6)."""
    elsewhere: Elsewhere = field(default_factory=Elsewhere)
    """What a sync brought from another machine of the same person."""
    authors: tuple[str, ...] = ()
    """Git's authors of commits that alice-exp did not make."""
    paused_until: str = ""
    """The day (YYYY-MM-DD) until which nothing expires; empty: no pause."""
    withdrawn: tuple[str, ...] = ()
    """Blocks that lost a secret or a private fact by an edit, while history keeps the words."""
    asked: tuple[tuple[str, str, str], ...] = ()
    """Projects whose names a person has to confirm: project, name, and which project that is so far (DESIGN 7)."""
    team: tuple[Came, ...] = ()  # What came with repositories and waits to be trusted.
    week: tuple[tuple[Placed, Verdict], ...] = ()
    """On a Monday: what was approved in the week before, and what came of it."""
    by_dialog: tuple[tuple[Placed, str, str], ...] = ()
    """What was approved in a host's dialog since the report before: the block, the channel, what takes it back."""
    was: Mapping[str, Placed] = field(default_factory=dict)
    """What the person trusted of those of ``unapproved`` that say something else now, by id."""
    lost: tuple[Lost, ...] = ()
    """The person's decisions that the files lack."""

    @property
    def questions(self) -> int:
        """How many questions about what is trusted wait for the person, besides the candidates."""
        return len([*self.lost, *self.unapproved, *self.settle, *self.review])

    @property
    def is_empty(self) -> bool:
        """Whether the report has no content."""
        return self.elsewhere == Elsewhere() and not any(attributes(self, _CONTENT).values())


_CONTENT = (
    "items changed review fading unapproved by_hand by_dialog lost withdrawn proposed authors returned problems settle "
    "asked team week"
)


def agenda(
    snapshot: Snapshot,
    now: str,
    *,
    report: str,
    newest: str,
    day_began: str,
    since: str,
    acts: Sequence[Commit] = (),
    leaving: Sequence[Placed] = (),
    returned: Sequence[Returned] = (),
    numbers: Mapping[str, int] = MappingProxyType({}),
    proposals: Mapping[str, Commit] = MappingProxyType({}),
    texts: BlockTexts = lambda _: {},
    episodes: Callable[[], Sequence[Episode]] = tuple,
) -> Agenda:
    """The report with this id on a snapshot that includes the archive; changes count from ``since`` on.

    Blocks first shown by the report ``newest`` are new; it is this report, or empty if this one is of an earlier day.
    ``acts`` are newest first; ``leaving`` the blocks that this report removes; ``numbers`` and ``proposals`` by id.
    """
    wait = snapshot.config.wait
    out = {one.block_id for one in returned}
    waiting = [p for p in doubts.candidates(snapshot, leaving) if p.block.id not in out]
    late = doubts.lately_trusted(snapshot, since, now)
    around = Neighbourhood(snapshot, snapshot.rejected(), waiting, len(waiting) + len(late))
    items = _items(waiting, around, proposals, numbers, newest, now, wait)
    thresholds = Thresholds.of(snapshot.config)
    unapproved = tuple(
        placed
        for placed in snapshot.concerned(came_up(UNAPPROVED))
        if placed.place in TRUSTED_PLACES and not is_approved(placed) and not is_put_away(placed)
    )
    return Agenda(
        report,
        now,
        since,
        items,
        sum(item.is_new for item in items),
        sum(item.placed.block.created_at >= day_began for item in items),
        state_changes.movements(acts, snapshot, leaving, lambda block: level(block, thresholds)),
        doubts.contradictions(snapshot, around, late, since, now),
        doubts.questions(snapshot, day_began, now),
        tuple(_fading(snapshot, now)),
        unapproved,
        state_changes.hand_edits(acts, snapshot),
        (*(one for one in taken_out(acts, snapshot) if one.block_id not in out), *returned),
        snapshot.problems,
        _again(unapproved, snapshot),
        snapshot.config.proposed,
        state_changes.elsewhere(acts, snapshot),
        state_changes.foreign(acts),
        wait.paused_until(now)[:10],
        state_changes.withdrawn(acts),
        by_dialog=state_changes.by_dialog(acts, snapshot),
        was=as_decided(unapproved, texts),
        lost=lost_decisions(snapshot, texts),
        week=doubts.last_week(snapshot.within(*TRUSTED_PLACES), day_began, episodes),
    )


def as_decided(waiting: Sequence[Placed], texts: BlockTexts) -> Mapping[str, Placed]:
    """What a person trusted of those that wait and say something else now, by id, as far as history has it."""
    entries = [
        entry
        for placed in waiting
        if (entry := placed.block.entry) is not None
        and entry.standing == "trusted"
        and entry.content != content_hash(placed.block)
    ]
    return texts(entries) if entries else {}


def _again(waiting: Sequence[Placed], snapshot: Snapshot) -> dict[str, str]:
    if not waiting:
        return {}
    known = Rejections.within(snapshot)
    found = ((one.block.id, known.find(one.block.payload)) for one in waiting)
    return {block_id: was.block.id for block_id, was in found if was}


def _items(
    waiting: Sequence[Placed],
    around: Neighbourhood,
    proposals: Mapping[str, Commit],
    numbers: Mapping[str, int],
    newest: str,
    now: str,
    wait: Wait,
) -> tuple[Item, ...]:
    goals = {placed.block.id: namespace_name(destination(placed.block)) for placed in waiting}
    # What goes to personal is decided on apart from the rest: one key for both would say too little.
    sides = (
        [p for p in waiting if goals[p.block.id].startswith("personal/") is own] for own in (True, False)
    )
    groups = (group for side in sides for group in around.groups(side) if len(group) > 1)
    group_of = {placed.block.id: number for number, group in enumerate(groups, start=1) for placed in group}
    return tuple(
        Item(
            destination=goals[placed.block.id],
            relations=around.relations(placed),
            delicate=delicate(placed.block),
            proposed=proposals.get(placed.block.id),
            group=group_of.get(placed.block.id, 0),
            **standing_of(placed, numbers.get(placed.block.id, 0), newest, now, wait),
        )
        for placed in waiting
    )


def standing_of(placed: Placed, number: int, newest: str, now: str, wait: Wait) -> dict[str, Any]:
    """What a report makes of a candidate: its number, whether it is new or changed, how long it has."""
    block, due = placed.block, expires_at(placed.block, wait)
    left = (datetime.fromisoformat(due) - datetime.fromisoformat(now)).total_seconds() if due else -DAY
    return {
        "number": number,
        "placed": placed,
        "expires_at": due,
        "is_new": block.reported is None or block.reported.report == newest,
        "is_changed": block.reported is not None and not is_shown_as_it_is(block),
        "days_left": max(0 if due else -1, math.ceil(left / DAY)),
    }


def with_repeats(items: Sequence[Item]) -> list[Item]:
    """The candidates, each with the number, or id, of the first one before it that says the same."""
    by_id = {item.placed.block.id: item for item in items}

    def rank(item: Item) -> tuple[float, str, str]:
        return item.number or math.inf, item.placed.block.created_at, item.placed.block.id

    def told(item: Item) -> str:
        ids = (
            r.placed.block.id
            for r in item.relations
            if r.kind in ("identical", "same") and r.where == "waiting"
        )
        first = min((by_id[one] for one in ids if one in by_id), key=rank, default=item)
        return str(first.number or first.placed.block.id) if rank(first) < rank(item) else ""

    return [replace(item, says_again=told(item)) for item in items]


def _fading(snapshot: Snapshot, now: str) -> list[Placed]:
    """The reliable blocks whose decay is below ``FADING_BELOW``, the faintest first."""
    days = snapshot.config.half_life_days
    weighed = [
        (block_decay(p.block, now, half_life_days=days, settled=False), p)
        for p in snapshot.concerned(*faded(now, days))
        if p.place in TRUSTED_PLACES and p.block.state == "reliable"
    ]
    return [placed for weight, placed in sorted(weighed, key=lambda pair: pair[0]) if weight < FADING_BELOW]
