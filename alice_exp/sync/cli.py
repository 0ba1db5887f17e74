"""The commands below ``sync``, which exchange a home with private and public git remotes."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from alice_exp.caller.acting import require_person
from alice_exp.kernel.journal.act import commit_id
from alice_exp.kernel.value_class import attributes
from alice_exp.sync import usecases as syncing
from alice_exp.sync.remotes import Remote, remotes
from alice_exp.sync.rules.merge_homes import told_key
from alice_exp.sync.usecases import Synced
from alice_exp.terminal.console import Terminal
from alice_exp.terminal.language import say
from alice_exp.terminal.options import window

_TICK = 0.5
"""Seconds between two checks of whether this home has changed."""


def run(
    terminal: Terminal,
    only: Annotated[
        list[str], typer.Option("--with", metavar="NAME", help="Only this remote; may be repeated.")
    ] = [],  # noqa: B006
    over: Annotated[
        bool, typer.Option("--over", help="Put this history in the place of a private remote's.")
    ] = False,
) -> None:
    """Sync with every remote: private ones share everything, the others get what may leave.

    Examples: alice-exp sync add git@example.com:me/memory.git --private · alice-exp sync
    """
    require_person(terminal.session.caller, say("sync"), "alice-exp sync")
    if over:
        terminal.confirm(say("Put this history in the place of what the remote holds?"))
    _report(terminal, syncing.sync(terminal.session, only, over=over))


def add(
    terminal: Terminal,
    address: Annotated[str, typer.Argument(metavar="REMOTE", help="A git repository: a path or an address.")],
    private: Annotated[
        bool, typer.Option("--private", help="It is mine alone: everything that is tracked may go there.")
    ] = False,
    name: Annotated[str, typer.Option("--name", metavar="NAME", help="What the remote is called here.")] = "",
) -> None:
    """Name a remote to sync with; without --private it gets nothing but what you share.

    Example: alice-exp sync add /media/stick/memory.git --private
    """
    mine = " --private" if private else ""
    require_person(terminal.session.caller, say("add a remote"), f"alice-exp sync add {address}{mine}")
    terminal.confirm(
        say("Send everything, personal experience and the whole history too, to {address}?", address=address)
        if private
        else say("Publish what you share to {address}?", address=address)
    )
    remote = syncing.add(terminal.session, address, name, private=private)
    own = syncing.own_key(terminal.session) if private else ""
    terminal.answer(_row(remote) | ({"key": own} if own else {}), lambda: _told(terminal, [remote], own))


def list_remotes(terminal: Terminal) -> None:
    """List the remotes and what each of them gets.

    Example: alice-exp sync list
    """
    named = remotes(terminal.session).all()
    own = syncing.own_key(terminal.session) if any(one.private for one in named) else ""
    document = {"remotes": [_row(remote) for remote in named], "key": own or None}
    terminal.answer(document, lambda: _told(terminal, named, own))


def remove(
    terminal: Terminal, name: Annotated[str, typer.Argument(metavar="NAME", help="A remote's name.")]
) -> None:
    """Forget a remote; what it holds stays there.

    Example: alice-exp sync remove origin
    """
    gone = syncing.remove(terminal.session, name)
    terminal.answer(_row(gone), lambda: terminal.line(say("{name}  is forgotten", name=gone.name)))


def confirm(
    terminal: Terminal,
    key: Annotated[str, typer.Argument(metavar="KEY", help="The key that 'alice-exp sync' named.")],
) -> None:
    """Let the decisions of your other machine count here, whose key 'alice-exp sync list' shows there.

    Example: alice-exp sync confirm k7qm-2c4x-hw3b-a5dn-r6ty
    """
    terminal.confirm(say("Does 'alice-exp sync list' show {key} on your other machine?", key=key))
    remote = syncing.confirm(terminal.session, key)
    said = say("{key}  counts from the next sync with {name}", key=key, name=remote.name)
    terminal.answer(_row(remote), lambda: terminal.line(said))


def settle(terminal: Terminal) -> None:
    """Finish what a plain git pull merged: blocks that one side moved to another file. The home's hook runs this.

    Example: alice-exp sync settle
    """
    commit = syncing.settle(terminal.session)
    said = say("the merge is settled") if commit else say("nothing was left to do")
    terminal.answer({"commit": commit_id(commit)}, lambda: terminal.line(said))


def watch(
    terminal: Terminal,
    every: Annotated[
        str, typer.Option(metavar="TIME", help="How long to wait between two looks at the remotes.")
    ] = "5m",
    lasting: Annotated[
        str, typer.Option("--for", metavar="TIME", help="End after this time, as 30m or 8h.")
    ] = "",
) -> None:
    """Keep syncing: at once after each act here, and from time to time for what others did.

    Example: alice-exp sync watch --every 5m --for 8h
    """
    require_person(terminal.session.caller, say("sync"), "alice-exp sync watch")
    pause = window(every, passing=True)
    end = time.monotonic() + window(lasting) if lasting else float("inf")
    repository = terminal.session.home.repository
    due, seen = 0.0, ""
    while time.monotonic() < end:
        now, head = time.monotonic(), repository.head()
        if now >= due or head != seen:
            _report(terminal, syncing.sync(terminal.session), quiet_if_idle=bool(seen))
            sys.stdout.flush()
            # The head from before the sync, so that what another process did meanwhile is noticed next time.
            due, seen = now + pause, head
            # One failed round must not become the exit code of a watch that goes on.
            terminal.exit_code = 0
        time.sleep(min(_TICK, max(0.0, end - time.monotonic())))


def _row(remote: Remote) -> dict[str, Any]:
    return {
        **attributes(remote, "name address private at"),
        "synced": remote.synced or None,
        "machines": [told_key(one) for one in remote.machines],
        "offered": told_key(remote.offered) if remote.offered else None,
    }


def _told(terminal: Terminal, named: Sequence[Remote], own: str) -> None:
    if not named:
        terminal.line(say("no remote is known"))
    for remote in named:
        what = say("everything") if remote.private else say("what may leave")
        keys = "".join(f"  {told_key(one)}" for one in remote.machines)
        terminal.line(f"{remote.name}  {remote.address}  {what}{keys}")
    if own:
        terminal.line(say("this machine's key: {key}", key=own))


def _report(terminal: Terminal, done: Sequence[Synced], *, quiet_if_idle: bool = False) -> None:
    if not quiet_if_idle or any(_moved(one) for one in done):
        terminal.answer({"remotes": [_document(one) for one in done]}, lambda: _lines(terminal, done))
    for one in done:
        for path, why in one.refused:
            terminal.note(say("alice-exp: {id} stays out: {why}", id=path, why=why))
        for block_id in one.exchanged.conflicts:
            template = "alice-exp: {id} was written differently on another machine; both texts are kept, see heartbeat"
            terminal.note(say(template, id=block_id))
        for block_id in one.exchanged.asked:
            terminal.note(
                say(
                    "alice-exp: {id} was decided otherwise on another machine; what stands holds until you decide"
                    " again (see 'alice-exp why {id}')",
                    id=block_id,
                )
            )
        if offered := one.exchanged.offered:
            terminal.note(
                say(
                    "alice-exp: the decisions at {name} are signed with the key {key}, which you did not confirm: they"
                    " wait. If 'alice-exp sync list' shows it on your other machine: alice-exp sync confirm {key}",
                    name=one.remote.name,
                    key=told_key(offered),
                )
            )
        if one.failure is not None:
            terminal.warn(one.failure)
            terminal.exit_code = terminal.exit_code or one.failure.exit_code


def _moved(one: Synced) -> bool:
    moved = one.exchanged.taken or one.exchanged.given or one.published
    return bool(moved or any(taken.commit for taken in one.bundles))


def _document(one: Synced) -> dict[str, Any]:
    failure, offered = one.failure, one.exchanged.offered
    return {
        **_row(one.remote),
        "offered": told_key(offered) if offered else None,
        **attributes(one.exchanged, "taken given"),
        "commit": commit_id(one.exchanged.commit),
        **attributes(one.exchanged, "conflicts asked"),
        "published": one.published,
        "candidates": [placed.block.id for taken in one.bundles for placed in taken.candidates],
        "merged": [placed.block.id for taken in one.bundles for placed in taken.merged],
        "error": {"code": failure.code, "message": str(failure)} if failure else None,
    }


def _lines(terminal: Terminal, done: Sequence[Synced]) -> None:
    for one in done:
        if one.failure is not None:
            continue
        if one.remote.private:
            text = say(
                "{name}  {taken} acts taken, {given} given",
                name=one.remote.name,
                taken=one.exchanged.taken,
                given=one.exchanged.given,
            )
        else:
            new = sum(len(taken.candidates) for taken in one.bundles)
            template = (
                "{name}  published, {new} new candidates" if one.published else "{name}  {new} new candidates"
            )
            text = say(template, name=one.remote.name, new=new)
        terminal.line(text)
