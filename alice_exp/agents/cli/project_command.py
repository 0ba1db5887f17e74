"""``project``: which project this folder belongs to, and whether hooks and MCP learn in it."""

from __future__ import annotations

from typing import Annotated

import typer

from alice_exp.home.caller import require_person
from alice_exp.home.project import is_name
from alice_exp.kernel.errors import UsageError
from alice_exp.terminal.console import Terminal
from alice_exp.terminal.language import say


def project(
    ctx: typer.Context,
    switch: Annotated[str, typer.Argument(metavar="[off|on]", help="Stop or resume learning in it.")] = "",
    name: Annotated[str, typer.Argument(metavar="[NAME]", help="Another project than this folder's.")] = "",
) -> None:
    """Say which project this folder belongs to; 'off' keeps hooks and MCP from learning or capturing in it.

    The name is the line in .alice-project, here or above, else owner/name of the git remote.

    Examples: alice-exp project · alice-exp project off
    """
    terminal: Terminal = ctx.obj
    session = terminal.session
    named = name or session.project
    off = set(session.home.config().text("projects.off").split())
    if switch:
        if switch not in ("off", "on"):
            raise UsageError("{switch} is neither off nor on", switch=repr(switch))
        if not named or not is_name(named):
            raise UsageError(
                "this folder belongs to no project", hint="name one, or write its name into .alice-project"
            )
        require_person(session.caller, say("switch learning"), f"alice-exp project {switch} {named}")
        changed = off | {named} if switch == "off" else off - {named}
        if changed != off:
            session.home.decide_here({"projects.off": " ".join(sorted(changed))})
            off = changed
    document = {"project": named or None, "learning": named not in off, "off": sorted(off)}

    def text() -> None:
        if not named:
            terminal.line(say("no project: what is learned here holds everywhere"))
        elif named in off:
            terminal.line(say("{project}: hooks and MCP learn nothing here", project=named))
        else:
            terminal.line(say("{project}: what is learned here is preferred here", project=named))

    terminal.answer(document, text)
