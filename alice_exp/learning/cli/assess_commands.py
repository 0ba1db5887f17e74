"""The commands ``assess``, ``consolidation``, ``stats`` and ``impact``."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Annotated

import typer

from alice_exp.finding.wiring import finding
from alice_exp.kernel.errors import NotFoundError, UsageError
from alice_exp.kernel.text.display import cells
from alice_exp.learning import documents as learning_documents
from alice_exp.learning.rules.assessment import Assessment
from alice_exp.learning.rules.impact import Brought
from alice_exp.learning.usecases import statistics
from alice_exp.learning.wiring import learning
from alice_exp.model import documents
from alice_exp.terminal.console import Terminal, short
from alice_exp.terminal.language import aside, language, listed, say
from alice_exp.terminal.options import Surroundings, context_of
from alice_exp.terminal.rows import FORMATS

_BAR = 24
_MOST_LISTED = 20


def assess(
    ctx: typer.Context,
    topic: Annotated[str, typer.Argument(metavar="TOPIC", help="What you want to know about.")],
    context: Surroundings = [],  # noqa: B006
) -> None:
    """Say how well a topic is known, with what this rests on; exit 4 where nothing is known.

    Example: alice-exp assess 数据库优化 --json
    """
    terminal: Terminal = ctx.obj
    if not topic.strip():
        raise UsageError("name a topic", hint="alice-exp assess deployment")
    session = terminal.session
    assessed = statistics.assess(finding(session), topic, context_of(context))
    terminal.answer(
        learning_documents.assessment(assessed, say, language()), lambda: _assessment(terminal, assessed)
    )
    terminal.exit_code = NotFoundError.exit_code if assessed.grade == "none" else 0


def _assessment(terminal: Terminal, assessed: Assessment) -> None:
    terminal.line(learning_documents.assessed_message(assessed, say, language()))
    if assessed.grade != "none":
        stats = assessed.stats
        terminal.line(
            f"  {assessed.score:.4f} = "
            + listed(
                (
                    f"{say('confidence')} {stats.confidence:.2f}",
                    f"{say('coverage')} {stats.coverage:.2f}",
                    f"{say('recency')} {stats.recency:.2f}",
                    f"{say('consolidation')} {stats.consolidation:.2f}",
                )
            )
        )
        rows = [
            [
                one.placed.block.id,
                say(one.placed.block.state),
                short(documents.payload_text(one.placed), 60),
            ]
            for one in assessed.evidence
        ]
        terminal.table([say("id"), say("state"), say("what is known")], rows)
    terminal.line(learning_documents.assessed_advice(assessed.grade, say, language()))


def consolidation(
    ctx: typer.Context,
    reference: Annotated[str, typer.Argument(metavar="ID", help="A block's id, or the beginning of it.")],
    explain: Annotated[bool, typer.Option("--explain", help="Show every term of the formula.")] = False,
) -> None:
    """Show how settled a block is: how often it was read, how old it is, how lately it changed.

    Example: alice-exp consolidation exp-7k2m9q4x --explain
    """
    terminal: Terminal = ctx.obj
    settled = statistics.settled(learning(terminal.session), reference)
    block, terms, weights = settled.placed.block, settled.terms, settled.weights
    answer: dict[str, object] = {
        "id": block.id,
        "consolidation_score": round(terms.score, 4),
        "stored": settled.stored,
        "access_count": block.access_count,
        "last_accessed_at": block.last_accessed_at or None,
    }
    if explain:
        answer["explain"] = {
            "formula": "frequency·ln(1+n)/ln(100) + longevity·min(age/365 d, 1) + recency·0.5^(age/half-life)",
            "frequency": round(terms.frequency, 6),
            "longevity": round(terms.longevity, 6),
            "recency": round(terms.recency, 6),
            "weights": {
                "frequency": weights.frequency,
                "longevity": weights.longevity,
                "recency": weights.recency,
            },
            "half_life_days": settled.half_life_days,
        }

    def text() -> None:
        terminal.line(
            f"{block.id}  {terms.score:.4f} {aside(say('read {count} times', count=block.access_count))}"
        )
        if explain:
            for name in ("frequency", "longevity", "recency"):
                value, weight = getattr(terms, name), getattr(weights, name)
                terminal.pair(say(name), f"{weight:.2f} × {value:.6f} = {weight * value:.6f}", 14)

    terminal.answer(answer, text)


def stats(
    ctx: typer.Context,
    format: Annotated[
        str, typer.Option("--format", metavar="table|html|tsv|csv|json", help="How it is written.")
    ] = "table",
) -> None:
    """Count the home: by set, state, type, age and reads, and how it grew.

    Examples: alice-exp stats · alice-exp stats --format html > stats.html
    """
    terminal: Terminal = ctx.obj
    if format in FORMATS:
        terminal.format = format
    elif format not in ("table", "html"):
        raise UsageError(
            "unknown format {format}",
            format=repr(format),
            hint="write --format table, html, tsv, csv or json",
        )
    counts = statistics.stats(learning(terminal.session))
    parts = {
        "by_set": counts.by_set,
        "by_state": counts.by_level,
        "by_type": counts.by_type,
        "by_age": counts.by_age,
        "by_reads": counts.by_reads,
    }
    answer = {
        "total": counts.total,
        "waiting": counts.waiting,
        "archived": counts.archived,
        **{name: dict(part) for name, part in parts.items()},
        "grown": [{"day": day, "total": total} for day, total in counts.grown],
    }

    def page() -> None:
        from alice_exp.learning.cli.stats_page import stats_page

        named = {part_title(name): part for name, part in parts.items()}
        sys.stdout.write(stats_page(counts, named, terminal.session.caller.now[:10]))

    terminal.answer(answer, page if format == "html" else lambda: _counts(terminal, counts, parts))


def _counts(terminal: Terminal, counts: statistics.Counts, parts: Mapping[str, Mapping[str, int]]) -> None:
    terminal.line(
        say(
            "{total} blocks, {waiting} of them wait for you, {archived} archived",
            total=counts.total,
            waiting=counts.waiting,
            archived=counts.archived,
        )
    )
    for name, part in parts.items():
        terminal.line()
        terminal.line(part_title(name))
        _bars(terminal, dict(part))
    if counts.grown:
        terminal.line()
        terminal.line(say("how it grew"))
        _bars(terminal, dict(_thinned(counts.grown)))


def part_title(name: str) -> str:
    """The translated title of a part of ``stats``."""
    return {
        "by_set": say("by set"),
        "by_state": say("by state"),
        "by_type": say("by type"),
        "by_age": say("by age"),
        "by_reads": say("by reads"),
    }[name]


def impact(ctx: typer.Context) -> None:
    """Show what approved blocks bring, all together and each, by decisions that left them out by lot.

    Examples: alice-exp config set trial.share 0.04 · alice-exp impact
    """
    terminal: Terminal = ctx.obj
    found, share = statistics.impact(terminal.session.home)

    def text() -> None:
        if not found.portfolio.uses:
            terminal.line(_no_trial(share))
            return
        rows = [[say("all together"), *_brought(found.portfolio), "", ""]]
        rows += [
            [
                one.placed.block.id,
                *_brought(one.brought),
                _proposal_word(one.proposal),
                short(documents.payload_text(one.placed), 40),
            ]
            for one in found.blocks[:_MOST_LISTED]
        ]
        columns = [say("block"), say("uses"), say("with"), say("without"), say("points of difference")]
        terminal.table([*columns, say("verdict"), say("proposal"), say("payload")], rows)
        if len(found.blocks) > _MOST_LISTED:
            terminal.line(say("and {count} more", count=len(found.blocks) - _MOST_LISTED))

    terminal.answer(learning_documents.impact(found), text)


def _no_trial(share: float) -> str:
    if share > 0:
        return say(
            "trials are on: {share} of decisions leave out a block; no outcome has been counted yet",
            share=f"{share:.0%}" if share >= 0.01 else f"{share:.2%}",
        )
    return say(
        "nothing is known yet: no block has been left out by lot; 'alice-exp config set trial.share 0.04' turns "
        "trials on"
    )


def _brought(one: Brought) -> list[str]:
    """Uses, both rates, the interval in points, and the verdict in words."""
    rates = ["–" if rate is None else f"{rate:.0%}" for rate in (one.applied, one.held_out)]
    verdict = {"helps": say("helps"), "hurts": say("hurts"), "open": say("not known yet")}[one.verdict]
    return [str(one.uses), *rates, f"{100 * one.low:+g} … {100 * one.high:+g}", verdict]


def _proposal_word(proposal: str) -> str:
    return {"promote": say("promote"), "keep": say("keep"), "retire": say("retire")}[proposal]


def _thinned(grown: tuple[tuple[str, int], ...], most: int = 12) -> list[tuple[str, int]]:
    """At most ``most`` evenly spaced days."""
    step = max(1, -(-len(grown) // most))
    # Counted from the end, so that the newest total is always among them.
    return list(grown[::-1][::step][::-1])


def _bars(terminal: Terminal, part: Mapping[str, int]) -> None:
    top = max(part.values(), default=0)
    for name, count in part.items():
        # At least one cell, so that a small count does not look like none.
        bar = "█" * max(1 if count else 0, round(_BAR * count / top)) if top else ""
        label = say(name)
        terminal.line(f"  {label}{' ' * (16 - cells(label))} {count:>6}  {bar}")
