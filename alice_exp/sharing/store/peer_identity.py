"""This Alice's network identity, its public name and log of what left, its trusted peers, in ``identity/``
(directories 0700, files 0600; DESIGN 3, 6).

``alice.key`` and ``alice.crt`` are an Ed25519 key and its self-signed certificate, whose SHA-256 is this Alice's id.
``peers/NAME.json`` holds one peer with the certificate pinned at pairing. Validity dates in certificates are not used:
trust begins with pairing and ends with ``peer forget``.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import ssl
from collections.abc import Callable
from dataclasses import asdict, replace
from datetime import UTC, datetime
from importlib.util import find_spec
from itertools import chain, count
from pathlib import Path
from typing import Final

from alice_exp.home.session import Session, once
from alice_exp.kernel.errors import NotFoundError, PeerError, ProblemError, reason, refused_as
from alice_exp.kernel.journal import atomic_files
from alice_exp.kernel.jsonc import json_rows
from alice_exp.sharing.rules.bundle import PEER_NAME, Disclosure, Peer

MOST_CERTIFICATE: Final = 4096
"""Maximum characters of a PEM certificate; ours have about 600."""

_LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"
_FOREVER = datetime(9999, 12, 31, tzinfo=UTC)
_EVER = datetime(2000, 1, 1, tzinfo=UTC)
_UNSENT = "nothing left: this cannot be written: {why}"


class FileIdentity:
    """The identity of the home at ``root``, and the peers it trusts; ``name`` gives its public name. ``own`` makes the
    private key and the certificate (PEM)."""

    def __init__(self, root: Path, name: Callable[[], str]) -> None:
        require_extra()
        self._root = root
        self.folder = root / "identity"
        self.key_file, self.certificate_file = self.folder / "alice.key", self.folder / "alice.crt"
        self._peers = self.folder / "peers"
        self._name = name

    def own(self) -> Peer:
        """This Alice as its peers see it; creates key and certificate on first use."""
        self._require_home()
        try:
            if not (self.certificate_file.exists() and self.key_file.exists()):
                key, certificate = new_certificate()
                self._write(self.key_file, key)
                self._write(self.certificate_file, certificate)
            certificate = self.certificate_file.read_text(encoding="ascii")
        except (OSError, UnicodeDecodeError) as error:
            raise ProblemError(
                "the identity cannot be read or made: {why}", why=reason(error), path=str(self.folder)
            ) from error
        name = self._name()
        if not PEER_NAME.fullmatch(name):
            raise ProblemError(
                "{name} cannot be a name on the network",
                name=repr(name),
                path="local.jsonc",
                hint="write a-z, 0-9, - and _ with 'alice-exp config set sharing.name NAME'",
            )
        return Peer(name, certificate_id(certificate), certificate, "")

    def all(self) -> tuple[Peer, ...]:
        """All peers, sorted by name; raises ``ProblemError`` if a peer's file cannot be read."""
        paths = sorted(self._peers.glob("*.json"))
        return tuple(self._read(path) for path in paths if not path.name.startswith("."))

    def find(self, name: str) -> Peer:
        """The peer with that name or id (or a unique prefix of 8 digits or more); else raises ``NotFoundError``."""
        known = self.all()
        wanted = name.lower().removeprefix("sha256:")
        exact = [peer for peer in known if peer.name == wanted]
        close = [peer for peer in known if len(wanted) >= 8 and peer.id.startswith(wanted)]
        if exact or len(close) == 1:
            return (exact or close)[0]
        raise NotFoundError(
            "there is no peer {name}",
            name=repr(name),
            hint="see 'alice-exp peer list'; pair with 'peer invite'",
        )

    def keep(self, peer: Peer) -> Peer:
        """Pin a peer and return it as stored: a known certificate keeps its name, a taken name gets a number.

        Raises ``PeerError`` if the name or the certificate is invalid.
        """
        self._require_home()
        if not PEER_NAME.fullmatch(peer.name):
            raise PeerError(
                "{name} cannot be the name of a peer", name=repr(peer.name[:80]), hint="give one with --as"
            )
        require_leaf(peer.certificate)
        known = {one.name: one for one in self.all()}
        same = next((one for one in known.values() if one.id == peer.id), None)
        numbered = (f"{peer.name}-{number}" for number in count(2))
        free = next(name for name in chain([peer.name], numbered) if name not in known)
        kept = replace(peer, name=same.name if same is not None else free)
        self._write(self._peers / f"{kept.name}.json", json.dumps(asdict(kept), indent=2) + "\n")
        return kept

    def update(self, peer: Peer) -> None:
        """Store a known peer's new address; a peer forgotten in the meantime stays forgotten."""
        path = self._peers / f"{peer.name}.json"
        if path.exists():
            self._write(path, json.dumps(asdict(peer), indent=2) + "\n")

    def forget(self, peer: Peer) -> None:
        """Stop trusting a peer."""
        atomic_files.remove(self._peers / f"{peer.name}.json")

    def _read(self, path: Path) -> Peer:
        try:
            raw = json.loads(path.read_bytes())
            own, certificate, paired = (str(raw[key]) for key in ("id", "certificate", "paired_at"))
            peer = Peer(path.stem, own, certificate, paired, str(raw.get("address", "")))
            require_leaf(peer.certificate)
            if certificate_id(peer.certificate) != peer.id or not PEER_NAME.fullmatch(peer.name):
                raise ValueError("its id is not its certificate's")
        except (OSError, ValueError, KeyError, TypeError, AttributeError, PeerError) as error:
            raise ProblemError(
                "this is not a peer as pairing made it: {why}",
                why=str(error) or type(error).__name__,
                path=str(path),
                hint="remove the file and pair again",
            ) from error
        return peer

    def _require_home(self) -> None:
        if not (self._root / "experiences").is_dir():
            raise ProblemError("there is no home at {root}", root=self._root, hint="make one: alice-exp init")

    def _write(self, path: Path, text: str) -> None:
        with refused_as("this cannot be written: {why}", path):
            for folder in (self.folder, path.parent):
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            atomic_files.replace(path, text.encode(), durable=True)


