"""Finds what two histories have in common, also where one was written anew, and what either side purged (B2.29).

A purge writes every commit since the purged block anew (DESIGN 6), a person may rebase, and ``sync --over`` keeps what
the remote's acts led to without these. The best common ancestor that git knows lies before all of that, and each act
after it would count once for each side.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from alice_exp.kernel.errors import Hint, RefusedError
from alice_exp.model.formats.block_fields import ID

if TYPE_CHECKING:
    from collections.abc import Sequence

    from alice_exp.kernel.journal.git_process import Repository


OVER = "Over"
"""Trailer of a sync that put one history over another: the newest act of the other one."""

_KEYS = ("%H", "%P", *(f"%(trailers:key=Alice-{key},valueonly,separator=%x20)" for key in ("Act", OVER)))
_FORMAT = f"--format={'%x00'.join((*_KEYS, '%at %ae %s'))}"


class _Commit(NamedTuple):
    """A commit, its parents, the act that another history's newest was when this one was put over it, and what it is
    under any name: its own act, or when it was made, by whom, and what it says."""

    name: str
    parents: tuple[str, ...]
    over: str
    what: str


def newest_act(repository: Repository, tip: str) -> str:
    """The id of the newest act in a history; empty if there is none."""
    found = _commits(repository, tip, ("-1", "--grep=^Alice-Act: "))
    return found[0].what if found else ""


def shared_past(repository: Repository, one: str, other: str) -> list[str]:
    """The best common ancestors of two commits, none of them an ancestor of another; none without a shared past.

    A commit that the other side has under another name, with all that it grew from, counts as common, and so does what
    the other side was put over.
    """
    bases = repository.run("merge-base", "--all", one, other, check=False).decode().split()
    beyond = [f"^{base}" for base in bases]
    theirs = _commits(repository, other, beyond)
    mine = _commits(repository, one, beyond) if theirs else []
    newest = [*_again(mine, {commit.what for commit in theirs}), *_under(mine, theirs), *_under(theirs, mine)]
    if not newest:
        return bases
    found = repository.run("merge-base", "--independent", *newest, *bases).decode().split()
    # One side may be all that the other has, too.
    return next(([side] for side in (one, other) if side in found), found)


def _again(mine: Sequence[_Commit], theirs: set[str]) -> list[str]:
    """The newest commits that the other side has under another name, with all that they grew from."""
    names = {commit.name for commit in mine}
    again: dict[str, bool] = {}
    for commit in mine:
        if commit.what in theirs and all(parent in again for parent in commit.parents if parent in names):
            again[commit.name] = True
            again.update((parent, False) for parent in commit.parents if parent in again)
    return [name for name, is_newest in again.items() if is_newest]


def _under(mine: Sequence[_Commit], theirs: Sequence[_Commit]) -> list[str]:
    """The commits that the other side was put over."""
    acts = {commit.over for commit in theirs} - {""}
    return [commit.name for commit in mine if commit.what in acts]


def _commits(repository: Repository, tip: str, options: Sequence[str]) -> list[_Commit]:
    """The commits of a history, parents before children."""
    output = repository.run("log", "--topo-order", "--reverse", _FORMAT, tip, *options, "--")
    rows = (line.split("\0") for line in output.decode("utf-8", "replace").splitlines())
    return [
        _Commit(name, tuple(parents.split()), over, act or other)
        for name, parents, act, over, other in (row for row in rows if len(row) == 5)
    ]


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
