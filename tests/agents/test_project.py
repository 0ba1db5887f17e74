"""Projects: what was learned in one holds there; a person widens it, confirms names, switches learning off (DESIGN 7)."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from alice_exp import Alice, Filters, RefusedError, UsageError
from alice_exp.caller.project import spot_at

Call = Callable[..., Any]
Repository = Callable[..., Path]


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, by_folder: None) -> Repository:
    """Make a repository, with a remote where one is named, and go there."""

    def made(name: str, remote: str = "", mark: str = "") -> Path:
        folder = tmp_path / "work" / name
        if not folder.exists():
            git(folder.parent, "init", "-q", str(folder))
        if remote:
            git(folder, "config", "remote.origin.url", remote)
        if mark:
            (folder / ".alice-project").write_text(f"{mark}\n", encoding="utf-8")
        monkeypatch.chdir(folder)
        return folder

    return made


def git(folder: Path, *words: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["git", "-C", str(folder), *words], check=True, capture_output=True)


def key(folder: Path) -> str:
    return spot_at(folder).remote


def test_git_says_where_a_repository_comes_from(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    person = Path.home()
    one = repository("one", "https://me:pw@example.org:443/Group/One.git")
    (one / "src").mkdir()
    assert key(one / "src") == "example.org/group/one"
    git(one, "config", "remote.origin.url", "gh:x/x")
    (person / ".gitconfig").write_text(
        '[include]\n\tpath = more\n[url "bad:"]\n\tinsteadOf = g\n', encoding="utf-8"
    )
    (person / "more").write_text(
        '[url "git@github.com:"] insteadOf = "gh:" ; mine\n\tinsteadof = x:\n', "utf-8"
    )
    assert key(one) == "github.com/x/x"
    git(one, "config", "remote.origin.url", "x:x/x")
    assert key(one) == "github.com/x/x"
    two = repository("two")
    git(two, "config", "remote.up.url", "a.org:b/up")
    assert key(two) == "a.org/b/up"
    git(two, "config", "--add", "remote.origin.url", "a.org:b/first")
    git(two, "config", "--add", "remote.origin.url", "a.org:b/second")
    assert key(two) == "a.org/b/first"
    git(two, "-c", "user.name=a", "-c", "user.email=b", "commit", "-q", "--allow-empty", "-m", "x")
    git(two, "worktree", "add", "-q", str(tmp_path / "tree"))
    assert spot_at(tmp_path / "tree").path == str(two) and key(tmp_path / "tree") == key(two)
    git(one, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(two), "sub")
    assert key(one / "sub") == f"localhost{two}" and "github.com/x/x" in spot_at(one / "sub").around
    for folder in (person, Path("/"), tmp_path / "two\0"):
        git(person, "init", "-q")
        assert spot_at(folder).path == "", "~ and / are no project"
    plain = person / "notes"
    plain.mkdir()
    assert (spot_at(plain).path, spot_at(plain).is_repository) == (str(plain), False)
    (plain / "deep").mkdir()
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(plain))
    assert spot_at(plain / "deep").path == str(plain) and spot_at(tmp_path).path == str(tmp_path)


def test_nothing_in_a_strange_folder_holds_a_command_up(tmp_path: Path) -> None:
    mark, repo = tmp_path / ".alice-project", tmp_path / ".git"
    os.mkfifo(mark)
    repo.mkdir()
    os.mkfifo(repo / "config")
    assert (spot_at(tmp_path).named, spot_at(tmp_path).remote) == ("", "")
    mark.unlink()
    for held in (b"evil\x1b[31m\n", b"\xff\xfe", b"a" * 3_000_000):
        mark.write_bytes(held)
        assert spot_at(tmp_path).named == ""
    mark.unlink()
    shutil.rmtree(repo)
    for pointed in ("gitdir: /dev/zero", "gitdir: \0", "gitdir: ../.git"):
        repo.write_text(pointed, encoding="utf-8")
        assert spot_at(tmp_path).remote == ""


ORDER = {"en": "From now on, always run the tests before a commit.", "zh": "以后提交之前都要先跑测试。"}


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("remotes", [("git@a.org:x/one.git", "git@a.org:x/two.git"), ("", "")])
def test_what_is_said_in_one_project_is_told_there_and_nowhere_else(
    home: Path, cli: Call, repository: Repository, language: str, remotes: tuple[str, str], tmp_path: Path
) -> None:
    one, two = repository("one", remotes[0]), repository("two", remotes[1])
    plain = tmp_path / "plain"
    plain.mkdir()
    prompt = {"en": "run the tests before a commit", "zh": "提交之前跑测试"}[language]

    def hook(event: str, folder: Path, **more: Any) -> str:
        told = {"session_id": folder.name, "cwd": str(folder), **more}
        return cli("hook", "claude-code", event, stdin=json.dumps(told)).stdout

    talk = tmp_path / "talk.jsonl"
    row = {"type": "user", "uuid": "u", "message": {"role": "user", "content": ORDER[language]}}
    talk.write_text(json.dumps(row, ensure_ascii=False), encoding="utf-8")
    # The hook runs in another folder than the host works in.
    assert Path.cwd() == two
    hook("end", one, transcript_path=str(talk))
    (item,) = cli("heartbeat", "--json").json["items"]
    project = item["project"]
    assert project == "a.org/x/one" if remotes[0] else project.startswith("one-")
    assert project in cli("heartbeat").stdout
    assert cli("approve", "1", "--yes", "--json").json["blocks"][0]["project"] == project
    assert cli("show", item["id"], "--json").json["project"] == project
    for folder, fits in ((one, True), (two, False), (plain, False)):
        assert (item["id"] in hook("prompt", folder, prompt=prompt)) is fits
        assert (item["payload"] in cli("prime", "--project", spot_names(cli, folder)).stdout) is fits
    # The same said in another project waits there.
    hook("end", two, transcript_path=str(talk))
    (other,) = cli("heartbeat", "--json").json["items"]
    assert other["payload"] == item["payload"] and other["project"] not in (project, None)
    cli("approve", other["id"], "--everywhere", "--yes")
    assert "project" not in cli("show", other["id"], "--json").json
    for folder in (one, two, plain):
        assert other["id"] in hook("prompt", folder, prompt=prompt)


def spot_names(cli: Call, folder: Path) -> str:
    """The project of a folder, as its own command says it."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        return str(cli("project", "--json").json["project"])
    finally:
        os.chdir(before)


