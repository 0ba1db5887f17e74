"""What people type first who do not know the commands: each leads on, none ends in a bare error."""

import re
import shlex
from pathlib import Path

import pytest

from alice_exp.app.main import COMMANDS
from alice_exp.app.wrong_commands import MEANT, NAMED
from tests.conftest import Call

RUNS: tuple[tuple[str, str], ...] = (
    ("ls", "list"),
    ("ls --set personal", "list --set personal"),
    ("List", "list"),
    ("search tables", "recall tables"),
    ("find tables", "recall tables"),
    ("cat exp-aaaaaaa2", "show exp-aaaaaaa2"),
    ("get exp-aaaaaaa2", "show exp-aaaaaaa2"),
    ("history", "log"),
    ("blame exp-aaaaaaa2", "why exp-aaaaaaa2"),
    ("日志", "log"),
    ("搜索 tables", "recall tables"),
    ("report", "heartbeat"),
    ("inbox", "heartbeat"),
    ("setup", "init"),
    ("commands", "help"),
    ("man recall", "help recall"),
    ("-V", "--version"),
    ("config", "help config"),
    ("import", "help import"),
    ("list --top 1", "list -n 1"),
)
"""Lines that do what they mean."""

LEAD: tuple[tuple[str, str], ...] = (
    ("add tea", "remember"),
    ("save tea", "memorize"),
    ("new", "remember"),
    ("rm exp-aaaaaaa2", "retire"),
    ("delete exp-aaaaaaa2", "purge"),
    ("forget exp-aaaaaaa2", "purge"),
    ("set lang zh", "config set"),
    ("commit", "log"),
    ("push", "sync"),
    ("pull", "sync"),
    ("clone x", "sync add"),
    ("backup", "sync add"),
    ("start", "init"),
    ("login", "init"),
    ("install", "connect"),
    ("ui", "review"),
    ("accept 1", "approve"),
    ("deny 2", "reject"),
    ("yes", "approve"),
    ("revert", "undo"),
    ("serve", "mcp"),
    ("tag exp-aaaaaaa2 x", "list --tag"),
    ("quit", "alice-exp help"),
    ("'what is my name'", "recall 'what is my name'"),
    ("我叫什么名字", "recall '我叫什么名字'"),
    ("记住 x", "remember"),
    ("同意 1", "approve"),
    ("import x.json", "mem0"),
    ("recall x --limit 3", "--top"),
    ("approve 1 --force", "--yes"),
    ("recall x --output json", "--json"),
    ("say hello", "session say"),
    ("invite", "peer invite"),
    ("lst", "list"),
    ("recal tables", "recall"),
    ("heartbaet", "heartbeat"),
    ("rember x", "remember"),
    ("aprove 1", "approve"),
    ("foo", "--help"),
    ("-v", "--version"),
    ("version", "--version"),
    ("--verion", "--version"),
    ("recall search code", "'search code'"),
    ("remember I like tables", "'I like tables'"),
    ("recall --topp 3 x", "--top"),
    ("recall --top x y", "1000"),
    ("recall --top", "--help"),
    ("show", "show exp-"),
    ("move exp-aaaaaaa2", "move exp-"),
    ("outcome exp-aaaaaaa2", "outcome dec-"),
    ("episode ad", "episode add"),
    ("config gett lang", "config get"),
)
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


def test_a_stranger_without_a_home_is_told_how_to_begin(cli: Call) -> None:
    done = cli("list", check=False)
    assert done.code == 3 and "alice-exp init" in done.stderr


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (("show", ""), "ID is empty (say which)"),
        (("approve", ""), "ID|NUMBER is empty (leave it out, or say which)"),
        (("connect", ""), "HOST is empty (leave it out, or say which)"),
        (("import", "jsonl", " "), "FILE is empty (say which)"),
        (("list", "--tag", ""), "--tag is empty"),
        (("recall", "x", "--project", ""), "--project is empty"),
        (("recall", "x", "--queries", ""), "--queries is empty"),
        (("approve", "1", "--replaces", ""), "--replaces is empty"),
        (("prime", "--into", ""), "--into is empty"),
        (("--home", "", "remember", "x"), "--home is empty"),
        (("remember", "x", "--actor", ""), "--actor is empty"),
        (("--fields", "", "list"), "--fields is empty"),
        (("remember", ""), 'alice-exp remember "I like tables"'),
    ],
)
def test_an_empty_argument_is_named_as_the_help_names_it(
    filled: Path, cli: Call, line: tuple[str, ...], said: str
) -> None:
    done = cli(*line, check=False)
    assert done.code == 2 and said in done.stderr, done.stderr
