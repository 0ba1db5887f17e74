"""What somebody on the network may try, against a listening Alice and against one that joins or asks (issue 7)."""

import asyncio
import contextlib
import json
import os
import socket
import ssl
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from alice_exp.kernel.errors import AliceError, PeerError, ProblemError
from alice_exp.sharing.rules.bundle import Peer
from alice_exp.sharing.store import network, pairing, tls_transport
from alice_exp.sharing.store.peer_identity import FileIdentity, certificate_id, require_leaf, shares
from tests.conftest import NOW, Call
from tests.sharing.alices import MARKER, Alice, asked, door, serving

pytestmark = pytest.mark.needs("cryptography", "spake2")

CODE = pairing.Code(7, "k3mx9p")


def identity(root: Path, name: str = "alice_x") -> FileIdentity:
    (root / "experiences").mkdir(parents=True)
    return FileIdentity(root, lambda: name)


def certified(*, signs_others: bool, key_usage: bool = False) -> tuple[str, str]:
    """A key and a self-signed certificate of any kind, PEM."""
    from cryptography import x509
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.x509.oid import NameOID

    key = Ed25519PrivateKey.generate()
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "mallory")])
    usage = x509.KeyUsage(True, False, False, False, False, True, False, False, False)
    builder = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(7)
        .not_valid_before(datetime(2000, 1, 1, tzinfo=UTC))
        .not_valid_after(datetime(2100, 1, 1, tzinfo=UTC))
        .add_extension(x509.BasicConstraints(ca=signs_others, path_length=None), critical=True)
    )
    if key_usage:
        builder = builder.add_extension(usage, critical=True)
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return private.decode(), builder.sign(key, None).public_bytes(serialization.Encoding.PEM).decode()


def disguised(identity_: FileIdentity, **kind: bool) -> FileIdentity:
    """An identity whose certificate is of another kind than ours."""
    key, certificate = certified(**kind)
    identity_.folder.mkdir(parents=True, exist_ok=True)
    identity_.key_file.write_text(key)
    identity_.certificate_file.write_text(certificate)
    return identity_


# -- pairing --------------------------------------------------------------------------------------------------------


@contextmanager
def inviting(identity_: FileIdentity, alias: str = "") -> Iterator[tuple[str, pairing.Invitation]]:
    identity_.own()
    invitation = pairing.Invitation(identity_, CODE, NOW, alias)
    secured = tls_transport.context(
        tls_transport.SERVER, identity_.certificate_file, identity_.key_file, None
    )
    with door(lambda: secured, invitation) as address:
        yield address, invitation


def ended(invitation: pairing.Invitation) -> None:
    for _ in range(500):
        if invitation.ended.is_set():
            return
        time.sleep(0.01)
    pytest.fail("the invitation did not end")


def test_the_right_code_pairs_both(tmp_path: Path) -> None:
    ann, bob = identity(tmp_path / "a", "alice_ann"), identity(tmp_path / "b", "alice_bob")
    with inviting(ann) as (address, invitation):
        assert pairing.join(bob, CODE, [address], NOW).id == ann.own().id
        ended(invitation)
    assert [peer.id for peer in ann.all()] == [bob.own().id]
    assert [peer.name for peer in bob.all()] == ["alice_ann"]


def test_a_wrong_code_pairs_nobody_and_there_is_no_second_try(tmp_path: Path) -> None:
    ann, bob = identity(tmp_path / "a"), identity(tmp_path / "b")
    with inviting(ann) as (address, invitation):
        with pytest.raises(PeerError, match="wrong"):
            pairing.join(bob, pairing.Code(7, "wrong2"), [address], NOW)
        ended(invitation)
        with pytest.raises(PeerError):
            pairing.join(bob, CODE, [address], NOW)
    assert isinstance(invitation.failure, PeerError)
    assert (ann.all(), bob.all()) == ((), ())


