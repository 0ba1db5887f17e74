"""What a program does with episodes, the diary of thoughts, conversations, and what waits for the person."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast, get_args

from alice_exp.agents.usecases.agent_context import MOST, Recollection, prime, recollect, user_memory
from alice_exp.blocks.usecases import lifetime, provenance
from alice_exp.blocks.usecases.lifetime import Lived
from alice_exp.blocks.usecases.provenance import LogFilter, Undone
from alice_exp.caller.acting import require_person
from alice_exp.conversations import usecases as sessions
from alice_exp.conversations.rules.context_window import Estimate, Summarise, Window, estimate_tokens
from alice_exp.conversations.rules.context_window import before_model as fitted
from alice_exp.conversations.store import chats
from alice_exp.conversations.usecases import Extracted, Spoken
from alice_exp.episodes import usecases as episode_book
from alice_exp.episodes.rules.search_episodes import EpisodeStatistics
from alice_exp.episodes.rules.search_episodes import Filters as EpisodeFilters
from alice_exp.episodes.rules.search_episodes import Match as SimilarEpisode
from alice_exp.episodes.rules.search_episodes import statistics as count_episodes
from alice_exp.episodes.usecases import Kept, Pruned, Reflected
from alice_exp.finding.usecases import Filters
from alice_exp.home.session import Session
from alice_exp.kernel.jsonc import Json
from alice_exp.learning.usecases import propose_from_episodes
from alice_exp.learning.usecases.propose_from_episodes import Distilled
from alice_exp.model.formats.record_schema import EPISODES_PATH, EVENTS_PATH
from alice_exp.model.values.block import REVIEWED, content_hash
from alice_exp.model.values.config import Config
from alice_exp.model.values.records import (
    ChatRecord,
    Episode,
    EpisodeBook,
    Event,
    Message,
    Role,
    Segment,
    Timeline,
    as_dict,
    message_of,
)
from alice_exp.review.rules.doubts import Answer
from alice_exp.review.rules.reply import more, read
from alice_exp.review.usecases import decisions, rival_answers, todays_report
from alice_exp.timeline import usecases as timeline
from alice_exp.timeline.rules.compaction import Summariser, TimelineStatistics, narrative, recent, statistics
from alice_exp.timeline.rules.digest import Hit
from alice_exp.timeline.usecases import Expanded, Told

if TYPE_CHECKING:
    from alice_exp.finding.store.turn_index import Found
    from alice_exp.review.rules.daily_report import Agenda
    from alice_exp.review.usecases.decisions import Decided
    from alice_exp.sharing.usecases.peers import Exchanged


class Records:
    """What ``Alice`` does with episodes and thoughts."""

    _session: Session

    def add_episode(
        self,
        task: str,
        context: Mapping[str, Json] | None = None,
        action: str = "",
        result: Json = None,
        success: bool = False,
        reward: float | None = None,
        reflection: str = "",
        *,
        type: str = "",
    ) -> Kept:
        """Record what happened (R0.14); ``reward`` in [0, 1], else 1 for a success and 0 for a failure."""
        return episode_book.add_episode(
            self._session, task, context, action, result, success, reward, reflection, type
        )

    def add_episodes(self, episodes: Iterable[Episode]) -> Kept:
        """Record many in one act; an id or a time that is empty is given."""
        return episode_book.add_episodes(self._session, list(episodes))

    def similar(
        self,
        task: str,
        context: Mapping[str, Json] | None = None,
        top: int = 5,
        filters: EpisodeFilters | None = None,
        *,
        by_words: bool = False,
    ) -> tuple[SimilarEpisode, ...]:
        """Episodes like a task, best first, by the source's formula (R0.28-R0.35), or ``by_words`` as recall does.

        Where the task has no context, words find what the formula does not, and rank long tasks.
        """
        snapshot = self._session.recorded(EPISODES_PATH)
        wanted = filters or EpisodeFilters()
        return episode_book.similar(self._session, snapshot, task, context or {}, top, wanted, by_words)

    def episodes(self) -> tuple[Episode, ...]:
        """All episodes that the file holds, in its order."""
        return (self._session.recorded(EPISODES_PATH).episodes or EpisodeBook()).episodes

    def reflect(self, episode: str, text: str) -> Reflected:
        """Say afterwards what was learned (R0.16)."""
        return episode_book.reflect(self._session, episode, text)

    def episode_statistics(self) -> EpisodeStatistics:
        """How many, how well, since when (R0.45)."""
        return count_episodes(self.episodes())

    def prune(self, *, dry: bool = True) -> Pruned:
        """What a cleaning takes away and why (R0.36-R0.43); it is done with ``dry=False``, by a person."""
        return episode_book.clean(self._session, dry=dry)

    def distill(self, *episodes: str, limit: int = 20) -> Distilled:
        """Propose what repeats as candidates, or the lesson of the named episodes."""
        return propose_from_episodes.distil(self._session, episodes, limit)

    def add_event(
        self,
        thought: str,
        context: str = "",
        action: str = "",
        result: Json = None,
        metadata: Mapping[str, Json] | None = None,
        *,
        summarise: Summariser | None = None,
    ) -> Told:
        """Add a thought and compact (R1.29); ``summarise`` tells a merge, else the configured chat model, if any."""
        event = Event("", thought, context, action, result, metadata or {})
        return timeline.add_thought(self._session, event, summarise)

    def add_events(self, events: Iterable[Event]) -> Told:
        """Add many thoughts in one act; each is committed word for word."""
        return timeline.add_thoughts(self._session, list(events))

    def finish_event(self, number: int, result: Json) -> Told:
        """Say later what came of thought ``number`` (B1.8): in the thought itself while it is here word for word."""
        return timeline.finish_thought(self._session, number, result)

    def segments(self) -> tuple[Segment, ...]:
        """All segments, oldest first (R1.31)."""
        return self._timeline().segments

    def recent_segments(self, count: int) -> tuple[Segment, ...]:
        """The newest segments in time order (R1.30)."""
        return recent(self._timeline(), count)

    def narrative(self, segment_count: int = 5) -> str:
        """The newest segments as text, one line each, oldest first (R1.32)."""
        return narrative(self._timeline(), segment_count)

    def search_events(self, query: str, top: int = 10, *, since: str = "", until: str = "") -> list[Hit]:
        """The thoughts that fit, best first, those of long ago too; times are ISO-8601 UTC."""
        return timeline.find_thoughts(
            self._session, self._session.recorded(EVENTS_PATH), query, top, since, until
        )

    def event_statistics(self) -> TimelineStatistics:
        """How many segments, thoughts and merges (R1.33)."""
        return statistics(self._timeline())

    def expand(self, segment: int) -> Expanded:
        """The original thoughts of a segment, present or merged long ago, from history."""
        return timeline.expand(self._session.recorded(EVENTS_PATH), self._session.history, segment)

    def _timeline(self) -> Timeline:
        return self._session.recorded(EVENTS_PATH).timeline or Timeline()


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
    settings = {
        "short_term.enabled": enabled,
        "short_term.trigger_threshold": trigger_threshold,
        "short_term.keep_recent_turns": keep_recent_turns,
        "short_term.max_context": max_context,
    }
    return _like(messages, Config(settings), summarise, estimate)


def _like(messages: Sequence[M], config: Config, summarise: Summarise | None, estimate: Estimate) -> list[M]:
    read = [one if isinstance(one, Message) else message_of(one) for one in messages]
    given = {id(message): original for message, original in zip(read, messages, strict=True)}
    sent = fitted(read, config, summarise, estimate).messages
    plain = bool(messages) and not isinstance(messages[0], Message)
    return [given[id(one)] if id(one) in given else cast("M", as_dict(one) if plain else one) for one in sent]


class Conversations:
    """What ``Alice`` does with conversations."""

    _session: Session

    def start_session(self, name: str = "", project: str = "") -> str:
        """Open a conversation and give its id; one of that name that is open goes on (R4.14). What is heard in it
        belongs to ``project``, else to the working folder's (``none``: to none)."""
        return sessions.start(self._session, name, self._session.names_of(project, learning=True))[0]

    def say(self, session: str, content: str, role: Role = "user", *, speaker: str = "") -> Spoken:
        """Keep what was said; every ``long_term.max_buffer_turns``th user message is followed by a reading (R4.18).

        Nothing is kept where ``short_term.enabled`` is false. A failed reading is in ``failure`` and stays due.
        """
        return self.say_all(session, [Message(role, content, speaker=speaker)])

    def say_all(self, session: str, messages: Sequence[Message | Mapping[str, Any]]) -> Spoken:
        """The same for several messages, chat completions dicts among them."""
        said = [one if isinstance(one, Message) else message_of(one) for one in messages]
        return sessions.say(self._session, session, said)

    def messages(self, session: str, last: int = 0) -> tuple[ChatRecord, ...]:
        """What was said in a session, in order; the latest ``last`` alone where that is over 0 (R4.28)."""
        return tuple(chats(self._session).read(session).rows[-last:])

    def before_model(self, messages: Sequence[M]) -> list[M]:
        """``alice_exp.before_model`` with this home's ``short_term`` settings and its model, where it has one."""
        summarise = sessions.summary_by(self._session.provider)
        return _like(messages, self._session.config, summarise, estimate_tokens)

    def window(self, session: str) -> Window:
        """What of a kept session goes to the model now, and how it was made (R4.5-R4.13)."""
        return sessions.window(self._session, session, self._session.config)

    def extract(self, session: str) -> Extracted:
        """Read what was not read yet for candidates; nothing is read twice (R4.18-R4.22)."""
        return sessions.extract_session(self._session, session)

    def end_session(self, session: str, *, forget: bool = False) -> Spoken:
        """Close a session; what is left is read first (R4.22). ``forget`` deletes it once it was read."""
        return sessions.end(self._session, session, forget=forget)

    def recollect(self, query: str, top: int = MOST, filters: Filters | None = None) -> list[Recollection]:
        """Blocks about the user that fit, then episodes, thoughts and messages, each with where it is from."""
        wanted = filters or Filters()
        if not wanted.project:
            wanted = replace(wanted, project=self._session.here.names)
        return recollect(self._session, query, top, wanted, records=filters is None)

    def context(self, query: str, top: int = MOST, filters: Filters | None = None) -> str:
        """The same as a ``[User Memory]`` block for a prompt; empty where nothing fits (R4.24).

        With filters, which only blocks can meet, blocks alone.
        """
        return user_memory(self.recollect(query, top, filters), similarity=False)

    def search_sessions(self, query: str, top: int = 10) -> list[Found]:
        """What was said that answers a query, best first, over all sessions that are kept."""
        return sessions.searching(self._session)(query, self._session.caller.now, top)


