"""``--format``, ``--fields``, stdin for a payload, colours, empty ids, times in the home's zone; nothing cut in a pipe."""

import csv
import io
import json
from pathlib import Path

import pytest

from alice_exp.app.command_tree import COMMANDS
from alice_exp.kernel.errors import UsageError
from alice_exp.terminal import streams, tables
from alice_exp.terminal.console import draws
from tests.case_tables import table
from tests.conftest import Call
from tests.manual import every

LONG = "一条很长的经验，" * 40 + "end"


@table("document", "format", "fields", "text")
def test_rows_are_written(document: object, format: str, fields: str, text: str) -> None:
    found = tables.written(document, "list", format, fields)
    assert (json.loads(found) if format == "json" else found) == (
        json.loads(text) if format == "json" else text
    )


@pytest.mark.parametrize("command", tables.LISTS)
def test_an_unknown_field_of_an_empty_list_is_named(command: str) -> None:
    key, fields = tables.LISTS[command]
    empty: dict[str, object] = {key: []}
    with pytest.raises(UsageError) as error:
        tables.written(empty, command, "", "nope")
    first = fields.split()[0]
    assert first in error.value.hint
    assert tables.written(empty, command, "", first) == f"{first}\n"
    assert tables.written(empty, command, "csv", "") == ""


def test_a_field_that_the_rows_at_hand_lack_is_empty() -> None:
    assert tables.written({"blocks": [{"id": "a"}]}, "list", "", "id,tags") == "id\ttags\na\t\n"


def test_an_answer_that_is_no_list_is_one_row() -> None:
    assert tables.written({"id": "a", "n": 1}, "show", "csv", "n,id") == "n,id\n1,a\n"
    assert json.loads(tables.written({"id": "a", "n": 1}, "show", "json", "n")) == {"n": 1}


def test_an_unknown_field_is_named_with_the_known_ones() -> None:
    with pytest.raises(UsageError) as error:
        tables.written({"blocks": [{"id": "a"}]}, "list", "", "nix")
    assert "fields are id" in error.value.hint
    with pytest.raises(UsageError):
        tables.written({"id": "a"}, "list", "", "payload")


def test_every_named_list_is_a_command_and_its_key_is_there(sample: Path, cli: Call) -> None:
    names = {name for name, _ in every()} | set(COMMANDS)
    assert set(tables.LISTS) <= names
    cli("session", "start", "demo")
    cli("session", "say", "demo", "user", "hello")
    one = cli("list", "--json").json["blocks"][0]["id"]
    typed = sample.parent / "typed.jsonl"
    typed.write_text('{"payload": "use rg"}\n', "utf-8")
    arguments = {
        "recall": ["deploy"],
        "decide": ["deploy"],
        "namespace show": ["universal/tool_usage"],
        "episode similar": ["deploy"],
        "event expand": ["1"],
        "session show": ["demo"],
        "session window": ["demo"],
        "session search": ["hello"],
        "heartbeat": ["--peek"],
        "why": [one],
        "context": ["deploy"],
        "event search": ["deploy"],
        "distill": ["--dry-run"],
        "session extract": ["demo", "--dry-run"],
        **{
            f"import {kind}": [str(typed), "--dry-run"]
            for kind in ("claude-md", "mem0", "basic-memory", "jsonl")
        },
    }
    wrong: list[tuple[object, ...]] = []
    for name, (key, fields) in tables.LISTS.items():
        if name in ("peer discover", "peer list", "sync"):
            continue  # these want a network, an extra, a remote
        done = cli(*name.split(), *arguments.get(name, []), "--json", check=False)
        assert done.stdout, (name, done.stderr)
        if not isinstance(done.json.get(key), list):
            wrong.append((name, [k for k, v in done.json.items() if isinstance(v, list)]))
            continue
        if strange := {field for row in done.json[key] for field in row} - set(fields.split()):
            wrong.append((name, strange))
        table = cli(*name.split(), *arguments.get(name, []), "--format", "csv", check=False)
        read = list(csv.reader(io.StringIO(table.stdout)))
        if max(0, len(read) - 1) != len(done.json[key]):
            wrong.append((name, len(read) - 1, len(done.json[key])))
    assert wrong == []