def test_words_that_say_so_hold_everywhere_and_a_project_is_named_or_this_ones(
    home: Path,
    cli: Call,
    repository: Repository,
    monkeypatch: pytest.MonkeyPatch,
    sound: Callable[[Path], None],
) -> None:
    repository("one", "a.org:x/one")

    def kept(*words: str) -> Any:
        return cli("show", cli("memorize", *words, "--json").json["id"], "--json").json.get("project")

    assert kept("In all projects, commit often") is None and kept("commit small things") == "a.org/x/one"
    assert kept("the user likes tea", "--about", "user") == "a.org/x/one", (
        "who it is about says nothing of where"
    )
    assert kept("In all projects, sign off", "--project", ".") == "a.org/x/one"
    assert kept("use tabs", "--project", "none") is None and kept("use rg", "--project", "b") == "b"
    lines = '{"payload": "a"}\n{"payload": "b", "project": "c"}\n{"payload": "在所有项目里先跑测试"}\n'
    ids = cli("memorize", "--from", "-", "--json", stdin=lines).json["ids"]
    projects = [cli("show", block, "--json").json.get("project") for block in ids]
    assert projects == ["a.org/x/one", "c", None]
    word = cli("remember", "I like tea", "--json").json["id"]
    assert "project" not in cli("show", word, "--json").json, "the person's word holds everywhere"
    here = {row["project"] for row in cli("heartbeat", "--project", ".", "--json").json["items"]}
    assert here == {"a.org/x/one"}
    monkeypatch.chdir(Path.home())
    assert kept("at home") is None
    assert cli("memorize", "x", "--project", ".", check=False).code == 2
    assert cli("approve", "1", "--everywhere", "--merge", word, "--yes", check=False).code == 2
    sound(home)


