"""Conversations for programs: one call before every model call, and a session from its start to its end.

``before_model`` needs no home: it takes an agent loop's messages and gives back what to send. ``Conversations`` is the
part of ``alice_exp.Alice`` that keeps what was said, reads it for candidates and finds it again (R4.14, R4.33).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar, cast

from alice_exp.conversations.documents import user_memory
from alice_exp.conversations.rules.context_window import (
    Estimate,
    Settings,
    Summarise,
    Window,
    estimate_tokens,
)
from alice_exp.conversations.rules.context_window import before_model as fitted
from alice_exp.conversations.usecases import sessions
from alice_exp.conversations.usecases.agent_context import MOST
from alice_exp.conversations.usecases.recollect import Recollection, recollect
from alice_exp.conversations.values import Message, as_dict, message_of
from alice_exp.conversations.wiring import chats, conversing, remembering
from alice_exp.finding.usecases import Filters

if TYPE_CHECKING:
    from alice_exp.conversations.usecases.search_sessions import Found
    from alice_exp.conversations.usecases.sessions import Extracted, Spoken
    from alice_exp.conversations.values import ChatRecord, Role
    from alice_exp.home.session import Session

M = TypeVar("M", Message, dict[str, Any], Mapping[str, Any])
"""A message as the caller has it: a chat completions dict, or a ``Message``."""


def before_model(
    messages: Sequence[M],
    *,
    enabled: bool = True,
    max_context: int = 128_000,
    trigger_threshold: float = 0.8,
    keep_recent_turns: int = 5,
    summarise: Summarise | None = None,
    estimate: Estimate = estimate_tokens,
) -> list[M]:
    """What to send to the model, of the same kind as what was given: call it before every model call (R4.5-R4.13).

    Below ``max_context`` · ``trigger_threshold`` tokens the messages come back as they are. From there on: system
    messages, a virtual call of ``memory_compress`` with its answer that holds the summary, the latest
    ``keep_recent_turns`` turns (or, where these are too long, the current one). Keep the result as your history and
    give it back next time: earlier summaries are folded into the new one. Messages that stay are the very objects that
    were given, with whatever else they hold. ``summarise`` is a model (messages, summary so far, tokens → text; where
    it fails, a rule does it), ``estimate`` your tokenizer; ``enabled=False`` changes nothing (R4.13).

    ``UsageError`` where a message is none.
    """
    settings = Settings(enabled, trigger_threshold, keep_recent_turns, max_context)
    return _like(messages, settings, summarise, estimate)


def _like(
    messages: Sequence[M], settings: Settings, summarise: Summarise | None, estimate: Estimate
) -> list[M]:
    read = [one if isinstance(one, Message) else message_of(one) for one in messages]
    given = {id(message): original for message, original in zip(read, messages, strict=True)}
    sent = fitted(read, settings, summarise, estimate).messages
    plain = bool(messages) and not isinstance(messages[0], Message)
    return [given[id(one)] if id(one) in given else cast("M", as_dict(one) if plain else one) for one in sent]


class Conversations:
    """What ``Alice`` does with conversations."""

    _session: Session

    def start_session(self, name: str = "", project: str = "") -> str:
        """Open a conversation and give its id; one of that name that is open goes on (R4.14). What is heard in it
        belongs to ``project``, else to the working folder's (``none``: to none)."""
        return sessions.start(
            conversing(self._session), name, self._session.names_of(project, learning=True)
        )[0]

    def say(self, session: str, content: str, role: Role = "user", *, speaker: str = "") -> Spoken:
        """Keep what was said; every ``long_term.max_buffer_turns``th user message is followed by a reading (R4.18).

        Nothing is kept where ``short_term.enabled`` is false. A failed reading is in ``failure`` and stays due.
        """
        return self.say_all(session, [Message(role, content, speaker=speaker)])

    def say_all(self, session: str, messages: Sequence[Message | Mapping[str, Any]]) -> Spoken:
        """The same for several messages, chat completions dicts among them."""
        said = [one if isinstance(one, Message) else message_of(one) for one in messages]
        return sessions.say(conversing(self._session), session, said)

    def messages(self, session: str, last: int = 0) -> tuple[ChatRecord, ...]:
        """What was said in a session, in order; the latest ``last`` alone where that is over 0 (R4.28)."""
        store = chats(self._session)
        return store.load_recent(session, last) if last else store.load(session)

    def before_model(self, messages: Sequence[M]) -> list[M]:
        """``alice_exp.before_model`` with this home's ``short_term`` settings and its model, where it has one."""
        opened = self._session
        summarise = sessions.summary_by(opened.provider)
        return _like(messages, Settings.of(opened.config), summarise, estimate_tokens)

    def window(self, session: str) -> Window:
        """What of a kept session goes to the model now, and how it was made (R4.5-R4.13)."""
        return sessions.window(conversing(self._session), session)

    def extract(self, session: str) -> Extracted:
        """Read what was not read yet for candidates; nothing is read twice (R4.18-R4.22)."""
        return sessions.extract_session(conversing(self._session), session)

    def end_session(self, session: str, *, forget: bool = False) -> Spoken:
        """Close a session; what is left is read first (R4.22). ``forget`` deletes it once it was read."""
        return sessions.end(conversing(self._session), session, forget=forget)

    def recollect(self, query: str, top: int = MOST, filters: Filters | None = None) -> list[Recollection]:
        """Blocks about the user that fit, then episodes, thoughts and messages, each with where it is from."""
        wanted = filters or Filters()
        if not wanted.project:
            wanted = replace(wanted, project=self._session.here.names)
        return recollect(remembering(self._session), query, top, wanted, records=filters is None)

    def context(self, query: str, top: int = MOST, filters: Filters | None = None) -> str:
        """The same as a ``[User Memory]`` block for a prompt; empty where nothing fits (R4.24).

        With filters, which only blocks can meet, blocks alone.
        """
        return user_memory(self.recollect(query, top, filters), similarity=False)

    def search_sessions(self, query: str, top: int = 10) -> list[Found]:
        """What was said that answers a query, best first, over all sessions that are kept."""
        from alice_exp.conversations.usecases.search_sessions import Library

        opened = self._session
        gate = opened.config.number("thresholds.fits")
        return Library.of(chats(opened), gate=gate).search(query, opened.caller.now, top)
