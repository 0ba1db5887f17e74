"""The commands ``assess``, ``consolidation``, ``stats`` and ``impact``."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from datetime import date
from html import escape
from typing import Annotated, Any

import typer

from alice_exp.kernel.errors import UsageError
from alice_exp.kernel.text.display import cells
from alice_exp.kernel.value_class import attributes
from alice_exp.learning import documents as learning_documents
from alice_exp.learning.rules.impact import PARTS, Assessment
from alice_exp.learning.usecases import statistics
from alice_exp.learning.usecases.statistics import Counts
from alice_exp.model import documents
from alice_exp.model.rules.doubt import Rate
from alice_exp.terminal.console import Terminal, short
from alice_exp.terminal.language import aside, listed, say
from alice_exp.terminal.options import Surroundings, context_of
from alice_exp.terminal.streams import document

_BAR = 24
_TERMS = "frequency longevity recency"
_MOST_LISTED = 20


def assess(
    terminal: Terminal,
    topic: Annotated[str, typer.Argument(metavar="TOPIC")],
    context: Surroundings = [],  # noqa: B006
) -> None:
    """Say how well a topic is known, with what this rests on; exit 4 where nothing is known.

    Example: alice-exp assess 数据库优化 --json
    """
    if not topic.strip():
        raise UsageError("name a topic", hint="alice-exp assess deployment")
    assessed = statistics.assess(terminal.session, topic, context_of(context))
    answer = learning_documents.assessment(assessed, say)
    is_found = assessed.grade != "none"
    terminal.answer(answer, lambda: _assessment(terminal, assessed, answer), is_found=is_found)


def _assessment(terminal: Terminal, assessed: Assessment, answer: Mapping[str, Any]) -> None:
    terminal.line(answer["message"])
    if assessed.grade != "none":
        stats = assessed.stats
        terminal.line(
            f"  {assessed.score:.4f} = " + listed(f"{say(name)} {getattr(stats, name):.2f}" for name in PARTS)
        )
        told = (one for one, _ in assessed.evidence)
        rows = [[one.block.id, say(one.block.state), short(documents.payload_text(one), 60)] for one in told]
        terminal.table([say("id"), say("state"), say("what is known")], rows)
    terminal.line(*answer["suggestions"])


def consolidation(
    terminal: Terminal,
    reference: Annotated[str, typer.Argument(metavar="ID", help="A block's id, or the beginning of it.")],
    explain: Annotated[bool, typer.Option("--explain", help="Show every term of the formula.")] = False,
) -> None:
    """Show how stable a block is: how often it was read, how old it is, how lately it changed.

    Example: alice-exp consolidation exp-7k2m9q4x --explain
    """
    placed, terms, weights, stored, half_life = statistics.settled(terminal.session, reference)
    block = placed.block
    answer: dict[str, object] = {
        "id": block.id,
        "consolidation_score": round(terms.score, 4),
        "stored": stored,
        "access_count": block.access_count,
        "last_accessed_at": block.last_accessed_at or None,
    }
    if explain:
        answer["explain"] = {
            "formula": "frequency·ln(1+n)/ln(100) + longevity·min(age/365 d, 1) + recency·0.5^(age/half-life)",
            **{name: round(term, 6) for name, term in attributes(terms, _TERMS).items()},
            "weights": weights,
            "half_life_days": half_life,
        }

    def text() -> None:
        terminal.line(
            f"{block.id}  {terms.score:.4f} {aside(say('read {count} times', count=block.access_count))}"
        )
        if explain:
            for name, weight in weights.items():
                value = getattr(terms, name)
                terminal.pair(say(name), f"{weight:.2f} × {value:.6f} = {weight * value:.6f}", 14)

    terminal.answer(answer, text)


def stats(
    terminal: Terminal,
    format: Annotated[
        str, typer.Option("--format", metavar="table|html|tsv|csv|json", help="How it is written.")
    ] = "table",
) -> None:
    """Count the home: by set, state, type, age and reads, and how it grew.

    Examples: alice-exp stats · alice-exp stats --format html > stats.html
    """
    terminal.write_as(format, ("table", "html"))
    counts = statistics.stats(terminal.session)
    answer = {
        **attributes(counts, "total waiting archived"),
        **counts.parts,
        "grown": [{"day": day, "total": total} for day, total in counts.grown],
        "signals": [learning_documents.signal(one) for one in counts.signals],
    }

    def page() -> None:
        body = _part(say("how it grew"), growth(counts.grown)) if counts.grown else ""
        for name, part in counts.parts.items():
            body += _part(say(_TITLES[name]), _page_bars(part)) if part else ""
        title = say("Experience on {day}", day=terminal.session.caller.now[:10])
        foot = say("Made with: alice-exp stats --format html")
        sys.stdout.write(document(title, _lead(counts), body, foot))

    terminal.answer(answer, page if format == "html" else lambda: _counts(terminal, counts))


def _lead(counts: Counts) -> str:
    totals = attributes(counts, "total waiting archived")
    return say("{total} blocks, {waiting} of them wait for you, {archived} archived", **totals)


def _counts(terminal: Terminal, counts: Counts) -> None:
    terminal.line(_lead(counts))
    parts = {say(_TITLES[name]): part for name, part in counts.parts.items()}
    if counts.grown:
        # At most twelve evenly spaced days, counted from the end, so that the newest total is among them.
        step = max(1, -(-len(counts.grown) // 12))
        parts[say("how it grew")] = dict(counts.grown[::-1][::step][::-1])
    for title, part in parts.items():
        terminal.line()
        terminal.line(title)
        _bars(terminal, part)
    if counts.signals:
        terminal.line()
        terminal.line(say("how decisions seemed to end, without effect"))
    for one in counts.signals:
        terminal.line(
            say(
                "  {kind}: {both} decisions with both, seemed ok when ok {ok} %, seemed failed when failed {failed} %",
                kind=say(one.kind),
                both=one.both,
                ok=_percent(one.ok),
                failed=_percent(one.failed),
            )
            if one.both
            else say("  {kind}: {seen} decisions, none of them reported", kind=say(one.kind), seen=one.seen)
        )


def _percent(one: Rate) -> str:
    return f"{100 * one.value:.0f}" if one.total else "–"


_TITLES = {
    "by_set": "by set",
    "by_state": "by state",
    "by_type": "by type",
    "by_age": "by age",
    "by_reads": "by reads",
}


def impact(terminal: Terminal) -> None:
    """Show how tasks went with what you approved and without it, and how each approved block did.

    Example: alice-exp impact
    """
    found = statistics.impact(terminal.session)

    def text() -> None:
        for name, one in ((say("with what you approved"), found.told), (say("without"), found.without)):
            terminal.pair(say("{name}:", name=name), _worked(one))
        low, high = found.difference
        if found.told.total and found.without.total:
            terminal.pair(
                say("{name}:", name=say("difference in points")), f"{100 * low:+.0f} … {100 * high:+.0f}"
            )
        verdicts = {
            "helped": say("helped"),
            "in_doubt": say("in doubt"),
            "open": say("not known yet"),
            "unused": say("never used: retire?"),
        }
        rows = [
            [
                one.placed.block.id,
                _worked(one.rate),
                verdicts[one.verdict],
                short(documents.payload_text(one.placed), 60),
            ]
            for one in found.blocks[:_MOST_LISTED]
        ]
        if rows:
            terminal.table([say("block"), say("worked"), say("verdict"), say("payload")], rows)
        if len(found.blocks) > _MOST_LISTED:
            terminal.line(say("and {count} more", count=len(found.blocks) - _MOST_LISTED))

    terminal.answer(learning_documents.impact(found), text)


def _worked(one: Rate) -> str:
    return say("{ok} of {uses}", ok=one.successes, uses=one.total) if one.total else "–"


def _bars(terminal: Terminal, part: Mapping[str, int]) -> None:
    top = max(part.values(), default=0)
    for name, count in part.items():
        # At least one cell, so that a small count does not look like none.
        bar = "█" * max(1 if count else 0, round(_BAR * count / top)) if top else ""
        label = say(name)
        terminal.line(f"  {label}{' ' * (16 - cells(label))} {count:>6}  {bar}")


_WIDTH, _HEIGHT, _EDGE = 720, 240, 24


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
    (first, few), (last, many) = grown[0], grown[-1]
    label = say("{first}: {few} blocks · {last}: {many} blocks", first=first, few=few, last=last, many=many)
    return (
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{escape(label)}">'
        f'<path class="area" d="{line}V{floor}H{_EDGE}Z"/><path class="line" d="{line}"/>'
        f'<path class="axis" d="M{_EDGE},{floor}H{_EDGE + wide}"/>'
        f'<text x="{_EDGE}" y="{_HEIGHT - 6}">{escape(grown[0][0])}</text>'
        f'<text x="{_EDGE + wide}" y="{_HEIGHT - 6}" text-anchor="end">{escape(grown[-1][0])}</text>'
        f'<text x="{_EDGE + wide}" y="{_EDGE - 8}" text-anchor="end">{most}</text></svg>\n'
        f'<p class="note">{escape(label)}</p>\n'
    )


def _part(title: str, body: str) -> str:
    return f"<h2>{escape(title)}</h2>\n{body}"


def _page_bars(part: Mapping[str, int]) -> str:
    most = max(part.values())
    rows = "".join(
        f'<span>{escape(say(name))}</span><i style="width:{100 * count / most:.1f}%"></i><b>{count}</b>\n'
        for name, count in part.items()
    )
    return f'<div class="bars">\n{rows}</div>\n'
