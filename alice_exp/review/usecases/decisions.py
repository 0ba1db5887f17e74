"""A person's decisions on candidates: approve, reject, replace a trusted block."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Literal, TypeAlias

from alice_exp.caller.acting import Caller, require_person
from alice_exp.home.file_home import Home
from alice_exp.home.session import Session
from alice_exp.kernel.errors import Hint, NotFoundError, RefusedError, UsageError
from alice_exp.kernel.journal.act import CHANNEL, Act, Commit, Op, committed
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.rules.ledger import after
from alice_exp.model.rules.private_facts import delicate, destination
from alice_exp.model.values.block import (
    EVIDENCE_KEPT,
    PLACES,
    REVIEWED,
    Approved,
    Archived,
    Block,
    Evidence,
    Placed,
    content_hash,
    is_approved,
    is_asked,
    is_put_away,
    is_shown_as_it_is,
    path_of,
    place_of,
)
from alice_exp.model.values.snapshot import ChangeSet, Put, Snapshot, namespace_name, namespace_path, resolve
from alice_exp.review.rules.doubts import Rival, told_rivals, with_answers
from alice_exp.review.store import OpenReport, reports

Seen: TypeAlias = Mapping[str, str]
"""The content hashes of what a caller showed the person itself just before deciding, by id."""

Why = Literal["changed", "moved", "gone", "stale", "rival", "private"]
"""Why an item of a decision was skipped: ``moved`` was decided already, ``stale`` is in a file with a problem, of a
``rival`` a person has to say which of the two holds, and what is ``private`` or secret is approved by itself alone."""


@dataclass(frozen=True, slots=True)
class Decided:
    """What a decision did: the blocks where they are now, what was skipped and why, the pairs that wait as rivals."""

    placed: tuple[Placed, ...]
    skipped: tuple[tuple[str, Why], ...] = ()
    rivals: tuple[Rival, ...] = ()
    commit: Commit | None = None
    is_quit: bool = False

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the decided blocks."""
        return tuple(placed.block.id for placed in self.placed)


def open_report(session: Session) -> OpenReport:
    """The open report; ``NotFoundError`` for a decision on it before any report was given to a person."""
    if not (opened := reports(session).open).report:
        raise NotFoundError(
            "no report is open", hint="'alice-exp heartbeat', without -q or --peek, opens one"
        )
    return opened


def chosen(session: Session, references: Sequence[str]) -> tuple[str, ...]:
    """The ids that numbers of the open report, ids and prefixes name; ``NotFoundError`` for a number that it lacks."""
    if not references:
        return ()
    snapshot = session.home.read(REVIEWED)
    ids = []
    for reference in references:
        # A longer run of digits can only be the prefix of an id.
        if reference.isdigit() and len(reference) <= 3:
            block_id = dict(enumerate(open_report(session).ids, start=1)).get(int(reference))
            if not block_id:
                none = "the open report has no number {number}"
                raise NotFoundError(none, number=reference, hint="see 'alice-exp heartbeat --peek'")
            if is_unseen(snapshot.find(block_id)):
                raise unseen(reference)
            ids.append(block_id)
        else:
            ids.append(resolve(snapshot, reference).block.id)
    return tuple(dict.fromkeys(ids))


def shown_only(home: Home, ids: Sequence[str]) -> tuple[tuple[str, ...], int]:
    """Those whose text a report gave to a person, and how many were only counted: no decision reaches these
    (DESIGN 7). What is decided already is not asked about again, while anything waits."""
    snapshot = home.read(REVIEWED)
    known = {block_id: snapshot.find(block_id) for block_id in ids}
    shown = {block_id: placed for block_id, placed in known.items() if not is_unseen(placed)}
    open_ = [
        block_id
        for block_id, placed in shown.items()
        if placed and placed.place != "archive" and not (is_approved(placed) or is_put_away(placed))
    ]
    return tuple(open_ or shown), len(known) - len(shown)


def is_unseen(placed: Placed | None) -> bool:
    """Whether no report has given a candidate's text to a person."""
    return placed is not None and placed.place == "low_value" and placed.block.reported is None


def unseen(number: str) -> RefusedError:
    """The error for a number that a report only counted."""
    return RefusedError(
        "number {number} was only counted so far; see it first",
        number=number,
        hint="see 'alice-exp heartbeat --page 2', or 'alice-exp review'",
    )


