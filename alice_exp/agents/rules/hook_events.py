"""What a host says to a hook, and the form in which it takes an answer: one row a host (docs of each host, 2026).

Claude Code, Codex, Gemini CLI, Qwen Code and VS Code take ``hookSpecificOutput.additionalContext``; Cursor
``additional_context``; Copilot ``additionalContext``; opencode's plugin is ours.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from alice_exp.caller.hosts import HOSTS, Event, Host
from alice_exp.conversations.rules.transcripts import TAG, session_name, typed_words
from alice_exp.kernel.errors import UsageError
from alice_exp.kernel.value_class import dataclass

_EVENTS: Mapping[str, Event] = {
    name.lower(): ours
    for host in HOSTS.values()
    for ours, theirs in host.hooks.events.items()
    for name in (ours, theirs)
}
_SESSION = ("session_id", "sessionId", "conversation_id", "sessionID")
_TRANSCRIPT = ("transcript_path", "transcriptPath")
_LONGEST = 64 << 10


@dataclass(frozen=True, slots=True)
class Told:
    """What a hook was told: the session's name in our store, where its transcript lies, what the person asked.

    ``messages`` is the conversation itself where the host has no transcript; ``again`` is set where the agent goes on
    because a hook asked it to, so that nobody is asked twice.
    """

    session: str
    transcript: str = ""
    cwd: str = ""
    prompt: str = ""
    again: bool = False
    is_named: bool = True
    """Whether the host told the session's name: without it two sessions could not be told apart."""
    messages: tuple[Mapping[str, Any], ...] = ()

    @property
    def folder(self) -> str:
        """Where the host works; empty where it does not say."""
        return self.cwd if self.cwd.startswith("/") else ""


def event_named(name: str) -> Event:
    """Our event for ours or a host's name of it; ``UsageError`` names those that there are."""
    found = _EVENTS.get(name.lower().replace("-", "").replace("_", ""))
    if found is None:
        raise UsageError(
            "unknown event {event}",
            event=repr(name),
            hint="events are start, prompt, stop, end, compact, or the host's own names of them",
        )
    return found


def read(text: str, host: Host) -> Told:
    """What a hook reads from its input; ``UsageError`` if that is no JSON object. Nothing at all is a session "-"."""
    try:
        fields: Any = json.loads(text) if text.strip() else {}
    except (ValueError, RecursionError):
        fields = None
    if not isinstance(fields, dict):
        raise UsageError("a hook's input is a JSON object, as the host sends it")
    rows = fields.get("messages")
    roots = fields.get("workspace_roots")
    root = roots[0] if isinstance(roots, list) and roots else ""
    own = _first(fields, _SESSION)
    return Told(
        session_name(f"{host.name}-{own or 'session'}"),
        _first(fields, _TRANSCRIPT),
        _first(fields, ("cwd",)) or (root if isinstance(root, str) else ""),
        # Gemini CLI hands over what our hook said at the start in front of the first prompt.
        typed_words(_first(fields, ("prompt",)))[:_LONGEST],
        fields.get("stop_hook_active") is True or bool(fields.get("loop_count")),
        bool(own),
        tuple(one for one in rows if isinstance(one, dict)) if isinstance(rows, list) else (),
    )


def answer(host: Host, event: Event, text: str, person: str = "") -> dict[str, Any]:
    """The JSON document that goes back to the host; empty where there is nothing to say or the host cannot hear it.

    ``person`` is one line that the host shows to the person alone (Claude Code's form of hooks has a key for it).

    The text stands in a tag of ours: some hosts write it into the person's row of their transcript.
    """
    shown = {"systemMessage": person} if person and tells_person(host) else {}
    return shown | _answer(host, event, text)


def tells_person(host: Host) -> bool:
    """Whether a host shows its person a line of a hook."""
    return host.hooks.form == "groups"


def _answer(host: Host, event: Event, text: str) -> dict[str, Any]:
    if text:
        text = f"<{TAG}>\n{text.replace(f'</{TAG}', f'<{TAG}')}\n</{TAG}>"
    if host.hooks.form == "plugin":
        return {"context": text} if text else {}
    if host.hooks.form == "flat":
        told = {"start": {"additional_context": text}, "stop": {"followup_message": text}}
        return {"continue": True} if event == "prompt" else told.get(event, {}) if text else {}
    if not text or event in ("end", "compact"):
        return {}
    if event == "stop":
        asked = {"decision": host.hooks.refusal, "reason": text}
        own = {"hookSpecificOutput": {"hookEventName": "Stop", **asked}} if host.hooks.form == "file" else {}
        return {**asked, **own}
    said = {"hookSpecificOutput": {"hookEventName": _named(host, event), "additionalContext": text}}
    return {"additionalContext": text, **said} if host.hooks.form == "file" else said


def _named(host: Host, event: Event) -> str:
    theirs = host.hooks.events[event]
    # VS Code calls Copilot's events by Claude Code's names.
    return {"sessionStart": "SessionStart", "userPromptSubmitted": "UserPromptSubmit"}.get(theirs, theirs)


def _first(fields: Mapping[str, Any], keys: tuple[str, ...]) -> str:
    return next((fields[key] for key in keys if isinstance(fields.get(key), str)), "")
