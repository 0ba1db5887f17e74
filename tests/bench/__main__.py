"""DESIGN 9: each figure beside its yardstick, in one run. ``make bench``; the table of docs/speed.md."""

from __future__ import annotations

import json
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from alice_exp.learning.wiring import learning
from alice_exp.owner.wiring import open_session
from tests.bench.bench_finding import finding, saving
from tests.bench.bench_mcp import serving
from tests.bench.homes import command, environment, filled, lines
from tests.bench.rows import Row

HERE = Path(__file__).parent
ROUNDS = 9


def seconds(work: Callable[[], object], rounds: int = ROUNDS) -> float:
    """The median time of one call, after one that does not count."""
    work()
    times = []
    for _ in range(rounds):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def paired(
    one: Callable[[], object], other: Callable[[], object], rounds: int = ROUNDS
) -> tuple[float, float]:
    """The medians of two things measured in turn, so that a slow minute meets both."""
    one(), other()
    ones, others = [], []
    for _ in range(rounds):
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


def cold(place: Path) -> list[Row]:
    """Cold commands beside the bare one."""
    home = filled(place / "cold", 2000)
    known = json.loads(command(home, "list", "--set", "universal", "--json").stdout)["blocks"][0]["id"]
    command(home, "outcome", known, "ok")
    rows = []
    for name, arguments in {
        "recall": ["recall", "search code"],
        "show": ["show", known],
        "list": ["list", "--set", "personal"],
        "heartbeat": ["heartbeat", "--peek"],
    }.items():
        ours, theirs = paired(lambda a=arguments: command(home, *a), bare)  # type: ignore[misc]
        rows.append(
            Row(f"cold `{name}`, 2,000 blocks", ours * 1e3, theirs * 1e3, 4 if name == "heartbeat" else 1.5)
        )
    for name, arguments in {
        "memorize": ["memorize", "a thing of its own"],
        "outcome": ["outcome", known, "ok"],
        "log": ["log", "-n", "20"],
        "why": ["why", known],
    }.items():
        ours, theirs = paired(lambda a=arguments: command(home, *a), bare)  # type: ignore[misc]
        rows.append(
            Row(
                f"cold `{name}`, committed" if name in ("memorize", "outcome") else f"cold `{name}`",
                ours * 1e3,
                theirs * 1e3,
                3,
            )
        )
    command(home, "heartbeat")
    ids = [item["id"] for item in json.loads(command(home, "heartbeat", "--peek", "--json").stdout)["items"]]
    approvals = iter(ids)
    ours, theirs = paired(lambda: command(home, "approve", next(approvals), "--yes"), bare, rounds=7)
    rows.append(Row("cold `approve`, committed", ours * 1e3, theirs * 1e3, 3))
    return rows


def acting(place: Path) -> list[Row]:
    """One act in a running process beside git's own add and commit."""
    from alice_exp.blocks.usecases.capture import Draft, memorize
    from alice_exp.learning.usecases.outcome import report_outcome
    from alice_exp.model.values.block import Payload

    home = filled(place / "acting", 200)
    session = open_session(str(home), "user")
    yard = place / "yard"
    yard.mkdir()
    git = ["git", "-c", "core.fsync=all", "-c", "user.name=a", "-c", "user.email=a@b", "-C", str(yard)]
    subprocess.run([*git, "init", "-q"], check=True)
    counter = iter(range(10**6))

    def theirs() -> None:
        (yard / "f").write_text(f"{next(counter)}\n" * 100)
        subprocess.run([*git, "add", "f"], check=True)
        subprocess.run([*git, "commit", "-q", "-m", "x"], check=True)

    def keep() -> None:
        memorize(session.home, session.caller, [Draft(Payload(f"thing number {next(counter)}"))])

    known = next(iter(session.home.read())).block.id
    rows = []
    for name, work in (
        ("memorize", keep),
        ("outcome", lambda: report_outcome(learning(session), known, True)),
    ):
        ours, yardstick = paired(work, theirs, rounds=25)
        rows.append(
            Row(f"one `{name}` in a running process, committed and fsynced", ours * 1e3, yardstick * 1e3, 2)
        )
    return rows


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
    return Row(
        "10,000 blocks from JSONL, one commit", statistics.median(times) * 1e3, seconds(theirs) * 1e3, 25
    )


