"""``heard``: the person's own sentences that wait for a model to read them."""

from __future__ import annotations

from typing import Annotated

import typer

from alice_exp.blocks.usecases.heard_here import quoted, readable
from alice_exp.caller.acting import require_person
from alice_exp.kernel.errors import UsageError
from alice_exp.terminal.console import Terminal
from alice_exp.terminal.language import say


def heard(
    terminal: Terminal,
    every: Annotated[
        bool, typer.Option("--all", help="Of every project, not of this folder's alone.")
    ] = False,
    drop: Annotated[
        list[str], typer.Option("--drop", metavar="ID", help="Take it out, unread; may be repeated.")
    ] = [],  # noqa: B006
    read: Annotated[
        list[str], typer.Option("--read", metavar="ID", help="An agent's: it read this one; may be repeated.")
    ] = [],  # noqa: B006
    switch: Annotated[
        bool | None, typer.Option("--on/--off", help="Keep sentences from now on, or none.")
    ] = None,
) -> None:
    """List your own sentences of earlier sessions that wait: the agent of that host reads them when a task is over.

    What it makes of them waits for your decision like all else. A sentence goes when it was read or dropped, or thirty
    days after a report that you saw.

    Examples: alice-exp heard · alice-exp heard --drop hrd-0f3a91c2d7e4 · alice-exp heard --off
    """
    session = terminal.session
    if switch is not None:
        require_person(
            session.caller, say("switch the queue"), f"alice-exp heard --{'on' if switch else 'off'}"
        )
        session.home.decide_here({"heard.enabled": switch})
    if drop:
        require_person(session.caller, say("drop a sentence"), f"alice-exp heard --drop {drop[0]}")
    if drop and read:
        raise UsageError("a sentence is dropped or read, not both")
    every = every and session.caller.is_person
    if gone := quoted(session, drop or read):
        session.heard.remove({one.id for one in gone})
    found = session.heard.waiting() if every else readable(session)
    is_on = session.home.config().flag("heard.enabled")
    document = {
        "sentences": [
            {
                "id": one.id,
                "session": one.session,
                "project": one.project.partition(" ")[0] or None,
                "at": one.at,
                "text": one.text,
            }
            for one in found
        ],
        "enabled": is_on,
    }

    def text() -> None:
        if not is_on:
            terminal.note(say("no sentences are kept: alice-exp heard --on"))
        if not found:
            terminal.note(say("no sentence waits"))
        for one in found:
            terminal.line(f"{one.id}  {terminal.local(one.at)[:10]}  {one.text}")

    terminal.answer(document, text)
