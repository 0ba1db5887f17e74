"""How transcripts are read: what agents' hosts keep, chat-completions messages, rows of a data set.

A record is one message (``role`` and ``content``, or ``text`` and ``speaker``), a host's record with the message under
``message``, ``payload``, ``data`` or ``info``, or a whole conversation under ``messages``; keys under ``meta`` are keys
of the record. What does not read as a message is none, for hosts add kinds of records at any time.

Of a user's message only what a person typed stays, without what the host or a hook put beside it; the tags stand in
``caller/hosts.py``, each host's in its row. Seen in what the hosts themselves wrote: Claude Code 2.1, Codex 0.169,
Gemini CLI 0.61, Qwen Code 0.15, opencode 1.18; Cursor and VS Code by their documents.
``tests/conversations/host_rows.jsonl`` holds a row for each.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import zip_longest

from alice_exp.caller.hosts import KNOWN
from alice_exp.kernel.errors import UsageError
from alice_exp.kernel.jsonc import Json
from alice_exp.kernel.text.times import iso_time
from alice_exp.model.values.records import ROLES, ChatRecord, Message, message_of

TAG = "alice-exp"
"""The tag around what our own hooks say, by which it is known again in a transcript."""

_TAGS = "|".join(["permissions instructions", TAG, *sorted(" ".join(host.tags for host in KNOWN).split())])
_OPENING = rf"[ \t]*(?P<sign><|&lt;)(?P<tag>{_TAGS})(?:[ \t][^<>\n]*?)?(?:>|&gt;)"
_AT_LINE = re.compile(rf"^{_OPENING}", re.MULTILINE)
_NEXT = re.compile(_OPENING)

# A tag around the person's own words: of Cursor, VS Code, and of Claude Code's "#".
_WRAPPED = re.compile(r"^<(user_query|userRequest|user-memory-input)>", re.MULTILINE)
_REQUEST = "## My request for Codex:"
_FILES = "\n--- Content from referenced files ---"

# Whole texts, and lines, that a host writes in plain words.
_INSERTED = re.compile(
    r"Caveat: The messages below were generated|# AGENTS\.md instructions|Stop hook feedback:\n|"
    r"This session is being continued from a previous conversation|Base directory for this skill:|"
    r"Another language model started to solve this problem|# Context from my IDE setup:"
)
_LINE = re.compile(r"^\[(?:Request interrupted by user|Image: (?:source|original))[^\]\n]*\]$", re.MULTILINE)


def typed_words(text: str) -> str:
    """What a person typed of a text that a host handed over or kept; empty where nobody typed it.

    A tag counts as a host's where it begins a line and is closed, or where it opens the text on a line of its own; in
    the midst of a line it is the person's. Plain or HTML-escaped. Time is linear in the length of the text.
    """
    if _REQUEST in text:
        text = text.partition(_REQUEST)[2]
    wrapped = _WRAPPED.search(text)
    end = text.rfind(f"</{wrapped[1]}>") if wrapped else -1
    if wrapped and end >= wrapped.end():
        text = text[wrapped.end() : end]
    text = _LINE.sub("", _without_blocks(text)).partition(_FILES)[0].strip()
    return "" if _INSERTED.match(text) else text


def _without_blocks(text: str) -> str:
    known: dict[str, int] = {}

    def find(part: str, start: int) -> int:
        # Each search goes on from the last, so that all take linear time.
        at = known.get(part, start - 1)
        if 0 <= at < start:
            at = known[part] = text.find(part, start)
        return at

    kept, at, is_behind = list[str](), 0, False
    while opening := (_NEXT.match(text, at) if is_behind else None) or _AT_LINE.search(text, at):
        kept.append(text[at : opening.start()])
        sign, tag, start = opening["sign"], opening["tag"], opening.end()
        close = f"{sign}/{tag}{'>' if sign == '<' else '&gt;'}"
        end, is_alone = find(close, start), text.startswith("\n", start)
        is_behind = end >= 0
        if not is_behind and is_alone and not any(map(str.strip, kept)):
            return ""
        if is_behind and is_alone:
            # What opens on a line of its own closes on such a line, unless the same tag opens again before.
            alone, again = find(f"\n{close}", start), find(f"\n{sign}{tag}", start)
            end = alone + 1 if alone >= 0 and not 0 <= again < alone else end
        if not is_behind:
            kept.append(opening[0])
        at = end + len(close) if is_behind else start
    return "".join([*kept, text[at:]])


SESSION = ("session", "sessionId", "session_id", "sessionID", "conversation_id", "conversation", "thread_id")
_TIME = ("at", "time", "timestamp", "created_at", "date")
_NAME = ("key", "uuid", "id", "message_id", "messageId")
_TEXT = ("content", "text", "parts")
WRAPPERS = ("message", "payload", "data", "info")
_ASSISTANTS = "ai bot model gpt chatbot chatgpt claude gemini qwen assistant.message 助手"
_SIDES: Mapping[str, str] = {
    **{role: role for role in (*ROLES, "developer", "function")},
    **dict.fromkeys(("", "message", "human", "user.message"), "user"),
    **dict.fromkeys(_ASSISTANTS.split(), "assistant"),
}
"""What a side is called, as a role, as a kind of record, or as the only name; who is called otherwise is a speaker."""
_ASIDE = ("isMeta", "isSidechain", "isCompactSummary", "isVisibleInTranscriptOnly")
"""Marks of records that are no part of what person and agent said to each other."""
_HOSTS_OWN = ("type", "info", "projectHash", "$set", "$rewindTo")
"""Keys by which a record is a host's: one that holds no message is passed over, and its time may be anything."""
_PARTS = ("text", "input_text", "output_text")
_OUTSIDE = re.compile(r"[^a-z0-9_-]+")


