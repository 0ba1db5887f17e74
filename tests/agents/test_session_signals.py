"""What a session shows of its decisions: tests, edits taken back, the person's words; each until the next topic."""

from collections.abc import Mapping

from alice_exp.agents.rules import Deed
from alice_exp.agents.usecases.captured_sessions import MOST_ACTIONS, actions_of, traces
from tests.case_tables import table

SHOWN = [("dec-22222222", "fix the login")]


def ran(command: str, failed: bool | None = False) -> Deed:
    return Deed(tool="Bash", command=command, failed=failed)


def edited(old: str, new: str, file: str = "a.py") -> Deed:
    return Deed(tool="Edit", file=file, changed=(old, new), failed=False)


def seemed(*deeds: Deed) -> Mapping[str, bool]:
    (found,) = traces([Deed(prompt="fix the login"), *deeds], SHOWN)
    return found.seemed


@table("command", "is_check")  # fmt: skip
def test_the_last_test_or_build_says_whether_it_seemed_ok(command: str, is_check: bool) -> None:
    assert seemed(ran(command, True)) == ({"tests": False} if is_check else {})
    assert seemed(ran("pytest", True), ran(command, False)) == {"tests": is_check}


def test_a_check_whose_end_nobody_told_says_nothing() -> None:
    assert seemed(ran("pytest", None)) == {}


@table("command", "takes_back")  # fmt: skip
def test_an_edit_that_is_taken_back_seems_failed(command: str, takes_back: bool) -> None:
    assert seemed(edited("a", "b"), ran(command)) == {"edits": not takes_back}
    assert seemed(ran(command), edited("a", "b")) == {"edits": True}, "what stood there before"


def test_an_edit_whose_texts_swap_is_taken_back() -> None:
    assert seemed(edited("a", "b"), edited("b", "a")) == {"edits": False}
    assert seemed(edited("a", "b"), edited("b", "a", "other.py")) == {"edits": True}
    assert seemed(edited("a", "b"), edited("b", "c")) == {"edits": True}


@table("words", "ok")  # fmt: skip
def test_the_persons_next_words_say_whether_it_seemed_ok(words: str, ok: bool) -> None:
    assert seemed(ran("ls"), Deed(prompt=words)) == {"words": ok}


def test_a_decision_lasts_until_the_next_topic_and_the_words_that_open_it_count() -> None:
    deeds = [
        Deed(prompt="fix the login"),
        Deed(tool="mcp__alice-exp__decide", answer='{"decision":"dec-44444444"}'),
        ran("pytest"),
        Deed(prompt="wrong, deploy it"),
        ran("make build", True),
    ]
    first, second, asked = traces(deeds, [*SHOWN, ("dec-33333333", "wrong, deploy it")])
    assert (first.decision, first.actions, first.seemed) == (
        "dec-22222222",
        ("pytest",),
        {"tests": True, "words": False},
    )
    assert (second.decision, second.seemed) == ("dec-33333333", {"tests": False})
    assert (asked.decision, asked.seemed) == ("dec-44444444", first.seemed)
    (alone, _) = traces(deeds, SHOWN)
    assert alone.actions == ("pytest", "make build (failed)"), "what opened nothing is no topic"


def test_a_decision_of_the_command_line_is_found_and_only_the_newest_actions_are_kept() -> None:
    deeds = [
        Deed(tool="Bash", command='alice-exp decide "x"', answer="dec-55555555  personal"),
        *map(ran, "ab"),
    ]
    (one,) = traces(deeds, [])
    assert one.decision == "dec-55555555"
    assert actions_of([ran(f"echo {n}") for n in range(99)]) == tuple(f"echo {n}" for n in range(49, 99))
    assert MOST_ACTIONS == 50
