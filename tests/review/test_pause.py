"""A holiday stops the days of what waits; they go on after it (DESIGN 7)."""

from datetime import datetime
from pathlib import Path

import pytest

from alice_exp.model.rules.lifecycle import expires_at, paused
from alice_exp.model.values.config import Wait, pauses_of
from tests.case_tables import table
from tests.conftest import Call, Git
from tests.review.test_daily_report import candidate

DAYS = ["", *(f"2026-03-{day:02}T00:00:00+00:00" for day in range(1, 10))]


@table("text", "now", "until", "after")
def test_pauses_follow_one_another(text: str, now: int, until: int, after: str) -> None:
    def written(days: str) -> str:
        return " ".join("/".join(DAYS[int(day)] for day in pair.split("/")) for pair in days.split())

    moments = (datetime.fromisoformat(DAYS[day]) for day in (now, until))
    assert paused(pauses_of(written(text)), *moments) == written(after)


@pytest.mark.parametrize(
    "text",
    [
        "soon",
        "2026-03-01/2026-03-02",
        f"{DAYS[3]}/{DAYS[2]}",
        f"{DAYS[2]}/later",
        f"{DAYS[2]}/9999-12-31T00:00:00Z",
    ],
)
def test_a_mistyped_pause_stops_nothing(text: str) -> None:
    assert pauses_of(text) == ()


@table("shown", "due")
def test_only_the_days_of_a_pause_that_it_waited_are_left_out(shown: str, due: str) -> None:
    wait = Wait(7, pauses_of(f"{DAYS[4]}/{DAYS[8]}"))
    block = candidate("a", f"{shown}T00:00:00Z")
    assert expires_at(block, wait) == f"{due}T00:00:00Z"


@table("words", "code")
def test_a_wrong_day_is_named_and_only_a_person_pauses(
    home: Path, cli: Call, git: Git, words: tuple[str, ...], code: int
) -> None:
    head = git(home, "rev-parse", "HEAD")
    assert cli("pause", *words, check=False).code == code
    assert git(home, "rev-parse", "HEAD") == head
