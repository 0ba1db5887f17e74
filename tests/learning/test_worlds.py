"""Lessons are found however tasks and actions are worded, none twice, and next to none where there is nothing to learn."""

import pytest

from alice_exp.learning.rules.distill import distill
from alice_exp.learning.rules.episode_groups import kinds_of_task
from alice_exp.learning.rules.proposals import Proposal
from tests.learning.worlds import FRESH, HELD, LAST, LATER, LIVED, WORKED, Lesson, World, noise, nothing


def tells(proposal: Proposal, name: str, lesson: Lesson, worlds: dict[str, World]) -> bool:
    kind, words, condition = lesson
    own = {episode.id for episode in worlds[name][0]}
    said = proposal.payload.content.split(" — ")[0].lower()
    where = f"{proposal.support.condition} {dict(proposal.trigger.context)} {proposal.trigger.text}"
    return (
        proposal.kind == kind
        and own.issuperset(proposal.episodes)
        and any(word.lower() in said for word in words)
        and condition in where
    )


@pytest.mark.parametrize(
    ("worlds", "least"),
    [
        (WORKED, 12),
        (HELD, 14),
        (LIVED, 7),
        (FRESH, 11),
        (LATER, 7),
        (LAST, 7),
        ({**WORKED, **HELD, **LIVED}, 32),
        ({**FRESH, **LATER, **LAST}, 24),
    ],
    ids=["worked", "held", "lived", "fresh", "later", "last", "all", "all later"],
)
def test_lessons_in_many_words_are_found_once(worlds: dict[str, World], least: int) -> None:
    proposals = distill([*noise(), *(one for episodes, _ in worlds.values() for one in episodes)], 40)
    told = [
        [one for one in proposals if tells(one, name, lesson, worlds)]
        for name, (_, lessons) in worlds.items()
        for lesson in lessons
    ]
    assert sum(map(bool, told)) >= least and all(len(each) <= 1 for each in told)
    false = [one.payload.content for one in proposals if not any(one in each for each in told)]
    # In one book of all later worlds an episode of a like task strays into another's lesson.
    assert len(false) <= 1 + (len(worlds) > 15), false


def test_tasks_without_a_common_phrase_are_told_by_their_words() -> None:
    told = {one.trigger.text for one in distill(FRESH["estimate"][0])}
    assert told == {"estimate, effort"}


def test_next_to_nothing_is_learned_from_chance() -> None:
    assert sum(len(distill(nothing(seed))) for seed in range(60)) <= 60 * 0.15


def test_differently_worded_tasks_with_the_same_deeds_are_one_kind() -> None:
    kinds = kinds_of_task([*noise(), *WORKED["ocr"][0], *LIVED["mig"][0]])
    for name in ("ocr", "mig"):
        assert len([kind for kind in kinds if any(name in one.id for one in kind)]) == 1


def test_that_all_is_well_elsewhere_is_no_second_lesson() -> None:
    (warning,) = distill(WORKED["mail"][0])
    assert warning.kind == "warning" and warning.support.condition == "language=de"