def test_the_try_is_spent_as_soon_as_somebody_begins_though_they_do_not_go_on(tmp_path: Path) -> None:
    ann, bob, mallory = (identity(tmp_path / name) for name in "abm")
    secured = tls_transport.context(
        tls_transport.CLIENT, mallory.own() and mallory.certificate_file, mallory.key_file, None
    )

    async def begun(address: str) -> None:
        wire = await tls_transport.opened(address, secured)
        guess = pairing._side(pairing.Code(7, "wrong2"), mallory.own().id, wire.peer_id, invited=True)
        await wire.send({"pair": 1, "id": mallory.own().id, "pake": guess.start().hex()}, 5)
        assert "pake" in await wire.receive(5)
        with pytest.raises(PeerError, match="hung up"):
            await asyncio.to_thread(pairing.join, bob, CODE, [address], NOW)
        await wire.close()

    with inviting(ann) as (address, invitation):
        asyncio.run(begun(address))
        ended(invitation)
    assert (ann.all(), bob.all()) == ((), ())


def test_another_certificate_than_the_code_was_bound_to_is_not_paired(tmp_path: Path) -> None:
    ann, bob, carl = (identity(tmp_path / name) for name in "abc")
    honest, other = bob.own(), carl.own().certificate
    bob.own = lambda: Peer("alice_bob", honest.id, other, "")  # type: ignore[method-assign]
    with inviting(ann) as (address, invitation):
        with pytest.raises(PeerError, match="the code was bound to"):
            pairing.join(bob, CODE, [address], NOW)
        ended(invitation)
    assert ann.all() == ()


def test_who_stands_in_between_shares_no_key_though_the_code_is_right(tmp_path: Path) -> None:
    """A relay that speaks TLS to both sides and passes every message on."""
    ann, bob, mallory = (identity(tmp_path / name) for name in "abm")
    mallory.own()
    seen: list[Any] = []

    class Relay:
        """Passes messages on, looking at each."""

        def __init__(self, onward: str) -> None:
            self.onward = onward

        async def __call__(self, near: tls_transport.Wire, settle: Callable[[], None]) -> None:
            secured = tls_transport.context(
                tls_transport.CLIENT, mallory.certificate_file, mallory.key_file, None
            )
            far = await tls_transport.opened(self.onward, secured)
            while True:
                for one, other in ((near, far), (far, near)):
                    message = await one.receive(5)
                    seen.append(message)
                    await other.send(message)

    with inviting(ann) as (address, invitation):
        secured = tls_transport.context(
            tls_transport.SERVER, mallory.certificate_file, mallory.key_file, None
        )
        with (
            door(lambda: secured, Relay(address)) as between,
            pytest.raises(PeerError, match="stands in between"),
        ):
            pairing.join(bob, CODE, [between], NOW)
        ended(invitation)
    assert len(seen) >= 3
    assert (ann.all(), bob.all()) == ((), ())
    assert "BEGIN CERTIFICATE" not in json.dumps(seen)


@pytest.mark.parametrize("side", ["inviting", "joining"])
def test_a_certificate_that_may_sign_others_is_not_paired(tmp_path: Path, side: str) -> None:
    ann, bob = identity(tmp_path / "a"), identity(tmp_path / "b")
    disguised(ann if side == "inviting" else bob, signs_others=True)
    with inviting(ann) as (address, invitation):
        with pytest.raises(PeerError, match="CA:TRUE"):
            pairing.join(bob, CODE, [address], NOW)
        ended(invitation)
    assert (ann.all(), bob.all()) == ((), ())


@pytest.mark.parametrize("kind", [{"signs_others": True}, {"signs_others": False, "key_usage": True}])
def test_a_pinned_certificate_that_may_sign_others_is_a_problem(
    tmp_path: Path, kind: dict[str, bool]
) -> None:
    ann = identity(tmp_path / "a")
    _, certificate = certified(**kind)
    with pytest.raises(PeerError, match="CA:TRUE"):
        require_leaf(certificate)
    folder = ann.folder / "peers"
    folder.mkdir(parents=True)
    row = {"name": "m", "id": certificate_id(certificate), "certificate": certificate, "paired_at": NOW}
    (folder / "m.json").write_text(json.dumps(row))
    with pytest.raises(ProblemError, match="CA:TRUE"):
        ann.all()


