"""Finds what was purged on one side of a sync, so that it does not come back with the other side's history (B2.29)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alice_exp.kernel.errors import Hint, RefusedError
from alice_exp.model.formats.block_fields import ID

if TYPE_CHECKING:
    from collections.abc import Sequence

    from alice_exp.kernel.journal.git_process import Repository

GONE = "Purged"
"""Trailer of a sync that put one history over another: an id that was purged in the other one."""


def purged(repository: Repository, *revisions: str) -> tuple[str, ...]:
    """The ids of blocks that were purged in some history, by its tombstones and those it took over (``GONE``)."""
    keys = ",".join(f"key={name}" for name in ("Alice-Block", f"Alice-{GONE}"))
    tombs = ("--grep=^Alice-Op: purge$", f"--grep=^Alice-{GONE}: ")
    fields = f"--format=%(trailers:{keys},valueonly)"
    output = repository.run("log", *tombs, fields, *revisions, "--")
    # Whatever else stands there was written by another program, and would become part of a pattern.
    return tuple(filter(ID.fullmatch, dict.fromkeys(output.decode("utf-8", "replace").split())))


def refuse_purged(repository: Repository, head: str, there: str, *, over: bool = False) -> None:
    """Raise ``RefusedError`` if what one side purged would come back with the other's history (B2.29).

    ``over``: the remote's history goes, so only what was purged there counts.
    """
    if not over and (block_id := _held(repository, purged(repository, head), there, f"^{head}")):
        raise RefusedError(
            "{id} was purged here, and the remote's history still holds it",
            id=block_id,
            hint="'alice-exp sync --over' puts this history in the place of the remote's and keeps its blocks",
        )
    # Also what both know as purged: a plain git pull joins a history with the tombstone and one with the block.
    if block_id := _held(repository, purged(repository, there), head, f"^{there}"):
        raise RefusedError(
            "{id} was purged on another machine and is still in the history here",
            id=block_id,
            hint=Hint("alice-exp purge {id}", id=block_id),
        )


def _held(repository: Repository, block_ids: Sequence[str], *revisions: str) -> str:
    """The first of the blocks that the commits hold; empty if none does."""
    # All at once first: a home may have many tombstones, and each look reads every version of every file.
    if not block_ids or not _holds(repository, f"({'|'.join(block_ids)})", *revisions):
        return ""
    return next((one for one in block_ids if _holds(repository, one, *revisions)), "")


def _holds(repository: Repository, named: str, *revisions: str) -> bool:
    pattern = rf"[\"']?id[\"']?[[:space:]]*:[[:space:]]*[\"']{named}"
    # ``-m``: what only a merge brought in counts as well.
    found = repository.run(
        "log", "-1", "-m", "--format=%H", "--pickaxe-regex", f"-S{pattern}", *revisions, "--"
    )
    return bool(found.strip())
