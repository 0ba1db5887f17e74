"""Takes back a plain ``git pull`` at which git stopped, so that the home's own merge can replace it (issue 7).

Git asks no merge driver about a file that one side removed. That is common, because a pool file is removed with its
last block (B2.41): one machine decides on all of a day's candidates while another adds one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from alice_exp.kernel.content_digest import blob_id
from alice_exp.kernel.errors import ProblemError
from alice_exp.kernel.journal.act import FOREIGN, read
from alice_exp.kernel.journal.atomic_files import read_bytes
from alice_exp.sync.store.merge_driver import files_of, merged_files

if TYPE_CHECKING:
    from pathlib import Path

    from alice_exp.home.store.doors import FileHome
    from alice_exp.kernel.journal.git_process import Repository

MARK = "MERGE_HEAD"
"""The file that contains the commit that git was merging when it stopped."""


def take_back(home: FileHome) -> str:
    """Abort git's unfinished merge; returns the commit that was being merged, empty if there is none.

    ``ProblemError`` if a file differs from both sides and from their merge: then a person is working on it.
    """
    repository = home.repository
    try:
        named = (repository.git_dir / MARK).read_text(encoding="ascii").split()
    except FileNotFoundError:
        return ""
    # An octopus merge is a person's own doing.
    if len(named) != 1:
        return ""
    (there,) = named
    with home.lock.hold():
        head = repository.head()
        merged = merged_files(repository, head, there).files
        sides = (files_of(repository, head), files_of(repository, there), merged)
        gits = _index(repository)
        for path in sorted({path for side in sides for path in side}):
            present = _present(home.experiences / path)
            if present is None or any(present == side.get(path) for side in sides):
                continue
            if not _is_gits(repository, present, gits.get(path, [])):
                raise ProblemError(
                    "this file holds what neither side of the merge says",
                    path=path,
                    hint="finish the merge with git: git add, git commit",
                )
        repository.run("merge", "--abort")
    return there


def _index(repository: Repository) -> dict[str, list[tuple[str, str]]]:
    """What git's index holds of each path: ``(stage, blob)``; the stages 1 to 3 of a path at which git stopped."""
    found: dict[str, list[tuple[str, str]]] = {}
    for row in repository.run("ls-files", "--stage", "-z").split(b"\0"):
        facts, _, path = row.decode("utf-8", "surrogateescape").partition("\t")
        if path:
            _, oid, stage = facts.split()
            found.setdefault(path, []).append((stage, oid))
    return found


def _is_gits(repository: Repository, present: bytes, entries: list[tuple[str, str]]) -> bool:
    """Whether git wrote a file: it is what the index says, or holds no line but its stages' and git's marks."""
    if any(stage == "0" for stage, _ in entries):
        return any(blob_id(present) == oid for _, oid in entries)
    known = {line for _, oid in entries for line in repository.blob(oid).splitlines()}
    return all(line in known or line.startswith(_MARKS) for line in present.splitlines())


_MARKS = (b"<<<<<<<", b"|||||||", b"=======", b">>>>>>>")


def parents_of_gits_merge(repository: Repository, head: str) -> tuple[str, ...]:
    """The parents of the merge that git made last: HEAD, or what HEAD has adopted; none if there is no such."""
    for commit in (head, repository.parent(head)):
        if not commit:
            break
        row = repository.run("log", "-1", "--format=%P%n%B", commit, "--").decode("utf-8", "replace")
        parents, _, message = row.partition("\n")
        act = read(commit, message)
        if not act.act_id:
            return tuple(parents.split()) if len(parents.split()) == 2 else ()
        if not any(name == FOREIGN for name, _ in act.trailers):
            break
    return ()


def _present(path: Path) -> bytes | None:
    try:
        return read_bytes(path)[0]
    except FileNotFoundError:
        return None
