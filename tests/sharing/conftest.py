"""Ann and Bob."""

import shutil
from pathlib import Path

import pytest

from tests.sharing.alices import Alice, block, everything, made


@pytest.fixture(scope="session")
def _two_homes(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Made once: Ann may share one block; Bob knows the same one less well and has one of his own to share."""
    root = tmp_path_factory.mktemp("two")
    common = block("use ripgrep", state="reliable", verifications=12, verifications_local=12)
    made(root / "ann", "alice_ann", everything("use ripgrep"))
    made(root / "bob", "alice_bob", everything("use fd", common))
    return root / "ann", root / "bob"


@pytest.fixture
def ann(world: Path, _two_homes: tuple[Path, Path]) -> Alice:
    return Alice("alice_ann", Path(shutil.copytree(_two_homes[0], world / "ann", symlinks=True)))


@pytest.fixture
def bob(world: Path, _two_homes: tuple[Path, Path]) -> Alice:
    return Alice("alice_bob", Path(shutil.copytree(_two_homes[1], world / "bob", symlinks=True)))
