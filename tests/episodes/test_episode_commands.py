"""REQUIREMENTS D 38-44: episodes through the real command line."""

import json
import os
import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from alice_exp.episodes.rules.retention import MONTH, prune, retention
from alice_exp.episodes.rules.search_episodes import retrieval_similarity, shorten_result, similarity_with
from alice_exp.kernel.text.times import iso_time
from alice_exp.kernel.text.tokens import keywords, literal_keywords
from alice_exp.model.values.records import Episode, EpisodeBook
from tests.case_tables import cases, table
from tests.conftest import NOW, Git

Call = Callable[..., Any]
FILE = "experiences/records/episodes.jsonc"
ML = {"topic": "machine_learning", "difficulty": "beginner"}


def text_of(episodes: list[dict[str, Any]], capacity: int = 1000) -> str:
    body = ",\n    ".join(json.dumps(one, ensure_ascii=False) for one in episodes)
    return f'// mine\n{{\n  "capacity": {capacity}, // a ceiling\n  "episodes": [\n    {body}\n  ]\n}}\n'


def fill(home: Path, episodes: list[dict[str, Any]], capacity: int = 1000) -> None:
    (home / FILE).write_text(text_of(episodes, capacity), encoding="utf-8")


def days_ago(days: float) -> str:
    return iso_time(datetime(2026, 2, 20, 9, tzinfo=UTC) - timedelta(days=days))


def commits(git: Git, home: Path) -> int:
    return int(git(home, "rev-list", "--count", "HEAD"))


def add(cli: Call, task: str, *words: str) -> Any:
    """What is told of an episode that is added."""
    return cli("episode", "add", "--task", task, *words, "--json").json


def ids(cli: Call) -> list[str]:
    return [one["id"] for one in cli("episode", "list", "--json").json["episodes"]]


def test_d39_the_source_formulas_literally() -> None:
    asked = ("解释什么是机器学习", ML, "机器学习是什么", ML)
    assert similarity_with(*asked, keywords_of=literal_keywords) == 0.6
    assert retrieval_similarity(*asked[:2])(*asked[2:]).score == 0.76
    assert keywords("机器学习是什么") == {"机器", "器学", "学习", "习是", "是什", "什么"}
    table = cases(__file__, "FORMULAS")
    for (reward, days, uniqueness, references), wanted in table:
        age = round(days * MONTH / 30)
        assert retention(reward, age, uniqueness, references).score == pytest.approx(wanted, abs=1e-9)


@pytest.mark.covers("R0.36")
def test_the_first_addition_above_the_capacity_cleans(home: Path, cli: Call) -> None:
    fill(
        home, [{"task": f"{name * 4} done", "success": True, "at": NOW} for name in "abcdefghi"], capacity=10
    )
    added = [add(cli, f"other{n}", "--success") for n in range(2)]
    assert [len(one["pruned"]) for one in added] == [0, 2]
    assert EpisodeBook(()).capacity == 1000, "so that the 1001st is the first to clean"


def test_d40_the_1001st_prunes_200_in_its_own_commit(home: Path, cli: Call, git: Git, sound: Any) -> None:
    chance = random.Random(40)
    words = [f"word{number}" for number in range(300)]
    episodes = [
        {
            "id": f"ep-{''.join(chance.choices('abcdefgh', k=8))}",
            "task": " ".join(chance.choices(words, k=6)),
            "success": True,
            "reward": round(chance.random(), 2),
            "at": days_ago(chance.uniform(0, 60)),
        }
        for _ in range(1000)
    ]
    episodes[7] |= {"reward": 0.0, "at": days_ago(90), "task": episodes[8]["task"]}
    fill(home, episodes)
    block = {"payload": "cited", "evidence": [{"kind": "episode", "ref": episodes[7]["id"], "at": NOW}]}
    namespace = home / "experiences/universal/tool_usage.jsonc"
    namespace.write_text(json.dumps({"blocks": [block]}), encoding="utf-8")
    cli("list")
    before = commits(git, home)
    added = add(cli, "the one too many", "--failed", "--reward", "0", "--at", "2020-01-01")
    assert commits(git, home) == before + 1
    assert len(added["pruned"]) == 200
    left = ids(cli)
    assert len(left) == 801
    assert added["id"] in left, "what no commit held yet is never pruned"
    assert episodes[7]["id"] in left, "a living block cites it"
    message = git(home, "log", "-1", "--format=%B")
    assert "清理了 200 条低价值经验" in message
    assert message.count("Alice-Pruned: ep-") == 200
    assert "too many" not in message
    assert "// a ceiling" in (home / FILE).read_text("utf-8")
    gone = added["pruned"][3]
    refused = cli("episode", "restore", gone, "--actor", "agent:x", check=False)
    assert refused.code == 6
    cli("episode", "restore", gone)
    back = cli("episode", "show", gone, "--json").json
    original = next(one for one in episodes if one["id"] == gone)
    assert {key: back[key] for key in original} == original
    sound(home)


