"""The heartbeat: today's report, which numbers the candidates and starts the clock of those that it shows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from alice_exp.blocks.store.access_log import access, folded, folded_episodes, merged
from alice_exp.blocks.usecases.capture import destination
from alice_exp.home.references import namespace_name
from alice_exp.home.session import Session, projects_of
from alice_exp.kernel.journal.act import Act
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.rules.expiry import expired
from alice_exp.model.rules.private_facts import delicate
from alice_exp.model.rules.rejection import Rejections, refusals
from alice_exp.model.values.block import (
    PLACES,
    REVIEWED,
    Placed,
    Reported,
    content_hash,
    is_approved,
    is_put_away,
    is_shown_as_it_is,
)
from alice_exp.model.values.changes import ChangeSet, Put
from alice_exp.review.rules.arrangement import arranged
from alice_exp.review.rules.daily_report import (
    Edition,
    Proposal,
    agenda,
    candidates,
    returned,
)
from alice_exp.review.store import reports as open_reports
from alice_exp.review.usecases.decisions import refused

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from alice_exp.caller.acting import Caller
    from alice_exp.finding.rules.neighbourhood import Neighbourhood
    from alice_exp.home.doors import Home
    from alice_exp.kernel.journal.act import Commit
    from alice_exp.model.rules.rejection import Returned
    from alice_exp.model.values.block import Block
    from alice_exp.model.values.records import EpisodeBook
    from alice_exp.model.values.snapshot import Snapshot
    from alice_exp.review.rules.daily_report import Agenda, Item


Page = Callable[["Agenda"], "Collection[str]"]
"""Which candidates of a report are given to the person, by id."""


def heartbeat(session: Session, *, peek: bool, page: Page | None = None) -> tuple[Agenda, Commit | None]:
    """Today's report. Unless it is a peek, it numbers the candidates, starts the expiry of those that are shown
    (``page``; None: all of them), removes the expired ones and folds the log of reads into the blocks.

    What is only counted has a number and no clock (DESIGN 7). An agent's heartbeat is always a peek (DESIGN 6). If
    there is nothing new to show there is no commit and the numbers stay; the first report of a day counts changes from
    the one before.
    """
    home, reports, caller = session.home, open_reports(session), session.caller
    seen = home.read(REVIEWED)
    if peek or not caller.is_person:
        return _report(seen, session), None
    head, first = seen.head, _report(seen, session, expired(seen, caller.now))
    given = {item.placed.block.id for item in first.items} if page is None else set(page(first))
    groups = _groups_shown(first, given)

    def plan(snapshot: Snapshot) -> tuple[ChangeSet | None, _Planned]:
        gone = expired(snapshot, caller.now)
        back = returned(snapshot, candidates(snapshot, gone))
        waiting = [p for p in candidates(snapshot, gone) if p.block.id not in {one.block_id for one in back}]
        ids = _numbered(open_ := _as_read(waiting, first), session)
        answer = _Planned(snapshot, gone, back)
        unseen = [p for p in waiting if p.block.id in given and _is_to_be_shown(p)]
        asked = _asked(snapshot, first, session)
        changes = unseen or gone or back or asked
        is_same = ids == reports.open_ids() and groups == reports.groups() and not changes
        segment, folds, book = _folded(session, snapshot)
        if is_same and not segment and reports.open_at() >= session.day_began:
            return None, answer
        report = caller.new_id("rep")
        reports.prepare(report, caller.now, ids, groups)
        # A new day, but the same candidates: a new report, and nothing to write in the files.
        if not (changes or segment):
            return None, answer
        shown = [Put(_shown(placed.block, report, caller.now), placed.path) for placed in unseen]
        away, removes = _sent_back(back, gone, caller.now)
        moved = (*removes, *(put.block.id for put in away))
        act = _act(caller, _trailers(report, gone, back, segment), ids, open_, moved)
        puts = merged((*shown, *asked, *away), (put for put in folds if put.block.id not in moved))
        return ChangeSet(act, puts, removes, episodes=book), replace(answer, segment=segment)

    commit, planned = home.apply(plan, PLACES, records=any(map(_is_episode, access(session).pending())))
    if commit is not None and planned.segment:
        access(session).forget(planned.segment)
    reports.publish(commit.commit if commit is not None else planned.seen.head)
    seen = home.read(REVIEWED) if commit is not None else planned.seen
    around = first.around if planned.seen.head == head else None
    return _report(seen, session, planned.gone, planned.back, around), commit


def _sent_back(
    back: Sequence[Returned], gone: Sequence[Placed], now: str
) -> tuple[tuple[Put, ...], tuple[str, ...]]:
    """What was rejected itself, on its way back to the archive; the ids of what goes: ``gone``, and what repeats a
    rejected block."""
    away = tuple(refused(one.rejected, now) for one in back if one.rejected is one.placed)
    repeats = (one.block_id for one in back if one.placed is not None and one.rejected is not one.placed)
    return away, (*(placed.block.id for placed in gone), *repeats)


def _asked(snapshot: Snapshot, report: Agenda, session: Session) -> tuple[Put, ...]:
    """The blocks in doubt that today's report asks about for the first time, with the time of it."""
    found = (snapshot.find(one.placed.block.id) for one in report.review)
    return tuple(
        Put(replace(one.block, doubt=replace(doubt, asked=session.caller.now)), one.path)
        for one in found
        if one is not None and not one.stale
        for doubt in (one.block.doubt,)
        if doubt is not None and doubt.since and doubt.asked < session.day_began
    )


