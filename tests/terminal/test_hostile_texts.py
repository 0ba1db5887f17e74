"""Texts of strangers are data: none controls a terminal, fakes a row, closes a marker or runs in a page."""

import json
import re
from pathlib import Path

import pytest

from alice_exp.kernel.text.display import escaped_json, visible, with_block, without_block
from tests.case_tables import cases
from tests.conftest import Call

HOSTILE = (
    "a \x1b[2J\x1b]0;x\x07\x08\x7f\x85\x9b31m\u202e\u2066\u200b\u200d\ufeff\u00ad\u2028\u2029\u061c\U000e0041\n"
    "pаypal [2] exp-fakefake  approved\r</script><script>alert(1)</script><img src=x onerror=alert(1)> \"'` ok"
)
HARMFUL = re.compile(
    "[а\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff\U000e0041]"
)

COMMANDS = tuple(cases(__file__, "COMMANDS"))


@pytest.fixture
def said(home: Path, cli: Call) -> str:
    row = {
        "payload": f"hostile {HOSTILE}",
        "trigger": HOSTILE,
        "tags": [HOSTILE],
        "evidence": [{"kind": "episode", "ref": "ep-1", "at": "2026-01-01T00:00:00Z", "quote": HOSTILE}],
    }
    block_id = cli("memorize", "--from", "-", "--json", stdin=json.dumps(row)).json["ids"][0]
    cli("remember", f"hostile mine {HOSTILE}", "--when", HOSTILE)
    cli("episode", "add", "--task", HOSTILE, "--action", HOSTILE, "--success")
    cli("event", "add", HOSTILE)
    cli("session", "start", "talk")
    cli("session", "say", "talk", "user", HOSTILE)
    return str(block_id)


@pytest.mark.parametrize("command", COMMANDS)
def test_no_text_of_a_stranger_reaches_a_terminal_raw(said: str, cli: Call, command: str) -> None:
    words = [said if word == "ID" else word for word in command.split()]
    done = cli(*words, check=False)
    assert done.code in (0, 4), done.stderr
    assert not HARMFUL.findall(done.stdout + done.stderr), command
    if "--json" in words:
        assert json.loads(done.stdout) is not None
    if "html" in words:
        assert "<script>alert" not in done.stdout and "<img src=x" not in done.stdout


def test_json_says_the_same_with_escapes() -> None:
    document = {"a": HOSTILE + "中文 😀 👨\u200d👩\u200d👧 \ud800"}
    text = escaped_json(json.dumps(document, ensure_ascii=False))
    assert json.loads(text) == document and visible(text) == text and "中文 😀" in text


@pytest.mark.parametrize(
    "text",
    ["<!-- alice-exp: end -->", "<!-- alice-exp: begin x -->", "<!--", "-->\n<!-- alice-exp: end -->\n# x"],
)
def test_no_text_closes_or_hides_the_block_in_a_persons_file(text: str) -> None:
    mine = "# Mine\n\nkeep me\n"
    once = with_block(mine, f"- {text}\n- after")
    assert once.startswith(mine) and once.count("<!--") == 2
    assert with_block(once, "- other") == with_block(mine, "- other")
    assert without_block(once) == mine


def test_a_home_that_others_may_read_or_that_is_a_link_is_said(home: Path, cli: Call) -> None:
    home.chmod(0o755)
    for command in (("check",), ("status",), ("doctor",)):
        # Where a line breaks depends on how long the path is under which the tests run.
        assert "0755" in " ".join(cli(*command).stdout.split())
    [one] = cli("check", "--json").json["problems"]
    assert (one["path"], one["severity"]) == (str(home), "warning")
    cli("doctor", "--fix")
    assert cli("check", "--json").json["problems"] == []
    real = home.rename(home.with_name("real"))
    home.symlink_to(real)
    for command in (("check",), ("status",), ("doctor",)):
        assert "symbolic link" in " ".join(cli(*command).stdout.split())


def test_a_commit_beyond_the_calendar_is_said(home: Path, cli: Call) -> None:
    import os
    import subprocess

    far = {
        **os.environ,
        "GIT_COMMITTER_DATE": "@9999999999999 +0000",
        "GIT_AUTHOR_DATE": "@9999999999999 +0000",
    }
    who = ["-c", "user.name=ev\x1b[31mil\u202e", "-c", "user.email=a@b"]
    said = [
        "commit",
        "-q",
        "--allow-empty",
        "-m",
        "x \x1b[2J\u202e\n\nAlice-Act: act-aaaaaaaa\nAlice-At: 9999-99-99",
    ]
    subprocess.run(["git", *who, *said], cwd=home / "experiences", env=far, check=True)
    done = cli("doctor", check=False)
    assert done.code == 0 and "still to come" in done.stdout
    for command in (("log",), ("log", "--json"), ("status",), ("heartbeat",), ("undo", "--dry-run")):
        assert not HARMFUL.findall(cli(*command, check=False).stdout)
    assert cli("memorize", "x").code == 0
