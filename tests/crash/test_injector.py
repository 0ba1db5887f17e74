"""The fault injector itself, on programs of a few lines: what it counts, what it does, and that it is believed rightly."""

import errno
import json
import os
import platform
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from . import matrix
from .injector import faults, kernel, syscalls, walk

PYTHON = f"{shlex.quote(sys.executable)} -I -S -B"
OLD_OR_NEW = "old in the whole, or new in the whole"
CHECK = f"""
import sys
held = open("file").read()
sys.exit(0 if held in ("old" * 100, "new" * 100) else "{OLD_OR_NEW}: " + repr(held[:9]))
"""
SETUP = 'open("file", "w").write("old" * 100)'
UNSAFE = 'import os; os.write(os.open("file", os.O_WRONLY | os.O_TRUNC), b"new" * 100)'
SAFE = """
import os
with open("beside", "w") as file:
    file.write("new" * 100)
    file.flush()
    os.fsync(file.fileno())
os.rename("beside", "file")
"""
DURABLE = SAFE + 'os.fsync(os.open(".", os.O_RDONLY))'


@dataclass(frozen=True)
class Found:
    """What one walk said: its exit status, its lines, the steps as ``name path``, the rows."""

    code: int
    said: str
    steps: list[str]
    rows: list[dict[str, Any]]

    def lost(self) -> list[str]:
        return [row["syscall"] for row in self.rows if not row["survived"]]


@pytest.fixture
def inject(tmp_path: Path) -> Any:
    """``inject(command, check=..., setup=..., mode=..., *words)``: Python texts; a leading ``$`` means a shell's text."""

    def call(command: str, *words: str, check: str = "", setup: str = "", mode: str = "kill") -> Found:
        if matrix.why_not(mode):
            pytest.skip(matrix.why_not(mode))
        kept = tmp_path / "found.json"
        given = [
            *("--setup", _program(tmp_path, "setup", setup)),
            *("--command", _program(tmp_path, "command", command)),
            *("--check", _program(tmp_path, "check", check)),
            *("--mode", mode, "--scratch", str(tmp_path), "--json", str(kept)),
        ]
        done = _run(*given, *words)
        found = json.loads(kept.read_text()) if kept.exists() else {"steps": [], "rows": []}
        steps = [" ".join(step) for step in found["steps"]]
        return Found(done.returncode, done.stdout + done.stderr, steps, found["rows"])

    return call


def _program(place: Path, name: str, text: str) -> str:
    if text.startswith("$"):
        return text[1:].replace("PYTHON", PYTHON)
    (place / f"{name}.py").write_text(text)
    return f"exec {PYTHON} {shlex.quote(str(place / name))}.py"


def _run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tests.crash.injector", *words],
        cwd=matrix.ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


# -- is a loss seen, is a safe program believed ---------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["kill", "kill-one", "errno:ENOSPC", "errno*:EIO"])
def test_a_file_cut_off_before_it_is_written_is_caught(inject: Any, mode: str) -> None:
    found = inject(UNSAFE, check=CHECK, setup=SETUP, mode=mode)
    assert found.steps == ["openat file", "write file"]
    assert found.code == 1
    assert found.lost() == ["write"]
    assert found.rows[-1]["why"].startswith(OLD_OR_NEW)


@pytest.mark.parametrize("mode", ["kill", "kill-one", "errno:ENOSPC", "errno*:EIO", "short", "powercut"])
def test_a_file_written_beside_and_renamed_survives_every_step(inject: Any, mode: str) -> None:
    found = inject(SAFE, check=CHECK, setup=SETUP, mode=mode)
    assert found.steps == ["openat beside", "write beside", "fsync beside", "rename beside"]
    assert (found.code, found.lost()) == (0, [])
    assert [row["n"] for row in found.rows] == ([2] if mode == "short" else [1, 2, 3, 4])


def test_the_power_takes_what_was_not_forced_to_disk(inject: Any) -> None:
    promised = CHECK.replace('"old" * 100, ', "")
    for program, code in ((SAFE.replace("os.fsync(file.fileno())", ""), 1), (DURABLE, 0)):
        found = inject(program, check=promised, setup=SETUP, mode="powercut-end")
        assert found.code == code, found.said
        assert [(row["n"], row["rc"]) for row in found.rows] == [(0, 0)]
    new = 'open("other", "w").write("new")'
    found = inject(new, check='import os; raise SystemExit(os.path.exists("other"))', mode="powercut-end")
    assert found.code == 0, "a new file that nobody forced to disk is there after the power was cut"


