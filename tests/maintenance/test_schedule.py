"""The day's report comes by itself: units, agent and crontab line; what a scheduled run does and does not."""

import plistlib
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from alice_exp.maintenance.cli import schedule_commands
from tests.case_tables import table

COMMAND = ["/opt/a b/alice-exp", "--home", "/home/我/50%$x", "heartbeat", "--unseen"]
ENVIRONMENT = {"ALICE_LANG": "zh", "TZ": "Asia/Shanghai"}


def test_the_units_quote_what_systemd_would_expand() -> None:
    units = schedule_commands.units(COMMAND, ENVIRONMENT, 8, 5)
    service, timer = units["alice-exp-report.service"], units["alice-exp-report.timer"]
    assert 'ExecStart="/opt/a b/alice-exp" "--home" "/home/我/50%%$$x" "heartbeat" "--unseen"\n' in service
    assert 'Environment="ALICE_LANG=zh"\n' in service
    assert "OnCalendar=*-*-* 08:05:00\nPersistent=true\n" in timer


def test_systemd_itself_finds_nothing_wrong_in_the_units(tmp_path: Path) -> None:
    program = shutil.which("systemd-analyze")
    if program is None:
        pytest.skip("systemd-analyze is not on this machine")
    there = ["/bin/true", *COMMAND[1:], "it's", '"q"', "é"]
    for name, text in schedule_commands.units(there, ENVIRONMENT, 8, 5).items():
        (tmp_path / name).write_text(text, "utf-8")
    environ = {"PATH": "/usr/bin:/bin", "XDG_RUNTIME_DIR": str(tmp_path), "HOME": str(tmp_path)}
    for path in tmp_path.glob("alice-exp-report.*"):
        done = subprocess.run(
            [program, "verify", "--user", path], env=environ, capture_output=True, text=True
        )
        if "Failed to initialize manager" in done.stderr:
            pytest.skip("systemd has no manager for a user here")
        assert (done.returncode, done.stderr) == (0, ""), path


def test_the_agent_is_a_property_list() -> None:
    read = plistlib.loads(schedule_commands.agent([*COMMAND, "<&>"], ENVIRONMENT, 8, 5).encode())
    assert read["ProgramArguments"] == [*COMMAND, "<&>"]
    assert read["StartCalendarInterval"] == {"Hour": 8, "Minute": 5}
    assert read["EnvironmentVariables"] == ENVIRONMENT


def test_the_line_of_cron_is_one_and_the_others_stay() -> None:
    others = "MAILTO=me\n# mine\n0 1 * * * backup\n"
    table = schedule_commands.with_line(others, COMMAND, ENVIRONMENT, 8, 5)
    again = schedule_commands.with_line(table, COMMAND, {}, 9, 0)
    assert table.startswith(others) and again.count(schedule_commands.MARK) == 1
    assert schedule_commands.without_line(again) == others
    line = table.splitlines()[-1].removesuffix(schedule_commands.MARK).replace("\\%", "%")
    words = shlex.split(line)
    assert words[:7] == ["5", "8", "*", "*", "*", "ALICE_LANG=zh", "TZ=Asia/Shanghai"]
    assert words[7:12] == COMMAND


@table("text", "fits")
def test_a_time_of_the_day(text: str, fits: bool) -> None:
    assert bool(schedule_commands.TIME.fullmatch(text)) is fits
