"""The vectors R0.38-R0.43, and uniqueness against brute force (B0.8-B0.13)."""

import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from alice_exp.episodes.rules.retention import prune, removal_count, retention, uniquenesses, weigh
from alice_exp.episodes.rules.search_episodes import retrieval_similarity
from alice_exp.kernel.text.times import iso_time
from alice_exp.model.rules.doubt import block_decay
from alice_exp.model.values.block import Block, Payload
from alice_exp.model.values.records import Episode, EpisodeBook
from tests.case_tables import table

NOW = "2026-02-20T09:00:00Z"
DAY = 86_400_000
PRESENT = 1_771_578_000_000


def episode(name: str, reward: float, days: float, task: str = "", context: str = "") -> Episode:
    at = iso_time(PRESENT - round(days * DAY))
    return Episode(f"ep-{name}", task or name * 4, {"k": context or name}, reward=reward, at=at)


@table("reward", "days", "uniqueness", "references", "score")
@pytest.mark.covers("R0.37")
def test_each_part_has_its_weight(
    reward: float, days: int, uniqueness: float, references: int, score: float
) -> None:
    assert retention(reward, days * DAY, uniqueness, references).score == pytest.approx(score)


@pytest.mark.parametrize(("days", "recency"), [(-5, 1.0), (0, 1.0), (15, 0.5), (30, 0.0), (60, 0.0)])
@pytest.mark.covers("R0.38")
def test_recency_falls_to_nothing_in_thirty_days(days: int, recency: float) -> None:
    assert retention(0, days * DAY, 0, 0).recency == pytest.approx(recency)


@pytest.mark.parametrize(("references", "popularity"), [(0, 0.0), (5, 0.5), (10, 1.0), (25, 1.0)])
@pytest.mark.covers("R0.40")
def test_ten_references_are_all_popularity_that_there_is(references: int, popularity: float) -> None:
    assert retention(0, 0, 0, references).popularity == pytest.approx(popularity)


@pytest.mark.covers("R0.52")
def test_what_lies_unused_weighs_less_as_a_record_and_as_a_block() -> None:
    ages = (0, 10, 20)
    records = [retention(0.5, days * DAY, 1, 0).score for days in ages]
    times = [iso_time(PRESENT - days * DAY) for days in ages]
    blocks = [block_decay(Block("", Payload("x"), updated_at=at), NOW) for at in times]
    for weights in (records, blocks):
        assert weights[0] > weights[1] > weights[2]


@table("reward", "days", "uniqueness", "references", "score")
@pytest.mark.covers("R0.41")
def test_vectors(reward: float, days: int, uniqueness: float, references: int, score: float) -> None:
    assert retention(reward, days * DAY, uniqueness, references).score == pytest.approx(score, abs=1e-9)


@pytest.mark.covers("R0.39")
def test_uniqueness_of_the_worked_example() -> None:
    context = {"topic": "machine_learning", "difficulty": "beginner"}
    pair = [Episode("a", "解释什么是机器学习", context), Episode("b", "机器学习是什么", context)]
    assert uniquenesses(pair) == pytest.approx([0.24, 0.24])
    assert uniquenesses(pair[:1]) == [1.0]


@table("size", "capacity", "count")
@pytest.mark.covers("R0.42")
def test_removal_count(size: int, capacity: int, count: int) -> None:
    assert removal_count(size, capacity) == count


@pytest.mark.covers("R0.43")
def test_the_vector_of_four_removes_exactly_b() -> None:
    listed = (
        episode("aaaa", 0.9, 0),
        episode("bbbb", 0.2, 31),
        episode("cccc", 0.5, 10),
        episode("dddd", 1.0, 60),
        episode("eeee", 0.1, 5),
    )
    book = EpisodeBook(listed, 4)
    done = prune(book, NOW, {"ep-cccc": 2, "ep-dddd": 10})
    scores = [round(one.retention.score, 9) for one in done.weighed]
    assert scores == [0.86, 0.28, 0.62, 0.70, 0.49]
    assert [one.episode.id for one in done.removed] == ["ep-bbbb"]
    assert [one.id for one in done.book.episodes] == ["ep-aaaa", "ep-cccc", "ep-dddd", "ep-eeee"]


@pytest.mark.covers("B0.13")
def test_cited_episodes_stay_and_the_next_least_go() -> None:
    listed = tuple(episode(f"e{number:02}", number / 20, 40) for number in range(11))
    done = prune(EpisodeBook(listed, 10), NOW, cited={"ep-e00", "ep-e01"})
    assert [one.episode.id for one in done.removed] == ["ep-e02", "ep-e03"]
    assert len(done.book.episodes) == 9
    every = prune(EpisodeBook(listed, 10), NOW, cited={one.id for one in listed})
    assert every.removed == ()
    assert every.book.episodes == listed


