"""What is too long for a terminal goes on below, broken at spaces; a pipe gets it as it is."""

import io

import pytest

from alice_exp.terminal.console import folded


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_long_line_is_broken_at_spaces_on_a_terminal_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    text = "  alice-exp: there is no home here (make one with 'alice-exp init')\nsecond"
    assert folded(text, io.StringIO()) == text.replace("\n", "\n    │ ") + "\n"
    rows = folded(text, Screen()).splitlines()
    assert rows == [
        "  alice-exp: there is no home here (make",
        "    one with 'alice-exp init')",
        "    │ second",
    ]
