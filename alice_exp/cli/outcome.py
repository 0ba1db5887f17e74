"""``outcome``: what using a block led to."""

from __future__ import annotations

from typing import Annotated

import typer

from alice_exp.cli.language import say
from alice_exp.cli.terminal import Terminal
from alice_exp.core.errors import UsageError
from alice_exp.usecases.decide import report_outcome

_WORDS = {"ok": True, "fail": False}


def outcome(
    ctx: typer.Context,
    reference: Annotated[str, typer.Argument(metavar="ID", help="The block that was used.")],
    result: Annotated[str, typer.Argument(metavar="ok|fail", help="Whether it worked.")],
    scenario: Annotated[str, typer.Option(help="Where it happened: a failure counts once a scenario.")] = "",
    note: Annotated[str, typer.Option(help="A remark that is kept as evidence.")] = "",
) -> None:
    """Report whether a block worked: successes raise it, failures lower it, once a scenario.

    Example: alice-exp outcome exp-7k2m9q4x ok --scenario "repo alice"
    """
    terminal: Terminal = ctx.obj
    if result not in _WORDS:
        raise UsageError("{result} is no outcome", result=repr(result), hint="write ok or fail")
    done = report_outcome(
        terminal.wiring.home, terminal.wiring.caller, reference, _WORDS[result], scenario, note
    )
    block, change = done.placed.block, done.change
    document = {
        "id": block.id,
        "state": block.state,
        "level": change.after,
        "verifications": block.verifications,
        "effect": change.effect,
        "set": done.placed.place,
        "namespace": done.placed.namespace,
        "commit": done.commit.commit if done.commit else None,
    }

    def text() -> None:
        moved = f"{change.before} → {change.after}" if change.before != change.after else change.after
        terminal.line(
            say(
                "{id}  {effect}: {moved}, {count} verified",
                id=block.id,
                effect=say(change.effect.replace("_", " ")),
                moved=moved,
                count=block.verifications,
            )
        )
        if change.archive:
            terminal.line(say("it is refuted and went to the archive; 'alice-exp undo' takes this back"))

    terminal.answer(document, text)
