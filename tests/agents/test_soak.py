"""Ten thousand calls of one server process: its memory stays where it is (issue 6)."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.agents.wire import Wire, resident

CALLS = 10_000
GROWTH = 12.0
"""Megabytes that may come between the thousandth call and the last: little more than a kilobyte a call, what it wrote included."""


def one_call(server: Wire, number: int) -> None:
    """Calls that read, each with words of its own; now and then one that writes."""
    if number % 500 == 0:
        server.call("add_event", thought=f"thought {number}")
    elif number % 100 == 1:
        server.call(
            "report_outcome", id=server.call("decide", task=f"search code {number}")["decision"], ok=True
        )
    elif number % 10 == 2:
        server.call("search_memory_tool", query=f"what does the user like {number}")
    elif number % 10 == 3:
        server.call("memory_assess_knowledge", topic=f"code {number}")
    else:
        server.call("recall", query=f"search code in repository {number}")


@pytest.mark.slow
def test_memory_stays_flat_over_ten_thousand_calls(
    home: Path, run: Callable[..., Any], capsys: pytest.CaptureFixture[str]
) -> None:
    run("remember", "use rg", "--when", "search code")
    run("remember", "the user likes tables")
    at: dict[int, float] = {}
    with Wire() as server:
        for number in range(1, CALLS + 1):
            one_call(server, number)
            if number in (1_000, 5_000, CALLS):
                at[number] = resident(server.pid)
    with capsys.disabled():
        print("\nmcp memory:", ", ".join(f"{calls:,} calls {size:.1f} MB" for calls, size in at.items()))
    assert at[CALLS] - at[1_000] < GROWTH, at
