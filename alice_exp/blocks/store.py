"""The log of reads in ``state/``: appended by every read, folded into the blocks once a day (R3.4-R3.6, B2.30).

Logging never breaks or delays a read: what cannot be written is only counted. Before a fold the log is renamed to a
segment that the folding commit names, so that after a crash history tells whether it was folded.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from alice_exp.home.session import Session, once
from alice_exp.kernel.errors import ProblemError, refused_as
from alice_exp.model.rules.doubt import consolidation_of
from alice_exp.model.values.block import Placed, Reads
from alice_exp.model.values.config import Config
from alice_exp.model.values.records import EpisodeBook
from alice_exp.model.values.snapshot import Put, Snapshot

LOST = "access.lost"
"""The file with one byte for each read that could not be logged; ``doctor`` reports its size (B3.7)."""


class FileAccess:
    """The log of reads of one home; ``is_folded`` asks history about a segment."""

    def __init__(self, state: Path, is_folded: Callable[[str], bool]) -> None:
        self._state = state
        self._log = state / "access.jsonl"
        self._is_folded = is_folded
        self._told: dict[str, Reads] = {}
        self._upto = (b"", 0)
        """How the log begins, and how many of its bytes ``_told`` counts: a process asks again with each question."""

    def record(self, ids: Sequence[str], at: str) -> None:
        """Append one read of each of these blocks; never raises."""
        if not ids:
            return
        line = json.dumps({"at": at, "ids": list(ids)}) + "\n"
        try:
            _append(self._log, line.encode())
        except OSError:
            with contextlib.suppress(OSError):
                _append(self._state / LOST, b".")

    def pending(self) -> dict[str, Reads]:
        """The reads since the last fold, by block id."""
        left = self._unfolded()
        reads = dict(self._of_log())
        for path in left:
            with contextlib.suppress(OSError):
                _count(reads, path.read_bytes())
        return reads

    def _of_log(self) -> dict[str, Reads]:
        """The reads of the log itself, of which only what is new is read."""
        try:
            with self._log.open("rb") as log:
                head = log.readline()
                if self._upto[0] != head or os.fstat(log.fileno()).st_size < self._upto[1]:
                    self._told, self._upto = {}, (head, 0)
                log.seek(self._upto[1])
                fresh = log.read()
        except OSError:
            self._told, self._upto = {}, (b"", 0)
            return self._told
        # A line that is being written is counted when it is whole.
        whole = fresh.rfind(b"\n") + 1
        _count(self._told, fresh[:whole])
        self._upto = (self._upto[0], self._upto[1] + whole)
        return self._told

    def seal(self, segment: str) -> None:
        """Move all pending reads into a segment of this name, which the folding commit then carries.

        Raises ``ProblemError`` if the file system refuses it.
        """
        target = self._state / f"access-{segment}.jsonl"
        with refused_as("nothing was changed: {why}"):
            earlier = self._unfolded()
            with contextlib.suppress(FileNotFoundError):
                self._log.rename(target)
            for path in earlier:
                with target.open("ab") as whole:
                    whole.write(path.read_bytes())
                path.unlink()

    def forget(self, segment: str) -> None:
        """Remove a segment whose folding commit has been made."""
        with contextlib.suppress(OSError):
            (self._state / f"access-{segment}.jsonl").unlink(missing_ok=True)

    def _unfolded(self) -> list[Path]:
        """Segments left by a crash before their commit; those whose commit was made are removed."""
        left: list[Path] = []
        # Every question asks this, and globbing takes four times as long.
        try:
            names = sorted(os.listdir(self._state))  # noqa: PTH208
        except OSError:
            return left
        for name in names:
            if not (name.startswith("access-") and name.endswith(".jsonl")):
                continue
            path, segment = self._state / name, name.removeprefix("access-").removesuffix(".jsonl")
            try:
                is_folded = self._is_folded(segment)
            except ProblemError:
                # The history cannot say whether they were counted; counted twice would be worse than late.
                continue
            if is_folded:
                self.forget(segment)
            else:
                left.append(path)
        return left


def _append(path: Path, line: bytes) -> None:
    # A single write in append mode, so that lines of several processes do not mix.
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        os.write(handle, line)
    finally:
        os.close(handle)


def _count(reads: dict[str, Reads], lines: bytes) -> None:
    """Count the lines of a log in; one that a crash cut short is skipped."""
    rows: list[tuple[str, list[str]]] = []
    for line in lines.splitlines():
        with contextlib.suppress(ValueError, KeyError, TypeError, RecursionError):
            row = json.loads(line)
            rows.append((str(row["at"]), list(map(str, row["ids"]))))
    # Several processes write, so the lines are nearly in the order of time, and the last of a block's is the latest.
    rows.sort()
    counts, last = Counter[str](), dict[str, str]()
    for at, ids in rows:
        counts.update(ids)
        last.update(dict.fromkeys(ids, at))
    for block_id, count in counts.items():
        known = reads.get(block_id, Reads(0, ""))
        reads[block_id] = Reads(known.count + count, max(known.last_at, last[block_id]))


@once
def access(session: Session) -> FileAccess:
    """The log of reads in ``state/``."""
    return FileAccess(
        session.root / "state", lambda segment: any(True for _ in session.history.carrying("Access", segment))
    )


def counting(reads: Mapping[str, Reads], config: Config, now: str) -> Callable[[Placed], Placed]:
    """A function that gives a placed block with its pending reads counted in: count, last time, new consolidation."""
    half_lives, weights = config.half_life_days, config.numbers("consolidation")

    def counted(placed: Placed) -> Placed:
        waiting = reads.get(placed.block.id)
        if waiting is None:
            return placed
        block = placed.block
        score = consolidation_of(
            block, now, half_life_days=half_lives, weights=weights, unfolded=waiting.count
        ).score
        # One copy, not two: a question counts a few blocks, and copying one takes a hundredth of a millisecond.
        settled = replace(
            block,
            access_count=block.access_count + waiting.count,
            last_accessed_at=max(block.last_accessed_at, waiting.last_at),
            consolidation_score=round(score, 6),
        )
        return replace(placed, block=settled)

    return counted


def folded(snapshot: Snapshot, reads: Mapping[str, Reads], now: str) -> tuple[Put, ...]:
    """The blocks that were read, with the reads counted in; ``updated_at`` stays (B3.13).

    Empty if one of them is in a file with a problem: the reads then wait until it is repaired.
    """
    found = snapshot.with_ids(reads.keys()).values()
    if any(placed.stale for placed in found):
        return ()
    counted = counting(reads, snapshot.config, now)
    return tuple(Put(counted(placed).block, placed.path) for placed in found if placed.place != "archive")


def folded_episodes(book: EpisodeBook, reads: Mapping[str, Reads]) -> EpisodeBook:
    """The book with the searches that returned its episodes counted in (R0.40, B0.8); the same object for none."""
    if not any(episode.id in reads for episode in book.episodes):
        return book
    counted = (
        replace(one, access_count=one.access_count + reads[one.id].count) if one.id in reads else one
        for one in book.episodes
    )
    return replace(book, episodes=tuple(counted))


def merged(puts: Iterable[Put], folds: Iterable[Put]) -> tuple[Put, ...]:
    """One put per block if an act changes blocks that were also read: the act's fields with the fold's counts."""
    by_id = {put.block.id: put for put in folds}
    result = []
    for put in puts:
        fold = by_id.pop(put.block.id, None)
        if fold is not None:
            counted = replace(
                put.block,
                access_count=fold.block.access_count,
                last_accessed_at=fold.block.last_accessed_at,
                consolidation_score=fold.block.consolidation_score,
            )
            put = replace(put, block=counted)
        result.append(put)
    return (*result, *by_id.values())
