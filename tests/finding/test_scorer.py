"""What a match is made of, what a collection teaches, and that it does not matter how it is kept (DESIGN 10)."""

import math
import random
from collections import defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alice_exp.finding.rules.concerns import FEWEST, K1, NO_NOISE, B, Noise, _Jumble, learn_noise
from alice_exp.finding.rules.parsed_query import Query
from alice_exp.finding.rules.scorer import PAIR, TRANSLATED, Texts
from alice_exp.kernel.text.bilingual_lexicon import known_words, same_concept
from alice_exp.kernel.text.data_files import entries
from alice_exp.kernel.text.tokens import is_cjk, stems, tokens, tokens_many
from tests.case_tables import cases, table

TEXTS = cases(__file__, "TEXTS")


def matches(texts: list[str], query: str) -> dict[int, float]:
    return dict(Texts.of(texts).find(query).matches)


def reference(texts: list[str], query: str) -> dict[int, float]:
    """BM25 straight from its formula, as a share of the most; for queries without pairs and concepts."""
    rows = tokens_many(texts)
    wanted = set(tokens(query))
    held = {t: sum(t in row for row in rows) for t in wanted}
    idf = {t: math.log(1 + (len(rows) - max(1, n) + 0.5) / (max(1, n) + 0.5)) for t, n in held.items()}
    # A CJK word of two characters is three tokens.
    lengths = [sum(1 if is_cjk(token) else 3 for token in row) for row in rows]
    average = sum(lengths) / len(rows) or 1.0
    found = {}
    for index, row in enumerate(rows):
        gained = sum(
            idf[t] * row.count(t) / (row.count(t) + K1 * (1 - B + B * lengths[index] / average))
            for t in wanted
        )
        if gained:
            found[index] = gained / sum(idf.values())
    return found


def test_a_home_of_two_languages_prefers_neither() -> None:
    found = matches(["budget meeting: nothing was decided", "预算会议：没有作出任何决定"], "预算会议")
    assert found[1] > found[0] > 0, "what is said word for word counts more than its translation"


@pytest.mark.parametrize("query", ["ripgrep", "notmuch", "机器", "notmuch 机器", "unknown", "the of", ""])
def test_bm25_is_its_formula(query: str) -> None:
    assert matches(TEXTS, query) == pytest.approx(reference(TEXTS, query))


@given(st.lists(st.text(st.sampled_from("ab cde机器学习用。"), max_size=15), min_size=1, max_size=6),
       st.text(st.sampled_from("ab机器习用"), max_size=8))  # fmt: skip
def test_bm25_is_its_formula_for_any_text_and_in_range(texts: list[str], query: str) -> None:
    found = matches(texts, query)
    if not Query.of(query).pairs and not Query.of(query).concepts:
        assert found == pytest.approx(reference(texts, query))
    assert all(0.0 < match <= 1.0 for match in found.values())


def test_words_side_by_side_count_more_than_the_same_words_apart() -> None:
    found = matches(["retry the failed upload now", "upload the report, retry failed"], "failed upload")
    assert found[0] > found[1] > 0
    assert PAIR > 0


def test_another_language_finds_a_little_less_than_the_same_word() -> None:
    texts = ["用户喜欢看电影", "the user likes hiking", "用户喜欢爬山", "she plays chess"]
    assert list(matches(texts, "movie")) == [0]
    assert set(matches(texts, "徒步")) == {1}
    same, other = matches(["a movie", "一部"], "movie")[0], matches(["电影", "b"], "movie")[0]
    assert 0 < other <= same / TRANSLATED


def test_a_program_has_one_name_in_both_languages() -> None:
    texts = [
        "Redis 内存涨得快：检查没有过期时间的 key",
        "内存条放在抽屉里",
        "a leak in the worker",
        "rain all day",
    ]
    found = matches(texts, "redis memory keeps growing")
    assert found[0] > 1.5 * found[1] > 0


def test_a_member_of_a_class_in_its_own_language_is_found_before_one_in_the_other() -> None:
    texts = ["the driver of the printer crashes", "用户是程序员", "用户的电脑很旧", "rain all day"]
    for query in ("用户的工作", "你还记得用户是做什么工作的吗？"):
        found = matches(texts, query)
        assert max(found, key=lambda index: found[index]) == 1, query


