"""The network as Protocols: who this Alice is, whom it trusts, what it says. Offered by ``home.ports`` too."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import AbstractContextManager

    from alice_exp.kernel.jsonc.problem import Json

    Message = Mapping[str, Json]
    """One message between two Alices: an object of JSON."""


@dataclass(frozen=True, slots=True)
class Peer:
    """Another Alice that a person paired with, under the name that it has here.

    ``id`` is the SHA-256 (hex) of its ``certificate`` (PEM); ``address`` is where it answered last, ``host:port``.
    """

    name: str
    id: str
    certificate: str
    paired_at: str
    address: str = ""


class Peers(Protocol):
    """Who this Alice is, and whom it trusts."""

    def own(self) -> Peer:
        """This Alice as others see it."""
        ...

    def all(self) -> tuple[Peer, ...]:
        """The peers, by name."""
        ...

    def find(self, name: str) -> Peer:
        """The peer of that name, or whose id begins so; ``NotFoundError`` where there is none."""
        ...

    def keep(self, peer: Peer) -> Peer:
        """Trust a peer from now on, under a name that no other has; ``PeerError`` where it is not fit."""
        ...

    def update(self, peer: Peer) -> None:
        """Keep what is new about a known peer."""
        ...

    def forget(self, peer: Peer) -> None:
        """Trust it no more."""
        ...


class Link(Protocol):
    """A connection to one peer whose certificate was compared: a question, an answer."""

    def ask(self, message: Message) -> Message:
        """What the peer answers; ``PeerError`` where it fails, is slow, or refuses."""
        ...


@dataclass(frozen=True, slots=True)
class Neighbour:
    """Something that announces itself on the network: a random ``instance``, ``host:port`` each, the peer it hints at.

    ``name`` is empty where it hints at nobody who is known; the hint proves nothing. ``invites`` is the number of an
    open invitation, 0 where there is none.
    """

    instance: str
    addresses: tuple[str, ...]
    name: str = ""
    invites: int = 0


class Network(Protocol):
    """The network around this Alice. One implementation: what it does cannot be done in memory.

    Everything raises ``PeerError`` where a peer fails or is not trusted.
    """

    def discover(self, seconds: float) -> tuple[Neighbour, ...]:
        """Who announces itself within so many seconds."""
        ...

    def invite(self, now: str, alias: str, bind: tuple[str, int], shown: Callable[[str, int], None]) -> Peer:
        """Wait for the one who has the code, which ``shown`` is given with the port; one try, sixty seconds."""
        ...

    def join(self, code: str, at: str, now: str, alias: str) -> Peer:
        """Pair with who invited; ``at`` is ``host:port``, empty: found by the code's number."""
        ...

    def serve(
        self,
        answer: Callable[[Peer, Message], Message],
        met: Callable[[Peer], None],
        bind: tuple[str, int],
        seconds: float | None,
        shown: Callable[[int], None],
    ) -> None:
        """Answer peers, so long or until interrupted; ``shown`` is given the port, ``met`` each peer that leaves."""
        ...

    def connect(self, peer: Peer, at: str) -> AbstractContextManager[Link]:
        """A link to a peer; ``at`` is ``host:port``, empty: found by its hint, else where it answered last."""
        ...


@dataclass(frozen=True, slots=True)
class Disclosure:
    """Something that left: when (ISO-8601 UTC), to whom, how (``file``, ``peer``, ``sync``), the SHA-256 of the bytes.

    ``blocks`` are ids with their content hashes, in the order in which they left.
    """

    at: str
    to: str
    way: str
    digest: str
    blocks: tuple[tuple[str, str], ...]


class Shares(Protocol):
    """The name that others know this home by, and what went to whom. One implementation: it is two small files."""

    def name(self) -> str:
        """The configured name, else one made up once and kept."""
        ...

    def record(self, disclosure: Disclosure) -> None:
        """Write down what is about to leave; ``ProblemError`` where that fails, so that nothing leaves unseen."""
        ...

    def log(self) -> tuple[Disclosure, ...]:
        """What left, oldest first."""
        ...
