"""The ``session`` commands: store a conversation, extract candidates from it, fit it into a context window."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Annotated, Any

import typer

from alice_exp.caller.acting import require_person
from alice_exp.conversations.rules.context_window import Settings, trigger_tokens
from alice_exp.conversations.store.file_sessions import chats
from alice_exp.conversations.store.turn_index import forget_conversation
from alice_exp.conversations.usecases import sessions
from alice_exp.conversations.usecases.sessions import Extracted
from alice_exp.conversations.values import ROLES, Message, as_dict, message_of
from alice_exp.kernel.errors import Hint, Names, ProblemError, UsageError
from alice_exp.kernel.journal.act import commit_id
from alice_exp.terminal.console import Terminal, short
from alice_exp.terminal.language import say as sentence
from alice_exp.terminal.options import DryRun, json_lines

_WIDTH = 400


def start(
    terminal: Terminal,
    name: Annotated[str, typer.Argument(metavar="[ID]", help="A name of your own; else a fresh one.")] = "",
) -> None:
    """Begin a conversation and print its id; one that is open already goes on.

    Example: id=$(alice-exp session start)
    """
    session, new = sessions.start(terminal.session, name, terminal.session.enter())
    terminal.answer({"id": session, "new": new}, lambda: terminal.line(session))


def say(
    terminal: Terminal,
    session: Annotated[str, typer.Argument(metavar="ID", help="The conversation.")],
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
    messages = _messages(words, speaker, source)
    spoken = sessions.say(terminal.session, session, messages)
    document = {
        "session": session,
        "index": spoken.record.index if spoken.record else None,
        "kept": spoken.record is not None,
        "unextracted": spoken.unextracted,
        "extraction": _extraction(spoken.extracted),
    }

    def text() -> None:
        if spoken.record is None:
            terminal.note(sentence("sessions are disabled (short_term.enabled): nothing was kept"))
        _read_out(terminal, spoken.extracted)

    terminal.answer(document, text)
    if spoken.failure is not None:
        terminal.warn(spoken.failure)


def _messages(words: list[str], speaker: str, source: str) -> list[Message]:
    if source:
        if words:
            raise UsageError("give a text or --from, not both")
        return [_read(number, fields, source) for number, fields in json_lines(source)]
    role = "user"
    if len(words) == 2:
        if words[0] not in ROLES:
            raise UsageError(
                "{role} is not a role",
                role=repr(words[0]),
                hint=Hint("roles are {names}", names=Names(ROLES)),
            )
        role, words = words[0], words[1:]
    if len(words) != 1:
        raise UsageError(
            "say one text", hint='alice-exp session say ID user "…"; roles are user, assistant, system, tool'
        )
    text = _stdin() if words[0] == "-" else words[0]
    if not text.strip():
        raise UsageError("this message says nothing")
    return [message_of({"role": role, "content": text, "speaker": speaker})]


def _read(number: int, fields: dict[str, Any], source: str) -> Message:
    try:
        return message_of(fields)
    except UsageError as error:
        raise at_line(error, source, number) from None


def at_line(error: UsageError, source: str, number: int) -> ProblemError:
    """The same error with the file and line it occurred in."""
    values: dict[str, Any] = error.values
    return ProblemError(error.template, path=source, line=number, column=1, hint=error.hint, **values)


def _stdin() -> str:
    data = sys.stdin.buffer.read(sessions.MESSAGE_LIMIT + 1)
    if len(data) > sessions.MESSAGE_LIMIT:
        raise UsageError("a message of {size} bytes is over the limit of 16 MiB", size=f"> {len(data) - 1}")
    try:
        return data.decode().removesuffix("\n")
    except UnicodeDecodeError:
        raise UsageError("this message is not UTF-8 text") from None


def _extraction(extracted: Extracted | None) -> dict[str, Any] | None:
    if extracted is None:
        return None
    captured = extracted.captured
    return {
        "session": extracted.session,
        "read": extracted.read,
        "index": extracted.index,
        "by": extracted.by,
        "ids": list(captured.ids),
        "candidates": [
            {
                "id": placed.block.id if placed else None,
                "payload": one.content,
                "importance": one.importance,
                "type": one.type,
                "explicit": one.explicit,
                "replaces": [*placed.block.replaces] if placed else [],
                "quote": one.quote,
            }
            for one, placed in zip(extracted.inferences, captured.placed, strict=False)
        ],
        "merged": captured.merged,
        "refused": len(captured.refused),
        "dropped": extracted.dropped,
        "others": list(extracted.others),
        "commit": commit_id(captured.commit),
    }


def _read_out(terminal: Terminal, extracted: Extracted | None) -> None:
    if extracted is None:
        return
    captured = extracted.captured
    new = len(set(captured.ids))
    if not extracted.read and extracted.others:
        terminal.line(
            sentence(
                "nothing was read, as nobody knows which of these is you: {names}. Say it with: "
                'alice-exp remember "My name is …"',
                names=Names(extracted.others),
            )
        )
        return
    if not extracted.read:
        terminal.line(sentence("nothing was left to read"))
        return
    terminal.line(
        sentence(
            "{read} messages read: {count} candidates wait for your decision", read=extracted.read, count=new
        )
    )
    for one, placed in zip(extracted.inferences, captured.placed, strict=False):
        if placed is not None:
            terminal.line(f"  {placed.block.id}  {one.importance:.1f}  {short(one.content, 120)}")
    if captured.refused:
        terminal.line(sentence("{count} were rejected before and not taken in", count=len(captured.refused)))
    if extracted.dropped:
        terminal.line(sentence("{count} were too unimportant", count=extracted.dropped))
    if extracted.others:
        terminal.line(
            sentence("spoke, too, and is not taken for you: {names}", names=Names(extracted.others))
        )


def list_sessions(terminal: Terminal) -> None:
    """List the conversations that are kept, oldest first.

    Example: alice-exp session list
    """
    found = chats(terminal.session).conversations()
    document = {
        "sessions": [
            {
                "id": one.session,
                "at": one.at or None,
                "last_at": one.last_at or None,
                "messages": one.messages,
                "unextracted": one.unextracted,
                "ended": one.ended or None,
            }
            for one in found
        ]
    }

    def text() -> None:
        if not found:
            terminal.note(sentence("no conversation is kept"))
            return
        columns = [
            sentence("id"),
            sentence("last"),
            sentence("messages"),
            sentence("unread"),
            sentence("ended"),
        ]
        rows = [
            [one.session, terminal.local(one.last_at), str(one.messages), str(one.unextracted), one.ended]
            for one in found
        ]
        terminal.table(columns, rows)

    terminal.answer(document, text)


def show(
    terminal: Terminal,
    session: Annotated[str, typer.Argument(metavar="ID", help="The conversation.")],
    last: Annotated[int, typer.Option(min=0, help="The latest so many messages alone; 0: all.")] = 0,
) -> None:
    """Print a conversation.

    Example: alice-exp session show ses-7k2m9q4x --last 10
    """
    store = chats(terminal.session)
    records = store.load(session)[-last:]
    document = {
        "session": session,
        "messages": [
            {"index": one.index, "ref": one.ref, **as_dict(one.message)}
            | ({"key": one.name} if one.name else {})
            | {"extracted": one.extracted}
            for one in records
        ],
    }

    def text() -> None:
        for one in records:
            mark = " " if one.extracted else "·"
            who = one.message.speaker or one.message.role
            terminal.line(f"{mark} #{one.index}  {who}: {short(one.message.content, _WIDTH)}")

    terminal.answer(document, text)


def window(
    terminal: Terminal,
    session: Annotated[str, typer.Argument(metavar="ID", help="The conversation.")],
    max_context: Annotated[
        int, typer.Option(min=0, help="Tokens of the model's window; 0: as configured.")
    ] = 0,
) -> None:
    """Print what of a conversation goes to the model, compressed where it fills its share of the window.

    Example: alice-exp session window ses-7k2m9q4x --json | jq .messages
    """
    opened = terminal.session
    settings = Settings.of(opened.config)
    settings = replace(settings, max_context=max_context or settings.max_context)
    made = sessions.window(opened, session, settings)
    own = ("at", "speaker")
    document = {
        "session": session,
        "messages": [
            {key: value for key, value in as_dict(message).items() if key not in own}
            for message in made.messages
        ],
        "tokens": made.tokens,
        "tokens_before": made.tokens_before,
        "trigger": trigger_tokens(settings),
        "compressed": made.compressed,
        "folded": made.folded,
        "summary": made.summary,
        "notes": [sentence(note.template, **note.values) for note in made.notes],
    }

    def text() -> None:
        for message in made.messages:
            call = "".join(f"tool_call: {call.name}" for call in message.tool_calls)
            terminal.line(f"[{message.role.upper()}] {short(message.content or call, _WIDTH)}")

    terminal.answer(document, text)
    for note in made.notes:
        terminal.warn(note)


def extract(
    terminal: Terminal,
    session: Annotated[str, typer.Argument(metavar="ID", help="The conversation.")],
    dry_run: DryRun = False,
) -> None:
    """Read what was not read yet; what it says about the user waits in the pool. Nothing is read twice.

    Examples: alice-exp session extract ses-7k2m9q4x --dry-run · alice-exp session extract ses-7k2m9q4x
    """
    done = sessions.extract_session(terminal.session, session, dry_run=dry_run)
    terminal.answer(_extraction(done), lambda: _read_out(terminal, done))


def end(
    terminal: Terminal,
    session: Annotated[str, typer.Argument(metavar="ID", help="The conversation.")],
    forget: Annotated[bool, typer.Option("--forget", help="Delete it once it was read.")] = False,
) -> None:
    """End a conversation: what was not read yet is read for candidates.

    Example: alice-exp session end ses-7k2m9q4x --forget
    """
    spoken = sessions.end(terminal.session, session, forget=forget)
    document = {
        "session": session,
        "forgotten": forget,
        "unextracted": spoken.unextracted,
        "extraction": _extraction(spoken.extracted),
    }
    terminal.answer(document, lambda: _read_out(terminal, spoken.extracted))
    # The conversation has ended, and its messages stay unread: reading them was the point.
    if spoken.failure is not None:
        terminal.warn(spoken.failure)
        terminal.exit_code = spoken.failure.exit_code


def forget(
    terminal: Terminal,
    session: Annotated[str, typer.Argument(metavar="ID", help="The conversation.")],
) -> None:
    """Delete a conversation, read or not; candidates that came of it stay, with their quotes.

    Example: alice-exp session forget ses-7k2m9q4x
    """
    command = f"alice-exp session forget {session}"
    require_person(terminal.session.caller, sentence("delete a conversation"), command)
    held = forget_conversation(terminal.session, session)
    document = {"session": session, "messages": held}
    terminal.answer(document, lambda: terminal.line(sentence("{count} messages deleted", count=held)))
