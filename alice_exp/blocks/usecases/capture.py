"""Capture of new blocks: memorize into the pool, remember into personal."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import field, replace
from functools import cache, partial
from typing import TYPE_CHECKING

from alice_exp.blocks.rules.grounding import held_in, resting_on, said_again, subject_of
from alice_exp.caller.acting import Caller, require_person
from alice_exp.caller.hosts import HOSTS
from alice_exp.home.file_home import Home
from alice_exp.home.session import Session
from alice_exp.kernel.errors import NotFoundError, RefusedError, followed
from alice_exp.kernel.journal.act import Act, Commit, Op, committed
from alice_exp.kernel.text.tokens import fingerprint_text
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.rules.identity import Rejections, Sameness, lifted_by, marks, sameness, twin
from alice_exp.model.rules.private_facts import masked, pool_path
from alice_exp.model.values.block import (
    CUES,
    EVIDENCE_KEPT,
    HEARD,
    MOST_OF_AGENTS,
    PLACES,
    SETS,
    About,
    Block,
    BlockType,
    Evidence,
    Payload,
    Placed,
    Trigger,
    content_of,
    is_approved,
)
from alice_exp.model.values.config import namespace_for
from alice_exp.model.values.snapshot import ChangeSet, Put, Snapshot, namespace_path, resolve

if TYPE_CHECKING:
    from alice_exp.caller.heard_queue import Heard


@dataclass(frozen=True, slots=True)
class Draft:
    """The content of a block to be created. ``lived``: experienced, not inferred (B2.2). ``project`` may be all names
    of a project, apart by spaces: the block gets the first, and says the same as one of the others."""

    payload: Payload
    trigger: Trigger = field(default_factory=Trigger)
    key: str = ""
    type: BlockType = "fact"
    about: About = "work"
    tags: tuple[str, ...] = ()
    related: tuple[str, ...] = ()
    replaces: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    importance: float = 0.5
    emotional_weight: float = 0.0
    project: str = ""
    suggested: str = ""
    created_at: str = ""
    origin: str = "local"
    lived: bool = False

    @property
    def block(self) -> Block:
        """What it says, as a block without an id, of as many names of a project."""
        return content_of(self)


@dataclass(frozen=True, slots=True)
class Captured:
    """The result for drafts: each one's block (``None`` if refused), and the ids of the earlier rejected blocks."""

    placed: tuple[Placed | None, ...]
    merged: int = 0
    refused: tuple[str, ...] = ()
    commit: Commit | None = None

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the blocks kept, in the order of the drafts."""
        return tuple(placed.block.id for placed in self.placed if placed is not None)


FEW = 20
"""Up to so many drafts, blocks that may equal one are looked up by their marks."""


@dataclass
class _Intake:
    """A change set under construction: the blocks by content, and the puts so far."""

    caller: Caller
    home: dict[Sameness, Placed]
    is_taken: Callable[[str], bool]
    rejections: Rejections
    twin: Callable[[Payload, str], Placed | None]
    said_again: Callable[[Block], Placed | None]
    puts: dict[str, Put] = field(default_factory=dict)
    merged: int = 0
    refused: list[Placed] = field(default_factory=list)

    def fresh_id(self) -> str:
        """A new id that no block of the home has."""
        while self.is_taken(block_id := self.caller.new_id("exp")) or block_id in self.puts:
            continue
        return block_id

    def known(self, draft: Draft) -> Placed | None:
        """The living block that says the same in the draft's project, under any of its names, or else everywhere."""
        block, names = draft.block, (*draft.project.split(), "")
        each = (self.home.get(sameness(replace(block, project=one))) for one in names)
        return next(filter(None, each), None)

    def join(self, known: Placed, draft: Draft, observed: Callable[..., Block] | None = None) -> Placed:
        """Plan one observation more of a block, as earlier drafts left it, or what that one claims to replace, in what
        waits: of what is trusted only a person says so."""
        self.merged += 1
        block = self.puts.get(known.block.id, known).block
        claims = {*draft.replaces} - {*block.replaces, block.id} if known.place == "low_value" else ()
        if claims:
            return self.put(replace(block, replaces=(*block.replaces, *sorted(claims))), known.path)
        return self.put((observed or _observed)(block, draft, self.caller), known.path)

    def put(self, block: Block, path: str, *, decided: bool = False) -> Placed:
        """Plan a block, and register it, so that an equal later draft is merged into it."""
        self.puts[block.id] = Put(block, path, decided=decided)
        placed = Placed(block, path)
        self.home[sameness(block)] = placed
        return placed


