"""Episodes as JSON documents."""

from __future__ import annotations

from typing import Any

from alice_exp.episodes.rules.retention import Weighed
from alice_exp.episodes.rules.search_episodes import Match
from alice_exp.kernel.value_class import attributes
from alice_exp.model.formats.record_schema import episode_json
from alice_exp.model.values.records import Episode


def episode_document(episode: Episode) -> dict[str, Any]:
    """An episode with its derived values: the type, and the time in milliseconds."""
    return {
        **episode_json(episode),
        "context": dict(episode.context),
        **attributes(episode, "action result at timestamp reflection"),
        "type": episode.task_type,
    }


def match_document(found: Match, explain: bool) -> dict[str, Any]:
    """A similar episode; with ``explain`` the terms of its score."""
    document = {**episode_document(found.episode), "score": found.score}
    if explain:
        similarity = found.similarity
        document["explain"] = {
            "rule": similarity.rule,
            "task": round(similarity.task, 6),
            "context": round(similarity.context, 6),
        }
    return document


def weighed_document(one: Weighed) -> dict[str, Any]:
    """An episode with the factors of its importance (R0.37)."""
    own = one.retention
    return {
        "id": one.episode.id,
        "task": one.episode.task,
        "reward": own.reward,
        "recency": round(own.recency, 6),
        "uniqueness": round(own.uniqueness, 6),
        "popularity": own.popularity,
        "importance": round(own.score, 6),
        "cited": one.is_cited,
    }
