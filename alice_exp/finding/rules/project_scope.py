"""What was learned in one project is preferred there, and observed, never applied, in another (DESIGN 7)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from alice_exp.finding.rules.ranking import Match, ordered

if TYPE_CHECKING:
    from alice_exp.model.values.block import Placed

SAME = 1.15
"""The factor on match and score of a block of the same project."""


def preferring(matches: Sequence[Match], project: str) -> list[Match]:
    """The matches in their order with those of this project lifted; as they are where there is no project."""
    if not project:
        return list(matches)
    return ordered([_lifted(one) if one.placed.block.project == project else one for one in matches])


def _lifted(match: Match) -> Match:
    return replace(match, match=min(1.0, round(match.match * SAME, 6)), score=round(match.score * SAME, 6))


def is_foreign(placed: Placed, project: str) -> bool:
    """Whether a block belongs to another project than this; one of no project belongs everywhere."""
    return placed.block.project not in ("", project)
