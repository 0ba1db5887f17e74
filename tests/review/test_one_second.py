"""All in one second of one clock: what was memorized, reported and approved is trusted, and rivals stay a question."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from alice_exp import Alice
from tests.agents.test_ask_person import host
from tests.conftest import Call
from tests.review.test_review import Screen, go_through, screen

__all__ = ["host", "screen"]

FACES = ("approve", "reply", "review", "dialog", "library approves", "library replies")


@pytest.fixture(params=FACES)
def says_yes(request: pytest.FixtureRequest, home: Path, cli: Call) -> Callable[[str], None]:
    """``says_yes(id)``: a person reads the report, in which one thing waits, and says yes to it, on one face."""
    # Set up before anything is captured: a host connects in the same second too.
    face = request.param
    at: Any = request.getfixturevalue({"dialog": "host", "review": "screen"}.get(face, "cli"))

    def decide(known: str) -> None:
        if face == "dialog":
            at(["accept"])
        elif face == "review":
            cli("heartbeat")
            terminal: Screen = at(home, "review")
            go_through(terminal, ["a"])
            assert terminal.end() == 0
        elif face.startswith("library"):
            person = Alice(home, "user")
            person.heartbeat(peek=False)
            person.approve(known) if face == "library approves" else person.reply("approve 1")
        else:
            cli("heartbeat")
            cli(*{"approve": ("approve", "1"), "reply": ("reply", "approve 1")}[face], "--yes")

    return decide


def test_what_is_approved_in_the_second_of_its_capture_is_told(
    cli: Call, says_yes: Callable[[str], None]
) -> None:
    known = cli("memorize", "use rg", "--when", "searching code", "--actor", "agent:x", "--json").json["id"]
    says_yes(known)
    assert cli("show", known, "--json").json["approved"]
    told = cli("decide", "searching code", "--actor", "agent:x", "--json").json
    assert [one["id"] for one in told["applied"]] == [known], told
    assert cli("heartbeat", "--json").json["items"] == []


def test_an_opposite_of_the_second_of_an_approval_is_still_a_question(
    cli: Call, says_yes: Callable[[str], None]
) -> None:
    when = ("--when", "merging", "--about", "user", "--actor", "agent:x", "--json")
    old = cli("memorize", "never squash the commits", *when).json["id"]
    says_yes(old)
    new = cli("memorize", "always squash the commits", *when).json["id"]
    (item,) = cli("heartbeat", "--json").json["items"]
    assert [(one["id"], one["relation"]) for one in item["relations"]] == [(old, "opposes")]
    assert cli("approve", new, "--yes", check=False).code == 5
    assert not cli("show", new, "--json").json["approved"]
