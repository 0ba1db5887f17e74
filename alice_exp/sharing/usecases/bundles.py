"""Allow and deny sharing, export bundles and import them (R2.46-R2.48, B2.37, B2.38)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from alice_exp.caller.acting import Caller, require_person
from alice_exp.home.file_home import Home
from alice_exp.home.session import Session
from alice_exp.kernel.errors import Hint, NotFoundError, ProblemError, RefusedError, UsageError
from alice_exp.kernel.journal.act import Act, Commit, committed
from alice_exp.kernel.jsonc.reader import parse
from alice_exp.kernel.value_class import dataclass, sha256
from alice_exp.model.rules.identity import Rejections, sameness
from alice_exp.model.rules.ledger import after
from alice_exp.model.rules.lifecycle import Thresholds, level
from alice_exp.model.rules.private_facts import pool_path
from alice_exp.model.values.block import NAME, PLACES, Block, Placed, content_hash, is_approved
from alice_exp.model.values.snapshot import ChangeSet, Put, Snapshot, resolve
from alice_exp.sharing.rules.bundle import (
    Bundle,
    Disclosure,
    Received,
    Refusal,
    as_it_leaves,
    bundle,
    candidate,
    lacks,
    merged,
    noted,
    read_bundle,
    refuse_secrets,
)
from alice_exp.sharing.store.peer_identity import Shares, shares


@dataclass(frozen=True, slots=True)
class Permitted:
    """Blocks allowed or denied, each with what it still lacks before it may leave."""

    rows: tuple[tuple[Placed, tuple[str, ...]], ...]
    commit: Commit | None = None


@dataclass(frozen=True, slots=True)
class TakenIn:
    """Result of importing: new candidates, blocks with raised counts, noted claims, number unchanged, refusals."""

    name: str
    candidates: tuple[Placed, ...] = ()
    merged: tuple[Placed, ...] = ()
    noted: tuple[Placed, ...] = ()
    unchanged: int = 0
    refused: tuple[Refusal, ...] = ()
    commit: Commit | None = None


def allow(home: Home, caller: Caller, references: Sequence[str]) -> Permitted:
    """Mark approved universal blocks as shareable; they leave once super_reliable by this home's own count.

    Raises ``RefusedError`` (exit 6) for blocks that never leave or seem to contain a secret.
    """
    require_person(caller, "share", f"alice-exp share allow {' '.join(references)}")

    def accept(placed: Placed) -> Block:
        if why := next((reason for reason in lacks(placed) if reason in (*_NEVER, _UNAPPROVED)), ""):
            hint = Hint("alice-exp approve {id}", id=placed.block.id) if why == _UNAPPROVED else ""
            raise RefusedError("{id} is not shared: {why}", id=placed.block.id, why=why, hint=hint)
        refuse_secrets(as_it_leaves(placed.block))
        return replace(placed.block, shareable=True)

    return _set(home, caller, references, accept, "allow")


def deny(home: Home, caller: Caller, references: Sequence[str]) -> Permitted:
    """Mark blocks as not shareable; copies that have already left are not recalled."""
    require_person(caller, "share", f"alice-exp share deny {' '.join(references)}")
    return _set(home, caller, references, lambda placed: replace(placed.block, shareable=False), "deny")


_NEVER = ("personal never leaves", "it is not in universal", "it is about you")
_UNAPPROVED = "it is not approved as it stands"


def _set(
    home: Home, caller: Caller, references: Sequence[str], made: Callable[[Placed], Block], verb: str
) -> Permitted:
    if not references:
        raise UsageError("name the blocks", hint="see 'alice-exp share list'")

    def plan(snapshot: Snapshot) -> tuple[ChangeSet | None, Permitted]:
        thresholds = Thresholds.of(snapshot.config)
        found = {(one := resolve(snapshot, reference)).block.id: one for reference in references}
        every = [(placed, Put(made(placed), placed.path)) for placed in found.values()]
        puts = tuple(put for placed, put in every if put.block != placed.block)
        act = Act("share", caller.actor, caller.now, tuple(put.block.id for put in puts), verb)
        left = [after(act, placed, put) for placed, put in every]
        answer = Permitted(tuple((one, lacks(one, thresholds)) for one in left))
        return ChangeSet(act, puts) if puts else None, answer

    return committed(home.apply(plan, PLACES))


def standings(home: Home) -> tuple[tuple[Placed, str, tuple[str, ...]], ...]:
    """All blocks marked shareable, in any set, and those that only lack being allowed: each with its level and what it
    lacks (nothing if it may leave)."""
    snapshot = home.read()
    thresholds = Thresholds.of(snapshot.config)
    found = ((p, level(p.block, thresholds), lacks(p, thresholds)) for p in snapshot)
    return tuple(one for one in found if one[0].block.shareable or one[2] == ("it is not allowed",))


def preview(home: Home, named: Shares) -> Bundle:
    """Exactly what an export would write. Raises ``NotFoundError`` if nothing may leave, else like ``bundle``."""
    name = named.name()
    if not NAME.fullmatch(name):
        raise ProblemError(
            "{name} cannot be the name that others see",
            name=repr(name),
            path="config.jsonc",
            hint="write a-z, 0-9, - and _ with 'alice-exp config set sharing.name NAME'",
        )
    snapshot = home.read(["universal"])
    made = bundle(name, snapshot, Thresholds.of(snapshot.config))
    if not made.blocks:
        raise NotFoundError("nothing may leave", hint="see 'alice-exp share list'")
    return made


def export(session: Session, to: str, deliver: Callable[[str], None]) -> Bundle:
    """Log what is about to leave and to whom, then pass exactly the text of ``preview`` to ``deliver``."""
    require_person(session.caller, "share", "alice-exp share export FILE")
    made = preview(session.home, shares(session))
    shares(session).record(Disclosure(session.caller.now, to, "file", *traces(made)))
    deliver(made.text)
    return made


def traces(made: Bundle) -> tuple[str, tuple[tuple[str, str], ...]]:
    """What the log keeps of a bundle: SHA-256 (hex) of its bytes, id and content hash of each block."""
    digest = sha256(made.text.encode()).hexdigest()
    return digest, tuple((block.id, content_hash(block)) for block in made.blocks)


def received(data: bytes, path: str) -> Received:
    """Parse and check a bundle; raises ``ProblemError`` with the position of a fault."""
    document = parse(data, path)
    if document.problem is not None:
        raise document.problem.as_error()
    return read_bundle(document.value, path)


def take_in(home: Home, caller: Caller, bundle_: Received) -> TakenIn:
    """Import a bundle in one act: new blocks as candidates, the higher count for approved blocks with the same content.

    What a person rejected before is refused with its reason. Importing the same bundle again changes nothing. The actor
    is the person who imports, or the peer that sent it.
    """
    if caller.actor.kind != "peer":
        require_person(caller, "import what others share", "alice-exp share import FILE")

    def plan(snapshot: Snapshot) -> tuple[ChangeSet | None, TakenIn]:
        answer = _taken(snapshot, caller, bundle_)
        new = (*answer.candidates, *answer.merged, *answer.noted)
        if not new:
            return None, answer
        name, ids = bundle_.name, tuple(one.block.id for one in new)
        detail = f"import from {name}, {len(answer.candidates)} new, {len(answer.merged)} merged"
        act = Act("share", caller.actor, caller.now, ids, detail, (("Source", name),))
        return ChangeSet(act, tuple(Put(one.block, one.path) for one in new)), answer

    return committed(home.apply(plan, PLACES))


def _taken(snapshot: Snapshot, caller: Caller, bundle_: Received) -> TakenIn:
    """What comes of each offered block beside what is known here; personal blocks are never compared."""
    name, now, thresholds = bundle_.name, caller.now, Thresholds.of(snapshot.config)
    universal = list(snapshot.within("universal"))
    approved = {content_hash(p.block): p for p in universal if is_approved(p)}
    others = [*(p for p in universal if not is_approved(p)), *snapshot.within("low_value")]
    waiting = {sameness(replace(p.block, key="", project="")): p for p in others}
    rejections, ids = Rejections.within(snapshot), {p.block.id for p in snapshot}
    candidates: dict[str, Placed] = {}
    higher: dict[str, Placed] = {}
    told: dict[str, Placed] = {}
    unchanged, refused = 0, list(bundle_.refused)
    for offer in bundle_.offers:
        digest, same = content_hash(offer.block), sameness(offer.block)
        block: Block | None
        if (known := approved.get(digest)) is not None:
            block = merged(known.block, offer, name, now, thresholds)
            if block is not None:
                higher[block.id] = approved[digest] = Placed(block, known.path)
            unchanged += block is None
        elif (rejected := rejections.find(offer.block.payload)) is not None:
            why = "this was rejected before, as {id}"
            refused.append((offer.block.id, why, {"id": rejected.block.id}))
        elif (known := waiting.get(same)) is not None:
            block = noted(known.block, offer, name, now)
            if block is not None:
                into = candidates if block.id in candidates else told
                into[block.id] = waiting[same] = Placed(block, known.path)
            unchanged += block is None
        else:
            while (block_id := caller.new_id("exp")) in ids:
                continue
            ids.add(block_id)
            block = candidate(offer, name, block_id, now)
            candidates[block_id] = waiting[same] = Placed(block, pool_path(block, caller.day))
    new, raised, claims = (tuple(one.values()) for one in (candidates, higher, told))
    return TakenIn(name, new, raised, claims, unchanged, tuple(refused))
