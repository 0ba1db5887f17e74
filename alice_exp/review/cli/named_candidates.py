"""What a decision names: numbers and ids, all that was shown, what is wanted of it, or what stands in universal."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Annotated

import typer

from alice_exp.kernel.errors import UsageError
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.rules.private_facts import delicate
from alice_exp.model.values.block import Placed, content_hash
from alice_exp.review.rules.report_order import Wanted
from alice_exp.review.store import reports
from alice_exp.review.usecases import decisions
from alice_exp.terminal.language import listed, say

if TYPE_CHECKING:
    from alice_exp.review.rules.reply import Decision
    from alice_exp.terminal.console import Terminal

About = Annotated[str, typer.Option("--about", metavar="user|work", help="Only what is about you, or work.")]
By = Annotated[
    str, typer.Option("--by", metavar="ACTOR", help="Only what this agent proposed, as agent:claude.")
]
Match = Annotated[str, typer.Option("--match", metavar="TEXT", help="Only what says this.")]
Project = Annotated[
    str,
    typer.Option(
        "--project", metavar="NAME|.", help="Only what belongs to this project ('.': this folder's)."
    ),
]


@dataclass(frozen=True, slots=True)
class Choice:
    """The candidates of a decision: their ids, whether they were named by what they share rather than one by
    one, and how many more were only counted by the report, so that no decision reaches them.

    ``hashes`` are those of the contents that are shown before the decision, by id.
    """

    ids: tuple[str, ...]
    is_wide: bool = False
    left: int = 0
    hashes: Mapping[str, str] = field(default_factory=dict)


def chosen(terminal: Terminal, references: list[str] | None, everything: bool, wanted: Wanted) -> Choice:
    """What a decision names: references, everything that was shown, or what of that is wanted."""
    if bool(references) == (everything or not wanted.is_any) or references == ["all"]:
        raise UsageError(
            "name what you decide on or say --all, one of the two", hint="see 'alice-exp heartbeat'"
        )
    if references:
        each = [one for reference in references for one in _counted(reference)]
        return Choice(decisions.chosen(terminal.session, each))
    ids = decisions.open_report(terminal.session).ids
    if not wanted.is_any:
        # A decision by numbers or ids does without the rules of a report.
        from alice_exp.review.usecases.todays_report import heartbeat

        report, _ = heartbeat(terminal.session, peek=True)
        fitting = {item.placed.block.id for item in report.items if wanted.holds(item)}
        ids = tuple(block_id for block_id in ids if block_id in fitting)
    return wide(terminal, ids) if ids else Choice((), True)


_NUMBERS = re.compile(r"\d{1,3}(?:[-–~～至到]\d{1,3})?(?:[,，、](?=\d|$)|$)")


def _counted(reference: str) -> list[str]:
    """The numbers that ``1-3`` or ``1,2`` stand for, as a reply reads them; another reference as it is."""
    parts = _NUMBERS.findall(reference)
    if "".join(parts) != reference:
        return [reference]
    spans = [[int(number) for number in re.findall(r"\d+", part)] for part in parts]
    return [str(number) for span in spans for number in range(span[0], span[-1] + 1)] or [reference]


def confirmed_wording(terminal: Terminal, text: str, ids: Sequence[str], refusal: UsageError) -> str:
    """What a refused reply may have meant, in plain words, once the person at the terminal says so; elsewhere raises
    the refusal, whose hint gives these words. Nothing is done by a guess, with ``--yes`` neither."""
    from alice_exp.review.usecases.free_replies import waiting, wording

    waits = waiting(terminal.session, ids)
    plain = wording(terminal.session, text, ids, waits)
    if not plain:
        refusal.hint = _example(refusal.hint, ids, waits)
        raise refusal
    if not sys.stdin.isatty() or terminal.json or terminal.yes:
        refusal.hint = say("if you mean this, write: alice-exp reply {plain}", plain=plain)
        raise refusal
    terminal.confirm(say("I read: {reading}. Is that what you mean?", reading=plain), is_new=True)
    return plain


def _example(hint: str, ids: Sequence[str], waits: Mapping[str, Placed]) -> str:
    """The hint of a refused reply: its example with one or two numbers that wait; none approves what holds a secret
    or a private fact while another one could be."""
    from alice_exp.review.rules.reply_clauses import EXAMPLE

    known = [(bool(delicate(waits[one].block)), at) for at, one in enumerate(ids, start=1) if one in waits]
    numbers = [number for _, number in sorted(known)]
    if hint != EXAMPLE:
        return hint
    if len(numbers) < 2:
        return say("write alice-exp reply approve") if numbers else "see 'alice-exp heartbeat --peek'"
    return say("write alice-exp reply approve {one}, reject {two}", one=numbers[0], two=numbers[1])


def wide(terminal: Terminal, ids: Sequence[str]) -> Choice:
    """Those of many that a report has shown; the others are counted."""
    shown, left = decisions.shown_only(terminal.session.home, ids)
    return Choice(shown, True, left)


def together(terminal: Terminal) -> tuple[Placed, ...]:
    """What stands in the trusted sets without an approval of this home; what is decided by itself is named."""
    from alice_exp.review.usecases import todays_report

    found, apart = todays_report.standing(terminal.session.home)
    one_by_one = (
        "alice-exp: to be decided on one by one (a secret, a private fact, or rejected before): {ids}"
    )
    if apart:
        terminal.note(say(one_by_one, ids=listed([placed.block.id for placed in apart])))
    return found


def standing(terminal: Terminal) -> Choice:
    """All of these, as they stand."""
    hashes = {placed.block.id: content_hash(placed.block) for placed in together(terminal)}
    return Choice(tuple(hashes), True, hashes=hashes)


def meant(terminal: Terminal, project: str) -> str:
    """The value of ``--project`` as all names of that project; empty where none is asked for."""
    return terminal.session.names_of(project) if project else ""


def reached(terminal: Terminal, decision: Decision, text: str) -> Choice:
    """What of a reply's decision a report has shown; ``RefusedError`` for a number that was only counted.

    A candidate named by its id is shown before it is decided.
    """
    if decision.is_wide:
        return wide(terminal, decision.ids)
    ids = decisions.chosen(terminal.session, decision.ids)
    shown, _ = decisions.shown_only(terminal.session.home, ids)
    for block_id, number in reports(terminal.session).open.numbers.items():
        if block_id in ids and block_id not in shown and block_id not in text:
            raise decisions.unseen(str(number))
    return Choice(ids)


def subjects(terminal: Terminal) -> dict[str, tuple[str, ...]]:
    """The ids of the candidates that are about the user, and of those about work."""
    from alice_exp.review.usecases.todays_report import heartbeat

    report, _ = heartbeat(terminal.session, peek=True)
    return {
        name: tuple(i.placed.block.id for i in report.items if Wanted(about=name).holds(i))
        for name in ("user", "work")
    }


def told(terminal: Terminal, verb: str, ids: Sequence[str]) -> str:
    """What became of some candidates, by their numbers: ``approved 1 3-5``."""
    from alice_exp.review.rules import reply

    templates = {
        "approve": say("approved {names}"),
        "reject": say("rejected {names}"),
        "left": say("left {names}"),
    }
    return templates[verb].format(names=reply.named(ids, reports(terminal.session).open.ids))


def subject(name: str) -> str:
    """The value of ``--about``; ``UsageError`` for another than user and work."""
    if name not in ("", "user", "work"):
        raise UsageError("unknown subject {name}", name=repr(name), hint="write --about user or --about work")
    return name
