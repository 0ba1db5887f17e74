"""The ``peer`` commands: pair with other people's Alices, find them, exchange blocks with them."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, TextIO

import typer

from alice_exp.caller.acting import require_person
from alice_exp.kernel.errors import AliceError, Names, NotFoundError, UsageError
from alice_exp.kernel.journal.act import commit_id
from alice_exp.kernel.text.display import visible
from alice_exp.kernel.value_class import attributes
from alice_exp.model import documents
from alice_exp.sharing.cli.share_commands import came, why_not
from alice_exp.sharing.rules.bundle import PEER_NAME, Peer, Refusal
from alice_exp.sharing.store import network
from alice_exp.sharing.store.peer_identity import peers
from alice_exp.sharing.usecases import peers as exchanging
from alice_exp.sharing.usecases.bundles import TakenIn
from alice_exp.sharing.usecases.peers import Exchanged
from alice_exp.terminal.console import Terminal, sentence, short
from alice_exp.terminal.language import say
from alice_exp.terminal.options import window
from alice_exp.terminal.streams import PatientLines, json_text

_PEER = "name id paired_at address"
_Name = Annotated[str, typer.Argument(metavar="NAME", help="A peer's name or the beginning of its id.")]
_As = Annotated[str, typer.Option("--as", metavar="NAME", help="What the peer is called here.")]
_At = Annotated[str, typer.Option("--at", metavar="HOST:PORT", help="Where it is, without looking for it.")]
_Port = Annotated[
    int, typer.Option("--port", min=0, max=65535, help="The port to listen on (0: any free one).")
]
_Bind = Annotated[
    str, typer.Option("--bind", metavar="ADDRESS", help="The address to listen on (else all of them).")
]
_EVERYWHERE = "0.0.0.0"


def invite(terminal: Terminal, alias: _As = "", port: _Port = 0, bind: _Bind = _EVERYWHERE) -> None:
    """Show a short code and wait for the Alice of whom you read it to: one try, sixty seconds.

    Example: alice-exp peer invite
    """
    session = terminal.session
    require_person(session.caller, say("pair"), "alice-exp peer invite")
    _require_name(alias)

    def shown(code: str, port: int) -> None:
        template = (
            "on the other side, within sixty seconds: alice-exp peer join {code} (or with --at HOST:{port})"
        )
        sys.stderr.write(visible(say(template, code=code, port=port)) + "\n")
        sys.stderr.flush()

    _paired(terminal, network.invite(session, alias, (bind, port), shown))


def join(
    terminal: Terminal,
    code: Annotated[str, typer.Argument(metavar="CODE", help="The code that the other side shows.")],
    at: _At = "",
    alias: _As = "",
) -> None:
    """Pair with the Alice whose code you were told (exit 8: the code is wrong, or somebody stands in between).

    Example: alice-exp peer join 7-k3m-x9p --at 192.168.1.20:40404
    """
    session = terminal.session
    require_person(session.caller, say("pair"), f"alice-exp peer join {code}")
    _require_name(alias)
    terminal.confirm(say("Trust the Alice that shows this code?"))
    _paired(terminal, network.join(session, code, at, alias))


def _require_name(alias: str) -> None:
    """Raise ``UsageError`` before anybody waits for a pairing whose name could not be kept."""
    if alias and not PEER_NAME.fullmatch(alias):
        raise UsageError(
            "{name} cannot be the name of a peer",
            name=repr(alias),
            hint="names are lower-case letters, digits, - and _",
        )


def _paired(terminal: Terminal, peer: Peer) -> None:
    said = say("{name}  paired  {print}", name=peer.name, print=_print(peer))
    terminal.answer(attributes(peer, _PEER), lambda: terminal.line(said))


def list_peers(terminal: Terminal) -> None:
    """List the Alices that you paired with.

    Example: alice-exp peer list
    """
    known = peers(terminal.session).all()

    def text() -> None:
        if not known:
            terminal.line(say("no peer is paired; begin with 'alice-exp peer invite'"))
            return
        rows = [[peer.name, _print(peer), terminal.local(peer.paired_at), peer.address] for peer in known]
        terminal.table([say("name"), say("id"), say("paired"), say("seen at")], rows)

    terminal.answer({"peers": [attributes(peer, _PEER) for peer in known]}, text)


def show(terminal: Terminal, name: _Name) -> None:
    """Show a peer: its fingerprint, what it was sent, and what here came from it.

    Example: alice-exp peer show bob
    """
    session = terminal.session
    peer = peers(session).find(name)
    came = [placed for placed in session.home.read() if placed.block.origin == f"shared_from_{peer.name}"]
    sent = {block_id for block_id, _ in exchanging.sent(session, peer)}
    document = {
        **attributes(peer, _PEER),
        "blocks": [{**documents.brief(placed), "payload": documents.payload_text(placed)} for placed in came],
        "sent": sorted(sent),
    }

    def text() -> None:
        terminal.line(peer.name)
        terminal.line(_print(peer, whole=True))
        terminal.line(say("paired {at}", at=terminal.local(peer.paired_at)))
        terminal.line(say("{count} blocks were sent there", count=len(sent)))
        terminal.line(say("{count} blocks here came from there", count=len(came)))
        for placed in came:
            terminal.line(f"  {placed.block.id}  {short(documents.payload_text(placed), 90)}")

    terminal.answer(document, text)


def forget(
    terminal: Terminal,
    name: _Name,
    blocks: Annotated[
        bool,
        typer.Option(
            "--and-their-blocks", help="Also take back all that came from it (undo brings it back)."
        ),
    ] = False,
) -> None:
    """Trust a peer no more; from then on it gets nothing and nothing is taken from it.

    Examples: alice-exp peer forget bob · alice-exp peer forget bob --and-their-blocks
    """
    session = terminal.session
    require_person(session.caller, say("forget a peer"), f"alice-exp peer forget {name}")
    peer = peers(session).find(name)
    if blocks:
        terminal.confirm(say("Take back all that came from {name}?", name=peer.name))
    gone, commit = exchanging.forget(session, peer.name, and_their_blocks=blocks)
    document = {
        **attributes(peer, _PEER),
        "commit": commit_id(commit),
        "removed": list(gone.removes),
        "changed": [put.block.id for put in gone.puts],
    }

    def text() -> None:
        terminal.line(say("{name}  is forgotten", name=peer.name))
        if blocks:
            template = "{removed} candidates removed, {changed} other blocks changed"
            terminal.line(say(template, removed=len(gone.removes), changed=len(gone.puts)))

    terminal.answer(document, text)


def discover(
    terminal: Terminal,
    seconds: Annotated[
        float, typer.Option("--seconds", metavar="N", min=0.2, max=60, help="How long to listen for answers.")
    ] = 2.0,
) -> None:
    """Look who announces an Alice on this network; those you paired with are named (exit 4: nobody).

    Example: alice-exp peer discover --seconds 5
    """
    found = network.neighbours(terminal.session, seconds)
    document = {"found": [attributes(one, "instance addresses name invites") for one in found]}

    def text() -> None:
        if not found:
            terminal.line(say("nobody announces an Alice here"))
            return
        rows = [
            [one.instance, one.name, " ".join(one.addresses), str(one.invites) if one.invites else ""]
            for one in found
        ]
        terminal.table([say("instance"), say("name"), say("where"), say("invites as")], rows)

    terminal.answer(document, text, is_found=bool(found))


def exchange(
    terminal: Terminal,
    name: _Name,
    at: _At = "",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be offered; nothing leaves, nobody is asked.")
    ] = False,
) -> None:
    """Offer a peer what may leave and take what it offers: new blocks as candidates, counts by the higher.

    It must be serving: alice-exp peer serve. Doing it again changes nothing. Example: alice-exp peer exchange bob
    """
    session = terminal.session
    require_person(session.caller, say("share"), f"alice-exp peer exchange {name}")
    peer = peers(session).find(name)
    _warn_if_off(terminal)
    if dry_run:
        ours = exchanging.offered(session.home)
        done = Exchanged(peer.name, tuple(str(item["id"]) for item in ours.items), ours.withheld)
        _told(terminal, done, {"blocks": [dict(item) for item in ours.items], "dry_run": True})
        return
    with network.connect(session, peer, at) as link:
        done = exchanging.exchange(session, peer, link)
    _told(terminal, done, {})


def serve(
    terminal: Terminal,
    for_: Annotated[
        str, typer.Option("--for", metavar="TIME", help="End after this time, as 30s, 10m or 1h.")
    ] = "",
    port: _Port = 0,
    bind: _Bind = _EVERYWHERE,
) -> None:
    """Be there for the Alices that you paired with: they find this one and exchange with it, until Ctrl-C.

    With --json each event is one line. Example: alice-exp peer serve --for 10m
    """
    session = terminal.session
    require_person(session.caller, say("share"), "alice-exp peer serve")
    limit = window(for_, passing=True) if for_ else None
    known = peers(session).all()
    if not known:
        raise NotFoundError("no peer is paired", hint="begin with 'alice-exp peer invite'")
    _warn_if_off(terminal)
    out, err = _patient(terminal, sys.stdout), _patient(terminal, sys.stderr)
    heard: set[tuple[str, str]] = set()

    def warn(error: AliceError) -> None:
        if (said := sentence(error)) not in terminal.warned:
            terminal.warned.add(said)
            err.write(f"alice-exp: {said}\n")

    host = exchanging.Host(session.apart(), warn)

    def shown(port: int) -> None:
        names = Names(peer.name for peer in known)
        said = say("listening on port {port} for {names}", port=port, names=names)
        listening = {"event": "listening", "port": port, "peers": [peer.name for peer in known]}
        _event(terminal, out, listening, [said])

    def met(peer: Peer) -> None:
        done = host.close(peer)
        _event(terminal, out, {"event": "exchanged", **_exchanged(done)}, _lines(done, heard))

    sys.stdout.flush()
    try:
        network.serve(session, host.answer, met, (bind, port), limit, shown)
    finally:
        out.close()
        err.close()


def _patient(terminal: Terminal, stream: TextIO) -> PatientLines:
    def unread(count: int) -> str:
        if terminal.json and stream is sys.stdout:
            return json_text({"event": "unread", "count": count}, None)
        return say("{count} lines were left out, because nobody read them", count=count) + "\n"

    return PatientLines(stream, unread)


def _event(terminal: Terminal, out: PatientLines, document: Mapping[str, Any], lines: Sequence[str]) -> None:
    if terminal.json:
        out.write(json_text(document, None))
    elif not terminal.quiet:
        told = (visible(line).replace("\n", "\n    │ ") for line in lines)
        out.write("".join(f"{line}\n" for line in told))


def _warn_if_off(terminal: Terminal) -> None:
    if not terminal.session.config.flag("sharing.enabled"):
        template = (
            "alice-exp: sharing is off, so nothing is offered: alice-exp config set sharing.enabled true"
        )
        terminal.note(say(template))


def _told(terminal: Terminal, done: Exchanged, more: Mapping[str, Any]) -> None:
    def text() -> None:
        for line in _lines(done):
            terminal.line(line)

    terminal.answer({**_exchanged(done), **more}, text)


def _lines(done: Exchanged, heard: set[tuple[str, str]] | None = None) -> list[str]:
    """What an exchange did, line by line; with ``heard``, each kind of refusal by a peer's block is told once."""
    taken = done.taken
    lines = [say("{count} blocks offered to {name}", name=done.peer, count=len(done.offered))]
    if taken is not None:
        lines.append(came(taken))
        lines += [
            f"  {one.block.id}  {short(documents.payload_text(one), 90)}"
            for one in (*taken.candidates, *taken.merged)
        ]
        lines += [
            say("{id} stays out: {why}", id=which, why=say(why, **values))
            for which, why, values in _new(done.peer, taken.refused, heard)
        ]
    lines += [
        say("{id} stays here: {why}", id=one, why=say(why, **values))
        for one, why, values in _new(done.peer, done.withheld, heard)
    ]
    lines += [say("{id} was refused there: {why}", id=one, why=why) for one, why in done.refused_there]
    lines += [say("{id}  was taken back by {name}", id=one, name=done.peer) for one in done.revoked]
    return lines


