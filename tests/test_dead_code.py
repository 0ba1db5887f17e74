"""Nothing is defined that only tests use: every name of the package is used in the package."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "alice_exp"
CALLED_FROM_OUTSIDE = {
    "Alice": "the library's own methods, which programs call",
    "Conversations": "the library's own methods, which programs call",
    "Records": "the library's own methods, which programs call",
    "HomeMemories": "the memory store that the library offers (R4.27)",
    "MemoryStore": "the memory store that the library offers (R4.27)",
    "Served": "the SDK of MCP calls what it is given",
    "Watcher": "watchdog calls its handlers",
    "_Shells": "the standard library's unpickler asks it",
    "similarity_with": "the specification's formula to the letter, beside the one that searches use (docs/design.md)",
}
REGISTERS = ("operation(",)
"""Decorators that put what they decorate into a table."""

_WORD = re.compile(r"[A-Za-z_]\w+")


def definitions(node: ast.AST, owner: str = "") -> Iterator[tuple[str, str, int, list[str]]]:
    """Each function, class and constant: name, the class that it stands in, line, decorators."""
    for inner in ast.iter_child_nodes(node):
        if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield inner.name, owner, inner.lineno, [ast.unparse(one) for one in inner.decorator_list]
            yield from definitions(inner, inner.name if isinstance(inner, ast.ClassDef) else owner)
        elif isinstance(inner, ast.Assign | ast.AnnAssign) and isinstance(node, ast.Module | ast.ClassDef):
            targets = inner.targets if isinstance(inner, ast.Assign) else [inner.target]
            yield from ((one.id, owner, inner.lineno, []) for one in targets if isinstance(one, ast.Name))


def used(tree: ast.AST) -> Iterator[str]:
    """Names that are read, called, passed or spelled out in a short text; an import alone is no use."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.keyword) and node.arg:
            yield node.arg
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and _is_no_sentence(node.value):
            yield from _WORD.findall(node.value)


def _is_no_sentence(text: str) -> bool:
    """Whether a text may name something: a name in a table, or a type that is written as a text."""
    return " " not in text or "[" in text


def dead(trees: dict[str, ast.AST]) -> list[str]:
    """What nothing uses, as ``path:line name``."""
    count = Counter(name for tree in trees.values() for name in used(tree))
    return [
        f"{path}:{line} {name}"
        for path, tree in trees.items()
        for name, owner, line, decorators in definitions(tree)
        if not count[name]
        and not name.startswith("__")
        and not {name, owner} & CALLED_FROM_OUTSIDE.keys()
        and not any(one.startswith(REGISTERS) for one in decorators)
    ]


@pytest.fixture(scope="module")
def trees() -> dict[str, ast.AST]:
    paths = sorted(PACKAGE.rglob("*.py"))
    return {str(path.relative_to(PACKAGE)): ast.parse(path.read_text(encoding="utf-8")) for path in paths}


def test_nothing_is_dead(trees: dict[str, ast.AST]) -> None:
    assert dead(trees) == []


def test_what_is_called_from_outside_is_there(trees: dict[str, ast.AST]) -> None:
    names = {name for tree in trees.values() for name, *_ in definitions(tree)}
    assert CALLED_FROM_OUTSIDE.keys() <= names


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("def one(): pass", ["one"]),
        ("def one(): pass\none()", []),
        ("def one(): pass\nfrom x import one", ["one"]),
        ("class A:\n    def two(self): pass\nA()", ["two"]),
        ("class A:\n    def two(self): pass\nA().two()", []),
        ("MOST = 3", ["MOST"]),
        ("MOST = 3\nTABLE = {'a': MOST}\nprint(TABLE)", []),
        ("@operation('x')\ndef one(): pass", []),
    ],
)
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
    names = {path: f"alice_exp.{path.removesuffix('.py').replace('/', '.')}" for path in trees}
    used_by = {path: imported({path: tree}) for path, tree in trees.items()}
    every = Counter(name for found in used_by.values() for name in found)
    alone = [
        path
        for path, name in names.items()
        if not path.endswith(("__init__.py", "__main__.py")) and not every[name] - (name in used_by[path])
    ]
    assert alone == ["store/merging.py"], (
        "the merge driver's shim alone is there for whoever set it up before"
    )
