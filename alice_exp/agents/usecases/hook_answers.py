"""What an agent is told at a hook: what is approved, what fits a prompt, which decisions wait for their outcome."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alice_exp.kernel.text.display import one_line, visible
from alice_exp.model import documents

if TYPE_CHECKING:
    from collections.abc import Sequence

    from alice_exp.finding.ports import Finding
    from alice_exp.learning.ports import Decisions, OpenDecision

_ASKED = 5
_WIDTH = 300


def fitting(finding: Finding, prompt: str, project: str, head: str) -> str:
    """What a person approved and fits a prompt, best first, as lines for a model below ``head``; empty where nothing
    does.

    What holds a secret or a private fact stays out, as from ``prime``: nobody asked for it.
    """
    if not prompt.strip():
        return ""
    # Searching is loaded where something is searched: behind each report the open decisions are named alone.
    from alice_exp.finding.rules.choice import choose
    from alice_exp.finding.rules.preferred_matches import fits_by_tags_alone
    from alice_exp.finding.rules.rivals import rivalry
    from alice_exp.finding.usecases import Filters, search
    from alice_exp.model.rules.private_facts import is_private

    places = Filters(places=("personal", "universal"), project=project, here_only=True)
    (matches,) = search(finding, [(prompt, {})], places)
    found = choose(
        (one for one in matches if not is_private(one.placed.block) and not fits_by_tags_alone(one, prompt)),
        rivalry(),
    ).applied
    if not found:
        return ""
    finding.access.record([one.placed.block.id for one in found], finding.caller.now)
    lines = [
        f"- {when}{': ' if when else ''}{documents.payload_text(one.placed)} [{one.placed.block.id}]"
        for one in found
        for when in [documents.trigger_text(one.placed)]
    ]
    return "\n".join([head, *(visible(one_line(line, _WIDTH)) for line in lines)])


def waiting(decisions: Decisions, since: str) -> list[OpenDecision]:
    """Decisions made at or after ``since`` that applied something and have no outcome, newest first."""
    found = [one for one in decisions.waiting() if one.applied and one.at >= since]
    return sorted(found, key=lambda one: (one.at, one.decision), reverse=True)


def asking(open_decisions: Sequence[OpenDecision], head: str) -> str:
    """The request ``head`` to report what came of them, and they; empty where there are none."""
    if not open_decisions:
        return ""
    lines = [visible(one_line(f"- {one.decision}: {one.task}", _WIDTH)) for one in open_decisions[:_ASKED]]
    return "\n".join([head, *lines])
