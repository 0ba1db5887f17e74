"""Provenance of blocks (log, diff, why), and its reversal (undo, restore)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterator, Sequence
from dataclasses import replace
from itertools import islice, pairwise, takewhile
from typing import TYPE_CHECKING

from alice_exp.blocks.rules.undo import (
    RECORDS,
    Lost,
    by_block,
    lost_decisions,
    put_back,
    taken_over,
    whole_files,
)
from alice_exp.caller.acting import Caller, require_person
from alice_exp.home.file_home import Home
from alice_exp.home.ports import Changed, Version
from alice_exp.kernel.errors import Hint, Names, NotFoundError, UsageError
from alice_exp.kernel.journal.act import OPS, Act, Commit, committed
from alice_exp.kernel.jsonc import Json
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.formats.block_schema import block_json
from alice_exp.model.rules.identity import Rejections
from alice_exp.model.values.block import PLACES, Placed
from alice_exp.model.values.snapshot import ChangeSet, Put, Snapshot, prefix

if TYPE_CHECKING:
    from alice_exp.home.session import Session
    from alice_exp.home.store.git_history import GitHistory


@dataclass(frozen=True, slots=True)
class LogFilter:
    """Filters of acts; empty means any. Times are ISO-8601 UTC, ``since`` inclusive, ``until`` exclusive."""

    block: str = ""
    by: str = ""
    op: str = ""
    session: str = ""
    since: str = ""
    until: str = ""
    limit: int = 0

    def passes(self, commit: Commit) -> bool:
        """Whether an act passes every filter but the limit."""
        # Extraction writes ``ID#INDEX``.
        sessions = [value.partition("#")[0] for name, value in commit.trailers if name == "Session"]
        return (
            (not self.by or commit.actor == self.by or commit.actor.startswith(f"{self.by}:"))
            and (not self.op or commit.op == self.op)
            and (not self.session or self.session in sessions)
            and (not self.since or commit.at >= self.since)
            and (not self.until or commit.at < self.until)
        )


Step = tuple[Commit, str, str]
"""One act on a block: the commit, and the block's state before and after (empty: it did not exist)."""


@dataclass(frozen=True, slots=True)
class Undone:
    """The result of an undo: the acts taken back, the blocks (and files without blocks) put back, and the conflicts.

    A conflict is a block or a file that another act changed, with that act if it is known. ``instead`` is the newest
    act that could be taken back, where later acts changed all that the newest one did.
    """

    acts: tuple[Commit, ...]
    blocks: tuple[str, ...]
    conflicts: tuple[tuple[str, Commit | None], ...]
    commit: Commit | None = None
    instead: Commit | None = None


def require_op(history: GitHistory, op: str) -> None:
    """Raise ``UsageError`` for an operation that there is not, and that no version before left in this history."""
    if op and op not in OPS and all(commit.op != op for commit in history.log()):
        raise UsageError("there is no kind of act {name}", name=repr(op), hint=", ".join(OPS))


def stands(history: GitHistory, act: Commit) -> bool:
    """Whether an act is in effect: no undo that is itself in effect has taken it back as a whole."""
    return not any(stands(history, undo) for undo in history.carrying("Undoes", act.act_id))


def log(history: GitHistory, filters: LogFilter) -> Iterator[Commit]:
    """The acts that pass the filters, newest first."""
    passing = (commit for commit in history.log(block=filters.block) if filters.passes(commit))
    return islice(passing, filters.limit) if filters.limit else passing


def find(session: Session, reference: str) -> tuple[str, Placed | None]:
    """The id that a reference stands for, among living and archived blocks, else among all ids in history; with the
    block as it is now, ``None`` if it is in no file.

    Raises ``UsageError`` if it fits several, ``NotFoundError`` if it fits none.
    """
    wanted = prefix(reference)
    try:
        present = session.look_up(reference)
        return present.block.id, present
    except NotFoundError as missing:
        hint = missing.hint
    named = (block_id for commit in session.history.log() for block_id in commit.blocks)
    known = {block_id for block_id in named if block_id.startswith(wanted)}
    if len(known) == 1:
        return known.pop(), None
    if known:
        raise UsageError(
            "{reference} fits several blocks: {few}", reference=reference, few=Names(sorted(known)[:4])
        )
    raise NotFoundError("no block ever had the id {reference}", reference=reference, hint=hint)


def diff(history: GitHistory, name: str = "") -> Changed:
    """The changes of the act ``name``, or of the newest act."""
    if name:
        return history.changed(history.commit(name).commit)
    newest = next(history.log(), None)
    if newest is None:
        raise NotFoundError("there is no act yet", hint="start with 'alice-exp remember'")
    return history.changed(newest.commit)


