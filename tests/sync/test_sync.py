"""``sync``: private remotes share everything, others get what may leave; plain git pull works too (issue 7, B2.27-B2.29)."""

import json
import shutil
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from alice_exp.sync.store import git_remotes
from tests.conftest import Call
from tests.sync.conftest import InStep, at

Git = Callable[..., str]

MARKER = "heliotrope-marmalade"
SUPER = '"state": "reliable", "verifications": 72, "verifications_local": 72'


@pytest.fixture
def remote(world: Path) -> Path:
    subprocess.run(["git", "init", "-q", "--bare", "--initial-branch=main", world / "there.git"], check=True)
    return world / "there.git"


@pytest.fixture
def ann(home: Path) -> Path:
    return home


@pytest.fixture
def bob(_fresh_home: Path, world: Path) -> Path:
    """Another machine's home; it was made apart, so that the two share no history before their first sync."""
    return Path(shutil.copytree(_fresh_home, world / "bob", symlinks=True))


@pytest.fixture
def paired(remote: Path, ann: Path, bob: Path, in_step: InStep) -> tuple[Path, Path]:
    """Two homes that share a private remote and were synced."""
    return in_step.here, in_step.there


def sync(cli: Call, *homes: Path) -> list[Any]:
    return [cli("sync", "--json", env=at(home)).json["remotes"][0] for home in homes]


def files(home: Path) -> dict[str, bytes]:
    root = home / "experiences"
    found = (path for path in root.rglob("*.json*") if ".git" not in path.parts)
    return {str(path.relative_to(root)): path.read_bytes() for path in found}


def block(cli: Call, home: Path, block_id: str) -> dict[str, Any]:
    return dict(cli("show", block_id, "--json", env=at(home)).json)


def every_object(repository: Path) -> bytes:
    """Everything that a repository holds, every object's content in one."""
    listed = ["git", "-C", str(repository), "cat-file", "--batch-all-objects", "--batch", "--unordered"]
    return subprocess.run(listed, capture_output=True, check=True).stdout


