"""The ``session`` commands: store a conversation, extract candidates from it, fit it into a context window."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Annotated, Any

import typer

from alice_exp.caller.acting import require_person
from alice_exp.conversations.rules.context_window import Settings, trigger_tokens
from alice_exp.conversations.store.file_sessions import chats
from alice_exp.conversations.usecases import sessions
from alice_exp.conversations.usecases.sessions import Extracted
from alice_exp.conversations.values import ROLES, Message, as_dict, message_of
from alice_exp.kernel.errors import Hint, Names, ProblemError, UsageError
from alice_exp.kernel.journal.act import commit_id
from alice_exp.kernel.value_class import attributes
from alice_exp.terminal.console import Terminal, short
from alice_exp.terminal.language import say as sentence
from alice_exp.terminal.options import DryRun, json_lines

_WIDTH = 400

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


def say(
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
            terminal.note(sentence("sessions are disabled (short_term.enabled): nothing was kept"))
        _read_out(terminal, spoken.extracted)

    terminal.answer(document, text)
    if spoken.failure is not None:
        terminal.warn(spoken.failure)


def _messages(words: list[str], speaker: str, source: str) -> list[Message]:
    if source:
        if words:
            raise UsageError("give a text or --from, not both")
        return [at_line(message_of, fields, source, number) for number, fields in json_lines(source)]
    if len(words) not in (1, 2):
        raise UsageError(
            "say one text", hint='alice-exp session say ID user "…"; roles are user, assistant, system, tool'
        )
    role, text = words if len(words) == 2 else ("user", words[0])
    if role not in ROLES:
        hint = Hint("roles are {names}", names=Names(ROLES))
        raise UsageError("{role} is not a role", role=repr(role), hint=hint)
    if text == "-":
        data = sys.stdin.buffer.read(sessions.MESSAGE_LIMIT + 1)
        if len(data) > sessions.MESSAGE_LIMIT:
            size = f"> {len(data) - 1}"
            raise UsageError("a message of {size} bytes is over the limit of 16 MiB", size=size)
        try:
            text = data.decode().removesuffix("\n")
        except UnicodeDecodeError:
            raise UsageError("this message is not UTF-8 text") from None
    if not text.strip():
        raise UsageError("this message says nothing")
    return [message_of({"role": role, "content": text, "speaker": speaker})]


def at_line(read: Any, fields: dict[str, Any], source: str, number: int) -> Any:
    """What ``read`` makes of a line's object; its error names the file and line."""
    try:
        return read(fields)
    except UsageError as error:
        values: dict[str, Any] = error.values
        raise ProblemError(
            error.template, path=source, line=number, column=1, hint=error.hint, **values
        ) from None


def _extraction(extracted: Extracted | None) -> dict[str, Any] | None:
    if extracted is None:
        return None
    captured = extracted.captured
    return {
        **attributes(extracted, "session read index by"),
        "ids": list(captured.ids),
        "candidates": [
            {
                "id": placed.block.id if placed else None,
                "payload": one.content,
                **attributes(one, "importance type explicit"),
                "replaces": [*placed.block.replaces] if placed else [],
                "quote": one.quote,
            }
            for one, placed in zip(extracted.inferences, captured.placed, strict=False)
        ],
        "merged": captured.merged,
        "refused": len(captured.refused),
        **attributes(extracted, "dropped others"),
        "commit": commit_id(captured.commit),
    }


def _read_out(terminal: Terminal, extracted: Extracted | None) -> None:
    if extracted is None:
        return
    captured, others = extracted.captured, Names(extracted.others)
    if not extracted.read:
        unknown = (
            "nothing was read, as nobody knows which of these is you: {names}. Say it with: "
            'alice-exp remember "My name is …"'
        )
        nothing = sentence("nothing was left to read")
        terminal.line(sentence(unknown, names=others) if extracted.others else nothing)
        return
    said = "{read} messages read: {count} candidates wait for your decision"
    terminal.line(sentence(said, read=extracted.read, count=len(set(captured.ids))))
    for one, placed in zip(extracted.inferences, captured.placed, strict=False):
        if placed is not None:
            terminal.line(f"  {placed.block.id}  {one.importance:.1f}  {short(one.content, 120)}")
    if captured.refused:
        terminal.line(sentence("{count} were rejected before and not taken in", count=len(captured.refused)))
    if extracted.dropped:
        terminal.line(sentence("{count} were too unimportant", count=extracted.dropped))
    if extracted.others:
        terminal.line(sentence("spoke, too, and is not taken for you: {names}", names=others))


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
                **attributes(one, "messages unextracted"),
                "ended": one.ended or None,
            }
            for one in found
        ]
    }
    columns = [sentence("id"), sentence("last"), sentence("messages"), sentence("unread"), sentence("ended")]

    def text() -> None:
        if not found:
            terminal.note(sentence("no conversation is kept"))
            return
        rows = [
            [one.session, terminal.local(one.last_at), str(one.messages), str(one.unextracted), one.ended]
            for one in found
        ]
        terminal.table(columns, rows)

    terminal.answer(document, text)


def show(
    terminal: Terminal,
    session: Name,
    last: Annotated[int, typer.Option(min=0, help="The latest so many messages alone; 0: all.")] = 0,
) -> None:
    """Print a conversation.

    Example: alice-exp session show ses-7k2m9q4x --last 10
    """
    records = chats(terminal.session).load(session)[-last:]
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
            who = one.message.speaker or one.message.role
            said = short(one.message.content, _WIDTH)
            terminal.line(f"{' ' if one.extracted else '·'} #{one.index}  {who}: {said}")

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
    settings = Settings.of(terminal.session.config)
    settings = replace(settings, max_context=max_context or settings.max_context)
    made = sessions.window(terminal.session, session, settings)
    document = {
        "session": session,
        "messages": [
            {key: value for key, value in as_dict(message).items() if key not in ("at", "speaker")}
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


def forget(terminal: Terminal, session: Name) -> None:
    """Delete a conversation, read or not; candidates that came of it stay, with their quotes.

    Example: alice-exp session forget ses-7k2m9q4x
    """
    command = f"alice-exp session forget {session}"
    require_person(terminal.session.caller, sentence("delete a conversation"), command)
    held = sessions.forget_one(terminal.session, session)
    document = {"session": session, "messages": held}
    terminal.answer(document, lambda: terminal.line(sentence("{count} messages deleted", count=held)))
