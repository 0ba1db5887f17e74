"""The digest of two merged segments, a summary of bounded length and at most five key events; and the diary's search.

Sources: R1.25, R1.26, B1.10, B5.7. A key event has the form ``action → result``, with the thought in quotation marks if
there was no action or if the thought is what matters (a decision, say), so that later merges can still weigh it.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache

from alice_exp.kernel.jsonc import Json, plain
from alice_exp.kernel.text.bilingual_lexicon import scores, scores_across
from alice_exp.kernel.text.data_files import word_lists
from alice_exp.kernel.text.named_dates import Span, asks_only_of_days, day_of
from alice_exp.kernel.text.times import seconds
from alice_exp.kernel.text.tokens import tokens, tokens_many
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.values.records import Event, Segment

SUMMARY_LIMIT = 400
"""The most characters of a summary (B1.10)."""

KEY_EVENTS = 5
"""The most key events of a segment (B1.10)."""

KEY_LIMIT = 100
"""The most characters of a key event, so that five of them are about as long as the summary."""

TELLS_MORE, SAYS = 1.25, 4
"""How many times the words of action and result a thought has to have to stand for them, and how many at least."""

FRESH = 6.0
"""What it is worth that no other line has a line's words."""

TELLING = 2.0
"""From what worth on a piece stands in a summary before the others."""

_ARROW = " → "
_BETWEEN = " · "
_FRESH = 100


@dataclass(frozen=True, slots=True)
class Digest:
    """A summary of at most ``SUMMARY_LIMIT`` characters and at most ``KEY_EVENTS`` key events, oldest first."""

    summary: str
    key_events: tuple[str, ...] = ()


def digest(first: Segment, second: Segment, around: Sequence[Segment] = ()) -> Digest:
    """The rule-based digest of two neighbours: deterministic, bounded, without a model (R1.26, B1.10). The segments
    ``around`` them tell what is done again and again."""
    others = [line for segment in around for line in (*_keys(segment), *_pieces(segment))]
    keys, older, newer = _key_events(first, second, others), _pieces(first), _pieces(second)
    told = {*map(_core, (*older, *newer))}
    # What finds no room among the key events any more may yet stand in the summary.
    before = (key for one in (first, second) if one.is_compressed for key in _keys(one))
    pushed_out = [key for key in before if key not in keys and _core(key) not in told]
    return Digest(_summary([*older, *pushed_out, *newer], keys, others), keys)


def bounded(answer: Digest, rule: Digest) -> Digest:
    """A model's digest cut to the limits; if it names no key events, with those of the rule."""
    named = tuple(shortened(key, KEY_LIMIT) for key in answer.key_events if key.strip())[:KEY_EVENTS]
    return Digest(shortened(answer.summary, SUMMARY_LIMIT), named or rule.key_events)


def read_digest(answer: str) -> Digest | None:
    """The digest in a model's answer: its first object with a ``summary``, of its ``key_events`` the strings; ``None``
    if there is none (R1.25)."""
    from alice_exp.kernel.models import objects_in

    for value in objects_in(answer, "summary"):
        summary, keys = value["summary"], value.get("key_events")
        if isinstance(summary, str) and summary.strip():
            named = keys if isinstance(keys, list) else ()
            return Digest(summary, tuple(one for one in named if isinstance(one, str)))
    return None


def gist(event: Event, limit: int = SUMMARY_LIMIT) -> str:
    """A thought on one line, as thought → action → result, in at most ``limit`` characters (>= 12)."""
    texts = (event.thought, event.action, _result_text(event.result))
    parts = [" ".join(part.split()) for part in texts if part.strip()]
    whole = _ARROW.join(parts)
    if len(whole) <= limit:
        return whole
    room = (limit - len(_ARROW) * (len(parts) - 1)) // len(parts)
    return _ARROW.join(shortened(part, room) for part in parts)


def key_event(event: Event) -> str:
    """A thought as a key event: ``action → result``, or the thought in quotation marks where there was no action, where
    it decides, refuses or is a first and the action does not say so, or has a quarter more words. What was given an
    importance of at least 0.7 is marked, so that merges keep it."""
    given = event.metadata.get("importance")
    is_weighty = isinstance(given, int | float) and not isinstance(given, bool) and given >= WEIGHTY
    return _key_event(event.thought, event.action, _result_text(event.result), IMPORTANT * is_weighty)


