"""A home that 0.2.0 wrote, left in the middle of an act, is taken over: what docs/upgrading.md says, line by line.

0.2.0 made it: one thing remembered; three approved for one situation, of which failed reports archived two; one rejected;
one candidate of an agent, three of the readers that are gone; a setting that is gone; ``remember`` killed while its commit was
pending.
"""

from __future__ import annotations

import shutil
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.case_tables import table
from tests.conftest import ROOT

Call = Callable[..., Any]
MORNING = {"ALICE_NOW": "2026-03-03T09:00:00Z"}


@pytest.fixture
def old(home: Path, cli: Call, monkeypatch: pytest.MonkeyPatch) -> Call:
    """The commands on that home, the morning after."""
    shutil.rmtree(home)
    with tarfile.open(ROOT / "tests/data/home_0_2_0.tar.xz") as archive:
        archive.extraction_filter = getattr(tarfile, "fully_trusted_filter", None)  # 3.11.2 has none
        for member in archive.getmembers():
            member.name = member.name.partition("/")[2] or "."
            archive.extract(member, home)
    monkeypatch.setenv("ALICE_NOW", MORNING["ALICE_NOW"])
    return cli


def payloads(rows: list[dict[str, Any]]) -> set[str]:
    return {one["payload"] for one in rows}


KEPT = {"use rg", "check the build twice", "restart the queue after a deploy", "never force push"}
PUT_ASIDE = {"prefer small commits", "tag before release"}


def test_what_was_approved_holds_and_the_act_cut_off_is_finished(old: Call, home: Path, git: Call) -> None:
    blocks, built = old("list", "--json").json["blocks"], git(home, "rev-parse", "refs/alice/ledger")
    assert payloads([one for one in blocks if one["approved"]]) == KEPT
    assert git(home, "for-each-ref", "refs/alice/pending") == ""
    assert old("check", "--json").json["problems"] == []
    told = old("decide", "git push", "--project", "me/x", "--json").json["constraints"]
    assert payloads(told) == {"never force push"}
    old("memorize", "pin what is installed", "--when", "installing")
    assert git(home, "rev-parse", "refs/alice/ledger") == built, "the ledger is built once"


def test_what_failed_reports_put_aside_is_offered_back_once(old: Call) -> None:
    report = old("heartbeat", "--json").json
    assert payloads(report["lost"]) == PUT_ASIDE
    assert {one["at"][:10] for one in report["lost"]} == {"2026-03-01"}
    old("restore", "--lost", "--yes")
    blocks = old("list", "--json").json["blocks"]
    assert payloads([one for one in blocks if one["approved"]]) == KEPT | PUT_ASIDE
    aside = [one for one in blocks if one["payload"] in PUT_ASIDE]
    assert {(one["evidence"][-1]["effect"], one["record"]["failed"]) for one in aside} == {("fail", 1)}
    assert old("heartbeat", "--json").json["lost"] == []
    assert payloads(old("decide", "releasing", "--project", "me/x", "--json").json["steps"]) >= PUT_ASIDE


def test_what_was_turned_down_stays_so(old: Call) -> None:
    again = old("memorize", "我不吃花生", "--about", "user", check=False)
    assert again.code != 0 or "我不吃花生" not in payloads(old("heartbeat", "--json").json["items"])


def test_candidates_of_the_readers_that_are_gone_wait_marked_with_what_was_said(old: Call) -> None:
    waiting = {one["payload"]: one["evidence"] for one in old("heartbeat", "--json").json["items"]}
    assert len(waiting) == 4
    assert waiting["The user lives in Paris"] == "My name is Ada and I live in Paris."
    assert old("heartbeat", "--peek").stdout.count("perhaps") == 3


@table("words", "says")
def test_a_removed_option_or_command_says_what_stands_in_its_place(words: str, says: str, old: Call) -> None:
    done = old(*words.split(), check=False)
    assert says in done.stderr
