"""Decisions in ``state/decisions/``, put aside once the outcome is committed, and what hooks showed in
``state/showings/``: one small file each."""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field, replace
from pathlib import Path

from alice_exp.home.session import Session, once
from alice_exp.kernel.errors import NotFoundError, RefusedError, UsageError
from alice_exp.kernel.journal import atomic_files
from alice_exp.kernel.journal.commit_writer import derived, load_derived
from alice_exp.kernel.jsonc import Json
from alice_exp.kernel.value_class import attributes, dataclass

_ID = re.compile(r"dec-[a-z2-9]{8}")
KEPT = 1000
"""The most open decisions that are kept, of those put aside, and of showings; the oldest are dropped first."""

_OPEN, _ASIDE = ".json", ".done"
"""The endings of files; a decision that had its outcome is open again when that is taken back."""


@dataclass(frozen=True, slots=True)
class OpenDecision:
    """A decision that waits for its outcome: task, context, tier, and the ids of applied and observed blocks."""

    decision: str
    at: str
    task: str
    context: Mapping[str, Json]
    tier: str
    applied: tuple[str, ...]
    observing: tuple[str, ...]
    session: str = ""
    """The host's session in which a hook showed it; empty where an agent or a person asked for it."""
    seemed: Mapping[str, bool] = field(default_factory=dict)
    """How it seemed to end, by kind of signal (tests, edits, words); True: ok."""
    reported: bool | None = None
    """How it ended by the report; None while there is none."""
    episode: str = ""
    """The episode that tells of it, once it is reported."""


_FIELDS = "decision at task tier applied observing session reported episode"
"""What stands in a file as it is."""