def test_a_sync_beside_an_editor_that_saves_waits_for_it(
    paired: tuple[Path, Path], cli: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    """N1.15: a file that is half written is no fault of the person's."""
    ann, bob = paired
    cli("remember", "green tea", "--when", "drinking", env=at(bob))
    sync(cli, bob)
    path = ann / "experiences/personal/user_preferences.jsonc"
    whole = path.read_text().replace("\n{", "\n// of Ann\n{", 1) + "// the end\n"
    path.write_text(whole[: len(whole) // 2])
    monkeypatch.setattr(time, "sleep", lambda _: path.write_text(whole))
    # However long it takes until the file is looked at, it was saved a moment ago.
    monkeypatch.setattr(git_remotes, "SAVING_NS", 10**11)
    assert sync(cli, ann)[0]["taken"]
    assert "green tea" in path.read_text() and "// the end" in path.read_text()


def test_two_machines_become_one_and_every_act_is_kept(
    paired: tuple[Path, Path], cli: Call, git: Git, sound: Callable[[Path], None]
) -> None:
    ann, bob = paired
    one = cli("memorize", "use rg", "--when", "searching", "--json", env=at(ann)).json["id"]
    sync(cli, ann, bob)
    mine = cli("remember", "I like tea", "--json", env=at(bob)).json["id"]
    for home in (ann, bob, bob):
        cli("outcome", one, "ok", "--scenario", home.name, env=at(home))
    sync(cli, ann, bob, ann)
    assert files(ann) == files(bob)
    assert block(cli, ann, one)["verifications"] == 3 and len(block(cli, ann, one)["evidence"]) == 3
    assert block(cli, ann, mine)["set"] == "personal"
    assert git(ann, "rev-parse", "HEAD") == git(bob, "rev-parse", "HEAD")
    acts = [row["op"] for row in cli("log", one, "--json", env=at(ann)).json["commits"]]
    assert acts.count("outcome") == 3
    assert "user sync: with mine" in git(ann, "log", "--format=%an %s")
    assert sync(cli, ann)[0]["given"] == 0
    for home in (ann, bob):
        sound(home)
        assert cli("doctor", env=at(home)).code == 0


def test_a_text_that_both_changed_is_kept_twice_and_waits_in_the_heartbeat(
    paired: tuple[Path, Path], cli: Call
) -> None:
    ann, bob = paired
    path = "universal/tool_usage.jsonc"
    text = (
        '{\n  "blocks": [\n    // about searching\n    {"id": "exp-aaaa2222", "payload": "use rg"}\n  ]\n}\n'
    )
    (ann / "experiences" / path).write_text(text)
    sync(cli, ann, bob)
    for home, said in ((ann, "use rg -uu"), (bob, "use rg --hidden")):
        there = home / "experiences" / path
        there.write_text(
            there.read_text().replace("use rg", said).replace("searching", f"searching by {home.name}")
        )
    done = sync(cli, ann, bob, ann)
    assert done[1]["conflicts"] == ["exp-aaaa2222"] and files(ann) == files(bob)
    text = (ann / "experiences" / path).read_text()
    assert "// about searching by alice" in text and "// about searching by bob" in text
    shown = cli("heartbeat", "--json", env=at(ann)).json["items"]
    payloads = {block(cli, ann, "exp-aaaa2222")["payload"], *(item["payload"] for item in shown)}
    assert payloads == {"use rg -uu", "use rg --hidden"}
    assert block(cli, ann, shown[0]["id"])["replaces"] == ["exp-aaaa2222"]


def test_any_other_remote_gets_what_may_leave_and_no_object_of_the_home(
    ann: Path, bob: Path, cli: Call, remote: Path, git: Git
) -> None:
    cli("remember", f"mine: {MARKER}")
    cli("memorize", f"a guess: {MARKER}", "--when", MARKER)
    path = ann / "experiences/universal/tool_usage.jsonc"
    blocks = [f'{{"id": "exp-super222", "payload": "use ripgrep", {SUPER}}}']
    blocks.append(f'{{"id": "exp-secret22", "payload": "deploys wait for {MARKER}", {SUPER}}}')
    path.write_text('{"blocks": [\n' + ",\n".join(blocks) + "\n]}\n")
    cli("approve", "exp-super222", "exp-secret22", "--yes")
    cli("share", "allow", "super222", "--yes")
    cli("config", "set", "sharing.name", "alice_ann")
    cli("sync", "add", str(remote), "--yes")
    assert sync(cli, ann)[0]["published"] is True
    tree = subprocess.run(
        ["git", "-C", remote, "ls-tree", "-r", "--name-only", "main"], capture_output=True, text=True
    )
    assert tree.stdout.split() == ["universal/alice_ann.json"]
    shown = subprocess.run(
        ["git", "-C", remote, "show", "main:universal/alice_ann.json"], capture_output=True
    )
    assert shown.stdout == cli("share", "preview").stdout.encode()
    held = every_object(remote)
    assert b"use ripgrep" in held and MARKER.encode() not in held and b"Alice-Act" not in held
    ours = set(git(ann, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)").split())
    theirs = subprocess.run(
        ["git", "-C", remote, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)"],
        capture_output=True,
    )
    assert not ours & set(theirs.stdout.decode().split())
    assert [row["way"] for row in cli("share", "log", "--json").json["shared"]] == ["sync"]
    cli("sync", "add", str(remote), "--yes", env=at(bob))
    new = sync(cli, bob)[0]["candidates"]
    assert block(cli, bob, new[0])["origin"] == "shared_from_alice_ann"
    assert sync(cli, bob)[0]["candidates"] == [] and sync(cli, ann)[0]["published"] is False
    cli("share", "deny", "super222")
    assert sync(cli, ann)[0]["published"] is True
    gone = subprocess.run(["git", "-C", remote, "ls-tree", "-r", "main"], capture_output=True).stdout
    assert gone == b"", "what may no longer leave is withdrawn"


def test_a_remote_is_never_taken_for_the_other_kind(
    ann: Path, bob: Path, cli: Call, remote: Path, git: Git
) -> None:
    cli("remember", f"mine: {MARKER}")
    cli("sync", "add", str(remote), "--private", "--yes")
    sync(cli, ann)
    held = every_object(remote)
    assert MARKER.encode() in held
    cli("sync", "add", str(remote), "--yes", env=at(bob))
    done = cli("sync", "--json", env=at(bob), check=False)
    assert done.code == 3 and "which is not a bundle" in done.stderr
    assert every_object(remote) == held


def test_plain_git_pull_merges_blocks_and_what_one_side_moved(
    paired: tuple[Path, Path], cli: Call, git: Git, sound: Callable[[Path], None]
) -> None:
    ann, bob = paired
    one = cli("memorize", "use rg", "--when", "searching", "--json", env=at(ann)).json["id"]
    two = cli("memorize", "use fd", "--when", "finding", "--json", env=at(ann)).json["id"]
    sync(cli, ann, bob)
    cli("heartbeat", env=at(ann))
    cli("approve", one, "--yes", env=at(ann))
    cli("outcome", two, "ok", "--scenario", "a", env=at(ann))
    for scenario in ("b", "c"):
        cli("outcome", one, "ok", "--scenario", scenario, env=at(bob))
    cli("outcome", two, "ok", "--scenario", "d", env=at(bob))
    who = ["-c", "user.name=x", "-c", "user.email=x@x"]
    git(bob, *who, "pull", "-q", "--no-rebase", "--no-edit", str(ann / "experiences"), "main")
    assert git(bob, "log", "-1", "--format=%an %s") == "user sync: settle a merge"
    seen = block(cli, bob, one)
    assert (seen["set"], seen["verifications"], seen["approved"]) == ("universal", 3, False), (
        "what git brought is foreign, whatever its trailers say: only sync brings another machine's decisions"
    )
    assert block(cli, bob, two)["verifications"] == 2
    sound(bob)
    git(ann, *who, "pull", "-q", "--ff-only", str(bob / "experiences"), "main")
    assert files(ann) == files(bob)
    assert block(cli, ann, two)["verifications"] == 2
    assert cli("check", env=at(ann)).code == 0


def test_a_plain_push_is_still_refused(paired: tuple[Path, Path], remote: Path, cli: Call, git: Git) -> None:
    ann, _ = paired
    cli("remember", "I like tea", env=at(ann))
    before = every_object(remote)
    done = subprocess.run(["git", "push", str(remote), "main"], cwd=ann / "experiences", capture_output=True)
    assert done.returncode and b"personal" in done.stderr and every_object(remote) == before
    assert git(ann, "remote") == ""


def test_what_was_purged_does_not_come_back(paired: tuple[Path, Path], cli: Call, remote: Path) -> None:
    ann, bob = paired
    tea = cli("remember", "I like tea", "--json", env=at(ann)).json["id"]
    mine = cli("remember", f"mine: {MARKER}", "--json", env=at(ann)).json["id"]
    cli("outcome", tea, "fail", "--scenario", "noon", env=at(ann))
    cli("outcome", tea, "ok", "--scenario", "dusk", env=at(ann))
    sync(cli, ann, bob)
    cli("purge", mine, "--yes", env=at(ann))
    cli("outcome", tea, "ok", env=at(bob))
    cli("outcome", mine, "ok", env=at(bob))
    sync(cli, bob)
    done = cli("sync", env=at(ann), check=False)
    assert done.code == 6 and mine in done.stderr and "--over" in done.stderr
    assert cli("sync", "--over", env=at(ann), check=False).code == 6, "it asks first"
    cli("sync", "--over", "--yes", env=at(ann))
    now = block(cli, ann, tea)
    assert now["verifications"] == 2, "the remote's acts stay, as what they led to"
    assert now["record"] == {"ok": 2, "failed": 1}, "what both had before the purge counts once"
    assert len(now["evidence"]) == 3
    assert MARKER not in json.dumps(cli("list", "--json", env=at(ann)).json)
    assert MARKER.encode() not in _reachable(remote)
    done = cli("sync", env=at(bob), check=False)
    assert done.code == 6 and f"alice-exp purge {mine}" in done.stderr
    cli("purge", mine, "--yes", env=at(bob))
    sync(cli, bob, ann)
    assert files(ann) == files(bob)
    assert block(cli, bob, tea)["record"] == {"ok": 2, "failed": 1}
    assert MARKER.encode() not in every_object(ann / "experiences") + every_object(bob / "experiences")


def test_putting_one_history_over_another_does_not_undo_the_others_purge(
    paired: tuple[Path, Path], cli: Call, remote: Path
) -> None:
    ann, bob = paired
    mine = cli("remember", f"mine: {MARKER}", "--json", env=at(ann)).json["id"]
    sync(cli, ann, bob)
    cli("purge", mine, "--yes", env=at(ann))
    cli("sync", "--over", "--yes", env=at(ann))
    done = cli("sync", "--over", "--yes", env=at(bob), check=False)
    assert done.code == 6 and f"alice-exp purge {mine}" in done.stderr
    assert MARKER.encode() not in _reachable(remote)


def test_a_tombstone_outlives_the_history_that_it_stood_in(
    paired: tuple[Path, Path], cli: Call, world: Path
) -> None:
    ann, bob = paired
    early = Path(shutil.copytree(bob, world / "early", symlinks=True))
    mine = cli("remember", f"mine: {MARKER}", "--json", env=at(ann)).json["id"]
    sync(cli, ann)
    late = Path(shutil.copytree(ann, world / "late", symlinks=True))
    cli("purge", mine, "--yes", env=at(ann))
    cli("sync", "--over", "--yes", env=at(ann))
    cli("sync", "--over", "--yes", env=at(early))
    done = cli("sync", env=at(late), check=False)
    assert done.code == 6 and f"alice-exp purge {mine}" in done.stderr


def test_a_plain_pull_that_joined_a_purge_with_the_block_is_not_given_on(
    paired: tuple[Path, Path], cli: Call, git: Git, remote: Path
) -> None:
    ann, bob = paired
    mine = cli("remember", f"mine: {MARKER}", "--json", env=at(ann)).json["id"]
    sync(cli, ann, bob)
    cli("purge", mine, "--yes", env=at(ann))
    cli("sync", "--over", "--yes", env=at(ann))
    names = ("-c", "user.name=b", "-c", "user.email=b@x", "-c", "pull.rebase=false")
    git(bob, *names, "pull", "-q", "--no-edit", str(remote), "main")
    done = cli("sync", env=at(bob), check=False)
    assert done.code == 6 and f"alice-exp purge {mine}" in done.stderr
    assert MARKER.encode() not in _reachable(remote)
    cli("purge", mine, "--yes", env=at(bob))
    sync(cli, bob, ann)
    assert MARKER.encode() not in every_object(ann / "experiences") + every_object(bob / "experiences")


def _reachable(remote: Path) -> bytes:
    run = ["git", "-C", remote, "log", "-p", "--all"]
    return subprocess.run(run, capture_output=True, check=True).stdout


def test_a_crash_while_following_is_finished_by_the_next_command(
    paired: tuple[Path, Path], cli: Call, git: Git, sound: Callable[[Path], None]
) -> None:
    ann, bob = paired
    one = cli("memorize", "use rg", "--when", "searching", "--json", env=at(ann)).json["id"]
    cli("memorize", "use fd", "--when", "finding", env=at(ann))
    git(bob, "fetch", "-q", str(ann / "experiences"), "main")
    head = git(ann, "rev-parse", "HEAD")
    for name in ("pending", "forward"):
        git(bob, "update-ref", f"refs/alice/{name}", head)
    assert block(cli, bob, one)["payload"] == "use rg"
    assert git(bob, "rev-parse", "HEAD") == head and files(ann) == files(bob)
    sound(bob)
    for said in ("use jq", "use awk"):
        cli("memorize", said, "--when", "json", env=at(ann))
    git(bob, "fetch", "-q", str(ann / "experiences"), "main")
    git(bob, "update-ref", "refs/alice/pending", git(ann, "rev-parse", "HEAD"))
    cli("memorize", "use sed", "--when", "json", env=at(bob))
    assert "refs/alice/lost/" in git(bob, "for-each-ref"), "an act of our own that fits no more is kept aside"


def test_a_file_with_a_problem_is_left_and_the_sync_names_it(paired: tuple[Path, Path], cli: Call) -> None:
    ann, bob = paired
    cli("remember", "I like tea", env=at(ann))
    sync(cli, ann, bob)
    cli("remember", "and coffee", env=at(ann))
    path = bob / "experiences/personal/user_preferences.jsonc"
    broken = path.read_text().replace('"payload"', '"payload')
    path.write_text(broken)
    sync(cli, ann)
    done = cli("sync", env=at(bob), check=False)
    assert done.code == 3 and "personal/user_preferences.jsonc" in done.stderr
    assert path.read_text() == broken
    path.write_text(broken.replace('"payload', '"payload"'))
    sync(cli, bob, ann)
    assert files(ann) == files(bob)


def test_only_a_person_syncs_and_what_is_no_remote_is_refused(
    ann: Path, cli: Call, remote: Path, world: Path
) -> None:
    for command in (["add", str(remote)], ["remove", "x"], ["watch"], []):
        assert cli("sync", *command, "--yes", "--actor", "agent", check=False).code == 6
    assert cli("sync", "add", str(remote), check=False).code == 6, "it asks first"
    for address in ("ext::sh -c true", "--upload-pack=touch x", str(world / "none"), "nonsense"):
        assert cli("sync", "add", "--yes", "--", address, check=False).code == 2, address
    assert cli("sync", "add", "https://me:secret@example.com/x.git", "--yes", check=False).code == 6
    assert cli("sync", "add", str(world), "--yes", check=False).code == 8, "this is no repository"
    assert cli("sync", check=False).code == 4
    cli("sync", "add", str(remote), "--yes")
    assert cli("sync", "add", str(remote), "--yes", "--name", "again", check=False).code == 6
    assert (ann / "identity/remotes.json").stat().st_mode & 0o777 == 0o600
    shutil.rmtree(remote)
    done = cli("sync", "--json", check=False)
    assert done.code == 8 and done.json["remotes"][0]["error"]["code"] == "peer"
    assert cli("sync", "remove", "there", "--json").json["name"] == "there"
    assert cli("sync", "list", "--json").json["remotes"] == []


def test_foreign_files_in_a_private_remote_are_refused(
    ann: Path, cli: Call, remote: Path, world: Path, git: Git
) -> None:
    head = git(ann, "rev-parse", "HEAD")
    work = world / "work"
    subprocess.run(["git", "init", "-q", "--initial-branch=main", work], check=True)
    (work / "universal").mkdir()
    (work / "universal" / "evil.jsonc").symlink_to("/etc/passwd")
    for command in (["add", "-A"], ["-c", "user.name=x", "-c", "user.email=x@x", "commit", "-qm", "x"]):
        subprocess.run(["git", "-C", work, *command], check=True)
    subprocess.run(["git", "-C", work, "push", "-q", str(remote), "main"], check=True)
    cli("sync", "add", str(remote), "--private", "--yes")
    done = cli("sync", check=False)
    assert done.code == 3 and "universal/evil.jsonc" in done.stderr
    assert git(ann, "rev-parse", "HEAD") == head and "evil.jsonc" not in files(ann)


def test_watch_sends_what_is_done_meanwhile(
    paired: tuple[Path, Path], cli: Call, start: Callable[..., subprocess.Popen[str]]
) -> None:
    import time

    ann, bob = paired
    running = start("sync", "watch", "--every", "60m", "--for", "1m", env=at(ann))
    assert running.stdout is not None
    running.stdout.readline()
    one = cli("memorize", "use rg", "--when", "searching", "--json", env=at(ann)).json["id"]
    for _ in range(60):
        sync(cli, bob)
        if not cli("show", one, "--json", env=at(bob), check=False).code:
            break
        time.sleep(0.2)
    assert block(cli, bob, one)["payload"] == "use rg"


def test_merges_that_cross_count_nothing_twice(paired: tuple[Path, Path], cli: Call, git: Git) -> None:
    ann, bob = paired
    one = cli("memorize", "use rg", "--when", "searching", "--json", env=at(ann)).json["id"]
    sync(cli, ann, bob)
    for home in paired:
        cli("outcome", one, "ok", "--scenario", home.name, env=at(home))
    heads = {home: git(home, "rev-parse", "HEAD") for home in paired}
    who = ["-c", "user.name=x", "-c", "user.email=x@x"]
    for home, other in ((ann, bob), (bob, ann)):
        git(home, "fetch", "-q", str(other / "experiences"), heads[other])
        git(home, *who, "merge", "-q", "--no-edit", heads[other])
        assert block(cli, home, one)["verifications"] == 2
    cli("outcome", one, "ok", "--scenario", "third", env=at(ann))
    sync(cli, ann, bob)
    assert len(git(bob, "merge-base", "--all", "HEAD^1", "HEAD^2").split()) == 2, "they crossed"
    assert block(cli, bob, one)["verifications"] == 3
    sync(cli, ann)
    assert files(ann) == files(bob) and block(cli, ann, one)["verifications"] == 3


WHO = ("-c", "user.name=x", "-c", "user.email=x@x")


def test_a_pull_that_git_cannot_finish_is_finished_by_one_command(
    paired: tuple[Path, Path], cli: Call, git: Git, sound: Callable[[Path], None]
) -> None:
    """One machine empties the day's pool, so that its file goes; the other adds to it: git asks no merge driver."""
    ann, bob = paired
    one = cli("memorize", "use rg", "--when", "searching", "--json", env=at(ann)).json["id"]
    sync(cli, ann, bob)
    cli("approve", one, "--yes", env=at(ann))
    two = cli("memorize", "use fd", "--when", "finding", "--json", env=at(bob)).json["id"]
    cli("outcome", one, "ok", "--scenario", "b", env=at(bob))
    said = git(bob, *WHO, "pull", "-q", "--no-rebase", str(ann / "experiences"), "main", check=False)
    assert "modify/delete" in said
    refused = cli("memorize", "use jq", check=False, env=at(bob))
    assert refused.code == 3 and "alice-exp sync settle" in refused.stderr
    cli("sync", "settle", env=at(bob))
    seen = block(cli, bob, one)
    assert (seen["set"], seen["approved"], seen["verifications"]) == ("universal", False, 2)
    assert block(cli, bob, two)["set"] == "low_value"
    assert len(git(bob, "log", "-1", "--format=%P").split()) == 2
    sound(bob)
    sync(cli, bob, ann, bob)
    assert files(ann) == files(bob) and block(cli, bob, one)["approved"], "git brought no decision, sync does"


def test_what_a_person_wrote_during_a_merge_is_left_to_git(
    paired: tuple[Path, Path], cli: Call, git: Git
) -> None:
    ann, bob = paired
    one = cli("memorize", "use rg", "--json", env=at(ann)).json["id"]
    sync(cli, ann, bob)
    cli("approve", one, "--yes", env=at(ann))
    cli("memorize", "use fd", env=at(bob))
    git(bob, *WHO, "pull", "-q", "--no-rebase", str(ann / "experiences"), "main", check=False)
    path = bob / "experiences" / "personal/user_preferences.jsonc"
    path.write_text(path.read_text() + "// my own words\n")
    done = cli("sync", "settle", check=False, env=at(bob))
    assert done.code == 3 and "personal/user_preferences.jsonc" in done.stderr
    assert "my own words" in path.read_text() and (bob / "experiences/.git/MERGE_HEAD").exists()


def test_equal_candidates_of_two_machines_become_one(paired: tuple[Path, Path], cli: Call) -> None:
    ann, bob = paired
    one = cli("memorize", "use rg", "--when", "searching", "--json", env=at(ann)).json["id"]
    two = cli("memorize", "Use rg!", "--when", "Searching", "--json", env=at(bob)).json["id"]
    cli("outcome", one, "ok", "--scenario", "a", env=at(ann))
    cli("outcome", two, "ok", "--scenario", "b", env=at(bob))
    sync(cli, ann, bob, ann)
    assert files(ann) == files(bob)
    (left,) = cli("list", "--set", "low_value", "--json", env=at(ann)).json["blocks"]
    seen = block(cli, ann, left["id"])
    assert (seen["id"], seen["verifications"], seen["observations"]) == (min(one, two), 2, 1)


def test_an_older_home_and_a_plain_clone_learn_to_merge(
    ann: Path, cli: Call, git: Git, world: Path, remote: Path
) -> None:
    cli("sync", "add", str(remote), "--private", "--yes")
    (ann / "experiences/.git/info/attributes").write_text("* -text -merge\n")
    found = {one["name"]: one for one in cli("doctor", "--json").json["checks"]}
    assert found["history"]["severity"] == "warning"
    sync(cli, ann)
    assert "merge=alice" in git(ann, "check-attr", "merge", "universal/tool_usage.jsonc").replace(": ", "=")
    clone = world / "clone"
    clone.mkdir(mode=0o700)
    subprocess.run(["git", "clone", "-q", str(remote), clone / "experiences"], check=True)
    before = cli("doctor", "--json", env=at(clone), check=False)
    found = {one["name"]: one for one in before.json["checks"]}
    assert before.code == 3 and "sync add" in json.dumps(found["remotes"])
    cli("sync", "add", str(remote), "--private", "--yes", env=at(clone))
    cli("doctor", "--fix", "--yes", env=at(clone), check=False)
    after = {one["name"]: one["severity"] for one in cli("doctor", "--json", env=at(clone)).json["checks"]}
    assert (after["remotes"], after["history"]) == ("ok", "ok"), "sync knows the remote now"
    done = subprocess.run(
        ["git", "push", str(remote), "main"], cwd=clone / "experiences", capture_output=True
    )
    assert done.returncode and b"personal" in done.stderr
    assert sync(cli, clone)[0]["error"] is None


def test_a_lock_file_that_stays_is_named_and_one_that_goes_is_waited_for(
    paired: tuple[Path, Path], cli: Call, remote: Path
) -> None:
    ann = paired[0]
    lock = remote / "refs/heads/main.lock"
    cli("memorize", "use rg", env=at(ann))
    lock.touch()
    done = cli("sync", "--json", env=at(ann), check=False)
    error = done.json["remotes"][0]["error"]
    assert (done.code, error["code"]) == (5, "busy")
    assert str(lock) in error["message"] and "remove that file" in done.stderr
    threading.Timer(0.3, lock.unlink).start()
    assert sync(cli, ann)[0]["given"] == 1
