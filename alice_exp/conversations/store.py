"""Chat histories in ``sessions/ID.jsonl``: outside git, mode 0600, append-only (B4.6, B4.20).

A line is a message or a mark: ``started``, ``extracting`` (token and last index), ``extracted``, ``ended``. The token
is also a trailer of the extraction's commit, so that after a crash git tells whether the messages were extracted. A
line cut short by a crash or a full disk is skipped: its writer was told that it was not saved.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from alice_exp.home.session import Session, once
from alice_exp.kernel.errors import AliceError, BusyError, NotFoundError, UsageError, refused_as
from alice_exp.kernel.journal.atomic_files import append, remove
from alice_exp.kernel.journal.lock import locked_within
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.values.records import ChatRecord, Message, Signature, as_dict, message_of

if TYPE_CHECKING:
    from alice_exp.finding.store.turn_index import TurnIndex

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_ENDING = ".jsonl"
_written = json.JSONEncoder(ensure_ascii=False).encode


@dataclass
class Talk:
    """A conversation, as its file says up to an offset: its messages, all names of its project, when it began and ended
    (ISO-8601 UTC; empty while it is open), the index of the last message that was extracted from (-1: none), and the
    last indices of extractions that began, by token. Files are only added to, so what was read is not read again."""

    session: str
    inode: int = 0
    end: int = 0
    rows: list[ChatRecord] = field(default_factory=list)
    project: str = ""
    at: str = ""
    ended: str = ""
    extracted: int = -1
    begun: dict[str, int] = field(default_factory=dict)

    @property
    def unread(self) -> Sequence[ChatRecord]:
        """The messages that have not been extracted from."""
        return self.rows[self.extracted + 1 :]

    @property
    def last_at(self) -> str:
        """When the last message came of which that is known."""
        return next((one.message.at for one in reversed(self.rows) if one.message.at), self.at)

    def take(self, row: Mapping[str, Any]) -> None:
        """Add a line of the file."""
        mark = row.get("mark")
        # Where the index is another, another process added this one meanwhile.
        if mark is None and row.get("index", len(self.rows)) == len(self.rows):
            name = str(row.get("key", ""))
            self.rows.append(ChatRecord(self.session, message_of(row), name, self.project, len(self.rows)))
        elif mark == "started":
            self.at, self.ended = self.at or str(row["at"]), ""
        elif mark == "project":
            self.project = str(row["names"])
        elif mark == "ended":
            self.ended = self.ended or str(row["at"])
        elif mark == "extracting":
            self.begun[str(row["token"])] = int(row["index"])
        elif mark == "extracted":
            self.extracted = max(self.extracted, int(row["index"]))


@once
def chats(session: Session) -> FileSessions:
    """The chat histories of the session's home."""
    return FileSessions(
        session.root / "sessions",
        lambda token: any(True for _ in session.history.carrying("Extraction", token)),
        lambda: session.moment.timestamp(),
    )


@once
def turn_index(session: Session) -> TurnIndex:
    """The index of what was said in this home."""
    from alice_exp.finding.store.turn_index import TurnIndex

    return TurnIndex(session.root / "state" / "sessions.sqlite", chats(session), session.warn)


