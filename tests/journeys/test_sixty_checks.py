"""The acceptance checks of REQUIREMENTS D, by number, as far as their commands exist."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.case_tables import cases, table

Call = Callable[..., Any]
AGENT = {"ALICE_ACTOR": "agent:claude"}
PERSONAL = "experiences/personal/user_preferences.jsonc"
UNIVERSAL = "experiences/universal/tool_usage.jsonc"


def commits(git: Callable[..., str], home: Path) -> int:
    """How many commits the home has."""
    return int(git(home, "rev-list", "--count", "HEAD"))


def outcome(cli: Call, block: str, verdict: str, scenario: str = "") -> Any:
    """One outcome's JSON answer."""
    return cli("outcome", block, verdict, *(["--scenario", scenario] if scenario else []), "--json").json


# -- Home, storage, git -------------------------------------------------------------------------------------------


def test_d02_every_act_is_one_commit_and_leaves_the_tree_clean(
    home: Path, cli: Call, git: Callable[..., str], sound: Callable[[Path], None]
) -> None:
    count = commits(git, home)

    def act(*words: str, stdin: str | None = None) -> Any:
        nonlocal count
        answer = cli(*words, "--json", stdin=stdin).json
        count += 1
        assert commits(git, home) == count, f"{words} made no single commit"
        assert answer["commit"] == git(home, "rev-parse", "HEAD")
        assert git(home, "status", "--porcelain") == ""
        return answer

    act("remember", "我喜欢吃辣")
    one = act("memorize", "use rg", "--when", "searching code")["id"]
    two = act("memorize", "--from", "-", stdin='{"payload": "a"}\n{"payload": "b"}\n')["ids"]
    cli("heartbeat")
    count += 1
    act("approve", one, "--yes")
    act("reject", two[0])
    act("outcome", one, "ok")
    act("outcome", two[1], "fail")
    act("undo", "--yes")
    act("namespace", "create", "universal/recipes")
    system = home / "experiences/universal/system_info.jsonc"
    system.write_text('{"blocks": []}\n', encoding="utf-8")
    cli("list")
    count += 1
    act("restore", one)
    sound(home)


def test_d05_a_kill_between_temporary_file_and_rename_leaves_the_original(
    home: Path, cli: Call, git: Callable[..., str], sound: Callable[[Path], None]
) -> None:
    cli("remember", "tea")
    path = home / PERSONAL
    before, count = path.read_bytes(), commits(git, home)
    script = (
        "import os\nfrom alice_exp.kernel.journal import transaction\ntransaction._prepare = lambda *a, **k: os.kill(os.getpid(), 9)\n"
        "from alice_exp.app.main import run\nrun(['remember', 'coffee'])"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    killed = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, check=False)
    assert killed.returncode == -9
    left = list(path.parent.glob(".*alice-tmp*"))
    assert len(left) == 1
    assert path.read_bytes() == before
    assert [one["payload"] for one in cli("list", "--json").json["blocks"]] == ["tea"]
    assert git(home, "status", "--porcelain") == ""
    assert [path.exists() for path in left] == [True]
    cli("doctor", "--fix", "--yes")
    assert [path.exists() for path in left] == [False]
    cli("remember", "water")
    assert commits(git, home) == count + 1
    sound(home)


