"""Finding similar episodes, statistics, shortening and joining (R0.28-R0.35, R0.45, R0.48, B0.3-B0.7, B0.14)."""

import itertools
import random
import time
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from alice_exp.episodes.rules.search_episodes import (
    SUCCESS,
    EpisodeStatistics,
    Filters,
    find_by_words,
    find_similar,
    find_without_context,
    join,
    retrieval_similarity,
    shorten_result,
    similar_failures,
    statistics,
    task_similarity,
)
from alice_exp.finding.rules.concerns import context_similarity
from alice_exp.finding.rules.scorer import Texts
from alice_exp.kernel.jsonc import Json
from alice_exp.kernel.text.times import iso_time, milliseconds
from alice_exp.kernel.text.tokens import keywords
from alice_exp.model.values.records import Episode, EpisodeBook
from tests.case_tables import table

ML: dict[str, Json] = {"topic": "machine_learning", "difficulty": "beginner"}
NOW = "2026-02-20T09:00:00Z"


@pytest.mark.covers("R0.28")
def test_the_boundary_is_excluded() -> None:
    half = Episode("ep-1", "deploy website", {"a": 1, "b": 3})
    assert find_similar([half], "cook rice", {"a": 1, "b": 2}) == ()
    assert retrieval_similarity("cook rice", {"a": 1, "b": 2})(half.task, half.context).score == 0.3
    rounded = Episode("ep-2", "aaa bbb ccc ddd", {"k": 2})
    assert find_similar([rounded], "aaa bbb ccc", {"k": 1}) == ()
    near = [Episode(f"ep-{words}", f"cook rice {words}") for words in ("with beans today", "", "today")]
    found = find_similar(near, "cook rice", top=2)
    assert [match.episode.task for match in found] == ["cook rice ", "cook rice today"], (
        "the best, best first"
    )


@pytest.mark.covers("B0.6")
def test_ties_go_to_the_newest_then_to_the_id() -> None:
    days = {"ep-b": 2, "ep-a": 2, "ep-c": 1, "ep-d": 3}
    listed = [Episode(name, "fix login page", at=f"2026-01-0{day}T00:00:00Z") for name, day in days.items()]
    assert [match.episode.id for match in find_similar(listed, "fix login page")] == [
        "ep-d",
        "ep-a",
        "ep-b",
        "ep-c",
    ]


@pytest.mark.covers("R0.32")
def test_an_unknown_type_filters_nothing() -> None:
    listed = [
        Episode("ep-a", "fix login", type="code"),
        Episode("ep-b", "fix login", {"domain": "deploy"}),
        Episode("ep-c", "fix login", {"topic": 3}),
    ]
    assert [one.task_type for one in listed] == ["code", "deploy", "general"]
    assert [m.episode.id for m in find_similar(listed, "fix login", filters=Filters(type="deploy"))] == [
        "ep-b"
    ]
    assert len(find_similar(listed, "fix login", filters=Filters(type="nothing"))) == 3


@pytest.mark.covers("R0.33")
def test_the_time_window_is_strict() -> None:
    listed = [
        Episode("ep-a", "fix login", at=NOW),
        Episode("ep-b", "fix login", at="2026-02-20T09:00:00.001Z"),
    ]
    assert [m.episode.id for m in find_similar(listed, "fix login", filters=Filters(after=NOW))] == ["ep-b"]


@pytest.mark.covers("R0.34")
def test_successes_alone_where_they_are_asked_for() -> None:
    listed = [Episode("ep-a", "fix login", success=True), Episode("ep-b", "fix login", success=False)]
    found = find_similar(listed, "fix login", filters=Filters(success=True))
    assert [match.episode.id for match in found] == ["ep-a"]


@pytest.mark.parametrize(
    "filters", [Filters(type="code"), Filters(after="2026-01-01T00:00:00Z"), Filters(success=True)]
)
@pytest.mark.covers("R0.35")
def test_every_search_answers_best_first_and_so_many_at_most(filters: Filters) -> None:
    words = ("fix", "fix login", "fix login page", "fix login page now")
    listed = [Episode(f"ep-{n}", words[n % 4], success=True, at=NOW, type="code") for n in range(8)]
    found = find_similar(listed, "fix login page now", None, 5, filters)
    scores = [match.score for match in found]
    assert len(scores) == 5 and scores == sorted(scores, reverse=True) and scores[0] > scores[-1]


@pytest.mark.covers("R0.5")
def test_successes_and_failures_are_both_kept_and_both_found() -> None:
    tried = [Episode("", "fix login", action=act, success=act == "retry") for act in ("retry", "wait")]
    book = join(EpisodeBook(), tried, iter(("ep-a", "ep-b")))[0]
    found = find_similar(book.episodes, "fix login")
    assert {match.episode.action: match.episode.success for match in found} == {"retry": True, "wait": False}


def test_true_is_not_one() -> None:
    flagged = Episode("ep-a", "fix login", {"dry": True})
    assert find_similar([flagged], "fix login", {"dry": 1})[0].score == 0.4
    assert find_similar([flagged], "fix login", {"dry": True})[0].score == 1.0


