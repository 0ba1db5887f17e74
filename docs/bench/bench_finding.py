"""The rows of DESIGN 9 that are about finding: recall in a running process, over MCP's desk, after a saved edit."""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from alice_exp.app.opening import open_session
from docs.bench import cost_plot
from docs.bench.homes import HAN, LATIN, environment, filled
from docs.bench.rows import Row

SIZES = (2_000, 10_000, 100_000)
ASKED = 100
PLOT = Path(__file__).with_name("finding.svg")
_TOP = 10


def questions(count: int = ASKED) -> list[str]:
    """Questions of four words or of eight characters, always the same."""
    chance = random.Random(3)
    return [
        " ".join(chance.choices(LATIN, k=4)) if number % 2 else "".join(chance.choices(HAN, k=8))
        for number in range(count)
    ]


def p95(times: Sequence[float]) -> float:
    """The 95th percentile, in the unit given."""
    return sorted(times)[int(len(times) * 0.95)]


def in_turn(asked: Sequence[str], *ways: Callable[[str], object]) -> list[float]:
    """The p95 of each way's CPU time in ms, the ways taking turns so that a slow minute meets all of them."""
    times: list[list[float]] = [[] for _ in ways]
    for way in ways:
        way(asked[0])
    for query in asked:
        for way, spent in zip(ways, times, strict=True):
            began = time.process_time()
            way(query)
            spent.append((time.process_time() - began) * 1e3)
    return [p95(spent) for spent in times]


def finding(place: Path, sizes: Sequence[int] = SIZES) -> Iterator[Row]:
    """Recall in a running process and as an agent's tool beside the same words against a bare FTS5 table."""
    from alice_exp.agents import operations
    from alice_exp.finding.rules.concerns import block_text
    from alice_exp.finding.usecases import Filters, recall
    from alice_exp.home.session import Session
    from alice_exp.kernel.text.tokens import tokens, tokens_many

    seen: dict[int, float] = {}
    drawn: dict[str, list[tuple[int, float]]] = {}
    for size in sizes:
        session = open_session(str(filled(place / f"finding{size}", size)), "agent")
        connection = operations.Connection(session)
        with sqlite3.connect(place / f"bare{size}.sqlite") as table:
            table.execute("CREATE VIRTUAL TABLE texts USING fts5(text)")
            texts = [block_text(placed.block) for placed in session.home.read()]
            table.executemany(
                "INSERT INTO texts VALUES (?)", ((" ".join(row),) for row in tokens_many(texts))
            )
        table.commit()

        def ours(query: str, session: Session = session) -> object:
            return recall(session, query, {}, _TOP, Filters())

        def theirs(query: str, table: sqlite3.Connection = table) -> object:
            words = " OR ".join(f'"{token}"' for token in dict.fromkeys(tokens(query)))
            found = table.execute(
                "SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT 10", (words,)
            )
            return found.fetchall()

        def tool(query: str, connection: operations.Connection = connection) -> object:
            return operations.recall(connection, query, _TOP)

        own, bare, told = in_turn(questions(), ours, theirs, tool)
        table.close()
        seen[size] = own
        for name, spent in (("recall", own), ("as an agent's tool", told), ("bare FTS5", bare)):
            drawn.setdefault(name, []).append((size, spent))
        yield Row(f"recall in a running process, {size:,} blocks, p95", own, bare, 1 if size > 10_000 else 3)
        if size == 10_000:
            yield Row(f"recall as an agent's tool, {size:,} blocks, p95", told, bare, 3)
    few, *_, many = seen
    if few != many:
        picture = cost_plot.svg(drawn, "One question, 95 of 100 are faster", "blocks")
        PLOT.write_text(picture, encoding="utf-8")
        yield Row(
            f"recall at {many:,} blocks beside recall at {few:,} (so many times the blocks: {many // few})",
            seen[many],
            seen[few],
            many // few,
        )


def saving(place: Path, rounds: int = 5) -> Row:
    """A saved edit of the largest file of 2,000 blocks, committed and found by its new words, beside the debounce."""
    from alice_exp.finding.usecases import Filters, recall

    home = filled(place / "saving", 2_000)
    session = open_session(str(home), "user")
    file = home / "experiences/universal/tool_usage.jsonc"
    times = []
    with _watching(home) as events:
        for number in range(rounds):
            word = f"zebra{number}"
            text = file.read_text(encoding="utf-8").replace('"payload": "', f'"payload": "{word} ', 1)
            began = time.perf_counter()
            file.write_text(text, encoding="utf-8")
            next(events)
            found = recall(session, word, {}, 1, Filters())
            times.append((time.perf_counter() - began) * 1e3)
            if not found or word not in found[0].placed.block.payload.content:
                raise SystemExit("a saved edit was told and cannot be found")
            time.sleep(0.5)
    return Row(
        "a saved edit of 2,000 blocks → committed and searchable", sorted(times)[len(times) // 2], 200, 2
    )


@contextmanager
def _watching(home: Path) -> Iterator[Iterator[object]]:
    command = [sys.executable, "-m", "alice_exp", "watch", "--json"]
    # A stdin of its own, because the end of stdin ends a watch.
    running = subprocess.Popen(
        command, env=environment(home), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert running.stdout is not None
    try:
        events = map(json.loads, running.stdout)
        next(events)
        yield events
    finally:
        os.kill(running.pid, signal.SIGINT)
        running.wait(5)
