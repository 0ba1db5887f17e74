"""The files that hold words and patterns are well made: a person who adds to one sees here what they mistyped."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import alice_exp
from alice_exp.text import data_files

PACKAGE = Path(alice_exp.__path__[0])
FILES = sorted(path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("data/*"))
LISTS = [path for path in FILES if path.endswith(".txt") and not path.endswith("lexicon.txt")]


def test_each_file_is_read_by_the_code() -> None:
    code = "".join(path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py"))
    assert [path for path in FILES if Path(path).suffix not in (".txt", ".toml")] == []
    assert [path for path in FILES if path not in code] == []


@pytest.mark.parametrize("path", LISTS)
def test_a_word_stands_once_under_its_heading(path: str) -> None:
    lists = data_files.word_lists(path)
    assert any(lists.values())
    for heading, words in lists.items():
        assert [word for word, count in Counter(words).items() if count > 1] == [], heading


def test_a_line_of_the_lexicon_has_words_of_both_languages() -> None:
    for line in data_files.entries("finding/rules/data/lexicon.txt"):
        english, _, chinese = line.replace(" ", "").partition("=")
        assert all(word.isascii() and word == word.lower() for word in english.split(",")), line
        assert all(word and not word.isascii() for word in chinese.split(",")), line


def test_comments_and_headings_are_no_words() -> None:
    lists = data_files.word_lists("finding/rules/data/light_words.txt")
    assert [*lists] == ["", "english", "chinese"]
    assert lists[""] == ()
    assert lists["english"][:2] == ("some", "any")
