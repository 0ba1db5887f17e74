"""Use cases of sync: adding and removing remotes, merging with private ones, publishing bundles to others.

Only a person adds a remote or syncs. A remote that was not declared private gets bundles only.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from alice_exp.caller.acting import require_person
from alice_exp.home.session import Session
from alice_exp.kernel.errors import AliceError, NotFoundError, RefusedError, UsageError, followed
from alice_exp.kernel.journal.act import Act, Commit
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.rules.secrets import findings
from alice_exp.model.values.block import NAME
from alice_exp.owner.rules import public_key
from alice_exp.sharing.rules.bundle import Disclosure
from alice_exp.sharing.store.peer_identity import shares
from alice_exp.sharing.usecases import bundles as sharing
from alice_exp.sharing.usecases.bundles import TakenIn
from alice_exp.sync.remotes import Exchanged, Remote, remotes
from alice_exp.sync.rules.merge_homes import told_key
from alice_exp.sync.store.git_remotes import exchange
from alice_exp.sync.store.incoming_history import tips

_ADDRESS = re.compile(r"(?:ssh|git|https?|file)://\S+|[\w.-]+@[\w.-]+:\S+|[\w.-]+:(?!:|//)\S+")


@dataclass(frozen=True, slots=True)
class Synced:
    """The result of a sync with one remote; ``failure`` is why it failed, or None."""

    remote: Remote
    exchanged: Exchanged = Exchanged()
    published: bool = False
    bundles: tuple[TakenIn, ...] = ()
    refused: tuple[tuple[str, str], ...] = ()
    failure: AliceError | None = None


def add(session: Session, address: str, name: str = "", *, private: bool) -> Remote:
    """Add a reachable remote; ``private`` declares that everything tracked may go there.

    ``UsageError`` if the address is malformed, ``RefusedError`` if the name is taken or the address has a password.
    """
    require_person(session.caller, "add a remote", "alice-exp sync add REMOTE")
    address = _address(address)
    named = name or _named(address)
    if not NAME.fullmatch(named):
        raise UsageError(
            "{name} cannot be a remote's name",
            name=repr(named),
            hint="small letters, digits, - and _: --name",
        )
    present = remotes(session).all()
    if any(one.name == named or one.address == address for one in present):
        raise RefusedError(
            "there is a remote {name} already, or one at that address", name=named, hint="alice-exp sync list"
        )
    # Whatever stands there: it has to be a repository that can be reached.
    tips(session.home.repository, address)
    if private:
        remotes(session).key()
    remote = Remote(named, address, private, session.caller.now)
    remotes(session).keep((*present, remote))
    return remote


def _address(text: str) -> str:
    if any(found.what == "a password in a URL" for found in findings(text)):
        raise RefusedError("the address holds a password", hint="use ssh, or git's credential store")
    if _ADDRESS.fullmatch(text):
        return text
    # Git would take "-…" for an option and "ext::…" for a command to run.
    if text.startswith("-") or "::" in text or not Path(text).is_dir():
        raise UsageError("not the address of a git repository: {text}", text=repr(text))
    return str(Path(text).resolve())


def _named(address: str) -> str:
    last = re.split(r"[/:]", address.rstrip("/"))[-1].removesuffix(".git").lower()
    return re.sub(r"[^a-z0-9_-]+", "-", last).strip("-_") or "remote"


def remove(session: Session, name: str) -> Remote:
    """Remove a remote from the list; its contents are not touched."""
    require_person(session.caller, "remove a remote", f"alice-exp sync remove {name}")
    removed = _find(session, name)
    remotes(session).keep(tuple(one for one in remotes(session).all() if one.name != name))
    return removed


def _find(session: Session, name: str) -> Remote:
    found = next((one for one in remotes(session).all() if one.name == name), None)
    if found is None:
        raise NotFoundError("there is no remote {name}", name=name, hint="see 'alice-exp sync list'")
    return found


def sync(session: Session, names: Sequence[str] = (), *, over: bool = False) -> tuple[Synced, ...]:
    """Sync with the named remotes, or all; one that fails does not stop the others (``Synced.failure``).

    ``over`` replaces a private remote's history by this one, with the remote's blocks but without its past.
    """
    require_person(session.caller, "sync", "alice-exp sync")
    chosen = tuple(_find(session, name) for name in names) or remotes(session).all()
    if not chosen:
        raise NotFoundError("no remote is known", hint="name one with 'alice-exp sync add REMOTE'")
    done = tuple(_synced(session, remote, over) for remote in followed(chosen))
    reached = {one.remote.name: one.exchanged for one in done if one.failure is None}
    if reached:
        now = session.caller.now
        rows = (
            replace(one, synced=now, head=max(seen.head, one.head), offered=seen.offered)
            if (seen := reached.get(one.name))
            else one
            for one in remotes(session).all()
        )
        remotes(session).keep(tuple(rows))
    return done


def confirm(session: Session, key: str) -> Remote:
    """Let the decisions of a machine count whose key, as ``told_key`` shows it, a remote offered: it is the person's.

    ``NotFoundError`` if no remote offered it at the last sync.
    """
    require_person(session.caller, "confirm a machine's key", f"alice-exp sync confirm {key}")
    rows = remotes(session).all()
    found = next((one for one in rows if one.offered and told_key(one.offered) == key.strip().lower()), None)
    if found is None:
        raise NotFoundError(
            "no remote offered the key {key}",
            key=repr(key),
            hint="sync first: it tells the key, if there is one",
        )
    known = replace(found, machines=(*found.machines, found.offered), offered="")
    remotes(session).keep(tuple(known if one is found else one for one in rows))
    return known


def own_key(session: Session) -> str:
    """This machine's public key as people compare it, made if there is none yet."""
    return told_key(public_key(remotes(session).key()).hex())


def _synced(session: Session, remote: Remote, over: bool) -> Synced:
    try:
        if not remote.private:
            return _published(session, remote)
        caller = session.caller
        act = Act("sync", caller.actor, caller.now, (), f"with {remote.name}", (("Remote", remote.name),))
        return Synced(remote, exchange(session).exchange(remote, act, over=over))
    except AliceError as error:
        return Synced(remote, failure=error)


def settle(session: Session) -> Commit | None:
    """Finish a plain ``git pull``, which merges file by file; None if there was nothing left to do."""
    act = Act("sync", session.caller.actor, session.caller.now, (), "settle a merge")
    return exchange(session).settle(act)


def _published(session: Session, remote: Remote) -> Synced:
    """Publish what may leave, withdraw what no longer may, and take in what others published there."""
    try:
        made = sharing.preview(session.home, shares(session))
    except NotFoundError:
        made = None

    def about_to_leave() -> None:
        # Recorded before it is sent: after a crash an entry too many is harmless, a missing one is not.
        if made is not None:
            shares(session).record(Disclosure(session.caller.now, remote.name, "sync", *sharing.traces(made)))

    text = made.text if made is not None else None
    changed, others = exchange(session).publish(
        remote, shares(session).name(), text, about_to_leave, session.caller.now
    )
    bundles: list[TakenIn] = []
    refused: list[tuple[str, str]] = []
    for path, data in others.items():
        # If one is faulty, the others are still taken in.
        try:
            received = sharing.received(data, path)
            # The file name is the sender's place in the shared history; nobody may write under another's name.
            if received.name != Path(path).stem:
                raise UsageError("{path} says that it is from {name}", path=path, name=received.name)
            bundles.append(sharing.take_in(session.home, session.caller, received))
        except AliceError as error:
            refused.append((path, str(error)))
    return Synced(remote, published=changed, bundles=tuple(bundles), refused=tuple(refused))
