"""Search in the diary: thoughts word for word, and what segments tell of older ones, by content and time."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from alice_exp.kernel.text.bilingual_lexicon import scores, scores_across
from alice_exp.kernel.text.named_dates import Span, asks_only_of_days, day_of
from alice_exp.kernel.text.times import seconds
from alice_exp.kernel.text.tokens import tokens_many
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.values.records import Event, Segment
from alice_exp.timeline.rules.digest import gist, telling

HINT = 0.2
"""The least share of a question that a thought of the day it names has to have, in the other language."""

ENOUGH = 0.3
"""The least share of a question's weight that a thought has to have; who searches has less to lose by one too many."""

OF_DAY, MOST_OF_DAY = 0.05, 5
"""The score of a thought of a day that the query names, which has none of its words, and how many are told."""


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
    days: Sequence[Span] = (),
) -> list[Hit]:
    """The thoughts that fit a query, best first; a segment only for what no thought tells.

    BM25 over the words of thought, context, action and result, or the concepts of the other language; what decides or
    surprises counts up to a half more, the newer of equal ones comes first. Both ends of the span of time are included;
    an empty end is open. Of ``days`` that the query names a thought counts twice; where none of
    them fits, those that matter most are told.
    """
    low = seconds(since) if since else -math.inf
    high = seconds(until) if until else math.inf
    found = [
        Hit(0.0, event.at, gist(event), number, 0, event)
        for number, event in thoughts.items()
        if low <= event.timestamp <= high
    ]
    texts = [_text(one.event) for one in found if one.event is not None]
    # Of all times: what a thought of another time says is none of this one's, though its segment reaches here.
    known = " ".join(_text(event) for event in thoughts.values()) if segments else ""
    for segment in segments:
        if segment.end_timestamp < low or segment.start_timestamp > high:
            continue
        for line in (*segment.key_events, segment.summary):
            core = line.strip("!“” ").partition("”")[0].partition(" → ")[0].rstrip("…")
            if any(part and part[:60] not in known for part in core.split(" · ")):
                found.append(Hit(0.0, segment.end, line, 0, segment.id))
                texts.append(line)
    own, other = scores(query, texts, ENOUGH), scores_across(query, texts)
    weighed = [
        replace(one, score=score * (1 + telling(text) / 10) * (1 + _is_of(days, one)))
        for score, text, one in zip(map(max, own, other), texts, found, strict=True)
        if score > 0
    ]
    of_days = _of_days(query, found, texts, days) if days else []
    if of_days and asks_only_of_days(query):
        return of_days[:top]
    if not any(_is_of(days, one) for one in weighed):
        weighed += of_days
    weighed.sort(key=lambda one: (-one.score, -seconds(one.at) if one.at else 0.0, one.number))
    return weighed[:top]


def _of_days(query: str, found: Sequence[Hit], texts: Sequence[str], days: Sequence[Span]) -> list[Hit]:
    """The thoughts of some days that matter most: by a word of the query, by what is told, by words that are rare."""
    bags = [{word for word in bag if not word.isdigit()} for bag in tokens_many(texts)]
    spread = Counter(word for bag in bags for word in bag)
    places = [place for place, one in enumerate(found) if one.event is not None and _is_of(days, one)]
    across = scores_across(query, [texts[place] for place in places], HINT)
    weighed = []
    for place, share in zip(places, across, strict=True):
        rare = sorted((math.log(len(texts) / spread[word]) for word in bags[place]), reverse=True)[:4]
        worth = 10 * share + telling(texts[place]) + sum(rare) / 4
        weighed.append(replace(found[place], score=OF_DAY * worth / 4))
    return sorted(weighed, key=lambda one: -one.score)[:MOST_OF_DAY]


def _is_of(days: Sequence[Span], one: Hit) -> bool:
    return bool(days and one.at and any(span.covers(day_of(one.at)) for span in days))


def _text(event: Event) -> str:
    return " ".join((event.thought, event.context, event.action, gist(event, 4000)))
