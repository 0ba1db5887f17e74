"""The heartbeat: today's report, which numbers the candidates and starts the clock of those that it shows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from alice_exp.blocks.store import access, folded, folded_episodes, merged
from alice_exp.caller.acting import Caller
from alice_exp.home.file_home import Home
from alice_exp.home.session import Session, projects_of
from alice_exp.kernel.journal.act import Act, Commit
from alice_exp.model.rules.identity import Rejections, Returned, refusals
from alice_exp.model.rules.lifecycle import expired
from alice_exp.model.rules.private_facts import delicate
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
from alice_exp.model.values.records import EPISODES_PATH, EpisodeBook
from alice_exp.model.values.snapshot import ChangeSet, Plan, Put, Snapshot
from alice_exp.review.rules.daily_report import Agenda, Item, agenda, standing_of, with_repeats
from alice_exp.review.rules.doubts import candidates, returned
from alice_exp.review.rules.report_order import arranged
from alice_exp.review.store import reports
from alice_exp.review.usecases.decisions import refused

Page = Callable[["Agenda"], "Collection[str]"]
"""Which candidates of a report are given to the person, by id."""

_Basis: TypeAlias = "tuple[Snapshot, tuple[Placed, ...], tuple[Returned, ...], dict[str, Placed], str]"
"""What a report rests on: the snapshot, the blocks that expire with it, those rejected before, what waits as the report
leaves it by id, the folded reads."""


def heartbeat(session: Session, *, peek: bool, page: Page | None = None) -> tuple[Agenda, Commit | None]:
    """Today's report. Unless it is a peek, as an agent's always is (DESIGN 6), it numbers the candidates, starts the
    expiry of those that are shown (``page``; None: all), removes the expired and folds the reads into the blocks. What
    is only counted has no clock (DESIGN 7). Where nothing is new there is no commit and the numbers stay; the first
    report of a day counts changes from the one before."""
    home, caller, opened, reads = session.home, session.caller, reports(session), access(session)
    seen = home.read(REVIEWED)
    if peek or not caller.is_person:
        return _report(session, seen), None
    first = _report(session, seen, expired(seen, caller.now))
    commit, basis = home.apply(
        _planning(session, first, page), PLACES, records=any(map(_is_episode, reads.pending()))
    )
    snapshot, gone, back, waiting, segment = basis
    if commit is not None and segment:
        reads.forget(segment)
    opened.publish(commit.commit if commit is not None else snapshot.head)
    if snapshot.head != seen.head:  # Something came in between.
        seen = home.read(REVIEWED) if commit is not None else snapshot
        return _report(session, seen, gone, back), commit
    return _given(session, first, waiting), commit


def _planning(session: Session, first: Agenda, page: Page | None) -> Plan[_Basis]:
    caller, opened = session.caller, reports(session)
    given = {item.placed.block.id for item in first.items} if page is None else set(page(first))
    groups = _groups_shown(first, given)

    def plan(snapshot: Snapshot) -> tuple[ChangeSet | None, _Basis]:
        gone = expired(snapshot, caller.now)
        back = returned(snapshot, candidates(snapshot, gone))
        out = {one.block_id for one in back}
        waiting = {p.block.id: p for p in candidates(snapshot, gone) if p.block.id not in out}
        ids = _numbered(waiting, first, session)
        unseen = [p for p in waiting.values() if p.block.id in given and _is_to_be_shown(p)]
        asked = _asked(snapshot, first, session)
        changes = unseen or gone or back or asked
        is_same = ids == opened.open.ids and groups == opened.open.groups and not changes
        segment, folds, book = _folded(session, snapshot)
        basis = (snapshot, gone, back, waiting, segment)
        if is_same and not segment and opened.open.at >= session.day_began:
            return None, basis
        opened.prepare(report := caller.new_id("rep"), caller.now, ids, groups)
        if not (changes or segment):  # A new day, but the same candidates: nothing to write in the files.
            return None, basis
        shown = [_shown(placed, report, caller.now) for placed in unseen]
        waiting.update((placed.block.id, placed) for placed in shown)
        away, removes = _sent_back(back, gone, caller.now)
        moved = (*removes, *(put.block.id for put in away))
        act = _act(caller, report, basis, ids, moved)
        puts = (*(Put(placed.block, placed.path) for placed in shown), *asked, *away)
        puts = merged(puts, (put for put in folds if put.block.id not in moved))
        return ChangeSet(act, puts, removes, episodes=book), basis

    return plan


def _given(session: Session, report: Agenda, waiting: Mapping[str, Placed]) -> Agenda:
    """A report as it stands once its candidates have their numbers and clocks."""
    opened, now, wait = reports(session).open, session.caller.now, session.home.config().wait
    numbers = opened.numbers
    items = [
        replace(item, **standing_of(waiting[block_id], numbers.get(block_id, 0), opened.report, now, wait))
        for item in report.items
        for block_id in (item.placed.block.id,)
    ]
    new = sum(item.is_new for item in items)
    return replace(report, report=opened.report, items=_in_order(items, opened.groups), new=new)


def _sent_back(
    back: Sequence[Returned], gone: Sequence[Placed], now: str
) -> tuple[tuple[Put, ...], tuple[str, ...]]:
    """What was rejected itself, on its way to the archive; the ids of what goes: ``gone``, and what repeats such."""
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
    """Start the clock of candidates that go to the person's screen now, and bind decisions to what they say: by id as
    they are to be drawn, since a file may have been edited meanwhile. What was shown as it is already costs nothing."""
    caller, report = session.caller, reports(session).open.report

    def plan(snapshot: Snapshot) -> tuple[ChangeSet | None, dict[str, Placed]]:
        found = snapshot.with_ids({*ids})
        unseen = [p for p in found.values() if p.place == "low_value" and _is_to_be_shown(p)]
        if not unseen:
            return None, found
        act = Act("seen", caller.actor, caller.now, tuple(p.block.id for p in unseen), "on the screen")
        shown = (_shown(placed, report, caller.now) for placed in unseen)
        return ChangeSet(act, tuple(Put(placed.block, placed.path) for placed in shown)), found

    return session.home.apply(plan, PLACES)[1]


def _numbered(waiting: Collection[str], report: Agenda, session: Session) -> tuple[str, ...]:
    """The ids by their numbers, which run as a person reads. While anything of the day's earlier report waits its
    numbers stand: a reply to it must not decide another thing because of a second report."""
    opened = reports(session).open
    order = {item.placed.block.id: at for at, item in enumerate(report.items)}
    before = opened.ids if opened.at >= session.day_began and not {*opened.ids}.isdisjoint(waiting) else ()
    new = [one for one in waiting if one not in before]
    return (*before, *sorted(new, key=lambda one: order.get(one, len(order))))


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


def _in_order(found: Iterable[Item], known: Mapping[str, tuple[str, ...]]) -> tuple[Item, ...]:
    """The candidates as they are read, the groups under the numbers that the open report gave them (``known``),
    whatever was decided since: a reply by a number means what stood under it. Others come behind these."""
    items = with_repeats([item for _, part in arranged([*found]) for item in part])
    of_block = {block_id: int(number) for number, ids in known.items() for block_id in ids}
    named: dict[int, int] = {}
    for item in items:
        if item.group and item.placed.block.id in of_block:
            named.setdefault(item.group, of_block[item.placed.block.id])
    last = max(of_block.values(), default=0)
    numbers: dict[int, int] = {}
    for item in items:
        if item.group and item.group not in numbers:
            number = named.get(item.group, 0)
            # Two groups that were one when the report was given cannot both have its number.
            if number in (0, *numbers.values()):
                last = number = last + 1
            numbers[item.group] = number
    return tuple(replace(item, group=numbers[item.group]) if item.group else item for item in items)


def _folded(session: Session, snapshot: Snapshot) -> tuple[str, tuple[Put, ...], EpisodeBook | None]:
    """Seal the reads since the last fold: the segment's name, and the blocks and episodes with these reads (B2.30). It
    is empty if there is nothing to fold, or if a file to be written holds a problem."""
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


def _act(caller: Caller, report: str, basis: _Basis, ids: Sequence[str], moved: Sequence[str]) -> Act:
    _, gone, back, waiting, segment = basis
    here = {one: str(number) for number, one in enumerate(ids, start=1) if one in waiting}
    trailers = (
        ("Report", report),
        *(("Expired", placed.block.id) for placed in gone),
        *refusals(back),
        *((("Access", segment),) if segment else ()),
        # An act names nothing that was decided before, so where numbers are missing it tells those that are there.
        *((("Numbers", " ".join(here.values())),) if len(here) < len(ids) else ()),
    )
    detail = f"{len(here)} waiting, {len(gone)} expired"
    return Act("heartbeat", caller.actor, caller.now, (*here, *moved), detail, trailers)


def _proposal(act: Commit) -> Commit:
    # What a file brought nobody here proposed, and the sender's name stands in the file alone.
    sender = dict(act.trailers).get("Source", "")
    return replace(act, actor=f"file:{sender}") if sender and act.actor == "user" else act


def _report(
    session: Session,
    snapshot: Snapshot,
    leaving: tuple[Placed, ...] = (),
    back: tuple[Returned, ...] | None = None,
) -> Agenda:
    opened, day_began = reports(session), session.day_began
    pool, (since, acts) = [*snapshot.within("low_value")], opened.changes(day_began)
    first = min((placed.namespace.rpartition("_")[2] for placed in pool), default="")
    proposed = opened.proposals({placed.block.id for placed in pool}, first)
    found = agenda(
        snapshot,
        session.caller.now,
        report=opened.open.report,
        newest=opened.open.report if opened.open.at >= day_began else "",
        day_began=day_began,
        since=since,
        acts=acts,
        leaving=leaving,
        returned=returned(snapshot, candidates(snapshot, leaving)) if back is None else back,
        numbers=opened.open.numbers,
        proposals={block_id: _proposal(act) for block_id, act in proposed.items()},
        texts=session.history.decided,
        episodes=lambda: (session.home.read((), records=EPISODES_PATH).episodes or EpisodeBook()).episodes,
    )
    gone = [moved.block_id for moved in found.changed if moved.placed is None]
    was = opened.last_versions(gone, acts) if gone else {}
    return replace(
        found,
        changed=tuple(replace(moved, was=was.get(moved.block_id)) for moved in found.changed),
        items=_in_order(found.items, opened.open.groups),
        asked=tuple(
            projects_of(snapshot.config).asked(lambda: {placed.block.project for placed in snapshot})
        ),
        # What nobody trusts yet is a person's to read.
        team=session.team.came() if session.team is not None and session.caller.actor.is_person else (),
    )


def _shown(placed: Placed, report: str, now: str) -> Placed:
    mark = Reported(report, now, content_hash(placed.block))
    return replace(placed, block=replace(placed.block, reported=mark))


def standing(home: Home) -> tuple[tuple[Placed, ...], tuple[Placed, ...]]:
    """Those that may be approved together; and those decided one by one: secret, private, or rejected before."""
    snapshot = home.read(REVIEWED)
    rejections = Rejections.within(snapshot)
    found = [p for p in snapshot.within("personal", "universal") if not (is_approved(p) or is_put_away(p))]
    secret = {id(p) for p in found if p.place == "universal" and delicate(p.block)}
    apart = secret | {id(p) for p in found if rejections.find(p.block.payload) is not None}
    return tuple(p for p in found if id(p) not in apart), tuple(p for p in found if id(p) in apart)
