"""One person's machines share one memory, and a public place gets what may leave: git is the distributed part.

Only a person names a remote and syncs. A remote that was not declared private gets bundles alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from alice_exp.home.caller import require_person
from alice_exp.kernel.errors import AliceError, NotFoundError, RefusedError, UsageError
from alice_exp.kernel.journal.act import Act
from alice_exp.model.formats.block_fields import NAME
from alice_exp.model.rules.secrets import findings
from alice_exp.sharing.ports import Disclosure
from alice_exp.sharing.usecases import bundles as sharing
from alice_exp.sync.ports import Exchanged, Remote

if TYPE_CHECKING:
    from collections.abc import Sequence

    from alice_exp.home.caller import Caller
    from alice_exp.home.ports import Home
    from alice_exp.kernel.journal.act import Commit
    from alice_exp.sharing.ports import Shares
    from alice_exp.sharing.usecases.bundles import TakenIn
    from alice_exp.sync.ports import Exchange, Remotes

NOTHING = Exchanged()
"""An exchange that moved nothing."""

_ADDRESS = re.compile(r"(?:ssh|git|https?|file)://\S+|[\w.-]+@[\w.-]+:\S+|[\w.-]+:(?!:|//)\S+")


@dataclass(frozen=True, slots=True)
class Synced:
    """What one sync with one remote did; ``failure`` tells why it did not."""

    remote: Remote
    exchanged: Exchanged = NOTHING
    published: bool = False
    bundles: tuple[TakenIn, ...] = ()
    refused: tuple[tuple[str, str], ...] = ()
    failure: AliceError | None = None


@dataclass(frozen=True, slots=True)
class Machine:
    """What syncing needs, through the ports."""

    home: Home
    remotes: Remotes
    exchange: Exchange
    shares: Shares
    caller: Caller


@dataclass
class _Found:
    """What came out of the bundles of others."""

    bundles: list[TakenIn] = field(default_factory=list)
    refused: list[tuple[str, str]] = field(default_factory=list)


def add(machine: Machine, address: str, name: str = "", *, private: bool) -> Remote:
    """Name a remote that can be reached; ``private`` declares that everything tracked may go there.

    ``UsageError`` where it is no address, ``RefusedError`` where the name is taken or the address holds a password.
    """
    require_person(machine.caller, "add a remote", "alice-exp sync add REMOTE")
    address = _address(address)
    named = name or _named(address)
    if not NAME.fullmatch(named):
        raise UsageError(
            "{name} cannot be a remote's name",
            name=repr(named),
            hint="small letters, digits, - and _: --name",
        )
    present = machine.remotes.all()
    if any(one.name == named or one.address == address for one in present):
        raise RefusedError(
            "there is a remote {name} already, or one at that address", name=named, hint="alice-exp sync list"
        )
    machine.exchange.reach(address)
    remote = Remote(named, address, private, machine.caller.now)
    machine.remotes.keep((*present, remote))
    return remote


def _address(text: str) -> str:
    if any(found.what == "a password in a URL" for found in findings(text)):
        raise RefusedError("the address holds a password", hint="use ssh, or git's credential store")
    if _ADDRESS.fullmatch(text):
        return text
    if text.startswith("-") or "::" in text or not Path(text).is_dir():
        raise UsageError("{text} is no address of a git repository", text=repr(text))
    return str(Path(text).resolve())


def _named(address: str) -> str:
    last = re.split(r"[/:]", address.rstrip("/"))[-1].removesuffix(".git").lower()
    return re.sub(r"[^a-z0-9_-]+", "-", last).strip("-_") or "remote"


def remove(machine: Machine, name: str) -> Remote:
    """Forget a remote; what it holds stays there."""
    require_person(machine.caller, "remove a remote", f"alice-exp sync remove {name}")
    gone = _find(machine, name)
    machine.remotes.keep(tuple(one for one in machine.remotes.all() if one.name != name))
    return gone


def _find(machine: Machine, name: str) -> Remote:
    found = next((one for one in machine.remotes.all() if one.name == name), None)
    if found is None:
        raise NotFoundError("there is no remote {name}", name=name, hint="see 'alice-exp sync list'")
    return found


def sync(machine: Machine, names: Sequence[str] = (), *, over: bool = False) -> tuple[Synced, ...]:
    """Sync with some remotes, or all; one that fails does not keep the others from it (``Synced.failure``).

    ``over`` puts this history in the place of a private remote's, with the remote's blocks but without its past.
    """
    require_person(machine.caller, "sync", "alice-exp sync")
    chosen = tuple(_find(machine, name) for name in names) or machine.remotes.all()
    if not chosen:
        raise NotFoundError("no remote is known", hint="name one with 'alice-exp sync add REMOTE'")
    return tuple(_synced(machine, remote, over) for remote in chosen)


def _synced(machine: Machine, remote: Remote, over: bool) -> Synced:
    try:
        if not remote.private:
            return _published(machine, remote)
        caller = machine.caller
        act = Act("sync", caller.actor, caller.now, (), f"with {remote.name}", (("Remote", remote.name),))
        return Synced(remote, machine.exchange.exchange(remote, act, over=over))
    except AliceError as error:
        return Synced(remote, failure=error)


def settle(machine: Machine) -> Commit | None:
    """Finish what a plain ``git pull`` merged file by file; None where nothing was left to do."""
    act = Act("sync", machine.caller.actor, machine.caller.now, (), "settle a merge")
    return machine.exchange.settle(act)


def _published(machine: Machine, remote: Remote) -> Synced:
    """Publish what may leave, withdraw what may no longer, take in what others published there."""
    try:
        made = sharing.preview(machine.home, machine.shares)
    except NotFoundError:
        made = None

    def about_to_leave() -> None:
        if made is not None:
            digest, blocks = sharing.traces(made)
            machine.shares.record(Disclosure(machine.caller.now, remote.name, "sync", digest, blocks))

    text = made.text if made is not None else None
    changed, others = machine.exchange.publish(
        remote, machine.shares.name(), text, about_to_leave, machine.caller.now
    )
    found = _Found()
    for path, data in others.items():
        _take_in(machine, path, data, found)
    return Synced(remote, published=changed, bundles=tuple(found.bundles), refused=tuple(found.refused))


def _take_in(machine: Machine, path: str, data: bytes, found: _Found) -> None:
    """One sender's bundle; what is wrong with it keeps no other out."""
    try:
        received = sharing.received(data, path)
        if received.name != Path(path).stem:
            raise UsageError("{path} says that it is from {name}", path=path, name=received.name)
        found.bundles.append(sharing.take_in(machine.home, machine.caller, received))
    except AliceError as error:
        found.refused.append((path, str(error)))
