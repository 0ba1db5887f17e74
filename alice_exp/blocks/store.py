"""Which blocks were read, in ``state/``: appended by every read, folded into the blocks once a day (R3.4-R3.6, B2.30).

A read is never broken nor delayed by this: what cannot be written is counted and passed over. Before a fold the log is
renamed to a segment that the folding commit names, so that after a crash git tells whether it was folded.
"""

from __future__ import annotations

import contextlib
import json
import os
from typing import TYPE_CHECKING

from alice_exp.kernel.errors import ProblemError
from alice_exp.model.values.block import Reads

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path


LOST = "access.lost"
"""A byte for each read that could not be written down: ``doctor`` tells how many (B3.7)."""


class FileAccess:
    """The access log of one home; see ``home.ports.AccessLog``. ``is_folded`` asks history about a segment."""

    def __init__(self, state: Path, is_folded: Callable[[str], bool]) -> None:
        self._state = state
        self._log = state / "access.jsonl"
        self._is_folded = is_folded

    def record(self, ids: Sequence[str], at: str) -> None:
        """Append one read of some blocks; never raises."""
        if not ids:
            return
        line = json.dumps({"at": at, "ids": list(ids)}) + "\n"
        try:
            handle = os.open(self._log, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                os.write(handle, line.encode())
            finally:
                os.close(handle)
        except OSError:
            with contextlib.suppress(OSError), (self._state / LOST).open("ab") as lost:
                lost.write(b".")

    def pending(self) -> dict[str, Reads]:
        """What was read since the last fold, by block id."""
        reads: dict[str, Reads] = {}
        for path in [*self._unfolded(), self._log]:
            for at, ids in _rows(path):
                for block_id in ids:
                    known = reads.get(block_id, Reads(0, ""))
                    reads[block_id] = Reads(known.count + 1, max(known.last_at, at))
        return reads

    def seal(self, segment: str) -> None:
        """Put everything that is pending under one name, which the folding commit then carries."""
        try:
            self._gather(segment)
        except OSError as error:
            why = (error.strerror or str(error)).lower()
            raise ProblemError("nothing was changed: {why}", why=why) from error

    def _gather(self, segment: str) -> None:
        earlier = self._unfolded()
        target = self._state / f"access-{segment}.jsonl"
        with contextlib.suppress(FileNotFoundError):
            self._log.rename(target)
        for path in earlier:
            with target.open("ab") as whole:
                whole.write(path.read_bytes())
            path.unlink()

    def forget(self, segment: str) -> None:
        """The segment is folded: its commit stands."""
        with contextlib.suppress(OSError):
            (self._state / f"access-{segment}.jsonl").unlink(missing_ok=True)

    def _unfolded(self) -> list[Path]:
        """Segments that a crash left, less those whose commit stands: these are dropped."""
        left = []
        for path in sorted(self._state.glob("access-*.jsonl")):
            segment = path.name.removeprefix("access-").removesuffix(".jsonl")
            if self._is_folded(segment):
                self.forget(segment)
            else:
                left.append(path)
        return left


def _rows(path: Path) -> list[tuple[str, list[str]]]:
    """The lines of a log; one that a crash cut short is passed over."""
    try:
        raw = path.read_bytes()
    except OSError:
        return []
    rows = []
    for line in raw.splitlines():
        with contextlib.suppress(ValueError, KeyError, TypeError):
            row = json.loads(line)
            rows.append((str(row["at"]), [str(block_id) for block_id in row["ids"]]))
    return rows
