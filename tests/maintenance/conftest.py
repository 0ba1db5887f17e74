"""What tests of the schedule begin with."""

import subprocess
from pathlib import Path

import pytest


@pytest.fixture
def programs(world: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is the whole PATH: what a test puts into it is the only scheduler of the machine."""
    folder = world / "programs"
    folder.mkdir()
    for name in ("sh", "cat", "chmod", "grep", "stat", "git", "ssh-keygen"):
        found = subprocess.run(["which", name], capture_output=True, text=True, check=False).stdout.strip()
        if found:
            (folder / name).symlink_to(found)
    monkeypatch.setenv("PATH", str(folder))
    return folder
