"""Finds what two histories have in common, also where one was written anew.

A purge writes every commit since the purged block anew (DESIGN 6), a person may rebase, and ``sync --over`` keeps what
the remote's acts led to without these. The best common ancestor that git knows lies before all of that, and each act
after it would count once for each side.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

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
