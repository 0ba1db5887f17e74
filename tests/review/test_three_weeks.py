"""Three weeks lived with two agents, one of them over MCP's operations: mornings stay short, and no secret stays.

The texts of ``three_weeks.txt`` were written before; each morning the person answers for what waits, in one of a few
ways. About 84 texts, half of them Chinese, ten with a secret or a private fact.
"""

from __future__ import annotations

import zlib
from pathlib import Path

import pytest

from alice_exp.agents.operations import Connection, call
from alice_exp.app.opening import open_session
from tests.case_tables import cases
from tests.conftest import Call, Git

ROWS = [
    line.split("|")
    for line in Path(__file__).with_name("three_weeks.txt").read_text().splitlines()
    if line[0] != "#"
]
SECRETS = tuple(cases(__file__, "SECRETS"))
MOST_LINES = 35
MOST_ANSWERS = 4.4


class Weeks:
    """One home from day to day: what was proposed, and what each morning took."""

    def __init__(self, cli: Call) -> None:
        self.cli = cli
        self.lines: list[int] = []
        self.answers: list[int] = []
        self.pairs: list[tuple[str, str]] = []
        self.first: dict[str, str] = {}

    def propose(self, rows: list[list[str]]) -> None:
        agent = Connection(open_session(actor="agent:desk"))
        for at, (_, situation, text) in enumerate(rows):
            said = text.removeprefix("~")
            if at % 2:
                call(agent, "memorize", {"payload": said, "trigger": situation or "always"})
            else:
                about = () if situation else ("--about", "user")
                self.cli("memorize", said, "--when", situation, *about, "--actor", "agent:shell")
            if text.startswith("~"):
                self.pairs.append((self.first[situation], said))
            elif situation:
                self.first[situation] = said

    def decide(self, replacing: bool) -> None:
        """A yes to all, then one answer for each that it left: a pair, or what is private."""
        self.lines.append(len(self.cli("heartbeat").stdout.splitlines()))
        done = self.cli("reply", "approve all", "--yes", "--json", check=False)
        assert done.code in (0, 5), done.stderr
        private = [row["id"] for row in done.json["skipped"] if row["why"] == "private"]
        for rival in done.json["rivals"]:
            answer = ("approve", rival["id"], "--replaces", rival["with"]["id"])
            self.cli(*(answer if replacing else ("reject", rival["id"])), "--yes")
        for one in private:
            self.cli("reject", one, "--yes")
        self.answers.append(1 + len(private) + len(done.json["rivals"]))

    def told_both(self) -> list[tuple[str, str]]:
        found = []
        for one in self.first:
            made = self.cli("decide", one, "--json", "--actor", "agent:desk", check=False).json
            kinds = ("constraints", "steps", "alternatives")
            told = {row["payload"] for kind in kinds for row in made[kind] if row["approved"]}
            found += [(old, new) for old, new in self.pairs if {old, new} <= told]
        return found


@pytest.mark.slow
def test_three_weeks(home: Path, cli: Call, monkeypatch: pytest.MonkeyPatch, git: Git) -> None:
    weeks = Weeks(cli)
    for day in range(1, 22):
        monkeypatch.setenv("ALICE_NOW", f"2026-06-{day:02}T20:00:00Z")
        weeks.propose([row for row in ROWS if int(row[0]) == day])
        monkeypatch.setenv("ALICE_NOW", f"2026-06-{day + 1:02}T08:00:00Z")
        weeks.decide(replacing=bool(day % 2))
        assert weeks.told_both() == [], day
    assert sum(weeks.lines) / 21 <= MOST_LINES, weeks.lines
    assert sum(weeks.answers) / 21 <= MOST_ANSWERS, weeks.answers
    for secret in SECRETS:
        assert git(home, "log", "--all", "-S", secret, "--format=%h") == "", secret
        assert not [path for path in home.rglob("*") if path.is_file() and holds(path, secret)], secret


def holds(path: Path, word: str) -> bool:
    data = path.read_bytes()
    if "objects" in path.parts and len(path.parent.name) == 2:
        data = zlib.decompress(data)
    return word.encode() in data
