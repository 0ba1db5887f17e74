"""All that is remembered of a question: blocks, episodes, the diary and conversations, in one list (R4.23, R4.26)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from alice_exp.conversations.usecases.agent_context import user_memories
from alice_exp.conversations.usecases.search_sessions import Search, searching
from alice_exp.finding.rules.fitting_episodes import episode_text, fitting_episodes
from alice_exp.finding.rules.ranking import Match
from alice_exp.finding.usecases import Filters
from alice_exp.kernel.text.display import one_line
from alice_exp.kernel.text.tokens import fingerprint_text
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.rules.private_facts import masked, masked_block
from alice_exp.model.values.snapshot import Snapshot
from alice_exp.timeline.usecases.events import find_thoughts

if TYPE_CHECKING:
    from alice_exp.home.session import Session
    from alice_exp.home.store.git_history import GitHistory

Source = Literal["block", "episode", "diary", "conversation"]

TOLD = 300
"""The most characters told of what is no block."""


LOOKED_THROUGH = 64
"""How many of the best messages are looked through for those of this project."""


@dataclass(frozen=True, slots=True)
class Recollection:
    """Something remembered: where it is from, its id there, what it says, when it was, how well it fits (0 to 1).

    ``id`` is a block's or an episode's id, a thought's number (``#17``: a segment's), or ``session#index``.
    """

    source: Source
    id: str
    text: str
    at: str
    score: float
    block: Match | None = None
    gist: str = ""
    """What tells it from others, where that is less than its text: what an episode did, and how it went."""


def recollect(
    session: Session, query: str, top: int, filters: Filters, *, records: bool = True
) -> list[Recollection]:
    """At most ``top`` blocks about the user, best first; behind them at most ``top`` records that fit, best first.

    What a told block rests on is not told again. A secret is cut to its first characters, as nobody asked for it:
    ``recall`` and ``show`` tell a block as it is. Reading a block counts as a read; ``records=False``: blocks alone.
    """
    blocks = [
        replace(one, placed=masked_block(one.placed)) for one in user_memories(session, query, top, filters)
    ]
    told = [
        Recollection(
            "block",
            one.placed.block.id,
            one.placed.block.payload.content,
            one.placed.block.updated_at,
            one.match,
            one,
        )
        for one in blocks
    ]
    if not records:
        return told
    known = {piece.ref for one in blocks for piece in one.placed.block.evidence}
    snapshot = session.home.read((), records=True)
    found = [
        *_episodes(snapshot, query, filters.since),
        *_thoughts(snapshot, session.history, query, session.caller.now, top, filters.since),
        *_messages(searching(session), query, filters, session.caller.now, top),
    ]
    fresh = sorted(
        (one for one in found if one.id not in known), key=lambda one: (-one.score, one.source, one.id)
    )
    return [*told, *_each_once(fresh)[:top]]


def _each_once(found: Sequence[Recollection]) -> list[Recollection]:
    """What is told in like words from one source is told once: the best, of equal ones the newest."""
    newest = sorted(found, key=lambda one: one.at, reverse=True)
    kept: dict[tuple[str, str], Recollection] = {}
    for one in sorted(newest, key=lambda one: -one.score):
        kept.setdefault((one.source, fingerprint_text(one.gist or one.text)), one)
    return list(kept.values())


def _episodes(snapshot: Snapshot, query: str, since: str) -> Iterable[Recollection]:
    listed = snapshot.episodes.episodes if snapshot.episodes else ()
    for score, one in fitting_episodes(listed, query, since):
        gist = f"{one.action} {one.success}" if one.action.strip() else ""
        yield Recollection("episode", one.id, _short(episode_text(one)), one.at, score, gist=gist)


def _thoughts(
    snapshot: Snapshot, history: GitHistory, query: str, now: str, top: int, since: str
) -> Sequence[Recollection]:
    found = find_thoughts(snapshot, history, query, now, top, since)
    whole = [one.text for one in found if one.number]
    return [
        Recollection(
            "diary",
            str(one.number) if one.number else f"#{one.segment}",
            _short(one.text),
            one.at,
            min(1.0, one.score),
        )
        for one in found
        # A segment adds nothing to a thought of its own that is told word for word.
        if one.number or not any(text in one.text for text in whole)
    ]


def _messages(search: Search, query: str, filters: Filters, now: str, top: int) -> Iterable[Recollection]:
    here = {"", *filters.project.split()}
    for one in search(query, now, max(LOOKED_THROUGH, top)):
        record, message = one.record, one.record.message
        # What was said in another project holds there (DESIGN 7).
        is_here = record.project.partition(" ")[0] in here
        if is_here and one.fits and message.role in ("user", "assistant") and message.at >= filters.since:
            said = f"{message.role}: {message.content}"
            yield Recollection("conversation", record.ref, _short(said), message.at, one.by_words)


def _short(text: str) -> str:
    return one_line(masked(text), TOLD)
