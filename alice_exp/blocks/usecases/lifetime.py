"""A person's operations on one block: edit, move, retire, revive, purge (R2.8, R2.9, B2.9, B2.10, B2.29, B2.44)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Literal

from alice_exp.caller.acting import Caller, require_person
from alice_exp.home.file_home import Home
from alice_exp.home.ports import Purged
from alice_exp.kernel.errors import BusyError, Hint, NotFoundError, RefusedError, UsageError
from alice_exp.kernel.journal.act import Act, Commit, Op, committed
from alice_exp.kernel.jsonc import Problem, first_error, only_errors
from alice_exp.kernel.jsonc.document import Document
from alice_exp.kernel.jsonc.edits import cut
from alice_exp.kernel.jsonc.edits import edit as edited
from alice_exp.kernel.jsonc.reader import parse
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.formats.block_edits import raw_block
from alice_exp.model.formats.block_schema import read_blocks
from alice_exp.model.formats.field_readers import problem_at
from alice_exp.model.rules.approval import completed, raises_trust
from alice_exp.model.rules.doubt import DOUBTED, is_in_doubt, rested, still_true
from alice_exp.model.rules.ledger import after
from alice_exp.model.rules.lifecycle import DEFAULT, Change, Thresholds
from alice_exp.model.rules.lifecycle import retire as retired
from alice_exp.model.rules.lifecycle import revive as revived
from alice_exp.model.rules.private_facts import is_left_behind, pool_path
from alice_exp.model.values.block import (
    HELD,
    PLACES,
    REVIEWED,
    Archived,
    Block,
    Placed,
    content_hash,
    is_approved,
    is_asked,
    path_of,
    place_of,
)
from alice_exp.model.values.snapshot import ChangeSet, Put, Snapshot, namespace_name, namespace_path, resolve

_POOL = "low_value_pool/"


@dataclass(frozen=True, slots=True)
class Lived:
    """The result of an act on one block: the block before and after, and whether it is approved now."""

    before: Placed
    placed: Placed
    commit: Commit | None = None

    @property
    def approved(self) -> bool:
        """Whether the block's present content is approved."""
        return is_approved(self.placed)

    @property
    def lost_approval(self) -> bool:
        """Whether the act invalidated the approval, so that the block waits for a new one."""
        archived = self.placed.place == "archive"
        return not archived and is_approved(self.before) and not is_approved(self.placed)


# The text is parsed inside a file of its own, so that it is checked by the same rules as a whole file.
_FRAME = '{{\n"blocks": [\n{}\n]\n}}\n'
_ABOVE = 2  # The lines of the frame above the block's text.

Alone = tuple[Block | None, str, tuple[Problem, ...]]
"""An edited block: the block and its text with comments, or the problems (and no block); none of them where nothing but
comments and blanks is left. Lines of problems count from the text's first."""


def read_alone(text: str, old: Placed, now: str) -> Alone:
    """Read the edited text of ``old``: checked like a file, and completed with its id and times.

    ``updated_at`` follows a change of content (DESIGN 3). A change of the id, or of fields that only acts may write
    (approval, archiving), is a problem.
    """
    document = parse(_FRAME.format(text).encode("utf-8", "surrogatepass"), old.path)
    if document.problem is not None:
        return None, "", (_above(document.problem),)
    value = document.value
    listed = value.get("blocks") if isinstance(value, dict) else None
    if listed == []:
        return None, "", ()
    if not isinstance(listed, list) or len(listed) != 1 or list(value) != ["blocks"]:  # type: ignore[arg-type]
        return None, "", (_fault(document, (), "this is one block: what stands in { … }"),)
    blocks, problems = read_blocks(document)
    faults = tuple(_above(problem) for problem in only_errors(problems))
    if faults or not blocks:
        return None, "", faults
    return _checked(document, blocks[0], old, now)


