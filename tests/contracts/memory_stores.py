"""Conversations that live as long as the process: what a use case's test may stand on (R4.31)."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from alice_exp.conversations.ports import Conversation
from alice_exp.conversations.values import ChatRecord, Message
from alice_exp.kernel.errors import BusyError, NotFoundError, UsageError

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


@dataclass
class _Held:
    at: str
    touched: float
    records: list[ChatRecord] = field(default_factory=list)
    ended: str = ""
    extracted: int = -1
    claimed: bool = False


class InMemoryChatHistoryStore:
    """See ``conversations.ports.ChatHistoryStore``; ``epoch`` is the calendar in seconds."""

    def __init__(self, epoch: Callable[[], float]) -> None:
        self._epoch = epoch
        self._held: dict[str, _Held] = {}

    def start(self, session: str, at: str) -> bool:
        """Open a conversation; false where it was open already."""
        if not _NAME.fullmatch(session):
            raise UsageError("{name} cannot name a session", name=repr(session[:80]))
        known = self._held.get(session)
        if known is not None and not known.ended:
            return False
        if known is None:
            self._held[session] = _Held(at, self._epoch())
        else:
            known.ended = ""
        return True

    def save(self, session: str, message: Message) -> ChatRecord:
        """Append a message."""
        return self.save_all(session, (message,))[0]

    def save_all(
        self, session: str, messages: Sequence[Message], names: Sequence[str] = ()
    ) -> tuple[ChatRecord, ...]:
        """Append many."""
        held = self._found(session)
        first = len(held.records)
        called = names or [""] * len(messages)
        made = [
            ChatRecord(session, first + index, message, name=name)
            for index, (message, name) in enumerate(zip(messages, called, strict=True))
        ]
        held.records += made
        held.touched = self._epoch()
        return tuple(made)

    def load(self, session: str) -> tuple[ChatRecord, ...]:
        """Every message, in order."""
        held = self._found(session)
        return tuple(replace(one, extracted=one.index <= held.extracted) for one in held.records)

    def load_recent(self, session: str, limit: int) -> tuple[ChatRecord, ...]:
        """The latest messages, oldest of them first."""
        return self.load(session)[-limit:] if limit > 0 else ()

    def load_unextracted(self, session: str) -> tuple[ChatRecord, ...]:
        """The messages that no extraction has read."""
        return tuple(record for record in self.load(session) if not record.extracted)

    def mark_extracted(self, session: str, index: int) -> None:
        """Everything up to and with ``index`` has been read."""
        held = self._found(session)
        held.extracted = max(held.extracted, index)

    @contextmanager
    def claim(self, session: str, wait: float) -> Iterator[None]:
        """Be the only one to extract; there is nobody to wait for in one process."""
        held = self._found(session)
        if held.claimed:
            raise BusyError("another is extracting from {session} for {wait:g} s", session=session, wait=wait)
        held.claimed = True
        try:
            yield
        finally:
            held.claimed = False

    def begin(self, session: str, token: str, index: int) -> None:
        """Nothing outlives the process that could be asked for the token."""

    def end(self, session: str, at: str) -> None:
        """Close a conversation."""
        held = self._found(session)
        held.ended = held.ended or at

    def forget(self, session: str) -> int:
        """Delete a conversation; how many messages it held."""
        held = self._found(session)
        del self._held[session]
        return len(held.records)

    def conversations(self) -> tuple[Conversation, ...]:
        """All of them, oldest first."""
        found = []
        for session, held in self._held.items():
            last = next((one.message.at for one in reversed(held.records) if one.message.at), held.at)
            unread = len(held.records) - held.extracted - 1
            found.append(Conversation(session, held.at, last, len(held.records), max(0, unread), held.ended))
        return tuple(sorted(found, key=lambda one: (one.at, one.session)))

    def older(self, before: float) -> tuple[str, ...]:
        """Those that were last added to before this moment (epoch seconds)."""
        return tuple(sorted(session for session, held in self._held.items() if held.touched < before))

    def _found(self, session: str) -> _Held:
        if session not in self._held:
            raise NotFoundError("there is no session {session}", session=session)
        return self._held[session]