def test_the_power_keeps_what_was_forced_to_disk_before_the_step(inject: Any) -> None:
    there = 'import os; raise SystemExit(int(os.environ["CM_N"]) > {} and not os.path.exists("file"))'
    program = DURABLE + '\nopen("other", "w").close()'
    found = inject(program, check=there.format(5), mode="powercut")
    assert found.steps[4:] == ["fsync .", "openat other"]
    assert (found.code, len(found.rows)) == (0, 6), found.said
    hasty = SAFE + '\nopen("other", "w").close()'
    assert inject(hasty, check=there.format(4), mode="powercut").lost() == ["openat"]


# -- what happens at a step -----------------------------------------------------------------------------------------

TELLS = """
import os, sys
def number(call):
    try:
        return call() or 0
    except OSError as fault:
        return fault.errno
file = os.open("file", os.O_WRONLY | os.O_CREAT)
first = number(lambda: os.fsync(file))
second = number(lambda: os.fsync(file))
print(first, second)
sys.exit(bool(first or second))
"""


@pytest.mark.parametrize(
    ("mode", "said"),
    [
        ("errno:ENOSPC", f"{errno.ENOSPC} 0"),
        ("errno:EIO", f"{errno.EIO} 0"),
        ("errno*:ENOSPC", f"{errno.ENOSPC} {errno.ENOSPC}"),
    ],
)
def test_a_call_fails_with_the_error_once_or_from_then_on(inject: Any, mode: str, said: str) -> None:
    found = inject(TELLS, "--only", "2", mode=mode)
    assert found.steps == ["openat file", "fsync file", "fsync file"]
    assert [(row["n"], row["rc"]) for row in found.rows] == [(2, 1)]
    assert said in found.said.splitlines()


def test_a_refused_call_does_nothing(inject: Any) -> None:
    program = 'import os\ntry:\n    os.mkdir("a")\nexcept OSError:\n    pass'
    found = inject(program, check='import os; raise SystemExit(os.listdir("."))', mode="errno:EACCES")
    assert found.said.startswith("the undisturbed command ended with 0, its check: ['a']")
    absent = 'import os; raise SystemExit(int(os.environ["CM_N"]) and os.path.exists("a"))'
    assert inject(program, check=absent, mode="errno:EACCES").code == 0


def test_a_short_write_writes_half(inject: Any) -> None:
    program = """
import os, sys
file = os.open("file", os.O_WRONLY | os.O_CREAT)
os.write(file, b"1")
sys.exit(10 - os.write(file, b"0123456789"))
"""
    found = inject(program, check='import os; raise SystemExit(os.stat("file").st_size)', mode="short")
    assert "its check" in found.said, "the check of the undisturbed run fails, and that is said"
    sized = 'import os; raise SystemExit(os.stat("file").st_size != (6 if int(os.environ["CM_N"]) else 11))'
    found = inject(program, check=sized, mode="short")
    assert [(row["n"], row["rc"], row["survived"]) for row in found.rows] == [(3, 5, True)]


def test_a_call_is_not_carried_out_by_a_kill(inject: Any) -> None:
    made = 'import os; raise SystemExit(int(os.environ["CM_N"]) and os.path.exists("a"))'
    assert inject('import os; os.mkdir("a")', check=made, mode="kill").code == 0


# -- one counter over a tree of processes ---------------------------------------------------------------------------

FAMILY = '$echo a > one; PYTHON -c \'open("two", "w")\'; (echo c > three) & wait; mkdir four'


def test_children_are_counted_with_their_parent(inject: Any) -> None:
    found = inject(FAMILY, "--every", "2")
    named = [step.split()[1] for step in found.steps]
    assert named == ["one", "one", "two", "three", "three", "four"]
    assert [row["n"] for row in found.rows] == [1, 3, 5]
    assert {row["rc"] for row in found.rows} == {137}


def test_only_one_process_dies_and_its_parent_sees_it(inject: Any) -> None:
    program = """
import subprocess, sys
def child(name):
    return subprocess.run([sys.executable, "-I", "-S", "-c", f"open('{name}', 'w')"]).returncode
sys.exit(10 * (child("one") == -9) + (child("two") == -9))
"""
    found = inject(program, mode="kill-one")
    assert [(row["path"], row["rc"]) for row in found.rows] == [("one", 10), ("two", 1)]


