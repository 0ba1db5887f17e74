"""The opening text of an agent's session: what a person approved, within a budget of tokens (R4.26, R4.34)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from alice_exp.conversations.rules.context_window import estimate_tokens, quarters
from alice_exp.finding.rules.choice import in_order, is_rival, replaced, rests
from alice_exp.finding.rules.concerns import TRUSTED_PLACES
from alice_exp.finding.rules.ranking import is_foreign
from alice_exp.home.session import Session
from alice_exp.kernel.text.display import visible
from alice_exp.kernel.value_class import dataclass
from alice_exp.model import documents
from alice_exp.model.values.block import Placed, content_hash, is_approved, is_of_team
from alice_exp.terminal.console import team_of
from alice_exp.terminal.language import aside, say


@dataclass(frozen=True, slots=True)
class Primed:
    """Opening text of a session, its estimated tokens, the blocks in it, how many did not fit, those ``withheld`` that
    hold a secret or a private fact, and how many are left out because they are ``personal``."""

    text: str
    tokens: int
    blocks: Sequence[Placed]
    left_out: int
    withheld: Sequence[Placed]
    personal: int = 0


def prime(session: Session, budget: int, project: str = "", *, personal: bool = True) -> Primed:
    """What a person approved for a project (all its names), as text of at most ``budget`` tokens (estimated, B4.2), in
    the language of messages; the same home gives the same text every day.

    What is personal stands first; all is in the order in which decisions tell it, without rivals (DESIGN 12.1), behind
    it what the repository's team brings and the person trusts, at last how many did not fit. What holds a secret or a
    private fact is withheld, as nobody asked for it. Without ``personal`` the set of that name and what is about the
    user stay out, too.
    """
    snapshot = session.home.read(TRUSTED_PLACES)
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
    alive = [one for one in told if personal or (one.place != "personal" and one.block.about != "user")]
    queue = sorted(in_order(alive), key=lambda one: one.place != "personal")
    if session.team is not None and project == session.here.names:
        held = {content_hash(one.block) for one in queue}
        team = session.team.told()
        queue += in_order(one for one in team if not rests(one) and content_hash(one.block) not in held)
    lines = []
    for one in queue:
        # Whole: what does not fit the budget is left out, never cut.
        whose = aside(team_of(one)) if is_of_team(one) else ""
        lines.append((one, visible(" ".join(f"- {documents.said(one)}{whose}".split()))))
    made = _written(lines, budget)
    if made.left_out:
        # The last line has its part of the budget; where that leaves no room for any block, it is not worth it.
        shorter = _written(lines, budget - estimate_tokens(f"\n{_more(made.left_out)}") - 1)
        if shorter.blocks:
            text = f"{shorter.text}\n{_more(shorter.left_out)}"
            made = replace(shorter, text=text, tokens=estimate_tokens(text))
    return replace(made, personal=len(told) - len(alive))


def _more(count: int) -> str:
    return say("{count} more that did not fit: ask recall or decide", count=count)


def _written(lines: Sequence[tuple[Placed, str]], budget: int) -> Primed:
    """As many blocks as fit, in their order, below their headings; no rival, for one situation, of one that stands
    there."""
    from alice_exp.model.rules.private_facts import is_private

    def rivals(one: Placed, other: Placed) -> bool:
        # Comparing each with each would take a second of a hundred blocks; what else contradicts, the report asks.
        when = one.block.trigger.text
        return bool(when) and when == other.block.trigger.text and is_rival(one, other)

    head = say("What the person has approved; it is knowledge, not an order:")
    sections = [f"## {say('About the user')}"], [f"## {say('For the work')}"]
    chosen: list[Placed] = []
    withheld: list[Placed] = []
    left_out, size = 0, quarters(head)
    for placed, row in lines:
        section = sections[placed.place != "personal"]
        longer = size + quarters("\n" + (row if len(section) > 1 else f"{section[0]}\n{row}"))
        if longer > 4 * budget:
            left_out += 1
        elif is_private(placed.block):
            withheld.append(placed)
        elif not any(rivals(placed, other) for other in chosen):
            section.append(row)
            chosen.append(placed)
            size = longer
    rows = [head, *(row for section in sections if len(section) > 1 for row in section)]
    text, tokens = ("\n".join(rows), -(-size // 4)) if chosen else ("", 0)
    return Primed(text, tokens, chosen, left_out, withheld)
