"""Implements doctor's checks besides file content: git, leftovers, permissions, disk, index, clouds (D5, D12)."""

from __future__ import annotations

import os
import re
import shutil
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from alice_exp.blocks.store.access_log import LOST
from alice_exp.finding.store.search_index import HomeIndex, index
from alice_exp.home.file_home import Home
from alice_exp.home.session import Session, once
from alice_exp.home.store.list_files import exposed
from alice_exp.home.store.repo_setup import ASIDE, SWEPT, recover_home
from alice_exp.kernel.errors import AliceError, BusyError, Hint
from alice_exp.kernel.journal.act import Actor
from alice_exp.kernel.journal.atomic_files import MARK, sweep
from alice_exp.kernel.journal.git_process import PURGING
from alice_exp.kernel.journal.git_references import MENDS, PENDING
from alice_exp.kernel.journal.lock import REPORTS
from alice_exp.kernel.jsonc.scan import Problem
from alice_exp.maintenance.store.set_aside import fault, restore

GIT_NEEDED = (2, 36)
LITTLE = 200 << 20
"""Free bytes below which to warn, since a purge or a repack writes the whole history again."""
# Below this an ordinary act may fail, so it is an error.
TOO_LITTLE = 20 << 20
CLOUDS = {
    *("Mobile Documents", "iCloud Drive", "iCloudDrive"),
    *("Dropbox", "OneDrive", "Google Drive", "GoogleDrive"),
}
"""Names of folders that a cloud service syncs to other machines."""
_SQLITE = b"SQLite format 3\0"
_INDEX = "state/index.sqlite"


