"""Lists the files of a home with their signatures, without opening them; anything out of place is a problem.

``INVENTORY`` is that of ``state/``: a purge goes by it, and so do the sweeps after a crash. Whoever writes a new file
there adds it; the tests look into each home that they used.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
import time
from collections.abc import Mapping
from dataclasses import field, replace
from pathlib import Path
from typing import Literal

from alice_exp.kernel.errors import Names, reason, refused_as
from alice_exp.kernel.journal import atomic_files
from alice_exp.kernel.journal.atomic_files import MARK, OUT, RACY_NS, Signature, content_of, read_bytes
from alice_exp.kernel.journal.commit_writer import keep_derived, load_derived
from alice_exp.kernel.jsonc import Json, Problem, json_rows
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.formats.record_schema import CONFIG_PATH, default_text, read_config
from alice_exp.model.values.block import DIRECTORIES, HELD, NAME
from alice_exp.model.values.config import Config, joined

LOCAL = "local.jsonc"
"""The name, in the home, of the configuration that is in no history."""

_FOLDERS = (*DIRECTORIES.values(), "records")
TRACKED = (*_FOLDERS, ".schema")
"""The folders of a home's files below ``experiences/``."""


@dataclass
class Found:
    """Files by path relative to ``experiences/``, the existing directories, and whatever is out of place."""

    files: dict[str, Signature] = field(default_factory=dict)
    directories: set[str] = field(default_factory=set)
    problems: list[Problem] = field(default_factory=list)
    is_left: bool = False
    """Whether a file that an act displaced is still there: it may hold a person's save."""

    def is_odd(self, path: str, mode: int, wanted: int, other: str) -> bool:
        """Whether something else stands there than is ``wanted`` (as ``stat.S_IFREG``), which is a problem then."""
        if stat.S_IFMT(mode) == wanted:
            return False
        kind = "a symbolic link" if stat.S_ISLNK(mode) else other
        self.problems.append(Problem.fault(path, "this is {kind}; it is not read", kind=kind))
        return True


NEWER = ".schema/needs-newer-alice-exp.v3.json"
"""A file that each synced home tracks: by its name 0.2.0 refuses the history, whose decisions it could not read."""


def scan(root: Path) -> Found:
    """List every place that may contain a file of the home; never raises because of what a person put there."""
    found = Found()
    # Joined as text: this runs several times per command, and joining Paths took most of its time.
    place = str(root)
    _file(found, f"{place}/{CONFIG_PATH}", CONFIG_PATH)
    _folder(found, place, ".schema", ".json")
    for folder in _FOLDERS:
        _folder(found, place, folder, ".jsonc")
    return found


def held_file(root: Path) -> Path:
    """The file of what waits outside of git, for a home whose namespaces are below ``root``."""
    return root.parent / "state" / "held.jsonc"


def with_held(found: Found, root: Path) -> Found:
    """The same list, and what waits outside of git."""
    more = replace(found, files=dict(found.files), problems=[*found.problems])
    _file(more, str(held_file(root)), HELD)
    return more


def scan_config(root: Path) -> Found:
    """List the configuration file only."""
    found = Found()
    _file(found, f"{root}/{CONFIG_PATH}", CONFIG_PATH)
    return found


def exposed(root: Path) -> tuple[Problem, ...]:
    """Warnings about the home's own place: a symbolic link, or a directory that others may read."""
    found = []
    with contextlib.suppress(OSError):
        if root.is_symlink():
            template = (
                "the home is a symbolic link to {place}; whoever may change the link decides what is read"
            )
            hint = "set ALICE_HOME to the place itself"
            found.append(Problem.warning(str(root), template, hint, place=str(root.resolve())))
        if (mode := stat.S_IMODE(root.stat().st_mode)) & 0o077:
            template = "others may read this: its mode is {mode:04o} and should be {wanted:04o}"
            hint = "'alice-exp doctor --fix' closes it"
            found.append(Problem.warning(str(root), template, hint, mode=mode, wanted=0o700))
    return tuple(found)


_KEPT_IN = (".jsonc", ".json", ".json5", ".jsonl", ".md", ".txt", ".yaml", ".yml", ".toml", ".csv")
"""The endings of files in which a person may have written what is to be known; editors leave others."""

_FEW = 3


def unread(root: Path) -> tuple[Problem, ...]:
    """One warning about the files under ``experiences/`` (``root``) that a person may believe are read; or none."""
    names = []
    for folder, inner, files in os.walk(root):
        inner[:] = sorted(name for name in inner if not name.startswith("."))
        place = os.path.relpath(folder, root).removeprefix(".")
        names += [
            f"{place}/{name}".removeprefix("/")
            for name in sorted(files)
            if name.lower().endswith(_KEPT_IN) and not _is_read(place, name)
        ]
    if not names:
        return ()
    template = (
        "nothing reads this file" if len(names) == 1 else "nothing reads this file, nor {count} more: {names}"
    )
    others = Names((*names[1 : _FEW + 1], *["…"][: len(names) > _FEW + 1]))
    hint = "what is to be known stands in personal/NAME.jsonc or universal/NAME.jsonc"
    return (Problem.warning(names[0], template, hint, count=len(names) - 1, names=others),)