def completed(
    session: Session,
    draft: Draft,
    about: About | None = None,
    quote: Collection[str] = (),
    project: str = "",
    everywhere: bool = False,
    replaces: Collection[str] = (),
) -> Draft:
    """A draft with what nobody has to say: whom it is about, unless ``about`` says so, the sentences of ``quote`` (ids
    of ``heard``) that it rests on, the blocks that it ``replaces`` by its proposer's word, and all names of the project
    in which it holds."""
    said = quoted(session, quote) if quote else ()
    held = said[-1].project if said and not project else held_for(session, project)(draft)
    return replace(
        draft,
        about=about or subject_of(draft.type, draft.payload.content, draft.suggested),
        evidence=(*draft.evidence, *(resting_on(session.heard, said) if said else ())),
        project="" if everywhere else held,
        origin=HEARD if said else draft.origin,
        replaces=tuple(resolve(session.home.read(SETS), one).block.id for one in replaces) or draft.replaces,
    )


def held_for(session: Session, project: str) -> Callable[[Draft], str]:
    """What tells all names of the project to which a candidate belongs: the one that is named, else this folder's."""
    names = cache(partial(session.names_of, project, learning=True))
    return lambda draft: names() if project else held_in(names(), draft.payload.content)


def memorize(
    home: Home,
    caller: Caller,
    drafts: Sequence[Draft],
    *,
    op: Op = "memorize",
    trailers: tuple[tuple[str, str], ...] = (),
    bulk: bool | None = None,
) -> Captured:
    """Add candidates to today's pool file, in one commit.

    A draft equal to a living block adds an observation to that. One that a person rejected before is refused: with
    ``RefusedError`` (exit 6) for a single draft, skipped and counted in bulk (``bulk``; ``None``: more than one).
    """

    def plan(snapshot: Snapshot) -> tuple[ChangeSet | None, Captured]:
        intake = _intake(snapshot, caller, drafts)
        placed = tuple(_capture(intake, draft) for draft in followed(drafts))
        if intake.refused and not (len(drafts) > 1 if bulk is None else bulk):
            raise refusal(intake.refused[0])
        answer = Captured(placed, intake.merged, tuple(one.block.id for one in intake.refused))
        return _changes(intake, op, trailers), answer

    return committed(home.apply(plan, PLACES))


def remember(home: Home, caller: Caller, draft: Draft, namespace: str = "") -> Captured:
    """Keep a person's explicit statement in personal, as ``past`` with one verification (R2.18, B2.2)."""
    require_person(caller, "write into personal", "alice-exp remember …")
    path = namespace_path(namespace or namespace_for("personal", draft.type), "personal")
    if not path.startswith("personal/"):
        raise RefusedError(
            "remember writes into personal alone", hint="use 'alice-exp memorize' for the rest"
        )

    def plan(snapshot: Snapshot) -> tuple[ChangeSet | None, Captured]:
        intake = _intake(snapshot, caller, [draft])
        known = intake.known(draft)
        if known is not None and known.place == "personal":
            kept = intake.put(_observed(known.block, draft, caller), known.path, decided=True)
        else:
            block_id = known.block.id if known and known.place == "low_value" else intake.fresh_id()
            block = _block(draft, block_id, caller)
            trusted = replace(block, state="past", verifications=1, about="user", suggested="")
            kept = intake.put(trusted, path, decided=True)
        return _changes(intake, "remember"), Captured((kept,), intake.merged)

    return committed(home.apply(plan, PLACES))


