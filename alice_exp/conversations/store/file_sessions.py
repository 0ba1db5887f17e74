"""Chat histories in ``sessions/ID.jsonl``: outside git, mode 0600, append-only (B4.6, B4.20).

A line is a message or a mark: ``started``, ``extracting`` (token and last index), ``extracted``, ``ended``. The token
is also a trailer of the extraction's commit, so that after a crash git tells whether the messages were extracted. A
line cut short by a crash or a full disk is skipped: its writer was told that it was not saved.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field, replace
from pathlib import Path
from typing import Any

from alice_exp.conversations.values import ChatRecord, Conversation, Message, as_dict, message_of
from alice_exp.home.session import Session, once
from alice_exp.kernel.errors import AliceError, BusyError, NotFoundError, ProblemError, UsageError, reason
from alice_exp.kernel.journal.atomic_files import append, remove
from alice_exp.kernel.value_class import dataclass

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_PAUSE = 0.01
_ENDING = ".jsonl"
_written = json.JSONEncoder(ensure_ascii=False).encode


@dataclass
class _Told:
    """Contents of a file up to an offset: its messages, and what its marks add up to. Files are only added to, so what
    was read once is not read again."""

    session: str
    inode: int = 0
    end: int = 0
    rows: list[ChatRecord] = field(default_factory=list)
    project: str = ""
    started: str = ""
    ended: str = ""
    extracted: int = -1
    begun: dict[str, int] = field(default_factory=dict)

    def take(self, row: Mapping[str, Any]) -> None:
        mark = row.get("mark")
        # Where the index is another, another process added this one meanwhile.
        if mark is None and row.get("index", len(self.rows)) == len(self.rows):
            name = str(row.get("key", ""))
            self.rows.append(ChatRecord(self.session, message_of(row), name, self.project, len(self.rows)))
        elif mark == "started":
            self.started, self.ended = self.started or str(row["at"]), ""
        elif mark == "project":
            self.project = str(row["names"])
        elif mark == "ended":
            self.ended = str(row["at"])
        elif mark == "extracting":
            self.begun[str(row["token"])] = int(row["index"])
        elif mark == "extracted":
            last = int(row["index"])
            for at in range(self.extracted + 1, min(last + 1, len(self.rows))):
                self.rows[at] = replace(self.rows[at], extracted=True)
            self.extracted = max(self.extracted, last)


@once
def chats(session: Session) -> FileSessions:
    """The chat histories of the session's home."""
    return FileSessions(
        session.root / "sessions",
        lambda token: any(True for _ in session.history.carrying("Extraction", token)),
        lambda: session.moment.timestamp(),
    )


