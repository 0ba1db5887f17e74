"""The ``session`` commands: store conversations, import and search them, extract candidates, fit one into a window."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import typer

from alice_exp.conversations import usecases as sessions
from alice_exp.conversations.rules.context_window import trigger_tokens
from alice_exp.conversations.rules.transcripts import folder_of, once, rows_of, session_name
from alice_exp.conversations.store import chats
from alice_exp.kernel.errors import Hint, Names, ProblemError, UsageError
from alice_exp.kernel.journal.act import commit_id
from alice_exp.kernel.value_class import attributes
from alice_exp.model.values.records import ROLES, ChatRecord, Message, as_dict, message_of
from alice_exp.terminal.console import Terminal, short
from alice_exp.terminal.language import say
from alice_exp.terminal.options import DryRun, Top, json_lines
from alice_exp.terminal.streams import json_text

Name = Annotated[str, typer.Argument(metavar="ID", help="The conversation.")]


def start(
    terminal: Terminal,
    name: Annotated[str, typer.Argument(metavar="[ID]", help="A name of your own; else a fresh one.")] = "",
) -> None:
    """Begin a conversation and print its id; one that is open already goes on.

    Example: id=$(alice-exp session start)
    """
    session, new = sessions.start(terminal.session, name, terminal.session.enter())
    terminal.answer({"id": session, "new": new}, lambda: terminal.line(session))


def tell(
    terminal: Terminal,
    session: Name,
    words: Annotated[
        list[str], typer.Argument(metavar="[ROLE] TEXT|-", help="What was said, by whom: user if left out.")
    ] = [],  # noqa: B006
    speaker: Annotated[str, typer.Option(help="A name, where there are more than two sides.")] = "",
    source: Annotated[
        str, typer.Option("--from", metavar="FILE|-", help="Many: a chat message a line (JSONL).")
    ] = "",
) -> None:
    """Keep what was said; every fifth user message sets off a reading for candidates.

    Examples: alice-exp session say ses-7k2m9q4x user "我叫张三，是程序员" ·
    alice-exp session say ses-7k2m9q4x assistant - <answer.txt
    """
    spoken = sessions.say(terminal.session, session, _messages(words, speaker, source))
    document = {
        "session": session,
        "index": spoken.record.index if spoken.record else None,
        "kept": spoken.record is not None,
        "unextracted": spoken.unextracted,
        "extraction": _extraction(spoken.extracted),
    }

    def text() -> None:
        if spoken.record is None:
            terminal.note(say("sessions are disabled (short_term.enabled): nothing was kept"))
        _read_out(terminal, spoken.extracted)

    terminal.answer(document, text)
    if spoken.failure is not None:
        terminal.warn(spoken.failure)


def _messages(words: list[str], speaker: str, source: str) -> list[Message]:
    if source:
        if words:
            raise UsageError("give a text or --from, not both")
        return [_at_line(message_of, *line, source) for line in json_lines(source)]
    if len(words) not in (1, 2):
        hint = 'alice-exp session say ID user "…"; roles are user, assistant, system, tool'
        raise UsageError("say one text", hint=hint)
    role, text = ["user", *words][-2:]
    if role not in ROLES:
        hint = Hint("roles are {names}", names=Names(ROLES))
        raise UsageError("{role} is not a role", role=repr(role), hint=hint)
    if text == "-":
        # What is no UTF-8 is refused with the message.
        data = sys.stdin.buffer.read(sessions.MESSAGE_LIMIT + 2)
        text = data.decode(errors="surrogateescape").removesuffix("\n")
    if not text.strip():
        raise UsageError("this message says nothing")
    return [message_of({"role": role, "content": text, "speaker": speaker})]


def _at_line(read: Any, number: int, fields: dict[str, Any], source: str) -> Any:
    """What ``read`` makes of a line's object; its error names the file and line."""
    try:
        return read(fields)
    except UsageError as error:
        at: dict[str, Any] = {**error.values, "path": source, "line": number, "column": 1}
        raise ProblemError(error.template, hint=error.hint, **at) from None