def test_a_failure_of_what_has_worked_since_warns_of_nothing() -> None:
    def lived(number: int, success: bool, action: str) -> Episode:
        return Episode(
            f"ep-{number}",
            "deploy the website",
            action=action,
            success=success,
            at=f"2026-02-{number:02}T09:00:00Z",
        )

    failed = lived(1, False, "trial: exp-aaaaaaaa")
    worked = [lived(day, True, "universal: exp-aaaaaaaa") for day in (2, 3, 4)]
    assert similar_failures([failed, *worked], "deploy website") == ()
    assert len(similar_failures([failed, *worked[:2]], "deploy website")) == 1
    assert len(similar_failures([failed, *worked[:2], lived(5, False, "x")], "deploy website")) == 2
    again = [lived(day, False, "trial: exp-aaaaaaaa") for day in (5, 6)]
    assert len(similar_failures([failed, *worked, *again], "deploy website")) == 3


WORDS = ["fix", "login", "page", "AI", "部署", "测试登录", "slow", "x"]
VALUES: st.SearchStrategy[Json] = st.sampled_from([1, True, 1.0, "code", [1], [True], {"a": 1}, None])
CONTEXTS = st.dictionaries(st.sampled_from(["type", "domain", "b", "c"]), VALUES, max_size=3)
TASKS = st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join)
EPISODES = st.lists(
    st.tuples(TASKS, CONTEXTS, st.booleans(), st.integers(0, 5), st.sampled_from(["", "code", "web"])),
    max_size=20,
).map(
    lambda rows: [
        Episode(
            f"ep-{number:02}",
            task,
            context,
            success=ok,
            reward=day / 5,
            at=f"2026-01-0{day + 1}T00:00:00Z",
            type=kind,
        )
        for number, (task, context, ok, day, kind) in enumerate(rows)
    ]
)
FILTERS = st.builds(
    Filters,
    st.sampled_from(["", "2026-01-03T00:00:00Z"]),
    st.sampled_from([None, True, False]),
    st.sampled_from(["", "code", "general"]),
    st.sampled_from([0.0, 0.5]),
)


@settings(deadline=None, max_examples=200)
@given(EPISODES, TASKS, CONTEXTS, FILTERS, st.integers(0, 9))
@pytest.mark.covers("R0.29")
def test_search_is_brute_force(
    listed: list[Episode], task: str, context: dict[str, Json], filters: Filters, top: int
) -> None:
    def score(one: Episode) -> float:
        tasks = task_similarity(keywords(task), keywords(one.task))
        return round(0.4 * tasks + 0.6 * context_similarity(context, one.context) if context else tasks, 6)

    scored = [(score(one), one) for one in admitted(listed, filters)]
    expected = sorted(
        ((found, one) for found, one in scored if found > 0.3),
        key=lambda pair: (-pair[0], -pair[1].timestamp, pair[1].id),
    )[:top]
    found = find_similar(listed, task, context, top, filters)
    assert [(match.score, match.episode) for match in found] == expected


def admitted(listed: list[Episode], filters: Filters) -> list[Episode]:
    known = {one.task_type for one in listed}
    return [
        one
        for one in listed
        if (not filters.type or filters.type not in known or one.task_type == filters.type)
        and (filters.success is None or one.success == filters.success)
        and one.reward >= filters.min_reward
        and (not filters.after or one.timestamp > milliseconds(filters.after))
    ]


@settings(deadline=None, max_examples=100)
@given(EPISODES, TASKS, FILTERS, st.integers(0, 9))
def test_words_weigh_as_they_do_in_blocks(
    listed: list[Episode], task: str, filters: Filters, top: int
) -> None:
    spoken = [replace(one, action="look it up", reflection=f"login {one.reward}") for one in listed]
    texts = [f"{one.task} {one.action} {one.reflection}" for one in spoken]
    matches = Texts.of(texts).find(task).matches
    shares = {
        spoken[at].id: round(share, 6) if spoken[at].success else round(round(share, 6) / (1 + SUCCESS), 6)
        for at, share in matches.items()
    }
    expected = sorted(
        ((shares[one.id], one) for one in admitted(spoken, filters) if one.id in shares),
        key=lambda pair: (-pair[0], -pair[1].timestamp, pair[1].id),
    )
    found = find_by_words(spoken, task, top, filters, gate=0.0)
    assert [(match.score, match.episode) for match in found] == expected[:top]
    formula = find_similar(spoken, task, None, top, filters)
    both = find_without_context(spoken, task, top, filters, gate=0.0)
    assert both[: len(formula)] == formula
    more = [
        (round(0.3 * share, 6), one) for share, one in expected if one not in [m.episode for m in formula]
    ]
    assert [(match.score, match.episode) for match in both[len(formula) :]] == more[: top - len(formula)]


