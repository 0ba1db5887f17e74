"""REQUIREMENTS D 60: a whole life as one shell script over a copy of ``sample_home``."""

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.conftest import ROOT


def test_d60_the_whole_story_as_one_shell_script(
    world: Path, git: Callable[..., str], sound: Callable[[Path], None]
) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["sh", str(ROOT / "tests/story.sh"), str(world)],
        env={**os.environ, "PATH": path},
        cwd=world,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert "Traceback" not in done.stderr
    told: list[dict[str, Any]] = json.loads(done.stdout)["commits"]
    ops = [one["op"] for one in told]
    assert ops[0] == "revive" and ops[1] == "retire" and ops[-1] == "memorize"
    counted = Counter(ops)
    assert (counted["outcome"], counted["memorize"], counted["retire"], counted["revive"]) == (50, 1, 1, 1)
    assert {"reply", "approve"} & set(ops) and {"share", "allow", "share allow"} & set(ops)
    assert {one["actor"] for one in told} == {"user", "agent:story"}
    home = world / "alice"
    messages = git(home, "log", "--format=%B")
    for said in ("灰度", "张三", "值班同事"):
        assert said not in messages
    sound(home)
