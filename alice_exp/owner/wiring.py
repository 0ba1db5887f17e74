"""Wiring of the owner key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alice_exp.home.session import Session, once

if TYPE_CHECKING:
    from alice_exp.home.ports import Home, Signer
    from alice_exp.kernel.jsonc.problem import Problem
    from alice_exp.model.values.config import Config
    from alice_exp.owner.store import SshOwner
    from alice_exp.owner.usecases import Signing


@once
def owner(session: Session) -> SshOwner:
    """The owner key store of the session's home."""
    from alice_exp.owner.store import SshOwner

    return SshOwner(session.root, session.warn)


def signing(session: Session, home: Home | None = None) -> Signing:
    """The home (or another door to it, as of a dry run), owner key and caller of this session."""
    from alice_exp.owner.usecases import Signing

    return Signing(home or session.home, owner(session), session.caller)


class _Signer:
    """The owner key as the home asks for it (``home.ports.Signer``). Without a key the store is not even imported."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._pin = session.root / "identity" / "owner.pub"

    def _named(self) -> str | None:
        """The configured key (empty: only this machine names one); None where there is none at all."""
        configured = self._session.home.config().text("owner.key")
        return configured if configured or self._pin.exists() else None

    def key(self) -> str:
        configured = self._named()
        return "" if configured is None else owner(self._session).line(configured)

    def holds(self, text: str, signature: str) -> bool:
        key = owner(self._session).key(self._named() or "")
        return key is not None and owner(self._session).verified(key, text, signature)

    def sign(self, text: str) -> str:
        key = owner(self._session).key(self._named() or "")
        assert key is not None
        return owner(self._session).signed(key, text)

    def problems(self, config: Config) -> tuple[Problem, ...]:
        return () if self._named() is None else owner(self._session).problems(config)


def signer(session: Session) -> Signer:
    """The owner key as the home asks for it."""
    return _Signer(session)