class Reviews:
    """The acts of a person: each but ``prime`` and a peek raises ``RefusedError`` for any other actor."""

    _session: Session

    def heartbeat(self, *, peek: bool = True) -> Agenda:
        """Today's report. As a peek it starts no clock and gives no numbers; else it is the open one, which ``reply``
        answers, and all of it counts as shown."""
        return todays_report.heartbeat(self._session, peek=peek)[0]

    def approve(
        self,
        *blocks: str,
        to: str = "",
        replacing: Sequence[str] = (),
        both: Sequence[str] = (),
        everywhere: bool = False,
        reason: str = "",
    ) -> Decided:
        """Trust blocks, by id, as they stand now; signed where there is an owner key.

        ``to`` is a namespace instead of the one that the report suggests. A rival of what is told stays waiting and is
        in the answer's ``rivals``, unless the one block named is ``replacing`` it or ``both`` hold.
        """
        return decisions.approve(
            self._session.home,
            self._session.caller,
            blocks,
            to,
            reason=reason,
            replacing=replacing,
            both=both,
            everywhere=everywhere,
            seen=self._as_it_stands(blocks),
        )

    def reject(self, *blocks: str, reason: str = "") -> Decided:
        """Turn candidates down for good, by id, as they stand now."""
        seen = self._as_it_stands(blocks)
        return decisions.reject(self._session.home, self._session.caller, blocks, reason, seen=seen)

    def reply(self, text: str) -> tuple[Decided, ...]:
        """Carry out a reply to the open report, one answer a decision; ``UsageError`` for one that is not plain, and
        then nothing is done. "3 replaces", "3 old", "3 both", "3 neither" say which of two rivals holds.
        ``NotFoundError`` where no report is open."""
        opened = decisions.open_report(self._session)
        plain, also = more(text)
        answer = also if also in get_args(Answer) else ""
        made = []
        for one in read(plain if answer else text, opened.ids, opened.groups):
            if answer:
                home, caller = self._session.home, self._session.caller
                return (rival_answers.answer_rivals(home, caller, one.ids[0], cast("Answer", answer)),)
            shown, _ = decisions.shown_only(self._session.home, one.ids)
            if one.verb != "later" and shown:
                made.append(
                    (self.approve if one.verb == "approve" else self.reject)(*shown, reason=one.reason)
                )
        return tuple(made)

    def keep(self, block: str, note: str = "") -> Lived:
        """Say of a block in doubt that it still holds."""
        return lifetime.keep(self._session.home, self._session.caller, block, note)

    def retire(self, block: str, reason: str, to: Literal["obsolete", "past"] = "obsolete") -> Lived:
        """Take trust from a block because the world has changed: to the archive, or down to past."""
        return lifetime.retire(self._session.home, self._session.caller, block, reason, to)

    def undo(self, commit: str = "", filters: LogFilter | None = None) -> Undone:
        """Take acts back in one commit: one by its commit, all that pass ``filters``, else the newest still in effect.

        What a later act changed is a conflict in the answer, and stays as it is.
        """
        session = self._session
        return provenance.undo(session.home, session.history, session.caller, commit, filters)

    def prime(self, tokens: int = 1500, project: str = "") -> str:
        """What an agent should know when a session begins, in at most so many tokens: approved blocks alone."""
        return prime(self._session, tokens, self._session.names_of(project)).text

    def exchange(self, peer: str, at: str = "") -> Exchanged:
        """Take what a paired peer offers, then offer ours; it has to be serving, at ``HOST:PORT`` where given."""
        from alice_exp.sharing.store import network
        from alice_exp.sharing.store.peer_identity import peers
        from alice_exp.sharing.usecases import peers as exchanging

        require_person(self._session.caller, "share", f"alice-exp peer exchange {peer}")
        found = peers(self._session).find(peer)
        with network.connect(self._session, found, at) as link:
            return exchanging.exchange(self._session, found, link)

    def _as_it_stands(self, blocks: Sequence[str]) -> dict[str, str]:
        found = self._session.home.read(REVIEWED).with_ids({*blocks})
        return {block_id: content_hash(placed.block) for block_id, placed in found.items()}
