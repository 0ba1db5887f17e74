"""The digest of two merged segments: a summary of bounded length and at most five key events.

Sources: R1.25, R1.26, B1.10. A key event has the form ``action → result``, with the thought in quotation marks if
there was no action, so that later merges can still rank key events by (has result, has action, recency).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from alice_exp.kernel.jsonc.problem import Json
    from alice_exp.model.values.records import Event, Segment

SUMMARY_LIMIT = 400
"""The most characters of a summary (B1.10)."""

KEY_EVENTS = 5
"""The most key events of a segment (B1.10)."""

KEY_LIMIT = 100
"""The most characters of a key event, so that five of them are about as long as the summary."""

MOST_ANSWER = 1 << 16
"""The characters of a model's answer in which a digest is looked for."""

_ARROW = " → "
_BETWEEN = " · "
_FRESH = 100


@dataclass(frozen=True, slots=True)
class Digest:
    """A summary of at most ``SUMMARY_LIMIT`` characters and at most ``KEY_EVENTS`` key events, oldest first."""

    summary: str
    key_events: tuple[str, ...] = ()


def digest(first: Segment, second: Segment) -> Digest:
    """The rule-based digest of two neighbours: deterministic, bounded, without a model (R1.26, B1.10)."""
    return Digest(_summary([*_pieces(first), *_pieces(second)]), _key_events(first, second))


def bounded(answer: Digest, rule: Digest) -> Digest:
    """A model's digest cut to the limits; if it names no key events, with those of the rule."""
    named = tuple(shortened(key, KEY_LIMIT) for key in answer.key_events if key.strip())[:KEY_EVENTS]
    return Digest(shortened(answer.summary, SUMMARY_LIMIT), named or rule.key_events)


def read_digest(answer: str) -> Digest | None:
    """The digest in a model's answer: its first JSON object with a ``summary``; ``None`` if there is none (R1.25).

    Prose and code fences around it are skipped; ``key_events`` other than strings are left out.
    """
    decoder = json.JSONDecoder()
    # At most 50 attempts: each may scan the rest of the answer, which would take quadratic time.
    for start in [at for at, character in enumerate(answer[:MOST_ANSWER]) if character == "{"][:50]:
        try:
            value, _ = decoder.raw_decode(answer, start)
        except (ValueError, RecursionError):
            continue
        summary, keys = value.get("summary"), value.get("key_events")
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
    """A thought as a key event: ``action → result``, with the thought in quotation marks if there was no action."""
    done = shortened(event.action, KEY_LIMIT // 2) or f"“{shortened(event.thought, KEY_LIMIT // 2 - 2)}”"
    result = _result_text(event.result)
    return done + _ARROW + shortened(result, KEY_LIMIT - len(done) - len(_ARROW)) if result else done


def importance(segment: Segment) -> float:
    """The mean rank of a segment's key events (of its events, if it is uncompressed), in [0, 1].

    A result counts 0.6, an action 0.4 (in the order of B1.10).
    """
    keys = segment.key_events or tuple(map(key_event, segment.events))
    ranks = [_rank(key) for key in keys]
    return sum(0.6 * result + 0.4 * action for result, action in ranks) / len(ranks) if ranks else 0.0


def shortened(text: str, limit: int) -> str:
    """A text on one line of at most ``limit`` characters (>= 1); a longer one ends with "…"."""
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def _result_text(result: Json) -> str:
    if result is None or result in ("", [], {}):
        return ""
    return result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)


def _rank(key: str) -> tuple[bool, bool]:
    """Whether a key event has a result, and whether it has an action."""
    return _ARROW in key, not key.startswith("“")


def _key_events(first: Segment, second: Segment) -> tuple[str, ...]:
    listed = [key for segment in (first, second) for key in _keys(segment)]
    best = sorted(range(len(listed)), key=lambda index: (*_rank(listed[index]), index), reverse=True)
    return tuple(listed[index] for index in sorted(best[:KEY_EVENTS]))


def _keys(segment: Segment) -> list[str]:
    if segment.is_compressed:
        return [shortened(key, KEY_LIMIT) for key in segment.key_events if key.strip()]
    return [key_event(event) for event in segment.events]


def _pieces(segment: Segment) -> list[str]:
    if segment.is_compressed:
        return [piece for piece in segment.summary.split(_BETWEEN) if piece.strip()]
    return [gist(event, _FRESH) for event in segment.events]


def _summary(pieces: Sequence[str]) -> str:
    """As many pieces as fit, evenly spaced from the first to the last."""
    if not pieces:
        return ""
    last = len(pieces) - 1
    for count in range(len(pieces), 1, -1):
        chosen = [pieces[round(step * last / (count - 1))] for step in range(count)]
        joined = _BETWEEN.join(chosen)
        if len(joined) <= SUMMARY_LIMIT:
            return joined
    ends = pieces if last == 0 else (pieces[0], pieces[last])
    room = (SUMMARY_LIMIT - len(_BETWEEN) * (len(ends) - 1)) // len(ends)
    return _BETWEEN.join(shortened(piece, room) for piece in ends)
