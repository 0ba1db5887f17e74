"""Programs from npm that tests drive: fetched once, beside what pip installed; skipped with the reason where not."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PLACE = Path(sys.prefix) / "npm"


def fetched(package: str, program: str, patience: float = 90) -> Path:
    """The path of a package's program."""
    found = PLACE / "node_modules/.bin" / program
    if found.exists():
        return found
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not on this machine")
    try:
        subprocess.run(
            [npm, "install", "--no-audit", "--no-fund", "--silent", "--prefix", str(PLACE), package],
            check=True,
            capture_output=True,
            timeout=patience,
        )
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        pytest.skip(f"npm cannot install {package}: {error}")
    return found
