"""R3.16-R3.25, B3.10-B3.12: every vector of the assessment."""

from __future__ import annotations

import pytest

from alice_exp.learning.rules.assessment import (
    LEAST_CERTAIN,
    Stats,
    Weights,
    assess,
    confidence_level,
    grade,
    meta_score,
)
from alice_exp.model.rules.consolidation import HALF_LIFE_DAYS
from alice_exp.model.values.block import Block, Payload, Placed, State

NOW = "2026-02-20T09:00:00Z"
EQUAL = Weights()


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


@pytest.mark.covers("R3.19", "R3.20")
def test_the_sources_own_number() -> None:
    assert meta_score(Stats(15, 0.825, 0.789, 0.634, 1.0), EQUAL) == 0.8234
    assert grade(meta_score(Stats(15, 0.825, 0.789, 0.634, 1.0), EQUAL), 15) == "high"


@pytest.mark.parametrize(
    ("count", "state", "fields", "score", "level"),
    [
        (0, "possible", {}, 0.0, "none"),
        (1, "possible", {}, 0.33, "low"),
        (1, "past", {}, 0.435, "low"),
        (3, "past", {}, 0.485, "low"),
        (4, "past", {}, 0.51, "medium"),
        (10, "reliable", {}, 0.765, "medium"),
        (10, "reliable", {"consolidation_score": 0.5}, 0.865, "high"),
    ],
)
@pytest.mark.covers("R3.24", "R3.25", "B3.11")
def test_worked_vectors(
    count: int, state: State, fields: dict[str, object], score: float, level: str
) -> None:
    assessed = assess("topic", _blocks(count, state, **fields), NOW, EQUAL, HALF_LIFE_DAYS)
    assert assessed.score == pytest.approx(score, abs=1e-9)
    assert assessed.grade == level
    assert len(assessed.evidence) == min(count, 5)


@pytest.mark.parametrize(
    ("score", "level"),
    [
        (0.8, "high"),
        (0.7999, "medium"),
        (0.5, "medium"),
        (0.4999, "low"),
        (0.2, "low"),
        (0.1999, "very_low"),
        (0.0, "very_low"),
    ],
)
@pytest.mark.covers("R3.21", "B3.12")
def test_borders(score: float, level: str) -> None:
    assert grade(score, 3) == level


@pytest.mark.covers("R3.21", "R3.27", "B3.12")
def test_nothing_known_is_none_and_only_that() -> None:
    assert grade(0.0, 0) == "none"
    assert grade(0.9, 0) == "none"


@pytest.mark.parametrize(
    ("confidence", "level"), [(0.9, "high"), (0.8, "high"), (0.6, "medium"), (0.5, "medium"), (0.3, "low")]
)
@pytest.mark.covers("R3.17", "B3.10")
def test_confidence_as_a_word(confidence: float, level: str) -> None:
    assert confidence_level(confidence) == level


@pytest.mark.covers("R3.27")
def test_a_level_falls_with_the_certainty_that_it_is_about_the_topic() -> None:
    grades = [
        assess("topic", _blocks(10, "reliable"), NOW, EQUAL, HALF_LIFE_DAYS, certain).grade
        for certain in (1.0, 0.5, 0.2)
    ]
    assert grades == ["medium", "low", "very_low"]
    doubted = assess("topic", _blocks(4, "past"), NOW, EQUAL, HALF_LIFE_DAYS, 0.5)
    assert doubted.score == meta_score(doubted.stats, EQUAL) and doubted.stats.total == 4
    unsure = [
        assess("topic", _blocks(4, "past"), NOW, EQUAL, HALF_LIFE_DAYS, certain) for certain in (0.0, 0.1)
    ]
    assert unsure[0] == unsure[1] and LEAST_CERTAIN == 0.1, "what fits by its context alone is known a little"
