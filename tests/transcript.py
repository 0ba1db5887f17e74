"""Transcripts of commands that run as tests: each case of a ``*.transcript`` file is one.

    == a rejected thought stays out        a case: test_a_rejected_thought_stays_out
    covers: R2.14                          the line of the requirements that it shows
    home: sample                           the fixture that makes the home; ``none``: there is none yet; else ``home``
    with: inline                           more fixtures
    -- for who reads
    $ alice-exp import jsonl - --json      a command; it runs in /w, the folder of the home (``alice``)
    < {"payload": "use rg"}                a line of its standard input
    {"ids": ["exp-1"], "dry_run": "ABSENT"}
    ! a line of standard error
    [exit 5]                               where it is not 0

What is not ``alice-exp`` is run by ``sh``; ``sound`` and ``sound bob`` are the fixture. A stream is compared where a line
of it stands: a JSON object by the keys that stand, a list whole, a text whole but for what ``...`` leaves out;
``[nothing]`` and a lone ``!`` are empty streams. Ids and commits are numbered as they come up. ``--update-golden``
writes what is said now.
"""

import difflib
import json
import re
import shlex
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ABSENT, ANY, NOTHING = "ABSENT", "…", "[nothing]"
WIDTH = 110
_ID = re.compile(r"\b(?:act|alice|ask|dec|ep|exp|ext|rep|seg|ses)-[a-z2-9]{8}\b")
_COMMIT = re.compile(r"\b(?!20\d{6}\b)(?:[0-9a-f]{40}|[0-9a-f]{8})\b")
_NAME = re.compile(r"\b[a-z]{2,6}-\d{1,3}\b")
_EXIT = re.compile(r"\[exit (\d+)\]")
_FOLDER = re.compile(r"(?<![\w./])/w(?![\w.])")


@dataclass
class Step:
    """One command and what it is to say; a stream that is not looked at is ``None``."""

    command: str
    notes: list[str] = field(default_factory=list)
    given: list[str] = field(default_factory=list)
    out: list[str] | None = None
    err: list[str] | None = None
    code: int = 0

    def text(self) -> str:
        """The step as it stands in the file."""
        lines = [*(f"-- {note}".rstrip() for note in self.notes), f"$ {self.command}"]
        lines += [f"< {line}".rstrip() for line in self.given]
        lines += [NOTHING] if self.out == [] else self.out or []
        lines += ["!"] if self.err == [] else [f"! {line}".rstrip() for line in self.err or []]
        return "\n".join([*lines, *([f"[exit {self.code}]"] if self.code else [])])


@dataclass
class Case:
    """One test."""

    title: str
    told: dict[str, str] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The function's name."""
        return "test_" + re.sub(r"\W+", "_", self.title).strip("_")

    def text(self) -> str:
        """The case as it stands in the file."""
        head = "\n".join([f"== {self.title}", *(f"{key}: {value}" for key, value in self.told.items())])
        text, said = head, True
        for step in self.steps:
            text += ("\n\n" if said else "\n") + step.text()
            said = step.out is not None or step.err is not None or step.code > 0
        return text + "\n"


def parse(text: str) -> Iterator[Case]:
    """The cases of a file; what stands before the first is for who reads. ``ValueError`` for a line that is none."""
    for part in re.split(r"^== ", text, flags=re.M)[1:]:
        head, _, steps = part.partition("\n\n")
        title, *told = head.splitlines()
        yield Case(title, dict(line.split(": ", 1) for line in told), _steps(steps.splitlines()))


def _steps(lines: list[str]) -> list[Step]:
    steps: list[Step] = []
    notes: list[str] = []
    for line in lines:
        mark, _, rest = line.partition(" ")
        if mark == "--":
            notes.append(rest)
        elif mark == "$":
            steps.append(Step(rest, notes))
            notes = []
        elif mark == "<":
            steps[-1].given.append(rest)
        elif mark == "!":
            steps[-1].err = [*(steps[-1].err or []), rest]
        elif ended := _EXIT.fullmatch(line):
            steps[-1].code = int(ended[1])
        else:
            steps[-1].out = [*(steps[-1].out or []), line]
    for step in steps:
        # Blank lines part commands; one command more is no line of what the last one said.
        while step.out and not step.out[-1]:
            step.out.pop()
        step.out = [] if step.out == [NOTHING] else step.out or None
        step.err = [] if step.err == [""] else step.err
    return steps


