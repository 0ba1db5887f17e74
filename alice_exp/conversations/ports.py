"""Conversations, memories and models as Protocols; ``home.ports`` gives them out with the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager

    from alice_exp.conversations.values import ChatRecord, Message
    from alice_exp.model.values.block import Block


@dataclass(frozen=True, slots=True)
class Conversation:
    """One conversation: when it began and was last added to (ISO-8601 UTC), how many messages, how many unread.

    ``ended`` is when it ended, empty while it is open; ``unextracted`` counts messages that extraction has not read.
    """

    session: str
    at: str
    last_at: str
    messages: int
    unextracted: int
    ended: str = ""


class Claimed(Protocol):
    """A conversation that one process extracts from: nobody else does meanwhile."""

    def begin(self, token: str, index: int) -> None:
        """Write down that an extraction under this name is about to read up to ``index``, before its commit."""
        ...

    def done(self, index: int) -> None:
        """Everything up to ``index`` is extracted: its commit stands, or there was nothing to commit."""
        ...


class ChatHistoryStore(Protocol):
    """Raw conversations (R4.15, R4.28): outside git, append only, each message extracted once at most.

    ``NotFoundError`` where there is no such session, ``UsageError`` where a name cannot be one.
    """

    def start(self, session: str, at: str) -> bool:
        """Open a conversation; false where it was open already."""
        ...

    def save(self, session: str, message: Message) -> ChatRecord:
        """Append a message; it is on disk when this returns."""
        ...

    def save_all(
        self, session: str, messages: Sequence[Message], names: Sequence[str] = ()
    ) -> tuple[ChatRecord, ...]:
        """The same for many at once; ``names`` is what they were called elsewhere, one each."""
        ...

    def load(self, session: str) -> tuple[ChatRecord, ...]:
        """Every message, in order."""
        ...

    def load_recent(self, session: str, limit: int) -> tuple[ChatRecord, ...]:
        """The latest messages, oldest of them first."""
        ...

    def load_unextracted(self, session: str) -> tuple[ChatRecord, ...]:
        """The messages that no extraction has read."""
        ...

    def mark_extracted(self, session: str, index: int) -> None:
        """Everything up to and with ``index`` has been read (R4.18)."""
        ...

    def claim(self, session: str, wait: float) -> AbstractContextManager[Claimed]:
        """Be the only one to extract from a conversation; ``BusyError`` where another is at it after ``wait`` s."""
        ...

    def end(self, session: str, at: str) -> None:
        """Close a conversation."""
        ...

    def forget(self, session: str) -> int:
        """Delete a conversation; how many messages it held."""
        ...

    def conversations(self) -> tuple[Conversation, ...]:
        """All of them, oldest first."""
        ...

    def expire(self, before: float) -> tuple[str, ...]:
        """Delete those that were last added to before this moment (epoch seconds); their names (B4.6)."""
        ...


@dataclass(frozen=True, slots=True)
class SearchFilter:
    """Which memories count (R4.29): least importance in [0, 1], made at or after (ISO-8601 UTC; empty: any)."""

    min_importance: float = 0.0
    created_after: str = ""


ANY = SearchFilter()
"""No filter at all."""


class MemoryStore(Protocol):
    """What is remembered about the user (R4.15, R4.27); a memory is a block about the user (BX.1)."""

    def save(self, memory: Block) -> str:
        """Keep one; its id."""
        ...

    def save_all(self, memories: Sequence[Block]) -> tuple[str, ...]:
        """Keep several at once; their ids, in order (empty where a person rejected it before)."""
        ...

    def search_by_vector(
        self, embedding: Sequence[float], top: int, only: SearchFilter = ANY
    ) -> list[tuple[Block, float]]:
        """The nearest by cosine, best first, each with its similarity in [-1, 1]."""
        ...

    def search_by_keyword(self, keyword: str, top: int) -> list[Block]:
        """Those that share keywords, by how many, then by score (B4.19)."""
        ...

    def delete(self, memory_id: str) -> bool:
        """Take one out; whether it was there."""
        ...

    def count(self) -> int:
        """How many there are."""
        ...
