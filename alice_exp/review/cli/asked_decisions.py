"""Approving and rejecting as the person at this terminal, who says of two rivals which one holds."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from shutil import get_terminal_size
from types import MappingProxyType
from typing import Any, Literal

from alice_exp.kernel.text.display import cells, wrapped
from alice_exp.model.documents import payload_text
from alice_exp.model.rules.private_facts import delicate
from alice_exp.model.values.block import REVIEWED, Placed, content_hash, is_approved
from alice_exp.review.cli.candidate_card import kinds_held, scoped, told, which_holds
from alice_exp.review.cli.named_candidates import Choice
from alice_exp.review.cli.report_parts import differences
from alice_exp.review.cli.single_keys import LATER, QUITTING, key
from alice_exp.review.rules.daily_report import Item
from alice_exp.review.rules.doubts import Answer
from alice_exp.review.store import reports
from alice_exp.review.usecases import decisions, rival_answers
from alice_exp.review.usecases.decisions import Decided, Seen
from alice_exp.terminal.console import Terminal, short
from alice_exp.terminal.language import say

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


def answered_key(question: str, keys: Collection[str]) -> str:
    """The key that answers, puts off or quits; one that was pressed before the text was there decides nothing."""
    ahead: Collection[str] | None = LATER
    while True:
        pressed, ahead = key(question, ahead), None
        if pressed in QUITTING or pressed in LATER or (pressed and pressed in keys):
            return pressed


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
    """Approve as the person at this terminal, signed if the home has an owner key; ``how`` is as in
    ``decisions.approve``.

    With ``asks`` they say of one candidate which holds, it or its rival, rival by rival; else it stays waiting.
    """
    target, caller = terminal.home_for(dry_run), terminal.session.caller
    replacing, both = how.get("replacing", ()), how.get("both", ())
    known = terminal.session.home.read(REVIEWED).find(ids[0]) if replacing or both else None
    if known is not None and is_approved(known):
        return rival_answers.answered(target, caller, ids[0], replacing, both)
    done = decisions.approve(target, replace(caller, reply=reply), ids, seen=seen, asks=asks, **how)
    if not (asks and done.rivals):
        return done
    rival = done.rivals[0]
    answer = ask(terminal, rival.new, rival.old)
    if answer == "later" or answer == "quit":
        return done
    return _settled(terminal, rival.new, rival.old, answer, dry_run=dry_run, seen=seen, reply=reply, **how)


def answered(terminal: Terminal, item: Item, pressed: str) -> Decided:
    """What one of the keys ``answers_of`` does to a candidate and the block that it contradicts, shown side by side."""
    assert item.asks_of is not None
    return _settled(terminal, item.placed, item.asks_of.placed, _KEYS[pressed])


def _settled(
    terminal: Terminal,
    new: Placed,
    old: Placed,
    answer: Answer,
    *,
    dry_run: bool = False,
    seen: Seen = MappingProxyType({}),
    reply: str = "",
    **how: Any,
) -> Decided:
    """Carry out which of two rivals holds, as both stand on the screen; the next rival of the one that does is asked
    about."""
    one, other = new.block.id, old.block.id
    if old.place == "low_value":
        seen = {**seen, **{each.block.id: content_hash(each.block) for each in (new, old)}}
        if answer == "old":
            one, other, answer = other, one, "new"
    if answer == "old":
        return rejected(terminal, [one], how.get("reason", ""), dry_run=dry_run, seen=seen, reply=reply)
    if answer == "neither":
        target, caller = terminal.home_for(dry_run), terminal.session.caller
        return rival_answers.neither(target, caller, one, other, seen=seen)
    said = "replacing" if answer == "new" else "both"
    how[said] = [*how.get(said, ()), other]
    return approved(terminal, [one], dry_run=dry_run, seen=seen, reply=reply, asks=True, **how)


def rejected(
    terminal: Terminal,
    ids: Sequence[str],
    reason: str = "",
    *,
    bulk: bool = False,
    dry_run: bool = False,
    seen: Seen = MappingProxyType({}),
    reply: str = "",
) -> Decided:
    """Reject as the person at this terminal."""
    target = terminal.home_for(dry_run)
    caller = replace(terminal.session.caller, reply=reply)
    return decisions.reject(target, caller, ids, reason, bulk=bulk, seen=seen)


def purged(terminal: Terminal, ids: Sequence[str]) -> bool:
    """Remove every version of rejected blocks, because of what they hold; what repeats it elsewhere is named. Returns
    whether nothing does."""
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


def trusted_texts(terminal: Terminal, waiting: Sequence[Placed]) -> Mapping[str, Placed]:
    """What the person trusted of those that wait and say something else now, by id."""
    # A decision that shows nothing does without the rules of a report.
    from alice_exp.review.rules.daily_report import as_decided

    return as_decided(waiting, terminal.session.history.decided)


def show_all(terminal: Terminal, ids: Sequence[str]) -> None:
    """Print the whole text of each block, above the question whether to decide on all of them."""
    if terminal.json:
        return
    snapshot = terminal.session.home.read(REVIEWED)
    found = [placed for placed in map(snapshot.find, ids) if placed is not None]
    was = trusted_texts(terminal, found)
    for placed in found:
        _write(terminal, placed, was.get(placed.block.id))


def show_unseen(terminal: Terminal, ids: Sequence[str], others: Sequence[str] = ()) -> dict[str, str]:
    """Print what no report has shown yet of the blocks to decide on; their content hashes, by id.

    ``others`` are the trusted blocks that the decision replaces or merges into: they are printed, too. With ``--json``
    the answer itself carries the texts, and nothing is printed here. ``-q`` does not silence it: it is no mere answer.
    """
    snapshot = terminal.session.home.read(REVIEWED)
    unseen = decisions.never_shown(snapshot, ids)
    if not terminal.json:
        named = map(snapshot.find, others)
        for placed in (*unseen, *(one for one in named if one is not None)):
            _write(terminal, placed)
    return {placed.block.id: content_hash(placed.block) for placed in unseen}


def _write(terminal: Terminal, placed: Placed, was: Placed | None = None) -> None:
    terminal.settle()
    sys.stderr.writelines(f"{line}\n" for line in _lines(terminal, placed, was))


def _lines(terminal: Terminal, placed: Placed, was: Placed | None) -> Iterator[str]:
    number, text = numbered(terminal, placed.block.id), scoped(told(placed), placed.block.project)
    kinds = kinds_held(delicate(placed.block))
    warning = f"\n⚠ {say('holds {kinds}', kinds=kinds)}" if kinds else ""
    if placed.place != "low_value":
        warning += "".join(f"\n{line}" for line in differences(placed, was))
    # A program that reads this wraps for itself.
    width = terminal.width if sys.stderr.isatty() else 1 << 20
    for at, row in enumerate(wrapped(text + warning, max(20, width - len(number) - 4))):
        yield f"  {'' if at else number:{len(number)}}  {row}"


def decided_line(terminal: Terminal, placed: Placed, verb: str) -> str:
    """What a decision did to one candidate: its number, its text as far as the line has room, and where it is now."""
    rest = cells(_decided_line(terminal, placed, verb, ""))
    width = max(16, get_terminal_size().columns - rest)
    return _decided_line(terminal, placed, verb, short(payload_text(placed), width))


_WOULD = {
    "retire": "{number}  would be retired: {text} · {id}",
    "approve": "{number}  would be approved: {text} → {place} · {id}",
    "merge": "{number}  would be merged: {text} ({place})",
    "purge": "{number}  would be rejected and purged",
    "reject": "{number}  would be rejected: {text} · {id}",
}
_DID = {
    "retire": "{number}  retired: {text} · {id}",
    "approve": "{number}  approved: {text} → {place} · {id}",
    "merge": "{number}  merged: {text} ({place})",
    "purge": "{number}  rejected and purged",
    "reject": "{number}  rejected: {text} · {id}",
}


def _decided_line(terminal: Terminal, placed: Placed, verb: str, text: str) -> str:
    is_ended = placed.place == "archive" and placed.namespace == "obsolete"
    verb = "retire" if is_ended else verb_of(placed, verb)
    values = {
        "number": numbered(terminal, placed.block.id),
        "text": text,
        "place": scoped(placed.where, placed.block.project),
        "id": placed.block.id,
    }
    return say(_WOULD[verb], **values) if terminal.is_dry else say(_DID[verb], **values)