class Names:
    """The stable name of each id and commit that comes up, ``exp-1``; what the case or its home has stays."""

    def __init__(self, folder: Path, known: str) -> None:
        self._folder = str(folder)
        self._known = set(_ID.findall(known)) | set(_COMMIT.findall(known))
        self._names: dict[str, str] = {}

    def tell(self, text: str) -> str:
        """What was said, as it stands in a transcript."""
        text = text.replace(self._folder, "/w")
        return _COMMIT.sub(self._commit, _ID.sub(lambda found: self._name(found[0], found[0]), text))

    def _commit(self, found: re.Match[str]) -> str:
        for full, name in self._names.items():
            if found[0][:8] == full[:8]:
                return name
        return self._name(found[0], "commit-")

    def _name(self, found: str, kind: str) -> str:
        if found in self._known:
            return found
        kind = kind.partition("-")[0]
        count = sum(name.startswith(f"{kind}-") for name in self._names.values())
        return self._names.setdefault(found, f"{kind}-{count + 1}")

    def real(self, text: str) -> str:
        """What stands in a transcript, as it is in this run."""
        ids = {name: full for full, name in self._names.items()}
        text = _NAME.sub(lambda found: ids.get(found[0], found[0]), text)
        return _FOLDER.sub(lambda _: self._folder, text)


class Runner:
    """Runs the steps of one case."""

    def __init__(self, request: pytest.FixtureRequest, case: Case) -> None:
        self.folder = request.getfixturevalue("world")
        request.getfixturevalue("seeded_ids")
        kind = case.told.get("home", "home")
        if kind != "none":
            request.getfixturevalue(kind)
        for name in case.told.get("with", "").split():
            request.getfixturevalue(name)
        self.cli = request.getfixturevalue("cli")
        self.patch = request.getfixturevalue("monkeypatch")
        self.patch.chdir(self.folder)
        self.sound: Callable[[Path], None] = request.getfixturevalue("sound")
        held = [path.read_text("utf-8") for path in self.folder.rglob("*.jsonc")]
        self.names = Names(self.folder, "\n".join([*held, case.text()]))

    def said(self, step: Step) -> Step:
        """The step with what was said in this run, of that what the transcript asks for."""
        stdin = self.names.real("".join(f"{line}\n" for line in step.given)) or None
        code, out, err = self._run(self.names.real(step.command), stdin)
        return Step(
            step.command, step.notes, step.given, self._shown(out, step.out), self._shown(err, step.err), code
        )

    def _run(self, command: str, stdin: str | None) -> tuple[int, str, str]:
        if command in ("sound", "sound bob"):
            self.sound(self.folder / (command[6:] or "alice"))
            return 0, "", ""
        settings, words = _words(command)
        if words and words[0] == "alice-exp":
            done = self.cli(*words[1:], stdin=stdin, env=settings, check=False)
            return done.code, done.stdout, done.stderr
        ran = subprocess.run(["sh", "-c", command], input=stdin or "", capture_output=True, text=True)
        return ran.returncode, ran.stdout, ran.stderr

    def _shown(self, said: str, wanted: list[str] | None) -> list[str] | None:
        if wanted is None:
            return None
        lines = said.splitlines()
        pattern, found = json_of(wanted), json_of(lines if said[:1] in ("{", "[") else lines[-1:])
        if pattern is not None and found is not None:
            told = self.names.tell(written(projected(found, pattern)))
            return wanted if json.loads(told) == pattern else told.splitlines()
        shown = [line.rstrip() for line in self.names.tell(said.rstrip()).splitlines()]
        return wanted if _elided(shown, wanted) else shown


