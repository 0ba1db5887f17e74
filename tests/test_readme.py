"""Every command in README.md and docs runs; every command, picture and link is there.

That each answers what is shown is asked by ``make docs``.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from alice_exp.kernel.journal.act import OPS
from tests import seeded
from tests.readme import BLOCK, ROOT, commands, is_transcript, pages

PAGES = pages()
FENCE = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
PROGRAM = re.compile(r"```python\n(from alice_exp import .*?)```", re.DOTALL)
EXAMPLE = re.compile(r"```python\n(.*?)```", re.DOTALL)


def blocks(pattern: re.Pattern[str]) -> Iterator[Any]:
    """What a pattern finds on every page, each with its page and first line as its name."""
    for path, text in PAGES.items():
        for block in pattern.findall(text):
            yield pytest.param(block, id=f"{path}: {block.splitlines()[0][:40]}")


CALLS = [one for one in blocks(BLOCK) if not is_transcript(one.values[0])]


@pytest.mark.parametrize("name", [name for name, _ in commands()])
def test_every_command_is_documented(name: str) -> None:
    assert f"| `{name}` |" in PAGES["docs/commands.md"]


@pytest.mark.parametrize("program", list(blocks(PROGRAM)))
def test_every_program_runs(program: str, tmp_path: Path) -> None:
    environment = seeded.world(tmp_path)
    for words in (
        ["init", "-q"],
        ["remember", "ask before a deploy on Friday", "--when", "deploy to production"],
    ):
        subprocess.run(["alice-exp", *words], env=environment, check=True, capture_output=True)
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("path", ["docs/internals/journal.md", "docs/internals/jsonc.md"])
def test_the_examples_of_a_package_run_one_after_the_other(path: str, tmp_path: Path) -> None:
    program = "\n".join(EXAMPLE.findall(PAGES[path]))
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("path", PAGES)
def test_every_link_leads_somewhere(path: str) -> None:
    """To a file of this repository and a heading of its page; where it leads to the web is not asked."""
    for target in re.findall(r"\]\(([^)\s]+)\)", _prose(PAGES[path])):
        if re.match(r"\w+:", target):
            continue
        file, _, heading = target.partition("#")
        found = (ROOT / path).parent / file if file else ROOT / path
        assert found.exists(), target
        if heading:
            assert heading in _headings(found.read_text("utf-8")), target


@pytest.mark.parametrize("path", PAGES)
def test_every_file_that_a_page_names_is_there(path: str) -> None:
    """Below the top, the package, a room of it, or the tests; capitals stand for a name that the reader chooses."""
    for named in re.findall(r"`((?:[a-z_]+/)+[a-z_.]+\.(?:py|toml|txt))`", PAGES[path]):
        tops = (ROOT, ROOT / "tests", ROOT / "alice_exp", *(ROOT / "alice_exp").iterdir())
        assert any((top / named).exists() for top in tops), named


@pytest.mark.parametrize("package", ["journal", "jsonc"])
def test_the_page_of_a_package_names_its_modules(package: str) -> None:
    table = PAGES[f"docs/internals/{package}.md"].partition("## Modules")[2].partition("\n## ")[0]
    modules = {path.stem for path in (ROOT / "alice_exp/kernel" / package).glob("*.py")} - {"__init__"}
    assert set(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)) == modules


def test_there_are_pictures() -> None:
    """Those that a page shows are there: a picture is a link."""
    pictures = [path for text in PAGES.values() for path in re.findall(r"!\[[^\]]+\]\(([^)]+)\)", text)]
    assert len(set(pictures)) >= 8


def _prose(text: str) -> str:
    """A page without what is fenced, and without code."""
    return re.sub(r"`[^`\n]*`", "", FENCE.sub("", text))


def _headings(text: str) -> set[str]:
    """The anchors that a page's headings get on GitHub."""
    titles = re.findall(r"^#+ (.+)$", FENCE.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("block", CALLS)
def test_every_command_line_runs(block: str, tmp_path: Path) -> None:
    """Lines after ``$`` run in one shell session over one home; ``# exit N`` says what is expected, else 0."""
    environment = {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "HOME": str(tmp_path),
        "ALICE_HOME": str(tmp_path / "alice"),
        "ALICE_NOW": "2026-02-20T09:00:00Z",
        "ALICE_ACTOR": "user",
        "TZ": "UTC",
        "LC_ALL": "C.UTF-8",
    }
    (tmp_path / "lessons.jsonl").write_text(
        '{"payload": "use rg", "trigger": "searching code"}\n', encoding="utf-8"
    )
    if not block.startswith("$ alice-exp init"):
        subprocess.run(["alice-exp", "init", "-q"], env=environment, cwd=tmp_path, check=True)
    for line in block.splitlines():
        if not line.startswith("$ "):
            continue
        command, _, wanted = line[2:].partition("# exit ")
        done = subprocess.run(
            ["bash", "-c", _with_real_id(command, environment)],
            env=environment,
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )
        assert done.returncode == int(wanted or 0), f"{line}\n{done.stdout}{done.stderr}"


def _with_real_id(command: str, environment: dict[str, str]) -> str:
    """``exp-7k2m9q4x`` in a transcript stands for the first block of the home."""
    if "exp-7k2m9q4x" not in command:
        return command
    listed = subprocess.run(["alice-exp", "list", "--json"], env=environment, capture_output=True, text=True)
    blocks = json.loads(listed.stdout)["blocks"]
    return command.replace("exp-7k2m9q4x", blocks[0]["id"]) if blocks else command


def test_every_kind_of_act_and_table_of_the_index_is_on_the_page_of_formats() -> None:
    text = (ROOT / "docs/formats.md").read_text("utf-8")
    schema = (ROOT / "alice_exp/finding/store/search_index.py").read_text("utf-8")
    named = (*OPS, *re.findall(r"CREATE TABLE (\w+)", schema))
    assert [one for one in named if f"`{one}`" not in text] == []
