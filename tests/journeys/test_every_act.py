"""REQUIREMENTS D 2, 6, 36 and 54 to their last word: every act that there is, the border to the token."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Call

Git = Callable[..., str]


class Acts:
    """Run commands, and see that each of them is exactly one commit over a clean tree."""

    def __init__(self, home: Path, cli: Call, git: Git) -> None:
        self.home, self.cli, self.git = home, cli, git
        self.count = self.commits()

    def commits(self) -> int:
        return int(self.git(self.home, "rev-list", "--count", "HEAD"))

    def __call__(self, *words: str, **named: Any) -> Any:
        answer = self.cli(*words, "--json", **named).json
        self.count += 1
        assert self.commits() == self.count, f"{words} is not one commit"
        by = "%(trailers:key=Alice-Op,valueonly)%(trailers:key=Alice-Actor,valueonly)"
        assert len(self.git(self.home, "log", "-1", f"--format={by}").split("\n")) == 2, f"{words}: by whom?"
        assert self.git(self.home, "status", "--porcelain", "--untracked-files=all") == "", words
        return answer


@pytest.fixture
def act(home: Path, cli: Call, git: Git) -> Acts:
    return Acts(home, cli, git)


@pytest.mark.covers("RC.6")
def test_every_act_on_a_block_is_one_commit(act: Acts, cli: Call, sound: Callable[[Path], None]) -> None:
    one, two, three = (act("memorize", f"lesson {name}", "--when", name)["id"] for name in "abc")
    number = {item["id"]: item["number"] for item in act("heartbeat")["items"]}
    act("reply", f"同意 {number[one]} {number[two]}", "--yes")
    act("reject", three)
    act("revive", three, "--from-rejected", "--yes")
    act("edit", one, env={"EDITOR": "sed -i 's/lesson a/lesson alpha/'"})
    act("approve", one, "--yes")
    act("move", one, "universal/recipes")
    act("outcome", cli("decide", "lesson", "--json", check=False).json["decision"], "ok", "--used", one)
    act("share", "allow", one, "--yes")
    act("share", "deny", one)
    act("retire", one, "--reason", "over", "--yes")
    act("revive", one, "--yes")
    act("undo", "--yes")
    act("config", "set", "episodes.capacity", "900")
    act("import", "jsonl", "-", stdin='{"payload": "from elsewhere"}\n')
    act("session", "extract", _said(cli, "我喜欢吃辣"))
    act("session", "end", _said(cli, "我叫张三", "later"))
    two_now = act.home / "experiences/universal/system_info.jsonc"
    text = two_now.read_text("utf-8")
    two_now.write_text(text.replace("lesson b", "lesson beta"), encoding="utf-8")
    assert cli("show", two, "--json").json["payload"] == "lesson beta"
    act.count += 1
    assert act.commits() == act.count, "a hand edit is one commit too"
    sound(act.home)


def _said(cli: Call, text: str, name: str = "demo") -> str:
    cli("session", "start", name)
    cli("session", "say", name, text)
    return name


@pytest.mark.covers("R2.24")
def test_before_it_is_prepared_it_never_happened(
    home: Path, cli: Call, git: Git, sound: Callable[[Path], None]
) -> None:
    one = cli("memorize", "use rg", "--json").json["id"]
    head = git(home, "rev-parse", "HEAD")
    script = (
        "import os\nfrom alice_exp.kernel.journal import transaction\ntransaction._prepare = lambda *a: os.kill(os.getpid(), 9)\n"
        f"from alice_exp.app.main import run\nrun(['approve', '{one}', '--yes'])"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    assert subprocess.run([sys.executable, "-c", script], env=environment, check=False).returncode == -9
    assert git(home, "rev-parse", "HEAD") == head
    two = cli("memorize", "use fd", "--json").json["id"]
    assert [act["op"] for act in cli("log", "--json").json["commits"]] == ["memorize", "memorize", "init"]
    assert {one["id"]: one["set"] for one in cli("list", "--json").json["blocks"]} == {
        one: "low_value",
        two: "low_value",
    }
    sound(home)


def _talk(cli: Call, name: str, last: int) -> None:
    """A system message and eight turns of 200 tokens, the first question filled up by ``last`` characters."""
    rows = [{"role": "system", "content": "be kind"}]
    for number in range(1, 9):
        rows.append({"role": "user", "content": f"U{number}" + "字" * (95 + (last if number == 1 else 0))})
        rows.append({"role": "assistant", "content": f"A{number}" + "字" * 95})
    cli("session", "start", name)
    cli("session", "say", name, "--from", "-", stdin="".join(json.dumps(row) + "\n" for row in rows))


def test_d54_from_exactly_102400_tokens_a_whole_chain_and_one_pair(home: Path, cli: Call) -> None:
    cli("config", "set", "long_term.max_buffer_turns", "0")
    _talk(cli, "small", 0)
    room = 102_399 - cli("session", "window", "small", "--json").json["tokens"]
    _talk(cli, "below", room)
    below = cli("session", "window", "below", "--json").json
    assert (below["tokens"], below["compressed"], len(below["messages"])) == (102_399, False, 17)
    _talk(cli, "at", room + 1)
    at = cli("session", "window", "at", "--json").json
    assert at["compressed"]
    roles = [one["content"][:2] if one["role"] != "tool" else "T" for one in at["messages"]]
    assert roles == ["be", "", "T", "U4", "A4", "U5", "A5", "U6", "A6", "U7", "A7", "U8", "A8"]
    assert at["messages"][1]["tool_calls"][0]["function"]["name"] == "memory_compress"
    assert at["messages"][2]["content"].startswith("[Previous Conversation Summary]\n")
    assert at["messages"][2]["content"].endswith("\n[End of Summary]")
    over = cli("session", "window", "at", "--max-context", "800", "--json").json["messages"]
    assert [one["content"][:2] for one in over[3:]] == ["U8", "A8"]

    _talk(cli, "demo", 0)
    call = {"id": "c1", "function": {"name": "get_weather", "arguments": "{}"}}
    chain = [
        {"role": "user", "content": "U9 天气？"},
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "content": "25°C", "tool_call_id": "c1"},
    ]
    cli("session", "say", "demo", "--from", "-", stdin="".join(json.dumps(one) + "\n" for one in chain))
    first = cli("session", "window", "demo", "--max-context", "600", "--json").json["messages"]
    assert [one["role"] for one in first] == ["system", "assistant", "tool", "user", "assistant", "tool"]
    assert first[3]["content"] == "U9 天气？" and first[4]["tool_calls"][0]["id"] == "c1"
    cli("session", "start", "again")
    grown = "".join(json.dumps(one) + "\n" for one in first)
    cli("session", "say", "again", "--from", "-", stdin=grown)
    said = [{"role": "assistant", "content": "25 度"}]
    for number in range(10, 14):
        said.append({"role": "user", "content": f"U{number}" + "字" * 95})
        said.append({"role": "assistant", "content": f"A{number}" + "字" * 95})
    cli("session", "say", "again", "--from", "-", stdin="".join(json.dumps(one) + "\n" for one in said))
    second = cli("session", "window", "again", "--max-context", "700", "--json").json
    pairs = [one for one in second["messages"] if "[Previous Conversation Summary]" in one["content"]]
    calls = [one for one in second["messages"] if "memory_compress" in str(one.get("tool_calls"))]
    assert second["compressed"] and (len(pairs), len(calls)) == (1, 1)
    assert "U1" in pairs[0]["content"] and "U9" in pairs[0]["content"]
