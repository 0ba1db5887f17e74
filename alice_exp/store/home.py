"""The two doors of a home on disk: ``read`` and ``apply``.

Every call recovers what a crash left and adopts what a person edited before it does its own work; a look at time
stamps tells whether there is anything to do.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from alice_exp.core.changes import Act, ChangeSet, Commit, Plan
from alice_exp.core.config import Config
from alice_exp.core.errors import AliceError, BusyError, ProblemError
from alice_exp.core.model import SETS, Actor, Block, Place, Placed, Problem, Snapshot
from alice_exp.rules.adoption import Adoption, adopt
from alice_exp.rules.expiry import with_expired
from alice_exp.store import landing
from alice_exp.store.files import ChangedOnDisk, Signature, read_bytes
from alice_exp.store.landing import FileChange
from alice_exp.store.lock import WriterLock
from alice_exp.store.messages import COMPLETES, compose
from alice_exp.store.plumbing import LOST, PENDING, Message, Repository, blob_id
from alice_exp.store.reading import LastGood, Reading, holds_blocks, placed, snapshot
from alice_exp.store.recording import Recording, as_adopted, record_files
from alice_exp.store.scan import Found, scan
from alice_exp.store.stamps import UNKNOWN, Stamps, load, now_ns, save
from alice_exp.text.configuration import PATH, read_config
from alice_exp.text.jsonc import Document, edit, parse
from alice_exp.text.records import EPISODES_PATH, EVENTS_PATH
from alice_exp.text.rewrite import rewrite
from alice_exp.text.schema import read_blocks

if TYPE_CHECKING:
    from alice_exp.core.collection import Known
    from alice_exp.store.index import SearchIndex

R = TypeVar("R")

TRIES = 5
"""How often an act starts again because a person saved a file meanwhile."""

PACK_AT = 4 << 20
"""Bytes of loose objects at which the repository is packed: files are rewritten whole, so size tells, not number."""

_PAUSE = 0.005
_SAVING_NS = 50_000_000
"""A broken file this young (ns) may be half saved: an act looks again before it calls that a problem."""

_ALL: tuple[Place, ...] = (*SETS, "archive")


@dataclass(frozen=True, slots=True)
class Sources:
    """What an edge may not make up itself: the calendar, fresh ids, and where to say what was noticed."""

    now: Callable[[], str]
    epoch: Callable[[], int]
    new_id: Callable[[str], str]
    warn: Callable[[AliceError], None]
    judge: Callable[[Snapshot], Snapshot] = lambda seen: seen
    is_judged: Callable[[], bool] = lambda: False
    """Marks what an owner key signed (``store.owner``); every snapshot that leaves this home went through it."""


class FileHome:
    """A home in a directory (``~/.alice``); see ``core.ports.Home``."""

    def __init__(self, root: Path, sources: Sources) -> None:
        self.root = root
        self.experiences = root / "experiences"
        self.repository = Repository(self.experiences)
        self.lock = WriterLock(root / "state" / "lock")
        self._sources = sources
        self._reading = Reading(self.experiences)
        self._recording = Recording(self.experiences)
        self._stamps_path = root / "state" / "files.json"
        self._stamps: Stamps | None = None
        self.waiting = False
        """Whether hand edits wait because another process was writing when the home was last read."""

    # -- reading ------------------------------------------------------------------------------------------------

    def read(self, places: Collection[Place] = SETS, *, records: bool = False) -> Snapshot:
        """All blocks of some sets as they are now; see ``core.ports.Home.read``."""
        self._require_home()
        self._settled()
        for _ in range(200):
            head = self._head()
            seen = self._snapshot(scan(self.experiences), places, records)
            # Pending first: landing moves the branch before it drops the mark, so that one of the two tells.
            if not self.repository.resolve(PENDING) and self._head() == head:
                return seen
            self._wait_for_writer()
        return seen

    def ask(self, question: Callable[[Known], R]) -> R | None:
        """The index's answer to a question; ``None`` where the files have to answer, see ``core.ports.Home.ask``."""
        self._require_home()
        found = self._settled()
        if found.problems or not self.repository.exists or self._sources.is_judged():
            return None
        if self.repository.resolve(PENDING):
            return None
        files = {path: signature for path, signature in found.files.items() if holds_blocks(path)}
        return self._index.ask(files, question)

    @cached_property
    def _index(self) -> SearchIndex:
        from alice_exp.store.index import SearchIndex

        return SearchIndex(
            self.root / "state" / "index.sqlite",
            lambda path: read_bytes(self.experiences / path),
            self._indexable,
            self._sources.warn,
        )

    def _indexable(self, path: str, data: bytes) -> tuple[Block, ...] | None:
        blocks, problems = read_blocks(parse(data, path))
        return None if any(problem.severity == "error" for problem in problems) else blocks

    def text(self, path: str) -> str | None:
        """The text of one file under ``experiences/``; None where it does not exist."""
        try:
            return self._reading.content(path).decode("utf-8", "replace")
        except FileNotFoundError:
            return None
        except OSError as error:
            raise ProblemError("{path} cannot be read: {why}", path=path, why=str(error.strerror)) from error

    def config(self) -> Config:
        """The configuration as it is on disk; its defaults where there is none or it cannot be read."""
        return self._config(scan(self.experiences))[0]

    def _require_home(self) -> None:
        if not self.experiences.is_dir():
            raise ProblemError(
                "there is no home at {root}", root=self.root, hint="make one with 'alice-exp init'"
            )

    def _head(self) -> str:
        return self.repository.head() if self.repository.exists else ""

    def _snapshot(self, found: Found, places: Collection[Place], records: bool = False) -> Snapshot:
        head = self._head()
        seen = snapshot(self._reading, found, places, head, self._last_good(head))
        config, problems = self._config(found)
        seen = replace(seen, config=config, problems=(*seen.problems, *problems))
        return self._sources.judge(self._with_records(seen, found) if records else seen)

    def _with_records(self, seen: Snapshot, found: Found) -> Snapshot:
        episodes, faults = self._recording.episodes(found.files.get(EPISODES_PATH))
        timeline, more = self._recording.timeline(found.files.get(EVENTS_PATH))
        return replace(seen, episodes=episodes, timeline=timeline, problems=(*seen.problems, *faults, *more))

    def _config(self, found: Found) -> tuple[Config, tuple[Problem, ...]]:
        if PATH not in found.files:
            return Config(), ()
        try:
            return read_config(parse(self._reading.content(PATH), PATH))
        except OSError as error:
            why = (error.strerror or "it is gone").lower()
            return Config(), (Problem(PATH, 0, 0, "this file cannot be read: {why}", {"why": why}),)

    def _last_good(self, head: str) -> LastGood:
        stamps = self._known()
        if head and stamps.head == head:
            return LastGood({path: oid for path, (_, oid) in stamps.files.items()}, self.repository.blob)
        return LastGood(self.repository.tree(head) if head else {}, self.repository.blob)

    def _wait_for_writer(self) -> None:
        time.sleep(_PAUSE)
        with contextlib.suppress(BusyError), self._locked(wait=0):
            self._settle()

    # -- settling: recover and adopt ----------------------------------------------------------------------------

    def _known(self) -> Stamps:
        if self._stamps is None:
            self._stamps = load(self._stamps_path)
        return self._stamps

    def _settled(self) -> Found:
        """Recover and adopt where there is something to do and nobody else is at it; what is there now."""
        self.waiting = False
        found = scan(self.experiences)
        if not self.repository.exists or self._is_settled(found):
            return found
        try:
            with self._locked(wait=0):
                self._settle(strict=False)
        except BusyError:
            self.waiting = True
        except (OSError, ProblemError) as error:
            self._sources.warn(_as_warning(error))
        return scan(self.experiences)

    def _is_settled(self, found: Found) -> bool:
        if self.repository.resolve(PENDING):
            return False
        head = self.repository.head()
        stamps = self._known()
        if stamps.head != head:
            self._stamps = stamps = load(self._stamps_path)
        return bool(head) and stamps.equal(head, found.files)

    @contextlib.contextmanager
    def _locked(self, wait: float = 10.0) -> Iterator[None]:
        with self.lock.hold(wait):
            self.repository.lock_handle = self.lock.handle
            try:
                yield
            finally:
                self.repository.lock_handle = -1

    def _settle(self, *, strict: bool = True) -> Found:
        """Under the lock: recover, then adopt; ``strict`` raises where history is not fit to be written."""
        obstacle = self.repository.obstacle()
        if obstacle:
            if strict:
                raise ProblemError(
                    "{obstacle}", obstacle=obstacle, hint="finish or abort it with git, then run this again"
                )
            self._sources.warn(ProblemError("{obstacle}; hand edits wait", obstacle=obstacle))
            return scan(self.experiences)
        done = landing.recover(self.repository, holder_died=self.lock.holder_died)
        if done.lost:
            self._sources.warn(
                ProblemError(
                    "an interrupted act did not fit the history any more; it is kept as {ref}",
                    ref=f"{LOST}/{done.lost}",
                )
            )
        for _ in range(TRIES):
            found, head = scan(self.experiences), self.repository.head()
            try:
                self._adopt(found)
            except ChangedOnDisk:
                continue
            return found if self._known().head == head else scan(self.experiences)
        raise BusyError("the files change faster than they can be read", hint="run the command again")

    def _adopt(self, found: Found) -> None:
        """Commit every file that a person edited and that can be read, one commit a file."""
        head = self.repository.head()
        stamps = load(self._stamps_path)
        if stamps.head == head and head:
            tree = {path: oid for path, (_, oid) in stamps.files.items()}
            time = stamps.commit_time
        else:
            tree = self.repository.tree(head) if head else {}
            time = self.repository.commit_time(head) if head else 0
            if head:
                with contextlib.suppress(ProblemError):
                    self.repository.refresh_index(None)
        began = now_ns()
        edited, fresh = self._edited(found, tree, stamps if stamps.head == head else Stamps())
        gone = [path for path in tree if path not in found.files and self._is_deleted(path, found)]
        files = {path: fresh.get(path, (UNKNOWN, oid)) for path, oid in tree.items()}
        self._stamps = Stamps(head, time, began, stamps.loose, files)
        if edited or gone:
            self._adopt_files(found, tree, edited, gone)
        self._save_stamps()

    def _edited(
        self, found: Found, tree: Mapping[str, str], stamps: Stamps
    ) -> tuple[dict[str, bytes], dict[str, tuple[Signature, str]]]:
        """Files whose bytes differ from the commit, and the stamps of those that do not."""
        edited: dict[str, bytes] = {}
        fresh: dict[str, tuple[Signature, str]] = {}
        for path, signature in found.files.items():
            if stamps.unchanged(path, signature):
                fresh[path] = stamps.files[path]
                continue
            try:
                data, signature = read_bytes(self.experiences / path)
            except OSError:
                continue
            oid = blob_id(data)
            if tree.get(path) == oid:
                fresh[path] = (signature, oid)
            else:
                edited[path] = data
        return edited, fresh

    def _is_deleted(self, path: str, found: Found) -> bool:
        """Whether a person deleted the file: its directory is there, and nothing odd stands in its place."""
        folder = path.partition("/")[0] if "/" in path else ""
        odd = {problem.path for problem in found.problems}
        known_place = not folder or folder in found.directories
        return (
            known_place
            and path not in odd
            and folder not in odd
            and (self.experiences / path).is_symlink() is False
        )

    def _adopt_files(
        self, found: Found, tree: Mapping[str, str], edited: Mapping[str, bytes], gone: Collection[str]
    ) -> None:
        before = self._before(tree)
        on_disk = self._ids_on_disk(found)
        for path in gone:
            elsewhere = {block_id for other, ids in on_disk.items() if other != path for block_id in ids}
            ids = tuple(i for i, place in before.items() if place.path == path and i not in elsewhere)
            self._commit_adopted(path, self.repository.blob(tree[path]), None, ids, "removed")
        for path, data in edited.items():
            elsewhere = {block_id for other, ids in on_disk.items() if other != path for block_id in ids}
            self._adopt_file(path, data, before, elsewhere)

    def _adopt_file(self, path: str, data: bytes, before: Mapping[str, Placed], elsewhere: set[str]) -> None:
        document = parse(data, path)
        if not holds_blocks(path):
            new = as_adopted(document, data, self._sources.new_id, self._sources.now())
            if new is not None:
                trailers = (("Changed", path),) if path == PATH else ()
                self._commit_adopted(path, data, new, (), "changed", trailers)
            return
        blocks, problems = read_blocks(document)
        if any(problem.severity == "error" for problem in problems):
            return
        if any(block.id in elsewhere for block in blocks if block.id):
            return
        new_id = _fresh_ids(self._sources.new_id, {*before, *elsewhere})
        adoption = adopt(document, blocks, before, elsewhere, self._sources.now(), new_id)
        new = edit(document, adoption.edits) if adoption.edits else data
        self._warn_refused(path, adoption)
        raised = tuple(("Raised", block_id) for block_id in adoption.raised)
        self._commit_adopted(path, data, new, adoption.blocks, adoption.detail, raised)

    def _warn_refused(self, path: str, adoption: Adoption) -> None:
        for block_id in adoption.approvals_refused:
            self._sources.warn(
                ProblemError(
                    "an approval written by hand grants nothing and was taken out of {id}",
                    id=block_id,
                    path=path,
                    hint=f"approve it with 'alice-exp approve {block_id}'",
                )
            )

    def _commit_adopted(
        self,
        path: str,
        expected: bytes,
        new: bytes | None,
        blocks: tuple[str, ...],
        detail: str,
        trailers: tuple[tuple[str, str], ...] = (),
    ) -> None:
        act = Act(
            "adopt", Actor("editor"), self._sources.now(), blocks, f"{path.removesuffix('.jsonc')}, {detail}", trailers
        )
        disk = expected if new is not None else None
        self._write(act, {path: FileChange(disk, new)})

    def _before(self, tree: Mapping[str, str]) -> dict[str, Placed]:
        """Every block of the last commit by id."""
        before: dict[str, Placed] = {}
        good = LastGood(tree, self.repository.blob)
        for path in tree:
            if holds_blocks(path):
                before.update({block.id: Placed(block, path) for block in good.blocks(path)})
        return before

    def _ids_on_disk(self, found: Found) -> dict[str, set[str]]:
        return {
            path: {block.id for block in self._reading.parsed(path, signature).blocks if block.id}
            for path, signature in found.files.items()
            if holds_blocks(path)
        }

    def create(self, actor: Actor, defaults: Mapping[str, str]) -> tuple[Commit | None, int]:
        """Make the home; the commit (None: it was there) and how many blocks it took in.

        Files that a person put there before are taken in as they are, in one commit by ``actor``; ``defaults`` maps
        paths to the texts of files that a new home has. A file with a problem stays out and is warned of.
        """
        self._make_directories()
        with self._locked():
            if self.repository.exists and self.repository.head():
                self._settle()
                return None, 0
            self.repository.create()
            found = scan(self.experiences)
            files, blocks = self._taken_in(found, actor)
            for path, text in defaults.items():
                if path not in found.files:
                    files[path] = FileChange(None, text.encode())
            detail = f"{len(blocks)} blocks in {len(found.files)} files" if found.files else "a new home"
            op = "adopt" if found.files else "init"
            act = Act(op, actor, self._sources.now(), tuple(blocks), "" if blocks else detail)
            self._stamps = Stamps()
            return self._write(act, files), len(blocks)

    def _make_directories(self) -> None:
        folders = ("universal", "personal", "low_value_pool", "archive", "records", ".schema")
        try:
            self.root.parent.mkdir(parents=True, exist_ok=True)
            for path in (self.root, self.experiences, *(self.experiences / folder for folder in folders)):
                path.mkdir(mode=0o700, exist_ok=True)
        except OSError as error:
            why = (error.strerror or str(error)).lower()
            raise ProblemError("the home cannot be made: {why}", why=why, path=str(error.filename)) from error

    def _taken_in(self, found: Found, actor: Actor) -> tuple[dict[str, FileChange], list[str]]:
        files: dict[str, FileChange] = {}
        taken: list[str] = []
        for path in found.files:
            data = self._reading.content(path)
            document = parse(data, path)
            blocks, problems = read_blocks(document) if holds_blocks(path) else ((), ())
            faults = [p for p in (document.problem, *problems) if p is not None and p.severity == "error"]
            if faults:
                self._sources.warn(
                    ProblemError(
                        "{why}; the file stays as it is",
                        why=faults[0].message,
                        path=path,
                        line=faults[0].line,
                    )
                )
                continue
            new_id = _fresh_ids(self._sources.new_id, set(taken))
            adoption = adopt(document, blocks, {}, (), self._sources.now(), new_id, str(actor))
            new = edit(document, adoption.edits) if adoption.edits else data
            files[path] = FileChange(data, new)
            taken += adoption.blocks
        return files, taken

    # -- writing ------------------------------------------------------------------------------------------------

    def apply(
        self, plan: Plan[R], places: Collection[Place] = SETS, *, records: bool = False
    ) -> tuple[Commit | None, R]:
        """Read, plan, write one commit; see ``core.ports.Home.apply``."""
        self._require_home()
        if not self.repository.exists:
            raise ProblemError(
                "the home at {root} has no history yet", root=self.root, hint="make one with 'alice-exp init'"
            )
        with self._locked():
            for left in reversed(range(TRIES)):
                found = self._settle()
                seen = self._snapshot(found, places, records)
                changes, answer = plan(seen)
                if changes is None:
                    return None, answer
                changes = with_expired(changes, seen)
                try:
                    return self._carry_out(changes, seen, found), answer
                except ChangedOnDisk:
                    continue
                except ProblemError:
                    if not left or not _is_being_saved(seen, found):
                        raise
                    time.sleep(_SAVING_NS / 1e9)
        raise BusyError("the files change faster than they can be read", hint="run the command again")

    def _carry_out(self, changes: ChangeSet, seen: Snapshot, found: Found) -> Commit:
        documents: dict[str, Document] = {}
        contents: dict[str, bytes] = {}

        def document(path: str) -> Document | None:
            if path not in found.files:
                self._require_place(path, found)
                return None
            contents[path], documents[path] = self._as_seen(path)
            return documents[path]

        self._refuse_frozen(changes, seen)
        new = rewrite(changes, placed(seen.files), document)
        for path, data in record_files(changes, seen, lambda path: self._record(path, found, contents)).items():
            new[path] = data
        for path in changes.texts:
            if path in found.files:
                contents[path] = self._reading.content(path)
            text = changes.seen.get(path)
            if path in changes.seen and contents.get(path) != (None if text is None else text.encode()):
                raise ChangedOnDisk(self.experiences / path)
        _check(new, changes)
        first = None
        if changes.then is not None:
            first = (changes.act, {p: data for p, data in new.items() if data != contents.get(p)})
            after = replace(
                seen, episodes=changes.episodes or seen.episodes, timeline=changes.timeline or seen.timeline
            )
            new |= record_files(changes.then, after, lambda path: new.get(path) or self._record(path, found, contents))
        files = {path: FileChange(contents.get(path), data) for path, data in new.items()}
        act = changes.then.act if changes.then is not None else changes.act
        return self._write(act, {p: c for p, c in files.items() if c.expected != c.new}, first)

    def _record(self, path: str, found: Found, contents: dict[str, bytes]) -> bytes | None:
        """A record file that an act will write, remembered as what must still be there; None where there is none."""
        if path not in found.files:
            return None
        contents[path], _ = self._as_seen(path)
        return contents[path]

    def _as_seen(self, path: str) -> tuple[bytes, Document]:
        """A file that an act will write, as adopted a moment ago; ``ChangedOnDisk`` where a person has saved since."""
        full = self.experiences / path
        try:
            data = self._reading.content(path)
        except OSError:
            raise ChangedOnDisk(full) from None
        document = parse(data, path)
        problem = document.problem
        if problem is not None and not holds_blocks(path):
            raise ProblemError(
                "{message}; the file is left as it is",
                message=problem.message,
                path=path,
                line=problem.line,
                column=problem.column,
            )
        known = self._known().files.get(path)
        if problem is not None or known is None or known[1] != blob_id(data):
            raise ChangedOnDisk(full)
        return data, document

    def _require_place(self, path: str, found: Found) -> None:
        for problem in found.problems:
            if problem.path in (path, path.partition("/")[0]):
                raise ProblemError("{message}", message=problem.message, path=problem.path, hint=problem.hint)
        folder = path.partition("/")[0]
        if folder not in found.directories and any(
            known.startswith(f"{folder}/") for known in self._known().files
        ):
            raise ProblemError(
                "the directory {folder} is missing",
                folder=folder,
                hint="put it back, or run 'alice-exp restore'",
            )

    def _refuse_frozen(self, changes: ChangeSet, seen: Snapshot) -> None:
        """A file with a problem is left exactly as it is."""
        targets = {put.path for put in changes.puts}
        moving = {put.block.id for put in changes.puts} | set(changes.removes)
        for file in seen.files:
            if file.stale and (file.path in targets or any(block.id in moving for block in file.blocks)):
                problem = next((p for p in file.problems if p.severity == "error"), None)
                if problem is None:
                    raise ProblemError("the directory of {path} is missing", path=file.path)
                raise ProblemError(
                    "{message}; the file is left as it is",
                    message=problem.message,
                    path=problem.path,
                    line=problem.line,
                    column=problem.column,
                    hint=problem.hint or "mend the file, then run the command again",
                )

    @contextlib.contextmanager
    def alone(self) -> Iterator[Callable[[Act], tuple[Commit, Message]]]:
        """Be the only writer of a settled home; gives what composes an act's commit. For ``store.purging``."""
        self._require_home()
        with self._locked():
            self._settle()
            try:
                yield self._composed
            finally:
                self._stamps = None

    def _composed(self, act: Act) -> tuple[Commit, Message]:
        commit, text = compose(act, self._sources.new_id("act"))
        return commit, Message(_author(act.actor), max(self._sources.epoch(), self._known().commit_time), text)

    def _write(
        self,
        act: Act,
        files: Mapping[str, FileChange],
        first: tuple[Act, Mapping[str, bytes | None]] | None = None,
    ) -> Commit:
        """Write one act, or two of one stream; the commit of the first, which is the one that was asked for."""
        opened = self._composed(first[0]) if first else None
        if opened is not None:
            act = replace(act, trailers=(*act.trailers, (COMPLETES, opened[0].act_id)))
        commit, message = self._composed(act)
        parent = self._known().head or self.repository.head()
        before = (opened[1], first[1]) if opened and first else None
        oid = landing.write(self.repository, parent, message, files, before)
        self._stamp(oid, message.when, files)
        if opened is not None:
            commit, oid = opened[0], self.repository.parent(oid)
        return Commit(
            oid,
            commit.subject,
            commit.op,
            commit.actor,
            commit.at,
            commit.blocks,
            commit.act_id,
            commit.trailers,
        )

    def _stamp(self, oid: str, when: int, files: Mapping[str, FileChange]) -> None:
        """Remember what landed, and pack where enough has gathered."""
        stamps = self._known()
        known = dict(stamps.files)
        loose = stamps.loose if stamps.loose >= 0 else self.repository.loose_bytes()
        for path, change in files.items():
            known.pop(path, None)
            if change.new is not None:
                blob = blob_id(change.new)
                known[path] = (Signature.of((self.experiences / path).lstat()), blob)
                loose += self._loose_size(blob)
        loose += self._loose_size(oid)
        if loose > PACK_AT:
            with contextlib.suppress(ProblemError):
                self.repository.pack()
            loose = 0
        self._stamps = Stamps(oid, when, stamps.at, loose, known)
        self._save_stamps()

    def _save_stamps(self) -> None:
        """Remember the stamps; without their commit where git's index is stale, so that the next act mends it."""
        stamps = self._known()
        save(self._stamps_path, replace(stamps, head="") if self.repository.index_is_stale else stamps)

    def _loose_size(self, oid: str) -> int:
        try:
            return (self.repository.git_dir / "objects" / oid[:2] / oid[2:]).stat().st_size
        except OSError:
            return 0


