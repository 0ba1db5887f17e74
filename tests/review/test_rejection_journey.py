"""A rejection holds on every way in, above all where a person types (issue 3, DESIGN 6, D26).

Distilling, conversations, sharing and importing have their own cases beside their other tests.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Call = Callable[..., Any]
Git = Callable[..., str]
POOL = "experiences/low_value_pool/pending_20260220.jsonc"
SAID, AGAIN = "use ripgrep for code search", "For code search: use RIPGREP!"


@pytest.fixture
def rejected(home: Path, cli: Call) -> str:
    """The id of a rejected inference."""
    block_id = str(cli("memorize", SAID, "--json").json["id"])
    cli("reject", block_id)
    return block_id


def typed(home: Path, path: str, *blocks: dict[str, Any]) -> None:
    """Write a namespace file as a person's editor would."""
    (home / path).write_text(json.dumps({"blocks": blocks}), encoding="utf-8")


def waiting(cli: Call) -> list[str]:
    """What stands in the pool."""
    return [one["payload"] for one in cli("list", "--set", "low_value", "--json").json["blocks"]]


def test_in_bulk_it_is_skipped_and_counted(cli: Call, rejected: str) -> None:
    rows = "\n".join(json.dumps({"payload": text}) for text in (AGAIN, "use fd for files"))
    done = cli("memorize", "--from", "-", "--json", stdin=rows).json
    assert (len(done["ids"]), done["refused"]) == (1, 1)
    assert waiting(cli) == ["use fd for files"]


def test_typed_into_the_pool_it_leaves_in_the_very_stream_that_adopts_it(
    home: Path, cli: Call, git: Git, rejected: str, sound: Callable[[Path], None]
) -> None:
    typed(home, POOL, {"payload": AGAIN})
    looked = cli("list", "--json")
    assert looked.json["blocks"] == []
    assert f"as {rejected}" in looked.stderr
    assert not (home / POOL).exists(), "a pool file without a block goes (B2.41)"
    refuse, adopt = git(home, "log", "-2", "--format=%an %s").splitlines()
    assert (refuse.split()[:2], adopt.split()[:2]) == (["system", "refuse"], ["editor", "adopt"])
    assert AGAIN in git(home, "show", "HEAD~1"), "what was typed is kept"
    sound(home)


def test_a_candidate_reworded_by_hand_into_it_leaves_too(home: Path, cli: Call, rejected: str) -> None:
    made = cli("memorize", "use grep", "--json").json["id"]
    path = home / POOL
    path.write_text(path.read_text(encoding="utf-8").replace("use grep", AGAIN), encoding="utf-8")
    assert waiting(cli) == []
    (back,) = cli("heartbeat", "--json").json["returned"]
    assert (back["id"], back["rejected"]) == (made, rejected)


def test_a_candidate_that_stood_beside_it_stays_when_its_file_is_edited(home: Path, cli: Call) -> None:
    first = cli("memorize", SAID, "--when", "in the morning", "--json").json["id"]
    cli("memorize", SAID, "--when", "in the evening")
    cli("reject", first)
    path = home / POOL
    path.write_text("// mine\n" + path.read_text(encoding="utf-8"), encoding="utf-8")
    assert waiting(cli) == [SAID]


def test_taken_out_of_the_archive_by_hand_it_stays_rejected_until_it_is_revived(
    home: Path, cli: Call, rejected: str
) -> None:
    archive = home / "experiences/archive/rejected.jsonc"
    text = archive.read_text(encoding="utf-8")
    typed(home, "experiences/archive/rejected.jsonc")
    (home / POOL).write_text(text, encoding="utf-8")
    assert waiting(cli) == []


def test_typed_into_universal_it_waits_and_the_report_says_why(home: Path, cli: Call, rejected: str) -> None:
    typed(home, "experiences/universal/tool_usage.jsonc", {"payload": AGAIN, "state": "reliable"})
    assert f"as {rejected}" in cli("list").stderr
    report = cli("heartbeat", "--json").json
    assert [(one["payload"], one["rejected"]) for one in report["unapproved"]] == [(AGAIN, rejected)]
    assert cli("decide", "search code", "--json", check=False).json["applied"] == []
    assert f"you rejected this before, as {rejected}" in cli("heartbeat", "--peek").stdout


def test_typed_into_personal_it_is_the_persons_word(home: Path, cli: Call, rejected: str) -> None:
    typed(home, "experiences/personal/user_preferences.jsonc", {"payload": AGAIN})
    done = cli("list", "--json")
    assert ([one["payload"] for one in done.json["blocks"]], done.stderr) == ([AGAIN], "")