def mark_shown(session: Session, ids: Sequence[str]) -> dict[str, Placed]:
    """Start the clock of candidates that go to the person's screen now, and bind decisions to what they say.

    They are given back, by id, as they are bound: what is to be drawn, since a file may have been edited meanwhile.
    What was shown as it is already costs nothing.
    """
    home, caller, report = session.home, session.caller, open_reports(session).open_report()

    def plan(snapshot: Snapshot) -> tuple[ChangeSet | None, dict[str, Placed]]:
        found = {placed.block.id: placed for placed in map(snapshot.find, ids) if placed is not None}
        unseen = [p for p in found.values() if p.place == "low_value" and _is_to_be_shown(p)]
        if not unseen:
            return None, found
        act = Act("seen", caller.actor, caller.now, tuple(p.block.id for p in unseen), "on the screen")
        puts = tuple(Put(_shown(p.block, report, caller.now), p.path) for p in unseen)
        return ChangeSet(act, puts), found

    return home.apply(plan, PLACES)[1]


def _as_read(waiting: Sequence[Placed], report: Agenda) -> tuple[str, ...]:
    """The ids in the order in which the report shows them, so that its numbers run as a person reads."""
    order = {item.placed.block.id: at for at, item in enumerate(report.items)}
    return tuple(sorted((p.block.id for p in waiting), key=lambda one: order.get(one, len(order))))


def _numbered(open_: tuple[str, ...], session: Session) -> tuple[str, ...]:
    """The ids by their numbers. While anything of the day's earlier report waits its numbers stand, what it decided
    included: a reply to it must not decide another thing because a second report was made meanwhile."""
    reports = open_reports(session)
    before = reports.open_ids() if reports.open_at() >= session.day_began else ()
    if not {*before}.intersection(open_):
        return open_
    return (*before, *(one for one in open_ if one not in before))


def _is_to_be_shown(placed: Placed) -> bool:
    return not placed.stale and not is_shown_as_it_is(placed.block)


def _groups_shown(report: Agenda, given: Collection[str]) -> dict[str, tuple[str, ...]]:
    """The groups of which every text is given: these can be decided by their number, from 1 as a person reads."""
    members: dict[int, tuple[str, ...]] = {}
    for item in report.items:
        if item.group:
            members[item.group] = (*members.get(item.group, ()), item.placed.block.id)
    numbered = enumerate(members.values(), start=1)
    return {str(number): ids for number, ids in numbered if all(one in given for one in ids)}


def _with_group_numbers(items: Sequence[Item], known: Mapping[str, tuple[str, ...]]) -> tuple[Item, ...]:
    """The groups under the numbers that the open report gave them (``known``), whatever was decided since: a reply
    by a number means what stood under it. Others come behind these."""
    of_block = {block_id: int(number) for number, ids in known.items() for block_id in ids}
    named: dict[int, int] = {}
    for item in items:
        if item.group and item.placed.block.id in of_block:
            named.setdefault(item.group, of_block[item.placed.block.id])
    # Two groups that were one when the report was given cannot both have its number.
    taken: set[int] = set()
    last = max(of_block.values(), default=0)
    numbers: dict[int, int] = {}
    for item in items:
        if item.group and item.group not in numbers:
            number = named.get(item.group, 0)
            if not number or number in taken:
                last = number = last + 1
            taken.add(number)
            numbers[item.group] = number
    return tuple(replace(item, group=numbers[item.group]) if item.group else item for item in items)


@dataclass(frozen=True, slots=True)
class _Planned:
    """The basis of a report: the snapshot, the blocks that expire with it, those rejected before, the folded reads."""

    seen: Snapshot
    gone: tuple[Placed, ...]
    back: tuple[Returned, ...]
    segment: str = ""


