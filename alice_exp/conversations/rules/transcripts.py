"""Read transcripts in JSONL: chat-completions messages, agents' transcripts, rows of a data set.

A row is one message (``role`` and ``content``, or ``text`` and ``speaker``), an agent's record with the message under
``message``, or a whole conversation under ``messages``. Keys under ``meta`` are treated like keys of the row.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from alice_exp.conversations.values import ROLES, message_of
from alice_exp.kernel.errors import UsageError
from alice_exp.kernel.text.times import iso_time
from alice_exp.kernel.value_class import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from alice_exp.conversations.values import Message, Role
    from alice_exp.kernel.jsonc.problem import Json

_SESSION = ("session", "sessionId", "session_id", "conversation_id", "conversation", "thread_id")
_TIME = ("at", "time", "timestamp", "created_at", "date")
_NAME = ("key", "id", "uuid", "message_id")
_TEXT = ("content", "text")
_SIDES: Mapping[str, Role] = {
    "human": "user",
    **dict.fromkeys(
        ("ai", "bot", "model", "gpt", "chatbot", "chatgpt", "claude", "gemini", "助手"), "assistant"
    ),
}
"""What other programs call the two sides, as a role or as the only name."""
_OUTSIDE = re.compile(r"[^a-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class Row:
    """One message, its session (empty if the row names none), and its id in the source (``name``)."""

    session: str
    message: Message
    name: str = ""


def rows_of(fields: Mapping[str, Json]) -> Iterator[Row]:
    """The messages of one row; none for an agent's record without a message. Raises ``UsageError`` if malformed."""
    meta = fields.get("meta")
    row: dict[str, Json] = {**(meta if isinstance(meta, dict) else {}), **fields}
    session = _session(row)
    inner = row.get("messages")
    if isinstance(inner, list):
        for one in inner:
            if not isinstance(one, dict):
                raise UsageError('each of "messages" is an object')
            yield from (replace(each, session=each.session or session) for each in rows_of(one))
        return
    wrapped = row.get("message")
    if isinstance(wrapped, dict):
        row = {**row, **{key: value for key, value in wrapped.items() if key != "id"}}
    elif "type" in row and not any(key in row for key in ("role", *_TEXT)):
        return
    yield Row(session, _message(row), _first(row, _NAME))


def session_name(text: str) -> str:
    """A session name made from any text: characters not allowed become ``-``; empty if nothing is left."""
    return _OUTSIDE.sub("-", text.lower()).strip("-_")[:64]


def _session(row: Mapping[str, Json]) -> str:
    parts = [_text(row.get("corpus")), _first(row, _SESSION)]
    return session_name("-".join(part for part in parts if part))


def _message(row: Mapping[str, Json]) -> Message:
    content = next((row[key] for key in _TEXT if key in row), None)
    role = row.get("role")
    side = _SIDES.get((_text(role) or _text(row.get("speaker"))).lower())
    if side and (role is None or role not in ROLES):
        row, role = {**row, "role": side}, side
    fields: dict[str, Json] = {**row, "content": content, "at": _time(row)}
    if role is None:
        fields["role"] = "user"
    elif role not in ROLES and role not in ("developer", "function"):
        fields |= {"role": "user", "speaker": _text(row.get("speaker")) or _text(role)}
    if content is None and not row.get("tool_calls"):
        raise UsageError('a message has its text under "content" or "text"')
    return message_of(fields)


def _time(row: Mapping[str, Json]) -> str:
    value = next((row[key] for key in _TIME if row.get(key)), None)
    if value is None:
        return ""
    try:
        return iso_time(value)
    except ValueError:
        raise UsageError("not a time: {time}", time=repr(value)[:80]) from None


def _first(row: Mapping[str, Json], keys: tuple[str, ...]) -> str:
    return next((_text(row[key]) for key in keys if row.get(key) not in (None, "")), "")


def _text(value: Json) -> str:
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
