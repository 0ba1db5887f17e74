"""Signs the commits of an act where the repository's own ``commit.gpgSign`` asks for it.

The key and its program are those of the person's git: ``user.signingKey``, ``gpg.format``, ``gpg.program``.
"""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

from alice_exp.kernel.errors import ProblemError
from alice_exp.kernel.journal.git_references import PENDING

if TYPE_CHECKING:
    from alice_exp.kernel.journal.git_process import Repository


def sign(repository: Repository, commit: str, count: int) -> str:
    """Sign the pending ``commit`` and the ``count`` - 1 before it if that is wanted; returns what is pending then.

    ``ProblemError``, with nothing pending, if git cannot sign: an act is never unsigned where signatures are asked for.
    """
    wanted = repository.run("config", "--local", "--bool", "--get", "commit.gpgSign", check=False).strip()
    if wanted != b"true":
        return commit
    try:
        before = repository.run("rev-list", "--first-parent", f"--max-count={count}", commit, "--").decode()
        made = ""
        for oid in reversed(before.split()):
            made = _signed(repository, oid, made)
        repository.point([(PENDING, made, commit)])
    except BaseException:
        repository.point([(PENDING, "", commit)])
        raise
    return made


def _signed(repository: Repository, commit: str, parent: str) -> str:
    """The same commit with a signature, on ``parent`` in the place of its first parent if that is given."""
    header, _, text = repository.run("cat-file", "commit", commit).partition(b"\n\n")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    parents: list[str] = []
    tree = ""
    for line in header.decode("utf-8", "replace").splitlines():
        key, _, value = line.partition(" ")
        if key == "tree":
            tree = value
        elif key == "parent":
            parents.append(parent if parent and not parents else value)
        elif key in ("author", "committer"):
            name, _, rest = value.partition(" <")
            mail, _, when = rest.partition("> ")
            environment |= {
                f"GIT_{key.upper()}_NAME": name,
                f"GIT_{key.upper()}_EMAIL": mail,
                f"GIT_{key.upper()}_DATE": f"@{when}",
            }
    named = [word for one in parents for word in ("-p", one)]
    durable = ["-c", "core.fsync=all", "-c", "core.fsyncMethod=fsync", "-c", "safe.directory=*"]
    command = [
        "git",
        f"--git-dir={repository.git_dir}",
        *durable,
        "commit-tree",
        "-S",
        *named,
        "-F",
        "-",
        tree,
    ]
    done = subprocess.run(command, input=text, capture_output=True, env=environment, check=False)
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise ProblemError(
            "git could not sign: {said}",
            said=said[0].removeprefix("error: ") if said else f"it ended with {done.returncode}",
            hint="see user.signingKey, or: git config --local commit.gpgSign false",
        )
    return done.stdout.decode().strip()
