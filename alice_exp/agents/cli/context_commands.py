"""``context``, ``prime`` and ``heard``: memories for a model's prompt, and what a model has yet to read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from alice_exp.caller.acting import require_person
from alice_exp.kernel.errors import Names, UsageError
from alice_exp.kernel.value_class import attributes
from alice_exp.terminal.console import Terminal
from alice_exp.terminal.language import say
from alice_exp.terminal.options import ChangedSince, Project, Sets, Tags, Types, places_of

if TYPE_CHECKING:
    from alice_exp.agents.usecases.agent_context import Primed


def context(
    terminal: Terminal,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="What you want to know about the user.")],
    top: Annotated[int, typer.Option(min=1, max=100, help="How many at most.")] = 5,
    similarity: Annotated[bool, typer.Option("--similarity", help="Say how well each one fits.")] = False,
    min_importance: Annotated[float, typer.Option(help="From 0 to 1.")] = 0.0,
    since: ChangedSince = "",
    min_state: Annotated[str, typer.Option(help="possible, past, reliable or super_reliable.")] = "possible",
    set_: Sets = [],  # noqa: B006
    type: Types = [],  # noqa: B006
    tag: Tags = [],  # noqa: B006
    project: Project = "",
) -> None:
    """Print what is known about the user that fits, as a block for a model's prompt (exit 4: nothing).

    Behind the blocks: episodes, thoughts and messages that fit, each with where it is from.

    Examples: alice-exp context "what food does the user like" · alice-exp context 用户的工作 --min-importance 0.7
    """
    from alice_exp.agents.usecases.agent_context import recollect, user_memory
    from alice_exp.finding.usecases import Filters, level_named
    from alice_exp.model.values.snapshot import type_named

    if not query.strip():
        raise UsageError("say what you want to know", hint='alice-exp context "what does the user like"')
    filters = Filters(
        places_of(set_),
        min_state=level_named(min_state),
        types=tuple(type_named(name) for name in type),
        tags=tuple(tag),
        since=terminal.moment(since),
        min_importance=min_importance,
        project=terminal.session.names_of(project),
    )
    # Records have neither set nor state, tags nor importance: who asks for those asks for blocks.
    records = filters == Filters(since=filters.since, project=filters.project)
    found = recollect(terminal.session, query, top, filters, records=records)
    block = user_memory(found, similarity=similarity)
    document = {"query": query, "text": block, "matches": [one.document for one in found]}
    terminal.answer(document, lambda: _lines(terminal, block, say("no match")), is_found=bool(found))


def _lines(terminal: Terminal, block: str, none: str) -> None:
    for line in block.splitlines():
        terminal.line(line)
    if none and not block:
        terminal.note(none)


def prime(
    terminal: Terminal,
    tokens: Annotated[int, typer.Option(min=1, help="How many tokens the text may have.")] = 1000,
    into: Annotated[
        str, typer.Option(metavar="FILE", help="Keep it in a block between markers of CLAUDE.md, AGENTS.md …")
    ] = "",
    personal: Annotated[
        bool,
        typer.Option("--personal", help="With --into: what is about you, into a repository's file, too."),
    ] = False,
    project: Project = "",
) -> None:
    """Print what an agent should know when a session begins: approved blocks alone, the same text on every day.

    As a hook at the start of a session it tells an agent what holds. What holds a secret or a private fact stays out,
    and of a file inside a repository what is about you.

    Examples: alice-exp prime --tokens 1000 · alice-exp prime --into AGENTS.md
    """
    from alice_exp.agents.usecases.agent_context import prime as primed
    from alice_exp.caller.project import is_in_repository

    path = Path(into).expanduser()
    is_open = not into or personal or not is_in_repository(path)
    made = primed(terminal.session, tokens, terminal.session.names_of(project), personal=is_open)
    blocks, withheld = ([one.block.id for one in some] for some in (made.blocks, made.withheld))
    document: dict[str, object] = {"blocks": blocks, "left_out": made.left_out, "withheld": withheld}
    if into:
        _keep_in(terminal, path, made, document)
    else:
        document = {**attributes(made, "text tokens"), **document}
        terminal.answer(document, lambda: _lines(terminal, made.text, ""))
        if made.left_out:
            terminal.note(say("alice-exp: {count} more did not fit", count=made.left_out))
    # As a person may have meant an agent to know it.
    if withheld:
        template = "alice-exp: what holds a secret or a private fact is left out: {few}"
        terminal.note(say(template, few=Names(withheld)))


def _keep_in(terminal: Terminal, path: Path, made: Primed, told: dict[str, object]) -> None:
    """Write the text between our markers of a file; everything else in it stays, and nothing new changes nothing."""
    from alice_exp.home.store.list_files import note_written
    from alice_exp.kernel.text.display import with_block, without_block
    from alice_exp.terminal.editor import text_of, write_text

    before = text_of(path)
    place = str(path)
    after = with_block(before, made.text, path=place) if made.blocks else without_block(before, path=place)
    there = say("{path} is set up already", path=path)
    done = there if made.blocks else say("there is nothing to write into {path}", path=path)
    if after != before:
        write_text(path, after)
        note_written(terminal.session.root, path)
        done = say("{path} is written; {count} blocks stand in it", path=path, count=len(made.blocks))
    document = {"path": str(path), "changed": after != before, **told, "personal_left_out": made.personal}
    terminal.answer(document, lambda: terminal.line(done))
    if made.personal:
        template = "alice-exp: {count} about you left out, as this file is inside a repository; --personal puts them in"
        terminal.note(say(template, count=made.personal))


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
    from alice_exp.blocks.usecases.capture import quoted, readable

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
    sentences = [
        {**attributes(one, "id session"), "project": one.project.partition(" ")[0] or None}
        | attributes(one, "at text")
        for one in found
    ]

    def text() -> None:
        if not is_on:
            terminal.note(say("no sentences are kept: alice-exp heard --on"))
        if not found:
            terminal.note(say("no sentence waits"))
        for one in found:
            terminal.line(f"{one.id}  {terminal.local(one.at)[:10]}  {one.text}")

    terminal.answer({"sentences": sentences, "enabled": is_on}, text)
