"""Undo at a person's scale, and the log's filters (R2.14, DESIGN 5, 7)."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import pytest

from alice_exp.app.opening import open_session
from alice_exp.blocks.usecases import provenance
from alice_exp.kernel.journal.act import OPS, Act, Op
from tests.blocks.conftest import act
from tests.conftest import Call

NEXT = "2026-02-21T09:00:00Z"


def state(home: Path) -> dict[str, bytes]:
    """Every file of the home's truth, byte by byte."""
    root = home / "experiences"
    return {
        str(path.relative_to(root)): path.read_bytes() for path in root.glob("[!.]*/*") if path.is_file()
    } | {"config": (root / "config.jsonc").read_bytes()}


def hand_edit(path: Path) -> None:
    path.write_text(path.read_text().replace("    // above the second\n", "").replace("use rg", "use ag"))


def decided(cli: Call, *verb: str) -> None:
    """A candidate, shown in a report, decided on."""
    candidate = act(cli, "memorize", "use uv", "--when", "installing")["id"]
    cli("heartbeat")
    cli(verb[0], candidate, *verb[1:], "--yes")


ACTS: dict[str, Callable[[Call, Path], Any]] = {
    "approve": lambda cli, path: decided(cli, "approve"),
    "reject": lambda cli, path: decided(cli, "reject", "--reason", "no"),
    "remember": lambda cli, path: cli("remember", "我喜欢吃辣"),
    "memorize": lambda cli, path: cli("memorize", "use fd"),
    "outcome": lambda cli, path: cli("outcome", "exp-bbbbbbb2", "fail"),
    "move": lambda cli, path: cli("move", "exp-aaaaaaa2", "personal/workflow_habits"),
    "retire": lambda cli, path: cli("retire", "exp-aaaaaaa2", "--reason", "x"),
    "config": lambda cli, path: cli("config", "set", "heartbeat.expire_days", "14"),
    "adopt": lambda cli, path: (hand_edit(path), cli("list")),
    "namespace": lambda cli, path: cli("namespace", "create", "universal/recipes"),
}


@pytest.mark.parametrize("op", ACTS)
def test_the_newest_act_is_taken_back_byte_by_byte_and_can_be_redone(
    tools: Path, cli: Call, git: Callable[..., str], sound: Callable[[Path], None], world: Path, op: str
) -> None:
    home = world / "alice"
    if op in ("approve", "reject"):
        candidate = act(cli, "memorize", "use uv", "--when", "installing")["id"]
        cli("heartbeat")
        before = state(home)
        cli(op, candidate, "--yes")
    else:
        before = state(home)
        ACTS[op](cli, tools)
    after = state(home)
    assert after != before
    count = int(git(home, "rev-list", "--count", "HEAD"))
    undone = act(cli, "undo", "--yes")
    assert [one["op"] for one in undone["undone"]] == [op] and undone["conflicts"] == []
    assert state(home) == before
    assert int(git(home, "rev-list", "--count", "HEAD")) == count + 1
    act(cli, "undo", undone["commit"], "--yes")
    assert state(home) == after
    sound(home)


def test_a_dry_run_shows_the_blocks_and_changes_nothing(tools: Path, cli: Call, world: Path) -> None:
    cli("outcome", "exp-bbbbbbb2", "fail")
    before = state(world / "alice")
    done = act(cli, "undo", "--dry-run")
    assert done["blocks"] == ["exp-bbbbbbb2"] and done["commit"] is None
    words = cli("show", "exp-bbbbbbb2", "--json").json["payload"]
    assert f"exp-bbbbbbb2  {words}"[:40] in cli("undo", "--dry-run").stdout
    assert state(world / "alice") == before


