"""The texts that let a machine write the day's report by itself: systemd units, a launchd agent, a line of cron."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from html import escape

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
    words = "".join(f"<string>{escape(word)}</string>" for word in command)
    set_ = "".join(f"<key>{escape(n)}</key><string>{escape(v)}</string>" for n, v in environment.items())
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" '
        '"http://www.apple.com/DTDs/PropertyList-1.0.dtd">\n<plist version="1.0"><dict>\n'
        f"<key>Label</key><string>{LABEL}</string>\n<key>ProgramArguments</key><array>{words}</array>\n"
        f"<key>EnvironmentVariables</key><dict>{set_}</dict>\n<key>StartCalendarInterval</key><dict>"
        f"<key>Hour</key><integer>{hour}</integer><key>Minute</key><integer>{minute}</integer></dict>\n"
        "</dict></plist>\n"
    )


def with_line(
    table: str, command: Sequence[str], environment: Mapping[str, str], hour: int, minute: int
) -> str:
    """A person's crontab with our line at its end, in place of an older one; all else stays."""
    words = [
        *(f"{name}={shlex.quote(value)}" for name, value in environment.items()),
        *map(shlex.quote, command),
    ]
    line = " ".join(words).replace("%", "\\%")
    kept = without_line(table)
    return f"{kept}{minute} {hour} * * * {line} >/dev/null 2>&1 {MARK}\n"


def without_line(table: str) -> str:
    """A person's crontab without our line."""
    lines = [line for line in table.splitlines() if not line.endswith(MARK)]
    return "".join(f"{line}\n" for line in lines)
