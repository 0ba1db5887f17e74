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
from tests.case_tables import cases
from tests.conftest import ROOT, Call
from tests.manual import every

TEXT = "用 ripgrep 搜索代码 😀 ﷽ ąß"
"""Characters that GBK lacks among those that it has."""

LINES: dict[str, str] = {
    **dict(cases(__file__, "LINES")),
    "memorize": f"memorize '{TEXT} 2' --when 搜索😀",
    "remember": f"remember '{TEXT} 3'",
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