NOBODY = """
import os, sys
def lives_here(process):
    try:
        return os.readlink(f"/proc/{process}/cwd") == os.environ["CM_DIR"]
    except OSError:
        return False
left = {int(name) for name in os.listdir("/proc") if name.isdigit() and lives_here(name)}
left -= {os.getpid(), os.getppid()}
sys.exit(bool(left) and f"{left} live on")
"""


def test_nobody_of_the_tree_lives_on(inject: Any, tmp_path: Path) -> None:
    """Not a process that left its group, and none that is being born while the others die."""
    late = tmp_path / "late"
    program = f"""
import os, time
end = time.monotonic() + 0.3
if os.fork() == 0:
    os.setsid()
    time.sleep(0.05)
    os.mkdir("step")
    os._exit(0)
while not os.path.exists("step"):
    if os.fork() == 0:
        time.sleep(max(0, end - time.monotonic()))
        open({str(late)!r}, "a").write(os.environ["CM_N"])
        os._exit(0)
time.sleep(1)
"""
    found = inject(program, check=NOBODY)
    assert (found.code, [row["rc"] for row in found.rows]) == (0, [137]), found.said
    assert set(late.read_text()) == {"0"}, "somebody lived on after the kill"


def test_a_child_that_is_born_as_its_parent_dies_does_not_stay(inject: Any) -> None:
    """Its first stop may come when everybody who was known is gone already."""
    program = """
import os, time
if os.fork() == 0:
    for number in range(10):
        time.sleep(0.01)
        os.mkdir(str(number))
    os._exit(0)
while os.waitpid(-1, os.WNOHANG)[0] == 0 or not os.path.exists("9"):
    if os.fork() == 0:
        os._exit(0)
"""
    assert inject(program, check=NOBODY).code == 0


def test_threads_and_a_program_begun_by_a_thread_are_followed(inject: Any) -> None:
    program = """
import os, sys, threading
first = threading.Thread(target=lambda: open("one", "w"))
first.start()
first.join()
def become():
    os.execv(sys.executable, [sys.executable, "-I", "-S", "-c", "open('two', 'w')"])
thread = threading.Thread(target=become)
thread.start()
thread.join()
"""
    found = inject(program, mode="errno:EACCES")
    assert found.steps == ["openat one", "openat two"]
    assert [row["rc"] for row in found.rows] == [0, 1]


def test_a_stopped_process_stays_stopped_until_it_is_woken(inject: Any) -> None:
    program = (
        "$(kill -STOP $(sh -c 'echo $PPID'); echo b > two) & sleep 0.3; echo a > one; kill -CONT $!; wait"
    )
    assert [step.split()[1] for step in inject(program, "--every", "99").steps] == [
        "one",
        "one",
        "two",
        "two",
    ]


# -- what is a step -------------------------------------------------------------------------------------------------


def test_reading_and_what_lies_outside_is_no_step(inject: Any, tmp_path: Path) -> None:
    outside = shlex.quote(str(tmp_path / "outside"))
    found = inject(
        f"$cat file; ls -l; echo a > {outside}; mv {outside} {outside}2; mkdir -p a/b", setup=SETUP
    )
    assert found.steps == ["mkdir a", "mkdir a/b"]


def test_a_rename_into_the_sandbox_is_a_step_and_so_is_one_below_a_descriptor(inject: Any) -> None:
    program = """
import os
place = os.open("..", os.O_RDONLY)
os.mkdir("made", dir_fd=place)
os.rename("../made", "moved")
os.rename("moved", "../made")
os.rmdir("made", dir_fd=place)
here = os.open(".", os.O_RDONLY)
os.symlink("x", "link", dir_fd=here)
os.unlink("link", dir_fd=here)
os.truncate(os.open("file", os.O_RDWR | os.O_CREAT), 5)
"""
    steps = [
        "rename moved",
        "rename moved",
        "symlinkat link",
        "unlinkat link",
        "openat file",
        "ftruncate file",
    ]
    assert inject(program).steps == steps


