"""Opens the session that a command or a program works on."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from alice_exp.home.ports import Signer, Team, WrittenFile
from alice_exp.home.session import Session
from alice_exp.kernel.errors import AliceError
from alice_exp.model.values.block import Placed
from alice_exp.model.values.snapshot import Catalogue


def open_session(
    home: str = "", actor: str = "", warn: Callable[[AliceError], None] = lambda _: None
) -> Session:
    """A session on a home, with what higher rooms have for it."""
    return _Opened(home, actor, warn)


class _Opened(Session):
    """A session whose home is signed for, indexed, joined by what repositories carry; what it lacks is not imported."""

    def signer(self) -> Signer | None:
        pin = self.root / "identity" / "owner.pub"
        if not self.home.config().text("owner.key") and not pin.exists():
            return None
        from alice_exp.owner.store import owner

        return owner(self)

    def follow(self, written: Sequence[WrittenFile]) -> None:
        # Whoever searches first makes the index.
        if written and self._is_indexed:
            from alice_exp.finding.store.search_index import index

            index(self).follow(written)

    def catalogued(self, contents: Mapping[str, str], /) -> tuple[Collection[str], Catalogue] | None:
        if not self._is_indexed:
            return None
        from alice_exp.finding.store.search_index import index

        return index(self).catalogue(contents)

    @property
    def _is_indexed(self) -> bool:
        return (self.root / "state" / "index.sqlite").exists()

    def look_up(self, reference: str) -> Placed:
        from alice_exp.finding.usecases import look_up

        return look_up(self, reference)

    @property
    def team(self) -> Team:
        from alice_exp.team.repositories import team

        return team(self)
