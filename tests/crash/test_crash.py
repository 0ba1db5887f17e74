"""The crash matrix, sampled: a few steps of each command in each mode. ``make crash`` walks all of them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import matrix  # noqa: E402
import scenes  # noqa: E402

SAMPLED = [
    ("memorize", "kill"),
    ("approve", "kill-one"),
    ("reply", "short"),
    ("decision", "errno:ENOSPC"),
    ("heartbeat", "kill"),
    ("event", "errno*:ENOSPC"),
    ("purge", "errno:EIO"),
    ("sync", "powercut-end"),
    ("extract", "errno:EIO"),
    ("prune", "kill"),
    ("distill", "powercut"),
    ("import", "errno:ENOSPC"),
]
"""Every act that issue 8 names and every mode, each once at least."""

EVERY = {
    "memorize": 45,
    "approve": 45,
    "reply": 29,
    "decision": 75,
    "heartbeat": 80,
    "event": 45,
    "purge": 120,
    "sync": 110,
    "extract": 47,
    "prune": 45,
    "distill": 45,
    "import": 45,
}
"""Two steps of each command: every so many, the first among them."""


@pytest.mark.parametrize(("scene", "mode"), SAMPLED, ids=lambda value: str(value))
def test_no_step_of_a_command_loses_or_halves_an_act(scene: str, mode: str) -> None:
    if matrix.why_not(mode):
        pytest.skip(matrix.why_not(mode))
    every = (
        EVERY[scene] // 3 if mode == "short" else EVERY[scene]
    )  # a write can be cut short, other calls cannot
    walked = matrix.walk(scene, mode, every)
    assert walked.failures == ()
    assert walked.points >= (1 if mode == "powercut-end" else 2)


def test_the_sample_holds_every_act_and_every_mode() -> None:
    assert {scene for scene, _ in SAMPLED} == set(matrix.MAIN)
    assert {mode for _, mode in SAMPLED} == set(matrix.MODES)


def _check(root: Path, name: str, acked: bool, step: int) -> subprocess.CompletedProcess[str]:
    told = {
        "CM_DIR": str(root),
        "CM_ACKED": str(int(acked)),
        "CM_RC": "0" if acked else "137",
        "CM_N": str(step),
        "CM_MODE": "kill",
    }
    return subprocess.run(
        [sys.executable, *_program(name, "--check", "check_home.py")],
        env={**os.environ, **told},
        capture_output=True,
        text=True,
        check=False,
    )


def _built(root: Path, name: str) -> Path:
    scene = root / name
    scene.mkdir()
    program = _program(name, "--build", "scenes.py")
    subprocess.run([sys.executable, *program], env={**os.environ, "CM_DIR": str(scene)}, check=True)
    return scene


def _program(name: str, step: str, general: str) -> list[str]:
    script = scenes.SCENES[name].script
    return [str(HERE / script), step] if script else [str(HERE / general), name]


WALKED = {scene for scene, mode in SAMPLED if mode != "powercut-end"}
"""A walk begins with a run that nothing interrupts, and with its check."""


@pytest.mark.parametrize("name", [name for name in scenes.SCENES if name not in WALKED])
def test_a_scene_ends_as_it_must_when_nothing_interrupts_it(name: str, tmp_path: Path) -> None:
    root, scene = _built(tmp_path, name), scenes.SCENES[name]
    subprocess.run(
        scene.words(root),
        env=scenes.environment(root, scene.actor),
        cwd=root,
        check=True,
        stdin=subprocess.DEVNULL,
    )
    done = _check(root, name, acked=True, step=1)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("step", [1, 2], ids=["then a read", "then a write"])
@pytest.mark.parametrize("name", ["recover-prepared", "recover-half", "recover-swapped"])
def test_a_decided_act_is_finished_by_whatever_comes_next(name: str, step: int, tmp_path: Path) -> None:
    done = _check(_built(tmp_path, name), name, acked=False, step=step)
    assert done.returncode == 0, done.stderr


def test_the_check_sees_a_lost_act(tmp_path: Path) -> None:
    """An act that was reported done and is not there, and half an act, both fail the check."""
    lost = _check(_built(tmp_path, "memorize"), "memorize", acked=True, step=1)
    assert "an acknowledged act is not there" in lost.stderr
    root = _built(tmp_path, "approve")
    pool = next((root / "alice/experiences/low_value_pool").glob("pending_20260219*"))
    pool.write_text('{"blocks": []}\n', encoding="utf-8")
    half = _check(root, "approve", acked=False, step=1)
    assert half.returncode != 0
