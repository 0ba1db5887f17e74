"""The files that hold words and patterns are well made: a person who adds to one sees here what they mistyped."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

import pytest

import alice_exp
from alice_exp.kernel.text import data_files
from alice_exp.model.rules import private_facts, secrets

PACKAGE = Path(alice_exp.__path__[0])
CODE = "".join(path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py"))
FILES = sorted(path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("data/*"))
TABLES = [path for path in FILES if path.endswith(".toml") and not path.endswith("concepts.toml")]
SUFFIXES = (".txt", ".toml", ".json", ".css", ".js", ".bash", ".fish", ".zsh")
GROUPS = ("lexicon.txt", "classes.txt")
"""Lists of lines that belong together: a word may stand in several."""
SHAPES = ("secrets.txt", "private_facts.txt")
LISTS = [path for path in FILES if path.endswith(".txt") and not path.endswith((*GROUPS, *SHAPES))]


def test_each_file_is_read_by_the_code() -> None:
    assert [path for path in FILES if Path(path).suffix not in SUFFIXES] == []
    assert [path for path in FILES if Path(path).stem not in CODE] == []


@pytest.mark.parametrize("path", LISTS)
def test_a_word_stands_once_under_its_heading(path: str) -> None:
    lists = data_files.word_lists(path)
    assert any(lists.values())
    for heading, words in lists.items():
        assert [word for word, count in Counter(words).items() if count > 1] == [], heading


def test_a_line_of_the_lexicon_has_words_of_both_languages() -> None:
    for line in data_files.entries("kernel/text/data/lexicon.txt"):
        english, _, chinese = line.replace(" ", "").partition("=")
        assert all(word.isascii() and word == word.lower() for word in english.split(",")), line
        assert all(word and not word.isascii() for word in chinese.split(",")), line


@pytest.mark.parametrize("path", TABLES)
def test_each_pattern_is_a_regular_expression_on_its_own(path: str) -> None:
    found = list(_written(data_files.table(path)))
    assert found
    for written in found:
        re.compile(data_files.expression(path, written))


@pytest.mark.filterwarnings("ignore::FutureWarning")  # of texts that are no patterns
def test_no_pattern_is_possessive_or_atomic() -> None:
    """Python 3.11.0 to 3.11.4 match such parts wrongly where one lies within another, or an alternative fails after one."""
    written = [
        (path, data_files.expression(path, one))
        for path in TABLES
        for one in _written(data_files.table(path))
    ]
    written += [(shape.what, shape.pattern.pattern) for shape in (*secrets.SHAPES, *private_facts.SHAPES)]
    written += [(path, one) for path in LISTS for one in data_files.entries(path) if "c++" not in one]
    written += [(str(path), one) for path in PACKAGE.rglob("*.py") for one in _texts(path)]
    assert len(written) > 5_000
    assert [(path, one) for path, one in written if _is_possessive(one)] == []
    for one in ("[a]++", "(?:a|b)*+c", "x(?:(?=(?>a+)b)c|d)"):
        assert _is_possessive(one), "the test sees one, also inside of others"


def _texts(path: Path) -> Iterator[str]:
    """Every text in a module but its docstrings and style sheets; what an f-string fills in is a group."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose:
            yield node.value
        elif isinstance(node, ast.JoinedStr):
            yield "".join(str(one.value) if isinstance(one, ast.Constant) else "(?:x)" for one in node.values)


def _is_possessive(pattern: str) -> bool:
    """Whether a possessive quantifier or an atomic group stands anywhere in it; what is no pattern has none."""

    def within(part: Any) -> bool:
        if isinstance(part, parser.SubPattern | list | tuple):
            return any(map(within, part))
        return part is codes.POSSESSIVE_REPEAT or part is codes.ATOMIC_GROUP

    try:
        return within(parser.parse(pattern))
    except (re.error, OverflowError):
        return False


@pytest.mark.parametrize("path", TABLES)
def test_each_name_is_used(path: str) -> None:
    whole = data_files.table(path)
    written = "".join(_written(whole))
    assert [part for part in whole.get("parts", {}) if f"{{{part}}}" not in written] == []
    headings = [heading for heading in ("patterns", "cased", "english") if heading in whole]
    named = [name for heading in headings for name in whole[heading]]
    assert [name for name in named if not re.search(rf"\.{name}\.|\"{name}\"", CODE)] == []


def _written(value: object) -> Iterator[str]:
    """Every text of a table that is a regular expression."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key in ("patterns", "cased", "english", "parts", "says"):
                yield from [inner] if isinstance(inner, str) else inner.values()
            elif key == "rows":
                yield from (row[-1] for row in inner)
            elif key == "spelt":
                yield from (row[1] for row in inner)
            else:
                yield from _written(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _written(inner)


def test_a_pattern_over_several_lines_is_one_with_its_parts_filled_in() -> None:
    path = "kernel/text/data/dates_english.toml"
    assert data_files.expression(path, "  likes\n  |on {day} ").startswith(
        r"likes|on (?P<d>\d{1,2})(?:st|nd|rd|th)?"
    )
    with pytest.raises(AttributeError, match=r"dates_english.toml has no 'unknown' under \[patterns\]"):
        _ = data_files.Patterns(path).unknown
    with pytest.raises(KeyError, match="no_such_part"):
        data_files.expression(path, "{no_such_part}")


def test_comments_and_headings_are_no_words() -> None:
    lists = data_files.word_lists("finding/rules/data/light_words.txt")
    assert [*lists] == ["", "english", "chinese"]
    assert lists[""] == ()
    assert lists["english"][:2] == ("some", "any")
