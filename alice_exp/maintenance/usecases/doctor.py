"""The use case of ``doctor``: checks whether a home is sound, private and up to date, and mends what is safe to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta

from alice_exp.caller.acting import require_person
from alice_exp.home.file_home import Home
from alice_exp.home.session import Session
from alice_exp.kernel.errors import AliceError
from alice_exp.kernel.journal.act import Act
from alice_exp.kernel.jsonc import Problem
from alice_exp.kernel.value_class import dataclass
from alice_exp.maintenance.store.inspection import SURROUNDINGS, Examination
from alice_exp.maintenance.usecases.settings import SKEW, ahead, schemas
from alice_exp.model.values.block import PLACES
from alice_exp.model.values.snapshot import ChangeSet, Snapshot
from alice_exp.owner import usecases as owning
from alice_exp.sync.remotes import remotes

_LAST = int(datetime(9999, 12, 31, tzinfo=UTC).timestamp())


@dataclass(frozen=True, slots=True)
class Check:
    """The result of one check: its problems, and the number of things mended."""

    name: str
    problems: tuple[Problem, ...]
    mended: int = 0

    @property
    def severity(self) -> str:
        """``ok``, ``warning`` or ``error``."""
        found = {problem.severity for problem in self.problems}
        return "error" if "error" in found else "warning" if found else "ok"


def examine(session: Session, *, fix: bool = False) -> tuple[Check, ...]:
    """Run every check in order; with ``fix`` each mends what it can first, which only a person may ask for."""
    if fix:
        require_person(session.caller, "mend the home", "alice-exp doctor --fix")
    return tuple(_checked(session, name, fix) for name in CHECKS)


def _checked(session: Session, name: str, fix: bool) -> Check:
    """Run one check; if it fails itself, that is reported as its problem, so that the others still run."""
    mended = 0
    try:
        look, mend = _EXAMINATIONS[name]
        if fix and mend is not None:
            mended = mend(session)
        return Check(name, tuple(look(session)), mended)
    except AliceError as error:
        fault = Problem.told(error)
    except (OSError, ValueError) as error:
        fault = Problem.fault("", "this could not be looked at: {why}", why=str(error))
    return Check(name, (fault,), mended)


def _remotes(session: Session) -> Iterator[Problem]:
    """Remotes that sync does not know, and acts that could not be finished (D12, B2.27)."""
    known = {remote.address for remote in remotes(session).all() if remote.private}
    yield from (one for one in session.history.problems() if one.values.get("address") not in known)


def _clock(session: Session) -> Iterator[Problem]:
    """Commits, episodes and blocks from the future: the clock is wrong now, or was then."""
    latest = datetime.fromisoformat(session.caller.now) + timedelta(seconds=SKEW)
    repository = session.home.repository
    head = repository.head()
    # A time of git's may lie beyond the last year that a calendar here knows.
    newest = datetime.fromtimestamp(min(repository.commit_time(head) if head else 0, _LAST), UTC)
    if newest > latest:
        template = "the newest commit is of {at}, which is still to come: the clock is wrong, or was"
        yield Problem.warning(".git", template, at=newest.strftime("%Y-%m-%dT%H:%M:%SZ"))
    snapshot = session.home.read(PLACES, records=True)
    yield from ahead(snapshot, session.caller.now, snapshot)


def _schemas(session: Session) -> Iterator[Problem]:
    for path in _outdated(session.home):
        template = "this schema is not the one of this version; editors check by it"
        yield Problem.warning(path, template, "'alice-exp doctor --fix' writes it anew")


def _outdated(home: Home) -> dict[str, str]:
    return {path: text for path, text in schemas().items() if home.text(path) != text}


def _rewrite_schemas(session: Session) -> int:
    def plan(_: Snapshot) -> tuple[ChangeSet | None, int]:
        if not (texts := _outdated(session.home)):
            return None, 0
        act = Act("doctor", session.caller.actor, session.caller.now, (), f"{len(texts)} schemas")
        return ChangeSet(act, texts=dict(texts)), len(texts)

    return session.home.apply(plan, ())[1]


def _sharing(session: Session) -> Iterator[Problem]:
    """Personal blocks that are marked shareable; they are never shared, whatever a file says (D59)."""
    for placed in session.home.read(["personal"]):
        if placed.block.shareable:
            template = "{id} is personal and marked shareable; it is never shared"
            hint = 'take "shareable" out of the block'
            yield Problem.fault(placed.path, template, hint, id=placed.block.id)


_EXAMINATIONS: Mapping[str, Examination] = {
    **SURROUNDINGS,
    "files": (
        lambda session: (*session.home.read(PLACES, records=True).problems, *session.team_faults()),
        None,
    ),
    "remotes": (_remotes, None),
    "clock": (_clock, None),
    "schemas": (_schemas, _rewrite_schemas),
    "sharing": (_sharing, None),
    "owner": (owning.problems, None),
}

CHECKS = (
    *("leftovers", "git", "files", "history", "remotes", "permissions", "clock", "disk"),
    *("schemas", "sharing", "owner", "index", "cloud", "reads"),
)
"""Every check in order; leftovers first: any read would recover them unreported."""
