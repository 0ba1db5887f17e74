"""Faults that a careful reader could still write, each held by one test."""

import asyncio
import json
import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from alice_exp.agents.store import Spool
from alice_exp.conversations.store import FileSessions
from alice_exp.home.store.list_files import write_local
from alice_exp.kernel.errors import PeerError
from alice_exp.kernel.journal import atomic_files
from alice_exp.kernel.journal.commit_writer import keep_derived, load_derived
from alice_exp.kernel.journal.git_process import Repository
from alice_exp.learning.store import Decisions, OpenDecision
from alice_exp.model.rules.lifecycle import DEFAULT
from alice_exp.model.values.block import EVIDENCE_KEPT, Approved, Block, Payload, Placed, content_hash
from alice_exp.owner.rules import OwnerKey
from alice_exp.owner.store import SshOwner
from alice_exp.sharing.rules.bundle import Disclosure
from alice_exp.sharing.store import tls_transport
from alice_exp.sharing.store.peer_identity import FileIdentity, Shares
from alice_exp.sync.remotes import Remote, Remotes
from alice_exp.sync.rules.merge_blocks import merge
from alice_exp.sync.store.incoming_history import ran
from tests.conftest import Call
from tests.kernel.test_durable_files import Disk, every

NOW = "2026-02-01T09:00:00Z"
PATH = "universal/tool_usage.jsonc"


def approved(at: str) -> Placed:
    block = Block("exp-aaaa2222", Payload("use rg"), created_at="2026-01-01T00:00:00Z", updated_at=at)
    return Placed(replace(block, approved=Approved(at, "user", content_hash(block))), PATH)


def test_a_merge_keeps_the_later_of_two_approvals() -> None:
    early, late = approved("2026-02-01T00:00:00Z"), approved("2026-02-02T00:00:00Z")
    for one, other in ((early, late), (late, early)):
        merged = merge({}, {"exp-aaaa2222": one}, {"exp-aaaa2222": other}, DEFAULT)
        (kept,) = merged[0].values()
        assert kept.block.approved == late.block.approved


