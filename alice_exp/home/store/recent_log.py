"""Reads the newest acts through the git program, so that the daily report does not pay for importing GitPython.

Only messages are read, never files; everything else about history is in ``home.store.git_history``.
"""

from __future__ import annotations

import contextlib
import re
from dataclasses import replace

from alice_exp.kernel.errors import ProblemError
from alice_exp.kernel.journal.act import Commit, disclaimed, read
from alice_exp.kernel.journal.git_process import ARRIVED, Repository

MOST = 5000
"""The most acts that a report looks back on."""

_OID = re.compile(r"[0-9a-f]{40}")
_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z")
_FORMAT = "--format=%H%n%B%x00"


def acts_after(repository: Repository, commit: str, at: str) -> tuple[Commit, ...]:
    """The acts after ``commit``, newest first; if history no longer contains it, those after ``at`` (ISO-8601 UTC).

    All acts if neither is given; none if neither is usable or the commit is the newest.
    """
    tip = repository.head()
    if not tip or commit == tip:
        return ()
    if not commit and not at:
        return _marked(repository, _acts(repository, tip))
    if _OID.fullmatch(commit):
        # History may have been rewritten since; then the time counts.
        with contextlib.suppress(ProblemError):
            return _marked(repository, _acts(repository, f"{commit}..{tip}"))
    if not _TIME.fullmatch(at):
        return ()
    return _marked(repository, tuple(a for a in _acts(repository, f"--since={at}", tip) if a.at > at))


_SYNCED = re.compile(rf"^([0-9a-f]{{40}}) ([0-9a-f]{{40}}) [^\t\n]*\t{ARRIVED}$", re.MULTILINE)
_LATEST = 50
"""The most syncs that are looked at: a report of later acts than theirs has none of them."""


def _marked(repository: Repository, acts: tuple[Commit, ...]) -> tuple[Commit, ...]:
    """The acts, with those marked that a sync brought, as the branch's reflog tells."""
    try:
        log = (repository.git_dir / "logs" / repository.branch()).read_text("utf-8", "replace")
    except OSError:
        return acts
    ids = {act.commit for act in acts}
    brought: set[str] = set()
    for found in [*_SYNCED.finditer(log)][-_LATEST:]:
        old, new = found[1], found[2]
        if new in ids:
            rows = repository.run("rev-list", f"-n{MOST}", new, f"^{old}", "--", check=False)
            brought |= {*rows.decode().split()}
    return tuple(
        replace(act, is_from_elsewhere=act.op != "sync") if act.commit in brought else act for act in acts
    )


def newest_act(repository: Repository, op: str) -> Commit | None:
    """The newest act with this ``op`` (one of our own words, never a person's text); None if there is none."""
    tip = repository.head()
    if not tip:
        return None
    found = _acts(repository, f"--grep=^Alice-Op: {op}$", "-n1", tip)
    return found[0] if found else None


def _acts(repository: Repository, *arguments: str) -> tuple[Commit, ...]:
    output = repository.run("log", f"-n{MOST}", _FORMAT, *arguments, "--").decode("utf-8", "replace")
    rows = (row.strip("\n").partition("\n") for row in output.split("\0"))
    return tuple(disclaimed(read(oid, message) for oid, _, message in rows if oid))
