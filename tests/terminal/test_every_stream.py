"""No encoding and no closed stream breaks a command: each one under GBK, under ASCII, and with its stdout closed."""

import io
import json
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest

from alice_exp.app import main
from alice_exp.terminal import language
from tests.conftest import ROOT, Call
from tests.manual import every

TEXT = "用 ripgrep 搜索代码 😀 ﷽ ąß"
"""Characters that GBK lacks among those that it has."""

LINES: dict[str, str] = {
    "init": "init",
    "memorize": f"memorize '{TEXT} 2' --when 搜索😀",
    "remember": f"remember '{TEXT} 3'",
    "recall": "recall 搜索代码 --explain",
    "decide": "decide 搜索代码",
    "outcome": "outcome ID ok --note 😀",
    "keep": "keep ID",
    "status": "status",
    "heartbeat": "heartbeat",
    "approve": "approve 1 --yes",
    "reject": "reject 2 --reason 😀",
    "reply": "reply 同意 1 😀 --yes",
    "review": "review",
    "pause": "pause 😀",
    "list": "list",
    "show": "show ID",
    "why": "why ID",
    "edit": "edit ID",
    "move": "move ID personal/😀",
    "retire": "retire ID --reason 😀 --yes",
    "revive": "revive ID --yes",
    "purge": "purge ID --dry-run --yes",
    "log": "log --text -n 5",
    "diff": "diff",
    "undo": "undo --dry-run",
    "restore": "restore exp-22222222",
    "context": "context 搜索代码😀",
    "prime": "prime",
    "export": "export",
    "import alice": "import alice rows.jsonl",
    "import claude-md": "import claude-md CLAUDE.md --dry-run",
    "import skill": "import skill CLAUDE.md --dry-run",
    "import mem0": "import mem0 mem0.json --dry-run",
    "import basic-memory": "import basic-memory CLAUDE.md --dry-run",
    "import jsonl": "import jsonl rows.jsonl --dry-run",
    "assess": "assess 搜索代码",
    "consolidation": "consolidation ID",
    "stats": "stats",
    "impact": "impact",
    "check": "check",
    "doctor": "doctor",
    "config get": "config get lang",
    "config set": "config set sharing.name 😀",
    "config list": "config list",
    "config accept": "config accept sharing.name",
    "config edit": "config edit",
    "completion": "completion fish",
    "help": "help recall",
    "schedule install": "schedule install --at 😀",
    "schedule remove": "schedule remove --by 😀",
    "schedule status": "schedule status",
    "watch": "watch --nix",
    "owner init": "owner init --key 😀",
    "owner show": "owner show",
    "owner sign": "owner sign --yes",
    "owner drop": "owner drop --yes",
    "share allow": "share allow ID --yes",
    "share deny": "share deny ID",
    "share list": "share list",
    "share preview": "share preview",
    "share export": "share export - --yes",
    "share import": "share import rows.jsonl",
    "share log": "share log",
    "peer invite": "peer invite 😀",
    "peer join": "peer join 😀",
    "peer list": "peer list",
    "peer show": "peer show 😀",
    "peer forget": "peer forget 😀",
    "peer discover": "peer discover --nix 😀",
    "peer exchange": "peer exchange 😀",
    "peer serve": "peer serve 😀",
    "sync": "sync",
    "sync add": "sync add /nowhere/😀 --private --yes",
    "sync list": "sync list",
    "sync confirm": "sync confirm 😀",
    "sync remove": "sync remove 😀",
    "sync watch": "sync watch 😀",
    "sync settle": "sync settle",
    "episode add": "episode add --task '搜索😀' --success",
    "episode list": "episode list",
    "episode show": "episode show EP",
    "episode similar": "episode similar 搜索😀",
    "episode reflect": "episode reflect EP 😀",
    "episode stats": "episode stats",
    "episode prune": "episode prune --dry-run",
    "episode restore": "episode restore ep-22222222",
    "episode export": "episode export",
    "episode import": "episode import 😀.json",
    "event add": "event add '想到 😀'",
    "event result": "event result 1 😀",
    "event list": "event list",
    "event segments": "event segments",
    "event narrative": "event narrative",
    "event stats": "event stats",
    "event search": "event search 想到😀",
    "event expand": "event expand 1",
    "event export": "event export",
    "event import": "event import 😀.json",
    "distill": "distill",
    "session start": "session start other",
    "session say": "session say demo user '说 😀'",
    "session list": "session list",
    "session show": "session show demo",
    "session window": "session window demo",
    "session extract": "session extract demo",
    "session end": "session end demo",
    "session forget": "session forget other --yes",
    "session import": "session import rows.jsonl",
    "session search": "session search 说😀",
    "connect": "connect 😀",
    "disconnect": "disconnect 😀",
    "heard": "heard --all",
    "hook": "hook claude-code start",
    "project": "project",
    "project off": "project off 😀",
    "project on": "project on 😀",
    "project is": "project is 😀 a/b",
    "project not": "project not 😀 a/b",
    "project publish": "project publish --dry-run",
    "project trust": "project trust --dry-run",
    "mcp": "mcp 😀",
    "mcp install": "mcp install 😀",
    "namespace list": "namespace list",
    "namespace create": "namespace create universal/new --comment 😀",
    "namespace show": "namespace show personal/user_preferences",
}
"""A line of each command that has characters of every kind to print; some are mistakes whose errors have them."""


