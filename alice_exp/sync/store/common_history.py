"""Finds what two histories have in common, also where one was written anew.

A purge writes every commit since the purged block anew (DESIGN 6), and a person may rebase. The best common ancestor
that git knows lies before all of these then, and each act after it would count once for each side.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from alice_exp.kernel.journal.git_process import Repository

_FIELDS = "--format=%H%x00%P%x00%(trailers:key=Alice-Act,valueonly,separator=%x2C)%x00%at %ae %s"


def common_ancestors(repository: Repository, one: str, other: str) -> list[str]:
    """The best common ancestors of two commits, none of them an ancestor of another; none without a shared past.

    A commit of ``one`` that ``other`` has under another name, with all that it grew from, counts as common.
    """
    bases = repository.run("merge-base", "--all", one, other, check=False).decode().split()
    beyond = [f"^{base}" for base in bases]
    theirs = {what for _, _, what in _commits(repository, other, beyond)}
    mine = _commits(repository, one, beyond) if theirs else []
    names = {commit for commit, _, _ in mine}
    again: dict[str, bool] = {}
    for commit, parents, what in mine:
        if what in theirs and all(parent in again for parent in parents if parent in names):
            again[commit] = True
            again.update((parent, False) for parent in parents if parent in again)
    newest = [commit for commit, is_newest in again.items() if is_newest]
    if not newest:
        return bases
    return repository.run("merge-base", "--independent", *newest, *bases).decode().split()


def _commits(repository: Repository, tip: str, beyond: Sequence[str]) -> list[tuple[str, list[str], str]]:
    """Each commit, its parents, and what it is under any name: its act, or whose it is, when and what it says; parents
    before children."""
    output = repository.run("log", "--topo-order", "--reverse", _FIELDS, tip, *beyond, "--")
    rows = (line.split("\0") for line in output.decode("utf-8", "replace").splitlines() if line)
    return [(row[0], row[1].split(), row[2] or row[3]) for row in rows if len(row) == 4]
