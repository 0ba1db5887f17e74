"""One calibrated probability decides silence for every search (DESIGN 10)."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Call = Callable[..., Any]

TOLD = "the staging database restarts at four every night because of the nightly backup of the customers"
SEARCHES = ("recall", "decide", "assess", "episode similar", "session search")


@pytest.fixture
def told(home: Path, cli: Call) -> Call:
    """One text as a block, as an episode and as a message."""
    cli("session", "start", "demo")
    cli("session", "say", "demo", "user", TOLD)
    cli("remember", TOLD)
    cli("episode", "add", "--task", TOLD, "--success")
    return cli


def answering(cli: Call, query: str) -> tuple[str, ...]:
    """The searches that answer; of ``recall`` the blocks, as what was lived is told beside them."""
    blocks = cli("recall", query, "--json", check=False).json["matches"]
    others = [one for one in SEARCHES[1:] if cli(*one.split(), query, check=False).code == 0]
    return (*SEARCHES[: bool(blocks)], *others)


def test_one_probability_decides_for_every_search(told: Call) -> None:
    query = "when is the database of staging down?"
    assert answering(told, query) == SEARCHES
    assert answering(told, "what did Melanie say about the goldfish?") == ()
    told("config", "set", "thresholds.fits", "0.9999")
    assert answering(told, query) == ()
    told("config", "set", "thresholds.fits", "0")
    assert answering(told, "whistle for the goldfish every single morning before work and school") == SEARCHES
