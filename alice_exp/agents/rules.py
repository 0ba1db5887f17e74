"""What an agent did, from a host's transcript: prompts, and tool calls with their results, in the order of the records.

Claude Code, Codex, Gemini CLI, Qwen Code, opencode, Copilot and chat-completions write calls in shapes of their own; a
call and its result are joined by the call's id.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace

from alice_exp.conversations.rules.transcripts import WRAPPERS, Entry, first, is_aside, loaded, time_of
from alice_exp.kernel.jsonc import Json
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.rules.private_facts import masked_line

_ID = ("tool_use_id", "tool_call_id", "toolCallId", "call_id", "callID", "callId", "id")
_NAME = ("name", "tool", "toolName")
_INPUT = ("input", "args", "arguments", "action")
_ANSWER = ("output", "error", "content", "result", "response", "llmContent")
_INSIDE = (*WRAPPERS, "content", "parts", "toolCalls", "tool_calls", "messages")
_COMMAND = ("command", "cmd", "script")
_FILE = ("file_path", "filePath", "absolute_path", "path", "notebook_path", "target_file")
_OLD, _NEW = ("old_string", "oldString", "old_str"), ("new_string", "newString", "new_str", "content")
_RESULTS = ("tool_result", "function_call_output", "custom_tool_call_output", "tool.execution_complete")
_CALLING = frozenset((*_INPUT, "status"))
"""What an object has that is a call, or a call with its end; most of a transcript is words."""
_FAILED = ("error", "failed", "cancelled", "canceled", "denied")
_ENDED = ("completed", "success", *_FAILED)
_EXIT = ("exit_code", "exitCode", "exit")
# Codex's two forms, Claude Code's and Qwen Code's; an output says its own code at its head or its end.
_EXIT_LINE = re.compile(
    r"^[ \t]*(?:Process exited with code|Exit [Cc]ode:?|exit code:?)[ \t]*(-?\d+)", re.MULTILINE
)
_EDGE = 600
_PATCHED = re.compile(r"^\*\*\* (?:Update|Add|Delete) File: (.+)$", re.MULTILINE)
_SHELL = re.compile(r"(?:^|/)(?:ba|z|da)?sh$")


@dataclass(frozen=True, slots=True)
class Deed:
    """One thing of a session: the person's words (``prompt``), the agent's (``said``), or a tool call ``at`` a time
    (ISO-8601 UTC, empty where the host does not say): a shell's ``command``, or an edited ``file`` with the texts
    before and after it; ``failed`` is None where nothing says how it ended, ``answer`` what the tool answered."""

    at: str = ""
    prompt: str = ""
    said: str = field(default="", repr=False)
    tool: str = ""
    command: str = ""
    file: str = ""
    changed: tuple[str, str] = ("", "")
    failed: bool | None = None
    exit: int | None = None
    answer: str = field(default="", repr=False)

    @property
    def told(self) -> str:
        """What was done, in one line without its secrets; empty where no command ran and no file was changed."""
        done = self.command or (f"edit {self.file}" if self.is_edit else "")
        ended = f" (exit {self.exit})" if self.exit else " (failed)" if self.failed else ""
        return f"{masked_line(done)}{ended}" if done else ""

    @property
    def is_edit(self) -> bool:
        """Whether it changed a file."""
        return bool(self.file) and self.changed != ("", "")


def deeds_of(entries: Iterable[Entry]) -> list[Deed]:
    """What person and agent said and did, in a transcript's order; a call that the host wrote twice is there once."""
    listed, places = list[Deed](), dict[str, int]()
    for record, rows in entries:
        if is_aside(record):
            continue
        for message in (row.message for row in rows if row.message.content.strip()):
            # A host writes a queue, then the prompt: what stands twice in a row is one.
            if message.role == "user" and not (listed and listed[-1].prompt == message.content):
                listed.append(Deed(message.at, prompt=message.content))
            elif message.role == "assistant":
                listed.append(Deed(message.at, said=message.content))
        for times, held, is_result in _parts(dict(record)):
            call, sent = first(held, _ID), _sent(held)
            shell = "shell" if held.get("type") == "local_shell_call" else ""
            name = next((one for key in _NAME if (one := held.get(key))), shell)
            if not is_result and call not in places and isinstance(name, str) and name and sent is not None:
                places[call or f"-{len(listed)}"] = len(listed)
                listed.append(_called(next(filter(None, map(time_of, times)), ""), name, sent))
            if call in places and (ended := _ended(held, is_result)):
                failed, code, answer = ended
                done = listed[places[call]]
                listed[places[call]] = replace(done, failed=failed, exit=code, answer=answer)
    return listed