def test_all_acts_of_one_actor_in_one_commit_and_others_later_acts_stay(
    tools: Path, cli: Call, git: Callable[..., str], sound: Callable[[Path], None], world: Path
) -> None:
    home = world / "alice"
    agent = {"ALICE_ACTOR": "agent:claude"}
    cli("outcome", "exp-aaaaaaa2", "ok", env=agent)
    cli("outcome", "exp-bbbbbbb2", "ok", env=agent)
    mine = act(cli, "remember", "我喜欢吃辣")["id"]
    guess = act(cli, "memorize", "use fd", env=agent)["id"]
    cli("outcome", "exp-aaaaaaa2", "ok")
    count = int(git(home, "rev-list", "--count", "HEAD"))
    done = cli("undo", "--by", "agent", "--yes", "--json", check=False)
    assert done.code == 5
    assert [one["op"] for one in done.json["undone"]] == ["memorize", "outcome", "outcome"]
    assert set(done.json["blocks"]) == {guess, "exp-bbbbbbb2"}
    assert done.json["conflicts"] == ["exp-aaaaaaa2"]
    newest = act(cli, "log", "exp-aaaaaaa2", "--by", "user", "-n", "1")["commits"][0]
    assert done.json["changed_by"] == {"exp-aaaaaaa2": newest["commit"]}
    assert "was changed by outcome exp-aaaaaaa2" in done.stderr and newest["commit"][:8] in done.stderr
    assert int(git(home, "rev-list", "--count", "HEAD")) == count + 1
    assert act(cli, "show", "exp-aaaaaaa2")["verifications"] == 14
    assert act(cli, "show", "exp-bbbbbbb2")["verifications"] == 0
    assert act(cli, "show", mine)["set"] == "personal"
    assert cli("show", guess, check=False).code == 4
    assert "// above the second" in tools.read_text() and "// behind the second" in tools.read_text()
    sound(home)


def test_what_was_taken_back_is_not_taken_back_twice_and_what_was_left_still_can_be(
    tools: Path, cli: Call
) -> None:
    agent = {"ALICE_ACTOR": "agent"}
    cli("outcome", "exp-aaaaaaa2", "ok", env=agent)
    cli("outcome", "exp-aaaaaaa2", "ok")
    cli("outcome", "exp-bbbbbbb2", "ok", env=agent)
    assert cli("undo", "--by", "agent", "--yes", check=False).code == 5
    cli("undo", "--by", "user", "--yes")
    assert act(cli, "show", "exp-aaaaaaa2")["verifications"] == 13
    done = act(cli, "undo", "--by", "agent", "--yes")
    assert done["blocks"] == ["exp-aaaaaaa2"] and len(done["undone"]) == 1
    assert act(cli, "show", "exp-aaaaaaa2")["verifications"] == 12
    assert cli("undo", "--by", "agent", "--yes", check=False).code == 4


def test_an_act_that_is_left_is_not_said_to_be_undone(tools: Path, cli: Call) -> None:
    done = act(cli, "outcome", "exp-aaaaaaa2", "ok")["commit"]
    assert cli("undo", done, "--yes").stdout.startswith("undone: ")
    again = cli("undo", done, "--yes", check=False)
    assert (again.code, again.stdout) == (5, "")
    assert "is left as it is" in again.stderr
    assert cli("undo", done, "--yes", "--json", check=False).json["undone"] == []


def test_where_the_newest_act_is_wholly_overtaken_the_next_one_is_named(tools: Path, cli: Call) -> None:
    tea = act(cli, "remember", "I like tea")["commit"]
    act(cli, "outcome", "exp-aaaaaaa2", "ok")
    elsewhere = act(cli, "outcome", "exp-aaaaaaa2", "ok", env={"ALICE_NOW": NEXT})["commit"]
    opened = open_session()
    undone = provenance.undo(opened.home, opened.history, opened.caller, brought=lambda: {elsewhere})
    assert undone.acts == () and [target for target, _ in undone.conflicts] == ["exp-aaaaaaa2"]
    assert undone.instead is not None and undone.instead.commit == tea


@pytest.mark.parametrize("command", [("undo", "zzz"), ("revive", "NOSUCH")])
def test_a_mistake_is_named_before_anything_is_asked(
    tools: Path, cli: Call, command: tuple[str, str]
) -> None:
    refused = cli(*command, check=False)
    assert refused.code == 2 and "confirmation" not in refused.stderr