def _is_read(place: str, name: str) -> bool:
    """Whether a file is read, or named as a problem, or belongs to nobody's memories."""
    if name.startswith(".") or MARK in name or (not place and name.lower().startswith(("readme", "license"))):
        return True
    return name == CONFIG_PATH if not place else place in _FOLDERS and name.endswith(".jsonc")


_PLACEHOLDERS = ((".", ".icloud"), ("", ".nextcloud"), ("", ".owncloud"), ("", ".cloud"))
"""What clouds put before and behind a name where the file itself is not on this machine: iCloud, Nextcloud, odrive."""

_DATALESS = 0x40000000
"""macOS: the name is there, and a read would fetch the content (iCloud, Dropbox, OneDrive, Google Drive)."""

_ELSEWHERE = "this file is not here: a cloud keeps it; the last good version answers"
_DOWNLOADED = "let the cloud download it to this machine, and keep it there"


def elsewhere(full: str, path: str) -> tuple[Problem, ...]:
    """What is wrong with a file that is not there, where a cloud left a placeholder of it; nothing where none did."""
    folder, _, name = full.rpartition("/")
    names = (f"{folder}/{before}{name}{behind}" for before, behind in _PLACEHOLDERS)
    return (Problem.fault(path, _ELSEWHERE, _DOWNLOADED),) if any(map(os.path.lexists, names)) else ()


def _kept_in_a_cloud(name: str) -> str:
    """The name that a placeholder stands for; empty for any other file."""
    for before, behind in _PLACEHOLDERS:
        if name.startswith(before) and name.endswith(behind):
            return name.removeprefix(before).removesuffix(behind)
    return ""


def signature_of(root: Path) -> Signature | None:
    """The signature of ``local.jsonc`` of the home at ``root``; None if there is none."""
    try:
        return Signature.of(os.lstat(f"{root}/{LOCAL}"))
    except OSError:
        return None


def lacks_local(root: Path) -> bool:
    """Whether the home at ``root`` has no ``local.jsonc``, and no cloud keeps it."""
    return signature_of(root) is None and not elsewhere(f"{root}/{LOCAL}", LOCAL)


def _folder(found: Found, root: str, folder: str, ending: str) -> None:
    try:
        if found.is_odd(folder, os.lstat(f"{root}/{folder}").st_mode, stat.S_IFDIR, "not a directory"):
            return
        with os.scandir(f"{root}/{folder}") as entries:
            names = sorted(entry.name for entry in entries)
    except FileNotFoundError:
        return
    except OSError as error:
        found.directories.add(folder)
        found.problems.append(
            Problem.fault(folder, "this directory cannot be read: {why}", why=error.strerror)
        )
        return
    found.directories.add(folder)
    for name in names:
        found.is_left |= name.endswith(OUT) and MARK in name
        if (real := _kept_in_a_cloud(name)).endswith(ending) and real not in names:
            _file(found, f"{root}/{folder}/{real}", f"{folder}/{real}")
        if not name.endswith(ending) or name.startswith(".") or MARK in name:
            continue
        path = f"{folder}/{name}"
        if not NAME.fullmatch(name.removesuffix(ending)) and path != NEWER:
            template = "a namespace's name is made of a-z, 0-9, - and _"
            found.problems.append(Problem.fault(path, template, "rename the file to use it"))
            continue
        _file(found, f"{root}/{path}", path)


def _file(found: Found, full: str, path: str) -> None:
    try:
        status = os.lstat(full)
    except (FileNotFoundError, NotADirectoryError):
        found.problems += elsewhere(full, path)
        return
    except OSError as error:
        found.problems.append(Problem.fault(path, "this file cannot be read: {why}", why=error.strerror))
        return
    if found.is_odd(path, status.st_mode, stat.S_IFREG, "not a plain file"):
        return
    if getattr(status, "st_flags", 0) & _DATALESS:
        found.problems.append(Problem.fault(path, _ELSEWHERE, _DOWNLOADED))
        return
    found.files[path] = Signature.of(status)