def test_a_chinese_synonym_is_found() -> None:
    found = matches(["如何部署", "天气很好", "今天下雨"], "怎么上线")
    assert max(found, key=lambda index: found[index]) == 0


def test_an_unknown_script_does_not_lower_what_the_concepts_say() -> None:
    texts = ["the movie was long", "rain all day", "we ate noodles", "a long walk"]
    assert list(matches(texts, "我们一起看过的那部电影叫什么名字来着")) == [0]


def test_few_texts_teach_nothing() -> None:
    assert learn_noise(tokens_many(["a few words"] * (FEWEST - 1))) == NO_NOISE


_FEW = cases(__file__, "_FEW")


@table("query", "found")
def test_in_a_home_of_a_few_blocks_one_shared_word_is_no_answer(query: str, found: tuple[int, ...]) -> None:
    matches = Texts.of(_FEW).find(query)
    assert tuple(index for index in range(4) if matches.probability(index) >= 0.3) == found


def conversation(length: int) -> list[str]:
    """Lines of a talk: each line shares a word of its own subject with its neighbours."""
    rng = random.Random(3)
    words = ["".join(rng.choices("bcdfghklmnprst", k=6)) for _ in range(400)]
    subjects = [rng.sample(words, 4) for _ in range(length // 3)]
    return [" ".join([*rng.sample(words, 4), *rng.sample(subjects[i // 3], 2)]) for i in range(length)]


def test_noise_falls_with_the_number_of_words() -> None:
    noise = learn_noise(tokens_many(conversation(201)))
    assert 0 < noise.long < noise.short < 1
    assert noise.at(4) == pytest.approx(noise.short)
    assert noise.at(32) == pytest.approx(noise.long)
    assert noise.at(1) == noise.at(4) > noise.at(8) > noise.at(32) > noise.at(100) > 0


def test_a_few_texts_hardly_move_the_joined_noise() -> None:
    assert Noise.joined([]).short == pytest.approx(NO_NOISE.short)
    assert Noise.joined([(3, Noise(0.9, 0.9))]).short == pytest.approx(NO_NOISE.short)
    assert Noise.joined([(10_000, Noise(0.5, 0.2))]).short == pytest.approx(0.5, abs=0.01)


def test_empty_texts_do_no_harm() -> None:
    assert matches(["", "  ", "…"] * 10, "zebra") == {}
    assert matches([], "zebra") == {}
    assert learn_noise([[]] * 40) == NO_NOISE


def test_each_word_of_the_lexicon_has_the_names_of_all_its_rows() -> None:
    rows = [
        [side.split(",") for side in line.replace(" ", "").split("=")]
        for line in entries("kernel/text/data/lexicon.txt")
    ]
    stem_of = stems({word for english, _ in rows for word in english})
    names: defaultdict[str, set[str]] = defaultdict(set)
    for english, chinese in rows:
        known = [stem_of[word] for word in english if word in stem_of]
        for word in known:
            names[word].update(chinese)
        for word in chinese:
            names[word].update(known, chinese)
    assert len(names) > 3000
    for word, held in names.items():
        assert same_concept(word) == held - {word}, word


def test_known_words_are_the_longest_from_the_left() -> None:
    assert known_words(["我喜欢图书馆", "movi", "zzz"]) == ["喜欢", "图书馆", "movi"]
    assert "movi" in same_concept("电影")
    assert "电影" in same_concept("movi")
    assert same_concept("zzz") == frozenset()
    assert "电影" not in same_concept("电影")


def test_noise_counts_lengths_as_matches_do() -> None:
    # Five words each: a run of eight characters is fifteen tokens.
    rows = tokens_many(["甲乙丙丁戊己庚辛", "anvil bucket candle dragon engine"] * 8)
    shares = {round(share, 9) for held in _Jumble(rows).postings.values() for _, share in held}
    assert shares == {round(1 / (1 + K1), 9)}


@pytest.mark.parametrize("query", [". .", "— …", "( )"])
def test_a_query_of_marks_alone_finds_nothing(query: str) -> None:
    assert not matches(TEXTS, query)


def test_some_texts_alone_answer_as_they_would_among_all() -> None:
    texts = Texts.of(["green tea", "tea and cake", "black coffee"])
    every = texts.find("tea").matches
    assert {*every} == {0, 1} and texts.find("tea", {1, 2}).matches == {1: every[1]}
