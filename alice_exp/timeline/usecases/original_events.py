"""Thoughts from history: what a segment held word for word, and every thought there ever was (B1.4)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from alice_exp.kernel.errors import NotFoundError
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.formats.record_schema import past_timeline
from alice_exp.model.values.records import EVENTS_PATH, Event, Timeline
from alice_exp.timeline.rules.compaction import WINDOW, covered, covered_by_order, verbatim

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from alice_exp.home.store.git_history import GitHistory
    from alice_exp.model.values.snapshot import Snapshot

FINISHED = "Finished"
"""The trailer of an act that gave a thought its result: the thought's number."""

_TOTAL = re.compile(r'"total_events":\s*(\d+)')


@dataclass(frozen=True, slots=True)
class Expanded:
    """The thoughts behind a segment, by number (1-based, in the order of arrival), and those that no version holds."""

    segment: int
    numbers: range
    thoughts: Mapping[int, Event]

    @property
    def missing(self) -> tuple[int, ...]:
        """Numbers of thoughts that were never committed here word for word (a timeline that was imported, say)."""
        return tuple(number for number in self.numbers if number not in self.thoughts)


def expand(snapshot: Snapshot, history: GitHistory, segment: int) -> Expanded:
    """The original thoughts of a segment, present or merged long ago, from the versions of the file in git (B1.4).

    ``NotFoundError`` where no version had a segment of that id.
    """
    present = snapshot.timeline or Timeline()
    numbers = (
        covered(present, segment)
        or _covered_once(history, segment)
        or (
            # What compaction by length makes of an id that was given and taken within one addition.
            covered_by_order(segment) if segment < present.next_id else None
        )
    )
    if numbers is None:
        raise NotFoundError(
            "no segment ever had the id {id}", id=segment, hint="see 'alice-exp event segments'"
        )
    thoughts = {number: event for number, event in verbatim(present).items() if number in numbers}
    for number, event in _from_history(history, set(numbers) - thoughts.keys()):
        thoughts[number] = event
    return Expanded(segment, numbers, dict(sorted(thoughts.items())))


def everything(history: GitHistory) -> dict[int, Event]:
    """Every thought that history holds word for word, by number (export, and what an import has to know)."""
    newest = next((text for _, text in history.texts(EVENTS_PATH)), "")
    return dict(sorted(_from_history(history, set(range(1, _total(newest) + 1)))))


def _timeline(text: str) -> Timeline:
    return past_timeline(text.encode("utf-8", "replace"))


def _total(text: str) -> int:
    found = _TOTAL.search(text)
    return int(found[1]) if found else 0


def _covered_once(history: GitHistory, segment: int) -> range | None:
    """Which thoughts a segment held when a version still had it."""
    id_line = re.compile(rf'"id":\s*{segment}\b')
    for _, text in history.texts(EVENTS_PATH):
        if id_line.search(text):
            numbers = covered(_timeline(text), segment)
            if numbers is not None:
                return numbers
    return None


def _from_history(history: GitHistory, wanted: set[int]) -> Iterator[tuple[int, Event]]:
    """Thoughts by number: the fewest versions that hold them are read first, all others only for what is missing.

    The oldest version that is not older than the newest thought still wanted holds it, with the seven before it.
    """
    found: dict[int, Event] = {}
    missing = set(wanted)
    for text, finished in _telling(history, missing):
        for number, event in verbatim(_timeline(text)).items():
            if number in missing and (not finished or number in finished):
                missing.discard(number)
                found[number] = event
    for _, text in history.texts(EVENTS_PATH) if missing else ():
        if missing and _may_hold(text, max(missing)):
            for number, event in verbatim(_timeline(text)).items():
                if number in missing:
                    missing.discard(number)
                    found[number] = event
    yield from found.items()


def _may_hold(text: str, number: int) -> bool:
    """Whether a version's verbatim thoughts, which are its newest, can reach back to a number."""
    total = _total(text)
    return total - text.count('"thought"') - WINDOW < number <= total


def _telling(history: GitHistory, missing: set[int]) -> Iterator[tuple[str, set[int]]]:
    """The versions to read, newest first; ``missing`` shrinks as the caller reads them.

    With a version comes which thoughts it gave their result (B1.8): those are as it has them, whatever came before.
    """
    newer = ""
    for commit, text in history.texts(EVENTS_PATH):
        if not missing:
            return
        if newer and _total(text) < max(missing) <= _total(newer):
            yield newer, set()
        finished = {int(value) for name, value in commit.trailers if name == FINISHED and value.isdecimal()}
        if finished & missing:
            yield text, finished
        newer = text
    if missing and newer:
        yield newer, set()
