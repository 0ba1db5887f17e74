"""The table of what shows which requirement is current and honest: nothing missing, nothing unknown."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.coverage import CHECKS, LINES, TABLE, Line, Shown, by_id, faults, lines, marked, shown, table

KNOWN = lines(LINES.read_text(encoding="utf-8"))
FOUND = marked()
REQUIREMENTS = Path(__file__).parents[1] / "docs/requirements.md"


def test_every_line_has_a_test_and_every_mark_a_line() -> None:
    assert faults(KNOWN, FOUND) == []


def test_the_table_is_current() -> None:
    assert TABLE.read_text(encoding="utf-8") == table(KNOWN, FOUND)


def test_what_is_missing_or_unknown_is_named() -> None:
    known = (Line("R9.1", "one", ("B9.1",)), Line("R9.2", "two", ()))
    every = [Shown("t.py::test_all", CHECKS, True)]
    good = Shown("t.py::test_a", ("R9.1", "B9.1", "R9.2"), True)
    assert faults(known, [*every, good]) == []
    slow = Shown("t.py::test_b", ("R9.2",), False)
    odd = Shown("t.py::test_c", ("R9.1", "R9.3"), True)
    assert faults(known, [*every[:-1], slow, odd])[0] == "R9.2: no test that runs every day shows it"
    assert faults(known, [*every, slow, odd])[-1] == "t.py::test_c: there is no line R9.3"
    assert "D60: no test" in "\n".join(faults(known, [good]))


def test_marks_numbers_and_slow_tests_are_read() -> None:
    source = """
@pytest.mark.slow
@pytest.mark.covers("R1.1")
def test_long(): ...

@pytest.mark.covers("R1.2", "B1.2")
@pytest.mark.parametrize("x", [1])
def test_d07_both(x): ...

def test_other(): ...

@pytest.mark.parametrize("x", [pytest.param(1, marks=pytest.mark.covers("R1.3"), id="one"), 2])
def test_cases(x): ...
"""
    assert list(shown(source, "t.py")) == [
        Shown("t.py::test_long", ("R1.1",), False),
        Shown("t.py::test_d07_both", ("R1.2", "B1.2", "D7"), True),
        Shown("t.py::test_cases[one]", ("R1.3",), True),
    ]
    assert by_id(shown(source, "t.py")).keys() == {"R1.2", "B1.2", "D7", "R1.3"}

    with pytest.raises(ValueError, match="no line"):
        lines("R1.1\n")


def test_no_test_stands_for_more_than_nine_lines() -> None:
    assert [one.name for one in marked() if len(one.ids) > 9] == []


def test_the_list_is_that_of_the_requirements() -> None:
    text = REQUIREMENTS.read_text(encoding="utf-8")
    wanted = re.findall(r"^- (R[0-4C]\.\d+) ", text, re.MULTILINE)
    decisions = re.findall(r"^- (B[0-4X]\.\d+) ", text, re.MULTILINE)
    assert len(wanted) == len(set(wanted)), "no number twice"
    assert len(decisions) == len(set(decisions)), "no number twice"
    assert {line.id for line in KNOWN if line.id.startswith("R")} == set(wanted)
    # B5 (what measurement changed) is decided ahead of the code: a line of it is listed when it is built, so that
    # here it may be missing from the list; what the list names of it has to exist.
    named = {line.id for line in KNOWN if line.id.startswith("B")} | {
        b for line in KNOWN for b in line.decided
    }
    measured = {one for one in named if one.startswith("B5.")}
    assert named - measured == set(decisions)
    assert measured <= set(re.findall(r"^- (B5\.\d+) ", text, re.MULTILINE))
    checks = re.findall(r"^(\d+)\. ", text.split("# D. ")[1], re.MULTILINE)
    assert [f"D{number}" for number in checks] == list(CHECKS)


def test_what_a_line_replaces_says_so_itself() -> None:
    text = REQUIREMENTS.read_text(encoding="utf-8")
    body, _, checks = text.partition("# D. ")
    said = dict(re.findall(r"^- ((?:R[0-4C]|B[0-5X])\.\d+) (.*)", body, re.MULTILINE))
    said |= {f"D{number}": words for number, words in re.findall(r"^(\d+)\. (.*)", checks, re.MULTILINE)}
    replaced = [
        (one, by)
        for by, words in said.items()
        if by.startswith("B5.") and words.startswith("(replaces ")
        for one in re.findall(r"[RBD][0-9CX]*\.?\d+", words.partition(")")[0])
    ]
    assert {by for _, by in replaced} == {one for one in said if one.startswith("B5.")}
    assert [(one, by) for one, by in replaced if not re.search(rf"{re.escape(by)}(?!\d)", said[one])] == []
