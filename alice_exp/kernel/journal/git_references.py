"""Reads the references of a repository from its files, without git, moves them, and says what is damaged there.

An act moves the same three each time, and a start of git takes a quarter of an act. So they are moved by git's own
protocol: lock files, comparison, reflog, rename. What is unusual is git's: a reference that is packed or symbolic, a
log that is not there, another format, a lock that somebody holds.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import time
from typing import TYPE_CHECKING

from alice_exp.kernel.errors import ProblemError
from alice_exp.kernel.journal.atomic_files import replace

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

SEEN = "refs/alice/seen"
"""The last head that an act or a sync of this home made; what lies between it and HEAD is foreign (DESIGN 6)."""

_OID = re.compile(r"[0-9a-f]{40}")
# What git allows in a name (check-ref-format), in any script; a byte that was no UTF-8 is read as U+FFFD.
_BRANCH = re.compile(r"ref: refs/[^\x00-\x20\x7f~^:?*\[\\\ufffd]+")


class References:
    """The references below ``git_dir``."""

    def __init__(self, git_dir: Path) -> None:
        self.git_dir = git_dir

    @property
    def exists(self) -> bool:
        """Whether the work tree has a repository of its own (that of a parent directory never counts)."""
        return (self.git_dir / "objects").is_dir() and not self.git_dir.is_symlink()

    def obstacle(self) -> str:
        """Why the history must not be written to at present, as a sentence; empty if nothing prevents it."""
        if damage := self.damage():
            return damage
        for name, sentence in (
            ("rebase-merge", "a rebase is in progress in the home's history"),
            ("rebase-apply", "a rebase is in progress in the home's history"),
            ("MERGE_HEAD", "a merge is in progress in the home's history"),
            ("CHERRY_PICK_HEAD", "a cherry-pick is in progress in the home's history"),
            ("REVERT_HEAD", "a revert is in progress in the home's history"),
            ("BISECT_LOG", "a bisect is in progress in the home's history"),
        ):
            if (self.git_dir / name).exists():
                return sentence
        if not self.branch():
            return "the home's history has a detached HEAD"
        return ""

    def way_out(self) -> str:
        """The hint that goes with ``obstacle``."""
        if self.git_dir.is_symlink() or not self.git_dir.is_dir():
            return "put the directory .git back from a copy; or move what stands there away, then 'alice-exp init'"
        if not (self.git_dir / "objects").is_dir():
            return "put .git back from a copy; or move it away, then 'alice-exp init'"
        if self.damage():
            return "'alice-exp doctor --fix' restores it"
        if (self.git_dir / "MERGE_HEAD").exists():
            return "'alice-exp sync settle' finishes it"
        return "finish or abort it with git, then run this again"

    def damage(self) -> str:
        """What is broken in the repository's own files, as a sentence; empty if they are whole as far as a look tells.

        Objects are not looked at: a git that needs a missing one says so.
        """
        if self.git_dir.is_symlink() or (self.git_dir.exists() and not self.git_dir.is_dir()):
            return ".git is no directory"
        if not self.git_dir.is_dir():
            return "there is no .git"
        if not (self.git_dir / "objects").is_dir():
            return ".git lacks what every repository has"
        branch = self.branch()
        if not branch and not self.resolve("HEAD"):
            return "HEAD names no branch"
        # A new home's branch does not exist either, but then no act has been seen.
        if branch and not self.resolve(branch) and (self.resolve(SEEN) or (self.git_dir / branch).exists()):
            return f"the branch {branch.removeprefix('refs/heads/')} names no commit"
        return ""

    def require(self) -> None:
        """Raise ``ProblemError`` because there is no repository: none was made yet, or what stands there is none."""
        if self.git_dir.exists() or self.git_dir.is_symlink():
            raise ProblemError("{obstacle}", obstacle=self.damage(), hint=self.way_out())
        root = self.git_dir.parent.parent
        raise ProblemError(
            "the home at {root} has no history yet", root=root, hint="make one with 'alice-exp init'"
        )

    def mend(self) -> bool:
        """Restore a damaged HEAD, and a branch that names no commit from its reflog; returns whether anything changed.

        The newest commit that the reflog names is taken, else the last that an act of this home made.
        """
        if not self.git_dir.is_dir() or self.git_dir.is_symlink() or not (self.git_dir / "objects").is_dir():
            return False
        mended = False
        if not self.branch() and not self.resolve("HEAD") and (self.git_dir / "refs" / "heads").is_dir():
            self._write("HEAD", "ref: refs/heads/main\n")
            mended = True
        branch = self.branch()
        if branch and not self.resolve(branch) and (oid := self._last(branch)):
            self._write(branch, f"{oid}\n")
            mended = True
        return mended

    def drop_unborn_head(self) -> None:
        """Remove a damaged HEAD where no branch exists yet: ``git init`` writes it only if there is none."""
        branches = self.git_dir / "refs" / "heads"
        if not self.branch() and not self.resolve("HEAD") and not any(branches.glob("*")):
            (self.git_dir / "HEAD").unlink(missing_ok=True)

    def _last(self, branch: str) -> str:
        try:
            lines = (self.git_dir / "logs" / branch).read_text("utf-8", "replace").splitlines()
        except OSError:
            lines = []
        known = [words[1] for words in (line.split(" ", 2) for line in lines) if len(words) == 3]
        good = [oid for oid in known if _OID.fullmatch(oid) and oid.strip("0")]
        return good[-1] if good else self.resolve(SEEN)

    def _write(self, name: str, text: str) -> None:
        path = self.git_dir / name
        if path.is_dir() and not path.is_symlink():
            path.rmdir()
        elif path.is_symlink():
            path.unlink()
        replace(path, text.encode(), durable=True)

    def _read(self, name: str) -> bytes:
        # Seven times a question: a Path that decodes takes three times as long.
        with open(f"{self.git_dir}/{name}", "rb") as file:  # noqa: PTH123
            return file.read()

    def branch(self) -> str:
        """The full name of the branch that HEAD refers to; empty if HEAD is detached or damaged."""
        try:
            head = self._read("HEAD").decode("utf-8", "replace").strip()
        except OSError:
            return ""
        return head.removeprefix("ref: ") if _BRANCH.fullmatch(head) else ""

    def resolve(self, name: str) -> str:
        """The object id of a reference, read from the files of the repository.

        Empty if it does not exist or is damaged (``damage`` tells them apart).
        """
        try:
            said = self._read(name).decode("ascii", "replace").strip()
        except (FileNotFoundError, NotADirectoryError):
            pass
        except OSError:
            return ""
        else:
            return said if _OID.fullmatch(said) else ""
        return self.packed(name)

    def packed(self, name: str) -> str:
        """What the file of packed references says of one, which counts where it has no file of its own; else empty."""
        try:
            # Only after the loose file: git leaves an outdated packed entry beside a newer loose reference.
            packed = (self.git_dir / "packed-refs").read_text(encoding="utf-8", errors="replace")
        except OSError:
            return ""
        for line in packed.splitlines():
            if line.endswith(f" {name}") and not line.startswith(("#", "^")):
                found = line.split(" ", 1)[0]
                return found if _OID.fullmatch(found) else ""
        return ""

    def loose(self, name: str) -> str:
        """The object id in a reference's own file; empty if there is none, or it names another reference."""
        try:
            said = self._read(name).decode("ascii", "replace").strip()
        except OSError:
            return ""
        return said if _OID.fullmatch(said) else ""

    def head(self) -> str:
        """The commit of the branch or of a detached HEAD; empty before the first commit."""
        branch = self.branch()
        return self.resolve(branch or "HEAD")


