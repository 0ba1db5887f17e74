"""What a home's files and history say, read apart from the product: one ``git cat-file --batch`` and the bytes on disk."""

import hashlib
import os
import re
import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path

from alice_exp.kernel.jsonc.reader import parse
from alice_exp.model.formats.block_schema import read_blocks
from alice_exp.model.formats.record_schema import EPISODES_PATH, EVENTS_PATH, read_episodes, read_timeline
from alice_exp.model.values.block import Placed

SETS = ("universal/", "personal/", "low_value_pool/", "archive/")
_TRAILER = re.compile(r"^Alice-([A-Za-z]+): (.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Entry:
    """One commit: its tree, parents, author and trailers."""

    tree: str
    parents: tuple[str, ...]
    author: str
    subject: str
    trailers: dict[str, list[str]]

    @property
    def op(self) -> str:
        return self.trailers["Op"][0]


class Watch:
    """Looks at one home. ``close`` ends its git."""

    def __init__(self, root: Path) -> None:
        self.root, self.experiences = root, root / "experiences"
        self.git_dir = self.experiences / ".git"
        self._git = subprocess.Popen(
            ["git", f"--git-dir={self.git_dir}", "cat-file", "--batch"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=root,
        )
        self._trees: dict[str, dict[str, str]] = {}
        self._read: dict[tuple[str, str], tuple[Placed, ...]] = {}

    def close(self) -> None:
        assert self._git.stdin is not None and self._git.stdout is not None
        self._git.stdin.close()
        self._git.wait()
        self._git.stdout.close()

    def object(self, oid: str) -> bytes:
        """An object's bytes; an ``AssertionError`` where history has lost it."""
        assert self._git.stdin is not None and self._git.stdout is not None
        self._git.stdin.write(oid.encode() + b"\n")
        self._git.stdin.flush()
        told = self._git.stdout.readline().split()
        assert told[1:2] != [b"missing"], f"history has no object {oid}"
        data = self._git.stdout.read(int(told[2]))
        self._git.stdout.read(1)
        return data

    def head(self) -> str:
        return (self.git_dir / "refs" / "heads" / "main").read_text().strip()

    def marks(self) -> list[str]:
        """References of ours that stand only while an act is on its way."""
        found = (self.git_dir / "refs" / "alice").rglob("*")
        marks = [str(path.relative_to(self.git_dir)) for path in found if path.is_file()]
        return [mark for mark in marks if mark not in ("refs/alice/ledger", "refs/alice/seen")]

    def entry(self, oid: str) -> Entry:
        head, _, message = self.object(oid).decode().partition("\n\n")
        lines = [line.partition(" ") for line in head.splitlines()]
        trailers: dict[str, list[str]] = {}
        for name, value in _TRAILER.findall(message):
            trailers.setdefault(name, []).append(value)
        return Entry(
            next(rest for word, _, rest in lines if word == "tree"),
            tuple(rest for word, _, rest in lines if word == "parent"),
            next(rest for word, _, rest in lines if word == "author").partition(" <")[0],
            message.splitlines()[0],
            trailers,
        )

    def since(self, old: str) -> list[Entry]:
        """The commits after ``old``, oldest first; an ``AssertionError`` where history does not lead back to it."""
        found, at = [], self.head()
        while at != old:
            entry = self.entry(at)
            assert entry.parents, "history was rewritten: it does not lead back to what was committed before"
            found.append(entry)
            at = entry.parents[0]
        return found[::-1]

    def tracked(self) -> dict[str, str]:
        """Path to blob of the newest commit."""
        return dict(self._tree(self.entry(self.head()).tree))

    def _tree(self, oid: str) -> dict[str, str]:
        if oid not in self._trees:
            found: dict[str, str] = {}
            data = self.object(oid)
            while data:
                named, _, rest = data.partition(b"\0")
                mode, _, name = named.partition(b" ")
                inner, data = rest[:20].hex(), rest[20:]
                if mode == b"40000":
                    found |= {f"{name.decode()}/{path}": blob for path, blob in self._tree(inner).items()}
                else:
                    found[name.decode()] = inner
            self._trees[oid] = found
        return self._trees[oid]

    def index(self) -> dict[str, str]:
        """Path to blob as git's own index has it, which ``git status`` compares."""
        data = (self.git_dir / "index").read_bytes()
        count, at, found = struct.unpack(">I", data[8:12])[0], 12, {}
        for _ in range(count):
            length = struct.unpack(">H", data[at + 60 : at + 62])[0] & 0xFFF
            found[data[at + 62 : at + 62 + length].decode()] = data[at + 40 : at + 60].hex()
            at += (62 + length + 8) // 8 * 8
        return found

    def on_disk(self) -> dict[str, bytes]:
        """Every file below ``experiences/`` but git's."""
        found: dict[str, bytes] = {}
        for folder, below, names in os.walk(self.experiences):
            if ".git" in below:
                below.remove(".git")
            for name in names:
                path = Path(folder, name)
                found[str(path.relative_to(self.experiences))] = path.read_bytes()
        return found

    def momentary(self) -> list[str]:
        """Temporary files and locks that nobody holds now."""
        found = []
        for folder in (self.root / "state", self.git_dir, self.git_dir / "refs" / "heads"):
            if folder.exists():
                found += [entry.name for entry in os.scandir(folder) if _is_momentary(entry.name)]
        return found

    def blocks(self, path: str, data: bytes) -> tuple[Placed, ...]:
        """What a file says; an ``AssertionError`` where it does not parse."""
        key = (path, hashlib.sha1(data, usedforsecurity=False).hexdigest())
        if key not in self._read:
            read, problems = read_blocks(parse(data, path))
            faults = [problem for problem in problems if problem.severity == "error"]
            assert not faults, f"{path} does not parse: {faults[0].message}"
            self._read[key] = tuple(Placed(block, path) for block in read)
        return self._read[key]

    def check_records(self, files: dict[str, bytes]) -> None:
        """Episodes and thoughts parse, and the thoughts add up."""
        if EPISODES_PATH in files:
            _, problems = read_episodes(parse(files[EPISODES_PATH], EPISODES_PATH))
            assert not problems, problems
        if EVENTS_PATH in files:
            told, problems = read_timeline(parse(files[EVENTS_PATH], EVENTS_PATH))
            assert not problems, problems
            assert sum(told.lengths) == told.total_events


def _is_momentary(name: str) -> bool:
    return ".alice-tmp-" in name or name.endswith((".lock", ".aside"))


def blob(data: bytes) -> str:
    """The id that git gives these bytes."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()