def approve(
    home: Home,
    caller: Caller,
    ids: Sequence[str],
    to: str = "",
    *,
    bulk: bool = False,
    reason: str = "",
    replacing: Sequence[str] = (),
    both: Sequence[str] = (),
    everywhere: bool = False,
    seen: Seen = MappingProxyType({}),
    asks: bool = False,
) -> Decided:
    """Approve candidates and unapproved trusted blocks: those about the user go to personal, others to universal.

    What changed since it was shown, by a report or by the caller (``seen``), is skipped and named, and so is what was
    decided already if anything else is left to do; with ``bulk`` (``--all``) silently. ``to`` is another namespace of
    personal or universal; else ``UsageError``. A rival of something that is told now waits and is named, unless the
    person says of the one candidate that it takes the other's place (``replacing``), or that ``both`` hold. Of a rival
    that waits itself, a rival only where the caller ``asks``, the first rejects it, the second approves it, too. Each
    holds in its project, or ``everywhere``. ``RefusedError`` where a secret or a private fact would stay in universal.
    """
    require_person(caller, "approve", f"alice-exp approve {' '.join(ids)}")
    if (replacing or both) and len(ids) != 1:
        raise UsageError("one candidate takes the place of a block", hint="name one candidate")
    target = namespace_path(to) if to else ""
    if target and place_of(target) not in ("personal", "universal"):
        raise UsageError("approval leads to personal or universal, not to {to}", to=to)

    made = partial(_trusting, caller, target, everywhere)

    def answered(placed: Placed, snapshot: Snapshot) -> tuple[Put, ...]:
        won, beside = ([resolve(snapshot, name) for name in each] for each in (replacing, both))
        waiting = [one for one in (*won, *beside) if one.place == "low_value"]
        if new := [one for one in waiting if not is_seen(one.block, seen)]:
            raise unseen(new[0].block.id)
        ended = (refused(one, caller.now) for one in waiting if one in won)
        along = (put for one in waiting if one in beside for put in made(one))
        return (*made(placed, won, beside), *ended, *along)

    def rivals(snapshot: Snapshot, chosen: Sequence[Placed]) -> Mapping[str, Rival]:
        said = [resolve(snapshot, name).block.id for name in (*replacing, *both)]
        return told_rivals(snapshot, chosen, said, asks=asks)

    return _decide(home, caller, "approve", ids, answered, reason, seen=seen, bulk=bulk, rivals=rivals)


def _trusting(
    caller: Caller,
    target: str,
    everywhere: bool,
    placed: Placed,
    won: Sequence[Placed] = (),
    beside: Sequence[Placed] = (),
) -> tuple[Put, ...]:
    """A block as an approval leaves it, and the trusted ones whose earlier answer on it is taken back."""
    from alice_exp.model.rules.approval import accepted, kept_here, started

    block = placed.block
    # What it claimed of itself so far was a proposal.
    bare = replace(block, replaces=(), both=()) if placed.place == "low_value" else block
    block, others = with_answers(bare, won, beside)
    path = target or (placed.path if placed.place == "universal" else destination(block))
    # An approval confirms a personal block after an edit; it never moves it.
    if placed.place == "personal":
        path = placed.path
    if place_of(path) == "universal" and delicate(block):
        raise _would_be_shared(placed)
    shown = block.reported.report if block.reported is not None and is_shown_as_it_is(block) else ""
    # Taking it into personal, the person says that it is about them.
    if place_of(path) == "personal" and block.about == "work":
        block = replace(block, about="user")
    if everywhere:
        block = replace(block, project="")
    mark = Approved(caller.now, str(caller.actor), content_hash(block), shown)
    block = accepted(replace(kept_here(placed, block), approved=mark, reported=None, suggested=""))
    if placed.place == "low_value":
        block = started(block)
    return (Put(block, path, decided=True), *others)


def _would_be_shared(placed: Placed) -> RefusedError:
    """The error for a secret on its way into universal, or typed into it, and what to do instead."""
    block, own = placed.block, f"personal/{personal_namespace(placed.block)}"
    instead = Hint(
        "alice-exp approve {id} --to {own}, or alice-exp reject {id} --purge"
        if placed.place == "low_value"
        else "alice-exp edit {id}, or alice-exp move {id} {own}, or alice-exp purge {id}",
        id=block.id,
        own=own,
    )
    said = "{id} holds a secret or a private fact, and universal may be shared"
    return RefusedError(said, id=block.id, hint=instead)


def personal_namespace(block: Block) -> str:
    """The namespace of personal to which a candidate goes if the person says that it is about them."""
    return namespace_name(destination(replace(block, about="user"))).partition("/")[2]


def reject(
    home: Home,
    caller: Caller,
    ids: Sequence[str],
    reason: str = "",
    *,
    bulk: bool = False,
    seen: Seen = MappingProxyType({}),
) -> Decided:
    """Reject candidates, but what changed since it was shown: archived for good, known when back (R2.42, D26)."""
    require_person(caller, "reject", f"alice-exp reject {' '.join(ids)}")

    def ended(placed: Placed, _: Snapshot) -> tuple[Put, ...]:
        return (refused(placed, caller.now, reason),)

    return _decide(home, caller, "reject", ids, ended, reason, seen=seen, bulk=bulk)