def _words(command: str) -> tuple[dict[str, str], list[str]]:
    try:
        words = shlex.split(command)
    except ValueError:
        return {}, []
    settings = {}
    while words and re.match(r"[A-Z_]+=", words[0]):
        name, _, value = words.pop(0).partition("=")
        settings[name] = value
    return settings, [_escaped(word) for word in words]


def _escaped(word: str) -> str:
    """``$'a\\nb'`` of a shell."""
    return word[1:].encode().decode("unicode_escape").encode("latin-1").decode() if word[:1] == "$" else word


def json_of(lines: list[str]) -> Any:
    """The document that the lines are, ``None`` where they are none."""
    if not lines or lines[0][:1] not in "{[":
        return None
    try:
        return json.loads("\n".join(lines))
    except ValueError:
        return None


def projected(found: Any, wanted: Any) -> Any:
    """What was found, of objects the keys that are wanted."""
    if wanted == ANY:
        return ANY
    if isinstance(found, dict) and isinstance(wanted, dict):
        return {key: projected(found[key], one) if key in found else ABSENT for key, one in wanted.items()}
    if isinstance(found, list) and isinstance(wanted, list):
        if len(found) == len(wanted):
            return [projected(one, other) for one, other in zip(found, wanted, strict=True)]
        return [projected(one, wanted[0] if wanted else ANY) for one in found]
    return found


def written(document: Any, indent: str = "") -> str:
    """JSON in lines that are as long as they may be."""
    line = json.dumps(document, ensure_ascii=False)
    if len(indent + line) <= WIDTH or not isinstance(document, dict | list) or not document:
        return line
    deeper = indent + "  "
    if isinstance(document, dict):
        rows = [
            f"{json.dumps(key, ensure_ascii=False)}: {written(one, deeper)}" for key, one in document.items()
        ]
    else:
        rows = [written(one, deeper) for one in document]
    open_, close = "{}" if isinstance(document, dict) else "[]"
    return "\n".join([open_, *_filled(rows, deeper), indent + close])


def _filled(rows: list[str], indent: str) -> Iterator[str]:
    line = ""
    for at, row in enumerate(rows):
        row += "," if at + 1 < len(rows) else ""
        if line and len(f"{line} {row}") <= WIDTH and "\n" not in line + row:
            line += f" {row}"
            continue
        if line:
            yield line
        line = indent + row
    yield line


def _elided(said: list[str], wanted: list[str]) -> bool:
    """Whether the lines are those that are wanted, but for what ``...`` leaves out."""
    pattern = "".join(r"(?:.*\n)*?" if line == "..." else re.escape(line) + r"\n" for line in wanted)
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in said)) is not None


def run(request: pytest.FixtureRequest, path: Path, case: Case) -> None:
    """Run one case; fails with the difference."""
    runner = Runner(request, case)
    now = Case(case.title, case.told, [runner.said(step) for step in case.steps])
    was, now_text = case.text(), now.text()
    if request.config.getoption("--update-golden") and was != now_text:
        text = path.read_text("utf-8")
        path.write_text(text.replace(was, now_text), encoding="utf-8")
        was = now_text
    changed = "\n".join(
        difflib.unified_diff(was.splitlines(), now_text.splitlines(), path.name, "now", lineterm="")
    )
    if changed:
        pytest.fail(f"{changed}\n--update-golden writes it, if this is as it should be", pytrace=False)


class Transcript(pytest.Module):
    """A file of transcripts: to pytest a module with a function for each case."""

    def _getobj(self) -> ModuleType:
        module = ModuleType(self.path.stem)
        for case in parse(self.path.read_text("utf-8")):
            assert not hasattr(module, case.name), f"two cases are called {case.name}"
            setattr(module, case.name, self._test(case))
        return module

    def _test(self, case: Case) -> Callable[[pytest.FixtureRequest], None]:
        def test(request: pytest.FixtureRequest) -> None:
            run(request, self.path, case)

        return pytest.mark.covers(case.told["covers"])(test) if "covers" in case.told else test