def records(text: str) -> Iterator[Mapping[str, Json]]:
    """The records of a host's transcript: one JSON document, or one a line; a line that was cut short is skipped."""
    whole = loaded(text)
    # Not splitlines: U+2028 and its like stand bare in a record.
    found = whole if isinstance(whole, list) else [whole] if whole else map(loaded, text.split("\n"))
    return (one for one in found if isinstance(one, dict))


def loaded(text: str) -> Json:
    """What a text is as JSON; None where it is none."""
    with suppress(ValueError, RecursionError):
        value: Json = json.loads(text)
        return value
    return None


Entry = tuple["Mapping[str, Json]", "list[ChatRecord]"]
"""A record of a transcript, and its messages."""


def read(found: Iterable[Mapping[str, Json]]) -> list[Entry]:
    """A host's records, each with its messages: none where it is malformed."""
    entries = [(record, list[ChatRecord]()) for record in found]
    for record, rows in entries:
        with suppress(UsageError):
            rows += [*rows_of(record)]
    return entries


def spoken(entries: Iterable[Entry], session: str, project: str = "") -> list[ChatRecord]:
    """What person and agent said in a transcript, as rows of ``session`` in a project (all its names)."""
    return once(
        replace(row, session=session, project=project)
        for _, rows in entries
        for row in rows
        if row.message.role in ("user", "assistant") and row.message.content.strip()
    )


def once(rows: Iterable[ChatRecord]) -> list[ChatRecord]:
    """The rows, each message once: a host may write down again what it holds already, under the same id."""
    known = {(one.session, one.name, one.message if one.name else at): one for at, one in enumerate(rows)}
    return [*known.values()]


def rows_of(fields: Mapping[str, Json]) -> Iterator[ChatRecord]:
    """The messages of one record; none where it holds no message. Raises ``UsageError`` if malformed."""
    # Gemini CLI sets the messages anew by a record of its own.
    meta, changed = fields.get("meta"), fields.get("$set")
    row: dict[str, Json] = {**(meta if isinstance(meta, dict) else {}), **fields}
    row |= changed if isinstance(changed, dict) else {}
    session = session_name("-".join(filter(None, (_text(row.get("corpus")), first(row, SESSION)))))
    inner = row.get("messages")
    if isinstance(inner, list):
        for one in inner:
            if not isinstance(one, dict):
                raise UsageError('each of "messages" is an object')
            yield from (replace(each, session=each.session or session) for each in rows_of(one))
        return
    if is_aside(row):
        return
    wrapped = next((one for key in WRAPPERS if isinstance(one := row.get(key), dict)), None)
    if wrapped is not None and ("message" in row or not any(key in row for key in ("role", *_TEXT))):
        if row.get("type") == "response_item" and wrapped.get("type") != "message":
            return
        row = {"id": wrapped.get("id")} | row | {k: wrapped[k] for k in wrapped if k not in ("id", "type")}
    message = _message(row)
    if message is not None:
        yield ChatRecord(session, message, first(row, _NAME))


