"""The texts that a decision touches, given to the person before it acts, for no act decides on what nobody was shown,
and what it did to them."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from shutil import get_terminal_size
from typing import TYPE_CHECKING

from alice_exp.kernel.text.display import cells, wrapped
from alice_exp.model.documents import payload_text
from alice_exp.model.rules.private_facts import delicate
from alice_exp.model.values.block import PLACES, Placed, content_hash
from alice_exp.review import usecases as review
from alice_exp.review.cli.where_it_holds import scoped
from alice_exp.review.wiring import reviewing
from alice_exp.terminal.console import short
from alice_exp.terminal.language import listed, say

if TYPE_CHECKING:
    from alice_exp.terminal.console import Terminal


def numbered(terminal: Terminal, block_id: str) -> str:
    """A candidate's number in the open report; its id if it has none."""
    numbers = reviewing(terminal.session).reports.open_ids()
    return str(numbers.index(block_id) + 1) if block_id in numbers else block_id


def show_all(terminal: Terminal, ids: Sequence[str]) -> None:
    """Print the whole text of each block, above the question whether to decide on all of them."""
    if terminal.json:
        return
    snapshot = terminal.session.home.read(PLACES)
    for placed in filter(None, map(snapshot.find, ids)):
        _write(terminal, placed)


def show_unseen(terminal: Terminal, ids: Sequence[str], others: Sequence[str] = ()) -> dict[str, str]:
    """Print what no report has shown yet of the blocks to decide on; their content hashes, by id.

    ``others`` are the trusted blocks that the decision replaces or merges into: they are printed, too. With ``--json``
    the answer itself carries the texts, and nothing is printed here. ``-q`` does not silence it: it is no mere answer.
    """
    unseen = review.never_shown(terminal.session.home, ids)
    if not terminal.json:
        snapshot = terminal.session.home.read(PLACES)
        named = map(snapshot.find, others)
        for placed in (*unseen, *(one for one in named if one is not None)):
            _write(terminal, placed)
    return {placed.block.id: content_hash(placed.block) for placed in unseen}


def _write(terminal: Terminal, placed: Placed) -> None:
    terminal.settle()
    sys.stderr.writelines(f"{line}\n" for line in _lines(terminal, placed))


def _lines(terminal: Terminal, placed: Placed) -> Iterator[str]:
    # What a report showed is decided on without anything of a report.
    from alice_exp.review.cli.report_model import told

    number, text = numbered(terminal, placed.block.id), scoped(told(placed), placed.block.project)
    kinds = listed(dict.fromkeys(say(one.kind) for one in delicate(placed.block)))
    warning = f"\n⚠ {say('holds {kinds}', kinds=kinds)}" if kinds else ""
    # A program that reads this wraps for itself.
    width = terminal.width if sys.stderr.isatty() else 1 << 20
    for at, row in enumerate(wrapped(text + warning, max(20, width - len(number) - 4))):
        yield f"  {'' if at else number:{len(number)}}  {row}"


def decided_line(terminal: Terminal, placed: Placed, verb: str) -> str:
    """What a decision did to one candidate: its number, its text as far as the line has room, and where it is now."""
    rest = cells(_decided_line(terminal, placed, verb, ""))
    width = max(16, get_terminal_size().columns - rest)
    return _decided_line(terminal, placed, verb, short(payload_text(placed), width))


def _decided_line(terminal: Terminal, placed: Placed, verb: str, text: str) -> str:
    is_dry = terminal.is_dry
    values = {
        "number": numbered(terminal, placed.block.id),
        "text": text,
        "place": scoped(f"{placed.place}/{placed.namespace}", placed.block.project),
        "id": placed.block.id,
    }
    if verb == "approve":
        return say(
            "{number}  would be approved: {text} → {place} · {id}"
            if is_dry
            else "{number}  approved: {text} → {place} · {id}",
            **values,
        )
    if verb == "merge":
        return say(
            "{number}  would be merged: {text} ({place})" if is_dry else "{number}  merged: {text} ({place})",
            **values,
        )
    if verb == "purge":
        return say(
            "{number}  would be rejected and purged" if is_dry else "{number}  rejected and purged", **values
        )
    return say(
        "{number}  would be rejected: {text} · {id}" if is_dry else "{number}  rejected: {text} · {id}",
        **values,
    )