def test_the_table_has_what_this_interpreter_can_call(inject: Any) -> None:
    """Each call by the name that the table gives it: a wrong number would show another name."""
    program = """
import os
file = os.open("file", os.O_RDWR | os.O_CREAT)
other = os.open("other", os.O_RDWR | os.O_CREAT)
os.write(file, b"aa"); os.pwrite(file, b"aa", 0); os.writev(file, [b"aa"]); os.pwritev(file, [b"aa"], 0)
os.sendfile(other, file, 0, 2); os.copy_file_range(file, other, 2, 0, 0)
os.fsync(file); os.fdatasync(file); os.truncate("file", 1); os.ftruncate(file, 1); os.posix_fallocate(file, 0, 9)
os.chmod(file, 0o600); os.mkdir("d"); os.rmdir("d"); os.link("file", "l"); os.unlink("l")
os.symlink("file", "s"); os.rename("s", "t"); os.mkfifo("p")
"""
    names = [step.split()[0] for step in inject(program, "--every", "99").steps[2:]]
    wanted = (
        "write pwrite64 writev pwritev sendfile copy_file_range fsync fdatasync truncate ftruncate fallocate"
    )
    assert [name.replace("pwritev2", "pwritev") for name in names[:11]] == wanted.split()
    plain = ["fchmod", "mkdir", "rmdir", "link", "unlink", "symlink", "rename", "mknod"]
    assert [name.removesuffix("at").removesuffix("at2") for name in names[11:]] == plain


# -- how it begins, and how it ends ---------------------------------------------------------------------------------


def test_every_command_is_told_where_it_is(inject: Any, tmp_path: Path) -> None:
    told = tmp_path / "told"
    shown = (
        f"$echo $CM_MODE $CM_N $CM_TOTAL $CM_RC $CM_ACKED >> {shlex.quote(str(told))}; test $CM_DIR = $(pwd)"
    )
    found = inject(f"{shown} && mkdir a", check=shown, setup=shown)
    assert found.code == 0, found.said
    setup, undisturbed, interrupted = (
        ["kill 0 0"],
        ["kill 0 0", "kill 0 0 0 1"],
        ["kill 1 1", "kill 1 1 137 0"],
    )
    assert told.read_text().splitlines() == setup + undisturbed + interrupted


def test_the_check_is_told_how_the_command_ended(inject: Any) -> None:
    check = '$test "$CM_RC $CM_ACKED $CM_TOTAL" = "0 1 2" || test "$CM_N $CM_TOTAL" = "0 0" || echo $CM_RC $CM_ACKED'
    found = inject("$mkdir a || exit 3; mkdir b || true", check=check, mode="errno:EROFS")
    assert [row["why"] for row in found.rows] == ["3 0", ""]
    assert [row["why"] for row in inject("$mkdir a b", check=check).rows] == ["137 0", "137 0"]


def test_a_command_that_does_not_end_is_ended(inject: Any) -> None:
    found = inject("$mkdir a || sleep 60", "--timeout", "4", mode="errno:EIO")
    assert [row["rc"] for row in found.rows] == [124]


def test_what_fails_by_itself_is_not_walked(inject: Any) -> None:
    for given in (
        {"command": "$exit 4"},
        {"command": "$true", "check": "$exit 1"},
        {"command": "$true", "setup": "$false"},
    ):
        found = inject(**given)
        assert (found.code, found.rows) == (2, []), found.said
    assert "no mode hail" in _run("--mode", "hail").stdout
    with pytest.raises(ValueError, match="no mode errno:EHAIL"):
        faults.named("errno:EHAIL")


def test_a_machine_that_cannot_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "abacus")
    with pytest.raises(kernel.Unable, match="no table of calls for abacus here"):
        kernel.machine()
    monkeypatch.setattr(sys, "platform", "plan9")
    with pytest.raises(kernel.Unable, match="this is plan9"):
        walk.walk(walk.Task("true", "true"))


def test_where_ptrace_is_refused_that_is_the_reason(inject: Any) -> None:
    """A process can be followed by one other alone: an injector within an injector finds that refused."""
    again = (
        f"cd {shlex.quote(str(matrix.ROOT))} && {shlex.quote(sys.executable)} -m tests.crash.injector --can"
    )
    check = "$test $CM_N = 1 || grep 'ptrace is refused here' said"
    found = inject(f"${again} > $CM_DIR/said; test $? = 3", "--every", "99", check=check)
    assert found.code == 0, found.said


def test_without_root_the_power_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(kernel.Unable, match="takes root"):
        walk.walk(walk.Task("true", "true", mode="powercut"))


def test_the_filter_is_one_that_a_kernel_takes() -> None:
    """Every jump lands within the program, and both machines have all that a call is described by."""
    for machine in syscalls.MACHINES.values():
        program = syscalls.stopping_filter(machine)
        assert len(program) % 8 == 0 and len(program) < 8 * 256
        assert len(machine.calls()) >= len(syscalls.CALLS) - 11
    numbers = [call.x86_64 for call in syscalls.CALLS]
    assert len(set(numbers)) == len(numbers)
