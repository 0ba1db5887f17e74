"""The ten-minute soak: five writers, kills and a full disk (``make soak``); ``ALICE_SOAK_SECONDS`` makes it shorter."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT


@pytest.mark.slow
def test_five_writers_kills_and_a_full_disk_lose_nothing(tmp_path: Path) -> None:
    seconds = os.environ.get("ALICE_SOAK_SECONDS", "600")
    done = subprocess.run(
        [sys.executable, "-m", "tests.crash.five_writers", str(tmp_path / "home"), seconds],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    print(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr
