"""Reads the references of a repository from its files, without git, moves them, and says what is damaged there.

An act moves the same three each time, and a start of git takes a quarter of an act. So they are moved by git's own
protocol: lock files, comparison, reflog, rename. What is unusual is git's: a reference that is packed or symbolic, a
log that is not there, another format, a lock that somebody holds.
"""

from __future__ import annotations

import contextlib
import errno
import math
import os
import re
import stat
import time
from collections.abc import Mapping, Sequence
from dataclasses import field
from pathlib import Path

from alice_exp.kernel.errors import Hint, ProblemError
from alice_exp.kernel.value_class import dataclass

SEEN = "refs/alice/seen"
"""The last head that an act or a sync of this home made; what lies between it and HEAD is foreign (DESIGN 6)."""

PENDING = "refs/alice/pending"
"""An act that is decided and has not landed."""

LEDGER = "refs/alice/ledger"
"""What a person decided, block by block (``ledger_objects``); moved along with the branch."""

MENDS = Hint(
    "'alice-exp doctor --fix' sets aside what git cannot work with; then the home can be written again"
)
"""The hint that goes with a repository that git cannot work with."""

_ASKED = (
    *("HEAD", "config", "config.worktree", "commondir", "index", "packed-refs", "shallow", "logs/HEAD"),
    *("info/grafts", "info/exclude", "info/attributes", "objects/info/alternates", SEEN, PENDING, LEDGER),
    *("hooks/pre-push", "hooks/post-merge"),
)
_FOLDERS = (
    "refs",
    "refs/heads",
    "refs/alice",
    "objects",
    "objects/info",
    "objects/pack",
    "logs",
    "info",
    "hooks",
)
_DEEP = 10
"""How deep configurations include one another before git gives up."""

_PATH = re.compile(rb"path\s*=\s*([^\n#;]*)", re.IGNORECASE)
_OID = re.compile(r"[0-9a-f]{40}")
# What git allows in a name (check-ref-format), in any script; a byte that was no UTF-8 is read as U+FFFD.
_BRANCH = re.compile(r"ref: refs/[^\x00-\x20\x7f~^:?*\[\\\ufffd]+")


