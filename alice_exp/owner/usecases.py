"""Use cases of the owner key: naming and dropping it, and signing what was decided before (DESIGN 6)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from alice_exp.caller.acting import Caller, require_person
from alice_exp.home.file_home import Home
from alice_exp.home.session import Session
from alice_exp.kernel.errors import NotFoundError, ProblemError, RefusedError
from alice_exp.kernel.journal.act import Act, Commit
from alice_exp.kernel.jsonc import Problem, first_error
from alice_exp.model.formats.record_schema import CONFIG_PATH, with_value
from alice_exp.model.rules.approval import Standing, approved_now, kept_here, standing
from alice_exp.model.rules.ledger import is_same
from alice_exp.model.values.block import Placed
from alice_exp.model.values.snapshot import ChangeSet, Put, Snapshot, resolve
from alice_exp.owner.rules import OwnerKey
from alice_exp.owner.store import SshOwner, owner

_NO_KEY = "this home has no owner key"
_HOW = "name one with 'alice-exp owner init'"

_UNSIGNED: tuple[Standing, ...] = ("edited", "unsigned")


def counts(session: Session) -> Counter[Standing]:
    """How many blocks of personal and universal stand how; none without a key."""
    if owner(session).key() is None:
        return Counter()
    return Counter(map(standing, session.home.read(("personal", "universal"))))


def unsigned(session: Session) -> int:
    """How many blocks wait to be signed."""
    found = counts(session)
    return sum(found[how] for how in _UNSIGNED)


def problems(session: Session) -> tuple[Problem, ...]:
    """Problems for ``doctor``: a warning for unsigned blocks; none without a key."""
    count = unsigned(session)
    template = "{count} blocks are not signed as they stand"
    hint = "sign them with 'alice-exp owner sign --all'"
    return (Problem.warning(CONFIG_PATH, template, hint, count=count),) if count else ()


def init(
    session: Session, path: str = "", *, unprotected: bool = False, anew: bool = False
) -> tuple[OwnerKey, Commit | None]:
    """Make an SSH key the owner key: write it to the tracked configuration and pin it on this machine.

    A test signature proves that it works. Raises ``RefusedError`` for a key that any program of this user could use
    (unless ``unprotected``), and if the home has another key (unless ``anew``, which makes the old key sign the new).
    """
    store, caller = owner(session), session.caller
    require_person(caller, "name an owner key", f"alice-exp owner init{f' --key {path}' if path else ''}")
    key = store.examine(path)
    if key.protection in ("none", "agent") and not unprotected:
        is_held = "is held by an agent alone, which may sign for anybody"
        raise RefusedError(
            "{file} {why}: whatever runs as you could approve with it",
            file=key.file,
            why="needs no passphrase" if key.protection == "none" else is_held,
            hint="protect it with ssh-keygen -p, take a hardware key, or allow it with --allow-unprotected",
        )
    present = store.key()
    handover: tuple[tuple[str, str], ...] = ()
    if present is not None and present.line != key.line:
        if not anew:
            raise RefusedError(
                "this home has an owner key already, {fingerprint}",
                fingerprint=present.fingerprint,
                hint="to put this one in its place, signed by it: --replace",
            )
        handover = (("Signature", _handed_over(store, present, key.line, caller.now)),)
    _signature(store, key, f"alice-exp owner key 1\nkey {key.line}\nat {caller.now}\n")
    public = f"{key.line} {key.comment}".rstrip()
    commit = _configure(session.home, caller, public, f"init {key.fingerprint}", handover)
    session.home.decide_here({"owner.key": public})
    store.keep(key)
    return key, commit


def drop(session: Session) -> tuple[OwnerKey, Commit | None]:
    """Remove the owner key; the key itself has to sign that."""
    store, caller = owner(session), session.caller
    require_person(caller, "drop the owner key", "alice-exp owner drop")
    if (present := store.key()) is None:
        raise NotFoundError(_NO_KEY, hint=_HOW)
    handover = (("Signature", _handed_over(store, present, "none", caller.now)),)
    commit = _configure(session.home, caller, "", f"drop {present.fingerprint}", handover)
    session.home.decide_here({"owner.key": ""})
    store.keep(None)
    return present, commit


def to_sign(session: Session, references: Sequence[str], *, everything: bool) -> tuple[Placed, ...]:
    """The blocks named, or all approved or personal ones, without a valid signature. ``RefusedError`` for a block that
    was never approved (``approve`` does that), ``NotFoundError`` for nothing to sign."""
    snapshot = session.home.read()
    if owner(session).key() is None:
        raise NotFoundError(_NO_KEY, hint=_HOW)
    named = (_named(snapshot, reference) for reference in references)
    among = snapshot.within("personal", "universal") if everything else named
    if not (found := [placed for placed in among if standing(placed) in _UNSIGNED]):
        raise NotFoundError("everything is signed as it is", hint="see 'alice-exp owner show'")
    return tuple(found)


def sign(session: Session, shown: Sequence[Placed]) -> tuple[Commit | None, list[str], list[str]]:
    """Trust blocks as they were shown, in one act that the key signs; it, their ids, and those changed since."""
    caller = session.caller
    require_person(caller, "sign", "alice-exp owner sign")

    def plan(snapshot: Snapshot) -> tuple[ChangeSet | None, tuple[list[str], list[str]]]:
        puts, ids, skipped = [], [], []
        for one in shown:
            present = snapshot.find(one.block.id)
            if present is None or not is_same(present, one):
                skipped.append(one.block.id)
            else:
                block = approved_now(kept_here(present, present.block), caller.now, str(caller.actor))
                puts.append(Put(block, present.path, decided=True))
                ids.append(block.id)
        act = Act("sign", caller.actor, caller.now, tuple(ids))
        return ChangeSet(act, tuple(puts)) if puts else None, (ids, skipped)

    commit, (ids, skipped) = session.home.apply(plan)
    return commit, ids, skipped


def _named(snapshot: Snapshot, reference: str) -> Placed:
    placed = resolve(snapshot, reference)
    if placed.place in ("personal", "universal") and standing(placed) != "waiting":
        return placed
    verb = "revive" if placed.place == "archive" else "approve"
    raise RefusedError(
        "{id} was never approved; that is another decision",
        id=placed.block.id,
        hint=f"alice-exp {verb} {placed.block.id}",
    )


def _handed_over(store: SshOwner, present: OwnerKey, line: str, now: str) -> str:
    return _signature(
        store, present, f"alice-exp owner handover 1\nfrom {present.line}\nto {line}\nat {now}\n"
    )


def _signature(store: SshOwner, key: OwnerKey, text: str) -> str:
    signature = store.sign(text, key)
    if not store.holds(text, signature, key):
        raise ProblemError("the signature of {file} does not verify", file=key.file)
    return signature


def _configure(
    home: Home, caller: Caller, line: str, detail: str, trailers: tuple[tuple[str, str], ...]
) -> Commit | None:
    def plan(snapshot: Snapshot) -> tuple[ChangeSet | None, None]:
        if (fault := first_error(snapshot.problems, CONFIG_PATH)) is not None and fault.line:
            raise fault.as_error()
        if snapshot.config.shared.get("owner.key", "") == line:
            return None, None
        act = Act("owner", caller.actor, caller.now, (), detail, trailers)
        present = home.text(CONFIG_PATH)
        texts = {CONFIG_PATH: with_value(present, "owner.key", line)}
        return ChangeSet(act, texts=texts, seen={CONFIG_PATH: present}), None

    return home.apply(plan, ())[0]
