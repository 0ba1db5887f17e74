"""What is held back as secret leaves by no door, where what waits beside it or is trusted does (N8.4)."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

from tests.sharing.test_share import SUPER, block, write
from tests.team.conftest import Person, people

__all__ = ["people"]

SECRET, FREE = "hunter2-Tr0ub4dor", "Run make lint before git push"


def test_what_is_held_back_leaves_by_no_door(people: Callable[..., list[Person]], world: Path) -> None:
    (ann,) = people("ann")
    remote, bundle = world / "there.git", world / "bundle.json"
    subprocess.run(["git", "init", "-q", "--bare", "--initial-branch=main", remote], check=True)
    ann.knows(FREE)
    write(ann.home, "universal/testing", block("super222", "use ripgrep", f", {SUPER}"))
    ann("approve", "exp-super222", "--yes")
    ann("share", "allow", "exp-super222", "--yes")
    named = json.dumps(
        {"payload": f"the staging password is {SECRET}", "trigger": "logging in", "type": "rule"}
    )
    (world / "drafts.jsonl").write_text(named + "\n")
    ann("memorize", "--from", str(world / "drafts.jsonl"), "--actor", "agent:x")
    ann("heartbeat")
    assert SECRET in (ann.home / "state/held.jsonc").read_text()
    ann("sync", "add", str(remote), "--private", "--name", "mine", "--yes")
    said = ""
    for words in (
        "sync", "share list", "share preview", f"share export {bundle} --yes", "project publish --yes", "export", "log",
    ):  # fmt: skip
        done = ann(*words.split())
        said += done.stdout + done.stderr
    objects = ["git", "-C", str(remote), "cat-file", "--batch-all-objects", "--batch"]
    held = subprocess.run(objects, capture_output=True, check=True).stdout
    left = (held, ann.file.read_bytes(), bundle.read_bytes(), said.encode())
    for data, free in zip(left, (FREE, FREE, "use ripgrep", FREE), strict=True):
        assert free.encode() in data and SECRET.encode() not in data
