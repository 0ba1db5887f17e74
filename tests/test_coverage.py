"""The table of what shows which requirement is current and honest: nothing missing, nothing unknown."""

import re
from pathlib import Path

import pytest

from tests.case_tables import cases
from tests.coverage import (
    CHECKS,
    LINES,
    TABLE,
    Line,
    Shown,
    by_line,
    faults,
    lines,
    main,
    marked,
    shown,
    table,
)

KNOWN = lines(LINES.read_text(encoding="utf-8"))
REQUIREMENTS = Path(__file__).parents[1] / "docs/internals/requirements.md"


@pytest.fixture(scope="module")
def found() -> tuple[Shown, ...]:
    return marked()


def test_every_line_has_one_test_and_every_test_one_line(found: tuple[Shown, ...]) -> None:
    assert faults(KNOWN, found) == []


def test_the_table_is_current(found: tuple[Shown, ...]) -> None:
    assert TABLE.read_text(encoding="utf-8") == table(KNOWN, found)


TWO = (Line("R9.1", "one", ("B9.1",)), Line("R9.2", "two", ()))
GOOD = [Shown(number, f"t.py::test_{number}") for number in (*CHECKS, "R9.1", "B9.1", "R9.2")]


@pytest.mark.parametrize(
    ("shown_by", "fault"),
    [
        (GOOD, []),
        (GOOD[:-1], ["R9.2: no test that runs every day shows it"]),
        (GOOD[1:], ["D1: no test that runs every day shows it"]),
        ([*GOOD, Shown("R9.2", "t.py::test_b")], ["R9.2: two tests show it: t.py::test_R9.2, t.py::test_b"]),
        ([*GOOD, Shown("B9.1", "t.py::test_b")], ["B9.1: two tests show it: t.py::test_B9.1, t.py::test_b"]),
        (
            [*GOOD[:-1], Shown("R9.2", "t.py::test_R9.1")],
            ["t.py::test_R9.1: it names two lines: R9.1, R9.2"],
        ),
        ([*GOOD, Shown("R9.3", "t.py::test_c")], ["t.py::test_c: there is no line R9.3"]),
    ],
)
def test_what_is_not_one_for_one_is_refused(shown_by: list[Shown], fault: list[str]) -> None:
    assert faults(TWO, shown_by) == fault


def test_the_command_ends_with_what_is_wrong(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tests.coverage.marked", lambda: tuple(GOOD[:60]))
    assert main(["--check"]) == 1
    said = capsys.readouterr().out
    assert "R0.1: no test" in said and "tests/COVERAGE.md is old" in said


def test_marks_numbers_cases_and_slow_tests_are_read() -> None:
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

@covers("R1.4")
@pytest.mark.parametrize("x", [pytest.param(1, marks=covers("R1.5"), id="one")])
def test_twice(x): ...
"""
    read = by_line(Shown(one.test, one.line) for one in shown(source, "t.py"))
    assert read == {
        "t.py::test_d07_both": ["D7", "R1.2", "B1.2"],
        "t.py::test_cases[one]": ["R1.3"],
        "t.py::test_twice": ["R1.4"],
        "t.py::test_twice[one]": ["R1.4", "R1.5"],
    }

    with pytest.raises(ValueError, match="no line"):
        lines("R1.1\n")


WANTED_VERIFIED = dict(cases(__file__, "WANTED_VERIFIED"))


@pytest.mark.covers("R2.50")
def test_what_the_source_wants_verified_is_verified(found: tuple[Shown, ...]) -> None:
    tests = by_line(found)
    assert {what: [one for one in by if one not in tests] for what, by in WANTED_VERIFIED.items()} == {
        what: [] for what in WANTED_VERIFIED
    }


COUNTERPARTS = dict(cases(__file__, "COUNTERPARTS"))


@pytest.mark.covers("R3.30")
def test_the_sources_eleven_tests_have_counterparts(found: tuple[Shown, ...]) -> None:
    tests = by_line(found)
    assert len(COUNTERPARTS) == 11
    assert [what for what, line in COUNTERPARTS.items() if line not in tests] == []


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
