"""What agents' hosts have in a home: in ``state/hooks`` what hooks leave to be done, one durable file each, and when a
host last called; in ``bin/alice-exp`` the launcher through which every host starts the program.

A file is written before anything is started, and removed when its work is committed: a crash in between leaves it to
the next command. Only a person's ``connect`` and ``doctor --fix`` write the launcher: were any command to, a hostile
folder's environment would choose once what every host runs from then on.
"""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from alice_exp.home.session import Session, once
from alice_exp.kernel import VERSION
from alice_exp.kernel.errors import ProblemError, reason, refused_as
from alice_exp.kernel.journal.atomic_files import MARK, NotAFile, append, maker_lives, read_bytes, replace
from alice_exp.kernel.jsonc import json_rows
from alice_exp.kernel.text.times import seconds
from alice_exp.kernel.value_class import dataclass

_ENDING = ".json"
_ONCE = "once-"
_MONTH = 30 * 86_400
_MOST = 256 << 20
_UNKEPT = "what was said could not be kept: {why}"


@dataclass(frozen=True, slots=True)
class Left:
    """One thing to be done, under the name of its file: ``{host, event, session, transcript, cwd, project, messages,
    failed}``, the project as all its names.

    ``age``: seconds since a hook left it.
    """

    name: str
    fields: Mapping[str, Any]
    age: float = 0.0

    @property
    def tries(self) -> int:
        """How often it was begun and neither finished nor failed."""
        value = self.fields.get("tries")
        return value if isinstance(value, int) else 0

    def text(self, key: str) -> str:
        """A field as text; empty where there is none."""
        value = self.fields.get(key)
        return value if isinstance(value, str) else ""