_UNUSUAL = (b"reftable", b"sharedrepository", b"always", b"worktree", b"include", b"namespace")
"""Words of a configuration, in small letters, by which references may be kept in another way than here."""


def move(
    references: References,
    branch: tuple[str, str, str],
    mark: tuple[str, str],
    gone: tuple[str, str],
    who: str,
) -> bool:
    """Move ``branch`` (name, new and old commit), set ``mark`` (name, commit) and delete ``gone`` (name, old commit).

    ``who`` is the ``Name <mail>`` of the reflogs. False, with nothing changed: git has to do it, or to say why it
    cannot be done. ``OSError`` if the disk refuses after the branch has moved.
    """
    git_dir = references.git_dir
    name, new, old = branch
    logs = [f"{git_dir}/logs/{name}", f"{git_dir}/logs/HEAD"]
    locks: list[str] = []
    moved = False
    try:
        if not _is_usual(references, (name, mark[0], gone[0]), logs):
            return False
        for one, text in (("HEAD", ""), ("packed-refs", ""), (name, new), (mark[0], mark[1]), (gone[0], "")):
            _lock(f"{git_dir}/{one}.lock", text, locks)
        # Compared under the locks, so that nobody moves them in between.
        known = [references.loose(one) for one in (name, mark[0], gone[0])]
        if [known[0], known[2]] != [old, gone[1]] or not known[1] or references.branch() != name:
            return False
        if references.packed(gone[0]):
            return False
        for log in logs:
            _append(log, f"{old} {new} {who} {int(time.time())} +0000\n".encode())
        for one in (name, mark[0]):
            os.rename(f"{git_dir}/{one}.lock", f"{git_dir}/{one}")  # noqa: PTH104
            locks.remove(f"{git_dir}/{one}.lock")
            moved = True
        os.unlink(f"{git_dir}/{gone[0]}")  # noqa: PTH108
    except OSError:
        if moved:
            raise
        return False
    finally:
        for lock in reversed(locks):
            with contextlib.suppress(OSError):
                os.unlink(lock)  # noqa: PTH108
    return True


def _is_usual(references: References, names: Sequence[str], logs: Sequence[str]) -> bool:
    git_dir = references.git_dir
    with open(f"{git_dir}/config", "rb") as file:  # noqa: PTH123
        config = file.read().lower()
    if any(word in config for word in _UNUSUAL):
        return False
    if os.path.lexists(f"{git_dir}/logs/refs/alice") or not all(map(os.path.isfile, logs)):
        return False
    # A link in the place of a reference is an old form of a symbolic one.
    return not any(os.path.islink(f"{git_dir}/{name}") for name in ("HEAD", *names))  # noqa: PTH114


def _lock(path: str, text: str, locks: list[str]) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    locks.append(path)
    try:
        if text:
            _written(handle, f"{text}\n".encode())
            os.fsync(handle)
    finally:
        os.close(handle)


def _append(path: str, line: bytes) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        _written(handle, line)
    finally:
        os.close(handle)


def _written(handle: int, line: bytes) -> None:
    if os.write(handle, line) != len(line):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
