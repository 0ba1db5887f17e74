"""Decide what to apply to a task (R2.35-R2.37, BX.2)."""

from __future__ import annotations

from collections.abc import Mapping

from alice_exp.blocks.store.access_log import access
from alice_exp.episodes.rules.search_episodes import Match as Similar
from alice_exp.episodes.rules.search_episodes import similar_failures
from alice_exp.finding.rules.choice import choose, forbids, is_rival
from alice_exp.finding.rules.ranking import Match, fits_by_tags_alone, is_foreign
from alice_exp.finding.usecases import Filters, of_team, replaced_ones, search
from alice_exp.home.file_home import Home
from alice_exp.home.session import Session
from alice_exp.kernel.jsonc.scan import Json
from alice_exp.kernel.value_class import dataclass
from alice_exp.learning.store import OpenDecision, decisions
from alice_exp.model.formats.record_schema import EPISODES_PATH
from alice_exp.model.values.block import PLACES, Placed, is_of_team
from alice_exp.model.values.records import EpisodeBook

UNKEPT_WARNING = "this decision could not be kept, so its outcome cannot be reported"

MOST_OBSERVED = 10
"""A decision names at most this many blocks that it does not apply."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What was decided: the id under which the outcome is reported, the tier, its blocks, and what failed before."""

    decision: str
    tier: str
    applied: tuple[Match, ...]
    observing: tuple[Match, ...]
    warnings: tuple[str, ...]
    failures: tuple[Similar, ...]
    disclaim: bool
    is_kept: bool = True
    """Whether its outcome can be reported."""

    @property
    def constraints(self) -> tuple[Match, ...]:
        """What holds whatever is done: what forbids, and what is about the person."""
        return tuple(one for one in self.applied if not self.disclaim and _bounds(one.placed))

    @property
    def steps(self) -> tuple[Match, ...]:
        """What is to be done."""
        return tuple(one for one in self.applied if not self.disclaim and not _bounds(one.placed))

    @property
    def alternatives(self) -> tuple[Match, ...]:
        """What nobody has reviewed: one of these may be tried."""
        return self.applied if self.disclaim else ()


def decide(session: Session, task: str, context: Mapping[str, Json], project: str = "") -> Decision:
    """Choose what to apply to a task, and remember the choice until its outcome (DESIGN 12.1).

    What belongs to ``project`` is preferred; what belongs to another is observed, never applied (DESIGN 7).
    A similar task that failed before is a warning (R0.51). Applied blocks count as read.
    """
    home, caller = session.home, session.caller
    (matches,) = search(session, [(task, context)], Filters(project=project))
    matches = [one for one in matches if not fits_by_tags_alone(one, task)]
    elsewhere = [one for one in matches if is_foreign(one.placed, project)]
    decision = caller.new_id("dec")
    choice = choose(
        [one for one in matches if one not in elsewhere],
        is_rival,
        replaced_ones(session),
        lambda placed: _is_like_rejected(home, placed),
        context,
        of_team(session, task, context),
    )
    told = home.read((), records=EPISODES_PATH).episodes or EpisodeBook()
    failures = similar_failures(told.episodes, task, context)
    seen = [one for one in elsewhere if one.approved and one.clear and one.placed.block.state != "obsolete"]
    observing = (*choice.observing, *seen)[:MOST_OBSERVED]
    applied, observed = (tuple(one.placed.block.id for one in some) for some in (choice.applied, observing))
    said = caller.as_kept(task), caller.as_kept(context)
    made = OpenDecision(decision, caller.now, *said, choice.tier, applied, observed)
    is_kept = decisions(session).open(made)
    warnings = choice.warnings if is_kept else (*choice.warnings, UNKEPT_WARNING)
    read = [one.placed.block.id for one in choice.applied if not is_of_team(one.placed)]
    access(session).record(read, caller.now)
    return Decision(
        decision, choice.tier, choice.applied, observing, warnings, failures, choice.disclaim, is_kept
    )


def _bounds(placed: Placed) -> bool:
    return placed.place == "personal" or forbids(placed.block)


def _is_like_rejected(home: Home, candidate: Placed) -> bool:
    """Whether the person turned something like this candidate down; asked of what only the pool has an answer for."""
    whole = home.read(PLACES)
    rejected = list(whole.rejected())
    if not rejected:
        return False
    from alice_exp.finding.rules.nearness import Neighbourhood

    return Neighbourhood(whole, rejected).mark(candidate) is not None
