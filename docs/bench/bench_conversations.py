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
from typing import Any

from alice_exp.conversations.rules.search_messages import Said, Talk, search
from alice_exp.conversations.usecases.search_sessions import LOOKED_AT
from alice_exp.finding.rules.ranking import GATE
from alice_exp.finding.rules.scorer import Texts
from alice_exp.kernel.text.tokens import tokens, tokens_many
from docs.bench.bench_recall import strangers_of
from tests.data import docs, queries

SETS = ("locomo", "talk_en", "mb_en", "mb_zh")

Find = Callable[[str], Sequence[str]]


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
    """Turns by ``conversations.rules.search_messages``."""
    talk = Talk.of(turns)
    return lambda query: [hit.turn.ref for hit in search(talk, query, top=10)]


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


SILENT = (0.02, 0.04, 0.06, 0.08, 0.1, 0.15, 0.2)
"""The shares of answerable questions met with silence for which the curve tells what strangers' questions get."""


def certainty(turns: Sequence[Said]) -> Callable[[str], float]:
    """The probability that something said fits a question, in [0, 1]; 1 where it names a day on which was spoken."""
    talk, matches = Talk.of(turns), Texts.of([turn.text for turn in turns]).find

    def probability(query: str) -> float:
        hits, words = search(talk, query, top=LOOKED_AT), matches(query)
        if any(hit.by_day for hit in hits):
            return 1.0
        return max((words.probability(hit.index) for hit in hits), default=0.0)

    return probability


def curve(name: str, every: int = 3) -> tuple[list[float], float, float]:
    """The share of strangers' questions that is answered at each of ``SILENT``, and both shares at the gate as set.

    Asked is every third question of the set, and as many of other sets as ``bench_recall`` puts to it.
    """
    strangers = [one.query for one in strangers_of(name)]
    own, foreign = [], []
    for turns, questions in loaded(name).values():
        probability = certainty(turns)
        own += [probability(one["query"]) for one in questions[::every]]
        foreign += [probability(query) for query in strangers]
    own.sort()
    gates = [own[int(len(own) * share)] for share in SILENT]
    answered = [sum(one >= gate for one in foreign) / len(foreign) for gate in gates]
    silent = sum(one < GATE for one in own) / len(own)
    return answered, silent, sum(one >= GATE for one in foreign) / len(foreign)


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
    talk = Talk.of(many)
    built = time.perf_counter() - start
    times = []
    for question in [question for _, questions in corpora.values() for question in questions][:200]:
        start = time.perf_counter()
        search(talk, question["query"])
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
    print(
        f"\n| strangers' questions answered at | {' | '.join(f'{100 * one:g} %' for one in SILENT)} | as set |"
    )
    print(f"|---|{'--:|' * len(SILENT)}--:|")
    for name in filter(loaded, SETS):
        answered, silent, at_gate = curve(name)
        cells = " | ".join(f"{100 * one:.0f} %" for one in answered)
        print(f"| {name} | {cells} | {100 * at_gate:.0f} % at {100 * silent:.0f} % |", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
