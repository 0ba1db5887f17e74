"""``share``: only what is allowed, proved here and approved leaves; what comes in is a claim (R2.46-R2.48, B2.37, D59)."""

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.approvals import trust_as_it_stands
from tests.case_tables import cases
from tests.conftest import Call

SUPER = '"state": "reliable", "verifications": 72, "verifications_local": 72'
MARKER = "heliotrope-marmalade"


def block(block_id: str, payload: str, more: str = "") -> str:
    return f'{{"id": "exp-{block_id}", "trigger": "searching", "payload": {json.dumps(payload)}{more}}}'


def write(home: Path, where: str, *blocks: str) -> None:
    (home / "experiences" / f"{where}.jsonc").write_text('{"blocks": [\n' + ",\n".join(blocks) + "\n]}\n")


def filled(home: Path, cli: Call) -> None:
    """One block that may leave when allowed, and one of each kind that may not."""
    write(
        home,
        "universal/tool_usage",
        block("super222", "use ripgrep", f", {SUPER}"),
        block("denied22", "use fd", f", {SUPER}"),
        block("young222", "use bat", ', "state": "reliable", "verifications": 49, "verifications_local": 49'),
        block("heard222", "use jq", ', "state": "reliable", "verifications": 72'),
        block("aboutme2", f"I like {MARKER}", f', "about": "user", {SUPER}'),
    )
    write(home, "personal/habits", block("mine2222", f"mine: {MARKER}", f', "shareable": true, {SUPER}'))
    cli("approve", "exp-super222", "exp-denied22", "exp-young222", "exp-heard222", "exp-aboutme2", "--yes")
    cli("memorize", f"a guess of {MARKER}", "--when", "never")


@pytest.fixture
def ann(home: Path, cli: Call) -> Path:
    """A home whose one allowed block may leave."""
    filled(home, cli)
    cli("config", "set", "sharing.name", "alice_ann")
    cli("share", "allow", "super222", "young222", "heard222", "--yes")
    return home


@pytest.fixture
def bob(_fresh_home: Path, world: Path) -> Path:
    return Path(shutil.copytree(_fresh_home, world / "bob", symlinks=True))


def at(home: Path) -> dict[str, str]:
    return {"ALICE_HOME": str(home)}


def exported(cli: Call, world: Path, name: str = "bundle.json") -> Path:
    cli("share", "export", str(world / name), "--to", "bob", "--yes")
    return world / name


def test_d59_only_universal_super_and_shareable_leaves_and_the_second_import_changes_nothing(
    ann: Path, bob: Path, cli: Call, world: Path, git: Callable[..., str]
) -> None:
    """D59."""
    found = {check["name"]: check for check in cli("doctor", "--json", check=False).json["checks"]}
    assert [problem["path"] for problem in found["sharing"]["problems"]] == ["personal/habits.jsonc"]
    path = exported(cli, world)
    body = json.loads(path.read_text())
    assert [one["id"] for one in body["blocks"]] == ["exp-super222"]
    assert MARKER not in path.read_text()
    first = cli("share", "import", str(path), "--json", env=at(bob)).json
    assert [one["origin"] for one in first["candidates"]] == ["shared_from_alice_ann"]
    new = first["candidates"][0]
    assert (new["set"], new["state"], new["verifications"]) == ("low_value", "possible", 0)
    assert new["evidence"].startswith("72 verified there: a claim of alice_ann")
    head = git(bob, "rev-parse", "HEAD")
    again = cli("share", "import", str(path), "--json", env=at(bob)).json
    assert (again["ids"], again["commit"], again["unchanged"]) == ([], None, 1)
    cli("heartbeat", env=at(bob))
    cli("approve", new["id"], "--yes", env=at(bob))
    taken = cli("show", new["id"], "--json", env=at(bob)).json
    assert (taken["set"], taken["state"], taken["verifications"]) == ("universal", "past", 72)
    head = git(bob, "rev-parse", "HEAD")
    once_more = cli("share", "import", str(path), "--json", env=at(bob)).json
    assert (once_more["commit"], once_more["unchanged"]) == (None, 1)
    assert git(bob, "rev-parse", "HEAD") == head


