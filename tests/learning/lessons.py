"""Thirteen lessons planted among episodes, with distractors, written before the rule that is to find them.

Each lesson is told in varied words, with parameters that mean nothing (names, numbers), as an agent writes them down.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from alice_exp.kernel.text.times import iso_time
from alice_exp.model.values.records import Episode


@dataclass(frozen=True)
class Planted:
    """A lesson: what to do or avoid, a word that its action has, and the condition under which alone it holds."""

    name: str
    kind: str
    word: str
    condition: str = ""
    episodes: tuple[Episode, ...] = ()


@dataclass(frozen=True)
class Deed:
    """Episodes with one action in several wordings: ``good`` successes and ``bad`` failures under a context."""

    actions: Sequence[str]
    good: int = 0
    bad: int = 0
    context: dict[str, str] | None = None
    reflection: str = ""


def told(name: str, type_: str, tasks: Sequence[str], deeds: Sequence[Deed], seed: int) -> list[Episode]:
    """The episodes of a scenario in a shuffled order."""
    rng = random.Random(seed)
    rows = [(deed, ok) for deed in deeds for ok in [True] * deed.good + [False] * deed.bad]
    rng.shuffle(rows)
    turn: dict[int, int] = {}
    found = []
    for number, (deed, ok) in enumerate(rows):
        place = turn[id(deed)] = turn.get(id(deed), -1) + 1
        found.append(
            Episode(
                f"ep-{name}{number:03}",
                tasks[number % len(tasks)].format(n=rng.randint(2, 99), x=rng.choice(NAMES)),
                dict(deed.context or {}),
                deed.actions[place % len(deed.actions)],
                "done" if ok else "failed",
                ok,
                0.9 if ok else 0.1,
                iso_time(1_760_000_000 + 3_600 * (seed * 97 + number * 13)),
                deed.reflection,
                type_,
            )
        )
    return found


NAMES = ("users", "orders", "invoices", "sessions", "carts", "events", "refunds", "items")

ALTER = ("ALTER TABLE directly", "run ALTER TABLE directly on it", "ALTER TABLE directly, in one statement")
BIG, SMALL = {"size": "large"}, {"size": "small"}


def scenarios() -> dict[str, tuple[list[Episode], list[Planted]]]:
    """By name: the episodes, and the lessons in them."""
    made = {
        "table": (
            "database",
            ["add a column to {x}", "add column number {n} to the {x} table", "add a nullable column to {x}"],
            [
                Deed(ALTER, bad=5, context=BIG, reflection="the table was locked for minutes"),
                Deed(ALTER, good=5, context=SMALL, reflection="takes a moment"),
                Deed(
                    ["pt-online-schema-change", "pt-online-schema-change in the background"],
                    good=4,
                    context=BIG,
                ),
            ],
            [("warning", "ALTER", "large"), ("advice", "pt-online", "")],
        ),
        "friday": (
            "deploy",
            ["deploy release {n} to production", "ship the {x} service, release {n}"],
            [
                Deed(
                    ["rolling deploy of all pods", "rolling deploy"],
                    bad=5,
                    context={"day": "friday", "team": "a"},
                ),
                Deed(
                    ["rolling deploy of all pods", "rolling deploy"],
                    good=8,
                    context={"day": "tuesday", "team": "a"},
                ),
            ],
            [("warning", "rolling", "friday")],
        ),
        "push": (
            "git",
            ["push the branch {x}", "push branch {x} after the rebase"],
            [
                Deed(["git push --force-with-lease"], good=6, reflection="keeps what others pushed"),
                Deed(["git push"], bad=5, reflection="rejected: not fast-forward"),
            ],
            [("advice", "lease", ""), ("warning", "git push", "")],
        ),
        "scrape": (
            "",
            [
                "scrape the prices of shop {n}",
                "scrape product prices from shop {x}",
                "scrape shop {n} for prices",
            ],
            [
                Deed(
                    ["requests.get with the default agent", "plain requests.get"],
                    bad=6,
                    good=1,
                    reflection="403",
                ),
                Deed(["headless browser with playwright", "playwright headless browser"], good=6),
            ],
            [("warning", "requests", ""), ("advice", "playwright", "")],
        ),
        "report": (
            "",
            ["导出{n}月的销售报表", "导出销售报表给{x}组", "导出全年销售报表"],
            [
                Deed(["一次性查询全部数据", "一次性查询全部数据再导出"], bad=5, reflection="内存不够"),
                Deed(["按天分页查询", "分页查询，按天合并"], good=6, reflection="慢一点但稳"),
            ],
            [("warning", "一次性", ""), ("advice", "分页", "")],
        ),
        "pdf": (
            "documents",
            ["extract the text of contract {n}", "get the text out of the {x} pdf"],
            [
                Deed(
                    ["pdfplumber extract_text", "extract_text with pdfplumber"],
                    bad=6,
                    context={"format": "scan"},
                ),
                Deed(["pdfplumber extract_text"], good=6, context={"format": "digital"}),
                Deed(["tesseract ocr at 300 dpi", "ocr with tesseract"], good=5, context={"format": "scan"}),
            ],
            [("warning", "pdfplumber", "scan"), ("advice", "tesseract", "")],
        ),
        "retry": (
            "api",
            ["fetch page {n} of the {x} api", "fetch all {x} from the api"],
            [
                Deed(["retry at once", "retry at once three times"], bad=6, reflection="429 again and again"),
                Deed(["wait with exponential backoff", "exponential backoff"], good=7),
            ],
            [("warning", "retry at once", ""), ("advice", "backoff", "")],
        ),
        "support": (
            "support",
            ["answer ticket {n} about {x}", "answer a ticket on {x}"],
            [
                Deed(["ask for a screenshot first", "first ask for a screenshot"], good=8, bad=1),
                Deed(["link the manual", "link the manual page"], good=2, bad=6),
            ],
            [("advice", "screenshot", ""), ("warning", "manual", "")],
        ),
    }
    found: dict[str, tuple[list[Episode], list[Planted]]] = {}
    for seed, (name, (type_, tasks, deeds, lessons)) in enumerate(made.items(), 1):
        found[name] = (
            told(name, type_, tasks, deeds, seed),
            [Planted(name, kind, word, condition) for kind, word, condition in lessons],
        )
    return found


def distractors(count: int = 60) -> list[Episode]:
    """Episodes that teach nothing: baking, notes and meetings whose outcome is chance, chores that always work."""
    rng = random.Random(5)
    found = []
    for number in range(count):
        task, action = rng.choice(
            [
                ("bake a loaf of sourdough", ["fold it four times", "rest overnight", "preheat the stone"]),
                ("write up the notes of meeting {n}", ["summarise by topic", "list who said what"]),
                ("整理第{n}次会议的纪要", ["按议题整理", "按时间整理"]),
                ("book a table for {n}", ["call them", "book online", "write a mail"]),
            ]
        )
        ok = rng.random() < 0.5
        found.append(
            Episode(
                f"ep-noise{number:03}",
                task.format(n=rng.randint(2, 40)),
                {"weather": rng.choice(["sun", "rain", "fog"])},
                rng.choice(action),
                None,
                ok,
                float(ok),
                iso_time(1_760_000_000 + 7_001 * number),
            )
        )
    for number in range(12):
        found.append(
            Episode(
                f"ep-chore{number:03}",
                f"list the folder {number}",
                {},
                rng.choice(["ls -la", "tree", "find . -maxdepth 1"]),
                None,
                True,
                1.0,
                iso_time(1_760_000_000 + 9_001 * number),
                "",
                "chores",
            )
        )
    return found
