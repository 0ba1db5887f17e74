"""N3.4: decisions outlive history. What git or a backup took away is said in the next report, offered with one command,
and what a person turned down holds meanwhile."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Call, Git

WHEN = "working on the build"
GOOD, BAD, OLD = "run the linter first", "push to main at once", "tag each release"


def learn(cli: Call, text: str) -> str:
    """A candidate that a report showed."""
    block_id = str(cli("memorize", text, "--when", WHEN, "--json").json["id"])
    cli("heartbeat")
    return block_id


def lost(cli: Call) -> list[tuple[str, str]]:
    """What the report says that the files lack."""
    rows: list[dict[str, Any]] = cli("heartbeat", "--json").json["lost"]
    return sorted((row["payload"], row["standing"]) for row in rows)


def trusted(cli: Call) -> list[str]:
    """What is told as trusted."""
    rows = cli("list", "--json").json["blocks"]
    return sorted(row["payload"] for row in rows if row["approved"] and row["set"] != "low_value")


@pytest.fixture
def lived(home: Path, cli: Call) -> dict[str, str]:
    """Ids by text: one approved, one rejected, one approved and retired."""
    ids = {text: learn(cli, text) for text in (GOOD, BAD, OLD)}
    cli("approve", ids[GOOD], ids[OLD], "--yes")
    cli("reject", ids[BAD], "--yes")
    cli("retire", ids[OLD], "--reason", "no more", "--yes")
    return ids


@pytest.mark.covers("BX.34")
@pytest.mark.parametrize("far", [1, 2, 3, 9])
def test_reset_over_decisions_is_said_and_put_back_with_one_command(
    cli: Call, git: Git, home: Path, lived: dict[str, str], far: int
) -> None:
    git(home, "reset", "-q", "--hard", f"HEAD~{far}")
    if far < 9:
        assert trusted(cli) == ([GOOD] if far < 3 else []), "what was retired or rejected stays so"
    page = cli("heartbeat").stdout
    wanted = {1: [OLD], 2: [OLD], 3: [GOOD, OLD], 9: [BAD, GOOD, OLD]}[far]
    assert [text for text, _ in lost(cli)] == wanted
    assert all(text in page for text in wanted) and "restore --lost" in page
    assert cli("restore", "--lost", check=False, env={"CLAUDECODE": "1"}).code == 6
    done = cli("restore", "--lost", "--yes", "--json").json
    assert len(done["ids"]) == len(wanted)
    assert (lost(cli), trusted(cli)) == ([], [GOOD])
    assert cli("memorize", BAD, check=False).code == 6
    assert cli("show", lived[OLD], "--json").json["set"] == "archive"
    assert cli("restore", "--lost", "--yes", check=False).code == 4


def half(home: Path, world: Path, how: str, git: Git, cli: Call) -> None:
    """Take the repository, or its ledger, away."""
    if how == "no ledger":
        git(home, "update-ref", "-d", "refs/alice/ledger")
        return
    shutil.rmtree(home / "experiences/.git")
    if how == "init":
        cli("init")
    elif how == "old .git":
        shutil.copytree(world / "stick", home / "experiences/.git")
    else:
        git(home, "init", "-q", "-b", "main")
        git(home, "add", "-A")
        git(home, "-c", "user.name=x", "-c", "user.email=x@y", "commit", "-qm", "all")


@pytest.mark.covers("BX.35")
@pytest.mark.parametrize("how", ["init", "new .git", "old .git", "no ledger"])
def test_a_copy_of_the_ledger_is_offered_and_not_believed(
    cli: Call, git: Git, home: Path, world: Path, how: str
) -> None:
    ids = {text: learn(cli, text) for text in (GOOD, BAD, OLD)}
    cli("approve", ids[OLD], "--yes")
    shutil.copytree(home / "experiences/.git", world / "stick")
    cli("approve", ids[GOOD], "--yes")
    cli("reject", ids[BAD], "--yes")
    cli("retire", ids[OLD], "--reason", "no more", "--yes")
    half(home, world, how, git, cli)
    assert trusted(cli) == []
    assert cli("memorize", BAD, check=False).code == 6, "what was turned down holds by the copy"
    page = cli("heartbeat").stdout
    assert GOOD in page and "as a copy of the ledger says" in page
    learn(cli, "something that comes after")
    assert [row for row in lost(cli) if row[0] == GOOD] == [(GOOD, "trusted")], (
        "the next act overwrites no copy"
    )
    assert trusted(cli) == []
    cli("restore", "--lost", "--yes")
    assert (lost(cli), trusted(cli)) == ([], [GOOD])
    assert cli("memorize", BAD, check=False).code == 6
    assert not (home / "state/lost").exists()


def test_a_cut_pack_that_lost_the_ledger_offers_its_copy(
    cli: Call, git: Git, home: Path, lived: dict[str, str]
) -> None:
    from tests.home.test_damaged_homes import GIT

    git(home, "repack", "-adq")
    git(home, "pack-refs", "--all")
    GIT["halved objects/pack/*.pack"](home / "experiences/.git")
    cli("doctor", "--fix", check=False)
    assert (trusted(cli), git(home, "for-each-ref", "refs/alice/ledger")) == ([], "")
    assert (GOOD, "trusted") in lost(cli)
    cli("restore", "--lost", "--yes")
    assert trusted(cli) == [GOOD]
    assert cli("memorize", BAD, check=False).code == 6


def test_a_purge_takes_the_copies_along(cli: Call, git: Git, home: Path, lived: dict[str, str]) -> None:
    git(home, "update-ref", "-d", "refs/alice/ledger")
    cli("heartbeat")
    assert list((home / "state/lost").iterdir())
    cli("purge", lived[GOOD], "--yes")
    told = "".join(
        path.read_text("utf-8", "replace") for path in (home / "state/lost").rglob("*") if path.is_file()
    )
    assert lived[GOOD] not in told and lived[OLD] in told