def test_preview_prints_exactly_the_bytes_and_the_log_tells_to_whom(
    ann: Path, cli: Call, world: Path
) -> None:
    shown = cli("share", "preview").stdout
    path = exported(cli, world)
    assert path.read_bytes() == shown.encode()
    assert path.stat().st_mode & 0o777 == 0o600
    assert cli("share", "export", "-", "--yes").stdout == shown
    rows = cli("share", "log", "--json").json["shared"]
    assert [(row["to"], row["way"], [one["id"] for one in row["blocks"]]) for row in rows] == [
        ("bob", "file", ["exp-super222"]),
        ("-", "file", ["exp-super222"]),
    ]
    assert (ann / "identity/shared.jsonl").stat().st_mode & 0o777 == 0o600
    assert cli("share", "export", str(path), "--yes", check=False).code == 6, "nothing is overwritten"
    allowed = {"id", "type", "trigger", "payload", "tags", "verifications", "evidence", "hash"}
    assert set(json.loads(shown)["blocks"][0]) <= allowed


@pytest.mark.covers("R2.49")
def test_all_five_phases_are_there(ann: Path, bob: Path, cli: Call, world: Path) -> None:
    bobs, agent = at(bob), {**at(bob), "ALICE_ACTOR": "agent"}
    (shared,) = cli("share", "import", str(exported(cli, world)), "--json", env=bobs).json["ids"]  # 4
    own = cli("memorize", "look at the index", "--when", "searching", "--json", env=agent).json["id"]  # 2
    assert cli("recall", "searching", "--json", env=agent).json["matches"]
    assert {item["id"] for item in cli("heartbeat", "--json", env=bobs).json["items"]} == {shared, own}  # 3
    cli("approve", shared, "--yes", env=bobs)
    kept = bob / "experiences" / f"{cli('show', shared, '--json', env=bobs).json['namespace']}.jsonc"
    assert shared in (kept.parent / "universal" / kept.name).read_text("utf-8")  # 1
    decided = cli("decide", "searching", "--json", env=agent).json  # 5
    assert [one["id"] for one in decided["applied"]] == [shared]


SECRETS = {**dict(cases(__file__, "SECRETS")), "github": ("use ghp_" + "a1B2" * 9, "a GitHub token")}


@pytest.mark.parametrize("kind", SECRETS)
def test_what_looks_like_a_secret_does_not_leave(home: Path, cli: Call, world: Path, kind: str) -> None:
    said, what = SECRETS[kind]
    # Approved and allowed before this version, which lets nothing private into universal.
    write(home, "universal/tool_usage", block("secret22", said, f', "shareable": true, {SUPER}'))
    cli("list")
    trust_as_it_stands(home)
    for command in (["preview"], ["export", str(world / "out")], ["allow", "secret22"]):
        done = cli("share", *command, "--yes", check=False)
        assert done.code == 6, done.stderr
        assert f"exp-secret22 does not leave: payload holds {what}" in done.stderr
        assert said.split()[-1] not in done.stderr
    assert not (world / "out").exists()


@pytest.mark.parametrize(("ours", "result"), [(12, 72), (80, 80), (72, 72)])
def test_the_higher_count_holds(
    home: Path, bob: Path, cli: Call, world: Path, ours: int, result: int, git: Callable[..., str]
) -> None:
    """R2.47: local 12, remote 72 → 72; local 80 → 80; repeated → 72."""
    filled(home, cli)
    cli("share", "allow", "super222", "--yes")
    path = exported(cli, world)
    write(
        bob,
        "universal/mine",
        block(
            "bobs2222",
            "use ripgrep",
            f', "state": "reliable", "verifications": {ours}, "verifications_local": 12',
        ),
    )
    cli("approve", "exp-bobs2222", "--yes", env=at(bob))
    if ours < result:
        done = cli("share", "import", str(path), env=at(bob), check=False)
        assert done.code == 6, "it raises what is trusted, so it asks"
    for _ in range(2):
        cli("share", "import", str(path), "--yes", env=at(bob))
        head = git(bob, "rev-parse", "HEAD")
        seen = cli("show", "bobs2222", "--json", env=at(bob)).json
        assert (seen["verifications"], seen["verifications_local"]) == (result, 12)
        assert seen["state"] == "reliable" and seen["approved"]
        assert seen["level"] == ("reliable" if ours == 12 else "super_reliable"), "the badge is not inherited"
    assert git(bob, "rev-parse", "HEAD") == head
    cli("outcome", "bobs2222", "ok", env=at(bob))
    assert cli("show", "bobs2222", "--json", env=at(bob)).json["level"] == "super_reliable"
    assert cli("share", "preview", env=at(bob), check=False).code == 4, "onward sharing needs its own count"