class FileSessions:
    """Chat histories of one home, each message extracted from at most once (R4.15, R4.28).

    Methods raise ``NotFoundError`` for an unknown session and ``UsageError`` for an invalid session name.
    ``is_committed``: whether git has a commit with an extraction's token; ``epoch``: the time now in seconds, which
    files get as theirs, by which ``older`` judges their age.
    """

    def __init__(self, folder: Path, is_committed: Callable[[str], bool], epoch: Callable[[], float]) -> None:
        self._folder, self._is_committed, self._epoch = folder, is_committed, epoch
        self._talks: dict[str, Talk] = {}

    def start(self, session: str, at: str, project: str = "") -> bool:
        """Open a conversation, or go on with it in a project (all its names apart by spaces; empty: in none); False if
        it was already open."""
        talk = self.read(session) if self._path(session).exists() else None
        is_new = talk is None or bool(talk.ended)
        rows = [{"mark": "started", "at": at}] if is_new else []
        if project != (talk.project if talk else ""):
            rows.append({"mark": "project", "names": project})
        if rows:
            with _refusing(session):
                self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._append(session, rows, create=True)
        return is_new

    def save_all(
        self, session: str, messages: Sequence[Message], names: Sequence[str] = (), after: int | None = None
    ) -> Sequence[ChatRecord]:
        """Append messages; they are on disk (fsynced) when this returns. ``names`` are their ids in the source.

        ``after``: each counts only if so many messages, and these, stand before it; whoever writes meanwhile is first.
        """
        rows = [as_dict(one) for one in messages]
        for at, (row, name) in enumerate(zip(rows, names or [""] * len(rows), strict=True)):
            row |= {"key": name} if name else {}
            row |= {"index": after + at} if after is not None else {}
        return self.read(session, self._append(session, rows)).rows[-len(rows) :] if rows else ()

    def mark(self, session: str, mark: str, **told: str | int) -> None:
        """Note that a conversation ``ended`` (``at``), that an extraction up to and including ``index`` is about to be
        committed (``extracting``, with its ``token``), or is done (``extracted``; R4.18)."""
        self._append(session, [{"mark": mark, **told}])

    @contextmanager
    def claim(self, session: str, wait: float) -> Iterator[Talk]:
        """Lock a conversation for extraction, after settling from git what a crash left undecided. Raises ``BusyError``
        if another process holds it for ``wait`` s."""
        handle = self._open(session)
        try:
            if not locked_within(handle, wait):
                said = "another process is extracting from {session}"
                raise BusyError(said, session=session, hint="try again in a moment")
            for token, index in self.read(session).begun.items():
                if index > self.read(session).extracted and self._is_committed(token):
                    self.mark(session, "extracted", index=index)
            yield self.read(session)
        finally:
            os.close(handle)

    def forget(self, session: str) -> int:
        """Delete a conversation; returns how many messages it held."""
        held = len(self.read(session).rows)
        remove(self._path(session))
        return held

    def talks(self) -> Sequence[Talk]:
        """All conversations, oldest first; unreadable ones are skipped."""
        found = []
        for session in self.signatures():
            with suppress(AliceError):
                found.append(self.read(session))
        return sorted(found, key=lambda one: (one.at, one.session))

    def older(self, before: float) -> tuple[str, ...]:
        """The names of conversations last written before this moment (epoch seconds)."""
        return tuple(name for name, (*_, time) in self.signatures().items() if time < before * 1e9)

    def signatures(self) -> dict[str, Signature]:
        """The signature of each conversation's file."""
        found = {}
        with suppress(OSError), os.scandir(self._folder) as entries:
            for entry in sorted(entries, key=lambda entry: entry.name):
                name = entry.name.removesuffix(_ENDING)
                if name != entry.name and _NAME.fullmatch(name) and entry.is_file(follow_symlinks=False):
                    # One that another process deletes meanwhile is gone; the others are there.
                    with suppress(FileNotFoundError):
                        state = entry.stat(follow_symlinks=False)
                        found[name] = state.st_ino, state.st_size, state.st_mtime_ns
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

    def read(self, session: str, end: int | None = None) -> Talk:
        """A conversation as it is now, or up to an ``end`` of its file."""
        handle = self._open(session)
        with os.fdopen(handle, "rb") as file:
            inode = os.fstat(handle).st_ino
            talk = self._talks.get(session, Talk(session))
            if talk.inode != inode or talk.end > (os.fstat(handle).st_size if end is None else end):
                talk = Talk(session, inode)
            file.seek(talk.end)
            data = file.read(-1 if end is None else end - talk.end)
        # A last line without its end was cut short, or is being written.
        data = data[: data.rfind(b"\n") + 1]
        talk.end += len(data)
        for line in filter(None, data.split(b"\n")):
            with suppress(ValueError, KeyError, TypeError, AttributeError, RecursionError, UsageError):
                talk.take(json.loads(line))
        self._talks[session] = talk
        return talk


def unknown(session: str) -> NotFoundError:
    """The error for a session that is not there."""
    hint = "see 'alice-exp session list'"
    return NotFoundError("there is no session {session}", session=session, hint=hint)


@contextmanager
def _refusing(session: str) -> Iterator[None]:
    """Say what the system says of a conversation's file: it is not there, or it refuses."""
    with refused_as("the conversation could not be kept: {why}"):
        try:
            yield
        except FileNotFoundError:
            raise unknown(session) from None
