"""What the cooking games came to, in docs/learning-bench.md, and the picture: points game by game as an SVG."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.bench.learning_page import write_part
from tests.bench.textworld_bench import ARMS, AT_ONCE, GAMES, NEXT_MORNING, WITHOUT, Series, interval

PICTURE = Path(__file__).with_name("textworld.svg")
BEGIN = "<!-- bench: cooking games -->"
LAST = 5
COLOURS = {WITHOUT: "#888888", AT_ONCE: "#0b6e4f", NEXT_MORNING: "#b3541e"}
WIDTH, HEIGHT, LEFT, RIGHT, EDGE = 760, 320, 56, 170, 44

Found = Mapping[str, Sequence[Series]]


def _spread(figures: Sequence[float], scale: float, unit: str) -> str:
    error = 1.96 * statistics.stdev(figures) / len(figures) ** 0.5 if len(figures) > 1 else 0.0
    return f"{scale * statistics.fmean(figures):.1f} ± {scale * error:.1f}{unit}"


def table(found: Found) -> str:
    """The figures in Markdown, a row an arm."""
    rows = [
        f"| memory | points | games won | points in the last {LAST} | commands a game |",
        "|---|---|---|---|---|",
    ]
    for arm in ARMS:
        some = found[arm]
        cells = (
            _spread([one.share for one in some], 100, " %"),
            _spread([one.won for one in some], 100, " %"),
            _spread([statistics.fmean(one.shares[-LAST:]) for one in some], 100, " %"),
            _spread([statistics.fmean(one.commands) for one in some], 1, ""),
        )
        rows.append(f"| {arm} | " + " | ".join(cells) + " |")
    return "\n".join(rows)


def compared(found: Found) -> str:
    """The paired differences, in words."""
    lines = []
    for one, other in ((AT_ONCE, WITHOUT), (NEXT_MORNING, WITHOUT), (AT_ONCE, NEXT_MORNING)):
        pairs = zip(found[one], found[other], strict=True)
        mean, low, high = interval([100 * (a.share - b.share) for a, b in pairs])
        lines.append(
            f"- **{one}** beside **{other}**: {mean:+.1f} points of a hundred, {low:+.1f} to {high:+.1f}."
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
    wide, high = WIDTH - LEFT - RIGHT, HEIGHT - 2 * EDGE

    def at(game: int, share: float) -> tuple[float, float]:
        return round(LEFT + wide * (game - 1) / (GAMES - 1), 1), round(EDGE + high * (1 - share), 1)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<text x="{LEFT}" y="24" font-size="14">Points in {GAMES} cooking games, one after the other</text>',
    ]
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        x, y = at(1, share)
        parts.append(
            f'<path d="M{x} {y}H{WIDTH - RIGHT}" stroke="#ddd"/><text x="{x - 8}" y="{y + 4}" text-anchor="end">{share:.0%}</text>'
        )
    for game in range(5, GAMES + 1, 5):
        x, y = at(game, 0)
        parts.append(f'<text x="{x}" y="{y + 18}" text-anchor="middle">{game}</text>')
    lowest = 0.0
    for arm in sorted(ARMS, key=lambda one: -statistics.fmean(game.shares[-1] for game in found[one])):
        games = [statistics.fmean(game) for game in zip(*(one.shares for one in found[arm]), strict=True)]
        points = [at(number, share) for number, share in enumerate(games, start=1)]
        line = " ".join(f"{x},{y}" for x, y in points)
        dash = ' stroke-dasharray="6 4"' if arm == NEXT_MORNING else ""
        parts.append(
            f'<polyline points="{line}" fill="none" stroke="{COLOURS[arm]}" stroke-width="2"{dash}/>'
        )
        lowest = max(points[-1][1] + 4, lowest + 16)
        parts.append(f'<text x="{WIDTH - RIGHT + 8}" y="{lowest:.0f}" fill="{COLOURS[arm]}">{arm}</text>')
    x, y = at(1, 0)
    return (
        "\n".join(
            [*parts, f'<text x="{x + wide / 2}" y="{y + 36}" text-anchor="middle">game</text>', "</svg>"]
        )
        + "\n"
    )


def write(found: Found) -> None:
    """The page's part and the picture."""
    PICTURE.write_text(svg(found), encoding="utf-8")
    write_part(part(found), BEGIN)
