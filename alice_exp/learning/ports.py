"""Protocol of the store of open decisions, the value it keeps, and what the use cases of learning need."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Protocol

from alice_exp.kernel.value_class import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from alice_exp.blocks.ports import AccessLog
    from alice_exp.finding.ports import Finding
    from alice_exp.home.caller import Caller
    from alice_exp.home.ports import Home, Team
    from alice_exp.kernel.jsonc.problem import Json
    from alice_exp.timeline.rules.compaction import Summariser


class Decisions(Protocol):
    """The decisions that wait for their outcome; those that had it are found in history."""

    def open(self, decision: OpenDecision) -> None:
        """Keep a decision until its outcome."""
        ...

    def find(self, decision: str) -> OpenDecision:
        """An open decision; raises ``RefusedError`` if an outcome of it is in effect, ``NotFoundError`` if unknown."""
        ...

    def waiting(self) -> tuple[OpenDecision, ...]:
        """All that are kept, in no order; one whose outcome was cut short by a crash may be among them."""
        ...

    def newest(self) -> OpenDecision:
        """The newest decision, or showing at a prompt, that told something and has no outcome; raises
        ``NotFoundError`` where there is none."""
        ...

    def close(self, decision: str, ok: bool | None = None, episode: str = "") -> None:
        """Put aside a decision whose outcome has been committed, with what was reported and the episode that tells of
        it; it is open again when that is taken back."""
        ...

    def shown(self, session: str) -> tuple[OpenDecision, ...]:
        """What a hook showed in a host's session, in the order of showing."""
        ...

    def seem(self, decision: str, seemed: Mapping[str, bool]) -> OpenDecision | None:
        """Note how a decision seemed to end, by kind of signal; the decision, None where it is not kept here."""
        ...

    def unsay(self, decision: str) -> None:
        """Take the words of the task out of a decision that is kept."""
        ...

    def kept(self) -> tuple[OpenDecision, ...]:
        """All decisions and showings that are still kept, open or not, in no order."""
        ...


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


@dataclass(frozen=True, slots=True)
class Learning:
    """What learning needs: the home, the log of reads, the caller with the time, the open decisions, the search (made
    when it is asked for), all names of the working folder's project (which this machine knows once they were asked
    for), the model that tells of merged thoughts (``None``: the rule), and what keeps how a team's blocks were used."""

    home: Home
    access: AccessLog
    caller: Caller
    decisions: Decisions
    find: Callable[[], Finding]
    project: Callable[[], str]
    summarise: Summariser | None = None
    team: Team | None = None
