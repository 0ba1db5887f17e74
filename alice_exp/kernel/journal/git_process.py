"""Runs the git program isolated from the person's git: no global configuration, hooks, signing, filters or ``GIT_*``.

The write path talks to git here. Content goes in through stdin; ids and names never come where git expects an option.
"""

from __future__ import annotations

import contextlib
import errno
import os
from itertools import count
from typing import TYPE_CHECKING

from alice_exp.kernel.errors import ProblemError
from alice_exp.kernel.journal.act import (
    COMMITTER,
    LedgerCommit,
    Message,
    commit_lines,
    file_lines,
    ledger_lines,
)
from alice_exp.kernel.journal.atomic_files import replace, sweep, sync_directory, sync_file
from alice_exp.kernel.journal.git_references import LEDGER, MENDS, PENDING, SEEN, References, RepoConfig, move

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path


FORWARD = "refs/alice/forward"
"""Set beside ``PENDING`` if that is history of another machine to follow rather than an act of this home."""
LOST = "refs/alice/lost"
ARRIVED = "alice-exp sync"
"""What the branch's reflog says of a move that brought acts of another machine."""
FETCHED = "refs/alice/fetched"
"""Prefix of the references ``.../PID``: a remote's history while that process examines it."""
PURGING = "refs/alice/purging"
"""A history rewritten without something, decided and to be switched to."""
STAGE = "refs/alice/purge"
"""Below it, the rewritten history until that is decided."""
NO_OBJECT = "0" * 40

NO_PROGRAMS = {
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.attributesFile": os.devnull,
    "log.showSignature": "false",
}
"""Settings under which a repository that came from elsewhere has git run no program that it names."""

_OPTIONS = {
    **NO_PROGRAMS,
    "core.fsync": "all",
    "core.fsyncMethod": "fsync",
    "core.excludesFile": os.devnull,
    "core.autocrlf": "false",
    "core.safecrlf": "false",
    "core.untrackedCache": "false",
    "core.quotePath": "false",
    "core.looseCompression": "1",
    "fastimport.unpackLimit": "1",
    "commit.gpgSign": "false",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "safe.directory": "*",
}


def isolated_environment() -> dict[str, str]:
    """The process environment without the person's ``GIT_*`` variables and with global and system settings disabled."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment.update(
        GIT_CONFIG_NOSYSTEM="1",
        GIT_CONFIG_GLOBAL=os.devnull,
        GIT_ATTR_NOSYSTEM="1",
        GIT_TERMINAL_PROMPT="0",
        GIT_OPTIONAL_LOCKS="0",
        # What the ids say counts, not what somebody put in the place of an object or a parent.
        GIT_NO_REPLACE_OBJECTS="1",
        GIT_GRAFT_FILE=os.devnull,
        LC_ALL="C",
    )
    return environment


def missing_git() -> ProblemError:
    """What is said where there is no git program."""
    return ProblemError("the program git was not found", hint="install git 2.36 or later")


_PIPE = 4096
"""Bytes that fit into any pipe's buffer, so that writing them does not wait for a reader."""


def _refuse_failure(code: int, err: bytes, verb: str) -> None:
    """Raise a ``ProblemError`` in our words if ``code`` is not 0; what git said is a note of it, for ``--debug``."""
    if not code:
        return
    if any(said in err for said in (b"No space left on device", b"Out of diskspace", b"Disk quota exceeded")):
        error = ProblemError(
            "git could not {verb}: the disk is full", verb=verb, hint="make room, then run the command again"
        )
    elif os.strerror(errno.EACCES).encode() in err:
        error = ProblemError("git could not {verb}: this user may not write there", verb=verb, path=".git")
    else:
        error = ProblemError("git could not {verb} the history", verb=verb, hint=MENDS)
    error.add_note(err.decode("utf-8", "replace"))
    raise error


