"""What a host says to a hook and in which form it takes an answer, what an agent is told there, which of the person's
sentences it may read, and how many candidates may wait.

Claude Code, Codex, Gemini CLI, Qwen Code and VS Code take ``hookSpecificOutput.additionalContext``; Cursor
``additional_context``; Copilot ``additionalContext``; opencode's plugin is ours (docs of each host, 2026).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Literal

from alice_exp.caller.hosts import HOSTS, Event, Host
from alice_exp.conversations.rules.transcripts import SESSION, TAG, first, loaded, session_name, typed_words
from alice_exp.kernel.errors import RefusedError, UsageError
from alice_exp.kernel.text.display import visible
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.values.records import Message

if TYPE_CHECKING:
    from alice_exp.caller.heard_queue import Heard
    from alice_exp.home.session import Session
    from alice_exp.learning.store import Decisions, OpenDecision
    from alice_exp.model.values.block import Placed


_EVENTS: Mapping[str, Event] = {
    name.lower(): ours
    for host in HOSTS.values()
    for ours, theirs in host.hooks.events.items()
    for name in (ours, theirs)
}
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
    fields: Any = loaded(text) if text.strip() else {}
    if not isinstance(fields, dict):
        raise UsageError("a hook's input is a JSON object, as the host sends it")
    rows = fields.get("messages")
    roots = fields.get("workspace_roots")
    root = roots[0] if isinstance(roots, list) and roots else ""
    own = first(fields, SESSION)
    return Told(
        session_name(f"{host.name}-{own or 'session'}"),
        first(fields, _TRANSCRIPT),
        first(fields, ("cwd",)) or (root if isinstance(root, str) else ""),
        # Gemini CLI hands over what our hook said at the start in front of the first prompt.
        typed_words(first(fields, ("prompt",)))[:_LONGEST],
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
    if text:
        text = f"<{TAG}>\n{text.replace(f'</{TAG}', f'<{TAG}')}\n</{TAG}>"
    form = host.hooks.form
    if form == "plugin":
        return shown | ({"context": text} if text else {})
    if form == "flat":
        told = {"start": {"additional_context": text}, "stop": {"followup_message": text}}
        return {"continue": True} if event == "prompt" else told.get(event, {}) if text else {}
    if not text or event in ("end", "compact"):
        return shown
    if event == "stop" and host.hooks.refusal:
        asked = {"decision": host.hooks.refusal, "reason": text}
        own = {"hookSpecificOutput": {"hookEventName": "Stop", **asked}} if form == "file" else {}
        return shown | asked | own
    theirs = host.hooks.events[event]
    # VS Code calls Copilot's events by Claude Code's names.
    named = {"sessionStart": "SessionStart", "userPromptSubmitted": "UserPromptSubmit"}.get(theirs, theirs)
    said = {"hookSpecificOutput": {"hookEventName": named, "additionalContext": text}}
    return shown | ({"additionalContext": text, **said} if form == "file" else said)


def tells_person(host: Host) -> bool:
    """Whether a host shows its person a line of a hook."""
    return host.hooks.form == "groups"


Kind = Literal["start", "prompt"]
"""What a hook showed: the text at a session's start, or what fits a prompt; the tier of its decision."""

MOST_TOLD = 6000
"""Characters of blocks that a prompt brings at most."""


def fitting(session: Session, prompt: str, project: str) -> list[Placed]:
    """What a person approved and fits a prompt, in the order in which it is told.

    What holds a secret or a private fact stays out, as from ``prime``: nobody asked for it.
    """
    if not prompt.strip():
        return []
    # Searching is loaded where something is searched: behind each report the open decisions are named alone.
    from alice_exp.finding.rules.choice import choose, is_rival
    from alice_exp.finding.rules.concerns import TRUSTED_PLACES
    from alice_exp.finding.rules.ranking import fits_by_tags_alone
    from alice_exp.finding.usecases import Filters, of_team, replaced_ones, search
    from alice_exp.model.rules.private_facts import is_private

    places = Filters(places=TRUSTED_PLACES, project=project, here_only=True)
    (matches,) = search(session, [(prompt, {})], places)
    found = choose(
        (one for one in matches if not is_private(one.placed.block) and not fits_by_tags_alone(one, prompt)),
        is_rival,
        replaced_ones(session),
        team=of_team(session, prompt, {}),
    ).applied
    return [one.placed for one in found]


@dataclass(frozen=True, slots=True)
class Showing:
    """What a hook shows: the decision under which its outcome can be reported (empty where it is not kept), the blocks
    to tell, those that were told in this session already, and how many did not fit in."""

    decision: str
    told: tuple[Placed, ...]
    known: tuple[str, ...] = ()
    left_out: int = 0


