"""Select blocks for a model's prompt: memories that fit a query, and a session's opening text (R4.23-R4.26, R4.34)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from alice_exp.conversations.rules.context_window import estimate_tokens
from alice_exp.finding.ports import Finding
from alice_exp.finding.rules.project_scope import is_foreign
from alice_exp.finding.rules.ranking import Match
from alice_exp.finding.usecases import Filters, recall
from alice_exp.home.ports import Home
from alice_exp.model.rules.doubt import is_in_doubt
from alice_exp.model.rules.lifecycle import LEVELS, Thresholds, level
from alice_exp.model.rules.trusted_places import TRUSTED
from alice_exp.model.values.block import Placed, is_approved

MOST = 5
"""Default number of memories per query (R4.23, R4.26)."""

BUDGET = 1000
"""Default size of the text of ``prime``, in tokens."""


@dataclass(frozen=True, slots=True)
class Primed:
    """Opening text of a session: text, estimated tokens, blocks in it, number of blocks that did not fit."""

    text: str
    tokens: int
    blocks: tuple[Placed, ...]
    left_out: int


def user_memories(finding: Finding, query: str, top: int, filters: Filters) -> list[Match]:
    """Blocks about the user that match a query, best first, unreviewed ones included (B4.11). Counts as a read."""
    return recall(finding, query, {}, top, replace(filters, about="user"))


def prime(
    home: Home,
    budget: int,
    line: Callable[[Placed], str],
    headings: tuple[str, str, str, str],
    project: str = "",
) -> Primed:
    """What decisions would apply anyway, as text of at most ``budget`` tokens (estimated, B4.2).

    Approved blocks alone: what is proven, about the user first, then by level, importance and verifications; then what
    is on trial, one a trigger, for the agent to try and report (DESIGN 12.1). The same home gives the same text every
    day. ``headings`` stand above everything, above what is about the user, above the proven rest, above the trials.
    """
    snapshot = home.read(("personal", "universal"))
    here = [one for one in snapshot if not is_foreign(one, project)]
    thresholds = Thresholds.of(snapshot.config)
    proven = sorted(filter(_is_proven, here), key=lambda placed: _order(placed, thresholds))
    tried = sorted(filter(_is_on_trial, here), key=lambda placed: _order(placed, thresholds))
    # Two lessons for one situation on trial at once would leave the agent to choose, and nobody to credit.
    trusted = [
        *proven,
        *{placed.block.trigger.text or placed.block.id: placed for placed in reversed(tried)}.values(),
    ]
    chosen: list[Placed] = []
    text, tokens = "", 0
    for placed in trusted:
        longer = _text((*chosen, placed), line, headings)
        size = estimate_tokens(longer)
        if size <= budget:
            chosen.append(placed)
            text, tokens = longer, size
    return Primed(text, tokens, tuple(chosen), len(trusted) - len(chosen))


def _is_proven(placed: Placed) -> bool:
    decides = any(placed.place == place and placed.block.state in states for place, states in TRUSTED)
    return decides and is_approved(placed) and not (placed.place == "universal" and is_in_doubt(placed.block))


def _is_on_trial(placed: Placed) -> bool:
    alive = is_approved(placed) and placed.block.state != "obsolete" and not is_in_doubt(placed.block)
    return alive and not _is_proven(placed)


def _order(placed: Placed, thresholds: Thresholds) -> tuple[bool, int, float, int, str]:
    block = placed.block
    return (
        placed.place != "personal",
        -LEVELS.index(level(block, thresholds)),
        -block.importance,
        -block.verifications,
        block.id,
    )


def _text(
    chosen: Sequence[Placed], line: Callable[[Placed], str], headings: tuple[str, str, str, str]
) -> str:
    rows = [headings[0]]
    sections = (
        (headings[1], lambda placed: placed.place == "personal" and _is_proven(placed)),
        (headings[2], lambda placed: placed.place == "universal" and _is_proven(placed)),
        (headings[3], _is_on_trial),
    )
    for heading, belongs in sections:
        here = [line(placed) for placed in chosen if belongs(placed)]
        rows += [heading, *here] if here else []
    return "\n".join(rows)