def _extraction(extracted: sessions.Extracted | None) -> dict[str, Any] | None:
    if extracted is None:
        return None
    captured = extracted.captured
    return {
        **attributes(extracted, "session read index by"),
        "ids": list(captured.ids),
        "candidates": [
            {"id": placed.block.id if placed else None, "payload": one.content}
            | attributes(one, "importance type explicit")
            | {"replaces": [*placed.block.replaces] if placed else [], "quote": one.quote}
            for one, placed in zip(extracted.inferences, captured.placed, strict=False)
        ],
        "merged": captured.merged,
        "refused": len(captured.refused),
        **attributes(extracted, "dropped others"),
        "commit": commit_id(captured.commit),
    }


def _read_out(terminal: Terminal, extracted: sessions.Extracted | None) -> None:
    if extracted is None:
        return
    captured, others = extracted.captured, Names(extracted.others)
    if not extracted.read:
        unknown = (
            "nothing was read, as nobody knows which of these is you: {names}. Say it with: "
            'alice-exp remember "My name is …"'
        )
        terminal.line(say(unknown, names=others) if extracted.others else say("nothing was left to read"))
        return
    said = "{read} messages read: {count} candidates came of them"
    terminal.line(say(said, read=extracted.read, count=len(set(captured.ids))))
    for one, placed in zip(extracted.inferences, captured.placed, strict=False):
        if placed is not None:
            terminal.line(f"  {placed.block.id}  {one.importance:.1f}  {short(one.content, 120)}")
    if captured.refused:
        terminal.line(say("{count} were rejected before and not taken in", count=len(captured.refused)))
    if extracted.dropped:
        terminal.line(say("{count} were too unimportant", count=extracted.dropped))
    if extracted.others:
        terminal.line(say("spoke, too, and is not taken for you: {names}", names=others))


def list_sessions(terminal: Terminal) -> None:
    """List the conversations that are kept, oldest first.

    Example: alice-exp session list
    """
    found = chats(terminal.session).talks()
    sessions = [
        {
            "id": one.session,
            "at": one.at or None,
            "last_at": one.last_at or None,
            "messages": len(one.rows),
            "unextracted": len(one.unread),
            "ended": one.ended or None,
        }
        for one in found
    ]
    columns = [say("id"), say("last"), say("messages"), say("unread"), say("ended")]
    local = terminal.local
    rows = (
        [one.session, local(one.last_at), str(len(one.rows)), str(len(one.unread)), local(one.ended)]
        for one in found
    )
    none = say("no conversation is kept")
    terminal.answer({"sessions": sessions}, lambda: terminal.table(columns, rows, none))


def _said(message: Message, width: int = 400) -> tuple[str, str]:
    return message.speaker or message.role, short(message.content, width)


def show(
    terminal: Terminal,
    session: Name,
    last: Annotated[int, typer.Option(min=0, help="The latest so many messages alone; 0: all.")] = 0,
) -> None:
    """Print a conversation.

    Example: alice-exp session show ses-7k2m9q4x --last 10
    """
    talk = chats(terminal.session).read(session)
    records = talk.rows[-last:]
    document = {
        "session": session,
        "messages": [
            {"index": one.index, "ref": one.ref, **as_dict(one.message)}
            | ({"key": one.name} if one.name else {})
            | {"extracted": one.index <= talk.extracted}
            for one in records
        ],
    }

    def text() -> None:
        for one in records:
            said = ": ".join(_said(one.message))
            terminal.line(f"{' ' if one.index <= talk.extracted else '·'} #{one.index}  {said}")

    terminal.answer(document, text)


def window(
    terminal: Terminal,
    session: Name,
    max_context: Annotated[
        int, typer.Option(min=0, help="Tokens of the model's window; 0: as configured.")
    ] = 0,
) -> None:
    """Print what of a conversation goes to the model, compressed where it fills its share of the window.

    Example: alice-exp session window ses-7k2m9q4x --json | jq .messages
    """
    config = terminal.session.config
    if max_context:
        config = replace(config, values={**config.values, "short_term.max_context": max_context})
    made = sessions.window(terminal.session, session, config)
    document = {
        "session": session,
        "messages": [as_dict(replace(one, at="", speaker="")) for one in made.messages],
        **attributes(made, "tokens tokens_before"),
        "trigger": trigger_tokens(config),
        **attributes(made, "compressed folded summary"),
        "notes": [say(note.template, **note.values) for note in made.notes],
    }

    def text() -> None:
        for message in made.messages:
            call = "".join(f"tool_call: {call.name}" for call in message.tool_calls)
            terminal.line(f"[{message.role.upper()}] {short(message.content or call, 400)}")

    terminal.answer(document, text)
    for note in made.notes:
        terminal.warn(note)


