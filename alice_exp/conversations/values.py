"""Values of conversations: messages, and records of a chat history.

Roles and tool calls follow the chat-completions API, so that an agent loop can pass its messages unchanged:
``message_of`` reads them, ``as_dict`` writes them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

from alice_exp.kernel.errors import UsageError
from alice_exp.kernel.jsonc.scan import Json
from alice_exp.kernel.value_class import attributes, dataclass

Role = Literal["system", "user", "assistant", "tool"]
ROLES: tuple[Role, ...] = get_args(Role)
_SAME = {"developer": "system", "function": "tool"}


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A model's tool call; ``arguments`` is the JSON text the model wrote, not parsed here."""

    id: str
    name: str
    arguments: str = "{}"


@dataclass(frozen=True, slots=True)
class Message:
    """One message. ``at`` is ISO-8601 UTC, empty if unknown; ``tool_call_id`` of a tool's message the call that it
    answers; ``speaker`` a name, in conversations with more than two participants."""

    role: Role
    content: str
    at: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""
    speaker: str = ""


@dataclass(frozen=True, slots=True)
class ChatRecord:
    """A message of a session (empty: not known yet), its id in the source it came from, all names of its project, its
    index in the session (from 0; -1 while it is not stored), and whether it was extracted from (R4.15, R4.18)."""

    session: str
    message: Message
    name: str = ""
    project: str = ""
    index: int = -1
    extracted: bool = False

    @property
    def ref(self) -> str:
        """``session#index``, the form in which evidence refers to the message."""
        return f"{self.session}#{self.index}"


def message_of(value: Mapping[str, Json]) -> Message:
    """Read a chat-completions message or a line of a session file; raises ``UsageError`` if malformed.

    Missing content (a bare tool call) becomes empty; content in parts becomes the parts' text, one per line. The roles
    ``developer`` and ``function`` are read as ``system`` and ``tool``.
    """
    given = value.get("role")
    role = next((one for one in ROLES if one == _SAME.get(str(given), given)), None)
    if role is None:
        said = 'a message needs a "role": system, user, assistant or tool, not {role}'
        raise UsageError(said, role=repr(given))
    return Message(
        role,
        _text(value.get("content")),
        _text(value.get("at")),
        _calls(value.get("tool_calls")),
        _text(value.get("tool_call_id")),
        _text(value.get("speaker", value.get("name"))),
    )


def as_dict(message: Message) -> dict[str, Json]:
    """The message in chat-completions form, with ``at`` and ``speaker``; empty keys are omitted."""
    calls: Json = [
        {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
        for call in message.tool_calls
    ]
    more = {"tool_calls": calls} | attributes(message, "tool_call_id at speaker")
    told = {key: value for key, value in more.items() if value}
    return {"role": message.role, "content": message.content, **told}


def _text(value: Json) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        parts = (part.get("text") if isinstance(part, dict) else part for part in value)
        return "\n".join(part for part in parts if isinstance(part, str))
    raise UsageError("a message holds text, not {kind}", kind=type(value).__name__)


def _calls(value: Json) -> tuple[ToolCall, ...]:
    if not isinstance(value, list | None):
        raise UsageError('"tool_calls" is a list')
    found = []
    for item in value or ():
        call = item if isinstance(item, dict) else {}
        function = call.get("function", call)
        if not isinstance(function, dict) or not isinstance(function.get("name"), str):
            raise UsageError('each of "tool_calls" is an object with a function')
        sent = _text(function.get("arguments", "{}"))
        found.append(ToolCall(_text(call.get("id")), str(function["name"]), sent))
    return tuple(found)