def read_configuration(root: Path, found: Found) -> tuple[Config, tuple[Problem, ...]]:
    """The configuration of the home at ``root`` and its problems; a file that cannot be read decides nothing."""
    signatures = (found.files.get(CONFIG_PATH), signature_of(root))
    if signatures == (None, None):
        return Config(), ()
    cache = root / "state" / "config.json"
    told = [None if one is None else [*one] for one in signatures]
    known = load_derived(cache)
    with contextlib.suppress(ValueError, KeyError, TypeError):
        newest = max((max(one.mtime, one.ctime) for one in signatures if one is not None), default=0)
        if known["signatures"] == told and newest < known["at"] - RACY_NS:
            return Config(dict(known["values"]), dict(known["shared"])), ()
    began = time.time_ns()
    local, faults = _config_of(root, LOCAL)
    tracked = _config_of(root / "experiences", CONFIG_PATH) if signatures[0] is not None else (Config(), ())
    config, problems = joined(tracked[0], local), (*tracked[1], *faults)
    now = (scan_config(root / "experiences").files.get(CONFIG_PATH), signature_of(root))
    if not problems and now == signatures:
        body = {"values": dict(config.values), "shared": dict(config.shared)}
        keep_derived(cache, {"signatures": told, "at": began, **body})
    return config, problems


def _config_of(folder: Path, name: str) -> tuple[Config, tuple[Problem, ...]]:
    try:
        data, _ = read_bytes(folder / name)
    except FileNotFoundError:
        return Config(), elsewhere(f"{folder}/{name}", name)
    except OSError as error:
        return Config(), (Problem.fault(name, "this file cannot be read: {why}", why=reason(error)),)
    from alice_exp.kernel.jsonc.reader import parse

    return read_config(parse(data, name))


def write_local(root: Path, values: Mapping[str, Json]) -> None:
    """Set keys; comments stay, a missing file is made. ``ProblemError`` if the file is broken or cannot be written."""
    from alice_exp.kernel.jsonc.edits import Set, edit
    from alice_exp.kernel.jsonc.reader import parse

    with refused_as("nothing was changed: {why}", root / LOCAL):
        data = content_of(root / LOCAL)
        document = parse(default_text(local=True).encode() if data is None else data, LOCAL)
        if (problem := document.problem) is not None:
            raise problem.as_error("{message}; the file is left as it is")
        new = edit(document, [Set(tuple(name.split(".")), value) for name, value in values.items()])
        atomic_files.replace(root / LOCAL, new, durable=True)


Holds = Literal["nothing", "ids", "texts", "entry", "said", "waiting"]
"""What a file holds: neither id nor word of a block; ids alone, which stay; texts of any block, made anew from the
files when it is gone; one momentary entry, which goes with a block that it names or quotes; what was said and is not
taken in yet, a conversation's words; candidates that are nowhere else."""

INVENTORY: Mapping[str, Holds] = {
    "lock": "nothing",
    "config.json": "nothing",
    "shown-*": "nothing",
    "held.jsonc": "waiting",
    "hosts/*": "nothing",
    "hooks/.lock": "nothing",
    "hooks/once-*": "nothing",
    "hooks/*.json": "said",
    "access.jsonl": "ids",
    "access-*.jsonl": "ids",
    "access.lost": "nothing",
    "report.json": "ids",
    "review.json": "ids",
    "report.html": "texts",
    "files.json": "texts",
    "index.sqlite*": "texts",
    "ledger/*": "ids",
    "lost/*": "ids",
    "rejected.key": "nothing",
    "sessions.sqlite*": "texts",
    "published/*": "texts",
    "decisions/dec-*": "entry",
    "ran.jsonl": "entry",
    "heard/hrd-*": "entry",
    "heard/gone.jsonl": "ids",
    "heard/key": "nothing",
    "showings/*.dec-*": "entry",
    "team/uses.json": "ids",
    "team/words.json": "texts",
    "vectors-*.bin": "texts",
    ".report.html.new": "texts",
}
"""What each file holds, by patterns (of ``fnmatch``) of its path below ``state/``."""

FOLDERS = ("", *dict.fromkeys(name.partition("/")[0] for name in INVENTORY if "/" in name))
"""``state/`` itself and its folders, by their names below it."""


def kind_of(name: str) -> Holds | None:
    """What a file holds by its path below ``state/``; None for one that is not in the inventory."""
    from fnmatch import fnmatchcase

    return next((holds for pattern, holds in INVENTORY.items() if fnmatchcase(name, pattern)), None)


def _list(root: Path) -> Path:
    return root / "identity" / "written.jsonl"


def note_written(root: Path, target: Path) -> None:
    """Note a file that is written now, by its whole path; an addition, so what the disk refuses is left."""
    path = target.resolve()
    with contextlib.suppress(OSError):
        if path not in written_files(root):
            _list(root).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            atomic_files.append(_list(root), json.dumps(str(path)).encode() + b"\n")


def written_files(root: Path) -> tuple[Path, ...]:
    """The files that were noted, in their order; lines that are none are skipped."""
    with contextlib.suppress(OSError):
        return tuple(Path(one) for one in json_rows(_list(root).read_bytes()) if isinstance(one, str))
    return ()