def undo(
    home: Home,
    history: GitHistory,
    caller: Caller,
    name: str = "",
    filters: LogFilter | None = None,
    brought: Callable[[], Container[str]] = tuple,
) -> Undone:
    """Take acts back in one commit, newest first: one by name, all that pass a filter, else the newest still in effect
    that no agent's hook heard, nor a sync brought (``brought`` gives those commits).

    Each block returns to what it was before; if another act changed it too, it is a conflict, which is named and left.
    ``NotFoundError`` for what left no word behind. Filters skip acts already taken back, reports, and undos, unless
    ``op`` asks for them.
    """
    require_person(caller, "undo", f"alice-exp undo {name}".rstrip())
    filters = filters or LogFilter()
    acts = _chosen(history, name, filters, brought)
    if not acts:
        raise NotFoundError("there is no act to undo", hint="see 'alice-exp log'")
    undone = _undo(home, history, caller, acts)
    lost = [target for target, act in undone.conflicts if act in acts]
    if lost and not undone.acts:
        raise NotFoundError("history holds no text of {id}", id=lost[0], hint="see 'alice-exp log'")
    if undone.acts or name or filters != LogFilter():
        return undone
    # Taking back an older act than the newest is for the person to say: it is named.
    rehearsal = home.dry()
    older = (act for act in _meant(history, brought) if act not in acts)
    possible = (act for act in islice(older, _TRIED) if _undo(rehearsal, history, caller, (act,)).acts)
    return replace(undone, instead=next(possible, None))


_TRIED = 20
"""How many acts are tried for one that can be taken back."""


def _chosen(
    history: GitHistory, name: str, filters: LogFilter, brought: Callable[[], Container[str]]
) -> tuple[Commit, ...]:
    if name:
        act = history.commit(name)
        # `pairwise` leaves out the oldest commit, which created the home.
        if act.op == "purge" or not any(older.commit == act.commit for older, _ in pairwise(history.log())):
            raise UsageError("{op} cannot be taken back", op=act.op)
        return (act,)
    if filters != LogFilter():
        return tuple(_standing(history, filters))
    standing = _meant(history, brought)
    newest = next(standing, None)
    said = dict(newest.trailers).get("Reply") if newest is not None else None
    # What one reply approved and rejected is one decision of the person's.
    more = takewhile(lambda act: dict(act.trailers).get("Reply") == said, standing) if said else ()
    return (newest, *more) if newest is not None else ()


def _meant(history: GitHistory, brought: Callable[[], Container[str]]) -> Iterator[Commit]:
    """The acts that a person means who names none: of this machine; what an agent's hook heard, unseen, comes last."""
    elsewhere = brought()
    for is_heard in (False, True):
        for act in _standing(history, LogFilter()):
            if act.commit not in elsewhere and (act.op == "extract" and act.actor != "user") is is_heard:
                yield act


def _standing(history: GitHistory, filters: LogFilter) -> Iterator[Commit]:
    """The acts that pass and are still in effect, newest first, without the first of all, which created the home."""
    # Where nothing is asked for, what an undo could take back only in part is not met again and again.
    undone = ("Undoes",) if filters != LogFilter() else ("Undoes", _IN_PART)
    # An undo is met before the acts that it undoes, as the log is newest first.
    taken_back: set[str] = set()
    for commit, _ in pairwise(history.log()):
        if commit.op == "undo" and commit.act_id not in taken_back:
            taken_back |= {value for key, value in commit.trailers if key in undone}
        passed_over = commit.op in _PASSED_OVER or commit.actor == "system"
        asked = filters.op == commit.op or not passed_over
        if asked and commit.act_id not in taken_back and filters.passes(commit):
            yield commit


_PASSED_OVER = ("init", "heartbeat", "seen", "sync", "undo", "purge")
"""Operations that are taken back only by name or with ``--op``; and so is what the system did by itself. To take back a
sync is to delete what the other machine brought, on that machine, too."""

_IN_PART = "Undoes-In-Part"
"""Trailer of an undo: an act of which something stays in effect, as a later act changed it."""


def _undo(home: Home, history: GitHistory, caller: Caller, acts: tuple[Commit, ...]) -> Undone:
    changed = [history.changed(act.commit) for act in acts]

    def plan(snapshot: Snapshot) -> tuple[ChangeSet | None, Undone]:
        whole = whole_files(changed, snapshot, home.text, caller.now)
        taken = whole if whole is not None else by_block(changed, snapshot, home.text, caller.now)
        conflicts = tuple((target, _latest(history, target, acts)) for target in taken.conflicts)
        # What decided without changing a file is taken back in the ledger.
        lost = tuple(_unkept(changed, snapshot))
        bare = [one.commit for one in changed if not (one.blocks or one.files)]
        gone, conflicts = [by for _, by in lost if by in bare], (*conflicts, *lost)
        alone = tuple(i for act in bare if act not in gone for i in act.blocks)
        if not (taken.touched or alone):
            return None, Undone((), (), conflicts)
        back = tuple(act for act in acts if act not in gone)
        answer = Undone(back, (*taken.touched, *alone), conflicts)
        detail = ", ".join(f"{act.op} {act.commit[:8]}" for act in back[:3])
        more = f" and {len(back) - 3} more" if len(back) > 3 else ""
        undoes = tuple(
            (_IN_PART if act.commit in taken.left else "Undoes", act.act_id) for act in back if act.act_id
        )
        act = Act(
            "undo", caller.actor, caller.now, (*taken.blocks, *alone), f"takes back {detail}{more}", undoes
        )
        rest = {name: getattr(taken, name) for name in ("episodes", "timeline", "texts", "seen")}
        return ChangeSet(act, taken.puts, taken.removes, **rest), answer

    records = any(file.path in RECORDS for one in changed for file in one.files)
    return committed(home.apply(plan, PLACES, records=records))


