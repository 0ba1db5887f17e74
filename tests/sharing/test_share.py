"""``share``: only what is allowed, proved here and approved leaves; what comes in is a claim (R2.46-R2.48, B2.37, D59)."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.approvals import trust_as_it_stands
from tests.case_tables import cases
from tests.conftest import Call

SUPER = '"state": "reliable", "verifications": 72, "verifications_local": 72'


def block(block_id: str, payload: str, more: str = "") -> str:
    return f'{{"id": "exp-{block_id}", "trigger": "searching", "payload": {json.dumps(payload)}{more}}}'


def write(home: Path, where: str, *blocks: str) -> None:
    (home / "experiences" / f"{where}.jsonc").write_text('{"blocks": [\n' + ",\n".join(blocks) + "\n]}\n")


def test_preview_prints_exactly_the_bytes_and_the_log_tells_to_whom(
    lending: Path, cli: Call, world: Path
) -> None:
    shown = cli("share", "preview").stdout
    path = world / "bundle.json"
    cli("share", "export", str(path), "--to", "bob", "--yes")
    assert path.read_bytes() == shown.encode()
    assert path.stat().st_mode & 0o777 == 0o600
    assert cli("share", "export", "-", "--yes").stdout == shown
    rows = cli("share", "log", "--json").json["shared"]
    assert [(row["to"], row["way"], [one["id"] for one in row["blocks"]]) for row in rows] == [
        ("bob", "file", ["exp-super222"]),
        ("-", "file", ["exp-super222"]),
    ]
    assert (lending / "identity/shared.jsonl").stat().st_mode & 0o777 == 0o600
    assert cli("share", "export", str(path), "--yes", check=False).code == 6, "nothing is overwritten"
    allowed = {"id", "type", "trigger", "payload", "tags", "verifications", "evidence", "hash"}
    assert set(json.loads(shown)["blocks"][0]) <= allowed


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


@pytest.mark.covers("R2.4")
def test_items_that_lie_are_refused_one_by_one(lending: Path, cli: Call, world: Path) -> None:
    body, bob = cli("share", "preview").json, {"ALICE_HOME": str(world / "bob")}
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
    done = cli("share", "import", str(lies), "--json", env=bob).json
    assert len(done["candidates"]) == 1 and len(done["refused"]) == 8
    assert all(row["why"] for row in done["refused"])
    blocks = cli("list", "--json", env=bob).json["blocks"]
    assert [one["set"] for one in blocks] == ["low_value"]


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "nonsense",
        '{"format": "alice-exp bundle", "version": 2, "from": "x", "blocks": []}',
        '{"format": "alice-exp bundle", "version": 1, "from": "../x", "blocks": []}',
        '{"format": "alice-exp bundle", "version": 1, "from": "x", "blocks": {}}',
        "[" * 5000,
    ],
)
def test_what_is_no_bundle_changes_nothing(
    home: Path, cli: Call, world: Path, text: str, git: Callable[..., str]
) -> None:
    head = git(home, "rev-parse", "HEAD")
    (world / "odd.json").write_text(text)
    assert cli("share", "import", str(world / "odd.json"), check=False).code == 3
    assert cli("share", "import", str(world / "none.json"), check=False).code == 4
    assert git(home, "rev-parse", "HEAD") == head
