"""The ledger's entries: what a person decided about a block, and to what of it the decision is bound (DESIGN 6)."""

from __future__ import annotations

from typing import Literal, get_args

from alice_exp.kernel.value_class import dataclass

Standing = Literal["trusted", "rejected", "retired", "forgotten", "waiting"]
"""What holds of a block since its newest entry: ``trusted`` as far as it is what the entry binds; ``rejected`` and
``retired`` by a person; ``forgotten``: purged, which always wins; ``waiting``: an earlier decision was taken back."""
STANDINGS: tuple[Standing, ...] = get_args(Standing)

ASKED = "sync"
"""The channel of an entry that two machines' decisions led to: it holds, and is asked in each report, until the person
decides again."""

PUT_AWAY = ("rejected", "retired", "forgotten")
"""The standings under which a block that stands in a set all the same is neither told nor offered for a decision."""


OPEN, KEYED = "~", "*"
"""How a fingerprint begins: a plain hash, or one by a key that never is in git."""
MARKS = (OPEN, KEYED)


@dataclass(frozen=True, slots=True)
class Entry:
    """The newest decision on one block. ``content`` to ``both`` are what it binds; ``content`` is a SHA-256 in hex
    (``block.content_hash``), ``path`` the file at which the block counts (its set is bound, the file says which of
    several copies), ``importance`` in [0, 1]. ``op``, ``act``, ``by``, ``channel`` and ``at`` (ISO-8601 UTC) say which
    act by whom through what; ``replaced`` is the digest of the entry before (empty: the first).

    A rejected text is known by its fingerprints, too: ``id`` is one of them, ``content`` the id of the rejected block.
    """

    id: str
    standing: Standing
    content: str = ""
    path: str = ""
    project: str = ""
    importance: float = 0.5
    shareable: bool = False
    replaces: tuple[str, ...] = ()
    both: tuple[str, ...] = ()
    op: str = ""
    act: str = ""
    by: str = ""
    channel: str = ""
    at: str = ""
    replaced: str = ""


NONE = Entry("", "waiting")
"""The entry of a block on which nobody decided: no block that was looked up is without one."""
