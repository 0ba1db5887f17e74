"""Open decisions in ``state/decisions/``: one small file each, put aside once the outcome is committed."""

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
"""The most open decisions that are kept, and of those put aside; the oldest are dropped first."""

_OPEN, _ASIDE = ".json", ".done"
"""The endings of files; a decision that had its outcome is open again when that is taken back."""


class FileDecisions:
    """The open decisions of one home; ``is_closed`` tells whether an outcome of a decision is in effect in history."""

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
        }
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            atomic_files.replace(self._path(decision.decision), derived(body).encode(), durable=True)
            for ending in (_OPEN, _ASIDE):
                kept = sorted(self._folder.glob(f"dec-*{ending}"), key=lambda path: path.lstat().st_mtime)
                for old in kept[:-KEPT]:
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
        for ending in (_OPEN, _ASIDE):
            with contextlib.suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
                return _kept(self._path(decision, ending))
        raise NotFoundError(
            "there is no open decision {decision}",
            decision=decision,
            hint="make one with 'alice-exp decide'",
        )

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
            self._path(decision).replace(self._path(decision, _ASIDE))

    def _path(self, decision: str, ending: str = _OPEN) -> Path:
        return self._folder / f"{decision}{ending}"


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
    )
