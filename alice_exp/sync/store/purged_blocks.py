"""Finds what was purged on one side of a sync, so that it does not come back with the other side's history (B2.29)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alice_exp.kernel.errors import Hint, RefusedError
from alice_exp.model.formats.block_fields import ID

if TYPE_CHECKING:
    from alice_exp.kernel.journal.git_process import Repository


def purged(repository: Repository, *revisions: str) -> tuple[str, ...]:
    """The ids of blocks that were purged in some history, from its tombstones."""
    fields = "--format=%(trailers:key=Alice-Block,valueonly)"
    output = repository.run("log", "--grep=^Alice-Op: purge$", fields, *revisions, "--")
    # Whatever else stands there was written by another program, and would become part of a pattern.
    return tuple(filter(ID.fullmatch, dict.fromkeys(output.decode("utf-8", "replace").split())))


def refuse_purged(repository: Repository, head: str, there: str) -> None:
    """Raise ``RefusedError`` if what one side purged would come back with the other's history (B2.29)."""
    for block_id in purged(repository, head):
        if _holds(repository, block_id, there, f"^{head}"):
            raise RefusedError(
                "{id} was purged here, and the remote's history still holds it",
                id=block_id,
                hint="'alice-exp sync --over' puts this history in the place of the remote's and keeps its blocks",
            )
    for block_id in purged(repository, there, f"^{head}"):
        if _holds(repository, block_id, head, f"^{there}"):
            raise RefusedError(
                "{id} was purged on another machine and is still in the history here",
                id=block_id,
                hint=Hint("alice-exp purge {id}", id=block_id),
            )


def _holds(repository: Repository, block_id: str, *revisions: str) -> bool:
    pattern = rf"[\"']?id[\"']?[[:space:]]*:[[:space:]]*[\"']{block_id}"
    found = repository.run("log", "-1", "--format=%H", "--pickaxe-regex", f"-S{pattern}", *revisions, "--")
    return bool(found.strip())
