"""Opens the session that a command or a program works on, with what other rooms hand down to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alice_exp.home.session import Session
from alice_exp.owner.wiring import signer

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from alice_exp.home.ports import Cataloguing, Landed, Team
    from alice_exp.home.references import LookUp
    from alice_exp.kernel.errors import AliceError
    from alice_exp.model.values.snapshot import Catalogue


def open_session(
    home: str = "", actor: str = "", warn: Callable[[AliceError], None] = lambda _: None
) -> Session:
    """A session on a home whose owner key signs and whose acts keep the search index in step, which answers what a
    reference stands for and what stands in files that nobody read; repositories bring what is their teams'."""
    return Session(home, actor, warn, signer, _follow, _look_up, _catalogued, _team)


def _team(session: Session) -> Team:
    from alice_exp.team.wiring import team

    return team(session)


def _look_up(session: Session) -> LookUp:
    from alice_exp.finding.usecases import look_up
    from alice_exp.finding.wiring import index

    caller = session.caller
    return lambda reference: look_up(session.home, index(session), caller, reference)


def _follow(session: Session) -> Callable[[Sequence[Landed]], None]:
    def after(landed: Sequence[Landed]) -> None:
        from alice_exp.finding.wiring import follow

        follow(session)(landed)

    return after


def _catalogued(session: Session) -> Cataloguing:
    def known(contents: Mapping[str, str]) -> tuple[Collection[str], Catalogue] | None:
        from alice_exp.finding.wiring import catalogued

        return catalogued(session, contents)

    return known
