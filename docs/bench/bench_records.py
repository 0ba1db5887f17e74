"""Episodes and thoughts measured: cost against size beside SQLite, finding beside BM25, the timeline's bounds.

    python -m docs.bench.bench_records

Cost: adding, searching and pruning up to 10,000 episodes in a running process, each beside a bare SQLite that does the
same work in the same run: the same row added, the same words searched, the same episode's likest looked for by a join
(that up to 2,000, for it is quadratic). Drawn to ``costs.svg`` beside this file. Then the whole act, committed and
fsynced, beside ``git add`` and ``git commit`` of the same file. Finding: ``similar`` without a context on tau_airline and
alfworld_lessons, recall@5 beside plain BM25 over the same words.
"""

from __future__ import annotations

import json
import math
import os
import random
import sqlite3
import statistics
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from alice_exp.episodes.rules.retention import prune
from alice_exp.episodes.rules.search_episodes import (
    find_by_words,
    find_similar,
    find_without_context,
)
from alice_exp.kernel.text.times import iso_time
from alice_exp.kernel.text.tokens import tokens
from alice_exp.model.formats.record_schema import episode_json, timeline_json
from alice_exp.model.values.records import Episode, EpisodeBook, Event, Timeline
from alice_exp.timeline.rules.compaction import add_event
from docs.bench import cost_plot
from docs.bench.__main__ import paired
from tests.data import HERE as DATA

SIZES = (500, 1000, 2000, 5000, 10_000)
JOINED = 2000
"""So many episodes SQLite compares with one another; more take it minutes."""
PLOT = Path(__file__).with_name("costs.svg")
NOW = "2026-02-20T09:00:00Z"
_WORDS = [
    f"{stem}{number}"
    for stem in ("deploy", "search", "fix", "test", "index", "cache")
    for number in range(80)
]


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
    """Milliseconds of computing that one call takes, whatever else the machine does."""
    return statistics.median(_once(work) for _ in range(rounds)) * 1e3


def _once(work: Callable[[], object]) -> float:
    repeats, began = 0, time.process_time()
    while repeats == 0 or (repeats < 200 and time.process_time() - began < 0.02):
        work()
        repeats += 1
    return (time.process_time() - began) / repeats


def table(rows: Sequence[Episode]) -> sqlite3.Connection:
    """The same episodes in a bare SQLite table with a full-text index."""
    connection = sqlite3.connect(":memory:")
    connection.execute("create virtual table e using fts5(id unindexed, task, context, reward unindexed)")
    connection.executemany("insert into e values (?, ?, ?, ?)", [_row(one) for one in rows])
    return connection


def _row(one: Episode) -> tuple[str, str, str, float]:
    return one.id, one.task, json.dumps(dict(one.context)), one.reward


@dataclass(frozen=True)
class Cost:
    """What one step costs at one size, in ms: ours, and SQLite's for the same work (None: not measured)."""

    ours: float
    theirs: float | None

    def __str__(self) -> str:
        if self.theirs is None:
            return f"{self.ours:.2f} / –"
        return f"{self.ours:.2f} / {self.theirs:.2f} ({self.ours / self.theirs:.1f} ×)"


def cost(size: int) -> dict[str, Cost]:
    """Ours and SQLite's for add, similar with and without words alone, and prune."""
    rows = episodes(size)
    asked, context = "deploy3 search7 fix12 index40 cache79", {"domain": "a", "os": "linux"}
    query = " OR ".join(asked.split())
    db = table(rows)
    book = EpisodeBook(tuple(rows), size)
    fresh = Episode("ep-zzzzzzzz", "one more", {"domain": "a"}, at=NOW)

    def their_add() -> None:
        with db:
            db.execute("insert into e values (?, ?, ?, ?)", _row(fresh))

    def their_search() -> list[Any]:
        return db.execute("select id from e where e match ? order by rank limit 5", (query,)).fetchall()

    searched = median(their_search)
    return {
        "add": Cost(median(lambda: EpisodeBook((*book.episodes, fresh), size)), median(their_add)),
        "similar, formula": Cost(median(lambda: find_similar(rows, asked, context)), searched),
        "similar, words": Cost(median(lambda: find_by_words(rows, asked)), searched),
        "prune": Cost(
            median(lambda: prune(book, NOW), 3), median(lambda: likest(rows), 1) if size <= JOINED else None
        ),
    }


