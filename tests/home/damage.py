"""Damages to a home, made from a seed: what a failing disk, a crash, another tool or a hand can leave in its files."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

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