class Repository(References):
    """The git repository of ``work_tree``.

    ``config_of`` gives its local configuration. ``lock_handle`` is inherited by every git process (-1: none), so that
    a git that outlives its parent still holds the writer lock.
    """

    def __init__(self, work_tree: Path, config_of: Callable[[], RepoConfig] = RepoConfig) -> None:
        super().__init__(work_tree / ".git")
        self.work_tree = work_tree
        self._config_of = config_of
        self.lock_handle = -1
        self.index_is_stale = False

    def run(self, *arguments: str, stdin: bytes = b"", check: bool = True, packing: str = "") -> bytes:
        """Run git isolated and return its stdout; raises ``ProblemError`` with git's message unless ``check`` is False.

        ``packing`` overrides ``pack.compression`` (a zlib level) for this call.
        """
        started = self._start(arguments, packing)
        if packing and started.stdin is not None:
            # What reads a pack says next to nothing before its input ends; `communicate` writes 4 KB at a time.
            with contextlib.suppress(BrokenPipeError):
                started.stdin.write(stdin)
            stdin = b""
        out, err = started.communicate(stdin)
        if check:
            _refuse_failure(started.returncode, err, arguments[0])
        return out

    def _start(self, arguments: Sequence[str], packing: str = "") -> subprocess.Popen[bytes]:
        import subprocess

        self.require_readable()
        command = ["git", f"--git-dir={self.git_dir}", f"--work-tree={self.work_tree}"]
        for name, value in _OPTIONS.items():
            command += ["-c", f"{name}={value}"]
        if packing:
            command += ["-c", f"pack.compression={packing}"]
        try:
            return subprocess.Popen(
                [*command, *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=isolated_environment(),
                pass_fds=() if self.lock_handle < 0 else (self.lock_handle,),
                cwd=self.work_tree if self.work_tree.is_dir() else None,
            )
        except FileNotFoundError:
            raise missing_git() from None

    def create(self) -> None:
        """Create the repository with its local configuration, or bring that of an existing one up to date."""
        # A damaged HEAD goes where no branch exists yet: ``git init`` writes it only if there is none.
        branches = self.git_dir / "refs" / "heads"
        if not self.branch() and not self.resolve("HEAD") and not any(branches.glob("*")):
            (self.git_dir / "HEAD").unlink(missing_ok=True)
        self.run("init", "--quiet", "--template=", "--initial-branch=main")
        config = self._config_of()
        for name, value in config.settings.items():
            self.run("config", "--local", name, value)
        for name, value in config.defaults.items():
            if not self.run("config", "--local", "--get", name, check=False):
                self.run("config", "--local", name, value)
        for name, text in config.texts.items():
            path = self.git_dir / name
            path.parent.mkdir(exist_ok=True)
            sweep(path.parent, dead_only=True)
            mode = 0o700 if path.parent.name == "hooks" else 0o600
            replace(path, text.encode(), durable=True, mode=mode)
        self.git_dir.chmod(0o700)
        # git forces objects and references to disk, but not what makes a directory a repository.
        (self.git_dir / "refs" / "alice").mkdir(exist_ok=True)
        for name in ("HEAD", "config"):
            sync_file(self.git_dir / name)
        for folder in ("refs/heads", "refs", "objects/info", "objects/pack", "objects", "", ".."):
            sync_directory(self.git_dir / folder)

    def is_current(self) -> bool:
        """Whether hooks, attributes and the watched setting are those of this version at its present path."""
        config = self._config_of()
        for name, text in config.texts.items():
            path = self.git_dir / name
            if not path.exists() or path.read_text(encoding="utf-8", errors="replace") != text:
                return False
        present = self.run("config", "--local", config.watched, check=False).decode().strip()
        return present == config.settings[config.watched]

    def told(self, form: str, *arguments: str) -> list[tuple[str, str]]:
        """What ``git log`` tells of some commits, newest first: the first line of ``form`` and what follows it."""
        output = self.run("log", "-z", f"--format={form}", *arguments, "--").decode("utf-8", "replace")
        rows = (row.partition("\n") for row in output.split("\0") if row)
        return [(first, rest) for first, _, rest in rows]

    def commit_time(self, commit: str) -> int:
        """A commit's time in epoch seconds."""
        return int(self.run("log", "-1", "--format=%ct", commit, "--"))

    def tree(self, commit: str) -> dict[str, str]:
        """Every path that a commit tracks, with its blob id."""
        listing = self.run("ls-tree", "-r", "-z", commit)
        entries = [row.split(b"\t", 1) for row in listing.split(b"\0") if row]
        return {path.decode("utf-8", "surrogateescape"): row.split()[2].decode() for row, path in entries}

    def holds(self, kind: str, oid: str) -> bool:
        """Whether the repository holds this ``commit`` or ``blob``."""
        return self.run("cat-file", "-t", oid, check=False).strip() == kind.encode()

    def blob(self, oid: str) -> bytes:
        """A blob's bytes."""
        return self.run("cat-file", "blob", oid)

    def contents(self, oids: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        """Kind and bytes of some objects in their order, read in one call; of one that is not there ``missing``."""
        asked = "".join(f"{oid}\n" for oid in oids).encode()
        output, at = self.run("cat-file", "--batch", stdin=asked) if asked else b"", 0
        while at < len(output):
            end = output.index(b"\n", at)
            words = output[at:end].decode("ascii", "replace").split()
            size = int(words[2]) if len(words) == 3 else -1
            yield words[1], output[end + 1 : end + 1 + max(size, 0)]
            at = end + size + 2

    def difference(self, old: str, new: str) -> list[tuple[str, str, str]]:
        """The files that differ between two commits (``old`` may be none): ``(path, old blob, new blob)``, or zeros."""
        if not old:
            return [(path, NO_OBJECT, oid) for path, oid in self.tree(new).items()]
        fields = self.run("diff-tree", "-r", "-z", "--no-renames", old, new).split(b"\0")
        rows = (
            (status.decode().split(), path) for status, path in zip(fields[::2], fields[1::2], strict=False)
        )
        return [(path.decode("utf-8", "surrogateescape"), parts[2], parts[3]) for parts, path in rows]

    def contains(self, commit: str, ancestor: str) -> bool:
        """Whether ``ancestor`` is reachable from ``commit``."""
        return self.run("merge-base", commit, ancestor, check=False).decode().strip() == ancestor

    def parents(self, commit: str) -> list[str]:
        """The ids of a commit's parents."""
        return self.run("log", "-1", "--format=%P", commit, "--").decode().split()

    def parent(self, commit: str) -> str:
        """A commit's first parent; empty for a root commit."""
        return next(iter(self.parents(commit)), "")

    def prepare(
        self,
        parent: str,
        message: Message,
        files: Mapping[str, bytes | None],
        first: tuple[Message, Mapping[str, bytes | None]] | None = None,
        merged: str = "",
        ledger: LedgerCommit | None = None,
    ) -> str:
        """Write blobs, tree, commit and the pending reference in one stream, fsynced; returns the commit.

        ``files`` maps a path to its new bytes (None: removed). ``first`` is another commit between ``parent`` and this
        one; ``merged`` is a second parent; ``ledger`` is written along. The work tree does not change.
        """
        # `feature done`: a stream that breaks off must not pass for a complete one.
        stream = [b"feature done\n"]
        marks = count(1)
        last_mark = 0
        if ledger is not None:
            stream += [*ledger_lines(marks, ledger, PENDING), b"reset %s\n\n" % PENDING.encode()]
        for number, (metadata, contents) in enumerate([*([first] if first else []), (message, files)]):
            blobs, changes = file_lines(marks, contents)
            stream += blobs
            last_mark = next(marks)
            origin = b"from %s\n" % parent.encode() if parent and not number else b""
            stream += commit_lines(
                last_mark, metadata, origin + (b"merge %s\n" % merged.encode() if merged else b"")
            )
            stream += [*changes, b"\n"]
        stream.append(b"get-mark :%d\ndone\n" % last_mark)
        # The stream stays one pack: unpacked, every object would be a file and a directory to fsync.
        output = self.run(
            "fast-import", "--quiet", "--done", "--date-format=raw", stdin=b"".join(stream), packing="1"
        )
        return output.decode().split()[0]

    def write_ledger(self, made: LedgerCommit, *, moves: bool = True) -> None:
        """Write a commit of the ledger by itself, where no act goes with it; and (``moves``) refer to it."""
        lines = [b"feature done\n", *ledger_lines(count(1), made, LEDGER if moves else PENDING)]
        # A reset takes the name away before it is written.
        lines.append(b"done\n" if moves else b"reset %s\n\ndone\n" % PENDING.encode())
        options = ("--quiet", "--done", "--force", "--date-format=raw")
        self.run("fast-import", *options, stdin=b"".join(lines), packing="1")

    def may_sign(self) -> bool:
        """Whether this repository's own configuration speaks of signing; a person's global one does not count."""
        try:
            config = (self.git_dir / "config").read_bytes().lower()
        except OSError:
            return False
        # A home says "gpgsign = false" of itself, and then git need not be asked in every act.
        return b"gpgsign" in config.replace(b"gpgsign = false", b"")

    def land(self, commit: str, parent: str, *, arrived: bool = False, ledger: str = "") -> None:
        """Move the branch from ``parent`` to ``commit`` by compare-and-swap and delete the pending reference.

        ``arrived``: the commit brings acts of another machine, which the branch's reflog then says. ``ledger`` is the
        commit of the ledger that goes with it; empty: it stays.
        """
        followed = [(FORWARD, "", commit)] if self.resolve(FORWARD) == commit else []
        branch = self.branch()
        marks = [(SEEN, commit), *([(LEDGER, ledger)] if ledger else [])]
        is_plain = bool(parent) and not (arrived or followed)
        if is_plain and move(self, (branch, commit, parent), marks, (PENDING, commit), COMMITTER):
            return
        moves = [(branch, commit, parent), *((name, oid, None) for name, oid in marks)]
        self.point([*moves, (PENDING, "", commit), *followed], ARRIVED if arrived or followed else "")

    def give_up(self, pending: str, *, landed: bool = False, ledger: str = "") -> None:
        """Delete the pending reference of an act that is called off, or ``landed`` already, with its ``ledger``."""
        followed = [(FORWARD, "", pending)] if self.resolve(FORWARD) == pending else []
        marks = {SEEN: pending, **({LEDGER: ledger} if ledger else {})} if landed else {}
        self.point([*((name, oid, None) for name, oid in marks.items()), (PENDING, "", pending), *followed])

    def point(self, changes: Sequence[tuple[str, str, str | None]], reason: str = "") -> None:
        """Update references in one transaction: ``(name, new, old)``; empty ``new``: delete, empty ``old``: create.

        None for ``old``: whatever it is. ``reason`` goes into the reflogs.
        """
        lines = ["start"]
        for name, new, old in changes:
            was = "" if old is None else f" {old or NO_OBJECT}"
            lines.append(f"update {name} {new}{was}" if new else f"delete {name}{was}")
        said = ("-m", reason) if reason else ()
        self.run(
            "update-ref", *said, "--stdin", stdin=("\n".join([*lines, "prepare", "commit"]) + "\n").encode()
        )

    def refresh_index(self) -> None:
        """Read git's index from HEAD as a whole; after a failure ``index_is_stale`` stays True until this is done."""
        self.index_is_stale = True
        self.run("read-tree", "HEAD")
        self.index_is_stale = False

    def start_index_update(self, entries: Mapping[str, str]) -> Callable[[], None]:
        """Start updating git's index with ``entries`` (path to blob id; zeros: removed), in parallel with the rest of
        the act; the returned function waits for it.

        That function raises ``ProblemError`` if git refused.
        """
        was_stale, self.index_is_stale = self.index_is_stale, True
        rows = (
            f"0 {NO_OBJECT}\t{path}" if oid == NO_OBJECT else f"100644 {oid}\t{path}"
            for path, oid in entries.items()
        )
        started = self._start(("update-index", "-z", "--index-info"))
        told = "\0".join([*rows, ""]).encode()
        # Small input goes to git at once, so that git works while the act swaps files. Larger input is sent
        # by `end`: a full pipe would block us here.
        if len(told) < _PIPE and started.stdin is not None:
            with contextlib.suppress(BrokenPipeError):
                started.stdin.write(told)
            with contextlib.suppress(BrokenPipeError):
                started.stdin.close()
            started.stdin, told = None, b""

        def end() -> None:
            _, err = started.communicate(told or None)
            _refuse_failure(started.returncode, err, "update-index")
            self.index_is_stale = was_stale

        return end

    def packs(self) -> tuple[int, int]:
        """How many packs there are, and the size of the newest in bytes."""
        with os.scandir(self.git_dir / "objects" / "pack") as entries:
            found = [entry.stat() for entry in entries if entry.name.endswith(".pack")]
        newest = max(found, key=lambda status: status.st_mtime_ns, default=None)
        return len(found), newest.st_size if newest is not None else 0

    def pack(self) -> None:
        """Repack geometrically, so that the history stays near the size of its differences."""
        self.run("repack", "-d", "-l", "-q", "--geometric=2", "--window=3", "--no-write-bitmap-index")
