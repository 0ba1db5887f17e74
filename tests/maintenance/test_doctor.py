"""``doctor``, ``config`` and shell completion (D5, D12, D59; B2.27, B2.28; DESIGN 7)."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from alice_exp.model.values.config import OPTIONS
from tests.case_tables import table
from tests.conftest import ROOT, Call, Git


def look(cli: Call, *arguments: str, **named: Any) -> dict[str, Any]:
    """Every check by name, and the exit code under ``code``."""
    done = cli("doctor", *arguments, "--json", check=False, **named)
    return {check["name"]: check for check in done.json["checks"]} | {"code": done.code}


def messages(check: dict[str, Any]) -> str:
    return " · ".join(problem["message"] for problem in check["problems"])


def test_a_file_with_a_problem_and_a_damaged_object(home: Path, cli: Call) -> None:
    path = home / "experiences/universal/tool_usage.jsonc"
    path.write_text('{"blocks": [}')
    found = look(cli)
    assert found["code"] == 3
    assert (found["files"]["problems"][0]["path"], found["files"]["problems"][0]["line"]) == (
        "universal/tool_usage.jsonc",
        1,
    )
    path.write_text('{"blocks": []}')
    cli("list")
    pack = max((home / "experiences/.git/objects/pack").glob("*.pack"), key=lambda one: one.stat().st_size)
    pack.chmod(0o600)
    data = bytearray(pack.read_bytes())
    data[len(data) // 2] ^= 0xFF
    pack.write_bytes(data)
    found = look(cli)
    assert found["code"] == 3 and "git fsck" in messages(found["history"])


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give a file away")
def test_what_another_user_wrote_is_named(home: Path, cli: Call) -> None:
    os.chown(home / "experiences/personal/user_preferences.jsonc", 1, -1)
    found = look(cli)["permissions"]
    assert found["severity"] == "error"
    assert "belongs to another user" in messages(found)
    assert f"chown -R {os.geteuid()}" in found["problems"][0]["hint"]


def test_little_room_and_an_old_git(home: Path, cli: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    import shutil
    from collections import namedtuple

    from alice_exp.kernel.journal.git_process import Repository

    usage = namedtuple("usage", "total used free")
    for free, severity in ((100 << 20, "warning"), (1 << 20, "error"), (1 << 40, "ok")):
        monkeypatch.setattr(shutil, "disk_usage", lambda _, free=free: usage(1 << 41, 0, free))
        assert look(cli)["disk"]["severity"] == severity
    real = Repository.run

    def run(self: Repository, *arguments: str, **named: Any) -> bytes:
        return (
            b"git version 2.35.9 (Apple Git-1)"
            if arguments[0] == "--version"
            else real(self, *arguments, **named)
        )

    monkeypatch.setattr(Repository, "run", run)
    assert "2.35.9" in messages(look(cli)["git"])


def test_a_damaged_index_is_named_though_doctor_is_the_first_command_of_the_day(
    home: Path, cli: Call
) -> None:
    (home / "state/index.sqlite").write_bytes(b"no database at all" * 1000)
    lines = "\n".join(json.dumps({"payload": f"lesson {i} on subject {i * 7}"}) for i in range(300))
    cli("memorize", "--from", "-", stdin=lines)
    (home / "state/index.sqlite").write_bytes(b"no database at all" * 1000)
    told = cli("doctor", "--json", env={"ALICE_NOW": "2026-02-21T09:00:00Z"}).json
    assert "state/index.sqlite" in json.dumps(told)


# -- config -----------------------------------------------------------------------------------------------------


def test_every_key_is_listed_with_value_default_and_doc(home: Path, cli: Call) -> None:
    listed = cli("config", "list", "--json").json["config"]
    assert [row["key"] for row in listed] == [option.name for option in OPTIONS]
    # The tests' homes count what is typed into a file at once.
    ours = [option for option in OPTIONS if option.name != "hand_edits.trusted"]
    assert all(row["doc"] for row in listed)
    assert all(row["value"] == row["default"] for row in listed if row["key"] != "hand_edits.trusted")
    for option in ours:
        assert cli("config", "get", option.name, "--json").json["value"] == option.default


@table("key", "value")
def test_set_checks_the_kind(home: Path, cli: Call, git: Git, key: str, value: str) -> None:
    head = git(home, "rev-parse", "HEAD")
    assert cli("config", "set", "--", key, value, check=False).code == 2
    assert git(home, "rev-parse", "HEAD") == head


# -- completion -------------------------------------------------------------------------------------------------


def offers(run: Call, *words: str) -> dict[str, str]:
    done = run(*words, env={"_ALICE_EXP_COMPLETE": "1"})
    rows = [line.partition("\t") for line in done.stdout.splitlines()]
    return {value: hint for value, _, hint in rows}


def test_ids_complete_with_their_triggers(home: Path, run: Call, cli: Call) -> None:
    one = cli("remember", "我喜欢吃辣", "--when", "choosing\tfood", "--json").json["id"]
    two = cli("memorize", "use rg", "--when", "searching", "--json").json["id"]
    assert offers(run, "show", "exp-") == {one: "choosing food", two: "searching"}
    both = {one: "choosing food", two: "searching"}
    assert offers(run, "show", one[:6]) == {name: hint for name, hint in both.items() if name[:6] == one[:6]}
    assert offers(run, "approve", "") == {two: "searching"}
    assert offers(run, "restore", "") == offers(run, "sync", "confirm", "") == {}
    assert offers(run, "revive", "") == {} and "" not in offers(run, "sync", "")
    assert offers(run, "--home", str(home), "approve", two, "") == {}
    next((home / "experiences" / "low_value_pool").glob("*.jsonc")).unlink()
    assert list(offers(run, "restore", "")) == [two]
    assert set(offers(run, "move", one, "")) >= {"personal/user_preferences", "universal/tool_usage"}


def test_bash_inserts_the_id_and_runs_nothing_of_what_it_reads(home: Path, cli: Call, world: Path) -> None:
    trap = world / "trap"
    block_id = cli("remember", "x", "--when", f"$(touch {trap}) `touch {trap}` *", "--json").json["id"]
    cli("remember", "y", "--when", "another")
    bin_ = world / "bin"
    bin_.mkdir()
    (bin_ / "alice-exp").write_text(f'#!/bin/sh\nexec {sys.executable} -m alice_exp "$@"\n')
    (bin_ / "alice-exp").chmod(0o755)
    script = f"""eval "$(alice-exp completion bash)"
