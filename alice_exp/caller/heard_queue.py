"""The person's own sentences that wait for a model to read them, in ``state/heard``, outside git (DESIGN 14).

A sentence is a file; of one that is gone a line of hashes stays for 180 days.

A file appears whole or not at all, under a name that follows from session and words, so that nothing is there twice.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from alice_exp.kernel.errors import refused_as
from alice_exp.kernel.journal.atomic_files import MARK, append, create, read_bytes
from alice_exp.kernel.journal.atomic_files import replace as write
from alice_exp.kernel.jsonc import json_rows
from alice_exp.kernel.text.times import seconds
from alice_exp.kernel.value_class import attributes, dataclass
from alice_exp.model.rules.identity import SIGNS, are_one, keyed, marks_of
from alice_exp.model.values.block import Evidence

_DAY = 86_400
_AGED, _COUNTED = 30 * _DAY, 180 * _DAY
_NAME = "hrd-"
_MOST_MARKS = 24
"""Hashes of pairs that are kept of a sentence: the smallest, which are a fair sample of all."""


@dataclass(frozen=True, slots=True)
class Heard:
    """A sentence as it was said: host and project (all its names) of its session, its time (ISO-8601 UTC).

    ``ref`` is its message, ``session#index``, ``place`` which of the message's sentences it is (from 0); ``reported``
    when a report that a person saw first came after it.
    """

    id: str
    ref: str
    host: str
    project: str
    at: str
    text: str
    place: int = 0
    reported: str = ""

    @property
    def session(self) -> str:
        """The conversation in which it was said."""
        return self.ref.partition("#")[0]

    @property
    def index(self) -> int:
        """The index of its message there."""
        return int(self.ref.rpartition("#")[2])

    @property
    def evidence(self) -> Evidence:
        """The sentence as evidence of a block, word for word."""
        return Evidence("session", self.ref, self.at, self.text)

    def is_of(self, project: str) -> bool:
        """Whether it was said in a project (all its names), or in none where that is none."""
        return bool({*self.project.split()} & {*project.split()}) if project else not self.project


class HeardQueue:
    """The queue of a home, over its folder ``state/heard``. What was read or dropped leaves only keyed hashes, by which
    it counts when it is said again."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._gone = folder / "gone.jsonl"

    def keep(self, said: Sequence[Heard]) -> tuple[Heard, ...]:
        """Add sentences, each durably and once, even one that was read; they, with the ids that are given here."""
        if not said:
            return ()
        with refused_as("what was said could not be kept: {why}"):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            known = {row["id"] for row in self._rows()}
            named = [
                replace(one, id=_NAME + mark)
                for one in said
                for mark in keyed([f"{one.session} {one.text}"], self._key())
            ]
            for one in named:
                with contextlib.suppress(FileExistsError):
                    if one.id not in known:
                        create(self._folder / one.id, json.dumps(asdict(one), ensure_ascii=False).encode())
            return tuple(named)

    def waiting(self) -> tuple[Heard, ...]:
        """What waits, oldest first, in the order in which it was said."""
        return tuple(sorted(self._read(), key=lambda one: (one.at, one.session, one.index, one.place)))

    def _read(self) -> Iterator[Heard]:
        names = os.listdir(self._folder) if self._folder.is_dir() else ()  # noqa: PTH208
        for name in names:
            if name.startswith(_NAME) and MARK not in name:
                with contextlib.suppress(OSError, ValueError, TypeError):
                    one = Heard(**json.loads(read_bytes(self._folder / name)[0]))
                    if one.index >= 0:
                        yield one

    def again(self, one: Heard) -> tuple[Evidence, ...]:
        """When the same was said in other sessions of that project in the last 180 days: those that wait with their
        words, of those that were read the day alone."""
        plain = marks_of(one.text)
        told = [
            other.evidence
            for other in self.waiting()
            if other.session != one.session
            and (other.is_of(one.project) or other.project == one.project)
            and are_one(plain, marks_of(other.text))
        ]
        if not self._gone.exists():
            return tuple(told)
        key = self._key()
        marks, here = _sample(keyed(plain, key)), _named(one.project, key)
        told += [
            Evidence("session", row["ref"], row["at"])
            for row in self._rows()
            if row["ref"].partition("#")[0] != one.session
            and here & {*row["project"]}
            and are_one(marks, row["marks"])
            and abs(seconds(one.at) - seconds(row["at"])) <= _COUNTED
        ]
        return tuple(sorted(told, key=lambda piece: piece.at))

    def remove(self, ids: Collection[str]) -> int:
        """Take sentences out, read or dropped; their hashes stay. How many there were."""
        gone = [one for one in self._read() if one.id in ids]
        if gone:
            key = self._key()
            rows = [
                {
                    **attributes(one, "id ref at"),
                    "project": sorted(_named(one.project, key)),
                    "marks": sorted(_sample(keyed(marks_of(one.text), key))),
                }
                for one in gone
            ]
            # First the line: a sentence whose file a crash leaves is read once more rather than forgotten.
            append(self._gone, b"".join(json.dumps(row).encode() + b"\n" for row in rows))
            for one in gone:
                (self._folder / one.id).unlink(missing_ok=True)
        return len(gone)

    def age(self, now: str) -> None:
        """Note that a person sees a report now; what an earlier one came after thirty days ago goes."""
        old = []
        for one in self.waiting():
            if not one.reported:
                with contextlib.suppress(OSError):
                    seen = json.dumps(asdict(replace(one, reported=now)), ensure_ascii=False).encode()
                    write(self._folder / one.id, seen, durable=False)
            elif seconds(now) - seconds(one.reported) >= _AGED:
                old.append(one.id)
        with contextlib.suppress(OSError):
            rows = list(self._rows())
            left = [row for row in rows if seconds(now) - seconds(row["at"]) <= _COUNTED]
            if len(left) < len(rows):
                write(self._gone, b"".join(json.dumps(row).encode() + b"\n" for row in left), durable=True)
            self.remove(old)

    def _rows(self) -> Iterator[dict[str, Any]]:
        """What is left of sentences that were read or dropped; a line cut short by a crash is skipped."""
        with contextlib.suppress(OSError):
            for row in json_rows(read_bytes(self._gone)[0]):
                if isinstance(row, dict) and row.keys() >= {"id", "ref", "at", "project", "marks"}:
                    yield row

    def _key(self) -> bytes:
        """The secret of this machine by which words are hashed; made on first use."""
        path = self._folder / "key"
        with contextlib.suppress(FileExistsError):
            if not path.exists():
                create(path, os.urandom(32))
        return read_bytes(path)[0]


def _sample(marks: Collection[str]) -> frozenset[str]:
    signs = {one for one in marks if one[0] in SIGNS}
    return frozenset((*signs, *sorted({*marks} - signs)[:_MOST_MARKS]))


def _named(project: str, key: bytes) -> frozenset[str]:
    return keyed(project.split() or ["-"], key)
