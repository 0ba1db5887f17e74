"""Programs from npm that tests drive: fetched once, beside what pip installed; skipped with the reason where not."""

import contextlib
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

PLACE = Path(sys.prefix) / "npm"


def fetched(package: str, program: str, patience: float = 90) -> Path:
    """The path of a package's program, in a folder that appears only once it is whole."""
    found = PLACE / program / "node_modules/.bin" / program
    if found.exists():
        return found
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not on this machine")
    PLACE.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=PLACE) as made:
        try:
            subprocess.run(
                [npm, "install", "--no-audit", "--no-fund", "--silent", "--prefix", made, package],
                check=True,
                capture_output=True,
                timeout=patience,
            )
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
            pytest.skip(f"npm cannot install {package}: {error}")
        # Another process may have been first: its folder is as good.
        with contextlib.suppress(OSError):
            Path(made).rename(PLACE / program)
            Path(made).mkdir()
    return found
