"""The owner key as a value, the Protocol of signing and verifying with it, and what a signed decision needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from alice_exp.kernel.value_class import dataclass

if TYPE_CHECKING:
    from alice_exp.home.caller import Caller
    from alice_exp.home.ports import Home


@dataclass(frozen=True, slots=True)
class OwnerKey:
    """An SSH key that signs decisions: ``line`` is ``TYPE BASE64``, ``fingerprint`` is ``SHA256:…``.

    ``file`` is the private key's path on this machine (empty: not here). ``protection`` is ``passphrase``,
    ``hardware``, ``none``, ``agent`` (held only by an ssh-agent, so that its protection is unknown), or empty if it was
    not examined.
    """

    line: str
    fingerprint: str
    comment: str = ""
    file: str = ""
    protection: str = ""

    @property
    def is_hardware(self) -> bool:
        """Whether the key is on a security device (``sk-…``), which asks for a touch per signature."""
        return self.line.startswith("sk-")


class Owner(Protocol):
    """The owner key of a home. Methods raise ``ProblemError`` if ``ssh-keygen`` is not installed."""

    def key(self, configured: str) -> OwnerKey | None:
        """The valid key: the one pinned on this machine, else the configured one; None if there is neither."""
        ...

    def examine(self, path: str) -> OwnerKey:
        """Read a key file (empty: the usual one) and how it is protected; raises ``ProblemError`` if invalid."""
        ...

    def keep(self, key: OwnerKey | None) -> None:
        """Pin the key on this machine; None removes the pin."""
        ...

    def signed(self, key: OwnerKey, text: str) -> str:
        """A signature (bare base64) over a text, asking for the passphrase; raises ``RefusedError`` without it."""
        ...

    def verified(self, key: OwnerKey, text: str, signature: str) -> bool:
        """Whether a signature is a key's over a text."""
        ...


@dataclass(frozen=True, slots=True)
class Signing:
    """What a signed decision needs: the home, its owner key, and the caller with the time."""

    home: Home
    owner: Owner
    caller: Caller
