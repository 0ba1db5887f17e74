"""recall@5 and @10 of what was said, beside plain BM25 in the same run, and how long a query takes.

``python -m docs.bench.bench_conversations``. What may not be copied is looked for where ``ALICE_DATA`` says
(``tests/data/SOURCE.md``), and passed over where it is not there. Even and odd questions are shown apart, so that a weight that fits one half alone is seen.
"""

from __future__ import annotations

import json
import math
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from alice_exp.finding.rules.ranking import GATE
from alice_exp.finding.store.turn_index import IndexedTurns, search, turns_of
from alice_exp.kernel.text.tokens import tokens, tokens_many
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.values.records import ChatRecord, message_of
from docs.bench.bench_recall import strangers_of
from tests.data import docs, queries

SETS = ("locomo", "talk_en", "mb_en", "mb_zh")

Find = Callable[[str], Sequence[str]]


@dataclass(frozen=True)
class Said:
    """A turn of a set: its name, its session, its text, who said it and when."""

    ref: str
    session: str
    text: str
    speaker: str = ""
    at: str = ""
    role: str = ""


def read(turns: Sequence[Said]) -> tuple[IndexedTurns, dict[str, str]]:
    """Turns as they are searched, and their names by session and index; those of a session follow each other."""
    sessions: defaultdict[str, list[Said]] = defaultdict(list)
    for one in turns:
        sessions[one.session].append(one)
    records = {
        name: [
            ChatRecord(name, message_of(said), index=at)
            for at, said in enumerate(
                {**asdict(one), "role": one.role or "assistant", "content": one.text} for one in listed
            )
        ]
        for name, listed in sessions.items()
    }
    names = {f"{name}#{at}": one.ref for name, listed in sessions.items() for at, one in enumerate(listed)}
    return turns_of(records.items()), names


def loaded(name: str) -> dict[str, tuple[list[Said], list[dict[str, Any]]]]:
    """Each corpus of a set: what was said, and the questions; nothing where the set is not to be had."""
    said_in, asked_in = docs(name), queries(name)
    if said_in is None or asked_in is None:
        return {}
    corpora: defaultdict[str, tuple[list[Said], list[dict[str, Any]]]] = defaultdict(lambda: ([], []))
    for line in said_in.read_text("utf-8").splitlines():
        row = json.loads(line)
        meta = row["meta"]
        said = Said(
            row["id"], meta.get("session", ""), row["text"], meta.get("speaker", ""), meta.get("time", "")
        )
        corpora[row["corpus"]][0].append(said)
    for line in asked_in.read_text("utf-8").splitlines():
        row = json.loads(line)
        corpora[row["corpus"]][1].append(row)
    return dict(corpora)


def plain_bm25(turns: Sequence[Said], k1: float = 1.2, b: float = 0.75) -> Find:
    """Turns by BM25 alone: the yardstick."""
    rows = tokens_many([turn.text for turn in turns])
    average = sum(map(len, rows)) / len(rows)
    postings: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    for index, row in enumerate(rows):
        for token, count in Counter(row).items():
            postings[token].append((index, count))

    def find(query: str) -> list[str]:
        scores: defaultdict[int, float] = defaultdict(float)
        for token in set(tokens(query)):
            held = postings.get(token, [])
            idf = math.log1p((len(rows) - len(held) + 0.5) / (len(held) + 0.5))
            for index, count in held:
                scores[index] += (
                    idf * count * (k1 + 1) / (count + k1 * (1 - b + b * len(rows[index]) / average))
                )
        best = sorted(scores, key=lambda index: (-scores[index], index))
        return [turns[index].ref for index in best[:10]]

    return find


def ours(turns: Sequence[Said]) -> Find:
    """Turns by ``finding.store.turn_index``."""
    known, names = read(turns)
    return lambda query: [names[hit.record.ref] for hit in search(known, query, None, 10)]


