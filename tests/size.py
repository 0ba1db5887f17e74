"""What the package may weigh: ``tests/size.txt`` limits its lines, and the number in a row only falls.

``python -m tests.size`` prints the measures, ``--check`` fails where one is above its row, ``--write`` lowers the rows
whose measure fell. Nothing raises a row but an editor: who needs more takes something else out, or says in the commit
what the number buys. Any measure may have a row; one without is only printed.
"""

import ast
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from alice_exp.app.command_tree import COMMANDS

HERE = Path(__file__).parent
TABLE = HERE / "size.txt"
PACKAGE = HERE.parent / "alice_exp"
LEXICON = "lexicon.txt"


def measures() -> dict[str, int]:
    """What can be limited: name and size, the totals first, then the lines of each room."""
    sources = {path: path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")}
    trees = [ast.parse(source) for source in sources.values()]
    words = [
        path for path in PACKAGE.rglob("data/*") if path.suffix in {".txt", ".toml"} and path.name != LEXICON
    ]
    faces = sum(
        _lines(text) for path, text in sources.items() if {"cli", "cli.py", "documents.py"} & set(path.parts)
    )
    found = {
        "package.lines": sum(map(_lines, sources.values())),
        "package.statements": sum(_statements(tree) for tree in trees),
        "package.modules": len(sources),
        "package.face_lines_per_command": faces // len(COMMANDS),
        "package.word_bytes": sum(path.stat().st_size for path in words) + sum(map(_pattern_bytes, trees)),
        "tests.lines": sum(_lines(path.read_text(encoding="utf-8")) for path in HERE.rglob("*.py")),
        "bench.lines": sum(
            _lines(path.read_text(encoding="utf-8")) for path in HERE.parent.glob("docs/bench/*.py")
        ),
    }
    for room in sorted({path.relative_to(PACKAGE).parts[0] for path in sources if path.parent != PACKAGE}):
        found[f"room.{room}"] = sum(
            _lines(text) for path, text in sources.items() if PACKAGE / room in path.parents
        )
    return found


def _lines(text: str) -> int:
    return text.count("\n")


def _statements(tree: ast.Module) -> int:
    """Statements without docstrings, so that lines glued together count as before."""
    every = [node for node in ast.walk(tree) if isinstance(node, ast.stmt)]
    return sum(not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)) for node in every)


def _pattern_bytes(tree: ast.Module) -> int:
    """Bytes of the regular expressions: the texts in what is handed to a function of ``re`` or ``LazyPattern`` first."""
    calls = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("re.")
    ]
    nodes = (
        node
        for call in calls
        if call.args
        for node in ast.walk(call.args[0])
        if isinstance(node, ast.Constant)
    )
    literals = (node.value for node in nodes if isinstance(node.value, str))
    return sum(len(text.encode("utf-8", "surrogatepass")) for text in literals)


def limits(table: str) -> dict[str, int]:
    """The rows ``name number``; lines with ``#`` are for readers."""
    rows = (line.split() for line in table.splitlines() if line.strip() and not line.startswith("#"))
    return {name: int(number) for name, number in rows}


def told(limited: Mapping[str, int], found: Mapping[str, int]) -> Iterator[str]:
    """What is above its row, a sentence each."""
    for name, limit in limited.items():
        if found[name] > limit:
            yield (
                f"{name} is {found[name]:,}, {found[name] - limit:,} above tests/size.txt: take as much out elsewhere, "
                "or raise the row by hand and say in the commit what for"
            )


def lowered(table: str, found: Mapping[str, int]) -> str:
    """The table with each row at its measure where that fell."""
    rows = []
    for line in table.splitlines():
        name, *rest = line.split() or [""]
        rows.append(f"{name} {min(int(rest[0]), found[name])}" if name in found else line)
    return "\n".join(rows) + "\n"


def main(arguments: list[str]) -> int:
    """See the module; 1 where something grew."""
    found, table = measures(), TABLE.read_text(encoding="utf-8")
    limited = limits(table)
    if "--write" in arguments:
        TABLE.write_text(lowered(table, found), encoding="utf-8")
    elif "--check" in arguments:
        problems = list(told(limited, found))
        print("\n".join(problems), file=sys.stderr, end="\n" if problems else "")
        if any(found[name] < limit for name, limit in limited.items()) and not problems:
            print("the code became smaller: python -m tests.size --write lowers tests/size.txt")
        return bool(problems)
    else:
        print("\n".join(f"{name:32} {size:>8,} {limited.get(name, ''):>8}" for name, size in found.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
