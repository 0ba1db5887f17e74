"""The ``share`` commands: allow and deny sharing, preview and export bundles, import them, show the log."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

from alice_exp.caller.acting import require_person
from alice_exp.kernel.errors import RefusedError
from alice_exp.kernel.journal.act import commit_id
from alice_exp.kernel.value_class import attributes
from alice_exp.model import documents
from alice_exp.model.values.block import Placed
from alice_exp.model.values.snapshot import namespace_name
from alice_exp.sharing.rules.bundle import Refusal
from alice_exp.sharing.store.peer_identity import shares
from alice_exp.sharing.usecases import bundles
from alice_exp.sharing.usecases.bundles import Permitted, TakenIn
from alice_exp.terminal.console import Terminal, short
from alice_exp.terminal.language import aside, say
from alice_exp.terminal.options import DryRun, source_bytes, write_apart

_Ids = Annotated[list[str], typer.Argument(metavar="ID…", help="Blocks, by id or the beginning of one.")]


def allow(terminal: Terminal, references: _Ids, dry_run: DryRun = False) -> None:
    """Let approved blocks of universal leave, once they are super_reliable by your own verifications.

    Examples: alice-exp share allow exp-7k2m9q4x · alice-exp share preview
    """
    session = terminal.session
    require_person(session.caller, say("share"), f"alice-exp share allow {' '.join(references)}")
    if not dry_run:
        terminal.confirm(say("Let {count} blocks leave this machine?", count=len(references)))
    done = bundles.allow(terminal.home_for(dry_run), session.caller, references)
    _permitted(terminal, done, lambda placed: say("{id}  may leave", id=placed.block.id))


def deny(terminal: Terminal, references: _Ids, dry_run: DryRun = False) -> None:
    """Keep blocks here from now on; what has left already is not called back.

    Example: alice-exp share deny exp-7k2m9q4x
    """
    done = bundles.deny(terminal.home_for(dry_run), terminal.session.caller, references)
    _permitted(terminal, done, lambda placed: say("{id}  stays here", id=placed.block.id))


def _permitted(terminal: Terminal, done: Permitted, line: Callable[[Placed], str]) -> None:
    document = {
        "ids": [placed.block.id for placed, _ in done.rows],
        "commit": commit_id(done.commit),
        "blocks": [
            {**documents.brief(placed), "shareable": placed.block.shareable}
            | {"leaves": not why, "lacks": list(why)}
            for placed, why in done.rows
        ],
    }

    def text() -> None:
        for placed, why in done.rows:
            lacking = f"{say('not yet')}: {', '.join(map(say, why))}" if why else ""
            terminal.act(line(placed) + aside(lacking if placed.block.shareable else ""))

    terminal.answer(document, text)


def list_shared(terminal: Terminal) -> None:
    """List the blocks that may leave, whether they would now, and those that you could allow.

    Example: alice-exp share list
    """
    found = bundles.standings(terminal.session.home)
    document = {
        "blocks": [
            {**documents.brief(placed), "level": level, "payload": documents.payload_text(placed)}
            | attributes(placed.block, "shareable verifications_local")
            | {"leaves": not lacks, "lacks": list(lacks)}
            for placed, level, lacks in found
        ]
    }

    def text() -> None:
        if not found:
            terminal.line(say("nothing may leave, and nothing could be allowed yet"))
            return
        rows = [
            [
                placed.block.id,
                namespace_name(placed.path),
                say("yes") if not lacks else f"{say('no')}: {', '.join(map(say, lacks))}",
                short(documents.payload_text(placed), 50),
            ]
            for placed, _, lacks in found
        ]
        terminal.table([say("id"), say("where"), say("leaves"), say("what it says")], rows)

    terminal.answer(document, text)


def preview(terminal: Terminal) -> None:
    """Print exactly the bytes that an export would write; nothing leaves (exit 4: nothing may).

    Example: alice-exp share preview
    """
    if not terminal.quiet:
        _bytes_out(bundles.preview(terminal.session.home, shares(terminal.session)).text)


def _bytes_out(text: str) -> None:
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode())
    sys.stdout.flush()


def export(
    terminal: Terminal,
    target: Annotated[str, typer.Argument(metavar="FILE|-", help="A new file, or - for stdout.")],
    to: Annotated[str, typer.Option("--to", metavar="NAME", help="Whom it is for; kept in the log.")] = "",
) -> None:
    """Write all that may leave into a bundle that another Alice imports; it is logged (exit 4: nothing may).

    Example: alice-exp share export for-bob.json --to bob
    """
    session = terminal.session
    require_person(session.caller, say("share"), f"alice-exp share export {target}")
    if target != "-" and Path(target).exists():
        raise RefusedError("{target} already exists", target=target, hint="name a new file")
    ready = bundles.preview(session.home, shares(session))
    terminal.confirm(say("Let {count} blocks leave this machine?", count=len(ready.blocks)))

    def deliver(text: str) -> None:
        if target == "-":
            _bytes_out(text)
        else:
            write_apart(session.root, target, text)

    made = bundles.export(session, to or target, deliver)
    if target == "-":
        return
    document = {
        "file": target,
        "from": made.name,
        "ids": [block.id for block in made.blocks],
        "bytes": len(made.text.encode()),
    }
    terminal.answer(
        document, lambda: terminal.line(say("{count} blocks in {file}", count=len(made.blocks), file=target))
    )


def import_(
    terminal: Terminal,
    source: Annotated[str, typer.Argument(metavar="FILE|-", help="A bundle from another Alice.")],
    dry_run: DryRun = False,
) -> None:
    """Take in what another Alice shared: new blocks as candidates, for the same ones the higher count.

    What the sender counts is a claim until you approve. Example: alice-exp share import from-ann.json --dry-run
    """
    session = terminal.session
    require_person(session.caller, say("import what others share"), f"alice-exp share import {source}")
    bundle = bundles.received(source_bytes(source, bounded=True), source)
    if not dry_run and bundles.take_in(session.home.dry(), session.caller, bundle).merged:
        terminal.confirm(say("Raise counts of blocks that you approved, as {name} claims?", name=bundle.name))
    taken = bundles.take_in(terminal.home_for(dry_run), session.caller, bundle)
    refused = why_not(taken.refused)
    changed = (*taken.candidates, *taken.merged, *taken.noted)
    document = {
        "from": taken.name,
        "ids": [] if dry_run else [one.block.id for one in changed],
        "commit": commit_id(taken.commit),
        **{kind: [*map(_entry, getattr(taken, kind))] for kind in ("candidates", "merged", "noted")},
        "unchanged": taken.unchanged,
        "refused": refused,
        "dry_run": dry_run,
    }

    def text() -> None:
        for one in changed:
            terminal.line(f"  {one.block.id}  {short(documents.payload_text(one), 90)}")
        terminal.act(came(taken))

    terminal.answer(document, text)
    for one in refused:
        terminal.note(say("alice-exp: {id} stays out: {why}", **one))


def came(taken: TakenIn) -> str:
    """What came of blocks that another Alice sent, in one line."""
    template = "from {name}: {new} wait for your decision, {merged} counts raised, {known} known"
    new, known = len(taken.candidates), taken.unchanged + len(taken.noted)
    return say(template, name=taken.name, new=new, merged=len(taken.merged), known=known)


def why_not(rows: Iterable[Refusal]) -> list[dict[str, str]]:
    """What does not pass, and why, in the person's language."""
    return [{"id": which, "why": say(why, **values)} for which, why, values in rows]


def _entry(placed: Placed) -> dict[str, Any]:
    return {
        **documents.brief(placed),
        "payload": documents.payload_text(placed),
        **attributes(placed.block, "origin verifications"),
        "evidence": documents.evidence_line(placed),
    }


def log(terminal: Terminal) -> None:
    """Show what left this machine: when, to whom, and which blocks as they were then.

    Example: alice-exp share log
    """
    rows = shares(terminal.session).log()

    def text() -> None:
        if not rows:
            terminal.line(say("nothing has left"))
        for row in rows:
            terminal.line(
                f"{terminal.local(row.at)}  {row.way}  {row.to}  {' '.join(block_id for block_id, _ in row.blocks)}"
            )

    terminal.answer({"shared": [row.row for row in rows]}, text)
