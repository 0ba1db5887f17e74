"""A fortnight in a real host in which nobody reports anything: what the signals saw, and what they moved.

    python -m docs.bench.host_fortnight [--seed 0] [--days 14] [--obedient] [--write]

Claude Code from npm runs with its own hooks and shell; its model is a stand-in that does what a script says, and the days
are ``ALICE_NOW``. A task edits a file, may run a check, may take the edit back; its truth is drawn first, and what is
seen of it goes wrong at the rates below. The person corrects in sentences of which none was taken from the program.
With ``--obedient`` an agent lives the 24 tasks of ``tests/learning/test_obedient_agent.py`` through the host's tools.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from alice_exp import Alice
from alice_exp.kernel.journal.commit_writer import load_derived
from alice_exp.learning.rules.impact import Quality, qualities
from alice_exp.model.values.block import PLACES
from docs.bench.learning_page import write_part
from docs.bench.person import Person, now
from tests.agents.model_stand_in import StandIn, Wish, standing_in
from tests.agents.npm import fetched
from tests.learning.test_obedient_agent import days as obedient_days

ROOT = Path(__file__).parents[2]
BEGIN = datetime(2026, 3, 2, 8)
A_DAY = 4
TOOL = "mcp__alice-exp__"
PAGE = "<!-- bench: host -->"

SITUATIONS = {
    "deploying to staging": ("deploy", ("tag the release commit", "watch the dashboard for an hour")),
    "exporting the sales report": ("export", ("read the table page by page",)),
    "translating the manual": (
        "manual",
        ("keep the product names in English", "ask Anna about the legal page"),
    ),
}
"""What was approved, by situation, with the file on which its tasks work. On the eighth day the export rule turns false."""

CORRECTIONS = (
    "No, it has to stay on the old server.", "That broke the header.", "Not what I meant: only the first page.",
    "Please put the file back as it was.", "Hmm, the numbers are off by one.", "You skipped the second step.",
    "It crashes when I open it.", "Still the same error here.", "不对，标题没了。", "我要的是上个月的数据。",
)  # fmt: skip
THANKS = (
    "Thanks.",
    "Great, that works.",
    "好的，谢谢。",
    "No rush with the rest, thank you.",
    "Looks right.",
)
OK_RATE, OK_AFTER = 0.75, 0.3
CHECKED, PASSES_OK, FAILS_FAILED, PIPED = 0.7, 0.9, 0.7, 0.2
EDITED, BACK_FAILED, BACK_OK = 0.8, 0.4, 0.03
ANSWERED, CORRECTED_FAILED, CORRECTED_OK = 0.7, 0.6, 0.05


@dataclass
class Task:
    """One prompt of the script: its truth, what the model does, and what is there to be seen of it, by kind."""

    prompt: str
    ok: bool
    steps: list[Wish] = field(default_factory=list)
    seen: dict[str, bool] = field(default_factory=dict)
    answer: str = ""


class Scripted(StandIn):
    """A model that calls the tools of one task, one a request, and then has nothing to add."""

    steps: list[Wish]

    def wish(self, asked: Any) -> Wish | None:
        offered = {one.get("name") for one in asked.get("tools") or []}
        if "Bash" not in offered or not self.steps:
            return None
        call = f"call_{len(self.asked)}"
        if self.steps[0][0] not in offered:  # the host begins before its servers have started
            return "WaitForMcpServers", {}, call
        name, arguments, _ = self.steps.pop(0)
        return name, arguments(self) if callable(arguments) else arguments, call


def script(seed: int, days: int, folder: Path) -> list[list[Task]]:
    """The tasks of each day."""
    chance = random.Random(seed)
    made = []
    for day in range(days):
        some = [_task(chance, day, f"{day * A_DAY + turn:03}", folder) for turn in range(A_DAY)]
        for task in some[:-1]:
            task.seen.setdefault(
                "words", True
            )  # who says nothing and asks for the next thing corrects nothing
        made.append(some)
    return made


def _task(chance: random.Random, day: int, number: str, folder: Path) -> Task:
    situation = chance.choice(list(SITUATIONS))
    stem = SITUATIONS[situation][0]
    ok = chance.random() < (OK_AFTER if stem == "export" and day >= 7 else OK_RATE)
    task = Task(f"Ticket {number}: {situation}, please.", ok)
    file = folder / f"{stem}.txt"

    def shell(command: str) -> None:
        task.steps.append(("Bash", {"command": command, "description": "runs it"}, ""))

    edited = chance.random() < EDITED
    if edited:
        task.steps.append(("Read", {"file_path": str(file)}, ""))
        texts = {"old_string": "begin\n", "new_string": f"begin\n{number}\n"}
        task.steps.append(("Edit", {"file_path": str(file), **texts}, ""))
        task.seen["edits"] = True
    if chance.random() < CHECKED:
        passes = chance.random() < (PASSES_OK if ok else 1 - FAILS_FAILED)
        shell(f"echo {0 if passes else 1} >verdict")
        piped = chance.random() < PIPED
        shell("make test" + (" | tail -2" if piped else ""))
        if not piped:
            task.seen["tests"] = passes
    if edited and chance.random() < (BACK_OK if ok else BACK_FAILED):
        shell(f"git checkout -- {file.name}")
        task.seen["edits"] = False
    elif edited:
        shell(f"git commit -qam 'ticket {number}'")
    if chance.random() < ANSWERED:
        corrects = chance.random() < (CORRECTED_OK if ok else CORRECTED_FAILED)
        task.answer = chance.choice(CORRECTIONS if corrects else THANKS)
        task.seen["words"] = not corrects
    return task


class Host:
    """Claude Code on a person's empty machine with a home of ours, and a project of the person."""

    def __init__(self, place: Path) -> None:
        self.person_home, self.home, self.folder = place / "person", place / "alice", place / "project"
        self.program = fetched("@anthropic-ai/claude-code", "claude", 300)
        foreign = ("CLAUDE", "ANTHROPIC", "ALICE_", "XDG_", "AI_AGENT")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
        own = {
            "HOME": str(self.person_home), "ALICE_HOME": str(self.home), "PYTHONPATH": str(ROOT), "TZ": "UTC",
            "ANTHROPIC_API_KEY": "none", "DISABLE_AUTOUPDATER": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "IS_SANDBOX": "1",
        }  # fmt: skip
        self.environment = kept | own
        self.person_home.mkdir()
        self.folder.mkdir()
        (self.folder / "Makefile").write_text("test:\n\t@exit $$(cat verdict)\n", "utf-8")
        for stem, _ in SITUATIONS.values():
            (self.folder / f"{stem}.txt").write_text("begin\nend\n", "utf-8")
        self.shell(
            "git init -q && git config user.email a@b && git config user.name a && git add . && git commit -qm 0"
        )
        now(BEGIN.strftime("%Y-%m-%dT%H:%M:%SZ"))
        os.chdir(self.folder)  # what is proposed and approved here holds in this project
        self.person, self.agent = Person(self.home), Alice(self.home, "agent:bench")

    def shell(self, command: str) -> str:
        done = subprocess.run(
            ["sh", "-c", command], cwd=self.folder, env=self.environment, check=True, capture_output=True, text=True
        )  # fmt: skip
        return done.stdout

    def alice(self, *words: str) -> str:
        return self.shell(" ".join((sys.executable, "-m alice_exp", *words)))

    @contextmanager
    def session(self, at: datetime, model: Scripted) -> Iterator[Any]:
        """One process of the host; what is yielded says a prompt and waits until the agent has answered."""
        self.environment["ALICE_NOW"] = at.strftime("%Y-%m-%dT%H:%M:%SZ")
        self.environment["ANTHROPIC_BASE_URL"] = model.url
        form = ("--input-format", "stream-json", "--output-format", "stream-json", "--verbose")
        with subprocess.Popen(
            [self.program, "-p", *form, "--dangerously-skip-permissions"],
            cwd=self.folder, env=self.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        ) as running:  # fmt: skip
            assert running.stdin and running.stdout
            asks, answers = running.stdin, running.stdout

            def say(prompt: str, steps: Sequence[Wish] = ()) -> None:
                model.steps = list(steps)
                message = {"role": "user", "content": [{"type": "text", "text": prompt}]}
                asks.write(json.dumps({"type": "user", "message": message}) + "\n")
                asks.flush()
                for line in answers:
                    if json.loads(line).get("type") == "result":
                        assert not model.steps, f"{model.steps[0]} was not asked for"
                        return
                raise AssertionError("the host ended")

            yield say
            asks.close()
            running.wait(60)
        self.alice("hook", "--finish")


