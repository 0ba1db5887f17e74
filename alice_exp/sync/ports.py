"""Between one person's machines: remotes, and what an exchange with one may be asked; see ``home.ports``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from alice_exp.kernel.journal.act import Act, Commit


@dataclass(frozen=True, slots=True)
class Remote:
    """A git repository that a person named. ``private``: it may hold everything that is tracked (ISO time ``at``)."""

    name: str
    address: str
    private: bool
    at: str


@dataclass(frozen=True, slots=True)
class Exchanged:
    """What an exchange with a private remote did.

    ``taken`` and ``given`` count acts; ``commit`` joined two histories (None: none was needed); ``conflicts`` are
    blocks whose text both sides had changed.
    """

    taken: int = 0
    given: int = 0
    commit: Commit | None = None
    conflicts: tuple[str, ...] = ()


class Remotes(Protocol):
    """The remotes that a person named. One implementation: it is one small file beside the identity."""

    def all(self) -> tuple[Remote, ...]:
        """By name."""
        ...

    def keep(self, remotes: tuple[Remote, ...]) -> None:
        """Put these in their place; ``ProblemError`` where that cannot be written."""
        ...


class Exchange(Protocol):
    """Git with a remote. One implementation: what it does is what git does. ``PeerError`` where a remote fails."""

    def reach(self, address: str) -> str:
        """The commit that the remote's branch is at; empty where it has none yet."""
        ...

    def exchange(self, remote: Remote, act: Act, *, over: bool = False) -> Exchanged:
        """Take in a private remote's history and give it ours, until both are one.

        ``RefusedError`` where either side still holds what the other purged; ``over`` puts our history, with the
        remote's blocks but without its history, in the place of the remote's. ``ProblemError`` where the remote holds
        what is no home.
        """
        ...

    def settle(self, act: Act) -> Commit | None:
        """Finish what a plain ``git pull`` merged file by file: blocks that one side moved to another file."""
        ...

    def publish(
        self, remote: Remote, name: str, text: str | None, about_to_leave: Callable[[], None], at: str
    ) -> tuple[bool, Mapping[str, bytes]]:
        """Put one bundle (None: none) into a history that holds bundles alone; whether it changed, and the others'."""
        ...