@pytest.mark.covers("R0.4")
def test_what_is_of_no_use_and_what_says_the_same_goes_first() -> None:
    useful = [episode(f"use{name}", 0.6, 1) for name in "abcdef"]
    twins = [episode(f"twin{name}", 0.6, 1, "fix the login page", "web") for name in "ab"]
    done = prune(EpisodeBook((*useful, *twins, episode("dull", 0.0, 40)), 7), NOW)
    assert {one.episode.id for one in done.removed} <= {"ep-dull", "ep-twina", "ep-twinb"}
    assert len(done.removed) == 2 and done.removed[0].episode.id == "ep-dull"


def test_of_equals_the_older_goes() -> None:
    listed = tuple(episode(f"e{number:02}", 0.5, 100 - number) for number in range(5))
    assert [one.episode.id for one in prune(EpisodeBook(listed, 4), NOW).removed] == ["ep-e00"]


def test_an_episode_without_a_time_counts_as_new() -> None:
    (weighed,) = weigh([Episode("ep-a", "task")], NOW, {}, ())
    assert weighed.retention.recency == 1.0


WORDS = ["fix", "login", "page", "test", "search", "query", "部署", "数据库", "测试登录", "slow"]
EPISODES = st.lists(
    st.builds(
        lambda words, context: Episode("", " ".join(words), context),
        st.lists(st.sampled_from(WORDS), max_size=5),
        st.dictionaries(st.sampled_from("abc"), st.sampled_from([1, True, "x", [1], None, 1.0]), max_size=3),
    ),
    min_size=1,
    max_size=25,
)


def by_brute_force(listed: list[Episode]) -> list[float]:
    """Each episode's uniqueness, by comparing it with each other one."""
    return [
        1
        - max(
            (
                retrieval_similarity(one.task, one.context)(other.task, other.context).score
                for at, other in enumerate(listed)
                if at != index
            ),
            default=0.0,
        )
        for index, one in enumerate(listed)
    ]


@settings(deadline=None)
@given(EPISODES)
def test_uniqueness_is_that_of_brute_force(listed: list[Episode]) -> None:
    assert uniquenesses(listed) == pytest.approx(by_brute_force(listed), abs=1e-6)


def many(count: int) -> EpisodeBook:
    rng = random.Random(7)
    words = [*WORDS * 3, *(f"word{number}" for number in range(500))]
    return EpisodeBook(
        tuple(
            Episode(
                f"ep-{number:08}",
                " ".join(rng.choices(words, k=6)),
                {"domain": rng.choice(["code", "deploy"]), "repo": f"r{rng.randint(0, 9)}"},
                reward=round(rng.random(), 3),
                at=iso_time(PRESENT - rng.randint(0, 60) * DAY),
            )
            for number in range(count)
        )
    )


def test_a_thousand_and_one_are_cleaned_well_under_a_second() -> None:
    book = many(1001)
    begun = time.process_time()
    done = prune(book, NOW)
    assert time.process_time() - begun < 1.0
    assert len(done.removed) == 200
    assert len(done.book.episodes) == 801
    worst = max(one.retention.score for one in done.removed)
    gone = {one.episode.id for one in done.removed}
    assert all(one.retention.score >= worst for one in done.weighed if one.episode.id not in gone)


@pytest.mark.covers("B0.8")
def test_uniqueness_of_many_kinds_is_that_of_brute_force() -> None:
    rng = random.Random(11)
    words = [f"w{number}" for number in range(300)]
    often = [1 / (number + 1) for number in range(300)]
    contexts = (
        lambda n: {},
        lambda n: {"domain": rng.choice("abc")},
        lambda n: {"domain": rng.choice("abc"), "ticket": n},
        lambda n: {"domain": rng.choice("abc"), "os": rng.choice("xy"), "ok": rng.choice([1, True])},
    )
    listed = [
        Episode("", " ".join(rng.choices(words, often, k=rng.randint(0, 20))), rng.choice(contexts)(number))
        for number in range(300)
    ]
    listed += [Episode("", f"fix ticket {number} in the repository") for number in range(40)]
    assert uniquenesses(listed) == pytest.approx(by_brute_force(listed), abs=1e-6)


def test_uniqueness_of_long_tasks_is_that_of_brute_force() -> None:
    rng = random.Random(12)
    tasks = [" ".join(f"w{number}" for number in rng.sample(range(400), k=120)) for _ in range(30)]
    listed = [Episode("", task) for task in (*tasks, f"{tasks[0]} more")]
    found = uniquenesses(listed)
    assert found == pytest.approx(by_brute_force(listed), abs=1e-6)
    assert found[0] == found[-1] < 0.02, "a twin of a long task is found"
