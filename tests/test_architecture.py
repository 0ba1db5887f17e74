"""The house keeps its own rules: floors proven by planted violations, sizes, words."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "alice_exp"
MODULES = sorted(PACKAGE.rglob("*.py"))

PLANTED = [
    ("floors", "core/model.py", "import alice_exp.rules.lifecycle"),
    ("floors", "rules/lifecycle.py", "import alice_exp.usecases.acts"),
    ("floors", "store/scan.py", "import alice_exp.usecases.acts"),
    ("floors", "usecases/acts.py", "import alice_exp.cli.language"),
    ("faces", "cli/language.py", "import alice_exp.store.scan"),
    ("pure", "rules/lifecycle.py", "import os"),
    ("pure", "text/words.py", "import time"),
    ("one-owner-git", "store/scan.py", "import git"),
    ("one-owner-json5", "text/words.py", "import json5"),
    ("one-owner-openai", "providers/__init__.py", "import openai"),
    ("one-owner-watchdog", "store/scan.py", "import watchdog"),
    ("one-owner-sqlite", "store/scan.py", "import sqlite3"),
    ("one-owner-network", "store/scan.py", "import zeroconf"),
    ("one-owner-network", "cli/peers.py", "import ssl"),
    ("one-owner-network", "session.py", "def f() -> None:\n    import asyncio"),
    ("one-owner-mcp", "cli/mcp.py", "import mcp"),
    ("one-owner-terminal", "usecases/acts.py", "import rich"),
    ("process", "usecases/acts.py", "import subprocess"),
    ("acyclic", "core/config.py", "def f() -> None:\n    import alice_exp.core.snapshot"),
]
"""Contract, module, a line that breaks it."""


@pytest.mark.needs("importlinter")
@pytest.mark.parametrize(("contract", "module", "line"), PLANTED, ids=lambda value: str(value)[:24])
@pytest.mark.covers("R2.33", "RC.2")
def test_a_planted_violation_breaks_its_contract(
    tmp_path: Path, contract: str, module: str, line: str
) -> None:
    shutil.copytree(PACKAGE, tmp_path / "alice_exp", ignore=shutil.ignore_patterns("__pycache__", "locale"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    planted = tmp_path / "alice_exp" / module
    planted.write_text(f"{planted.read_text(encoding='utf-8')}\n{line}\n", encoding="utf-8")
    name = _contracts()[contract]
    done = subprocess.run(
        [Path(sys.executable).parent / "lint-imports", "--no-cache"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(tmp_path)},
    )
    assert done.returncode == 1, done.stdout
    assert re.search(rf"{re.escape(name)}.*BROKEN", done.stdout), done.stdout


def _contracts() -> dict[str, str]:
    """Every contract's id and name."""
    import tomllib

    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    return {contract["id"]: contract["name"] for contract in settings["contracts"]}


def test_every_contract_has_its_planted_violation() -> None:
    assert {contract for contract, *_ in PLANTED} == set(_contracts())


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_modules_and_functions_stay_small(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    assert source.count("\n") < 400, f"{path} wants to be two modules"
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = _body_lines(node)
            assert length <= 40, f"{path}:{node.lineno} {node.name} has {length} lines"


def _body_lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines of the body without its docstring: a command's options are its signature, not its length."""
    body = node.body[1:] if ast.get_docstring(node) else node.body
    return (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0


FORBIDDEN = re.compile(r"\b(manager|service|engine|helper|utils|common|handler|processor)s?\b", re.IGNORECASE)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_names_are_the_fields_words(path: Path) -> None:
    assert not FORBIDDEN.search(str(path.relative_to(PACKAGE)).replace("_", " "))
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            words = re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", node.name)
            assert not FORBIDDEN.search(words), f"{path}:{node.lineno} {node.name}"


def test_nothing_is_left_to_do() -> None:
    for path in MODULES:
        assert not re.search(r"\b(TODO|FIXME|XXX|NotImplementedError)\b", path.read_text(encoding="utf-8")), (
            path
        )


@pytest.mark.covers("RC.2")
def test_importing_the_package_loads_nothing_heavy() -> None:
    code = "import sys, alice_exp; print(*sorted({m.partition('.')[0] for m in sys.modules}))"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert not {"typer", "rich", "git", "watchdog", "json5", "sqlite3", "mcp", "openai", "zeroconf"} & set(
        loaded
    )