def test_what_belongs_to_another_project_is_observed_and_no_memory_of_the_user(
    home: Path, cli: Call, repository: Repository
) -> None:
    one, two = repository("one", "a.org:x/one"), repository("two", "a.org:x/two")
    os.chdir(one)
    agent = Alice(home, "agent:mine")
    made = agent.call(
        "memorize", {"payload": "the user drinks tea", "trigger": "offering a drink", "about": "user"}
    )
    cli("session", "start", "talk")
    cli("session", "say", "talk", "user", "please offer a drink of rum")
    cli("heartbeat")
    cli("approve", made["id"], "--yes")
    for folder, is_here in ((one, True), (two, False)):
        os.chdir(folder)
        asked = Alice(home, "agent:mine")
        told = asked.call("search_memory_tool", {"query": "which drink to offer"})
        assert ("tea" in told["text"], "rum" in told["text"]) == (is_here, is_here)
        assert ("tea" in cli("context", "which drink to offer", check=False).stdout) is is_here
        decided = asked.call("decide", {"task": "offering a drink"})
        told = [one["id"] for part in ("constraints", "steps") for one in decided.get(part, ())]
        assert told == ([made["id"]] if is_here else [])
        (found,) = asked.call("recall", {"query": "offering a drink"})["matches"]
        assert (found["id"], found["project"]) == (made["id"], "a.org/x/one")
    os.chdir(one)
    plain = cli("recall", "offering a drink", "--project", "none", "--json").json["matches"][0]["match"]
    assert cli("recall", "offering a drink", "--json").json["matches"][0]["match"] == pytest.approx(
        min(1, plain * 1.15), abs=0.02
    )
    assert "[a.org/x/one]" in cli("context", "offering a drink").stdout


def test_a_home_of_0_2_0_is_heard_under_its_old_names(
    home: Path, cli: Call, repository: Repository, tmp_path: Path
) -> None:
    for old, words in (("x/x", "run make test"), ("Me/Tool", "run make lint")):
        cli("remember", words, "--when", "pushing a branch", "--project", old)

    def told() -> set[str]:
        made = cli("decide", "pushing a branch", "--json", check=False).json
        return {one["payload"].split()[-1] for one in made["applied"]}

    tool = repository("tool", "https://a.org/Me/Tool.git")
    assert told() == {"lint"}
    first = repository("first", "git@github.com:x/x.git")
    assert told() == {"test"}
    assert cli("project", "--json").json["names"] == ["x/x"]
    assert cli("status", "--json").json["projects"] == []
    # A second repository with that name: the first has it, and the report asks once.
    repository("second", "https://gitlab.example.com/group/x/x.git")
    cli("project")
    assert told() == set()
    (asked,) = cli("heartbeat", "--json").json["projects"]
    assert asked == {"project": "gitlab.example.com/group/x/x", "name": "x/x", "held_by": "github.com/x/x"}
    for words in (["heartbeat"], ["status"], ["project"]):
        assert "alice-exp project is x/x gitlab.example.com/group/x/x" in " ".join(cli(*words).stdout.split())
    assert cli("--actor", "agent", "project", "is", "x/x", check=False).code == 6
    cli("project", "not", "x/x")
    assert told() == set() and cli("heartbeat", "--json").json["projects"] == []
    cli("project", "is", "x/x")
    assert told() == {"test"}
    os.chdir(first)
    assert told() == {"test"}
    # Another address, another folder: nothing falls silent.
    cli("remember", "run make docs", "--when", "pushing a branch", "--project", ".")
    git(first, "config", "remote.origin.url", "git@new.org:y/z.git")
    assert told() == {"test", "docs"}
    tool.rename(tmp_path / "work/elsewhere")
    os.chdir(tmp_path / "work/elsewhere")
    assert told() == {"lint"}


def test_a_repository_without_a_remote_keeps_its_name(home: Path, cli: Call, repository: Repository) -> None:
    folder = repository("mine")
    block = cli("memorize", "use rg", "--when", "searching", "--lived", "--json").json["id"]
    name = cli("show", block, "--json").json["project"]
    assert name.startswith("mine-") and name in (home / "local.jsonc").read_text("utf-8")
    cli("heartbeat")
    cli("approve", "1", "--yes")

    def applied() -> list[str]:
        return [one["id"] for one in cli("decide", "searching", "--json", check=False).json["applied"]]

    shutil.copytree(folder, folder.parent / "copy")
    os.chdir(folder.parent / "copy")
    assert applied() == [], "a copy is a project of its own"
    cli("project")
    folder.rename(folder.parent / "moved")
    os.chdir(folder.parent / "moved")
    assert applied() == [block] and cli("project", "--json").json["project"] == name
    git(Path.cwd(), "config", "remote.origin.url", "a.org:x/mine")
    assert applied() == [block]
    assert cli("project", "--json").json == {
        "project": "a.org/x/mine",
        "names": [name, "x/mine"],
        "learning": True,
        "off": [],
        "asked": [],
        "waits": 0,
    }
    assert cli("memorize", "use rg", "--when", "searching", "--json").json["merged"], (
        "it is known under its old name"
    )


