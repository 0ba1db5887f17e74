"""Tells whose words in a conversation of several people are the user's."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from alice_exp.conversations.rules.cues import extract
from alice_exp.conversations.values import Message
from alice_exp.kernel.text.tokens import fold

SELF = frozenset(("user", "human", "me", "myself", "i", "self", "you", "我", "用户", "本人", "自己"))
"""Names under which transcripts put the user."""


def other_speakers(messages: Iterable[Message], known: Sequence[str] = ()) -> tuple[str, ...]:
    """Who speaks beside the user, by name, in the order of their first words; ``known`` is what is noted of the user.

    Whoever speaks alone is the user, whatever the name. Among several the user is who has no name, a name of ``SELF``,
    or the name that a note gives the user; where none of these speaks, nobody knows, and all are others.
    """
    spoken = dict.fromkeys(message.speaker.strip() for message in messages if message.role == "user")
    if len(spoken) < 2:
        return ()
    return tuple(name for name in spoken if name and fold(name) not in SELF and not _is_named(name, known))


def by_the_user(messages: Sequence[Message], others: Iterable[str]) -> list[Message]:
    """The messages, those of ``others`` as an assistant's: they ask and answer, and tell nothing of the user."""
    apart = frozenset(others)
    return [
        replace(one, role="assistant") if one.role == "user" and one.speaker.strip() in apart else one
        for one in messages
    ]


def named_apart(messages: Sequence[Message]) -> list[Message]:
    """The messages as a model can read them: where several speak as the user, each begins with its speaker's name."""
    if len({one.speaker.strip() for one in messages if one.role == "user"}) < 2:
        return list(messages)
    return [
        replace(one, content=f"{one.speaker.strip()}: {one.content}")
        if one.role == "user" and one.speaker.strip()
        else one
        for one in messages
    ]


def _is_named(name: str, known: Sequence[str]) -> bool:
    told = [Message("user", note) for note in known if fold(name) in fold(note)]
    return any(fold(one.value) == fold(name) for one in extract(told).inferences if one.slot == "name")
