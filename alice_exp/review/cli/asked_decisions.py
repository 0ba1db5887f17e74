"""Approving and rejecting as the person at this terminal, who names candidates one by one, by what they share or all of
them, and says of two rivals which one holds."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from alice_exp.kernel.errors import UsageError
from alice_exp.kernel.text.display import cells
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.documents import payload_text
from alice_exp.model.rules.private_facts import delicate
from alice_exp.model.values.block import REVIEWED, Placed, content_hash, is_approved, is_asked
from alice_exp.review.cli.candidate_card import kinds_held, told, which_holds
from alice_exp.review.cli.report_parts import differences
from alice_exp.review.rules.daily_report import Item, as_decided
from alice_exp.review.rules.doubts import Answer, Rival
from alice_exp.review.rules.report_order import Wanted
from alice_exp.review.store import reports
from alice_exp.review.usecases import decisions
from alice_exp.review.usecases.decisions import Decided, Seen
from alice_exp.terminal.console import Terminal, folded, scoped, short
from alice_exp.terminal.editor import QUITTING, answered_key
from alice_exp.terminal.language import listed, say
from alice_exp.terminal.streams import stop_ticking

if TYPE_CHECKING:
    from alice_exp.caller.acting import Caller
    from alice_exp.home.file_home import Home
    from alice_exp.review.rules.reply import Decision

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
    """The candidates of a decision: their ids, whether they were named by what they share, how many more the report
    only counted, so that no decision reaches them, and the hashes of what is shown before the decision, by id."""

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


def wide(terminal: Terminal, ids: Sequence[str]) -> Choice:
    """Those of many that a report has shown; the others are counted."""
    shown, left = decisions.shown_only(terminal.session.home, ids)
    return Choice(shown, True, left)


def standing(terminal: Terminal) -> Choice:
    """What stands in universal without an approval of this home; what has to be decided on by itself is named."""
    hashes = {placed.block.id: content_hash(placed.block) for placed in standing_together(terminal)}
    return Choice(tuple(hashes), True, hashes=hashes)


def standing_together(terminal: Terminal) -> tuple[Placed, ...]:
    """What stands in the trusted sets without an approval; which of it is never approved along with others is said."""
    from alice_exp.review.usecases import todays_report

    together, apart = todays_report.standing(terminal.session.home)
    if ids := [placed.block.id for placed in apart]:
        left = "alice-exp: to be decided on one by one (a secret, a private fact, or rejected before): {ids}"
        terminal.note(say(left, ids=listed(ids)))
    return together


def reached(terminal: Terminal, decision: Decision, text: str) -> Choice:
    """What of a reply's decision a report has shown, or an id names; ``RefusedError`` for a number only counted."""
    if decision.is_wide:
        return wide(terminal, decision.ids)
    ids = decisions.chosen(terminal.session, decision.ids)
    snapshot = terminal.session.home.read(REVIEWED)
    for block_id, number in reports(terminal.session).open.numbers.items():
        if block_id in ids and decisions.is_unseen(snapshot.find(block_id)) and block_id not in text:
            raise decisions.unseen(str(number))
    return Choice(ids)


def counted(terminal: Terminal, verb: str, ids: Sequence[str]) -> str:
    """What became of some candidates, by their numbers: ``approved 1 3-5``."""
    from alice_exp.review.rules import reply

    return say(_COUNTED[verb], names=reply.named(ids, reports(terminal.session).open.ids))


_COUNTED = {"approve": "approved {names}", "reject": "rejected {names}", "left": "left {names}"}


def wanted(terminal: Terminal, about: str, by: str, project: str, match: str, *, new: bool = False) -> Wanted:
    """What the options ask for; ``UsageError`` where ``--about`` names another subject than user and work."""
    if about not in ("", "user", "work"):
        raise UsageError(
            "unknown subject {name}", name=repr(about), hint="write --about user or --about work"
        )
    return Wanted(new, about, by, terminal.session.names_of(project) if project else "", match)


_KEYS: dict[str, Answer] = {"n": "new", "o": "old", "b": "both", "x": "neither"}


def answers_of(item: Item) -> Mapping[str, Answer]:
    """The keys that say which holds, of a candidate that contradicts another block; a secret is decided by itself."""
    return _KEYS if item.asks_of is not None and not item.delicate else {}


def show_sides(terminal: Terminal, new: Placed, old: Placed) -> None:
    """The question which of two rivals holds, and both texts."""
    terminal.line(say("Which one holds?"))
    for label, placed in ((say("new"), new), (say("old"), old)):
        terminal.line(f"  {label}  {placed.block.id}  {told(placed)}")


