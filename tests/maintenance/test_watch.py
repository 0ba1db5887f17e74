"""The watcher alone: every way of saving is noticed once, other things never, and it leaves nothing behind."""

import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from alice_exp.maintenance.store.watch import Watcher

DEBOUNCE = 0.05
BODY = '{"blocks": [{"payload": "number %d"}]}\n'


class Calls:
    """Counts the calls of a watcher and waits for them."""

    def __init__(self) -> None:
        self.count = 0
        self.at = 0.0
        self._news = threading.Condition()

    def __call__(self) -> None:
        with self._news:
            self.count += 1
            self.at = time.monotonic()
            self._news.notify_all()

    def reach(self, count: int, seconds: float = 20.0) -> bool:
        """Whether there were that many calls in time."""
        with self._news:
            return self._news.wait_for(lambda: self.count >= count, seconds)

    def settled(self) -> int:
        """The count once nothing has happened for a while."""
        before = -1
        while before != self.count:
            before = self.count
            time.sleep(4 * DEBOUNCE)
        return self.count


def wait_until(holds: Callable[[], object], seconds: float = 20.0) -> bool:
    """Whether something held in time."""
    deadline = time.monotonic() + seconds
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.01)
    return bool(holds())


@pytest.fixture
def calls() -> Calls:
    return Calls()


@pytest.fixture
def watched(home: Path, calls: Calls) -> Iterator[Watcher]:
    with Watcher(home / "experiences", calls, debounce=DEBOUNCE, rescan=30) as watcher:
        yield watcher


