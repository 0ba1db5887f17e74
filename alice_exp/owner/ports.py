"""The owner's SSH key, as a Protocol."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from alice_exp.model.values.block import Claim


@dataclass(frozen=True, slots=True)
class OwnerKey:
    """An SSH key that signs decisions: ``line`` is ``TYPE BASE64``, ``fingerprint`` as ``SHA256:…``.

    ``file`` is the private key's path on this machine (empty: not here). ``protection``: ``passphrase``, ``hardware``,
    ``none``, ``agent`` (only an ssh-agent holds it, so that nobody can see), empty where it was not looked at.
    """

    line: str
    fingerprint: str
    comment: str = ""
    file: str = ""
    protection: str = ""

    @property
    def is_hardware(self) -> bool:
        """Whether every signature needs a touch."""
        return self.line.startswith("sk-")


class Owner(Protocol):
    """The owner key, where a home has one. ``ProblemError`` where ``ssh-keygen`` is missing."""

    def key(self, configured: str) -> OwnerKey | None:
        """The key that counts: the one pinned on this machine, else the configured line; None without either."""
        ...

    def examine(self, path: str) -> OwnerKey:
        """A key file (empty: the usual one) and how it is protected; ``ProblemError`` where it is none."""
        ...

    def keep(self, key: OwnerKey | None) -> None:
        """Pin the key on this machine; None: none any more."""
        ...

    def sign(self, key: OwnerKey, texts: Sequence[str]) -> tuple[str, ...]:
        """A signature (bare base64) a text, the passphrase asked once; ``RefusedError`` where it was not given."""
        ...

    def verify(self, key: OwnerKey, claims: Sequence[Claim]) -> tuple[bool, ...]:
        """Fresh verdicts on what signatures claim to cover; verdicts from before are forgotten."""
        ...