def test_a_long_task_is_ranked_by_words() -> None:
    listed = [
        Episode("ep-a", "water the orchid"),
        Episode("ep-b", "cancel the insurance of the flight from Newark to Texas"),
    ]
    task = " ".join(["insurance", *(f"word{number}" for number in range(16))])
    assert [one.episode.id for one in find_without_context(listed, task, gate=0.0)] == ["ep-b"]
    assert find_without_context(listed, task.replace("insurance", "photosynthesis")) == ()


@pytest.mark.covers("R0.45")
def test_statistics() -> None:
    assert statistics([]) == EpisodeStatistics(0, 0, 0.0, 0, 0, {})
    rewards = [(0.9, True), (0.5, True), (0.1, False)]
    listed = [
        Episode(f"ep-{at}", "t", success=ok, reward=reward, at=f"2026-01-0{at + 1}T00:00:00Z", type="code")
        for at, (reward, ok) in enumerate(rewards)
    ]
    found = statistics(listed)
    assert (found.total, found.successful, found.average_reward) == (3, 2, pytest.approx(0.5))
    assert found.oldest_timestamp == milliseconds("2026-01-01T00:00:00Z")
    assert found.types == {"code": 3}


@pytest.mark.parametrize(("length", "stored"), [(1500, 1003), (1000, 1000), (1001, 1003), (0, 0)])
@pytest.mark.covers("R0.48")
def test_long_results_are_shortened_once(length: int, stored: int) -> None:
    short = shorten_result(Episode("", "t", result="x" * length))
    assert isinstance(short.result, str)
    assert len(short.result) == stored
    assert (short.result_truncated, short.result_length) == ((True, length) if length > 1000 else (False, 0))
    assert shorten_result(short) == short


def test_what_is_no_text_is_shortened_as_json() -> None:
    rows: list[Json] = [{"name": "行", "n": number} for number in range(100)]
    short = shorten_result(Episode("", "t", result=rows))
    assert isinstance(short.result, str)
    assert short.result.startswith('[{"name": "行", "n": 0}, ')
    assert len(short.result) == 1003
    assert shorten_result(Episode("", "t", result=rows[:3])).result == rows[:3]
    assert shorten_result(Episode("", "t", result=None)).result is None


@pytest.mark.covers("B0.14")
def test_halves_of_a_character_stay_together() -> None:
    short = shorten_result(Episode("", "t", result="ab\ud83d\ude00cd"), 3)
    assert short.result == "ab..."
    assert shorten_result(Episode("", "t", result="ab😀cd"), 3).result == "ab😀..."


def test_joining_twice_changes_nothing() -> None:
    ids = (f"ep-{number:08}" for number in itertools.count())
    mine = Episode("ep-aaaaaaaa", "mine", reward=0.5)
    theirs = [
        Episode("ep-aaaaaaaa", "changed"),
        Episode("", "new", {"a": [1]}),
        Episode("ep-bbbbbbbb", "other"),
    ]
    once, _, left = join(EpisodeBook((mine,), 7), theirs, ids)
    assert [one.id for one in once.episodes] == ["ep-aaaaaaaa", "ep-00000000", "ep-bbbbbbbb"]
    assert (once.episodes[0], left, once.capacity) == (mine, ("ep-aaaaaaaa",), 7)
    assert join(once, theirs, ids)[:2] == (once, ())


@pytest.mark.covers("R0.15")
def test_a_context_is_copied() -> None:
    given_context: dict[str, Json] = {"a": 1}
    episode = Episode("", "t", given_context)
    given_context["a"] = 2
    assert episode.context == {"a": 1}


@table("value", "written")
@pytest.mark.covers("B1.9")
def test_every_time_format(value: object, written: str) -> None:
    assert iso_time(value) == written
    assert Episode("", "t", at=written).timestamp == milliseconds(written)


@pytest.mark.parametrize("value", ["nan", "inf", "soon", True, None, 1e300, "9999-12-31T23:59:59-10:00", [1]])
def test_what_is_no_time(value: object) -> None:
    with pytest.raises(ValueError):
        iso_time(value)


@pytest.mark.covers("R0.2")
def test_ten_thousand_are_searched_fast() -> None:
    rng = random.Random(3)
    words = [f"word{number}" for number in range(800)]
    listed = [
        Episode(f"ep-{number:05}", " ".join(rng.choices(words, k=6)), {"repo": f"r{rng.randint(0, 99)}"})
        for number in range(10_000)
    ]
    begun = time.process_time()
    for one in listed[:5]:
        assert find_similar(listed, one.task, one.context, 1)[0].score == 1.0
    assert (time.process_time() - begun) / 5 < 0.5


def test_among_equal_episodes_the_successful_one_comes_first() -> None:
    task = (
        "book the cheapest direct flight from Berlin to Lisbon for two adults with one bag each on a Friday"
    )
    failed = Episode("ep-a", task, success=False)
    better = Episode("ep-b", task, success=True)
    assert [match.episode.id for match in find_by_words([failed, better], task)] == ["ep-b", "ep-a"]
    other = replace(better, task="cook rice", id="ep-c")
    assert [match.episode.id for match in find_by_words([failed, other], task)] == ["ep-a"]
