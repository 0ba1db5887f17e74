"""Ann and Bob."""

import shutil
from pathlib import Path

import pytest

from tests.conftest import Call
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


@pytest.fixture
def lending(home: Path, cli: Call, world: Path, _fresh_home: Path) -> Path:
    """``alice``: one block that may leave, since it is allowed, and one of each kind that may not; ``bob``, a new home."""
    shutil.copytree(Path(__file__).with_name("lending"), home / "experiences", dirs_exist_ok=True)
    cli("approve", "exp-super222", "exp-denied22", "exp-young222", "exp-heard222", "exp-aboutme2", "--yes")
    cli("memorize", "a guess of heliotrope-marmalade", "--when", "never")
    cli("config", "set", "sharing.name", "alice_ann")
    cli("share", "allow", "super222", "young222", "heard222", "--yes")
    shutil.copytree(_fresh_home, world / "bob", symlinks=True)
    return home
