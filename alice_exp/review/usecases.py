"""Use cases of the review: the heartbeat, and the person's decisions to approve or reject."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from alice_exp.blocks.usecases.capture import destination
from alice_exp.blocks.usecases.reads import folded, folded_episodes, merged
from alice_exp.home.caller import require_person
from alice_exp.home.references import namespace_name, namespace_path, resolve
from alice_exp.kernel.errors import NotFoundError, RefusedError, UsageError
from alice_exp.kernel.journal.act import Act
from alice_exp.model.rules.expiry import expired, is_expired
from alice_exp.model.rules.rejection import refusals
from alice_exp.model.values.block import (
    EVIDENCE_KEPT,
    PLACES,
    Approved,
    Archived,
    Evidence,
    Placed,
    Reported,
    content_hash,
    is_approved,
    path_of,
    place_of,
)
from alice_exp.model.values.changes import ChangeSet, Put
from alice_exp.review.rules.daily_report import Edition, agenda, candidates, is_shown_as_it_is, returned

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from alice_exp.home.caller import Caller
    from alice_exp.home.ports import Home
    from alice_exp.kernel.journal.act import Commit
    from alice_exp.model.rules.approval import Stamp
    from alice_exp.model.rules.rejection import Returned
    from alice_exp.model.values.block import Block
    from alice_exp.model.values.records import EpisodeBook
    from alice_exp.model.values.snapshot import Snapshot
    from alice_exp.review.ports import Reviewing
    from alice_exp.review.rules.daily_report import Agenda

Why = Literal["changed", "expired", "moved", "gone", "stale"]
"""Why an item of a decision was skipped: ``moved`` was decided already, ``stale`` is in a file with a problem."""


@dataclass(frozen=True, slots=True)
class Decided:
    """The result of a decision: the blocks where they are now, and the ids skipped, each with the reason."""

    placed: tuple[Placed, ...]
    skipped: tuple[tuple[str, Why], ...] = ()
    commit: Commit | None = None

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the decided blocks."""
        return tuple(placed.block.id for placed in self.placed)


def heartbeat(reviewing: Reviewing, *, peek: bool) -> tuple[Agenda, Commit | None]:
    """Today's report. Unless it is a peek, it numbers the candidates, starts their expiry, removes the expired ones and
    folds the log of reads into the blocks.

    An agent's heartbeat is always a peek (DESIGN 6). If there is nothing new to show there is no commit and the numbers
    stay; the first report of a day counts changes from the one before.
    """
    home, reports, caller = reviewing.home, reviewing.reports, reviewing.caller
    if peek or not caller.actor.is_person:
        return _report(home.read(PLACES), reviewing), None

    def plan(snapshot: Snapshot) -> tuple[ChangeSet | None, _Planned]:
        gone = expired(snapshot, caller.now)
        back = returned(snapshot, _waiting(snapshot, caller))
        out = {one.block_id for one in back}
        waiting = [placed for placed in _waiting(snapshot, caller) if placed.block.id not in out]
        ids = tuple(placed.block.id for placed in waiting)
        answer = _Planned(snapshot, gone, back)
        unseen = [p for p in waiting if not p.stale and not is_shown_as_it_is(p.block)]
        is_same = ids == reports.open_ids() and not unseen and not gone and not back
        segment, folds, book = _folded(reviewing, snapshot)
        if is_same and not segment and reports.open_at() >= reviewing.day_began:
            return None, answer
        report = caller.new_id("rep")
        reports.prepare(report, caller.now, ids)
        # A new day, but the same candidates: a new report, and nothing to write in the files.
        if not (unseen or gone or back or segment):
            return None, answer
        shown = tuple(Put(_shown(placed.block, report, caller.now), placed.path) for placed in unseen)
        removes = tuple(
            placed.block.id for placed in (*gone, *(one.placed for one in back if one.placed is not None))
        )
        detail = f"{len(ids)} waiting, {len(gone)} expired"
        trailers = (*_trailers(report, gone, back), *((("Access", segment),) if segment else ()))
        act = Act("heartbeat", caller.actor, caller.now, (*ids, *removes), detail, trailers)
        puts = merged(shown, (put for put in folds if put.block.id not in removes))
        return ChangeSet(act, puts, removes, episodes=book), replace(answer, segment=segment)

    commit, planned = home.apply(plan, PLACES, records=any(map(_is_episode, reviewing.access.pending())))
    if commit is not None and planned.segment:
        reviewing.access.forget(planned.segment)
    reports.publish(commit.commit if commit is not None else planned.seen.head)
    seen = home.read(PLACES) if commit is not None else planned.seen
    return _report(seen, reviewing, planned.gone, planned.back), commit


