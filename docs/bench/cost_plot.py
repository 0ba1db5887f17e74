"""Cost against size as an SVG, both axes logarithmic: a linear step runs along the grey lines, a quadratic one crosses two."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

WIDTH, HEIGHT = 720, 420
_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 190, 40, 50
_LINE = 14
_COLOURS = ("#0b6e4f", "#b3541e", "#31508c", "#8c2f39", "#6b6b00")

Points = Sequence[tuple[int, float]]
"""Sizes with what they cost, in milliseconds."""


def svg(series: Mapping[str, Points], title: str, of: str = "episodes") -> str:
    """One line a series, with its name at its end; grey lines rise as the size, so many ``of`` what, does."""
    sizes = [size for points in series.values() for size, _ in points]
    costs = [max(cost, 1e-3) for points in series.values() for _, cost in points]
    across = (math.log10(min(sizes)), math.log10(max(sizes)))
    up = (math.floor(math.log10(min(costs))), math.ceil(math.log10(max(costs))))

    def at(size: float, cost: float) -> tuple[float, float]:
        x = (math.log10(size) - across[0]) / (across[1] - across[0])
        y = (math.log10(max(cost, 1e-3)) - up[0]) / (up[1] - up[0])
        return _LEFT + x * (WIDTH - _LEFT - _RIGHT), HEIGHT - _BOTTOM - y * (HEIGHT - _TOP - _BOTTOM)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<text x="{_LEFT}" y="22" font-size="14">{title}</text>',
    ]
    low, high = min(sizes), max(sizes)
    for decade in range(up[0] - 3, up[1] + 1):
        begins, ends = at(low, 10.0**decade), at(high, 10.0**decade * high / low)
        parts.append(f'<path d="{_path([begins, ends])}" stroke="#ddd" clip-path="url(#in)"/>')
    parts.insert(
        1,
        f'<clipPath id="in"><rect x="{_LEFT}" y="{_TOP}" width="{WIDTH - _LEFT - _RIGHT}" height="{HEIGHT - _TOP - _BOTTOM}"/></clipPath>',
    )
    for decade in range(up[0], up[1] + 1):
        x, y = at(low, 10.0**decade)
        parts.append(f'<text x="{x - 8:.0f}" y="{y + 4:.0f}" text-anchor="end">{10.0**decade:g} ms</text>')
    for size in sorted({*sizes}):
        x, _ = at(size, 1)
        parts.append(f'<text x="{x:.0f}" y="{HEIGHT - _BOTTOM + 18}" text-anchor="middle">{size:,}</text>')
    ends = []
    for (name, points), colour in zip(series.items(), _COLOURS, strict=False):
        drawn = [at(size, cost) for size, cost in points]
        parts.append(f'<path d="{_path(drawn)}" fill="none" stroke="{colour}" stroke-width="2"/>')
        ends.append((drawn[-1][1] + 4, name, colour))
    free = float(_TOP)
    for y, name, colour in sorted(ends):
        free = max(y, free)
        parts.append(f'<text x="{WIDTH - _RIGHT + 8}" y="{free:.0f}" fill="{colour}">{name}</text>')
        free += _LINE
    middle = (WIDTH - _RIGHT + _LEFT) / 2
    parts.append(f'<text x="{middle:.0f}" y="{HEIGHT - 10}" text-anchor="middle">{of}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def slope(points: Points) -> float:
    """How the cost grows from the first size to the last: 1 as the size does, 2 as its square."""
    (low, cheap), (high, dear) = points[0], points[-1]
    return math.log(dear / cheap) / math.log(high / low)


def _path(points: Sequence[tuple[float, float]]) -> str:
    return "M" + " L".join(f"{x:.1f} {y:.1f}" for x, y in points)
