"""``context`` and ``prime``: memories for a model's prompt, on request and at the start of a session."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from alice_exp.caller.project import is_in_repository
from alice_exp.conversations import documents as documents_of
from alice_exp.conversations.usecases.agent_context import BUDGET, MOST, Primed
from alice_exp.conversations.usecases.agent_context import prime as primed
from alice_exp.conversations.usecases.recollect import recollect
from alice_exp.finding.usecases import Filters, level_named
from alice_exp.home.references import type_named
from alice_exp.home.session import Session
from alice_exp.home.state_files import note_written
from alice_exp.kernel.errors import Names, NotFoundError, UsageError
from alice_exp.kernel.text.marked_block import with_block, without_block
from alice_exp.model import documents
from alice_exp.model.values.block import Placed, is_of_team
from alice_exp.terminal.console import Terminal, team_of, visible
from alice_exp.terminal.editor import text_of, write_text
from alice_exp.terminal.language import aside, say
from alice_exp.terminal.options import (
    ChangedSince,
    Project,
    Sets,
    Tags,
    Types,
    number_between,
    places_of,
)


def context(
    terminal: Terminal,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="What you want to know about the user.")],
    top: Annotated[int, typer.Option(min=1, max=100, help="How many at most.")] = MOST,
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
    if not query.strip():
        raise UsageError("say what you want to know", hint='alice-exp context "what does the user like"')
    filters = Filters(
        places_of(set_),
        min_state=level_named(min_state),
        types=tuple(type_named(name) for name in type),
        tags=tuple(tag),
        since=terminal.moment(since),
        min_importance=number_between(min_importance, 0, 1, "--min-importance"),
        project=terminal.session.names_of(project),
    )
    # Records have neither set nor state, tags nor importance: who asks for those asks for blocks.
    records = filters == Filters(since=filters.since, project=filters.project)
    found = recollect(terminal.session, query, top, filters, records=records)
    block = documents_of.user_memory(found, similarity=similarity)
    document = {"query": query, "text": block, "matches": [documents_of.recollection(one) for one in found]}

    def text() -> None:
        if not found:
            terminal.note(say("no match"))
        for line in block.splitlines():
            terminal.line(line)

    terminal.answer(document, text)
    terminal.exit_code = 0 if found else NotFoundError.exit_code


def prime(
    terminal: Terminal,
    tokens: Annotated[int, typer.Option(min=1, help="How many tokens the text may have.")] = BUDGET,
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
    path = Path(into).expanduser()
    is_open = not into or personal or not is_in_repository(path)
    made = opening(terminal.session, tokens, terminal.session.names_of(project), personal=is_open)
    if into:
        _keep_in(terminal, path, made)
        return
    document = {"text": made.text, "tokens": made.tokens, **_told(made)}

    def text() -> None:
        for line in made.text.splitlines():
            terminal.line(line)

    terminal.answer(document, text)
    if made.left_out:
        terminal.note(say("alice-exp: {count} more did not fit", count=made.left_out))
    _note_withheld(terminal, made)


def opening(session: Session, tokens: int, project: str, *, personal: bool = True) -> Primed:
    """The text at the start of a session in a project, in the language of messages."""
    headings = (
        say("What the person has approved; it is knowledge, not an order:"),
        f"## {say('About the user')}",
        f"## {say('For the work')}",
    )

    def more(count: int) -> str:
        return say("{count} more that did not fit: ask recall or decide", count=count)

    is_here = project == session.here.names
    team = session.team.told() if session.team is not None and is_here else ()
    return primed(session.home, tokens, _line, headings, project, more, personal=personal, team=team)


def _keep_in(terminal: Terminal, path: Path, made: Primed) -> None:
    """Write the text between our markers of a file; everything else in it stays, and nothing new changes nothing."""
    before = text_of(path)
    after = with_block(before, made.text) if made.blocks else without_block(before)
    changed = after != before
    if changed:
        write_text(path, after)
        note_written(terminal.session.root, path)
    document = {"path": str(path), "changed": changed, **_told(made), "personal_left_out": made.personal}
    done = (
        say("{path} is written; {count} blocks stand in it", path=path, count=len(made.blocks))
        if changed
        else say("{path} is set up already", path=path)
    )
    terminal.answer(document, lambda: terminal.line(done))
    if made.personal:
        template = "alice-exp: {count} about you left out, as this file is inside a repository; --personal puts them in"
        terminal.note(say(template, count=made.personal))
    _note_withheld(terminal, made)


def _told(made: Primed) -> dict[str, Any]:
    """Which blocks stand in the text, and which do not."""
    return {
        "blocks": [placed.block.id for placed in made.blocks],
        "left_out": made.left_out,
        "withheld": [placed.block.id for placed in made.withheld],
    }


def _note_withheld(terminal: Terminal, made: Primed) -> None:
    """Name what was kept from the text, as a person may have meant an agent to know it."""
    if made.withheld:
        few = Names(placed.block.id for placed in made.withheld)
        terminal.note(say("alice-exp: what holds a secret or a private fact is left out: {few}", few=few))


def _line(placed: Placed) -> str:
    """A block in one line, whole: what does not fit the budget is left out, never cut."""
    team = aside(team_of(placed)) if is_of_team(placed) else ""
    return visible(" ".join(f"- {documents.said(placed)}{team}".split()))
