"""R3.16-R3.25, B3.10-B3.12: every vector of the assessment."""

import time
from collections.abc import Callable
from typing import Any

import pytest

from alice_exp.learning.documents import ASSESSED, assessment, confidence_level
from alice_exp.learning.rules.impact import (
    LEAST_CERTAIN,
    Grade,
    Stats,
    assess,
    grade,
    meta_score,
)
from alice_exp.model.values.block import Block, Payload, Placed, State
from alice_exp.model.values.config import Config
from alice_exp.terminal.language import say
from tests.case_tables import table

NOW = "2026-02-20T09:00:00Z"
CONFIG = Config()


def _blocks(count: int, state: State, **fields: object) -> list[Placed]:
    return [
        Placed(
            Block(
                f"exp-{'a' * 7}{'abcdefghijkl'[number]}",
                Payload(f"thing {number}"),
                state=state,
                created_at=NOW,
                updated_at=NOW,
                **fields,  # type: ignore[arg-type]
            ),
            "universal/system_info.jsonc",
        )
        for number in range(count)
    ]


@pytest.mark.parametrize(
    ("stats", "weight"),
    [
        (Stats(1, 1, 0, 0, 0), 0.35),
        (Stats(1, 0, 0, 0, 1), 0.25),
        (Stats(1, 0, 1, 0, 0), 0.2),
        (Stats(1, 0, 0, 1, 0), 0.2),
        (Stats(1, 1, 1, 1, 1), 1.0),
    ],
)
@pytest.mark.covers("R3.19")
def test_each_part_has_its_weight(stats: Stats, weight: float) -> None:
    assert meta_score(stats, CONFIG) == weight


def document(found: list[Placed], topic: str = "topic", told: Callable[[str], str] = str) -> dict[str, Any]:
    """What a program is told of an assessment of these blocks."""
    return assessment(assess(topic, found, NOW, CONFIG), told)


@pytest.mark.covers("R3.20")
def test_the_sources_own_number() -> None:
    assert meta_score(Stats(15, 0.825, 0.789, 0.634, 1.0), CONFIG) == 0.8234
    assert grade(0.8234) == "high"


@table("count", "state", "fields", "score", "level")
@pytest.mark.covers("R3.25")
def test_worked_vectors(
    count: int, state: State, fields: dict[str, object], score: float, level: str
) -> None:
    assessed = assess("topic", _blocks(count, state, **fields), NOW, CONFIG)
    assert assessed.score == pytest.approx(score, abs=1e-9)
    assert assessed.grade == level
    assert len(assessed.evidence) == min(count, 5)


@pytest.mark.covers("R3.17")
def test_a_piece_of_evidence_says_what_it_rests_on() -> None:
    (shown,) = document(_blocks(1, "past", key="k", access_count=2, consolidation_score=0.5))["evidence"]
    assert shown.pop("snippet").startswith("thing 0")
    assert shown == {
        "id": "exp-aaaaaaaa", "key": "k", "confidence_level": "medium", "access_count": 2,
        "consolidation_score": 0.4193, "updated_at": NOW,
    }  # fmt: skip


@pytest.mark.covers("R3.18")
def test_the_stats_are_the_parts_of_the_score() -> None:
    two = [*_blocks(1, "past"), *_blocks(1, "reliable", consolidation_score=0.5)]
    assert document(two)["stats"] == {
        "total_memories": 2, "avg_confidence": 0.75, "avg_recency": 1.0, "avg_consolidation": 0.25, "coverage": 0.2,
    }  # fmt: skip


@table("level", "words")
@pytest.mark.covers("R3.22")
def test_each_grade_has_its_advice(level: Grade, words: str) -> None:
    assert words in ASSESSED[level][1]


@pytest.mark.covers("R3.23")
def test_the_sentence_and_the_suggestion_are_the_sources(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("alice_exp.terminal.language._chosen", "zh")
    told = document(_blocks(12, "reliable", consolidation_score=0.5), "Python", say)
    assert told["message"] == "我对「Python」很有把握，有 12 条相关记忆"
    assert told["suggestions"] == ["可以直接使用这些记忆回答问题"]


@pytest.mark.covers("R3.24")
def test_fifty_are_looked_at_and_five_shown_in_less_than_a_tenth_of_a_second() -> None:
    many = _blocks(12, "past") * 100
    began = time.process_time()
    assessed = assess("topic", many, NOW, CONFIG)
    assert time.process_time() - began < 0.1
    assert (assessed.stats.total, len(assessed.evidence)) == (50, 5)


@table("score", "level")
@pytest.mark.covers("R3.21")
def test_borders(score: float, level: str) -> None:
    assert grade(score) == level


@pytest.mark.covers("B3.12")
def test_nothing_known_is_none_and_only_that() -> None:
    assert assess("topic", [], NOW, CONFIG).grade == "none"
    assert assess("topic", _blocks(1, "obsolete"), NOW, CONFIG, 0.0).grade == grade(0.0) == "very_low"


@pytest.mark.parametrize(
    ("confidence", "level"), [(0.9, "high"), (0.8, "high"), (0.6, "medium"), (0.5, "medium"), (0.3, "low")]
)
@pytest.mark.covers("B3.10")
def test_confidence_as_a_word(confidence: float, level: str) -> None:
    assert confidence_level(confidence) == level


@pytest.mark.covers("R3.27")
def test_a_level_falls_with_the_certainty_that_it_is_about_the_topic() -> None:
    grades = [
        assess("topic", _blocks(10, "reliable"), NOW, CONFIG, certain).grade for certain in (1.0, 0.5, 0.2)
    ]
    assert grades == ["medium", "low", "very_low"]
    doubted = assess("topic", _blocks(4, "past"), NOW, CONFIG, 0.5)
    assert doubted.score == meta_score(doubted.stats, CONFIG) and doubted.stats.total == 4
    unsure = [assess("topic", _blocks(4, "past"), NOW, CONFIG, certain) for certain in (0.0, 0.1)]
    assert unsure[0] == unsure[1] and LEAST_CERTAIN == 0.1, "what fits by its context alone is known a little"
