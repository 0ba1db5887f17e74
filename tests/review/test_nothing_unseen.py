"""No act of deciding touches what was not shown; what was turned down or is trusted comes back as what it is."""

import json
from pathlib import Path

import pytest

from alice_exp import Alice
from alice_exp.review.usecases.decisions import approve, reject
from alice_exp.review.usecases.rival_answers import merge
from tests.case_tables import cases, table
from tests.conftest import Call
from tests.review.test_heartbeat import on_terminal
from tests.review.test_review import Open, screen

__all__ = ["screen"]


def memorized(cli: Call, *texts: str) -> list[str]:
    return [cli("memorize", text, "--json").json["id"] for text in texts]


def many(cli: Call, count: int) -> list[str]:
    lines = "\n".join(f'{{"payload": "lesson k{n} about topic t{n}"}}' for n in range(count))
    return list(cli("memorize", "--from", "-", "--json", stdin=lines).json["ids"])


def test_only_what_a_screen_showed_has_a_clock_and_is_decided_in_bulk(home: Path, cli: Call) -> None:
    ids = many(cli, 30)
    on_terminal(home, "heartbeat", moment="2026-02-20T09:00:00Z")
    items = cli("heartbeat", "--peek", "--json").json["items"]
    shown = [item for item in items if item["expires_at"]]
    assert len(items) == len(ids) == 30
    assert 0 < len(shown) <= 10
    unseen = next(item for item in items if not item["expires_at"])
    assert cli("approve", str(unseen["number"]), "--yes", check=False).code == 6
    assert cli("reply", f"同意 {unseen['number']}", "--yes", check=False).code == 6
    done = cli("reply", "同意", "--yes", "--json").json
    assert sorted(done["ids"]) == sorted(item["id"] for item in shown)
    assert done["left"] == 30 - len(shown)
    assert len(cli("heartbeat", "--peek", "--json").json["items"]) == 30 - len(shown)


HOOKED = '{"session_id": "s1", "prompt": "what is one", "cwd": "/tmp"}'


@table("words")
def test_what_nobody_reads_starts_no_clock(home: Path, cli: Call, words: str) -> None:
    memorized(cli, "one")
    # The first command of the day tells of the report, too.
    cli(*words.split(), stdin=HOOKED, check=False)
    cli(*words.split(), stdin=HOOKED, check=False)
    assert cli("heartbeat", "--peek", "--json").json["items"][0]["expires_at"] is None


def test_an_agents_tools_start_no_clock(home: Path, cli: Call) -> None:
    memorized(cli, "one")
    alice = Alice(home, actor="agent:claude")
    alice.call("recall", {"query": "one"})
    alice.call("decide", {"task": "one"})
    alice.call("memorize", {"payload": "two", "trigger": "counting"})
    items = cli("heartbeat", "--peek", "--json").json["items"]
    assert [item["expires_at"] for item in items] == [None, None]


def test_a_row_that_is_folded_says_when_it_applies(home: Path, cli: Call) -> None:
    cli("remember", "format Python code with ruff", "--when", "formatting")
    cli("memorize", "Python code is formatted with ruff", "--when", "before a release")
    said = on_terminal(home, "heartbeat", moment="2026-02-20T09:00:00Z")
    assert "before a release: Python code is formatted with ruff" in said


def test_what_matches_nothing_says_so(home: Path, cli: Call) -> None:
    memorized(cli, "one")
    assert cli("heartbeat", "--match", "elsewhere").stdout.startswith("Nothing that waits matches.\n")
    said = on_terminal(home, "heartbeat", "--page", "7", moment="2026-02-20T09:00:00Z")
    assert "There is no screen 7." in said


@pytest.mark.parametrize("verb", ["approve", "reject"])
def test_a_person_at_a_terminal_is_asked_about_what_was_never_shown(
    home: Path, cli: Call, screen: Open, verb: str
) -> None:
    (one,) = memorized(cli, "tabs, not spaces, in Makefiles")
    terminal = screen(home, verb, one)
    terminal.until("[y/N]")
    assert "tabs, not spaces, in Makefiles" in terminal.said
    terminal.press("perhaps\n")
    terminal.until("answer y or n")
    terminal.press("否\n")
    assert terminal.end() == 6
    assert [item["id"] for item in cli("heartbeat", "--json").json["items"]] == [one]
    # Shown by the report, it is decided without another question.
    assert screen(home, verb, one).end() == 0
    assert cli("heartbeat", "--peek", "--json").json["items"] == []


