"""What must hold after a crash of the home in ``$CM_DIR``.

The next command recovers (a reading one at odd steps, a writing one at even steps); then the home is in exactly one
of two states: the interrupted act whole under its own author, or never begun. What was acknowledged is there.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

from scenes import AGENT, HAND_EDIT, SCENES, SHARED, TALK, Scene, call, comments, contents, enter, state

EDITOR = ("adopt", "editor")
TEA = [["low_value_pool/pending_20260220.jsonc", "possible", 0, False]]
AFTER: dict[str, dict[str, list[Any]]] = {
    "outcome exp-aaaaaaa2": {"use rg": [["universal/tool_usage.jsonc", "past", 5, False]]},
    "outcome dec-aaaaaaa2": {
        # What is about the person gets no outcome from an agent; what stands beside it was told alone.
        "use rg": [["universal/tool_usage.jsonc", "past", 5, False]],
        "small steps": [["personal/user_preferences.jsonc", "past", 1, False]],
        "episode: refactoring code": [[True, 1.0]],
        "thoughts": [[1, 0]],
    },
    "heartbeat": {},
    "event add": {"thoughts": [[11, 8]]},
    "share import": {SHARED: TEA},
    "session extract": {"The user prefers tea over coffee": TEA},
}
"""What an act leaves by the first words of its command; what it does not name stays as it was."""
FOLLOWING = "what comes after the crash"


def main(name: str) -> None:
    """Check one scene; an ``AssertionError`` says what was lost."""
    root, scene = Path(os.environ["CM_DIR"]), SCENES[name]
    acked, code, step = os.environ["CM_ACKED"] == "1", int(os.environ["CM_RC"]), int(os.environ["CM_N"])
    is_refused = os.environ["CM_MODE"].startswith("errno")
    expect = json.loads((root / "expect.json").read_text(encoding="utf-8"))
    enter(root)
    # ssh-keygen does not say why it could not sign: with the owner's key that is a refusal, in a sentence.
    assert code in ((0, 3, 6, 137) if name.startswith("owner") else (0, 3, 137)), (
        f"the command ended with {code}, which is neither done, a sentence nor a crash"
    )
    _check_files(root, scene, expect, acked=acked)
    if scene.again and (not step % 2 or name == "init"):
        words = [word for word in scene.words(root)[3:] if word != "-q"]
        answer = call(*words, actor=scene.actor)
        assert answer[0] == 0, f"the same command again ended with {answer}"
        acked = True
        _check_files(root, scene, expect, acked=acked)
    if step % 2:
        assert call("list")[0] == 0, "the next reading command failed"
    assert call("memorize", FOLLOWING, actor=AGENT)[0] == 0, "the next writing command failed"
    experiences = root / "alice" / "experiences"
    acts = acts_of(experiences)[expect["commits"] :]
    present = state(experiences)
    assert len(present.pop(FOLLOWING)) == 1, "the following act stands twice"
    _check_acts(scene, acts, present, expect, acked=acked)
    if name == "extract":
        _check_reading(experiences)
    if name == "heartbeat":
        assert call("heartbeat", now="2026-02-21T09:00:00Z")[0] == 0, "the next report failed"
        text = (experiences / "universal" / "tool_usage.jsonc").read_text(encoding="utf-8")
        assert re.findall(r'"access_count": (\d+)', text) == ["1"], "a read was lost or counted twice"
    if name == "decide":
        # A disk that refuses does not silence the answer, which then says that it has no outcome.
        _check_decided(experiences, acked=acked and not is_refused)
    if name == "session-say":
        told = call("session", "show", "talk", actor=AGENT)[1]["messages"]
        said = [one["content"] for one in told]
        assert said == [*TALK, "And tea again."] or (said == [*TALK] and not acked), f"it holds {said}"
    if name == "decision":
        _check_answered(experiences, happened=(scene.op, scene.actor) in acts)
    missing = [line for line in expect["comments"] if line not in comments(experiences)]
    assert not missing or name.startswith(("approve-last", "reply")), f"comments are gone: {missing}"
    check_repository(experiences, expect["ledger"])
    _check_lost(name, happened=(scene.op, scene.actor) in acts)


def _check_acts(
    scene: Scene, acts: list[tuple[str, str]], present: dict[str, Any], expect: dict[str, Any], *, acked: bool
) -> None:
    first = [*scene.first]
    following = [("memorize", AGENT)]
    own = [(scene.op, scene.actor)] if scene.op else []
    done, undone = [*first, *own, *following], [*first, *following]
    # An adoption that is interrupted between its commit and its file is completed by a second one: the file
    # on disk is the person's own, and which version of it was adopted is not known any more.
    while EDITOR in first and acts[: 2 * len(first)] == first * 2:
        acts = acts[len(first) :]
    assert acts in (done, undone), f"unexpected acts: {acts}"
    happened = acts == done if done != undone else None
    if scene.op and (acked or scene.always):
        assert happened, f"an acknowledged act is not there: {acts}"
    wanted = after(scene, expect["before"], happened=bool(happened))
    if happened and scene.rehearsed:
        wanted = expect["after"]
    assert present == wanted, f"neither before nor after: {present} instead of {wanted}"


def _check_files(root: Path, scene: Scene, expect: dict[str, Any], *, acked: bool) -> None:
    """The files beside the history: each whole, as it was or as the command leaves it."""
    for name, text in contents(root / "alice", scene).items():
        was, becomes = expect["files before"][name], expect["files after"][name]
        assert text == becomes or (text == was and not acked), f"{name} holds {text!r}"


def _check_decided(experiences: Path, *, acked: bool) -> None:
    """A decision that was answered has its outcome; of one that was interrupted nothing half stands."""
    kept = sorted((experiences.parent / "state" / "decisions").glob("*"))
    assert len(kept) <= 1 and (kept or not acked), f"decisions kept: {kept}"
    for path in kept:
        assert call("outcome", path.stem, "ok", actor=AGENT)[0] == 0, "the decision cannot have its outcome"


def after(scene: Scene, before: dict[str, Any], *, happened: bool) -> dict[str, Any]:
    """The blocks as they must stand, by what they say."""
    wanted = {text: [list(row) for row in rows] for text, rows in before.items()}
    if scene.prepare == "hand_edit":
        wanted[HAND_EDIT] = [["personal/user_preferences.jsonc", "past", 1, False]]
    if scene.prepare == "rejected_edit":
        wanted[HAND_EDIT] = [["low_value_pool/pending_20260219.jsonc", "possible", 0, False]]
    archived = [["archive/obsolete.jsonc", "obsolete", 0, False]]
    if ("retire", "user") in scene.first:
        wanted["use ruff format"] = archived
    if not happened:
        return wanted
    words = scene.command.split()
    if words[0] == "memorize":
        wanted["prefer uv"] = [["low_value_pool/pending_20260220.jsonc", "possible", 0, False]]
    elif words[0] in ("approve", "reply"):
        chosen = ["small commits"] if words[1].startswith("exp-") else ["small commits", "seen before"]
        for text in chosen:
            wanted[text] = [["universal/system_info.jsonc", "past", 1, True]]
    elif words[0] == "keep":
        wanted.pop("in doubt: small steps")
    else:
        wanted |= AFTER.get(" ".join(words[:2]), {"use ruff format": archived})
    return wanted


def _check_reading(experiences: Path) -> None:
    """Every message is there and none is read twice, whether or not the interrupted reading stands."""
    assert call("session", "extract", "talk", actor=AGENT)[0] == 0, (
        "the next reading of the conversation failed"
    )
    told = call("session", "show", "talk", actor=AGENT)[1]["messages"]
    assert [one["content"] for one in told] == list(TALK), f"the conversation is {told}"
    ops = [op for op, _ in acts_of(experiences)]
    assert ops.count("extract") == 1, f"read {ops.count('extract')} times"
    found = state(experiences)
    assert found["The user prefers tea over coffee"] == TEA, f"read as {found}"


def _check_answered(experiences: Path, *, happened: bool) -> None:
    """A decision has one outcome: one that stands is refused a second time, one that does not is open still."""
    code, _ = call("outcome", "dec-aaaaaaa2", "ok", actor=AGENT)
    assert code == (6 if happened else 0), f"a second outcome ended with {code}"
    assert state(experiences)["episode: refactoring code"] == [[True, 1.0]], "the decision counts twice"


def _check_lost(name: str, *, happened: bool) -> None:
    """What git took away is offered until it is put back; what was rejected holds meanwhile."""
    if not name.startswith("restore-"):
        return
    lost = call("heartbeat")[1]["lost"]
    assert bool(lost) is not happened, f"lost are {lost}"
    assert call("approve", "exp-ccccccc2", "--yes")[0] == 6, "what was rejected can be approved"


def acts_of(experiences: Path) -> list[tuple[str, str]]:
    """Op and author of every commit, oldest first."""
    form = "%(trailers:key=Alice-Op,valueonly,separator=%x2C)%x09%an"
    lines = _git(experiences, "log", "--reverse", f"--format={form}").splitlines()
    return [(line.split("\t")[0], line.split("\t")[1]) for line in lines]


def check_repository(experiences: Path, ahead: str = "") -> None:
    assert _git(experiences, "fsck", "--strict", "--no-dangling") == "", "git fsck is not content"
    assert _git(experiences, "status", "--porcelain", "--untracked-files=all") == "", (
        "git status is not clean"
    )
    ours = _git(experiences, "for-each-ref", "--format=%(refname)", "refs/alice").split()
    # A history that begins anew has no ledger before its first decision.
    assert ours in (["refs/alice/ledger", "refs/alice/seen"], ["refs/alice/seen"]), "a pending act was left"
    check_ledger(experiences, ours, ahead)
    left = [
        str(path.relative_to(experiences.parent))
        for path in experiences.parent.rglob("*")
        if ".alice-tmp-" in path.name
        or path.name.endswith((".lock", ".aside"))
        or path.name.startswith("tmp_obj_")
    ]
    assert not left, f"left behind: {left}"


def check_ledger(experiences: Path, ours: list[str], ahead: str = "") -> None:
    """The ledger is neither ahead of nor behind the branch: the newest act that wrote an entry names its head. Where
    git took acts off the branch it stands ``ahead`` until the next entry."""
    form = "--format=%(trailers:key=Alice-Ledger,valueonly)"
    named = _git(experiences, "log", "-1", "--grep=^Alice-Ledger: ", form)
    if named and "refs/alice/ledger" in ours:
        head = _git(experiences, "rev-parse", "refs/alice/ledger")
        assert head in (named, ahead), "the ledger is not the branch's"


def _git(experiences: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=experiences, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"git {arguments[0]} ended with {done.returncode}: {done.stderr.strip()}"
    return (done.stdout + done.stderr).strip()
