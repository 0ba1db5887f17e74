"""A week of heartbeats as a person sees them, in English and in Chinese; ``--update-golden`` rewrites them."""

import re
from pathlib import Path

import pytest

from tests.case_tables import cases
from tests.conftest import Call
from tests.golden.test_waiting import compare

HERE = Path(__file__).parent
_COMMIT = re.compile(r"\b[0-9a-f]{8,40}\b")

Step = tuple[str, tuple[str, ...]]

WEEK: tuple[Step, ...] = tuple(cases(__file__, "WEEK"))


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
