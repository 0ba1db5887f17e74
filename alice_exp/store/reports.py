"""The open report in ``state/``: which block each number stands for. Lost, it is read back from history."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from alice_exp.core.changes import Commit
from alice_exp.store.files import MARK


@dataclass(frozen=True, slots=True)
class _Open:
    report: str = ""
    at: str = ""
    ids: tuple[str, ...] = ()


class FileReports:
    """The open report of one home; ``newest`` finds the last act of a kind in history. See ``core.ports.Reports``."""

    def __init__(self, path: Path, newest: Callable[[str], Commit | None]) -> None:
        self._path = path
        self._newest = newest
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
        self._prepared = _Open(report, at, ids)

    def publish(self) -> None:
        """Open the report that was prepared last, where there is one."""
        if self._prepared is None:
            return
        self._known, self._prepared = self._prepared, None
        temporary = self._path.with_name(f".{self._path.name}{MARK}{os.getpid()}")
        body = {"report": self._known.report, "at": self._known.at, "ids": list(self._known.ids)}
        with contextlib.suppress(OSError):
            temporary.touch(mode=0o600)
            temporary.write_text(json.dumps(body), encoding="utf-8")
            temporary.replace(self._path)

    def _open(self) -> _Open:
        if self._known is None:
            self._known = self._load() or self._from_history()
        return self._known

    def _load(self) -> _Open | None:
        try:
            raw = json.loads(self._path.read_bytes())
            return _Open(str(raw["report"]), str(raw["at"]), tuple(map(str, raw["ids"])))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def _from_history(self) -> _Open:
        act = self._newest("heartbeat")
        if act is None:
            return _Open()
        report = next((value for name, value in act.trailers if name == "Report"), "")
        expired = {value for name, value in act.trailers if name == "Expired"}
        return _Open(report, act.at, tuple(block_id for block_id in act.blocks if block_id not in expired))
