"""Exchanges history with git remotes: a private one gets the home's history, any other a history of bundles only.

The home's repository has no remotes, and its hook refuses every plain push. Whatever leaves passes through this module,
with the person's own git configuration for the connection (credentials, ssh) but without their hooks.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path

from alice_exp.home.file_home import Home
from alice_exp.home.session import Session, once
from alice_exp.home.store.list_files import NEWER
from alice_exp.home.store.read_files import SAVING_NS
from alice_exp.kernel.errors import BusyError, ProblemError, refused_as
from alice_exp.kernel.journal import transaction
from alice_exp.kernel.journal.act import LEDGER as LEDGER_ROW
from alice_exp.kernel.journal.act import Act, Commit, Message
from alice_exp.kernel.journal.atomic_files import ChangedOnDisk, read_bytes
from alice_exp.kernel.journal.git_process import Repository
from alice_exp.kernel.journal.git_references import LEDGER, PENDING
from alice_exp.kernel.journal.transaction import FileChange
from alice_exp.model.values.snapshot import R
from alice_exp.sync.remotes import Exchanged, Remote, remotes
from alice_exp.sync.store.incoming_history import THERE, Incoming, failed, fetched, ran
from alice_exp.sync.store.merge_driver import (
    NEWER_TEXT,
    files_of,
    merged_files,
    parents_of_gits_merge,
    take_back,
)
from alice_exp.sync.store.shared_history import GONE, OVER, SharedLedger, newest_act, purged, refuse_purged

TRIES = 5
"""The number of attempts at an exchange when the remote changes meanwhile."""


class GitExchange:
    """Exchange of one home's history with remotes, signed by ``key``; ``PeerError`` if a remote fails."""

    def __init__(self, home: Home, key: Callable[[], bytes]) -> None:
        self._home = home
        self._repository = home.repository
        self._ledger = SharedLedger(home, key)

    def exchange(self, remote: Remote, act: Act, *, over: bool = False) -> Exchanged:
        """Merge with a remote's history until both sides are equal.

        ``over`` replaces the remote's history by ours, with the remote's blocks but without its past. ``RefusedError``
        if either side still contains what the other purged, ``ProblemError`` if the remote is not a home.
        """
        repository, done = self._repository, Exchanged()
        if not repository.is_current():
            # A plain clone, or a repository that an earlier version made.
            repository.create()
        # The remote refuses a push if another machine was first; then its history is merged as well.
        for _ in range(TRIES):
            with fetched(self._home, repository, remote) as incoming:
                there = incoming.commit
                head, ledger, step = _patiently(partial(self._taken_in, incoming, remote, act, over=over))
                done = replace(
                    step,
                    taken=done.taken + step.taken,
                    commit=step.commit or done.commit,
                    conflicts=tuple(dict.fromkeys((*done.conflicts, *step.conflicts))),
                    asked=tuple(dict.fromkeys((*done.asked, *step.asked))),
                )
                wanted = (THERE, head, there), (LEDGER, ledger, incoming.ledger)
                moves = [move for move in wanted if move[1] not in ("", move[2])]
                if not moves:
                    return done
                given = _count(incoming.reader, there, head)
                if _push(repository, remote, moves, force=over):
                    return replace(done, given=given, head=max(done.head, self._ledger.number(ledger)))
        raise BusyError("{name} changes faster than it can be followed", name=remote.name, hint="sync again")

    def _taken_in(
        self, incoming: Incoming, remote: Remote | None, act: Act, *, over: bool = False
    ) -> tuple[str, str, Exchanged]:
        """Merge the remote's history into ours; returns our new head, our ledger (empty: it must not be handed on) and
        what that took. None for ``remote``: git merges, and knows of no ledger."""
        there, repository = incoming.commit, incoming.reader
        heard, seen, offered = self._ledger.heard(incoming, remote)
        with self._home.alone() as composed:
            head = self._repository.head()
            if there and head != there:
                refuse_purged(repository, head, there, over=over)
            joined = self._ledger.joined(incoming, remote, heard, over=over)
            step = Exchanged(asked=joined.asked, head=seen, offered=offered)
            is_known = not there or head == there or repository.contains(head, there)
            gone = purged(repository, head) if over else ()
            # What a machine did whose decisions do not count is merged as a hand edit is: it waits where it stands.
            merged, conflicts = (
                (files_of(self._repository, head), ())
                if is_known
                else merged_files(repository, head, there, gone, joined.entries if heard else {})
            )
            files = merged | ({NEWER: NEWER_TEXT} if remote is not None else {})
            if not over:
                # Over it, nothing of the remote's history may stay here: it contains what was purged.
                incoming.take(self._repository)
            ledger = self._ledger.write(joined, composed(act)[1])
            shown = ledger if joined.is_handed_on else ""
            if is_known and files == merged:
                self._ledger.point(ledger)
                return head, shown, step
            step = replace(step, taken=_count(repository, head, there) if there else 0)
            is_behind = not (is_known or over) and repository.contains(there, head)
            if is_behind and files == files_of(repository, there):
                self._write(head, Message("", 0, ""), files, follow=there, ledger=ledger)
                return there, shown, step
            trailers = [*act.trailers, *(("Conflict", one) for one in conflicts)]
            trailers += [(LEDGER_ROW, ledger)] if ledger else []
            if over and there:
                # Its tombstones, of which a third machine still has to hear, and its newest act.
                trailers += ((GONE, one) for one in purged(repository, there, f"^{head}"))
                trailers += [(OVER, last)] if (last := newest_act(repository, there)) else []
            commit, message = composed(replace(act, trailers=tuple(trailers)))
            merges = "" if over or is_known else there
            oid = self._write(head, message, files, merged=merges, ledger=ledger)
            return oid, shown, replace(step, commit=replace(commit, commit=oid), conflicts=conflicts)

    def _write(
        self,
        head: str,
        message: Message,
        files: Mapping[str, bytes],
        *,
        merged: str = "",
        follow: str = "",
        ledger: str = "",
    ) -> str:
        """Bring the home to these files, as one act; uncommitted edits of a person are never overwritten."""
        present = files_of(self._repository, head) if head else {}
        changes: dict[str, FileChange] = {}
        for path in sorted({*present, *files}):
            before, after = present.get(path), files.get(path)
            if before != after:
                _require_as_committed(self._home.experiences / path, path, before)
                changes[path] = FileChange(before, after)
        return transaction.write(
            self._repository, head, message, changes, merged=merged, follow=follow, ledger=ledger
        )

    def settle(self, act: Act) -> Commit | None:
        """Finish a plain ``git pull``, which merges file by file: blocks that one side moved to another file."""
        if there := take_back(self._home):
            came = Incoming(there, self._repository, self._home)
            return _patiently(partial(self._taken_in, came, None, act))[2].commit
        return _patiently(partial(self._settled, act))

    def _settled(self, act: Act) -> Commit | None:
        repository = self._repository
        with self._home.alone() as composed:
            head = repository.head()
            present = files_of(repository, head)
            # The home has adopted the merge by now, as what some git command made.
            parents = parents_of_gits_merge(repository, head)
            if not parents:
                return None
            files = merged_files(repository, parents[0], parents[1])[0]
            if files == present:
                return None
            commit, message = composed(act)
            return replace(commit, commit=self._write(head, message, files))

    def publish(
        self, remote: Remote, name: str, text: str | None, about_to_leave: Callable[[], None], at: str
    ) -> tuple[bool, Mapping[str, bytes]]:
        """Put our bundle (None: withdraw it) into a history of bundles; returns whether it changed, and the others'
        bundles by path."""
        repository = self._apart(remote)
        own = f"universal/{name}.json"
        written = False
        for _ in range(TRIES):
            with fetched(self._home, repository, remote) as incoming:
                there = incoming.commit
                files = files_of(incoming.reader, there, published=True) if there else {}
                others = {path: data for path, data in files.items() if path != own}
                data = text.encode() if text is not None else None
                if files.get(own) == data:
                    return False, others
                if data is not None and not written:
                    about_to_leave()
                    written = True
                incoming.take(repository)
                verb = "publish" if data is not None else "withdraw"
                message = Message(
                    f"{name} <{name}@alice>", int(datetime.fromisoformat(at).timestamp()), f"{verb} {name}\n"
                )
                try:
                    commit = repository.prepare(there, message, {own: data})
                    if _push(repository, remote, [(THERE, commit, there)]):
                        return True, others
                finally:
                    # `prepare` leaves its commit under this name; here the remote's branch is the only result.
                    if pending := repository.resolve(PENDING):
                        repository.point([(PENDING, "", pending)])
        raise BusyError("{name} changes faster than it can be followed", name=remote.name, hint="sync again")

    def _apart(self, remote: Remote) -> Repository:
        """A separate, disposable repository, so that no object of the home can be among what is pushed."""
        directory = self._home.root / "state" / "published" / remote.name
        repository = Repository(directory)
        if not repository.exists:
            directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            repository.run("init", "--quiet", "--template=", "--initial-branch=main")
        # What the person set for the home's connections counts here, too.
        asked = ("config", "--local", "core.sshCommand")
        ssh = self._repository.run(*asked, check=False).decode().strip()
        repository.run(*asked, ssh) if ssh else repository.run("config", "--unset", asked[-1], check=False)
        return repository


