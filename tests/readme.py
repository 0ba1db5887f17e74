"""The README's generated parts: ``python -m tests.readme --write`` makes them anew, ``--check`` fails where they are old."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from pathlib import Path

from alice_exp.cli.app import COMMANDS
from alice_exp.core.config import OPTIONS
from alice_exp.rules.lifecycle import diagram

README = Path(__file__).parents[1] / "README.md"
_PART = re.compile(r"(<!-- generated: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def commands(table: Mapping[str, object] = COMMANDS, before: str = "") -> Iterator[tuple[str, str]]:
    """Every command's name and the first sentence of its help."""
    for name, target in table.items():
        if isinstance(target, Mapping):
            yield from commands(target, f"{before}{name} ")
            continue
        module, _, function = str(target).partition(":")
        documented = getattr(import_module(f"alice_exp.cli.{module}"), function).__doc__ or ""
        yield f"{before}{name}", " ".join(documented.strip().split("\n\n")[0].split())


def _commands() -> str:
    rows = [f"| `{name}` | {what} |" for name, what in commands()]
    return "\n".join(["| command | what it does |", "|---|---|", *rows]) + "\n"


def _states() -> str:
    return f"```mermaid\n{diagram()}```\n"


def _config() -> str:
    rows = [f"| `{one.name}` | `{one.default!r}` | {one.doc} |" for one in OPTIONS]
    return "\n".join(["| key | default | what it does |", "|---|---|---|", *rows]) + "\n"


PARTS: Mapping[str, Callable[[], str]] = {"commands": _commands, "states": _states, "config": _config}


def generated(text: str) -> str:
    """The README with every generated part made anew."""
    return _PART.sub(lambda part: f"{part[1]}{PARTS[part[2]]()}{part[3]}", text)


def main(arguments: list[str]) -> int:
    """Write the parts or check them."""
    text = README.read_text(encoding="utf-8")
    fresh = generated(text)
    if "--write" in arguments:
        README.write_text(fresh, encoding="utf-8")
        return 0
    if fresh != text:
        print("README.md has old generated parts: run python -m tests.readme --write")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
