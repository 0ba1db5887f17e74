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
_WRITTEN = cases(__file__, "_WRITTEN")
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
    **{name: partial(_written, name=file, text=text) for name, file, text in _WRITTEN},
}
"""Every damage of the table to a repository, by its name."""
