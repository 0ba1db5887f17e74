"""Doctor's checks of a home's surroundings: git, leftovers, permissions, disk, index, clouds (D5, D12)."""

from __future__ import annotations

import os
import re
import shutil
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from alice_exp.blocks.store import LOST
from alice_exp.finding.store.search_index import index
from alice_exp.home.session import Session
from alice_exp.home.store.foreign_commits import ASIDE
from alice_exp.home.store.hand_edits import SWEPT, recover_home
from alice_exp.home.store.list_files import exposed
from alice_exp.kernel.errors import AliceError, BusyError, Hint
from alice_exp.kernel.journal.atomic_files import MARK, sweep
from alice_exp.kernel.journal.git_process import PURGING
from alice_exp.kernel.journal.git_references import MENDS, PENDING
from alice_exp.kernel.journal.lock import REPORTS
from alice_exp.kernel.jsonc import Problem
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
_DATABASE = "state/index.sqlite"


def _cloud(session: Session) -> Iterator[Problem]:
    """A synced folder would copy personal experience and its history to other machines (B2.28)."""
    for folder in CLOUDS & set(session.root.resolve().parts):
        yield Problem.warning(
            str(session.root),
            "{folder} copies what is personal to other machines",
            "keep the home elsewhere and copy experiences/universal alone",
            folder=folder,
        )


def _reads(session: Session) -> Iterator[Problem]:
    lost = session.root / "state" / LOST
    if lost.exists() and lost.stat().st_size:
        yield Problem.warning(
            str(lost.relative_to(session.root)),
            "{count} reads could not be logged and are not counted",
            "'alice-exp doctor --fix' forgets them",
            count=lost.stat().st_size,
        )


def _mend_reads(session: Session) -> int:
    lost = session.root / "state" / LOST
    count = lost.stat().st_size if lost.exists() else 0
    lost.unlink(missing_ok=True)
    return count


def _git(session: Session) -> Iterator[Problem]:
    said = session.home.repository.run("--version").decode("utf-8", "replace")
    found = re.search(r"(\d+)\.(\d+)", said)
    if found is None or (int(found[1]), int(found[2])) < GIT_NEEDED:
        yield Problem.fault("git", "this is {version}; git 2.36 or later is needed", version=said.strip())


def _history(session: Session) -> Iterator[Problem]:
    repository = session.home.repository
    for aside in sorted(repository.work_tree.glob(f"{ASIDE}*")):
        template = "this is a history that git could not work with and 'doctor --fix' set aside"
        yield Problem.warning(
            aside.name, template, "look through it with git; remove it when nothing is missed"
        )
    if not repository.git_dir.exists() and not repository.git_dir.is_symlink():
        hint = "'alice-exp doctor --fix' where there was one; else read the files, which 'alice-exp init' believes"
        yield Problem.fault(".git", "the home has no history", hint)
        return
    # Without the lock what another process writes at present would pass for a fault.
    with suppress(BusyError), session.home.lock.hold(wait=0):
        if why := fault(repository):
            yield Problem.fault(".git", why, MENDS)
            return
    if obstacle := repository.obstacle():
        yield Problem.fault(".git", obstacle, repository.way_out())
    if not os.access(repository.git_dir / "hooks" / "pre-push", os.X_OK):
        hint = "'alice-exp doctor --fix' puts it back"
        yield Problem.fault(".git/hooks/pre-push", "nothing refuses a plain 'git push' of this history", hint)
    elif not repository.is_current():
        template = "a plain 'git pull' here would not merge block by block"
        yield Problem.warning(".git/info/attributes", template, "'alice-exp doctor --fix' mends that")


def _mend_git(session: Session) -> int:
    # Whatever this user may grant its owner: the home's directories, and what git keeps.
    for folder, inner, files in os.walk(session.root.resolve()):
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
    with session.home.unsettled() as writer:
        return int(restore(writer, session.caller.actor))


def _mend_history(session: Session) -> int:
    repository = session.home.repository
    hook = repository.git_dir / "hooks" / "pre-push"
    if repository.damage() or (os.access(hook, os.X_OK) and repository.is_current()):
        return 0
    repository.create()
    return 1


def _leftovers(session: Session) -> Iterator[Problem]:
    # Under the lock, or the temporary files of an act in progress would pass for leftovers.
    try:
        with session.home.lock.hold(wait=0):
            left = list(_left(session))
    except BusyError:
        return
    for path in left[:20]:
        name = str(path.relative_to(session.root))
        yield Problem.warning(
            name, "this was left by a command that was interrupted", "'alice-exp doctor --fix' removes it"
        )
    repository = session.home.repository
    for ref in (PENDING, PURGING):
        if repository.exists and repository.resolve(ref):
            yield Problem.warning(
                ".git", "an act waits to be finished ({ref})", "the next command finishes it", ref=ref
            )


