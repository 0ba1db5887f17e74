"""The ledger: every act's decision is an entry, and nothing else makes a block trusted (DESIGN 6)."""

import json
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Collection
from pathlib import Path

import pytest

from alice_exp.home.session import Session
from alice_exp.kernel.journal.act import Commit
from alice_exp.kernel.journal.ledger_objects import LedgerObjects
from alice_exp.model.rules.ledger import shard_of
from alice_exp.model.values.block import Entry
from tests.conftest import Call

Git = Callable[..., str]


def entry(home: Path, block_id: str) -> Entry:
    """The newest entry of an id."""
    opened = Session(str(home)).home
    opened.standings.follow()
    return opened.standings.entry(block_id)


def candidate(cli: Call, text: str = "Run the linter before each commit.") -> str:
    """A candidate that a report has shown."""
    made: str = cli("memorize", text, "--when", "committing", "--json").json["id"]
    cli("heartbeat")
    return made


@pytest.mark.covers("BX.30")
def test_each_act_writes_its_entry(home: Path, cli: Call) -> None:
    one, other = candidate(cli), candidate(cli, "Never push to main without a review.")
    cli("approve", one, "--yes")
    cli("reject", other, "--yes")
    own = cli("remember", "I prefer tabs.", "--json").json["id"]
    assert [entry(home, i).standing for i in (one, other, own)] == ["trusted", "rejected", "trusted"]
    cli("retire", one, "--reason", "the linter is gone", "--yes")
    assert entry(home, one).standing == "retired"
    cli("revive", one, "--yes")
    assert entry(home, one).standing == "trusted"
    cli("undo", "--yes")
    assert entry(home, one).standing == "retired"


def decisions(home: Path, count: int) -> None:
    """Decisions on ``count`` blocks that this home does not hold any more."""
    opened = Session(str(home)).home
    gone = [
        Entry(f"exp-{n:08x}", "rejected", f"{n:064x}", "universal/tool_usage.jsonc") for n in range(count)
    ]
    with opened.alone():
        opened.standings.write(gone, Commit("", "", "reject", "user", "", act_id="act-many"), 1_771_545_600)