def test_a_cloned_repository_neither_names_itself_nor_switches_learning_on(
    home: Path, cli: Call, repository: Repository, tmp_path: Path
) -> None:
    cli("remember", "run make test", "--when", "pushing a branch", "--project", "tool")
    folder = repository("evil", "evil.org:x/evil", mark="tool")

    def applied() -> int:
        return len(cli("decide", "pushing a branch", "--json", check=False).json["applied"])

    assert applied() == 0
    shown = cli("project", "--json").json
    assert shown["project"] == "evil.org/x/evil"
    assert shown["asked"] == [{"project": "evil.org/x/evil", "name": "tool", "held_by": None}]
    for words in (["project"], ["status"], ["heartbeat"]):
        assert "alice-exp project is tool evil.org/x/evil" in " ".join(cli(*words).stdout.split())
    cli("project", "not", "tool")
    assert applied() == 0 and cli("project", "--json").json["asked"] == []
    cli("project", "is", "tool")
    assert applied() == 1 and cli("project", "--json").json["project"] == "tool"
    # Off holds whatever the repository calls itself afterwards, and for what lies in it.
    agent = Alice(home, "agent:mine")
    assert cli("--actor", "agent", "project", "off", check=False).code == 6
    assert cli("project", "off", "--json").json["off"] == ["tool"]
    for mark in ("tool", "other", "none", ""):
        (folder / ".alice-project").write_text(mark, encoding="utf-8")
        with pytest.raises(RefusedError, match="switched it off"):
            Alice(home, "agent:mine").call("memorize", {"payload": "x"})
        told = {
            "session_id": "s",
            "cwd": str(folder),
            "messages": [{"role": "user", "content": "I live in Berlin"}],
        }
        cli("hook", "opencode", "end", stdin=json.dumps(told))
        assert cli("heartbeat", "--peek", "--json").json["items"] == []
    assert agent.call("recall", {"query": "x"})["matches"] == []
    git(folder / "sub", "init", "-q")
    cli("project", "off", "evil.org/x/evil")
    os.chdir(folder / "sub")
    assert not cli("project", "--json").json["learning"]
    os.chdir(folder)
    assert cli("project", "on", "--json").json == shown | {"asked": []}
    cli("hook", "opencode", "end", stdin=json.dumps(told))
    assert [item["payload"] for item in cli("heartbeat", "--peek", "--json").json["items"]] == [
        "The user lives in Berlin"
    ]
    assert cli("project", "off", "bob", "--json").json["off"] == ["bob"]
    for words in (["sideways"], ["is"], ["is", "two words"], ["off", "a b"]):
        assert cli("project", *words, check=False).code == 2
    os.chdir(Path.home())
    assert cli("project", "--json").json["project"] is None
    assert cli("project", "off", check=False).code == 2 and cli("project", "is", "x", check=False).code == 2


def test_a_program_names_its_project(
    home: Path, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository("here", "a.org:me/here")
    alice = Alice(home=home, actor="user")
    here = alice.remember("build with make", "building the project", project="me/one")
    alice.remember("build with ninja", "building the project", project="me/two")
    everywhere = alice.remember("build twice", "building the project", project="none")
    assert (here.block.project, everywhere.block.project) == ("me/one", "")
    assert alice.memorize("cache the build", "building", project="me/one").block.project == "me/one"
    made = alice.decide("building the project", project="me/one")
    assert {one.placed.block.payload.content for one in made.applied} == {"build with make", "build twice"}
    assert "build with ninja" in {one.placed.block.payload.content for one in made.observing}
    for project, best in (("me/one", "build with make"), ("me/two", "build with ninja")):
        asked: dict[str, Any]
        for asked in ({"project": project}, {"filters": Filters(project=project)}):
            assert alice.recall("building the project", **asked)[0].placed.block.payload.content == best
        asked = {"query": "how do I build the project"}
        monkeypatch.setenv("ALICE_PROJECT", project)
        told = Alice(home, "agent").call("search_memory_tool", asked)["memories"]
        (first, *_) = [one["payload"] for one in told if one["payload"] != "build twice"]
        assert first == best
    with pytest.raises(UsageError, match="cannot name a project"):
        alice.recall("building", project="two words")
    monkeypatch.delenv("ALICE_PROJECT")
    assert alice.project == "a.org/me/here"
    assert alice.memorize("keep it small", "building").block.project == "a.org/me/here"
    assert alice.memorize("在所有项目里先构建", "building").block.project == ""
    old = alice.remember("build thrice", "building the project", project="me/here")
    assert old.block.id in {one.placed.block.id for one in alice.decide("building the project").applied}
    session = alice.start_session()
    alice.say(session, "I live in Berlin")
    (heard,) = alice.extract(session).captured.placed
    assert heard is not None and heard.block.project == "a.org/me/here"