@contextmanager
def scripted() -> Iterator[Scripted]:
    """The model's server."""
    with standing_in("Noted.") as model:
        model.__class__ = Scripted
        assert isinstance(model, Scripted)
        model.steps = []
        yield model


@dataclass(frozen=True)
class Fortnight:
    """What is left of it: of each kind what the program saw beside the truth, how often it saw what there was, the
    decisions, and what moved."""

    seen: tuple[Quality, ...]
    right: Mapping[str, tuple[int, int]]
    tasks: int
    decisions: int
    moved: int
    asked: int
    outcomes: int


def lived(seed: int, days: int) -> Fortnight:
    """The fortnight."""
    with tempfile.TemporaryDirectory(prefix="alice-host-") as place, scripted() as model:
        host = Host(Path(place))
        for situation, (_, rules) in SITUATIONS.items():
            for rule in rules:
                proposed = host.agent.memorize(rule, situation, type="solution", about="work")
                host.person.heartbeat()
                host.person.approve([proposed.block.id])
        before = _states(host)
        host.alice("connect", "claude-code")
        tasks = script(seed, days, host.folder)
        for day, some in enumerate(tasks):
            with host.session(BEGIN + timedelta(days=day), model) as say:
                for task in some:
                    say(task.prompt, task.steps)
                    if task.answer:
                        say(task.answer)
        shown = [load_derived(path) for path in (host.home / "state/showings").glob("*.json")]
        log = host.alice("log", "--op", "outcome", "--json")
        asked = host.person.heartbeat().review
        moved = sum(_states(host)[one] != held for one, held in before.items())
        every = [task for some in tasks for task in some]
        return _compared(every, shown, moved, len(asked), len(json.loads(log)["commits"]))


