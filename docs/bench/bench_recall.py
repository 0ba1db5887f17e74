"""How well ``alice-exp recall`` finds, on public data, beside plain BM25 in the same run.

``python -m docs.bench.bench_recall [SET …]`` prints Markdown tables. Every line of a set is one block: shuffled, three
minutes apart, it goes in by ``alice-exp memorize --from`` and is asked for by ``alice-exp recall --queries``, as anybody would. Sets that
may not be copied are looked for where ``ALICE_DATA`` says (``tests/data/SOURCE.md``), and passed over where they are not
there.
"""

from __future__ import annotations

import json
import math
import os
import random
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from alice_exp.kernel.text.tokens import tokens, tokens_many
from tests.data import docs, queries

SETS = (
    "locomo",
    "mb_zh",
    "mb_en",
    "mb_zh2en",
    "mb_en2zh",
    "afqmc",
    "cmrc",
    "tau_airline",
    "alfworld_lessons",
    "agent_notes",
    "fresh_notes",
)
OWN_NOTES = ("agent_notes", "fresh_notes")
"""The sets of blocks as agents write them: they are asked the questions of other sets, and none of theirs is asked."""

DEPTHS = (1, 3, 5, 10)
FOREIGN = 60
"""So many questions of other sets are put to each set."""

APART = timedelta(minutes=3)
"""The time between two texts of a set."""

_TOP = 100
NOW = "2026-02-20T09:00:00Z"


@dataclass(frozen=True)
class Question:
    """A question, what answers it, and what must not count."""

    qid: str
    query: str
    relevant: Mapping[str, float]
    exclude: frozenset[str]
    lang: str
    half: str = ""


@dataclass(frozen=True)
class Store:
    """One corpus: texts by key, and the questions asked of it."""

    texts: Mapping[str, str]
    questions: tuple[Question, ...]


def load(name: str) -> list[Store]:
    """The corpora of a set; none where it is not to be had."""
    known, asking = docs(name), queries(name)
    if known is None or asking is None:
        return []
    texts: defaultdict[str, dict[str, str]] = defaultdict(dict)
    asked: defaultdict[str, list[Question]] = defaultdict(list)
    for row in _lines(known):
        trigger = row.get("meta", {}).get("trigger", "")
        texts[row["corpus"]][row["id"]] = f"{trigger}\n{row['text']}" if trigger else row["text"]
    for row in _lines(asking):
        excluded = frozenset(row.get("exclude", ()))
        asked[row["corpus"]].append(
            Question(row["qid"], row["query"], row["rel"], excluded, row["lang"], row.get("half", ""))
        )
    return [Store(_shuffled(texts[corpus]), tuple(asked[corpus])) for corpus in texts]


def _shuffled(texts: Mapping[str, str]) -> dict[str, str]:
    """The texts in an order that says nothing, always the same one."""
    keys = list(texts)
    random.Random(1).shuffle(keys)
    return {key: texts[key] for key in keys}


def _lines(path: Path) -> Iterable[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def bm25(texts: Mapping[str, str], queries: Sequence[str]) -> list[list[str]]:
    """Plain BM25 (k1 = 1.2, b = 0.75) over stems and CJK characters and pairs: the yardstick."""
    keys, rows = list(texts), tokens_many(list(texts.values()))
    postings: defaultdict[str, dict[int, int]] = defaultdict(dict)
    for index, row in enumerate(rows):
        for token, count in Counter(row).items():
            postings[token][index] = count
    average = sum(map(len, rows)) / len(rows)
    answers = []
    for query in queries:
        scores: defaultdict[int, float] = defaultdict(float)
        for token in sorted(set(tokens(query))):
            held = postings.get(token, {})
            idf = math.log1p((len(rows) - len(held) + 0.5) / (len(held) + 0.5))
            for index, count in held.items():
                scores[index] += (
                    idf * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * len(rows[index]) / average))
                )
        best = sorted(scores, key=lambda index: (-scores[index], index))
        answers.append([keys[index] for index in best])
    return answers


