"""What people type first who do not know the commands: each leads on, none ends in a bare error."""

import re
import shlex
from pathlib import Path

import pytest

from alice_exp.app.command_tree import COMMANDS
from alice_exp.app.help_page import MEANT, NAMED
from tests.case_tables import cases, table
from tests.conftest import Call

RUNS: tuple[tuple[str, str], ...] = tuple(cases(__file__, "RUNS"))
"""Lines that do what they mean."""

LEAD: tuple[tuple[str, str], ...] = tuple(cases(__file__, "LEAD"))
"""Lines that cannot be done, and what the answer names."""


@pytest.fixture
def filled(home: Path) -> Path:
    path = home / "experiences" / "personal" / "user_preferences.jsonc"
    path.write_text('{"blocks": [{"id": "exp-aaaaaaa2", "payload": "tables"}]}\n', "utf-8")
    return home


def test_there_are_forty_of_them() -> None:
    assert len({line for line, _ in (*RUNS, *LEAD)}) >= 40


@pytest.mark.parametrize(("typed", "right"), RUNS)
def test_another_word_for_a_command_runs_it(filled: Path, cli: Call, typed: str, right: str) -> None:
    cli("list", "-q")
    done, wanted = cli(*typed.split()), cli(*right.split())
    assert (done.code, done.stdout) == (0, wanted.stdout)
    assert done.stdout


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize(("typed", "named"), LEAD)
def test_a_wrong_line_names_the_right_one(filled: Path, cli: Call, typed: str, named: str, lang: str) -> None:
    done = cli("--lang", lang, *shlex.split(typed), check=False)
    assert done.code == 2 and done.stdout == ""
    assert named in done.stderr, done.stderr
    assert done.stderr.count("\n") == 1
    if lang == "zh":
        assert re.search("[一-鿿]", done.stderr), f"not in Chinese: {done.stderr}"


def test_what_is_named_is_there() -> None:
    for text in (
        *MEANT.values(),
        *(word for hint in NAMED.values() for word in re.findall(r"alice-exp (\w+)", hint)),
    ):
        assert text in COMMANDS or text == "--version" or text == "status", text
    assert set(NAMED) & set(COMMANDS) == set() == set(MEANT) & set(COMMANDS)


def test_nothing_that_takes_away_runs_by_another_name() -> None:
    taking = {"reject", "retire", "purge", "undo", "approve", "move", "share", "peer", "sync", "owner"}
    assert set(MEANT.values()) & taking == set()


@table("line", "said")
def test_an_empty_or_broken_argument_is_named(
    filled: Path, cli: Call, line: tuple[str, ...], said: str
) -> None:
    done = cli(*line, check=False)
    assert done.code == 2 and said in done.stderr, done.stderr
