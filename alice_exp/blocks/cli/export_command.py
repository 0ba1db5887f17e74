"""``export`` and ``import alice``: the blocks of a home, out and back."""

from __future__ import annotations

import json
import sys
from typing import Annotated, Any

import typer

from alice_exp.blocks.rules.exported_blocks import exported, markdown, placed_of, row_of
from alice_exp.kernel.errors import ProblemError, UsageError
from alice_exp.kernel.journal.act import commit_id
from alice_exp.kernel.text.display import one_line
from alice_exp.model import documents
from alice_exp.model.values.block import PLACES, Placed
from alice_exp.terminal.console import Terminal
from alice_exp.terminal.language import rendered, say
from alice_exp.terminal.options import DryRun, Sets, json_lines, places_of, source_bytes
from alice_exp.terminal.streams import json_text

FORMATS = ("jsonl", "json", "markdown")


def export(
    terminal: Terminal,
    set_: Sets = [],  # noqa: B006
    format: Annotated[str, typer.Option(help="jsonl, json or markdown.")] = "jsonl",
) -> None:
    """Print the blocks with all their fields: every set and the archive, or those named by --set.

    'alice-exp import alice FILE' takes JSONL and JSON back.

    Examples: alice-exp export >blocks.jsonl · alice-exp export --set personal --format markdown
    """
    if format not in FORMATS:
        raise UsageError(
            "unknown format {format}", format=repr(format), hint="formats are jsonl, json, markdown"
        )
    places = places_of(set_) if set_ else PLACES
    found = exported(terminal.session.home.read(places), places)
    rows = [row_of(placed) for placed in found]
    if terminal.json or format == "json":
        terminal.answer({"blocks": rows}, lambda: _json(rows))
    elif not terminal.quiet:
        sys.stdout.write(
            markdown(found, say, rendered)
            if format == "markdown"
            else "".join(json_text(row, None) for row in rows)
        )


def _json(rows: list[dict[str, Any]]) -> None:
    sys.stdout.write(json_text({"blocks": rows}))


def import_alice(
    terminal: Terminal,
    source: Annotated[str, typer.Argument(metavar="FILE|-", help="What 'alice-exp export' wrote.")],
    as_mine: Annotated[
        bool, typer.Option("--as-mine", help="As they are, with state, counts and approval (needs --yes).")
    ] = False,
    dry_run: DryRun = False,
) -> None:
    """Take in what another home exported: as candidates, their counts and approvals as claims that 'why' shows.

    Examples: alice-exp import alice blocks.jsonl --dry-run · alice-exp import alice blocks.jsonl --as-mine --yes
    """
    from alice_exp.blocks.usecases.import_blocks import take_in_blocks

    rows, session = _blocks(source), terminal.session
    if as_mine and not dry_run and session.actor.is_person:
        terminal.confirm(say("take in {count} blocks with their approvals, as your own?", count=len(rows)))
    taken = take_in_blocks(session.home, session.caller, rows, as_mine=as_mine, dry_run=dry_run)
    document = {
        "ids": [] if dry_run else [one.block.id for one in taken.placed],
        "commit": commit_id(taken.commit),
        "known": taken.known,
        "refused": len(taken.refused),
        "archived": taken.archived,
        "dry_run": dry_run,
    }

    def text() -> None:
        for one in taken.placed:
            terminal.line(f"  {one.block.id}  {one_line(documents.payload_text(one), 100)}")
        count = len(taken.placed)
        if as_mine:
            terminal.line(say("{count} would come in" if dry_run else "{count} came in", count=count))
        else:
            waiting = (
                "{count} would wait for your decision"
                if dry_run
                else "{count} candidates wait for your decision"
            )
            terminal.line(say(waiting, count=count))
        for number, template in (
            (taken.known, "{count} were here already"),
            (len(taken.refused), "{count} were rejected before and not taken in"),
            (taken.archived, "{count} of the archive stayed out"),
        ):
            if number:
                terminal.line(say(template, count=number))

    terminal.answer(document, text)


def _blocks(source: str) -> list[Placed]:
    """The blocks of a file; ``ProblemError`` with the place of a row that is none."""
    found = []
    for number, fields in _rows(source):
        placed = placed_of(fields)
        if isinstance(placed, str):
            raise ProblemError(placed, path=source, line=number, column=1)
        found.append(placed)
    return found


def _rows(source: str) -> list[tuple[int, dict[str, Any]]]:
    """The rows of JSONL, or of the one document that ``--format json`` writes."""
    if source != "-":
        from pathlib import Path

        data = source_bytes(source)
        if data.lstrip().startswith(b"{") and Path(source).suffix != ".jsonl":
            try:
                whole = json.loads(data)
            except (ValueError, RecursionError):
                whole = None
            listed = whole.get("blocks") if isinstance(whole, dict) else None
            if isinstance(listed, list) and all(isinstance(one, dict) for one in listed):
                return [(1, one) for one in listed]
    return list(json_lines(source))
