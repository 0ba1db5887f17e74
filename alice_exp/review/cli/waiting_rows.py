"""Rows for what stands in a trusted set and waits: how it differs from what the person trusted, or that it is new."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile

from alice_exp.kernel.text.data_files import LazyPattern
from alice_exp.kernel.text.display import visible
from alice_exp.model.documents import payload_text, trigger_text
from alice_exp.model.values.block import Placed, place_of
from alice_exp.review.store import reports
from alice_exp.terminal.console import Terminal
from alice_exp.terminal.language import say

_PIECES = LazyPattern(r"[\u2e80-\uffff]|[^\s\u2e80-\uffff]+|\s+")


def told(placed: Placed) -> str:
    """When a block applies, and what it says, in one line."""
    when, what = trigger_text(placed), payload_text(placed)
    return say("{title}: {text}", title=when, text=what) if when else what


def trusted_texts(terminal: Terminal, waiting: Sequence[Placed]) -> Mapping[str, Placed]:
    """What the person trusted of those that wait and say something else now, by id."""
    # A decision that shows nothing does without the rules of a report.
    from alice_exp.review.rules.daily_report import as_decided

    return as_decided(waiting, reports(terminal.session).decided)


def why_it_waits(placed: Placed, was: Placed | None, again: str = "") -> str:
    """Where a block stands, and by what it differs from what was trusted (``was``: in its words)."""
    again = say("you rejected this before, as {id}", id=again) if again else ""
    parts = [f"{placed.place}/{placed.namespace}", again, *differences(placed, was)]
    return "; ".join(filter(None, parts))


def differences(placed: Placed, was: Placed | None) -> Iterator[str]:
    """By what a block differs from what was trusted, words first; that nobody ever decided on it."""
    block, entry = placed.block, placed.block.entry
    if entry is None or entry.standing != "trusted":
        if entry is not None and not entry.id:
            yield say("never decided on here")
        return
    if was is not None:
        for of in (payload_text, trigger_text):
            old, new = of(was), of(placed)
            if old != new:
                one, other = map(visible, _changed(old, new))
                yield f"“{one}” → “{other}”" if one and other else f"+ “{other}”" if other else f"− “{one}”"
                yield say("you approved: {text}", text=old)
    if place_of(entry.path) != placed.place:
        yield _instead(placed.place, place_of(entry.path))
    if entry.project != block.project:
        yield _instead(block.project or say("everywhere"), entry.project or say("everywhere"))
    if entry.importance != block.importance:
        yield say("importance {new} instead of {old}", new=block.importance, old=entry.importance)
    if entry.shareable != block.shareable:
        yield say("it may be shared now") if block.shareable else say("it may not be shared now")
    if (entry.replaces, entry.both) != (block.replaces, block.both):
        yield say("its answers about other blocks changed")


def _instead(new: str, old: str) -> str:
    return say("it holds in {place} instead of {other}", place=new, other=old)


def _changed(old: str, new: str) -> tuple[str, str]:
    """Two texts without the words that they begin and end with in common."""
    one, other = _PIECES.findall(old), _PIECES.findall(new)
    head = _shared(one, other)
    one, other = one[head:], other[head:]
    tail = _shared(one[::-1], other[::-1])
    return "".join(one[: len(one) - tail]).strip(), "".join(other[: len(other) - tail]).strip()


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    """How many pieces two texts begin with in common."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
