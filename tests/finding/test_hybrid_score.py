"""DESIGN 10: an embedder's cosine joins the match by a weight that is learned on the collection alone."""

from __future__ import annotations

import math
import random
from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alice_exp.finding.ports import Nearness
from alice_exp.finding.rules.bm25 import text_matches
from alice_exp.finding.rules.corpus import Corpus, block_text
from alice_exp.finding.rules.hybrid_score import (
    chance,
    cosine,
    joined,
    learned_weight,
    lifts,
    unit,
)
from alice_exp.finding.rules.ranking import FLOOR, rank
from alice_exp.kernel.text.tokens import tokens_many
from alice_exp.model.values.block import Block, Payload, Placed, Trigger

NOW = "2026-02-20T09:00:00Z"
SUBJECTS = ("billing", "search", "login", "backup", "report", "deploy")
SHARE = st.floats(0, 1, allow_nan=False)
COSINES = st.dictionaries(st.integers(0, 60), st.floats(-1, 1, allow_nan=False), max_size=40)


def corpus(count: int = 60) -> Corpus:
    """Texts about six subjects, told in words that they share with their subject alone."""
    source = random.Random(7)
    words = {name: [f"{name}{chr(97 + at)}x" for at in range(12)] for name in SUBJECTS}
    texts = []
    for number in range(count):
        name = SUBJECTS[number % len(SUBJECTS)]
        texts.append(" ".join(source.sample(words[name], 6)))
    return Corpus.of(
        Placed(
            Block(
                id=f"exp-{at:08}",
                trigger=Trigger(""),
                payload=Payload(text),
                state="reliable",
                updated_at=NOW,
            ),
            "universal/tool_usage.jsonc",
        )
        for at, text in enumerate(texts)
    )


def knowing(collection: Corpus) -> dict[int, array[float]]:
    """An embedder that knows the subjects: one direction each, and a little noise."""
    source = random.Random(3)
    found = {}
    for index, placed in enumerate(collection.placed):
        subject = next(at for at, name in enumerate(SUBJECTS) if name in block_text(placed.block))
        vector = [source.gauss(0, 0.1) for _ in range(24)]
        vector[subject] += 1.0
        found[index] = array("f", unit(vector))
    return found


def ignorant(collection: Corpus, seed: int) -> dict[int, array[float]]:
    source = random.Random(seed)
    return {
        at: array("f", unit([source.gauss(0, 1) for _ in range(24)])) for at in range(len(collection.placed))
    }


def texts(collection: Corpus) -> dict[int, str]:
    return {index: block_text(placed.block) for index, placed in enumerate(collection.placed)}


def test_unit_vectors_and_their_cosine() -> None:
    assert unit([3.0, 4.0]) == pytest.approx([0.6, 0.8])
    assert unit([0.0, 0.0]) == [0.0, 0.0]
    assert cosine(unit([3.0, 4.0]), unit([4.0, 3.0])) == pytest.approx(0.96)


def test_chance_is_median_and_spread_of_what_does_not_answer() -> None:
    # Median 0.4, median deviation 0.1: 0.4 + 1.4826 · 0.1 · √(2 ln (5 / 0.01)).
    values = [0.2, 0.3, 0.4, 0.5, 0.9]
    assert chance(values) == pytest.approx(0.4 + 0.14826 * math.sqrt(2 * math.log(500)))
    assert chance([]) == 1.0
    assert chance([0.2, 0.3, 0.4, 0.5, 0.6]) == chance(values)


@pytest.mark.parametrize("few", [[0.9], [0.2, 0.9]])
def test_one_or_two_texts_teach_nothing_and_lift_nothing(few: list[float]) -> None:
    assert lifts(dict(enumerate(few))) == {}


