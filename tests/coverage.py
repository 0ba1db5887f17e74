"""Which test shows which line of the requirements: ``tests/COVERAGE.md``.

A test names the lines that it shows by ``@pytest.mark.covers("R2.14", "B2.3")``, a case of a table by its ``marks``; the checks of section D are tests
named after their number, as ``test_d15_…``; ``docs/requirements.md`` has them all in full. ``tests/lines.txt`` lists
the lines. ``python -m tests.coverage`` names what is missing or unknown (exit 1 where there is any); ``--check`` also
fails where the table is old, ``--write`` makes it anew. Tests are read, not run: pytest itself runs them every day,
and only those count.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
LINES = HERE / "lines.txt"
TABLE = HERE / "COVERAGE.md"
CHECKS = tuple(f"D{number}" for number in range(1, 61))

_LINE = re.compile(r"(?P<id>[A-Z][0-9A-Z]*\.\d+) (?P<title>[^<]+?)(?: < (?P<decided>[A-Z0-9. ]+))?")
_CHECK = re.compile(r"test_d(\d\d)_")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the requirements: its number, a few words, and the decisions of B that it is built by."""

    id: str
    title: str
    decided: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Shown:
    """One test: ``file::name`` below ``tests``, the lines it shows, whether it runs every day."""

    name: str
    ids: tuple[str, ...]
    daily: bool


def lines(text: str) -> tuple[Line, ...]:
    """The lines in their order; ``ValueError`` for one that is none."""
    found = []
    for row in text.splitlines():
        if row.strip() and not row.startswith("#"):
            if not (match := _LINE.fullmatch(row.strip())):
                raise ValueError(f"this is no line: {row}")
            found.append(Line(match["id"], match["title"], tuple((match["decided"] or "").split())))
    return tuple(found)


def shown(source: str, path: str) -> Iterator[Shown]:
    """The tests of one file that show a line."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or not node.name.startswith("test_"):
            continue
        daily = not any(map(_slow, node.decorator_list))
        ids = [one for mark in node.decorator_list for one in _covered(mark)]
        ids += [f"D{int(number)}" for number in _CHECK.findall(f"{node.name}_")]
        if ids:
            yield Shown(f"{path}::{node.name}", tuple(ids), daily)
        for name, case in _cases(node):
            yield Shown(f"{path}::{node.name}[{name}]", case, daily)


def _cases(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The cases of a table that show lines of their own: ``pytest.param(…, marks=pytest.mark.covers(…), id="…")``."""
    for inner in (inner for mark in node.decorator_list for inner in ast.walk(mark)):
        if isinstance(inner, ast.Call) and ast.unparse(inner.func) == "pytest.param":
            named = {one.arg: one.value for one in inner.keywords}
            if "marks" in named and (ids := tuple(_covered(named["marks"]))):
                yield str(ast.literal_eval(named["id"])), ids


def _covered(mark: ast.expr) -> Iterator[str]:
    if isinstance(mark, ast.Call) and ast.unparse(mark.func) in ("pytest.mark.covers", "covers"):
        for argument in mark.args:
            yield str(ast.literal_eval(argument))


_NOT_DAILY = {"slow", "skip"}


def _slow(mark: ast.expr) -> bool:
    named = mark.func if isinstance(mark, ast.Call) else mark
    return isinstance(named, ast.Attribute) and named.attr in _NOT_DAILY


def marked() -> tuple[Shown, ...]:
    """Every test that shows a line, by file."""
    files = sorted(HERE.rglob("test_*.py"))
    return tuple(
        one
        for file in files
        for one in shown(file.read_text(encoding="utf-8"), file.relative_to(HERE).as_posix())
    )


def by_id(found: Iterable[Shown]) -> dict[str, list[str]]:
    """The tests that run every day, by the line that they show."""
    table: dict[str, list[str]] = {}
    for one in found:
        for line in one.ids if one.daily else ():
            table.setdefault(line, []).append(one.name)
    return table


def faults(known: tuple[Line, ...], found: Iterable[Shown]) -> list[str]:
    """Lines without a test, and marks that name no line."""
    found = tuple(found)
    covered = by_id(found)
    wanted = [line.id for line in known] + list(CHECKS)
    decided = {one for line in known for one in line.decided}
    missing = [f"{one}: no test that runs every day shows it" for one in wanted if one not in covered]
    strange = [
        f"{one.name}: there is no line {line}"
        for one in found
        for line in one.ids
        if line not in wanted and line not in decided
    ]
    return missing + strange


def _row(line: Line, covered: Mapping[str, list[str]]) -> str:
    cells = (
        line.id,
        line.title,
        " ".join(line.decided),
        "<br>".join(f"`{one}`" for one in covered.get(line.id, ())),
    )
    return f"| {' | '.join(cells)} |"


def table(known: tuple[Line, ...], found: Iterable[Shown]) -> str:
    """The table as Markdown."""
    covered = by_id(found)
    listed = {line.id for line in known}
    decisions = sorted(
        {one for line in known for one in line.decided if one in covered} - listed,
        key=lambda one: (one.partition(".")[0], int(one.partition(".")[2])),
    )
    rows = [_row(line, covered) for line in known]
    checks = [_row(Line(one, "", ()), covered) for one in CHECKS]
    others = [_row(Line(one, "", ()), covered) for one in decisions]
    head = "| line | what | decided in | shown by |\n|---|---|---|---|"
    parts = [
        "# Which test shows which line of the requirements",
        "Generated by `python -m tests.coverage --write` from `lines.txt` and the marks of the tests; `make docs` checks "
        "it. `docs/requirements.md` has every line in full; one that is built otherwise than its source says names the "
        "decision of section B there.",
        f"## A, and decisions of their own: {len(known)} lines",
        "\n".join([head, *rows]),
        f"## D: {len(CHECKS)} checks, each a test named after its number",
        "\n".join([head, *checks]),
        "## Decisions that a test shows by themselves too",
        "\n".join([head, *others]),
    ]
    return "\n\n".join(parts) + "\n"


def main(arguments: list[str]) -> int:
    """Name what is missing; with ``--write`` make the table anew, with ``--check`` compare it."""
    known, found = lines(LINES.read_text(encoding="utf-8")), marked()
    fresh = table(known, found)
    if "--write" in arguments:
        TABLE.write_text(fresh, encoding="utf-8")
    wrong = faults(known, found)
    if "--check" in arguments and (not TABLE.exists() or TABLE.read_text(encoding="utf-8") != fresh):
        wrong.append("tests/COVERAGE.md is old: run python -m tests.coverage --write")
    for one in wrong:
        print(one)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
