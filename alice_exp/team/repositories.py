"""Builds what the team needs from a session: the repository of the working folder, and what the other rooms ask."""

from __future__ import annotations

import contextlib
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from alice_exp.caller.project import TEAM_FILE, root_of
from alice_exp.home.ports import Came
from alice_exp.home.session import Session, once
from alice_exp.kernel.errors import AliceError, ProblemError, UsageError
from alice_exp.kernel.jsonc import Problem

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from alice_exp.model.values.block import Placed
    from alice_exp.team.usecases import Held, Teaming


def teaming(session: Session) -> Teaming:
    """What the team needs in the working folder; ``UsageError`` where that is no project's repository."""
    root = _root(session)
    if root is None or not session.here.key:
        raise UsageError("this folder lies in no repository", hint="go to the project's clone, or: git init")
    return _of(session, root, session.here.key, session.here.names.split())


def _root(session: Session) -> Path | None:
    try:
        return root_of(Path(session.folder) if session.folder else Path.cwd())
    except OSError:
        return None


def _of(session: Session, root: Path, project: str, names: Sequence[str]) -> Teaming:
    from alice_exp.team.store import RepositoryFiles
    from alice_exp.team.usecases import Teaming

    return Teaming(session, project, (*names,), RepositoryFiles(root))


@once
def team(session: Session) -> SessionTeam:
    """See ``home.ports.Team``."""
    return SessionTeam(session)


class SessionTeam:
    """See ``home.ports.Team``. A folder without a team's file costs a look at its parents."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def told(self) -> tuple[Placed, ...]:
        """See ``home.ports.Team``."""
        return tuple(one.placed for one in self._held(only_trusted=True) if one.standing == "trusted")

    def of(self, ids: Collection[str]) -> dict[str, Placed]:
        """See ``home.ports.Team``."""
        if not ids:
            return {}
        from alice_exp.team.usecases import elsewhere

        here = {one.block.id: one for one in self.told() if one.block.id in ids}
        return here | elsewhere(self._session, [one for one in ids if one not in here])

    def keep(self, blocks: Sequence[Placed]) -> None:
        """See ``home.ports.Team``."""
        if blocks:
            from alice_exp.team.usecases import keep

            keep(self._session, blocks)

    def waits(self) -> int:
        """See ``home.ports.Team``."""
        from alice_exp.team.usecases import meant

        return len(meant(self._held(), ()))

    def faults(self) -> tuple[Problem, ...]:
        """See ``home.ports.Team``."""
        from alice_exp.team.usecases import held

        try:
            if self._here() is not None and self._session.here.key:
                held(teaming(self._session), only_trusted=True)
        except ProblemError as error:
            return (replace(Problem.told(error), severity="warning"),)
        return ()

    def came(self) -> tuple[Came, ...]:
        """See ``home.ports.Team``."""
        found = []
        for root, project, names in self._known():
            from alice_exp.team.usecases import brought

            with contextlib.suppress(AliceError, OSError):
                if blocks := brought(_of(self._session, root, project, names)):
                    found.append(Came(project, str(root), blocks))
        return tuple(found)

    def trust(self, came: Came) -> tuple[str, ...]:
        """See ``home.ports.Team``."""
        from alice_exp.team.usecases import decide

        through = [one.placed for one in came.blocks if not one.apart[0]]
        if through:
            names = self._session.named(came.project).split()
            decide(_of(self._session, Path(came.root), came.project, names), through, "trusted")
        return tuple(one.block.id for one in through)

    def _held(self, *, only_trusted: bool = False) -> Sequence[Held]:
        """See ``usecases.held``; nothing where there is no team's file, or it cannot be read."""
        if self._here() is None:
            return ()
        from alice_exp.team.usecases import held

        with contextlib.suppress(AliceError, OSError):
            return held(teaming(self._session), only_trusted=only_trusted)[0]
        return ()

    def _here(self) -> Path | None:
        """The working folder's repository, if it carries a team's file."""
        root = _root(self._session)
        return root if root is not None and os.path.lexists(root / TEAM_FILE) else None

    def _known(self) -> Iterator[tuple[Path, str, Sequence[str]]]:
        """The repositories with a team's file: the working folder's, then those that this machine knows."""
        session, met = self._session, set()
        if (root := self._here()) is not None and session.here.key:
            met.add(root)
            yield root, session.here.key, session.here.names.split()
        known = session.projects
        for one in known.roots:
            path = Path(one.path)
            if path not in met and os.path.lexists(path / TEAM_FILE) and os.path.lexists(path / ".git"):
                yield path, one.key, known.names(one.key)
