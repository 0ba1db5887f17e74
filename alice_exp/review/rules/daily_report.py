"""Content of the daily report: numbered undecided candidates, changes, failing and fading blocks, problems.

Sources: R2.39-R2.44, R3.33, B2.20-B2.26, B2.43; DESIGN 6 and 7.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime
from typing import Any

from alice_exp.blocks.rules.undo import BlockTexts, Lost, lost_decisions
from alice_exp.finding.rules.concerns import TRUSTED_PLACES, UNAPPROVED, came_up, faded
from alice_exp.finding.rules.nearness import Neighbourhood, Relation
from alice_exp.home.ports import Came
from alice_exp.home.references import namespace_name
from alice_exp.kernel.journal.act import Commit
from alice_exp.kernel.jsonc.scan import Problem
from alice_exp.kernel.value_class import attributes, dataclass
from alice_exp.model.rules.doubt import block_decay
from alice_exp.model.rules.identity import Rejections, Returned, taken_out
from alice_exp.model.rules.lifecycle import Thresholds, expires_at, level
from alice_exp.model.rules.private_facts import Delicate, delicate, destination
from alice_exp.model.values.block import (
    CONFIDENCE,
    EXPLICIT,
    Placed,
    content_hash,
    is_approved,
    is_put_away,
    is_shown_as_it_is,
)
from alice_exp.model.values.config import Wait
from alice_exp.model.values.snapshot import Snapshot
from alice_exp.review.rules.doubts import (
    Approval,
    Question,
    candidates,
    contradictions,
    last_week,
    lately_trusted,
    questions,
)
from alice_exp.review.rules.state_changes import (
    Elsewhere,
    Movement,
    by_dialog,
    elsewhere,
    foreign,
    hand_edits,
    movements,
    withdrawn,
)

FADING_BELOW = 0.5
"""A trusted block whose decay has fallen below this is offered for review (R3.33)."""

DAY = 86_400
"""Seconds in a day of waiting (R2.43)."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """Who proposed a candidate: the act's actor (``agent:claude``), its time, the conversation if there is one, and
    which act it was (``memorize``)."""

    by: str
    at: str
    session: str = ""
    act: str = ""


@dataclass(frozen=True, slots=True)
class Item:
    """One undecided candidate: its number in the open report (0: not shown yet) and the destination of an approval.

    ``expires_at`` is ISO-8601 UTC, empty while no report has shown the block (R2.43, B2.21); ``days_left`` is the
    number of days until then, rounded up, -1 if there is no such time.
    """

    number: int
    placed: Placed
    destination: str
    expires_at: str
    is_new: bool
    is_changed: bool
    days_left: int = -1
    relations: tuple[Relation, ...] = ()
    delicate: tuple[Delicate, ...] = ()
    proposed: Proposal | None = None
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
    def confidence(self) -> float:
        """The state's confidence, in [0, 1]."""
        return CONFIDENCE[self.placed.block.state]

    @property
    def is_explicit(self) -> bool:
        """Whether the user asked in a conversation to remember it, rather than that it was inferred (B4.18)."""
        return EXPLICIT in self.placed.block.tags


@dataclass(frozen=True, slots=True)
class Agenda:
    """One report. ``new`` counts items that no earlier report has shown, ``today`` those created since the day began.

    ``since`` is the time of the report before (empty for the first); ``changed`` are the state changes since then;
    ``by_hand`` the ids and files in which a hand edit raised trust or changed the configuration.
    """

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
    week: tuple[Approval, ...] = ()
    """On a Monday: what was approved in the week before, and what came of it."""

    by_dialog: tuple[tuple[str, str, str], ...] = ()
    """What was approved in a host's dialog since the report before: the ids, the channel, what takes it back."""

    was: Mapping[str, Placed] = field(default_factory=dict)
    """What the person trusted of those of ``unapproved`` that say something else now, by id."""

    lost: tuple[Lost, ...] = ()
    """The person's decisions that the files lack."""

    @property
    def is_empty(self) -> bool:
        """Whether the report has no content."""
        return self.elsewhere == Elsewhere() and not any(attributes(self, _CONTENT).values())


