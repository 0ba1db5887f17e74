"""DESIGN 9: each figure beside its yardstick, in one run. ``make bench``; the table of docs/speed.md."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from alice_exp.app.opening import open_session
from alice_exp.home.session import Session
from docs.bench.bench_finding import finding, saving
from docs.bench.bench_mcp import serving
from docs.bench.homes import command, environment, filled, lines
from docs.bench.rows import Row

HERE = Path(__file__).parent
ROUNDS = 9


def seconds(work: Callable[[], object], rounds: int = ROUNDS) -> float:
    """The median time of one call, after one that does not count."""
    work()
    return statistics.median(seconds_once(work) for _ in range(rounds))


def paired(
    one: Callable[[], object],
    other: Callable[[], object],
    rounds: int = ROUNDS,
    before: Callable[[], object] = str,
) -> tuple[float, float]:
    """The medians of two things measured in turn, so that a slow minute meets both; ``before`` each does not count."""
    before(), one(), other()
    ones, others = [], []
    for _ in range(rounds):
        before()
        ones.append(seconds_once(one))
        others.append(seconds_once(other))
    return statistics.median(ones), statistics.median(others)


def seconds_once(work: Callable[[], object]) -> float:
    """One call."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def bare() -> None:
    """The bare typer + rich command, cold."""
    subprocess.run([sys.executable, str(HERE / "bare.py"), "search code"], capture_output=True, check=True)


BLOCKS = 10_000
"""How many blocks the cold commands find, ten of them waiting (DESIGN 9)."""


def beside(
    name: str,
    work: Callable[[], object],
    allowed: float,
    before: Callable[[], object] = str,
    absolute: bool = False,
) -> Row:
    """A cold command beside the bare one."""
    ours, theirs = paired(work, bare, before=before)
    return Row(name, ours * 1e3, theirs * 1e3, allowed, absolute=absolute)


