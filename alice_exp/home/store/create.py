"""Creates a home: its directories, its repository, and the first commit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alice_exp.home.store.list_files import scan
from alice_exp.kernel.errors import ProblemError
from alice_exp.kernel.journal.act import Act
from alice_exp.kernel.journal.atomic_files import sync_directory
from alice_exp.kernel.journal.derived_file import Stamps
from alice_exp.kernel.journal.transaction import FileChange

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from alice_exp.home.store.hand_edits import Adopting
    from alice_exp.kernel.journal.act import Actor, Commit
    from alice_exp.kernel.journal.commit_writer import CommitWriter

_FOLDERS = ("universal", "personal", "low_value_pool", "archive", "records", ".schema")


def make_directories(root: Path, experiences: Path) -> None:
    """Create the missing directories (0700) and close a new home's own; ``ProblemError`` if the system refuses."""
    try:
        root.parent.mkdir(parents=True, exist_ok=True)
        for path in (root, experiences, *(experiences / folder for folder in _FOLDERS)):
            path.mkdir(mode=0o700, exist_ok=True)
        for path in (root.parent, root, experiences):
            sync_directory(path)
        # A folder that was there before, such as a copy, becomes a home, and a home is its person's alone.
        if not (experiences / ".git").exists():
            root.chmod(0o700)
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise ProblemError("the home cannot be made: {why}", why=why, path=str(error.filename)) from error


def found(
    writer: CommitWriter, adopting: Adopting, actor: Actor, defaults: Mapping[str, str]
) -> tuple[Commit, int]:
    """Create the repository and its first commit, by ``actor``, under the lock; returns it and its number of blocks.

    Files that are there already are committed as they are; ``defaults`` maps paths to the texts of the other files of a
    new home.
    """
    writer.repository.create()
    there = scan(writer.work_tree)
    files, blocks = adopting.taken_in(there, actor)
    for path, text in defaults.items():
        if path not in there.files:
            files[path] = FileChange(None, text.encode())
    detail = f"{len(blocks)} blocks in {len(there.files)} files" if there.files else "a new home"
    act = Act(
        "adopt" if there.files else "init",
        actor,
        writer.sources.now(),
        tuple(blocks),
        "" if blocks else detail,
    )
    writer.stamps = Stamps()
    return writer.write(act, files), len(blocks)
