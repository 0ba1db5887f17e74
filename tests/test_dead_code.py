"""Nothing is defined that only tests use: every name of the package is used in the package."""

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from alice_exp.app.command_tree import COMMANDS
from tests.case_tables import cases, table

PACKAGE = Path(__file__).parents[1] / "alice_exp"
CALLED_FROM_OUTSIDE = dict(cases(__file__, "CALLED_FROM_OUTSIDE"))
REGISTERS = ("operation(", "server.prompt(")
"""Decorators that put what they decorate into a table."""

_WORD = re.compile(r"[A-Za-z_]\w+")


def definitions(node: ast.AST, owner: str = "") -> Iterator[tuple[ast.stmt, str, str, bool]]:
    """Each function, class and constant: its node, name, the class that it stands in, whether a module's own."""
    is_own = isinstance(node, ast.Module)
    for inner in ast.iter_child_nodes(node):
        if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield inner, inner.name, owner, is_own
            yield from definitions(inner, inner.name if isinstance(inner, ast.ClassDef) else owner)
        elif isinstance(inner, ast.Assign | ast.AnnAssign) and isinstance(node, ast.Module | ast.ClassDef):
            targets = inner.targets if isinstance(inner, ast.Assign) else [inner.target]
            yield from ((inner, one.id, owner, is_own) for one in targets if isinstance(one, ast.Name))


def used(tree: ast.AST) -> Counter[tuple[str, str]]:
    """How often each name is read, imported or asked of a module (which), asked of anything, or spelled out in a text."""
    found: Counter[tuple[str, str]] = Counter()
    modules: dict[str, str] = {}
    asked: list[tuple[str, str]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            found["here", node.id] += 1
        elif isinstance(node, ast.Attribute):
            found["of", node.attr] += 1
            if isinstance(node.value, ast.Name):
                asked.append((node.value.id, node.attr))
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "attributes":
            found.update(("text", word) for word in _WORD.findall(ast.unparse(node.args[1])))
        elif isinstance(node, ast.keyword) and node.arg:
            found["of", node.arg] += 1
        elif isinstance(node, ast.ImportFrom):
            found.update((node.module or "", one.name) for one in node.names)
            modules |= {one.asname or one.name: f"{node.module}.{one.name}" for one in node.names}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and _is_no_sentence(node.value):
            found.update(("text", word) for word in _WORD.findall(node.value))
    found.update((modules[known], name) for known, name in asked if known in modules)
    return found


def _is_no_sentence(text: str) -> bool:
    """Whether a text may name something: a name in a table, or a type that is written as a text."""
    return " " not in text or "[" in text


def dead(trees: dict[str, ast.AST]) -> list[str]:
    """What nothing uses, as ``path:line name``. That it uses itself is no use, nor is another's of the same name."""
    uses = {path: used(tree) for path, tree in trees.items()}
    every = sum(uses.values(), Counter[tuple[str, str]]())
    found = []
    for path, tree in trees.items():
        module = dotted(path)
        for node, name, owner, is_own in definitions(tree):
            count = uses[path]["here", name] + every["text", name]
            count += every[module, name] if is_own else every["of", name]
            # To look into each would take seconds; who calls itself does so a few times.
            if count <= 2 and not isinstance(node, ast.Assign | ast.AnnAssign):
                own = used(node)
                count -= own["here", name] + own["text", name] + (0 if is_own else own["of", name])
            if (
                not count
                and not name.startswith("__")
                and not {name, owner} & CALLED_FROM_OUTSIDE.keys()
                and not any(
                    ast.unparse(one).startswith(REGISTERS) for one in getattr(node, "decorator_list", ())
                )
            ):
                found.append(f"{path}:{node.lineno} {name}")
    return found


def dotted(path: str) -> str:
    """A module's name, of its path within the package."""
    return f"alice_exp.{path.removesuffix('.py').removesuffix('/__init__').replace('/', '.')}"


@pytest.fixture(scope="module")
def trees() -> dict[str, ast.AST]:
    paths = sorted(PACKAGE.rglob("*.py"))
    found = {str(path.relative_to(PACKAGE)): ast.parse(path.read_text(encoding="utf-8")) for path in paths}
    # What the command table names.
    return {**found, "commands/__main__.py": ast.parse(repr(list(targets(COMMANDS))))}


def targets(table: Mapping[str, Any]) -> Iterator[str]:
    """The function of every command, as ``module:function``."""
    for one in table.values():
        yield from [one] if isinstance(one, str) else targets(one)


def test_nothing_is_dead(trees: dict[str, ast.AST]) -> None:
    assert dead(trees) == []


def test_what_is_called_from_outside_is_there(trees: dict[str, ast.AST]) -> None:
    names = {name for tree in trees.values() for _, name, *_ in definitions(tree)}
    assert CALLED_FROM_OUTSIDE.keys() <= names


@table("text", "found")
def test_it_would_be_seen(text: str, found: list[str]) -> None:
    assert [line.partition(" ")[2] for line in dead({"x.py": ast.parse(text)})] == found


def imported(trees: dict[str, ast.AST]) -> set[str]:
    """The dotted names that modules import, or spell out for one that imports when it is asked for."""
    found: set[str] = set()
    for tree in trees.values():
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module:
                found |= {node.module, *(f"{node.module}.{one.name}" for one in node.names)}
            elif isinstance(node, ast.Import):
                found |= {one.name for one in node.names}
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                found |= set(re.findall(r"alice_exp(?:\.\w+)+", node.value))
    return found


def test_every_module_is_imported_by_another(trees: dict[str, ast.AST]) -> None:
    names = {path: dotted(path) for path in trees}
    used_by = {path: imported({path: tree}) for path, tree in trees.items()}
    every = Counter(name for found in used_by.values() for name in found)
    alone = [
        path
        for path, name in names.items()
        if not path.endswith(("__init__.py", "__main__.py")) and not every[name] - (name in used_by[path])
    ]
    assert alone == []