@pytest.mark.parametrize("name", ["../../etc", "Ann", "a" * 60, "ann\x1b[2J", "", "a/b", "안녕"])
def test_a_name_that_is_none_is_not_paired(tmp_path: Path, name: str) -> None:
    """Each side refuses what the other calls itself; with a name of one's own it may be paired."""
    ann, bob = identity(tmp_path / "a", "alice_ann"), identity(tmp_path / "b", "alice_bob")
    honest = bob.own
    bob.own = lambda: Peer(name, honest().id, honest().certificate, "")  # type: ignore[method-assign]
    with inviting(ann) as (address, invitation):
        with pytest.raises(PeerError):
            pairing.join(bob, CODE, [address], NOW)
        ended(invitation)
    assert ann.all() == ()
    with inviting(ann, alias="bob") as (address, invitation):
        pairing.join(bob, CODE, [address], NOW)
        ended(invitation)
    assert [peer.name for peer in ann.all()] == ["bob"]


def test_two_of_one_name_are_two(tmp_path: Path) -> None:
    ann = identity(tmp_path / "a")
    for number in range(2):
        other = identity(tmp_path / str(number), "alice_same").own()
        ann.keep(other)
        ann.keep(other)
    assert {peer.name for peer in ann.all()} == {"alice_same", "alice_same-2"}


def test_a_code_that_nobody_uses_ends(tmp_path: Path) -> None:
    ann = identity(tmp_path / "a")
    with pytest.raises(PeerError, match="nobody came"):
        pairing.invite(pairing.Invitation(ann, CODE, NOW), tls_transport.listening("127.0.0.1", 0), 0.2)


# -- exchange -------------------------------------------------------------------------------------------------------


def test_who_is_not_paired_gets_nothing(ann: Alice, bob: Alice, tmp_path: Path) -> None:
    ann.trusts(bob)
    carl = identity(tmp_path / "carl")
    peer = carl.keep(ann.identity.own())
    with (
        serving(ann) as address,
        pytest.raises(PeerError),
        tls_transport.connected(carl, peer, [address]) as link,
    ):
        link.ask({"verb": "take", "page": 0})
    assert shares(ann.session).log() == ()


def test_a_certificate_that_tls_let_in_is_compared_again(ann: Alice, bob: Alice, tmp_path: Path) -> None:
    """A trusted certificate that signs others would let strangers through TLS; the comparison does not."""
    ann.trusts(bob)
    carl = identity(tmp_path / "carl")
    peer = carl.keep(ann.identity.own())
    host = ann.host()
    reception = network.Reception(ann.identity, host.answer, lambda _: None)
    files = (ann.identity.certificate_file, ann.identity.key_file)
    secured = tls_transport.context(tls_transport.SERVER, *files, (carl.own().certificate,))
    with (
        door(lambda: secured, reception) as address,
        pytest.raises(PeerError, match="before it began"),
        tls_transport.connected(carl, peer, [address]) as link,
    ):
        link.ask({"verb": "take", "page": 0})
    assert shares(ann.session).log() == ()


def test_nothing_is_sent_to_who_is_not_the_peer(ann: Alice, bob: Alice, tmp_path: Path) -> None:
    """Spoofed mDNS leads here: somebody else answers at the address."""
    peer = bob.trusts(ann)
    mallory = identity(tmp_path / "m")
    mallory.own()
    heard: list[Any] = []

    async def listen(near: tls_transport.Wire, settle: Callable[[], None]) -> None:
        heard.append(await near.receive(2))

    secured = tls_transport.context(tls_transport.SERVER, mallory.certificate_file, mallory.key_file, None)
    with door(lambda: secured, listen) as address, pytest.raises(PeerError, match="not the Alice"):
        asked(bob, peer, address)
    assert heard == []
    assert shares(bob.session).log() == ()


def test_who_is_forgotten_in_the_middle_gets_nothing_more(ann: Alice, bob: Alice) -> None:
    peer, back = bob.trusts(ann), ann.trusts(bob)
    with serving(ann) as address, tls_transport.connected(bob.identity, peer, [address]) as link:
        assert "bundle" in link.ask({"verb": "take", "page": 0})
        ann.identity.forget(back)
        with pytest.raises(PeerError, match="no more"):
            link.ask({"verb": "take", "page": 0})


def test_without_the_extra_a_sentence_says_what_to_install(
    home: Path, cli: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "spake2", None)
    failed = cli("peer", "list", check=False)
    assert failed.code == 8
    assert "alice-exp[peer]" in failed.stderr


