"""A transcript fails where a command says or does something else than it shows."""

from pathlib import Path

import pytest

from tests.case_tables import table
from tests.transcript import Case, parse, run

SHOWN = Path(__file__).with_suffix(".transcript").read_text("utf-8")


def played(request: pytest.FixtureRequest, text: str) -> None:
    (case,) = parse(text)
    run(request, Path(__file__), case)


@table("line", "wrong")
def test_what_is_said_otherwise_fails(request: pytest.FixtureRequest, line: str, wrong: str) -> None:
    assert line in SHOWN
    with pytest.raises(pytest.fail.Exception, match="--update-golden"):
        played(request, SHOWN.replace(line, wrong))


def test_a_case_stands_in_its_file_as_it_was_read() -> None:
    (case,) = parse(SHOWN)
    assert case.text() in SHOWN and isinstance(case, Case)
    with pytest.raises(ValueError):
        list(parse("== a case\nno colon\n\n$ true\n"))