def test_since_until_and_op(tools: Path, cli: Call) -> None:
    cli("outcome", "exp-aaaaaaa2", "ok")
    cli("outcome", "exp-aaaaaaa2", "fail", env={"ALICE_NOW": NEXT})
    cli("remember", "ich mag Brot", env={"ALICE_NOW": NEXT})
    later = {"ALICE_NOW": "2026-02-21T10:00:00Z"}
    dry = act(cli, "undo", "--since", "2026-02-21", "--dry-run", env=later)
    assert [one["op"] for one in dry["undone"]] == ["remember", "outcome"]
    dry = act(cli, "undo", "--since", "2026-02-21", "--op", "outcome", "--dry-run", env=later)
    assert [one["op"] for one in dry["undone"]] == ["outcome"]
    act(cli, "undo", "--since", "2026-02-21", "--yes", env=later)
    shown = act(cli, "show", "exp-aaaaaaa2", env=later)
    assert shown["verifications"] == 13 and shown["state"] == "reliable"
    assert act(cli, "list", "--set", "personal", env=later)["blocks"] == []


def test_an_act_that_there_is_not_and_days_in_words(tools: Path, cli: Call) -> None:
    for command in (("log",), ("undo", "--yes")):
        wrong = cli(*command, "--op", "nonsense", check=False)
        assert wrong.code == 2 and "approve" in wrong.stderr
    assert cli("log", "--op", "approve").code == 0
    assert cli("log", "--op", "forget").code == 0, "what the log may show can be asked for"
    cli("remember", "I like tea", env={"ALICE_NOW": "2026-02-18T09:00:00Z"})
    cli("remember", "I like cake")
    for since, count in (("yesterday", 1), ("昨天", 1), ("3 days ago", 2), ("上周", 2), ("2026-02-20", 1)):
        assert len(act(cli, "log", "--op", "remember", "--since", since)["commits"]) == count, since
    for wrong_time in ("banana", "yesterday or last week", "may"):
        assert cli("log", "--since", wrong_time, check=False).code == 2, wrong_time


def test_every_act_is_of_a_kind_that_can_be_asked_for() -> None:
    """mypy holds each act that the code makes against ``Op``; nothing may loosen the field."""
    assert Act.__annotations__["op"] == "Op" and get_args(Op) == OPS


def test_one_conversation(tools: Path, cli: Call, world: Path) -> None:
    """Acts that carry Alice-Session, whoever writes them."""
    from alice_exp.kernel.journal.act import Act, Actor
    from alice_exp.model.values.block import Block, Payload
    from alice_exp.model.values.snapshot import ChangeSet, Put

    opened = open_session()
    for number, session in enumerate(("ses-one", "ses-two", "ses-one"), start=2):
        block = Block(f"exp-ccccccc{number}", Payload(f"said {number}"), created_at=NEXT, updated_at=NEXT)
        made = Act("extract", Actor("agent"), NEXT, (block.id,), "", (("Session", session),))
        put = Put(block, "low_value_pool/pending_20260221.jsonc")
        opened.home.apply(lambda _, act=made, put=put: (ChangeSet(act, (put,)), None), ("low_value",))
    assert len(act(cli, "log", "--session", "ses-one")["commits"]) == 2
    done = act(cli, "undo", "--session", "ses-one", "--yes")
    assert set(done["blocks"]) == {"exp-ccccccc2", "exp-ccccccc4"} and done["conflicts"] == []
    assert [block["id"] for block in act(cli, "list", "--set", "low_value")["blocks"]] == ["exp-ccccccc3"]


def test_an_expired_candidate_comes_back_with_a_new_clock(home: Path, cli: Call) -> None:
    candidate = act(cli, "memorize", "use uv")["id"]
    cli("heartbeat")
    later = {"ALICE_NOW": "2026-03-01T09:00:00Z"}
    cli("heartbeat", env=later)
    assert act(cli, "list", env=later)["blocks"] == []
    expiry = next(
        one for one in act(cli, "log", candidate)["commits"] if one["op"] in ("heartbeat", "expire")
    )
    act(cli, "undo", expiry["commit"], "--yes", env=later)
    assert [block["id"] for block in act(cli, "list", env=later)["blocks"]] == [candidate]


