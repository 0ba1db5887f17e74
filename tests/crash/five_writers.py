"""Five writers at one home, processes that are killed, a disk that fills: ``python -m tests.crash.five_writers PLACE SECONDS``.

PLACE becomes a small disk of its own where this machine lets us mount one. What a writer was told is done has to be
there once in the end, and nothing that was refused or killed twice; exit 1 and one line for each thing that is not so.
"""

import contextlib
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from check_home import check_repository
from scenes import call, enter, environment, state

from .injector.kernel import Unable, mounts_of_our_own

WRITERS, KNOWN = 5, "small steps"
_MAY_END = {0, 3, 5, -signal.SIGKILL}
"""Done, refused by the disk, busy, killed."""


class Soak:
    """What was told, and who works."""

    def __init__(self, root: Path, block: str, before: int) -> None:
        self.root, self.block, self.before = root, block, before
        self.told: Counter[str] = Counter()
        self.tried: Counter[str] = Counter()
        self.ends: Counter[int] = Counter()
        self.faults: list[str] = []
        self.running: set[int] = set()
        self.lock = threading.Lock()

    def write(self, name: str, until: float) -> None:
        """One writer: acts of its own one after the other."""
        choice, number = random.Random(name), 0
        while time.monotonic() < until:
            number += 1
            kind = choice.choice(["memorize", "memorize", "event", "episode", "outcome", "outcome"])
            text = f"{name} did {number}"
            said, words = {
                "memorize": (text, ["memorize", text]),
                "event": ("thoughts", ["event", "add", text]),
                "episode": (f"episode: {text}", ["episode", "add", "--task", text, "--success"]),
                "outcome": (KNOWN, ["outcome", self.block, "ok"]),
            }[kind]
            code, heard = self._run([*words, "-q"], f"agent:{name}")
            with self.lock:
                self.ends[code] += 1
                self.tried[said] += 1
                self.told[said] += code == 0
                if code not in _MAY_END or "Traceback" in heard:
                    self.faults.append(f"{words} ended with {code}: {heard.strip()[-300:]}")

    def _run(self, words: list[str], actor: str) -> tuple[int, str]:
        process = subprocess.Popen(
            [sys.executable, "-m", "alice_exp", *words],
            env=environment(self.root, actor),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        with self.lock:
            self.running.add(process.pid)
        heard = process.communicate()[1]
        with self.lock:
            self.running.discard(process.pid)
        return process.returncode, heard

    def kill(self, until: float) -> None:
        """Somebody dies now and then, with all that it started."""
        choice = random.Random(7)
        while time.monotonic() < until:
            time.sleep(choice.uniform(0.1, 1.5))
            with self.lock, contextlib.suppress(ProcessLookupError):
                if self.running:
                    os.killpg(choice.choice(sorted(self.running)), signal.SIGKILL)

    def fill(self, until: float) -> None:
        """The disk is full for two seconds of every ten."""
        filler = self.root / "filler"
        while time.monotonic() < until:
            with contextlib.suppress(OSError), filler.open("wb", buffering=0) as file:
                while time.monotonic() < until:
                    file.write(bytes(1 << 16))
            time.sleep(2)
            filler.unlink(missing_ok=True)
            time.sleep(8)
        filler.unlink(missing_ok=True)

    def check(self) -> None:
        """What stands in the end, after one more act."""
        enter(self.root)
        assert call("memorize", "what comes after", actor="agent:after")[0] == 0, "the next act failed"
        experiences = self.root / "alice" / "experiences"
        found = state(experiences)
        for said in self.tried:
            stands = {
                KNOWN: found[KNOWN][0][2] - self.before,
                "thoughts": found["thoughts"][0][0],  # they are merged: only their number is known
            }.get(said, len(found.get(said, ())))
            if not self.told[said] <= stands <= self.tried[said]:
                self.faults.append(f"{said!r}: {stands}, told {self.told[said]}, tried {self.tried[said]}")
        check_repository(experiences)


def main(place: Path, seconds: float) -> int:
    """Soak; how many things are not as they must be."""
    place.mkdir(exist_ok=True)
    try:
        mounts_of_our_own()
        disk = ["mount", "-t", "tmpfs", "-o", "size=48m", "none", str(place)]
        is_small = subprocess.run(disk, check=False, capture_output=True).returncode == 0
    except Unable:
        is_small = False
    enter(place)
    assert call("init")[0] == 0
    # Not with `remember`: no agent's outcome counts for what is about the person.
    block = call("memorize", KNOWN, "--when", "changing code")[1]["id"]
    assert call("approve", block, "--yes")[0] == 0
    before = state(place / "alice" / "experiences")[KNOWN][0][2]
    soak, until = Soak(place, block, before), time.monotonic() + seconds
    work = [threading.Thread(target=soak.write, args=(name, until)) for name in "abcde"[:WRITERS]]
    work.append(threading.Thread(target=soak.kill, args=(until,)))
    work += [threading.Thread(target=soak.fill, args=(until,))] if is_small else []
    for one in work:
        one.start()
    for one in work:
        one.join()
    try:
        soak.check()
    except AssertionError as fault:
        soak.faults.append(str(fault))
    print(f"small disk: {is_small}; acts by exit code: {dict(soak.ends)}; told: {soak.told.total()}")
    print(*soak.faults[:20], sep="\n")
    return int(bool(soak.faults))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), float(sys.argv[2])))
