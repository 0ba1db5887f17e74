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


def test_a_hand_edit_of_comments_alone_can_be_taken_back(tools: Path, cli: Call) -> None:
    before = tools.read_bytes()
    tools.write_bytes(before.replace(b"// above the first", b"// new words").replace(b"// The end.", b""))
    cli("list")
    done = act(cli, "undo", "--yes")
    assert tools.read_bytes() == before and done["blocks"] == ["universal/tool_usage.jsonc"]


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
