"""``sync`` beside what else runs: an editor that saves, a watch, git's own lock (the rest: ``sync.transcript``)."""

import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from alice_exp.sync.store import git_remotes
from tests.conftest import Call
from tests.sync.conftest import InStep, at


def sync(cli: Call, home: Path) -> Any:
    return cli("sync", "--json", env=at(home)).json["remotes"][0]


def test_a_sync_beside_an_editor_that_saves_waits_for_it(
    in_step: InStep, cli: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    """N1.15: a file that is half written is no fault of the person's."""
    cli("remember", "green tea", "--when", "drinking", env=at(in_step.there))
    sync(cli, in_step.there)
    path = in_step.here / "experiences/personal/user_preferences.jsonc"
    whole = path.read_text().replace("\n{", "\n// of Ann\n{", 1) + "// the end\n"
    path.write_text(whole[: len(whole) // 2])
    monkeypatch.setattr(time, "sleep", lambda _: path.write_text(whole))
    # However long it takes until the file is looked at, it was saved a moment ago.
    monkeypatch.setattr(git_remotes, "SAVING_NS", 10**11)
    assert sync(cli, in_step.here)["taken"]
    assert "green tea" in path.read_text() and "// the end" in path.read_text()


def test_watch_sends_what_is_done_meanwhile(
    in_step: InStep, cli: Call, start: Callable[..., subprocess.Popen[str]]
) -> None:
    here, there = at(in_step.here), at(in_step.there)
    running = start("sync", "watch", "--every", "60m", "--for", "1m", env=here)
    assert running.stdout is not None
    running.stdout.readline()
    one = cli("memorize", "use rg", "--when", "searching", "--json", env=here).json["id"]
    for _ in range(60):
        sync(cli, in_step.there)
        if not cli("show", one, "--json", env=there, check=False).code:
            break
        time.sleep(0.2)
    assert cli("show", one, "--json", env=there).json["payload"] == "use rg"


def test_a_lock_file_that_stays_is_named_and_one_that_goes_is_waited_for(in_step: InStep, cli: Call) -> None:
    here = in_step.here
    lock = in_step.remote / "refs/heads/main.lock"
    cli("memorize", "use rg", env=at(here))
    lock.touch()
    done = cli("sync", "--json", env=at(here), check=False)
    error = done.json["remotes"][0]["error"]
    assert (done.code, error["code"]) == (5, "busy")
    assert str(lock) in error["message"] and "remove that file" in done.stderr
    threading.Timer(0.3, lock.unlink).start()
    assert sync(cli, here)["given"] == 1
