"""The open report in ``state/``: which block each number stands for. Lost, it is read back from history."""

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
    """What the open report asks of history: the newest act of a kind, and the acts after a commit or a time."""

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
    """The open report of one home, in a file of ``state/``. See ``home.ports.Reports``."""

    def __init__(self, path: Path, past: Past) -> None:
        self._path = path
        self._bookmark = path.with_name("review.json")
        self._past = past
        self._known: _Open | None = None
        self._prepared: _Open | None = None

    def open_report(self) -> str:
        """Its id; empty before the first."""
        return self._open().report

    def open_at(self) -> str:
        """When it was made (ISO-8601 UTC); empty before the first."""
        return self._open().at

    def open_ids(self) -> tuple[str, ...]:
        """Block ids in the order of their numbers."""
        return self._open().ids

    def prepare(self, report: str, at: str, ids: tuple[str, ...]) -> None:
        """Keep a new report in mind until its commit stands."""
        before = self._open()
        self._prepared = _Open(report, at, ids, "", before.at, before.head)

    def publish(self, head: str = "") -> None:
        """Open the report that was prepared last, where there is one; ``head`` is the commit that it stands on."""
        if self._prepared is None:
            return
        self._known, self._prepared = replace(self._prepared, head=head), None
        _write(self._path, asdict(self._known))

    def since(self, day_began: str) -> str:
        """The time that this report counts from; see ``home.ports.Reports.since``."""
        return self._baseline(day_began)[0]

    def acts(self, day_began: str) -> Sequence[Commit]:
        """The acts since then, newest first."""
        at, head = self._baseline(day_began)
        return self._past.after(head, at)

    def bookmark(self) -> str:
        """The block at which a review stopped last; empty where none did."""
        try:
            return str(json.loads(self._bookmark.read_bytes())["at"])
        except (OSError, ValueError, KeyError, TypeError):
            return ""

    def keep_bookmark(self, block_id: str) -> None:
        """Remember where a review is."""
        _write(self._bookmark, {"at": block_id})

    def _baseline(self, day_began: str) -> tuple[str, str]:
        """Time and commit of the report before: the open report itself, where it is of an earlier day; none: empty."""
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
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None

    def _from_history(self) -> _Open:
        act = self._past.newest("heartbeat")
        if act is None:
            return _Open()
        report = next((value for name, value in act.trailers if name == "Report"), "")
        gone = {value for name, value in act.trailers if name in ("Expired", "Refused")}
        ids = tuple(block_id for block_id in act.blocks if block_id not in gone)
        return _Open(report, act.at, ids, act.commit, act.at, act.commit)


def _write(path: Path, body: Mapping[str, object]) -> None:
    keep(path, json.dumps(body))
