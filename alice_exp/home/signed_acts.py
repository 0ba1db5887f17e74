"""A home with an owner key: which heads of the ledger the key signed, and how an act comes by its signature (DESIGN 6).

An act is composed first, signed while nobody holds the lock, and then done.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from alice_exp.kernel.errors import AliceError, BusyError, ProblemError, RefusedError
from alice_exp.kernel.journal.act import SIGNED_BY, Act, Commit
from alice_exp.kernel.journal.ledger_objects import OWNER, SIGNED, LedgerObjects, row_of
from alice_exp.model.rules.ledger import found, shard_of
from alice_exp.model.values.block import NONE, Entry

if TYPE_CHECKING:
    from alice_exp.home.ports import Signer, SignerOf
    from alice_exp.kernel.jsonc.scan import Problem
    from alice_exp.model.values.config import Config
    from alice_exp.model.values.snapshot import ChangeSet, Plan, Snapshot

R = TypeVar("R")


class Unsigned(Exception):
    """What an act decided counts only with the owner key's signature over ``text``; nothing was written."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


class OwnedHeads:
    """The newest commits of a ledger that the owner key signed, at or below its head; each is verified once."""

    def __init__(self, objects: LedgerObjects, signer: SignerOf) -> None:
        self._objects = objects
        self._signer = signer
        self._holder: Signer | None = None
        self.key = ""
        """The line of the owner key; empty: the home has none."""
        self.signature = ("", "")
        """What the key signed for the next act, and the signature."""
        self._head = ""
        self._signed: tuple[str, ...] | None = None

    def follow(self, head: str) -> bool:
        """Read by the key that is valid now and the ledger's ``head``; whether that is another key."""
        self._holder = self._signer()
        was, self.key = self.key, "" if self._holder is None else self._holder.line()
        if (was, self._head) != (self.key, head):
            self._head, self._signed = head, None
        return was != self.key

    def entries(self, block_id: str) -> list[Entry]:
        """What these say of an id (``NONE``: nothing)."""
        if self._signed is None:
            said = self._objects.message(self._head)
            named = (self._head,) if row_of(said, OWNER) else row_of(said, SIGNED).split()
            self._signed = tuple(filter(self._is_signed, named))
        name = shard_of(block_id)
        shards = (self._objects.shards((name,), one).get(name, b"") for one in self._signed)
        return [found(shard, block_id) or NONE for shard in shards]

    def _is_signed(self, commit: str) -> bool:
        made = row_of(self._objects.message(commit), OWNER)
        signer = self._holder
        return signer is not None and bool(made) and signer.holds(self._objects.signed_text(commit), made)

    def signing(self, act: Act, text: str, warn: Callable[[AliceError], None]) -> Act:
        """A purge with the key's signature over ``text``, for which the person is asked, or without where they have not
        the key; as it is where there is nothing to sign."""
        if not text or (signer := self._signer()) is None:
            return act
        try:
            return replace(act, trailers=(*act.trailers, (SIGNED_BY, signer.sign(text))))
        except RefusedError:
            said = "the purge goes on without your key's signature, so what you approved waits for it"
            warn(ProblemError(said, hint="alice-exp owner sign --all"))
            return act

    def problems(self, config: Config) -> tuple[Problem, ...]:
        """See ``home.ports.Signer``; as of the last ``follow``."""
        return self._holder.problems(config) if self._holder is not None else ()

    def applied(
        self,
        new_id: Callable[[str], str],
        applied: Callable[[Plan[R]], tuple[Commit | None, R]],
        plan: Plan[R],
    ) -> tuple[Commit | None, R]:
        """Apply a plan, signed where there is a key; ``applied`` holds the lock while it plans and writes.

        The second attempt has the first one's act id, and its change set where no act came between. ``RefusedError`` if
        the key does not sign, ``BusyError`` if something else is to be signed then; nothing is changed.
        """
        signer = self._signer()
        if signer is None or not signer.line():
            return applied(plan)
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
            self.signature = (needed.text, signer.sign(needed.text))
        try:
            return applied(once)
        except Unsigned:
            raise BusyError(
                "something changed while it was being signed; nothing was done", hint="do it again"
            ) from None
