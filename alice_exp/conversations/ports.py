"""Protocols of the conversation stores, chat histories and user memories, and what the use cases need."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from alice_exp.kernel.value_class import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from contextlib import AbstractContextManager

    from alice_exp.conversations.values import ChatRecord, Message
    from alice_exp.finding.rules.scorer import Statistics
    from alice_exp.home.caller import Caller
    from alice_exp.home.heard_queue import HeardQueue
    from alice_exp.home.ports import Home
    from alice_exp.kernel.providers.ports import Provider
    from alice_exp.kernel.text.date_spans import Span
    from alice_exp.model.values.config import Config

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Conversation:
    """Summary of one conversation; ``at`` (start), ``last_at`` and ``ended`` are ISO-8601 UTC.

    ``ended`` is empty while the conversation is open; ``unextracted`` counts messages not yet extracted from.
    """

    session: str
    at: str
    last_at: str
    messages: int
    unextracted: int
    ended: str = ""


class ChatHistoryStore(Protocol):
    """Raw conversations (R4.15, R4.28): outside git, append-only, each message extracted at most once.

    Methods raise ``NotFoundError`` for an unknown session and ``UsageError`` for an invalid session name.
    """

    def start(self, session: str, at: str, project: str = "") -> bool:
        """Open a conversation, or go on with it in a project (all its names apart by spaces; empty: in none); False if
        it was already open."""
        ...

    def save(self, session: str, message: Message) -> ChatRecord:
        """Append a message; it is on disk (fsynced) when this returns."""
        ...

    def save_all(
        self, session: str, messages: Sequence[Message], names: Sequence[str] = (), after: int | None = None
    ) -> tuple[ChatRecord, ...]:
        """Append several messages at once; ``names`` are their ids in the source they come from, one per message.

        With ``after`` each counts only where so many messages, and those before it here, stand already.
        """
        ...

    def load(self, session: str) -> tuple[ChatRecord, ...]:
        """All messages, in order."""
        ...

    def load_recent(self, session: str, limit: int) -> tuple[ChatRecord, ...]:
        """The last ``limit`` messages, oldest first."""
        ...

    def load_unextracted(self, session: str) -> tuple[ChatRecord, ...]:
        """The messages that have not been extracted from."""
        ...

    def claim(self, session: str, wait: float) -> AbstractContextManager[None]:
        """Lock a conversation for extraction. Raises ``BusyError`` if another process holds it for ``wait`` s."""
        ...

    def begin(self, session: str, token: str, index: int) -> None:
        """Record, before its commit, that an extraction is about to read up to and including ``index``."""
        ...

    def mark_extracted(self, session: str, index: int) -> None:
        """Mark all up to and including ``index`` as extracted, whether or not there was anything to commit (R4.18)."""
        ...

    def end(self, session: str, at: str) -> None:
        """Close a conversation."""
        ...

    def forget(self, session: str) -> int:
        """Delete a conversation; returns how many messages it held."""
        ...

    def conversations(self) -> tuple[Conversation, ...]:
        """All conversations, oldest first."""
        ...

    def older(self, before: float) -> tuple[str, ...]:
        """The names of conversations last written before this moment (epoch seconds)."""
        ...


@dataclass(frozen=True, slots=True)
class Turn:
    """What ranking needs of a turn: who said it (``role``, ``speaker``), when (ISO-8601 UTC, or ""), how long it is in
    thirds of a word, and how often it has each token that was asked for."""

    role: str
    speaker: str
    at: str
    length: int
    counts: Mapping[str, int]


class Turns(Protocol):
    """Turns by their numbers: a session's stand one behind the other (``STRIDE``)."""

    def statistics(self, tokens: Collection[str]) -> Statistics:
        """The statistics of all turns, and how many hold each of some tokens."""
        ...

    def likely(self, tokens: Collection[str], days: Sequence[Span], most: int) -> set[int]:
        """The turns that may be the best by their words, and those of some days; at most ``most`` of each."""
        ...

    def at(self, numbers: Collection[int], tokens: Collection[str]) -> Mapping[int, Turn]:
        """These turns, as far as there are such, with the counts of some tokens."""
        ...

    def newest(self) -> str:
        """The latest time of a turn; "" if none is known."""
        ...

    def speakers(self) -> Collection[str]:
        """The names of those who spoke."""
        ...


class SaidIndex(Protocol):
    """An index of what was said in all sessions."""

    def ask(self, question: Callable[[Turns], R]) -> R | None:
        """The answer to a question about the turns as they are now; None where the sessions have to be read instead."""
        ...

    def record(self, number: int) -> ChatRecord:
        """The message with a number, within the question's answer."""
        ...


@dataclass(frozen=True, slots=True)
class Conversing:
    """What conversations need: the home, its chat histories, the caller with the time, the configuration, the
    queue of sentences, and the chat model (``None``: rules alone)."""

    home: Home
    chats: ChatHistoryStore
    caller: Caller
    config: Config
    heard: HeardQueue
    provider: Provider | None = None
