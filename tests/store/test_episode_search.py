"""The episodes' index answers as the episodes themselves do, is kept in step, and never stands in the way (DESIGN 9)."""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from alice_exp.core.records import Episode
from alice_exp.rules.episode_index import EpisodeIndex, KnownIndex
from alice_exp.rules.episode_words import KnownWords, WordIndex, find_by_words, find_without_context
from alice_exp.rules.episodes import Filters, Match, find_similar
from alice_exp.store.episode_search import EpisodeSearch, KeptEpisodes
from alice_exp.store.files import Signature, read_bytes
from alice_exp.store.recording import Recording
from alice_exp.text.records import EPISODES_PATH, episode_json

WORDS = ["deploy", "search", "code", "fix", "login", "cache", "搜索", "部署", "机器学习", "AI", "C3"]
NOW = "2026-02-20T09:00:00Z"


def episode(number: int, task: str, **more: Any) -> Episode:
    name = f"ep-{number:08d}".translate(str.maketrans("01", "ab"))
    return replace(Episode(name, task, at=f"2026-01-{1 + number % 28:02d}T09:00:00Z"), **more)


class House:
    """An episodes' file in a directory and an index over it; counts how often the file was parsed."""

    def __init__(self, root: Path) -> None:
        self.path = root / "experiences" / EPISODES_PATH
        self.path.parent.mkdir(parents=True)
        self.state = root / "state" / "episodes.sqlite"
        self.parsed = 0
        self.warnings: list[str] = []
        self.recording = Recording(root / "experiences")
        self.search = self.another()

    def another(self) -> EpisodeSearch:
        return EpisodeSearch(
            self.state,
            lambda: read_bytes(self.path),
            self.parse,
            lambda error: self.warnings.append(str(error)),
        )

    def parse(self, data: bytes) -> Any:
        self.parsed += 1
        return self.recording.episode_rows(data)

    def write(self, episodes: Sequence[Episode], *, old: bool = True) -> None:
        rows = ",\n    // a comment\n    ".join(
            json.dumps(episode_json(one), ensure_ascii=False) for one in episodes
        )
        self.path.write_text(f'{{\n  "episodes": [\n    {rows}\n  ]\n}}\n', encoding="utf-8")
        if old:
            os.utime(self.path, ns=(10**18, 10**18))
            time.sleep(0.025)

    @property
    def signature(self) -> Signature:
        return Signature.of(self.path.lstat())

    def ask(self, question: Callable[[KeptEpisodes], Any]) -> Any:
        return self.search.ask(self.signature, question)

    def ids(self, task: str, context: Any = None) -> list[str]:
        found = self.ask(lambda known: find_similar(KnownIndex(known), task, context))
        assert found is not None
        return [match.episode.id for match in found]


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    made = House(tmp_path)
    made.write([episode(2, "deploy the website"), episode(3, "search code", success=True)])
    yield made
    made.search.close()


def answers(index: Any, words: Any, task: str, context: Any, filters: Filters) -> list[tuple[Match, ...]]:
    """All that can be asked, three best and all."""
    return [
        found
        for top in (3, 100)
        for found in (
            find_similar(index, task, context, top, filters),
            find_by_words(words, task, top, filters, 0.0),
            find_without_context(index, words, task, top, filters),
        )
    ]


TASK = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join)
CONTEXT = st.sampled_from([{}, {"os": "linux"}, {"os": "mac", "n": 1}, {"n": True}, {"n": [1, {"a": None}]}])
DRAWN = st.builds(
    lambda task, context, **more: {"task": task, "context": context, **more},
    TASK,
    CONTEXT,
    success=st.booleans(),
    reward=st.sampled_from([0.0, 0.4, 1.0]),
    type=st.sampled_from(["", "fix", "deploy"]),
    reflection=st.sampled_from(["", "cache it"]),
)
FILTERS = st.sampled_from(
    [
        Filters(),
        Filters(success=True),
        Filters(type="fix"),
        Filters(after="2026-01-09T09:00:00Z", min_reward=0.3),
    ]
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(DRAWN, min_size=1, max_size=30),
    st.lists(DRAWN, max_size=5),
    st.integers(0, 40),
    TASK,
    CONTEXT,
    FILTERS,
)
@pytest.mark.covers("R0.2", "B0.7")
def test_every_answer_is_the_same_with_and_without_the_index(
    tmp_path_factory: pytest.TempPathFactory,
    first: Any,
    added: Any,
    cut: int,
    task: str,
    context: Any,
    filters: Filters,
) -> None:
    house = House(tmp_path_factory.mktemp("house"))
    listed = [episode(at, **one) for at, one in enumerate(first)]
    grown = listed + [episode(100 + at, **one) for at, one in enumerate(added)]
    pruned = grown[:cut] + grown[cut + 1 :]
    before: tuple[EpisodeIndex, WordIndex] | None = None
    for moment in (listed, grown, pruned):
        house.write(moment, old=False)
        index = EpisodeIndex(moment, before[0] if before else None)
        words = WordIndex(moment, before[1] if before else None)
        expected = answers(EpisodeIndex(moment), WordIndex(moment), task, context, filters)
        assert answers(index, words, task, context, filters) == expected

        def asked(known: KeptEpisodes) -> Any:
            return answers(KnownIndex(known), KnownWords(known), task, context, filters)

        assert house.ask(asked) == expected
        before = index, words
    assert house.warnings == []
    house.search.close()