def _checked(document: Document, block: Block, old: Placed, now: str) -> Alone:
    if block.id not in ("", old.block.id):
        return None, "", (_fault(document, ("id",), "an id stays what it is: {id}", id=old.block.id),)
    for name in ("approved", "archived"):
        if getattr(block, name) != getattr(old.block, name):
            said = '"{name}" is written by acts alone; leave it as it was'
            return None, "", (_fault(document, (name,), said, name=name),)
    edits = completed(0, block, old.block.id, old, now)
    if edits:
        document = parse(edited(document, edits), old.path)
        block = read_blocks(document)[0][0]
    return block, cut(document, ("blocks", 0)).text, ()


def _above(problem: Problem) -> Problem:
    return replace(problem, line=max(1, problem.line - _ABOVE))


def _fault(document: Document, below: tuple[str, ...], template: str, **values: object) -> Problem:
    return _above(problem_at(document, ("blocks", 0, *below), template, values))


@dataclass(frozen=True, slots=True)
class Opened:
    """A block as opened in an editor: its place, and its own text with comments."""

    placed: Placed
    text: str


def open_block(home: Home, caller: Caller, reference: str) -> Opened:
    """A block's own text for an editor; raises ``ProblemError`` if its file holds an error and cannot be written."""
    require_person(caller, "edit", f"alice-exp edit {reference}")
    snapshot = home.read(REVIEWED)
    placed = resolve(snapshot, reference)
    if (fault := first_error(snapshot.problems, placed.path)) is not None:
        raise fault.as_error()
    return Opened(placed, _text(home, placed))


def faults(opened: Opened, text: str, caller: Caller) -> tuple[Problem, ...]:
    """The problems of the edited text, with lines counted from its first; empty if it is valid or emptied."""
    return read_alone(text, opened.placed, caller.now)[2]


def edit(home: Home, caller: Caller, opened: Opened, text: str) -> Lived:
    """Replace the opened block by its edited text; an emptied or unchanged text changes nothing.

    Raises ``ProblemError`` for an invalid text, ``BusyError`` if the block was changed while the editor was open, and
    ``RefusedError`` if a candidate now repeats something rejected. A block of universal whose content changed waits
    for approval again; a candidate has to be shown again (DESIGN 6).
    """
    from alice_exp.blocks.usecases.capture import refusal
    from alice_exp.model.rules.identity import Rejections

    require_person(caller, "edit", f"alice-exp edit {opened.placed.block.id}")
    (block, raw, problems), path = read_alone(text, opened.placed, caller.now), opened.placed.path
    if problems:
        raise problems[0].as_error()
    if block is None or text.strip() == opened.text.strip():
        return Lived(opened.placed, opened.placed)

    def plan(snapshot: Snapshot) -> tuple[ChangeSet | None, Lived]:
        present = snapshot.find(block.id)
        if present is None or present.path != path or _text(home, present) != opened.text:
            raise BusyError("{id} was changed while the editor was open", id=block.id, hint="edit it again")
        known = Rejections.within(snapshot).find(block.payload) if present.place == "low_value" else None
        if known is not None and block.payload != present.block.payload:
            raise refusal(known)
        what = "content" if content_hash(block) != content_hash(present.block) else "fields and comments"
        trailers: tuple[tuple[str, str], ...] = ()
        if present.block.state != block.state:
            trailers = (("From", present.block.state), ("To", block.state))
        if raises_trust(block, present, path):
            trailers += (("Raised", block.id),)
        if path != HELD and is_left_behind(present.block, block):
            trailers += (("Withdrawn", block.id),)
        act = Act("edit", caller.actor, caller.now, (block.id,), what, trailers)
        # Of personal the person's word is enough; what they write into universal waits, as what is new there does.
        put = Put(block, path, raw, whole=True, decided=place_of(path) == "personal")
        return ChangeSet(act, (put,)), Lived(present, after(act, present, put))

    return committed(home.apply(plan, PLACES))


def _text(home: Home, placed: Placed) -> str:
    return raw_block((home.text(placed.path) or "").encode("utf-8", "replace"), placed.path, placed.block.id)


