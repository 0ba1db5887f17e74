"""What ``import alice_exp`` offers: a whole day through the library, loaded only when it is asked for."""

import inspect
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import alice_exp
from alice_exp.app import api
from alice_exp.model.values.records import Event
from tests.case_tables import cases


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
    assert not {"alice_exp.app.api", "alice_exp.usecases", "alice_exp.home", "alice_exp.terminal"} & set(
        loaded.split()
    )
    code = (
        "from alice_exp import Alice; import sys; print(*sorted({m.partition('.')[0] for m in sys.modules}))"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    heavy = {"typer", "rich", "git", "watchdog", "json5", "sqlite3", "mcp", "openai", "zeroconf"}
    assert not heavy & set(loaded.split())


@pytest.mark.covers("R2.2")
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
    assert agent.outcome(learned.block.id, True).placed.block.state == "possible", (
        "slow: two successes raise nothing"
    )
    with pytest.raises(alice_exp.RefusedError):
        agent.remember("trust me")
    assert agent.show(learned.block.id[:8]).placed.block.id == learned.block.id
    assert {shown.placed.block.id for shown in agent.blocks()} == {spicy.block.id, learned.block.id}
    assert [item.placed.block.id for item in agent.heartbeat().items] == [learned.block.id]
    assert agent.assess("searching code").grade != "none"
    assert person.check() == ()
    assert person.path == home
    sound(home)


@pytest.mark.covers("BX.12")
def test_the_review_through_the_library(home: Path, sound: Any) -> None:
    person, agent = alice_exp.Alice(home, "user"), alice_exp.Alice(home, "agent:mine")
    texts = (
        "use ripgrep to search",
        "run the linter first",
        "write the changelog last",
        "never squash commits",
    )
    blocks = [agent.memorize(text, when=text, type="rule").block.id for text in texts]
    with pytest.raises(alice_exp.NotFoundError):
        person.reply("approve 1")
    numbers = {
        item.placed.block.id: at for at, item in enumerate(person.heartbeat(peek=False).items, start=1)
    }
    one, two, three, four = blocks
    done = person.reply(f"approve {numbers[one]}, reject {numbers[two]} because it is known")
    assert [[placed.block.id for placed in decided.placed] for decided in done] == [[one], [two]]
    assert person.approve(three, everywhere=True).placed[0].block.project == ""
    assert person.reject(four).placed[0].place == "archive"
    assert texts[0] in person.prime() and texts[3] not in person.prime()
    assert person.keep(one).placed.block.doubt is None
    assert person.retire(one, "we moved to ugrep").placed.place == "archive"
    assert [act.op for act in person.undo().acts] == ["retire"]
    assert person.show(one).placed.place == "universal"
    acts: list[Callable[[], object]] = [
        lambda: agent.approve(two),
        lambda: agent.reject(three),
        lambda: agent.reply(f"approve {numbers[four]}"),
        lambda: agent.keep(one),
        lambda: agent.retire(one, "x"),
        lambda: agent.undo(),
        lambda: agent.exchange("bob"),
    ]
    for act in acts:
        with pytest.raises(alice_exp.RefusedError):
            act()
    agent.add_event("the gateway drops idle sockets")
    assert "idle sockets" in agent.search_events("idle sockets")[0].text
    sound(home)


def test_episodes_through_the_library(home: Path, sound: Any) -> None:
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
    sound(home)


@pytest.mark.covers("R0.30")
def test_what_was_asked_is_never_stored(home: Path) -> None:
    agent = alice_exp.Alice(home, "agent:mine")
    agent.add_episode("rotate the signing keys", success=True)
    before = (home / "experiences/records/episodes.jsonc").read_bytes()
    assert agent.similar("rotate the signing keys, please")
    assert agent.similar("cook rice") == ()
    assert (home / "experiences/records/episodes.jsonc").read_bytes() == before


@pytest.mark.covers("R0.53")
def test_what_one_session_learned_serves_another_once_it_is_approved(
    home: Path, cli: Callable[..., Any]
) -> None:
    learned = alice_exp.Alice(home, "agent:first").memorize("use rg", when="searching code").block.id
    second = alice_exp.Alice(home, "agent:second")
    assert second.decide("searching code").disclaim
    cli("approve", learned, "--yes")
    decided = second.decide("searching code")
    assert ([one.placed.block.id for one in decided.applied], decided.disclaim) == ([learned], False)


def thoughts(count: int = 10) -> list[Event]:
    return [Event(f"2026-02-01T00:{n:02}:00Z", f"思考 {n}") for n in range(1, count + 1)]


@pytest.mark.covers("R1.28")
def test_a_diary_lies_in_its_home_and_asks_no_model_by_default(home: Path) -> None:
    agent = alice_exp.Alice(home, "agent:mine")
    (merge,) = agent.add_events(thoughts(3)).merges
    assert (merge.fallback, merge.merged.summary) == ("", "思考 1 · 思考 2"), (
        "the rule, and not for want of a model"
    )
    assert "思考 3" in (home / "experiences/records/events.jsonc").read_text("utf-8")


@pytest.mark.covers("R1.29")
def test_adding_a_thought_stores_it_and_compacts_unasked(home: Path) -> None:
    agent = alice_exp.Alice(home, "agent:mine")
    for number in range(3):
        told = agent.add_event(f"分析用户意图 {number}", "用户询问：你能做什么？", "详细说明功能")
        assert f"分析用户意图 {number}" in (home / "experiences/records/events.jsonc").read_text("utf-8")
    assert (told.timeline.lengths, len(told.merges)) == ((2, 1), 1)
    (newest,) = agent.segments()[-1].events
    assert (newest.result, newest.metadata) == (None, {})


@pytest.mark.covers("R1.30")
def test_the_newest_segments_in_the_order_of_time(home: Path) -> None:
    agent = alice_exp.Alice(home, "agent:mine")
    agent.add_events(thoughts())
    assert [one.id for one in agent.recent_segments(2)] == [14, 16]


@pytest.mark.covers("R1.31")
def test_all_segments_the_oldest_first(home: Path) -> None:
    agent = alice_exp.Alice(home, "agent:mine")
    agent.add_events(thoughts())
    assert [(one.id, one.segment_length) for one in agent.segments()] == [(17, 8), (14, 1), (16, 1)]


def test_two_programs_and_the_command_share_a_home(home: Path, cli: Callable[..., Any]) -> None:
    one, other = alice_exp.Alice(home, "agent:one"), alice_exp.Alice(home, "agent:other")
    one.add_episode("first task", success=True)
    other.add_episode("second task", success=True)
    cli("episode", "add", "--task", "third task", "--success")
    assert [episode.task for episode in one.episodes()] == ["first task", "second task", "third task"]


def test_threads_that_share_an_object_lose_nothing(home: Path, git: Callable[..., str], sound: Any) -> None:
    shared = alice_exp.Alice(home, actor="agent:shared")
    seen: list[int] = []

    def work(number: int) -> None:
        own = alice_exp.Alice(home, actor="agent:own")
        for turn in range(2):
            shared.memorize(f"lesson {number}{turn} of a shared object", "threads")
            own.memorize(f"fact {number}{turn} of an own object", "threads")
            seen.append(len(shared.recall("lesson of an object", top=20)))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 6
    assert len(shared.blocks()) == 12
    assert set(git(home, "log", "--format=%an", "-n", "12").split()) == {"agent:shared", "agent:own"}
    sound(home)


def test_one_thread_after_another_shares_the_index(home: Path) -> None:
    """What one thread opened answers the next, and is not made anew."""
    alice = alice_exp.Alice(home, "user")
    alice.remember("use ripgrep", when="searching code")
    writer = alice_exp.Alice(home, "user")
    writer.add_episode("search code with ripgrep", success=True)
    found: list[tuple[int, int]] = []

    def look() -> None:
        found.append((len(alice.recall("searching code")), len(alice.similar("search code"))))

    look()
    inode = (home / "state" / "index.sqlite").stat().st_ino
    for _ in range(2):
        thread = threading.Thread(target=look)
        thread.start()
        thread.join()
    look()
    assert found == [(1, 1)] * 4
    assert (home / "state" / "index.sqlite").stat().st_ino == inode


def test_a_home_that_is_not_there_is_a_sentence(world: Path) -> None:
    alice = alice_exp.Alice(world / "nowhere", "user")
    with pytest.raises(alice_exp.ProblemError, match="no home"):
        alice.recall("x")
    alice.init()
    assert alice.blocks() == []


def _turns(count: int, size: int = 0) -> list[dict[str, Any]]:
    said: list[dict[str, Any]] = [{"role": "system", "content": "S"}]
    for number in range(1, count + 1):
        said.append({"role": "user", "content": f"U{number} " + "x" * size, "mine": number})
        said.append({"role": "assistant", "content": f"A{number}"})
    return said


def test_before_model_at_its_threshold() -> None:
    """D54: 102,399 tokens stay as they are, 102,400 are compressed in the shape of R4.12."""
    said = _turns(8)

    def priced(total: int) -> Callable[[str], int]:
        return lambda text: total - 17 * 4 if text == "S" else 0

    same = alice_exp.before_model(said, estimate=priced(102_399))
    assert len(same) == 17 and all(one is other for one, other in zip(same, said, strict=True))
    # What cannot be folded fills the share of the window: the current turn alone stays.
    over = alice_exp.before_model(said, estimate=priced(102_400))
    assert [one["content"][:2] for one in over[-2:]] == ["U8", "A8"] and len(over) == 5
    made = alice_exp.before_model(
        said, estimate=lambda text: 20_000 if text[:2] in ("U1", "A1", "U2", "A2", "U3", "A3") else len(text)
    )
    assert [one["role"] for one in made[:3]] == ["system", "assistant", "tool"]
    assert made[0] is said[0] and made[3:] == said[7:]
    assert made[1]["tool_calls"][0]["function"]["name"] == "memory_compress"
    assert made[1]["tool_calls"][0]["id"] == made[2]["tool_call_id"]
    assert made[2]["content"].startswith("[Previous Conversation Summary]\n")
    assert made[2]["content"].endswith("\n[End of Summary]")
    assert alice_exp.before_model(said, estimate=lambda text: 20_000, enabled=False) == said


def test_an_agent_loop_uses_before_model_as_it_is() -> None:
    history: list[dict[str, Any]] = [{"role": "system", "content": "You help."}]
    seen = []
    for number in range(60):
        history.append({"role": "user", "content": f"question {number} " + "word " * 100})
        history = alice_exp.before_model(history, max_context=4000)
        answer = {"role": "assistant", "content": f"answer {number}", "refusal": None}
        seen.append(len(history))
        history.append(answer)
    assert max(seen) < 50
    calls = [one for one in history if one.get("tool_calls")]
    assert len(calls) == 1 and history[1] is calls[0]
    assert history[-1]["refusal"] is None and history[0]["content"] == "You help."
    assert "question" in history[2]["content"]
    messages = [alice_exp.Message("user", "hello")]
    assert alice_exp.before_model(messages) == messages
    assert alice_exp.before_model([]) == []
    with pytest.raises(alice_exp.UsageError, match="role"):
        alice_exp.before_model([{"content": "x"}])


def test_a_conversation_through_the_library(home: Path, sound: Any) -> None:
    """R4.33."""
    agent = alice_exp.Alice(home, "agent:mine")
    session = agent.start_session("session-123")
    assert agent.say(session, "我喜欢吃辣").unextracted == 1
    agent.say(session, "好的，我记住了", "assistant")
    assert [one.message.role for one in agent.messages(session)] == ["user", "assistant"]
    agent.extract(session)
    assert agent.context("用户喜欢什么").splitlines() == ["[User Memory]", "- 用户喜欢吃辣的食物 ⚠未审核"]
    agent.say_all(session, [{"role": "user", "content": "我叫张三"}])
    ended = agent.end_session(session)
    assert ended.extracted is not None
    assert [one.content for one in ended.extracted.inferences] == ["用户名字是张三"]
    assert agent.extract(session).commit is None
    assert agent.window(session).compressed is False
    assert agent.search_sessions("吃辣")[0].record.index == 0
    plain = [{"role": "user", "content": "我叫什么名字？"}]
    assert agent.before_model(plain) == plain
    sound(home)


@pytest.mark.parametrize("sent", [None, [], "search code"])
def test_what_a_model_sends_is_an_object(home: Path, sent: Any) -> None:
    with pytest.raises(alice_exp.UsageError):
        alice_exp.Alice(home, "agent:mine").call("recall", sent)


def test_a_model_is_offered_the_agents_operations(home: Path) -> None:
    alice = alice_exp.Alice(home, "agent:mine")
    named = {one["name"]: one for one in alice.tools()}
    assert "approve" not in named and named["memorize"]["parameters"]["required"] == ["payload"]
    kept = alice.call("memorize", {"payload": "use rg", "trigger": "searching code"})
    assert alice.call("recall", {"query": "searching code"})["matches"][0]["id"] == kept["id"]
    for name, arguments, told in cases(__file__, "WRONG"):
        with pytest.raises(alice_exp.UsageError, match=re.escape(told)):
            alice.call(name, arguments)
    # As some hosts send them: what is left out as null, a list or a number within a text.
    sent = {"payload": "use fd", "tags": '["files"]', "context": None, "importance": "0.9"}
    block = alice.show(alice.call("memorize", sent)["id"]).placed.block
    assert (block.tags, block.importance) == (("files",), 0.89), "from 0.9 on it is a mark of the person's"