class FileSessions:
    """Chat histories of one home, each message extracted from at most once (R4.15, R4.28).

    Methods raise ``NotFoundError`` for an unknown session and ``UsageError`` for an invalid session name.
    ``is_committed``: whether git has a commit with an extraction's token; ``epoch``: the time now in seconds, which
    files get as theirs, by which ``older`` judges their age.
    """

    def __init__(self, folder: Path, is_committed: Callable[[str], bool], epoch: Callable[[], float]) -> None:
        self._folder, self._is_committed, self._epoch = folder, is_committed, epoch
        self._told: dict[str, _Told] = {}

    def start(self, session: str, at: str, project: str = "") -> bool:
        """Open a conversation, or go on with it in a project (all its names apart by spaces; empty: in none); False if
        it was already open."""
        told = self._read(session) if self._path(session).exists() else None
        is_new = told is None or bool(told.ended)
        rows = [{"mark": "started", "at": at}] if is_new else []
        if project != (told.project if told else ""):
            rows.append({"mark": "project", "names": project})
        if rows:
            with _refusing(session):
                self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._append(session, rows, create=True)
        return is_new

    def save_all(
        self, session: str, messages: Sequence[Message], names: Sequence[str] = (), after: int | None = None
    ) -> tuple[ChatRecord, ...]:
        """Append messages; they are on disk (fsynced) when this returns. ``names`` are their ids in the source.

        ``after``: each counts only if so many messages, and these, stand before it; whoever writes meanwhile is first.
        """
        if not messages:
            return ()
        rows = [as_dict(one) for one in messages]
        for at, (row, name) in enumerate(zip(rows, names or [""] * len(rows), strict=True)):
            row |= {"key": name} if name else {}
            row |= {"index": after + at} if after is not None else {}
        return tuple(self._read(session, self._append(session, rows)).rows[-len(messages) :])

    def load(self, session: str) -> tuple[ChatRecord, ...]:
        """All messages, in order."""
        return tuple(self._read(session).rows)

    def load_unextracted(self, session: str) -> tuple[ChatRecord, ...]:
        """The messages that have not been extracted from."""
        told = self._read(session)
        return tuple(told.rows[told.extracted + 1 :])

    def mark_extracted(self, session: str, index: int) -> None:
        """Mark all up to and including ``index`` as extracted, whether or not there was anything to commit (R4.18)."""
        self._append(session, [{"mark": "extracted", "index": index}])

    @contextmanager
    def claim(self, session: str, wait: float) -> Iterator[None]:
        """Lock a conversation for extraction, after settling from git what a crash left undecided. Raises ``BusyError``
        if another process holds it for ``wait`` s."""
        handle = self._open(session)
        try:
            deadline = time.monotonic() + wait
            while True:
                with contextlib.suppress(BlockingIOError):
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                if time.monotonic() >= deadline:
                    said = "another process is extracting from {session}"
                    raise BusyError(said, session=session, hint="try again in a moment")
                time.sleep(_PAUSE)
            told = self._read(session)
            for token, index in told.begun.items():
                if index > told.extracted and self._is_committed(token):
                    self.mark_extracted(session, index)
            yield
        finally:
            os.close(handle)

    def begin(self, session: str, token: str, index: int) -> None:
        """Record, before its commit, that an extraction is about to read up to and including ``index``."""
        self._append(session, [{"mark": "extracting", "token": token, "index": index}])

    def end(self, session: str, at: str) -> None:
        """Close a conversation."""
        if not self._read(session).ended:
            self._append(session, [{"mark": "ended", "at": at}])

    def forget(self, session: str) -> int:
        """Delete a conversation; returns how many messages it held."""
        held = len(self._read(session).rows)
        remove(self._path(session))
        return held

    def conversations(self) -> tuple[Conversation, ...]:
        """All conversations, oldest first; unreadable ones are skipped."""
        found = []
        for session in self.signatures():
            with contextlib.suppress(AliceError):
                told = self._read(session)
                times = (one.message.at for one in reversed(told.rows) if one.message.at)
                unread, last = len(told.rows[told.extracted + 1 :]), next(times, told.started)
                found.append(Conversation(session, told.started, last, len(told.rows), unread, told.ended))
        return tuple(sorted(found, key=lambda one: (one.at, one.session)))

    def older(self, before: float) -> tuple[str, ...]:
        """The names of conversations last written before this moment (epoch seconds)."""
        states = self.signatures()
        return tuple(name for name in states if int(states[name].rpartition(",")[2]) < before * 1e9)

    def signatures(self) -> dict[str, str]:
        """Of each conversation's file its inode, size and time, which grow or stay while it is only added to."""
        found = {}
        with contextlib.suppress(OSError), os.scandir(self._folder) as entries:
            for entry in sorted(entries, key=lambda entry: entry.name):
                name = entry.name.removesuffix(_ENDING)
                if name != entry.name and _NAME.fullmatch(name) and entry.is_file(follow_symlinks=False):
                    # One that another process deletes meanwhile is gone; the others are there.
                    with contextlib.suppress(FileNotFoundError):
                        state = entry.stat(follow_symlinks=False)
                        found[name] = f"{state.st_ino},{state.st_size},{state.st_mtime_ns}"
        return found

    def _path(self, session: str) -> Path:
        if not _NAME.fullmatch(session):
            hint = "names are lower-case letters, digits, - and _, at most 64"
            raise UsageError("{name} cannot name a session", name=repr(session[:80]), hint=hint)
        return self._folder / f"{session}{_ENDING}"

    def _open(self, session: str) -> int:
        with _refusing(session):
            return os.open(self._path(session), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)

    def _append(self, session: str, rows: Sequence[Mapping[str, Any]], *, create: bool = False) -> int:
        """Append lines durably; returns the offset at which they end."""
        data = b"".join(_written(row).encode() + b"\n" for row in rows)
        with _refusing(session):
            return append(self._path(session), data, create=create, at=self._epoch())

    def _read(self, session: str, end: int | None = None) -> _Told:
        handle = self._open(session)
        with os.fdopen(handle, "rb") as file:
            inode = os.fstat(handle).st_ino
            told = self._told.get(session, _Told(session))
            if told.inode != inode or told.end > (os.fstat(handle).st_size if end is None else end):
                told = _Told(session, inode)
            file.seek(told.end)
            data = file.read(-1 if end is None else end - told.end)
        # A last line without its end was cut short, or is being written.
        data = data[: data.rfind(b"\n") + 1]
        told.end += len(data)
        for line in filter(None, data.split(b"\n")):
            with contextlib.suppress(
                ValueError, KeyError, TypeError, AttributeError, RecursionError, UsageError
            ):
                told.take(json.loads(line))
        self._told[session] = told
        return told


def unknown(session: str) -> NotFoundError:
    """The error for a session that is not there."""
    hint = "see 'alice-exp session list'"
    return NotFoundError("there is no session {session}", session=session, hint=hint)


@contextmanager
def _refusing(session: str) -> Iterator[None]:
    """Say what the system says of a conversation's file: it is not there, or it refuses."""
    try:
        yield
    except FileNotFoundError:
        raise unknown(session) from None
    except OSError as error:
        raise ProblemError("the conversation could not be kept: {why}", why=reason(error)) from error
