"""The git settings, hooks and attributes of a home, the first commit of a new one, and what mends one after a crash.

They make plain git follow the home's rules: a ``git push`` is refused, a ``git pull`` between clones merges block by
block.
"""

from __future__ import annotations

import contextlib
import shlex
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from alice_exp.home.store.list_files import FOLDERS, TRACKED, scan
from alice_exp.kernel.errors import AliceError, ProblemError, reason, refused_as
from alice_exp.kernel.journal import transaction
from alice_exp.kernel.journal.act import Act, Actor, Commit, Op
from alice_exp.kernel.journal.atomic_files import sweep, sync_directory
from alice_exp.kernel.journal.commit_writer import Stamps
from alice_exp.kernel.journal.git_process import LOST, PURGING, STAGE, Repository
from alice_exp.kernel.journal.git_references import RepoConfig
from alice_exp.kernel.journal.transaction import FileChange

if TYPE_CHECKING:
    from pathlib import Path

    from alice_exp.home.store.hand_edits import Adopting
    from alice_exp.home.store.standings import Standings
    from alice_exp.kernel.journal.commit_writer import CommitWriter


_PRE_PUSH = """#!/bin/sh
echo "alice-exp: this history holds personal experience, so it is not pushed." >&2
echo "Use 'alice-exp share export' or 'alice-exp sync' instead." >&2
exit 1
"""

_POST_MERGE = """#!/bin/sh
# Runs when git has committed a merge, which git itself still calls unfinished.
[ "$1" = 1 ] && exit 0
merged=$(git rev-parse --git-dir)/MERGE_HEAD
[ "$(git rev-parse -q --verify HEAD^2)" = "$(cat "$merged" 2>/dev/null)" ] && rm -f "$merged"
exec {python} -m alice_exp --home "${{PWD%/*}}" sync settle --quiet
"""

OLD_DRIVER = b"alice_exp.store.merging"
"""The module that the merge driver entry of a home of version 0.1 names."""

DRIVER = b'[merge "alice"]'
"""The section of the merge driver in a repository's configuration."""

# Every conversion is off, since a person's global attributes must not change the bytes of a file.
_ATTRIBUTES = "* -text -eol -ident -filter merge=alice -working-tree-encoding\n"
ASIDE = ".git-damaged-"
"""The beginning of the name, before a date, of a repository that ``doctor --fix`` set aside."""

# Our temporary files, and what vim (4913, .swp), emacs (.#, #…#) and macOS leave beside a file.
_EXCLUDES = ".git-*\n.*.alice-tmp-*\n*~\n.*.sw?\n*.swp\n4913\n.#*\n\\#*#\n.DS_Store\n*.tmp\n*.bak\n*.orig\n"


def repo_config() -> RepoConfig:
    """The configuration of a home's repository: settings, hooks, attributes and excludes."""
    python = shlex.quote(sys.executable)
    settings = {
        "core.hooksPath": ".git/hooks",
        "core.autocrlf": "false",
        "core.quotePath": "false",
        "gc.auto": "0",
        "maintenance.auto": "false",
        "merge.alice.name": "blocks by id, in three ways",
        "merge.alice.driver": f"{python} -m alice_exp merge-driver %O %A %B %P",
    }
    texts = {
        "info/attributes": _ATTRIBUTES,
        "info/exclude": _EXCLUDES,
        "hooks/pre-push": _PRE_PUSH,
        "hooks/post-merge": _POST_MERGE.format(python=python),
    }
    return RepoConfig(settings, texts, "merge.alice.driver", {"commit.gpgSign": "false"})


def make_directories(root: Path, experiences: Path) -> None:
    """Create the missing directories (0700) and close a new home's own; ``ProblemError`` if the system refuses."""
    try:
        root.parent.mkdir(parents=True, exist_ok=True)
        for path in (root, experiences, *(experiences / folder for folder in TRACKED)):
            path.mkdir(mode=0o700, exist_ok=True)
        for path in (root.parent, root, experiences):
            sync_directory(path)
        # A folder that was there before, such as a copy, becomes a home, and a home is its person's alone.
        if not (experiences / ".git").exists():
            root.chmod(0o700)
    except OSError as error:
        raise ProblemError(
            "the home cannot be made: {why}", why=reason(error), path=str(error.filename)
        ) from error


def found(
    writer: CommitWriter, adopting: Adopting, standings: Standings, actor: Actor, defaults: Mapping[str, str]
) -> tuple[Commit, int]:
    """Create the repository and its first commit, by ``actor``, under the lock; returns it and its number of blocks.

    Files that are there already are committed as they are, and what stands in personal and universal is the person's
    word (``Standings.founding``); ``defaults`` maps paths to the texts of the other files of a new home.
    """
    writer.repository.create()
    there = scan(writer.work_tree)
    files, blocks = adopting.taken_in(there)
    for path, text in defaults.items():
        if path not in there.files:
            files[path] = FileChange(None, text.encode())
    detail = f"{len(blocks)} blocks in {len(there.files)} files" if there.files else "a new home"
    op: Op = "adopt" if there.files else "init"
    act = Act(op, actor, writer.sources.now(), tuple(blocks), "" if blocks else detail)
    writer.stamps = Stamps()
    commit = writer.write(act, files, ledger=standings.composing(standings.founding(act, files), anew=True))
    standings.catch_up()
    return commit, len(blocks)


SWEPT = ("", *(f"state/{folder}".rstrip("/") for folder in FOLDERS), "identity", "identity/peers")
"""The folders besides the files of the history in which a dead process may have left something temporary."""


def recover_home(repository: Repository, *, holder_died: bool) -> str:
    """Finish what a crash interrupted; see ``transaction.recover``. The caller must hold the writer lock.

    ``ProblemError`` for a home that version 0.1 wrote last.
    """

    def finish() -> None:
        # The merge driver is set in a plain clone.
        with contextlib.suppress(OSError):
            config = (repository.git_dir / "config").read_bytes()
            if OLD_DRIVER in config:
                raise ProblemError(
                    "version 0.1 wrote this home: version 0.2.0 has to upgrade it first",
                    hint="run 'alice-exp doctor --fix' of alice-exp 0.2.0 once",
                )
            if DRIVER not in config:
                repository.create()
        if repository.resolve(PURGING) or (repository.git_dir / STAGE).is_dir():
            # Every act passes here and hardly one finds a purge: what finishes it is loaded only then.
            from alice_exp.home.store import purge

            purge.finish(repository)

    root = repository.work_tree.parent
    for folder in SWEPT:
        sweep(root / folder, dead_only=True)
    return transaction.recover(repository, finish=finish, holder_died=holder_died)


def finish_interrupted(repository: Repository, holder_died: bool, warn: Callable[[AliceError], None]) -> None:
    """``recover_home``, with a warning for an act that fits no more; ``ProblemError`` if the disk refuses."""
    hint = "see that the disk can be written, then run this again"
    with refused_as("an interrupted act could not be finished: {why}", hint=hint):
        lost = recover_home(repository, holder_died=holder_died)
    if lost:
        said = "an interrupted act did not fit the history any more; it is kept as {ref}"
        warn(ProblemError(said, ref=f"{LOST}/{lost}"))
