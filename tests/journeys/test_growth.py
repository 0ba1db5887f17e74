"""How a memory grows and what that costs, and tables that other tests do not name (``tests/COVERAGE.md``)."""

import importlib
import random
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import alice_exp
from alice_exp.episodes.rules.retention import prune
from alice_exp.episodes.rules.search_episodes import find_similar, join
from alice_exp.kernel.text.times import iso_time
from alice_exp.model.rules.lifecycle import level
from alice_exp.model.values.block import CONFIDENCE, TRUST, Block, Payload
from alice_exp.model.values.records import Episode, EpisodeBook
from alice_exp.model.values.snapshot import NamespaceFile, Snapshot
from tests.conftest import ROOT

DAY = 86_400_000
START = 1_771_578_000_000
WORDS = [f"word{number}" for number in range(400)]


def lived(number: int, day: float, chance: random.Random) -> Episode:
    task = " ".join(chance.choices(WORDS, k=5))
    at = iso_time(START + round(day * DAY))
    return Episode(f"ep-{number:08}", task, reward=round(chance.random(), 2), at=at)


@pytest.mark.covers("R0.50")
def test_ninety_days_fill_it_and_then_it_stays_around_a_thousand() -> None:
    chance, book, cleaned, sizes = random.Random(50), EpisodeBook(), [], {}
    schedule = [(1, 10), (7, 100), (30, 500), (90, 1000), (120, 1500)]
    number = 0
    for day, upto in schedule:
        while number < upto:
            number += 1
            book = replace(book, episodes=(*book.episodes, lived(number, day, chance)))
            if len(book.episodes) > book.capacity:
                cleaned.append(number)
                book = prune(book, iso_time(START + day * DAY)).book
            assert len(book.episodes) <= 1000
        sizes[day] = len(book.episodes)
    assert {day: sizes[day] for day in (1, 7, 30, 90)} == {1: 10, 7: 100, 30: 500, 90: 1000}
    assert cleaned == [1001, 1201, 1401], "the first at the 1001st, then each time it is full again"
    assert 800 <= sizes[120] <= 1000


def _least(act: Callable[[], object]) -> float:
    times = []
    for _ in range(5):
        began = time.process_time()
        act()
        times.append(time.process_time() - began)
    return min(times)


@pytest.mark.covers("R0.49")
def test_four_times_as_many_cost_no_sixteen_times_as_much() -> None:
    chance = random.Random(49)
    listed = [lived(number, number / 100, chance) for number in range(2400)]
    few, many = EpisodeBook(tuple(listed[:600])), EpisodeBook(tuple(listed))
    now = iso_time(START + 30 * DAY)
    for act in (
        lambda book: prune(book, now),
        lambda book: find_similar(book.episodes, "word1 word2 word3 word4", {}),
        lambda book: join(book, [Episode("ep-zzzzzzzz", "new")], iter(())),
    ):
        assert _least(lambda act=act: act(many)) <= 10 * _least(lambda act=act: act(few)) + 0.001  # type: ignore[misc]


@pytest.mark.covers("R2.38")
def test_trust_by_confidence() -> None:
    states = ("possible", "past", "reliable")
    table = {
        place: [round(TRUST[place] * CONFIDENCE[state], 2) for state in states]  # type: ignore[index]
        for place in ("personal", "universal", "low_value")
    }
    assert table == {
        "personal": [0.27, 0.54, 0.81],
        "universal": [0.21, 0.42, 0.63],
        "low_value": [0.06, 0.12, 0.18],
    }
    assert CONFIDENCE["obsolete"] == 0.0


@pytest.mark.covers("R2.23")
def test_two_thousand_blocks_are_gone_through_in_a_moment() -> None:
    states = ("possible", "past", "reliable")
    blocks = tuple(
        Block(f"exp-{n:08}", Payload("x"), state=states[n % 3], verifications=n) for n in range(2000)
    )  # type: ignore[arg-type]
    seen = Snapshot((NamespaceFile("universal/tools.jsonc", blocks),))

    def act() -> list[Block]:
        return [placed.block for placed in seen.within("universal") if placed.block.state == "reliable"]

    assert len(act()) == 666
    assert _least(act) < 0.01, "0.36 ms where it was first measured"
    assert level(act()[-1]) == "super_reliable"


GLOSSARY = (ROOT / "docs/sources.md").read_text(encoding="utf-8")
ROWS = [
    tuple(cell.strip() for cell in row.split("|")[1:5])
    for row in re.findall(r"^\| [A-Z].*$", GLOSSARY, re.MULTILINE)
]


covers = pytest.mark.covers


@pytest.mark.parametrize(
    "names",
    [
        pytest.param("ExperienceMemory", marks=covers("BX.1"), id="experience memory"),
        pytest.param("EventMemory EventSegment", marks=covers("R1.2"), id="events"),
        pytest.param("ExperienceModel", marks=covers("R2.27"), id="model"),
        pytest.param("JsoncStorage", marks=covers("R2.28"), id="storage"),
        pytest.param("ExperienceRegistry", marks=covers("R2.29"), id="registry"),
        pytest.param("HeartbeatReporter", marks=covers("R2.30"), id="heartbeat"),
        pytest.param("PeerDiscovery", marks=covers("R2.31"), id="discovery"),
        pytest.param("ExperienceExchange", marks=covers("R2.32"), id="exchange"),
        pytest.param(
            "ShortTermMemory LongTermMemory MemoryStore ChatHistoryStore MemoryExtractor MemoryRecallTool "
            "ExperienceManager",
            marks=covers("R4.14"),
            id="conversations",
        ),
    ],
)
def test_a_sources_name_leads_to_what_is_there(names: str) -> None:
    for name in names.split():
        rows = [row for row in ROWS if name in re.findall(r"[A-Z]\w+", row[0])]
        assert rows and not any([*_missing(row)] for row in rows), name


def test_the_glossary_leads_to_what_is_there() -> None:
    assert len(ROWS) > 12
    for row in ROWS:
        assert set(_missing(row)) == set(), row


def _missing(row: tuple[str, ...]) -> Iterator[str]:
    """What a row of the glossary names and is not there: methods of ``Alice``, and modules or names in them."""
    _, calls, _, modules = row
    yield from (call for call in re.findall(r"`(\w+)`", calls) if not hasattr(alice_exp.Alice, call))
    for place in re.findall(r"`([a-z_.]+(?:\.[A-Z]\w+)?)`", modules):
        module, _, name = place.rpartition(".") if place.split(".")[-1][0].isupper() else (place, "", "")
        found = importlib.import_module(f"alice_exp.{module}")
        if name and not hasattr(found, name):
            yield place


@pytest.mark.covers("R1.1")
def test_long_term_memory_is_called_experience_memory() -> None:
    (modules,) = [row[3] for row in ROWS if "ExperienceMemory" in row[0]]
    assert "`model.values.snapshot.Snapshot`" in modules
    names = [path.stem for path in Path(alice_exp.__file__).parent.rglob("*.py")]
    assert "long_term_memory" not in names