def is_aside(row: Mapping[str, Json]) -> bool:
    """Whether a host marks a record as no part of what person and agent said and did."""
    is_others = "origin" in row and _at(row["origin"], "kind") not in (None, "human")
    return is_others or any(map(row.get, _ASIDE))


def folder_of(fields: Mapping[str, Json]) -> str:
    """The folder in which a host worked when it wrote a record (Claude Code and Qwen Code in each, Codex in those of a
    session's and a turn's settings); empty where it does not say."""
    named = (fields.get("cwd"), *(_at(fields.get(key), "cwd") for key in ("meta", *WRAPPERS)))
    return next((one for one in named if isinstance(one, str) and one.startswith("/")), "")


def session_name(text: str) -> str:
    """A session name made from any text: characters not allowed become ``-``; empty if nothing is left."""
    return _OUTSIDE.sub("-", text.lower()).strip("-_")[:64]


def _message(row: Mapping[str, Json]) -> Message | None:
    """The message of a row; ``None`` where a host's record has none, or nobody typed a user's."""
    kind, role, speaker = _text(row.get("type")), row.get("role"), _text(row.get("speaker"))
    if kind and role is None and not speaker:
        if kind not in _SIDES:
            return None
        role = kind
    name = _text(role) or speaker
    side = _SIDES.get(name.lower())
    if side is None:
        side, speaker = "user", speaker or name
    is_hosts = any(key in row for key in _HOSTS_OWN)
    content = next((row[key] for key in _TEXT if key in row), None)
    if content is None and not row.get("tool_calls"):
        if is_hosts:
            return None
        raise UsageError('a message has its text under "content" or "text"')
    content = _typed(content, row) if side == "user" else _said(content)
    if not content and (side == "user" or is_hosts):
        return None
    more: dict[str, Json] = {"speaker": speaker} if speaker else {}
    return message_of({**row, "role": side, "content": content, "at": time_of(row, is_hosts), **more})


def _typed(content: Json, row: Mapping[str, Json]) -> Json:
    """What a person typed of a user's message; empty for a tool's result and for what a hook or the host put there."""
    if not isinstance(content, list):
        return typed_words(content) if isinstance(content, str) else content
    # Codex says of each part whether it put it there itself.
    items = _at(row.get("internal_chat_message_metadata_passthrough"), "content_item_metadata")
    told = zip_longest(content, items if isinstance(items, list) else ())
    sources = ((one, item and _at(item, "provenance")) for one, item in told)
    parts = [one for one, source in sources if source is None or _at(source, "type") == "user"]
    known = [one for one in parts if isinstance(one, dict)]
    if any(one.get("type") == "tool_result" or "functionResponse" in one for one in known):
        return ""
    own = [text for text in (typed_words(_text(_said([one]))) for one in parts) if text]
    if row.get("type") == "user" and len(known) == len(parts) and not any("type" in one for one in known):
        # Gemini CLI and Qwen Code: what stands behind the first words comes from hooks and files.
        own = own[:1]
    said = "\n".join(own)
    shown = typed_words(_text(_said(row.get("displayContent"))))
    if not shown or shown in said:
        return said
    before, files, _ = shown.partition("@")
    return shown if shown.startswith("/") or (files and said.startswith(before)) else ""


def _said(content: Json) -> Json:
    """A message's content, of parts the texts, without a model's thoughts and what a host made up."""
    if not isinstance(content, list):
        return content
    texts = (
        one.get("text")
        if isinstance(one, dict)
        and one.get("type", "text") in _PARTS
        and not (one.get("thought") or one.get("synthetic"))
        else one
        for one in content
    )
    return "\n".join(one for one in texts if isinstance(one, str))


def time_of(row: Mapping[str, Json], is_hosts: bool = True) -> str:
    """When a record was made (ISO-8601 UTC), empty where it does not say; ``UsageError`` for what is no time, but of a
    host."""
    value = next((row[key] for key in _TIME if row.get(key)), None)
    if isinstance(value, dict):
        value = value.get("created")
    try:
        return "" if value is None else iso_time(value)
    except ValueError:
        if is_hosts:
            return ""
        raise UsageError("not a time: {time}", time=repr(value)[:80]) from None


def first(row: Mapping[str, Json], keys: Sequence[str]) -> str:
    """The first text that a row has under one of these keys; empty where it has none."""
    return next(filter(None, (_text(row.get(key)) for key in keys)), "")


def _at(value: Json, key: str) -> Json:
    return value.get(key) if isinstance(value, dict) else None


def _text(value: Json) -> str:
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
