"""Protocols of sharing: identity and trusted peers, network and links, the log of what left; and what it needs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Protocol

from alice_exp.kernel.value_class import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import AbstractContextManager

    from alice_exp.home.caller import Caller
    from alice_exp.home.ports import Home
    from alice_exp.kernel.jsonc.problem import Json

    Message = Mapping[str, Json]
    """One message between two Alices: a JSON object."""


PEER_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,50}")
"""Allowed names of peers; a name becomes part of ``shared_from_NAME``, of paths and of commits."""


@dataclass(frozen=True, slots=True)
class Peer:
    """A paired Alice, under the name it has in this home.

    ``id`` is the SHA-256 (hex) of its ``certificate`` (PEM); ``address`` is where it last answered, ``host:port``.
    """

    name: str
    id: str
    certificate: str
    paired_at: str
    address: str = ""


class Peers(Protocol):
    """This Alice's identity and the peers it trusts."""

    def own(self) -> Peer:
        """This Alice as its peers see it."""
        ...

    def all(self) -> tuple[Peer, ...]:
        """All peers, sorted by name."""
        ...

    def find(self, name: str) -> Peer:
        """The peer with that name or id prefix; raises ``NotFoundError`` if there is none."""
        ...

    def keep(self, peer: Peer) -> Peer:
        """Trust a peer from now on, under a unique name; raises ``PeerError`` if name or certificate is invalid."""
        ...

    def update(self, peer: Peer) -> None:
        """Store changed data of a known peer."""
        ...

    def forget(self, peer: Peer) -> None:
        """Stop trusting a peer."""
        ...


class Link(Protocol):
    """A connection to a peer whose certificate has been verified; carries requests and responses."""

    def ask(self, message: Message) -> Message:
        """The peer's answer to one message; raises ``PeerError`` if it fails, is too slow, or refuses."""
        ...


@dataclass(frozen=True, slots=True)
class Neighbour:
    """An announcement seen on the network: random ``instance`` name and addresses (``host:port``).

    ``name`` is the known peer its hint matches, empty for none; a hint proves nothing. ``invites`` is the number of an
    open invitation, 0 for none.
    """

    instance: str
    addresses: tuple[str, ...]
    name: str = ""
    invites: int = 0


class Network(Protocol):
    """The network around this Alice. There is one implementation, since it cannot be imitated in memory.

    All methods raise ``PeerError`` if a peer fails or is not trusted.
    """

    def discover(self, seconds: float) -> tuple[Neighbour, ...]:
        """Listen for announcements for so many seconds."""
        ...

    def invite(self, now: str, alias: str, bind: tuple[str, int], shown: Callable[[str, int], None]) -> Peer:
        """Show code and port through ``shown`` and wait for the peer who enters the code: one try, sixty seconds."""
        ...

    def join(self, code: str, at: str, now: str, alias: str) -> Peer:
        """Pair with the inviting side; ``at`` is ``host:port``, empty: look for the code's number by mDNS."""
        ...

    def serve(
        self,
        answer: Callable[[Peer, Message], Message],
        met: Callable[[Peer], None],
        bind: tuple[str, int],
        seconds: float | None,
        shown: Callable[[int], None],
    ) -> None:
        """Answer peers for ``seconds`` or until interrupted; ``shown`` gets the port, ``met`` each peer that leaves."""
        ...

    def connect(self, peer: Peer, at: str) -> AbstractContextManager[Link]:
        """Connect to a peer; ``at`` is ``host:port``, empty: found by its mDNS hint, else its last address."""
        ...


@dataclass(frozen=True, slots=True)
class Disclosure:
    """A log entry: when (ISO-8601 UTC) and to whom data left, how (``file``, ``peer``, ``sync``), SHA-256 of the bytes.

    ``blocks`` are ids with content hashes, in the order sent.
    """

    at: str
    to: str
    way: str
    digest: str
    blocks: tuple[tuple[str, str], ...]


class Shares(Protocol):
    """This home's public name and the log of what left it. There is one implementation: two small files."""

    def name(self) -> str:
        """The configured name, else a random one, generated once and kept."""
        ...

    def record(self, disclosure: Disclosure) -> None:
        """Log what is about to leave. Raises ``ProblemError`` on failure, so that nothing leaves unlogged."""
        ...

    def log(self) -> tuple[Disclosure, ...]:
        """All entries, oldest first."""
        ...


@dataclass(frozen=True, slots=True)
class Sharing:
    """What sharing needs: the home, its public name with the log of what left, and the caller with the time (a peer
    during an exchange)."""

    home: Home
    shares: Shares
    caller: Caller