def move(home: Home, caller: Caller, reference: str, to: str) -> Lived:
    """Move a trusted block to another namespace; nothing leaves personal, and only a decision leads out of the pool.

    ``updated_at`` and the approval stay. In personal a block is about the user and never shareable.
    """
    require_person(caller, "move", f"alice-exp move {reference} {to}")
    path = namespace_path(to)
    if place_of(path) == "low_value":
        raise UsageError(
            "nothing is moved into the pool: its files are made by day",
            hint="'alice-exp retire' takes trust away",
        )

    def plan(snapshot: Snapshot) -> tuple[ChangeSet | None, Lived]:
        placed = resolve(snapshot, reference)
        _require_movable(placed, path)
        if placed.path == path:
            return None, Lived(placed, placed)
        block = placed.block
        if place_of(path) == "personal":
            block = replace(block, about="user", shareable=False)
        detail = f"{namespace_name(placed.path)} → {namespace_name(path)}"
        act = Act("move", caller.actor, caller.now, (block.id,), detail)
        put = Put(block, path)
        return ChangeSet(act, (put,)), Lived(placed, after(act, placed, put))

    return committed(home.apply(plan, PLACES))


def _require_movable(placed: Placed, path: str) -> None:
    if placed.place == "personal" and place_of(path) != "personal":
        why = "{id} is personal, and personal never becomes anything else"
        raise _refused(
            placed, why, "what is true for everybody is a new block: alice-exp memorize … --about work"
        )
    if placed.place == "low_value":
        why = "{id} is a candidate; only a decision takes it out of the pool"
        raise _refused(placed, why, "alice-exp approve {id} --to {place}", place=namespace_name(path))
    if placed.place == "archive":
        raise _refused(placed, "{id} is archived", "alice-exp revive {id}")


def _refused(placed: Placed, why: str, hint: str, **values: str) -> RefusedError:
    block_id = placed.block.id
    return RefusedError(why, id=block_id, hint=Hint(hint, id=block_id, **values))


def retire(
    home: Home, caller: Caller, reference: str, reason: str, to: Literal["obsolete", "past"] = "obsolete"
) -> Lived:
    """Retire a block because the world has changed (R2.8, B2.9): to the archive with the reason, or down to past."""
    require_person(caller, "retire", f'alice-exp retire {reference} --reason "…"')
    if not reason.strip():
        raise UsageError(
            "say why it is retired", hint=Hint('alice-exp retire {id} --reason "…"', id=reference)
        )

    def change(placed: Placed, thresholds: Thresholds) -> tuple[Change, str]:
        return retirement(placed, reason, caller.now, to, thresholds)

    return _changed(home, caller, "retire", reference, change, (("Reason", reason),))


def retirement(
    placed: Placed,
    reason: str,
    now: str,
    to: Literal["obsolete", "past"] = "obsolete",
    thresholds: Thresholds = DEFAULT,
) -> tuple[Change, str]:
    """What retiring makes of a block, and the path where it goes; ``RefusedError`` where it is archived already."""
    if placed.place == "archive" and is_asked(placed):
        return Change(placed.block, placed.block.state, placed.block.state, "retired"), placed.path
    if placed.place == "archive":
        raise _refused(placed, "{id} is archived already", "see 'alice-exp why {id}'")
    done = retired(placed.block, reason, now, to, thresholds)
    if done.after != "obsolete":
        return done, placed.path
    origin = namespace_name(placed.path).replace("low_value/", _POOL)
    block = replace(done.block, archived=Archived(origin, now, "obsolete"))
    return replace(done, block=block), path_of("archive", "obsolete")


def revive(home: Home, caller: Caller, reference: str, *, from_rejected: bool = False) -> Lived:
    """Revive an archived block: ``possible``, with its count, in the namespace it came from (R2.9, B2.10).

    A rejected one needs ``from_rejected``: it waits in the pool again, and its rejection no longer blocks the
    inference. An approval bound to the present content still holds; a block of universal without one waits for it.
    """
    lifted = " --from-rejected" if from_rejected else ""
    require_person(caller, "revive", f"alice-exp revive {reference}{lifted}")

    def change(placed: Placed, thresholds: Thresholds) -> tuple[Change, str]:
        archived = placed.block.archived
        if archived is not None and archived.reason == "rejected" and not from_rejected:
            lifts = "alice-exp revive {id} --from-rejected lifts that"
            raise _refused(placed, "{id} was rejected by a person", lifts)
        if placed.place != "archive":
            raise RefusedError(
                "{id} is {state}: there is nothing to revive", id=placed.block.id, state=placed.block.state
            )
        done = revived(placed.block, caller.now, thresholds)
        path = pool_path(placed.block, caller.day)
        if archived is not None:
            path = namespace_path(archived.origin.replace(_POOL, "low_value/"))
        # A candidate's seven days begin with the next report that shows it.
        return replace(done, block=replace(done.block, reported=None)), path

    return _changed(home, caller, "revive", reference, change)


