"""Wiring of the owner key, and sessions whose approvals it judges."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alice_exp.home.judge import Judge
from alice_exp.home.session import Session, once
from alice_exp.model.values.block import Block, Placed

if TYPE_CHECKING:
    from alice_exp.home.ports import Home
    from alice_exp.model.values.snapshot import Snapshot
    from alice_exp.owner.ports import Signing
    from alice_exp.owner.store import SshOwner


@once
def owner(session: Session) -> SshOwner:
    """The owner key store of the session's home."""
    from alice_exp.owner.store import SshOwner

    return SshOwner(session.root, session.warn)


def signing(session: Session, home: Home | None = None) -> Signing:
    """The home (or another door to it, as of a dry run), owner key and caller of this session."""
    from alice_exp.owner.ports import Signing

    return Signing(home or session.home, owner(session), session.caller)


def judge(session: Session) -> Judge:
    """The owner key as the home's judge of approvals. Without a key the store is not even imported."""
    pinned = session.root / "identity" / "owner.pub"

    def is_judged() -> bool:
        return pinned.exists() or bool(session.home.config().text("owner.key"))

    def judged(seen: Snapshot) -> Snapshot:
        if not seen.config.text("owner.key") and not pinned.exists():
            return seen
        return owner(session).judge(seen)

    def proves(block: Block) -> bool:
        if block.approved is None or not block.approved.signature or not is_judged():
            return False
        mark = owner(session).marking(session.home.config().text("owner.key"))
        return mark(Placed(block, "universal/any.jsonc")).block.signed is True

    return Judge(judged, is_judged, proves)
