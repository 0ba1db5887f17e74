"""An owner key beside the home, and a home that it owns."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.conftest import Call


def make_key(path: Path, passphrase: str = "", kind: str = "ed25519") -> Path:
    """A fresh SSH key; the test is skipped where no program makes one."""
    if shutil.which("ssh-keygen") is None:
        pytest.skip("ssh-keygen is not installed")
    command = ["ssh-keygen", "-q", "-t", kind, "-N", passphrase, "-C", "ann@example", "-f", str(path)]
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
    return path


@pytest.fixture
def key(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """``owner_key`` and ``owner_key.pub``, of the kind that a test names."""
    return make_key(tmp_path / "owner_key", kind=getattr(request, "param", "ed25519"))


@pytest.fixture
def owned(home: Path, cli: Call, key: Path) -> Path:
    """A home with an owner key."""
    cli("owner", "init", "--key", str(key), "--allow-unprotected")
    return home