def test_d41_exactly_b_goes(home: Path, cli: Call) -> None:
    reference = {letter: f"ep-{letter * 8}" for letter in "abcde"}
    rows = {"a": (0.9, 0), "b": (0.2, 31), "c": (0.5, 10), "d": (1.0, 60)}
    unlike = dict(
        zip(
            "abcde",
            ("alpha apple", "bravo banana", "charlie cherry", "delta dates", "echo elder"),
            strict=True,
        )
    )
    episodes = [
        {"id": reference[one], "task": unlike[one], "success": True, "reward": reward, "at": days_ago(days)}
        for one, (reward, days) in rows.items()
    ]
    fill(home, episodes, capacity=4)
    added = add(cli, unlike["e"], "--failed", "--reward", "0.1", "--at", days_ago(5))
    assert added["pruned"] == [reference["b"]]
    book = EpisodeBook(
        tuple(
            Episode(reference[letter], unlike[letter], success=True, reward=reward, at=days_ago(days))
            for letter, (reward, days) in {**rows, "e": (0.1, 5)}.items()
        ),
        4,
    )
    weighed = prune(book, NOW, {reference["c"]: 2, reference["d"]: 10})
    assert [one.episode.id for one in weighed.removed] == [reference["b"]]
    scores = [one.retention.score for one in weighed.weighed]
    assert scores == pytest.approx([0.86, 0.28, 0.62, 0.70, 0.49], abs=1e-9)


def test_d42_long_results_and_bad_rewards(home: Path, cli: Call, git: Git) -> None:
    added = add(cli, "long", "--success", "--result", "x" * 1500)
    kept = cli("episode", "show", added["id"], "--json").json
    assert (len(kept["result"]), kept["result_truncated"], kept["result_length"]) == (1003, True, 1500)
    assert added["result_truncated"] == [added["id"]]
    whole = add(cli, "whole", "--success", "--result", "x" * 1000)
    assert len(cli("episode", "show", whole["id"], "--json").json["result"]) == 1000
    twice = shorten_result(shorten_result(Episode("ep-aaaaaaaa", "t", result="x" * 1500)))
    assert len(twice.result or "") == 1003  # type: ignore[arg-type]
    before = commits(git, home)
    for reward in ("1.2", "-0.1", "nan", "inf"):
        assert cli("episode", "add", "--task", "t", "--success", f"--reward={reward}", check=False).code == 2
    assert cli("episode", "add", "--task", " ", "--success", check=False).code == 2
    assert cli("episode", "add", "--task", "neither", check=False).code == 2
    assert commits(git, home) == before


def brute_force(
    episodes: list[dict[str, Any]], task: str, context: dict[str, Any], **wanted: Any
) -> list[str]:
    """The search as R0.28 tells it, one after the other."""
    found = []
    for one in episodes:
        score = retrieval_similarity(task, context)(one["task"], one.get("context", {})).score
        kept = score > 0.3 and all(one.get(key) == value for key, value in wanted.items() if key != "after")
        if kept and one["at"] > wanted.get("after", ""):
            found.append((-score, -iso_ms(one["at"]), one["id"]))
    return [row[2] for row in sorted(found)]


def iso_ms(at: str) -> float:
    return datetime.fromisoformat(at).timestamp()


def test_d43_filters_agree_with_brute_force(home: Path, cli: Call) -> None:
    chance = random.Random(43)
    words = ["search", "code", "test", "deploy", "server", "index", "cache", "build", "review", "config"]
    episodes = [
        {
            "id": f"ep-{''.join(chance.choices('abcdefgh2345', k=8))}",
            "task": " ".join(chance.sample(words, k=4)),
            "context": {"env": chance.choice(["prod", "dev"]), "os": chance.choice(["linux", "macos"])},
            "success": chance.random() < 0.5,
            "reward": 0.5,
            "type": chance.choice(["code", "ops"]),
            "at": days_ago(round(chance.uniform(0, 90))),
        }
        for _ in range(200)
    ]
    fill(home, episodes)
    asked = ("search code test index", {"env": "prod", "os": "linux"})
    base = (
        "episode",
        "similar",
        asked[0],
        *["--context", "env=prod", "--context", "os=linux", "--top", "1000", "--json"],
    )
    for options, wanted in (
        ((), {}),
        (("--success",), {"success": True}),
        (("--failed",), {"success": False}),
        (("--type", "code"), {"type": "code"}),
        (("--recent", "30d"), {"after": days_ago(30)}),
        (
            ("--recent", "2w", "--success", "--type", "ops"),
            {"after": days_ago(14), "success": True, "type": "ops"},
        ),
    ):
        found = [one["id"] for one in cli(*base, *options).json["matches"]]
        assert found == brute_force(episodes, *asked, **wanted), options
        assert found
    fill(home, [{"task": "cook rice", "context": {"a": 1, "b": 2}, "success": True, "at": NOW}])
    border = ("--context", "a=1", "--context", "b=3")
    assert cli("episode", "similar", "deploy website", *border, check=False).code == 4


