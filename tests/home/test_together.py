"""Several processes at once: nothing lost, one commit an act, history and tree clean."""

import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Call = Callable[..., Any]
BLOCKS = 30

ADDER = """
import sys
from alice_exp.app.main import run
name, count = sys.argv[1], int(sys.argv[2])
for number in range(count):
    for _ in range(3):
        code = run(["memorize", f"{name} learned {number}", "--when", f"{name} {number}", "-q"])
        if code != 5:
            break
    if code:
        sys.exit(f"{name} {number} ended with {code}")
"""


def adder(name: str, count: int = BLOCKS) -> subprocess.Popen[bytes]:
    """A process that adds ``count`` blocks, one act each, as ``agent:name``."""
    root = Path(__file__).parents[2]
    environment = {**os.environ, "ALICE_ACTOR": f"agent:{name}", "PYTHONPATH": str(root)}
    return subprocess.Popen(
        [sys.executable, "-c", ADDER, name, str(count)], env=environment, stderr=subprocess.PIPE
    )


def save(path: Path, text: str, number: int) -> None:
    """Save as editors do: in place, or beside and renamed over."""
    if number % 2:
        path.write_text(text, encoding="utf-8")
        return
    beside = path.with_name(f"{path.name}~")
    beside.write_text(text, encoding="utf-8")
    beside.rename(path)


def _progress(pool: Path, seen: int, processes: list[subprocess.Popen[bytes]]) -> int:
    """Wait until the two have added a few more: a person is not faster than the machine, however loaded it is."""
    while any(process.poll() is None for process in processes):
        now = pool.read_bytes().count(b" learned ") if pool.exists() else 0
        if not 0 <= now - seen < 4:
            return now
        time.sleep(0.01)
    return seen


def test_two_add_thirty_each_while_a_person_edits(
    home: Path, cli: Call, git: Callable[..., str], sound: Callable[[Path], None]
) -> None:
    before = int(git(home, "rev-list", "--count", "HEAD"))
    processes = [adder("one"), adder("two")]
    pool = home / "experiences/low_value_pool/pending_20260220.jsonc"
    mine = home / "experiences/personal/user_preferences.jsonc"
    typed = own_words = 0
    grown = 0
    while any(process.poll() is None for process in processes):
        text = mine.read_text(encoding="utf-8")
        end = text.rindex("]")
        comma = "," if text[:end].rstrip().endswith("}") else ""
        save(
            mine,
            f'{text[:end].rstrip()}{comma}\n    {{"payload": "typed {own_words}"}}\n  ]\n}}\n',
            own_words,
        )
        own_words += 1
        if pool.exists():
            seen = pool.read_bytes()
            head, bracket, tail = seen.decode().partition("[")
            if bracket and pool.read_bytes() == seen:
                pool.write_text(f"{head}[ // note {typed}\n{tail}", encoding="utf-8")
                typed += 1
        grown = _progress(pool, grown, processes)
    said = [process.communicate()[1] for process in processes]
    assert [process.returncode for process in processes] == [0, 0], said
    cli("list")

    payloads = Counter(one["payload"] for one in cli("list", "--json").json["blocks"])
    wanted = {f"{name} learned {number}" for name in ("one", "two") for number in range(BLOCKS)}
    missing = wanted - payloads.keys()
    # A person who saves what they read a moment ago takes out what came in between: adopted so, and in history.
    history = git(home, "log", "--patch", "--format=")
    assert [payload for payload in missing if f'"{payload}"' not in history] == []
    assert max(payloads.values()) == 1
    assert sum(payload.startswith("typed ") for payload in payloads) == own_words
    acts = git(
        home, "log", f"--max-count={10_000}", "--format=%an %(trailers:key=Alice-Op,valueonly,separator=%x20)"
    ).splitlines()
    counted = Counter(acts)
    assert counted["agent:one memorize"] == counted["agent:two memorize"] == BLOCKS
    assert len(acts) - before == 2 * BLOCKS + counted["editor adopt"]
    assert own_words >= 5
    assert counted["editor adopt"] >= 5
    _each_block_has_one_act(home, git, wanted, missing)
    sound(home)


def _each_block_has_one_act(home: Path, git: Callable[..., str], wanted: set[str], missing: set[str]) -> None:
    """Every block was put in by exactly one commit of its own agent; what is missing was taken out by the editor."""
    added = git(home, "log", "-p", "--author=^agent:", "--format=", "--", "low_value_pool")
    lines = [line for line in added.splitlines() if line.startswith("+") and '"payload"' in line]
    assert {json.loads(line.split(":", 1)[1].strip().rstrip(",")) for line in lines} == wanted
    removed = git(home, "log", "-p", "--author=^editor", "--format=", "--", "low_value_pool")
    for payload in missing:
        assert any(line.startswith("-") and payload in line for line in removed.splitlines()), (
            f"{payload} is lost"
        )


def test_d10_twenty_each_are_forty_blocks_and_forty_commits(
    home: Path, cli: Call, git: Callable[..., str], sound: Callable[[Path], None]
) -> None:
    before = int(git(home, "rev-list", "--count", "HEAD"))
    processes = [adder("one", 20), adder("two", 20)]
    said = [process.communicate()[1] for process in processes]
    assert [process.returncode for process in processes] == [0, 0], said
    assert len(cli("list", "--json").json["blocks"]) == 40
    assert int(git(home, "rev-list", "--count", "HEAD")) - before == 40
    sound(home)


def test_readers_see_whole_states_while_a_writer_moves_blocks(
    home: Path, cli: Call, sound: Callable[[Path], None]
) -> None:
    """A block that moves between two files is in exactly one of them in every answer."""
    made = cli("memorize", "moves", "--json").json["id"]
    script = f"""
import sys
from alice_exp.app.main import run
for _ in range(12):
    assert run(["approve", "{made}", "--yes", "-q"]) == 0
    assert run(["undo", "--yes", "-q"]) == 0
"""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    writer = subprocess.Popen([sys.executable, "-c", script], env=environment, stderr=subprocess.PIPE)
    places = Counter()
    while writer.poll() is None:
        shown = cli("list", "--json").json["blocks"]
        assert [one["id"] for one in shown] == [made], f"a reader saw {shown}"
        places[shown[0]["set"]] += 1
    told = {line.split()[-1] for line in writer.communicate()[1].decode().splitlines()}
    assert (told, writer.returncode) == ({"moves"}, 0), "it names what it decides, and complains of nothing"
    assert len(places) == 2
    sound(home)


@pytest.mark.covers("B2.40")
def test_a_held_lock_lets_readers_through_and_names_its_holder(
    home: Path, cli: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    import fcntl

    from alice_exp.kernel.journal import lock

    waits: list[float] = []
    take = lock.WriterLock._take

    def briefly(self: Any, wait: float) -> None:
        waits.append(wait)
        take(self, wait / 20)

    monkeypatch.setattr(lock.WriterLock, "_take", briefly)
    cli("remember", "tea")
    handle = os.open(home / "state/lock", os.O_RDWR)
    fcntl.flock(handle, fcntl.LOCK_EX)
    os.pwrite(handle, b"process 4242\n", 0)
    try:
        assert [one["payload"] for one in cli("list", "--json").json["blocks"]] == ["tea"]
        refused = cli("remember", "coffee", "--json", check=False)
        assert (refused.code, waits[-1]) == (5, 10)
        assert "4242" in refused.error["message"]
    finally:
        os.close(handle)
    cli("remember", "coffee")