def recall(
    name: str, make: Callable[[Sequence[Said]], Find], half: int | None = None
) -> tuple[float, float, int]:
    """Mean share of a question's evidence among the first 5 and 10, and how many questions."""
    at5 = at10 = 0.0
    asked = 0
    for turns, questions in loaded(name).values():
        find = make(turns)
        for number, question in enumerate(questions):
            if half is not None and number % 2 != half:
                continue
            found, wanted = find(question["query"]), question["rel"]
            at5 += sum(ref in wanted for ref in found[:5]) / len(wanted)
            at10 += sum(ref in wanted for ref in found[:10]) / len(wanted)
            asked += 1
    return at5 / asked, at10 / asked, asked


GATES = (GATE, 0.4, 0.5, 0.6, 0.7)
"""The gates for which the curve tells what is met with silence and what strangers' questions get."""


def is_answered(turns: Sequence[Said]) -> Callable[[str, float], bool]:
    """Whether a question is answered at a gate."""
    known, _ = read(turns)
    return lambda query, gate: bool(search(known, query, None, 1, gate))


def curve(name: str, every: int = 3) -> list[tuple[float, float]]:
    """At each of ``GATES`` the share of a set's questions that is met with silence, and of strangers' that is answered.

    Asked is every third question of the set, and as many of other sets as ``bench_recall`` puts to it.
    """
    strangers = [one.query for one in strangers_of(name)]
    own: Counter[float] = Counter()
    foreign: Counter[float] = Counter()
    asked = 0
    for turns, questions in loaded(name).values():
        answers = is_answered(turns)
        asked += len(questions[::every])
        for gate in GATES:
            own[gate] += sum(not answers(one["query"], gate) for one in questions[::every])
            foreign[gate] += sum(answers(query, gate) for query in strangers)
    return [(own[gate] / asked, foreign[gate] / (len(strangers) * len(loaded(name)))) for gate in GATES]


def query_times(name: str, turns_wanted: int = 5000) -> tuple[float, float, float]:
    """Seconds: building the index of 5,000 turns, and the median and 95th percentile of a query."""
    corpora = loaded(name)
    turns = [turn for said, _ in corpora.values() for turn in said]
    many = [
        Said(f"{copy}:{turn.ref}", f"{copy}:{turn.session}", turn.text, turn.speaker, turn.at)
        for copy in range(turns_wanted // len(turns) + 1)
        for turn in turns
    ][:turns_wanted]
    start = time.perf_counter()
    known, _ = read(many)
    built = time.perf_counter() - start
    times = []
    for question in [question for _, questions in corpora.values() for question in questions][:200]:
        start = time.perf_counter()
        search(known, question["query"], None, 10)
        times.append(time.perf_counter() - start)
    times.sort()
    return built, times[len(times) // 2], times[int(len(times) * 0.95)]


def main() -> int:
    for name in filter(loaded, SETS):
        for label, half in (("all", None), ("even", 0), ("odd", 1)):
            base5, base10, asked = recall(name, plain_bm25, half)
            ours5, ours10, _ = recall(name, ours, half)
            print(
                f"{name:7} {label:4} {asked:4} questions  R@5 {100 * base5:5.1f} -> {100 * ours5:5.1f}"
                f"  R@10 {100 * base10:5.1f} -> {100 * ours10:5.1f}"
            )
        built, median, p95 = query_times(name)
        print(
            f"{name:7} 5000 turns: index {built:.2f} s, query {1000 * median:.1f} ms, p95 {1000 * p95:.1f} ms"
        )
    print(f"\n| silent, strangers answered at | {' | '.join(f'{gate:g}' for gate in GATES)} |")
    print(f"|---|{'--:|' * len(GATES)}")
    for name in filter(loaded, SETS):
        cells = " | ".join(
            f"{100 * silent:.0f} %, {100 * answered:.0f} %" for silent, answered in curve(name)
        )
        print(f"| {name} | {cells} |", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
