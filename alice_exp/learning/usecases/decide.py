"""Decide by tier what to apply to a task (R2.35-R2.37, BX.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from alice_exp.episodes.rules.search_episodes import similar_failures
from alice_exp.finding.usecases import Filters, search
from alice_exp.learning.ports import OpenDecision
from alice_exp.learning.rules.decision_tiers import Choice, choose
from alice_exp.learning.rules.impact import is_held_out
from alice_exp.model.formats.record_schema import EPISODES_PATH
from alice_exp.model.values.records import EpisodeBook

if TYPE_CHECKING:
    from collections.abc import Mapping

    from alice_exp.episodes.rules.search_episodes import Match as Similar
    from alice_exp.finding.ports import Finding
    from alice_exp.finding.rules.ranking import Match
    from alice_exp.kernel.jsonc.problem import Json
    from alice_exp.learning.ports import Decisions

MOST_APPLIED = 10
"""A decision applies at most this many blocks: more is no guidance."""


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


def decide(finding: Finding, decisions: Decisions, task: str, context: Mapping[str, Json]) -> Decision:
    """Choose by tier what to apply to a task, and remember the choice until its outcome.

    A similar task that failed before is a warning (R0.51). Applied blocks count as read.
    """
    home, caller, config = finding.home, finding.caller, finding.home.config()
    (matches,) = search(finding, [(task, context)], Filters())
    choice = choose(matches, config.number("thresholds.high_confidence"))
    told = home.read((), records=EPISODES_PATH).episodes or EpisodeBook()
    failures = similar_failures(told.episodes, task, context)
    decision = caller.new_id("dec")
    applied, observing = choice.applied[:MOST_APPLIED], choice.observing[:MOST_APPLIED]
    held_out = bool(applied) and is_held_out(decision, config.number("decide.held_out"))
    if held_out:
        choice, applied, observing = Choice("reasoning"), (), ()
    decisions.open(
        OpenDecision(
            decision,
            caller.now,
            task,
            context,
            choice.tier,
            tuple(match.placed.block.id for match in applied),
            tuple(match.placed.block.id for match in observing),
            held_out,
        )
    )
    finding.access.record([match.placed.block.id for match in applied], caller.now)
    return Decision(decision, choice.tier, applied, observing, choice.warnings, failures, choice.disclaim)
