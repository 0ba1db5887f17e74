"""The ``owner`` commands: name, show and drop the owner key, verify signatures, sign blocks."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from alice_exp.caller.acting import require_person
from alice_exp.kernel.errors import BusyError, UsageError
from alice_exp.kernel.journal.act import commit_id
from alice_exp.model import documents
from alice_exp.model.rules.approval import Standing, standing
from alice_exp.model.values.block import Placed
from alice_exp.model.values.snapshot import namespace_name
from alice_exp.owner import usecases as owning
from alice_exp.owner.rules import OwnerKey
from alice_exp.owner.store import owner
from alice_exp.terminal.console import Terminal, short
from alice_exp.terminal.language import say
from alice_exp.terminal.options import DryRun

_WORDS: dict[Standing, str] = {
    "approved": "signed as it is",
    "edited": "edited after approval",
    "unsigned": "not signed",
    "waiting": "waits for approval",
}


def init(
    terminal: Terminal,
    key: Annotated[
        str, typer.Option("--key", metavar="FILE", help="An SSH key (else the usual one in ~/.ssh).")
    ] = "",
    unprotected: Annotated[
        bool, typer.Option("--allow-unprotected", help="Take a key that needs neither passphrase nor touch.")
    ] = False,
    anew: Annotated[
        bool,
        typer.Option("--replace", help="Put this key in the place of the present one, which signs that."),
    ] = False,
) -> None:
    """Name the SSH key that signs your decisions; from then on only what it signed counts as approved.

    Example: alice-exp owner init --key ~/.ssh/id_ed25519
    """
    named, commit = owning.init(terminal.session, key, unprotected=unprotected, anew=anew)
    waiting = owning.unsigned(terminal.session)
    document = {**_key(named), "commit": commit_id(commit), "unsigned": waiting}
    terminal.answer(
        document, lambda: terminal.line(say("{print}  signs from now on", print=named.fingerprint))
    )
    if waiting:
        template = (
            "alice-exp: {count} blocks are not signed yet: look, then sign with 'alice-exp owner sign --all'"
        )
        terminal.note(say(template, count=waiting))


def drop(terminal: Terminal) -> None:
    """Do without the owner key from now on; the key itself has to sign that.

    Example: alice-exp owner drop
    """
    session = terminal.session
    require_person(session.caller, say("drop the owner key"), "alice-exp owner drop")
    terminal.confirm(say("Let decisions count without a signature again?"))
    gone, commit = owning.drop(session)
    document = {**_key(gone), "commit": commit_id(commit)}
    terminal.answer(
        document, lambda: terminal.line(say("{print}  is the owner key no more", print=gone.fingerprint))
    )


def show(terminal: Terminal) -> None:
    """Show the owner key and how the blocks stand under it.

    Example: alice-exp owner show
    """
    session = terminal.session
    key, counts = owner(session).key(), owning.counts(session)

    def text() -> None:
        if key is None:
            terminal.line(say("no owner key: a decision is a record in the history, not a proof"))
            terminal.line(say("no program can tell a person from an agent that runs as the same user"))
            return
        terminal.line(f"{key.fingerprint}  {key.comment}".rstrip())
        if key.file:
            terminal.line(key.file)
        for how, count in counts.items():
            terminal.line(f"{count:>6}  {say(_WORDS[how])}")

    terminal.answer({"key": _key(key) if key is not None else None, "counts": dict(counts)}, text)


def sign(
    terminal: Terminal,
    references: Annotated[list[str] | None, typer.Argument(metavar="[ID]…", help="What to sign.")] = None,
    all_: Annotated[
        bool, typer.Option("--all", help="All that was approved, or is personal, and is not signed as it is.")
    ] = False,
    dry_run: DryRun = False,
) -> None:
    """Sign what you approved before, or edited since: shown, confirmed, signed in one step.

    Examples: alice-exp owner sign exp-7k2m9q4x · alice-exp owner sign --all
    """
    session = terminal.session
    if bool(references) == all_:
        raise UsageError("name what to sign, or say --all", hint="see 'alice-exp owner show'")
    require_person(session.caller, say("sign"), f"alice-exp owner sign {' '.join(references or ['--all'])}")
    shown = owning.to_sign(session, references or [], everything=all_)
    if dry_run or not terminal.yes:
        _shown(terminal, shown, dry_run)
    if dry_run:
        return
    terminal.confirm(say("Sign {count} blocks as shown here?", count=len(shown)))
    commit, ids, skipped = owning.sign(session, shown)
    document = {
        "ids": ids,
        "commit": commit_id(commit),
        "skipped": [{"id": block_id, "why": "changed"} for block_id in skipped],
    }

    def text() -> None:
        for block_id in ids:
            terminal.line(say("{id}  signed", id=block_id))

    terminal.answer(document, text)
    for block_id in skipped:
        terminal.note(say("alice-exp: {id} has changed since it was shown; sign it again", id=block_id))
        terminal.exit_code = BusyError.exit_code


def _shown(terminal: Terminal, shown: tuple[Placed, ...], dry_run: bool) -> None:
    """Show what is about to be signed: as the answer of a dry run, else on stderr before asking for confirmation."""
    rows = []
    for placed in shown:
        when, what = documents.trigger_text(placed), documents.payload_text(placed)
        says = f"{short(when, 40)}: {what}" if when else what
        rows.append([placed.block.id, namespace_name(placed.path), say(_WORDS[standing(placed)]), says])
    if not dry_run:
        for row in rows:
            terminal.note("  ".join(row))
        return
    blocks = [documents.brief(placed) for placed in shown]
    columns = [say("id"), say("where"), say("stands"), say("what it says")]
    document = {"ids": [row[0] for row in rows], "commit": None, "blocks": blocks}
    terminal.answer(document, lambda: terminal.table(columns, rows))


def _key(key: OwnerKey) -> dict[str, Any]:
    return {
        "fingerprint": key.fingerprint,
        "comment": key.comment,
        "public": key.line,
        "file": key.file or None,
        "protection": key.protection or None,
    }