def _unkept(changed: Sequence[Changed], snapshot: Snapshot) -> Iterator[tuple[str, Commit]]:
    """The secrets that some acts turned down, whose words are nowhere since."""
    for one in changed:
        if one.commit.op in ("reject", "retire"):
            known = {version.block_id for version in one.blocks}
            yield from ((i, one.commit) for i in one.commit.blocks if i not in known and not snapshot.find(i))


def _latest(history: GitHistory, target: str, acts: tuple[Commit, ...]) -> Commit | None:
    """The newest act on a block other than those to be taken back; ``None`` for a file."""
    chosen = {act.commit for act in acts}
    if not target.startswith("exp-"):
        return None
    return next((commit for commit in history.log(block=target) if commit.commit not in chosen), None)


def restore(session: Session, reference: str) -> tuple[Placed, Commit | None]:
    """Bring back a block that expired, was deleted or was pruned, from its last version in history.

    A candidate's expiry starts anew with the next report. Raises ``RefusedError`` for one that repeats something
    rejected, ``UsageError`` if the block is in the home, ``NotFoundError`` if history does not have it.
    """
    from alice_exp.blocks.usecases.capture import refusal

    caller, history = session.caller, session.history
    require_person(caller, "restore", f"alice-exp restore {reference}")
    block_id, _ = find(session, reference)

    def plan(snapshot: Snapshot) -> tuple[ChangeSet | None, Placed]:
        present = snapshot.find(block_id)
        if present is not None:
            archived = present.block.archived
            lifted = " --from-rejected" if archived is not None and archived.reason == "rejected" else ""
            revived = Hint("'{line}' takes it out of there", line=f"alice-exp revive {block_id}{lifted}")
            hint = revived if present.place == "archive" else ""
            raise UsageError(
                "{id} is in the home already, in {place}", id=block_id, place=present.path, hint=hint
            )
        last = history.last_text(block_id)
        if last is None:
            raise NotFoundError("history holds no text of {id}", id=block_id)
        placed, raw = last
        back = Placed(replace(placed.block, reported=None), placed.path)
        known = Rejections.within(snapshot).find(back.block.payload) if back.place == "low_value" else None
        if known is not None:
            raise refusal(known)
        act = Act(
            "restore", caller.actor, caller.now, (block_id,), f"into {back.path.removesuffix('.jsonc')}"
        )
        return ChangeSet(act, (Put(back.block, back.path, raw),)), back

    commit, placed = session.home.apply(plan, PLACES)
    return placed, commit


def lost(home: Home, history: GitHistory) -> tuple[Lost, ...]:
    """The person's decisions that the files lack."""
    return lost_decisions(home.read(PLACES), history.decided)


def restore_lost(
    home: Home, caller: Caller, history: GitHistory, shown: Collection[str], *, lets_go: bool = False
) -> tuple[tuple[str, ...], Commit | None]:
    """Put back the decisions of these ids that the files lack, or let them go: which. What was rejected stays so."""
    require_person(caller, "restore", "alice-exp restore --lost")

    def plan(snapshot: Snapshot) -> tuple[ChangeSet | None, tuple[str, ...]]:
        rows = [one for one in lost_decisions(snapshot, history.decided) if one.entry.id in shown]
        if not rows:
            return None, ()
        puts = () if lets_go else tuple(filter(None, map(put_back, rows)))
        ids = tuple(one.entry.id for one in rows)
        detail = f"{len(ids)} decision{'s' * (len(ids) != 1)} {'let go' if lets_go else 'put back'}"
        made = Act("restore", caller.actor, caller.now, ids, detail)
        return ChangeSet(made, puts, decided=taken_over(snapshot, rows, lets_go=lets_go)), ids

    commit, ids = home.apply(plan, PLACES)
    if lets_go and (decisions := home.read(()).decisions):
        decisions.let_go()
    return ids, commit


def field_changes(version: Version) -> dict[str, tuple[Json, Json]]:
    """The fields that an act changed, by name: the JSON before and after (``None``: absent)."""
    before = block_json(version.before.block, version.before.place) if version.before else {}
    after = block_json(version.after.block, version.after.place) if version.after else {}
    return {
        name: (before.get(name), after.get(name))
        for name in dict.fromkeys([*before, *after])
        if before.get(name) != after.get(name)
    }