def refused(placed: Placed, now: str, reason: str = "") -> Put:
    """A candidate on its way to the archive for good."""
    was = placed.block.archived
    origin = was.origin if was else namespace_name(placed.path).replace("low_value/", "low_value_pool/")
    mark = Archived(origin, now, "rejected")
    evidence = placed.block.evidence
    if reason:
        evidence = (*evidence, Evidence("decision", at=now, quote=reason))[-EVIDENCE_KEPT:]
    block = replace(placed.block, archived=mark, reported=None, evidence=evidence)
    return Put(block, path_of("archive", "rejected"))


def is_seen(block: Block, seen: Seen) -> bool:
    """Whether a report, or else the caller, showed the block as it is now."""
    shown = (block.reported.hash if block.reported is not None else "", seen.get(block.id, ""))
    return content_hash(block) in shown


def _decide(
    home: Home,
    caller: Caller,
    op: Op,
    ids: Sequence[str],
    decide: Callable[[Placed, Snapshot], tuple[Put, ...]],
    reason: str = "",
    *,
    seen: Seen,
    bulk: bool,
    rivals: Callable[[Snapshot, Sequence[Placed]], Mapping[str, Rival]] = lambda *_: {},
) -> Decided:
    if not ids:
        raise NotFoundError("there is nothing to {op}", op=op, hint="see 'alice-exp heartbeat'")

    def plan(snapshot: Snapshot) -> tuple[ChangeSet | None, Decided]:
        puts, stuck = list[Put](), list[Put]()
        skipped, settled = list[tuple[str, Why]](), list[tuple[str, Why]]()
        broken = {file.path for file in snapshot.files if file.stale}
        is_several = op == "approve" and (bulk or len(ids) > 1)
        held = {block_id: snapshot.find(block_id) for block_id in ids}
        apart = rivals(snapshot, [p for p in held.values() if p is not None and _is_open(p, op)])
        for block_id, placed in held.items():
            if placed is None or not _is_open(placed, op):
                settled.append((block_id, "gone" if placed is None else "moved"))
            elif (why := _left(placed, seen, apart, is_several)) is not None:
                skipped.append((block_id, why))
            else:
                made = decide(placed, snapshot)
                paths = {placed.path, *(put.path for put in made)}
                (stuck if paths & broken else puts).extend(made)
        if settled and not bulk:
            if not (puts or stuck or skipped):
                raise not_open(settled[0][0], snapshot.find(settled[0][0]), op)
            skipped += settled
        if puts:
            skipped += [(put.block.id, "stale") for put in stuck]
        # With nothing else to do the write is tried, and fails with the file's own problem.
        puts = puts or stuck
        if not puts:
            return None, Decided((), tuple(skipped), tuple(apart.values()))
        said = (("Reason", reason), ("Reply", caller.reply), (CHANNEL, caller.channel))
        trailers, changed = tuple(row for row in said if row[1]), tuple(put.block.id for put in puts)
        act = Act(op, caller.actor, caller.now, changed, where_to(puts), trailers)
        decided = tuple(
            after(act, snapshot.find(put.block.id), put)
            for put in puts
            if put.decided or place_of(put.path) == "archive"
        )
        return ChangeSet(act, tuple(puts)), Decided(decided, tuple(skipped), tuple(apart.values()))

    return committed(home.apply(plan, PLACES))


def _left(placed: Placed, seen: Seen, apart: Mapping[str, Rival], is_several: bool) -> Why | None:
    """Why an open candidate is not decided with the others; None if it is."""
    if not is_seen(placed.block, seen):
        return "changed"
    if placed.block.id in apart:
        return "rival"
    return "private" if is_several and placed.place == "low_value" and delicate(placed.block) else None


def where_to(puts: Sequence[Put]) -> str:
    """What a commit says of where an act took its blocks."""
    return "→ " + ", ".join(sorted({namespace_name(put.path) for put in puts}))


def _is_open(placed: Placed, op: Op) -> bool:
    if placed.place == "low_value":
        return is_asked(placed) or not is_put_away(placed)
    if placed.place == "archive":
        return is_asked(placed) and op == "reject"
    return op == "approve" and (is_asked(placed) or not is_approved(placed))


def not_open(block_id: str, placed: Placed | None, op: Op) -> NotFoundError | RefusedError:
    """The error for a decision on what was decided already, or is gone."""
    if placed is None:
        see = Hint("see 'alice-exp log {id}'", id=block_id)
        return NotFoundError("{id} is not in the home any more", id=block_id, hint=see)
    return RefusedError(
        "{id} is in {place} already; there is nothing to {op}",
        id=block_id,
        place=namespace_name(placed.path),
        op=op,
        hint=Hint("see 'alice-exp show {id}'", id=block_id),
    )
