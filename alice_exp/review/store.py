"""The open report in ``state/``: the block of each number. If the file is lost, it is rebuilt from history."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, field, replace

from alice_exp.home.session import Session, once
from alice_exp.kernel.errors import ProblemError
from alice_exp.kernel.journal.act import Commit
from alice_exp.kernel.journal.commit_writer import keep_derived, load_derived
from alice_exp.kernel.text.times import days_before
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.values.block import Placed


@dataclass(frozen=True, slots=True)
class OpenReport:
    """The open report: its id and time (ISO-8601 UTC), empty before the first; the ids of its blocks by number; its
    commit; the time and commit from which it counts changes; and the ids of the groups shown whole, by number."""

    report: str = ""
    at: str = ""
    ids: tuple[str, ...] = ()
    head: str = ""
    since: str = ""
    since_head: str = ""
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def numbers(self) -> dict[str, int]:
        """The number of each block, from 1, by its id."""
        return {block_id: number for number, block_id in enumerate(self.ids, start=1)}


class Reports:
    """The open report of one home, in a file of ``state/``. Derived: if lost, it is rebuilt from history."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._path = session.root / "state" / "report.json"
        self._bookmark = self._path.with_name("review.json")
        self._known: OpenReport | None = None
        self._prepared: OpenReport | None = None

    @property
    def open(self) -> OpenReport:
        """The open report, as it is known so far."""
        if self._known is None:
            self._known = self._load() or self._from_history()
        return self._known

    def prepare(
        self, report: str, at: str, ids: tuple[str, ...], groups: Mapping[str, tuple[str, ...]]
    ) -> None:
        """Prepare a new report, which becomes the open one with ``publish``, after its commit."""
        # Only in memory: a report whose commit fails must not replace the numbers that the person has seen.
        before = self.open
        # A second report of a day counts from the same one as the first, else it would forget what that one showed.
        is_second = before.at[:10] == at[:10]
        since, head = (before.since, before.since_head) if is_second else (before.at, before.head)
        self._prepared = OpenReport(report, at, ids, "", since, head, groups)

    def publish(self, head: str = "") -> None:
        """Make the report prepared last, if any, the open one; ``head`` is the commit that it is based on."""
        if self._prepared is None:
            return
        self._known, self._prepared = replace(self._prepared, head=head), None
        keep_derived(self._path, asdict(self._known))

    def changes(self, day_began: str) -> tuple[str, Sequence[Commit]]:
        """The time from which today's report counts changes, and the acts since then, newest first: that of the newest
        report before ``day_began``. Both are ISO-8601 UTC; empty if there was none."""
        # Several reports of one day all count from the same one, so that each shows the whole day's changes.
        known = self.open
        at, head = (known.at, known.head) if known.at < day_began else (known.since, known.since_head)
        return at, self._after(head, at)

    def proposals(self, ids: Collection[str], day: str) -> Mapping[str, Commit]:
        """The acts since ``day`` (YYYYMMDD) that brought these blocks in, by id; one that is not found is left out."""
        found: dict[str, Commit] = {}
        # A day early, because a pool file is named for the person's day and an act's time is in UTC.
        for act in self._after("", days_before(day, 1)) if ids else ():
            if act.op not in _NO_PROPOSAL:
                # Newest first: the oldest act that names a block is the one that brought it.
                found.update((block_id, act) for block_id in act.blocks if block_id in ids)
        return found

    def last_versions(self, ids: Collection[str], acts: Sequence[Commit]) -> Mapping[str, Placed]:
        """What the blocks were that went out of the files in one of these acts (newest first), by id."""
        found: dict[str, Placed] = {}
        for act in acts:
            named = {value for name, value in act.trailers if name == "Expired" and value in ids}
            if named - found.keys():
                versions = self._session.history.changed(act.commit).blocks
                found.update(
                    (one.block_id, one.before) for one in versions if one.before and one.block_id in named
                )
        return found

    def bookmark(self) -> str:
        """The id of the block at which an interactive review stopped; empty if the last one was finished."""
        try:
            return str(load_derived(self._bookmark)["at"])
        except (KeyError, TypeError):
            return ""

    def keep_bookmark(self, block_id: str) -> None:
        """Store the block at which an interactive review is; empty when it is finished."""
        keep_derived(self._bookmark, {"at": block_id})

    def _after(self, commit: str, at: str) -> Sequence[Commit]:
        from alice_exp.home.store.git_history import acts_after

        try:
            return acts_after(self._session.home.repository, commit, at)
        except ProblemError as error:
            self._unavailable(error)
            return ()

    def _unavailable(self, error: ProblemError) -> None:
        hint = "the report is made from the files alone; see 'alice-exp doctor'"
        self._session.warn(ProblemError("the history is unavailable: {why}", why=str(error), hint=hint))

    def _load(self) -> OpenReport | None:
        try:
            raw = load_derived(self._path)
            groups = {key: tuple(row) for key, row in raw.get("groups", {}).items()}
            return OpenReport(**{**raw, "ids": tuple(raw["ids"]), "groups": groups})
        # A damaged file counts as a missing one: history has the report as well.
        except (KeyError, TypeError, AttributeError, ValueError):
            return None

    def _from_history(self) -> OpenReport:
        from alice_exp.home.store.git_history import newest_act

        try:
            act = newest_act(self._session.home.repository, "heartbeat")
        except ProblemError as error:
            act = None
            self._unavailable(error)
        if act is None:
            return OpenReport()
        said = dict(act.trailers)
        # The act names the blocks shown, in the order of their numbers, and then those that it removed.
        gone = {value for name, value in act.trailers if name in ("Expired", "Refused")}
        here = [block_id for block_id in act.blocks if block_id not in gone]
        named = map(int, said.get("Numbers", "").split())
        number = dict(zip(named, here, strict=False)) or dict(enumerate(here, start=1))
        ids = tuple(number.get(at, "") for at in range(1, max(number, default=0) + 1))
        # The report before this one is not looked for, so changes count from this one.
        return OpenReport(said.get("Report", ""), act.at, ids, act.commit, act.at, act.commit)


@once
def reports(session: Session) -> Reports:
    """The open report of the home."""
    return Reports(session)


_NO_PROPOSAL = frozenset(("heartbeat", "outcome", "edit", "fold", "seen"))
"""What names a candidate without bringing it in."""
