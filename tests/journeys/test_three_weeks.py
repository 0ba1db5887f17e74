"""Three weeks of daily review of what two agents propose: what a person reads, the keys that they press, what is shown.

``python -m pytest tests/journeys/test_three_weeks.py -m "slow or not slow" -s`` prints each day, and what was told of
each kind of candidate.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from alice_exp.app import main
from tests.conftest import Call
from tests.data import other_agents, two_agents
from tests.data.two_agents import Candidate
from tests.terminal.person import Screen

LINES, KEYS = 60, 25
"""The most lines read and keys pressed a day, on average."""

_ANSWERS = {
    **dict.fromkeys(("opposes", "refused"), "r"),
    **dict.fromkeys(("repeats", "rewords"), "m"),
    **dict.fromkeys(("secret", "private"), "x"),
    "replaces": "t",
}
_SAME, _OTHER = {"identical", "same", "extends"}, {"opposes", "replaces"}
_TOLD = {
    **dict.fromkeys(("opposes", "replaces"), _OTHER),
    **dict.fromkeys(("repeats", "rewords"), _SAME),
    "refused": {"mark"},
    "secret": {"secret"},
    "private": {"secret"},
}
"""What is to be said of a candidate of each kind; of every other one nothing."""


@dataclass
class Lived:
    """Candidates, lines and keys of each day; what was said of each kind, and where something known stood beside."""

    days: list[tuple[int, int, int]] = field(default_factory=list)
    told: dict[str, Counter[bool]] = field(default_factory=dict)
    beside: Counter[str] = field(default_factory=Counter)
    missed: list[str] = field(default_factory=list)

    def note(self, candidate: Candidate, item: dict[str, Any] | None) -> None:
        """Count what the day's report said of a candidate; None: it was refused, or counted as an observation."""
        said = _said(item)
        wanted = _TOLD.get(candidate.kind, set())
        is_right = bool(said & wanted) if wanted else not said
        # What is identical does not wait at all.
        is_right = is_right or (item is None and candidate.kind in ("repeats", "rewords", "refused"))
        self.told.setdefault(candidate.kind, Counter())[is_right] += 1
        self.beside[candidate.kind] += item is None or bool(item["relations"])
        if not is_right:
            beside = (
                [one["payload"] for one in item["relations"] if one["where"] != "waiting"] if item else []
            )
            self.missed.append(
                f"{candidate.kind}: {candidate.text} ({', '.join(sorted(said)) or 'nothing'}: {beside})"
            )


def _said(item: dict[str, Any] | None) -> set[str]:
    if item is None:
        return set()
    said = {
        "mark" if one["where"] == "rejected" and one["relation"] != "opposes" else one["relation"]
        for one in item["relations"]
        if one["where"] != "waiting" and one["relation"] != "near"
    }
    return said | ({"secret"} if item["secrets"] else set())


def answer(screen: str, known: Sequence[Candidate]) -> str:
    """What the person presses: they know their own mind of each text, and take a key only where it is offered."""
    if screen.rstrip().endswith("[y/N]"):
        return "y"
    card = " ".join(screen[screen.rindex("──") :].split())
    question = card[card.rindex("[a]pprove") - 60 :] if "[a]pprove" in card else card
    if "[k]eep" in card:
        return "k"
    if "[b]oth" in card:
        return "b"
    squeezed = re.sub(r"\s", "", card)
    kind = next((one.kind for one in known if re.sub(r"\s", "", one.text) in squeezed), "note")
    wanted = _ANSWERS.get(kind, "a")
    offered = {"t": "[t]ake", "m": "[m]erge", "x": "[x]"}
    return wanted if wanted not in offered or offered[wanted] in question else "r"


def live(
    cli: Call, monkeypatch: pytest.MonkeyPatch, story: Any, known: Sequence[Candidate], days: int
) -> tuple[Lived, list[str]]:
    """What was lived through, and the ids that wait in the end."""
    first = date(2026, 2, 1)
    morning = {"ALICE_NOW": f"{first}T08:00:00Z"}
    for when, text in story.WORD:
        cli("remember", text, "--when", when, env=morning)
    ids = [
        cli("memorize", text, "--when", when, "--json", env=morning).json["id"]
        for when, text in story.REFUSED
    ]
    cli("reject", *ids, env=morning)
    lived = Lived()
    for day in range(days):
        today = first + timedelta(days=1 + day)
        proposed = known[day * len(known) // 21 : (day + 1) * len(known) // 21]
        for at, agent in enumerate(story.AGENTS):
            rows = "\n".join(one.row for one in proposed[at::2])
            moment = {"ALICE_NOW": f"{today - timedelta(days=1)}T1{at}:00:00Z"}
            cli("--actor", f"agent:{agent}", "memorize", "--from", "-", stdin=rows, env=moment)
        monkeypatch.setenv("ALICE_NOW", f"{today}T09:00:00Z")
        waiting = {one["payload"]: one for one in cli("heartbeat", "--peek", "--json").json["items"]}
        for candidate in proposed:
            lived.note(candidate, waiting.get(candidate.text))
        with Screen(monkeypatch, lambda text: answer(text, known)) as screen:
            # The day's first command prints the notice; then the person decides.
            assert main.run(["recall", "deploy"]) == 0
            assert main.run(["review"]) == 0
        lived.days.append((len(proposed), screen.lines, screen.keys))
    left = cli("heartbeat", "--peek", "--json").json["items"]
    return lived, [item["id"] for item in left]


def _printed(lived: Lived) -> tuple[float, float]:
    """Print what was lived through; the mean lines and keys of a day."""
    for day, (proposed, lines, keys) in enumerate(lived.days, start=1):
        print(f"day {day:2}: {proposed} proposed, {lines} lines read, {keys} keys pressed")
    lines, keys = (sum(one[at] for one in lived.days) / len(lived.days) for at in (1, 2))
    print(f"a day: {lines:.1f} lines, {keys:.1f} keys")
    for kind, told in sorted(lived.told.items()):
        print(f"{kind}: {told[True]} of {told.total()} right, something stands beside {lived.beside[kind]}")
    print(*lived.missed, sep="\n")
    return lines, keys


@pytest.mark.parametrize("days", [4, pytest.param(21, marks=pytest.mark.slow)])
def test_a_day_is_at_most_sixty_lines_and_25_keys(
    home: Path, cli: Call, seeded_ids: None, monkeypatch: pytest.MonkeyPatch, days: int
) -> None:
    lived, left = live(cli, monkeypatch, two_agents, two_agents.candidates(95), days)
    lines, keys = _printed(lived)
    assert left == [], "every one of them was decided"
    assert keys > 0
    assert lines <= LINES and keys <= KEYS


@pytest.mark.slow
def test_another_person_reads_no_more_and_is_told_what_they_need(
    home: Path, cli: Call, seeded_ids: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    lived, left = live(cli, monkeypatch, other_agents, other_agents.STORY, 21)
    lines, keys = _printed(lived)
    assert left == []
    assert lines <= LINES and keys <= KEYS
    right = {kind: told[True] / told.total() for kind, told in lived.told.items()}
    assert min(right["secret"], right["private"], right["refused"]) == 1
    assert min(right["replaces"], right["repeats"]) >= 0.85
    # Two permissions ("it is fine to filter by time alone") stand beside what they oppose, and are not named so.
    assert right["opposes"] >= 0.75 and lived.beside["opposes"] == lived.told["opposes"].total()
    assert min(right["note"], right["elsewhere"]) >= 0.85, "false alarms"
    assert lived.beside["rewords"] >= 4, "what is not named stands beside all the same"
