"""The tool ``ask_person``: what waits is asked by the host's own dialog, and decided as that showed it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from itertools import islice
from typing import Any, Protocol

from alice_exp.agents.dialog_guards import has_owner_key, refused_here
from alice_exp.agents.store import spool
from alice_exp.caller.acting import Acting, Caller
from alice_exp.home.session import Session
from alice_exp.kernel.errors import RefusedError
from alice_exp.kernel.text.display import one_line, visible
from alice_exp.model.documents import payload_text, trigger_text
from alice_exp.model.values.block import Placed, content_hash
from alice_exp.review.cli.report_html import page, written
from alice_exp.review.cli.report_summary import summary
from alice_exp.review.rules.daily_report import Agenda, Item
from alice_exp.review.usecases.decisions import approve, reject
from alice_exp.review.usecases.todays_report import heartbeat
from alice_exp.terminal.language import say

MOST = 3
_LONGEST = 400
_READ = 0.7
"""Seconds within which nobody has read three lines: an answer that comes sooner is asked again."""

_FORM = {"type": "object", "properties": {}}


class Dialog(Protocol):
    """The host's dialog."""

    streams: tuple[int, int]
    modes: frozenset[str]

    def ask(self, params: Mapping[str, Any]) -> str:
        """Show it, and wait: ``accept``, ``decline`` or ``cancel``; the last where nobody answers any more."""
        ...


def ask_person(session: Session, dialog: Dialog) -> dict[str, Any]:
    """Ask about what waits and was never shown; what was decided, by id, and how many more wait.

    ``RefusedError`` where the person cannot be asked here, or was asked today.
    """
    if why := refused_here(session, dialog.streams, dialog.modes):
        raise RefusedError("the person cannot be asked here: {why}", why=why, hint=_ELSEWHERE)
    report = heartbeat(session, peek=True)[0]
    waiting = report.items
    fresh = [item.placed for item in waiting if _is_asked(item)]
    decided: dict[str, list[str]] = {"approved": [], "rejected": [], "later": []}
    if fresh and not spool(session).first(f"asked-{session.caller.day}"):
        raise RefusedError("the person was asked today already", hint=_ELSEWHERE)
    if fresh and has_owner_key(session):
        return {"page": _show_page(session, dialog, report), "waiting": len(waiting)}
    # What a dialog showed once is no report, and yet was shown.
    new = (one for one in fresh if spool(session).first(f"shown-{one.block.id}"))
    fresh = [*islice(new, MOST)]
    for number, placed in enumerate(fresh, start=1):
        said = _answer(dialog, _text(placed, number, len(fresh)))
        if not said:
            break
        decided[_decided(session, placed, said)].append(placed.block.id)
    return {
        **{how: ids for how, ids in decided.items() if ids},
        "waiting": len(waiting) - sum(map(len, decided.values())),
    }


def _show_page(session: Session, dialog: Dialog, report: Agenda) -> str:
    """Have the host open the report's page, which composes the reply that a terminal signs; the page's address."""
    where = written(session.root, page(report, summary(report))).as_uri()
    text = say(
        "{count} things wait. Your key signs what you approve: the page composes your reply, a terminal takes it.",
        count=len(report.items),
    )
    dialog.ask({"mode": "url", "url": where, "elicitationId": session.caller.new_id("ask"), "message": text})
    return where


_ELSEWHERE = "they review in a terminal: alice-exp review"


def _is_asked(item: Item) -> bool:
    """Whether a dialog can show it: it waits, was never shown, fits three lines and is not decided by itself alone."""
    placed = item.placed
    return (
        placed.place == "low_value"
        and not placed.stale
        and placed.block.reported is None
        and not item.stands_apart
        and len(payload_text(placed)) + len(trigger_text(placed)) <= _LONGEST
    )


def _text(placed: Placed, number: int, count: int) -> str:
    block = placed.block
    when, where = trigger_text(placed), block.project.partition(" ")[0]
    quoted = [one.quote for one in block.evidence if one.quote]
    lines = (
        say(
            "{number} of {count}: may your agents follow this from now on, in {project}?",
            number=number,
            count=count,
            project=where,
        )
        if where
        else say(
            "{number} of {count}: may your agents follow this from now on, everywhere?",
            number=number,
            count=count,
        ),
        f"{when}: {payload_text(placed)}" if when else payload_text(placed),
        say("It rests on: {evidence}", evidence=one_line(quoted[-1], 160))
        if quoted
        else say("It names no evidence."),
    )
    return "\n".join(visible(" ".join(line.split())) for line in lines)


def _answer(dialog: Dialog, text: str) -> str:
    """What a person said; empty where twice the answer came sooner than anybody reads."""
    for _ in range(2):
        began = time.monotonic()
        said = dialog.ask({"message": text, "requestedSchema": _FORM})
        if time.monotonic() - began >= _READ:
            return said if said in ("accept", "decline") else "cancel"
    return ""


def _decided(session: Session, placed: Placed, said: str) -> str:
    """Do what the dialog's answer says, as the person's act; what changed meanwhile waits on."""
    host, block = session.acting.named.name, placed.block
    now = session.caller
    person = Caller(Acting.in_dialog(), now.now, now.day, now.new_id, channel=f"dialog of {host}")
    seen = {block.id: content_hash(block)}
    if said == "accept":
        done = approve(session.home, person, [block.id], seen=seen)
        return "approved" if done.placed else "later"
    if said == "decline":
        return "rejected" if reject(session.home, person, [block.id], seen=seen).placed else "later"
    return "later"
