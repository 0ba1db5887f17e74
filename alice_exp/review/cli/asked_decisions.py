"""Approving and rejecting as the person at this terminal, who says of two rivals which one holds."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from alice_exp.model.values.block import PLACES, is_approved
from alice_exp.owner.wiring import signing
from alice_exp.review import usecases as review
from alice_exp.review.cli.decided_texts import numbered
from alice_exp.review.cli.report_model import told
from alice_exp.review.cli.review_pages import LATER
from alice_exp.review.cli.single_keys import QUITTING, key
from alice_exp.review.cli.where_it_holds import which_holds
from alice_exp.terminal.language import say

if TYPE_CHECKING:
    from alice_exp.model.values.block import Placed
    from alice_exp.review.cli.named_candidates import Choice
    from alice_exp.review.rules.rival_pairs import Answer, Rival
    from alice_exp.review.usecases import Decided, Seen
    from alice_exp.terminal.console import Terminal

_KEYS: dict[str, Answer] = {"n": "new", "o": "old", "b": "both", "x": "neither"}


def ask(terminal: Terminal, new: Placed, old: Placed) -> Answer | Literal["later", "quit"]:
    """Ask which of two rivals holds, by one key, where both texts stand on the screen."""
    terminal.line(say("Which one holds?"))
    for label, placed in ((say("new"), new), (say("old"), old)):
        terminal.line(f"  {label}  {placed.block.id}  {told(placed)}")
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


def left_lines(terminal: Terminal, done: Decided) -> Iterator[str]:
    """What a review says of each candidate that a decision left as it is."""
    for block_id, why in done.skipped:
        if why != "rival":
            yield say("{id} has {why} since it was shown; it is left as it is", id=block_id, why=say(why))
    yield from (left_waiting(terminal, rival) for rival in done.rivals)


def left_waiting(terminal: Terminal, rival: Rival) -> str:
    """What is said of a candidate that an approval left waiting, with the commands that answer."""
    return say(
        "alice-exp: {number} waits, for it contradicts {id}: {text}\n  {answers}",
        number=numbered(terminal, rival.new.block.id),
        id=rival.old.block.id,
        text=told(rival.old),
        answers=which_holds(numbered(terminal, rival.new.block.id), rival.old.block.id),
    )


def done_to(decided: Decided, verb: str) -> str:
    """What became of what was to be approved: asked which holds, the person may have turned it down."""
    is_turned_down = any(placed.place == "archive" for placed in decided.placed)
    return "reject" if verb == "approve" and is_turned_down else verb


def is_approved_already(terminal: Terminal, ids: Sequence[str]) -> bool:
    """Whether a person approved the first of some blocks as it stands."""
    placed = terminal.session.home.read(PLACES).find(ids[0])
    return placed is not None and is_approved(placed)


def approved(
    terminal: Terminal,
    ids: Sequence[str],
    to: str = "",
    *,
    bulk: bool = False,
    reason: str = "",
    replacing: Sequence[str] = (),
    both: Sequence[str] = (),
    everywhere: bool = False,
    dry_run: bool = False,
    seen: Seen = MappingProxyType({}),
    reply: str = "",
    asks: bool = False,
) -> Decided:
    """Approve as the person at this terminal, signed if the home has an owner key.

    With ``asks`` they say of one candidate which holds, it or its rival, rival by rival; else it stays waiting.
    """
    from alice_exp.owner import usecases as owner

    if (replacing or both) and is_approved_already(terminal, ids):
        return review.answered(terminal.doors(dry_run), terminal.session.caller, ids[0], replacing, both)
    done = owner.decide(
        signing(terminal.session, terminal.doors(dry_run)),
        "approve",
        lambda home, caller, stamp: review.approve(
            home,
            replace(caller, reply=reply),
            ids,
            to,
            bulk=bulk,
            reason=reason,
            replacing=replacing,
            both=both,
            everywhere=everywhere,
            stamp=stamp,
            seen=seen,
        ),
    )
    if not (asks and done.rivals):
        return done
    new, old = (one.block.id for one in (done.rivals[0].new, done.rivals[0].old))
    answer = ask(terminal, done.rivals[0].new, done.rivals[0].old)
    if answer == "old":
        return rejected(terminal, ids, reason, dry_run=dry_run, seen=seen, reply=reply)
    if answer == "neither":
        return review.neither(terminal.doors(dry_run), terminal.session.caller, new, old, seen=seen)
    if answer in ("later", "quit"):
        return done
    replacing, both = ([*replacing, old], both) if answer == "new" else (replacing, [*both, old])
    again = partial(approved, terminal, ids, to, reason=reason, everywhere=everywhere, dry_run=dry_run)
    return again(replacing=replacing, both=both, seen=seen, reply=reply, asks=True)


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
    doors = terminal.doors(dry_run)
    caller = replace(terminal.session.caller, reply=reply)
    return review.reject(doors, caller, ids, reason, bulk=bulk, seen=seen)


def purged(terminal: Terminal, ids: Sequence[str]) -> bool:
    """Remove every version of rejected blocks, because of what they hold; what repeats it elsewhere is named. Returns
    whether nothing does."""
    from alice_exp.blocks.cli.told_acts import told_elsewhere
    from alice_exp.blocks.usecases.lifetime import purge

    is_gone = True
    for block_id in ids:
        done = purge(terminal.session.home, terminal.session.caller, block_id)
        told_elsewhere(terminal, done)
        is_gone = is_gone and not done.elsewhere
    return is_gone
