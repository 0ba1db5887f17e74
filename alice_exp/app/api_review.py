"""What ``Alice`` does for a person: the review's decisions, what is told at a start, peers, undo."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

from alice_exp.blocks.usecases import lifetime, provenance
from alice_exp.blocks.usecases import lifetime as keeping
from alice_exp.blocks.usecases.lifetime import Kept, Lived
from alice_exp.blocks.usecases.provenance import LogFilter, Undone
from alice_exp.model.values.block import REVIEWED, content_hash
from alice_exp.review import usecases as review
from alice_exp.review.rules.reply import more, read
from alice_exp.review.rules.rival_pairs import Answer
from alice_exp.review.wiring import reviewing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from alice_exp.home.session import Session
    from alice_exp.review.rules.daily_report import Agenda
    from alice_exp.review.usecases import Decided
    from alice_exp.sharing.usecases.peers import Exchanged


class Reviews:
    """The acts of a person: each but ``prime`` and a peek raises ``RefusedError`` for any other actor."""

    _session: Session

    def heartbeat(self, *, peek: bool = True) -> Agenda:
        """Today's report. As a peek it starts no clock and gives no numbers; else it is the open one, which ``reply``
        answers, and all of it counts as shown."""
        return review.heartbeat(reviewing(self._session), peek=peek)[0]

    def approve(
        self,
        *blocks: str,
        to: str = "",
        replacing: Sequence[str] = (),
        both: Sequence[str] = (),
        everywhere: bool = False,
        reason: str = "",
    ) -> Decided:
        """Trust blocks, by id, as they stand now; signed where there is an owner key.

        ``to`` is a namespace instead of the one that the report suggests. A rival of what is told stays waiting and is
        in the answer's ``rivals``, unless the one block named is ``replacing`` it or ``both`` hold.
        """

        return review.approve(
            self._session.home,
            self._session.caller,
            blocks,
            to,
            reason=reason,
            replacing=replacing,
            both=both,
            everywhere=everywhere,
            seen=self._as_it_stands(blocks),
        )

    def reject(self, *blocks: str, reason: str = "") -> Decided:
        """Turn candidates down for good, by id, as they stand now."""
        seen = self._as_it_stands(blocks)
        return review.reject(self._session.home, self._session.caller, blocks, reason, seen=seen)

    def reply(self, text: str) -> tuple[Decided, ...]:
        """Carry out a reply to the open report, one answer a decision; ``UsageError`` for one that is not plain, and
        then nothing is done; "3 replaces", "3 old", "3 both" or "3 neither" says which of two rivals holds.
        ``NotFoundError`` where no report is open."""
        opened = reviewing(self._session)
        if not opened.reports.open_report():
            raise review.no_report()
        plain, also = more(text)
        is_answer = also in get_args(Answer)
        reading = read(plain if is_answer else text, opened.reports.open_ids(), opened.reports.groups())
        if is_answer:
            (block_id,) = reading.decisions[0].ids
            home, caller = self._session.home, self._session.caller
            return (review.answer_rivals(home, caller, block_id, also),)  # type: ignore[arg-type]
        made = []
        for one in reading.decisions:
            shown, _ = review.shown_only(self._session.home, one.ids)
            if one.verb != "later" and shown:
                made.append(
                    (self.approve if one.verb == "approve" else self.reject)(*shown, reason=one.reason)
                )
        return tuple(made)

    def keep(self, block: str, note: str = "") -> Kept:
        """Say of a block in doubt that it still holds."""
        return keeping.keep(self._session.home, self._session.caller, block, note)

    def retire(self, block: str, reason: str, to: Literal["obsolete", "past"] = "obsolete") -> Lived:
        """Take trust from a block because the world has changed: to the archive, or down to past."""
        return lifetime.retire(self._session.home, self._session.caller, block, reason, to)

    def undo(self, commit: str = "", filters: LogFilter | None = None) -> Undone:
        """Take acts back in one commit: one by its commit, all that pass ``filters``, else the newest still in effect.

        What a later act changed is a conflict in the answer, and stays as it is.
        """
        session = self._session
        return provenance.undo(session.home, session.history, session.caller, commit, filters)

    def prime(self, tokens: int = 1500, project: str = "") -> str:
        """What an agent should know when a session begins, in at most so many tokens: approved blocks alone."""
        from alice_exp.conversations.cli.context_commands import opening

        return opening(self._session, tokens, self._session.names_of(project)).text

    def exchange(self, peer: str, at: str = "") -> Exchanged:
        """Take what a paired peer offers, then offer ours; it has to be serving, at ``HOST:PORT`` where given."""
        from alice_exp.home.caller import require_person
        from alice_exp.sharing.usecases import peers as exchanging
        from alice_exp.sharing.wiring import network, peers, sharing

        require_person(self._session.caller, "share", f"alice-exp peer exchange {peer}")
        found = peers(self._session).find(peer)
        with network(self._session).connect(found, at) as link:
            return exchanging.exchange(sharing(self._session, found), found, link)

    def _as_it_stands(self, blocks: Sequence[str]) -> dict[str, str]:
        snapshot = self._session.home.read(REVIEWED)
        found = (snapshot.find(one) for one in blocks)
        return {placed.block.id: content_hash(placed.block) for placed in found if placed is not None}
