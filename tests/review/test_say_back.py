"""A refused reply is said back in plain words and carried out only when the person says so (N8.3)."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from alice_exp.kernel.errors import UsageError
from alice_exp.review.rules.reply import read
from alice_exp.review.rules.say_back import said_back
from tests.case_tables import cases, table
from tests.conftest import Call
from tests.fuzz.natural_replies import replies
from tests.fuzz.test_replies import decided
from tests.review.test_review import Screen, screen
from tests.review.test_rival_answers import PAIRS, pair, stands

__all__ = ["PAIRS", "pair", "screen"]

SAID = cases(__file__, "SAID")
IDS = tuple(f"exp-{letter * 8}" for letter in "abcdefgh")
CASES = [
    tuple(part.strip() for part in line.split("→"))
    for line in Path(__file__).with_name("wide_replies.txt").read_text().splitlines()
    if line[:1] != "#"
]


@pytest.mark.parametrize(("text", "plain"), CASES)
def test_a_refused_reply_is_said_back(text: str, plain: str) -> None:
    with pytest.raises(UsageError):
        read(text, IDS)
    assert said_back(text, IDS, SAID) == plain


def test_nothing_that_was_left_out_is_proposed() -> None:
    """Of generated replies that the strict grammar refuses, none is said back as a decision on what it left out."""
    proposed = 0
    for reply, ids in replies(7, 2_000):
        plain = said_back(reply.text, ids, SAID[: len(ids)] + [""] * (len(ids) - len(SAID)))
        if plain and decided(reply.text, ids) is None:
            allowed = {ids[number - 1]: verbs for number, verbs in reply.allowed.items()}
            acts = {one: verb for one, verb in (decided(plain, ids) or {}).items() if verb != "later"}
            assert all(verb in allowed.get(one, ()) for one, verb in acts.items()), (reply.text, plain)
            proposed += 1
    assert proposed > 50


@pytest.mark.covers("BX.71")
def test_replies_of_persons_who_never_saw_the_grammar() -> None:
    """At least four of five are acted on or said back as they were meant, and none is read as anything else."""
    lines = Path(__file__).with_name("blind_replies.txt").read_text().splitlines()
    rows = [line.split(" ", 3) for line in lines if line[0] != "#"]
    understood = 0
    for approved, rejected, _, text in rows:
        wanted = {
            IDS[int(one) - 1]: verb
            for verb, row in (("approve", approved), ("reject", rejected))
            for one in row.strip("-")
        }
        plain = text if decided(text, IDS) is not None else said_back(text, IDS, SAID)
        acts = {
            one: verb for one, verb in (decided(plain, IDS) or {} if plain else {}).items() if verb != "later"
        }
        assert acts.items() <= wanted.items(), (text, plain)
        understood += acts == wanted
    assert understood >= 0.85 * len(rows)


def test_replies_of_writers_on_reports_of_their_own() -> None:
    """1,052 sentences, two of five Chinese; each line holds a report's items, then replies with what they approve and reject."""
    lines = Path(__file__).with_name("foreign_replies.jsonl").read_text().splitlines()
    understood = meant = wrong = 0
    for report in map(json.loads, lines):
        ids = tuple(f"exp-{letter * 8}" for letter in "abcdefghijkm"[: len(report["items"])])
        for text, meaning in report["replies"]:
            plain = text if decided(text, ids) is not None else said_back(text, ids, report["items"])
            acts = {
                one: verb
                for one, verb in ((decided(plain, ids) or {}) if plain else {}).items()
                if verb != "later"
            }
            wanted = {
                ids[number - 1]: verb
                for verb, numbers in zip(("approve", "reject"), meaning or ([], []), strict=True)
                for number in numbers
            }
            meant += bool(wanted)
            understood += bool(wanted) and acts == wanted
            wrong += bool(acts) and acts != wanted
    assert understood >= 0.79 * meant
    assert wrong == 0


@pytest.fixture
def two(home: Path, cli: Call) -> tuple[str, str]:
    """Two candidates that wait; the report showed them as 1 and 2."""
    for text, when in (
        ("build the Docker image with buildkit", "building images"),
        ("run the linter", "committing"),
    ):
        cli("memorize", text, "--when", when)
    first, second = (item["id"] for item in cli("heartbeat", "--json").json["items"])
    return first, second


def place(cli: Call, block_id: str) -> str:
    return str(cli("show", block_id, "--json").json["set"])


@pytest.mark.covers("BX.11")
@pytest.mark.parametrize(("answer", "after"), [("y", {"universal", "archive"}), ("n", {"low_value"})])
def test_a_terminal_shows_its_reading_and_asks(
    home: Path, cli: Call, two: tuple[str, str], screen: Callable[..., Screen], answer: str, after: set[str]
) -> None:
    terminal = screen(home, "reply", "the docker one is fine, the linter one is wrong")
    terminal.until("Is that what you mean?")
    terminal.press(f"{answer}\n")
    terminal.end()
    assert {place(cli, one) for one in two} == after


@table("text", "after")
def test_a_reply_says_which_of_two_rivals_holds(
    cli: Call, pair: tuple[str, str], text: str, after: list[tuple[str, list[str], list[str]]] | None
) -> None:
    old, new = pair
    done = cli("reply", text, "--yes", check=False)
    assert done.code == (2 if after is None else 0), done.stderr
    left = after or [("personal", [], []), ("low_value", [], [])]
    named = [
        (one, *([old if name == "OLD" else name for name in names] for names in row)) for one, *row in left
    ]
    assert stands(cli, old, new) == named


def test_of_an_empty_report_nothing_is_said_back() -> None:
    assert said_back("the docker one is fine", (), []) == ""
    assert said_back("all good", ("", ""), ["", ""]) == ""
