"""One block's life: edit, move, retire, revive (R2.8-R2.15, B2.9, B2.10, B2.44, D7, D19, D21)."""

import os
import pty
import select
import stat
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from alice_exp.model.values.block import STATES
from tests.blocks.conftest import TOOLS, act
from tests.case_tables import cases
from tests.conftest import ROOT, Call, Result


@pytest.fixture
def editor(tmp_path: Path) -> Callable[[str], dict[str, str]]:
    """``editor(code)``: an environment whose editor is a Python program over ``text``, ``line`` and ``count``."""

    def make(code: str) -> dict[str, str]:
        program = tmp_path / "vi"
        program.write_text(
            f"#!{sys.executable}\n"
            "import pathlib, sys\n"
            "line = next((int(a[1:]) for a in sys.argv[1:-1] if a[0] == '+'), 0)\n"
            "path = pathlib.Path(sys.argv[-1])\n"
            f"log = pathlib.Path({str(tmp_path / 'opened')!r})\n"
            "text = path.read_text()\n"
            "with log.open('a') as file: file.write(text + f'@@{line}\\n')\n"
            "count = log.read_text().count('@@')\n"
            f"{code}\n"
            "path.write_text(text)\n"
        )
        program.chmod(0o755)
        return {"EDITOR": str(program)}

    return make


def heads(git: Callable[..., str], world: Path) -> int:
    return int(git(world / "alice", "rev-list", "--count", "HEAD"))


# -- edit -------------------------------------------------------------------------------------------------------


def test_edit_replaces_the_blocks_own_text_and_nothing_else(
    tools: Path,
    cli: Call,
    run: Call,
    git: Callable[..., str],
    editor: Callable[[str], dict[str, str]],
    world: Path,
) -> None:
    before, commits = tools.read_text(), heads(git, world)
    env = editor(
        "text = text.replace('use rg', 'use rg -uu').replace('// above the first', '// above, edited')"
    )
    done = run("edit", "exp-aaaa", "--json", env=env).json
    assert done["changed"] and done["needs_approval"] and not done["approved"]
    after = tools.read_text()
    wanted = before.replace("use rg", "use rg -uu").replace("// above the first", "// above, edited")
    wanted = wanted.replace('"updated_at": "2026-01-10T08:00:00Z"', '"updated_at": "2026-02-20T09:00:00Z"', 1)
    assert after == wanted
    assert heads(git, world) == commits + 1
    assert git(world / "alice", "log", "-1", "--format=%an %s") == "user edit exp-aaaaaaa2: content"
    assert git(world / "alice", "status", "--porcelain") == ""
    shown = act(cli, "show", "exp-aaaaaaa2")
    assert shown["approved"] is False and shown["payload"] == "use rg -uu"
    opened = (world / "opened").read_text()
    assert (
        opened.startswith("// alice-exp: exp-aaaaaaa2 in universal/tool_usage") and "behind the id" in opened
    )
    assert "use ruff" not in opened


def test_a_comment_alone_bumps_nothing_and_keeps_the_approval(
    tools: Path, run: Call, editor: Callable[[str], dict[str, str]]
) -> None:
    done = run(
        "edit", "exp-bbbbbbb2", "--json", env=editor("text = text.replace('the second', 'number two')")
    ).json
    assert done["changed"] and done["approved"] and not done["needs_approval"]
    text = tools.read_text()
    assert "// above number two\n" in text and "// behind number two\n" in text
    assert "2026-02-20" not in text.split("exp-bbbbbbb2")[1].split("approved")[0]


@pytest.mark.parametrize("code", ["", "text = ''", "text = '// only a remark\\n'"])
def test_unchanged_or_emptied_changes_nothing(
    tools: Path,
    run: Call,
    git: Callable[..., str],
    editor: Callable[[str], dict[str, str]],
    world: Path,
    code: str,
) -> None:
    before, commits = tools.read_bytes(), heads(git, world)
    assert run("edit", "exp-bbbbbbb2", "--json", env=editor(code)).json["changed"] is False
    assert tools.read_bytes() == before
    assert heads(git, world) == commits
    assert not list(Path(os.environ.get("TMPDIR", "/tmp")).glob("alice-exp-*/exp-bbbbbbb2.jsonc"))


def test_a_fault_opens_the_editor_again_at_its_line(
    tools: Path, run: Call, editor: Callable[[str], dict[str, str]], world: Path
) -> None:
    code = """if count == 1:
    text = text.replace('"state": "reliable"', '"state": "reliabel"')
else:
    text = text.replace('reliabel', 'past')"""
    done = run("edit", "exp-aaaaaaa2", "--json", env=editor(code))
    assert done.json["state"] == "past"
    first, second, _ = (world / "opened").read_text().split("@@", 2)
    assert f'// alice-exp: "state" is one of {", ".join(STATES)}' in second
    line = int((world / "opened").read_text().split("@@")[2].split("\n")[0])
    assert "reliabel" in second.partition("\n")[2].splitlines()[line - 1]
    assert "alice-exp:" not in tools.read_text()
    assert "is one of possible" in done.stderr and "// alice-exp" in first


@pytest.mark.parametrize(
    ("code", "sentence"),
    cases(__file__, "test_what_an_edit_may_not_do_is_refused_and_the_text_is_kept"),
    ids=["id", "archived", "approved", "two", "broken"],
)
def test_what_an_edit_may_not_do_is_refused_and_the_text_is_kept(
    tools: Path, run: Call, editor: Callable[[str], dict[str, str]], code: str, sentence: str
) -> None:
    before = tools.read_bytes()
    env = editor(f"if count == 1: {code}")
    done = run("edit", "exp-aaaaaaa2", "--json", env=env, check=False)
    assert done.code == 3 and sentence in done.error["message"] and done.error["line"] > 2
    assert tools.read_bytes() == before
    kept = Path(done.error["path"])
    assert kept.exists()
    kept.unlink()