def test_a_derived_file_that_differs_by_one_bit_is_a_missing_one(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    keep_derived(path, {"a": [1, 2, 3]})
    assert load_derived(path) == {"a": [1, 2, 3]}
    data = path.read_bytes()
    for at in range(len(data)):
        path.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        assert load_derived(path) is None
    path.write_bytes(b"[" * 200_000)
    assert load_derived(path) is None


def _sharing_log(root: Path) -> None:
    Shares(root / "identity", "", lambda kind: f"{kind}-x").record(
        Disclosure(NOW, "bob", "sync", "0" * 64, (("exp-aaaa2222", "1" * 64),))
    )


def _public_name(root: Path) -> None:
    Shares(root / "identity", "", lambda kind: f"{kind}-x").name()


def _session(root: Path) -> None:
    FileSessions(root / "sessions", lambda _: False, lambda: 1.0).start("talk", NOW)


def _remotes(root: Path) -> None:
    Remotes(root / "identity").keep((Remote("mine", "/there", True, NOW),))


def _peer(root: Path) -> None:
    FileIdentity(root, lambda: "alice_x").own()


_PEER = pytest.param(_peer, marks=pytest.mark.needs("cryptography"), id="_peer")


def _decision(root: Path) -> None:
    Decisions(root / "state/decisions", lambda _: False).open(
        OpenDecision("dec-aaaaaaa2", NOW, "t", {}, "universal", (), ())
    )


def _hook(root: Path) -> None:
    Spool(root / "state", lambda: NOW).leave({"session": "a"})


def _owner(root: Path) -> None:
    SshOwner(root, str).keep(OwnerKey("ssh-ed25519 AAAA", "SHA256:x", "me", "/key"))


def _local(root: Path) -> None:
    write_local(root, {"lang": "en"})


@pytest.mark.parametrize(
    "write",
    [_sharing_log, _public_name, _session, _remotes, _PEER, _decision, _hook, _owner, _local],
    ids=lambda write: write.__name__,
)
def test_every_durable_writer_needs_each_of_its_fsyncs(
    home: Path, monkeypatch: pytest.MonkeyPatch, write: Callable[[Path], None]
) -> None:
    """Whatever file appears was synced, and the directory that names it after that; without any one call it is not."""
    shutil.copytree(home, home.with_name("before"), symlinks=True)

    def written(disk: Disk) -> list[str]:
        shutil.rmtree(home)
        shutil.copytree(home.with_name("before"), home, symlinks=True)
        if write is _local:
            (home / "local.jsonc").unlink()
        before = set(home.rglob("*"))
        write(home)
        fresh = [path for path in home.rglob("*") if path not in before and path.is_file()]
        assert fresh
        return disk.lost(*fresh)

    for number in range(every(monkeypatch, -1, written)):
        every(monkeypatch, number, written)


@pytest.mark.parametrize("write", [_session, _PEER, _owner], ids=lambda write: write.__name__)
def test_what_was_forgotten_stays_forgotten_when_the_power_goes(
    home: Path, monkeypatch: pytest.MonkeyPatch, write: Callable[[Path], None]
) -> None:
    if write is _peer:
        FileIdentity(home, lambda: "alice_x").keep(
            replace(FileIdentity(home, lambda: "bob").own(), name="bob")
        )
    else:
        write(home)
    names = {"sessions/talk.jsonl", "identity/peers/bob.json", "identity/owner.pub", "identity/owner.json"}
    paths = [path for name in sorted(names) if (path := home / name).exists()]
    assert paths
    disk = Disk(monkeypatch)
    if write is _session:
        FileSessions(home / "sessions", lambda _: False, lambda: 1.0).forget("talk")
    elif write is _peer:
        FileIdentity(home, lambda: "alice_x").forget(FileIdentity(home, lambda: "alice_x").find("bob"))
    else:
        SshOwner(home, str).keep(None)
    assert not [path for path in paths if path.exists()] and not disk.lost(*paths)


def test_what_a_fetch_brings_is_forced_to_disk_whatever_the_person_configured(home: Path) -> None:
    Path("~/.gitconfig").expanduser().write_text("[core]\n\tfsync = none\n")
    assert ran(Repository(home / "experiences"), "config", "--get", "core.fsync").stdout == "all\n"


def test_a_line_that_was_cut_short_costs_no_other(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b'{"a": 1}\n{"b"')
    assert atomic_files.append(path, b'{"c": 3}\n') == path.stat().st_size
    assert path.read_bytes() == b'{"a": 1}\n{"b"\n{"c": 3}\n'
    with pytest.raises(FileNotFoundError):
        atomic_files.append(tmp_path / "none", b"x\n", create=False)


@pytest.mark.parametrize("because", ["", "it is wrong"])
@pytest.mark.parametrize("count", [1, EVIDENCE_KEPT - 1, EVIDENCE_KEPT])
def test_a_rejection_drops_no_evidence_but_what_its_own_takes_the_place_of(
    home: Path, cli: Call, count: int, because: str
) -> None:
    rows = [{"kind": "outcome", "at": NOW, "quote": f"piece {number}"} for number in range(count)]
    block = {"id": "exp-aaaa2222", "payload": "use rg", "evidence": rows}
    (home / "experiences/low_value_pool/pending_20260101.jsonc").write_text(json.dumps({"blocks": [block]}))
    cli("reject", "exp-aaaa2222", "--yes", *(("--reason", because) if because else ()))
    kept = [one["quote"] for one in cli("show", "exp-aaaa2222", "--json").json["evidence"]]
    said = [*(f"piece {number}" for number in range(count)), *([because] if because else [])]
    assert kept == said[-EVIDENCE_KEPT:]


@pytest.mark.parametrize("over", [0, 1])
def test_a_message_of_exactly_one_mebibyte_travels_and_one_byte_more_does_not(over: int) -> None:
    empty = len(tls_transport.encoded({"a": ""}))
    message = {"a": "x" * (tls_transport.MOST - empty + over)}

    async def sent() -> object:
        arrived: asyncio.Queue[object] = asyncio.Queue()

        async def heard(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            try:
                arrived.put_nowait(await tls_transport.Wire(reader, writer).receive())
            except PeerError as error:
                arrived.put_nowait(error)
            writer.close()

        server = await asyncio.start_server(heard, "127.0.0.1", 0, limit=tls_transport.MOST)
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        wire = tls_transport.Wire(reader, writer)
        if over:
            with pytest.raises(tls_transport.TooLong):
                await wire.send(message)
            writer.write(tls_transport.encoded(message))
        else:
            await wire.send(message)
        try:
            return await asyncio.wait_for(arrived.get(), 20)
        finally:
            writer.close()
            server.close()

    got = asyncio.run(sent())
    assert isinstance(got, PeerError) if over else got == message


def test_a_file_of_the_persons_is_on_the_disk_before_it_takes_the_old_ones_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from alice_exp.terminal.editor import write_text

    path = tmp_path / "CLAUDE.md"
    turn = iter(range(99))

    def written(disk: Disk) -> list[str]:
        path.write_text("mine")
        path.chmod(0o644)
        write_text(path, f"mine, and ours {next(turn)}")
        assert path.stat().st_mode & 0o777 == 0o644
        return disk.lost(path)

    for number in range(every(monkeypatch, -1, written)):
        every(monkeypatch, number, written)


def test_a_new_file_appears_whole_and_is_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What an export writes: never in the place of another file, nothing half, and with or without hard links."""

    def no_links(*_: object) -> None:
        raise OSError(1, "Operation not permitted")

    left = tmp_path / f".a{atomic_files.MARK}{2**22 + 1}-00000000"
    for links in (True, False):
        with monkeypatch.context() as patched:
            if not links:
                patched.setattr(os, "link", no_links)
            left.touch()
            path, disk = tmp_path / f"a{links}", Disk(patched)
            atomic_files.create(path, b"x")
            assert path.read_bytes() == b"x" and path.stat().st_mode & 0o777 == 0o600 and not disk.lost(path)
            with pytest.raises(FileExistsError):
                atomic_files.create(path, b"y")
            assert path.read_bytes() == b"x" and sorted(tmp_path.glob(".*")) == []


def test_whoever_does_not_read_what_it_is_sent_is_not_waited_for() -> None:
    class Deaf:
        def write(self, data: bytes) -> None:
            pass

        async def drain(self) -> None:
            await asyncio.Event().wait()

    wire = tls_transport.Wire(asyncio.StreamReader, Deaf())  # type: ignore[arg-type]
    with pytest.raises(PeerError, match="does not read"):
        asyncio.run(asyncio.wait_for(wire.send({}, patience=0.01), 5))


def test_what_the_later_of_two_versions_without_a_past_lacks_is_not_taken_from_the_earlier() -> None:
    """The approval of another text, which the later side does not have any more."""
    early, late = approved("2026-01-31T00:00:00Z"), approved(NOW)
    old = Approved(NOW, "user", "0" * 64)
    sides = [
        Placed(replace(early.block, approved=old), PATH),
        Placed(replace(late.block, approved=None), PATH),
    ]
    for one, other in (sides, sides[::-1]):
        merged = merge({}, {"exp-aaaa2222": one}, {"exp-aaaa2222": other}, DEFAULT)
        assert merged[0]["exp-aaaa2222"].block.approved is None
