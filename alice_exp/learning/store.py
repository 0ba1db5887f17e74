"""Open decisions in ``state/decisions/``: one small file each, removed once the outcome is committed."""

from __future__ import annotations

import contextlib
import re
from typing import TYPE_CHECKING

from alice_exp.kernel.errors import NotFoundError, ProblemError, RefusedError, UsageError
from alice_exp.kernel.journal import atomic_files
from alice_exp.kernel.journal.derived_file import derived, load_derived
from alice_exp.learning.ports import OpenDecision

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_ID = re.compile(r"dec-[a-z2-9]{8}")
KEPT = 1000
"""The most open decisions that are kept; the oldest are dropped first."""


class FileDecisions:
    """The open decisions of one home; ``is_closed`` tells whether a commit in history carries a decision's outcome."""

    def __init__(self, folder: Path, is_closed: Callable[[str], bool]) -> None:
        self._folder = folder
        self._is_closed = is_closed

    def open(self, decision: OpenDecision) -> None:
        """See ``learning.ports.Decisions``; raises ``ProblemError`` if it cannot be written."""
        body = {
            "decision": decision.decision,
            "at": decision.at,
            "task": decision.task,
            "context": dict(decision.context),
            "tier": decision.tier,
            "applied": list(decision.applied),
            "observing": list(decision.observing),
            "held_out": list(decision.held_out),
            "share": decision.share,
        }
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            atomic_files.replace(self._path(decision.decision), derived(body).encode(), durable=True)
            for old in sorted(self._folder.glob("dec-*.json"), key=lambda path: path.lstat().st_mtime)[
                :-KEPT
            ]:
                old.unlink(missing_ok=True)
        except OSError as error:
            why = (error.strerror or str(error)).lower()
            raise ProblemError("the decision could not be kept: {why}", why=why) from error

    def find(self, decision: str) -> OpenDecision:
        """See ``learning.ports.Decisions``; raises ``UsageError`` for a malformed id."""
        # Also keeps path separators out of the file name.
        if not _ID.fullmatch(decision):
            raise UsageError(
                "{name} is not a decision's id", name=repr(decision), hint="an id looks like dec-7k2m9q4x"
            )
        # History before the file: a file that could not be removed may outlive its decision.
        if self._is_closed(decision):
            self.close(decision)
            raise RefusedError(
                "{decision} had its outcome already",
                decision=decision,
                hint="see 'alice-exp log --op outcome'",
            )
        try:
            return _kept(self._path(decision))
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            raise NotFoundError(
                "there is no open decision {decision}",
                decision=decision,
                hint="make one with 'alice-exp decide'",
            ) from None

    def waiting(self) -> tuple[OpenDecision, ...]:
        """See ``learning.ports.Decisions``. History is not asked: that would cost a search of it for each."""
        found = []
        for path in self._folder.glob("dec-*.json"):
            with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
                found.append(_kept(path))
        return tuple(found)

    def close(self, decision: str) -> None:
        """See ``learning.ports.Decisions``."""
        # `find` asks history first, so that a file that cannot be removed does no harm.
        with contextlib.suppress(OSError):
            self._path(decision).unlink(missing_ok=True)

    def _path(self, decision: str) -> Path:
        return self._folder / f"{decision}.json"


def _kept(path: Path) -> OpenDecision:
    """The decision in a file; ``OSError``, ``ValueError``, ``KeyError`` or ``TypeError`` where it holds none."""
    raw = load_derived(path)
    return OpenDecision(
        path.stem,
        raw["at"],
        raw["task"],
        raw["context"],
        raw["tier"],
        tuple(raw["applied"]),
        tuple(raw["observing"]),
        # The version before kept a flag here, and drew whole decisions.
        tuple(raw["held_out"]) if isinstance(raw["held_out"], list) else (),
        float(raw.get("share", 0.0)),
    )
