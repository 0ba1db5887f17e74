"""The command ``distill``."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from alice_exp.kernel.journal.act import commit_id
from alice_exp.learning.usecases import propose_from_episodes
from alice_exp.terminal.console import Terminal, short
from alice_exp.terminal.language import say
from alice_exp.terminal.options import DryRun


def distill(
    terminal: Terminal,
    references: Annotated[
        list[str] | None, typer.Argument(metavar="[EPISODE]", help="The lesson of these episodes alone.")
    ] = None,
    limit: Annotated[int, typer.Option("-n", "--limit", min=1, help="How many proposals at most.")] = 20,
    explain: Annotated[bool, typer.Option("--explain", help="Show counts, rates and intervals.")] = False,
    dry_run: DryRun = False,
) -> None:
    """Find what repeats in episodes and propose it: what worked as advice, what failed as a warning.

    Proposals wait in the pool with their episodes as evidence. Example: alice-exp distill --explain
    """
    opened = terminal.rehearsing(dry_run)
    done = propose_from_episodes.distil(opened, references or (), limit)
    document = {
        "ids": [] if dry_run else list(done.ids),
        "proposals": [_document(one, explain, dry_run) for one in done.judged],
        "refused": done.count("refused"),
        "known": done.count("known"),
        "episodes": done.episodes,
        "commit": commit_id(done.commit),
    }
    terminal.answer(document, lambda: _tell(terminal, done, explain, dry_run))


def _document(one: propose_from_episodes.Judged, explain: bool, dry_run: bool) -> dict[str, Any]:
    proposal = one.proposal
    document: dict[str, Any] = {
        "id": None if dry_run and one.verdict == "proposed" else one.block or None,
        "verdict": one.verdict,
        "kind": proposal.kind,
        "type": proposal.support.type,
        "payload": proposal.payload.content,
        "trigger": proposal.trigger.text,
        "context": dict(proposal.trigger.context),
        "episodes": list(proposal.episodes),
    }
    if explain:
        support = proposal.support
        document["explain"] = {
            "basis": support.basis,
            "trait": support.trait,
            "successes": support.own.successes,
            "total": support.own.total,
            "rate": round(support.own.value, 4),
            "interval": [round(support.own.low, 4), round(support.own.high, 4)],
            "others": {"successes": support.others.successes, "total": support.others.total},
            "difference": [round(support.low, 4), round(support.high, 4)],
            "falling": list(support.falling) if support.falling else None,
        }
    return document


def _tell(terminal: Terminal, done: propose_from_episodes.Distilled, explain: bool, dry_run: bool) -> None:
    for one in done.judged:
        proposal = one.proposal
        if one.verdict == "proposed":
            where = say("would be proposed") if dry_run else one.block
        else:
            where = say(
                "known as {id}" if one.verdict == "known" else "rejected before as {id}", id=one.block
            )
        terminal.line(f"{where}  {say(proposal.kind)}: {short(proposal.payload.content, 90)}")
        if explain:
            template, values = proposal.explanation
            terminal.line(f"  {say(template, **values)}")
            terminal.line(f"  {say('evidence')}: {', '.join(proposal.episodes[-5:])}")
    if not done.judged:
        terminal.line(say("nothing repeats in {count} episodes", count=done.episodes))
