"""Runs git against a remote: with the person's own connection, without hooks, and a fetch within limits.

A pack of some kilobytes can unfold into gigabytes while git only checks it. Its sizes are known once it is unfolded, so
the bound is on the git process and its children, which inherit it.
"""

from __future__ import annotations

import os
import re
import subprocess
from contextlib import suppress
from typing import TYPE_CHECKING

from alice_exp.kernel.errors import ProblemError

if TYPE_CHECKING:
    from collections.abc import Callable

    from alice_exp.kernel.journal.git_process import Repository

# The person's configuration stays in force but for these; ext:: remotes would run arbitrary commands.
_OVERRIDES = {
    "core.hooksPath": os.devnull,
    "protocol.ext.allow": "never",
    "push.followTags": "false",
    "push.gpgSign": "false",
    "fetch.fsckObjects": "true",
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

_EXCEEDED = re.compile(
    rb"died of signal (?:9|24|25)|[Oo]ut of memory|File too large|mmap failed|index-pack.*(?:abort|failed)"
)


def limit() -> None:
    """Limit this process and its children to ``MOST``; for a child before it starts git. Never raises."""
    import resource

    for name, most in MOST.items():
        with suppress(OSError, ValueError, AttributeError):
            resource.setrlimit(getattr(resource, name), (most, most))


def is_exceeded(said: bytes) -> bool:
    """Whether git, by what it said on stderr, was stopped by a limit."""
    return _EXCEEDED.search(said) is not None


def ran(
    repository: Repository, *arguments: str, before: Callable[[], None] | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Run git with the person's configuration, so that it finds credentials, but without hooks and most ``GIT_*``.

    ``before`` runs in the child first.
    """
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GIT_") or name in _CONNECTION
    }
    environment |= {"GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    settings = [word for name, value in _OVERRIDES.items() for word in ("-c", f"{name}={value}")]
    command = ["git", f"--git-dir={repository.git_dir}", *settings, *arguments]
    try:
        return subprocess.run(
            command,
            capture_output=True,
            env=environment,
            stdin=subprocess.DEVNULL,
            check=False,
            preexec_fn=before,
        )
    except FileNotFoundError:
        raise ProblemError("the program git was not found", hint="install git 2.36 or later") from None
