"""The use case of ``doctor``: checks whether a home is sound, private and up to date, and mends what is safe to."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from alice_exp.caller.acting import Caller, require_person
from alice_exp.home.record_access import ahead
from alice_exp.kernel.errors import AliceError
from alice_exp.kernel.journal.act import Act
from alice_exp.kernel.jsonc.problem import Problem
from alice_exp.kernel.value_class import dataclass
from alice_exp.maintenance.formats.json_schema import schemas
from alice_exp.model.values.block import PLACES, Place
from alice_exp.model.values.changes import ChangeSet
from alice_exp.owner import usecases as owning

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from alice_exp.home.ports import Home
    from alice_exp.home.store.git_history import GitHistory
    from alice_exp.model.values.snapshot import Snapshot
    from alice_exp.owner.store import SshOwner
    from alice_exp.sync.store.known_remotes import FileRemotes

SKEW = timedelta(minutes=2)
"""The most that a time may be in the future before the clock is doubted."""

_PERSONAL: tuple[Place, ...] = ("personal",)

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


@dataclass(frozen=True, slots=True)
class Patient:
    """The ports through which a home is examined.

    ``look`` gives the problems that one of ``_INSPECTED`` finds, ``mend`` mends what needs no decision by a person and
    counts it, ``commit_time`` is that of the newest commit (epoch seconds; 0: none).
    """

    home: Home
    history: GitHistory
    look: Callable[[str], tuple[Problem, ...]]
    mend: Callable[[str], int]
    commit_time: Callable[[], int]
    owner: SshOwner
    remotes: FileRemotes
    caller: Caller


def examine(patient: Patient, *, fix: bool = False) -> tuple[Check, ...]:
    """Run every check in order; with ``fix`` each mends what it can first, which only a person may ask for."""
    if fix:
        require_person(patient.caller, "mend the home", "alice-exp doctor --fix")
    return tuple(_checked(patient, name, fix) for name in CHECKS)


def _checked(patient: Patient, name: str, fix: bool) -> Check:
    """Run one check; if it fails itself, that is reported as its problem, so that the others still run."""
    mended = 0
    try:
        mended = _mend(patient, name) if fix else 0
        return Check(name, tuple(CHECKS[name](patient)), mended)
    except AliceError as error:
        fault = Problem(error.path, error.line, error.column, "{why}", {"why": str(error)}, hint=error.hint)
    except (OSError, ValueError) as error:
        fault = Problem("", 0, 0, "this could not be looked at: {why}", {"why": str(error)})
    return Check(name, (fault,), mended)


def _mend(patient: Patient, name: str) -> int:
    if name == "schemas":
        return _rewrite_schemas(patient)
    return patient.mend(name) if name in _INSPECTED else 0


def _files(patient: Patient) -> Iterator[Problem]:
    yield from patient.home.read(PLACES, records=True).problems


def _remotes(patient: Patient) -> Iterator[Problem]:
    """Remotes that sync does not know, and acts that could not be finished (D12, B2.27)."""
    known = {remote.address for remote in patient.remotes.all() if remote.private}
    for problem in patient.history.problems():
        if problem.values.get("address") not in known:
            yield problem


def _clock(patient: Patient) -> Iterator[Problem]:
    """Commits, episodes and blocks from the future: the clock is wrong now, or was then."""
    latest = datetime.fromisoformat(patient.caller.now) + SKEW
    # A time of git's may lie beyond the last year that a calendar here knows.
    newest = datetime.fromtimestamp(min(patient.commit_time(), _LAST), UTC)
    if newest > latest:
        template = "the newest commit is of {at}, which is still to come: the clock is wrong, or was"
        yield Problem(".git", 0, 0, template, {"at": newest.strftime("%Y-%m-%dT%H:%M:%SZ")}, "warning")
    for placed in patient.home.read(PLACES):
        at = max(placed.block.created_at, placed.block.updated_at)
        if at and datetime.fromisoformat(at) > latest:
            yield _ahead(placed.path, placed.block.id, at)
    yield from ahead(patient.home.read((), records=True), patient.caller.now)


def _ahead(path: str, what: str, at: str) -> Problem:
    template = "{what} is of {at}, which is still to come: the clock is wrong, or was"
    return Problem(path, 0, 0, template, {"what": what, "at": at}, "warning")


def _schemas(patient: Patient) -> Iterator[Problem]:
    for path in _outdated(patient.home):
        template = "this schema is not the one of this version; editors check by it"
        yield Problem(path, 0, 0, template, {}, "warning", "'alice-exp doctor --fix' writes it anew")


def _outdated(home: Home) -> dict[str, str]:
    return {path: text for path, text in schemas().items() if home.text(path) != text}


def _rewrite_schemas(patient: Patient) -> int:
    def plan(_: Snapshot) -> tuple[ChangeSet | None, int]:
        texts = _outdated(patient.home)
        if not texts:
            return None, 0
        act = Act("doctor", patient.caller.actor, patient.caller.now, (), f"{len(texts)} schemas")
        return ChangeSet(act, texts=dict(texts)), len(texts)

    return patient.home.apply(plan, ())[1]


def _sharing(patient: Patient) -> Iterator[Problem]:
    """Personal blocks that are marked shareable; they are never shared, whatever a file says (D59)."""
    for placed in patient.home.read(_PERSONAL):
        if placed.block.shareable:
            template = "{id} is personal and marked shareable; it is never shared"
            yield Problem(
                placed.path, 0, 0, template, {"id": placed.block.id}, hint='take "shareable" out of the block'
            )


def _owner(patient: Patient) -> Iterator[Problem]:
    yield from owning.problems(owning.Signing(patient.home, patient.owner, patient.caller))


_INSPECTED = ("git", "leftovers", "history", "permissions", "disk", "index", "cloud", "reads")

CHECKS: Mapping[str, Callable[[Patient], Iterable[Problem]]] = {
    "leftovers": lambda patient: patient.look("leftovers"),
    "git": lambda patient: patient.look("git"),
    "files": _files,
    "history": lambda patient: patient.look("history"),
    "remotes": _remotes,
    "permissions": lambda patient: patient.look("permissions"),
    "clock": _clock,
    "disk": lambda patient: patient.look("disk"),
    "schemas": _schemas,
    "sharing": _sharing,
    "owner": _owner,
    "index": lambda patient: patient.look("index"),
    "cloud": lambda patient: patient.look("cloud"),
    "reads": lambda patient: patient.look("reads"),
}
"""Every check by name, in order; leftovers first, because any read would recover them unreported."""
