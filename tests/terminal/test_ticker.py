"""Long work says on a terminal that it goes on; nothing of it stays, and nothing of it reaches a pipe or a question."""

import io
import re
import signal
import sys
import time

import pytest

from alice_exp.kernel.errors import followed, so_far
from alice_exp.terminal import streams


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def terminal(patch: pytest.MonkeyPatch) -> io.StringIO:
    """Put in the test itself, since pytest's own capture takes stderr back after the fixtures."""
    made = _Terminal()
    patch.setattr(sys, "stderr", made)
    return made


def test_after_a_second_a_line_says_so_and_goes_again(monkeypatch: pytest.MonkeyPatch) -> None:
    err = terminal(monkeypatch)
    with streams.ticking("import jsonl"):
        time.sleep(1.3)
        assert re.search(r"import jsonl: at work for \d+ s", err.getvalue())
    assert err.getvalue().endswith("\r\033[K")
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_what_is_counted_is_told_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    err = terminal(monkeypatch)
    with streams.ticking("import jsonl"):
        for number in followed(range(20_000)):
            if number == 12_000:
                time.sleep(1.3)
    assert re.search(r"import jsonl: 12,000 of 20,000, at work for \d+ s", err.getvalue())
    assert so_far() == (0, 0)


@pytest.mark.parametrize("name", ["recall", "sync confirm"])
def test_before_an_answer_or_a_question_the_line_is_wiped_for_good(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    err = terminal(monkeypatch)
    with streams.ticking(name):
        streams.stop_ticking()
        said = err.getvalue()
        time.sleep(1.2)
        assert err.getvalue() == said


def test_where_another_program_may_ask_it_is_one_line_that_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    err = terminal(monkeypatch)
    with streams.ticking("sync"):
        time.sleep(2.2)
    assert err.getvalue().count("at work") == 1 and "\r" not in err.getvalue()


@pytest.mark.parametrize("name", ["review", "approve", "edit", "undo", "share allow"])
def test_what_asks_a_person_has_none(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    err = terminal(monkeypatch)
    with streams.ticking(name):
        assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    assert err.getvalue() == ""
