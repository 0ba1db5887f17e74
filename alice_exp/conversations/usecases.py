"""Store conversations, extract candidates from them, fit them into a context window (R4.1-R4.33, B4, D54-D56).

Text from a conversation becomes at most a candidate that waits for the person's approval (B4.16).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

from alice_exp.blocks.rules.grounding import held_in, resting_on, said_again
from alice_exp.blocks.usecases.capture import Captured, Draft, memorize
from alice_exp.caller.acting import require_person
from alice_exp.caller.heard_queue import Heard
from alice_exp.caller.hosts import HOSTS
from alice_exp.conversations.rules import own_sentences as own
from alice_exp.conversations.rules.context_window import Summarise, Window, asked, before_model
from alice_exp.conversations.rules.transcripts import typed_words
from alice_exp.conversations.store import chats, turn_index, unknown
from alice_exp.home.session import Session
from alice_exp.kernel.errors import AliceError, NotFoundError, UsageError, followed
from alice_exp.kernel.journal.act import Commit
from alice_exp.kernel.models import Provider
from alice_exp.kernel.text.times import seconds
from alice_exp.kernel.text.tokens import fold
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.values.block import CUES, HEARD, Payload, Trigger
from alice_exp.model.values.config import Config
from alice_exp.model.values.records import ChatRecord, Message, Role
from alice_exp.model.values.snapshot import Snapshot

if TYPE_CHECKING:
    from alice_exp.finding.store.turn_index import Found

MESSAGE_LIMIT, READ_LIMIT = 16 << 20, 64 << 10
"""Bytes of a message, a longer one is refused, and characters that extraction reads: longer text is pasted."""

KEPT_DAYS, _READ_AT_ONCE = 30, 5
"""Days without a new message after which a conversation is deleted (B4.6), and how many are read before that at once;
the others stay until the next conversation begins."""


@dataclass(frozen=True, slots=True)
class Extracted:
    """Result of one extraction: index of the last message read (-1: none was unread), and each inference's fate.

    ``dropped`` counts inferences below the minimum importance (B4.9); ``by`` is ``rules`` or ``model``. ``others`` are
    those who spoke, too: what they said is not about the user. Where all are others, nothing is read, and all is left.
    """

    session: str
    index: int = -1
    read: int = 0
    inferences: Sequence[own.Inference] = ()
    captured: Captured = Captured(())
    dropped: int = 0
    by: str = "rules"
    others: Sequence[str] = ()

    @property
    def commit(self) -> Commit | None:
        """The commit; None if there was nothing to keep."""
        return self.captured.commit


@dataclass(frozen=True, slots=True)
class Spoken:
    """A stored message (``record`` is None if sessions are disabled), how many are unread, and the extraction that was
    due; ``failure`` is why it did not happen: it remains due."""

    record: ChatRecord | None
    unextracted: int = 0
    extracted: Extracted | None = None
    failure: AliceError | None = None


def start(opened: Session, session: str = "", project: str = "") -> tuple[str, bool]:
    """Open a conversation in a project (all its names), named or with a fresh id, and delete old ones (B4.6); False if
    it was already open."""
    opened.home.read(())
    forget_old(opened)
    name = session or opened.new_id("ses")
    return name, chats(opened).start(name, opened.caller.now, project)


def forget_old(opened: Session) -> None:
    """Delete the conversations of ``KEPT_DAYS`` ago (B4.6), by a person alone: an agent's clock decides nothing. What
    nobody read for candidates is read first, and stays where it cannot be read."""
    if not opened.actor.is_person:
        return
    is_read, left = opened.config.count("long_term.max_buffer_turns") > 0, _READ_AT_ONCE
    for name in chats(opened).older(seconds(opened.caller.now) - KEPT_DAYS * 86_400):
        with suppress(AliceError, OSError):
            if is_read and chats(opened).read(name).unread:
                left -= 1
                if left < 0:
                    continue
                extract_session(opened, name, wait=0.0)
            forget_one(opened, name)


def forget_one(opened: Session, session: str) -> int:
    """Delete a conversation (a person's act): no word of it stays in the index either; how many messages it held."""
    require_person(opened.caller, "delete a conversation", f"alice-exp session forget {session}")
    held = chats(opened).forget(session)
    turn_index(opened).drop(session)
    return held


def say(opened: Session, session: str, messages: Sequence[Message]) -> Spoken:
    """Store messages; after every ``long_term.max_buffer_turns`` user messages, extract candidates (R4.18).

    A failed extraction loses nothing: the messages are stored and stay unread (B4.13). If sessions are disabled,
    nothing is stored (R4.13).
    """
    for message in messages:
        require_fitting(message)
    if not opened.config.flag("short_term.enabled"):
        return Spoken(None)
    now = opened.caller.now
    stored = chats(opened).save_all(session, [replace(one, at=one.at or now) for one in messages])
    extracted, failure = None, None
    if is_due(opened, session):
        try:
            extracted = extract_session(opened, session, wait=0.0)
        except AliceError as error:
            failure = error
    last = stored[-1] if stored else None
    return Spoken(last, len(chats(opened).read(session).unread), extracted, failure)


def require_fitting(message: Message) -> None:
    """Raise ``UsageError`` for a message that is too long or cannot be encoded as UTF-8."""
    try:
        size = len(message.content.encode())
    except UnicodeEncodeError:
        raise UsageError("this message is not UTF-8 text") from None
    if size > MESSAGE_LIMIT:
        raise UsageError("a message of {size} bytes is over the limit of 16 MiB", size=size)


def is_due(opened: Session, session: str) -> bool:
    """Whether at least ``long_term.max_buffer_turns`` user messages are unread; 0 disables it."""
    turns = opened.config.count("long_term.max_buffer_turns")
    return 0 < turns <= sum(one.message.role == "user" for one in chats(opened).read(session).unread)


def _read(opened: Session, records: Sequence[ChatRecord]) -> tuple[list[Message], Sequence[str]]:
    """Messages without what a host put there, and who speaks beside the user: what these say asks and answers as an
    assistant's does, and tells nothing of the user. Where nobody knows who that is, all are others."""
    messages = [one.message for one in records]
    others = other_speakers(messages, [one.block.payload.content for one in opened.home.read(["personal"])])
    for at, one in enumerate(messages):
        if one.role == "user":
            role: Role = "assistant" if one.speaker.strip() in others else "user"
            messages[at] = replace(one, role=role, content=typed_words(one.content)[:READ_LIMIT])
    return messages, others


SELF = frozenset(("user", "human", "me", "myself", "i", "self", "you", "我", "用户", "本人", "自己"))
"""Names under which transcripts put the user."""


def other_speakers(messages: Sequence[Message], known: Sequence[str] = ()) -> tuple[str, ...]:
    """Who speaks beside the user, by name, in the order of their first words; ``known`` is what is noted of the user.

    Whoever speaks alone is the user, whatever the name. Among several the user is who has no name, a name of ``SELF``,
    or the name that a note gives the user; where none of these speaks, nobody knows, and all are others.
    """
    spoken = dict.fromkeys(message.speaker.strip() for message in messages if message.role == "user")
    if len(spoken) < 2:
        return ()
    told = (one for note in known for one in own.extract([Message("user", note)])[0])
    mine = SELF.union(fold(one.value) for one in told if one.slot == "slot:name")
    return tuple(name for name in spoken if name and fold(name) not in mine)


def _heard(records: Sequence[ChatRecord], sentences: Sequence[own.Said]) -> list[Heard]:
    """Sentences as they stand in the queue."""
    told = [(records[one.index], one) for one in sentences]
    host = next((name for name in HOSTS if told and told[0][0].session.startswith(f"{name}-")), "")
    return [Heard("", row.ref, host, row.project, row.message.at, one.text, one.place) for row, one in told]


def _keep(opened: Session, records: Sequence[ChatRecord], sentences: Sequence[own.Said]) -> Sequence[Heard]:
    """Put sentences into the queue: as they wait now; none where it is off."""
    return opened.heard.keep(_heard(records, sentences)) if opened.config.flag("heard.enabled") else ()


def hear(opened: Session, session: str) -> None:
    """Keep the person's own sentences of a conversation in the queue, each durably and once."""
    records = chats(opened).read(session).rows
    messages, _ = _read(opened, records)
    _keep(opened, records, own.queued(own.said(messages), messages))


def extract_session(opened: Session, session: str, *, wait: float = 10.0, keeps: bool = False) -> Extracted:
    """Extract from unread messages: candidates into the pool, each with its quote, in one commit (R4.18-R4.22).

    The commit names the session and the last message read, so that nothing is read twice even after a crash. Raises
    ``ProviderError`` if a configured model fails; nothing is marked as read then (B4.13). ``keeps``: the sentences of
    the whole conversation come into the queue first.
    """
    # Read the home first: recovery lands a pending commit, and only then git tells what was already extracted.
    seen = opened.home.read()
    with chats(opened).claim(session, wait) as talk:
        records, unread = [*talk.rows], [one.index for one in talk.unread]
        messages, others = _read(opened, records)
        sentences = own.said(messages)
        if keeps:
            _keep(opened, records, own.queued(sentences, messages))
        if not unread:
            return Extracted(session)
        if others and not any(one.role == "user" for one in messages):
            return Extracted(session, others=others)
        fresh = [one for one in sentences if one.index >= unread[0]]
        chosen, least = own.queued(fresh, messages), seen.config.number("long_term.min_importance")
        heard: Sequence[Heard] = ()
        if opened.provider is None:
            by, (found, dropped) = "rules", own.extract(messages, least, fresh)
        else:
            heard = () if opened.is_dry else _keep(opened, records, chosen)
            answer = opened.provider.chat(own.prompt_for(chosen)) if chosen else "[]"
            by, (found, dropped) = "model", own.parse_answer(answer, chosen, least)
        drafts = _drafts(opened, records, seen, found, chosen)
        captured, last = Captured(()), unread[-1]
        if drafts:
            token = opened.new_id("ext")
            if not opened.is_dry:
                chats(opened).mark(session, "extracting", token=token, index=last)
            told = (("Session", f"{session}#{last}"), ("Extraction", token))
            captured = memorize(opened.target, opened.caller, drafts, op="extract", trailers=told, bulk=True)
        if not opened.is_dry:
            chats(opened).mark(session, "extracted", index=last)
            opened.heard.remove({one.id for one in heard})
        return Extracted(session, last, len(unread), found, captured, dropped, by, others)


def _drafts(
    opened: Session,
    records: Sequence[ChatRecord],
    seen: Snapshot,
    found: Sequence[own.Inference],
    chosen: Sequence[own.Said],
) -> list[Draft]:
    """What was found, and the other sentences that say again what a living block rests on, which they join."""

    def draft(one: own.Inference, origin: str) -> Draft:
        # The newest block about the user with another value of the same slot (B4.14).
        others = (
            (block.created_at, block.id)
            for block in (placed.block for placed in seen)
            if one.slot in block.tags and block.about == "user" and block.payload.content != one.content
        )
        rows = _heard(records, one.sentences)
        return Draft(
            Payload(one.content),
            Trigger(one.trigger),
            type=one.type,
            about=one.about,
            tags=one.tags,
            replaces=max(others, default=("",))[1:],
            evidence=resting_on(opened.heard, rows),
            importance=one.importance,
            project="" if one.everywhere else held_in(rows[-1].project, one.content, one.quote),
            origin=origin,
        )

    known, again = {one.quote for one in found}, said_again(seen)
    orders = [draft(own.order_of(one), CUES) for one in chosen if one.text not in known]
    told = [draft(one, CUES if opened.provider is None else HEARD) for one in found]
    return told + [one for one in orders if again(one.block) is not None]


def end(opened: Session, session: str, *, forget: bool = False) -> Spoken:
    """Close a conversation, first extracting from unread messages if so configured (R4.22).

    With ``forget`` it is deleted as well, a person's act, but not if the extraction fails: the error is raised instead.
    """
    if forget:
        require_person(opened.caller, "delete a conversation", f"alice-exp session end {session} --forget")
    extracted, failure, keeps = None, None, opened.provider is None
    if opened.config.flag("long_term.extract_on_session_end"):
        try:
            extracted = extract_session(opened, session, keeps=keeps)
        except AliceError as error:
            if forget or isinstance(error, NotFoundError):
                raise
            failure = error
    elif keeps:
        hear(opened, session)
    talk = chats(opened).read(session)
    if not talk.ended:
        chats(opened).mark(session, "ended", at=opened.caller.now)
    if forget:
        forget_one(opened, session)
    return Spoken(None, len(talk.unread), extracted, failure)


def window(opened: Session, session: str, config: Config) -> Window:
    """The messages of a conversation to send to the model (R4.5-R4.13); the provider, if any,
    writes the summary. Where several speak as the user, each message begins with its speaker's name."""
    messages = [record.message for record in chats(opened).read(session).rows]
    if len({one.speaker.strip() for one in messages if one.role == "user"}) > 1:
        for at, one in enumerate(messages):
            if one.role == "user" and (name := one.speaker.strip()):
                messages[at] = replace(one, content=f"{name}: {one.content}")
    return before_model(messages, config, summary_by(opened.provider))


def searching(
    opened: Session, sessions: Sequence[str] = (), prefix: str = ""
) -> Callable[[str, str | None, int], list[Found]]:
    """``turn_index.search`` in this home, by question, ``now`` and ``top``: in all conversations, in those named, or in
    those whose name begins so. ``NotFoundError`` if a named one does not exist."""
    from alice_exp.finding.store.turn_index import search

    gate, among = opened.config.number("thresholds.fits"), None
    if sessions or prefix:
        known = chats(opened).signatures()
        if missing := next((one for one in sessions if one not in known), ""):
            raise unknown(missing)
        among = [name for name in sessions or known if name.startswith(prefix)]
    index = turn_index(opened)
    return lambda query, now, top: index.ask(lambda turns: search(turns, query, now, top, gate), among)


def summary_by(provider: Provider | None) -> Summarise | None:
    """A summariser backed by the provider; None without one, so that a rule is used."""
    return None if provider is None else lambda *told: provider.chat(asked(*told))


def take_in(
    opened: Session, rows: Sequence[ChatRecord], default: str, *, dry_run: bool = False, by_name: bool = False
) -> list[tuple[str, int, int]]:
    """Import conversations; rows without a session go to ``default``. Importing again adds only new messages: of each
    session how many came in, and how many were there.

    Raises ``UsageError``, before anything is written, if a session of that name holds a different conversation; with
    ``by_name`` the messages are added whose ids it does not hold: a host rewrites its transcript after compaction.
    """
    opened.home.read(())
    groups: dict[str, list[ChatRecord]] = {}
    for row in rows:
        if not by_name:
            require_fitting(row.message)
        groups.setdefault(row.session or default, []).append(row)
    first = {session: _new(opened, session, group, by_name) for session, group in groups.items()}
    for session, (new, after) in () if dry_run else followed([*first.items()]):
        while new:
            for project, group in groupby(new, lambda row: row.project):
                some = [*group]
                # Where another process adds meanwhile, none comes twice, and some may not come.
                chats(opened).start(session, some[0].message.at or opened.caller.now, project)
                said, names = [row.message for row in some], [row.name for row in some]
                chats(opened).save_all(session, said, names, after)
                after += len(some)
            new, after = _new(opened, session, groups[session], by_name)
    counts = ((session, len(new), len(groups[session])) for session, (new, _) in first.items())
    return [(session, new, every - new) for session, new, every in counts]


def _new(
    opened: Session, session: str, rows: Sequence[ChatRecord], by_name: bool
) -> tuple[Sequence[ChatRecord], int]:
    """The rows that a session does not hold yet, and how many messages it holds."""
    try:
        present = chats(opened).read(session).rows
    except NotFoundError:
        return rows, 0
    # What was taken off the record later may be here from before.
    both = (pair for pair in zip(present, rows, strict=False) if pair[1].message.content or not by_name)
    pairs = ((one.message, row.message) for one, row in both)
    if all((a.role, a.content, a.speaker) == (b.role, b.content, b.speaker) for a, b in pairs):
        return rows[len(present) :], len(present)
    if not by_name:
        template = "the session {session} holds another conversation"
        raise UsageError(template, session=session, hint="give it a name with --id")
    known = {row.name for row in present}
    return [row for row in rows if row.name and row.name not in known], len(present)