def _left(session: Session) -> Iterator[Path]:
    git_dir = session.home.repository.git_dir
    for directory, inner, files in os.walk(session.root):
        here = Path(directory)
        # Below .git only references: locks there block acts, and objects are matched by pattern below.
        if here == git_dir:
            inner[:] = [name for name in inner if name == "refs"]
        is_git = here.is_relative_to(git_dir)
        yield from (here / name for name in inner if MARK in name)
        yield from (here / name for name in files if MARK in name or (is_git and name.endswith(".lock")))
    for pattern in ("objects/*/tmp_*", "objects/pack/.tmp-*", REPORTS):
        yield from git_dir.glob(pattern)


def _mend_leftovers(session: Session) -> int:
    repository = session.home.repository
    with session.home.lock.hold():
        before = len(list(_left(session)))
        # What cannot be recovered is set aside by the next check.
        if repository.exists and not repository.damage():
            with suppress(AliceError, OSError):
                recover_home(repository, holder_died=True)
        for folder in (*SWEPT, "sessions", "experiences"):
            sweep(session.root / folder)
        for path in (repository.git_dir / "objects" / "pack").glob(".tmp-*"):
            path.unlink(missing_ok=True)
        return before - len(list(_left(session)))


def _permissions(session: Session) -> Iterator[Problem]:
    yield from exposed(session.root)
    wide = [row for row in _wide(session) if row[0] != session.root.resolve()]
    for path, mode, wanted in wide[:5]:
        yield Problem.warning(
            str(path.relative_to(session.root.resolve().parent)),
            "others may read this: its mode is {mode:04o} and should be {wanted:04o}",
            "'alice-exp doctor --fix' closes it",
            mode=mode,
            wanted=wanted,
        )
    if len(wide) > 5:
        template = "{count} more places are open to others"
        yield Problem.warning("", template, "'alice-exp doctor --fix' closes them", count=len(wide) - 5)
    yield from _others_own(session)


def _others_own(session: Session) -> Iterator[Problem]:
    """What a command that ran as another user (sudo) left: whom the home belongs to may be unable to read it."""
    root = session.root.resolve()
    owner = root.stat().st_uid
    for directory, _, files in os.walk(root):
        here = Path(directory)
        # Git's own files are written anew, never changed: its directories count.
        is_gits = session.home.repository.git_dir.resolve() in (here, *here.parents)
        for path in (here, *(here / name for name in files if not is_gits)):
            with suppress(OSError):
                if path.lstat().st_uid != owner:
                    yield Problem.fault(
                        str(path.relative_to(root.parent)),
                        "this belongs to another user than the home does",
                        Hint("give it back: sudo chown -R {owner} {home}", owner=owner, home=str(root)),
                    )
                    return


def _wide(session: Session) -> Iterator[tuple[Path, int, int]]:
    """Directories wider than 0700 and files wider than 0600, except below ``.git``, which is closed as a whole."""
    # Through the link, where the home's own name is one.
    for directory, inner, files in os.walk(session.root.resolve()):
        here = Path(directory)
        if here.name.startswith(".git"):
            inner.clear()
            files.clear()
        for path, wanted in ((here, 0o700), *((here / name, 0o600) for name in files)):
            status = path.lstat()
            mode = stat.S_IMODE(status.st_mode)
            if not stat.S_ISLNK(status.st_mode) and mode & 0o077:
                yield path, mode, wanted


def _mend_permissions(session: Session) -> int:
    wide = list(_wide(session))
    for path, _, wanted in wide:
        path.chmod(wanted)
    return len(wide)


def _disk(session: Session) -> Iterator[Problem]:
    free = shutil.disk_usage(session.root).free
    if free < LITTLE:
        make = Problem.fault if free < TOO_LITTLE else Problem.warning
        yield make("", "only {free} MiB are free on this disk", "make room", free=free >> 20)
    for folder in (".", "experiences", "experiences/.git", "state"):
        path = session.root / folder
        if path.is_dir() and not os.access(path, os.W_OK | os.X_OK):
            yield Problem.fault(str(path), "this directory cannot be written, so nothing can be kept in it")


def _index(session: Session) -> Iterator[Problem]:
    hint = "'alice-exp doctor --fix' removes it; it is built again"
    head = b""
    with suppress(OSError), (session.root / _DATABASE).open("rb") as file:
        head = file.read(len(_SQLITE))
    if head and head != _SQLITE:
        yield Problem.warning(_DATABASE, "this is not a search index", hint)
        return
    for wrong in index(session).misled():
        yield Problem.warning(wrong, "the search index says something else than this file", hint)


def _mend_index(session: Session) -> int:
    if not list(_index(session)):
        return 0
    for path in list(session.root.glob(f"{_DATABASE}*")):
        path.unlink(missing_ok=True)
    return 1


Examination = tuple[Callable[[Session], Iterable[Problem]], Callable[[Session], int] | None]
"""What finds the problems of a check, and what mends those that need no decision by a person, with their number."""

SURROUNDINGS: Mapping[str, Examination] = {
    "leftovers": (_leftovers, _mend_leftovers),
    "git": (_git, _mend_git),
    "history": (_history, _mend_history),
    "permissions": (_permissions, _mend_permissions),
    "disk": (_disk, None),
    "index": (_index, _mend_index),
    "cloud": (_cloud, None),
    "reads": (_reads, _mend_reads),
}
