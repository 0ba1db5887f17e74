"""Tells acts and decisions in the person's language; a commit's own subject stays English."""

from __future__ import annotations

import re
from collections.abc import Sequence

from alice_exp.blocks.rules.lost_decisions import Lost
from alice_exp.caller.acting import require_person
from alice_exp.home.ports import Purged
from alice_exp.kernel.errors import Names, NotFoundError
from alice_exp.kernel.journal.act import OPS, Commit, commit_id
from alice_exp.model import documents
from alice_exp.terminal.console import Terminal, short
from alice_exp.terminal.language import language, say

_STATES = re.compile(r"\b(?:possible|past|reliable|obsolete)\b")
_COUNTED = re.compile(r"(.*?) \((\d+) verified\)")
_REPORTED = re.compile(r"(\d+) waiting, (\d+) expired")
DETAILS = (
    "a new home",
    "a new history begins",
    "the history goes on",
    "on the screen",
    "content",
    "fields and comments",
    "it still holds",
    "settle a merge",
    "nothing of it is kept",
    "trusted in {place}",
    "turned down in {place}",
)
"""What some acts say of themselves, always in the same words."""
COUNTS = {"new": "{count} new", "changed": "{count} changed", "removed": "{count} removed"}
"""What adopting an edit says of its blocks."""
_EFFECTS = ("verified", "debounced", "noted", "failed", "needs review", "withheld")
_TAKEN = re.compile(r"(\d+) (new|changed|removed)")
_OUTCOME = re.compile(r"(ok|fail) of (\S+)(.*)")


def in_words(act: Commit) -> str:
    """The act's subject in the person's language; as it is where it is English, or no act's."""
    head, colon, detail = act.subject.partition(": ")
    op, _, target = head.partition(" ")
    if language() == "en" or op not in OPS:
        return act.subject
    blocks = re.fullmatch(r"(\d+) blocks", target)
    target = say("{count} blocks", count=int(blocks[1])) if blocks else target
    return " ".join(filter(None, (say(op), target))) + (f"：{_detail(detail)}" if colon else "")


def told_elsewhere(terminal: Terminal, done: Purged) -> None:
    """Say which files a purge left that say the same; of a conversation, what deletes it."""
    for path in done.elsewhere:
        terminal.note(
            say("alice-exp: {path} still says the same; it is not part of the block and stays", path=path)
        )
        if found := _CONVERSATION.fullmatch(path):
            terminal.note(say("  to delete that conversation: 'alice-exp session forget {id}'", id=found[1]))
    if done.trigger:
        terminal.note(say("alice-exp: what it was for still stands in {few}", few=Names(done.trigger)))
    if done.named:
        terminal.note(say("alice-exp: its id, and no word of it, stays in {few}", few=Names(done.named)))


_CONVERSATION = re.compile(r"sessions/(.+)\.jsonl")


def _detail(detail: str) -> str:
    """What an act led to; what is not known here stays as it is."""
    if found := _REPORTED.fullmatch(detail):
        return say("{waiting} waiting, {gone} expired", waiting=int(found[1]), gone=int(found[2]))
    if found := _OUTCOME.fullmatch(detail):
        return f"{say(found[1])} {found[2]}{found[3]}"
    if detail.startswith("takes back "):
        rows = (row.partition(" ") for row in detail.removeprefix("takes back ").split(", "))
        return "，".join(f"{say(op) if op in OPS else op} {rest}".rstrip() for op, _, rest in rows)
    if found := re.fullmatch(r"(\d+) seen again", detail):
        return say("{count} seen again", count=int(found[1]))
    if detail in DETAILS:
        return say(detail)
    if found := re.fullmatch(r"(\S+) set aside, (.+)", detail):
        return say("{name} set aside", name=found[1]) + f"，{say(found[2])}"
    if found := re.fullmatch(r"into (\S+)", detail):
        return say("into {place}", place=found[1])
    if found := re.fullmatch(r"(trusted|turned down) in (\S+)", detail):
        return say(detail.replace(found[2], "{place}"), place=found[2])
    detail = _TAKEN.sub(lambda row: say(COUNTS[row[2]], count=int(row[1])), detail)
    states = _STATES.sub(lambda word: say(word[0]), detail)
    if found := _COUNTED.fullmatch(states):
        verified = say("{count} verified", count=int(found[2]))
        words = found[1].split(", ")
        said = "，".join(say(word) if word in _EFFECTS else word for word in words)
        return f"{said}（{verified}）"
    return states


def block_words(terminal: Terminal, acts: Sequence[Commit]) -> dict[str, str]:
    """What the blocks of some acts say, by id."""
    versions = (one for act in acts for one in terminal.session.history.changed(act.commit).blocks)
    said = ((one.block_id, one.after or one.before) for one in versions)
    return {block_id: short(documents.payload_text(placed), 60) for block_id, placed in said if placed}


def told_lost(row: Lost) -> tuple[str, str]:
    """What a lost decision was about, and what it was, with its day."""
    day = row.entry.at[:10]
    words = {
        "trusted": say("you approved it on {day}", day=day),
        "rejected": say("you rejected it on {day}", day=day),
        "retired": say("you retired it on {day}", day=day),
    }[row.entry.standing]
    said = say("{what}, as a copy of the ledger says", what=words) if row.is_copied else words
    return documents.payload_text(row.text) if row.text is not None else "", said


def restore_lost(terminal: Terminal, *, lets_go: bool) -> None:
    """Show the decisions that the files lack, and once a person says so put them back or let them go."""
    from alice_exp.blocks.usecases import provenance

    opened = terminal.session
    require_person(opened.caller, "restore", "alice-exp restore --lost")
    rows = provenance.lost(opened.home, opened.history)
    if not rows:
        raise NotFoundError("the files lack no decision of yours", hint="see 'alice-exp heartbeat'")
    for row in () if terminal.json else rows:
        terminal.note("  ".join(filter(None, (row.entry.id, *told_lost(row)))))
    asked = (
        say("Let {count} decisions go?", count=len(rows))
        if lets_go
        else say("Put {count} decisions back?", count=len(rows))
    )
    terminal.confirm(asked, is_new=True)
    ids = [row.entry.id for row in rows]
    done = provenance.restore_lost(opened.home, opened.caller, opened.history, ids, lets_go=lets_go)
    text = (
        say("{count} decisions hold no more", count=len(done.ids))
        if lets_go
        else say("{count} decisions are in the files again", count=len(done.ids))
    )
    terminal.answer({"ids": list(done.ids), "commit": commit_id(done.commit)}, lambda: terminal.line(text))