@dataclass(frozen=True, slots=True)
class _Planned:
    """The basis of a report: the snapshot, the blocks that expire with it, those rejected before, the folded reads."""

    seen: Snapshot
    gone: tuple[Placed, ...]
    back: tuple[Returned, ...]
    segment: str = ""


def _folded(reviewing: Reviewing, snapshot: Snapshot) -> tuple[str, tuple[Put, ...], EpisodeBook | None]:
    """Seal the reads since the last fold: the segment's name, and the blocks and episodes with these reads (B2.30).

    The name is empty if there is nothing to fold, or if a file to be written holds a problem.
    """
    caller, reads = reviewing.caller, reviewing.access.pending()
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
    reviewing.access.seal(segment)
    return segment, folds, None if book is snapshot.episodes else book


def _is_episode(read: str) -> bool:
    # Reads of blocks and of episodes share one log.
    return read.startswith("ep-")


def _waiting(snapshot: Snapshot, caller: Caller) -> list[Placed]:
    return candidates(snapshot, caller.now, snapshot.config.number("heartbeat.expire_days"))


def _trailers(report: str, gone: Sequence[Placed], back: Sequence[Returned]) -> tuple[tuple[str, str], ...]:
    return (
        ("Report", report),
        *(("Expired", placed.block.id) for placed in gone),
        *refusals(back),
    )


def _report(
    snapshot: Snapshot,
    reviewing: Reviewing,
    leaving: tuple[Placed, ...] = (),
    back: tuple[Returned, ...] | None = None,
) -> Agenda:
    reports, caller, day_began = reviewing.reports, reviewing.caller, reviewing.day_began
    pool = snapshot.within("low_value")
    edition = Edition(
        reports.open_report(),
        reports.open_report() if reports.open_at() >= day_began else "",
        day_began,
        reports.since(day_began),
        reports.acts(day_began),
        leaving,
        returned(snapshot, _waiting(snapshot, caller)) if back is None else back,
        {block_id: number for number, block_id in enumerate(reports.open_ids(), start=1)},
        {placed.block.id: namespace_name(destination(placed.block)) for placed in pool},
    )
    return agenda(snapshot, caller.now, edition)


def _shown(block: Block, report: str, now: str) -> Block:
    return replace(block, reported=Reported(report, now, content_hash(block)))


def chosen(reviewing: Reviewing, references: Sequence[str], *, everything: bool) -> tuple[str, ...]:
    """The ids that numbers of the open report, ids and prefixes refer to; with ``everything`` all that it showed.

    Raises ``NotFoundError`` for a number that is not in the report.
    """
    numbered = reviewing.reports.open_ids()
    if everything:
        return numbered
    snapshot = reviewing.home.read(PLACES)
    ids = []
    for reference in references:
        # A longer run of digits can only be the prefix of an id.
        if reference.isdigit() and len(reference) <= 3:
            if not reviewing.reports.open_report():
                raise NotFoundError("no report is open", hint="'alice-exp heartbeat' opens one, with numbers")
            if not 1 <= int(reference) <= len(numbered):
                raise NotFoundError(
                    "the open report has no number {number}",
                    number=reference,
                    hint="see 'alice-exp heartbeat --peek'",
                )
            ids.append(numbered[int(reference) - 1])
        else:
            ids.append(resolve(snapshot, reference).block.id)
    return tuple(dict.fromkeys(ids))


def approve(
    home: Home,
    caller: Caller,
    ids: Sequence[str],
    to: str = "",
    *,
    bulk: bool = False,
    reason: str = "",
    stamp: Stamp = lambda block: block,
) -> Decided:
    """Approve candidates and unapproved trusted blocks: those about the user go to personal, others to universal.

    Blocks that changed since a report showed them are skipped and named, and so are expired or already decided ones if
    anything else is left to do; with ``bulk`` (``--all``) already decided ones are skipped silently. ``to`` is another
    namespace of personal or universal; else ``UsageError``. ``stamp`` signs with the owner key
    (``owner.usecases.decide``).
    """
    require_person(caller, "approve", f"alice-exp approve {' '.join(ids)}")
    from alice_exp.model.rules.approval import started
    from alice_exp.model.rules.peer_claims import accepted

    target = namespace_path(to) if to else ""
    if target and place_of(target) not in ("personal", "universal"):
        raise UsageError("approval leads to personal or universal, not to {to}", to=to)

    def accept(placed: Placed) -> Put:
        block = placed.block
        path = target or (placed.path if placed.place == "universal" else destination(block))
        # An approval confirms a personal block after an edit; it never moves it.
        if placed.place == "personal":
            path = placed.path
        shown = block.reported.report if block.reported is not None and is_shown_as_it_is(block) else ""
        # Taking it into personal, the person says that it is about them.
        if place_of(path) == "personal" and block.about == "work":
            block = replace(block, about="user")
        mark = Approved(caller.now, str(caller.actor), content_hash(block), shown)
        block = accepted(replace(block, approved=mark, reported=None, suggested=""))
        if placed.place == "low_value":
            block = started(block)
        return Put(stamp(block), path)

    return _decide(home, caller, "approve", ids, accept, _because(reason), bulk=bulk)