def test_a_dropped_id_comes_back_and_a_changed_block_is_not_overwritten(
    tools: Path, run: Call, editor: Callable[[str], dict[str, str]]
) -> None:
    code = "text = text.replace('\"id\": \"exp-bbbbbbb2\", ', '').replace('ruff format', 'ruff')"
    assert run("edit", "exp-bbbbbbb2", "--json", env=editor(code)).json["id"] == "exp-bbbbbbb2"
    assert '"exp-bbbbbbb2"' in tools.read_text()
    meanwhile = (
        f"p = pathlib.Path({str(tools)!r}); p.write_text(p.read_text().replace('ruff\"', 'black\"'))\n"
        "text = text.replace('ruff', 'yapf')"
    )
    done = run("edit", "exp-bbbbbbb2", "--json", env=editor(meanwhile), check=False)
    assert done.code == 5
    assert "black" in tools.read_text() and "yapf" not in tools.read_text()


def test_a_candidate_edited_after_the_report_has_to_be_shown_again(
    home: Path, cli: Call, run: Call, editor: Callable[[str], dict[str, str]]
) -> None:
    candidate = act(cli, "memorize", "use uv", "--when", "installing")["id"]
    cli("heartbeat")
    run("edit", str(candidate), env=editor("text = text.replace('use uv', 'use uv pip')"))
    assert cli("approve", str(candidate), "--yes", check=False).code == 5
    cli("heartbeat")
    cli("approve", str(candidate), "--yes")


def test_the_editor_gets_a_private_file(
    tools: Path, run: Call, editor: Callable[[str], dict[str, str]], world: Path
) -> None:
    code = f"import os; pathlib.Path({str(world / 'mode')!r}).write_text(oct(os.stat(path.parent).st_mode))"
    run("edit", "exp-aaaaaaa2", env=editor(code))
    assert stat.S_IMODE(int((world / "mode").read_text(), 8)) == 0o700
    # Without a terminal an editor that nobody named would wait for ever.
    refused = run("edit", "exp-aaaaaaa2", "--json", env={"EDITOR": " "}, check=False)
    assert (refused.code, refused.error["hint"]) == (3, "set VISUAL or EDITOR")


# -- retire and revive ------------------------------------------------------------------------------------------


# -- all of them ------------------------------------------------------------------------------------------------

ACTS = tuple(cases(__file__, "ACTS"))


@pytest.mark.parametrize("words", ACTS, ids=lambda words: words[0])
def test_an_agent_is_refused_with_the_persons_command(
    tools: Path, cli: Call, git: Callable[..., str], world: Path, words: tuple[str, ...]
) -> None:
    before, commits = tools.read_bytes(), heads(git, world)
    refused = cli(*words, "--json", env={"ALICE_ACTOR": "agent:claude"}, check=False)
    assert refused.code == 6
    assert refused.error["hint"].startswith(f"ask the person to run: alice-exp {words[0]} exp-")
    assert tools.read_bytes() == before and heads(git, world) == commits


@pytest.mark.parametrize("words", ACTS, ids=lambda words: words[0])
def test_a_dry_run_changes_nothing(
    tools: Path,
    cli: Call,
    run: Call,
    git: Callable[..., str],
    editor: Callable[[str], dict[str, str]],
    world: Path,
    words: tuple[str, ...],
) -> None:
    cli("retire", "exp-bbbbbbb2", "--reason", "x")
    before, commits = tools.read_bytes(), heads(git, world)
    env = editor("text = text.replace('use rg', 'use grep')")
    done = run(*words, "--dry-run", "--json", env=env).json
    assert done["commit"] is None
    assert tools.read_bytes() == before and heads(git, world) == commits


def test_the_editor_opens_again_without_end_on_a_terminal(
    tools: Path, editor: Callable[[str], dict[str, str]]
) -> None:
    """Five faults in a row, then a good text: on a terminal nobody is cut off."""
    code = """if count == 1: text = text.replace('"reliable"', '0')
elif count < 6: text += ' '
else: text = text.replace('"state": 0', '"state": "past"')"""
    environment = {**os.environ, **editor(code), "PYTHONPATH": str(ROOT)}
    pid, terminal = pty.fork()
    if pid == 0:
        os.execve(sys.executable, [sys.executable, "-m", "alice_exp", "edit", "exp-aaaaaaa2"], environment)
    said = _said(pid, terminal)
    assert "changed" in said.stdout and said.code == 0
    assert '"state": "past"' in tools.read_text()


def _said(pid: int, terminal: int) -> Result:
    pieces = []
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                pieces.append(os.read(terminal, 4096))
            except OSError:
                break
    _, status = os.waitpid(pid, 0)
    return Result(os.waitstatus_to_exitcode(status), b"".join(pieces).decode(), "")


@pytest.mark.parametrize("act", [["retire", "--reason", "x"], ["purge"], ["show"], ["why"]])
def test_a_bare_number_is_no_beginning_of_an_id_because_a_report_numbers_by_it(
    tools: Path, cli: Call, act: list[str]
) -> None:
    tools.write_text(TOOLS.replace("exp-aaaaaaa2", "exp-3aaaaaa2"), encoding="utf-8")
    before = tools.read_bytes()
    refused = cli(act[0], "3", *act[1:], "--yes", check=False)
    assert refused.code == 2
    assert "may be a number in the report" in refused.stderr
    assert tools.read_bytes() == before
    assert cli("show", "3a").code == 0
