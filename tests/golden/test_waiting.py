"""The report of 9, 40 and 300 waiting candidates of two agents, in both languages: on a plain terminal of 80 columns,
and as the table of one of 120 with colours.

``--update-golden`` rewrites the transcripts.
"""

import difflib
import re
import shutil
from pathlib import Path

import pytest

from alice_exp.app import main
from alice_exp.kernel.text.display import cells
from tests.conftest import Call
from tests.data.two_agents import AGENTS, REFUSED, WORD, candidates
from tests.terminal.person import Screen

HERE = Path(__file__).parent


def learned(cli: Call, count: int) -> None:
    """What the person said and refused, then what the agents propose."""
    day = {"ALICE_NOW": "2026-02-18T09:00:00Z"}
    for when, text in WORD:
        cli("remember", text, "--when", when, env=day)
    ids = [cli("memorize", text, "--when", when, "--json", env=day).json["id"] for when, text in REFUSED]
    cli("reject", *ids, env=day)
    for at, agent in enumerate(AGENTS):
        lines = "\n".join(one.row for one in candidates(count)[at::2])
        moment = {"ALICE_NOW": f"2026-02-19T1{at}:00:00Z"}
        cli("--actor", f"agent:{agent}", "memorize", "--from", "-", stdin=lines, env=moment)


@pytest.mark.parametrize("count", [9, 40, 300])
def test_what_waits_on_a_terminal(
    home: Path,
    cli: Call,
    seeded_ids: None,
    monkeypatch: pytest.MonkeyPatch,
    count: int,
    request: pytest.FixtureRequest,
) -> None:
    learned(cli, count)
    monkeypatch.setenv("ALICE_NOW", "2026-02-20T09:00:00Z")
    for lang in ("en", "zh"):
        again = shutil.copytree(home, home.with_name(f"alice.{lang}"), symlinks=True)
        monkeypatch.setenv("ALICE_HOME", str(again))
        _compare_reports(lang, count, monkeypatch, request)


def _compare_reports(
    lang: str, count: int, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    for columns, term in ((80, "dumb"), (120, "xterm-256color")):
        screen = Screen(monkeypatch, columns=columns, term=term)
        with screen:
            assert main.run(["heartbeat", "--lang", lang]) == 0
        # A table fills its columns up with blanks, in colours that a golden file has no use for.
        said = re.sub(r" +$", "", re.sub(r"\x1b\[[\d;]*m", "", screen.text), flags=re.MULTILINE)
        assert max(map(cells, said.splitlines())) <= columns
        assert len(said.splitlines()) <= 100, "ten cards on a screen, the rest is counted"
        assert "\n\n\n" not in said
        compare(said, HERE / f"waiting_{count}.{lang}.{columns}.txt", request)


def compare(said: str, golden: Path, request: pytest.FixtureRequest) -> None:
    """Hold what is said against a golden file, or write that with ``--update-golden``."""
    if request.config.getoption("--update-golden", default=False):
        golden.write_text(said, encoding="utf-8")
    known = golden.read_text(encoding="utf-8") if golden.exists() else ""
    changed = "\n".join(
        difflib.unified_diff(known.splitlines(), said.splitlines(), "golden", "now", lineterm="")
    )
    assert not changed, (
        f"{changed}\nrun pytest --update-golden if this is as it should be, and read the difference"
    )
