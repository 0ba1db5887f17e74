"""A person's own git beside the home: a clone that pulls, a connection of their own, commits that are signed."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Call
from tests.sync.conftest import at
from tests.sync.test_sync import WHO, ann, block, bob, files, paired, remote, sync

__all__ = ["ann", "bob", "paired", "remote"]

Git = Callable[..., str]


def cloned(remote: Path, place: Path) -> Path:
    place.mkdir(mode=0o700)
    subprocess.run(["git", "clone", "-q", str(remote), place / "experiences"], check=True)
    return place


def pull(git: Git, home: Path, remote: Path) -> str:
    return git(home, *WHO, "pull", "-q", "--no-rebase", "--no-edit", str(remote), "main", check=False)


def test_any_write_in_a_plain_clone_sets_the_merge_driver(
    ann: Path, cli: Call, git: Git, world: Path, remote: Path
) -> None:
    cli("sync", "add", str(remote), "--private", "--yes")
    one = cli("memorize", "use rg", "--json").json["id"]
    sync(cli, ann)
    clone = cloned(remote, world / "clone")
    two = cli("memorize", "use fd", "--json", env=at(clone)).json["id"]
    three = cli("memorize", "use jq", "--json").json["id"]
    sync(cli, ann)
    assert "CONFLICT" not in pull(git, clone, remote)
    assert {block(cli, clone, name)["set"] for name in (one, two, three)} == {"low_value"}


@pytest.mark.parametrize("style", ["merge", "diff3", "zdiff3"])
def test_a_conflict_that_git_left_without_the_driver_is_settled(
    paired: tuple[Path, Path], cli: Call, git: Git, remote: Path, sound: Callable[[Path], None], style: str
) -> None:
    ann, bob = paired
    one = cli("memorize", "use rg", "--json", env=at(ann)).json["id"]
    sync(cli, ann)
    two = cli("memorize", "use fd", "--json", env=at(bob)).json["id"]
    git(bob, "config", "--remove-section", "merge.alice")
    (bob / "experiences/.git/info/attributes").unlink()
    git(bob, "config", "merge.conflictStyle", style)
    assert "CONFLICT" in pull(git, bob, remote)
    assert any(b"<<<<<<<" in data for data in files(bob).values())
    cli("sync", "settle", env=at(bob))
    assert block(cli, bob, one)["set"] == block(cli, bob, two)["set"] == "low_value"
    sound(bob)
    sync(cli, bob, ann)
    assert files(ann) == files(bob)


def test_words_that_a_person_typed_into_a_conflict_are_left_to_git(
    paired: tuple[Path, Path], cli: Call, git: Git, remote: Path
) -> None:
    ann, bob = paired
    cli("memorize", "use rg", env=at(ann))
    sync(cli, ann)
    cli("memorize", "use fd", env=at(bob))
    git(bob, "config", "--remove-section", "merge.alice")
    (bob / "experiences/.git/info/attributes").unlink()
    assert "CONFLICT" in pull(git, bob, remote)
    (path,) = (p for p in (bob / "experiences/low_value_pool").iterdir() if "<<<<<<<" in p.read_text())
    path.write_text(path.read_text() + "// my own words\n")
    assert cli("sync", "settle", check=False, env=at(bob)).code == 3
    assert "my own words" in path.read_text()


@pytest.mark.parametrize("private", [True, False])
@pytest.mark.parametrize("way", ["GIT_SSH_COMMAND", "core.sshCommand"])
def test_sync_connects_as_the_person_says(
    ann: Path, cli: Call, git: Git, world: Path, remote: Path, way: str, private: bool
) -> None:
    """A stand-in for ssh runs the command that git sends, on this machine."""
    ssh = world / "ssh"
    ssh.write_text(f'#!/bin/sh\necho "$@" >> {world}/asked\nfor word; do :; done\nexec sh -c "$word"\n')
    ssh.chmod(0o700)
    env = at(ann)
    if way == "GIT_SSH_COMMAND":
        env[way] = str(ssh)
    else:
        git(ann, "config", way, str(ssh))
    kind = ["--private"] if private else []
    cli("sync", "add", f"ssh://host.invalid{remote}", *kind, "--yes", env=env)
    asked = (world / "asked").read_text().count("\n")
    assert cli("sync", "--json", env=env).json["remotes"][0]["error"] is None
    assert (world / "asked").read_text().count("\n") > asked


def test_a_home_that_asks_for_signatures_gets_them_or_nothing_is_written(
    ann: Path, cli: Call, git: Git, world: Path, sound: Callable[[Path], None]
) -> None:
    key = world / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
    for name, value in (
        ("commit.gpgSign", "true"),
        ("gpg.format", "ssh"),
        ("user.signingKey", str(key) + ".pub"),
    ):
        git(ann, "config", "--local", name, value)
    one = cli("memorize", "use rg", "--json").json["id"]
    assert "\ngpgsig " in git(ann, "cat-file", "commit", "HEAD")
    path = ann / "experiences/personal/user_preferences.jsonc"
    path.write_text(path.read_text() + "// by hand\n")
    cli("approve", one, "--yes")
    for commit in ("HEAD", "HEAD~1"):
        assert "\ngpgsig " in git(ann, "cat-file", "commit", commit), commit
    sound(ann)
    # Each git tells its children how it was started.
    spy = world / "keygen"
    spy.write_text(f'#!/bin/sh\necho "$GIT_CONFIG_PARAMETERS" > {world}/told\nexec ssh-keygen "$@"\n')
    spy.chmod(0o700)
    git(ann, "config", "--local", "gpg.ssh.program", str(spy))
    cli("memorize", "use sd")
    told = (world / "told").read_text()
    assert "'core.fsync'='all'" in told and "'core.fsyncmethod'='fsync'" in told.lower()
    git(ann, "config", "--remove-section", "merge.alice")
    cli("memorize", "use fd")
    assert git(ann, "config", "--local", "commit.gpgSign").strip() == "true", "what a person set stays"
    key.unlink()
    head, before = git(ann, "rev-parse", "HEAD"), files(ann)
    done = cli("memorize", "use jq", check=False)
    assert done.code == 3 and "git could not sign" in done.stderr
    assert (git(ann, "rev-parse", "HEAD"), files(ann)) == (head, before)


def test_a_persons_global_signing_is_not_the_homes(ann: Path, cli: Call, git: Git) -> None:
    Path("~/.gitconfig").expanduser().write_text(
        "[commit]\n\tgpgSign = true\n[user]\n\tsigningKey = nobody\n"
    )
    cli("memorize", "use rg")
    assert "gpgsig" not in git(ann, "cat-file", "commit", "HEAD")
