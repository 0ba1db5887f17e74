"""The pages of help: laid out, grouped, uncut at 80 columns, in both languages, without a home and without an import."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from alice_exp.app import help_page
from alice_exp.app.command_tree import COMMANDS
from alice_exp.app.command_tree import GROUPS as HEADINGS
from alice_exp.app.main import command
from alice_exp.kernel.text.display import cells
from tests.case_tables import table
from tests.conftest import Call
from tests.manual import every

GROUPS = [name for name, target in COMMANDS.items() if isinstance(target, dict)]
BARE_GROUPS = [name for name in GROUPS if "" not in COMMANDS[name]]


@pytest.mark.parametrize("words", [(), ("-h",), ("--help",), ("help",), ("-q", "--help")])
def test_whoever_asks_for_help_gets_the_page_of_all_commands(cli: Call, words: tuple[str, ...]) -> None:
    done = cli(*words)
    lines = done.stdout.splitlines()
    assert done.stderr == ""
    for heading in HEADINGS:
        assert heading in lines
    for name in COMMANDS:
        assert any(re.match(rf"  {name} {{2,}}\S.*\.$", line) for line in lines), name


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_no_line_of_any_page_is_cut_or_wider_than_80_columns(
    cli: Call, lang: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for words in [(), *((name,) for name in GROUPS)]:
        page = cli("--lang", lang, "help", *words).stdout
        assert "..." not in page.replace("[ARGS]...", "").replace("...]", ""), words
        wide = [
            line for line in page.splitlines() if cells(line) > 80 and not line.startswith("  alice-exp ")
        ]
        assert wide == [], words
        rows = re.split(r"Commands:|命令：", page)[-1]
        if words:
            listed = [line for line in rows.splitlines() if line.startswith("  ")]
            assert not [line for line in listed if line.startswith(" " * 9)], words


_NAMES = re.compile(r"[^，。；：（）、“”]*[\u4e00-\u9fff]")


@pytest.mark.parametrize("name", [*GROUPS, *(name for name, _ in every())])
def test_a_page_of_a_chinese_reader_is_chinese_in_every_line(cli: Call, name: str) -> None:
    page = cli("--lang", "zh", "help", *name.split()).stdout
    assert [line for line in page.splitlines() if cells(line) > 80 and "  alice-exp " not in line] == []
    described = re.sub(r"例子：\n(?:  .*\n)+", "", page).split("\n\n通用选项：")[0]
    for paragraph in described.split("\n\n")[1:]:
        # Names of values, files and programs stay; a sentence has words between them.
        for row in re.split(r"\n(?=  \S)", paragraph):
            told = " ".join(row.split())
            assert _NAMES.search(told) or re.fullmatch(r"(?:\S+[:：]?|\S+ +\S+)", told), told


@pytest.mark.parametrize("name", BARE_GROUPS)
def test_a_bare_group_shows_its_page(cli: Call, name: str) -> None:
    assert cli(name).stdout == cli(name, "--help").stdout == cli("help", name).stdout


@pytest.mark.parametrize("name", [name for name, _ in every()])
def test_every_command_has_a_page_that_names_the_shared_options_once(cli: Call, name: str) -> None:
    page = cli("help", *name.split()).stdout
    assert page == cli(*name.split(), "-h").stdout
    assert page.count("--actor") == 1 and page.count("--debug") == 1, page
    assert "None" not in page and "<str>" not in page


def test_help_is_the_same_where_there_is_json(cli: Call) -> None:
    rows = cli("help", "--json").json["commands"]
    assert {row["name"] for row in rows} == set(COMMANDS)
    assert all(row["summary"] for row in rows)
    assert cli("--json").json == cli("help", "--json").json
    assert cli("help", "recall", "--json").json["command"] == "alice-exp recall"


def test_the_language_holds_wherever_it_stands(cli: Call) -> None:
    assert cli("--help", "--lang", "zh").stdout == cli("--lang", "zh", "--help").stdout
    assert "每天" in cli("--help", "--lang", "zh").stdout


def test_the_page_of_all_commands_imports_none_of_them(world: Path) -> None:
    probe = (
        "import sys, json\nfrom alice_exp.app.main import run\nrun([])\n"
        "print(json.dumps([n for n in sys.modules if n.startswith('alice_exp.') and '.cli' in n]))"
    )
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout.splitlines()[-1]) == []
    assert not (world / "alice").exists()


@table("documented", "room", "line")
def test_a_sentence_is_shortened_by_whole_clauses(documented: str, room: int, line: str) -> None:
    assert help_page.short(documented, room) == line


def test_the_root_has_no_command_that_is_hidden() -> None:
    root: Any = command()
    assert all(not root.get_command(None, name).hidden for name in root.list_commands(None))