def test_what_expired_along_with_an_act_stays_gone_when_that_is_taken_back(tools: Path, cli: Call) -> None:
    cli("memorize", "use uv")
    cli("heartbeat")
    later = {"ALICE_NOW": "2026-03-01T09:00:00Z"}
    cli("outcome", "exp-aaaaaaa2", "ok", env=later)
    undone = act(cli, "undo", "--yes", env=later)
    assert undone["blocks"] == ["exp-aaaaaaa2"] and undone["conflicts"] == []
    assert act(cli, "list", "--set", "low_value", env=later)["blocks"] == []
    assert act(cli, "show", "exp-aaaaaaa2", env=later)["verifications"] == 12


def test_a_decision_taken_back_late_starts_the_clock_anew(home: Path, cli: Call) -> None:
    candidate = act(cli, "memorize", "use uv")["id"]
    cli("heartbeat")
    cli("reject", candidate)
    later = {"ALICE_NOW": "2026-03-01T09:00:00Z"}
    cli("undo", "--yes", env=later)
    assert [block["id"] for block in act(cli, "list", env=later)["blocks"]] == [candidate]


def test_a_hand_edit_of_comments_alone_can_be_taken_back(tools: Path, cli: Call) -> None:
    before = tools.read_bytes()
    tools.write_bytes(before.replace(b"// above the first", b"// new words").replace(b"// The end.", b""))
    cli("list")
    done = act(cli, "undo", "--yes")
    assert tools.read_bytes() == before and done["blocks"] == ["universal/tool_usage.jsonc"]


def test_the_first_act_and_a_purge_stand(
    tools: Path, cli: Call, git: Callable[..., str], world: Path
) -> None:
    first = git(world / "alice", "rev-list", "--max-parents=0", "HEAD")
    assert cli("undo", first, "--yes", check=False).code == 2
    assert cli("undo", "--yes", check=False).code in (2, 4)
    cli("purge", "exp-bbbbbbb2", "--yes")
    assert cli("undo", act(cli, "log", "-n", "1")["commits"][0]["commit"], "--yes", check=False).code == 2
    assert tools.exists()


def test_undo_is_the_persons_and_asks(tools: Path, cli: Call) -> None:
    cli("outcome", "exp-aaaaaaa2", "ok")
    assert cli("undo", "--yes", env={"ALICE_ACTOR": "agent"}, check=False).code == 6
    assert cli("undo", check=False).code == 6
    assert cli("undo", "abcd", "--by", "agent", "--yes", check=False).code == 2


def test_the_log_shows_states_as_they_rose_and_fell(tools: Path, cli: Call) -> None:
    cli("retire", "exp-bbbbbbb2", "--reason", "gone", "--yes")
    cli("revive", "exp-bbbbbbb2", "--yes")
    for _ in range(3):
        cli("outcome", "exp-bbbbbbb2", "ok")
    rows = act(cli, "log", "exp-bbbbbbb2")["commits"]
    risen = [(row["from"], row["to"]) for row in rows]
    assert risen == [
        ("possible", "past"),
        ("possible", "possible"),
        ("possible", "possible"),
        ("obsolete", "possible"),
        ("possible", "obsolete"),
        (None, "possible"),
    ]
    table = cli("log", "exp-bbbbbbb2").stdout
    assert "possible → past" in table and "possible → obsolete" in table and "– → possible" in table
    assert "possible → possible" not in table
    assert "obsolete → possible" in cli("log").stdout
    assert [row["op"] for row in act(cli, "log", "--op", "revive")["commits"]] == ["revive"]
    assert act(cli, "log", "--by", "agent")["commits"] == []
    assert act(cli, "log", "--since", "2026-02-21")["commits"] == []
    assert len(act(cli, "log", "--until", "2026-02-21", "-n", "2")["commits"]) == 2


def test_the_person_is_told_the_very_undo_that_was_tried(tools: Path, cli: Call) -> None:
    tried = ("undo", "--by", "agent", "--since", "2026-02-01")
    refused = cli(*tried, "--yes", "--json", env={"ALICE_ACTOR": "agent"}, check=False)
    assert refused.code == 6
    assert refused.error["hint"] == "ask the person to run: alice-exp " + " ".join(tried)


