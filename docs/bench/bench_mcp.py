"""The agents' server: from its start to its first answer beside the SDK's smallest, and ``recall`` while it runs."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from docs.bench.bench_finding import p95, questions
from docs.bench.homes import environment, filled
from docs.bench.rows import Row
from tests.agents.wire import OURS, SMALLEST, Wire


def serving(place: Path, blocks: int = 10_000, rounds: int = 7, asked: int = 300) -> Iterator[Row]:
    """Start to first answer, in turn with the yardstick; then one server's ``recall`` beside an empty call of the SDK."""
    home = filled(place / "serving", blocks)
    environ = environment(home)
    first_answer(OURS, environ), first_answer(SMALLEST, environ)
    ours, theirs = [], []
    for _ in range(rounds):
        ours.append(first_answer(OURS, environ))
        theirs.append(first_answer(SMALLEST, environ))
    yield Row("`mcp`, start to first answer, beside the SDK's smallest server", _ms(ours), _ms(theirs), 1.25)
    with Wire(OURS, environ) as server, Wire(SMALLEST, environ) as small:
        mine, bare = [], []
        for query in questions(asked):
            mine.append(timed(server, query))
            bare.append(timed(small, query))
    fast, yardstick = p95(mine[20:]) * 1e3, p95(bare[20:]) * 1e3
    name = f"`recall` over MCP, {blocks:,} blocks, p95, beside a call that does nothing"
    yield Row(name, fast, yardstick, 30, absolute=True)


def first_answer(command: Sequence[str], environ: dict[str, str]) -> float:
    """Seconds from starting a server to its answer of one ``recall``."""
    began = time.perf_counter()
    with Wire(command, environ) as server:
        server.call("recall", query="search code")
        return time.perf_counter() - began


def timed(server: Wire, query: str) -> float:
    """Seconds of one call."""
    began = time.perf_counter()
    server.call("recall", query=query)
    return time.perf_counter() - began


def _ms(times: list[float]) -> float:
    return sorted(times)[len(times) // 2] * 1e3


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        for row in serving(Path(folder)):
            print(row)
