"""Values of sharing: a peer, a neighbour on the network, an entry of the log of what left."""

from __future__ import annotations

import re
from collections.abc import Mapping

from alice_exp.kernel.jsonc.scan import Json
from alice_exp.kernel.value_class import dataclass

Message = Mapping[str, Json]
"""One message between two Alices: a JSON object."""

Refusal = tuple[str, str, Mapping[str, object]]
"""A block's id, and why it does not pass: a message template and its values."""

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


@dataclass(frozen=True, slots=True)
class Neighbour:
    """An announcement seen on the network: random ``instance`` name and addresses (``host:port``).

    ``name`` is the known peer its ``hint`` matches, empty for none; a hint proves nothing. ``invites`` is the number of
    an open invitation, 0 for none.
    """

    instance: str
    addresses: tuple[str, ...]
    hint: str = ""
    invites: int = 0
    name: str = ""


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

    @property
    def row(self) -> dict[str, Json]:
        """The entry as it stands in the log, and as ``share log`` tells it."""
        blocks: list[Json] = [{"id": block_id, "hash": digest} for block_id, digest in self.blocks]
        return {"at": self.at, "to": self.to, "way": self.way, "sha256": self.digest, "blocks": blocks}
