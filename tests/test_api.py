"""What ``import alice_exp`` offers: a whole day through the library, loaded only when it is asked for."""

from __future__ import annotations

import inspect
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import alice_exp
from alice_exp import api


def test_everything_offered_is_there_and_documented() -> None:
    for name in api.__all__:
        assert getattr(alice_exp, name) is getattr(api, name)
    with pytest.raises(AttributeError, match="Nonsense"):
        alice_exp.Nonsense  # noqa: B018
    for name, member in inspect.getmembers(alice_exp.Alice, callable):
        if not name.startswith("_"):
            assert inspect.getdoc(member), name
            assert inspect.signature(member).return_annotation is not inspect.Signature.empty, name


def test_importing_the_package_loads_no_use_case() -> None:
    code = "import alice_exp, sys; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert not {"alice_exp.api", "alice_exp.usecases", "alice_exp.store", "alice_exp.cli"} & set(
        loaded.split()
    )
    code = (
        "from alice_exp import Alice; import sys; print(*sorted({m.partition('.')[0] for m in sys.modules}))"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    heavy = {"typer", "rich", "git", "watchdog", "json5", "sqlite3", "mcp", "openai", "zeroconf"}
    assert not heavy & set(loaded.split())


def test_a_day_through_the_library(home: Path, git: Callable[..., str], sound: Any) -> None:
    person, agent = alice_exp.Alice(home, "user"), alice_exp.Alice(str(home), "agent:mine")
    spicy = person.remember("我喜欢吃辣", when="选餐馆")
    learned = agent.memorize("use rg; grep -r reads ignored files too", when="searching code", type="rule")
    assert (spicy.place, learned.place) == ("personal", "low_value")
    assert agent.recall("how do I search code")[0].placed.block.id == learned.block.id
    assert agent.recall("nothing of the kind whatsoever") == []
    made = agent.decide("searching code", {"repo": "alice"})
    told = agent.outcome_of(made, True, result={"hits": 3}, reward=0.9)
    assert told.episode.reward == 0.9
    with pytest.raises(alice_exp.RefusedError):
        agent.outcome_of(made.decision, True)
    assert agent.outcome(learned.block.id, True).placed.block.verifications >= 1
    assert agent.show(learned.block.id[:8]).placed.block.id == learned.block.id
    assert {shown.placed.block.id for shown in agent.blocks()} == {spicy.block.id, learned.block.id}
    assert [item.placed.block.id for item in agent.heartbeat().items] == [learned.block.id]
    assert agent.assess("searching code").grade != "none"
    assert person.check() == ()
    assert person.path == home
    sound(home)


def test_episodes_and_thoughts_through_the_library(home: Path, sound: Any) -> None:
    agent = alice_exp.Alice(home, "agent:mine")
    context = {"domain": "AI", "difficulty": "medium"}
    kept = agent.add_episode("搜索机器学习相关资料", context, "search_web", ["a", "b"], True, 0.85)
    context["domain"] = "changed afterwards"
    (episode,) = agent.episodes()
    assert (episode.id, episode.context["domain"], episode.result) == (kept.ids[0], "AI", ["a", "b"])
    assert agent.reflect(kept.ids[0], "搜索关键词需要更精确").episode.reflection == "搜索关键词需要更精确"
    assert agent.similar("搜索机器学习资料")[0].episode.id == kept.ids[0]
    assert agent.similar("cook rice") == ()
    assert (agent.episode_statistics().total, agent.episode_statistics().average_reward) == (1, 0.85)
    assert agent.prune().commit is None
    with pytest.raises(alice_exp.RefusedError):
        agent.prune(dry=False)
    with pytest.raises(alice_exp.UsageError):
        agent.add_episode("t", reward=1.2)
    with pytest.raises(alice_exp.UsageError):
        agent.add_episode("t", reward=float("nan"))
    assert agent.distill(kept.ids[0]).count("proposed") == 1
    for number in range(10):
        agent.add_event(
            f"分析用户意图 {number}",
            "用户询问：你能做什么？",
            "详细说明功能",
            "用户满意",
            {"cycle_id": number},
        )
    assert [one.segment_length for one in agent.segments()] == [8, 1, 1]
    assert [one.id for one in agent.recent_segments(2)] == [14, 16]
    assert len(agent.narrative(2).splitlines()) == 2
    assert agent.event_statistics().total_compressions == 7
    assert [event.metadata["cycle_id"] for event in agent.expand(17).thoughts.values()] == list(range(8))
    sound(home)


def test_two_programs_and_the_command_share_a_home(home: Path, cli: Callable[..., Any]) -> None:
    one, other = alice_exp.Alice(home, "agent:one"), alice_exp.Alice(home, "agent:other")
    one.add_episode("first task", success=True)
    other.add_episode("second task", success=True)
    cli("episode", "add", "--task", "third task", "--success")
    assert [episode.task for episode in one.episodes()] == ["first task", "second task", "third task"]


def test_a_home_that_is_not_there_is_a_sentence(world: Path) -> None:
    alice = alice_exp.Alice(world / "nowhere", "user")
    with pytest.raises(alice_exp.ProblemError, match="no home"):
        alice.recall("x")
    alice.init()
    assert alice.blocks() == []
