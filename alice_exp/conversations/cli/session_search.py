"""``session import`` and ``session search``: import conversations from files, search messages."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from alice_exp.conversations.cli.session_commands import at_line
from alice_exp.conversations.rules.transcripts import Row, folder_of, once, rows_of, session_name
from alice_exp.conversations.usecases.search_sessions import searching
from alice_exp.kernel.errors import NotFoundError, ProblemError, UsageError
from alice_exp.terminal.console import Terminal, short
from alice_exp.terminal.language import say
from alice_exp.terminal.options import DryRun, Top, json_lines
from alice_exp.terminal.streams import json_text

if TYPE_CHECKING:
    from alice_exp.conversations.usecases.search_sessions import Found, Search


def import_session(
    terminal: Terminal,
    source: Annotated[
        str,
        typer.Argument(
            metavar="FILE|-", help="JSONL: a message or a conversation a line; or a JSON document."
        ),
    ],
    id: Annotated[str, typer.Option("--id", help="The session's name, where the file names none.")] = "",
    dry_run: DryRun = False,
) -> None:
    """Take in conversations from elsewhere: chat messages, agents' transcripts, rows with text and speaker.

    They are kept to be searched; nothing is extracted until 'session extract'. Again: only what is new comes in. What
    was said belongs to the project of the folder that the host names, else to this folder's.

    Examples: alice-exp session import talk.jsonl --dry-run · alice-exp session import - <talk.jsonl
    """
    from alice_exp.conversations.usecases.import_sessions import take_in
    from alice_exp.conversations.usecases.sessions import MESSAGE_LIMIT

    rows = once(_rows(terminal, source, MESSAGE_LIMIT, dry_run=dry_run))
    default = id or session_name("import" if source == "-" else Path(source).stem) or "import"
    taken = take_in(terminal.session, rows, default, dry_run=dry_run)
    document = {
        "sessions": [{"id": one.session, "added": one.added, "known": one.known} for one in taken],
        "messages": sum(one.added for one in taken),
    }

    def text() -> None:
        for one in taken:
            terminal.line(
                say(
                    "{session}: {added} messages would come in, {known} are there"
                    if dry_run
                    else "{session}: {added} messages came in, {known} were there",
                    session=one.session,
                    added=one.added,
                    known=one.known,
                )
            )

    terminal.answer(document, text)


def _rows(terminal: Terminal, source: str, limit: int, *, dry_run: bool) -> Iterator[Row]:
    @cache
    def project_of(folder: str) -> str:
        at = terminal.session.apart(folder=folder) if folder else terminal.session
        return at.here.names if dry_run else at.enter()

    folder = session = ""
    for number, fields in json_lines(source, limit):
        folder = folder_of(fields) or folder
        try:
            rows = list(rows_of(fields))
        except UsageError as error:
            raise at_line(error, source, number) from None
        for row in rows:
            # Codex tells its folder before the messages; of another session nothing is known by it.
            folder = folder if row.session == session else folder_of(fields)
            session = row.session
            yield replace(row, project=project_of(folder))


def search(
    terminal: Terminal,
    query: Annotated[
        str, typer.Argument(metavar="QUERY", help="What you want to know of what was said.")
    ] = "",
    session: Annotated[list[str], typer.Option(help="One conversation alone; may be repeated.")] = [],  # noqa: B006
    top: Top = 10,
    queries: Annotated[
        str, typer.Option(metavar="FILE|-", help="Many: {qid, query, corpus?} a line (JSONL).")
    ] = "",
    now: Annotated[
        str, typer.Option(help='What "yesterday" is seen from; "newest": the newest message.')
    ] = "",
) -> None:
    """Find what was said: words, what stands around them, days that the question names, who spoke (exit 4: nothing).

    Examples: alice-exp session search "what did I say about Berlin last spring" ·
    alice-exp session search --queries questions.jsonl
    """
    if bool(query.strip()) == bool(queries):
        raise UsageError(
            "give a query or --queries FILE, one of the two", hint='alice-exp session search "Berlin"'
        )
    seen_from = None if now == "newest" else terminal.moment(now) or terminal.session.caller.now
    if queries:
        _many(terminal, queries, session, top, None if not now else seen_from)
        return
    found = searching(terminal.session, session)(query, seen_from, top)
    document = {"query": query, "matches": [_match(one) for one in found]}
    terminal.answer(document, lambda: _matches(terminal, found))
    terminal.exit_code = 0 if found else NotFoundError.exit_code


def _match(one: Found) -> dict[str, Any]:
    message = one.record.message
    return {
        "ref": one.record.ref,
        "key": one.record.name or None,
        "session": one.record.session,
        "index": one.record.index,
        "role": message.role,
        "speaker": message.speaker or None,
        "at": message.at or None,
        "text": message.content[:4000],
        "score": one.score,
        "by_words": one.by_words,
        "by_day": one.by_day,
        "by_speaker": one.by_speaker,
    }


def _matches(terminal: Terminal, found: list[Found]) -> None:
    if not found:
        terminal.note(say("no message matches"))
        return
    rows = [
        [
            f"{one.score:.2f}",
            one.record.ref,
            terminal.local(one.record.message.at),
            one.record.message.speaker or one.record.message.role,
            short(one.record.message.content, 160),
        ]
        for one in found
    ]
    terminal.table([say("score"), say("message"), say("at"), say("who"), say("what was said")], rows)


def _many(terminal: Terminal, source: str, sessions: list[str], top: int, now: str | None) -> None:
    """Print one JSONL line per query. Relative days count from the newest message unless ``--now`` is given."""
    searches: dict[str, Search] = {}
    for number, fields in json_lines(source):
        query, corpus = fields.get("query"), fields.get("corpus", "")
        if not isinstance(query, str) or not isinstance(corpus, str) or "qid" not in fields:
            raise ProblemError('a query is {{"qid", "query", "corpus"?}}', path=source, line=number, column=1)
        prefix = f"{session_name(corpus)}-" if corpus else ""
        if prefix not in searches:
            searches[prefix] = searching(terminal.session, sessions, prefix)
        found = searches[prefix](query, now, top)
        answer = {
            "qid": fields["qid"],
            "ids": [one.record.ref for one in found],
            "keys": [one.record.name or None for one in found],
        }
        sys.stdout.write(json_text(answer, None))
