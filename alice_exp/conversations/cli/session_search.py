"""``session import`` and ``session search``: import conversations from files, search messages."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Annotated

import typer

from alice_exp.conversations.cli.session_commands import at_line
from alice_exp.conversations.rules.transcripts import folder_of, once, rows_of, session_name
from alice_exp.conversations.usecases import sessions
from alice_exp.conversations.usecases.search_sessions import searching
from alice_exp.conversations.values import ChatRecord
from alice_exp.kernel.errors import NotFoundError, ProblemError, UsageError
from alice_exp.kernel.value_class import attributes
from alice_exp.terminal.console import Terminal, short
from alice_exp.terminal.language import say
from alice_exp.terminal.options import DryRun, Top, json_lines
from alice_exp.terminal.streams import json_text


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
    rows = once(_rows(terminal, source, dry_run=dry_run))
    default = id or session_name("import" if source == "-" else Path(source).stem) or "import"
    taken = sessions.take_in(terminal.session, rows, default, dry_run=dry_run)
    document = {
        "sessions": [{"id": name, "added": added, "known": known} for name, added, known in taken],
        "messages": sum(added for _, added, _ in taken),
    }
    said = (
        "{session}: {added} messages would come in, {known} are there"
        if dry_run
        else "{session}: {added} messages came in, {known} were there"
    )

    def text() -> None:
        for name, added, known in taken:
            terminal.line(say(said, session=name, added=added, known=known))

    terminal.answer(document, text)


def _rows(terminal: Terminal, source: str, *, dry_run: bool) -> Iterator[ChatRecord]:
    @cache
    def project_of(folder: str) -> str:
        at = terminal.session.apart(folder=folder) if folder else terminal.session
        return at.here.names if dry_run else at.enter()

    folder = session = ""
    for number, fields in json_lines(source, sessions.MESSAGE_LIMIT):
        folder = folder_of(fields) or folder
        for row in at_line(lambda row: [*rows_of(row)], fields, source, number):
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
    said = [(one, one.record, one.record.message) for one in found]
    document = {
        "query": query,
        "matches": [
            {"ref": record.ref, "key": record.name or None, **attributes(record, "session index")}
            | {"role": message.role, "speaker": message.speaker or None, "at": message.at or None}
            | {"text": message.content[:4000], **attributes(one, "score by_words by_day by_speaker")}
            for one, record, message in said
        ],
    }

    def text() -> None:
        if not found:
            terminal.note(say("no message matches"))
            return
        rows = [
            [
                f"{one.score:.2f}",
                record.ref,
                terminal.local(message.at),
                message.speaker or message.role,
                short(message.content, 160),
            ]
            for one, record, message in said
        ]
        terminal.table([say("score"), say("message"), say("at"), say("who"), say("what was said")], rows)

    terminal.answer(document, text)
    terminal.exit_code = 0 if found else NotFoundError.exit_code


def _many(terminal: Terminal, source: str, session: list[str], top: int, now: str | None) -> None:
    """Print one JSONL line per query. Relative days count from the newest message unless ``--now`` is given."""
    from alice_exp.conversations.rules.transcripts import session_name

    search_in = cache(lambda prefix: searching(terminal.session, session, prefix))
    for number, fields in json_lines(source):
        query, corpus = fields.get("query"), fields.get("corpus", "")
        if not isinstance(query, str) or not isinstance(corpus, str) or "qid" not in fields:
            raise ProblemError('a query is {{"qid", "query", "corpus"?}}', path=source, line=number, column=1)
        found = search_in(f"{session_name(corpus)}-" if corpus else "")(query, now, top)
        ids, keys = [one.record.ref for one in found], [one.record.name or None for one in found]
        sys.stdout.write(json_text({"qid": fields["qid"], "ids": ids, "keys": keys}, None))