def ask(terminal: Terminal, new: Placed, old: Placed) -> Answer | Literal["later", "quit"]:
    """Ask which of two rivals holds, by one key, where both texts stand on the screen."""
    show_sides(terminal, new, old)
    pressed = answered_key(say("[n]ew [o]ld [b]oth [x] neither [l]ater [q]uit "), _KEYS)
    return "quit" if pressed in QUITTING else _KEYS.get(pressed, "later")


def may_ask(terminal: Terminal, chosen: Choice) -> bool:
    """Whether the person is asked about a rival: at a terminal, where they approve one candidate by its name."""
    is_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    is_one = len(chosen.ids) == 1 and not chosen.is_wide
    return is_one and is_terminal and not (terminal.yes or terminal.json or terminal.is_dry)


_LEFT = {
    "private": "alice-exp: {number} is private or secret and waits; to keep it: alice-exp approve {number}",
    "stale": "alice-exp: {id} stands in a file with a problem; see 'alice-exp check'",
    "moved": "alice-exp: {id} was decided already; see 'alice-exp why {id}'",
    "gone": "alice-exp: {id} is gone; see 'alice-exp log {id}'",
    "changed": "alice-exp: {id} has {why} since it was shown; see 'alice-exp heartbeat' again",
    "shown again": "{id} has {why} since it was shown; it is left as it is",
}


def left_lines(terminal: Terminal, done: Decided, *, in_review: bool = False) -> Iterator[str]:
    """What is said of each candidate that a decision left as it is; of a rival with the commands that answer."""
    # Of two that wait each is the other's rival: that is one question.
    for rival in {frozenset((one.new.block.id, one.old.block.id)): one for one in done.rivals}.values():
        number, other = numbered(terminal, rival.new.block.id), rival.old.block.id
        yield say(
            "alice-exp: {number} waits, for it contradicts {id}: {text}\n  {answers}",
            number=number,
            id=other,
            text=told(rival.old),
            answers=which_holds(number, other, alike=rival.old.place == "low_value"),
        )
    for block_id, why in done.skipped:
        if why != "rival":
            how = "shown again" if in_review and why == "changed" else why
            yield say(_LEFT[how], number=numbered(terminal, block_id), id=block_id, why=say(why))


def verb_of(placed: Placed, verb: str) -> str:
    """What became of one block of a decision: the answer on two rivals approves one and turns the other down."""
    return verb if verb in ("merge", "purge") else "reject" if placed.place == "archive" else "approve"


def approved(
    terminal: Terminal,
    ids: Sequence[str],
    *,
    dry_run: bool = False,
    seen: Seen = MappingProxyType({}),
    reply: str = "",
    asks: bool = False,
    **how: Any,
) -> Decided:
    """Approve as the person at this terminal, signed if there is an owner key; ``how`` as in ``decisions.approve``.
    With ``asks`` they say which holds, a candidate or its rival, rival by rival; else it stays waiting."""
    # The report's command takes its options from here, and decides nothing.
    from alice_exp.review.usecases import rival_answers

    target, caller = terminal.home_for(dry_run), replace(terminal.session.caller, reply=reply)
    replacing, both = how.get("replacing", ()), how.get("both", ())
    known = terminal.session.home.read(REVIEWED).find(ids[0]) if replacing or both else None
    if known is not None and is_approved(known):
        return rival_answers.answered(target, caller, ids[0], replacing, both)
    how |= {"seen": seen, "asks": asks}
    done = decisions.approve(target, caller, ids, **how)
    return _going_on(terminal, target, caller, done, how) if asks else done


def answered(terminal: Terminal, item: Item, pressed: str) -> Decided:
    """What one of the keys ``answers_of`` does to a candidate and the block that it contradicts, shown side by side."""
    assert item.asks_of is not None
    home, caller = terminal.session.home, terminal.session.caller
    rival = Rival(item.placed, item.asks_of.placed, item.asks_of.kind)
    how: dict[str, Any] = {"seen": {}, "asks": True}
    return _going_on(terminal, home, caller, _settled(home, caller, rival, _KEYS[pressed], how), how)


def _going_on(terminal: Terminal, home: Home, caller: Caller, done: Decided, how: dict[str, Any]) -> Decided:
    """Ask about one rival after the other, as long as an approval meets one."""
    while done.rivals:
        rival = done.rivals[0]
        answer = ask(terminal, rival.new, rival.old)
        if answer == "later" or answer == "quit":
            return replace(done, is_quit=answer == "quit")
        done = _settled(home, caller, rival, answer, how)
    return done


def _settled(home: Home, caller: Caller, rival: Rival, answer: Answer, how: dict[str, Any]) -> Decided:
    """Carry out which of two rivals holds, as both stand on the screen."""
    from alice_exp.review.usecases import rival_answers

    if rival.old.place == "low_value":
        shown = {one.block.id: content_hash(one.block) for one in (rival.new, rival.old)}
        how["seen"] = {**how["seen"], **shown}
    return rival_answers.settle(home, caller, rival, answer, how)


