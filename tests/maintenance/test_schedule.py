"""The day's report comes by itself: units, agent and crontab line; what a scheduled run does and does not."""

import plistlib
import shlex
import shutil
import stat
import subprocess
from pathlib import Path

import pytest

from alice_exp.maintenance.cli import schedule_commands
from tests.case_tables import table
from tests.conftest import Call

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


@pytest.fixture
def programs(world: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is the whole PATH; ``put`` a program there and its calls stand in ``calls``."""
    folder = world / "programs"
    folder.mkdir()
    for name in ("sh", "cat", "git", "ssh-keygen"):
        found = subprocess.run(["which", name], capture_output=True, text=True, check=False).stdout.strip()
        if found:
            (folder / name).symlink_to(found)
    monkeypatch.setenv("PATH", str(folder))
    return folder


def put(folder: Path, name: str, body: str = "") -> None:
    path = folder / name
    path.write_text(f'#!/bin/sh\necho "{name} $*" >> {folder}/calls\n{body}\n', "utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def test_systemd_gets_a_timer_that_can_be_taken_away(
    home: Path, programs: Path, world: Path, cli: Call
) -> None:
    put(programs, "systemctl")
    answer = cli("schedule", "install", "--at", "8:30", "--json").json
    assert (answer["by"], answer["at"]) == ("systemd", "08:30")
    assert all(Path(path).is_file() for path in answer["written"])
    assert "enable --now alice-exp-report.timer" in (programs / "calls").read_text()
    assert cli("schedule", "status", "--json").json == {"by": ["systemd"]}
    assert cli("schedule", "install", "--at", "9:30", "--json").json["at"] == "09:30"
    assert cli("schedule", "remove", "--json").json == {"removed": ["systemd"]}
    assert not any(Path(path).exists() for path in answer["written"])
    assert cli("schedule", "remove").stdout == "none was scheduled\n"


def test_cron_is_taken_where_no_user_manager_answers(home: Path, programs: Path, cli: Call) -> None:
    put(programs, "systemctl", "exit 1")
    put(programs, "crontab", f'[ "$1" = -l ] && exec cat {programs}/table; cat > {programs}/table')
    (programs / "table").write_text("0 1 * * * backup\n")
    assert cli("schedule", "install", "--json").json["by"] == "cron"
    table = (programs / "table").read_text()
    assert table.startswith("0 1 * * * backup\n0 9 * * * ") and "heartbeat --unseen" in table
    assert cli("schedule", "remove", "--json").json == {"removed": ["cron"]}
    assert (programs / "table").read_text() == "0 1 * * * backup\n"


def test_launchd_where_it_is(home: Path, programs: Path, cli: Call) -> None:
    put(programs, "launchctl")
    answer = cli("schedule", "install", "--json").json
    assert answer["by"] == "launchd" and answer["written"][0].endswith(
        "Library/LaunchAgents/alice-exp.report.plist"
    )
    assert cli("schedule", "remove", "--json").json == {"removed": ["launchd"]}


def test_where_nothing_is_there_it_says_what_to_do(home: Path, programs: Path, cli: Call) -> None:
    done = cli("schedule", "install", check=False)
    assert (done.code, "alice-exp heartbeat --unseen" in done.stderr) == (3, True)
    assert cli("schedule", "install", "--by", "nix", check=False).code == 2
    assert cli("schedule", "install", "--at", "25:00", check=False).code == 2
    assert cli("schedule", "install", "--actor", "agent", check=False).code == 6
    put(programs, "systemctl", '[ "$2" = daemon-reload ] && { echo "no bus" >&2; exit 1; }; exit 0')
    done = cli("schedule", "install", check=False)
    assert (done.code, "no bus" in done.stderr) == (3, True)


def test_a_scheduled_run_writes_the_page_tells_the_desktop_and_opens_no_report(
    home: Path, programs: Path, cli: Call
) -> None:
    put(programs, "notify-send")
    put(programs, "osascript")
    assert cli("heartbeat", "--unseen", "--json").json["shown"] is False, "nothing waits, nothing is told"
    cli("memorize", "use rg")
    answer = cli("heartbeat", "--unseen", "--json").json
    assert answer["shown"] is True and "use rg" in Path(answer["page"]).read_text("utf-8")
    assert Path(answer["page"]).stat().st_mode & 0o777 == 0o600
    assert "one thing waits" in (programs / "calls").read_text()
    assert cli("approve", "1", "--yes", check=False).code == 4, "no report is open, no clock began"
    later = {"ALICE_NOW": "2026-02-21T09:00:00Z"}
    cli("heartbeat", "--unseen", env=later)
    assert "one thing waits" in cli("list", env=later).stderr, "the person has still to see it"
