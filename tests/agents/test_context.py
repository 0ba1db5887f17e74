"""``context`` and ``prime``: what an agent should know of the user (D57, R4.23-R4.34, B4.10, B4.11)."""

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import alice_exp
from alice_exp.agents.usecases import agent_context
from alice_exp.app.opening import open_session
from alice_exp.conversations.rules.context_window import estimate_tokens
from alice_exp.model import documents
from tests.case_tables import cases

Call = Callable[..., Any]


def told(cli: Call, *texts: str, name: str = "demo") -> None:
    cli("session", "start", name)
    for text in texts:
        cli("session", "say", name, text)
    cli("session", "end", name)


@pytest.mark.covers("R4.24")
def test_a_prompt_gets_the_memories_without_numbers(home: Path) -> None:
    person = alice_exp.Alice(home, "user")
    person.remember("用户喜欢吃辣的食物")
    assert person.context("用户喜欢什么") == "[User Memory]\n- 用户喜欢吃辣的食物"


@pytest.mark.covers("R4.30")
def test_a_home_is_for_one_person_and_knows_nothing_of_another(home: Path, world: Path) -> None:
    other = Path(shutil.copytree(home, world / "other", symlinks=True))
    alice_exp.Alice(home, "user").remember("用户喜欢吃辣的食物")
    assert alice_exp.Alice(other, "user").context("用户喜欢什么") == ""


# -- prime --------------------------------------------------------------------------------------------------------


def test_prime_is_the_same_on_every_day(sample: Path, cli: Call) -> None:
    today = cli("prime", "--json").json
    later = cli("prime", "--json", env={"ALICE_NOW": "2027-08-01T00:00:00Z"}).json
    assert today["blocks"] and today == later


PRIVATE = tuple(cases(__file__, "PRIVATE"))


@pytest.mark.parametrize("said", PRIVATE)
def test_what_is_private_is_kept_from_who_did_not_ask(
    home: Path, cli: Call, tmp_path: Path, said: str
) -> None:
    one = cli("remember", said, "--when", "logging in", "--json").json["id"]
    cli("remember", "I use vim for everything")
    primed = cli("prime", "--json").json
    assert primed["withheld"] == [one] and one not in primed["blocks"]
    assert said not in primed["text"] and "vim" in primed["text"]
    file = tmp_path / "AGENTS.md"
    done = cli("prime", "--into", str(file))
    assert said not in file.read_text("utf-8") and one in done.stderr
    for event, told in (("start", "{}"), ("prompt", f'{{"prompt": "logging in: {said[:12]}"}}')):
        assert said[-6:] not in cli("hook", "opencode", event, stdin=told).stdout
    assert cli("recall", "logging in", "--json").json["matches"][0]["id"] == one, "who asks is answered"


def _folders(top: Path) -> dict[str, Path]:
    """A file's path by what is around it: a repository in every form that git knows, links from and to it, none."""
    run = ("git", "-c", "user.name=x", "-c", "user.email=x@x", "-c", "protocol.file.allow=always")
    for name in ("repository", "source", "dots", "plain"):
        (top / name / "deep/er").mkdir(parents=True)
    for name in ("repository", "source"):
        subprocess.run([*run, "init", "-q"], cwd=top / name, check=True)
        subprocess.run([*run, "commit", "-q", "--allow-empty", "-m", "x"], cwd=top / name, check=True)
    subprocess.run([*run, "worktree", "add", "-q", str(top / "tree")], cwd=top / "repository", check=True)
    subprocess.run(
        [*run, "submodule", "-q", "add", str(top / "source"), "sub"], cwd=top / "repository", check=True
    )
    subprocess.run([*run, "init", "-q", "--bare", str(top / "bare.git")], check=True)
    (top / "dots/.git").symlink_to(top / "repository/.git")
    (top / "plain/into").symlink_to(top / "repository/deep")
    (top / "plain/one.md").symlink_to(top / "repository/one.md")
    (top / "repository/out.md").symlink_to(top / "plain/out.md")
    inside = {
        "its root": "repository/AGENTS.md",
        "a folder of it": "repository/deep/er/AGENTS.md",
        "a folder that is not there yet": "repository/new/AGENTS.md",
        "up and down": "plain/../repository/AGENTS.md",
        "a work tree": "tree/AGENTS.md",
        "a submodule": "repository/sub/AGENTS.md",
        "a bare one": "bare.git/AGENTS.md",
        "a link for .git": "dots/deep/AGENTS.md",
        "a folder's link into it": "plain/into/AGENTS.md",
        "a file's link into it": "plain/one.md",
        "a file's link out of it": "repository/out.md",
    }
    return {name: top / path for name, path in (inside | {"none": "plain/deep/AGENTS.md"}).items()}


