"""A week of heartbeats as a person sees them, in English and in Chinese; ``--update-golden`` rewrites them."""

import re
from pathlib import Path

import pytest

from tests.conftest import Call
from tests.golden.test_waiting import compare

HERE = Path(__file__).parent
_COMMIT = re.compile(r"\b[0-9a-f]{8,40}\b")

Step = tuple[str, tuple[str, ...]]

WEEK: tuple[Step, ...] = (
    ("2026-02-20T09:00:00Z", ("heartbeat",)),
    ("2026-02-20T09:05:00Z", ("reply", "同意 1 2，拒绝 3 因为与已有的规则矛盾", "--yes")),
    ("2026-02-20T09:05:30Z", ("approve", "1", "--replaces", "exp-c78jx2vd", "--yes")),
    ("2026-02-20T09:06:00Z", ("memorize", "周五 15 点以后可以发布，先灰度 10%，观察半小时！")),
    ("2026-02-20T17:00:00Z", ("outcome", "exp-ergnack8", "ok")),
    ("2026-02-21T08:59:00Z", ("check",)),
    ("2026-02-21T09:01:00Z", ("heartbeat",)),
    ("2026-02-21T10:00:00Z", ("outcome", "exp-ergnack8", "fail", "--scenario", "回放")),
    ("2026-02-22T09:00:00Z", ("heartbeat",)),
    ("2026-02-22T09:01:00Z", ("reply", "maybe 2")),
    ("2026-02-22T09:02:00Z", ("reply", "yes to all except 1", "--yes")),
    (
        "2026-02-22T10:00:00Z",
        ("memorize", "the nightly backup runs at 02:30", "--when", "planning maintenance"),
    ),
    ("2026-02-23T09:00:00Z", ("heartbeat",)),
    ("2026-02-24T09:00:00Z", ("namespace", "list")),
    ("2026-02-27T08:59:59Z", ("heartbeat", "--peek")),
    ("2026-02-27T09:00:00Z", ("heartbeat",)),
    ("2026-02-27T09:01:00Z", ("approve", "9", "--yes")),
    ("2026-02-27T09:02:00Z", ("heartbeat", "--format", "markdown")),
)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_week_of_heartbeats(
    sample: Path, cli: Call, seeded_ids: None, lang: str, request: pytest.FixtureRequest
) -> None:
    lines: list[str] = []
    for moment, arguments in WEEK:
        done = cli(*arguments, "--lang", lang, check=False, env={"ALICE_NOW": moment})
        lines.append(f"# {moment[:10]} {moment[11:16]}")
        lines.append("$ alice-exp " + " ".join(f'"{word}"' if " " in word else word for word in arguments))
        lines += [f"! {line}" for line in done.stderr.splitlines()]
        lines += done.stdout.splitlines()
        lines += ([f"[exit {done.code}]"] if done.code else []) + [""]
    said = _COMMIT.sub("COMMIT", "\n".join(lines))
    compare(said, HERE / f"week.{lang}.txt", request)
