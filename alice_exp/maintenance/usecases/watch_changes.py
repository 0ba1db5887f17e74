"""The use case of ``watch``: reports acts as they land, whoever did them, and problems until they are mended."""

from __future__ import annotations

from collections.abc import Callable
from itertools import takewhile
from typing import Literal

from alice_exp.finding.store.search_index import HomeIndex
from alice_exp.home.file_home import Home
from alice_exp.home.store.git_history import GitHistory
from alice_exp.kernel.errors import ProblemError
from alice_exp.kernel.journal.act import Commit
from alice_exp.kernel.jsonc.scan import Problem
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.values.block import PLACES
from alice_exp.model.values.snapshot import Snapshot

Kind = Literal["act", "problem", "mended"]

_MOST = 200
"""The most acts reported at once, since in a history that was rewritten meanwhile the last known act is missing."""


@dataclass(frozen=True, slots=True)
class Noticed:
    """One thing that a look found. ``at`` is when it was noticed (ISO-8601 UTC).

    ``act``: ``commit`` landed. ``problem``: the file at ``path`` has ``problem``; its last good version stays in use.
    ``mended``: the file at ``path`` has no problem any more.
    """

    kind: Kind
    at: str
    path: str = ""
    commit: Commit | None = None
    problem: Problem | None = None


class Watching:
    """A watch of a home: each ``look`` returns what is new since the previous one.

    Reading the home adopts what a person saved (DESIGN 5); the act is reported whichever process adopted it first.
    """

    def __init__(self, home: Home, index: HomeIndex, history: GitHistory, now: Callable[[], str]) -> None:
        self._home = home
        self._index = index
        self._history = history
        self._now = now
        self._head = ""
        self.problems: tuple[Problem, ...] = ()
        """The present problems."""
        self.snapshot = Snapshot(())
        """The snapshot of the last look."""

    def begin(self) -> tuple[Noticed, ...]:
        """The first look: the present problems, no past acts. ``ProblemError`` if there is no home."""
        before = next(iter(self._history.log(limit=1)), None)
        self._head = before.commit if before is not None else ""
        self.snapshot = self._home.read(PLACES)
        return (*self._acts(), *self._faults(self.snapshot.problems))

    def look(self) -> tuple[Noticed, ...]:
        """What happened since the last look: acts in order, then new problems, then mended files."""
        try:
            self.snapshot = self._home.read(PLACES)
        except ProblemError as error:
            return self._faults((Problem.told(error),))
        # Brings the index up to date, so that the next query does not have to.
        self._index.ask(lambda _: True)
        return (*self._acts(), *self._faults(self.snapshot.problems))

    def _acts(self) -> tuple[Noticed, ...]:
        head = self.snapshot.head
        if not head or head == self._head:
            return ()
        newer = list(takewhile(lambda act: act.commit != self._head, self._history.log(limit=_MOST)))
        self._head = newer[0].commit if newer else head
        return tuple(Noticed("act", self._now(), commit=act) for act in reversed(newer))

    def _faults(self, problems: tuple[Problem, ...]) -> tuple[Noticed, ...]:
        now = self._now()
        known = set(map(_identity, self.problems))
        new = [problem for problem in problems if _identity(problem) not in known]
        broken = {problem.path for problem in problems}
        mended = [path for path in dict.fromkeys(p.path for p in self.problems) if path not in broken]
        self.problems = problems
        return (
            *(Noticed("problem", now, problem.path, problem=problem) for problem in new),
            *(Noticed("mended", now, path) for path in mended),
        )


def _identity(problem: Problem) -> tuple[str, str]:
    return (problem.where, problem.message)