def test_an_older_tls_is_refused(ann: Alice, bob: Alice) -> None:
    ann.trusts(bob)
    old = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    old.check_hostname, old.verify_mode = False, ssl.CERT_NONE
    bob.identity.own()
    old.load_cert_chain(bob.identity.certificate_file, bob.identity.key_file)
    old.maximum_version = ssl.TLSVersion.TLSv1_2
    with (
        serving(ann) as address,
        socket.create_connection(tls_transport.host_and_port(address), 5) as plain,
        pytest.raises(ssl.SSLError),
    ):
        old.wrap_socket(plain)


def test_no_ticket_lets_a_connection_begin_without_a_certificate(ann: Alice, bob: Alice) -> None:
    """A client that resumes a session is not asked who it is: none is given the means to."""
    ann.trusts(bob)
    bob.identity.own()
    caller = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    caller.check_hostname, caller.verify_mode = False, ssl.CERT_NONE
    caller.load_cert_chain(bob.identity.certificate_file, bob.identity.key_file)
    with (
        serving(ann) as address,
        socket.create_connection(tls_transport.host_and_port(address), 5) as plain,
        caller.wrap_socket(plain) as secured,
    ):
        secured.sendall(tls_transport.encoded({"verb": "hello", "version": 1}))
        assert json.loads(secured.recv(4096)) == {"version": 1}
        # What the server sends of tickets comes before its first answer.
        assert secured.session is None or not secured.session.has_ticket


def test_a_message_of_2_mib_is_refused(ann: Alice, bob: Alice) -> None:
    peer, _ = bob.trusts(ann), ann.trusts(bob)
    with serving(ann) as address:
        with (
            tls_transport.connected(bob.identity, peer, [address]) as link,
            pytest.raises(PeerError, match="too long to send"),
        ):
            link.ask({"verb": "x" * (2 << 20)})
        bytes_ = b'{"verb":"' + b"x" * (2 << 20) + b'"}\n'
        # Where the end of the connection overtakes the reason, the reason is lost on the way; an answer there is never.
        back = raw(bob, peer, address, bytes_)
        assert not back or b"longer than 1048576 bytes" in back
        assert asked(bob, peer, address).taken is not None


@pytest.mark.parametrize(
    "bytes_",
    [
        b"\n",
        b"[]\n",
        b'{"a":NaN}\n',
        b"{" * 100_000 + b"\n",
        b'{"a":"\\ud800"}\n',
        b"\xff\xfe\n",
        b'{"a":' + b"9" * 5000 + b"}\n",
    ],
    ids=["empty", "list", "nan", "deep", "surrogate", "bytes", "long number"],
)
def test_what_is_no_message_is_refused(ann: Alice, bob: Alice, bytes_: bytes) -> None:
    peer, _ = bob.trusts(ann), ann.trusts(bob)
    with serving(ann) as address:
        assert b"what came is not a message" in raw(bob, peer, address, bytes_)


def raw(alice: Alice, peer: Peer, address: str, data: bytes) -> bytes:
    """What comes back for bytes that a trusted peer sends."""
    files = (alice.identity.certificate_file, alice.identity.key_file)
    context = tls_transport.context(tls_transport.CLIENT, *files, (peer.certificate,))
    back = b""
    with (
        socket.create_connection(tls_transport.host_and_port(address), 5) as plain,
        context.wrap_socket(plain) as secured,
    ):
        secured.settimeout(10)
        try:
            secured.sendall(data)
            while chunk := secured.recv(65536):
                back += chunk
        except OSError:
            return back
    return back


def test_fifty_silent_connections_starve_nobody(
    ann: Alice, bob: Alice, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tls_transport, "HANDSHAKE", 60.0)
    peer, _ = bob.trusts(ann), ann.trusts(bob)
    with serving(ann) as address:
        where = tls_transport.host_and_port(address)
        silent = [socket.create_connection(where, 5) for _ in range(50)]
        try:
            assert asked(bob, peer, address).taken is not None
            silent[0].setblocking(False)
            with pytest.raises(BlockingIOError):  # It stands still, so that nobody waited for its end.
                silent[0].recv(1)
        finally:
            for one in silent:
                one.close()