def in_place(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def in_two_writes(path: Path, text: str) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.write(text[:10])
        file.flush()
        os.fsync(file.fileno())
        file.write(text[10:])


def rename_over(path: Path, text: str) -> None:
    beside = path.with_name(f"{path.name}.tmp.4711")
    beside.write_text(text, encoding="utf-8")
    beside.replace(path)


def backup_then_write(path: Path, text: str) -> None:
    path.rename(path.with_name(f"{path.name}~"))
    path.write_text(text, encoding="utf-8")


def backup_elsewhere(path: Path, text: str) -> None:
    path.rename(path.parents[3] / "backup.jsonc")
    path.write_text(text, encoding="utf-8")


def as_vim_does(path: Path, text: str) -> None:
    (path.with_name("4913")).touch()
    (path.with_name("4913")).unlink()
    path.with_name(f".{path.name}.swp").write_bytes(b"swap")
    backup_then_write(path, text)
    path.chmod(0o600)
    path.with_name(f"{path.name}~").unlink()
    path.with_name(f".{path.name}.swp").unlink()


def sed(path: Path, text: str) -> None:
    subprocess.run(["sed", "-i", "-e", f"$c\\{text.strip()}", "-e", "$!d", str(path)], check=True)


WAYS: list[Callable[[Path, str], None]] = [
    in_place,
    in_two_writes,
    rename_over,
    backup_then_write,
    backup_elsewhere,
    as_vim_does,
    sed,
]


@pytest.mark.parametrize("save", WAYS, ids=lambda way: way.__name__)
def test_every_way_of_saving_is_noticed_once(
    home: Path, watched: Watcher, calls: Calls, save: Callable[[Path, str], None]
) -> None:
    path = home / "experiences/universal/tool_usage.jsonc"
    save(path, BODY % 1)
    assert calls.reach(1)
    assert calls.settled() == 1
    save(path, BODY % 2)
    assert calls.reach(2)
    assert calls.settled() == 2


def test_it_waits_until_the_file_is_quiet(home: Path, watched: Watcher, calls: Calls) -> None:
    path = home / "experiences/personal/user_preferences.jsonc"
    watched.debounce = 0.2
    for _ in range(10):
        before, rested, last = calls.count, 0.0, time.monotonic()
        for number in range(4):
            path.write_text(BODY % number)
            rested, last = max(rested, time.monotonic() - last), time.monotonic()
            time.sleep(0.05)
        assert calls.reach(before + 1)
        told = calls.settled()
        if rested < 0.15:  # else other work on the machine kept the writer waiting, and the file was quiet
            break
    assert calls.at - last > 0.12
    assert told == before + 1


def test_a_file_that_never_rests_is_read_all_the_same(home: Path, watched: Watcher, calls: Calls) -> None:
    path = home / "experiences/personal/user_preferences.jsonc"
    began = time.monotonic()
    while not calls.count and time.monotonic() - began < 20:
        path.write_text(BODY % 1)
        time.sleep(DEBOUNCE / 5)
    assert calls.count, "it waited for a rest that never came"


def test_reading_and_temporary_files_and_the_history_are_no_news(
    home: Path, watched: Watcher, calls: Calls
) -> None:
    folder = home / "experiences/universal"
    for path in folder.iterdir():
        path.read_bytes()
    for name in (
        ".tool_usage.jsonc.alice-tmp-1-ab",
        ".tool_usage.jsonc.swp",
        "tool_usage.jsonc~",
        "notes.txt",
    ):
        (folder / name).write_text("x")
    (home / "experiences/.git/refs/heads/other").write_text("x")
    assert calls.settled() == 0
    (folder / "fresh.jsonc").write_text(BODY % 1)
    assert calls.reach(1)


def test_reading_wakes_nobody(
    home: Path, watched: Watcher, calls: Calls, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    monkeypatch.setattr(watched, "dispatch", lambda event: told.append(event.src_path))
    for path in (home / "experiences/universal").iterdir():
        path.read_bytes()
    (home / "experiences/universal/last.jsonc").write_text(BODY % 1)
    assert wait_until(lambda: told)
    assert {os.fspath(path).rpartition("/")[2] for path in told} == {"last.jsonc"}


def test_a_deleted_file_and_a_new_directory_are_news(home: Path, watched: Watcher, calls: Calls) -> None:
    (home / "experiences/universal/tool_usage.jsonc").unlink()
    assert calls.reach(1)
    calls.settled()
    before = calls.count
    shutil.rmtree(home / "experiences/records")
    assert calls.reach(before + 1)


def test_a_rescan_finds_what_no_event_told(home: Path, calls: Calls, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Watcher, "dispatch", lambda self, event: None)
    path = home / "experiences/universal/tool_usage.jsonc"
    with Watcher(home / "experiences", calls, debounce=DEBOUNCE, rescan=0.1):
        time.sleep(0.15)
        assert calls.count == 0
        path.write_text(BODY % 1)
        assert calls.reach(1)
        assert calls.settled() == 1


def test_a_root_that_was_deleted_and_put_back_is_watched_again(home: Path, calls: Calls) -> None:
    root = home / "experiences"
    with Watcher(root, calls, debounce=DEBOUNCE, rescan=0.1) as watcher:
        root.rename(home / "aside")
        assert calls.reach(1)
        calls.settled()
        shutil.copytree(home / "aside", root)
        before = calls.count
        assert calls.reach(before + 1)
        calls.settled()
        watcher.rescan = 30
        time.sleep(0.15)
        before = calls.settled()
        (root / "universal/tool_usage.jsonc").write_text(BODY % 1)
        assert calls.reach(before + 1)


def test_where_the_system_refuses_to_watch_it_looks(
    home: Path, calls: Calls, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: Watcher, directory: Path) -> None:
        return None

    monkeypatch.setattr(Watcher, "_schedule", refuse)
    with Watcher(home / "experiences", calls, debounce=DEBOUNCE, rescan=0.2) as watcher:
        assert watcher.polls
        (home / "experiences/universal/tool_usage.jsonc").write_text(BODY % 1)
        assert calls.reach(1)


def test_asked_to_look_again_it_does_so_soon(watched: Watcher, calls: Calls) -> None:
    began = time.monotonic()
    watched.again()
    assert calls.reach(1)
    assert calls.at - began > 0.04
    assert calls.settled() == 1


def test_it_leaves_no_thread_behind(home: Path, calls: Calls) -> None:
    before = set(threading.enumerate())
    with Watcher(home / "experiences", calls, debounce=DEBOUNCE):
        assert set(threading.enumerate()) - before
    deadline = time.monotonic() + 20
    while (left := set(threading.enumerate()) - before) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not left


def test_what_watchdog_says_at_its_end_is_not_shown(home: Path) -> None:
    """A thread of its own calls "inactive" an error where an event comes while it ends."""
    program = (
        "import logging, sys; from pathlib import Path; from alice_exp.maintenance.store.watch import Watcher\n"
        "with Watcher(Path(sys.argv[1]), lambda: None): pass\n"
        "logging.getLogger('watchdog.observers.inotify').error('queue_events() called')\n"
    )
    command = [sys.executable, "-c", program, str(home / "experiences")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=True)
    assert (done.stdout, done.stderr) == ("", "")
