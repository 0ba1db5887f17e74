"""What the games came to, in docs/learning-bench.md, and the picture of the cooking ones: points game by game as an SVG."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path

from docs.bench.chart import chart
from docs.bench.learning_page import write_part
from docs.bench.textworld_bench import APPROVED, ARMS, GAMES, UNREVIEWED, WITHOUT, Series, interval

PICTURE = Path(__file__).with_name("textworld.svg")
LAST = 5
COLOURS = {WITHOUT: "#888888", UNREVIEWED: "#b3541e", APPROVED: "#0b6e4f"}

Found = Mapping[str, Sequence[Series]]


def _spread(figures: Sequence[float], scale: float, unit: str) -> str:
    error = 1.96 * statistics.stdev(figures) / len(figures) ** 0.5 if len(figures) > 1 else 0.0
    return f"{scale * statistics.fmean(figures):.1f} ± {scale * error:.1f}{unit}"


def table(found: Found) -> str:
    """The figures in Markdown, a row an arm."""
    rows = [
        f"| memory | points | games won | points in the last {LAST} | commands a game | followed advice that did not help |",
        "|---|---|---|---|---|---|",
    ]
    for arm in ARMS:
        some = found[arm]
        cells = (
            _spread([one.share for one in some], 100, " %"),
            _spread([statistics.fmean(share == 1.0 for share in one.shares) for one in some], 100, " %"),
            _spread([statistics.fmean(one.shares[-LAST:]) for one in some], 100, " %"),
            _spread([statistics.fmean(told.commands for _, told in one.games) for one in some], 1, ""),
            "–" if arm == WITHOUT else _spread([one.wrong for one in some], 100, " %"),
        )
        rows.append(f"| {arm} | " + " | ".join(cells) + " |")
    return "\n".join(rows)


def compared(found: Found) -> str:
    """The paired differences, in words."""
    lines = []
    for other in (WITHOUT, UNREVIEWED):
        pairs = zip(found[APPROVED], found[other], strict=True)
        mean, low, high = interval([100 * (a.share - b.share) for a, b in pairs])
        lines.append(
            f"- **{APPROVED}** beside **{other}**: {mean:+.1f} points of a hundred, {low:+.1f} to {high:+.1f}."
        )
    return "\n".join(lines)


def part(found: Found) -> str:
    """What stands between the marks."""
    seeds = len(found[WITHOUT])
    return (
        f"{seeds} seeds, mean ± 95 %:\n\n{table(found)}\n\n"
        f"Paired by seed, 95 % by bootstrap over the {seeds} seeds:\n\n{compared(found)}\n"
    )


def svg(found: Found) -> str:
    """The mean share of the points, game by game, a line an arm."""
    lines = {
        arm: (COLOURS[arm], [statistics.fmean(game) for game in zip(*(one.shares for one in found[arm]), strict=True)])
        for arm in ARMS
    }  # fmt: skip
    return chart(f"Points in {GAMES} cooking games, one after the other", "game", lines, every=5)


def write(world: str, found: Found) -> None:
    """The page's part, and the picture of the cooking games."""
    if world == "cooking":
        PICTURE.write_text(svg(found), encoding="utf-8")
    write_part(part(found), f"<!-- bench: {world} games -->")