def edited(home: Path, was: str, now: str) -> None:
    (pool,) = (home / "experiences/low_value_pool").glob("*.jsonc")
    pool.write_text(pool.read_text(encoding="utf-8").replace(was, now), encoding="utf-8")


def test_what_changes_between_showing_and_deciding_is_left(home: Path, cli: Call) -> None:
    old = cli("remember", "format Python code with ruff", "--when", "formatting", "--json").json["id"]
    (one,) = memorized(cli, "Python code is formatted with ruff")
    session = Alice(home)._session
    for act in (
        lambda seen: approve(session.home, session.caller, [one], seen=seen),
        lambda seen: reject(session.home, session.caller, [one], seen=seen),
        lambda seen: merge(session.home, session.caller, one, old, seen=seen),
    ):
        for seen in ({}, {one: "sha256:of another text"}):
            assert act(seen).skipped == ((one, "changed"),)
    cli("heartbeat")
    edited(home, "Python code is formatted", "Python code is never formatted")
    done = cli("approve", one, "--merge", old, "--yes", "--json", check=False)
    assert (done.code, done.json["ids"]) == (5, [])


def test_a_review_draws_a_card_as_the_file_says_it_now(home: Path, cli: Call, screen: Open) -> None:
    memorized(cli, "tea is served at noon", "water the plants weekly")
    terminal = screen(home, "review")
    terminal.until("[q]uit")
    other = "water" if "tea" in terminal.said else "tea"
    edited(home, other, f"never {other}")
    terminal.press("l")
    terminal.until("[q]uit", 2)
    assert f"never {other}" in terminal.said
    terminal.press("q")
    assert terminal.end() == 0


SECRETS = cases(__file__, "SECRETS")


@pytest.mark.parametrize(("text", "kind"), SECRETS)
def test_a_secret_is_marked_and_never_goes_to_universal(home: Path, cli: Call, text: str, kind: str) -> None:
    done = cli("memorize", text)
    assert "holds" in done.stderr
    (item,) = cli("heartbeat", "--json").json["items"]
    assert kind in [one["kind"] for one in item["secrets"]]
    assert item["suggested"].startswith("personal/")
    assert cli("approve", "1", "--to", "universal/tool_usage", "--yes", check=False).code == 6
    cli("reject", "1", "--purge", "--yes")
    for path in (home / "experiences").rglob("*.jsonc"):
        assert text not in path.read_text(encoding="utf-8")


@table("text")
def test_what_is_no_secret_is_not_marked(home: Path, cli: Call, text: str) -> None:
    assert cli("memorize", text, "--json").json["secrets"] == []


@table("fields")
def test_a_secret_is_found_wherever_it_stands(home: Path, cli: Call, fields: dict[str, object]) -> None:
    row = json.dumps({"payload": "deploy on Mondays", **fields})
    cli("memorize", "--from", "-", stdin=row)
    (item,) = cli("heartbeat", "--json").json["items"]
    assert [one["kind"] for one in item["secrets"]] == ["a phone number"]
    assert item["suggested"].startswith("personal/")
    cli("approve", item["id"], "--yes")
    told = cli("memorize", "--from", "-", "--json", stdin=row).json["secrets"]
    assert [one["kind"] for one in told] == ["a phone number"]


def test_a_secret_typed_into_universal_is_not_approved_there(home: Path, cli: Call) -> None:
    block = cli("memorize", "deploy with make", "--json").json["id"]
    cli("approve", block, "--yes")
    (path,) = [p for p in (home / "experiences/universal").glob("*.jsonc") if block in p.read_text("utf-8")]
    path.write_text(
        path.read_text("utf-8").replace("deploy with make", "deploy, PIN by 13812345678"), "utf-8"
    )
    refused = cli("approve", block, "--yes", check=False)
    assert refused.code == 6
    assert f"alice-exp move {block} personal/" in refused.stderr
    path.write_text(path.read_text("utf-8").replace("PIN by 13812345678", "always"), "utf-8")
    assert cli("approve", block, "--yes").code == 0
