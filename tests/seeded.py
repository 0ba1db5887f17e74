"""``python -m tests.seeded ARGUMENTS``: the real command whose new ids come from a fixed seed.

A file in the folder that ``ALICE_SEED`` names counts the ids of each kind, so that the first block, the second … of a
story always has the same id, whatever else happens in between.
"""

import json
import os
import random
import stat
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def main() -> None:
    """Seed the ids, then be the command."""
    import gc

    from alice_exp.app.main import run
    from alice_exp.home import session

    gc.disable()
    counter = Path(os.environ["ALICE_SEED"]) / "counts.json"

    def new_id(kind: str) -> str:
        counts = json.loads(counter.read_text("utf-8")) if counter.exists() else {}
        counts[kind] = counts.get(kind, 0) + 1
        counter.write_text(json.dumps(counts), "utf-8")
        source = random.Random(f"alice-exp {kind} {counts[kind]}")
        return f"{kind}-" + "".join(source.choices(session.ALPHABET, k=8))

    session.new_id = new_id
    sys.exit(run(sys.argv[1:]))


def world(place: Path) -> dict[str, str]:
    """An environment in ``place`` where ``alice-exp`` is this one: no home yet, a frozen clock, the person acts."""
    script = place / "bin" / "alice-exp"
    script.parent.mkdir(parents=True)
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m tests.seeded "$@"\n', "utf-8")
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return {
        "PATH": f"{script.parent}:{Path(sys.executable).parent}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "HOME": str(place),
        "ALICE_HOME": str(place / ".alice"),
        "ALICE_SEED": str(place),
        "ALICE_NOW": "2026-02-20T09:00:00Z",
        "ALICE_ACTOR": "user",
        "ALICE_LANG": "en",
        "TZ": "UTC",
        "LC_ALL": "C.UTF-8",
    }


if __name__ == "__main__":
    main()
