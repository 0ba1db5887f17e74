"""Tables of cases that stand beside their test: ``test_x.txt`` holds what ``test_x.py`` asks for by name.

A line ``[name]`` begins a table, each further line is one row as a Python literal; ``#`` begins a reader's note.
"""

from ast import literal_eval
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest


def cases(test: str, name: str) -> list[Any]:
    """The rows of one table; ``test`` is the test's ``__file__``. ``KeyError`` where there are none."""
    return [literal_eval(line) for line in _tables(Path(test).with_suffix(".txt"))[name]]


def _named(test: str, name: str) -> list[Any]:
    """The same as cases of a test: the first column of a row is the name of the case."""
    return [pytest.param(*given, id=case) for case, *given in cases(test, name)]


def table(*names: str, named: bool = False) -> Callable[[Any], Any]:
    """The test is run for each row of the table that bears its name; ``named`` as above."""

    def mark(test: Any) -> Any:
        rows = (_named if named else cases)(test.__code__.co_filename, test.__name__)
        return pytest.mark.parametrize(names if len(names) > 1 else names[0], rows)(test)

    return mark


@cache
def _tables(path: Path) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    name = ""
    for line in path.read_text("utf-8").splitlines():
        if line.startswith("[") and line.endswith("]") and line[1:-1].isidentifier():
            name = line[1:-1]
        elif line and not line.startswith("#"):
            found.setdefault(name, []).append(line)
    return found