def _patiently(body: Callable[[], R]) -> R:
    """What ``body`` answers; an editor that saves meanwhile gets a moment, then ``BusyError`` says so."""
    name = ""
    for _ in range(TRIES):
        try:
            return body()
        except ChangedOnDisk as error:
            name = error.path.name
            time.sleep(SAVING_NS / 1e9)
    raise BusyError("{path} was saved meanwhile; nothing was changed", path=name, hint="sync again")


def _require_as_committed(full: Path, path: str, before: bytes | None) -> None:
    """Raise ``ProblemError`` if a file has uncommitted content (an edit with an error), which a merge would lose.

    ``ChangedOnDisk`` while it may be half saved.
    """
    present, saved = None, 0
    with refused_as("this file cannot be read: {why}", path), suppress(FileNotFoundError):
        present, signature = read_bytes(full)
        saved = signature.mtime
    if present != before:
        if saved > time.time_ns() - SAVING_NS:
            raise ChangedOnDisk(full)
        raise ProblemError(
            "this file holds what is not committed, and the other side changed it too",
            path=path,
            hint="see 'alice-exp check', mend the file, then sync again",
        )


def _push(
    repository: Repository, remote: Remote, moves: Sequence[tuple[str, str, str]], *, force: bool = False
) -> bool:
    """Move references of the remote (name, new commit, the one there) together; False if one has moved since.

    ``BusyError`` if a lock file stays at the remote: another push is running there, or one died and left it.
    """
    lease = [f"--force-with-lease={name}:{there}" for name, _, there in moves] if force else []
    # Not every transport can move two together.
    atomic = ["--atomic"] if len(moves) > 1 else []
    places = [f"{commit}:{name}" for name, commit, _ in moves]
    arguments = ["push", "--porcelain", "--no-verify", *atomic, *lease, "--", remote.address, *places]
    for pause in _PAUSES:
        done = ran(repository, *arguments)
        output = done.stdout + done.stderr
        locked = _LOCKED.search(output)
        if not done.returncode or locked is None:
            break
        file = locked[1].replace("/./", "/")
        time.sleep(pause)
    else:
        hint = "if no git is at work there, remove that file there, then sync again"
        raise BusyError("{name} is locked: {file} stands there", name=remote.name, file=file, hint=hint)
    if done.returncode and not _MOVED.search(output):
        raise failed(remote, done)
    return not done.returncode


_PAUSES = (0.1, 0.2, 0.4, 0.8)
"""Seconds to wait, attempt by attempt, for a lock at the remote to disappear."""

_LOCKED = re.compile(r"Unable to create '([^'\n]+\.lock)': File exists")
_MOVED = re.compile(r"non-fast-forward|fetch first|stale info|cannot lock ref|incorrect old value")


def _count(repository: Repository, known: str, new: str) -> int:
    """The number of commits reachable from ``new`` but not from ``known`` (empty: all)."""
    return int(repository.run("rev-list", "--count", new, *([f"^{known}"] if known else []), "--"))


@once
def exchange(session: Session) -> GitExchange:
    """The session's git exchange."""
    return GitExchange(session.home, remotes(session).key)
