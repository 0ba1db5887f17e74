"""What a person types and an agent sends alike, said once: each field's sentence and, of a number, its bounds.

A command's option or argument without a help of its own takes its sentence from here, and so does an operation's
parameter without a description: by ``room.function`` of the command and the field, else by the field alone.
"""

from __future__ import annotations

from collections.abc import Mapping

from alice_exp.kernel.errors import UsageError

FIELDS: Mapping[str, str] = {
    "query": "What you want to know, in your own words.",
    "task": "What is to be done, in your own words.",
    "topic": "What you want to know about.",
    "payload": "What to do or to believe: one idea, self-contained, and why.",
    "trigger": "The situation in which it helps, as a later task would be worded.",
    "about": "work: how the work is done; user: who the person is and what they like; else its words tell.",
    "tags": "A word to filter by.",
    "context": "The environment: repository, language, tool.",
    "evidence": "Why it is believed: a quote, or an episode's id.",
    "quote": "A sentence of 'heard' on which it rests.",
    "everywhere": "It holds in every project, not in this one alone.",
    "importance": "From 0 to 1.",
    "scenario": "Where it happened (repo x, release 4): failures there count once; else the day's context.",
    "note": "What went well or wrong, kept as evidence.",
    "action": "What was done.",
    "learning.outcome action": "What was done, where it was more than the blocks say.",
    "result": "What came of it: a text or JSON.",
    "success": "Whether it worked.",
    "reward": "How good it was, from 0 to 1 (else 1 for a success, 0 for a failure).",
    "used": "A block that was done: it counts for such alone, else for all that were told.",
    "skipped": "A block that was told and not done: it does not count for it.",
    "episodes.add task": "What was to be done.",
    "reflection": "What was learned.",
    "episodes.add type": "The kind of task (else the context's type, domain or topic).",
    "thought": "What you concluded or chose, in a sentence or two.",
    "timeline.add context": "The situation: what was asked, what was there.",
    "metadata": "Pairs of your own, as cycle_id=7.",
}

BOUNDS: Mapping[str, tuple[float, float]] = dict.fromkeys(
    ("importance", "reward", "min_importance", "min_consolidation", "min_reward"), (0, 1)
)

_TYPED = {"when": "trigger", "tag": "tags", "came": "result", "meta": "metadata"}
"""Options whose name is another than the field's."""


def require_fitting(size: int) -> None:
    """Raise ``UsageError`` where an argument of a call, or a text given to a command, has more than 64 KiB."""
    if size > 64 * 1024:
        raise UsageError("an argument of {size} bytes is over the limit of 64 KiB", size=size)


def sentence_of(command: str, field: str) -> str:
    """What a field of a command (``room.function``) is, as a sentence; empty where it is not shared."""
    name = _TYPED.get(field, field)
    return FIELDS.get(f"{command} {name}", FIELDS.get(name, ""))
