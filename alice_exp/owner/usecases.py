"""Use cases of the owner key: naming and dropping it, and signing what was decided before (DESIGN 6)."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from alice_exp.caller.acting import Caller, require_person
from alice_exp.home.references import resolve
from alice_exp.kernel.errors import NotFoundError, ProblemError, RefusedError
from alice_exp.kernel.journal.act import Act, Commit
from alice_exp.kernel.jsonc.problem import Problem
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.rules.approval import (
    Standing,
    approved_now,
    kept_here,
    standing,
)
from alice_exp.model.rules.ledger import is_same
from alice_exp.model.values.block import Placed
from alice_exp.model.values.changes import ChangeSet, Put, Setting

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from alice_exp.home.ports import Home
    from alice_exp.model.values.snapshot import Snapshot
    from alice_exp.owner.rules.ssh_signature import OwnerKey
    from alice_exp.owner.store import SshOwner

CONFIG = "config.jsonc"
_NO_KEY = "this home has no owner key"
_HOW = "name one with 'alice-exp owner init'"


@dataclass(frozen=True, slots=True)
class Signing:
    """What a signed decision needs: the home, its owner key, and the caller with the time."""

    home: Home
    owner: SshOwner
    caller: Caller


@dataclass(frozen=True, slots=True)
class Overview:
    """The owner key (None: the home has none) and the signature status of personal and universal blocks."""

    key: OwnerKey | None
    blocks: tuple[tuple[Placed, Standing], ...] = ()

    @property
    def counts(self) -> Mapping[Standing, int]:
        """Number of blocks per status."""
        return Counter(how for _, how in self.blocks)

    def those(self, *how: Standing) -> tuple[Placed, ...]:
        """The blocks with one of these statuses."""
        return tuple(placed for placed, found in self.blocks if found in how)


@dataclass(frozen=True, slots=True)
class Signed:
    """Blocks signed, ids skipped because they had changed, and the commit (None if nothing was left to sign)."""

    placed: tuple[Placed, ...]
    skipped: tuple[str, ...] = ()
    commit: Commit | None = None


def overview(signing: Signing) -> Overview:
    """The key and the status of all personal and universal blocks."""
    snapshot = signing.home.read(("personal", "universal"))
    key = signing.owner.key(snapshot.config.text("owner.key"))
    return Overview(key, tuple((placed, standing(placed)) for placed in snapshot) if key is not None else ())


def problems(signing: Signing) -> tuple[Problem, ...]:
    """Problems for ``doctor``: a warning for unsigned blocks; none without a key."""
    waiting = overview(signing).those("edited", "unsigned")
    template, hint = (
        "{count} blocks are not signed as they stand",
        "sign them with 'alice-exp owner sign --all'",
    )
    return (Problem(CONFIG, 0, 0, template, {"count": len(waiting)}, "warning", hint),) if waiting else ()


def init(
    signing: Signing, path: str = "", *, unprotected: bool = False, anew: bool = False
) -> tuple[OwnerKey, Commit | None]:
    """Make an SSH key the owner key: write it to the tracked configuration and pin it on this machine.

    A test signature proves that it works. Raises ``RefusedError`` for a key that any program of this user could use
    (unless ``unprotected``), and if the home has another key (unless ``anew``, which makes the old key sign the new).
    """
    home, owner, caller = signing.home, signing.owner, signing.caller
    require_person(caller, "name an owner key", f"alice-exp owner init{f' --key {path}' if path else ''}")
    key = owner.examine(path)
    if key.protection in ("none", "agent") and not unprotected:
        _refuse_open(key)
    present = owner.key(_configured(home))
    handover: tuple[tuple[str, str], ...] = ()
    if present is not None and present.line != key.line:
        if not anew:
            raise RefusedError(
                "this home has an owner key already, {fingerprint}",
                fingerprint=present.fingerprint,
                hint="to put this one in its place, signed by it: --replace",
            )
        handover = (("Signature", _handed_over(owner, present, f"{key.line}", caller.now)),)
    _prove(owner, key, caller)
    commit = _configure(
        home, caller, f"{key.line} {key.comment}".rstrip(), f"init {key.fingerprint}", handover
    )
    home.decide_here({"owner.key": f"{key.line} {key.comment}".rstrip()})
    owner.keep(key)
    return key, commit


def drop(signing: Signing) -> tuple[OwnerKey, Commit | None]:
    """Remove the owner key; the key itself has to sign that."""
    home, owner, caller = signing.home, signing.owner, signing.caller
    require_person(caller, "drop the owner key", "alice-exp owner drop")
    present = owner.key(_configured(home))
    if present is None:
        raise NotFoundError(_NO_KEY, hint=_HOW)
    handover = (("Signature", _handed_over(owner, present, "none", caller.now)),)
    commit = _configure(home, caller, "", f"drop {present.fingerprint}", handover)
    home.decide_here({"owner.key": ""})
    owner.keep(None)
    return present, commit


def to_sign(signing: Signing, references: Sequence[str], *, everything: bool) -> tuple[Placed, ...]:
    """The blocks ``owner sign`` would sign: those named, or all approved or personal ones without a valid signature.

    Raises ``RefusedError`` for a block that was never approved (that takes ``approve``), ``NotFoundError`` if there is
    nothing to sign.
    """
    snapshot = signing.home.read()
    if signing.owner.key(snapshot.config.text("owner.key")) is None:
        raise NotFoundError(_NO_KEY, hint=_HOW)
    if everything:
        found = [
            placed
            for placed in snapshot.within("personal", "universal")
            if standing(placed) in ("edited", "unsigned")
        ]
    else:
        named = [_signable(resolve(snapshot, reference)) for reference in references]
        found = [placed for placed in named if standing(placed) != "approved"]
    if not found:
        raise NotFoundError("everything is signed as it is", hint="see 'alice-exp owner show'")
    return tuple(found)


def sign(signing: Signing, shown: Sequence[Placed]) -> Signed:
    """Trust blocks as they were shown, in one act that the key signs; those that have changed since are skipped."""
    home, caller = signing.home, signing.caller
    require_person(caller, "sign", "alice-exp owner sign")

    def plan(snapshot: Snapshot) -> tuple[ChangeSet | None, Signed]:
        puts, skipped = [], []
        for one in shown:
            present = snapshot.find(one.block.id)
            if present is None or not is_same(present, one):
                skipped.append(one.block.id)
            else:
                block = approved_now(kept_here(present, present.block), caller.now, str(caller.actor))
                puts.append(Put(block, present.path, decided=True))
        answer = Signed(tuple(Placed(put.block, put.path) for put in puts), tuple(skipped))
        act = Act("sign", caller.actor, caller.now, tuple(put.block.id for put in puts))
        return ChangeSet(act, tuple(puts)) if puts else None, answer

    commit, answer = home.apply(plan)
    return replace(answer, commit=commit)


def _signable(placed: Placed) -> Placed:
    if placed.place in ("personal", "universal") and standing(placed) != "waiting":
        return placed
    verb = "revive" if placed.place == "archive" else "approve"
    raise RefusedError(
        "{id} was never approved; that is another decision",
        id=placed.block.id,
        hint=f"alice-exp {verb} {placed.block.id}",
    )


def _configured(home: Home) -> str:
    return home.read(()).config.text("owner.key")


def _refuse_open(key: OwnerKey) -> None:
    why = (
        "needs no passphrase"
        if key.protection == "none"
        else "is held by an agent alone, which may sign for anybody"
    )
    raise RefusedError(
        "{file} {why}: whatever runs as you could approve with it",
        file=key.file,
        why=why,
        hint="protect it with ssh-keygen -p, take a hardware key, or allow it with --allow-unprotected",
    )


def _prove(owner: SshOwner, key: OwnerKey, caller: Caller) -> None:
    _signature(owner, key, f"alice-exp owner key 1\nkey {key.line}\nat {caller.now}\n")


def _handed_over(owner: SshOwner, present: OwnerKey, line: str, now: str) -> str:
    """The present key's signature over its successor."""
    return _signature(
        owner, present, f"alice-exp owner handover 1\nfrom {present.line}\nto {line}\nat {now}\n"
    )


def _signature(owner: SshOwner, key: OwnerKey, text: str) -> str:
    signature = owner.signed(key, text)
    if not owner.verified(key, text, signature):
        raise ProblemError("the signature of {file} does not verify", file=key.file)
    return signature


def _configure(
    home: Home, caller: Caller, line: str, detail: str, trailers: tuple[tuple[str, str], ...]
) -> Commit | None:
    def plan(snapshot: Snapshot) -> tuple[ChangeSet | None, None]:
        fault = next(
            (p for p in snapshot.problems if p.path == CONFIG and p.line and p.severity == "error"), None
        )
        if fault is not None:
            raise fault.as_error()
        if snapshot.config.shared.get("owner.key", "") == line:
            return None, None
        act = Act("owner", caller.actor, caller.now, (), detail, trailers)
        return ChangeSet(act, settings=(Setting(CONFIG, ("owner", "key"), line),)), None

    return home.apply(plan, ())[0]