@pytest.fixture
def filled(home: Path, world: Path, cli: Call) -> dict[str, str]:
    """A home with such texts in every place, and the ids in it."""
    (world / "CLAUDE.md").write_text(f"# 😀\n- {TEXT}\n", "utf-8")
    (world / "mem0.json").write_text(json.dumps([{"id": "1", "memory": TEXT}]), "utf-8")
    (world / "rows.jsonl").write_text(json.dumps({"payload": TEXT}) + "\n", "utf-8")
    one = cli("remember", TEXT, "--when", "搜索代码", "--json").json["id"]
    for number in range(3):
        cli("memorize", f"{TEXT} 候选 {number}")
    episode = cli("episode", "add", "--task", TEXT, "--success", "--json").json["id"]
    cli("event", "add", TEXT)
    cli("session", "start", "demo")
    cli("session", "say", "demo", "user", TEXT)
    cli("heartbeat", "-q")
    return {"ID": one, "EP": episode}


def words_of(line: str, ids: dict[str, str]) -> list[str]:
    import shlex

    return [ids.get(word, word) for word in shlex.split(line)]


def test_every_command_has_its_line() -> None:
    assert set(LINES) == {name for name, _ in every()}


def answered(
    words: list[str], encoding: str | None, monkeypatch: pytest.MonkeyPatch
) -> tuple[int, bytes, str]:
    """One command in this process, its stdout strict in an encoding, or none at all; its exit code and what it said."""
    out, err = io.BytesIO(), io.TextIOWrapper(io.BytesIO(), "utf-8", errors="backslashreplace")
    stdout = io.TextIOWrapper(out, encoding, errors="strict") if encoding else None
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b""), "utf-8"))
        patch.setattr(sys, "stdout", stdout)
        patch.setattr(sys, "stderr", err)
        language.choose("")
        code = main.run([*words, "--lang", "zh"])
        for stream in (stdout, err):
            if stream is not None:
                stream.flush()
        said = err.buffer.getvalue().decode()  # type: ignore[attr-defined]
    return code, out.getvalue(), said


@pytest.mark.parametrize("encoding", ["gbk", "ascii", None])
def test_every_command_answers(
    filled: dict[str, str], world: Path, monkeypatch: pytest.MonkeyPatch, encoding: str | None
) -> None:
    monkeypatch.chdir(world)
    monkeypatch.setenv("EDITOR", "true")
    broken = []
    for name, line in LINES.items():
        code, out, said = answered(words_of(line, filled), encoding, monkeypatch)
        if code == 1 or "Error" in said or "Traceback" in said:
            broken.append(f"{name}: {code} {said[-200:]}")
        if encoding and name not in ("share export", "share preview"):  # a bundle is UTF-8, wherever it goes
            try:
                out.decode(encoding)
            except UnicodeDecodeError:
                broken.append(f"{name}: {out[:200]!r}")
    assert broken == []


@pytest.mark.parametrize("encoding", ["gbk", "ascii"])
def test_what_an_encoding_lacks_is_escaped_and_json_stays_json(
    filled: dict[str, str], monkeypatch: pytest.MonkeyPatch, encoding: str
) -> None:
    _, out, _ = answered(["show", filled["ID"]], encoding, monkeypatch)
    assert "\\U0001f600" in out.decode(encoding) and "ripgrep" in out.decode(encoding)
    assert ("搜索代码" in out.decode(encoding)) == (encoding == "gbk")
    _, out, _ = answered(["show", filled["ID"], "--json"], encoding, monkeypatch)
    assert json.loads(out)["payload"] == TEXT
    _, out, _ = answered(["list", "--format", "json", "--fields", "payload"], encoding, monkeypatch)
    assert TEXT in {row["payload"] for row in json.loads(out)["blocks"]}


@pytest.mark.parametrize(
    ("line", "closed"),
    [
        *product(["list", "--version", "list --json", "foo"], [">&-", ">&- 2>&- <&-"]),
        *product(["list", "foo"], ["2>&-", "<&-"]),
    ],
)
def test_a_closed_stream_is_nowhere(home: Path, line: str, closed: str) -> None:
    done = subprocess.run(
        ["sh", "-c", f'exec "$0" -m alice_exp {line} {closed}', sys.executable],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    assert done.returncode == (2 if line == "foo" else 0), done.stderr
    assert b"Traceback" not in done.stderr + done.stdout and b"Errno" not in done.stderr


def test_a_real_ascii_process_prints_chinese_escaped(home: Path, run: Call) -> None:
    run("remember", "用 rg")
    done = run("list", env={"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"})
    assert "\\u7528 rg" in done.stdout