def test_every_text_may_come_from_stdin(home: Path, cli: Call) -> None:
    cli("remember", "use rg", "--when", "searching code")
    assert cli("recall", "-", stdin="searching code").stdout == cli("recall", "searching code").stdout
    assert cli("context", "-", stdin="searching code").stdout
    cli("memorize", "x")
    cli("heartbeat")
    cli("reply", "-", "--yes", stdin="同意 1\n")
    assert cli("list", "--set", "low_value", "--json").json["blocks"] == []
    readers = [name for name, one in every() for each in one.params if str(each.metavar).endswith("|-")]
    assert {"remember", "memorize", "recall", "decide", "reply", "assess", "episode reflect"} <= set(readers)


@pytest.mark.parametrize(("given", "code"), [("", 2), ("\n", 2), (b"\xff\xfe", 3), ("x " * 40_000, 2)])
def test_an_empty_broken_or_endless_stdin_is_refused(
    home: Path, cli: Call, given: str | bytes, code: int
) -> None:
    assert cli("remember", "-", stdin=given, check=False).code == code
    assert cli("list", "--json").json["blocks"] == []


def test_nothing_is_cut_in_a_pipe(home: Path, cli: Call) -> None:
    one = cli("remember", LONG, "--when", LONG + "when", "--json").json["id"]
    cli("memorize", LONG + "候选", "--evidence", LONG + "quote")
    cli("episode", "add", "--task", LONG, "--action", LONG, "--success")
    cli("event", "add", LONG)
    cli("session", "start", "demo")
    cli("session", "say", "demo", "user", LONG)
    for line in (
        *(
            "list",
            f"show {one}",
            f"why {one}",
            "heartbeat --peek",
            "namespace show personal/user_preferences",
        ),
        *("episode list", "session show demo", "log --text", f"recall {LONG}"),
    ):
        said = cli(*line.split()).stdout
        assert LONG in said and "…" not in said, line
    assert LONG + "quote" in cli("heartbeat", "--peek").stdout
    assert cli("heartbeat", "--peek", "--json").json["items"][0]["evidence"] == LONG + "quote"


EMPTY = [
    (name, position, len(given))
    for name, one in every()
    for given in [[each for each in one.params if each.param_type_name == "argument"]]
    for position, each in enumerate(given)
    if "ID" in str(each.metavar)
    or str(each.metavar).strip("[]") in ("COMMIT", "NAME", "KEY", "SET/NAME", "EPISODE")
]


@pytest.mark.parametrize(("name", "position", "count"), EMPTY)
def test_an_empty_id_is_a_mistake_of_usage(
    home: Path, cli: Call, name: str, position: int, count: int
) -> None:
    given = ["x"] * count
    given[position] = ""
    done = cli(*name.split(), *given, "--yes", check=False)
    assert (done.code, "alice-exp: " in done.stderr) == (2, True), done
    assert done.stdout == ""


class _Stream:
    def __init__(self, is_terminal: bool) -> None:
        self.isatty = lambda: is_terminal


@table("environment", "is_terminal", "expected")
def test_when_colours_are_drawn(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], is_terminal: bool, expected: bool
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert draws(_Stream(is_terminal)) is expected


def test_forced_colours_reach_a_pipe(home: Path, run: Call) -> None:
    run("remember", "use rg")
    forced = {"NO_COLOR": None, "FORCE_COLOR": "1"}
    assert "\x1b[" in run("list", env=forced).stdout
    assert "\x1b[" not in run("list", env={"NO_COLOR": None}).stdout


@table("environment", "words")
def test_which_pager(monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], words: list[str]) -> None:
    for name in ("PAGER", "ALICE_PAGER"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert streams.command() == words


@pytest.mark.parametrize("form", ["tsv", "csv"])
def test_no_row_controls_the_terminal_at_the_end_of_a_pipe(home: Path, run: Call, form: str) -> None:
    said = "red \x1b[31m, \u202eturned, \\u{1b} spelled"
    run("remember", said)
    row = run("list", "--format", form, "--fields", "payload").stdout.splitlines()[1]
    assert "\x1b" not in row and "\u202e" not in row
    assert "\\u{1b}[31m" in row and "\\u{202e}" in row
    assert ("\\\\u{1b} spelled" if form == "tsv" else "\\u{1b} spelled") in row
    assert json.loads(run("list", "--json").stdout)["blocks"][0]["payload"] == said