class Spool:
    """What hooks leave to be done, in the folder ``state`` of a home; durable before a hook answers."""

    def __init__(self, state: Path, stamp: Callable[[], str]) -> None:
        self._folder = state / "hooks"
        self._hosts = state / "hosts"
        self._stamp = stamp

    def leave(self, left: Mapping[str, Any]) -> None:
        """Write down what is to be done; ``ProblemError`` where the disk refuses, or the transcript is no file."""
        with contextlib.suppress(OSError, ValueError, RuntimeError):
            # A folder, a pipe, a device, or a link to one.
            if (transcript := str(left.get("transcript") or "")) and not _place(transcript).is_file():
                raise ProblemError("what was said could not be kept: its transcript is no plain file")
        with refused_as(_UNKEPT):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._write(f"{time.time_ns():020d}-{os.getpid()}{_ENDING}", {**left, "at": self._stamp()})

    def _write(self, name: str, fields: Mapping[str, Any]) -> None:
        replace(self._folder / name, json.dumps(fields, ensure_ascii=False).encode(), durable=True)

    def left(self, idle: float = 0.0) -> tuple[Left, ...]:
        """What is to be done: what no process died of first, then oldest first.

        With ``idle``, without what rests: what failed, was begun by a process that lives, or twice by ones that died,
        within so many seconds.
        """
        found = []
        for name in sorted(os.listdir(self._folder)) if self._folder.is_dir() else ():  # noqa: PTH208
            path = self._folder / name
            with contextlib.suppress(OSError, ValueError):
                if not name.endswith(_ENDING) or MARK in name:
                    continue
                fields = json.loads(path.read_bytes())
                if not isinstance(fields, dict):
                    continue
                touched = time.time() - path.stat().st_mtime
                at = str(fields.get("at") or self._stamp())
                left = Left(name, fields, max(touched, seconds(self._stamp()) - seconds(at)))
                worker = fields.get("worker")
                is_begun = worker == os.getpid() or maker_lives(str(worker))
                if not ("failed" in fields or left.tries > 1 or is_begun) or touched >= idle:
                    found.append(left)
        return tuple(sorted(found, key=lambda one: (one.tries, one.name)))

    def begin(self, left: Left) -> None:
        """Note that this process works on it now: the file's time says since when."""
        self._note(left, {"worker": os.getpid(), "tries": left.tries + 1})

    def failed(self, left: Left, why: str) -> None:
        """Note that it was tried now, and why it failed: the file's time says when."""
        self._note(left, {"failed": why})

    def _note(self, left: Left, more: dict[str, Any]) -> None:
        fields = {key: left.fields[key] for key in left.fields if key not in ("worker", "tries", "failed")}
        with contextlib.suppress(OSError):
            self._write(left.name, fields | more)

    def done(self, left: Left) -> None:
        """Drop what is done, and marks that are older than a month."""
        (self._folder / left.name).unlink(missing_ok=True)
        for mark in self._folder.glob(f"{_ONCE}*"):
            with contextlib.suppress(OSError):
                if time.time() - mark.stat().st_mtime > _MONTH:
                    mark.unlink()

    def size(self, left: Left) -> int:
        """Bytes of what is to be read: the transcript, or what was handed over; 0 where it is gone."""
        try:
            return Path(left.text("transcript") or self._folder / left.name).expanduser().stat().st_size
        except (OSError, ValueError):
            return 0

    def transcript(self, path: str) -> str:
        """A host's transcript; empty where it is gone or no file, ``ProblemError`` where it cannot be read."""
        try:
            place = _place(path)
            if place.stat().st_size > _MOST:
                raise ProblemError("its transcript is larger than {size} MiB", size=_MOST >> 20)
            return read_bytes(place)[0].decode(errors="replace")
        except (FileNotFoundError, NotADirectoryError, NotAFile):
            return ""
        except (OSError, ValueError, RuntimeError) as error:
            raise ProblemError("its transcript cannot be read: {why}", why=reason(error)) from None

    def first(self, name: str) -> bool:
        """Whether this is done for the first time, as asking for a decision's outcome; the next time it is not."""
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            os.close(os.open(self._folder / f"{_ONCE}{name}", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        except OSError:
            return False
        return True

    def known(self, name: str) -> bool:
        """Whether ``first`` was asked of this before."""
        return (self._folder / f"{_ONCE}{name}").exists()

    def ran(self, project: Sequence[str], session: str, commands: Sequence[str]) -> Mapping[str, int]:
        """Note that commands succeeded in a session of a project (its names); in how many sessions of it each did."""
        rows: list[dict[str, Any]] = []
        path = self._folder.parent / "ran.jsonl"
        with contextlib.suppress(OSError):
            rows += json_rows(read_bytes(path)[0])
        known = {
            command: {
                row["session"] for row in rows if row["command"] == command and row["project"] in project
            }
            for command in commands
        }
        new = [
            {"project": project[0], "session": session, "command": command}
            for command in commands
            if session not in known[command]
        ]
        with refused_as(_UNKEPT):
            if new:
                append(path, b"".join(json.dumps(row).encode() + b"\n" for row in new))
        return {command: len({*known[command], session}) for command in commands}

    def called(self, host: str) -> None:
        """Note that a host calls now."""
        with contextlib.suppress(OSError):
            self._hosts.mkdir(mode=0o700, parents=True, exist_ok=True)
            replace(self._hosts / host, self._stamp().encode(), durable=False)

    def keep(self, host: str, facts: Mapping[str, Any]) -> None:
        """Keep what to know of a connected host: ``at``, when it was connected; ``bare`` by file, see
        ``host_config.Bare``; ``own``, that its permission was the person's before; ``program``, its program then.
        Empty: it is connected no more."""
        path = self._hosts / f"{host}{_ENDING}"
        with refused_as(_UNKEPT):
            if facts:
                self._hosts.mkdir(mode=0o700, parents=True, exist_ok=True)
                replace(path, json.dumps(facts, ensure_ascii=False).encode(), durable=True)
            else:
                path.unlink(missing_ok=True)

    def kept(self, host: str) -> Mapping[str, Any]:
        """What was written down of a host; empty where nothing was."""
        with contextlib.suppress(OSError, ValueError):
            facts = json.loads((self._hosts / f"{host}{_ENDING}").read_bytes())
            return facts if isinstance(facts, dict) else {}
        return {}

    def last_call(self, host: str) -> str:
        """When a host last called, ISO-8601 UTC; empty where it never did."""
        try:
            return (self._hosts / host).read_text(encoding="ascii")
        except (OSError, ValueError):
            return ""


def _place(path: str) -> Path:
    """Where a file really lies, links followed; ``OSError``, ``ValueError`` or ``RuntimeError`` where nothing does."""
    return Path(os.path.realpath(Path(path).expanduser(), strict=True))


@once
def spool(session: Session) -> Spool:
    """What hooks left to be done in a session's home, and when hosts called."""
    return Spool(session.root / "state", lambda: session.caller.now)


_PATIENCE = 20.0
_EXEC = "exec "


def place(root: Path) -> Path:
    """Where the launcher of a home lies."""
    return root / "bin" / "alice-exp"


def text(root: Path) -> str:
    """What starts this very installation on this home, whatever the environment says."""
    beside = Path(sys.executable).parent / "alice-exp"
    found = str(beside) if beside.exists() else shutil.which("alice-exp")
    program = [found] if found else [sys.executable, "-m", "alice_exp"]
    gone = f"alice-exp: {program[0]} is gone: install alice-exp again, then run 'alice-exp doctor --fix'"
    return (
        "#!/bin/sh\n"
        "# Agents' hosts start this; 'alice-exp connect' and 'alice-exp doctor --fix' write it.\n"
        f"[ -x {shlex.quote(program[0])} ] || {{ echo {shlex.quote(gone)} >&2; exit 127; }}\n"
        f'{_EXEC}{shlex.join([*program, "--home", str(root)])} "$@"\n'
    )


def write(root: Path) -> bool:
    """Write it; whether that changed anything. ``ProblemError`` where the disk refuses."""
    path, wanted = place(root), text(root).encode()
    with refused_as("this file cannot be written: {why}", path):
        if path.is_file() and path.read_bytes() == wanted and os.access(path, os.X_OK):
            return False
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        replace(path, wanted, durable=True, mode=0o700)
    return True


def launched(path: str) -> list[str]:
    """The words of what a launcher runs; none in another file, ``OSError`` or ``ValueError`` where it is not read."""
    with open(path, encoding="utf-8", errors="replace") as file:  # noqa: PTH123  a command pays for each module
        return shlex.split(next((line for line in file if line.startswith(_EXEC)), ""))


def missing(root: Path) -> str:
    """What the hosts need and is not there: the launcher, the program that it names, what runs that; empty: nothing."""
    path = str(place(root))
    try:
        words = launched(path)
        if not os.access(path, os.X_OK) or len(words) < 2:
            return path
        path = words[1]
        with open(path, "rb") as file:  # noqa: PTH123
            head = file.read(256)
    except (OSError, ValueError):
        return path
    if not os.access(path, os.X_OK):
        return path
    runner = os.fsdecode(head.partition(b"\n")[0][2:].split()[0]) if head.startswith(b"#!/") else ""
    return runner if runner and not os.access(runner, os.X_OK) else ""


def try_server(program: str, arguments: list[str]) -> str:
    """Start the server as a host would, and ask it once: ``ok``, or why it cannot."""
    hello = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "alice-exp", "version": VERSION},
    }
    asked = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}) + "\n"
    try:
        done = subprocess.run(
            [program, *arguments], input=asked, capture_output=True, text=True, timeout=_PATIENCE, check=False
        )
    except subprocess.TimeoutExpired:
        return f"no answer within {_PATIENCE:g} s"
    except (OSError, ValueError) as error:
        return reason(error)
    for line in done.stdout.splitlines():
        try:
            if json.loads(line)["result"]["serverInfo"]["name"] == "alice-exp":
                return "ok"
        except (ValueError, KeyError, TypeError):
            continue
    said = done.stderr.strip().splitlines()
    return said[-1].removeprefix("alice-exp: ") if said else f"it ended with exit code {done.returncode}"
