"""The record files as the groups ``episode`` and ``event`` read them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alice_exp.core.errors import ProblemError
from alice_exp.usecases.recorded import recorded, stale

if TYPE_CHECKING:
    from collections.abc import Collection

    from alice_exp.cli.terminal import Terminal
    from alice_exp.core.model import Place
    from alice_exp.core.snapshot import Snapshot


def read_records(terminal: Terminal, path: str, places: Collection[Place] = ()) -> Snapshot:
    """The record file at ``path``; where it holds a problem, its last good version and a warning."""
    snapshot = recorded(terminal.session.home, terminal.session.history, path, places)
    for fault in stale(snapshot, path)[:1]:
        terminal.warn(
            ProblemError(
                "{message}; the last good version answers",
                message=fault.message,
                path=fault.path,
                line=fault.line,
                column=fault.column,
                hint=fault.hint,
            )
        )
    return snapshot
