"""Planted lessons are found among distractors, each once, with its condition and its own episodes (``lessons.py``)."""

import pytest

from alice_exp.learning.rules.distill import distill
from alice_exp.learning.rules.episode_groups import phrase, shared_words
from alice_exp.learning.rules.proposals import Proposal
from alice_exp.model.values.records import Episode
from tests.learning.lessons import Planted, distractors, scenarios

BOOK = [*distractors(), *(episode for episodes, _ in scenarios().values() for episode in episodes)]
PLANTED = [planted for _, lessons in scenarios().values() for planted in lessons]


def tells(proposal: Proposal, planted: Planted) -> bool:
    """Whether a proposal is a planted lesson: its action, direction and condition, from its own episodes alone."""
    condition = proposal.support.condition or str(dict(proposal.trigger.context))
    return (
        proposal.kind == planted.kind
        and planted.word in proposal.support.trait
        and (planted.condition in condition)
        and all(reference.startswith(f"ep-{planted.name}") for reference in proposal.episodes)
    )


@pytest.mark.covers("R0.3")
def test_the_planted_lessons_are_found_once_each() -> None:
    proposals = distill(BOOK, 40)
    missing = [one for one in PLANTED if not any(tells(proposal, one) for proposal in proposals)]
    twice = [one for one in PLANTED if sum(tells(proposal, one) for proposal in proposals) > 1]
    noise = [
        one for one in proposals if any(ref.startswith(("ep-noise", "ep-chore")) for ref in one.episodes)
    ]
    false = [one for one in proposals if not any(tells(one, planted) for planted in PLANTED)]
    assert (missing, twice, noise, false) == ([], [], [], [])


@pytest.mark.parametrize("name", scenarios())
def test_evidence_is_the_episodes_that_took_the_action(name: str) -> None:
    episodes = {one.id: one for one in scenarios()[name][0]}
    for proposal in distill(episodes.values()):
        word = next(
            planted.word for planted in scenarios()[name][1] if planted.word in proposal.support.trait
        )
        assert all(word.split()[0].lower() in episodes[ref].action.lower() for ref in proposal.episodes)


def test_the_trigger_is_a_general_phrase_with_the_condition() -> None:
    (warning,) = [one for one in distill(scenarios()["table"][0]) if one.kind == "warning"]
    assert "column" in warning.trigger.text and "size=large" in warning.trigger.text
    assert warning.trigger.context["size"] == "large"
    assert not any(char.isdigit() for char in warning.trigger.text)
    # Told as "situation: what to do", the condition stands there once.
    assert warning.payload.content.startswith("avoid: ALTER TABLE directly")
    assert f"{warning.trigger.text}: {warning.payload.content}".count("size=large") == 1
    (chinese,) = [one for one in distill(scenarios()["report"][0]) if one.kind == "warning"]
    assert "销售报表" in chinese.trigger.text and chinese.payload.content.startswith(
        "避免：一次性查询全部数据"
    )


def test_without_a_type_only_like_tasks_are_compared() -> None:
    book = [*distractors(), *scenarios()["scrape"][0]]
    for proposal in distill(book):
        total = proposal.support.own.total + proposal.support.others.total
        assert total == len(scenarios()["scrape"][0])


def test_a_phrase_keeps_no_number_of_a_single_task() -> None:
    tasks = [Episode(f"ep-{n}", f"修复第{n}页的样式", action="改") for n in (12, 67, 95)]
    assert phrase(tasks).startswith("修复") and not any(char.isdigit() for char in phrase(tasks))
    times = [Episode("ep-1", "给财务导出报表第1次"), Episode("ep-2", "第 2 次给财务导出报表")]
    assert phrase(times) == phrase([Episode("ep-3", "给财务导出 3 号报表")]) == "给财务导出报表"
    assert "次" not in "".join(shared_words(times))
    assert phrase([Episode("ep-1", "发给 A 组"), Episode("ep-2", "发给 B 组")]).endswith("组")


def test_a_trigger_has_whole_words() -> None:
    tasks = [f"导入{name}的数据文件" for name in ("计费", "登录", "搜索")]
    book = [
        Episode(f"ep-{n}", tasks[n % 3], action=("整个读进内存", "逐行读取")[n % 2], success=bool(n % 2))
        for n in range(12)
    ]
    assert {word for one in distill(book) for word in one.trigger.keywords} == {"导入", "数据", "文件"}