def reading(place: Path) -> list[Row]:
    """Reading and editing a 1 MB namespace file."""
    from alice_exp.kernel.jsonc import Set, edit, parse
    from alice_exp.model.formats.block_schema import read_blocks

    count = 2200
    home = filled(place / "reading", count * 2)
    path = "universal/tool_usage.jsonc"
    data = (home / "experiences" / path).read_bytes()
    plain = json.dumps(parse(data, path).value, ensure_ascii=False).encode()
    document = parse(data, path)
    ours, theirs = paired(lambda: read_blocks(parse(data, path)), lambda: json.loads(plain))
    middle = ("blocks", count // 2)
    change = [Set((*middle, "verifications"), 13), Set((*middle, "state"), "past")]
    editing = seconds(lambda: edit(document, change))
    return [
        Row(f"reading a {len(data) / 1e6:.1f} MB namespace file", ours * 1e3, theirs * 1e3, 8),
        Row("one surgical change in it, beside reading it", editing * 1e3, ours * 1e3, 2),
    ]


def memory(place: Path) -> Row:
    """Peak memory of a cold recall over 10,000 blocks beside the bare command, in MB over it."""
    home = filled(place / "memory", 10_000)
    command(home, "recall", "search code")
    peaks = []
    for argv, env in (
        ([sys.executable, "-m", "alice_exp", "recall", "search code"], environment(home)),
        ([sys.executable, str(HERE / "bare.py"), "x"], environment(home)),
    ):
        code = "import resource,subprocess,sys; subprocess.run(sys.argv[1:],capture_output=True); print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
        done = subprocess.run(
            [sys.executable, "-c", code, *argv], env=env, capture_output=True, text=True, check=True
        )
        peaks.append(int(done.stdout) / (1 if sys.platform == "darwin" else 1024))
    ours, theirs = peaks
    return Row(
        "memory of `recall`, 10,000 blocks (allowed: the bare command + 40 MB)",
        ours,
        theirs,
        (theirs + 40) / theirs,
        "MB",
    )


def growth(place: Path) -> Row:
    """The repository after 500 outcomes on a 1 MB namespace beside the file."""
    from alice_exp.learning.usecases.outcome import report_outcome

    home = filled(place / "growth", 4400)
    session = open_session(str(home), "user")
    file = home / "experiences" / "universal" / "tool_usage.jsonc"
    ids = [
        placed.block.id
        for placed in session.home.read(("universal",))
        if placed.path == "universal/tool_usage.jsonc"
    ]
    for number in range(500):
        report_outcome(learning(session), ids[number % len(ids)], True, f"scenario {number}")
    stored = sum(path.stat().st_size for path in (home / "experiences" / ".git").rglob("*") if path.is_file())
    return Row(
        "repository after 500 outcomes on that namespace", stored / 1e6, file.stat().st_size / 1e6, 10, "MB"
    )


def main() -> None:
    """Measure everything and print the table."""
    place = Path(tempfile.mkdtemp(prefix="alice-bench-"))
    print("| what | measured | yardstick | ratio | at most | |\n|---|---|---|---|---|---|")
    try:
        for part in (cold, acting, bulk, reading, finding, saving, serving, memory, growth):
            rows = part(place)
            for row in [rows] if isinstance(rows, Row) else rows:
                print(row, flush=True)
    finally:
        shutil.rmtree(place, ignore_errors=True)
    print(
        f"\npeak memory of this run: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB",
        file=sys.stderr,
    )


if __name__ == "__main__":
    main()
