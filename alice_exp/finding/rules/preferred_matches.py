"""Prefers among matches those of the project (DESIGN 7), of a day that is named, and of like meaning (DESIGN 10)."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from alice_exp.finding.rules.concerns import block_text
from alice_exp.finding.rules.ranking import RESCORED, Match, ordered
from alice_exp.finding.rules.scorer import Texts
from alice_exp.kernel.text.times import mentions_time
from alice_exp.kernel.text.tokens import tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from alice_exp.kernel.text.date_spans import Span
    from alice_exp.model.values.block import Placed

SAME = 1.15
"""The factor on match and score of a block of the same project."""


def preferring(matches: Sequence[Match], project: str) -> list[Match]:
    """The matches in their order with those of this project lifted, by all its names; as they are where there is
    none."""
    own = project.split()
    lifted = [
        replace(one, match=min(1.0, round(one.match * SAME, 6)), score=round(one.score * SAME, 6))
        if one.placed.block.project in own
        else one
        for one in matches
    ]
    return ordered(lifted) if own else lifted


def days_named(query: str, now: str) -> Sequence[Span]:
    """The days that a query names."""
    if not mentions_time(query):
        return ()
    # Loaded where one may be named.
    from alice_exp.kernel.text.named_dates import named_spans

    return named_spans(query, now)


DAY = 0.3
"""What a block of a named day gains, as a share of the best match: as much as a message in a search of sessions."""


def of_days(matches: Sequence[Match], spans: Sequence[Span]) -> list[Match]:
    """The matches in their order with those lifted that were kept, or seen, on a day that the query names.

    Their age takes nothing from them: it is what was asked for.
    """
    if not spans:
        return list(matches)
    gain, found = DAY * max((one.match for one in matches), default=0.0), []
    for one in matches:
        block = one.placed.block
        known = {block.created_at, *(piece.at for piece in block.evidence)} - {""}
        days = [datetime.fromisoformat(at).astimezone(UTC).replace(tzinfo=None) for at in known]
        if any(span.covers(day) for span in spans for day in days):
            raised = min(1.0, round(one.match + gain, 6))
            score = round(one.score / (one.decay or 1.0) * raised / one.match, 6)
            one = replace(one, match=raised, score=score, decay=1.0)
        found.append(one)
    return ordered(found)


def by_meaning(
    matches: Sequence[Match],
    query: str,
    cosines: Callable[[str, Sequence[str]], Sequence[float] | None] | None,
) -> list[Match]:
    """The matches with the first ``RESCORED`` ordered by score · (1 + lift) / 2.

    The lift of a cosine is its place in [0, 1] between the lowest and the highest of theirs, for an absolute one says
    nothing: unrelated texts have 0.1 with one model, 0.8 with another.
    """
    best = matches[:RESCORED]
    near = None
    if cosines and len(best) > 1:
        near = cosines(query, [block_text(one.placed.block).strip() for one in best])
    if near is None:
        return list(matches)
    low, span = min(near), max(near) - min(near) or 1.0
    moved = [
        replace(one, score=round(one.score * (1 + (cosine - low) / span) / 2, 6), cosine=cosine)
        for one, cosine in zip(best, near, strict=True)
    ]
    return [*ordered(moved), *matches[RESCORED:]]


def is_foreign(placed: Placed, project: str) -> bool:
    """Whether a block belongs to another project than this, by all its names; one of no project belongs everywhere."""
    return placed.block.project not in ("", *project.split())


def fits_by_tags_alone(match: Match, task: str) -> bool:
    """Whether nothing of a note from a conversation but the tags that its reader gave it answers a task.

    They find the note for a question; 计划 as the tag of every goal is no ground to apply one to 定疫苗计划.
    """
    block = match.placed.block
    is_read = block.tags and any(one.kind == "session" for one in block.evidence)
    if not is_read or match.context_match is not None:
        return False
    bare = block_text(replace(block, tags=()))
    return not set(tokens(bare)) & set(tokens(task)) and not Texts.of([bare]).find(task).matches
