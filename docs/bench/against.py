"""CPU of cold commands beside those of another checkout of this program, on homes of as many decisions.

``python -m docs.bench.against CHECKOUT [--decisions 10000] [--runs 18]``. The other checkout makes the home; a copy is
taken over by this one. Both run in turn with this Python, git's CPU included; the control runs the other one twice.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from alice_exp.model.formats.block_schema import read_block
from alice_exp.model.values.block import content_hash
from docs.bench.homes import environment, lines

HERE = Path(__file__).parents[2]
TOLD = {"at": "2026-01-20T09:00:00Z", "by": "user"}
ASKED = ("memorize", "approve", "recall", "decide", "list", "show", "heartbeat")


def called(code: Path, home: Path, *words: str, stdin: str = "") -> tuple[float, str]:
    """One command of a checkout: the CPU seconds of it and of what it started, and its answer."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    made = {**environment(home), "PYTHONPATH": str(code)}
    done = subprocess.run(
        [sys.executable, "-m", "alice_exp", *words],
        cwd=code,
        env=made,
        input=stdin,
        capture_output=True,
        text=True,
    )
    assert done.returncode in (0, 4), (words, done.stderr)
    now = resource.getrusage(resource.RUSAGE_CHILDREN)
    return now.ru_utime + now.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def home_of(code: Path, home: Path, decisions: int, waiting: int) -> None:
    """A home as that checkout makes it: so many approved blocks, and some that wait."""
    for name in ("universal/tool_usage", "personal/workflow_habits"):
        path = home / "experiences" / f"{name}.jsonc"
        path.parent.mkdir(parents=True, exist_ok=True)
        rows = [{**one, "state": "reliable", "verifications": 12} for one in lines(decisions // 2, len(name))]
        for row in rows:
            row["approved"] = {**TOLD, "hash": content_hash(read_block(dict(row), name.partition("/")[0]))}
        path.write_text(json.dumps({"blocks": rows}, ensure_ascii=False, indent=1), encoding="utf-8")
    called(code, home, "init")
    pool = "\n".join(json.dumps(one, ensure_ascii=False) for one in lines(waiting, 99))
    called(code, home, "memorize", "--from", "-", stdin=pool)


def words_of(code: Path, home: Path) -> Iterator[dict[str, list[str]]]:
    """The words of each command, again and again; each approval takes another candidate."""
    waiting = json.loads(called(code, home, "list", "--json", "--set", "low_value", "-n", "999")[1])["blocks"]
    known = json.loads(called(code, home, "list", "--json", "--set", "universal", "-n", "1")[1])["blocks"][0][
        "id"
    ]
    for number, one in enumerate(waiting):
        asked = "tests of the cluster index"
        told = [
            ["memorize", f"a thing of its own, {number}"],
            ["approve", one["id"], "--yes"],
            ["recall", asked],
        ]
        yield dict(
            zip(ASKED, [*told, ["decide", asked], ["list"], ["show", known], ["heartbeat"]], strict=True)
        )


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--decisions", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=18)
    asked = parser.parse_args()
    other, place = asked.checkout.resolve(), Path(tempfile.mkdtemp())
    codes = {"theirs": other, "control": other, "ours": HERE}
    home_of(other, place / "theirs", asked.decisions, asked.runs + 3)
    for name in ("control", "ours"):
        shutil.copytree(place / "theirs", place / name, symlinks=True)
    for name, code in codes.items():
        called(code, place / name, "heartbeat"), called(code, place / name, "recall", "search the cluster")
    taken = {(name, command): [] for name in codes for command in ASKED}
    words = {name: words_of(code, place / name) for name, code in codes.items()}
    for turn in range(asked.runs):
        row = {name: next(each) for name, each in words.items()}
        for command in ASKED:
            for name in sorted(codes, reverse=bool(turn % 2)):
                taken[name, command].append(called(codes[name], place / name, *row[name][command])[0])
    print(
        f"| {asked.decisions:,} decisions, {asked.runs} runs | ours | theirs | ratio | control |\n|---|---|---|---|---|"
    )
    for command in ASKED:
        ours, theirs, control = (taken[name, command] for name in ("ours", "theirs", "control"))
        ratio, same = (
            statistics.median(one / by for one, by in zip(row, theirs, strict=True))
            for row in (ours, control)
        )
        middle = [f"{statistics.median(row) * 1e3:.0f} ms" for row in (ours, theirs)]
        print(f"| `{command}` | {' | '.join(middle)} | {ratio:.3f} | {same:.3f} |")
    shutil.rmtree(place)


if __name__ == "__main__":
    main()