def _folded(session: Session, snapshot: Snapshot) -> tuple[str, tuple[Put, ...], EpisodeBook | None]:
    """Seal the reads since the last fold: the segment's name, and the blocks and episodes with these reads (B2.30).

    The name is empty if there is nothing to fold, or if a file to be written holds a problem.
    """
    caller, reads = session.caller, access(session).pending()
    folds = folded(snapshot, reads, caller.now) if reads else ()
    book = snapshot.episodes
    if any(map(_is_episode, reads)):
        if book is None or (not folds and any(not _is_episode(one) for one in reads)):
            return "", (), None
        book = folded_episodes(book, reads)
    if not folds and book is snapshot.episodes:
        return "", (), None
    # Sealed under a name that the commit carries, so that after a crash history tells whether they were counted.
    segment = caller.new_id("seg")
    access(session).seal(segment)
    return segment, folds, None if book is snapshot.episodes else book


def _is_episode(read: str) -> bool:
    # Reads of blocks and of episodes share one log.
    return read.startswith("ep-")


def _trailers(
    report: str, gone: Sequence[Placed], back: Sequence[Returned], segment: str
) -> tuple[tuple[str, str], ...]:
    return (
        ("Report", report),
        *(("Expired", placed.block.id) for placed in gone),
        *refusals(back),
        *((("Access", segment),) if segment else ()),
    )


def _act(
    caller: Caller,
    trailers: tuple[tuple[str, str], ...],
    ids: Sequence[str],
    open_: Sequence[str],
    moved: Sequence[str],
) -> Act:
    """The act of a report: what waits in the order of its numbers, then what moved."""
    here = {one: str(number) for number, one in enumerate(ids, start=1) if one in open_}
    # An act names nothing that was decided before, so where numbers are missing it tells those that are there.
    numbers = [("Numbers", " ".join(here.values()))] if len(here) < len(ids) else []
    detail = f"{len(here)} waiting, {sum(name == 'Expired' for name, _ in trailers)} expired"
    return Act("heartbeat", caller.actor, caller.now, (*here, *moved), detail, (*trailers, *numbers))


def _report(
    snapshot: Snapshot,
    session: Session,
    leaving: tuple[Placed, ...] = (),
    back: tuple[Returned, ...] | None = None,
    around: Neighbourhood | None = None,
) -> Agenda:
    reports, caller, day_began = open_reports(session), session.caller, session.day_began
    pool = snapshot.within("low_value")
    acts = reports.acts(day_began)
    edition = Edition(
        reports.open_report(),
        reports.open_report() if reports.open_at() >= day_began else "",
        day_began,
        reports.since(day_began),
        acts,
        leaving,
        returned(snapshot, candidates(snapshot, leaving)) if back is None else back,
        {block_id: number for number, block_id in enumerate(reports.open_ids(), start=1)},
        {placed.block.id: namespace_name(destination(placed.block)) for placed in pool},
        _proposals(session, snapshot),
        reports.decided,
        around,
    )
    found = agenda(snapshot, caller.now, edition)
    in_order = [item for _, part in arranged(found.items) for item in part]
    gone = [moved.block_id for moved in found.changed if moved.placed is None]
    was = reports.last_versions(gone, acts) if gone else {}
    changed = tuple(replace(moved, was=was.get(moved.block_id)) for moved in found.changed)
    asked = projects_of(snapshot.config).asked(lambda: {placed.block.project for placed in snapshot})
    items = _with_group_numbers(in_order, reports.groups())
    # What nobody trusts yet is a person's to read.
    team = session.team.came() if session.team is not None and caller.actor.is_person else ()
    return replace(found, changed=changed, items=items, asked=tuple(asked), team=team)


def _proposals(session: Session, snapshot: Snapshot) -> dict[str, Proposal]:
    pool = list(snapshot.within("low_value"))
    ids = {placed.block.id for placed in pool}
    day = min((placed.namespace.rpartition("_")[2] for placed in pool), default="")
    return {
        block_id: Proposal(act.actor, act.at, dict(act.trailers).get("Session", ""), act.op)
        for block_id, act in open_reports(session).proposals(ids, day).items()
    }


def _shown(block: Block, report: str, now: str) -> Block:
    return replace(block, reported=Reported(report, now, content_hash(block)))


def standing(home: Home) -> tuple[tuple[Placed, ...], tuple[Placed, ...]]:
    """Those that may be approved together; and those to decide on one by one, as they hold a secret or a private fact,
    or say what a person rejected."""
    snapshot = home.read(REVIEWED)
    rejections = Rejections.within(snapshot)
    together: list[Placed] = []
    apart: list[Placed] = []
    for placed in snapshot.within("personal", "universal"):
        if not is_approved(placed) and not is_put_away(placed):
            is_open = placed.place == "universal" and bool(delicate(placed.block))
            is_apart = is_open or rejections.find(placed.block.payload) is not None
            (apart if is_apart else together).append(placed)
    return tuple(together), tuple(apart)