class References:
    """The references below ``git_dir``."""

    def __init__(self, git_dir: Path) -> None:
        self.git_dir = git_dir
        self._sound_at = -math.inf

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
        return "" if self.branch() else "the home's history has a detached HEAD"

    def way_out(self) -> str:
        """The hint that goes with ``obstacle``."""
        if self.damage():
            return MENDS
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
        if not ((self.git_dir / "objects").is_dir() and (self.git_dir / "refs").is_dir()):
            return ".git lacks what every repository has"
        if name := self.unreadable():
            return f"git cannot read its file {name}"
        branch = self.branch()
        if not branch and not self.resolve("HEAD"):
            return "HEAD names no branch"
        # A new home's branch does not exist either, but then no act has been seen.
        if branch and not self.resolve(branch) and self._was(branch):
            return f"the branch {branch.removeprefix('refs/heads/')} names no commit"
        for name in (SEEN, PENDING, LEDGER):
            if not self.resolve(name) and os.path.lexists(f"{self.git_dir}/{name}"):
                return f"the mark {name} names no commit"
        return ""

    def _was(self, branch: str) -> bool:
        """Whether a branch that names no commit did name one."""
        logged = not self.resolve(PENDING) and (self.git_dir / "logs" / branch).exists()
        return logged or bool(self.resolve(SEEN)) or (self.git_dir / branch).exists()

    def unreadable(self) -> str:
        """The first place where git expects a file or a directory and finds something else; empty if there is none.

        A git that opens a pipe waits for ever. Configurations that the repository's own includes are among them. What
        was sound a second ago is not looked at again: every git that is started asks.
        """
        if self._sound_at > time.monotonic() - 1:
            return ""
        place, branch = str(self.git_dir), self.branch()
        files = (*_ASKED, branch, f"logs/{branch}") if branch else _ASKED
        odd = next((name for name in files if _is_odd(f"{place}/{name}", stat.S_IFREG)), "")
        odd = odd or next((name for name in _FOLDERS if _is_odd(f"{place}/{name}", stat.S_IFDIR)), "")
        odd = odd or self._odd_pack() or self._includes_odd("config", 0)
        self._sound_at = -math.inf if odd else time.monotonic()
        return odd

    def require_readable(self) -> None:
        """Raise ``ProblemError`` where git would wait for ever; before git is started in this repository."""
        if name := self.unreadable():
            raise ProblemError("git cannot read its file {name}", name=name, path=".git", hint=MENDS)

    def _odd_pack(self) -> str:
        try:
            with os.scandir(f"{self.git_dir}/objects/pack") as entries:
                return next((f"objects/pack/{entry.name}" for entry in entries if not entry.is_file()), "")
        except OSError:
            return ""

    def _includes_odd(self, name: str, depth: int) -> str:
        # What stands in quotes or goes on below is git's as well, and a key of another section does no harm.
        try:
            text = self._read(name).replace(b'"', b"").replace(b"\\\n", b"")
        except OSError:
            return ""
        if b"include" not in text.lower() and not depth:
            return ""
        for found in _PATH.findall(text.replace(b"\0", b"")):
            place = os.path.expanduser(os.fsdecode(found.strip()))  # noqa: PTH111
            full = self.git_dir.joinpath(name).parent / place
            # What a person keeps elsewhere may be a link, and git reads through it.
            if full.exists() and (
                depth > _DEEP or not full.is_file() or self._includes_odd(str(full), depth + 1)
            ):
                return name
        return ""

    def require(self) -> None:
        """Raise ``ProblemError`` because there is no repository: none was made yet, or what stands there is none."""
        if self.git_dir.exists() or self.git_dir.is_symlink():
            raise ProblemError("{obstacle}", obstacle=self.damage(), hint=self.way_out())
        root = self.git_dir.parent.parent
        raise ProblemError(
            "the home at {root} has no history yet", root=root, hint="make one with 'alice-exp init'"
        )

    def named(self) -> dict[str, str]:
        """Every reference that can be read, by name; a file of its own counts before the packed ones."""
        found = self._packed()
        for folder, _, files in os.walk(self.git_dir / "refs"):
            for name in files:
                place = os.path.relpath(f"{folder}/{name}", self.git_dir)
                found |= {place: oid} if (oid := self._loose(place)) else {}
        return found

    def logged(self, branch: str) -> list[str]:
        """The commits that a branch was at, newest first, as far as its reflog can be read."""
        try:
            lines = self._read(f"logs/{branch}").decode("utf-8", "replace").splitlines()
        except OSError:
            return []
        known = [words[1] for words in (line.split(" ", 2) for line in lines) if len(words) == 3]
        return [oid for oid in reversed(known) if _OID.fullmatch(oid) and oid.strip("0")]

    def _read(self, name: str) -> bytes:
        # Seven times a question: a Path that decodes takes three times as long. A pipe must not hold a reader up.
        handle = os.open(f"{self.git_dir}/{name}", os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            status = os.fstat(handle)
            return os.read(handle, status.st_size) if stat.S_ISREG(status.st_mode) else b""
        finally:
            os.close(handle)

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
        own = self._loose(name)
        # Only where there is no file: git leaves an outdated packed entry beside a newer loose reference.
        return self._packed().get(name, "") if own is None else own

    def _packed(self) -> dict[str, str]:
        try:
            rows = self._read("packed-refs").decode("utf-8", "replace").splitlines()
        except OSError:
            return {}
        return {row[41:]: row[:40] for row in rows if _OID.fullmatch(row[:40]) and row[40:41] == " "}

    def _loose(self, name: str) -> str | None:
        """The object id in a reference's own file: None without one, empty if it is damaged or names another."""
        try:
            said = self._read(name).decode("ascii", "replace").strip()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError:
            return ""
        return said if _OID.fullmatch(said) else ""

    def head(self) -> str:
        """The commit of the branch or of a detached HEAD; empty before the first commit, and without a repository."""
        return self.resolve(self.branch() or "HEAD") if self.exists else ""


_UNUSUAL = (b"reftable", b"sharedrepository", b"always", b"worktree", b"include", b"namespace")
"""Words of a configuration, in small letters, by which references may be kept in another way than here."""


def move(
    references: References,
    branch: tuple[str, str, str],
    marks: Sequence[tuple[str, str]],
    gone: tuple[str, str],
    who: str,
) -> bool:
    """Move ``branch`` (name, new and old commit), set ``marks`` (name, commit) and delete ``gone`` (name, old commit).

    ``who`` is the ``Name <mail>`` of the reflogs. False, with nothing changed: git has to do it, or to say why it
    cannot be done. ``OSError`` if the disk refuses after the branch has moved.
    """
    git_dir = references.git_dir
    name, new, old = branch
    logs = [f"{git_dir}/logs/{name}", f"{git_dir}/logs/HEAD"]
    locks: list[str] = []
    moved = False
    try:
        set_to = [mark[0] for mark in marks]
        if not _is_usual(references, (name, *set_to, gone[0]), logs):
            return False
        for one, text in (("HEAD", ""), ("packed-refs", ""), (name, new), *marks, (gone[0], "")):
            _lock(f"{git_dir}/{one}.lock", text, locks)
        # Compared under the locks, so that nobody moves them in between.
        known = [references._loose(one) for one in (name, gone[0], *set_to)]
        if known[:2] != [old, gone[1]] or not all(known) or references.branch() != name:
            return False
        if gone[0] in references._packed():
            return False
        for log in logs:
            _append(log, f"{old} {new} {who} {int(time.time())} +0000\n".encode())
        for one in (name, *set_to):
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


def _is_odd(path: str, wanted: int) -> bool:
    """Whether something stands at a path that is no ``stat.S_IFREG`` or ``S_IFDIR``; only a directory may be a link."""
    try:
        kind = stat.S_IFMT(os.lstat(path).st_mode)
        if kind == stat.S_IFLNK and wanted == stat.S_IFDIR:
            kind = stat.S_IFMT(os.stat(path).st_mode)  # noqa: PTH116
    except OSError:
        return os.path.lexists(path)
    return kind != wanted


def _is_usual(references: References, names: Sequence[str], logs: Sequence[str]) -> bool:
    git_dir = references.git_dir
    config = references._read("config").lower()
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


@dataclass(frozen=True, slots=True)
class RepoConfig:
    """Local ``settings`` (key to value) and ``texts`` of files below ``.git`` (hooks, attributes, excludes) by path.

    ``watched`` is the setting that reveals a configuration written by an earlier version.
    ``defaults`` are settings that stay as a person set them in this repository.
    """

    settings: Mapping[str, str] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    watched: str = ""
    defaults: Mapping[str, str] = field(default_factory=dict)