def require_extra() -> None:
    """Raise ``PeerError`` if a package of the extra ``peer`` is missing."""
    for package in ("cryptography", "spake2", "zeroconf"):
        if find_spec(package) is None:
            raise PeerError(
                "the package {package} is not installed",
                package=package,
                hint="pip install 'alice-exp[peer]'",
            )


def certificate_id(certificate: str) -> str:
    """A peer's id: SHA-256 (hex) of its certificate's DER; raises ``PeerError`` if the PEM is invalid."""
    try:
        return hashlib.sha256(ssl.PEM_cert_to_DER_cert(certificate)).hexdigest()
    except (ValueError, TypeError) as error:
        raise PeerError("this is not a certificate") from error


def require_leaf(certificate: str) -> None:
    """Raise ``PeerError`` unless this is a single self-signed Ed25519 certificate (PEM) that is not a CA.

    A trusted CA certificate would let its owner admit anyone by signing further certificates.
    """
    from cryptography import x509
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    if len(certificate) > MOST_CERTIFICATE or certificate.count("BEGIN CERTIFICATE") != 1:
        raise PeerError("this is not one plain certificate")
    try:
        read = x509.load_pem_x509_certificate(certificate.encode("ascii"))
        key = read.public_key()
        basic = read.extensions.get_extension_for_class(x509.BasicConstraints).value
        usages = [one.value for one in read.extensions if isinstance(one.value, x509.KeyUsage)]
        if basic.ca or any(one.key_cert_sign for one in usages):
            raise PeerError("this certificate may sign others (CA:TRUE); it is not trusted")
        if not isinstance(key, Ed25519PublicKey):
            raise PeerError("this certificate's key is not Ed25519")
        read.verify_directly_issued_by(read)
    except PeerError:
        raise
    except x509.ExtensionNotFound as error:
        raise PeerError("this certificate does not say that it signs no others (CA:FALSE)") from error
    except (ValueError, TypeError, InvalidSignature) as error:
        raise PeerError("this certificate cannot be read or did not sign itself") from error


def new_certificate() -> tuple[str, str]:
    """A new private key and self-signed certificate (PEM), without any trace of who made it, where or when."""
    from cryptography import x509
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.x509.oid import NameOID

    key = Ed25519PrivateKey.generate()
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"alice-{os.urandom(8).hex()}")])
    builder = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(_EVER)
        .not_valid_after(_FOREVER)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    signed = builder.sign(key, None).public_bytes(serialization.Encoding.PEM)
    return private.decode("ascii"), signed.decode("ascii")


def random_word(length: int) -> str:
    """A random word of letters and digits that are not easily confused, from the system's random source."""
    return "".join(_LETTERS[byte % len(_LETTERS)] for byte in os.urandom(length))


class Shares:
    """This home's public name and the log of what left it.

    ``configured`` is ``sharing.name``, else a random name is generated once.
    """

    def __init__(self, directory: Path, configured: str, new_id: Callable[[str], str]) -> None:
        self._directory = directory
        self._configured = configured
        self._new_id = new_id

    def name(self) -> str:
        """The name bundles are sent under."""
        if self._configured:
            return self._configured
        path = self._directory / "name"
        with contextlib.suppress(OSError):
            return path.read_text(encoding="utf-8").strip()
        fresh = self._new_id("alice").replace("-", "_")
        with refused_as(_UNSENT, path):
            self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            atomic_files.replace(path, f"{fresh}\n".encode(), durable=True)
        return fresh

    def record(self, disclosure: Disclosure) -> None:
        """Append one line and fsync, before anything leaves; ``ProblemError`` on failure: nothing leaves unlogged."""
        line = json.dumps(disclosure.row, ensure_ascii=False) + "\n"
        with refused_as(_UNSENT, self._directory / "shared.jsonl"):
            self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            atomic_files.append(self._directory / "shared.jsonl", line.encode("utf-8", "replace"))

    def log(self) -> tuple[Disclosure, ...]:
        """All entries, oldest first; malformed lines are skipped."""
        rows = []
        with contextlib.suppress(OSError):
            for row in json_rows((self._directory / "shared.jsonl").read_bytes()):
                with contextlib.suppress(KeyError, TypeError):
                    blocks = tuple((str(one["id"]), str(one["hash"])) for one in row["blocks"])
                    rows.append(Disclosure(row["at"], row["to"], row["way"], row["sha256"], blocks))
        return tuple(rows)


@once
def shares(session: Session) -> Shares:
    """This home's public name and the disclosure log."""
    return Shares(session.root / "identity", session.config.text("sharing.name"), session.new_id)


@once
def peers(session: Session) -> FileIdentity:
    """This Alice's network identity and its trusted peers."""
    return FileIdentity(session.root, shares(session).name)