def _new(peer: str, rows: Sequence[Refusal], heard: set[tuple[str, str]] | None) -> list[Refusal]:
    """The rows whose reason was not heard yet, one a reason; all of them without ``heard``."""
    if heard is None:
        return [*rows]
    fresh: dict[tuple[str, str], Refusal] = {}
    for row in rows:
        fresh.setdefault((peer, row[1]), row)
    new = [row for key, row in fresh.items() if key not in heard]
    heard.update(fresh)
    return new


def _exchanged(done: Exchanged) -> dict[str, Any]:
    taken = done.taken or TakenIn(done.peer)
    kinds = ("candidates", "merged", "noted")
    return {
        **attributes(done, "peer offered"),
        "withheld": why_not(done.withheld),
        **{kind: [one.block.id for one in getattr(taken, kind)] for kind in kinds},
        "unchanged": taken.unchanged,
        "refused": why_not(taken.refused),
        "refused_there": [{"id": one, "why": why} for one, why in done.refused_there],
        "revoked": list(done.revoked),
        "commit": commit_id(taken.commit),
    }


def _print(peer: Peer, *, whole: bool = False) -> str:
    """A peer's id in groups of four digits, for comparing it aloud."""
    shown = peer.id if whole else peer.id[:16]
    return " ".join(shown[start : start + 4] for start in range(0, len(shown), 4))
