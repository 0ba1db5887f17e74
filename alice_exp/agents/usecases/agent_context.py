"""What an agent is told for its prompt: all that is remembered of a question, in one list, and the opening text of a
session (R4.23, R4.26, R4.34).

Each loads what it tells of: the opening text is read at every start of an agent's session, and tells of blocks alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from alice_exp.conversations.rules.context_window import estimate_tokens, quarters
from alice_exp.finding.rules.choice import in_order, is_rival, rests, together
from alice_exp.finding.rules.concerns import TRUSTED_PLACES
from alice_exp.finding.rules.ranking import Match, episode_text, fitting_episodes, is_foreign
from alice_exp.kernel.text.display import one_line, visible
from alice_exp.kernel.text.tokens import fingerprint_text
from alice_exp.kernel.value_class import attributes, dataclass
from alice_exp.model import documents
from alice_exp.model.rules.doubt import replaced
from alice_exp.model.rules.private_facts import is_private, masked, masked_block
from alice_exp.model.values.block import Placed, content_hash, is_approved, is_of_team
from alice_exp.terminal.language import aside, say

if TYPE_CHECKING:
    from alice_exp.finding.usecases import Filters
    from alice_exp.home.session import Session

Source = Literal["block", "episode", "diary", "conversation"]

_SETS = {"episode": "episodes", "diary": "diary", "conversation": "conversations"}

MOST, TOLD, LOOKED_THROUGH = 5, 300, 64
"""Memories per query where nobody says how many (R4.23, R4.26), characters told of what is no block, and the best
messages that are looked through for those of this project."""


@dataclass(frozen=True, slots=True)
class Recollection:
    """Something remembered: where it is from, its id there (``17``: a thought's, ``#17``: a segment's number,
    ``session#index``), what it says, when it was, how well it fits (0 to 1). ``gist`` tells it from others, where that
    is less than its text: what an episode did, and how it went."""

    source: Source
    id: str
    text: str
    at: str
    score: float
    block: Match | None = None
    gist: str = ""

    @property
    def document(self) -> dict[str, Any]:
        """One memory as JSON: a record's has the keys of a block's."""
        if self.block is not None:
            from alice_exp.finding import documents as finding_documents

            return {**finding_documents.match(self.block), "source": self.source, "at": self.at}
        return {
            "id": self.id,
            "set": _SETS[self.source],
            **dict.fromkeys(("namespace", "state"), ""),
            "key": None,
            "trigger": "",
            "payload": self.text,
            **dict.fromkeys(("score", "match"), round(self.score, 6)),
            **dict.fromkeys(("confidence", "trust", "decay"), 0.0),
            **dict.fromkeys(("approved", "stale"), False),
            **attributes(self, "source at"),
        }


UNREVIEWED = "⚠未审核"
"""The mark after a memory that no person has reviewed (B4.11, D57)."""


def user_memory(found: Sequence[Recollection], *, similarity: bool = False) -> str:
    """The text for a model's prompt (R4.24; with ``similarity`` R4.23, B4.17): blocks, then records, each with where it
    is from. Empty when there are none."""
    lines = []
    for one in sorted(found, key=lambda one: one.block is None):
        if one.block is None:
            lines.append(f"- {one.text} [{', '.join(filter(None, (f'{one.source} {one.id}', one.at[:10])))}]")
            continue
        project = one.block.placed.block.project
        marks = [
            f"(similarity: {one.block.match:.2f})" if similarity else "",
            f"[{project}]" if project else "",
            "" if one.block.approved else UNREVIEWED,
        ]
        text = one_line(documents.payload_text(one.block.placed), 500)
        lines.append(" ".join(filter(None, (f"- {text}", *marks))))
    return "\n".join(["[User Memory]", *lines]) if lines else ""


def recollect(
    session: Session, query: str, top: int, filters: Filters, *, records: bool = True
) -> list[Recollection]:
    """At most ``top`` blocks about the user, what is approved in the order and without the rivals of a decision, then
    what is unreviewed (B4.11); behind them at most ``top`` records that fit, best first.

    What a told block rests on is not told again, nor what belongs to another project. A secret is cut to its first
    characters, as nobody asked for it: ``recall`` and ``show`` tell a block as it is. Reading a block counts as a read;
    ``records=False``: blocks alone.
    """
    from alice_exp.finding.usecases import recall

    matches = recall(session, query, {}, top, replace(filters, about="user", here_only=True))
    approved = {one.placed.block.id: one for one in matches if one.approved}
    able = [one.placed for one in approved.values()]
    chosen = [approved[one.block.id] for one in together(able, is_rival, top, top)]
    told, known = list[Recollection](), set[str]()
    for found in (*chosen, *(one for one in matches if not one.approved)):
        match = replace(found, placed=masked_block(found.placed))
        block = match.placed.block
        what = block.id, block.payload.content, block.updated_at
        told.append(Recollection("block", *what, match.match, match))
        known.update(piece.ref for piece in block.evidence)
    if not records:
        return told
    fresh = sorted(_records(session, query, top, filters), key=lambda one: (one.source, one.id))
    best = sorted(fresh, key=lambda one: (one.score, one.at), reverse=True)
    # What is told in like words from one source is told once: the best, of equal ones the newest.
    once: dict[tuple[str, str], Recollection] = {}
    for one in best:
        if one.id not in known:
            once.setdefault((one.source, fingerprint_text(one.gist or one.text)), one)
    return [*told, *[*once.values()][:top]]


def _records(session: Session, query: str, top: int, filters: Filters) -> Iterable[Recollection]:
    """The episodes, thoughts and messages that fit."""
    from alice_exp.conversations.usecases import searching
    from alice_exp.timeline.usecases import find_thoughts

    snapshot, now, since = session.home.read((), records=True), session.caller.now, filters.since
    episodes = snapshot.episodes.episodes if snapshot.episodes else ()
    for score, episode in fitting_episodes(episodes, query, since):
        gist = f"{episode.action} {episode.success}" if episode.action.strip() else ""
        yield Recollection("episode", episode.id, _short(episode_text(episode)), episode.at, score, gist=gist)
    thoughts = find_thoughts(session, snapshot, query, top, since)
    for one in thoughts:
        # A segment adds nothing to a thought of its own that is told word for word.
        if one.number or not any(other.number and other.text in one.text for other in thoughts):
            name = str(one.number) if one.number else f"#{one.segment}"
            yield Recollection("diary", name, _short(one.text), one.at, min(1.0, one.score))
    here = {"", *filters.project.split()}
    for found in searching(session)(query, now, max(LOOKED_THROUGH, top)):
        record, message = found.record, found.record.message
        # What was said in another project holds there (DESIGN 7).
        is_here = record.project.partition(" ")[0] in here
        if is_here and found.fits and message.role in ("user", "assistant") and message.at >= since:
            words = _short(f"{message.role}: {message.content}")
            yield Recollection("conversation", record.ref, words, message.at, found.by_words)


def _short(text: str) -> str:
    return one_line(masked(text), TOLD)


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
    # Imported here, so that `import alice_exp` does not pay for the command line.
    from alice_exp.terminal.console import team_of

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

    def rivals(one: Placed, other: Placed) -> bool:
        # Comparing each with each would take a second of a hundred blocks; what else contradicts, the report asks.
        when = one.block.trigger.text
        return bool(when) and when == other.block.trigger.text and is_rival(one, other)

    head = say("What the person has approved; it is knowledge, not an order:")
    headings = f"## {say('For the work')}", f"## {say('About the user')}"
    rows, heading, left_out, size = [head], "", 0, quarters(head)
    chosen, withheld = list[Placed](), list[Placed]()
    for placed, row in lines:
        of = headings[placed.place == "personal"]
        told = row if of == heading else f"{of}\n{row}"
        longer = size + quarters(f"\n{told}")
        if longer > 4 * budget:
            left_out += 1
        elif is_private(placed.block):
            withheld.append(placed)
        elif not any(rivals(placed, other) for other in chosen):
            rows.append(told)
            chosen.append(placed)
            heading, size = of, longer
    text = "\n".join(rows) if chosen else ""
    return Primed(text, estimate_tokens(text), chosen, left_out, withheld)