def test_many_are_counted_block_by_block(house: House) -> None:
    """Beyond 512 what chance matches is learned from whole blocks: one more episode must not teach anything else."""
    listed = [
        episode(at, f"{WORDS[at % 11]} {WORDS[at // 11 % 11]} part{at % 97}", reflection=f"note{at}")
        for at in range(800)
    ]
    words = None
    for count in (511, 513, 600, 767, 768, 800):
        house.write(listed[:count], old=False)
        words = WordIndex(listed[:count], words)
        expected = find_by_words(WordIndex(listed[:count]), "search cache part7", 20, gate=0.0)
        assert expected
        assert find_by_words(words, "search cache part7", 20, gate=0.0) == expected
        assert (
            house.ask(lambda known: find_by_words(KnownWords(known), "search cache part7", 20, gate=0.0))
            == expected
        )


def test_an_unchanged_file_is_never_parsed_twice(house: House) -> None:
    assert house.ids("deploy the website")[0] == "ep-aaaaaaa2"
    house.search.close()
    house.search = house.another()
    assert house.ids("search code") == ["ep-aaaaaaa3"]
    os.utime(house.path, ns=(10**18 - 7, 10**18 - 7))
    assert house.ids("search code") == ["ep-aaaaaaa3"]
    assert house.parsed == 1


def test_a_change_within_one_tick_is_seen(house: House) -> None:
    soon = time.time_ns() + 10**10
    os.utime(house.path, ns=(soon, soon))
    same = house.signature
    house.search.ask(same, lambda known: len(known.sizes))
    house.path.write_text(house.path.read_text("utf-8").replace("search", "rename"), "utf-8")
    found = house.search.ask(same, lambda known: find_similar(KnownIndex(known), "rename code"))
    assert found is not None
    assert [one.episode.task for one in found] == ["rename code"]


def test_what_was_added_is_written_and_nothing_else(house: House) -> None:
    listed = [episode(2, "deploy the website"), episode(3, "search code", success=True)]
    house.ids("deploy")
    connection = sqlite3.connect(house.state)
    connection.execute("UPDATE episodes SET said = 'as it was' WHERE place = 0")
    connection.commit()
    house.write([*listed, episode(4, "deploy twice")])
    assert house.ids("deploy twice")[0] == "ep-aaaaaaa4"
    said = "SELECT said FROM episodes WHERE place = 0"
    assert connection.execute(said).fetchone() == ("as it was",)
    house.write([replace(listed[0], reflection="slowly"), listed[1]])
    assert house.ids("deploy the website")[0] == "ep-aaaaaaa2"
    assert connection.execute(said).fetchone() == ("deploy the website  slowly",)
    connection.close()


def test_a_problem_or_a_missing_id_leaves_the_answer_to_the_file(house: House) -> None:
    house.ids("deploy")
    house.path.write_text('{"episodes": [{"task": 3}]}')
    assert house.ask(lambda known: True) is None
    house.path.write_text('{"episodes": [{"task": "typed by hand"}]}')
    assert house.ask(lambda known: True) is None
    house.write([episode(5, "mended")])
    assert house.ids("mended") == ["ep-aaaaaaa5"]
    assert house.warnings == []


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE about SET version = 'older'",
        "DROP TABLE about",
        "DROP TABLE keywords",
        "UPDATE parts SET data = x'00' WHERE name = 'sizes'",
        "UPDATE parts SET data = x'00' WHERE name = 'names'",
        "UPDATE episodes SET body = '{'",
    ],
)
def test_a_damaged_index_costs_at_most_one_warning(house: House, damage: str) -> None:
    house.ids("deploy the website")
    house.search.close()
    connection = sqlite3.connect(house.state)
    connection.execute(damage)
    connection.commit()
    connection.close()
    house.search = house.another()

    def asked(known: KeptEpisodes) -> Any:
        return find_similar(KnownIndex(known), "deploy the website", filters=Filters(type="general"))

    house.ask(asked)
    assert len(house.warnings) <= 1
    house.search.close()
    house.search = house.another()
    assert [one.episode.id for one in house.ask(asked)] == ["ep-aaaaaaa2"]


def test_rows_that_say_something_else_are_noticed(house: House) -> None:
    house.ids("deploy")
    assert house.search.misled(house.signature) == ()
    connection = sqlite3.connect(house.state)
    connection.execute("UPDATE episodes SET body = replace(body, 'deploy', 'destroy')")
    connection.commit()
    connection.close()
    assert house.search.misled(house.signature) == ("episodes.sqlite",)
