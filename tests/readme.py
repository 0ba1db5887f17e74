"""README.md and docs: ``python -m tests.readme --write`` makes their generated parts anew, ``--check`` fails where one is old.

Every page of ``docs`` is looked at, whoever wrote it. Between ``<!-- generated: NAME -->`` and ``<!-- end -->`` stands what
``PARTS`` makes of the name, on any page. A ``console`` block that shows what its commands answer is a transcript: ``--write`` runs it and writes the answers,
``--check`` runs it and compares. To begin one, write its ``$`` lines and a line ``…`` below them.
"""

import re
import subprocess
import sys
import tempfile
import textwrap
import tomllib
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path

from alice_exp.agents.operations import TOOLS
from alice_exp.agents.tool_schema import description, json_schema
from alice_exp.app.command_tree import COMMANDS
from alice_exp.model.rules.lifecycle import TABLE, Thresholds
from alice_exp.model.values.block import CONFIDENCE
from alice_exp.model.values.config import OPTIONS
from tests import manual, seeded

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
DOCS = ROOT / "docs"
BLOCK = re.compile(r"```console\n(.*?)```", re.DOTALL)
_PART = re.compile(r"(<!-- generated: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


MEANINGS = {
    "possible": "I guess it may be so",
    "past": "I did meet this",
    "reliable": "verified many times",
    "obsolete": "no longer so",
}
"""What each state says, in the words of the sources."""


def commands(table: Mapping[str, object] = COMMANDS, before: str = "") -> Iterator[tuple[str, str]]:
    """Every command's name and the first sentence of its help."""
    for name, target in table.items():
        if isinstance(target, Mapping):
            yield from commands(target, f"{before}{name} ")
            continue
        module, _, function = str(target).partition(":")
        documented = getattr(import_module(module), function).__doc__ or ""
        yield f"{before}{name}".strip(), " ".join(documented.strip().split("\n\n")[0].split())


def _commands() -> str:
    rows = [f"| `{name}` | {what} |" for name, what in commands()]
    return "\n".join(["| command | what it does |", "|---|---|", *rows]) + "\n"


def _states() -> str:
    return f"```mermaid\n{diagram()}```\n"


def diagram() -> str:
    """``TABLE`` as a Mermaid state diagram, ending in a newline."""
    lines = ["stateDiagram-v2"]
    for state, row in TABLE.items():
        lines.append(f"    {state}: {state} {CONFIDENCE[state]} ({MEANINGS[state]})")
        if row.promotes_to is not None:
            needed = getattr(Thresholds(), row.promotes_to)
            lines.append(f"    {state} --> {row.promotes_to}: success, {needed} verified")
        if row.demotes_to is not None:
            lines.append(f"    {state} --> {row.demotes_to}: failure in a new scenario")
        lines += [f"    {state} --> {to}: a person retires it" for to in row.retires_to]
    lines.append("    possible --> past: a person approves it")
    lines.append("    super_reliable --> reliable: fewer verifications than the badge needs")
    lines.append("    obsolete --> possible: a person revives it")
    return "\n".join(lines) + "\n"


def _config() -> str:
    rows = [f"| `{one.name}` | `{one.default!r}` | {one.doc} |" for one in OPTIONS]
    return "\n".join(["| key | default | what it does |", "|---|---|---|", *rows]) + "\n"


def _rooms() -> str:
    """The rooms as import-linter's contract orders them, with what each says of itself; then who owns which package."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    layers = next(one["layers"] for one in contracts if one["id"] == "rooms")
    rooms = ["\n".join(_named(name, _said(name)) for name in re.findall(r"\w+", layer)) for layer in layers]
    owners = [one for one in contracts if one["id"].startswith("one-owner-")]
    owned = "\n".join(_named(_owner(one["name"]), ", ".join(one["forbidden_modules"])) for one in owners)
    return "```text\n" + "\n     ↓\n".join(rooms) + f"\n\nOnly\n{owned}\n```\n"


def _named(name: str, what: str) -> str:
    return textwrap.fill(f"{name:<25} {what}", 104, subsequent_indent=" " * 26, break_on_hyphens=False)


def _said(name: str) -> str:
    """The first sentence of a package's or a module's docstring."""
    documented = import_module(f"alice_exp.{name}").__doc__ or ""
    return (
        " ".join(re.split(r"\.\s|\n\n", documented.strip(), maxsplit=1)[0].split())
        .rstrip(".")
        .replace("``", "`")
    )


def _owner(name: str) -> str:
    """``Only store.history imports git``: store.history."""
    return name.removeprefix("Only ").removeprefix("the ").partition(" import")[0] + " imports"


def _tools() -> str:
    """The operations open to an agent, with what each takes; a list is marked []."""
    rows = []
    for name, tool in TOOLS.items():
        taken = json_schema(tool.run)["properties"]
        told = "".join(f"<br>`{one}`: {fields['description']}" for one, fields in taken.items())
        kinds = (one + "[]" * (fields.get("type") == "array") for one, fields in taken.items())
        rows.append(f"| `{name}({', '.join(kinds)})` | {description(tool.run)}{told} |")
    return "\n".join(["| tool | what it does |", "|---|---|", *rows]) + "\n"


PARTS: Mapping[str, Callable[[], str]] = {
    "commands": _commands,
    "states": _states,
    "config": _config,
    "rooms": _rooms,
    "tools": _tools,
}


def pages() -> dict[str, str]:
    """Every page's text, by its path from the top: the README, then the documents."""
    paths = (README, *sorted(DOCS.rglob("*.md")))
    return {path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in paths}


def generated(text: str) -> str:
    """A page with every generated part made anew."""
    # A part that a test writes itself (tests/home/test_tricks.py) is not made here.
    return _PART.sub(
        lambda part: f"{part[1]}{PARTS[part[2]]()}{part[3]}" if part[2] in PARTS else part[0], text
    )


def is_transcript(block: str) -> bool:
    """Whether a block shows answers, too."""
    return any(not line.startswith(("$ ", "> ")) for line in block.splitlines())


def steps(block: str) -> list[str]:
    """The command lines of a block; ``> `` continues one."""
    found: list[str] = []
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append(line)
        elif line.startswith("> "):
            found[-1] += f"\n{line}"
    return found


def replayed(block: str) -> str:
    """The block with what its commands answer now, stdout and stderr as a terminal mixes them.

    One home, one clock and one shell's folder for all of them. Raises ``AssertionError`` where one ends with another code
    than its ``# exit N`` says (else 0).
    """
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        environment = seeded.world(place)
        lines = []
        for step in steps(block):
            lines += [step, *_answer(step, environment, place)]
    return "\n".join(lines) + "\n"


def _answer(step: str, environment: Mapping[str, str], place: Path) -> list[str]:
    command = "\n".join(line[2:] for line in step.splitlines())
    wanted = re.search(r"# exit (\d+)", command)
    done = subprocess.run(
        ["bash", "-c", command],
        env=environment,
        cwd=place,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == int(wanted[1] if wanted else 0), f"{step}\n{done.stdout}"
    return [line.rstrip() for line in done.stdout.replace(str(place), "~").splitlines()]


def same(block: str) -> str:
    """A transcript without what differs from commit to commit of this project: the commits' ids."""
    return re.sub(r"\b[0-9a-f]{7,40}\b", "COMMIT", block)


def main(arguments: list[str]) -> int:
    """Write the parts and the transcripts, and the man page beside them; or check the parts."""
    fresh = {path: generated(text) for path, text in pages().items()}
    if "--write" in arguments:
        for path, text in fresh.items():
            (ROOT / path).write_text(_told(text), encoding="utf-8")
        return manual.main(arguments)
    with ThreadPoolExecutor(2) as side_by_side:
        told = [*side_by_side.map(_told, fresh.values())]
    if old := [path for (path, text), now in zip(pages().items(), told, strict=True) if text != now]:
        print(f"old parts or answers in {', '.join(old)}: run python -m tests.readme --write")
    return 1 if old else 0


def _told(text: str) -> str:
    return BLOCK.sub(_written, text)


def _written(block: re.Match[str]) -> str:
    if not is_transcript(block[1]):
        return block[0]
    now = replayed(block[1])
    return block[0] if same(now) == same(block[1]) else f"```console\n{now}```"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