class Product:
    """A fresh home driven through the command line."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._directory = tempfile.TemporaryDirectory(prefix="alice-bench-")
        self.place = Path(self._directory.name)
        self._run("init")
        first = datetime.fromisoformat(NOW) - len(texts) * APART
        lines = [
            {"payload": text, "key": key, "created_at": f"{first + at * APART:%Y-%m-%dT%H:%M:%SZ}"}
            for at, (key, text) in enumerate(texts.items())
        ]
        written = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        (self.place / "docs.jsonl").write_text(written, encoding="utf-8")
        self._run("memorize", "--from", str(self.place / "docs.jsonl"), "--json")

    def ask(self, queries: Sequence[str]) -> list[list[str]]:
        """The keys found for each query, best first."""
        rows = [json.dumps({"qid": n, "query": query}, ensure_ascii=False) for n, query in enumerate(queries)]
        (self.place / "queries.jsonl").write_text("\n".join(rows) + "\n", encoding="utf-8")
        asked = ("recall", "--queries", str(self.place / "queries.jsonl"), "--top", str(_TOP), "--json")
        answers = {row["qid"]: row["keys"] for row in map(json.loads, self._run(*asked).splitlines())}
        return [answers[number] for number in range(len(queries))]

    def close(self) -> None:
        """Remove the home."""
        self._directory.cleanup()

    def _run(self, *arguments: str) -> str:
        environment = {
            **os.environ,
            "ALICE_HOME": str(self.place / "home"),
            "ALICE_NOW": NOW,
            "ALICE_ACTOR": "user",
        }
        command = [sys.executable, "-m", "alice_exp", *arguments]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if done.returncode not in (0, 4):
            raise SystemExit(f"{' '.join(arguments)} ended with {done.returncode}:\n{done.stderr}")
        return done.stdout


def measures(found: Sequence[str], question: Question) -> list[float]:
    """Recall at each of ``DEPTHS`` and the reciprocal rank of the first answer, each in [0, 1]."""
    ranked = [key for key in found if key not in question.exclude]
    recalls = [
        len(question.relevant.keys() & set(ranked[:depth])) / len(question.relevant) for depth in DEPTHS
    ]
    first = next((place for place, key in enumerate(ranked, 1) if key in question.relevant), 0)
    return [*recalls, 1 / first if first else 0.0]


@dataclass
class Result:
    """One set: what plain BM25 and the product reach, and how often the product answers the unanswerable."""

    name: str
    plain: list[list[float]]
    ours: list[list[float]]
    foreign: list[bool]
    gone: list[bool]
    silent: list[bool]


def measure(name: str, strangers: Sequence[Question]) -> Result:
    """Measure one set; ``strangers`` are questions of other sets."""
    result = Result(name, [], [], [], [], [])
    for store in load(name):
        unanswerable = [question for question in store.questions if not question.relevant]
        store = Store(store.texts, tuple(one for one in store.questions if one.relevant))
        queries = [question.query for question in store.questions]
        langs = {question.lang for question in store.questions}
        foreign = [*(one for one in strangers if one.lang in langs), *unanswerable]
        others = [one.query for one in foreign]
        product = Product(store.texts)
        answers = product.ask([*queries, *others])
        product.close()
        plain = bm25(store.texts, queries)
        for question, ours, theirs in zip(store.questions, answers, plain, strict=False):
            result.ours.append(measures(ours, question))
            result.plain.append(measures(theirs, question))
            result.silent.append(not ours)
        result.foreign += [bool(found) for found in answers[len(queries) :]]
        result.gone += _gone(store)
    return result


def _gone(store: Store) -> list[bool]:
    """Whether questions are answered after their answers were taken out: every fifth question."""
    taken = store.questions[::5]
    out = {key for question in taken for key in (*question.relevant, *question.exclude)}
    left = {key: text for key, text in store.texts.items() if key not in out}
    if not left:
        return []
    product = Product(left)
    answers = product.ask([question.query for question in taken])
    product.close()
    return [bool(found) for found in answers]


def mean(rows: Sequence[Sequence[float]]) -> list[float]:
    """Column means in percent."""
    return [100 * sum(column) / len(rows) for column in zip(*rows, strict=True)]


def interval(result: Result, column: int) -> tuple[float, float]:
    """The 95 % bootstrap interval of the gain over plain BM25 in one column, in points."""
    return spread(
        [ours[column] - plain[column] for ours, plain in zip(result.ours, result.plain, strict=True)]
    )


def spread(values: Sequence[float], tries: int = 1000) -> tuple[float, float]:
    """The 95 % bootstrap interval of the mean, in percent."""
    rng = random.Random(1)
    means = sorted(100 * sum(rng.choices(values, k=len(values))) / len(values) for _ in range(tries))
    return means[int(0.025 * tries)], means[int(0.975 * tries)]


def table(results: Sequence[Result]) -> str:
    """The results as Markdown."""
    lines = [
        "| set | questions | recall@1 | @3 | @5 | (95 %) | @10 | MRR | plain BM25 @1 | @3 | @5 | @10 | MRR "
        "| gain @5 (95 %) | gain MRR (95 %) |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for result in results:
        numbers = [f"{number:.1f}" for number in (*mean(result.ours), *mean(result.plain))]
        numbers.insert(3, "{:.0f}–{:.0f}".format(*spread([one[2] for one in result.ours])))
        gains = ["{:+.1f} to {:+.1f}".format(*interval(result, column)) for column in (2, 4)]
        cells = [result.name, str(len(result.ours)), *numbers, *gains]
        lines.append(f"| {' | '.join(cells)} |")
    lines += [
        "",
        "| set | silent on answerable: every second question, the other half "
        "| answers to questions of other sets: every second one, the other half "
        "| answers after the answer was taken out |",
        "|---|--:|--:|--:|",
    ]
    for result in results:
        rates = [_halves(result.silent), _halves(result.foreign), _share(result.gone)]
        lines.append(f"| {result.name} | {' | '.join(rates)} |")
    return "\n".join(lines)


def _halves(flags: Sequence[bool]) -> str:
    return f"{_share(flags[::2])}, {_share(flags[1::2])}"


def _share(flags: Collection[bool]) -> str:
    return f"{100 * sum(flags) / len(flags):.1f} %" if flags else "–"


def strangers_of(name: str) -> list[Question]:
    """A fixed choice of questions of the sets that have nothing to do with one, in both languages."""
    family = name.partition("_")[0]
    others = [
        question
        for other in SETS
        if other.partition("_")[0] != family and other not in OWN_NOTES
        for store in load(other)
        for question in store.questions
        if question.relevant
    ]
    rng = random.Random(5)
    by_language = [[one for one in others if one.lang == lang] for lang in ("en", "zh")]
    return [question for own in by_language for question in rng.sample(own, min(FOREIGN, len(own)))]


def main(names: Sequence[str]) -> None:
    """Measure the sets named, or all."""
    known = [name for name in names or SETS if load(name)]
    print(table([measure(name, strangers_of(name)) for name in known]))


if __name__ == "__main__":
    main(sys.argv[1:])