def _intake(snapshot: Snapshot, caller: Caller, drafts: Sequence[Draft]) -> _Intake:
    # Of many drafts nearly every block would be looked up.
    few = len(drafts) <= FEW
    likely = (
        snapshot.marked(frozenset().union(*(marks(draft.block) for draft in drafts))) if few else [*snapshot]
    )
    # Most blocks say something else, which what they say tells by itself, without when.
    told = {fingerprint_text(draft.payload.content) for draft in drafts} if few else set()
    same = [p for p in likely if not few or p.block.key or fingerprint_text(p.block.payload.content) in told]
    # Of equal blocks the most trusted set wins, as it is entered last.
    rising = sorted((p for p in same if p.place in SETS), key=lambda p: SETS.index(p.place), reverse=True)
    living = {sameness(placed.block): placed for placed in rising}
    trusted = [p for p in likely if p.place in ("personal", "universal") and not p.block.key]
    rejected = (p for p in likely if p.place == "archive" and p.namespace == "rejected")
    ids = {placed.block.id for placed in likely}
    is_taken = (lambda i: snapshot.find(i) is not None) if few else ids.__contains__
    known_as = Rejections.of(rejected, snapshot.decisions)
    return _Intake(caller, living, is_taken, known_as, _alike(trusted, few), said_again(snapshot))


def _alike(trusted: Sequence[Placed], few: bool) -> Callable[[Payload, str], Placed | None]:
    """What finds the approved block that a payload repeats in a project (all its names) or everywhere."""
    of: dict[str, list[Placed]] = {}
    for placed in trusted:
        of.setdefault(placed.block.project, []).append(placed)
    # For many drafts every approved block is marked once, rather than looked through once a draft.
    marked = {} if few else {name: Rejections.of(filter(is_approved, each)) for name, each in of.items()}

    def found(payload: Payload, project: str) -> Placed | None:
        near = [name for name in (*project.split(), "") if name in of]
        each = (twin(payload, of[n], is_approved) if few else marked[n].find(payload) for n in near)
        return next(filter(None, each), None)

    return found


def _capture(intake: _Intake, draft: Draft) -> Placed | None:
    known = intake.known(draft)
    bare = [replace(one, key="", project="") for one in (known.block, draft.block)] if known else []
    if known is not None and (not draft.key or sameness(bare[0]) == sameness(bare[1])):
        return intake.join(known, draft)
    repeated = intake.twin(draft.payload, draft.project) if known is None and not draft.key else None
    if repeated is not None:
        # What is trusted already need not wait for a decision again: it was seen once more (DESIGN 13).
        return intake.join(repeated, draft)
    rejected = intake.rejections.find(draft.payload)
    again = intake.said_again(draft.block) if known is None and rejected is None and not draft.key else None
    if again is not None and again.place == "archive":
        rejected = again if again.namespace == "rejected" else None
    elif again is not None:
        return intake.join(again, draft, _joined)
    if rejected is not None:
        intake.refused.append(rejected)
        return None
    if known is not None and known.place == "low_value":
        newer = _block(draft, known.block.id, intake.caller)
        kept = replace(newer, created_at=known.block.created_at, observations=known.block.observations + 1)
        return intake.put(kept, known.path)
    block = _block(draft, intake.fresh_id(), intake.caller)
    block = replace(block, replaces=(known.block.id,)) if known is not None else block
    return intake.put(block, pool_path(block, intake.caller.day))


