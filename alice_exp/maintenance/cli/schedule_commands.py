"""The commands ``schedule install``, ``remove`` and ``status``: the day's report comes by itself."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from alice_exp.caller.acting import require_person
from alice_exp.kernel.errors import Hint, Names, ProblemError, UsageError
from alice_exp.terminal.console import Terminal
from alice_exp.terminal.editor import write_text
from alice_exp.terminal.language import aside, say

_By = Annotated[
    str, typer.Option("--by", metavar="systemd|launchd|cron", help="By what, instead of what is there.")
]


def install(
    terminal: Terminal,
    at: Annotated[str, typer.Option(metavar="HH:MM", help="At which time of the day.")] = "09:00",
    by: _By = "",
) -> None:
    """Let the day's report be written by itself and told to the desktop: by systemd, launchd or cron.

    It is a look: nothing is numbered and no clock starts until you open it, with 'alice-exp heartbeat --open'.

    Examples: alice-exp schedule install · alice-exp schedule install --at 8:30
    """
    require_person(terminal.session.caller, say("schedule the report"), "alice-exp schedule install")
    if (fits := TIME.fullmatch(at)) is None:
        raise UsageError("not a time of day: {text}", text=repr(at), hint="write --at 09:00")
    hour, minute = int(fits[1]), int(fits[2])
    terminal.session.home.read(())  # without a home there is nothing to report
    kind = _kind(by)
    beside = Path(sys.executable).parent / "alice-exp"
    program = [str(beside)] if beside.exists() else [sys.executable, "-m", "alice_exp"]
    command = [*program, "--home", str(terminal.session.root), "heartbeat", "--unseen"]
    # What the report's language and clock follow: a scheduled run has no terminal to take it from.
    names = ("ALICE_LANG", "LC_ALL", "LANG", "TZ")
    environment = {name: os.environ[name] for name in names if os.environ.get(name)}
    paths = _PUT[kind](command, environment, hour, minute)
    document = {"by": kind, "at": f"{hour:02}:{minute:02}", "written": paths}
    line = say("each day at {at}, by {by}", at=document["at"], by=kind)
    terminal.answer(document, lambda: terminal.line(line))


def remove(terminal: Terminal, by: _By = "") -> None:
    """Let no report come by itself any more.

    Example: alice-exp schedule remove
    """
    require_person(terminal.session.caller, say("schedule the report"), "alice-exp schedule remove")
    gone = [kind for kind in ([_kind(by)] if by else _PUT) if _taken_away(kind)]
    text = say("no report comes by itself any more") if gone else say("none was scheduled")
    terminal.answer({"removed": gone}, lambda: terminal.line(text))


def status(terminal: Terminal) -> None:
    """Say whether the day's report comes by itself, and by what.

    Example: alice-exp schedule status
    """
    found = [kind for kind in _PUT if _is_there(kind)]
    text = say("the report comes by {by}", by=Names(found)) if found else say("none was scheduled")
    hint = "" if found else aside("alice-exp schedule install")
    terminal.answer({"by": found}, lambda: terminal.line(text + hint))


def _kind(named: str) -> str:
    if named and named not in _PUT:
        raise UsageError(
            "{name} is not known here", name=repr(named), hint=Hint("write {names}", names=Names(_PUT))
        )
    programs = {"launchd": "launchctl", "systemd": "systemctl", "cron": "crontab"}
    for kind in [named] if named else programs:
        answers = ["systemctl", "--user", "show-environment"]
        if shutil.which(programs[kind]) and (kind != "systemd" or named or not _run(answers).returncode):
            return kind
    raise ProblemError(
        "neither a systemd user manager nor launchd nor cron is here",
        hint="let whatever starts programs here run 'alice-exp heartbeat --unseen' once a day",
    )


def _systemd_folder() -> Path:
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "systemd" / "user"


def _launchd_file() -> Path:
    return Path.home() / "Library" / "LaunchAgents" / f"{LABEL}.plist"


def _by_systemd(command: Sequence[str], environment: dict[str, str], hour: int, minute: int) -> list[str]:
    paths = []
    for name, text in units(command, environment, hour, minute).items():
        write_text(_systemd_folder() / name, text)
        paths.append(str(_systemd_folder() / name))
    _required(["systemctl", "--user", "daemon-reload"])
    _required(["systemctl", "--user", "enable", "--now", f"{NAME}.timer"])
    return paths


def _by_launchd(command: Sequence[str], environment: dict[str, str], hour: int, minute: int) -> list[str]:
    path = _launchd_file()
    _run(["launchctl", "unload", str(path)])
    write_text(path, agent(command, environment, hour, minute))
    _required(["launchctl", "load", "-w", str(path)])
    return [str(path)]


def _by_cron(command: Sequence[str], environment: dict[str, str], hour: int, minute: int) -> list[str]:
    _required(["crontab", "-"], with_line(_crontab(), command, environment, hour, minute))
    return []


_PUT = {"systemd": _by_systemd, "launchd": _by_launchd, "cron": _by_cron}


def _is_there(kind: str) -> bool:
    if kind == "cron":
        return bool(shutil.which("crontab")) and without_line(_crontab()) != _crontab()
    return (_launchd_file() if kind == "launchd" else _systemd_folder() / f"{NAME}.timer").exists()


def _taken_away(kind: str) -> bool:
    if not _is_there(kind):
        return False
    if kind == "cron":
        _required(["crontab", "-"], without_line(_crontab()))
    elif kind == "launchd":
        _run(["launchctl", "unload", "-w", str(_launchd_file())])
        _launchd_file().unlink()
    else:
        _run(["systemctl", "--user", "disable", "--now", f"{NAME}.timer"])
        for name in (f"{NAME}.timer", f"{NAME}.service"):
            (_systemd_folder() / name).unlink(missing_ok=True)
        _run(["systemctl", "--user", "daemon-reload"])
    return True


def _crontab() -> str:
    # Without a table of one's own crontab -l ends with 1 and says so.
    done = _run(["crontab", "-l"])
    return done.stdout if done.returncode == 0 else ""


def _run(words: Sequence[str], given: str = "") -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            [*words],
            input=given,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=30,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return subprocess.CompletedProcess([*words], 1, "", str(error))


def _required(words: Sequence[str], given: str = "") -> None:
    done = _run(words, given)
    if done.returncode:
        why = " ".join(done.stderr.split()) or say("it ended with {code}", code=done.returncode)
        raise ProblemError("{command} failed: {why}", command=" ".join(words), why=why)


NAME = "alice-exp-report"
LABEL = "alice-exp.report"
MARK = "# alice-exp: the day's report"

TIME = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)")
"""A time of day, as 9:00 or 09:00."""


def units(command: Sequence[str], environment: Mapping[str, str], hour: int, minute: int) -> dict[str, str]:
    """The systemd user units by file name: the timer catches up where the machine was off."""
    set_ = "".join(f"Environment={_quoted(f'{name}={value}')}\n" for name, value in environment.items())
    run = " ".join(map(_quoted, command))
    return {
        f"{NAME}.service": f"[Unit]\nDescription=The day's report of alice-exp\n\n[Service]\nType=oneshot\n{set_}"
        f"ExecStart={run}\n",
        f"{NAME}.timer": f"[Unit]\nDescription=The day's report of alice-exp\n\n[Timer]\n"
        f"OnCalendar=*-*-* {hour:02}:{minute:02}:00\nPersistent=true\n\n[Install]\nWantedBy=timers.target\n",
    }


def _quoted(word: str) -> str:
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{escaped}"'


def agent(command: Sequence[str], environment: Mapping[str, str], hour: int, minute: int) -> str:
    """The property list of a launchd agent."""
    import plistlib

    fields = {
        "Label": LABEL,
        "ProgramArguments": [*command],
        "EnvironmentVariables": {**environment},
        "StartCalendarInterval": {"Hour": hour, "Minute": minute},
    }
    return plistlib.dumps(fields).decode()


def with_line(
    table: str, command: Sequence[str], environment: Mapping[str, str], hour: int, minute: int
) -> str:
    """A person's crontab with our line at its end, in place of an older one; all else stays."""
    words = [
        *(f"{name}={shlex.quote(value)}" for name, value in environment.items()),
        *map(shlex.quote, command),
    ]
    line = " ".join(words).replace("%", "\\%")
    return f"{without_line(table)}{minute} {hour} * * * {line} >/dev/null 2>&1 {MARK}\n"


def without_line(table: str) -> str:
    """A person's crontab without our line."""
    return "".join(f"{line}\n" for line in table.splitlines() if not line.endswith(MARK))