def test_no_file_of_a_repository_gets_what_is_about_the_person_unasked(
    home: Path, cli: Call, world: Path
) -> None:
    cli("remember", "I like green tea")
    for text, about in (("run make test", "work"), ("sign my commits as Ada", "user")):
        one = cli("memorize", text, "--about", about, "--json").json["id"]
        cli("heartbeat")
        cli("approve", one, "--yes", "--to", "universal/notes")
    mine = {"I like green tea", "sign my commits as Ada"}
    for name, path in _folders(world / "there").items():
        left = 0 if name == "none" else 2
        done = cli("prime", "--into", str(path), "--json")
        text = path.read_text("utf-8")
        assert "run make test" in text, name
        assert {one for one in mine if one in text} == (set() if left else mine), name
        assert done.json["personal_left_out"] == left and ("--personal" in done.stderr) is bool(left), name
        assert cli("prime", "--into", str(path), "--personal", "--json").json["personal_left_out"] == 0
        assert all(one in path.read_text("utf-8") for one in mine), name
        # What an earlier run put there goes with the next.
        cli("prime", "--into", str(path))
        assert any(one in path.read_text("utf-8") for one in mine) is not bool(left), name
    assert all(one in cli("prime").stdout for one in mine), "what is printed goes into no file"


@pytest.mark.parametrize("budget", [1, 20, 40, 80, 200])
def test_prime_keeps_its_budget(home: Path, cli: Call, budget: int) -> None:
    for number in range(20):
        cli("remember", f"lesson number {number}: " + "word " * number)
    answer = cli("prime", "--tokens", str(budget), "--json").json
    assert answer["tokens"] == estimate_tokens(answer["text"]) <= budget
    assert len(answer["blocks"]) + answer["left_out"] == 20
    assert bool(answer["blocks"]) == (budget >= 40)


def test_each_block_is_written_once_however_many_there_are(
    home: Path, cli: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The text was once composed anew for each block that might fit: 0.5 s at 2,000, before every conversation."""
    for number in range(30):
        cli("remember", f"偏好 number {number}")
    asked: list[str] = []
    told = documents.said
    monkeypatch.setattr(documents, "said", lambda one: asked.append(one.block.id) or told(one))
    made = agent_context.prime(open_session(str(home), "user"), 90)
    assert sorted(asked) == sorted(set(asked)) and len(asked) == 30
    assert made.tokens == estimate_tokens(made.text) <= 90
    assert len(made.blocks) + made.left_out == 30 and made.blocks and made.left_out


def test_the_newest_word_of_the_person_goes_first_among_equals_and_what_is_left_is_told(
    home: Path, cli: Call
) -> None:
    approved = [
        {"payload": f"topic: the user likes {one} a great deal", "importance": 0.8, "about": "user"}
        for one in ("chess", "rowing", "jazz", "baking", "stamps", "hiking", "opera", "gardens", "kites")
    ]
    cli("memorize", "--from", "-", stdin="\n".join(map(json.dumps, approved)))
    cli("heartbeat")
    cli("approve", "--all", "--yes")
    for day in range(1, 9):
        at = {"ALICE_NOW": f"2026-03-0{day}T09:00:00Z"}
        cli("remember", f"I prefer option {day} whenever subject {day} comes up in talk", env=at)
    cli("remember", "NEVER email the minister directly", env={"ALICE_NOW": "2026-03-09T09:00:00Z"})
    answer = cli("prime", "--tokens", "120", "--json").json
    lines = answer["text"].splitlines()
    assert lines[2] == "- NEVER email the minister directly" and "topic" not in answer["text"]
    assert lines[-1] == f"{answer['left_out']} more that did not fit: ask recall or decide"
