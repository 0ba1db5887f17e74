"""Announce and discover Alices by mDNS (``_alice._tcp.local``), only while serving or inviting (R2.31, R2.45).

An announcement does not reveal who it is: a random word as instance and host name, a port, the machine's addresses, and
a hint that only those who know the certificate can check. Announcements prove nothing; the certificate presented at the
address does.
"""

from __future__ import annotations

import contextlib
import hashlib
import ipaddress
import re
import time
from typing import TYPE_CHECKING, Any, Final

from alice_exp.kernel.errors import PeerError
from alice_exp.kernel.value_class import dataclass
from alice_exp.sharing.store.peer_identity import random_word

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from alice_exp.sharing.ports import Peer

SERVICE: Final = "_alice._tcp.local."
MOST: Final = 64
"""Maximum number of answers considered."""

_LABEL = re.compile(r"[a-z0-9-]{1,40}")


@dataclass(frozen=True, slots=True)
class Found:
    """One announcement: random ``instance`` name, addresses (``host:port``) and hint.

    ``invites`` is the number of an open invitation, 0 for none.
    """

    instance: str
    addresses: tuple[str, ...]
    hint: str = ""
    invites: int = 0

    def may_be(self, peer: Peer) -> bool:
        """Whether the hint matches that peer; only its certificate proves it."""
        return bool(self.hint) and self.hint == hint_of(self.instance, peer.id)


def hint_of(instance: str, peer_id: str) -> str:
    """Sixteen hex digits that identify a peer to those who know its id (hex) and are meaningless to others.

    Hashed with the random instance name, so that announcements of one Alice cannot be linked.
    """
    return hashlib.sha256(f"alice-exp hint {instance} {peer_id}".encode()).hexdigest()[:16]


@contextlib.contextmanager
def announced(port: int, own_id: str, *, invites: int = 0, host: str = "") -> Iterator[str]:
    """Announce a port while the block runs; yields the random instance name.

    ``host``: announce only that address, on its interface; empty: all addresses of the machine.
    """
    from zeroconf import NonUniqueNameException, ServiceInfo

    instance = f"a-{random_word(10)}"
    properties = {"v": "1", "h": hint_of(instance, own_id), **({"i": str(invites)} if invites else {})}
    info = ServiceInfo(
        SERVICE,
        f"{instance}.{SERVICE}",
        port=port,
        properties=properties,
        server=f"{instance}.local.",
        parsed_addresses=[host] if host else _own_addresses(),
    )
    with _multicast(host) as zero:
        try:
            zero.register_service(info)
        except (OSError, NonUniqueNameException) as error:
            raise _no_multicast(error) from error
        try:
            yield instance
        finally:
            with contextlib.suppress(OSError):
                zero.unregister_service(info)


def discover(
    seconds: float = 2.0, *, host: str = "", wanted: Callable[[Found], bool] | None = None
) -> tuple[Found, ...]:
    """Announcements heard within ``seconds``, at most ``MOST``, by instance; returns early once one is ``wanted``."""
    from zeroconf import ServiceBrowser, ServiceStateChange

    names: list[str] = []

    def heard(zeroconf: Any, service_type: str, name: str, state_change: Any) -> None:  # noqa: ARG001
        if state_change is ServiceStateChange.Removed:
            if name in names:
                names.remove(name)
        elif len(names) < MOST and name not in names:
            names.append(name)

    found: dict[str, Found] = {}
    deadline = time.monotonic() + seconds
    with _multicast(host) as zero:
        browser = ServiceBrowser(zero, SERVICE, [heard])
        while (left := deadline - time.monotonic()) > 0:
            for name in [name for name in names if name not in found]:
                known = _looked_up(zero, name, min(left, 1.0))
                if known is not None:
                    found[name] = known
            if wanted is not None and any(wanted(one) for one in found.values()):
                break
            time.sleep(min(0.05, left))
        browser.cancel()
    return tuple(found[name] for name in sorted(found) if name in names)


def _looked_up(zero: Any, name: str, seconds: float) -> Found | None:
    """Resolve an announced name; None if it does not answer or is not an Alice's announcement."""
    from zeroconf import IPVersion

    info = zero.get_service_info(SERVICE, name, timeout=int(seconds * 1000))
    instance = name.removesuffix(f".{SERVICE}")
    if info is None or not info.port or not _LABEL.fullmatch(instance):
        return None
    said = {key.decode("ascii", "replace"): value or b"" for key, value in info.properties.items()}
    number = said.get("i", b"").decode("ascii", "replace")
    addresses = tuple(
        f"{address}:{info.port}"
        for address in info.parsed_addresses(IPVersion.V4Only)[:8]
        if _is_near(address)
    )
    if not addresses or said.get("v") != b"1":
        return None
    hint = said.get("h", b"").decode("ascii", "replace")
    invites = int(number) if number.isdecimal() and len(number) <= 2 else 0
    return Found(instance, addresses, hint[:16], invites)


def _is_near(address: str) -> bool:
    """Whether an address can be on the local network: a forged announcement must not point to the internet."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return False
    return parsed.is_private or parsed.is_link_local or parsed.is_loopback


def _own_addresses() -> list[str]:
    import ifaddr

    found = [ip.ip for adapter in ifaddr.get_adapters() for ip in adapter.ips if isinstance(ip.ip, str)]
    outward = [address for address in found if not ipaddress.ip_address(address).is_loopback]
    return outward or found


@contextlib.contextmanager
def _multicast(host: str) -> Iterator[Any]:
    from zeroconf import InterfaceChoice, IPVersion, Zeroconf

    try:
        zero = Zeroconf(interfaces=[host] if host else InterfaceChoice.All, ip_version=IPVersion.V4Only)
    except OSError as error:
        raise _no_multicast(error) from error
    try:
        yield zero
    finally:
        zero.close()


def _no_multicast(error: BaseException) -> PeerError:
    why = (getattr(error, "strerror", "") or str(error) or type(error).__name__).lower()
    return PeerError("mDNS does not work here: {why}", why=why, hint="name the other side: --at host:port")
