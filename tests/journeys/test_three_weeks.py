"""Three weeks of daily review of what two agents propose: the lines that a person reads and the keys that they press.

``python -m pytest tests/journeys/test_three_weeks.py -m "slow or not slow" -s`` prints each day.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path

import pytest

from alice_exp.app import main
from tests.conftest import Call
from tests.data.two_agents import AGENTS, REFUSED, WORD, Candidate, candidates
from tests.terminal.person import Screen

LINES, KEYS = 60, 25
"""The most lines read and keys pressed a day, on average."""

_ANSWERS = {"opposes": "r", "replaces": "t", "repeats": "m", "refused": "r", "secret": "x", "private": "x"}


def answer(screen: str, known: Sequence[Candidate]) -> str:
    """What the person presses: they know their own mind of each text, and take a key only where it is offered."""
    card = " ".join(screen[screen.rindex("──") :].split())
    question = card[card.rindex("[a]pprove") - 60 :] if "[a]pprove" in card else card
    if "[k]eep" in card:
        return "k"
    squeezed = re.sub(r"\s", "", card)
    kind = next((one.kind for one in known if re.sub(r"\s", "", one.text) in squeezed), "note")
    wanted = _ANSWERS.get(kind, "a")
    offered = {"t": "[t]ake", "m": "[m]erge", "x": "[x]"}
    return wanted if wanted not in offered or offered[wanted] in question else "r"


def live(
    cli: Call, monkeypatch: pytest.MonkeyPatch, days: int
) -> tuple[list[tuple[int, int, int]], list[str]]:
    """Candidates, lines and keys of each day; the ids that wait in the end."""
    known = candidates(95)
    first = date(2026, 2, 1)
    morning = {"ALICE_NOW": f"{first}T08:00:00Z"}
    for when, text in WORD:
        cli("remember", text, "--when", when, env=morning)
    ids = [cli("memorize", text, "--when", when, "--json", env=morning).json["id"] for when, text in REFUSED]
    cli("reject", *ids, env=morning)
    told = []
    for day in range(days):
        today = first + timedelta(days=1 + day)
        proposed = known[day * 95 // 21 : (day + 1) * 95 // 21]
        for at, agent in enumerate(AGENTS):
            rows = "\n".join(one.row for one in proposed[at::2])
            moment = {"ALICE_NOW": f"{today - timedelta(days=1)}T1{at}:00:00Z"}
            cli("--actor", f"agent:{agent}", "memorize", "--from", "-", stdin=rows, env=moment)
        monkeypatch.setenv("ALICE_NOW", f"{today}T09:00:00Z")
        with Screen(monkeypatch, lambda text: answer(text, known)) as screen:
            # The day's first command prints the notice; then the person decides.
            assert main.run(["recall", "deploy"]) == 0
            assert main.run(["review"]) == 0
        told.append((len(proposed), screen.lines, screen.keys))
    left = cli("heartbeat", "--peek", "--json").json["items"]
    return told, [item["id"] for item in left]


@pytest.mark.parametrize("days", [4, pytest.param(21, marks=pytest.mark.slow)])
def test_a_day_is_at_most_sixty_lines_and_25_keys(
    home: Path, cli: Call, seeded_ids: None, monkeypatch: pytest.MonkeyPatch, days: int
) -> None:
    told, left = live(cli, monkeypatch, days)
    for day, (proposed, lines, keys) in enumerate(told, start=1):
        print(f"day {day:2}: {proposed} proposed, {lines} lines read, {keys} keys pressed")
    mean_lines, mean_keys = (sum(one[at] for one in told) / days for at in (1, 2))
    print(f"a day: {mean_lines:.1f} lines, {mean_keys:.1f} keys")
    assert left == [], "every one of them was decided"
    assert mean_keys > 0
    assert mean_lines <= LINES and mean_keys <= KEYS
