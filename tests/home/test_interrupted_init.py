"""The making of a home was interrupted: ``init`` again makes it, whatever git or the first act left behind."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from alice_exp.kernel.journal import transaction
from alice_exp.kernel.journal.atomic_files import MARK
from tests.case_tables import cases
from tests.conftest import Call

BLOCKS = '{"blocks": [{"payload": "use rg"}]}'
NOBODY = 2**22 + 1
"""No process has this id."""


def _config_lock(git: Path) -> None:
    (git / "config.lock").touch()


def _empty_head(git: Path) -> None:
    (git / "HEAD").touch()


def _empty_head_and_refs(git: Path) -> None:
    for folder in ("refs/heads", "objects/pack"):
        (git / folder).mkdir(parents=True)
    (git / "HEAD").touch()
    (git / "config").touch()


def _pending_lock(git: Path) -> None:
    (git / "refs/alice").mkdir(parents=True)
    (git / "refs/alice/pending.lock").touch()


def _hook_half_written(git: Path) -> None:
    (git / "hooks").mkdir()
    (git / f"hooks/.pre-push{MARK}{NOBODY}-00000000").touch()


@pytest.mark.parametrize(
    "left",
    [_config_lock, _empty_head, _empty_head_and_refs, _pending_lock, _hook_half_written],
    ids=lambda left: left.__name__,
)
def test_a_repository_that_git_only_began_is_completed(
    world: Path, cli: Call, left: Callable[[Path], None]
) -> None:
    home = world / "alice"
    git = home / "experiences/.git"
    git.mkdir(parents=True)
    left(git)
    cli("init")
    cli("remember", "tea")
    assert [one["payload"] for one in cli("list", "--json").json["blocks"]] == ["tea"]
    assert not [path for path in home.rglob("*") if MARK in path.name or path.suffix == ".lock"]


@pytest.mark.parametrize("swapped", [0, 1])
def test_a_first_act_that_died_is_done_again_by_its_own_author(
    world: Path, cli: Call, monkeypatch: pytest.MonkeyPatch, swapped: int
) -> None:
    """What the files were before is in no history: finished by halves, the rest would pass for a later hand edit."""
    universal = world / "alice/experiences/universal"
    universal.mkdir(parents=True)
    for name in ("api_patterns", "tool_usage"):
        (universal / f"{name}.jsonc").write_text(BLOCKS.replace("rg", name))

    class Died(BaseException):
        pass

    real, done = transaction.swap_in, list[Path]()

    def swap(temporary: Path, path: Path, *rest: bytes | None) -> Path | None:
        if len(done) == swapped:
            raise Died
        done.append(path)
        return real(temporary, path, *rest)  # type: ignore[arg-type]

    with monkeypatch.context() as patched, pytest.raises(Died):
        patched.setattr(transaction, "swap_in", swap)
        patched.setattr(transaction, "let_go", lambda _: False)
        cli("init")
    cli("init")
    assert [one["approved"] for one in cli("list", "--json").json["blocks"]] == [True, True]
    assert [(one["op"], one["actor"]) for one in cli("log", "--json").json["commits"]] == [("adopt", "user")]


def test_a_new_home_is_on_the_disk_when_init_says_so(
    world: Path, cli: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    """git forces what it commits, but neither HEAD nor its configuration nor the directories around them."""
    forced, whole = set[str](), set[int]()
    real = os.fsync

    def synced(handle: int) -> None:
        whole.add(os.fstat(handle).st_ino)
        forced.add(str(Path(f"/proc/self/fd/{handle}").resolve().relative_to(world)))
        real(handle)

    monkeypatch.setattr(os, "fsync", synced)
    cli("init")
    git = "alice/experiences/.git"
    places = tuple(cases(__file__, "PLACES"))
    missing = {".", "alice", "alice/experiences", git, *(f"{git}/{place}" for place in places)} - forced
    assert not missing
    texts = ["hooks/pre-push", "hooks/post-merge", "info/attributes", "info/exclude"]
    assert {(world / git / text).stat().st_ino for text in texts} <= whole