def _is_being_saved(seen: Snapshot, found: Found) -> bool:
    young = time.time_ns() - _SAVING_NS
    broken = (found.files.get(file.path) for file in seen.files if file.stale)
    return any(signature is not None and signature.mtime > young for signature in broken)


def _fresh_ids(new_id: Callable[[str], str], taken: set[str]) -> Callable[[], str]:
    def fresh() -> str:
        while (block_id := new_id("exp")) in taken:
            continue
        taken.add(block_id)
        return block_id

    return fresh


def _check(new: Mapping[str, bytes | None], changes: ChangeSet) -> None:
    """Read back what was composed before anything is written: a wrong edit must never reach a person's file."""
    wanted: dict[tuple[str, str], Block] = {(put.path, put.block.id): put.block for put in changes.puts}
    for path, data in new.items():
        if data is None or not holds_blocks(path):
            continue
        blocks, problems = read_blocks(parse(data, path))
        faults = [problem for problem in problems if problem.severity == "error"]
        if faults:
            raise AssertionError(f"composed {path} does not read back: {faults[0].where} {faults[0].message}")
        for block in blocks:
            if wanted.get((path, block.id), block) != block:
                raise AssertionError(f"composed {block.id} differs from what was meant in {path}")


def _author(actor: Actor) -> str:
    return f"{actor} <{actor.kind}@alice>"


def _as_warning(error: Exception) -> AliceError:
    if isinstance(error, AliceError):
        return error
    return ProblemError("hand edits could not be committed: {why}", why=str(error))
