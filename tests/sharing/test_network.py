"""Homes on real networks of their own: network namespaces joined by a bridge, real mDNS, real processes (issue 7)."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from alice_exp.kernel.errors import PeerError
from alice_exp.sharing.rules.bundle import Neighbour
from alice_exp.sharing.store import network
from alice_exp.sharing.store.network import SERVICE, announced, hint_of, may_be
from alice_exp.sharing.store.peer_identity import shares
from tests.conftest import ROOT
from tests.sharing.alices import MARKER, SUPER, Alice, block, everything, line_of, made

pytestmark = pytest.mark.needs("cryptography", "spake2", "zeroconf")


@dataclass
class Lan:
    """Machines on one switch, each a network namespace with one address."""

    prefix: str
    machines: list[str] = field(default_factory=list)
    running: list[subprocess.Popen[str]] = field(default_factory=list)

    def ip(self, *words: str, check: bool = True) -> None:
        subprocess.run(["ip", *words], check=check, capture_output=True)

    def build(self) -> None:
        self.ip("netns", "add", f"{self.prefix}s")
        self.ip("-n", f"{self.prefix}s", "link", "add", "switch", "type", "bridge")
        self.ip("-n", f"{self.prefix}s", "link", "set", "switch", "up")

    def machine(self) -> str:
        """One machine more: its address."""
        number = len(self.machines) + 1
        name, inside = f"{self.prefix}{number}", f"p{number}"
        self.ip("netns", "add", name)
        self.machines.append(name)
        self.ip(
            "-n",
            name,
            "link",
            "add",
            "eth0",
            "type",
            "veth",
            "peer",
            "name",
            inside,
            "netns",
            f"{self.prefix}s",
        )
        self.ip("-n", f"{self.prefix}s", "link", "set", inside, "master", "switch", "up")
        self.ip("-n", name, "addr", "add", f"10.77.0.{number}/24", "dev", "eth0")
        self.ip("-n", name, "link", "set", "lo", "up")
        self.ip("-n", name, "link", "set", "eth0", "up")
        self.ip("-n", name, "route", "add", "default", "dev", "eth0")
        return f"10.77.0.{number}"

    def command(self, machine: int, words: list[str]) -> list[str]:
        return ["ip", "netns", "exec", self.machines[machine - 1], *words]

    def run(
        self, machine: int, alice: Alice, *words: str, check: bool = True
    ) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            self.command(machine, [sys.executable, "-m", "alice_exp", "peer", *words]),
            env={**os.environ, **alice.environment, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode == 0 or not check, done.stderr
        return done

    def start(self, machine: int, alice: Alice, *words: str) -> subprocess.Popen[str]:
        self.running.append(
            subprocess.Popen(
                self.command(machine, [sys.executable, "-m", "alice_exp", "peer", *words]),
                env={**os.environ, **alice.environment, "PYTHONPATH": str(ROOT)},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
        )
        return self.running[-1]

    def listen(self, machine: int) -> Callable[[], bytes]:
        """Capture all that passes a machine's network card; what is returned ends it and gives the bytes."""
        process = subprocess.Popen(
            self.command(machine, [sys.executable, "-c", CAPTURE]),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.running.append(process)
        line_of(process, process.stdout, "listening")
        lines: list[str] = []
        reading = threading.Thread(target=lambda: lines.extend(process.stdout or ()))
        reading.start()

        def heard() -> bytes:
            process.kill()
            reading.join(10)
            return b"".join(bytes.fromhex(line) for line in lines if len(line) % 2)

        return heard

    def end(self) -> None:
        for process in self.running:
            if process.poll() is None:
                process.kill()
            process.communicate()
        for name in (*self.machines, f"{self.prefix}s"):
            self.ip("netns", "del", name, check=False)


@pytest.fixture
def lan() -> Iterator[Lan]:
    if shutil.which("ip") is None:
        pytest.skip("iproute2 is not installed")
    made_ = Lan(f"ae{os.getpid() % 100_000}")
    try:
        made_.build()
    except subprocess.CalledProcessError as error:
        made_.end()
        pytest.skip(f"network namespaces are not allowed here: {error.stderr.decode().strip()}")
    try:
        yield made_
    finally:
        made_.end()


def label(name: str) -> bytes:
    """A name as DNS writes it: two letters alone would stand among random bytes by chance."""
    return bytes([len(name)]) + name.encode()


CAPTURE = """
import socket, sys
ears = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
print("listening", flush=True)
ears.settimeout(0.5)
while True:
    try:
        sys.stdout.write(ears.recv(65536).hex() + "\\n")
        sys.stdout.flush()
    except TimeoutError:
        continue
"""

ASK = """
import socket, struct
query = struct.pack(">6H", 0, 0, 1, 0, 0, 0)
for label in ("_alice", "_tcp", "local"):
    query += bytes([len(label)]) + label.encode()
query += b"\\0" + struct.pack(">2H", 12, 0x8001)
ear = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
ear.settimeout(5)
ear.sendto(query, ("224.0.0.251", 5353))
print(ear.recv(9000).hex())
"""


@pytest.mark.slow
def test_three_machines_find_one_another_pair_and_exchange(
    lan: Lan, ann: Alice, bob: Alice, world: Path
) -> None:
    """Ann and Bob pair and exchange by mDNS alone; Carl, whom nobody paired with, gets nothing."""
    carl = made(world / "carl", "alice_carl", {"universal/tool_usage": [block("use jq", **SUPER)]})
    for _ in range(3):
        lan.machine()
    heard = lan.listen(1)
    inviting = lan.start(1, ann, "invite", "--json")
    code = re.search(r"join (\S+) ", line_of(inviting, inviting.stderr, "peer join"))[1]  # type: ignore[index]
    joined = json.loads(lan.run(2, bob, "join", code, "--yes", "--json").stdout)
    assert joined["name"] == "alice_ann"
    assert joined["address"].startswith("10.77.0.1:")
    assert json.loads(inviting.communicate(timeout=20)[0])["name"] == "alice_bob"

    serving = lan.start(1, ann, "serve", "--for", "60s", "--json")
    port = json.loads(line_of(serving, serving.stdout, "listening"))["port"]
    seen = json.loads(lan.run(2, bob, "discover", "--json").stdout)["found"]
    assert [(one["name"], one["addresses"]) for one in seen] == [("alice_ann", [f"10.77.0.1:{port}"])]
    strange = json.loads(lan.run(3, carl, "discover", "--json").stdout)["found"]
    assert [one["name"] for one in strange] == [""]
    done = json.loads(lan.run(2, bob, "exchange", "alice_ann", "--json").stdout)
    assert (len(done["offered"]), len(done["merged"])) == (1, 1)
    assert bob.find("use ripgrep").verifications == 72
    assert ann.find("use fd").origin == "shared_from_alice_bob"

    carl.trusts(ann)
    refused = lan.run(3, carl, "exchange", "alice_ann", "--json", check=False)
    assert refused.returncode == 8
    assert [one.block.payload.content for one in carl.blocks()] == ["use jq"]
    assert not [row for row in shares(ann.session).log() if "carl" in row.to]

    asked = subprocess.run(
        lan.command(3, [sys.executable, "-c", ASK]), capture_output=True, text=True, timeout=20
    )
    answer = bytes.fromhex(asked.stdout)
    assert SERVICE.split(".")[0].encode() in answer
    assert seen[0]["instance"].encode() in answer

    serving.terminate()
    serving.wait(10)
    wire = heard()
    assert b"_alice" in wire
    for secret in (MARKER, "use ripgrep", "use fd", "alice_ann", "alice_bob"):
        assert secret.encode() not in wire
    assert label(socket.gethostname()) not in wire
    assert lan.run(2, bob, "discover", "--seconds", "1", check=False).returncode == 4


def test_five_machines_learn_from_one(lan: Lan, ann: Alice, world: Path) -> None:
    others = [
        made(world / name, f"alice_{name}", everything(f"use {name}")) for name in ("bo", "cy", "di", "ed")
    ]
    for _ in range(5):
        lan.machine()
    for other in others[:3]:
        ann.trusts(other)
    for other in others:
        other.trusts(ann)
    serving = lan.start(1, ann, "serve", "--for", "60s")
    line_of(serving, serving.stdout, "listening")
    codes = [
        lan.run(number, other, "exchange", "alice_ann", check=False).returncode
        for number, other in enumerate(others, start=2)
    ]
    assert codes == [0, 0, 0, 8]
    learned = {one.block.payload.content for one in ann.blocks("low_value") if "shared" in one.block.origin}
    assert learned == {"use bo", "use cy", "use di"}
    for other in others[:3]:
        assert other.find("use ripgrep").origin == "shared_from_alice_ann"
    assert not [one for one in others[3].blocks() if one.block.payload.content == "use ripgrep"]


AVAHI = """
mount -t tmpfs tmpfs /run && mkdir -p /run/dbus && dbus-daemon --system --fork || exit 90
avahi-daemon --no-drop-root --no-chroot --no-rlimits --daemonize 2>/run/said || { cat /run/said >&2; exit 91; }
for _ in 1 2 3 4 5 6 7 8; do
    avahi-browse --resolve --parsable --terminate _alice._tcp | grep '^=' && break
    sleep 0.3
done
avahi-daemon --kill
kill "$(cat /run/dbus/pid)"
"""
"""Avahi with a D-Bus of its own, in a mount namespace of its own: nothing outside sees either of them."""


def test_avahi_sees_the_service_and_learns_nothing_of_who_it_is(lan: Lan, ann: Alice, bob: Alice) -> None:
    """An independent client: avahi-browse on another machine."""
    for program in ("avahi-browse", "avahi-daemon", "dbus-daemon", "unshare"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
    lan.machine()
    lan.machine()
    ann.trusts(bob)
    serving = lan.start(1, ann, "serve", "--for", "60s", "--json")
    port = json.loads(line_of(serving, serving.stdout, "listening"))["port"]
    browse = lan.command(2, ["unshare", "--mount", "--propagation", "private", "sh", "-c", AVAHI])
    seen = subprocess.run(browse, capture_output=True, text=True, timeout=60)
    if seen.returncode in (90, 91):
        pytest.skip(f"avahi-daemon does not run here: {seen.stderr.strip()}")
    _, _, _, instance, kind, domain, host, address, at, _ = seen.stdout.splitlines()[0].split(";")
    assert (kind, domain, address, at) == ("_alice._tcp", "local", "10.77.0.1", str(port))
    assert re.fullmatch(r"a-[a-z2-9]{10}", instance)
    for known in ("alice_ann", socket.gethostname(), os.environ.get("USER", "root"), ann.root.name):
        assert known not in (instance, host.removesuffix(".local")), seen.stdout


# -- discovery alone, on loopback -----------------------------------------------------------------------------------

OWN = "ab" * 32


def on_loopback(act: Callable[[], Any]) -> Any:
    try:
        return act()
    except PeerError as error:
        pytest.skip(f"no multicast on loopback here: {error}")


@pytest.mark.covers("R2.45")
def test_what_is_announced_is_found_and_says_nothing_of_who_it_is() -> None:
    def found() -> tuple[tuple[Neighbour, ...], str]:
        with announced(4711, OWN, invites=7, host="127.0.0.1") as instance:
            return network.discover(
                5, host="127.0.0.1", wanted=lambda one: one.instance == instance
            ), instance

    assert SERVICE == "_alice._tcp.local."
    seen, instance = on_loopback(found)
    one = next(one for one in seen if one.instance == instance)
    assert one == Neighbour(instance, ("127.0.0.1:4711",), hint_of(instance, OWN), 7)
    assert re.fullmatch(r"a-[a-z2-9]{10}", instance)


def test_a_hint_is_read_by_those_who_know_the_certificate_and_is_another_each_time(
    ann: Alice, bob: Alice
) -> None:
    peer = ann.identity.own()
    one, two = (Neighbour(name, (), hint_of(name, peer.id)) for name in ("a-one", "a-two"))
    assert may_be(one, peer)
    assert may_be(two, peer)
    assert not may_be(one, bob.identity.own())
    assert one.hint != two.hint
    assert not may_be(Neighbour("a-two", (), one.hint), peer)


@pytest.mark.parametrize("address", ["8.8.8.8", "1.1.1.1", "not-an-address"])
def test_nobody_is_sent_to_the_open_internet(address: str) -> None:
    assert not network._is_near(address)


def test_two_who_answer_to_one_number_are_named_and_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spoofed mDNS: somebody answers to every number to have a try at the code."""
    spoofed = tuple(Neighbour(f"a-{word}", ("10.0.0.9:1",), "", 7) for word in ("true", "false"))
    monkeypatch.setattr(network, "discover", lambda *_, **__: spoofed)
    with pytest.raises(PeerError, match="2 Alices invite under the number 7"):
        network._inviting(7)
    with pytest.raises(PeerError, match="nobody invites"):
        network._inviting(8)