@pytest.mark.parametrize("step", ["_swap_all", "_land"])
def test_d06_an_act_on_two_files_is_landed_whole_by_the_next_verb(
    step: str, home: Path, cli: Call, git: Callable[..., str], sound: Callable[[Path], None]
) -> None:
    one = cli("memorize", "use rg", "--json").json["id"]
    script = (
        f"import os\nfrom alice_exp.kernel.journal import transaction\ntransaction.{step} = lambda *a, **k: os.kill(os.getpid(), 9)\n"
        f"from alice_exp.app.main import run\nrun(['approve', '{one}', '--yes'])"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    assert subprocess.run([sys.executable, "-c", script], env=environment, check=False).returncode == -9
    two = cli("memorize", "use fd", "--json", env=AGENT).json["id"]
    log = cli("log", "--json").json["commits"][:2]
    assert [(act["op"], act["actor"], act["blocks"]) for act in log] == [
        ("memorize", "agent:claude", [two]),
        ("approve", "user", [one]),
    ]
    assert {block["id"]: block["set"] for block in cli("list", "--json").json["blocks"]} == {
        one: "universal",
        two: "low_value",
    }
    sound(home)


@table("broken")
def test_d08_a_broken_file_is_named_with_its_line_and_the_others_work(
    broken: str, home: Path, cli: Call
) -> None:
    cli("remember", "tea")
    (home / UNIVERSAL).write_text(broken, encoding="utf-8")
    found = cli("check", check=False)
    assert found.code == 3
    assert re.match(r"universal/tool_usage\.jsonc:[1-5]:\d+: ", found.stdout)
    assert cli("recall", "tea", "--json").json["matches"][0]["payload"] == "tea"
    cli("remember", "coffee")


# -- Blocks, states, sets -----------------------------------------------------------------------------------------


def test_d14_three_ten_and_fifty_successes(home: Path, cli: Call) -> None:
    block = cli("memorize", "use rg", "--json").json["id"]
    seen = {}
    for count in range(1, 51):
        after = outcome(cli, block, "ok")
        assert after["verifications"] == count
        shown = cli("show", block, "--json").json if count in (2, 3, 9, 10, 49, 50) else None
        if shown:
            seen[count] = (shown["state"], shown["level"], shown["confidence"])
    assert seen == {
        2: ("possible", "possible", 0.3),
        3: ("past", "past", 0.6),
        9: ("past", "past", 0.6),
        10: ("reliable", "reliable", 0.9),
        49: ("reliable", "reliable", 0.9),
        50: ("reliable", "super_reliable", 0.9),
    }


# -- Heartbeat ----------------------------------------------------------------------------------------------------


@table("who")
def test_d29_only_a_person_decides(
    who: dict[str, str], home: Path, cli: Call, git: Callable[..., str]
) -> None:
    block = cli("memorize", "use rg", "--json").json["id"]
    cli("heartbeat")
    gone = cli("memorize", "gone", "--json").json["id"]
    head = git(home, "rev-parse", "HEAD")
    for words in (
        ("approve", block, "--yes"),
        ("approve", "--all", "--yes"),
        ("reject", block),
        ("remember", "tea"),
        ("undo", "--yes"),
        ("restore", gone),
        ("namespace", "create", "universal/x"),
    ):
        result = cli(*words, "--json", env=who, check=False)
        assert result.code == 6, f"{words} ended with {result.code}"
        assert "alice-exp" in result.error["hint"], "the person is told what to run"
    assert git(home, "rev-parse", "HEAD") == head
    cli("heartbeat", env=who)
    assert git(home, "rev-parse", "HEAD") == head, "an agent's heartbeat is a peek"
    claimed = cli("approve", block, "--yes", "--actor", "user", env=who, check=False)
    assert claimed.code == (0 if "ALICE_ACTOR" in who else 6), "a name may be changed, the process may not"


# -- The documents of DESIGN 7 ------------------------------------------------------------------------------------


def test_json_documents_have_their_keys(home: Path, cli: Call) -> None:
    made = cli("memorize", "use rg", "--when", "searching code", "--json").json
    assert {"id", "set", "namespace", "state", "commit"} <= made.keys()
    assert {"ids", "commit"} <= cli("memorize", "--from", "-", "--json", stdin='{"payload": "a"}').json.keys()
    found = cli("recall", "searching code", "--json").json
    assert found["query"] == "searching code"
    keys = set(cases(__file__, "KEYS"))
    assert keys <= found["matches"][0].keys()
    assert {"id", "state", "verifications", "effect", "commit"} <= outcome(cli, made["id"], "ok").keys()
    shown = cli("show", made["id"], "--json").json
    assert {"id", "payload", "set", "namespace", "confidence", "level", "trust", "decay"} <= shown.keys()
    listed = next(one for one in cli("list", "--json").json["blocks"] if one["id"] == made["id"])
    assert shown.keys() == listed.keys()
    report = cli("heartbeat", "--json").json
    assert {"report", "new", "today", "items", "changed", "fading", "problems", "summary"} <= report.keys()
    item = {"number", "id", "trigger", "payload", "state", "confidence", "suggested", "expires_at"}
    assert item <= report["items"][0].keys()
    assert {"ids", "commit"} <= cli("approve", made["id"], "--yes", "--json").json.keys()
    assert {"commit", "at", "op", "actor", "blocks", "subject"} <= cli("log", "--json").json["commits"][
        0
    ].keys()
    (home / UNIVERSAL).write_text("{", encoding="utf-8")
    problem = cli("check", "--json", check=False).json["problems"][0]
    assert {"path", "line", "column", "message", "severity"} <= problem.keys()
    error = cli("show", "exp-nothing2", "--json", check=False)
    assert (error.code, error.stdout) == (4, "")
    assert {"code", "message", "hint", "path", "line", "column"} <= error.error.keys()


@pytest.mark.covers("RC.10")
def test_the_sample_home_is_in_order(sample: Path, cli: Call, sound: Callable[[Path], None]) -> None:
    assert cli("check", "--json").json == {"problems": []}
    blocks = cli("list", "--archived", "--json").json["blocks"]
    assert len(blocks) >= 60
    assert {one["state"] for one in blocks} == {"possible", "past", "reliable", "obsolete"}
    assert "super_reliable" in {one["level"] for one in blocks}
    for pattern in (
        "experiences/universal/*.jsonc", "experiences/personal/*.jsonc", "experiences/low_value_pool/pending_*.jsonc",
        "experiences/archive/obsolete.jsonc", "experiences/archive/rejected.jsonc", "experiences/config.jsonc",
        "experiences/records/episodes.jsonc", "experiences/records/events.jsonc", "sessions/*.jsonl",
    ):  # fmt: skip
        assert list(sample.glob(pattern)), pattern
    sound(sample)


def test_control_characters_never_reach_the_terminal_raw(home: Path, cli: Call) -> None:
    evil = "a\x1b[2J\x07\u202eb\u200b\u2066c"
    made = cli("memorize", evil, "--when", evil, "--tag", "x", "--json").json["id"]
    for words in (
        ("list",),
        ("show", made),
        ("why", made),
        ("heartbeat",),
        ("recall", evil),
        ("log",),
        ("diff",),
    ):
        said = cli(*words, check=False)
        for mark in ("\x1b", "\x07", "\u202e", "\u2066"):
            assert mark not in said.stdout + said.stderr, words
    assert cli("show", made, "--json").json["payload"] == evil
