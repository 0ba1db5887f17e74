"""A new command, a new option and a new field of an operation are each written once, and every face knows them."""

import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any

import pytest
import typer

from alice_exp import Alice
from alice_exp.agents.tool_schema import TOOLS, json_schema, offered, operation
from alice_exp.app import command_tree, completion
from alice_exp.app.command_tree import COMMANDS, GROUPS
from alice_exp.terminal.console import Terminal
from tests import catalog, manual, readme
from tests.conftest import Call


def oldest(
    terminal: Terminal,
    query: Annotated[str, typer.Argument(metavar="QUERY")],
    within: Annotated[str, typer.Option(help="Of this span of time alone.")] = "",
) -> None:
    """Name the block that was here first.

    Example: alice-exp oldest --within 30d
    """
    terminal.answer({"query": query, "within": within}, lambda: terminal.line(f"{query} {within}"))


@pytest.fixture
def planted(monkeypatch: pytest.MonkeyPatch) -> None:
    """The row of one command, which brings an option of its own and takes a shared field's sentence."""
    module = ModuleType("alice_exp.finding.planted")
    module.oldest = oldest  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    rows = "Say and find\noldest | Name the oldest block. | finding.planted"
    groups, commands = command_tree.read(rows)
    monkeypatch.setitem(GROUPS["Say and find"], "oldest", groups["Say and find"]["oldest"])
    monkeypatch.setitem(COMMANDS, "oldest", commands["oldest"])


SENTENCE = "What you want to know, in your own words."


@pytest.mark.usefixtures("planted")
def test_a_row_and_a_function_make_a_command_on_every_face(
    cli: Call, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli("oldest", "the first", "--within", "30d").stdout == "the first 30d\n"
    assert "  oldest         Name the oldest block.\n" in cli("help").stdout
    page = cli("help", "oldest").stdout
    assert f"QUERY|-  {SENTENCE}" in page and "--within TEXT  Of this span of time alone." in page
    roff = manual.page()
    for told in (".SS oldest", "\\fB\\-\\-within\\fR", SENTENCE, "alice\\-exp oldest \\-\\-within 30d"):
        assert told in roff
    assert "| `oldest` | Name the block that was here first. |" in readme.PARTS["commands"]()
    assert "Of this span of time alone." in [*catalog._documented(COMMANDS)], "what has to be translated"
    completion.complete(["old"])
    completion.complete(["oldest", "--wi"])
    assert (
        capsys.readouterr().out
        == "oldest\tName the block that was here first.\n--within\tOf this span of time alone.\n"
    )


def test_a_parameter_makes_a_field_on_every_face_of_agents(home: Path) -> None:
    def oldest(connection: object, query: str, importance: float = 0.5) -> dict[str, Any]:
        """Name the block that was here first. Use when the past matters."""
        return {"query": query, "importance": importance}

    operation("Name the oldest", reads=True)(oldest)
    try:
        (told,) = [one for one in offered() if one["name"] == "oldest"]
        fields = told["inputSchema"]["properties"]
        said = {"type": "string", "description": SENTENCE.rstrip(".")}
        bounds = {"type": "number", "minimum": 0, "maximum": 1, "description": "From 0 to 1"}
        assert fields == {"query": said, "importance": bounds} == json_schema(oldest)["properties"]
        assert told in json.loads(manual.tools()), "what the server lists"
        assert "oldest" in [one["name"] for one in Alice(home).tools()]
        assert (
            f"| `oldest(query, importance)` | {told['description']}<br>`query`: " in readme.PARTS["tools"]()
        )
        assert Alice(home).call("oldest", {"query": "x"}) == {"query": "x", "importance": 0.5}
        with pytest.raises(Exception, match="importance is a number from 0 to 1"):
            Alice(home).call("oldest", {"query": "x", "importance": 2})
    finally:
        del TOOLS["oldest"]
