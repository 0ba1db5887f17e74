"""``make demo`` walks the life of one lesson, in the terminal's language, and its recall finds that lesson first."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT


@pytest.mark.parametrize(
    ("locale", "words"),
    [
        (
            "C.UTF-8",
            ("universal", "apply", "in doubt since 2026-02-26", "only a person may approve", "1 of 7 uses"),
        ),
        pytest.param(
            "zh_CN.UTF-8",
            ("通用", "照做", "自 2026-02-26 起存疑", "只有人才能同意", "使用 7 次，成功 1 次"),
            marks=pytest.mark.slow,
        ),
    ],
)
def test_the_demo_tells_the_life_of_a_lesson(world: Path, locale: str, words: tuple[str, ...]) -> None:
    environment = {
        **{name: value for name, value in os.environ.items() if name != "ALICE_NOW"},
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "LC_ALL": locale,
        "TMPDIR": str(world),
    }
    done = subprocess.run(
        ["sh", str(ROOT / "tests/demo.sh")],
        env=environment,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
    )
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    for word in words:
        assert word in said, word
    (lesson,) = set(re.findall(r"approve (exp-[a-z2-9]{8}) --yes\x1b", said))
    recalled = re.search(r"recall .*\n.*\n[\d.]+ +(exp-[a-z2-9]{8})", said)
    assert recalled is not None and recalled[1] == lesson, "its own lesson comes first"
    assert [path.name for path in world.iterdir() if path.name.startswith("tmp.")] == [], (
        "it leaves nothing behind"
    )