def cold(place: Path) -> Iterator[Row]:
    """Cold commands beside the bare one."""
    home = filled(place / "cold", BLOCKS, waiting=10)
    listed = json.loads(command(home, "list", "--set", "universal", "-n", "1", "--json").stdout)
    known = listed["blocks"][0]["id"]
    command(home, "outcome", known, "ok")
    many = f"{BLOCKS:,} blocks"
    for name, arguments in {
        "recall": ["recall", "search code"],
        "show": ["show", known],
        "list -n 20": ["list", "-n", "20"],
    }.items():
        yield beside(f"cold `{name}`, {many}", partial(command, home, *arguments), 1.35)
    for name, words, allowed in (
        ("heartbeat`, the first of a home", ["heartbeat", "--peek"], 2000),
        ("decide`", ["decide", "search code"], 200),
    ):
        yield beside(f"cold `{name}, {many}", partial(command, home, *words), allowed, absolute=True)
    small = filled(place / "small", 2_000)
    number = iter(range(10**6))
    for size, where in ((2_000, small), (BLOCKS, home)):
        yield beside(
            f"cold `recall` after another process wrote, {size:,} blocks",
            partial(command, where, "recall", "search code"),
            1.6,
            lambda where=where: command(where, "memorize", f"written by another, {next(number)}"),  # type: ignore[misc]
        )
    yield beside(
        f"cold `memorize`, committed, {many}",
        lambda: command(home, "memorize", f"a thing of its own, {next(number)}"),
        2.4,
    )
    yield beside(
        f"cold `outcome`, committed, {many}",
        partial(command, home, "outcome", known, "ok"),
        400,
        absolute=True,
    )
    command(home, "heartbeat")
    shown = json.loads(command(home, "heartbeat", "--peek", "--json").stdout)["items"]
    ids = (item["id"] for item in shown)
    yield beside(
        f"cold `approve`, committed, {many}",
        lambda: command(home, "approve", next(ids), "--yes"),
        400,
        absolute=True,
    )
    tomorrow = (datetime.now(UTC) + timedelta(days=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
    yield beside(
        f"cold `heartbeat`, the next day's, {many}",
        partial(command, home, "heartbeat", "--peek", now=tomorrow),
        1000,
        absolute=True,
    )
    for name, arguments in {"log": ["log", "-n", "20"], "why": ["why", known]}.items():
        yield beside(f"cold `{name}`, {many}", partial(command, home, *arguments), 3)
    told = json.dumps({"session_id": "s1", "hook_event_name": "SessionStart", "source": "startup"})
    hook = seconds(lambda: command(small, "hook", "claude-code", "start", stdin=told))
    yield Row(
        "`hook`, until the host has its answer, 2,000 blocks, beside what is allowed", hook * 1e3, 250, 1
    )
    started = [sys.executable, "-c", "pass"]
    loaded = [sys.executable, "-c", "import alice_exp"]
    ours, theirs = paired(partial(subprocess.run, loaded), partial(subprocess.run, started))
    yield Row("`import alice_exp`, over a bare start, beside what is allowed", (ours - theirs) * 1e3, 60, 1)


def acting(place: Path) -> Iterator[Row]:
    """One act in a running process beside git's own add and commit."""
    from alice_exp.blocks.usecases.capture import Draft, memorize
    from alice_exp.learning.usecases.decision_outcome import report_outcome
    from alice_exp.model.values.block import Payload

    yard = place / "yard"
    yard.mkdir()
    git = ["git", "-c", "core.fsync=all", "-c", "user.name=a", "-c", "user.email=a@b", "-C", str(yard)]
    subprocess.run([*git, "init", "-q"], check=True)
    counter = iter(range(10**6))

    def theirs() -> None:
        (yard / "f").write_text(f"{next(counter)}\n" * 100)
        subprocess.run([*git, "add", "f"], check=True)
        subprocess.run([*git, "commit", "-q", "-m", "x"], check=True)

    for size, told, allowed in ((200, "", 20), (4_400, " in a 1.3 MB namespace", 100)):
        session = open_session(str(filled(place / f"acting{size}", size)), "user")
        known = next(
            placed.block.id for placed in session.home.read(("universal",)) if "tool_usage" in placed.path
        )

        def keep(session: Session = session) -> None:
            memorize(session.home, session.caller, [Draft(Payload(f"thing number {next(counter)}"))])

        def report(session: Session = session, known: str = known) -> None:
            report_outcome(session, known, True)

        acts = {"memorize": keep, "outcome": report} if not told else {"outcome": report}
        for name, work in acts.items():
            ours, yardstick = paired(work, theirs, rounds=25)
            what = f"one `{name}` in a running process{told}, committed and fsynced"
            yield Row(what, ours * 1e3, yardstick * 1e3, allowed, absolute=True)


def bulk(place: Path) -> Row:
    """10,000 blocks from JSONL in one commit beside reading the same lines."""
    source = place / "many.jsonl"
    source.write_text(
        "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines(10_000)), encoding="utf-8"
    )

    def theirs() -> list[object]:
        with source.open(encoding="utf-8") as rows:
            return [json.loads(row) for row in rows]

    times = []
    for number in range(3):
        home = place / f"bulk{number}"
        command(home, "init")
        times.append(seconds_once(lambda home=home: command(home, "memorize", "--from", str(source))))  # type: ignore[misc]
    ours = statistics.median(times) * 1e3
    return Row("10,000 blocks from JSONL, one commit", ours, seconds(theirs) * 1e3, 5000, absolute=True)


def reading(place: Path) -> list[Row]:
    """Reading and editing a 1 MB namespace file."""
    from alice_exp.kernel.jsonc import edits, reader
    from alice_exp.model.formats.block_schema import read_blocks

    count = 2200
    home = filled(place / "reading", count * 2)
    path = "universal/tool_usage.jsonc"
    data = (home / "experiences" / path).read_bytes()
    plain = json.dumps(reader.parse(data, path).value, ensure_ascii=False).encode()
    document = reader.parse(data, path)
    ours, theirs = paired(lambda: read_blocks(reader.parse(data, path)), lambda: json.loads(plain))
    middle = ("blocks", count // 2)
    change = [edits.Set((*middle, "verifications"), 13), edits.Set((*middle, "state"), "past")]
    editing = seconds(lambda: edits.edit(document, change))
    return [
        Row(f"reading a {len(data) / 1e6:.1f} MB namespace file", ours * 1e3, theirs * 1e3, 8),
        Row("one surgical change in it, beside reading it", editing * 1e3, ours * 1e3, 2),
    ]


def memory(place: Path) -> Row:
    """Peak memory of a cold recall over 10,000 blocks beside the bare command, in MB over it."""
    home = filled(place / "memory", 10_000)
    command(home, "recall", "search code")
    program = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], capture_output=True); "
    program += "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    kilobyte = 1024 if sys.platform == "darwin" else 1
    peaks = []
    for argv in (["-m", "alice_exp", "recall", "search code"], [str(HERE / "bare.py"), "x"]):
        watched = [sys.executable, "-c", program, sys.executable, *argv]
        peak = subprocess.run(
            watched, env=environment(home), capture_output=True, text=True, check=True
        ).stdout
        peaks.append(int(peak) / kilobyte / 1024)
    ours, theirs = peaks
    name = "memory of `recall`, 10,000 blocks (allowed: the bare command + 40 MB)"
    return Row(name, ours, theirs, theirs + 40, "MB", absolute=True)


def growth(place: Path) -> Row:
    """The repository after 500 outcomes on a 1 MB namespace beside the file."""
    from alice_exp.learning.usecases.decision_outcome import report_outcome

    home = filled(place / "growth", 4400)
    session = open_session(str(home), "user")
    file = home / "experiences" / "universal" / "tool_usage.jsonc"
    ids = [
        placed.block.id
        for placed in session.home.read(("universal",))
        if placed.path == "universal/tool_usage.jsonc"
    ]
    for number in range(500):
        report_outcome(session, ids[number % len(ids)], True, f"scenario {number}")
    stored = sum(path.stat().st_size for path in (home / "experiences" / ".git").rglob("*") if path.is_file())
    name = "repository after 500 outcomes on that namespace"
    return Row(name, stored / 1e6, file.stat().st_size / 1e6, 10, "MB")


def main() -> None:
    """Measure everything and print the table."""
    print("| what | measured | yardstick | ratio | at most | |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory(prefix="alice-bench-") as place:
        for part in (cold, acting, bulk, reading, finding, saving, serving, memory, growth):
            rows = part(Path(place))
            for row in [rows] if isinstance(rows, Row) else rows:
                print(row, flush=True)


if __name__ == "__main__":
    main()