def test_what_was_rejected_before_is_refused_by_name(ann: Path, bob: Path, cli: Call, world: Path) -> None:
    path = exported(cli, world)
    first = cli("share", "import", str(path), "--json", env=at(bob)).json
    cli("heartbeat", env=at(bob))
    cli("reject", first["ids"][0], env=at(bob))
    again = cli("share", "import", str(path), "--json", env=at(bob)).json
    assert again["commit"] is None and again["refused"][0]["id"] == "exp-super222"
    assert first["ids"][0] in again["refused"][0]["why"]


@pytest.mark.covers("R2.4")
def test_items_that_lie_are_refused_one_by_one(ann: Path, bob: Path, cli: Call, world: Path) -> None:
    body = json.loads(exported(cli, world).read_text())
    good = body["blocks"][0]
    body["blocks"] = [
        good,
        {**good, "about": "user"},
        {**good, "id": "../x"},
        {**good, "verifications": 10**9},
        {**good, "payload": "do something else"},
        {**good, "state": "reliable"},
        {**good, "approved": {"at": "2026-02-20T09:00:00Z", "by": "user", "hash": good["hash"]}},
        {**good, "evidence": [{"kind": "note", "effect": "ok", "ref": "x"}]},
        "text",
    ]
    lies = world / "lies.json"
    lies.write_text(json.dumps(body))
    done = cli("share", "import", str(lies), "--json", env=at(bob)).json
    assert len(done["candidates"]) == 1 and len(done["refused"]) == 8
    assert all(row["why"] for row in done["refused"])
    blocks = cli("list", "--json", env=at(bob)).json["blocks"]
    assert [one["set"] for one in blocks] == ["low_value"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("{}", 3),
        ("nonsense", 3),
        ('{"format": "alice-exp bundle", "version": 2, "from": "x", "blocks": []}', 3),
        ('{"format": "alice-exp bundle", "version": 1, "from": "../x", "blocks": []}', 3),
        ('{"format": "alice-exp bundle", "version": 1, "from": "x", "blocks": {}}', 3),
        ("[" * 5000, 3),
    ],
)
def test_what_is_no_bundle_changes_nothing(
    home: Path, cli: Call, world: Path, text: str, code: int, git: Callable[..., str]
) -> None:
    head = git(home, "rev-parse", "HEAD")
    (world / "odd.json").write_text(text)
    assert cli("share", "import", str(world / "odd.json"), check=False).code == code
    assert cli("share", "import", str(world / "none.json"), check=False).code == 4
    assert git(home, "rev-parse", "HEAD") == head


def test_a_dry_run_changes_nothing(
    ann: Path, bob: Path, cli: Call, world: Path, git: Callable[..., str]
) -> None:
    path = exported(cli, world)
    heads = [git(one, "rev-parse", "HEAD") for one in (ann, bob)]
    assert len(cli("share", "import", str(path), "--dry-run", "--json", env=at(bob)).json["candidates"]) == 1
    cli("share", "allow", "denied22", "--dry-run")
    assert [git(one, "rev-parse", "HEAD") for one in (ann, bob)] == heads


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not installed")
def test_with_an_owner_key_only_what_it_signed_leaves(home: Path, cli: Call, tmp_path: Path) -> None:
    key = tmp_path / "key"
    command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)]
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
    cli("owner", "init", "--key", str(key), "--allow-unprotected")
    write(home, "universal/tool_usage", block("super222", "use rg", f', "shareable": true, {SUPER}'))
    cli("approve", "exp-super222", "--yes")
    assert cli("share", "preview", check=False).code == 4, "approved is not allowed"
    cli("share", "allow", "super222", "--yes")
    shown: dict[str, Any] = json.loads(cli("share", "preview").stdout)
    assert [one["id"] for one in shown["blocks"]] == ["exp-super222"]
    assert "signature" not in json.dumps(shown)