class Decisions:
    """The decisions of one home; ``is_closed`` tells whether an outcome of one is in effect in history."""

    def __init__(self, folder: Path, is_closed: Callable[[str], bool]) -> None:
        self._folder = folder
        self._showings = folder.parent / "showings"
        self._is_closed = is_closed

    def open(self, decision: OpenDecision) -> bool:
        """Keep a decision until its outcome, where the disk lets it: what fits is told all the same."""
        folder = self._showings if decision.session else self._folder
        with contextlib.suppress(OSError):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._write(self._path(decision.decision, session=decision.session), decision)
            for ending in (_OPEN, _ASIDE):
                paths = list(folder.glob(f"*dec-*{ending}"))
                # Looking at each file's time costs, so a tenth more may be.
                if len(paths) > KEPT * 11 // 10:
                    for old in sorted(paths, key=lambda path: path.lstat().st_mtime)[:-KEPT]:
                        old.unlink(missing_ok=True)
            return True
        return False

    def find(self, decision: str) -> OpenDecision:
        """An open decision; raises ``RefusedError`` if an outcome of it is in effect, ``NotFoundError`` if unknown,
        ``UsageError`` for a malformed id."""
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
        if (found := self._held(decision)) is not None:
            return found[1]
        raise NotFoundError(
            "there is no open decision {decision}", decision=decision, hint="make one with 'alice-exp decide'"
        )

    def waiting(self, since: str) -> list[OpenDecision]:
        """Those made at or after ``since`` that applied something and have no outcome, newest first; one whose outcome
        was cut short by a crash may be among them: asking history would cost a search of it for each."""
        found = (one for one in _all(self._folder.glob(f"dec-*{_OPEN}")) if one.applied and one.at >= since)
        return sorted(found, key=lambda one: (one.at, one.decision), reverse=True)

    def newest(self) -> OpenDecision:
        """The newest decision, or showing at a prompt, that told something and has no outcome; raises
        ``NotFoundError`` where there is none."""
        paths = (*self._folder.glob(f"dec-*{_OPEN}"), *self._showings.glob(f"*.dec-*{_OPEN}"))
        # Clocks tell seconds; the files tell which of one second came later.
        by_age = sorted(paths, key=lambda path: path.lstat().st_mtime_ns)
        waits = [one for one in _all(by_age) if one.applied and one.tier != "start" and one.reported is None]
        for one in sorted(waits, key=lambda one: one.at)[::-1]:
            if not self._is_closed(one.decision):
                return one
        raise NotFoundError("no decision waits for its outcome", hint="make one with 'alice-exp decide'")

    def shown(self, session: str) -> tuple[OpenDecision, ...]:
        """What a hook showed in a host's session, in the order of showing."""
        return _all(sorted(self._showings.glob(f"{session}.*{_OPEN}")))

    def kept(self) -> tuple[OpenDecision, ...]:
        """All decisions and showings that are still kept, open or not, in no order."""
        return _all((*self._folder.glob("dec-*"), *self._showings.glob(f"*.dec-*{_OPEN}")))

    def close(self, decision: str, ok: bool | None = None, episode: str = "") -> None:
        """Put aside a decision whose outcome has been committed, with what was reported and the episode that tells of
        it; it is open again when that is taken back."""
        # `find` asks history first, so that a file that cannot be removed does no harm.
        with contextlib.suppress(OSError):
            if ok is not None:
                self._change(decision, lambda one: replace(one, reported=ok, episode=episode))
            self._path(decision).replace(self._path(decision, _ASIDE))

    def seem(self, decision: str, seemed: Mapping[str, bool]) -> OpenDecision | None:
        """Note how a decision seemed to end, by kind of signal; the decision, None where it is not kept here."""
        if not _ID.fullmatch(decision):
            return None
        return self._change(decision, lambda one: replace(one, seemed={**one.seemed, **seemed}))

    def unsay(self, decision: str) -> None:
        """Take the words of the task out of a decision that is kept."""
        self._change(decision, lambda one: replace(one, task=""))

    def _change(self, decision: str, change: Callable[[OpenDecision], OpenDecision]) -> OpenDecision | None:
        """A decision as it stands changed in its file, where the disk lets it; None where it is not kept here."""
        if (found := self._held(decision)) is None:
            return None
        path, kept = found
        now = change(kept)
        if now != kept:
            with contextlib.suppress(OSError):
                self._write(path, now)
        return now

    def _held(self, decision: str) -> tuple[Path, OpenDecision] | None:
        """The file of a decision that can be read, and what it holds."""
        own = (self._path(decision, ending) for ending in (_OPEN, _ASIDE))
        paths = (*own, *self._showings.glob(f"*.{decision}{_OPEN}"))
        return next(((path, kept) for path in paths if (kept := _kept(path)) is not None), None)

    def _write(self, path: Path, decision: OpenDecision) -> None:
        body = {
            **attributes(decision, _FIELDS),
            "context": dict(decision.context),
            "seemed_ok": [kind for kind, ok in decision.seemed.items() if ok],
            "seemed_failed": [kind for kind, ok in decision.seemed.items() if not ok],
        }
        atomic_files.replace(path, derived(body).encode(), durable=True)

    def _path(self, decision: str, ending: str = _OPEN, session: str = "") -> Path:
        # Names in the order of acts, whatever the acts' clock says.
        name = f"{session}.{time.time_ns():020d}.{decision}" if session else decision
        return (self._showings if session else self._folder) / f"{name}{ending}"


def _all(paths: Iterable[Path]) -> tuple[OpenDecision, ...]:
    return tuple(filter(None, map(_kept, paths)))


def _kept(path: Path) -> OpenDecision | None:
    """The decision in a file; None where it holds none."""
    try:
        raw = load_derived(path)
        own = {name: raw[name] for name in _FIELDS.split() if name in raw}
        lists = {name: tuple(raw[name]) for name in ("applied", "observing")}
        seemed = {
            kind: ok for ok in (True, False) for kind in raw.get(f"seemed_{'ok' if ok else 'failed'}", ())
        }
        return OpenDecision(**own | lists, context=raw["context"], seemed=seemed)
    except (KeyError, TypeError, AttributeError):
        return None


@once
def decisions(session: Session) -> Decisions:
    """The decisions that wait for their outcome, in ``state/decisions``."""

    def is_closed(decision: str) -> bool:
        from alice_exp.blocks.usecases.provenance import stands

        history = session.history
        return any(stands(history, act) for act in history.carrying("Decision", decision))

    return Decisions(session.root / "state" / "decisions", is_closed)
