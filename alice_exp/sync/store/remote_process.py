"""Runs git against a remote: with the person's own connection, without hooks, and a fetch within limits.

A pack of some kilobytes can unfold into gigabytes while git only checks it. The git process and its children are
bounded, and stopped as soon as the caller sees what is coming (``watch``).
"""

from __future__ import annotations

import os
import re
import selectors
import signal
import subprocess
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from alice_exp.kernel.journal.git_process import Repository, missing_git
from alice_exp.kernel.value_class import dataclass

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

    for name, most in MOST.items():
        with suppress(OSError, ValueError, AttributeError):
            resource.setrlimit(getattr(resource, name), (most, most))


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
    command = ["git", f"--git-dir={repository.git_dir}", *settings, *arguments]
    try:
        process = subprocess.Popen(
            command,
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
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGSTOP)
    for child in _children(pid):
        _stop(child)
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def _children(pid: int) -> list[int]:
    try:
        return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        listed = subprocess.run(["ps", "-axo", "pid=,ppid="], capture_output=True, text=True, check=False)
        rows = (row.split() for row in listed.stdout.splitlines())
        return [int(child) for child, parent in rows if int(parent) == pid]
