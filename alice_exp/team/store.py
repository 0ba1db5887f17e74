"""The edges of the team: the files of a repository that may be anybody's, its git, and what this home keeps of others'
blocks below ``state/team/``."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from alice_exp.kernel.errors import ProblemError, RefusedError, refused_as
from alice_exp.kernel.journal.atomic_files import replace
from alice_exp.kernel.journal.commit_writer import keep_derived, load_derived
from alice_exp.kernel.journal.git_process import missing_git
from alice_exp.team.rules.publication import SIGN
from alice_exp.team.rules.team_file import LARGEST, PATH, merge_texts

_SAFELY = {
    # A repository that came as an archive brings its own configuration: nothing of it is run.
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "log.showSignature": "false",
    "protocol.allow": "never",
    "core.pager": "cat",
}
_NO_NAME = re.compile(r"[^\w.'-]+|_")
_DRIVER = "merge.alice-team"
_ATTRIBUTE = f"/{PATH} merge=alice-team\n"


class RepositoryFiles:
    """What ``publish`` and ``trust`` read and write of the repository in the folder ``root``."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def team_file(self) -> bytes | None:
        """The bytes of the team's file; None where there is none.

        ``ProblemError`` for a link, also in the place of its folder, for what is no plain file, and for one that is
        larger than 4 MiB: nothing of it was read.
        """
        folder = -1
        try:
            folder = os.open(
                self.root / ".alice", os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
            )
            flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
            with open(os.open(Path(PATH).name, flags, dir_fd=folder), "rb") as file:  # noqa: PTH123
                if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                    raise ProblemError("this is not a plain file", path=PATH)
                data = file.read(LARGEST + 1)
        except FileNotFoundError:
            return None
        except OSError as error:
            # A link in its place, a file in the place of the folder, a loop.
            why = "a link, or no plain file" if error.errno in _NO_FILE else (error.strerror or "").lower()
            raise ProblemError("this file cannot be read: {why}", why=why, path=PATH) from error
        finally:
            if folder >= 0:
                os.close(folder)
        if len(data) > LARGEST:
            raise ProblemError("this file is larger than 4 MiB", path=PATH)
        return data

    def text(self, name: str) -> str:
        """A text file's content; empty where there is none. ``RefusedError`` as ``write``."""
        path = self._inside(name)
        try:
            return path.read_bytes().decode() if path.is_file() else ""
        except (OSError, ValueError) as error:
            raise ProblemError("this file cannot be read: {why}", why=str(error), path=name) from error

    def write(self, name: str, text: str) -> None:
        """Write a file, whole or not at all; without a text it goes, with its folder if that is empty then.

        ``RefusedError`` for a name whose links lead out of the repository or into its ``.git``.
        """
        path = self._inside(name)
        with refused_as("this file cannot be written: {why}", name):
            if not text:
                path.unlink(missing_ok=True)
                with contextlib.suppress(OSError):
                    path.parent.rmdir()
                return
            path.parent.mkdir(parents=True, exist_ok=True)
            mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else 0o644
            replace(path, text.encode(), durable=True, mode=mode)

    def own_skills(self, folder: str) -> Iterator[str]:
        """The names of the skills in a folder of the repository that ``publish`` wrote."""
        for path in sorted(self._inside(folder).glob("*/SKILL.md")):
            name = f"{folder}/{path.parent.name}/SKILL.md"
            with contextlib.suppress(ProblemError, RefusedError):
                if f"\n{SIGN}" in self.text(name):
                    yield name

    def _inside(self, name: str) -> Path:
        path = self.root / name
        try:
            target, root = path.resolve(), self.root.resolve()
        except (OSError, RuntimeError, ValueError):
            target, root = Path("/"), self.root
        is_inside = root in target.parents and ".git" not in target.relative_to(root).parts
        if not is_inside or (name == PATH and target != root / PATH):
            raise RefusedError("{path} leads out of the repository", path=name)
        if target.exists() and not (target.is_file() or target.is_dir()):
            raise RefusedError("{path} is no plain file", path=name)
        return target

    def last_author(self) -> str:
        """Who committed the team's file last; empty where nobody did, or git does not say.

        A stranger chose the name, and an agent is told it: nothing of it but a name's letters, 40 of them.
        """
        return " ".join(_NO_NAME.sub(" ", self._git("log", "-1", "--format=%an", "--", PATH)).split())[:40]

    def person(self) -> str:
        """The name under which the person commits here; empty where git knows none."""
        return " ".join(self._git("config", "user.name").split())[:80]

    def set_driver(self) -> bool:
        """Let git merge the team's file by id in this clone; False where it does already."""
        driver = f"{shlex.quote(sys.executable)} -m alice_exp merge-driver %O %A %B %P"
        named = self._git("rev-parse", "--git-path", "info/attributes").strip()
        attributes = self.root / named
        try:
            said = attributes.read_text(encoding="utf-8") if attributes.exists() else ""
            is_set = (
                _ATTRIBUTE in said and self._git("config", "--local", f"{_DRIVER}.driver").strip() == driver
            )
            if is_set or not named:
                return False
            if _ATTRIBUTE not in said:
                attributes.parent.mkdir(parents=True, exist_ok=True)
                gap = "" if not said or said.endswith("\n") else "\n"
                replace(attributes, f"{said}{gap}{_ATTRIBUTE}".encode(), durable=True, mode=0o644)
        except (OSError, ValueError):
            return False
        self._git("config", "--local", f"{_DRIVER}.name", "blocks of a team by id")
        self._git("config", "--local", f"{_DRIVER}.driver", driver)
        return True

    def _git(self, *words: str) -> str:
        options = [part for name, value in _SAFELY.items() for part in ("-c", f"{name}={value}")]
        command = ["git", "-C", str(self.root), *options, *words]
        plain = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        plain |= {"GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0"}
        try:
            done = subprocess.run(
                command, capture_output=True, stdin=subprocess.DEVNULL, env=plain, check=False
            )
        except FileNotFoundError:
            raise missing_git() from None
        return done.stdout.decode("utf-8", "replace") if not done.returncode else ""


_NO_FILE = (20, 21, 40, 62)
"""ENOTDIR, EISDIR, ELOOP on Linux and macOS: a link, a folder or a file where the other should be."""


def driver(base: Path, ours: Path, theirs: Path, _: str) -> None:
    """Merge the team's file for git by id and write the result to ``ours``; ``ProblemError``: it stays a conflict."""
    ours.write_bytes(merge_texts(*(file.read_bytes() for file in (base, ours, theirs))))


def state_of(root: Path, name: Literal["uses", "words"]) -> dict[str, dict[str, Any]]:
    """What the home at ``root`` keeps of others' blocks by their ids: of ``uses`` what outcomes made of each, the keys
    of a block that they move; of ``words`` the trigger and payload that were trusted, and who committed the file then.

    Both may be lost: then a block stands as on its first day, and a changed one is shown whole.
    """
    found = load_derived(root / "state" / "team" / f"{name}.json")
    return found if isinstance(found, dict) else {}


def keep_state(root: Path, name: Literal["uses", "words"], body: object) -> None:
    """Keep ``uses`` or ``words``; what the disk refuses is left."""
    path = root / "state" / "team" / f"{name}.json"
    with contextlib.suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    keep_derived(path, body)
