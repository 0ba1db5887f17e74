"""The house keeps its own rules: rooms and shelves proven by planted violations, names, sizes, words."""

import ast
import re
import shutil
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import pytest

from tests.case_tables import cases

Node = TypeVar("Node", bound=ast.stmt)
ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "alice_exp"
MODULES = sorted(PACKAGE.rglob("*.py"))

PLANTED = cases(__file__, "PLANTED")
"""Contract, module, a line that breaks it."""


STRANGE = "strangers/__init__.py"


@pytest.mark.needs("importlinter")
@pytest.mark.covers("R2.33")
def test_every_planted_violation_breaks_its_contract(tmp_path: Path) -> None:
    """All at once, because each run reads the whole package; a room without a place ends a run, so it has its own."""
    names = _contracts()
    told = _linted(tmp_path / "all", [row for row in PLANTED if row[1] != STRANGE])
    for contract, module, line in PLANTED:
        broken = _linted(tmp_path / "strange", [(contract, module, line)]) if module == STRANGE else told
        section = broken.get(names[contract], "")
        assert re.search(
            rf"\b{module.split('/')[-2 if module == STRANGE else -1].removesuffix('.py')}\b", section
        ), f"{contract} lets {module} say {line!r}:\n{section or list(broken)}"


def _linted(place: Path, planted: list[tuple[str, str, str]]) -> dict[str, str]:
    """What import-linter says of each broken contract, by its name, once some lines stand in a copy of the package."""
    shutil.copytree(PACKAGE, place / "alice_exp", ignore=shutil.ignore_patterns("__pycache__", "locale"))
    shutil.copy(ROOT / "pyproject.toml", place)
    for _, module, line in planted:
        path = place / "alice_exp" / module
        path.parent.mkdir(exist_ok=True)
        before = path.read_text(encoding="utf-8") if path.exists() else ""
        path.write_text(f"{before}\n{line}\n", encoding="utf-8")
    done = subprocess.run(
        [Path(sys.executable).parent / "lint-imports", "--no-cache"],
        cwd=place,
        capture_output=True,
        text=True,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(place), "COLUMNS": "200"},
    )
    assert done.returncode == 1, done.stdout + done.stderr
    parts = re.split(
        r"^(.+)\n-{3,}\n", done.stdout.partition("Broken contracts")[2] or done.stdout, flags=re.MULTILINE
    )
    return {parts[n].strip(): parts[n + 1] for n in range(1, len(parts) - 1, 2)}


def _contracts() -> dict[str, str]:
    """Every contract's id and name."""
    import tomllib

    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    return {contract["id"]: contract["name"] for contract in settings["contracts"]}


def test_every_contract_has_its_planted_violation() -> None:
    assert {contract for contract, *_ in PLANTED} == set(_contracts())


SHELVES = frozenset(
    ["cli", "documents", "usecases", "store", "rules", "formats", "ports", "values", "__init__"]
)
"""Names that every room may have, and no other module."""


def test_no_two_modules_have_one_name() -> None:
    names = Counter(path.stem for path in MODULES if path.stem not in SHELVES)
    assert [name for name, count in names.items() if count > 1] == []


def test_no_folder_is_wide() -> None:
    widest = Counter(path.parent for path in MODULES if path.name != "__init__.py").most_common(1)[0]
    assert widest[1] <= 16, f"{widest[0]} wants to be two rooms"


def test_a_module_says_in_a_sentence_what_it_is() -> None:
    heads = {path: (ast.get_docstring(_tree(path)) or "").partition("\n\n")[0] for path in MODULES}
    odd = {path: head for path, head in heads.items() if not re.fullmatch(r"\S.*[.:]", head, re.DOTALL)}
    assert odd == {}
    assert {path: len(head) for path, head in heads.items() if len(head) > 240} == {}


def test_modules_and_functions_stay_small() -> None:
    lines = {path: path.read_text(encoding="utf-8").count("\n") for path in MODULES}
    assert {path: count for path, count in lines.items() if count >= 400} == {}, (
        "these want to be two modules"
    )
    long = [
        f"{path}:{node.lineno} {node.name} has {_body_lines(node)} lines"
        for path, node in _defined(ast.FunctionDef, ast.AsyncFunctionDef)
        if _body_lines(node) > 40
    ]
    assert long == []


def _body_lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines of the body without its docstring: a command's options are its signature, not its length."""
    body = node.body[1:] if ast.get_docstring(node) else node.body
    return (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0


def test_a_use_case_takes_what_it_needs_of_a_home_as_one_value() -> None:
    """Three at most, as a home, its history and who acts: more, and each face puts them together in its own way."""
    ports = [node for path in PACKAGE.rglob("ports.py") for node in _top(path, ast.ClassDef)]
    edges = {"Caller", "Provider", "Config", "Decisions", "Home", "HomeIndex", "Spool"} | {
        port.name for port in ports if any(ast.unparse(base) == "Protocol" for base in port.bases)
    }
    assert "Provider" in edges
    found = []
    for path in (path for path in MODULES if "usecases" in (path.stem, path.parent.name)):
        for function in _top(path, ast.FunctionDef):
            given = (*function.args.args, *function.args.kwonlyargs)
            named = [re.split(r"\W", ast.unparse(one.annotation))[0] for one in given if one.annotation]
            if len([name for name in named if name in edges]) > 3:
                found.append(f"{path}:{function.lineno} {function.name} takes {named}")
    assert found == []


def _top(path: Path, kind: type[Node]) -> list[Node]:
    """The classes or functions of a module."""
    return [node for node in _tree(path).body if isinstance(node, kind)]


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _defined(*kinds: type[ast.stmt]) -> list[tuple[Path, Any]]:
    """Every class or function, wherever it stands, with its module."""
    return [(path, node) for path in MODULES for node in ast.walk(_tree(path)) if isinstance(node, kinds)]


FORBIDDEN = re.compile(r"\b(manager|service|engine|helper|utils|common|handler|processor)s?\b", re.IGNORECASE)


def test_names_are_the_fields_words() -> None:
    named = [(path, str(path.relative_to(PACKAGE)).replace("_", " ")) for path in MODULES]
    named += [
        (path, f"{node.lineno}: " + re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", node.name))
        for path, node in _defined(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    ]
    assert [(path, words) for path, words in named if FORBIDDEN.search(words)] == []


def test_nothing_is_left_to_do() -> None:
    for path in MODULES:
        assert not re.search(r"\b(TODO|FIXME|XXX|NotImplementedError)\b", path.read_text(encoding="utf-8")), (
            path
        )


def test_importing_the_package_loads_nothing_heavy() -> None:
    code = "import sys, alice_exp; print(*sorted({m.partition('.')[0] for m in sys.modules}))"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert not {"typer", "rich", "git", "watchdog", "json5", "sqlite3", "mcp", "openai", "zeroconf"} & set(
        loaded
    )
