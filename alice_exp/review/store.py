"""The open report in ``state/``: the block of each number. If the file is lost, it is rebuilt from history."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

from alice_exp.kernel.journal.atomic_files import keep

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from alice_exp.kernel.journal.act import Commit


@dataclass(frozen=True, slots=True)
class Past:
    """The queries on history: the newest act of an operation, and the acts after a commit or a time."""

    newest: Callable[[str], Commit | None]
    after: Callable[[str, str], Sequence[Commit]]


@dataclass(frozen=True, slots=True)
class _Open:
    report: str = ""
    at: str = ""
    ids: tuple[str, ...] = ()
    head: str = ""
    since: str = ""
    since_head: str = ""


class FileReports:
    """The open report of one home, in a file of ``state/``; see ``review.ports.Reports``."""

    def __init__(self, path: Path, past: Past) -> None:
        self._path = path
        self._bookmark = path.with_name("review.json")
        self._past = past
        self._known: _Open | None = None
        self._prepared: _Open | None = None

    def open_report(self) -> str:
        """See ``review.ports.Reports``."""
        return self._open().report

    def open_at(self) -> str:
        """See ``review.ports.Reports``."""
        return self._open().at

    def open_ids(self) -> tuple[str, ...]:
        """See ``review.ports.Reports``."""
        return self._open().ids

    def prepare(self, report: str, at: str, ids: tuple[str, ...]) -> None:
        """See ``review.ports.Reports``."""
        # Only in memory: a report whose commit fails must not replace the numbers that the person has seen.
        before = self._open()
        self._prepared = _Open(report, at, ids, "", before.at, before.head)

    def publish(self, head: str = "") -> None:
        """See ``review.ports.Reports``."""
        if self._prepared is None:
            return
        self._known, self._prepared = replace(self._prepared, head=head), None
        _write(self._path, asdict(self._known))

    def since(self, day_began: str) -> str:
        """See ``review.ports.Reports``."""
        return self._baseline(day_began)[0]

    def acts(self, day_began: str) -> Sequence[Commit]:
        """See ``review.ports.Reports``."""
        at, head = self._baseline(day_began)
        return self._past.after(head, at)

    def bookmark(self) -> str:
        """See ``review.ports.Reports``."""
        try:
            return str(json.loads(self._bookmark.read_bytes())["at"])
        except (OSError, ValueError, KeyError, TypeError):
            return ""

    def keep_bookmark(self, block_id: str) -> None:
        """See ``review.ports.Reports``."""
        _write(self._bookmark, {"at": block_id})

    def _baseline(self, day_began: str) -> tuple[str, str]:
        """The time and commit of the newest report of an earlier day; empty if there is none."""
        # Several reports of one day all count from the same one, so that each shows the whole day's changes.
        known = self._open()
        return (known.at, known.head) if known.at < day_began else (known.since, known.since_head)

    def _open(self) -> _Open:
        if self._known is None:
            self._known = self._load() or self._from_history()
        return self._known

    def _load(self) -> _Open | None:
        try:
            raw = json.loads(self._path.read_bytes())
            texts = (str(raw.get(name, "")) for name in ("head", "since", "since_head"))
            return _Open(str(raw["report"]), str(raw["at"]), tuple(map(str, raw["ids"])), *texts)
        # A damaged file counts as a missing one: history has the report as well.
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None

    def _from_history(self) -> _Open:
        act = self._past.newest("heartbeat")
        if act is None:
            return _Open()
        report = next((value for name, value in act.trailers if name == "Report"), "")
        # The act names the blocks shown, in the order of their numbers, and then those that it removed.
        gone = {value for name, value in act.trailers if name in ("Expired", "Refused")}
        ids = tuple(block_id for block_id in act.blocks if block_id not in gone)
        # The report before this one is not looked for, so changes count from this one.
        return _Open(report, act.at, ids, act.commit, act.at, act.commit)


def _write(path: Path, body: Mapping[str, object]) -> None:
    keep(path, json.dumps(body))
