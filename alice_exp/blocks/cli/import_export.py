"""The commands ``export`` and ``import``: blocks as files for other programs, and what other programs kept."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from alice_exp.blocks.cli.capture_commands import draft_of, tell_refused, tell_waiting
from alice_exp.blocks.rules.memory_formats import mem0_export, mem0_pieces, pieces_of
from alice_exp.blocks.usecases import import_blocks
from alice_exp.blocks.usecases.capture import Draft
from alice_exp.kernel.errors import NotFoundError, ProblemError, UsageError
from alice_exp.kernel.journal.act import commit_id
from alice_exp.kernel.text.display import one_line
from alice_exp.kernel.value_class import attributes
from alice_exp.model import documents
from alice_exp.model.values.block import PLACES, Placed
from alice_exp.terminal.console import Terminal, short
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
    found = import_blocks.exported(terminal.session.home.read(places), places)
    rows = [import_blocks.row_of(placed) for placed in found]
    if terminal.json or format == "json":
        terminal.answer({"blocks": rows}, lambda: print(json_text({"blocks": rows}), end=""))
    elif not terminal.quiet:
        sys.stdout.write(
            import_blocks.markdown(found, say, rendered)
            if format == "markdown"
            else "".join(json_text(row, None) for row in rows)
        )


def import_alice(
    terminal: Terminal,
    source: Annotated[str, typer.Argument(metavar="FILE|-", help="What 'alice-exp export' wrote.")],
    as_mine: Annotated[
        bool, typer.Option("--as-mine", help="With state and counts; an approval waits for your yes.")
    ] = False,
    dry_run: DryRun = False,
) -> None:
    """Take in what another home exported: as candidates, their counts and approvals as claims that 'why' shows.

    Examples: alice-exp import alice blocks.jsonl --dry-run · alice-exp import alice blocks.jsonl --as-mine --yes
    """
    rows, session = _blocks(source), terminal.session
    if as_mine and not dry_run and session.actor.is_person:
        terminal.confirm(say("take in {count} blocks as yours? Approvals wait for a yes.", count=len(rows)))
    taken = import_blocks.take_in_blocks(terminal.home_for(dry_run), session.caller, rows, as_mine=as_mine)
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
            tell_waiting(terminal, count, dry_run)
        if taken.known:
            terminal.line(say("{count} were here already", count=taken.known))
        tell_refused(terminal, taken.refused)
        if taken.archived:
            terminal.line(say("{count} of the archive stayed out", count=taken.archived))

    terminal.answer(document, text)


def _blocks(source: str) -> list[Placed]:
    """The blocks of a file; ``ProblemError`` with the place of a row that is none."""
    found = []
    for number, fields in _rows(source):
        placed = import_blocks.placed_of(fields)
        if isinstance(placed, str):
            raise ProblemError(placed, path=source, line=number, column=1)
        found.append(placed)
    return found


def _rows(source: str) -> list[tuple[int, dict[str, Any]]]:
    """The rows of JSONL, or of the one document that ``--format json`` writes."""
    if source != "-" and Path(source).suffix != ".jsonl":
        # What is no such document is read line by line, which says what is wrong with it.
        with suppress(ValueError, RecursionError, TypeError, KeyError):
            listed = json.loads(source_bytes(source))["blocks"]
            if isinstance(listed, list) and all(isinstance(one, dict) for one in listed):
                return [(1, one) for one in listed]
    return list(json_lines(source))


_File = Annotated[str, typer.Argument(metavar="FILE|-", help="The file to import, or a folder.")]
_Dry = Annotated[bool, typer.Option("--dry-run", help="Say what would come in; change nothing.")]


def claude_md(terminal: Terminal, source: _File, dry_run: _Dry = False) -> None:
    """Import an instruction file (CLAUDE.md, AGENTS.md …): each bullet and paragraph becomes a candidate.

    Example: alice-exp import claude-md CLAUDE.md --dry-run
    """
    _pieces(terminal, "claude-md", source, dry_run)


def skill(terminal: Terminal, source: _File, dry_run: _Dry = False) -> None:
    """Import a skill (a SKILL.md, or a folder with some): each item becomes a candidate for the skill's situation.

    What 'project publish --skills' wrote comes back as it was, for this folder's project.

    Example: alice-exp import skill skills/deploying
    """
    texts = [one for one in _texts(source) if source == "-" or Path(one[0]).name == "SKILL.md"]
    project = terminal.session.enter().partition(" ")[0]
    drafts = [import_blocks.draft_of_piece("skill", path, piece) for path, piece in pieces_of("skill", texts)]
    _take_in(terminal, [replace(one, project=project) for one in drafts], dry_run)


def mem0(terminal: Terminal, source: _File, dry_run: _Dry = False) -> None:
    """Import from mem0, its store or an export (JSON or JSONL): each memory becomes a candidate about the user.

    The store is history.db, a folder of Qdrant, or the folder ~/.mem0 with both; what was deleted, what expired and
    what an agent said itself stay out.

    Examples: alice-exp import mem0 ~/.mem0 --dry-run · alice-exp import mem0 memories.json
    """
    from alice_exp.blocks.mem0_database import databases, memories

    found = () if source == "-" else databases(Path(source).expanduser())
    if not found and source != "-" and Path(source).expanduser().is_dir():
        raise NotFoundError("no store of mem0 is in {source}", source=source)
    exported = () if found else _texts(source)
    rows = memories(found) if found else [row for path, text in exported for row in mem0_export(text, path)]
    pieces = mem0_pieces(rows, terminal.session.caller.now[:10])
    _take_in(terminal, [import_blocks.draft_of_piece("mem0", source, piece) for piece in pieces], dry_run)


def basic_memory(terminal: Terminal, source: _File, dry_run: _Dry = False) -> None:
    """Import basic-memory notes (a file, or a directory of them): each observation becomes a candidate.

    Example: alice-exp import basic-memory ~/basic-memory --dry-run
    """
    _pieces(terminal, "basic-memory", source, dry_run)


def jsonl(terminal: Terminal, source: _File, dry_run: _Dry = False) -> None:
    """Import a block's fields a line, as 'memorize --from' takes them, with import:jsonl as origin.

    Examples: alice-exp import jsonl lessons.jsonl · alice-exp import jsonl - <lessons.jsonl
    """
    drafts = [
        import_blocks.with_origin("jsonl", source, number, draft_of(number, fields, source, ""))
        for number, fields in json_lines(source)
    ]
    _take_in(terminal, drafts, dry_run)


def _pieces(terminal: Terminal, kind: str, source: str, dry_run: bool) -> None:
    drafts = [
        import_blocks.draft_of_piece(kind, path, piece) for path, piece in pieces_of(kind, _texts(source))
    ]
    _take_in(terminal, drafts, dry_run)


def _texts(source: str) -> list[tuple[str, str]]:
    if source == "-":
        return [("stdin", _decoded(source_bytes(source, bounded=True), "-"))]
    path = Path(source).expanduser()
    if not path.exists():
        raise NotFoundError("there is no file {source}", source=source)
    files = sorted(path.rglob("*.md")) if path.is_dir() else [path]
    names = [str(file) for file in files if file.is_file() or not path.is_dir()]
    return [(name, _decoded(source_bytes(name, bounded=True), name)) for name in names]


def _decoded(data: bytes, path: str) -> str:
    try:
        # Editors on Windows put a byte order mark in front.
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ProblemError("this is not UTF-8 text", path=path) from None


def _take_in(terminal: Terminal, drafts: Sequence[Draft], dry_run: bool) -> None:
    imported = import_blocks.take_in(terminal.home_for(dry_run), terminal.session.caller, drafts)
    document = {
        "ids": [] if dry_run else [one.block.id for one in imported.placed],
        "commit": commit_id(imported.commit),
        "candidates": [
            {"payload": documents.payload_text(one), "trigger": documents.trigger_text(one)}
            | attributes(one.block, "type about")
            for one in imported.placed
        ],
        "known": imported.known,
        "refused": len(imported.refused),
        "dry_run": dry_run,
    }

    def text() -> None:
        for one in imported.placed:
            terminal.line(f"  {short(documents.said(one), 110)}")
        tell_waiting(terminal, len(imported.placed), dry_run)
        if imported.known:
            terminal.line(say("{count} were imported before", count=imported.known))
        tell_refused(terminal, imported.refused)

    terminal.answer(document, text)
