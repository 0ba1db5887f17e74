"""The generated part of docs/learning-bench.md, and its picture: success day by day as an SVG."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.bench import learning_world as world

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/learning-bench.md"
PICTURE = Path(__file__).with_name("learning.svg")
BEGIN, END = "<!-- bench: learning -->", "<!-- end -->"
HOME = "<!-- bench: learning on a home -->"

GOALS: Mapping[str, tuple[float, bool]] = {
    "success": (76.0, True),
    "after drift": (73.0, True),
    "harmful advice": (4.0, False),
    "questions a month": (25.0, False),
    "false alarms": (25.0, False),
}
"""What the main setting has to reach: a figure, and whether it is the least (else the most)."""

COLOURS = {
    "no memory": "#888888",
    "newest approved": "#8c2f39",
    "UCB1": "#6b6b00",
    "Thompson": "#b3541e",
    "alice": "#0b6e4f",
    "oracle": "#31508c",
}
WIDTH, HEIGHT, LEFT, RIGHT, EDGE = 760, 400, 56, 150, 50
LOWEST, HIGHEST = 0.4, 1.0

Found = Mapping[str, Sequence[world.Run]]


def missed(found: Found) -> list[str]:
    """Every goal that a row of the project's rules misses, in words."""
    said = []
    for name, some in found.items():
        if not name.startswith(world.ALICE):
            continue
        for column, (goal, is_least) in GOALS.items():
            value, error = world.mean(column, some)
            if value < goal if is_least else value > goal:
                said.append(
                    f"- **{name}**: {column} {value:.1f} ± {error:.1f}, the goal is {'≥' if is_least else '≤'} {goal:.0f}."
                )
    return said


def part(found: Found, grid: Found, seeds: int, grid_seeds: int) -> str:
    """What stands between the marks."""
    misses = missed(found)
    goals = ", ".join(
        f"{column} {'≥' if least else '≤'} {goal:.0f}" for column, (goal, least) in GOALS.items()
    )
    parts = [
        f"Main setting, {seeds} seeds, mean ± 95 %:",
        world.table(found, "policy"),
        f"Goals in the main setting: {goals}. "
        + ("Missed:" if misses else "All of the rows of these rules reach them."),
    ]
    if misses:
        parts.append("\n".join(misses))
    if grid:
        parts += [
            f"Other worlds, {grid_seeds} seeds each, with the row `{world.ALICE}` unless another is named:",
            world.table(grid, "setting"),
        ]
        outside = missed({f"{world.ALICE}, {name}": some for name, some in grid.items() if "," not in name})
        parts += [
            "The goals are set for the main setting; outside of it these are missed:",
            "\n".join(outside),
            _beside_none(grid),
        ]
    return "\n\n".join(one for one in parts if one) + "\n"


def _beside_none(grid: Found) -> str:
    """Which settings do worse than no memory, whose success is the base rate."""
    worse = []
    for name, setting in world.GRID.items():
        value, error = world.mean("success", grid[name])
        if value + error < 100 * setting.base:
            worse.append(name)
    if worse:
        return f"**Worse than no memory**, with the whole interval: {', '.join(worse)}."
    return "In none of these worlds does the interval of `alice` lie wholly below no memory, which has the base rate."


def written(text: str, new: str, begin: str = BEGIN) -> str:
    """A page with one of its generated parts replaced; ``ValueError`` where it has no such part."""
    before, mark, rest = text.partition(begin)
    _, end, after = rest.partition(END)
    if not mark or not end:
        raise ValueError(f"the page has no part {begin}")
    return f"{before}{begin}\n{new}{END}{after}"


def write_part(new: str, begin: str) -> None:
    """Replace one generated part of the page."""
    PAGE.write_text(written(PAGE.read_text("utf-8"), new, begin), encoding="utf-8")


def svg(found: Found) -> str:
    """The mean success of three days, day by day, a line a policy."""
    wide, high = WIDTH - LEFT - RIGHT, HEIGHT - 2 * EDGE

    def at(day: float, share: float) -> tuple[float, float]:
        x = LEFT + wide * (day - 1) / (world.DAYS - 1)
        return round(x, 1), round(EDGE + high * (HIGHEST - share) / (HIGHEST - LOWEST), 1)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<text x="{LEFT}" y="24" font-size="14">Success of twelve tasks a day; on day {world.DRIFT} half of what was true turns false</text>',
    ]
    for share in (0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0):
        x, y = at(1, share)
        parts.append(
            f'<path d="M{x} {y}H{WIDTH - RIGHT}" stroke="#ddd"/><text x="{x - 8}" y="{y + 4}" text-anchor="end">{share:.0%}</text>'
        )
    for day in (1, 20, 40, 60, 80, 100, 120):
        x, y = at(day, LOWEST)
        parts.append(f'<text x="{x}" y="{y + 18}" text-anchor="middle">{day}</text>')
    x, y = at(world.DRIFT, LOWEST)
    parts.append(f'<path d="M{x} {y}V{EDGE}" stroke="#888" stroke-dasharray="4 4"/>')
    ends = []
    for name, colour in COLOURS.items():
        days = [statistics.fmean(day) for day in zip(*(one.success for one in found[name]), strict=True)]
        drawn = [at(day + 1, statistics.fmean(days[max(0, day - 1) : day + 2])) for day in range(world.DAYS)]
        points = " ".join(f"{x},{y}" for x, y in drawn)
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        ends.append((drawn[-1][1] + 4, name, colour))
    free = float(EDGE)
    for y, name, colour in sorted(ends):
        free = max(y, free)
        parts.append(f'<text x="{WIDTH - RIGHT + 8}" y="{free:.0f}" fill="{colour}">{name}</text>')
        free += 15
    x, y = at(world.DAYS / 2, LOWEST)
    return "\n".join([*parts, f'<text x="{x}" y="{y + 38}" text-anchor="middle">day</text>', "</svg>"]) + "\n"


def write(found: Found, grid: Found, seeds: int, grid_seeds: int) -> None:
    """The page's part and the picture."""
    PICTURE.write_text(svg(found), encoding="utf-8")
    write_part(part(found, grid, seeds, grid_seeds), BEGIN)
