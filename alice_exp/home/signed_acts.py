"""Carries out an act that the owner key has to sign: composed first, signed while nobody holds the lock, then done."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from alice_exp.home.ports import Signer
from alice_exp.home.store.standings import Standings, Unsigned
from alice_exp.kernel.errors import BusyError
from alice_exp.kernel.journal.act import Commit
from alice_exp.model.values.changes import ChangeSet, Plan
from alice_exp.model.values.snapshot import Snapshot

R = TypeVar("R")


def signed(
    standings: Standings,
    signer: Signer,
    new_id: Callable[[str], str],
    applied: Callable[[Plan[R]], tuple[Commit | None, R]],
    plan: Plan[R],
) -> tuple[Commit | None, R]:
    """Apply a plan to a home with an owner key; ``applied`` holds the lock while it plans and writes.

    The second attempt has the first one's act id, and its change set where no act came between. ``RefusedError`` if the
    key does not sign, ``BusyError`` if something else is to be signed then; nothing is changed.
    """
    made: list[tuple[str, ChangeSet, R]] = []

    def once(seen: Snapshot) -> tuple[ChangeSet | None, R]:
        if made and made[-1][0] == seen.head:
            return made[-1][1:]
        changes, answer = plan(seen)
        if changes is None:
            return None, answer
        act_id = made[-1][1].act.act_id if made else new_id("act")
        made.append((seen.head, replace(changes, act=replace(changes.act, act_id=act_id)), answer))
        return made[-1][1:]

    try:
        return applied(once)
    except Unsigned as needed:
        standings.signature = (needed.text, signer.sign(needed.text))
    try:
        return applied(once)
    except Unsigned:
        raise BusyError(
            "something changed while it was being signed; nothing was done", hint="do it again"
        ) from None