@pytest.mark.covers("BX.20")
def test_an_act_writes_little_beside_ten_thousand_decisions(home: Path, cli: Call, git: Git) -> None:
    one = candidate(cli)
    decisions(home, 10_000)
    before = git(home, "rev-parse", "refs/alice/ledger")
    cli("approve", one, "--yes")
    rows = git(home, "rev-list", "--objects", "refs/alice/ledger", f"^{before}").splitlines()
    form = "--batch-check=%(objecttype) %(objectsize:disk)"
    said = "\n".join(row.split()[0] for row in rows)
    told = subprocess.run(
        ["git", "cat-file", form],
        input=said,
        cwd=home / "experiences",
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    assert sorted(row.split()[0] for row in told) == ["blob", "commit", "tree"]
    assert sum(int(row.split()[1]) for row in told) <= 20_000


@pytest.mark.covers("BX.21")
def test_with_an_index_in_step_no_answer_reads_the_ledgers_shards(
    home: Path, cli: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = candidate(cli), candidate(cli, "Never push to main without a review.")
    cli("approve", one, "--yes")
    cli("recall", "committing", check=False)
    asked: list[str] = []
    real = LedgerObjects.shards

    def shards(self: LedgerObjects, names: Collection[str], commit: str = "") -> dict[str, bytes]:
        asked.extend(names)
        return real(self, names, commit)

    monkeypatch.setattr(LedgerObjects, "shards", shards)
    told = {row["id"]: row["approved"] for row in cli("list", "--json").json["blocks"]}
    found = cli("recall", "committing", "--json").json["matches"]
    assert told == {one: True, other: False} and found[0]["id"] == one
    assert not asked
    # Without an index only the shards of what is told are read.
    (home / "state" / "index.sqlite").unlink()
    opened = Session(str(home)).home
    assert {placed.block.id for placed in opened.read(("low_value",))} == {other}
    assert set(asked) == {shard_of(other)}


def test_the_index_follows_a_ledger_that_others_move(
    home: Path, cli: Call, git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("alice_exp.kernel.journal.atomic_files.RACY_NS", 0)
    one = candidate(cli)
    was = git(home, "rev-parse", "refs/alice/ledger").strip()
    cli("approve", one, "--yes")

    def told() -> dict[str, bool]:
        return {row["id"]: row["approved"] for row in cli("list", "--json").json["blocks"]}

    assert told() == {one: True}
    now = git(home, "rev-parse", "refs/alice/ledger").strip()
    git(home, "update-ref", "refs/alice/ledger", was)
    assert "says something else" not in cli("doctor", check=False).stdout
    assert told() == {one: False}
    git(home, "update-ref", "refs/alice/ledger", now)
    assert told() == {one: True}
    # A row whose entry is another block's, or another text than was written, is none.
    with sqlite3.connect(home / "state" / "index.sqlite") as index:
        index.execute("UPDATE blocks SET entry = replace(entry, 'trusted', 'waiting')")
    assert told() == {one: True}


def trusted(cli: Call) -> list[str]:
    """What is told as trusted."""
    rows = cli("list", "--json").json["blocks"]
    return sorted(row["payload"] for row in rows if row["approved"] and row["set"] != "low_value")


def forge(home: Path, name: str, text: str) -> None:
    """Write a block into a trusted set with all that 0.2.0 wrote into one."""
    from alice_exp.model.values.block import Block, Payload, Trigger, content_hash

    made = Block("exp-forged22", Payload(text), Trigger("committing"))
    approved = {"at": "2026-02-20T09:00:00Z", "by": "user", "hash": content_hash(made)}
    times = {"created_at": approved["at"], "updated_at": approved["at"]}
    block = {"id": f"exp-{name:a<8}", "trigger": "committing", "payload": text, "approved": approved, **times}
    (home / f"experiences/universal/{name}.jsonc").write_text(json.dumps({"blocks": [block]}), "utf-8")


@pytest.mark.covers("BX.37")
def test_a_home_of_0_2_0_keeps_what_acts_prove_and_says_what_they_do_not(
    home: Path, cli: Call, git: Git
) -> None:
    real = {
        text: candidate(cli, text)
        for text in (
            "lint before each push",
            "name branches after the ticket",
            "tag every release",
            "squash small fixes",
            "use ag",
        )
    }
    for block_id in real.values():
        cli("approve", block_id, "--yes")
    cli("move", real["name branches after the ticket"], "universal/other")
    cli("retire", real["tag every release"], "--reason", "gone", "--yes")
    cli("share", "allow", real["lint before each push"], "--yes")
    cli("reject", candidate(cli, "push on Fridays"), "--yes")
    cli("remember", "I prefer tabs.")
    named = ("-c", "user.name=x", "-c", "user.email=x@y", "-c", "core.hooksPath=/dev/null")
    # By "approve --replace" 0.2.0 put the other one aside in the same act.
    cli("retire", real["use ag"], "--reason", "replaced", "--yes")
    said = git(home, "log", "-1", "--format=%B").replace("Op: retire", "Op: approve")
    git(home, *named, "commit", "-q", "--amend", "-m", said)
    git(home, "update-ref", "refs/alice/seen", "HEAD")
    kept = [text for text in trusted(cli) if text != "squash small fixes"]
    assert len(kept) == 3
    # An act of the editor's took in what a file said of itself: 0.2.0 had to strip that, and may have missed it.
    path = next(
        p for p in (home / "experiences/universal").iterdir() if "squash small fixes" in p.read_text("utf-8")
    )
    path.write_text(
        path.read_text("utf-8").replace("squash small fixes", "squash small fixes, always"), "utf-8"
    )
    forge(home, "byhand", "typed by hand")
    cli("list")
    forge(home, "bygit", "committed by git")
    git(home, "add", "-A")
    trailers = (
        "Alice-Act: act-aaaaaaaa\nAlice-Op: approve\nAlice-Actor: user\nAlice-At: 2026-02-20T09:00:00Z\n"
    )
    message = f"approve\n\n{trailers}Alice-Block: exp-bygitaaa\n"
    git(home, *named, "commit", "-qm", message)
    git(home, "update-ref", "-d", "refs/alice/ledger")
    for folder in ("ledger", "lost"):
        shutil.rmtree(home / "state" / folder, ignore_errors=True)
    looked = cli("list", "--json")
    assert "1 block that version 0.2.0 trusted rest on no decision of yours" in looked.stderr
    assert trusted(cli) == kept
    assert cli("memorize", "push on Fridays", check=False).code == 6
    assert [
        entry(home, real[text]).standing for text in ("lint before each push", "tag every release", "use ag")
    ] == [
        "trusted",
        "retired",
        "retired",
    ]
    waiting = {row["payload"] for row in cli("heartbeat", "--json").json["unapproved"]}
    assert waiting == {"squash small fixes, always", "typed by hand", "committed by git"}
