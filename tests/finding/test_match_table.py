"""The table of matches says of a list of scores what a dict of the matching texts would say."""

from __future__ import annotations

import random
from collections import defaultdict
from heapq import nlargest

import pytest

from alice_exp.finding.rules.match_table import (
    EveryText,
    blank,
    least_of,
    raised,
    ranked,
    reaching,
    shares,
)

MOST = 3.0
SCORES = [0.0, 1.5, 0.0, 3.0, 3.3, 0.3]
BETTER = {1: 0.75, 5: 0.2}


def test_a_list_answers_as_the_dict_of_the_texts_that_match() -> None:
    dense = shares(SCORES, MOST)
    sparse = shares(defaultdict(float, {at: score for at, score in enumerate(SCORES) if score}), MOST)
    assert isinstance(dense, EveryText)
    assert dict(dense) == sparse == {1: 0.5, 3: 1.0, 4: 1.0, 5: pytest.approx(0.1)}
    assert len(dense) == 4
    assert dense.get(0) == 0.0 and dense.get(-1) == 0.0 and dense.get(99, 0.5) == 0.5
    with pytest.raises(KeyError):
        dense[2]


@pytest.mark.parametrize("seed", range(4))
def test_the_best_are_found_as_if_all_were_sorted(seed: int) -> None:
    chance = random.Random(seed)
    scores = [chance.choice((0.0, chance.random(), 0.25)) for _ in range(400)]
    dense = shares(scores, 1.0)
    better = {at: min(1.0, scores[at] + 0.3) for at in chance.sample(range(400), 30)}
    for known in (dense, raised(dense, better)):
        plain = dict(known)
        for count in (1, 10, 256, 401):
            least = least_of(known, count)
            found = reaching(known, least)
            assert sorted(found) == sorted(pair for pair in plain.items() if pair[1] >= least)
            assert len(found) >= min(count, len(plain))
            # Few more than asked for: that is what it is for.
            assert least <= least_of(plain, count)


def test_a_better_match_replaces_a_lower_one_and_nothing_else() -> None:
    dense = shares(SCORES, MOST)
    both = raised(dense, BETTER)
    assert dict(both) == {**dict(dense), **BETTER} == raised(dict(dense), BETTER)
    assert dict(dense)[1] == 0.5
    assert sorted(reaching(both, 0.7)) == [(1, 0.75), (3, 1.0), (4, 1.0)]
    # A text that had no match at all may get one.
    assert dict(raised(dense, {0: 0.4}))[0] == 0.4


def test_a_list_is_made_where_many_texts_are_touched() -> None:
    assert blank(1000, 63) == [0.0] * 1000
    assert blank(1000, 62) == {}


@pytest.mark.parametrize("size", [0, 5, 1_000, 2_047, 2_048, 9_000])
def test_a_sample_finds_the_same_place_as_a_heap_of_all(size: int) -> None:
    chance = random.Random(size)
    even = [chance.random() for _ in range(size)]
    sparse = [value if value > 0.9 else 0.0 for value in even]
    for values in (even, sparse, sorted(even), sorted(even, reverse=True), [1.0] * size):
        for count in (1, 256):
            best = nlargest(count, values)
            assert ranked(values, count) == (best[-1] if len(best) == count else 0.0)