COMP_WORDS=(alice-exp show exp-); COMP_CWORD=2; _alice_exp_complete; printf '%s\\n' "${{COMPREPLY[@]}}"
COMP_WORDS=(alice-exp show {block_id[:-1]}); _alice_exp_complete; printf '<%s>\\n' "${{COMPREPLY[@]}}"
"""
    environment = {**os.environ, "PATH": f"{bin_}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(["bash", "-c", script], env=environment, capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    assert len(lines) == 3 and lines[2] == f"<{block_id}>"
    assert any("another" in line for line in lines[:2]) and not trap.exists()


def test_a_script_for_each_shell_and_no_cost_without_one(home: Path, run: Call, cli: Call) -> None:
    for shell in ("bash", "zsh", "fish"):
        assert "_ALICE_EXP_COMPLETE=1" in cli("completion", shell).stdout
    assert cli("completion", "csh", check=False).code == 2
    code = (
        "import sys; from alice_exp.app.main import run; run(['list', '-q'])\n"
        "print('alice_exp.app.completion' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "False"


def test_doctor_speaks_json_that_a_script_can_read(home: Path, cli: Call) -> None:
    document = json.loads(cli("doctor", "--json").stdout)
    assert all({"name", "severity", "mended", "problems"} == set(check) for check in document["checks"])
