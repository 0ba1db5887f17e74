"""The doors, the history and the open report without a disk: what a use case's test may stand on."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from alice_exp.home.ports import Changed, FileVersion, Version
from alice_exp.kernel.errors import NotFoundError, UsageError
from alice_exp.kernel.journal.act import Commit
from alice_exp.kernel.jsonc import parse
from alice_exp.kernel.jsonc.problem import Problem
from alice_exp.model.formats.block_edits import raw_block, rewrite
from alice_exp.model.formats.block_schema import read_blocks
from alice_exp.model.values.block import SETS, Place, Placed, place_of
from alice_exp.model.values.changes import ChangeSet, Plan
from alice_exp.model.values.snapshot import NamespaceFile, Snapshot

R = TypeVar("R")
HOLDERS = ("personal", "universal", "low_value_pool", "archive")


@dataclass(frozen=True)
class Kept:
    """One act and every file as it left them."""

    commit: Commit
    files: Mapping[str, bytes]


class MemoryHome:
    """Files as bytes by path and a list of commits; edits go through ``model.formats.block_edits`` as they do on disk."""

    def __init__(self, files: Mapping[str, bytes], new_id: Callable[[str], str]) -> None:
        self.commits: list[Kept] = []
        self._new_id = new_id
        self.files = dict(files)

    def read(self, places: Collection[Place] = SETS, *, records: bool | str = False) -> Snapshot:
        """All blocks of some sets; see ``home.ports.Home.read``."""
        found = [path for path in sorted(self.files) if _holds_blocks(path) and place_of(path) in places]
        head = self.commits[-1].commit.commit if self.commits else ""
        return Snapshot(
            tuple(NamespaceFile(path, _blocks(self.files[path], path)) for path in found), (), head
        )

    def apply(
        self, plan: Plan[R], places: Collection[Place] = SETS, *, records: bool | str = False
    ) -> tuple[Commit | None, R]:
        """Plan and keep what the plan says as one commit; see ``home.ports.Home.apply``."""
        seen = self.read(places)
        changes, answer = plan(seen)
        return (None, answer) if changes is None else (self._carry_out(changes, seen), answer)

    def text(self, path: str) -> str | None:
        """The text of one file; None where it does not exist."""
        data = self.files.get(path)
        return None if data is None else data.decode()

    def _carry_out(self, changes: ChangeSet, seen: Snapshot) -> Commit:
        where = {placed.block.id: placed for placed in seen}
        new = rewrite(
            changes, where.get, lambda path: parse(self.files[path], path) if path in self.files else None
        )
        for path, data in new.items():
            if data is None:
                self.files.pop(path, None)
            else:
                self.files[path] = data
        act = changes.act
        oid = hashlib.sha1(repr((len(self.commits), act)).encode()).hexdigest()
        made = Commit(
            oid, act.subject, act.op, str(act.actor), act.at, act.blocks, self._new_id("act"), act.trailers
        )
        self.commits.append(Kept(made, dict(self.files)))
        return made


class MemoryHistory:
    """The history of a ``MemoryHome``; see ``home.ports.History``."""

    def __init__(self, home: MemoryHome) -> None:
        self._home = home

    def log(self, *, block: str = "", limit: int = 0) -> Iterator[Commit]:
        """The acts, newest first."""
        acts = [
            kept.commit for kept in reversed(self._home.commits) if not block or block in kept.commit.blocks
        ]
        return iter(acts[:limit] if limit else acts)

    def commit(self, name: str) -> Commit:
        """The act that a name means."""
        if not (name.startswith("act-") or (len(name) >= 4 and all(c in "0123456789abcdef" for c in name))):
            raise UsageError("{name} is not an act", name=repr(name))
        found = [act for act in self.log() if act.act_id == name or act.commit.startswith(name)]
        if not found:
            raise NotFoundError("no act is named {name}", name=name)
        if len(found) > 1:
            raise UsageError("{name} fits several acts", name=name)
        return found[0]

    def carries(self, trailer: str, value: str) -> bool:
        """Whether some act has the trailer."""
        return any(self.carrying(trailer, value))

    def carrying(self, trailer: str, value: str) -> Iterator[Commit]:
        """The acts with the trailer, newest first."""
        return (act for act in self.log() if (trailer, value) in act.trailers)

    def changed(self, commit: str) -> Changed:
        """What an act changed, block by block."""
        index = next(i for i, kept in enumerate(self._home.commits) if kept.commit.commit == commit)
        after = self._home.commits[index].files
        before = self._home.commits[index - 1].files if index else {}
        paths = [path for path in {**before, **after} if before.get(path) != after.get(path)]
        old, new = _all_blocks(before, paths), _all_blocks(after, paths)
        versions = [
            Version(
                i, old.get(i), new.get(i), raw_block(before[old[i].path], old[i].path, i) if i in old else ""
            )
            for i in {**old, **new}
            if old.get(i) != new.get(i)
        ]
        pairs = {path: FileVersion(path, _text(before.get(path)), _text(after.get(path))) for path in paths}
        files = tuple(pair for path, pair in pairs.items() if not _holds_blocks(path))
        return Changed(self._home.commits[index].commit, tuple(versions), files, tuple(pairs.values()))

    def states(self, block_id: str) -> Iterator[tuple[Commit, str, str]]:
        """The acts on a block with its state before and after."""
        for kept in reversed(self._home.commits):
            version = next(
                (v for v in self.changed(kept.commit.commit).blocks if v.block_id == block_id), None
            )
            if version is not None:
                yield (
                    kept.commit,
                    *(one.block.state if one else "" for one in (version.before, version.after)),
                )

    def last_text(self, block_id: str) -> tuple[Placed, str] | None:
        """A block's last version."""
        for kept in reversed(self._home.commits):
            found = _all_blocks(kept.files, list(kept.files)).get(block_id)
            if found is not None:
                return found, raw_block(kept.files[found.path], found.path, block_id)
        return None

    def texts(self, path: str) -> Iterator[tuple[Commit, str]]:
        """Every version of one file, newest first."""
        for index in reversed(range(len(self._home.commits))):
            kept, before = self._home.commits[index], self._home.commits[index - 1].files if index else {}
            if path in kept.files and kept.files[path] != before.get(path):
                yield kept.commit, kept.files[path].decode()

    def problems(self) -> tuple[Problem, ...]:
        """Nothing is ever wrong in memory."""
        return ()