def likest(rows: Sequence[Episode]) -> list[Any]:
    """The least reward and uniqueness in bare SQL: every two episodes that share a word, joined."""
    db = sqlite3.connect(":memory:")
    db.execute("create table w (word text, id integer)")
    db.execute("create table e (id integer primary key, domain text, os text, words integer, reward real)")
    for number, one in enumerate(rows):
        own = set(one.task.split())
        db.execute(
            "insert into e values (?, ?, ?, ?, ?)",
            (number, str(one.context["domain"]), str(one.context["os"]), len(own), one.reward),
        )
        db.executemany("insert into w values (?, ?)", [(word, number) for word in own])
    db.execute("create index by_word on w (word)")
    return db.execute(
        """
        with shared as (
            select a.id as one, b.id as other, count(*) as n from w a join w b using (word)
            where a.id != b.id group by a.id, b.id
        )
        select x.id, 0.4 * x.reward + 0.2 * (1 - max(0.4 * n / (x.words + y.words - n)
               + 0.3 * ((x.domain = y.domain) + (x.os = y.os)))) as worth
        from shared join e x on x.id = one join e y on y.id = other group by x.id order by worth limit ?
        """,
        (len(rows) // 5,),
    ).fetchall()


def whole_act(size: int) -> str:
    """Adding to a file of ``size`` episodes: rewritten, committed, fsynced; beside git's own add and commit of it."""
    from alice_exp.app.api import Alice

    with tempfile.TemporaryDirectory(prefix="alice-bench-") as place:
        os.environ.setdefault("ALICE_NOW", NOW)
        alice = Alice(Path(place) / "home", "user")
        alice.init()
        path = alice.path / "experiences/records/episodes.jsonc"
        body = ",\n".join(json.dumps(episode_json(one)) for one in episodes(size))
        path.write_text(f'{{"capacity": {size * 2}, "episodes": [\n{body}\n]}}\n', encoding="utf-8")
        alice.add_episode("warm")
        theirs = _git(Path(place) / "yard", path)
        ours, yard = paired(lambda: alice.add_episode("one more thing"), theirs, 5)
        alice.similar("deploy3 search7 fix12")
        found = median(lambda: alice.similar("deploy3 search7 fix12"), 5)
        cold = median(lambda: Alice(alice.path, "user").similar("deploy3 search7 fix12"), 3)
        ratio = ours / yard
        return (
            f"| {size:,} | {path.stat().st_size / 1e6:.1f} MB | {ours * 1e3:.0f} / {yard * 1e3:.0f} ({ratio:.1f} ×) "
            f"| {found:.1f} | {cold:.0f} |"
        )


def _git(yard: Path, source: Path) -> Callable[[], None]:
    """The same file, one row longer each time, written and committed by the git program alone."""
    yard.mkdir()
    git = ["git", "-c", "core.fsync=all", "-c", "user.name=a", "-c", "user.email=a@b", "-C", str(yard)]
    subprocess.run([*git, "init", "-q"], check=True)
    counter = iter(range(10**6))

    def commit() -> None:
        (yard / "f").write_bytes(source.read_bytes() + b"x" * next(counter))
        subprocess.run([*git, "add", "f"], check=True)
        subprocess.run([*git, "commit", "-q", "-m", "x"], check=True)

    return commit


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


def finding(corpus: str) -> str:
    """Recall@5 over a corpus's texts as tasks: the formula alone, ``similar``, ``--by-words``, BM25 on the same words."""
    docs, asked = (
        [json.loads(line) for line in (DATA / corpus / f"{kind}.jsonl").read_text("utf-8").splitlines()]
        for kind in ("docs", "queries")
    )
    listed = [_as_episode(row, number) for number, row in enumerate(docs)]
    words = {row["id"]: Counter(tokens(row["text"])) for row in docs}
    found: dict[str, list[float]] = {"formula": [], "similar": [], "by words": [], "bm25": []}
    for row in asked:
        out = set(row.get("exclude", ()))
        formula = [one.episode.id for one in find_similar(listed, row["query"], top=20)]
        similar = [one.episode.id for one in find_without_context(listed, row["query"], top=20)]
        by_words = [one.episode.id for one in find_by_words(listed, row["query"], top=20)]
        rankings = (formula, similar, by_words, bm25(words, tokens(row["query"])))
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


def costs() -> None:
    """The table of all sizes, how each step grows, and the picture."""
    measured = {}
    for size in SIZES:
        row = measured[size] = cost(size)
        if size == SIZES[0]:
            print(f"| episodes | {' | '.join(row)} |\n|---{'|---' * len(row)}|")
        print(f"| {size:,} | {' | '.join(map(str, row.values()))} |", flush=True)
    names = list(measured[SIZES[0]])
    lines = {name: [(size, measured[size][name].ours) for size in SIZES] for name in names}
    grown = (f"{cost_plot.slope(lines[name][1:]):.2f}" for name in names)
    print(f"| grows as size to the | {' | '.join(grown)} |")
    joined = [(size, row["prune"].theirs) for size, row in measured.items() if row["prune"].theirs]
    lines["prune, joined in SQL"] = [(size, theirs) for size, theirs in joined if theirs is not None]
    PLOT.write_text(cost_plot.svg(lines, "What a step costs, in a running process"), encoding="utf-8")


def main() -> None:
    """Print every table and draw the picture."""
    print("In ms of computing, ours / SQLite's for the same work:\n")
    costs()
    print(
        "\n| episodes | file | add, committed (ms, ours / git add + commit) | similar (ms) | the first of a process |"
        "\n|---|---|---|---|---|"
    )
    for size in SIZES[1:]:
        print(whole_act(size), flush=True)
    print(f"\n{thoughts()}\n")
    print(
        "| recall@5 | episodes | queries | formula alone | similar | similar --by-words | BM25 |\n|---|---|---|---|---|---|---|"
    )
    for corpus in ("tau_airline", "alfworld_lessons"):
        print(finding(corpus), flush=True)


if __name__ == "__main__":
    main()