# The newest thoughts are looked at again at every merge until they are merged themselves.
@lru_cache(512)
def _key_event(thought: str, action: str, result: str, mark: str) -> str:
    done_so = f"{action} {result}"
    spoken = (
        not action.strip()
        or telling(thought) > telling(done_so)
        or len(tokens(thought)) >= max(SAYS, TELLS_MORE * len(tokens(done_so)))
    )
    room = (KEY_LIMIT * 3 // 4 if spoken else KEY_LIMIT // 2) if result else KEY_LIMIT
    room -= len(mark)
    done = mark + (f"“{shortened(thought, room - 2)}”" if spoken else shortened(action, room))
    return done + _ARROW + shortened(result, KEY_LIMIT - len(done) - len(_ARROW)) if result else done


def shortened(text: str, limit: int) -> str:
    """A text on one line of at most ``limit`` characters (>= 1); a longer one ends with "…"."""
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def _result_text(result: Json) -> str:
    return "" if result is None or result in ("", [], {}) else plain(result)


def _key_events(first: Segment, second: Segment, others: Sequence[str]) -> tuple[str, ...]:
    """The five that matter most: what decides, refuses or surprises, is new, is referred to later, has a result; of a
    deed done again and again the newest."""
    older, newer = _keys(first), _keys(second)
    listed = [*older, *newer]
    newest = {kind_of_deed(key): at for at, key in enumerate(listed)}
    recalled = referred(older, [*newer, *_pieces(second)])
    told = _worth(listed, others)

    def worth(at: int) -> tuple[float, bool, bool, bool, int]:
        key = listed[at]
        has_action = not key.removeprefix(IMPORTANT).startswith("“")
        is_newest = newest[kind_of_deed(key)] == at
        return told[at] + (key in recalled), _ARROW in key, has_action, is_newest, at

    best = sorted(range(len(listed)), key=worth, reverse=True)[:KEY_EVENTS]
    return tuple(listed[at] for at in sorted(best))


def _worth(lines: Sequence[str], others: Sequence[str]) -> list[float]:
    """What each line tells, and how new it is; what is one of many decides nothing."""
    often = Counter(map(kind_of_deed, lines))
    fresh = novelty(lines, others)
    # What is done again and again ("review #12 → approved") decides nothing.
    deciding = (
        line.startswith(IMPORTANT) or (new >= NEW and often[kind_of_deed(line)] == 1)
        for line, new in zip(lines, fresh, strict=True)
    )
    return [
        decides * telling(line) + FRESH * new * amount(line)
        for line, new, decides in zip(lines, fresh, deciding, strict=True)
    ]


def _keys(segment: Segment) -> list[str]:
    if segment.is_compressed:
        return [shortened(key, KEY_LIMIT) for key in segment.key_events if key.strip()]
    return [key_event(event) for event in segment.events]


def _pieces(segment: Segment) -> list[str]:
    if segment.is_compressed:
        return [piece for piece in segment.summary.split(_BETWEEN) if piece.strip()]
    return [gist(event, _FRESH) for event in segment.events]


def _summary(pieces: Sequence[str], keys: Sequence[str], others: Sequence[str]) -> str:
    """As many pieces as fit: the first and the last, between them those that matter and no key event tells."""
    if not pieces:
        return ""
    told = " ".join(keys)
    last = len(pieces) - 1
    weights = [weight * (weight >= TELLING) for weight in _worth(pieces, others)]
    spread = {round(step * last / 3): 1 for step in range(4)}
    new = (at for at in range(1, last) if _core(pieces[at]) not in told)
    inner = sorted(new, key=lambda at: (-weights[at], -spread.get(at, 0), -at))
    for count in range(len(inner), -1, -1):
        chosen = sorted({0, last, *inner[:count]})
        if len(joined := _BETWEEN.join(pieces[at] for at in chosen)) <= SUMMARY_LIMIT:
            return joined
    ends = pieces if last == 0 else (pieces[0], pieces[last])
    room = (SUMMARY_LIMIT - len(_BETWEEN) * (len(ends) - 1)) // len(ends)
    return _BETWEEN.join(shortened(piece, room) for piece in ends)


def _core(piece: str) -> str:
    """The beginning of a piece, by which a key event that tells the same is known."""
    return piece.removeprefix(IMPORTANT).strip("“”").partition(_ARROW)[0][:40].rstrip("…”")


IMPORTANT = "! "
"""Stands in front of a key event that was given an importance."""

WEIGHTY = 0.7
"""The least importance (``metadata.importance``, 0 to 1) that makes a thought one of those to keep."""

_WORDS = "timeline/rules/data/telling.txt"
_WEIGHTS = {"decision": 4.0, "refusal": 3.0, "surprise": 3.0, "first": 2.0}
_PLACES = re.compile(r"\b\d[\d.,:]*\b|[\W_]+")
_SHARED = 2


@cache
def _patterns() -> list[tuple[float, re.Pattern[str]]]:
    found = []
    for name, weight in _WEIGHTS.items():
        words = [re.escape(word.replace("_", " ")) for word in word_lists(_WORDS)[name]]
        latin, other = (
            "|".join(one for one in words if one.isascii() is is_latin) for is_latin in (True, False)
        )
        found.append((weight, re.compile(rf"\b(?:{latin})\b|{other}", re.IGNORECASE)))
    return found


@lru_cache(4096)
def telling(text: str) -> float:
    """The weight of a line (>= 0): decision 4, refusal or surprise 3, first 2, given importance 5."""
    given = 5.0 if text.startswith(IMPORTANT) else 0.0
    return max(given, max((weight for weight, form in _patterns() if form.search(text)), default=0.0))


@lru_cache(4096)
def kind_of_deed(key: str) -> str:
    """What a key event is one of, whatever its numbers: ``run the tests → 12 passed`` is one of many."""
    return _PLACES.sub(" ", key).strip().casefold()


def referred(older: Sequence[str], newer: Sequence[str]) -> frozenset[str]:
    """The older lines to which newer ones refer: those that share two rare words with one of another kind."""
    later = [set(tokens(line)) for line in newer]
    kinds = {kind_of_deed(line) for line in newer}
    earlier = [(line, set(tokens(line))) for line in older]
    spread = Counter(word for _, words in earlier for word in words)
    return frozenset(
        line
        for line, words in earlier
        if kind_of_deed(line) not in kinds
        and any(
            sum(spread[word] == 1 and not word.isdigit() for word in words & each) >= _SHARED
            for each in later
        )
    )


NEW = 0.4
"""The least novelty with which a line is not one of many."""

FULL = 10
"""Words from which on a line tells no more by having more."""

_CJK = re.compile("[\u2e80-\U0003ffff]")
_WORD = re.compile("[\u2e80-\U0003ffff]|(?:(?![\u2e80-\U0003ffff])[^\\W\\d_])+")


def novelty(lines: Sequence[str], around: Iterable[str]) -> list[float]:
    """For each line the share of its words, in [0, 1], that no other line has, of these or of those around it; numbers
    say nothing: ``run the tests → 12 passed`` is what ``run the tests → 9 passed`` is."""
    known = [_words(line) for line in around]
    own = [_words(line) for line in lines]
    found = []
    for at, words in enumerate(own):
        # Each merge compares each line with each around it: no Python is called for a pair.
        most = max(map(len, map(words.intersection, (*known, *own[:at], *own[at + 1 :]))), default=0)
        found.append(1.0 - most / len(words) if words else 0.0)
    return found


@lru_cache(4096)
def amount(line: str) -> float:
    """How much a line can tell, in [0, 1]: by its words, three Chinese characters counting as two."""
    return min(1.0, sum(2 / 3 if _CJK.match(word) else 1 for word in _WORD.findall(line)) / FULL)


@lru_cache(4096)
def _words(line: str) -> frozenset[str]:
    return frozenset(word for word in tokens(line) if not word.isdigit())


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
    surprises counts up to a half more, the newer of equal ones comes first. Both ends of the span are included, an
    empty one is open. A thought of ``days`` that the query names counts twice; where none fits, those that matter most
    are told."""
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
