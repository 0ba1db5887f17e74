"""Two Alices in one test: homes with blocks of every kind, links in memory and over TLS on loopback."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from alice_exp.app.opening import open_session
from alice_exp.home.session import Session
from alice_exp.kernel.errors import AliceError
from alice_exp.model.values.block import Block, Placed
from alice_exp.sharing.rules.bundle import Peer
from alice_exp.sharing.store import network, tls_transport
from alice_exp.sharing.store.peer_identity import FileIdentity, peers
from alice_exp.sharing.usecases import peers as exchanging
from alice_exp.sharing.usecases.peers import Exchanged, Host
from tests.conftest import NOW, ROOT

if TYPE_CHECKING:
    from alice_exp.sharing.rules.bundle import Message

SUPER = {"state": "reliable", "verifications": 72, "verifications_local": 72, "shareable": True}
MARKER = "heliotrope-marmalade"
"""Stands in everything that must stay at home."""


@dataclass
class Alice:
    """One home and what a process of it would use."""

    name: str
    root: Path

    @cached_property
    def session(self) -> Session:
        return open_session(str(self.root), "user", self.warned.append)

    @cached_property
    def warned(self) -> list[AliceError]:
        return []

    @property
    def environment(self) -> dict[str, str]:
        return {"ALICE_HOME": str(self.root)}

    @property
    def identity(self) -> FileIdentity:
        return peers(self.session)

    def host(self) -> Host:
        return Host(self.session, self.warned.append)

    def trusts(self, other: Alice) -> Peer:
        return self.identity.keep(replace(other.identity.own(), paired_at=NOW))

    def blocks(self, *places: Any) -> list[Placed]:
        return list(self.session.home.read(places or ("personal", "universal", "low_value", "archive")))

    def find(self, payload: str) -> Block:
        return next(placed.block for placed in self.blocks() if placed.block.payload.content == payload)

    def commits(self) -> int:
        return len(list(self.session.history.log()))


def block(payload: str, trigger: str = "searching", **more: Any) -> dict[str, Any]:
    return {"trigger": trigger, "payload": payload, **more}


def made(root: Path, name: str, files: Mapping[str, list[dict[str, Any]]], *, sharing: bool = True) -> Alice:
    """A home whose files were there before ``init``, which therefore approved them."""
    for path, blocks in files.items():
        target = root / "experiences" / f"{path}.jsonc"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(json.dumps({"blocks": blocks}), encoding="utf-8")
    config = {"sharing": {"enabled": sharing, "name": name}}
    (root / "experiences").mkdir(parents=True, exist_ok=True)
    (root / "local.jsonc").write_text(json.dumps(config), encoding="utf-8")
    environment = {**os.environ, "ALICE_HOME": str(root), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "alice_exp", "init", "-q"]
    subprocess.run(command, env=environment, cwd=ROOT, check=True, capture_output=True)
    return Alice(name, root)


def everything(shared: str, *more: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """A block that may leave, further ones, and one of each kind that may not, with the marker in it."""
    return {
        "universal/tool_usage": [
            block(shared, **SUPER),
            *more,
            block(f"denied {MARKER}", **{**SUPER, "shareable": False}),
            block(f"heard {MARKER}", **{**SUPER, "verifications_local": 0}),
            block(f"young {MARKER}", **{**SUPER, "verifications": 49, "verifications_local": 49}),
            block(f"about me {MARKER}", about="user", **SUPER),
            block(f"mail it to me@{MARKER}.net", **SUPER),
        ],
        "personal/habits": [block(f"mine {MARKER}", f"when {MARKER}", **SUPER)],
        "low_value_pool/pending_20260220": [block(f"a guess {MARKER}", shareable=True)],
    }


@dataclass
class Memory:
    """A link without a network: what is said crosses as bytes all the same."""

    host: Host
    peer: Peer
    said: list[bytes]

    def ask(self, message: Message) -> Message:
        self.said.append(tls_transport.encoded(message))
        answer = self.host.answer(self.peer, tls_transport.decoded(self.said[-1]))
        self.said.append(tls_transport.encoded(answer))
        back = tls_transport.decoded(self.said[-1])
        if "error" in back:
            raise AssertionError(back["error"])
        return back


def exchanged(asking: Alice, asked: Alice) -> tuple[Exchanged, Exchanged, bytes]:
    """One exchange in memory between two that trust one another: what it did on both sides, and all that was said."""
    peer, back = asking.trusts(asked), asked.trusts(asking)
    said: list[bytes] = []
    host = asked.host()
    session = asking.session
    done = exchanging.exchange(session, peer, Memory(host, back, said))
    return done, host.close(back), b"".join(said)


@contextlib.contextmanager
def door(secured: Callable[[], Any], meet: Any) -> Iterator[str]:
    """Somebody listening on loopback, in a thread; yields ``host:port``."""
    listener = tls_transport.listening("127.0.0.1", 0)
    address = f"127.0.0.1:{listener.getsockname()[1]}"
    ended = threading.Event()

    async def over() -> None:
        import asyncio

        while not ended.is_set():
            await asyncio.sleep(0.01)

    thread = threading.Thread(
        target=tls_transport.serve, args=(listener, secured, meet), kwargs={"seconds": 30, "over": over}
    )
    thread.start()
    try:
        yield address
    finally:
        ended.set()
        thread.join(10)


@contextlib.contextmanager
def serving(alice: Alice, met: Callable[[Exchanged], None] = lambda _: None) -> Iterator[str]:
    """``peer serve`` without its command line; yields ``host:port``."""
    alice.identity.own()
    host = Alice(alice.name, alice.root).host()
    reception = network.Reception(alice.identity, host.answer, lambda peer: met(host.close(peer)))
    with door(reception.secured, reception) as address:
        yield address


def asked(asking: Alice, peer: Peer, address: str) -> Exchanged:
    """An exchange over TLS."""
    session = asking.session
    with tls_transport.connected(asking.identity, peer, [address]) as link:
        return exchanging.exchange(session, peer, link)


def line_of(process: Any, stream: Any, holds: str) -> str:
    """The next line that holds something; the process is ended where none comes, so that nothing waits for ever."""
    clock = threading.Timer(40, process.kill)
    clock.start()
    try:
        return next(line for line in stream if holds in line)
    finally:
        clock.cancel()
