"""Select blocks for a model's prompt: memories that fit a query, and a session's opening text (R4.23-R4.26, R4.34)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from alice_exp.conversations.rules.context_window import estimate_tokens, quarters
from alice_exp.finding.rules.choice import in_order, rests, together
from alice_exp.finding.rules.concerns import TRUSTED_PLACES
from alice_exp.finding.rules.preferred_matches import is_foreign
from alice_exp.finding.rules.ranking import Match
from alice_exp.finding.rules.rivals import replaced, rivalry
from alice_exp.finding.usecases import Filters, recall, replaced_ones
from alice_exp.home.doors import Home
from alice_exp.home.session import Session
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.values.block import Placed, content_hash, is_approved

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


def user_memories(session: Session, query: str, top: int, filters: Filters) -> list[Match]:
    """The blocks about the user that match a query best: what is approved in the order and without the rivals of a
    decision, then what is unreviewed (B4.11); those of other projects are left out. Counts as a read."""
    found = recall(session, query, {}, top, replace(filters, about="user", here_only=True))
    approved = {one.placed.block.id: one for one in found if one.approved}
    waiting = replaced_ones(session) if approved else ()
    able = [one.placed for block_id, one in approved.items() if block_id not in waiting]
    told = together(able, rivalry(), top, top)
    return [*(approved[one.block.id] for one in told), *(one for one in found if not one.approved)]


def prime(
    home: Home,
    budget: int,
    line: Callable[[Placed], str],
    headings: tuple[str, str, str],
    project: str = "",
    more: Callable[[int], str] = lambda _: "",
    *,
    personal: bool = True,
    team: Sequence[Placed] = (),
) -> Primed:
    """What a person approved, as text of at most ``budget`` tokens (estimated, B4.2).

    What is about the user stands first; all is in the order in which decisions tell it, without rivals (DESIGN 12.1).
    ``more`` says last how many did not fit. The same home gives the same text every day. What holds a secret or a
    private fact is withheld: the text goes to a model, or into a project's file, without anybody having asked for it.
    Without ``personal`` the set of that name and what is about the user stay out, too. What a ``team`` brings and the
    person trusts stands behind their own. ``headings`` stand above
    everything, above what is about the user, above the rest.
    """
    snapshot = home.read(TRUSTED_PLACES)
    waiting = replaced(snapshot)
    told = [
        one
        for one in snapshot
        if not is_foreign(one, project)
        and is_approved(one)
        and one.block.state != "obsolete"
        and not rests(one)
        and one.block.id not in waiting
    ]
    alive = [one for one in told if personal or not _is_personal(one)]
    queue = sorted(in_order(alive), key=lambda one: one.place != "personal")
    held = {content_hash(one.block) for one in queue} if team else set()
    queue += in_order(one for one in team if not rests(one) and content_hash(one.block) not in held)
    made = replace(_written(queue, line, budget, headings), personal=len(told) - len(alive))
    last = more(made.left_out) if made.left_out else ""
    if not last:
        return made
    # The last line has its part of the budget; where that leaves no room for any block, it is not worth it.
    shorter = _written(queue, line, budget - estimate_tokens(f"\n{last}") - 1, headings)
    if not shorter.blocks:
        return made
    text = f"{shorter.text}\n{more(shorter.left_out)}"
    return replace(shorter, text=text, tokens=estimate_tokens(text), personal=made.personal)


def _written(
    queue: Sequence[Placed], line: Callable[[Placed], str], budget: int, headings: tuple[str, str, str]
) -> Primed:
    """As many blocks as fit, in their order, below their headings; no rival, for one situation, of one that stands
    there."""
    from alice_exp.model.rules.private_facts import is_private

    are_rivals = rivalry()

    def rivals(one: Placed, other: Placed) -> bool:
        # Comparing each with each would take a second of a hundred blocks; what else contradicts, the report asks.
        when = one.block.trigger.text
        return bool(when) and when == other.block.trigger.text and are_rivals(one, other)

    sections: tuple[list[str], ...] = ([], [])
    chosen: list[Placed] = []
    withheld: list[Placed] = []
    left_out = 0
    size = quarters(headings[0])
    for placed in queue:
        row, at = line(placed), placed.place != "personal"
        longer = size + quarters(f"\n{row}" if sections[at] else f"\n{headings[at + 1]}\n{row}")
        if longer > 4 * budget:
            left_out += 1
        elif is_private(placed.block):
            withheld.append(placed)
        elif not any(rivals(placed, other) for other in chosen):
            sections[at].append(row)
            chosen.append(placed)
            size = longer
    rows = [headings[0]]
    for heading, section in zip(headings[1:], sections, strict=True):
        rows += [heading, *section] if section else []
    text, tokens = ("\n".join(rows), -(-size // 4)) if chosen else ("", 0)
    return Primed(text, tokens, tuple(chosen), left_out, tuple(withheld))


def _is_personal(placed: Placed) -> bool:
    return placed.place == "personal" or placed.block.about == "user"
