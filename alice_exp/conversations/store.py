"""Conversations in ``sessions/ID.jsonl``: outside git, 0600, append only (B4.6, B4.20).

A line is a message or a mark: ``started``, ``extracting`` (with a token and how far), ``extracted``, ``ended``. The
token stands in the extraction's commit, so that after a crash history tells whether the messages were read. A line that
a crash or a full disk cut short is passed over: whoever said it was told that it was not kept.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from alice_exp.conversations.ports import Conversation
from alice_exp.conversations.values import ChatRecord, as_dict, message_of
from alice_exp.kernel.errors import AliceError, BusyError, NotFoundError, ProblemError, UsageError
from alice_exp.kernel.journal.atomic_files import sync_directory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from alice_exp.conversations.values import Message

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_PAUSE = 0.01
_ENDING = ".jsonl"


@dataclass
class _Told:
    """One file as it was read: messages, and what the marks say."""

    messages: list[Message] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    started: str = ""
    ended: str = ""
    extracted: int = -1
    begun: dict[str, int] = field(default_factory=dict)

    def take(self, row: Mapping[str, Any]) -> None:
        """One line."""
        mark = row.get("mark")
        if mark is None:
            self.messages.append(message_of(row))
            self.names.append(str(row.get("key", "")))
        elif mark == "started":
            self.started, self.ended = self.started or str(row["at"]), ""
        elif mark == "ended":
            self.ended = str(row["at"])
        elif mark == "extracting":
            self.begun[str(row["token"])] = int(row["index"])
        elif mark == "extracted":
            self.extracted = max(self.extracted, int(row["index"]))


class FileSessions:
    """The conversations of one home; see ``home.ports.ChatHistoryStore``.

    ``is_committed`` asks history whether an extraction's token stands in a commit; ``epoch`` is the calendar in
    seconds, which files carry as their modification time.
    """

    def __init__(self, folder: Path, is_committed: Callable[[str], bool], epoch: Callable[[], float]) -> None:
        self._folder = folder
        self._is_committed = is_committed
        self._epoch = epoch

    def start(self, session: str, at: str) -> bool:
        """Open a conversation; false where it was open already."""
        path = self._path(session)
        if path.exists() and not self._read(session).ended:
            return False
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise _refused(error) from error
        self._append(session, [{"mark": "started", "at": at}], create=True)
        sync_directory(self._folder)
        return True

    def save(self, session: str, message: Message) -> ChatRecord:
        """Append a message; it is on disk when this returns."""
        return self.save_all(session, (message,))[0]

    def save_all(
        self, session: str, messages: Sequence[Message], names: Sequence[str] = ()
    ) -> tuple[ChatRecord, ...]:
        """The same for many at once; ``names`` is what they were called elsewhere, one each."""
        if not messages:
            return ()
        keys = [{"key": name} if name else {} for name in names] or [{} for _ in messages]
        end = self._append(session, [as_dict(m) | key for m, key in zip(messages, keys, strict=True)])
        return self._records(session, end)[-len(messages) :]

    def load(self, session: str) -> tuple[ChatRecord, ...]:
        """Every message, in order."""
        return self._records(session)

    def _records(self, session: str, end: int | None = None) -> tuple[ChatRecord, ...]:
        told = self._read(session, end)
        return tuple(
            ChatRecord(session, index, message, index <= told.extracted, name)
            for index, (message, name) in enumerate(zip(told.messages, told.names, strict=True))
        )

    def load_recent(self, session: str, limit: int) -> tuple[ChatRecord, ...]:
        """The latest messages, oldest of them first."""
        return self.load(session)[-limit:] if limit > 0 else ()

    def load_unextracted(self, session: str) -> tuple[ChatRecord, ...]:
        """The messages that no extraction has read."""
        return tuple(record for record in self.load(session) if not record.extracted)

    def mark_extracted(self, session: str, index: int) -> None:
        """Everything up to and with ``index`` has been read."""
        self._append(session, [{"mark": "extracted", "index": index}])

    @contextmanager
    def claim(self, session: str, wait: float) -> Iterator[_Claim]:
        """Be the only one to extract; what a crash left open is settled by what history says."""
        handle = self._open(session, os.O_RDONLY)
        try:
            _lock(handle, session, wait)
            self._settle(session)
            yield _Claim(self, session)
        finally:
            os.close(handle)

    def _settle(self, session: str) -> None:
        told = self._read(session)
        for token, index in told.begun.items():
            if index > told.extracted and self._is_committed(token):
                self.mark_extracted(session, index)

    def end(self, session: str, at: str) -> None:
        """Close a conversation."""
        if not self._read(session).ended:
            self._append(session, [{"mark": "ended", "at": at}])

    def forget(self, session: str) -> int:
        """Delete a conversation; how many messages it held."""
        held = len(self._read(session).messages)
        self._path(session).unlink(missing_ok=True)
        sync_directory(self._folder)
        return held

    def conversations(self) -> tuple[Conversation, ...]:
        """All of them, oldest first."""
        found = []
        for path in self._files():
            with contextlib.suppress(AliceError):
                found.append(self._conversation(path.name.removesuffix(_ENDING)))
        return tuple(sorted(found, key=lambda one: (one.at, one.session)))

    def _conversation(self, session: str) -> Conversation:
        told = self._read(session)
        last = next((message.at for message in reversed(told.messages) if message.at), told.started)
        unread = len(told.messages) - told.extracted - 1
        return Conversation(session, told.started, last, len(told.messages), max(0, unread), told.ended)

    def expire(self, before: float) -> tuple[str, ...]:
        """Delete those that were last added to before this moment (epoch seconds); their names."""
        gone = []
        for path in self._files():
            with contextlib.suppress(OSError):
                if path.stat().st_mtime < before:
                    path.unlink()
                    gone.append(path.name.removesuffix(_ENDING))
        return tuple(gone)

    # -- the files ----------------------------------------------------------------------------------------------

    def _files(self) -> list[Path]:
        return sorted(
            path
            for path in self._folder.glob(f"*{_ENDING}")
            if _NAME.fullmatch(path.name.removesuffix(_ENDING)) and path.is_file() and not path.is_symlink()
        )

    def _path(self, session: str) -> Path:
        if not _NAME.fullmatch(session):
            raise UsageError(
                "{name} cannot name a session",
                name=repr(session[:80]),
                hint="names are lower-case letters, digits, - and _, at most 64",
            )
        return self._folder / f"{session}{_ENDING}"

    def _open(self, session: str, flags: int) -> int:
        try:
            return os.open(self._path(session), flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o600)
        except FileNotFoundError:
            raise NotFoundError(
                "there is no session {session}", session=session, hint="see 'alice-exp session list'"
            ) from None
        except OSError as error:
            raise _refused(error) from error

    def _append(self, session: str, rows: Sequence[Mapping[str, Any]], *, create: bool = False) -> int:
        """Append lines and force them to disk; where in the file they end."""
        data = b"".join(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows)
        handle = self._open(session, os.O_RDWR | os.O_APPEND | (os.O_CREAT if create else 0))
        try:
            size = os.fstat(handle).st_size
            if size and os.pread(handle, 1, size - 1) != b"\n":
                data = b"\n" + data
            view = memoryview(data)
            while view:
                view = view[os.write(handle, view) :]
            end = os.lseek(handle, 0, os.SEEK_CUR)
            os.utime(handle, (self._epoch(), self._epoch()))
            os.fsync(handle)
            return end
        except OSError as error:
            raise _refused(error) from error
        finally:
            os.close(handle)

    def _read(self, session: str, end: int | None = None) -> _Told:
        handle = self._open(session, os.O_RDONLY)
        with os.fdopen(handle, "rb") as file:
            data = file.read() if end is None else file.read(end)
        told = _Told()
        for line in data.split(b"\n"):
            with contextlib.suppress(
                ValueError, KeyError, TypeError, AttributeError, RecursionError, UsageError
            ):
                if line:
                    told.take(json.loads(line))
        return told


@dataclass(frozen=True, slots=True)
class _Claim:
    """See ``conversations.ports.Claimed``."""

    sessions: FileSessions
    session: str

    def begin(self, token: str, index: int) -> None:
        """Before the commit: under which name, how far."""
        self.sessions._append(self.session, [{"mark": "extracting", "token": token, "index": index}])

    def done(self, index: int) -> None:
        """After the commit, or where there was nothing to commit."""
        self.sessions.mark_extracted(self.session, index)


def _lock(handle: int, session: str, wait: float) -> None:
    deadline = time.monotonic() + wait
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() >= deadline:
                raise BusyError(
                    "another process is extracting from {session}",
                    session=session,
                    hint="try again in a moment",
                ) from None
            time.sleep(_PAUSE)


def _refused(error: OSError) -> ProblemError:
    why = (error.strerror or str(error)).lower()
    return ProblemError("the conversation could not be kept: {why}", why=why)
