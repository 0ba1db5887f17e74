"""A remote, and what an exchange with one led to."""

from __future__ import annotations

from alice_exp.kernel.journal.act import Commit
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