@table("text", "line")
def test_a_faulty_import_takes_nothing_in(home: Path, cli: Call, git: Git, text: str, line: int) -> None:
    before = commits(git, home)
    for verb in ("import", "add"):
        done = cli("episode", verb, "-", "--json", stdin=text, check=False)
        assert (done.code, done.error["line"]) == (3, line), done.stderr
        assert "nothing was taken in" in done.error["message"]
    assert commits(git, home) == before


def test_a_bulk_addition_that_prunes_its_own_is_two_commits(
    home: Path, cli: Call, git: Git, sound: Any
) -> None:
    """DESIGN 5: nothing is pruned before a commit holds it."""
    fill(home, [], capacity=5)
    cli("list")
    before = commits(git, home)
    rows = "".join(
        json.dumps({"task": f"task number {n} {chr(97 + n) * 5}", "success": True, "reward": n / 12}) + "\n"
        for n in range(12)
    )
    added = cli("episode", "add", "-", "--json", stdin=rows).json
    assert commits(git, home) == before + 2
    assert len(added["ids"]) == 12
    assert len(added["pruned"]) == 7
    assert set(added["pruned"]) < set(added["ids"])
    held = git(home, "show", "HEAD~1:records/episodes.jsonc")
    assert all(one in held for one in added["ids"])
    assert added["commit"] == git(home, "rev-parse", "HEAD~1")
    assert sorted(ids(cli)) == sorted(set(added["ids"]) - set(added["pruned"]))
    cli("episode", "restore", added["pruned"][0])
    sound(home)


def test_both_commits_land_after_a_crash_between_prepare_and_swap(
    home: Path, cli: Call, git: Git, sound: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from alice_exp.kernel.journal import transaction

    fill(home, [], capacity=2)
    cli("list")
    before = commits(git, home)

    class Killed(BaseException):
        """The process is gone."""

    def killed(*_: object) -> None:
        raise Killed

    rows = "".join(
        json.dumps({"task": f"{word} thing", "success": True}) + "\n"
        for word in ("one", "two", "three", "four")
    )
    with monkeypatch.context() as patch:
        patch.setattr(transaction, "_swap_all", killed)
        with pytest.raises(Killed):
            cli("episode", "add", "-", stdin=rows)
    assert git(home, "for-each-ref", "refs/alice/pending") != ""
    assert commits(git, home) == before
    assert len(ids(cli)) == 2
    assert commits(git, home) == before + 2
    sound(home)


def test_words_decide_where_the_formula_finds_nothing(home: Path, cli: Call) -> None:
    """A short question never reaches a long record by shared over all keywords; by its words it does."""
    chatter = " ".join(f"filler{number}" for number in range(60))
    flight = f"change the flight from Newark to Texas and cancel the insurance {chatter}"
    wanted = add(cli, flight, "--success")["id"]
    for number in range(12):
        add(cli, f"water the {number}th orchid beside window{number} {chatter}", "--failed")
    asked = ("episode", "similar", "cancel the insurance of my flight to Texas")
    (match,) = cli(*asked, "--explain", "--json").json["matches"][:1]
    assert (match["id"], match["explain"]["rule"]) == (wanted, "words")
    assert 0 < match["score"] <= 1
    literal = cli(*asked, "--context", "a=1", check=False)
    assert literal.code == 4, "with a context the formula alone decides (R0.28)"
    failed = cli(*asked, "--failed", "--json", check=False)
    assert wanted not in [one["id"] for one in failed.json["matches"]]
    assert cli("episode", "similar", "photosynthesis", "--by-words", check=False).code == 4


def test_the_command_as_a_process(home: Path, run: Call) -> None:
    """Once as a process of its own: nothing but the document on stdout."""
    done = run("episode", "add", "--task", "t", "--success", "--json", env={"ALICE_ACTOR": "agent:claude"})
    assert done.json["id"].startswith("ep-")
    assert done.stderr == ""
    assert os.linesep.join(done.stdout.splitlines()).endswith("}")