@pytest.mark.parametrize("level", [0.1, 0.75])
def test_only_what_stands_out_is_lifted_whatever_the_model_calls_near(level: float) -> None:
    source = random.Random(1)
    cosines = {at: level + source.gauss(0, 0.02) for at in range(200)}
    assert lifts(cosines) == {}
    cosines[200] = level + 0.2
    assert max(lifts(cosines), key=lambda at: lifts(cosines)[at]) == 200
    assert lifts(cosines)[200] > 0.1


@given(st.dictionaries(st.integers(0, 60), SHARE), COSINES, SHARE)
def test_meaning_only_adds_and_stays_within_bounds(
    words: dict[int, float], cosines: dict[int, float], w: float
) -> None:
    both = joined(words, Nearness(cosines, w))
    assert all(both[at] >= match for at, match in words.items())
    assert all(0.0 <= match <= 1.0 for match in both.values())
    assert all(both[at] == words[at] for at in words if at not in cosines)
    assert joined(words, Nearness(cosines, 0.0)) == words


def test_the_weight_tells_a_model_that_knows_the_collection_from_one_that_does_not() -> None:
    collection = corpus()
    good = learned_weight(collection, texts(collection), knowing(collection))
    bad = [learned_weight(collection, texts(collection), ignorant(collection, seed)) for seed in range(5)]
    by_place = {at: array("f", unit([float(axis == at // 6) for axis in range(24)])) for at in range(60)}
    assert good > 0.85
    assert max(bad) < 0.35
    assert learned_weight(collection, texts(collection), by_place) < 0.35


def test_a_collection_that_teaches_nothing_lets_meaning_count_half() -> None:
    collection = corpus(2)
    assert learned_weight(collection, texts(collection), knowing(collection)) == 0.5
    assert learned_weight(corpus(0), {}, {}) == 0.5


def asked(collection: Corpus, subject: str, vectors: dict[int, array[float]], weight: float) -> Nearness:
    """A question in none of the collection's words, about one of its subjects."""
    about = [0.0] * 24
    if subject:
        about[SUBJECTS.index(subject)] = 1.0
    else:
        about[20] = 1.0
    return Nearness({at: cosine(about, vector) for at, vector in vectors.items()}, weight)


def test_other_words_find_what_means_the_same_and_nothing_else() -> None:
    collection = corpus()
    vectors = knowing(collection)
    assert not rank(collection, "who pays the invoice", {}, NOW)
    near = asked(collection, "billing", vectors, 0.9)
    found = rank(collection, "who pays the invoice", {}, NOW, near=near)
    assert len(found) == 10
    assert all("billing" in block_text(one.placed.block) for one in found)
    assert all(
        one.text_match == 0.0 and one.weight == 0.9 and one.cosine and one.cosine > 0.8 for one in found
    )
    assert all(one.match >= FLOOR for one in found if one.clear)


@pytest.mark.parametrize("query", ["what about gardening", "?!"])
def test_where_nothing_means_the_same_nothing_is_said(query: str) -> None:
    collection = corpus()
    assert not rank(collection, query, {}, NOW, near=asked(collection, "", knowing(collection), 1.0))


def test_without_any_word_that_counts_a_faint_meaning_is_no_answer() -> None:
    collection = corpus()
    faint, clear = ({**dict.fromkeys(range(60), 0.0), 7: height} for height in (0.1, 0.2))
    assert not rank(collection, "?!", {}, NOW, near=Nearness(faint, 1.0))
    assert len(rank(collection, "?!", {}, NOW, gate=1.0, near=Nearness(clear, 1.0))) == 1


def test_a_model_without_a_say_changes_no_answer() -> None:
    collection = corpus()
    query = "billingax billingbx"
    assert tokens_many([query]) and text_matches(collection.statistics, collection.postings, query).matches
    plain = rank(collection, query, {}, NOW)
    with_it = rank(collection, query, {}, NOW, near=asked(collection, "search", knowing(collection), 0.0))
    assert plain
    assert [(one.placed.block.id, one.score) for one in plain] == [
        (one.placed.block.id, one.score) for one in with_it
    ]
