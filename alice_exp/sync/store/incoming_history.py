"""Fetches a remote's history into a repository apart; it joins the home's objects only when it was found good.

What is refused, or was interrupted, goes with that repository: nothing of it was ever among the home's objects. Git
runs with the person's own connection, without hooks. A pack of some kilobytes can unfold into gigabytes while git only
checks it, so a fetch and its children are bounded, and stopped as soon as it shows what is coming (``watch``).
"""

from __future__ import annotations

import contextlib
import os
import re
import selectors
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from alice_exp.home.file_home import Home
from alice_exp.home.store.purge_search import contents
from alice_exp.kernel.errors import PeerError, ProblemError
from alice_exp.kernel.journal.atomic_files import sync_directory
from alice_exp.kernel.journal.git_process import FETCHED, Repository, missing_git
from alice_exp.kernel.journal.git_references import LEDGER
from alice_exp.kernel.journal.ledger_objects import entries_of
from alice_exp.kernel.journal.lock import INCOMING, drop_abandoned_names
from alice_exp.kernel.text.display import visible
from alice_exp.kernel.value_class import dataclass
from alice_exp.sync.remotes import Remote
from alice_exp.sync.rules.pack_sizes import LARGEST, META, OBJECTS, PackSizes, is_shallow, most

# The person's configuration stays in force but for these; ext:: remotes would run arbitrary commands.
_OVERRIDES = {
    "core.hooksPath": os.devnull,
    "protocol.ext.allow": "never",
    "push.followTags": "false",
    "push.gpgSign": "false",
    "fetch.fsckObjects": "true",
    "fetch.unpackLimit": "1",
    "fetch.recurseSubmodules": "false",
    "push.recurseSubmodules": "no",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "core.fsync": "all",
    "safe.directory": "*",
}

_CONNECTION = ("GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT")
"""How a person reaches remotes; every other ``GIT_*`` is about some other repository."""

MOST = {"RLIMIT_CPU": 120, "RLIMIT_AS": 4 << 30, "RLIMIT_FSIZE": 1 << 30}
"""Seconds of processor time of one process, bytes of its memory, bytes of one file (a pack)."""

# A git that a limit ended says nothing, and the one that waited for it only that.
_EXCEEDED = re.compile(
    r"died of signal (?:9|24|25)|[Oo]ut of memory|File too large|mmap failed"
    r"|\A(?:remote:.*\n)*fatal: fetch-pack: invalid index-pack output"
)
_SAID, _HEARD = 1 << 20, 64 << 20
"""The bytes of each of git's streams that are kept, and those of both after which it is stopped."""
_PAUSE = 0.05


@dataclass(frozen=True, slots=True)
class Done:
    """What a git process said before it ended; ``is_exceeded``: it was stopped because it took too much."""

    returncode: int
    stdout: str
    stderr: str
    is_exceeded: bool = False


def limit() -> None:
    """Limit this process and its children to ``MOST``; for a child before it starts git. Never raises."""
    import resource

    for name, bound in MOST.items():
        with contextlib.suppress(OSError, ValueError, AttributeError):
            resource.setrlimit(getattr(resource, name), (bound, bound))


