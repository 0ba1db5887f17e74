"""Select blocks for a model's prompt: memories that fit a query, and a session's opening text (R4.23-R4.26, R4.34)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from alice_exp.conversations.rules.context_window import measured
from alice_exp.finding.ports import Finding
from alice_exp.finding.rules.preferred_matches import is_foreign
from alice_exp.finding.rules.ranking import Match
from alice_exp.finding.usecases import Filters, recall
from alice_exp.home.ports import Home
from alice_exp.kernel.value_class import dataclass
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
    """Opening text of a session: text, estimated tokens, blocks in it, number of blocks that did not fit.

    ``withheld`` would have fitted, but hold a secret or a private fact (``model.rules.private_facts``).
    """

    text: str
    tokens: int
    blocks: tuple[Placed, ...]
    left_out: int
    withheld: tuple[Placed, ...] = ()
    personal: int = 0
    """How many were left out because they are personal."""


def user_memories(finding: Finding, query: str, top: int, filters: Filters) -> list[Match]:
    """Blocks about the user that match a query, best first, unreviewed ones included (B4.11), those of other projects
    left out. Counts as a read."""
    return recall(finding, query, {}, top, replace(filters, about="user", here_only=True))


def prime(
    home: Home,
    budget: int,
    line: Callable[[Placed], str],
    headings: tuple[str, str, str, str],
    project: str = "",
    more: Callable[[int], str] = lambda _: "",
    *,
    personal: bool = True,
) -> Primed:
    """What decisions would apply anyway, as text of at most ``budget`` tokens (estimated, B4.2).

    Approved blocks alone: what is proven, about the user first, then by level, what the person said before what was
    inferred, importance, verifications, and the newest first; then what is on trial, one a trigger, for the agent to
    try and report (DESIGN 12.1). ``more`` says last how many did not fit. The same home gives the same text every day.
    What holds a secret or a private fact is withheld: the text goes to a model, or into a project's file, without
    anybody having asked for it. Without ``personal`` the set of that name and what is about the user stay out, too.
    ``headings`` stand above everything, above what is about the user, above the proven rest, above the trials.
    """
    snapshot = home.read(("personal", "universal"))
    thresholds = Thresholds.of(snapshot.config)
    approved = [
        one for one in snapshot if not is_foreign(one, project) and is_approved(one) and _is_sure(one)
    ]
    told = [one for one in approved if _is_proven(one) or _is_on_trial(one)]
    alive = [one for one in told if personal or not _is_personal(one)]
    proven = _ordered((one for one in alive if _is_proven(one)), thresholds)
    tried = _ordered((one for one in alive if _is_on_trial(one)), thresholds)
    # Two lessons for one situation on trial at once would leave the agent to choose, and nobody to credit.
    alone: dict[str, Placed] = {}
    for placed in tried:
        alone.setdefault(placed.block.trigger.text or placed.block.id, placed)
    rows = [(placed, line(placed)) for placed in (*proven, *alone.values())]
    made = replace(_written(rows, budget, headings), personal=len(told) - len(alive))
    last = more(made.left_out) if made.left_out else ""
    if not last:
        return made
    # The last line has its part of the budget; where that leaves no room for any block, it is not worth it.
    shorter = _written(rows, budget - measured(f"\n{last}").tokens - 1, headings)
    if not shorter.blocks:
        return made
    text = f"{shorter.text}\n{more(shorter.left_out)}"
    return replace(shorter, text=text, tokens=measured(text).tokens, personal=made.personal)


def _written(
    trusted: Sequence[tuple[Placed, str]], budget: int, headings: tuple[str, str, str, str]
) -> Primed:
    """As many blocks as fit, in their order, below their headings."""
    from alice_exp.model.rules.private_facts import is_private

    sections: tuple[list[str], ...] = ([], [], [])
    chosen: list[Placed] = []
    withheld: list[Placed] = []
    size = measured(headings[0])
    for placed, row in trusted:
        at = 2 if not _is_proven(placed) else 0 if placed.place == "personal" else 1
        longer = size + measured(f"\n{row}" if sections[at] else f"\n{headings[at + 1]}\n{row}")
        if longer.tokens <= budget and is_private(placed.block):
            withheld.append(placed)
        elif longer.tokens <= budget:
            sections[at].append(row)
            chosen.append(placed)
            size = longer
    rows = [headings[0]]
    for heading, section in zip(headings[1:], sections, strict=True):
        rows += [heading, *section] if section else []
    text, tokens = ("\n".join(rows), size.tokens) if chosen else ("", 0)
    left_out = len(trusted) - len(chosen) - len(withheld)
    return Primed(text, tokens, tuple(chosen), left_out, tuple(withheld))


def _is_personal(placed: Placed) -> bool:
    return placed.place == "personal" or placed.block.about == "user"


def _is_sure(placed: Placed) -> bool:
    return not is_in_doubt(placed.block) or placed.place == "personal"


def _is_proven(placed: Placed) -> bool:
    return any(placed.place == place and placed.block.state in states for place, states in TRUSTED)


def _is_on_trial(placed: Placed) -> bool:
    is_dead = placed.block.state == "obsolete" or is_in_doubt(placed.block)
    return not _is_proven(placed) and not is_dead


def _ordered(blocks: Iterable[Placed], thresholds: Thresholds) -> list[Placed]:
    newest = sorted(blocks, key=lambda one: (one.block.created_at, one.block.id), reverse=True)
    return sorted(newest, key=lambda one: _order(one, thresholds))


def _order(placed: Placed, thresholds: Thresholds) -> tuple[bool, int, bool, float, int]:
    block = placed.block
    # What was never a candidate is the person's explicit word, however important a rule took another to be.
    is_inferred = block.reported is not None or block.approved is not None
    return (
        placed.place != "personal",
        -LEVELS.index(level(block, thresholds)),
        is_inferred,
        -block.importance,
        -block.verifications,
    )