def _states(host: Host) -> dict[str, object]:
    return {
        one.block.id: (one.block.record, one.block.doubt, one.block.state)
        for one in host.person.session.home.read(PLACES)
    }


def _compared(
    tasks: Sequence[Task], shown: Sequence[Any], moved: int, asked: int, outcomes: int
) -> Fortnight:
    by_prompt = {one["task"]: one for one in shown if one["tier"] == "prompt"}
    pairs, right = [], {kind: [0, 0] for kind in ("tests", "edits", "words")}
    for task in tasks:
        held = by_prompt.get(task.prompt)
        if held is None:
            continue
        seen = dict.fromkeys(held["seemed_ok"], True) | dict.fromkeys(held["seemed_failed"], False)
        pairs.append((seen, task.ok))
        for kind, (same, whole) in right.items():
            right[kind] = [same + (seen.get(kind) == task.seen.get(kind)), whole + 1]
    return Fortnight(
        qualities(pairs), {kind: (same, whole) for kind, (same, whole) in right.items()},
        len(tasks), len(pairs), moved, asked, outcomes,
    )  # fmt: skip


def obeyed(seed: int) -> list[str]:
    """What ``distill`` proposes after the 24 tasks of an agent that decides, acts and reports through the host's tools."""
    with tempfile.TemporaryDirectory(prefix="alice-host-") as place, scripted() as model:
        host = Host(Path(place))
        host.alice("connect", "claude-code")
        with host.session(BEGIN, model) as say:
            for task, context, action, ok in obedient_days(seed):

                def report(asked: Scripted, action: str = action, ok: bool = ok) -> dict[str, Any]:
                    decision = re.findall(r"dec-[a-z2-9]{8}", asked.asked[-1])[-1]
                    return {"id": decision, "ok": ok, "action": action}

                done = {"command": f"echo {action!r}", "description": "does it"}
                say(task, [
                    (f"{TOOL}decide", {"task": task, "context": context}, ""),
                    ("Bash", done, ""),
                    (f"{TOOL}report_outcome", report, ""),
                ])  # fmt: skip
        found = json.loads(host.alice("distill", "--json"))["proposals"]
        return [f"{one['trigger']}: {one['payload']}" for one in found]


def part(found: Fortnight, lessons: Sequence[str]) -> str:
    """What stands between the marks of the page."""
    rows = [
        "| signal | decisions with one | read as it was | seemed ok where it went well | seemed failed where it failed |",
        "|---|---|---|---|---|",
    ]
    for one in found.seen:
        same, whole = found.right[one.kind]
        ok, failed = (f"{rate.successes} of {rate.total}" for rate in (one.ok, one.failed))
        rows.append(f"| {one.kind} | {one.seen} | {same} of {whole} | {ok} | {failed} |")
    proposed = "".join(f"\n- {one}" for one in lessons)
    return (
        f"{found.tasks} tasks, {found.decisions} of them with approved rules told at the prompt.\n\n"
        + "\n".join(rows)
        + f"\n\nOutcomes written: {found.outcomes}. Blocks whose record, doubt or state moved: {found.moved}. "
        + f"Questions in the report on the morning after: {found.asked}.\n"
        + (
            f"\nThe obedient agent's 24 tasks in the same host; `distill` proposes:\n{proposed}\n"
            if lessons
            else ""
        )
    )


def main() -> None:
    """Live it, print the table, and write the page where asked to."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--days", type=int, default=14)
    parser.add_argument("--obedient", action="store_true")
    parser.add_argument("--write", action="store_true", help="write docs/learning-bench.md")
    asked = parser.parse_args()
    told = part(lived(asked.seed, asked.days), obeyed(asked.seed) if asked.obedient else ())
    print(told)
    if asked.write:
        write_part(told, PAGE)


if __name__ == "__main__":
    main()