def ran(
    repository: Repository,
    *arguments: str,
    before: Callable[[], None] | None = None,
    watch: Callable[[], bool] = lambda: False,
) -> Done:
    """Run git with the person's configuration, so that it finds credentials, but without hooks and most ``GIT_*``.

    ``before`` runs in the child first. ``watch`` is asked now and then, and stops git by returning True.
    """
    repository.require_readable()
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GIT_") or name in _CONNECTION
    }
    environment |= {"GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    settings = [word for name, value in _OVERRIDES.items() for word in ("-c", f"{name}={value}")]
    try:
        process = subprocess.Popen(
            ["git", f"--git-dir={repository.git_dir}", *settings, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
            preexec_fn=before,
        )
    except FileNotFoundError:
        raise missing_git() from None
    with process:
        try:
            heard, is_exceeded = _heard(process, watch)
        except BaseException:
            _stop(process.pid)
            raise
    out, err = (text.decode("utf-8", "replace") for text in heard)
    is_exceeded = is_exceeded or bool(process.returncode and _EXCEEDED.search(err))
    return Done(process.returncode, out, err, is_exceeded)


def _heard(process: subprocess.Popen[bytes], watch: Callable[[], bool]) -> tuple[list[bytearray], bool]:
    """What a process says on stdout and stderr until it closes both, or is stopped for saying or doing too much."""
    heard, total = [bytearray(), bytearray()], 0
    with selectors.DefaultSelector() as streams:
        for stream, kept in zip((process.stdout, process.stderr), heard, strict=True):
            assert stream is not None
            streams.register(stream, selectors.EVENT_READ, kept)
        while streams.get_map():
            for key, _ in streams.select(_PAUSE):
                data = os.read(key.fd, 1 << 16)
                if not data:
                    streams.unregister(key.fileobj)
                total += len(data)
                key.data.extend(data[: _SAID - len(key.data)])
            if total > _HEARD or watch():
                _stop(process.pid)
                return heard, True
    return heard, False


def _stop(pid: int) -> None:
    """End a process and all that it started: a git that unpacks would go on without the one that asked for it."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGSTOP)
    for child in _children(pid):
        _stop(child)
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def _children(pid: int) -> list[int]:
    try:
        return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        listed = subprocess.run(["ps", "-axo", "pid=,ppid="], capture_output=True, text=True, check=False)
        rows = (row.split() for row in listed.stdout.splitlines())
        return [int(child) for child, parent in rows if int(parent) == pid]


THERE = "refs/heads/main"
"""The branch of a remote that is exchanged; every other is left alone."""

_FETCH = ("fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules")


@dataclass
class Incoming:
    """A remote's history: ``commit`` is its newest (empty: none), ``ledger`` the newest of its ledger of decisions;
    ``reader`` holds both beside the home's own."""

    commit: str
    reader: Repository
    home: Home
    ledger: str = ""
    taken_as: str = ""
    """The reference under which it is among the home's own objects, until the block of ``fetched`` ends."""

    def take(self, repository: Repository) -> None:
        """Move what was fetched to ``repository``'s own objects, under a reference until the block ends."""
        if not self.commit or self.taken_as or self.reader is repository:
            return
        name = f"{FETCHED}/{os.getpid()}"
        with self.home.lock.hold():
            _move_packs(self.reader, repository)
            repository.point([(name, self.commit, None)])
        self.taken_as = name


@contextlib.contextmanager
def fetched(home: Home, repository: Repository, remote: Remote) -> Iterator[Incoming]:
    """Fetch the remote's history, to be looked at during the block; ``repository`` is the home's, or one apart.

    ``ProblemError`` if the history is larger than a home's can be, ``PeerError`` if git fails.
    """
    present = tips(repository, remote)
    if THERE not in present:
        yield Incoming("", repository, home)
        return
    drop_abandoned_names(repository)
    folder = repository.git_dir / INCOMING
    apart = Repository(folder / str(os.getpid()))
    try:
        _prepare(apart, repository)
        _fetch(apart, remote, tuple(present))
        _require_bounded(apart, remote)
        incoming = Incoming(apart.resolve(THERE), apart, home, apart.resolve(LEDGER))
        try:
            yield incoming
        finally:
            if incoming.taken_as:
                repository.point([(incoming.taken_as, "", incoming.commit)])
    finally:
        shutil.rmtree(apart.work_tree, ignore_errors=True)
        with contextlib.suppress(OSError):
            folder.rmdir()


def tips(repository: Repository, remote: Remote | str) -> dict[str, str]:
    """The commits of the remote's branch and of its ledger, as far as it has them. ``PeerError`` if out of reach."""
    address = remote if isinstance(remote, str) else remote.address
    done = ran(repository, "ls-remote", "--quiet", "--", address, THERE, LEDGER, before=limit)
    if done.returncode:
        raise failed(remote, done)
    rows = (row.split("\t") for row in done.stdout.splitlines())
    return {row[-1]: row[0] for row in rows if row[-1] in (THERE, LEDGER)}


def failed(remote: Remote | str, done: Done) -> PeerError:
    """The error for a git that failed at a remote, with what it or the remote said first."""
    output = done.stderr.strip().splitlines()
    why = next(
        (line for line in output if line.startswith(("fatal:", "error:", "remote:"))),
        output[-1] if output else "",
    )
    return PeerError(
        "{name} cannot be synced with: {why}",
        name=remote if isinstance(remote, str) else remote.name,
        why=visible(why.removeprefix("fatal: ").removeprefix("error: "))[:300]
        or f"it ended with {done.returncode}",
    )


def _too_much(remote: Remote) -> ProblemError:
    return ProblemError("{name} sends more than a home can be; nothing was read", name=remote.name)


def _prepare(apart: Repository, repository: Repository) -> None:
    """An empty repository that borrows the home's objects and its settings for connections."""
    shutil.rmtree(apart.work_tree, ignore_errors=True)
    apart.work_tree.mkdir(mode=0o700, parents=True)
    apart.run("init", "--quiet", "--template=", "--initial-branch=main")
    borrowed = apart.git_dir / "objects" / "info" / "alternates"
    borrowed.parent.mkdir(exist_ok=True)
    borrowed.write_text(f"{(repository.git_dir / 'objects').absolute()}\n", encoding="utf-8")
    with contextlib.suppress(FileNotFoundError):
        (apart.git_dir / "config").write_bytes((repository.git_dir / "config").read_bytes())


def _fetch(apart: Repository, remote: Remote, names: Sequence[str]) -> None:
    sizes, read = PackSizes(), 0

    def is_exceeded(pattern: str = "tmp_pack_*") -> bool:
        nonlocal read
        for path in (apart.git_dir / "objects" / "pack").glob(pattern):
            with contextlib.suppress(OSError), path.open("rb") as file:
                file.seek(read)
                while data := file.read(1 << 20):
                    read += len(data)
                    if sizes.feed(data):
                        return True
        return False

    command = (*_FETCH, "--update-head-ok", "--", remote.address, *[f"+{name}:{name}" for name in names])
    done = ran(apart, *command, before=limit, watch=is_exceeded)
    if done.is_exceeded or (not done.returncode and is_exceeded("pack-*.pack")):
        raise _too_much(remote)
    if done.returncode and "fsck error" in done.stderr:
        raise ProblemError(
            "{name} sends what git takes for broken: {why}; nothing was read",
            name=remote.name,
            why=visible(done.stderr.strip().splitlines()[0])[:200],
        )
    if done.returncode:
        raise failed(remote, done)


def _require_bounded(apart: Repository, remote: Remote) -> None:
    """Raise ``ProblemError`` if what came is more than a home's history can be; only sizes and names are read."""
    packs = list((apart.git_dir / "objects" / "pack").glob("*.idx"))
    rows: list[list[str]] = []
    for index in packs:
        oids = [
            row.split()[1] for row in apart.run("show-index", stdin=index.read_bytes()).decode().splitlines()
        ]
        if len(rows) + len(oids) > OBJECTS:
            raise _too_much(remote)
        asked = "".join(f"{oid}\n" for oid in oids).encode()
        told = apart.run("cat-file", "--batch-check", "--buffer", stdin=asked).decode()
        rows += (row.split() for row in told.splitlines())
    packed = sum(index.with_suffix(".pack").stat().st_size for index in packs)
    if sum(int(size) for _, _, size in rows) > most(packed) or any(
        int(size) > (LARGEST if kind == "blob" else META) for _, kind, size in rows
    ):
        raise _too_much(remote)
    if not is_shallow(_folders(apart, [oid for oid, kind, _ in rows if kind == "tree"])):
        raise ProblemError("{name} holds folders that no home can have; nothing was read", name=remote.name)


def _folders(apart: Repository, oids: Sequence[str]) -> dict[str, tuple[int, tuple[str, ...]]]:
    """Of each tree: the number of its files, and the trees in it."""
    found: dict[str, tuple[int, tuple[str, ...]]] = {}
    for oid, tree in contents(apart, oids, ("tree",)):
        rows = list(entries_of(tree))
        found[oid] = (len(rows), tuple(child for mode, _, child in rows if mode.startswith("40")))
    return found


def _move_packs(apart: Repository, repository: Repository) -> None:
    """Each index last, since a pack counts from its index on."""
    here, there = (one.git_dir / "objects" / "pack" for one in (apart, repository))
    moved = sorted(here.glob("pack-*"), key=lambda path: path.suffix == ".idx")
    there.mkdir(exist_ok=True)
    for path in moved:
        if path.suffix != ".keep":
            path.replace(there / path.name)
    if moved:
        sync_directory(there)