def _parts(
    value: Json, around: tuple[Mapping[str, Json], ...] = (), kind: Json = None, depth: int = 0
) -> Iterator[tuple[tuple[Mapping[str, Json], ...], Mapping[str, Json], bool]]:
    """The objects that may hold a call or its result, each behind those that tell its time; whether it is a result."""
    if isinstance(value, list):
        for one in value:
            yield from _parts(one, around, None, depth)
    if not isinstance(value, dict) or depth > 6:
        return
    around = (value, *around)
    held = value = {"type": kind, **value}
    for key in ("functionCall", "functionResponse", "function"):
        if isinstance(inner := value.get(key), dict):
            answer = inner.get("response")
            held = {"id": value.get("id"), **inner, **(answer if isinstance(answer, dict) else {})}
            held["type"] = "tool_result" if key == "functionResponse" else "function"
    if isinstance(state := held.get("state"), dict):
        held = {**held, **state}
    if held.get("role") == "tool":
        held = {**held, "type": "tool_result"}
    is_result = held["type"] in _RESULTS
    if is_result or not _CALLING.isdisjoint(held):
        yield around, held, is_result
    for key in _INSIDE:
        if key in value:
            yield from _parts(value[key], around, value["type"] if key in WRAPPERS else None, depth + 1)


def _sent(held: Mapping[str, Json]) -> Mapping[str, Json] | None:
    """What was handed to a tool; None where this is no call."""
    value = next((held[key] for key in _INPUT if key in held), None)
    if isinstance(value, str):
        value = loaded(value) or {"patch": value}
    return value if isinstance(value, dict) else None


def _called(at: str, name: str, sent: Mapping[str, Json]) -> Deed:
    command = next((sent[key] for key in _COMMAND if key in sent), None)
    if isinstance(command, list):
        words = [one for one in command if isinstance(one, str)]
        is_shell = len(words) == 3 and _SHELL.search(words[0]) and words[1].startswith("-")
        command = words[2] if is_shell else " ".join(words)
    patch = next(
        (one for one in (sent.get("patch"), command) if isinstance(one, str) and "*** Begin Patch" in one), ""
    )
    if patch:
        lines = patch.split("\n")
        old, new = ("\n".join(one[1:] for one in lines if one.startswith(sign)) for sign in "-+")
        return Deed(at, tool=name, file=", ".join(_PATCHED.findall(patch)), changed=(old, new))
    file = first(sent, _FILE)
    if isinstance(command, str) and not file:
        return Deed(at, tool=name, command=command)
    edits = sent.get("edits")
    many = [one for one in edits if isinstance(one, dict)] if isinstance(edits, list) else [sent]
    old, new = ("\n".join(first(one, keys) for one in many) for keys in (_OLD, _NEW))
    return Deed(at, tool=name, file=file, changed=(old, new))


def _ended(held: Mapping[str, Json], is_result: bool) -> tuple[bool | None, int | None, str] | None:
    """Whether a call failed (None: nobody knows), its exit code, and what the tool answered; None where it goes on."""
    status = held.get("status")
    if not is_result and (status not in _ENDED or not ("result" in held or "state" in held)):
        return None
    answer = _texts(next((held[key] for key in _ANSWER if held.get(key)), ""))
    if answer.startswith('{"output"') and isinstance(inner := loaded(answer), dict):
        held, answer = {**held, **inner}, _texts(inner.get("output"))
    metadata = held.get("metadata")
    codes = [one.get(key) for one in (held, metadata) if isinstance(one, Mapping) for key in _EXIT]
    code = next((one for one in codes if isinstance(one, int) and not isinstance(one, bool)), None)
    if code is None and (line := _EXIT_LINE.search(answer[:_EDGE]) or _EXIT_LINE.search(answer[-_EDGE:])):
        code = int(line[1])
    if held.get("is_error") is True or held.get("error") or held.get("success") is False or status in _FAILED:
        return True, code, answer
    if code is not None:
        return code != 0, code, answer
    is_known = held["type"] == "tool_result" or status in _ENDED or held.keys() & {"is_error", "success"}
    return False if is_known else None, None, answer


def _texts(value: Json) -> str:
    """All texts within a tool's answer, one per line."""
    if isinstance(value, str):
        return value
    inner = value if isinstance(value, list) else list(value.values()) if isinstance(value, dict) else []
    return "\n".join(filter(None, map(_texts, inner)))
