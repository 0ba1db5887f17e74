"""An OpenSSH signature counts for one key, one text, one namespace, and of a security key with a touch."""

import base64
import hashlib

import pytest

from alice_exp.owner.rules import holds

pytestmark = pytest.mark.needs("cryptography")

TEXT = "alice-exp decision 1\n"
PLAIN, DEVICE = b"ssh-ed25519", b"sk-ssh-ed25519@openssh.com"


def packed(*fields: bytes) -> bytes:
    return b"".join(len(field).to_bytes(4, "big") + field for field in fields)


def signed(kind: bytes, namespace: str, flags: int) -> tuple[str, str]:
    """The line of a new key, and its signature as ``ssh-keygen -Y sign`` writes it (PROTOCOL.sshsig, PROTOCOL.u2f)."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    private = Ed25519PrivateKey.generate()
    of_device = (b"ssh:",) if kind == DEVICE else ()
    public = packed(kind, private.public_key().public_bytes_raw(), *of_device)
    named = namespace.encode()
    message = b"SSHSIG" + packed(named, b"", b"sha512", hashlib.sha512(TEXT.encode()).digest())
    rest = b""
    if kind == DEVICE:
        rest = bytes([flags]) + (7).to_bytes(4, "big")
        message = hashlib.sha256(b"ssh:").digest() + rest + hashlib.sha256(message).digest()
    signature = packed(kind, private.sign(message)) + rest
    whole = b"SSHSIG" + (1).to_bytes(4, "big") + packed(public, named, b"", b"sha512", signature)
    return f"{kind.decode()} {base64.b64encode(public).decode()}", base64.b64encode(whole).decode()


@pytest.mark.parametrize(
    ("kind", "namespace", "flags", "counts"),
    [
        (PLAIN, "alice-exp", 0, True),
        (PLAIN, "git", 0, False),
        (DEVICE, "alice-exp", 1, True),
        (DEVICE, "alice-exp", 5, True),
        (DEVICE, "alice-exp", 0, False),
        (DEVICE, "alice-exp", 4, False),
        (DEVICE, "git", 1, False),
    ],
)
def test_what_a_signature_says(kind: bytes, namespace: str, flags: int, counts: bool) -> None:
    line, made = signed(kind, namespace, flags)
    assert holds(line, TEXT, made, "alice-exp") == counts
    assert not holds(line, TEXT + " ", made, "alice-exp")
