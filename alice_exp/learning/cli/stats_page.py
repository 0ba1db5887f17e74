"""The HTML page of ``stats``: bar charts of the counts, and an area chart of how experience grew."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from html import escape

from alice_exp.learning.usecases.statistics import Counts
from alice_exp.terminal.html_page import document
from alice_exp.terminal.language import say

_WIDTH, _HEIGHT, _EDGE = 720, 240, 24


def stats_page(counts: Counts, parts: Mapping[str, Mapping[str, int]], day: str) -> str:
    """The whole document; ``parts`` maps a title ("by state") to counts by name, ``day`` is today's date."""
    lead = say(
        "{total} blocks, {waiting} of them wait for you, {archived} archived",
        total=counts.total,
        waiting=counts.waiting,
        archived=counts.archived,
    )
    grown = _part(say("how it grew"), growth(counts.grown)) if counts.grown else ""
    body = grown + "".join(_part(title, _bars(part)) for title, part in parts.items() if part)
    return document(
        say("Experience on {day}", day=day), lead, body, say("Made with: alice-exp stats --format html")
    )


def growth(grown: tuple[tuple[str, int], ...]) -> str:
    """An area chart as SVG: days from left to right on a linear time axis, the number of blocks upwards.

    ``grown`` holds (day as 2026-02-20, total at its end), ascending and not empty; a single day gives a level line.
    """
    days = [date.fromisoformat(day).toordinal() for day, _ in grown]
    span, most = max(1, days[-1] - days[0]), max(total for _, total in grown)
    wide, high = _WIDTH - 2 * _EDGE, _HEIGHT - 2 * _EDGE

    def x(day: int) -> float:
        return _EDGE + wide * (day - days[0]) / span

    def y(total: int) -> float:
        return _EDGE + high * (1 - total / most)

    # Steps, not slopes: the total changes at a day and holds until the next.
    steps = [f"M{x(days[0]):.1f},{y(grown[0][1]):.1f}"]
    steps += [f"H{x(day):.1f}V{y(total):.1f}" for day, (_, total) in zip(days, grown, strict=True)]
    line = "".join((*steps, f"H{_EDGE + wide}"))
    floor = _EDGE + high
    label = say("{first}: {few} blocks · {last}: {many} blocks", **_ends(grown))
    return (
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{escape(label)}">'
        f'<path class="area" d="{line}V{floor}H{_EDGE}Z"/><path class="line" d="{line}"/>'
        f'<path class="axis" d="M{_EDGE},{floor}H{_EDGE + wide}"/>'
        f'<text x="{_EDGE}" y="{_HEIGHT - 6}">{escape(grown[0][0])}</text>'
        f'<text x="{_EDGE + wide}" y="{_HEIGHT - 6}" text-anchor="end">{escape(grown[-1][0])}</text>'
        f'<text x="{_EDGE + wide}" y="{_EDGE - 8}" text-anchor="end">{most}</text></svg>\n'
        f'<p class="note">{escape(label)}</p>\n'
    )


def _ends(grown: tuple[tuple[str, int], ...]) -> dict[str, object]:
    (first, few), (last, many) = grown[0], grown[-1]
    return {"first": first, "few": few, "last": last, "many": many}


def _part(title: str, body: str) -> str:
    return f"<h2>{escape(title)}</h2>\n{body}"


def _bars(part: Mapping[str, int]) -> str:
    most = max(part.values())
    rows = "".join(
        f'<span>{escape(say(name))}</span><i style="width:{100 * count / most:.1f}%"></i><b>{count}</b>\n'
        for name, count in part.items()
    )
    return f'<div class="bars">\n{rows}</div>\n'