def extract(terminal: Terminal, session: Name, dry_run: DryRun = False) -> None:
    """Read what was not read yet; what it says about the user waits in the pool. Nothing is read twice.

    Examples: alice-exp session extract ses-7k2m9q4x --dry-run · alice-exp session extract ses-7k2m9q4x
    """
    done = sessions.extract_session(terminal.rehearsing(dry_run), session)
    terminal.answer(_extraction(done), lambda: _read_out(terminal, done))


def end(
    terminal: Terminal,
    session: Name,
    forget: Annotated[bool, typer.Option("--forget", help="Delete it once it was read.")] = False,
) -> None:
    """End a conversation: what was not read yet is read for candidates.

    Example: alice-exp session end ses-7k2m9q4x --forget
    """
    spoken = sessions.end(terminal.session, session, forget=forget)
    read = {"unextracted": spoken.unextracted, "extraction": _extraction(spoken.extracted)}
    document = {"session": session, "forgotten": forget, **read}
    terminal.answer(document, lambda: _read_out(terminal, spoken.extracted))
    # The conversation has ended, and its messages stay unread: reading them was the point.
    if spoken.failure is not None:
        terminal.warn(spoken.failure)
        terminal.exit_code = spoken.failure.exit_code


def forget(terminal: Terminal, session: Name) -> None:
    """Delete a conversation, read or not; candidates that came of it stay, with their quotes.

    Example: alice-exp session forget ses-7k2m9q4x
    """
    held = sessions.forget_one(terminal.session, session)
    document = {"session": session, "messages": held}
    terminal.answer(document, lambda: terminal.line(say("{count} messages deleted", count=held)))


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

    told = "{session}: {added} messages came in, {known} were there"
    if dry_run:
        told = "{session}: {added} messages would come in, {known} are there"

    def text() -> None:
        for name, added, known in taken:
            terminal.line(say(told, session=name, added=added, known=known))

    terminal.answer(document, text)


def _rows(terminal: Terminal, source: str, *, dry_run: bool) -> Iterator[ChatRecord]:
    @cache
    def project_of(folder: str) -> str:
        at = terminal.session.apart(folder=folder) if folder else terminal.session
        return at.here.names if dry_run else at.enter()

    folder = session = ""
    for number, fields in json_lines(source, sessions.MESSAGE_LIMIT):
        folder = folder_of(fields) or folder
        for row in _at_line(lambda row: [*rows_of(row)], number, fields, source):
            # Codex tells its folder before the messages; of another session nothing is known by it.
            folder, session = (folder if row.session == session else folder_of(fields)), row.session
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
        hint = 'alice-exp session search "Berlin"'
        raise UsageError("give a query or --queries FILE, one of the two", hint=hint)
    seen_from = None if now == "newest" else terminal.moment(now) or terminal.session.caller.now
    if queries:
        _many(terminal, queries, session, top, seen_from if now else None)
        return
    found = sessions.searching(terminal.session, session)(query, seen_from, top)
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
    columns = [say("score"), say("message"), say("at"), say("who"), say("what was said")]
    rows = (
        (f"{one.score:.2f}", record.ref, terminal.local(message.at), *_said(message, 160))
        for one, record, message in said
    )
    none = say("no message matches")
    terminal.answer(document, lambda: terminal.table(columns, rows, none), is_found=bool(found))


def _many(terminal: Terminal, source: str, session: list[str], top: int, now: str | None) -> None:
    """Print one JSONL line per query. Relative days count from the newest message unless ``--now`` is given."""
    search_in = cache(lambda prefix: sessions.searching(terminal.session, session, prefix))
    for number, fields in json_lines(source):
        query, corpus = fields.get("query"), fields.get("corpus", "")
        if not isinstance(query, str) or not isinstance(corpus, str) or "qid" not in fields:
            raise ProblemError('a query is {{"qid", "query", "corpus"?}}', path=source, line=number, column=1)
        found = search_in(f"{session_name(corpus)}-" if corpus else "")(query, now, top)
        ids, keys = [one.record.ref for one in found], [one.record.name or None for one in found]
        sys.stdout.write(json_text({"qid": fields["qid"], "ids": ids, "keys": keys}, None))
