"""Which test shows which line of the requirements, one for one: ``tests/COVERAGE.md``.

A test names the line that it shows by ``@pytest.mark.covers("R2.14")``, a case of a table by its ``marks``, a transcript by
``covers: R2.14``; the checks of section D are tests named after their number, as ``test_d15_…``.
``docs/internals/requirements.md`` has the lines in full, ``tests/lines.txt`` lists them. ``python -m tests.coverage`` refuses (exit 1) a line that no test shows or that two do,
a test that names two lines, and a name that is none; ``--check`` also a table that is old, ``--write`` makes it anew.
Tests are read, not run: pytest itself runs them every day, and only those count.
"""

import ast
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.transcript import parse

HERE = Path(__file__).parent
LINES = HERE / "lines.txt"
TABLE = HERE / "COVERAGE.md"
CHECKS = tuple(f"D{number}" for number in range(1, 61))

_LINE = re.compile(r"(?P<id>[A-Z][0-9A-Z]*\.\d+) (?P<title>[^<]+?)(?: < (?P<decided>[A-Z0-9. ]+))?")
_CHECK = re.compile(r"test_d(\d\d)_")
_NAMES_ONE = re.compile(r"covers[(:]|def test_d\d\d_|^== d\d\d ", re.M)
_NOT_DAILY = {"slow", "skip"}


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the requirements: its number, a few words, and the decisions of B that it is built by."""

    id: str
    title: str
    decided: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Shown:
    """A line of the requirements and a test that names it, as ``file::name`` below ``tests``."""

    line: str
    test: str


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
    """What the tests of one file that run every day show; a case shows what its test shows, too."""
    if path.endswith(".transcript"):
        for case in parse(source):
            own = _checks(case.name) + case.told.get("covers", "").split()
            yield from (Shown(line, f"{path}::{case.name}") for line in own)
        return
    for node in ast.parse(source).body:
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or not node.name.startswith("test_"):
            continue
        own = _checks(node.name) + _named(node.decorator_list)
        tests = {node.name: own}
        for case in (inner for mark in node.decorator_list for inner in ast.walk(mark)):
            if isinstance(case, ast.Call) and ast.unparse(case.func) == "pytest.param":
                given = {one.arg: one.value for one in case.keywords}
                if "marks" in given and (more := _named([given["marks"]])):
                    tests[f"{node.name}[{ast.literal_eval(given['id'])}]"] = own + more
        if not any(map(_is_rare, node.decorator_list)):
            yield from (Shown(line, f"{path}::{name}") for name, named in tests.items() for line in named)


def _checks(name: str) -> list[str]:
    return [f"D{int(number)}" for number in _CHECK.findall(f"{name}_")]


def _named(marks: Iterable[ast.expr]) -> list[str]:
    return [
        str(ast.literal_eval(argument))
        for mark in marks
        if isinstance(mark, ast.Call) and ast.unparse(mark.func) in ("pytest.mark.covers", "covers")
        for argument in mark.args
    ]


def _is_rare(mark: ast.expr) -> bool:
    named = mark.func if isinstance(mark, ast.Call) else mark
    return isinstance(named, ast.Attribute) and named.attr in _NOT_DAILY


def marked() -> tuple[Shown, ...]:
    """Every line that a test names, by file."""
    files = sorted([*HERE.rglob("test_*.py"), *HERE.rglob("*.transcript")])
    sources = {file: file.read_text(encoding="utf-8") for file in files}
    return tuple(
        one
        for file, source in sources.items()
        if _NAMES_ONE.search(source)
        for one in shown(source, file.relative_to(HERE).as_posix())
    )


def by_line(found: Iterable[Shown]) -> dict[str, list[str]]:
    """The tests of each line that has any."""
    table: dict[str, list[str]] = {}
    for one in found:
        table.setdefault(one.line, []).append(one.test)
    return table


def faults(known: tuple[Line, ...], found: Iterable[Shown]) -> list[str]:
    """What is not one for one, and names that are no line."""
    found = tuple(found)
    tests, named = by_line(found), by_line(Shown(one.test, one.line) for one in found)
    wanted = [line.id for line in known] + list(CHECKS)
    decided = {one for line in known for one in line.decided}
    return [
        *(f"{line}: no test that runs every day shows it" for line in wanted if line not in tests),
        *(f"{line}: two tests show it: {', '.join(of)}" for line, of in tests.items() if len(of) > 1),
        *(f"{test}: it names two lines: {', '.join(of)}" for test, of in named.items() if len(of) > 1),
        *(f"{one.test}: there is no line {one.line}" for one in found if one.line not in {*wanted, *decided}),
    ]


def _row(line: Line, tests: Mapping[str, list[str]]) -> str:
    shown_by = "<br>".join(f"`{one}`" for one in tests.get(line.id, ()))
    return f"| {line.id} | {line.title} | {' '.join(line.decided)} | {shown_by} |"


def table(known: tuple[Line, ...], found: Iterable[Shown]) -> str:
    """The table as Markdown."""
    tests = by_line(found)
    others = sorted(
        set(tests) - {line.id for line in known} - {*CHECKS},
        key=lambda one: (one.partition(".")[0], int(one.partition(".")[2])),
    )
    head = "| line | what | decided in | shown by |\n|---|---|---|---|"
    parts = [
        "# Which test shows which line of the requirements",
        "Generated by `python -m tests.coverage --write` from `lines.txt` and the marks of the tests; `make docs` checks "
        "it, and that each line has one test and each test one line. `docs/internals/requirements.md` has every line in full; one "
        "that is built otherwise than its source says names the decision of section B there.",
        f"## A, and decisions of their own: {len(known)} lines",
        "\n".join([head, *(_row(line, tests) for line in known)]),
        f"## D: {len(CHECKS)} checks, each a test named after its number",
        "\n".join([head, *(_row(Line(one, "", ()), tests) for one in CHECKS)]),
        "## Decisions of a line above that have a test of their own too",
        "\n".join([head, *(_row(Line(one, "", ()), tests) for one in others)]),
    ]
    return "\n\n".join(parts) + "\n"


def main(arguments: list[str]) -> int:
    """Name what is wrong; with ``--write`` make the table anew, with ``--check`` compare it."""
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
