"""A rejection holds on every way in, above all where a person types (issue 3, DESIGN 6, D26).

Distilling, conversations, sharing and importing have their own cases beside their other tests.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Git

Call = Callable[..., Any]
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