_CONTENT = (
    "items changed review fading unapproved by_hand by_dialog lost withdrawn proposed authors returned problems settle "
    "asked team week"
)


@dataclass(frozen=True, slots=True)
class Edition:
    """The data of a report other than its blocks: its id, the start of the day, the time from which changes count.

    Blocks first shown by the report ``newest`` are new; it is this report, or empty if this one is of an earlier day.
    ``acts`` are those since the report before, newest first; ``leaving`` the blocks that this report removes;
    ``returned`` those that repeat rejected ones; ``numbers`` are by id.
    """

    report: str
    newest: str
    day_began: str
    since: str
    acts: Sequence[Commit] = ()
    leaving: Sequence[Placed] = ()
    returned: Sequence[Returned] = ()
    numbers: Mapping[str, int] = field(default_factory=dict)
    proposals: Mapping[str, Proposal] = field(default_factory=dict)
    texts: BlockTexts = lambda _: {}


def agenda(snapshot: Snapshot, now: str, edition: Edition) -> Agenda:
    """The report on a snapshot that includes the archive."""
    wait = snapshot.config.wait
    out = {one.block_id for one in edition.returned}
    waiting = [p for p in candidates(snapshot, edition.leaving) if p.block.id not in out]
    late = lately_trusted(snapshot, edition.since, now)
    around = Neighbourhood(snapshot, snapshot.rejected(), waiting, len(waiting) + len(late))
    items = _items(waiting, now, wait, edition, around)
    thresholds = Thresholds.of(snapshot.config)
    unapproved = tuple(
        placed
        for placed in snapshot.concerned(came_up(UNAPPROVED))
        if placed.place in TRUSTED_PLACES and not is_approved(placed) and not is_put_away(placed)
    )
    return Agenda(
        edition.report,
        now,
        edition.since,
        items,
        sum(item.is_new for item in items),
        sum(item.placed.block.created_at >= edition.day_began for item in items),
        movements(edition.acts, snapshot, edition.leaving, lambda block: level(block, thresholds)),
        contradictions(snapshot, around, late, edition.since, now),
        questions(snapshot, edition.day_began, now),
        tuple(_fading(snapshot, now)),
        unapproved,
        hand_edits(edition.acts),
        (*(one for one in taken_out(edition.acts, snapshot) if one.block_id not in out), *edition.returned),
        snapshot.problems,
        _again(unapproved, snapshot),
        snapshot.config.proposed,
        elsewhere(edition.acts, snapshot),
        foreign(edition.acts),
        wait.paused_until(now)[:10],
        withdrawn(edition.acts),
        by_dialog=by_dialog(edition.acts),
        was=as_decided(unapproved, edition.texts),
        lost=lost_decisions(snapshot, edition.texts),
        week=last_week((one for one in snapshot if one.place in TRUSTED_PLACES), edition.day_began),
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
    waiting: Sequence[Placed], now: str, wait: Wait, edition: Edition, around: Neighbourhood
) -> tuple[Item, ...]:
    goals = {placed.block.id: namespace_name(destination(placed.block)) for placed in waiting}
    group_of = _group_of(waiting, goals, around)
    return tuple(
        Item(
            destination=goals[placed.block.id],
            relations=around.relations(placed),
            delicate=delicate(placed.block),
            proposed=edition.proposals.get(placed.block.id),
            group=group_of.get(placed.block.id, 0),
            **standing_of(placed, edition.numbers.get(placed.block.id, 0), edition.newest, now, wait),
        )
        for placed in waiting
    )


def _group_of(waiting: Iterable[Placed], goals: Mapping[str, str], around: Neighbourhood) -> dict[str, int]:
    # What goes to personal is decided on apart from the rest: one key for both would say too little.
    sides: dict[bool, list[Placed]] = {True: [], False: []}
    for placed in waiting:
        sides[goals[placed.block.id].startswith("personal/")].append(placed)
    groups = (group for side in sides.values() for group in around.groups(side) if len(group) > 1)
    return {placed.block.id: number for number, group in enumerate(groups, start=1) for placed in group}


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
