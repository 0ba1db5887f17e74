"""Episodes as JSON documents and as rows of tables."""

from __future__ import annotations

from typing import Any

from alice_exp.episodes.rules.retention import Weighed
from alice_exp.episodes.rules.search_episodes import Match
from alice_exp.kernel.value_class import attributes
from alice_exp.model.formats.record_schema import episode_json
from alice_exp.model.values.records import Episode
from alice_exp.terminal.console import Terminal, short
from alice_exp.terminal.language import say


def episode_document(episode: Episode) -> dict[str, Any]:
    """An episode with its derived values: the type, and the time in milliseconds."""
    return {
        **episode_json(episode),
        "context": dict(episode.context),
        **attributes(episode, "action result at timestamp reflection"),
        "type": episode.task_type,
    }


def worked(episode: Episode) -> str:
    """Whether it worked, in a word."""
    return say("not reported") if episode.unreported else say("yes") if episode.success else say("no")


def episode_row(terminal: Terminal, episode: Episode) -> list[str]:
    """An episode as a row of a table."""
    return [
        episode.id,
        terminal.local(episode.at),
        worked(episode),
        f"{episode.reward:.2f}",
        short(episode.task, 60),
        short(episode.action, 40),
    ]


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


def formula(found: Match) -> str:
    """The terms of a score, as text."""
    similarity = found.similarity
    if similarity.rule == "task_and_context":
        return f"0.4 · {similarity.task:.4f} + 0.6 · {similarity.context:.4f} = {found.score:.4f}"
    if similarity.rule == "words":
        return f"{say('by words, weighed as recall does')}: {found.score:.4f}"
    return f"{say('task alone, the query has no context')}: {found.score:.4f}"


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


def factors(terminal: Terminal, weighed: tuple[Weighed, ...], gone: set[str]) -> None:
    """Print every episode with the factors of its importance, the lowest first."""
    rows = []
    for one in sorted(weighed, key=lambda one: (one.retention.score, one.episode.timestamp, one.episode.id)):
        own = one.retention
        fate = say("goes") if one.episode.id in gone else say("cited") if one.is_cited else ""
        numbers = (own.reward, own.recency, own.uniqueness, own.popularity, own.score)
        rows.append(
            [one.episode.id, *(f"{number:.3f}" for number in numbers), fate, short(one.episode.task, 50)]
        )
    shares = (("reward", 0.4), ("recency", 0.3), ("uniqueness", 0.2), ("popularity", 0.1))
    names = ("id", *(f"{say(name)} {share}" for name, share in shares), "importance", "", "task")
    terminal.table([say(name) if name else "" for name in names], rows)
