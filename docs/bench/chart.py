"""Lines over steps as an SVG: shares of 0 to 1, a name at the end of each line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

WIDTH, HEIGHT, LEFT, RIGHT, EDGE = 760, 400, 56, 170, 50


def chart(
    title: str,
    axis: str,
    lines: Mapping[str, tuple[str, Sequence[float]]],
    *,
    lowest: float = 0.0,
    every: int = 20,
    mark: int = 0,
) -> str:
    """``lines`` are a colour and the shares at steps 1, 2, … of one number for all; a name that ends in "false" is
    dashed. Shares begin at ``lowest``, a step in ``every`` is named, ``mark`` is a step that is drawn (0: none)."""
    steps = len(next(iter(lines.values()))[1])

    def at(step: float, share: float) -> tuple[float, float]:
        x = LEFT + (WIDTH - LEFT - RIGHT) * (step - 1) / max(1, steps - 1)
        return round(x, 1), round(EDGE + (HEIGHT - 2 * EDGE) * (1 - share) / (1 - lowest), 1)

    def text(x: float, y: float, what: object, more: str = 'text-anchor="middle"') -> str:
        return f'<text x="{x}" y="{y}" {more}>{what}</text>'

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        text(LEFT, 24, title, 'font-size="14"'),
    ]
    for share in (lowest + (1 - lowest) * number / 4 for number in range(5)):
        x, y = at(1, share)
        parts.append(f'<path d="M{x} {y}H{WIDTH - RIGHT}" stroke="#ddd"/>')
        parts.append(text(x - 8, y + 4, f"{share:.0%}", 'text-anchor="end"'))
    bottom = at(1, lowest)[1]
    parts += [text(at(step, 0)[0], bottom + 18, step) for step in (1, *range(every, steps + 1, every))]
    parts.append(text(at((steps + 1) / 2, 0)[0], bottom + 38, axis))
    if mark:
        parts.append(f'<path d="M{at(mark, 0)[0]} {bottom}V{EDGE}" stroke="#888" stroke-dasharray="4 4"/>')
    free = float(EDGE)
    for name, (colour, shares) in sorted(lines.items(), key=lambda one: -one[1][1][-1]):
        drawn = [at(step, share) for step, share in enumerate(shares, start=1)]
        points = " ".join(f"{x},{y}" for x, y in drawn)
        dash = ' stroke-dasharray="5 4"' if name.endswith("false") else ""
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>')
        free = max(free, drawn[-1][1] + 4)
        parts.append(text(WIDTH - RIGHT + 8, free, name, f'fill="{colour}"'))
        free += 15
    return "\n".join([*parts, "</svg>"]) + "\n"