def show(session: Session, talk: str, kind: Kind, prompt: str, blocks: Sequence[Placed]) -> Showing:
    """Open a decision for what a hook shows in a host's session ``talk``; without one none, and all is told. What a
    prompt brings counts as read.

    Its task is the ``prompt`` without its secrets; nothing of one that is said off the record, and nothing of the one
    before where this one asks for that. A block that was told since the session's last start joins by its id alone: the
    host still holds its text. Behind a compaction hosts start anew. A block is told whole or not at all: beyond
    ``MOST_TOLD`` characters it is left out, and is no part of the decision.
    """
    from alice_exp.blocks.store import access
    from alice_exp.learning.store import OpenDecision, decisions
    from alice_exp.model.values.block import is_of_team

    now, known_ones = session.caller.now, decisions(session)
    earlier = known_ones.shown(talk) if talk and kind == "prompt" else ()
    last = max((at for at, one in enumerate(earlier) if one.tier == "start"), default=0)
    before = {block_id for one in earlier[last:] for block_id in one.applied}
    told: list[Placed] = []
    room, left_out = MOST_TOLD, 0
    for one in blocks:
        size = len(row(one))
        if one.block.id in before:
            continue
        if kind == "prompt" and size > room:
            left_out += 1
            continue
        told.append(one)
        room -= size
    known = tuple(one.block.id for one in blocks if one.block.id in before)
    decision = session.caller.new_id("dec") if talk and (told or known or kind == "start") else ""
    if decision:
        applied = tuple(one.block.id for one in blocks if one in told or one.block.id in before)
        task = _on_record(known_ones, earlier, prompt)
        if not known_ones.open(OpenDecision(decision, now, task, {}, kind, applied, (), talk)):
            decision = ""
    if kind == "prompt" and told:
        access(session).record([one.block.id for one in told if not is_of_team(one)], now)
    return Showing(decision, tuple(told), known, left_out)


_MAY_ASK = re.compile(
    r"\b(?:record|remember|save|store|keep|note|write|log|memori|forget|strike)|[记存写]", re.IGNORECASE
)


def _on_record(decisions: Decisions, earlier: Sequence[OpenDecision], prompt: str) -> str:
    """A prompt as it may be kept; the task before is taken out where the prompt asks for it."""
    from alice_exp.model.rules.private_facts import masked_line

    if not _MAY_ASK.search(prompt):  # the patterns themselves take a tenth of a hook to load
        return masked_line(prompt)
    from alice_exp.conversations.rules.own_sentences import but_unrecorded

    before = [one for one in earlier if one.task][-1:]
    left = but_unrecorded([Message("user", text) for text in (*(one.task for one in before), prompt)])
    for one, kept in zip(before, left, strict=False):
        if not kept.content:
            decisions.unsay(one.decision)
    return masked_line(left[-1].content)


def row(placed: Placed) -> str:
    """A block as one line for a model, whole."""
    from alice_exp.model import documents
    from alice_exp.model.values.block import is_of_team

    team = f", team of {placed.block.origin}" if is_of_team(placed) else ""
    return visible(" ".join(f"- {documents.said(placed)} [{placed.block.id}{team}]".split()))


CONNECTION_CANDIDATES = 20
"""Candidates that one connection may add."""

PENDING = 256
"""Candidates that may wait for the person at all."""

BUDGET = 640
"""Tokens of the answer of ``heard`` at most (B4.2)."""


def told(sentences: Sequence[Heard]) -> dict[str, Any]:
    """As many sentences as fit ``BUDGET``, the oldest first, and what to do with them."""
    # A hook counts what waits, and reads none of it.
    from alice_exp.conversations.rules.context_window import estimate_tokens
    from alice_exp.conversations.rules.own_sentences import TEN_LINES

    def made(count: int) -> dict[str, Any]:
        rows = [{"id": one.id, "at": one.at[:10], "text": one.text} for one in sentences[:count]]
        return {"sentences": rows, "left": len(sentences) - count, "lines": TEN_LINES if sentences else ""}

    def fits(count: int) -> bool:
        return estimate_tokens(json.dumps(made(count), ensure_ascii=False)) <= BUDGET

    return made(max(takewhile(fits, range(1, len(sentences) + 1)), default=0))


def require_room(session: Session, added: int) -> None:
    """Raise ``RefusedError`` where a connection that ``added`` so many candidates, or all together, may add no more."""
    if added >= CONNECTION_CANDIDATES:
        raise RefusedError(
            "this connection has added {count} candidates, which is the most it may",
            count=CONNECTION_CANDIDATES,
            hint="ask the person to review them: alice-exp heartbeat",
        )
    waiting = len(list(session.home.read(["low_value"])))
    if waiting >= PENDING:
        raise RefusedError(
            "{count} candidates wait for the person already, which is the most there may be",
            count=waiting,
            hint="ask the person to review them: alice-exp heartbeat",
        )
