"""Git between machines: a private remote gets the home's own history, any other a history of bundles alone.

The home's repository knows no remote and its hook refuses every plain push; what leaves goes by this module, with the
person's own git configuration for the way there (credentials, ssh) and none of their hooks.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
from typing import TYPE_CHECKING

from alice_exp.core.errors import BusyError, PeerError, ProblemError, RefusedError
from alice_exp.core.sync_ports import Exchanged, Remote
from alice_exp.store import landing
from alice_exp.store.files import ChangedOnDisk, read_bytes
from alice_exp.store.landing import FileChange
from alice_exp.store.merging import blobs, files_of, merged_files
from alice_exp.store.plumbing import PENDING, Message, Repository, blob_id
from alice_exp.text.forget import forget

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from alice_exp.core.changes import Act, Commit
    from alice_exp.store.home import FileHome

TRIES = 5
"""How often an exchange starts again because the remote moved meanwhile."""

FETCHED = "refs/alice/fetched"
_THERE = "refs/heads/main"
_BUNDLE = re.compile(r"universal/[a-z0-9][a-z0-9_-]{0,63}\.json")
_LARGEST = 64 << 20
_WITHOUT = {
    "core.hooksPath": os.devnull,
    "protocol.ext.allow": "never",
    "push.followTags": "false",
    "push.gpgSign": "false",
    "fetch.fsckObjects": "true",
    "fetch.recurseSubmodules": "false",
    "push.recurseSubmodules": "no",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "core.fsync": "all",
    "safe.directory": "*",
}


class FileRemotes:
    """See ``core.sync_ports.Remotes``: ``identity/remotes.json``, for this machine alone."""

    def __init__(self, directory: Path) -> None:
        self._path = directory / "remotes.json"

    def all(self) -> tuple[Remote, ...]:
        """By name; ``ProblemError`` where the file cannot be read."""
        try:
            rows = json.loads(self._path.read_text(encoding="utf-8"))
            return tuple(Remote(r["name"], r["address"], r["private"] is True, r["at"]) for r in rows)
        except FileNotFoundError:
            return ()
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ProblemError("the list of remotes cannot be read", path=str(self._path)) from error

    def keep(self, remotes: tuple[Remote, ...]) -> None:
        """Write them; see ``core.sync_ports.Remotes.keep``."""
        rows = [
            {"name": one.name, "address": one.address, "private": one.private, "at": one.at}
            for one in sorted(remotes, key=lambda one: one.name)
        ]
        temporary = self._path.with_name(f"{self._path.name}.{os.getpid()}")
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(json.dumps(rows, ensure_ascii=False, indent=2) + "\n")
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(self._path)
        except OSError as error:
            why = (error.strerror or str(error)).lower()
            raise ProblemError("this cannot be written: {why}", why=why, path=str(self._path)) from error


class GitExchange:
    """Exchanges one home's history with remotes; see ``core.sync_ports.Exchange``."""

    def __init__(self, home: FileHome) -> None:
        self._home = home
        self._repository = home.repository

    def reach(self, address: str) -> str:
        """The commit of the remote's branch; see ``core.sync_ports.Exchange.reach``."""
        told = _network(self._repository, address, "ls-remote", "--quiet", "--", address, _THERE)
        return told.split()[0] if told.split() else ""

    # -- a private remote ---------------------------------------------------------------------------------------

    def exchange(self, remote: Remote, act: Act, *, over: bool = False) -> Exchanged:
        """Take in and give; see ``core.sync_ports.Exchange.exchange``."""
        repository = self._repository
        done = Exchanged()
        for _ in range(TRIES):
            with _fetched(repository, remote) as there:
                done, head = self._taken_in(there, act, done, over)
                if head == there:
                    return done
                given = _count(repository, there, head)
                wanted = there if over or not there or repository.contains(head, there) else ""
                if _push(repository, remote, head, there, force=over) or wanted != there:
                    return Exchanged(done.taken, given, done.commit, done.conflicts)
        raise BusyError("{name} changes faster than it can be followed", name=remote.name, hint="sync again")

    def _taken_in(self, there: str, act: Act, done: Exchanged, over: bool) -> tuple[Exchanged, str]:
        """Our history with the remote's in it, and where it stands now."""
        repository = self._repository
        with self._home.alone() as composed:
            head = repository.head()
            if not there or repository.contains(head, there):
                return done, head
            if not over:
                _refuse_purged(repository, head, there)
            taken = done.taken + _count(repository, head, there)
            if repository.contains(there, head) and not over:
                self._follow(head, there)
                return Exchanged(taken, done.given, done.commit, done.conflicts), there
            merged = self._merged(head, there, over)
            commit, message = composed(act)
            oid = self._write(head, message, merged.files, merged="" if over else there)
            conflicts = tuple(dict.fromkeys((*done.conflicts, *merged.conflicts)))
            return Exchanged(taken, done.given, _as(commit, oid), conflicts), oid

    def _merged(self, head: str, there: str, over: bool):  # type: ignore[no-untyped-def]
        return merged_files(self._repository, head, there)

    def _follow(self, head: str, there: str) -> None:
        files = files_of(self._repository, there)
        nothing = Message("", 0, "")
        self._write(head, nothing, files, follow=there)

    def _write(
        self, head: str, message: Message, files: Mapping[str, bytes], *, merged: str = "", follow: str = ""
    ) -> str:
        """Bring the home to these files, as one act; nothing is written over what a person has not committed."""
        present = files_of(self._repository, head) if head else {}
        changes: dict[str, FileChange] = {}
        for path in sorted({*present, *files}):
            before, after = present.get(path), files.get(path)
            if before != after:
                _require_as_committed(self._home.experiences / path, path, before)
                changes[path] = FileChange(before, after)
        try:
            return landing.write(self._repository, head, message, changes, merged=merged, follow=follow)
        except ChangedOnDisk as error:
            raise BusyError(
                "{path} was saved meanwhile; nothing was changed", path=error.path.name, hint="sync again"
            ) from None

    def settle(self, act: Act) -> Commit | None:
        """Finish a plain merge; see ``core.sync_ports.Exchange.settle``."""
        repository = self._repository
        with self._home.alone() as composed:
            head = repository.head()
            parents = repository.run("log", "-1", "--format=%P", head, "--").decode().split()
            if len(parents) != 2:
                return None
            files = merged_files(repository, *parents).files
            if files == files_of(repository, head):
                return None
            commit, message = composed(act)
            return _as(commit, self._write(head, message, files))

    # -- any other remote ---------------------------------------------------------------------------------------

    def publish(
        self, remote: Remote, name: str, text: str | None, about_to_leave: Callable[[], None], at: str
    ) -> tuple[bool, Mapping[str, bytes]]:
        """Publish one bundle; see ``core.sync_ports.Exchange.publish``."""
        repository = self._apart(remote)
        own = f"universal/{name}.json"
        written = False
        for _ in range(TRIES):
            with _fetched(repository, remote) as there:
                files = _bundles(repository, there)
                others = {path: data for path, data in files.items() if path != own}
                data = text.encode() if text is not None else None
                if files.get(own) == data:
                    return False, others
                if data is not None and not written:
                    about_to_leave()
                    written = True
                verb = "publish" if data is not None else "withdraw"
                message = Message(f"{name} <{name}@alice>", _epoch(at), f"{verb} {name}\n")
                try:
                    commit = repository.prepare(there, message, {own: data})
                    if _push(repository, remote, commit, there):
                        return True, others
                finally:
                    if pending := repository.resolve(PENDING):
                        repository.point([(PENDING, "", pending)])
        raise BusyError("{name} changes faster than it can be followed", name=remote.name, hint="sync again")

    def _apart(self, remote: Remote) -> Repository:
        """A repository of its own, derived and deletable, so that no object of the home can be among what leaves."""
        directory = self._home.root / "state" / "published" / remote.name
        repository = Repository(directory)
        if not repository.exists:
            directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            repository.run("init", "--quiet", "--template=", "--initial-branch=main")
        return repository
