"""Damages to a home, made from a seed: what a failing disk, a crash, another tool or a hand can leave in its files."""

import os
import random
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tests.case_tables import cases

Hurt = Callable[[Path, random.Random], None]


def _emptied(path: Path, _: random.Random) -> None:
    path.write_bytes(b"")


def _halved(path: Path, _: random.Random) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def _flipped(path: Path, chance: random.Random) -> None:
    data = bytearray(path.read_bytes() or b"\0")
    for _ in range(max(1, len(data) // 4000)):
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    path.write_bytes(bytes(data))


def _garbage(path: Path, chance: random.Random) -> None:
    path.write_bytes(chance.randbytes(200))


def _nested(path: Path, _: random.Random) -> None:
    path.write_text("[" * 100_000)


def _nested_below_a_checksum(path: Path, _: random.Random) -> None:
    from zlib import crc32

    text = b"[" * 100_000
    path.write_bytes(b"%08x\n" % crc32(text) + text)


def _other_shape(path: Path, chance: random.Random) -> None:
    path.write_text(chance.choice(("null", "[]", "{}", "1", '"x"', '[{"a": [1]}]', "NaN", '{"version": 2}')))


def _removed(path: Path, _: random.Random) -> None:
    path.unlink()


def _a_directory(path: Path, _: random.Random) -> None:
    path.unlink()
    path.mkdir()


def _a_link(path: Path, _: random.Random) -> None:
    path.unlink()
    path.symlink_to("nowhere")


def _a_loop(path: Path, _: random.Random) -> None:
    path.unlink()
    path.symlink_to(path.name)


HURTS: tuple[Hurt, ...] = (
    _emptied,
    _halved,
    _flipped,
    _garbage,
    _nested,
    _nested_below_a_checksum,
    _other_shape,
    _removed,
    _a_directory,
    _a_link,
    _a_loop,
)


def _a_file(folder: Path) -> None:
    shutil.rmtree(folder)
    folder.write_text("gitdir: /nowhere/at/all\n")


def _hollow(folder: Path) -> None:
    shutil.rmtree(folder)
    folder.mkdir()


def _dangling(folder: Path) -> None:
    shutil.rmtree(folder)
    folder.symlink_to("nowhere")


WHOLE: tuple[Callable[[Path], None], ...] = (_a_file, _hollow, _dangling, shutil.rmtree)
"""What can happen to a directory."""


@dataclass(frozen=True)
class Damage:
    """One damage, by the number that it is made from; ``hits`` says what part of the home it is in."""

    number: int
    hits: str
    name: str
    apply: Callable[[], None]


def damage(home: Path, number: int) -> Damage:
    """The damage of this number to this home: to git, to derived state, to what is beside, or to the person's files."""
    chance = random.Random(number)
    parts = {
        "git": _below(home / "experiences/.git"),
        "state": _below(home / "state"),
        "beside": [path for name in ("local.jsonc", "identity", "sessions") for path in _below(home / name)],
        "files": [p for p in _below(home / "experiences") if ".git" not in p.parts],
    }
    hits = ("git", "state", "git", "state", "beside", "files")[number % 6]
    if hits in ("git", "state") and chance.random() < 0.08:
        folder = home / {"git": "experiences/.git", "state": "state"}[hits]
        whole = chance.choice(WHOLE)
        return Damage(number, hits, f"{whole.__name__} {folder.name}", lambda: whole(folder))
    path, hurt = chance.choice(parts[hits]), chance.choice(HURTS)
    where = path.relative_to(home)
    return Damage(number, hits, f"{hurt.__name__} {where}", lambda: hurt(path, chance))


def _below(place: Path) -> list[Path]:
    if place.is_file():
        return [place]
    # Hooks and samples hold nothing that a read could miss; shared memory is of this very process, and lives in it.
    found = (path for path in place.rglob("*") if path.is_file() and "hooks" not in path.parts)
    return sorted(path for path in found if not path.name.endswith("-shm"))


# -- what git cannot do without --------------------------------------------------------------------------------------


def _nul(path: Path, _: random.Random) -> None:
    path.write_bytes(b"\0" * max(1, path.stat().st_size))


def _a_pipe(path: Path, _: random.Random) -> None:
    path.unlink()
    os.mkfifo(path)


def _a_link_to_a_pipe(path: Path, _: random.Random) -> None:
    # Never a link to a device: git writes what a link leads to, and root may.
    path.unlink()
    path.symlink_to(pipe := path.with_name("pipe"))
    os.mkfifo(pipe)


_PLACES = tuple(cases(__file__, "_PLACES"))
_TO_A_FILE: tuple[Hurt, ...] = (
    _emptied,
    _halved,
    _garbage,
    _nul,
    _removed,
    _a_directory,
    _a_link,
    _a_pipe,
    _a_link_to_a_pipe,
)
_FOLDERS = ("refs", "refs/heads", "refs/alice", "objects", "objects/pack", "logs", "info", "hooks", "")
_WRITTEN = {
    "an include of zeros": ("config", "[include]\n\tpath = /dev/zero\n"),
    "an include of a pipe": ("config", "[include]\n\tpath = ../pipe\n"),
    "an include of itself": ("config", "[include]\n\tpath = config\n"),
    "an include by a condition": ("config", '[includeIf "gitdir:/"]\n\tpath = /dev/zero\n'),
    "an unknown extension": ("config", "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tof = to\n"),
    "a later format": ("config", "[core]\n\trepositoryformatversion = 9\n"),
    "a work tree elsewhere": ("config", "[core]\n\tworktree = /nowhere/at/all\n"),
    "a bare repository": ("config", "[core]\n\tbare = true\n"),
    "another hash": (
        "config",
        "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectFormat = sha256\n",
    ),
    "reftables": ("config", "[core]\n\trepositoryformatversion = 1\n[extensions]\n\trefStorage = reftable\n"),
    "a part of a clone": (
        "config",
        "[extensions]\n\tpartialClone = origin\n",
    ),
    "no section's end": ("config", "[core\n"),
    "bytes of no text": ("config", "\0\0\ufffd[core]\0\n"),
    "a shared folder": ("commondir", "/nowhere/at/all\n"),
    "a shared pipe": ("commondir", "../pipe\n"),
    "a work tree's file": ("gitdir", "/nowhere/at/all\n"),
    "objects of another place": ("objects/info/alternates", "/nowhere/at/all\n"),
    "objects of itself": ("objects/info/alternates", "../objects\n"),
    "a cut": ("shallow", "nonsense\n"),
    "a cut at nothing": ("shallow", "1" * 40 + "\n"),
    "a graft": ("info/grafts", "nonsense\n"),
    "a lock of the index": ("index.lock", ""),
    "a lock of HEAD": ("HEAD.lock", ""),
    "a lock of the branch": ("refs/heads/main.lock", ""),
    "a lock of the mark": ("refs/alice/seen.lock", ""),
    "a lock of what is packed": ("packed-refs.lock", ""),
    "a branch below the branch": ("refs/heads/main/below", "1" * 40 + "\n"),
    "an act of no commit": ("refs/alice/pending", "1" * 40 + "\n"),
    "an act that is another": ("refs/alice/pending", "ref: refs/heads/main\n"),
    "an act that is itself": ("refs/alice/pending", "ref: refs/alice/pending\n"),
    "a head of no commit": ("refs/heads/main", "1" * 40 + "\n"),
    "a head that is itself": ("refs/heads/main", "ref: refs/heads/main\n"),
    "a head elsewhere": ("HEAD", "ref: refs/heads/other\n"),
    "a head outside": ("HEAD", "ref: ../../etc/passwd\n"),
    "a mark of no commit": ("refs/alice/seen", "1" * 40 + "\n"),
    "a purge of no commit": ("refs/alice/purging", "1" * 40 + "\n"),
    "a row that is none": ("packed-refs", "nonsense of nobody\n"),
    "an index of packs": ("objects/pack/multi-pack-index", "nonsense\n"),
    "a graph of commits": ("objects/info/commit-graph", "nonsense\n"),
    "an index of another": ("index", "DIRC\0\0\0\2\0\0\0\1"),
}
"""Single files of git that say what they must not, by what they are; a pipe stands beside them."""


def _written(git: Path, name: str, text: str) -> None:
    os.mkfifo(git.parent / "pipe") if "pipe" in text else None
    path = git / name
    # A configuration that keeps what it says besides; a file in the way of a directory goes.
    if path.parent.is_file():
        path.parent.unlink()
    path.parent.mkdir(parents=True, exist_ok=True)
    keeps = name == "config" and text.startswith("[")
    path.write_text((path.read_text() if keeps else "") + text)


def _to_a_file(git: Path, place: str, hurt: Hurt) -> None:
    found = sorted(git.glob(place), key=lambda path: path.stat().st_size)
    path = found[-1] if found else git / place
    if not path.exists():
        path.write_text("1" * 40 + "\n")
    path.chmod(0o600)
    hurt(path, random.Random(0))


def _to_a_folder(git: Path, folder: str, whole: Callable[[Path], None]) -> None:
    whole(git / folder)


GIT: dict[str, Callable[[Path], None]] = {
    **{
        f"{hurt.__name__} {place}".strip("_"): partial(_to_a_file, place=place, hurt=hurt)
        for place in _PLACES
        for hurt in _TO_A_FILE
    },
    **{
        f"{whole.__name__} {folder or '.git'}".strip("_"): partial(_to_a_folder, folder=folder, whole=whole)
        for folder in _FOLDERS
        for whole in WHOLE
    },
    **{name: partial(_written, name=file, text=text) for name, (file, text) in _WRITTEN.items()},
}
"""Every damage of the table to a repository, by its name."""
