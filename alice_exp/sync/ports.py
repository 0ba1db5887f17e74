"""The protocols for remotes and for exchanging history with them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from alice_exp.kernel.journal.act import Act, Commit
from alice_exp.kernel.value_class import dataclass


@dataclass(frozen=True, slots=True)
class Remote:
    """A git repository that a person added at ``at`` (ISO-8601 UTC). ``private``: everything tracked may go there.

    ``synced`` is when a sync with it last succeeded; empty: never. ``machines`` are the public keys (hex) of the
    person's other machines there, whose decisions count; ``offered`` is one that nobody confirmed yet (empty: none).
    ``head`` is the number of the newest head of the ledger seen there.
    """

    name: str
    address: str
    private: bool
    at: str
    synced: str = ""
    machines: tuple[str, ...] = ()
    head: int = 0
    offered: str = ""


@dataclass(frozen=True, slots=True)
class Exchanged:
    """The result of an exchange with a private remote.

    ``taken`` and ``given`` count acts; ``commit`` joined two histories (None if none was needed); ``conflicts`` are the
    ids of blocks whose text both sides had changed, ``asked`` of those that both had decided on, each otherwise and
    unseen. ``head`` and ``offered`` are what ``Remote`` keeps of that name.
    """

    taken: int = 0
    given: int = 0
    commit: Commit | None = None
    conflicts: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    head: int = 0
    offered: str = ""


class Remotes(Protocol):
    """The list of remotes. One implementation is enough: it is one small file beside the identity."""

    def all(self) -> tuple[Remote, ...]:
        """All remotes, ordered by name."""
        ...

    def keep(self, remotes: tuple[Remote, ...]) -> None:
        """Replace the list; ``ProblemError`` if it cannot be written."""
        ...

    def key(self) -> bytes:
        """This machine's private key (32 bytes), made when it is first asked for; ``ProblemError`` if unreadable."""
        ...


class Exchange(Protocol):
    """Exchange of history with a remote; ``PeerError`` if the remote fails. One implementation: all of it is git."""

    def reach(self, address: str) -> None:
        """Do nothing if there is a git repository at the address."""
        ...

    def exchange(self, remote: Remote, act: Act, *, over: bool = False) -> Exchanged:
        """Merge with a private remote's history until both sides are equal.

        ``over`` replaces the remote's history by ours, with the remote's blocks but without its past. ``RefusedError``
        if either side still contains what the other purged, ``ProblemError`` if the remote is not a home.
        """
        ...

    def settle(self, act: Act) -> Commit | None:
        """Finish a plain ``git pull``, which merges file by file: blocks that one side moved to another file."""
        ...

    def publish(
        self, remote: Remote, name: str, text: str | None, about_to_leave: Callable[[], None], at: str
    ) -> tuple[bool, Mapping[str, bytes]]:
        """Put our bundle (None: withdraw it) into a history of bundles; returns whether it changed, and the others'."""
        ...
