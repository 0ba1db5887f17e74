"""The crash matrix, sampled: a few steps of each command in each mode. ``make crash`` walks all of them."""

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import check_home  # noqa: E402
import scenes  # noqa: E402

from alice_exp.app.command_tree import COMMANDS  # noqa: E402
from tests.case_tables import cases  # noqa: E402

from . import matrix  # noqa: E402
from . import walker as walking  # noqa: E402

SAMPLED = cases(__file__, "SAMPLED")
"""Every scene but the variants of one, each in a mode, and how many steps are interrupted; every mode among them."""

VARIANTS = {name for name in scenes.SCENES if name.startswith(("memorize-", "recover-"))}
VARIANTS |= {"approve-last"}
DECIDED = ("recover-prepared", "recover-half", "recover-swapped")

STAND_INS = dict(cases(__file__, "STAND_INS"))
"""Commands that write by the same calls as a scene: one change set, one appended line, one file put in its place."""

ELSEWHERE = dict(cases(__file__, "ELSEWHERE"))
"""Commands that write outside the history of a home, and what holds them instead."""

READS = {
    **dict(cases(__file__, "READS")),
    "": (
        *("recall", "status", "list", "show", "why", "log", "diff", "context", "prime", "export", "assess"),
        *("consolidation", "stats", "impact", "check", "completion", "help"),
    ),
}
"""Commands that write nothing but what is made again: the index, signatures, marks of access."""


@pytest.fixture(scope="session")
def walker() -> Iterator[walking.Walker]:
    """One process for all walks of this run."""
    begun = walking.Walker()
    yield begun
    begun.close()


@pytest.mark.parametrize(("scene", "mode", "points"), SAMPLED, ids=lambda value: str(value))
def test_no_step_of_a_command_loses_or_halves_an_act(
    scene: str, mode: str, points: int, walker: walking.Walker
) -> None:
    if matrix.why_not(mode):
        # Without power to cut, what the command leaves where nothing interrupts it is looked at all the same.
        mode = "kill"
    if matrix.why_not(mode):
        pytest.skip(matrix.why_not(mode))
    if scenes.SCENES[scene].lacks():
        pytest.skip(f"{scenes.SCENES[scene].lacks()} is not installed")
    known = matrix.read_results(matrix.RESULTS).get(scene, {})
    # The last walk knows how many steps there are: a write can be cut short, other calls cannot. Where it did not walk
    # in this mode, a command has so many at most.
    interrupted = known.get(mode, "").rpartition("/")[2].strip("–")
    steps = int(interrupted or known.get("steps") or 80)
    walked = matrix.walk(walker, scene, mode, max(1, steps // points))
    assert walked.failures == ()
    assert walked.points >= 1


@pytest.mark.parametrize("scene", ["memorize", "owner", "sync-remove"])
def test_a_forked_command_makes_the_steps_of_a_new_process(
    scene: str, walker: walking.Walker, tmp_path: Path
) -> None:
    """What is walked is what a person's shell would start, step by step."""
    if matrix.why_not("kill"):
        pytest.skip(matrix.why_not("kill"))
    made = []
    for cold in (False, True):
        steps = walker.walk(walking.Asked(scene, "kill", 10_000, str(tmp_path), cold))["steps"]
        # Which process of the tree is first where two work at once, and made-up names, are chance.
        steps = sorted((call, _CHANCE.sub("*", path)) for call, path in steps if not _BY_AGE.match(path))
        made.append(steps)
    assert made[0] == made[1]
    assert len(made[0]) > 6


_CHANCE = re.compile(r"alice-tmp-.*|(pack-|tmp_(pack|idx|obj)_)\w+|\b[0-9a-f]{38,40}\b")
_BY_AGE = re.compile(r"alice/state/\.(files|config)\.json\.")
"""Caches that are written again or not by how many milliseconds ago the home was built."""


def test_the_sample_holds_every_act_and_every_mode() -> None:
    assert {scene for scene, *_ in SAMPLED} == set(scenes.SCENES) - VARIANTS
    assert {mode for _, mode, _ in SAMPLED} == set(matrix.MODES)


def test_every_command_that_writes_has_its_scene() -> None:
    """Of a new command somebody has to say whether it writes, and which scene interrupts what it does."""
    commands = {
        f"{name} {sub}".strip()
        for name, below in COMMANDS.items()
        for sub in (below if isinstance(below, dict) else [""])
    }
    played = {
        next(name for name in (" ".join(words[:2]), words[0]) if name in commands)
        for words in (scene.command.split() for scene in scenes.SCENES.values())
    }
    assert set(STAND_INS.values()) <= set(scenes.SCENES)
    reads = {f"{group} {name}".strip() for group, names in READS.items() for name in names}
    kinds = [played - {"list"}, set(STAND_INS), set(ELSEWHERE), reads]
    assert set().union(*kinds) == commands
    assert sum(map(len, kinds)) == len(commands), "a command is in two of the lists"


@pytest.fixture
def apart(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """A folder for a scene that is built, played and checked in this process, whose environment it takes over."""
    root = tmp_path / "scene"
    root.mkdir()
    monkeypatch.chdir(root)
    with patch.dict(os.environ):
        yield root


def _check(root: Path, name: str, acked: bool, step: int) -> None:
    """``AssertionError`` where something was lost."""
    os.environ |= {
        "CM_DIR": str(root),
        "CM_ACKED": str(int(acked)),
        "CM_RC": "0" if acked else "137",
        "CM_N": str(step),
        "CM_MODE": "kill",
    }
    check_home.main(name)


@pytest.mark.parametrize("name", sorted(VARIANTS - set(DECIDED)))
def test_a_scene_ends_as_it_must_when_nothing_interrupts_it(name: str, apart: Path) -> None:
    """The others begin their walk with this."""
    scene = scenes.SCENES[name]
    scenes.build(apart, scene)
    words = [word for word in scene.words(apart)[3:] if word != "-q"]
    assert scenes.call(*words, actor=scene.actor)[0] == 0
    _check(apart, name, acked=True, step=1)


@pytest.mark.parametrize("step", [1, 2], ids=["then a read", "then a write"])
@pytest.mark.parametrize("name", DECIDED)
def test_a_decided_act_is_finished_by_whatever_comes_next(name: str, step: int, apart: Path) -> None:
    scenes.build(apart, scenes.SCENES[name])
    _check(apart, name, acked=False, step=step)


def test_the_check_sees_a_lost_act(apart: Path) -> None:
    """An act that was reported done and is not there fails the check."""
    scenes.build(apart, scenes.SCENES["memorize"])
    with pytest.raises(AssertionError, match="an acknowledged act is not there"):
        _check(apart, "memorize", acked=True, step=1)


def test_the_check_sees_half_an_act(apart: Path) -> None:
    scenes.build(apart, scenes.SCENES["approve"])
    pool = next((apart / "alice/experiences/low_value_pool").glob("pending_20260219*"))
    pool.write_text('{"blocks": []}\n', encoding="utf-8")
    with pytest.raises(AssertionError):
        _check(apart, "approve", acked=False, step=1)
