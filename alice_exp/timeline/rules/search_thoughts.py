"""Search in the diary: thoughts word for word, and what segments tell of older ones, by content and time."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from alice_exp.kernel.text.times import seconds
from alice_exp.kernel.text.word_search import scores
from alice_exp.timeline.rules.digest import gist
from alice_exp.timeline.rules.telling import telling

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from alice_exp.model.values.records import Event, Segment


ENOUGH = 0.3
"""The least share of a question's weight that a thought has to have; who searches has less to lose by one too many."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A thought (``number``, 1-based) or what a segment tells (``segment``; 0 for a thought), with its score > 0."""

    score: float
    at: str
    text: str
    number: int = 0
    segment: int = 0
    event: Event | None = None


def search_thoughts(
    query: str,
    thoughts: Mapping[int, Event],
    segments: Sequence[Segment] = (),
    top: int = 10,
    since: str = "",
    until: str = "",
) -> list[Hit]:
    """The thoughts that fit a query, best first; a segment only for what no thought tells.

    BM25 over the words of thought, context, action and result; what decides or surprises counts up to a half more, the
    newer of equal ones comes first. Both ends of the span of time are included; an empty end is open.
    """
    low = seconds(since) if since else -math.inf
    high = seconds(until) if until else math.inf
    found = [
        Hit(0.0, event.at, gist(event), number, 0, event)
        for number, event in thoughts.items()
        if low <= event.timestamp <= high
    ]
    texts = [_text(one.event) for one in found if one.event is not None]
    known = " ".join(texts) if segments else ""
    for segment in segments:
        if segment.end_timestamp < low or segment.start_timestamp > high:
            continue
        for line in (*segment.key_events, segment.summary):
            core = line.strip("!“” ").partition("”")[0].partition(" → ")[0].rstrip("…")[:60]
            if core and core not in known:
                found.append(Hit(0.0, segment.end, line, 0, segment.id))
                texts.append(line)
    weighed = [
        replace(one, score=score * (1 + telling(text) / 10))
        for score, text, one in zip(scores(query, texts, ENOUGH), texts, found, strict=True)
        if score > 0
    ]
    return sorted(weighed, key=lambda one: (-one.score, -_moment(one), one.number))[:top]


def _moment(one: Hit) -> float:
    return seconds(one.at) if one.at else 0.0


def _text(event: Event) -> str:
    return " ".join((event.thought, event.context, event.action, gist(event, 4000)))
