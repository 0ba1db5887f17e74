"""The person decides: the heartbeat, approve, reject."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from alice_exp.core.changes import Act, ChangeSet, Commit, Put
from alice_exp.core.errors import NotFoundError, RefusedError, UsageError
from alice_exp.core.model import (
    EVIDENCE_KEPT,
    Approved,
    Archived,
    Block,
    Evidence,
    Placed,
    Reported,
    Snapshot,
    content_hash,
    is_approved,
    path_of,
    place_of,
)
from alice_exp.core.ports import Home, Reports
from alice_exp.rules.agenda import Agenda, agenda, candidates, is_expired, is_shown_as_it_is
from alice_exp.rules.approval import Stamp
from alice_exp.usecases.acts import ALL, Caller, namespace_name, namespace_path, require_person, resolve
from alice_exp.usecases.capture import destination

Why = Literal["changed", "expired"]


@dataclass(frozen=True, slots=True)
class Decided:
    """A decision as carried out: the blocks where they are now, and those that had changed or expired meanwhile."""

    placed: tuple[Placed, ...]
    skipped: tuple[tuple[str, Why], ...] = ()
    commit: Commit | None = None

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids that were decided."""
        return tuple(placed.block.id for placed in self.placed)


def heartbeat(
    home: Home, reports: Reports, caller: Caller, day_began: str, *, peek: bool
) -> tuple[Agenda, Commit | None]:
    """Today's report. One that is no peek numbers the candidates, starts their clock and drops the expired.

    An agent's heartbeat is a peek (DESIGN 6). Nothing new to show means no commit and the same numbers.
    """
    if peek or not caller.actor.is_person:
        return _report(home.read(ALL), reports, caller, day_began, reports.open_at()), None

    def plan(snapshot: Snapshot) -> tuple[ChangeSet | None, Snapshot]:
        days = snapshot.config.number("heartbeat.expire_days")
        expired = tuple(
            p.block.id for p in snapshot.within("low_value") if is_expired(p.block, caller.now, days)
        )
        waiting = candidates(snapshot, caller.now, days)
        ids = tuple(placed.block.id for placed in waiting)
        unseen = [placed for placed in waiting if not is_shown_as_it_is(placed.block)]
        if ids == reports.open_ids() and not unseen and not expired:
            return None, snapshot
        report = caller.new_id("rep")
        reports.prepare(report, caller.now, ids)
        puts = tuple(Put(_shown(placed.block, report, caller.now), placed.path) for placed in unseen)
        if not puts and not expired:
            return None, snapshot
        act = Act(
            "heartbeat",
            caller.actor,
            caller.now,
            ids + expired,
            f"{len(ids)} waiting, {len(expired)} expired",
            (("Report", report), *(("Expired", block_id) for block_id in expired)),
        )
        return ChangeSet(act, puts, expired), snapshot

    since = reports.open_at()
    commit, _ = home.apply(plan)
    reports.publish()
    return _report(home.read(ALL), reports, caller, day_began, since), commit


def _report(snapshot: Snapshot, reports: Reports, caller: Caller, day_began: str, since: str) -> Agenda:
    destinations = {
        placed.block.id: namespace_name(destination(placed.block)) for placed in snapshot.within("low_value")
    }
    numbers = {block_id: number for number, block_id in enumerate(reports.open_ids(), start=1)}
    return agenda(snapshot, caller.now, day_began, reports.open_report(), since, numbers, destinations)


def _shown(block: Block, report: str, now: str) -> Block:
    return replace(block, reported=Reported(report, now, content_hash(block)))


def chosen(home: Home, reports: Reports, references: Sequence[str], *, everything: bool) -> tuple[str, ...]:
    """The ids that numbers of the open report, ids and prefixes name; with ``everything`` all that it showed."""
    if everything:
        return reports.open_ids()
    numbered = reports.open_ids()
    snapshot = home.read(ALL)
    ids = []
    for reference in references:
        if reference.isdigit() and len(reference) <= 3:
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
    stamp: Stamp = lambda block: block,
) -> Decided:
    """Candidates, and blocks of universal that wait, become trusted: about the user to personal, else to universal.

    What changed since a report showed it is skipped and named, and so is what expired; ``bulk`` (``--all``) leaves out
    what was decided meanwhile without a word. ``stamp`` is the owner key's (``usecases.owner.decide``).
    """
    require_person(caller, "approve", f"alice-exp approve {' '.join(ids)}")
    target = namespace_path(to) if to else ""
    if target and place_of(target) not in ("personal", "universal"):
        raise UsageError("approval leads to personal or universal, not to {to}", to=to)

    def accept(placed: Placed) -> Put:
        block = placed.block
        path = target or (placed.path if placed.place == "universal" else destination(block))
        if placed.place == "personal":
            path = placed.path
        shown = block.reported.report if block.reported is not None and is_shown_as_it_is(block) else ""
        if place_of(path) == "personal" and block.about == "work":
            block = replace(block, about="user")
        mark = Approved(caller.now, str(caller.actor), content_hash(block), shown)
        return Put(stamp(replace(block, approved=mark, reported=None, suggested="")), path)

    return _decide(home, caller, "approve", ids, accept, bulk=bulk)


def reject(
    home: Home, caller: Caller, ids: Sequence[str], reason: str = "", *, bulk: bool = False
) -> Decided:
    """Candidates go to the archive for good and are known again when they come back (R2.42, D26)."""
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

    trailers = (("Reason", reason),) if reason else ()
    return _decide(home, caller, "reject", ids, refuse, trailers, bulk=bulk)


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
        skipped: list[tuple[str, Why]] = []
        for block_id in ids:
            placed = snapshot.find(block_id)
            if placed is None or not _is_open(placed, op):
                if bulk:
                    continue
                raise _not_open(block_id, placed, op)
            if is_expired(placed.block, caller.now, days) and placed.place == "low_value":
                skipped.append((block_id, "expired"))
            elif placed.block.reported is not None and not is_shown_as_it_is(placed.block):
                skipped.append((block_id, "changed"))
            else:
                puts.append(decide(placed))
        decided = tuple(Placed(put.block, put.path) for put in puts)
        if not puts:
            return None, Decided((), tuple(skipped))
        act = Act(op, caller.actor, caller.now, tuple(p.block.id for p in puts), _detail(puts), trailers)
        return ChangeSet(act, tuple(puts)), Decided(decided, tuple(skipped))

    commit, answer = home.apply(plan, ALL)
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