def purged(terminal: Terminal, ids: Sequence[str]) -> bool:
    """Remove every version of rejected blocks; what repeats them elsewhere is named. Returns whether nothing does."""
    from alice_exp.blocks.cli.lifetime_commands import told_elsewhere
    from alice_exp.blocks.usecases.lifetime import purge

    is_gone = True
    for block_id in ids:
        done = purge(terminal.session.home, terminal.session.caller, block_id)
        told_elsewhere(terminal, done)
        is_gone = is_gone and not done.elsewhere
    return is_gone


def numbered(terminal: Terminal, block_id: str) -> str:
    """A candidate's number in the open report; its id if it has none."""
    return str(reports(terminal.session).open.numbers.get(block_id, block_id))


def show_all(terminal: Terminal, ids: Sequence[str]) -> None:
    """Print the whole text of each block, above the question whether to decide on all of them."""
    if terminal.json:
        return
    known = terminal.session.home.read(REVIEWED).with_ids({*ids})
    found = [known[one] for one in ids if one in known]
    was = as_decided(found, terminal.session.history.decided)
    for placed in found:
        _write(terminal, placed, was.get(placed.block.id))


def show_unseen(terminal: Terminal, ids: Sequence[str], others: Sequence[str] = ()) -> dict[str, str]:
    """Print what no report has shown yet of the blocks to decide on; their content hashes, by id.

    With ``others``, the blocks that the decision replaces or merges into, both sides are printed. With ``--json`` the
    answer carries the texts; ``-q`` does not silence it: it is no mere answer."""
    known = terminal.session.home.read(REVIEWED).with_ids({*ids, *others})
    waiting = [
        known[one] for one in ids if one in known and (is_asked(known[one]) or not is_approved(known[one]))
    ]
    unseen = [placed for placed in waiting if placed.block.reported is None]
    if not terminal.json:
        for placed in (*(waiting if others else unseen), *(known[one] for one in others if one in known)):
            _write(terminal, placed)
    return {placed.block.id: content_hash(placed.block) for placed in unseen}


def _write(terminal: Terminal, placed: Placed, was: Placed | None = None) -> None:
    number, project = numbered(terminal, placed.block.id), placed.block.project
    text = told(placed) + (project and f" · {say('project {name}', name=project)}")
    if placed.block.about == "user" and not is_approved(placed):
        text = say("{title}: {text}", title=say("About you"), text=text)
    kinds = kinds_held(delicate(placed.block))
    warning = f"\n⚠ {say('holds {kinds}', kinds=kinds)}" if kinds else ""
    if placed.place != "low_value":
        warning += "".join(f"\n{line}" for line in differences(placed, was))
    stop_ticking()
    head = f"  {number}  "
    sys.stderr.write(folded(f"{head}{text}{warning}", sys.stderr, " " * len(head), len(head)))


_DECIDED = {
    "retire": "{number}  retired: {text} · {id}",
    "approve": "{number}  approved: {text} → {place} · {id}",
    "merge": "{number}  merged: {text} ({place})",
    "purge": "{number}  rejected and purged",
    "reject": "{number}  rejected: {text} · {id}",
    "would retire": "{number}  would be retired: {text} · {id}",
    "would approve": "{number}  would be approved: {text} → {place} · {id}",
    "would merge": "{number}  would be merged: {text} ({place})",
    "would purge": "{number}  would be rejected and purged",
    "would reject": "{number}  would be rejected: {text} · {id}",
}


def decided_line(terminal: Terminal, placed: Placed, verb: str) -> str:
    """What a decision did to one candidate: its number, its text as far as the line has room, and where it is now."""
    is_ended = placed.place == "archive" and placed.namespace == "obsolete"
    how = ("would " if terminal.is_dry else "") + ("retire" if is_ended else verb_of(placed, verb))
    values = {
        "number": numbered(terminal, placed.block.id),
        "place": scoped(placed.where, placed.block.project),
        "id": placed.block.id,
    }
    head, _, tail = say(_DECIDED[how], text="\n", **values).partition("\n")
    if (room := terminal.width - cells(head + tail)) < 24 and sys.stdout.isatty():
        room = terminal.width - cells(head)  # The place goes to a second line.
    line = f"{head}{short(payload_text(placed), room)}{tail}".removesuffix(f" · {values['number']}")
    ids = {*placed.block.replaces} if how == "approve" else ()
    ended = terminal.session.home.read(REVIEWED).with_ids(ids).values() if ids else ()
    return line + "".join(
        say(" · no longer told: {text}", text=short(payload_text(one), 40)) for one in ended
    )