def test_the_edit_command_does_not_let_it_in_either(
    home: Path, cli: Call, monkeypatch: pytest.MonkeyPatch, rejected: str
) -> None:
    made = cli("memorize", "use grep", "--json").json["id"]
    monkeypatch.setenv("EDITOR", f"sed -i 's/use grep/{AGAIN}/'")
    refused = cli("edit", made, check=False)
    assert (refused.code, rejected in refused.stderr) == (6, True)
    assert waiting(cli) == ["use grep"]
    cli("revive", rejected, "--from-rejected", "--yes")
    cli("edit", made)
    assert waiting(cli) == [AGAIN, SAID]


SAME = "Please use RipGrep for code search!"
ARCHIVE = "experiences/archive/rejected.jsonc"
TOKEN = "deploy with AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY"


def refused(cli: Call, text: str, known: str) -> bool:
    """Whether the text is refused as what was rejected."""
    done = cli("memorize", text, check=False)
    return done.code == 6 and f"as {known}" in done.stderr


def without_its_record(home: Path, cli: Call, git: Git, how: str) -> None:
    """Take the record of a rejection away without a word of the person's."""
    if how == "by hand":
        typed(home, ARCHIVE)
    elif how == "its file":
        (home / ARCHIVE).unlink()
    else:
        git(home, "reset", "-q", "--hard", "HEAD~2")
    cli("list")
    assert SAID not in ((home / ARCHIVE).read_text("utf-8") if (home / ARCHIVE).exists() else "")


@pytest.mark.covers("BX.32")
@pytest.mark.parametrize("how", ["by hand", "its file", "reset"])
def test_without_its_record_it_stays_rejected(
    home: Path, cli: Call, git: Git, rejected: str, how: str
) -> None:
    without_its_record(home, cli, git, how)
    assert refused(cli, SAME, rejected)
    rows = json.dumps({"payload": SAME}) + "\n" + json.dumps({"payload": "use fd for files"})
    assert cli("memorize", "--from", "-", "--json", stdin=rows).json["refused"] == 1
    typed(home, "experiences/low_value_pool/pending_20260219.jsonc", {"payload": SAME})
    assert f"as {rejected}" in cli("list").stderr and waiting(cli) == ["use fd for files"]
    typed(home, "experiences/universal/tool_usage.jsonc", {"payload": SAME, "state": "reliable"})
    report = cli("heartbeat", "--json").json
    assert [(one["payload"], one["rejected"]) for one in report["unapproved"]] == [(SAME, rejected)]
    cli("approve", "--all", "--yes")
    cli("approve", "--universal", "--yes", check=False)
    assert [
        one["id"]
        for one in cli("list", "--json").json["blocks"]
        if one["payload"] == SAME and one["approved"]
    ] == []


def test_an_undo_of_the_rejection_lifts_it(cli: Call, rejected: str) -> None:
    assert refused(cli, SAME, rejected)
    cli("undo", "--yes")
    assert cli("memorize", SAME).code == 0


def shards(home: Path, git: Git) -> str:
    """All that the ledger and its copy say."""
    names = git(home, "ls-tree", "--name-only", "refs/alice/ledger").split()
    held = "".join(git(home, "show", f"refs/alice/ledger:{name}") for name in names)
    return held + "".join(path.read_text("utf-8", "replace") for path in (home / "state/ledger").iterdir())


def test_a_secret_is_known_by_a_key_that_git_never_has(home: Path, cli: Call, git: Git) -> None:
    secret = str(cli("memorize", TOKEN, "--json").json["id"])
    cli("reject", secret, "--purge", "--yes")
    key = home / "state/rejected.key"
    assert key.stat().st_mode & 0o777 == 0o600 and len(key.read_bytes()) == 32
    assert '"*' in shards(home, git) and '"~' not in shards(home, git)
    assert refused(cli, TOKEN, secret), "purged, it is still turned down"
    key.unlink()
    assert cli("memorize", TOKEN).code == 0


def test_a_purge_leaves_no_fingerprint_that_texts_could_be_tried_against(
    home: Path, cli: Call, git: Git, rejected: str
) -> None:
    assert '"~' in shards(home, git)
    cli("purge", rejected, "--yes")
    assert '"~' not in shards(home, git)
    assert cli("memorize", SAME).code == 0
