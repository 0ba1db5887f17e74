"""The home's history is the home's alone, whatever git and the environment around it say."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.case_tables import cases

Call = Callable[..., Any]


def outer(path: Path, *arguments: str) -> str:
    """Git on another repository, with a name of its own."""
    named = [
        "git",
        "-c",
        "user.name=Outer",
        "-c",
        "user.email=outer@example.org",
        "-c",
        "commit.gpgsign=false",
    ]
    clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    done = subprocess.run(
        [*named, "-c", f"core.hooksPath={os.devnull}", "-c", "core.fsmonitor=false", *arguments],
        cwd=path,
        env=clean,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


@pytest.fixture
def hostile(world: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository around the home, GIT_* that point into it, a global configuration that breaks every plain commit."""
    outside = world / "work"
    outside.mkdir()
    outer(outside, "init", "--quiet", "--initial-branch=trunk")
    (outside / "theirs.txt").write_text("theirs\n")
    (outside / ".gitignore").write_text("*.jsonc\nalice/\n")
    outer(outside, "add", "-A")
    outer(outside, "commit", "--quiet", "-m", "theirs")
    hooks = world / "hooks"
    hooks.mkdir()
    for name in cases(__file__, "HOOKS"):
        (hooks / name).write_text(f"#!/bin/sh\ntouch {world}/hook-ran\nexit 1\n")
        (hooks / name).chmod(0o755)
    excludes, attributes = world / "excludes", world / "attributes"
    excludes.write_text("*\n")
    attributes.write_text("* text=auto eol=crlf filter=shout\n")
    (Path(os.environ["HOME"]) / ".gitconfig").write_text(
        f"[commit]\n\tgpgsign = true\n[gpg]\n\tprogram = false\n[core]\n\thooksPath = {hooks}\n\tautocrlf = true\n"
        f"\texcludesFile = {excludes}\n\tattributesFile = {attributes}\n\tfsmonitor = {hooks}/pre-commit\n"
        f'[filter "shout"]\n\tclean = tr a-z A-Z\n\trequired = true\n[user]\n\tuseConfigOnly = true\n'
        f"[init]\n\ttemplateDir = {hooks}\n\tdefaultBranch = elsewhere\n[safe]\n\tbareRepository = explicit\n"
        f"[fetch]\n\tfsckObjects = true\n[receive]\n\tdenyCurrentBranch = refuse\n"
    )
    for name, value in {
        "GIT_DIR": str(outside / ".git"),
        "GIT_WORK_TREE": str(outside),
        "GIT_INDEX_FILE": str(outside / ".git/index"),
        "GIT_OBJECT_DIRECTORY": str(outside / ".git/objects"),
        "GIT_NAMESPACE": "elsewhere",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "user.name",
        "GIT_CONFIG_VALUE_0": "",
        "GIT_AUTHOR_NAME": "Somebody Else",
        "GIT_AUTHOR_DATE": "2001-01-01T00:00:00Z",
        "GIT_CEILING_DIRECTORIES": str(world),
        "ALICE_HOME": str(outside / "alice"),
    }.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(outside)
    return outside


def test_d11_commits_land_in_alices_repository_alone(hostile: Path, run: Call, world: Path) -> None:
    theirs = (
        outer(hostile, "rev-parse", "HEAD"),
        outer(hostile, "status", "--porcelain"),
        outer(hostile, "count-objects"),
    )
    run("init", cwd=hostile)
    made = run("remember", "tea", "--json", cwd=hostile).json
    (hostile / "alice/experiences/personal/workflow_habits.jsonc").write_text(
        '{"blocks": [{"payload": "walk"}]}\n'
    )
    run("outcome", made["id"], "ok", cwd=hostile)
    assert [act["op"] for act in run("log", "--json", cwd=hostile).json["commits"]] == [
        "outcome",
        "adopt",
        "remember",
        "init",
    ]
    run("undo", "--yes", cwd=hostile)
    assert run("show", made["id"], "--json", cwd=hostile).json["verifications"] == 1
    assert len(run("why", made["id"], "--json", cwd=hostile).json["transitions"]) == 3

    assert not (world / "hook-ran").exists(), "a global hook ran"
    now = (
        outer(hostile, "rev-parse", "HEAD"),
        outer(hostile, "status", "--porcelain"),
        outer(hostile, "count-objects"),
    )
    assert now == theirs
    experiences = hostile / "alice/experiences"
    log = outer(experiences, "log", "--format=%an <%ae> %cn %cd", "--date=format:%Y")
    assert set(log.splitlines()) == {
        "user <user@alice> alice-exp 2026",
        "editor <editor@alice> alice-exp 2026",
    }
    assert outer(experiences, "symbolic-ref", "HEAD") == "refs/heads/main"
    assert (
        outer(experiences, "show", "HEAD:personal/workflow_habits.jsonc")
        == (experiences / "personal/workflow_habits.jsonc").read_text().strip()
    )
    assert outer(experiences, "fsck", "--strict", "--no-dangling") == ""


