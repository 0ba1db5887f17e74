"""What repeats becomes a proposal, chance does not; intervals against published values."""

import random
from collections.abc import Sequence

import pytest

from alice_exp.kernel.text.times import iso_time
from alice_exp.learning.rules.distill import distill
from alice_exp.learning.rules.proposals import Proposal, lesson
from alice_exp.model.rules.doubt import difference, rate
from alice_exp.model.values.block import EVIDENCE_KEPT
from alice_exp.model.values.records import Episode
from docs.bench.bench_distill import applies


def attempts(
    action: str, outcomes: Sequence[bool], start: int = 0, task: str = "push the branch", **context: str
) -> list[Episode]:
    return [
        Episode(
            f"ep-{action[:4]}{start + number:04}",
            task,
            {"domain": "git", **context},
            action,
            "done" if ok else "rejected",
            ok,
            0.9 if ok else 0.1,
            iso_time(1_760_000_000 + 86_400 * (start + number)),
            "lease keeps others' work" if ok else "someone had pushed",
        )
        for number, ok in enumerate(outcomes)
    ]


def explained(proposal: Proposal) -> str:
    template, values = proposal.explanation
    return template.format(**values)


def test_success_and_failure_of_the_same_task() -> None:
    listed = attempts("git push --force-with-lease", [True] * 6) + attempts("git push", [False] * 5, 20)
    warning, advice = distill(listed)
    assert (advice.kind, warning.kind) == ("advice", "warning")
    assert (advice.block_type, warning.block_type) == ("solution", "pattern")
    assert advice.payload.content == "git push --force-with-lease — lease keeps others' work"
    assert warning.payload.content == "avoid: git push — someone had pushed"
    assert advice.trigger.text == "push the branch"
    assert advice.trigger.context == {"domain": "git"}
    assert set(advice.trigger.keywords) == {"push", "branch"}
    assert [piece.ref for piece in advice.evidence] == [one.id for one in listed[:6]]
    assert {piece.effect for piece in warning.evidence} == {""}, (
        "a failure of what it warns of is none of its own"
    )
    assert advice.evidence[0].quote == "git push --force-with-lease → done"
    assert "succeeded 6 of 6 = 100 %" in explained(advice)
    assert "the others 0 of 5 = 0 %" in explained(advice)


def test_deterministic_whatever_the_order() -> None:
    listed = (
        attempts("aaa", [True] * 5) + attempts("bbb", [False] * 5, 9) + attempts("ccc", [True, False] * 3, 20)
    )
    mixed = listed[:]
    random.Random(1).shuffle(mixed)
    assert distill(listed) == distill(mixed)
    assert len(distill(listed, 1)) == 1


def test_two_are_not_enough_and_a_mixture_says_nothing() -> None:
    assert distill(attempts("aaa", [True, True])) == ()
    assert distill(attempts("aaa", [True, False] * 4) + attempts("bbb", [False, True] * 4, 20)) == ()
    assert distill([]) == ()


def test_three_successes_of_three_are_advice() -> None:
    (advice,) = distill(attempts("aaa", [True] * 3))
    assert (advice.kind, advice.support.basis) == ("advice", "action")


def test_an_action_is_not_praised_for_its_easy_tasks() -> None:
    easy = attempts("look", [True] * 8, 0, "easy task", level="easy") + attempts(
        "jump", [True] * 2, 10, "easy task", level="easy"
    )
    hard = attempts("look", [False] * 2, 20, "hard task", level="hard") + attempts(
        "jump", [False] * 8, 30, "hard task", level="hard"
    )
    bases = {(one.support.basis, one.support.trait, one.kind) for one in distill(easy + hard)}
    # That the easy ones succeed is the same lesson the other way round.
    assert {each for each in bases if each[0] == "context"} == {("context", "level=hard", "warning")}
    assert not any(one.support.basis == "action" for one in distill(easy + hard))


def test_what_most_episodes_show_is_no_advice_because_the_few_others_fail() -> None:
    usual = attempts("read, write", [number % 4 == 0 for number in range(44)], 0)
    bare = attempts("write, guess", [False] * 16, 50)
    traits = {one.support.trait: one.kind for one in distill(usual + bare)}
    assert not traits.keys() & {"read", "read, write"}
    assert traits["write, guess"] == "warning"


def test_a_step_that_several_actions_share() -> None:
    good = [
        *attempts("lint && fetch && push", [True] * 4),
        *attempts("fetch && rebase", [True] * 4, 10),
        *attempts("read; fetch", [True] * 4, 20),
    ]
    bad = [
        *attempts("lint && push", [False] * 4, 30),
        *attempts("push && read", [False, True, False, False], 40),
    ]
    steps = {one.support.trait: one.kind for one in distill(good + bad) if one.support.basis == "step"}
    assert steps["fetch"] == "advice"
    assert "read" not in steps


def test_it_applies_to_what_shows_the_trait() -> None:
    listed = attempts("aaa", [True] * 5) + attempts("bbb", [False] * 5, 20)
    advice = distill(listed)[0]
    assert applies(advice, attempts("aaa", [False], 70)[0])
    assert not applies(advice, attempts("bbb", [False], 70)[0])
    assert not applies(advice, Episode("", "push the branch", {"domain": "web"}, "aaa"))


def test_evidence_is_bounded_and_chinese_stays_chinese() -> None:
    listed = attempts("直接推送", [False] * 30, 0, "推送功能分支")
    (warning,) = distill(listed)
    assert len(warning.evidence) == EVIDENCE_KEPT
    assert len(warning.episodes) == 30
    assert warning.evidence[-1].ref == listed[-1].id
    assert warning.payload.content.startswith("避免：直接推送")


def test_one_successful_episode() -> None:
    (episode,) = attempts("git fetch", [True])
    proposal = lesson(episode)
    assert (proposal.kind, proposal.episodes) == ("advice", (episode.id,))
    assert proposal.trigger.text == "push the branch"
    assert proposal.evidence[0].ref == episode.id
    assert "succeeded 1 of 1" in explained(proposal)
    assert lesson(attempts("x", [False])[0]).kind == "warning"


def test_chance_proposes_little() -> None:
    rng = random.Random(11)
    words = [f"word{number}" for number in range(30)]
    listed = [
        Episode(
            f"ep-{n:08}",
            " ".join(rng.choices(words, k=4)),
            {},
            f"act{rng.randint(0, 5)}",
            None,
            rng.random() < 0.5,
            0.5,
        )
        for n in range(300)
    ]
    # 36 traits, each wrongly proposed in at most one of ten
    assert len(distill(listed, 100)) <= 8


def test_wilson_interval() -> None:
    # Wilson (1927) at 95 %: 81 of 263 → 0.2553 to 0.3662; 0 of 20 → 0 to 0.1611 (Newcombe 1998, table I)
    found = rate(81, 263, 1.959964)
    assert (found.low, found.high) == (pytest.approx(0.2553, abs=1e-4), pytest.approx(0.3662, abs=1e-4))
    assert rate(0, 20, 1.959964).high == pytest.approx(0.1611, abs=1e-4)
    assert rate(0, 0).high == 1.0


def test_newcombe_difference() -> None:
    # Newcombe (1998), method 10 at 95 %: 56/70 − 48/80 → 0.0524 to 0.3339
    low, high = difference(rate(56, 70, 1.959964), rate(48, 80, 1.959964))
    assert (low, high) == (pytest.approx(0.0524, abs=1e-4), pytest.approx(0.3339, abs=1e-4))
