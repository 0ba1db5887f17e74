"""Episodes and thoughts measured: cost against size beside SQLite, finding beside BM25, the timeline's bounds.

    python -m tests.bench.bench_records [DATA]

Cost: adding, searching and pruning 1,000, 5,000 and 10,000 episodes in a running process, each beside what a bare SQLite
table needs for the same words in the same run; then the whole act, committed and fsynced. Finding: ``similar`` on
tau_airline and alfworld_lessons, recall@5 beside plain BM25 over the same words.
"""

from __future__ import annotations

import json
import math
import os
import random
import sqlite3
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from alice_exp.core.records import Episode, EpisodeBook, Event, Timeline, iso_time
from alice_exp.rules.episode_index import EpisodeIndex
from alice_exp.rules.episode_words import find_by_words
from alice_exp.rules.episodes import find_similar
from alice_exp.rules.retention import prune
from alice_exp.rules.timeline import add_event
from alice_exp.text.records import episode_json, timeline_json
from alice_exp.text.words import tokens

SIZES = (1000, 5000, 10_000)
NOW = "2026-02-20T09:00:00Z"
_WORDS = [
    f"{stem}{number}"
    for stem in ("deploy", "search", "fix", "test", "index", "cache")
    for number in range(80)
]


def data() -> Path:
    """Where the public data lies: the argument, ALICE_DATA, or beside the project."""
    if len(sys.argv) > 1:
        return Path(sys.argv[1])
    return Path(os.environ.get("ALICE_DATA", Path(__file__).parents[2].parent / "shared/data"))


def episodes(count: int) -> list[Episode]:
    """Believable episodes, the same in every run."""
    chance = random.Random(5)
    made = []
    for number in range(count):
        success = chance.random() < 0.6
        made.append(
            Episode(
                f"ep-{number:08d}".replace("0", "a").replace("1", "b"),
                " ".join(chance.choices(_WORDS, k=8)),
                {"domain": chance.choice("abcdefgh"), "os": chance.choice(["linux", "macos"])},
                chance.choice(["rg", "grep", "make", "git"]),
                "x" * 120,
                success,
                round(chance.random(), 2),
                iso_time(1_769_000_000 + number * 60),
            )
        )
    return made


def median(work: Callable[[], object], rounds: int = 7) -> float:
    """Milliseconds of one call."""
    times = []
    for _ in range(rounds):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return statistics.median(times) * 1e3


def table(rows: Sequence[Episode]) -> sqlite3.Connection:
    """The same episodes in a bare SQLite table with a full-text index."""
    connection = sqlite3.connect(":memory:")
    connection.execute("create virtual table e using fts5(id unindexed, task, context, reward unindexed)")
    connection.executemany("insert into e values (?, ?, ?, ?)", [_row(one) for one in rows])
    return connection


def _row(one: Episode) -> tuple[str, str, str, float]:
    return one.id, one.task, json.dumps(dict(one.context)), one.reward


