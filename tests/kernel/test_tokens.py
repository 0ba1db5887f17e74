"""Folding, fingerprints, tokens, keywords, and what reaches a terminal."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alice_exp.kernel.text.data_files import words as words_of
from alice_exp.kernel.text.display import cells, one_line, visible
from alice_exp.kernel.text.tokens import (
    bag,
    fingerprint_text,
    fold,
    keywords,
    literal_keywords,
    pieces,
    tokens,
    tokens_many,
    words,
)
from tests.case_tables import cases, table


@table("text", "folded")
def test_fold(text: str, folded: str) -> None:
    assert fold(text) == folded


@table("text", "fingerprint")
def test_fingerprint(text: str, fingerprint: str) -> None:
    assert fingerprint_text(text) == fingerprint


TRICKY = st.text(st.sampled_from("aB1 2.,-#%~!=+<é\u0301\u00ad\u200b\ufe0fßﬁ用户，。～％"), max_size=12)


@given(TRICKY | st.text(max_size=30))
def test_fingerprint_is_idempotent(text: str) -> None:
    once = fingerprint_text(text)
    assert fingerprint_text(once) == once


@given(TRICKY | st.text(max_size=30))
def test_fold_is_idempotent(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=30))
def test_the_fast_way_for_ascii_gives_the_general_answer(text: str) -> None:
    # A CJK character in front sends the same text the general way.
    assert fingerprint_text("字" + text) == "字" + fingerprint_text("a" + text)[1:]


@table("text", "expected")
def test_an_apostrophe_belongs_to_a_word_of_letters_alone(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def test_words_keep_their_order_and_lose_their_marks() -> None:
    assert words("Don't use C++，用户 likes 🌶!") == ["dont", "use", "c++", "用", "户", "likes", "🌶"]


@table("text")
def test_where_order_matters_there_is_no_bag(text: str) -> None:
    assert bag(text) is None


@table("text", "expected")
def test_bag(text: str, expected: tuple[str, ...]) -> None:
    assert bag(text) == tuple(sorted(expected))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *cases(__file__, "test_tokens"),
        ("用userId和aB" + "c" * 41, ["用", "userid", "user", "id", "和", "ab" + "c" * 41]),
    ],
)
def test_tokens(text: str, expected: list[str]) -> None:
    assert tokens(text) == expected


@given(st.lists(st.text(max_size=20), max_size=5))
def test_many_texts_have_the_tokens_of_each(texts: list[str]) -> None:
    assert tokens_many(texts) == [tokens(text) for text in texts]


@given(st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=12))
def test_a_stem_begins_as_its_word_does(word: str) -> None:
    # rules.ranking looks for stems among the words of the same first letter alone.
    assert {token[0] for token in tokens(word)} <= set("".join(pieces(fold(word))))
    if (found := tokens(word)) and word.isascii():
        assert found[0][0] == word[0].lower()


@table("text", "expected")
@pytest.mark.covers("R0.20")
def test_literal_keywords(text: str, expected: set[str]) -> None:
    assert literal_keywords(text) == expected


@table("text", "expected")
@pytest.mark.covers("B0.2")
def test_keywords(text: str, expected: set[str]) -> None:
    assert keywords(text) == expected


@pytest.mark.parametrize(
    ("text", "shown"), [*cases(__file__, "test_visible"), ("\ud800 \ufffd", r"\u{d800}" + " \ufffd")]
)
def test_visible(text: str, shown: str) -> None:
    assert visible(text) == shown


@given(st.text(max_size=40))
def test_visible_is_harmless_and_idempotent(text: str) -> None:
    shown = visible(text)
    assert visible(shown) == shown
    assert all(char in "\n\t" or not (ord(char) < 32 or 127 <= ord(char) < 160) for char in shown)
    shown.encode("utf-8")


@table("text", "width")
def test_cells(text: str, width: int) -> None:
    assert cells(text) == width


@table("text", "width", "line")
def test_one_line(text: str, width: int, line: str) -> None:
    assert one_line(text, width) == line


@given(st.text(max_size=40), st.integers(0, 30))
def test_one_line_fits(text: str, width: int) -> None:
    assert cells(one_line(text, width)) <= width


def test_traditional_characters_and_emoji_are_found_as_they_are_asked_for() -> None:
    assert tokens("發佈資料庫") == tokens("发布资料库")
    assert "🐍" in tokens("mark 🐍 files") and tokens("❤️") == ["❤"]


def test_each_traditional_character_has_one_simplified_form() -> None:
    pairs = words_of("kernel/text/data/traditional.txt")
    assert all(len(pair) == 2 and pair[0] != pair[1] for pair in pairs)
    assert {pair[0] for pair in pairs}.isdisjoint(pair[1] for pair in pairs)
    assert len({pair[0] for pair in pairs}) == len(pairs) > 600