@dataclass(frozen=True)
class _Open:
    report: str = ""
    at: str = ""
    ids: tuple[str, ...] = ()
    head: str = ""
    since: tuple[str, str] = ("", "")
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


class MemoryReports:
    """The open report in memory; see ``home.ports.Reports``."""

    def __init__(self, history: MemoryHistory) -> None:
        self._history = history
        self._open = _Open()
        self._prepared: _Open | None = None
        self._bookmark = ""

    def open_report(self) -> str:
        """Its id."""
        return self._open.report

    def open_at(self) -> str:
        """When it was made."""
        return self._open.at

    def open_ids(self) -> tuple[str, ...]:
        """Block ids in the order of their numbers."""
        return self._open.ids

    def prepare(
        self, report: str, at: str, ids: tuple[str, ...], groups: Mapping[str, tuple[str, ...]]
    ) -> None:
        """Keep a new report in mind."""
        self._prepared = _Open(report, at, ids, "", (self._open.at, self._open.head), groups)

    def groups(self) -> Mapping[str, tuple[str, ...]]:
        """The groups that it showed whole."""
        return self._open.groups

    def proposals(self, ids: Collection[str], day: str) -> Mapping[str, Commit]:
        """The oldest act that names each block."""
        return {block_id: act for act in self._history.log() for block_id in act.blocks if block_id in ids}

    def publish(self, head: str = "") -> None:
        """Open what was prepared."""
        if self._prepared is not None:
            self._open, self._prepared = replace(self._prepared, head=head), None

    def since(self, day_began: str) -> str:
        """The time that this report counts from."""
        return self._baseline(day_began)[0]

    def acts(self, day_began: str) -> Sequence[Commit]:
        """The acts since then, newest first."""
        at, head = self._baseline(day_began)
        acts: list[Commit] = []
        for act in self._history.log():
            if act.commit == head or (not head and at and act.at <= at):
                break
            acts.append(act)
        return acts

    def last_versions(self, ids: Collection[str], acts: Sequence[Commit]) -> Mapping[str, Placed]:
        """What went out of the files in one of these acts."""
        found: dict[str, Placed] = {}
        for act in acts:
            left = [value for name, value in act.trailers if name in ("Expired", "Removed") and value in ids]
            for one in self._history.changed(act.commit).blocks if left else ():
                if one.block_id in left and one.before is not None:
                    found[one.block_id] = one.before
        return found

    def bookmark(self) -> str:
        """Where a review stopped."""
        return self._bookmark

    def keep_bookmark(self, block_id: str) -> None:
        """Remember where a review is."""
        self._bookmark = block_id

    def _baseline(self, day_began: str) -> tuple[str, str]:
        return self._open.since if self._open.at >= day_began else (self._open.at, self._open.head)


def _holds_blocks(path: str) -> bool:
    return path.partition("/")[0] in HOLDERS


def _blocks(data: bytes, path: str) -> tuple[Any, ...]:
    return read_blocks(parse(data, path))[0]


def _all_blocks(files: Mapping[str, bytes], paths: Collection[str]) -> dict[str, Placed]:
    held = [path for path in paths if path in files and _holds_blocks(path)]
    return {block.id: Placed(block, path) for path in held for block in _blocks(files[path], path)}


def _text(data: bytes | None) -> str | None:
    return None if data is None else data.decode()
