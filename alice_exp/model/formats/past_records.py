"""Reads the records of a version that history or another machine holds: what is faulty in it is left out, unnamed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alice_exp.kernel.jsonc import parse
from alice_exp.model.formats.record_schema import (
    EPISODES,
    EPISODES_PATH,
    EVENTS_PATH,
    SEGMENTS,
    read_episodes,
    read_timeline,
)

if TYPE_CHECKING:
    from alice_exp.model.values.records import EpisodeBook, Timeline


def past_episodes(data: bytes) -> EpisodeBook:
    """The episodes in the bytes of an ``episodes.jsonc``; none where they are no JSONC."""
    return read_episodes(parse(data, EPISODES_PATH, EPISODES))[0]


def past_timeline(data: bytes) -> Timeline:
    """The timeline in the bytes of an ``events.jsonc``; an empty one where they are no JSONC."""
    return read_timeline(parse(data, EVENTS_PATH, SEGMENTS))[0]