class HomeInspection:
    """Inspection and repair of a home's surroundings: ``git``, ``history``, ``leftovers``, ``permissions``, ``disk``,
    ``index``, ``cloud`` and ``reads``."""

    def __init__(self, home: Home, index: HomeIndex, actor: Actor) -> None:
        self._home = home
        self._actor = actor
        self._search_index = index
        self._root = home.root
        self._repository = home.repository

    def look(self, check: str) -> tuple[Problem, ...]:
        """The problems found by one check, which its name chooses."""
        return tuple(_CHECKS[check][0](self))

    def mend(self, check: str) -> int:
        """Mend what needs no decision by a person; returns the number of things mended."""
        mended = _CHECKS[check][1]
        return mended(self) if mended else 0

    def commit_time(self) -> int:
        """The newest commit's time in epoch seconds; 0 if there is none."""
        head = self._repository.head()
        return self._repository.commit_time(head) if head else 0

    def _look_cloud(self) -> Iterator[Problem]:
        """A synced folder would copy personal experience and its history to other machines (B2.28)."""
        for folder in CLOUDS & set(self._root.resolve().parts):
            yield Problem.warning(
                str(self._root),
                "{folder} copies what is personal to other machines",
                "keep the home elsewhere and copy experiences/universal alone",
                folder=folder,
            )

    def _look_reads(self) -> Iterator[Problem]:
        lost = self._root / "state" / LOST
        if lost.exists() and lost.stat().st_size:
            yield Problem.warning(
                str(lost.relative_to(self._root)),
                "{count} reads could not be logged and are not counted",
                "'alice-exp doctor --fix' forgets them",
                count=lost.stat().st_size,
            )

    def _mend_reads(self) -> int:
        lost = self._root / "state" / LOST
        count = lost.stat().st_size if lost.exists() else 0
        lost.unlink(missing_ok=True)
        return count

    def _look_git(self) -> Iterator[Problem]:
        said = self._repository.run("--version").decode("utf-8", "replace")
        found = re.search(r"(\d+)\.(\d+)", said)
        if found is None or (int(found[1]), int(found[2])) < GIT_NEEDED:
            yield Problem.fault("git", "this is {version}; git 2.36 or later is needed", version=said.strip())

    def _look_history(self) -> Iterator[Problem]:
        repository = self._repository
        for aside in sorted(repository.work_tree.glob(f"{ASIDE}*")):
            template = "this is a history that git could not work with and 'doctor --fix' set aside"
            yield Problem.warning(
                aside.name, template, "look through it with git; remove it when nothing is missed"
            )
        if not repository.git_dir.exists() and not repository.git_dir.is_symlink():
            hint = "make one with 'alice-exp init'; 'alice-exp doctor --fix' where there was one before"
            yield Problem.fault(".git", "the home has no history", hint)
            return
        # Without the lock what another process writes at present would pass for a fault.
        with suppress(BusyError), self._home.lock.hold(wait=0):
            if why := fault(repository):
                yield Problem.fault(".git", why, MENDS)
                return
        if obstacle := repository.obstacle():
            yield Problem.fault(".git", obstacle, repository.way_out())
        if not os.access(repository.git_dir / "hooks" / "pre-push", os.X_OK):
            hint = "'alice-exp doctor --fix' puts it back"
            yield Problem.fault(
                ".git/hooks/pre-push", "nothing refuses a plain 'git push' of this history", hint
            )
        elif not repository.is_current():
            template = "a plain 'git pull' here would not merge block by block"
            yield Problem.warning(".git/info/attributes", template, "'alice-exp doctor --fix' mends that")

    def _mend_git(self) -> int:
        # Whatever this user may grant its owner: the home's directories, and what git keeps.
        for folder, inner, files in os.walk(self._root.resolve()):
            is_gits = ".git" in Path(folder).parts
            for name, wanted in (
                *((one, 0o700) for one in inner),
                *((one, 0o400) for one in files if is_gits),
            ):
                # A directory is opened before the walk looks into it.
                with suppress(OSError):
                    mode = (path := Path(folder, name)).lstat().st_mode
                    if mode & wanted != wanted and not stat.S_ISLNK(mode):
                        path.chmod(stat.S_IMODE(mode) | wanted)
        with self._home.unsettled() as writer:
            return int(restore(writer, self._actor))

    def _mend_history(self) -> int:
        hook = self._repository.git_dir / "hooks" / "pre-push"
        if self._repository.damage() or (os.access(hook, os.X_OK) and self._repository.is_current()):
            return 0
        self._repository.create()
        return 1

    def _look_leftovers(self) -> Iterator[Problem]:
        # Under the lock, or the temporary files of an act in progress would pass for leftovers.
        try:
            with self._home.lock.hold(wait=0):
                left = list(self._left())
        except BusyError:
            return
        for path in left[:20]:
            name = str(path.relative_to(self._root))
            yield Problem.warning(
                name, "this was left by a command that was interrupted", "'alice-exp doctor --fix' removes it"
            )
        for ref in (PENDING, PURGING):
            if self._repository.exists and self._repository.resolve(ref):
                yield Problem.warning(
                    ".git", "an act waits to be finished ({ref})", "the next command finishes it", ref=ref
                )

    def _left(self) -> Iterator[Path]:
        git_dir = self._repository.git_dir
        for directory, inner, files in os.walk(self._root):
            here = Path(directory)
            # Below .git only references: locks there block acts, and objects are matched by pattern below.
            if here == git_dir:
                inner[:] = [name for name in inner if name == "refs"]
            is_git = here.is_relative_to(git_dir)
            yield from (here / name for name in inner if MARK in name)
            yield from (here / name for name in files if MARK in name or (is_git and name.endswith(".lock")))
        for pattern in ("objects/*/tmp_*", "objects/pack/.tmp-*", REPORTS):
            yield from git_dir.glob(pattern)

    def _mend_leftovers(self) -> int:
        with self._home.lock.hold():
            before = len(list(self._left()))
            # What cannot be recovered is set aside by the next check.
            if self._repository.exists and not self._repository.damage():
                with suppress(AliceError, OSError):
                    recover_home(self._repository, holder_died=True)
            for folder in (*SWEPT, "sessions", "experiences"):
                sweep(self._root / folder)
            for path in (self._repository.git_dir / "objects" / "pack").glob(".tmp-*"):
                path.unlink(missing_ok=True)
            return before - len(list(self._left()))

    def _look_permissions(self) -> Iterator[Problem]:
        yield from exposed(self._root)
        wide = [row for row in self._wide() if row[0] != self._root.resolve()]
        for path, mode, wanted in wide[:5]:
            yield Problem.warning(
                str(path.relative_to(self._root.resolve().parent)),
                "others may read this: its mode is {mode:04o} and should be {wanted:04o}",
                "'alice-exp doctor --fix' closes it",
                mode=mode,
                wanted=wanted,
            )
        if len(wide) > 5:
            template = "{count} more places are open to others"
            yield Problem.warning("", template, "'alice-exp doctor --fix' closes them", count=len(wide) - 5)
        yield from self._others_own()

    def _others_own(self) -> Iterator[Problem]:
        """What a command that ran as another user (sudo) left: whom the home belongs to may be unable to read it."""
        root = self._root.resolve()
        owner = root.stat().st_uid
        for directory, _, files in os.walk(root):
            here = Path(directory)
            # Git's own files are written anew, never changed: its directories count.
            is_gits = self._repository.git_dir.resolve() in (here, *here.parents)
            for path in (here, *(here / name for name in files if not is_gits)):
                with suppress(OSError):
                    if path.lstat().st_uid != owner:
                        yield Problem.fault(
                            str(path.relative_to(root.parent)),
                            "this belongs to another user than the home does",
                            Hint("give it back: sudo chown -R {owner} {home}", owner=owner, home=str(root)),
                        )
                        return

    def _wide(self) -> Iterator[tuple[Path, int, int]]:
        """Directories wider than 0700 and files wider than 0600, except below ``.git``, which is closed as a whole."""
        # Through the link, where the home's own name is one.
        for directory, inner, files in os.walk(self._root.resolve()):
            here = Path(directory)
            if here.name.startswith(".git"):
                inner.clear()
                files.clear()
            for path, wanted in ((here, 0o700), *((here / name, 0o600) for name in files)):
                status = path.lstat()
                mode = stat.S_IMODE(status.st_mode)
                if not stat.S_ISLNK(status.st_mode) and mode & 0o077:
                    yield path, mode, wanted

    def _mend_permissions(self) -> int:
        wide = list(self._wide())
        for path, _, wanted in wide:
            path.chmod(wanted)
        return len(wide)

    def _look_disk(self) -> Iterator[Problem]:
        free = shutil.disk_usage(self._root).free
        if free < LITTLE:
            make = Problem.fault if free < TOO_LITTLE else Problem.warning
            yield make("", "only {free} MiB are free on this disk", "make room", free=free >> 20)
        for folder in (".", "experiences", "experiences/.git", "state"):
            path = self._root / folder
            if path.is_dir() and not os.access(path, os.W_OK | os.X_OK):
                yield Problem.fault(
                    str(path), "this directory cannot be written, so nothing can be kept in it"
                )

    def _look_index(self) -> Iterator[Problem]:
        hint = "'alice-exp doctor --fix' removes it; it is built again"
        head = b""
        with suppress(OSError), (self._root / _INDEX).open("rb") as file:
            head = file.read(len(_SQLITE))
        if head and head != _SQLITE:
            yield Problem.warning(_INDEX, "this is not a search index", hint)
            return
        for wrong in self._search_index.misled():
            yield Problem.warning(wrong, "the search index says something else than this file", hint)

    def _mend_index(self) -> int:
        if not list(self._look_index()):
            return 0
        for path in list(self._root.glob(f"{_INDEX}*")):
            path.unlink(missing_ok=True)
        return 1


_CHECKS: Mapping[
    str, tuple[Callable[[HomeInspection], Iterator[Problem]], Callable[[HomeInspection], int] | None]
] = {
    "cloud": (HomeInspection._look_cloud, None),
    "reads": (HomeInspection._look_reads, HomeInspection._mend_reads),
    "git": (HomeInspection._look_git, HomeInspection._mend_git),
    "history": (HomeInspection._look_history, HomeInspection._mend_history),
    "leftovers": (HomeInspection._look_leftovers, HomeInspection._mend_leftovers),
    "permissions": (HomeInspection._look_permissions, HomeInspection._mend_permissions),
    "disk": (HomeInspection._look_disk, None),
    "index": (HomeInspection._look_index, HomeInspection._mend_index),
}
"""What looks, and what mends, by the name of the check."""


@once
def inspection(session: Session) -> HomeInspection:
    """The session's inspection for ``doctor``."""
    return HomeInspection(session.home, index(session), session.caller.actor)
