"""The report in a sentence, as a person would say it (R2.44)."""

from __future__ import annotations

from alice_exp.cli.language import say
from alice_exp.rules.agenda import Agenda


def summary(report: Agenda) -> str:
    """What waits, what fails, what fades, what is broken: one short paragraph."""
    waiting = len(report.items)
    parts = []
    if not waiting:
        parts.append(say("Nothing waits for your decision."))
    elif waiting == 1:
        parts.append(say("One thing waits for your decision."))
    else:
        parts.append(
            say(
                "{count} things wait for your decision, {today} of them from today.",
                count=waiting,
                today=report.today,
            )
        )
    if report.review:
        parts.append(say("Needs review: {ids}.", ids=_ids(report.review)))
    if report.unapproved:
        parts.append(say("Typed into universal and not approved yet: {ids}.", ids=_ids(report.unapproved)))
    if report.changed:
        parts.append(say("{count} blocks changed since the last report.", count=len(report.changed)))
    if report.fading:
        parts.append(say("{count} reliable blocks fade; use them or let them go.", count=len(report.fading)))
    errors = [problem for problem in report.problems if problem.severity == "error"]
    if errors:
        parts.append(
            say("{count} files have a problem: see 'alice-exp check'.", count=len({p.path for p in errors}))
        )
    if waiting:
        parts.append(say("Say 'alice-exp approve 1' or 'alice-exp reject 1'."))
    return " ".join(parts)


def _ids(placed: tuple) -> str:  # type: ignore[type-arg]
    few = ", ".join(one.block.id for one in placed[:3])
    return few if len(placed) <= 3 else f"{few} +{len(placed) - 3}"