def test_an_outcome_goes_with_its_episode_and_thought_and_its_decision_waits_again(
    tools: Path, cli: Call
) -> None:
    told = act(cli, "episode", "add", "--task", "search code with rg", "--success")["id"]
    decision = act(cli, "decide", "searching code")["decision"]
    before = act(cli, "show", "exp-aaaaaaa2")
    wrong = act(cli, "outcome", decision, "fail")
    cli("episode", "similar", "search code with rg")
    # The report of the next day counts what the search read, in the same file.
    cli("heartbeat", env={"ALICE_NOW": NEXT})
    cli("episode", "add", "--task", "bake bread", "--success")
    cli("undo", "--op", "outcome", "--yes")
    left = {one["id"] for one in act(cli, "episode", "list")["episodes"]}
    assert told in left and wrong["episode"] not in left and len(left) == 2
    assert "fail" not in cli("event", "narrative").stdout
    assert act(cli, "show", "exp-aaaaaaa2")["verifications"] == before["verifications"]
    right = act(cli, "outcome", decision, "ok")
    assert right["episode"] != wrong["episode"]
    assert cli("outcome", decision, "ok", check=False).code == 6, "one outcome is in effect"
    assert cli("check", check=False).code == 0


def test_undo_without_a_name_goes_on_to_what_was_done_before(tools: Path, cli: Call) -> None:
    """Stuck on an act whose file a later one had changed, it answered exit 5 for ever."""
    cli("remember", "I like tea")
    decision = act(cli, "decide", "searching code")["decision"]
    done = act(cli, "outcome", decision, "ok")["commit"]
    cli("event", "add", "and now for the tests")
    part = cli("undo", done, "--yes", check=False)
    assert part.code == 5 and "records/events.jsonc" in part.stderr and "episodes" not in part.stderr
    undone = [act(cli, "undo", "--yes")["undone"][0]["op"] for _ in range(2)]
    assert undone == ["event", "remember"]


def test_undo_without_a_name_takes_back_what_was_done_here_not_what_a_sync_brought(
    world: Path, cli: Call, _fresh_home: Path
) -> None:
    remote = world / "there.git"
    subprocess.run(["git", "init", "-q", "--bare", "--initial-branch=main", remote], check=True)
    one, two = (
        {"ALICE_HOME": str(shutil.copytree(_fresh_home, world / name, symlinks=True))} for name in "12"
    )
    for env, said, at in ((one, "I like tea", "10:00"), (two, "I like cake", "10:05")):
        env["ALICE_NOW"] = f"2026-02-20T{at}:00Z"
        cli("remember", said, env=env)
        cli("sync", "add", str(remote), "--private", "--yes", env=env)
    for env in (two, one, two):
        cli("sync", env=env)

    def left(env: dict[str, str]) -> list[str]:
        return [block["payload"] for block in act(cli, "list", env=env)["blocks"]]

    cli("undo", "--yes", env=one)
    assert left(one) == ["I like cake"], "which is newer, and came from the other machine"
    assert cli("undo", "--yes", env=one, check=False).code == 4
    cli("undo", "--yes", env=two)
    assert left(two) == ["I like tea"]
    named = next(one["commit"] for one in act(cli, "log", "--op", "remember", env=two)["commits"][1:])
    cli("undo", named, "--yes", env=two)
    assert left(two) == [], "by its name it is taken back"


def test_a_thought_with_later_ones_behind_it_stays_and_that_is_said_once(tools: Path, cli: Call) -> None:
    cli("remember", "I like tea")
    first = act(cli, "event", "add", "tea it is")["commit"]
    cli("event", "add", "no, coffee")
    assert cli("undo", first, "--yes", check=False).code == 5
    assert "no, coffee" in cli("event", "narrative").stdout


def test_episodes_that_were_pruned_come_back_beside_later_ones(home: Path, cli: Call) -> None:
    path = home / "experiences/records/episodes.jsonc"
    path.write_text(path.read_text().replace("1000", "2"), encoding="utf-8")
    for task in ("plant a tree", "feed the cat"):
        cli("episode", "add", "--task", task, "--success")
    pruning = act(cli, "episode", "add", "--task", "paint the wall", "--success")
    assert pruning["pruned"]
    cli("episode", "similar", "paint the wall")
    cli("heartbeat", env={"ALICE_NOW": NEXT})
    cli("undo", pruning["commit"], "--yes")
    tasks = {one["task"] for one in act(cli, "episode", "list")["episodes"]}
    assert tasks == {"plant a tree", "feed the cat"}