def test_more_silent_connections_than_places_push_one_another_out(ann: Alice, bob: Alice) -> None:
    peer, _ = bob.trusts(ann), ann.trusts(bob)
    with serving(ann) as address:
        where = tls_transport.host_and_port(address)
        silent = [socket.create_connection(where, 5) for _ in range(tls_transport.STRANGERS + 20)]
        try:
            assert asked(bob, peer, address).taken is not None
            silent[0].settimeout(3)
            assert silent[0].recv(1) == b""
        finally:
            for one in silent:
                one.close()


class Tap:
    """A relay of bytes that keeps what it saw, in both directions."""

    def __init__(self, onward: str) -> None:
        self.onward = tls_transport.host_and_port(onward)
        self.there = bytearray()
        self.back = bytearray()

    async def _between(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection(*self.onward)

        async def pump(source: asyncio.StreamReader, sink: asyncio.StreamWriter, kept: bytearray) -> None:
            try:
                while chunk := await source.read(65536):
                    kept += chunk
                    sink.write(chunk)
                    await sink.drain()
            except OSError:
                return
            finally:
                sink.close()

        await asyncio.gather(pump(reader, far_writer, self.there), pump(far_reader, writer, self.back))

    @contextmanager
    def standing(self) -> Iterator[str]:
        loop = asyncio.new_event_loop()
        server = loop.run_until_complete(asyncio.start_server(self._between, "127.0.0.1", 0))
        thread = threading.Thread(target=loop.run_forever)
        thread.start()
        try:
            yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
        finally:
            loop.call_soon_threadsafe(loop.stop)
            thread.join(5)
            server.close()
            left = asyncio.all_tasks(loop)
            for task in left:
                task.cancel()
            if left:
                loop.run_until_complete(asyncio.wait(left))
            loop.close()


def test_a_capture_tells_nothing_and_cannot_be_replayed(
    ann: Alice, bob: Alice, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The wire as an eavesdropper has it, beside what was said in it; then the same bytes once more."""
    said = bytearray()
    send = tls_transport.Wire.send

    async def heard(self: tls_transport.Wire, message: Any, patience: float = tls_transport.PATIENCE) -> None:
        said.extend(tls_transport.encoded(message))
        await send(self, message, patience)

    monkeypatch.setattr(tls_transport.Wire, "send", heard)
    peer, _ = bob.trusts(ann), ann.trusts(bob)
    with serving(ann) as address:
        tap = Tap(address)
        with tap.standing() as between:
            asked(bob, peer, between)
        assert b"use ripgrep" in said
        assert b"use fd" in said
        captured = bytes(tap.there + tap.back)
        assert len(captured) > len(said)
        host = os.uname().nodename
        # A short name turns up in random bytes by chance.
        for secret in (MARKER, "use ripgrep", "use fd", "alice_ann", *([host] if len(host) > 5 else [])):
            assert secret.encode() not in captured
        assert MARKER.encode() not in said
        before, log = ann.commits(), shares(ann.session).log()
        with socket.create_connection(tls_transport.host_and_port(address), 5) as replay:
            replay.settimeout(5)
            with contextlib.suppress(OSError):
                replay.sendall(tap.there)
                while replay.recv(65536):
                    continue
        assert (ann.commits(), shares(ann.session).log()) == (before, log)


def test_a_peer_that_answers_nonsense_is_a_failed_peer(ann: Alice, bob: Alice) -> None:
    peer, _ = bob.trusts(ann), ann.trusts(bob)
    answers: dict[str, Any] = {
        "error": {"error": "\x1b[2J no"},
        "version": {"version": 99},
        "pages": {"version": 1, "pages": -1, "bundle": {}},
        "bundle": {"version": 1, "pages": 1, "bundle": []},
    }
    before = bob.commits()
    for answer in answers.values():
        reception = network.Reception(ann.identity, lambda _p, _m, said=answer: said, lambda _: None)
        with door(reception.secured, reception) as address, pytest.raises(AliceError) as failure:
            asked(bob, peer, address)
        assert failure.value.exit_code == 8
    assert bob.commits() == before


def test_closing_a_connection_that_is_gone_raises_nothing() -> None:
    """The transport of Python 3.11.0 to 3.11.4 cannot be aborted then."""

    async def reset() -> None:
        raise ConnectionResetError

    gone = SimpleNamespace(close=lambda: None, wait_closed=reset, transport=None)
    asyncio.run(tls_transport.Wire(None, gone).close())  # type: ignore[arg-type]