def _observed(block: Block, draft: Draft, caller: Caller) -> Block:
    """A block observed again: evidence and observations grow, verifications do not (B2.13). The same sentence of the
    same message is no observation."""
    told = [(piece.ref, piece.quote) for piece in block.evidence if piece.kind == "session"]
    known = {*told, *((ref, "") for ref, _ in told)}
    fresh = [one for one in draft.evidence if one.kind != "session" or (one.ref, one.quote) not in known]
    if draft.evidence and not fresh:
        return block
    # Nobody is asked about it once more: of a secret in it history gets the beginning.
    evidence = tuple(replace(piece, at=piece.at or caller.now, quote=masked(piece.quote)) for piece in fresh)
    return replace(
        block, observations=block.observations + 1, evidence=(*block.evidence, *evidence)[-EVIDENCE_KEPT:]
    )


def _joined(block: Block, draft: Draft, caller: Caller) -> Block:
    """A block that was said again; in place of words that cues found as said stands the rule that rests on them."""
    if block.origin != CUES or draft.origin == CUES:
        return _observed(block, draft, caller)
    newer = replace(_block(draft, block.id, caller), created_at=block.created_at, evidence=block.evidence)
    joined = _observed(replace(newer, observations=block.observations), draft, caller)
    # Sentences stand in the order in which they were said.
    place = {(one.ref, one.quote): at for at, one in enumerate(draft.evidence)}
    evidence = sorted(joined.evidence, key=lambda one: place.get((one.ref, one.quote), -1))
    return replace(joined, evidence=tuple(evidence))


def _block(draft: Draft, block_id: str, caller: Caller) -> Block:
    evidence = tuple(p if p.at else replace(p, at=caller.now) for p in draft.evidence)
    at = draft.created_at or caller.now
    return replace(
        draft.block,
        id=block_id,
        evidence=evidence[-EVIDENCE_KEPT:],
        project=draft.project.partition(" ")[0],
        # Agents type 1.0; from IMPORTANT on it is the person's mark, which stands first and is never silenced.
        importance=draft.importance if caller.is_person else min(draft.importance, MOST_OF_AGENTS),
        state="past" if draft.lived else "possible",
        verifications=1 if draft.lived else 0,
        created_at=at,
        updated_at=at,
    )


def _changes(intake: _Intake, op: Op, trailers: tuple[tuple[str, str], ...] = ()) -> ChangeSet | None:
    if not intake.puts:
        return None
    ids = tuple(intake.puts)
    detail = f"{intake.merged} seen again" if intake.merged else ""
    return ChangeSet(
        Act(op, intake.caller.actor, intake.caller.now, ids, detail, trailers), tuple(intake.puts.values())
    )


def refusal(rejected: Placed) -> RefusedError:
    """The error for an inference that was rejected before, with the rejected block and how to lift the rejection."""
    return RefusedError("this was rejected before, as {id}", id=rejected.block.id, hint=lifted_by(rejected))


def readable(session: Session, but: str = "") -> tuple[Heard, ...]:
    """The sentences of the working folder's project that wait and that this caller's host may read, oldest first:
    those said in this host, in no host, or in any after ``heard.across_hosts`` and for a person; ``but`` a session's
    own."""
    host = session.actor.name if session.actor.name in HOSTS else ""
    across = session.actor.is_person or session.config.flag("heard.across_hosts")
    return tuple(
        one
        for one in session.heard.waiting()
        if one.is_of(session.here.names) and (across or one.host in ("", host)) and one.session != but
    )


def quoted(session: Session, ids: Collection[str]) -> tuple[Heard, ...]:
    """The sentences of these ids; ``NotFoundError`` where one does not wait, or not for this caller. A person names
    those of any project."""
    here = {
        one.id: one for one in (session.heard.waiting() if session.actor.is_person else readable(session))
    }
    for one in ids:
        if one not in here:
            raise NotFoundError(
                "{id} is no sentence that waits here", id=repr(one), hint="see those that do: alice-exp heard"
            )
    return tuple(here[one] for one in dict.fromkeys(ids))
