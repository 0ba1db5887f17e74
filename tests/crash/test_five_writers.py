"""The ten-minute soak: five writers, kills and a full disk (``make soak``); ``ALICE_SOAK_SECONDS`` makes it shorter."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

SECONDS = os.environ.get("ALICE_SOAK_SECONDS", "600")


@pytest.mark.slow
def test_five_writers_kills_and_a_full_disk_lose_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.crash.five_writers", str(tmp_path / "home"), SECONDS]
    assert subprocess.run(command, cwd=ROOT, check=False).returncode == 0, "what is not so is in its output"
