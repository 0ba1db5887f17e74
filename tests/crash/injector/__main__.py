"""Interrupt a command at every file-system step and check what is left.

    python -m tests.crash.injector --setup COMMAND --command COMMAND --check COMMAND [--mode MODE]

The check's exit status 0 means that the step was survived. Exit status: 0 all survived, 1 something was lost, 2 the
command fails without any fault, 3 this machine cannot do what the mode needs.
"""

import argparse
import json
import sys
import tempfile
import time
from collections import Counter
from dataclasses import asdict
from pathlib import Path

from . import faults, powercut, walk
from .kernel import Unable
from .tracer import Tree

SURVIVED, LOST, FAILED, UNABLE = 0, 1, 2, 3


def main(words: list[str] | None = None) -> int:
    """Walk, say what was found, and keep it where ``--json`` asks for it."""
    given = _arguments(words)
    try:
        if given.can:
            _attempt(faults.named(given.mode))
            return SURVIVED
        task = walk.Task(
            given.command, given.check, given.setup, given.mode, given.every, given.only, given.timeout
        )
        began = time.monotonic()
        walked = walk.walk(task, given.scratch)
    except Unable as fault:
        print(fault)
        return UNABLE
    except (walk.Failed, ValueError) as fault:
        print(fault)
        return FAILED
    if given.json:
        given.json.write_text(json.dumps(_kept(walked), indent=1), encoding="utf-8")
    if given.list:
        _print_steps(walked)
    _print_rows(walked, time.monotonic() - began, whole=bool(given.only))
    return SURVIVED if all(row.survived for row in walked.rows) else LOST


def _arguments(words: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="injector",
        description=f"{__doc__}\nThe modes:\n\n{faults.__doc__}\n{walk.__doc__}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--setup", default="", help="builds what the command finds")
    parser.add_argument("--command", default="true", help="what is interrupted")
    parser.add_argument("--check", default="true", help="looks at what is left")
    parser.add_argument("--mode", default="kill")
    parser.add_argument("--every", type=int, default=1, help="every K-th step only")
    parser.add_argument("--only", type=int, default=0, help="one step only, with all that was said there")
    parser.add_argument("--timeout", type=float, default=60, help="seconds for one run of the command")
    parser.add_argument("--scratch", type=Path, help="where the sandboxes are made")
    parser.add_argument("--json", type=Path, help="keep the steps and the rows in this file")
    parser.add_argument("--list", action="store_true", help="print the steps of the undisturbed run")
    parser.add_argument("--can", action="store_true", help="only say whether this machine can do the mode")
    return parser.parse_args(words)


def _attempt(fault: faults.Fault) -> None:
    """Follow a command that does nothing, and cut a power that nobody needs; ``Unable`` where that is refused."""
    with tempfile.TemporaryDirectory(prefix="injector-") as made:
        Tree(Path(made), lambda *_: None).run("true", Path(made), {}, timeout=10)
        if fault.cuts:
            powercut.attempt(Path(made))


def _kept(walked: walk.Walked) -> dict[str, object]:
    shown = [{name: value for name, value in asdict(row).items() if name != "output"} for row in walked.rows]
    steps = [[step.name, step.path] for step in walked.steps]
    return {"mode": walked.mode, "steps": steps, "rows": shown}


def _print_steps(walked: walk.Walked) -> None:
    for number, step in enumerate(walked.steps, 1):
        print(f"{number:5} {step.name:16}{step.path}")


def _print_rows(walked: walk.Walked, seconds: float, *, whole: bool) -> None:
    """A line for each kind of call, one for each loss, one for all."""
    names = Counter(row.syscall for row in walked.rows)
    for name, count in names.items():
        survived = sum(row.survived for row in walked.rows if row.syscall == name)
        print(f"{name:16}{survived:5} of {count} survived")
    for row in walked.rows:
        if whole or not row.survived:
            print(f"{row.n:5} {row.syscall} {row.path} (rc {row.rc}): {row.why or 'nothing said'}")
        if whole:
            print(row.output)
    lost = sum(not row.survived for row in walked.rows)
    print(
        f"{walked.mode}: {len(walked.rows)} interrupted of {len(walked.steps)}, {lost} lost ({seconds:.1f} s)"
    )


if __name__ == "__main__":
    sys.exit(main())
