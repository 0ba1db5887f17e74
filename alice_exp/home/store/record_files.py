"""Reads the record files of a home, each content once, and composes their new contents."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

from alice_exp.home.store.list_files import Found
from alice_exp.home.store.read_files import Reading
from alice_exp.kernel import jsonc
from alice_exp.kernel.journal.atomic_files import Signature
from alice_exp.kernel.jsonc import Document, Edit, Unchanged
from alice_exp.kernel.jsonc.problem import Problem, first_error
from alice_exp.model.formats.record_schema import (
    EMPTY,
    EPISODES,
    EPISODES_PATH,
    EVENTS_PATH,
    SEGMENTS,
    read_episodes,
    read_timeline,
)
from alice_exp.model.values.changes import ChangeSet
from alice_exp.model.values.records import Episode, EpisodeBook, Timeline
from alice_exp.model.values.snapshot import Snapshot

Read: TypeAlias = "tuple[EpisodeBook | Timeline | None, tuple[Problem, ...]]"
"""A file's value (None if it is broken) and its problems."""


_KINDS: Mapping[str, tuple[str, Callable[[], Any], str]] = {
    EPISODES_PATH: ("episodes", EpisodeBook, EPISODES),
    EVENTS_PATH: ("timeline", Timeline, SEGMENTS),
}
"""Of each record file: the field of snapshots and change sets, the value of an empty one, the name of its list."""


class Recording:
    """Reader and writer of the record files of one home, with a cache: no content is parsed twice."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._read: dict[str, tuple[Signature, Read]] = {}
        self._composed: dict[str, tuple[bytes, Read]] = {}
        self._sound: Unchanged[Episode] | None = None

    def within(self, seen: Snapshot, found: Found, records: bool | str) -> Snapshot:
        """A snapshot with both record files (True), or the one of a path, and their problems."""
        for path, (name, empty, _) in _KINDS.items():
            if records in (True, path):
                signature = found.files.get(path)
                value, faults = self._value(path, signature) if signature else (empty(), ())
                known: dict[str, Any] = {name: value}
                seen = replace(seen, problems=(*seen.problems, *faults), **known)
        return seen

    def _value(self, path: str, signature: Signature) -> Read:
        known = self._read.get(path)
        if known is None or known[0] != signature:
            try:
                data, signature = self._reading.signed(path)
            except OSError as error:
                why = (error.strerror or "it is gone").lower()
                return None, (Problem(path, 0, 0, "this file cannot be read: {why}", {"why": why}),)
            composed = self._composed.pop(path, None)
            fresh = composed[1] if composed is not None and composed[0] == data else self._parsed(path, data)
            known = self._read[path] = (signature, fresh)
        return known[1]

    def compose(
        self, changes: ChangeSet, seen: Snapshot, content: Callable[[str], bytes | None]
    ) -> dict[str, bytes]:
        """The new bytes of the record files that an act changes; ``content`` reads the present ones.

        They are parsed and compared before anything is written: a wrong edit must never reach a person's file.
        """
        from alice_exp.model.formats.record_edits import book_edits, timeline_edits

        files: dict[str, bytes] = {}
        edits: Mapping[str, Callable[..., list[Edit]]]
        edits = {EPISODES_PATH: book_edits, EVENTS_PATH: timeline_edits}
        for path, (name, empty, listed) in _KINDS.items():
            old, new = getattr(seen, name), getattr(changes, name)
            if new is not None and new != old:
                document = self._reading.document(path, content(path) or EMPTY[path].encode(), listed)
                files[path] = self._checked(
                    path, jsonc.edit(document, edits[path](document, old or empty(), new)), new
                )
        return files

    def _checked(self, path: str, new: bytes, meant: EpisodeBook | Timeline) -> bytes:
        read = self._parsed(path, new)
        if read[0] != meant:
            fault = first_error(read[1])
            why = f"{fault.where} {fault.message}" if fault else "it differs from what was meant"
            raise AssertionError(f"composed {path} does not read back: {why}")
        # Parsed already, so that the next read after landing does not parse it again.
        self._composed[path] = (new, read)
        return new

    def _parsed(self, path: str, data: bytes) -> Read:
        if data == EMPTY[path].encode():
            # A new home's file: the parser need not be loaded to find nothing in it.
            return _KINDS[path][1](), ()
        document = self._reading.document(path, data, _KINDS[path][2])
        if path == EPISODES_PATH:
            book, problems = read_episodes(document, self._sound)
            if first_error(problems):
                return None, problems
            self._sound = jsonc.Unchanged(document, book.episodes)
            return book, problems
        timeline, problems = read_timeline(document)
        return (None if first_error(problems) else timeline), problems


def as_adopted(document: Document, data: bytes, new_id: Callable[[str], str], now: str) -> bytes | None:
    """The bytes of a hand-edited file without blocks as they are to be committed; episodes get missing ids and times.

    None if an error prevents the commit: the file is left alone, and its last good version is used.
    """
    if document.problem is not None:
        return None
    if document.path == EVENTS_PATH:
        return None if first_error(read_timeline(document)[1]) else data
    if document.path != EPISODES_PATH:
        return data
    spanned = jsonc.parse(data, EPISODES_PATH, EPISODES)
    book, problems = read_episodes(spanned)
    if first_error(problems):
        return None
    from alice_exp.model.formats.record_edits import completion_edits

    taken = {episode.id for episode in book.episodes}
    edits = completion_edits(spanned, fresh_ids(new_id, taken), now)
    return jsonc.edit(spanned, edits) if edits else data


def fresh_ids(new_id: Callable[[str], str], taken: set[str]) -> Iterator[str]:
    """Endless new ids of episodes that are not in ``taken``; each one is added to it."""
    while True:
        one = new_id("ep")
        if one not in taken:
            taken.add(one)
            yield one