def _changed(
    home: Home,
    caller: Caller,
    op: Op,
    reference: str,
    change: Callable[[Placed, Thresholds], tuple[Change, str]],
    trailers: tuple[tuple[str, str], ...] = (),
) -> Lived:
    def plan(snapshot: Snapshot) -> tuple[ChangeSet | None, Lived]:
        placed = resolve(snapshot, reference)
        done, path = change(placed, Thresholds.of(snapshot.config))
        levels = (("From", done.before), ("To", done.after), ("Effect", done.effect))
        detail = f"{done.before} → {done.after} ({done.block.verifications} verified)"
        # To say which one no longer holds answers for the others that were asked about with it.
        group = asked_with(snapshot, placed.block.id) if done.after == "obsolete" else ()
        others = [Put(rested(one.block, caller.now), one.path) for one in group]
        ids = (placed.block.id, *(put.block.id for put in others))
        act = Act(op, caller.actor, caller.now, ids, detail, (*levels, *trailers))
        put = Put(done.block, path)
        return ChangeSet(act, (put, *others)), Lived(placed, after(act, placed, put))

    return committed(home.apply(plan, PLACES))


def purge(home: Home, caller: Caller, block_id: str) -> Purged:
    """Remove every version of a block from all files and all commits (B2.29); a tombstone with id and date stays.

    ``block_id`` is the full id that was confirmed. Raises ``NotFoundError`` if there is no version of it.
    """
    require_person(caller, "purge", f"alice-exp purge {block_id}")
    done = home.purge(Act("purge", caller.actor, caller.now, (block_id,)))
    if done is None:
        raise NotFoundError(
            "neither the files nor history hold {id}", id=block_id, hint="see 'alice-exp log'"
        )
    return done


def keep(home: Home, caller: Caller, reference: str, note: str = "") -> Lived:
    """Rest the doubt in a living block at a quarter at most, clear its failures; ``RefusedError`` for an archived one.

    Of one that a person is asked about it answers that none of those told together fails: it holds for all.
    """
    require_person(caller, "keep a block", f"alice-exp keep {reference}")

    def plan(snapshot: Snapshot) -> tuple[ChangeSet | None, Lived]:
        placed = resolve(snapshot, reference)
        if placed.place == "archive":
            why = "{id} is archived: there is no doubt to answer"
            raise _refused(placed, why, "alice-exp revive {id}")
        # Where two machines decided otherwise, it is also the decision for what stands.
        decided = is_asked(placed) and is_approved(placed)
        held = Put(still_true(placed.block, caller.now, note), placed.path, decided=decided)
        group = asked_with(snapshot, placed.block.id) if is_in_doubt(placed.block) else ()
        others = [Put(still_true(one.block, caller.now), one.path) for one in group]
        ids = (placed.block.id, *(put.block.id for put in others))
        act = Act("keep", caller.actor, caller.now, ids, "it still holds")
        return ChangeSet(act, (held, *others)), Lived(placed, after(act, placed, held))

    return committed(home.apply(plan, PLACES))


def asked_with(snapshot: Snapshot, *named: str) -> tuple[Placed, ...]:
    """All living others of the questions that the blocks ``named`` are part of, those in doubt among them: a person's
    answer about one is an answer about all (DESIGN 12.5)."""
    groups = (
        {placed.block.id, *placed.block.doubt.beside}
        for placed in snapshot.concerned((DOUBTED, "", "~"))
        if placed.block.doubt is not None and is_in_doubt(placed.block)
    )
    ids = {one for group in groups if group.intersection(named) for one in group}.difference(named)
    return tuple(placed for placed in snapshot.with_ids(ids).values() if placed.place != "archive")
