"""The messages in a host's transcript: JSONL of Claude Code, Codex, Cursor and Copilot, the JSON of Gemini and Qwen.

What a person typed and what the agent answered, nothing else: no tool results, no context that the host or a hook put
in, no echo of a command. What does not read as a message is skipped, for hosts add kinds of rows at any time.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from alice_exp.conversations.rules.transcripts import Row
from alice_exp.conversations.values import message_of
from alice_exp.kernel.errors import UsageError
from alice_exp.kernel.text.times import iso_time

_ROLES = {
    "user": "user", "assistant": "assistant", "gemini": "assistant", "qwen": "assistant", "model": "assistant",
    "user.message": "user", "assistant.message": "assistant",
}  # fmt: skip
_PARTS = ("text", "input_text", "output_text")
TAG = "alice-exp"
"""The tag around what our own hooks say, by which it is known again in a transcript."""

# What hosts put into a user's row around or instead of the person's words.
_INSERTED = re.compile(
    r"<(system-reminder|command-name|command-message|command-args|local-command-\w+|environment_context|"
    r"user_instructions|INSTRUCTIONS|hook_context|permissions instructions|skill|task-notification|"
    rf"additional_context|session_context|{TAG})\b[^>]*>.*?(?:</\1>|\Z)",
    re.DOTALL,
)
_WRAPPED = re.compile(r"</?user_query>")
_ECHO = ("Caveat: The messages below", "# AGENTS.md instructions", "[Request interrupted by user")


def rows(text: str, session: str) -> list[Row]:
    """The messages of a transcript, in order, each with its id and time where the host gives them."""
    return [row for one in _records(text) for row in _rows_of(one, session)]


def rows_of_messages(messages: Sequence[Mapping[str, Any]], session: str) -> list[Row]:
    """The same of messages that a host's plugin hands over."""
    return [row for one in messages for row in _rows_of(one, session)]


def _records(text: str) -> Iterator[Mapping[str, Any]]:
    """A JSON document with its messages under ``messages``, or a record a line; a line cut short is skipped."""
    try:
        whole = json.loads(text)
        listed = whole.get("messages") if isinstance(whole, dict) else whole
        if isinstance(listed, list):
            yield from (one for one in listed if isinstance(one, dict))
            return
    except (ValueError, RecursionError):
        pass
    for line in text.splitlines():
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(record, dict):
            yield record


def _rows_of(record: Mapping[str, Any], session: str) -> Iterator[Row]:
    if record.get("isMeta") or record.get("isSidechain") or record.get("isCompactSummary"):
        return
    inner: dict[str, Any] = next(
        (record[key] for key in ("message", "payload", "data") if isinstance(record.get(key), dict)), {}
    )
    fields = {**record, **inner}
    if record.get("type") == "response_item" and inner.get("type") != "message":
        return
    role = _ROLES.get(str(fields.get("role") or record.get("type")))
    said = _said(fields.get("content", fields.get("text", fields.get("parts"))))
    if role is None or not said:
        return
    name = next((str(fields[key]) for key in ("uuid", "id", "messageId") if fields.get(key)), "")
    try:
        yield Row(session, message_of({"role": role, "content": said, "at": _time(record)}), name)
    except UsageError:
        return


def _said(content: object) -> str:
    """What was said in a message's content: its texts, without what a host put in."""
    if isinstance(content, list):
        parts = [one for one in content if isinstance(one, Mapping)]
        if any(one.get("type") == "tool_result" or "functionResponse" in one for one in parts):
            return ""
        texts = [
            one.get("text") for one in parts if one.get("type", "text") in _PARTS and not one.get("thought")
        ]
        content = "\n".join(one for one in texts if isinstance(one, str))
    if not isinstance(content, str):
        return ""
    said = _WRAPPED.sub("", _INSERTED.sub("", content)).strip()
    return "" if said.startswith(_ECHO) else said


def _time(record: Mapping[str, Any]) -> str:
    try:
        return iso_time(record.get("timestamp") or record.get("at") or "")
    except ValueError:
        return ""