def test_the_persons_own_git_sees_a_clean_tree(
    hostile: Path, run: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("init", cwd=hostile)
    run("remember", "tea", cwd=hostile)
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    (Path(os.environ["HOME"]) / ".gitconfig").unlink()
    assert outer(hostile / "alice/experiences", "status", "--porcelain", "--untracked-files=all") == ""


def test_a_home_below_a_repository_never_falls_back_to_it(hostile: Path, run: Call) -> None:
    before = outer(hostile, "rev-parse", "HEAD")
    run("init", cwd=hostile)
    (hostile / "alice/experiences/.git").rename(hostile / "kept.git")
    for command in (("remember", "tea"), ("log",), ("undo", "--yes"), ("list",)):
        result = run(*command, cwd=hostile, check=False)
        assert result.code in (0, 3, 4)
        assert "Traceback" not in result.stderr
    assert outer(hostile, "rev-parse", "HEAD") == before
    assert "personal" not in outer(hostile, "ls-files")


@pytest.mark.covers("B2.35")
def test_git_python_never_reads_around_the_home(hostile: Path, run: Call) -> None:
    run("init", cwd=hostile)
    commits = run("log", "--json", cwd=hostile).json["commits"]
    assert [act["op"] for act in commits] == ["init"]
    assert outer(hostile, "log", "-1", "--format=%s") == "theirs"


def test_history_is_read_whatever_the_path_holds_and_gits_own_settings_say(
    run: Call, world: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("x", "elsewhere")
    home = world / "a '$x\" ${HOME}"
    (Path(os.environ["HOME"]) / ".gitconfig").write_text("[core\nno configuration")
    run("--home", str(home), "init")
    for command in ("log", "diff", "doctor"):
        done = run("--home", str(home), command)
        assert done.stdout
        assert not done.stderr


@pytest.mark.covers("B2.27")
def test_a_plain_push_is_refused(home: Path, world: Path) -> None:
    bare = world / "bare.git"
    outer(world, "init", "--quiet", "--bare", str(bare))
    done = subprocess.run(
        ["git", "push", str(bare), "main"],
        cwd=home / "experiences",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "personal" in done.stderr
    assert outer(bare, "for-each-ref") == ""


def test_directories_and_files_are_the_persons_alone(home: Path, cli: Call) -> None:
    cli("remember", "tea")
    cli("memorize", "a thought")
    modes = {
        path: path.lstat().st_mode & 0o777 for path in [home, *home.rglob("*")] if ".git" not in path.parts
    }
    assert {mode for path, mode in modes.items() if path.is_dir()} == {0o700}
    assert {oct(mode) for path, mode in modes.items() if path.is_file()} == {oct(0o600)}
    assert (home / "experiences/.git").stat().st_mode & 0o777 == 0o700


def test_a_files_own_mode_is_kept(home: Path, cli: Call) -> None:
    path = home / "experiences/personal/user_preferences.jsonc"
    path.chmod(0o640)
    cli("remember", "tea")
    assert path.stat().st_mode & 0o777 == 0o640


def test_what_a_copied_homes_own_settings_name_is_never_run(home: Path, cli: Call, world: Path) -> None:
    """A home that came from elsewhere, with its ``.git``: hooks, filters and programs of its configuration."""
    made = cli("remember", "I like tea", "--json").json["id"]
    cli("outcome", made, "ok")
    program = world / "program"
    program.write_text(f"#!/bin/sh\ntouch {world}/ran\ncat\n")
    program.chmod(0o755)
    git_dir = home / "experiences/.git"
    names = (
        "core.fsmonitor core.pager diff.external diff.x.textconv filter.x.clean filter.x.smudge gpg.program"
    )
    for name in f"{names} merge.x.driver credential.helper pager.log alias.log trailer.x.command".split():
        outer(home / "experiences", "config", name, str(program))
    outer(home / "experiences", "config", "log.showSignature", "true")
    outer(home / "experiences", "config", "core.hooksPath", str(git_dir / "hooks"))
    for name in ("reference-transaction", "post-index-change", "pre-commit", "pre-auto-gc"):
        (git_dir / "hooks" / name).write_text(program.read_text())
        (git_dir / "hooks" / name).chmod(0o755)
    (git_dir / "info/attributes").write_text("* diff=x filter=x merge=x\n")
    (home / "experiences/.gitattributes").write_text("* diff=x filter=x merge=x\n")
    for command in (
        "list",
        f"why {made}",
        f"log {made}",
        "diff",
        "status",
        "memorize rg",
        "undo --yes",
        "doctor",
    ):
        cli(*command.split(), check=False)
        assert not (world / "ran").exists(), f"{command} ran a program that the home's settings name"
