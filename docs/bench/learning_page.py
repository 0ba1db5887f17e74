"""The generated part of docs/learning-bench.md, and its picture: success day by day as an SVG."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from docs.bench import learning_trials as trials
from docs.bench import learning_world as world
from docs.bench.chart import chart
from docs.bench.learning_policies import Alice, Plain
from docs.bench.learning_world import ALICE, LIST, MAIN, POSTERIOR, WORLDS, Job, Run

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/learning-bench.md"
PICTURE = Path(__file__).with_name("learning.svg")
BEGIN, END = "<!-- bench: learning -->", "<!-- end -->"
HOME = "<!-- bench: learning on a home -->"

COLOURS = {
    "no memory": "#888888",
    LIST: "#8c2f39",
    POSTERIOR: "#b3541e",
    "UCB1": "#6b6b00",
    ALICE: "#0b6e4f",
    "oracle": "#31508c",
}

Found = Mapping[Job, Sequence[Run]]
Figure = tuple[float, float]
"""A mean and half of its 95 % interval."""

COLUMNS: Mapping[str, tuple[Callable[[Run], float], str]] = {
    "success": (lambda one: 100 * statistics.fmean(one.success), " %"),
    "days to recover": (lambda one: one.recovery if one.asked else math.nan, ""),
    "harmful advice": (lambda one: 100 * one.harm, " %"),
    "questions a month": (
        lambda one: sum(one.asked) * world.MONTH / world.DAYS if one.asked else math.nan,
        "",
    ),
    "lost truths": (lambda one: 100 * one.killed, " %"),
    "false alarms a month": (lambda one: one.alarms, ""),
}


def interval(figures: Sequence[float]) -> Figure:
    """Mean and half of its 95 % interval over seeds; NaN where one is NaN."""
    if any(math.isnan(figure) for figure in figures):
        return math.nan, math.nan
    spread = statistics.stdev(figures) if len(figures) > 1 else 0.0
    return statistics.fmean(figures), 1.96 * spread / math.sqrt(len(figures))


def mean(column: str, some: Sequence[Run]) -> Figure:
    """A column's figure."""
    return interval([COLUMNS[column][0](one) for one in some])


def ahead(some: Sequence[Run], others: Sequence[Run]) -> Figure:
    """By how many points of success some are ahead of others, paired by seed."""
    success = COLUMNS["success"][0]
    return interval([success(one) - success(other) for one, other in zip(some, others, strict=True)])


def cell(figure: Figure, unit: str = "", sign: str = "") -> str:
    return "–" if math.isnan(figure[0]) else f"{figure[0]:{sign}.1f} ± {figure[1]:.1f}{unit}"


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines).replace(" --- ", "---")


def liar(seeds: Sequence[int], answers: bool = True) -> Figure:
    """In how many uses the liar is told."""
    return interval([float(trials.liar_told(seed, world.Person(answers=answers))) for seed in seeds])


def bars(found: Found, told: Figure, noticed: Mapping[int, int]) -> list[tuple[str, str, bool]]:
    """What the rules have to reach: the goal, what was measured, whether it is reached."""

    def of(place: str, setting: str = MAIN, column: str = "success") -> Figure:
        return mean(column, found[ALICE, place, setting])

    whole, rivals, complaints = of("mixed"), of("rivals"), of("mixed", world.COMPLAINTS)
    lead = ahead(found[ALICE, "mixed", MAIN], found[LIST, "mixed", MAIN])
    lost = of("mixed", column="lost truths")
    cost = ahead(found[ALICE, "mixed", MAIN], found[ALICE, "mixed", world.WORTHLESS])
    return [
        ("mixed: success ≥ 76 %", cell(whole), whole[0] >= 76),
        (f"mixed: ahead of {LIST} by ≥ 4, the interval above 3", cell(lead), lead[0] >= 4 and lead[0] - lead[1] > 3),
        ("rivals: success ≥ 75 %", cell(rivals), rivals[0] >= 75),
        ("mixed: lost truths ≤ 4 %", cell(lost), lost[0] <= 4),
        (f"a liar among four good rules told ≤ 50 of {trials.USES} uses", cell(told), told[0] <= 50),
        ("failures of one day behind 11 successes noticed by the 12th", str(noticed[11]), 0 < noticed[11] <= 12),
        ("mixed, complaints alone: success ≥ 75 %", cell(complaints), complaints[0] >= 75),
        *[("mixed: a worthless signal costs ≤ 0.5", cell(cost), cost[0] <= 0.5)] * (Alice.signalled is not Plain.signalled),
    ]  # fmt: skip


def part(found: Found, seeds: Sequence[int]) -> str:
    """What stands between the marks; ``found`` has at least the main setting and those of the bars."""
    told, noticed = liar(seeds), {behind: trials.noticed(behind) for behind in trials.BEHIND}
    success = [
        [policy, *(cell(mean("success", found[policy, place, MAIN]), " %") for place in WORLDS)]
        for policy in world.POLICIES
    ]
    closer = [
        [f"{place}, {policy}", *(cell(mean(name, found[policy, place, MAIN]), unit) for name, (_, unit) in COLUMNS.items())]
        for place in WORLDS
        for policy in (ALICE, LIST)
    ]  # fmt: skip
    reached = [[goal, figure, "yes" if is_reached else "**no**"] for goal, figure, is_reached in bars(found, told, noticed)]  # fmt: skip
    parts = [
        f"Success in the main setting, {len(seeds)} seeds from {seeds[0]}, mean ± 95 %:",
        table(["policy", *WORLDS], success),
        "The same runs closer:",
        table(["world, policy", *COLUMNS], closer),
        "What the rules have to reach:",
        table(["goal", "measured", "reached"], reached),
        f"The liar, where nobody answers: told {cell(liar(seeds, answers=False))} of {trials.USES}. Failures of one day until "
        f"a lesson is in doubt, behind {' / '.join(map(str, trials.BEHIND))} successes of that day: "
        f"{' / '.join(str(count) if count else 'not by the 16th' for count in noticed.values())}.",
    ]
    if rows := [_setting(found, name) for name in world.GRID if (ALICE, "rivals", name) in found]:
        count = min(len(some) for some in found.values())
        parts += [
            f"Other settings, at least {count} seeds: success of `{ALICE}`, its points ahead of {LIST}, and of {POSTERIOR}:",
            table(["setting", *WORLDS], rows),
        ]
    return "\n\n".join(parts) + "\n"


def _setting(found: Found, name: str) -> list[str]:
    cells = []
    for place in WORLDS:
        ours = found[ALICE, place, name]
        leads = [cell(ahead(ours, found[other, place, name]), sign="+") for other in (LIST, POSTERIOR)]
        cells.append(f"{mean('success', ours)[0]:.1f} %, {', '.join(leads)}")
    return [name, *cells]


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
    """The mean success of three days in the mixed world, day by day, a line a policy."""
    lines = {}
    for name, colour in COLOURS.items():
        some = found[name, "mixed", MAIN]
        days = [statistics.fmean(day) for day in zip(*(one.success for one in some), strict=True)]
        drawn = [statistics.fmean(days[max(0, day - 1) : day + 2]) for day in range(world.DAYS)]
        lines[name] = colour, drawn
    title = f"Success in the mixed world; on day {world.DRIFT} half of what was true turns false"
    return chart(title, "day", lines, lowest=0.2, mark=world.DRIFT)
