"""The record files of a home: read once per content, rewritten where an act changes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alice_exp.core.records import EpisodeBook, Timeline
from alice_exp.store.files import read_bytes
from alice_exp.text.jsonc import edit, parse
from alice_exp.text.record_edits import book_edits, completion_edits, timeline_edits
from alice_exp.text.records import (
    EPISODES,
    EPISODES_PATH,
    EVENTS_PATH,
    SEGMENTS,
    read_episodes,
    read_timeline,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from alice_exp.core.changes import ChangeSet
    from alice_exp.core.model import Problem, Snapshot
    from alice_exp.store.files import Signature
    from alice_exp.text.jsonc import Document

EMPTY = {
    EPISODES_PATH: '{\n  "$schema": "../.schema/episodes.json",\n  "capacity": 1000,\n  "episodes": []\n}\n',
    EVENTS_PATH: (
        '{\n  "$schema": "../.schema/events.json",\n  "next_id": 1,\n  "total_events": 0,\n'
        '  "total_compressions": 0,\n  "segments": []\n}\n'
    ),
}
"""The texts of record files without records."""


class Recording:
    """Reads the record files of one home and remembers them by signature."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._episodes: tuple[Signature, EpisodeBook | None, tuple[Problem, ...]] | None = None
        self._timeline: tuple[Signature, Timeline | None, tuple[Problem, ...]] | None = None

    def episodes(self, signature: Signature | None) -> tuple[EpisodeBook | None, tuple[Problem, ...]]:
        """The episodes and what is wrong with their file; an empty book where there is no file."""
        if signature is None:
            return EpisodeBook(), ()
        if self._episodes is None or self._episodes[0] != signature:
            book, problems = read_episodes(parse(read_bytes(self._root / EPISODES_PATH)[0], EPISODES_PATH, EPISODES))
            self._episodes = (signature, None if _is_broken(problems) else book, problems)
        return self._episodes[1:]

    def timeline(self, signature: Signature | None) -> tuple[Timeline | None, tuple[Problem, ...]]:
        """The segments and what is wrong with their file; none where there is no file."""
        if signature is None:
            return Timeline(), ()
        if self._timeline is None or self._timeline[0] != signature:
            told, problems = read_timeline(parse(read_bytes(self._root / EVENTS_PATH)[0], EVENTS_PATH, SEGMENTS))
            self._timeline = (signature, None if _is_broken(problems) else told, problems)
        return self._timeline[1:]


def _is_broken(problems: tuple[Problem, ...]) -> bool:
    return any(problem.severity == "error" for problem in problems)


def as_adopted(document: Document, data: bytes, new_id: Callable[[str], str], now: str) -> bytes | None:
    """A file without blocks as adoption commits it: episodes that a person typed get their id and time.

    None where a problem keeps it from being committed: it stays as it is, and its last good version answers.
    """
    if document.problem is not None:
        return None
    if document.path == EVENTS_PATH:
        return None if _is_broken(read_timeline(document)[1]) else data
    if document.path != EPISODES_PATH:
        return data
    spanned = parse(data, EPISODES_PATH, EPISODES)
    book, problems = read_episodes(spanned)
    if _is_broken(problems):
        return None
    taken = {episode.id for episode in book.episodes}
    edits = completion_edits(spanned, fresh_ids(new_id, taken), now)
    return edit(spanned, edits) if edits else data


def fresh_ids(new_id: Callable[[str], str], taken: set[str]) -> Iterator[str]:
    """Ids for episodes that none of ``taken`` is, which grows with each."""
    while True:
        one = new_id("ep")
        if one not in taken:
            taken.add(one)
            yield one


def record_files(
    changes: ChangeSet, seen: Snapshot, content: Callable[[str], bytes | None]
) -> dict[str, bytes]:
    """The new bytes of the record files that an act changes; ``content`` reads a file as it is now.

    What was composed is read back before anything is written: a wrong edit must never reach a person's file.
    """
    files: dict[str, bytes] = {}
    if changes.episodes is not None and changes.episodes != seen.episodes:
        document = parse(content(EPISODES_PATH) or EMPTY[EPISODES_PATH].encode(), EPISODES_PATH, EPISODES)
        new = edit(document, book_edits(document, seen.episodes or EpisodeBook(), changes.episodes))
        _require_same(EPISODES_PATH, read_episodes(parse(new, EPISODES_PATH, EPISODES)), changes.episodes)
        files[EPISODES_PATH] = new
    if changes.timeline is not None and changes.timeline != seen.timeline:
        document = parse(content(EVENTS_PATH) or EMPTY[EVENTS_PATH].encode(), EVENTS_PATH, SEGMENTS)
        new = edit(document, timeline_edits(document, seen.timeline or Timeline(), changes.timeline))
        _require_same(EVENTS_PATH, read_timeline(parse(new, EVENTS_PATH, SEGMENTS)), changes.timeline)
        files[EVENTS_PATH] = new
    return files


def _require_same(
    path: str, read: tuple[EpisodeBook | Timeline, tuple[Problem, ...]], meant: EpisodeBook | Timeline
) -> None:
    value, problems = read
    if _is_broken(problems):
        fault = next(problem for problem in problems if problem.severity == "error")
        raise AssertionError(f"composed {path} does not read back: {fault.where} {fault.message}")
    if value != meant:
        raise AssertionError(f"composed {path} differs from what was meant")