def cost(size: int) -> str:
    """One line of the table: ours and SQLite's for add, similar and prune, in ms."""
    rows = episodes(size)
    asked, context = "deploy3 search7 fix12 index40 cache79", {"domain": "a", "os": "linux"}
    query = " OR ".join(asked.split())
    db = table(rows)
    book = EpisodeBook(tuple(rows), size)
    fresh = Episode("ep-zzzzzzzz", "one more", {"domain": "a"}, at=NOW)

    def their_add() -> None:
        with db:
            db.execute("insert into e values (?, ?, ?, ?)", _row(fresh))

    def their_prune() -> None:
        other = table(rows)
        with other:
            other.execute(
                "delete from e where id in (select id from e order by reward limit ?)", (size // 5,)
            )

    index = EpisodeIndex(rows)
    figures = (
        (median(lambda: EpisodeBook((*book.episodes, fresh), size)), median(their_add)),
        (
            median(lambda: find_similar(index, asked, context)),
            median(
                lambda: db.execute(
                    "select id from e where e match ? order by rank limit 5", (query,)
                ).fetchall()
            ),
        ),
        (median(lambda: EpisodeIndex(rows), 3), median(lambda: table(rows), 3)),
        (median(lambda: prune(book, NOW), 3), median(their_prune, 3)),
    )
    return f"| {size:,} | " + " | ".join(f"{ours:.2f} / {theirs:.2f}" for ours, theirs in figures) + " |"


def whole_act(size: int) -> str:
    """Adding to a file of ``size`` episodes: read, rewritten, committed, fsynced; beside SQLite's durable insert."""
    from alice_exp.api import Alice

    with tempfile.TemporaryDirectory(prefix="alice-bench-") as place:
        os.environ.setdefault("ALICE_NOW", NOW)
        alice = Alice(Path(place) / "home", "user")
        alice.init()
        path = alice.path / "experiences/records/episodes.jsonc"
        body = ",\n".join(json.dumps(episode_json(one)) for one in episodes(size))
        path.write_text(f'{{"capacity": {size * 2}, "episodes": [\n{body}\n]}}\n', encoding="utf-8")
        alice.add_episode("warm")
        ours = median(lambda: alice.add_episode("one more thing"), 5)
        found = median(lambda: alice.similar("deploy3 search7 fix12"), 5)
        file = sqlite3.connect(Path(place) / "yard.db")
        file.executescript("pragma synchronous=full; create table e (id, task, context, reward)")

        def theirs() -> None:
            with file:
                file.execute("insert into e values (?, ?, ?, ?)", _row(Episode("x", "one more thing")))

        return f"| {size:,} | {path.stat().st_size / 1e6:.1f} MB | {ours:.1f} | {found:.1f} | {median(theirs):.1f} |"


def recall_at(ranked: Sequence[str], relevant: dict[str, int], top: int = 5) -> float:
    """The share of what is relevant among the best ``top``, of what could be there."""
    return len({*ranked[:top]} & relevant.keys()) / min(top, len(relevant))


def bm25(docs: dict[str, Counter[str]], query: Sequence[str]) -> list[str]:
    """Plain BM25 (k1 1.2, b 0.75), best first."""
    size = len(docs)
    mean = sum(sum(words.values()) for words in docs.values()) / size
    spread = Counter(word for words in docs.values() for word in words)
    scores = {}
    for name, words in docs.items():
        length = sum(words.values())
        scores[name] = sum(
            math.log(1 + (size - spread[word] + 0.5) / (spread[word] + 0.5))
            * words[word]
            * 2.2
            / (words[word] + 1.2 * (0.25 + 0.75 * length / mean))
            for word in set(query)
            if word in words
        )
    return sorted(scores, key=lambda name: (-scores[name], name))


def finding(folder: Path, corpus: str) -> str:
    """Recall@5 over a corpus's texts as tasks: ``similar`` as it is, ``--by-words``, BM25 over the same words."""
    docs = [json.loads(line) for line in (folder / corpus / "docs.jsonl").read_text("utf-8").splitlines()]
    asked = [json.loads(line) for line in (folder / corpus / "queries.jsonl").read_text("utf-8").splitlines()]
    listed = [_as_episode(row, number) for number, row in enumerate(docs)]
    index = EpisodeIndex(listed)
    words = {row["id"]: Counter(tokens(row["text"])) for row in docs}
    found: dict[str, list[float]] = {"formula": [], "as it is": [], "by words": [], "bm25": []}
    for row in asked:
        out = set(row.get("exclude", ()))
        formula = [one.episode.id for one in find_similar(index, row["query"], top=20)]
        by_words = [one.episode.id for one in find_by_words(listed, row["query"], top=20)]
        rankings = (formula, formula or by_words, by_words, bm25(words, tokens(row["query"])))
        for name, ranked in zip(found, rankings, strict=True):
            found[name].append(recall_at([one for one in ranked if one not in out], row["rel"]))
    shares = " | ".join(f"{statistics.mean(values):.1%}" for values in found.values())
    return f"| {corpus} | {len(docs)} | {len(asked)} | {shares} |"


def _as_episode(row: dict[str, Any], number: int) -> Episode:
    success = bool(row["meta"].get("success"))
    return Episode(
        row["id"], row["text"], success=success, reward=float(success), at=iso_time(1_700_000_000 + number)
    )


def thoughts() -> str:
    """The timeline's file and the cost of an addition at 100 and at 10,000 thoughts."""
    timeline, costs = Timeline(), []
    for number in range(10_000):
        event = Event(NOW, f"思考 {number}: why is it red again?", "a test", f"do {number}", f"got {number}")
        began = time.perf_counter()
        timeline = add_event(timeline, event).timeline
        costs.append(time.perf_counter() - began)
    size = len(json.dumps(timeline_json(timeline), ensure_ascii=False, indent=2).encode()) / 1024
    early, late = statistics.median(costs[50:150]) * 1e6, statistics.median(costs[-100:]) * 1e6
    return f"10,000 thoughts: {size:.1f} KiB; an addition {early:.0f} µs at the 100th, {late:.0f} µs at the 10,000th"


def main() -> None:
    """Print every table."""
    print("| episodes | add (ms, ours / SQLite) | similar | build the index | prune |\n|---|---|---|---|---|")
    for size in SIZES:
        print(cost(size), flush=True)
    print(
        "\n| episodes | file | add, committed (ms) | similar from the file | SQLite insert, durable |\n|---|---|---|---|---|"
    )
    for size in SIZES:
        print(whole_act(size), flush=True)
    print(f"\n{thoughts()}\n")
    folder = data()
    if not (folder / "tau_airline").is_dir():
        sys.exit(f"no data in {folder}: give the folder as argument, or set ALICE_DATA")
    print(
        "| R@5 | episodes | queries | formula alone | similar | similar --by-words | BM25 |\n|---|---|---|---|---|---|---|"
    )
    for corpus in ("tau_airline", "alfworld_lessons"):
        print(finding(folder, corpus), flush=True)


if __name__ == "__main__":
    main()