def personal_namespace(block: Block) -> str:
    """The namespace of personal to which a candidate goes if the person says that it is about them."""
    return namespace_name(destination(replace(block, about="user"))).partition("/")[2]


def reject(
    home: Home, caller: Caller, ids: Sequence[str], reason: str = "", *, bulk: bool = False
) -> Decided:
    """Reject candidates: they are archived for good, and recognised when they come back (R2.42, D26)."""
    require_person(caller, "reject", f"alice-exp reject {' '.join(ids)}")

    def refuse(placed: Placed) -> Put:
        mark = Archived(
            namespace_name(placed.path).replace("low_value/", "low_value_pool/"), caller.now, "rejected"
        )
        evidence = placed.block.evidence
        if reason:
            evidence = (*evidence, Evidence("decision", at=caller.now, quote=reason))[-EVIDENCE_KEPT:]
        block = replace(placed.block, archived=mark, reported=None, evidence=evidence)
        return Put(block, path_of("archive", "rejected"))

    return _decide(home, caller, "reject", ids, refuse, _because(reason), bulk=bulk)


def _because(reason: str) -> tuple[tuple[str, str], ...]:
    return (("Reason", reason),) if reason else ()


def _decide(
    home: Home,
    caller: Caller,
    op: str,
    ids: Sequence[str],
    decide: Callable[[Placed], Put],
    trailers: tuple[tuple[str, str], ...] = (),
    *,
    bulk: bool,
) -> Decided:
    if not ids:
        raise NotFoundError("there is nothing to {op}", op=op, hint="see 'alice-exp heartbeat'")

    def plan(snapshot: Snapshot) -> tuple[ChangeSet | None, Decided]:
        days = snapshot.config.number("heartbeat.expire_days")
        puts: list[Put] = []
        stuck: list[Put] = []
        broken = {file.path for file in snapshot.files if file.stale}
        skipped: list[tuple[str, Why]] = []
        settled: list[tuple[str, Why]] = []
        for block_id in ids:
            placed = snapshot.find(block_id)
            if placed is None or not _is_open(placed, op):
                settled.append((block_id, "gone" if placed is None else "moved"))
            elif is_expired(placed.block, caller.now, days) and placed.place == "low_value":
                skipped.append((block_id, "expired"))
            elif placed.block.reported is not None and not is_shown_as_it_is(placed.block):
                skipped.append((block_id, "changed"))
            else:
                put = decide(placed)
                (stuck if {placed.path, put.path} & broken else puts).append(put)
        if settled and not bulk:
            if not (puts or stuck or skipped):
                raise _not_open(settled[0][0], snapshot.find(settled[0][0]), op)
            skipped += settled
        if puts:
            skipped += [(put.block.id, "stale") for put in stuck]
        # With nothing else to do the write is tried, and fails with the file's own problem.
        puts = puts or stuck
        decided = tuple(Placed(put.block, put.path) for put in puts)
        if not puts:
            return None, Decided((), tuple(skipped))
        act = Act(op, caller.actor, caller.now, tuple(p.block.id for p in puts), _detail(puts), trailers)
        return ChangeSet(act, tuple(puts)), Decided(decided, tuple(skipped))

    commit, answer = home.apply(plan, PLACES)
    return replace(answer, commit=commit)


def _detail(puts: Sequence[Put]) -> str:
    return "→ " + ", ".join(sorted({namespace_name(put.path) for put in puts}))


def _is_open(placed: Placed, op: str) -> bool:
    if placed.place == "low_value":
        return True
    return op == "approve" and placed.place in ("universal", "personal") and not is_approved(placed)


def _not_open(block_id: str, placed: Placed | None, op: str) -> NotFoundError | RefusedError:
    if placed is None:
        return NotFoundError(
            "{id} is not in the home any more", id=block_id, hint=f"see 'alice-exp log {block_id}'"
        )
    return RefusedError(
        "{id} is in {place} already; there is nothing to {op}",
        id=block_id,
        place=namespace_name(placed.path),
        op=op,
        hint=f"see 'alice-exp show {block_id}'",
    )
