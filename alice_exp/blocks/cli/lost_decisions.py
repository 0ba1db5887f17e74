"""The decisions that the files lack: told, and put back or let go by ``restore --lost``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alice_exp.blocks.usecases import provenance
from alice_exp.home.caller import require_person
from alice_exp.kernel.errors import NotFoundError
from alice_exp.kernel.journal.act import commit_id
from alice_exp.model.documents import payload_text
from alice_exp.terminal.language import say

if TYPE_CHECKING:
    from alice_exp.model.rules.lost_decisions import Lost
    from alice_exp.terminal.console import Terminal


def told_lost(row: Lost) -> tuple[str, str]:
    """What a lost decision was about, and what it was, with its day."""
    day = row.entry.at[:10]
    words = {
        "trusted": say("you approved it on {day}", day=day),
        "rejected": say("you rejected it on {day}", day=day),
        "retired": say("you retired it on {day}", day=day),
    }[row.entry.standing]
    said = say("{what}, as a copy of the ledger says", what=words) if row.is_copied else words
    return payload_text(row.text) if row.text is not None else "", said


def restore_lost(terminal: Terminal, *, lets_go: bool) -> None:
    """Show the decisions that the files lack, and once a person says so put them back or let them go."""
    from alice_exp.owner.wiring import signing

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
    done = provenance.restore_lost(signing(opened), opened.history, ids, lets_go=lets_go)
    text = (
        say("{count} decisions hold no more", count=len(done.ids))
        if lets_go
        else say("{count} decisions are in the files again", count=len(done.ids))
    )
    terminal.answer({"ids": list(done.ids), "commit": commit_id(done.commit)}, lambda: terminal.line(text))
