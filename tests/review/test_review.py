"""Decisions: reply, review with keys, approve and reject (R2.41, R2.42, D24-D26, D29; DESIGN 6 and 7)."""

import json
import os
import pty
import random
import re
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from alice_exp.kernel.text.display import cells
from tests.conftest import ROOT, Call, Git


def waiting(cli: Call) -> list[str]:
    return [item["id"] for item in cli("heartbeat", "--peek", "--json").json["items"]]


def lessons(cli: Call, count: int) -> list[str]:
    """So many candidates; their ids."""
    lines = "\n".join(json.dumps({"payload": f"lesson k{i} on subject s{i * 7}"}) for i in range(count))
    return list(cli("memorize", "--from", "-", "--json", stdin=lines).json["ids"])


def memorized(cli: Call, *texts: str) -> None:
    for text in texts:
        cli("memorize", text)


def count(home: Path, git: Git) -> int:
    return int(git(home, "rev-list", "--count", "HEAD"))


# --------------------------------------------------------------------------------------------------------- reply


@pytest.mark.parametrize(
    ("language", "line"),
    [("en", "approved 1 3 5 · left 2 4 6-9"), ("zh", "已同意 1 3 5 · 待定 2 4 6-9")],
)
def test_a_reply_says_what_it_left_out(home: Path, cli: Call, language: str, line: str) -> None:
    for n in range(9):
        cli("memorize", f"lesson {n}")
    ids = [item["id"] for item in cli("heartbeat", "--json").json["items"]]
    dry = cli("reply", "approve 1-5 except 2, 4", "--dry-run", "--json").json
    assert dry["left_out"] == [ids[at] for at in (1, 3, 5, 6, 7, 8)]
    said = cli("reply", "同意 1-5，2，4除外", "--yes", "--lang", language).stdout
    assert said.splitlines()[-1] == line


# -------------------------------------------------------------------------------------------------------- review


class Screen:
    """``alice-exp`` on a terminal of its own: keys go in, what is on the screen is waited for."""

    def __init__(self, home: Path, *arguments: str, **more: str) -> None:
        self.ours, self.theirs = pty.openpty()
        self.before = termios.tcgetattr(self.theirs)
        environment: dict[str, Any] = {
            **os.environ,
            "ALICE_HOME": str(home),
            "COLUMNS": "80",
            "PYTHONPATH": str(ROOT),
        }
        self.said = ""
        self.process = subprocess.Popen(
            [sys.executable, "-m", "alice_exp", *arguments],
            stdin=self.theirs,
            stdout=self.theirs,
            stderr=self.theirs,
            env={**environment, **more},
        )

    def until(self, text: str, times: int = 1) -> None:
        """Wait until a text has been said so often."""
        ends = time.monotonic() + 20
        while self.said.count(text) < times:
            if not select.select([self.ours], [], [], max(0, ends - time.monotonic()))[0]:
                pytest.fail(f"{text!r} never came; the screen says:\n{self.said}")
            self.said += os.read(self.ours, 4096).decode("utf-8", "replace")

    def press(self, keys: str) -> None:
        os.write(self.ours, keys.encode())

    def end(self) -> int:
        """Wait for its end; the terminal must be as it was."""
        code = self.process.wait(20)
        assert termios.tcgetattr(self.theirs) == self.before, "the terminal was left in another mode"
        return code

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.ours)
        os.close(self.theirs)


Open = Callable[..., Screen]


@pytest.fixture
def screen(world: Path) -> Iterator[Open]:
    opened: list[Screen] = []

    def make(home: Path, *arguments: str, **more: str) -> Screen:
        opened.append(Screen(home, *arguments, **more))
        return opened[-1]

    yield make
    for one in opened:
        one.close()


def go_through(terminal: Screen, keys: Sequence[str], start: int = 1) -> None:
    for position, key in enumerate(keys, start=start):
        terminal.until("[q]uit", position)
        terminal.press(key)
    lines = (line.rpartition("\x1b[?2004h")[2] for line in terminal.said.splitlines())
    assert all(len(line) <= 80 for line in lines), "it breaks at 80"


def test_keys_approve_reject_and_put_off(sample: Path, cli: Call, screen: Open, git: Git) -> None:
    ids = [item["id"] for item in cli("heartbeat", "--json").json["items"]]
    before = count(sample, git)
    terminal = screen(sample, "review")
    go_through(terminal, ["a", "n", "l"])
    terminal.until("[q]uit", 4)
    terminal.press("R")
    terminal.until("why")
    terminal.press("不是这样\n")
    go_through(terminal, ["p", "q"], start=5)
    terminal.until("2 approved, 1 rejected, 8 left.")
    assert terminal.end() == 0
    assert "opposite of what you trust" in " ".join(terminal.said.split())
    assert count(sample, git) == before + 3
    assert cli("show", ids[0], "--json").json["set"] == "universal"
    assert cli("show", ids[3], "--json").json["set"] == "personal"
    assert "Alice-Reason: 不是这样" in git(sample, "log", "--format=%B")
    assert waiting(cli) == [ids[1], *ids[4:]]


def test_it_goes_on_where_it_was_and_comes_back_to_what_was_put_off(
    sample: Path, cli: Call, screen: Open
) -> None:
    ids = [item["id"] for item in cli("heartbeat", "--json").json["items"]]
    terminal = screen(sample, "review")
    go_through(terminal, ["l", "a", "q"])
    assert terminal.end() == 0
    again = screen(sample, "review")
    again.until("[q]uit")
    assert ids[2] in again.said
    assert ids[0] not in again.said
    go_through(again, ["l"] * 11)
    again.until("0 approved, 0 rejected, 10 left.")
    assert again.said.index(ids[10]) < again.said.index(ids[0]), "what was put off comes at the end"
    assert again.end() == 0


def test_killed_at_any_moment_it_loses_no_decision(sample: Path, cli: Call, screen: Open) -> None:
    ids = [item["id"] for item in cli("heartbeat", "--json").json["items"]]
    terminal = screen(sample, "review")
    go_through(terminal, ["a", "n", "a"])
    terminal.until("[q]uit", 4)
    terminal.process.send_signal(signal.SIGKILL)
    terminal.process.wait()
    assert waiting(cli) == ids[2:]
    assert cli("check").code == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_ended_by_a_signal_it_restores_the_terminal(
    sample: Path, screen: Open, number: signal.Signals
) -> None:
    terminal = screen(sample, "review")
    terminal.until("[q]uit")
    time.sleep(0.1)
    terminal.process.send_signal(number)
    assert terminal.end() == 128 + number


def test_many_come_by_pages_with_their_exceptions(home: Path, cli: Call, screen: Open) -> None:
    ids = lessons(cli, 45)
    terminal = screen(home, "review")
    # The third of the first page is an exception, so that it is rejected; the second page is rejected and taken back.
    go_through(terminal, ["3", "a", "r", "u", "q"])
    terminal.until(" left.")
    assert terminal.end() == 0
    assert "9 approved, 1 rejected, 35 left." in terminal.said
    assert "── 1–10/45 → universal/system_info ──" in terminal.said, "what all share is said once"
    assert "lesson k0 on subject s0 →" not in terminal.said
    assert re.search(r"^  1 2 4 5 6 7 8 9 0  approved", terminal.said, re.MULTILINE), "by the page's digits"
    left = [item["id"] for item in cli("heartbeat", "--peek", "--json").json["items"]]
    assert len(left) == 35
    gone = [block_id for block_id in ids if block_id not in left]
    assert sorted(cli("show", one, "--json").json["set"] for one in gone) == ["archive"] + ["universal"] * 9


@pytest.mark.parametrize("count", [2, 21])
def test_one_key_approves_in_the_project_and_another_everywhere(
    home: Path, cli: Call, screen: Open, count: int
) -> None:
    lines = "\n".join(json.dumps({"payload": f"lesson {i * 7}", "project": "a.org/x"}) for i in range(count))
    ids = cli("memorize", "--from", "-", "--json", stdin=lines).json["ids"]
    terminal = screen(home, "review")
    go_through(terminal, ["A", "a", "q"][: 2 if count == 2 else 3])
    terminal.until(" left.")
    assert "project a.org/x" in terminal.said and "[A]" in terminal.said
    projects = [cli("show", one, "--json").json.get("project") for one in ids]
    on_a_page = 1 if count == 2 else 10
    assert projects.count(None) == on_a_page and projects.count("a.org/x") == count - on_a_page
    approved = [one["id"] for one in cli("list", "--set", "universal", "--json").json["blocks"]]
    assert len(approved) == 2 * on_a_page


@pytest.mark.parametrize("size", [300])
def test_three_hundred_are_decided_with_sixty_keys_and_all_were_shown(
    home: Path, cli: Call, screen: Open, size: int
) -> None:
    # No two are values of one thing, which a yes would leave waiting: no word stands in two of them.
    lessons = [
        " ".join(f"{a}{chr(97 + i // 26)}{chr(97 + i % 26)}{b}" for a, b in ("ko", "mu", "ti"))
        for i in range(size)
    ]
    lines = "\n".join(json.dumps({"payload": lesson}) for lesson in lessons)
    ids = cli("memorize", "--from", "-", "--json", stdin=lines).json["ids"]
    terminal = screen(home, "review")
    pages = size // 10
    keys = 0
    for page in range(pages):
        terminal.until("[q]uit", keys + 1)
        terminal.press("2" if page % 3 == 0 else "a")
        keys += 1
        if page % 3 == 0:
            terminal.until("[q]uit", keys + 1)
            terminal.press("a")
            keys += 1
    terminal.until(" left.")
    assert terminal.end() == 0
    assert keys <= 60
    assert all(lesson in terminal.said for lesson in lessons)
    assert cli("heartbeat", "--peek", "--json").json["items"] == []
    assert len(ids) == size


def test_back_undo_group_and_the_key_after_reject_lands_nowhere(home: Path, cli: Call, screen: Open) -> None:
    memorized(
        cli, "format Python code with ruff", "Python code is formatted with ruff", "feed the cat at noon"
    )
    terminal = screen(home, "review")
    go_through(terminal, ["r", "a", "u", "b", "q"])
    assert terminal.end() == 0
    assert "undone" in terminal.said
    assert len(waiting(cli)) == 2


def test_undo_goes_back_to_what_it_took_back(home: Path, cli: Call, screen: Open) -> None:
    memorized(cli, "format Python code with ruff", "feed the cat at noon", "deploy on Tuesdays")
    terminal = screen(home, "review")
    go_through(terminal, ["a", "l", "u", "r", "q"])
    assert terminal.end() == 0
    assert cli("list", "--set", "universal", "--json").json["blocks"] == []
    assert len(waiting(cli)) == 2


def test_a_secret_that_was_rejected_is_not_said_to_be_back(home: Path, cli: Call, screen: Open) -> None:
    memorized(cli, "prod password is Xy77-gamma-delta", "feed the cat at noon")
    terminal = screen(home, "review")
    go_through(terminal, ["r", "u", "q"])
    terminal.until("1 rejected, 1 left")
    assert terminal.end() == 0 and "history holds no text of" in terminal.said


def test_what_was_purged_is_said_to_be_gone_and_what_was_decided_before_can_still_be_undone(
    home: Path, cli: Call, screen: Open
) -> None:
    memorized(cli, "call Kim on 13812345678", "feed the cat at noon", "deploy on Tuesdays")
    terminal = screen(home, "review")
    # The number is on the first card: the second is approved, then the first purged, then the approval taken back.
    go_through(terminal, ["l", "a", "b", "x"])
    terminal.until("[y/N]")
    terminal.press("a")
    go_through(terminal, ["x"], start=5)
    terminal.until("[y/N]", 2)
    terminal.press("y")
    go_through(terminal, ["u", "q"], start=6)
    assert terminal.end() == 0
    assert "no word of it is left" in terminal.said
    assert "undone" in terminal.said
    assert len(waiting(cli)) == 2


def test_undo_takes_back_all_that_one_key_decided_on_a_page(home: Path, cli: Call, screen: Open) -> None:
    lessons(cli, 20)
    terminal = screen(home, "review")
    go_through(terminal, ["2", "a", "u", "q"])
    assert terminal.end() == 0
    assert len(waiting(cli)) == 20


def test_opposites_are_never_approved_by_one_key(home: Path, cli: Call, screen: Open) -> None:
    for text in ("report all times in UTC", "do not report times in UTC"):
        cli("memorize", text, "--when", "writing an incident report")
    terminal = screen(home, "review")
    go_through(terminal, ["g"])
    terminal.until("decide one by one")
    terminal.until("[q]uit", 2)
    terminal.press("q")
    assert terminal.end() == 0
    assert len(waiting(cli)) == 2
    assert "≠ the opposite of another that waits: " in terminal.said


def test_a_doubt_is_answered_with_one_key(sample: Path, cli: Call, screen: Open) -> None:
    (doubted,) = [row["id"] for row in cli("heartbeat", "--json").json["review"]]
    cli("reject", "--all", "--yes")
    terminal = screen(sample, "review")
    terminal.press("k")
    terminal.until("decides nothing")
    terminal.until("[k]eep")
    assert cli("log", doubted, "--json").json["commits"][0]["op"] != "keep"
    terminal.press("k")
    terminal.until("kept")
    assert terminal.end() == 0
    assert cli("log", doubted, "--json").json["commits"][0]["op"] == "keep"


def brought_by_git(home: Path, cli: Call) -> list[str]:
    """Approvals of another machine that a plain ``git pull`` brought: here they grant nothing."""
    said = {"searching": "use rg", "pushing": "run make check", "logging in": "the password is hunter2-9X!"}
    rows = [
        {"id": f"exp-{letter * 8}", "trigger": when, "payload": what, "state": "past", "verifications": 1}
        for letter, (when, what) in zip("bcd", said.items(), strict=True)
    ]
    for row in rows:
        row["approved"] = {"at": "2026-02-19T09:00:00Z", "by": "user", "report": "", "hash": "0" * 64}
    path = home / "experiences/universal/tool_usage.jsonc"
    path.write_text(json.dumps({"blocks": rows}))
    named = ["-c", "user.name=Me", "-c", "user.email=me@laptop"]
    subprocess.run(["git", *named, "commit", "-qam", "merged"], cwd=home / "experiences", check=True)
    ids = [str(row["id"]) for row in rows]
    assert not any(cli("show", one, "--json").json["approved"] for one in ids)
    return ids


def test_what_git_brought_is_approved_at_once_with_all_its_texts_before(
    home: Path, cli: Call, git: Git
) -> None:
    ids = brought_by_git(home, cli)
    assert "alice-exp approve --universal" in cli("heartbeat").stdout
    before = count(home, git)
    assert cli("approve", "--universal", "--dry-run").code == 0 and count(home, git) == before
    assert cli("approve", "--universal", "--yes", "--actor", "agent", check=False).code == 6
    assert cli("approve", "--universal", check=False).code == 6
    for more in ([ids[0]], ["--all"], ["--to", "universal/system_info"], ["--about", "user"]):
        assert cli("approve", "--universal", *more, "--yes", check=False).code == 2
    done = cli("approve", "--universal", "--yes")
    assert "searching: use rg" in done.stderr and "pushing: run make check" in done.stderr
    assert ids[2] in done.stderr and count(home, git) == before + 1
    assert [cli("show", one, "--json").json["approved"] for one in ids] == [True, True, False]
    assert cli("approve", "--universal", "--yes", check=False).code == 4


def test_the_hint_and_the_question_name_what_still_waits(home: Path, cli: Call, screen: Open) -> None:
    memorized(
        cli, "use rg", "feed the cat at noon", "deploy on Tuesdays", "tea at five", "name hosts by city"
    )
    cli("heartbeat")
    cli("reject", "1", "--purge", "--yes")
    cli("reject", "2")
    terminal = screen(home, "heartbeat", "--peek")
    terminal.until("alice-exp review")
    assert "approve 3, reject 4" in terminal.said
    terminal = screen(home, "reply", "approve all")
    terminal.until("[y/N]")
    assert "Approve 3 candidates?" in terminal.said
    terminal.press("n\n")
    assert terminal.end() == 6


def test_what_was_approved_is_told_in_a_line_of_its_own_where_its_place_is_long(
    home: Path, cli: Call, screen: Open
) -> None:
    text = "release from a clean tree and tag it"
    line = json.dumps({"payload": text, "project": "git.example.org/a/long/name"})
    (one,) = cli("memorize", "--from", "-", "--json", stdin=line).json["ids"]
    terminal = screen(home, "approve", one, "--yes")
    terminal.until(f"approved: {text}")
    assert terminal.end() == 0


def test_a_text_that_changed_since_its_report_is_shown_and_approved(home: Path, cli: Call) -> None:
    one = cli("memorize", "use rg", "--when", "searching", "--json").json["id"]
    cli("approve", one, "--yes")
    path = next(p for p in (home / "experiences/universal").glob("*.jsonc") if one in p.read_text())
    path.write_text(path.read_text().replace("use rg", "use ripgrep"))
    assert cli("show", one, "--json").json["approved"] is False
    assert cli("approve", "--universal", "--yes", "--json").json["ids"] == [one]
    assert cli("show", one, "--json").json["approved"] is True


@pytest.mark.parametrize(
    ("lang", "title", "done"),
    [
        ("en", "in the trusted sets, but not as you approved it", "1 approved"),
        ("zh", "在受信任的集合里", "已同意 1 条"),
    ],
)
def test_a_review_asks_about_what_git_brought(
    home: Path, cli: Call, screen: Open, lang: str, title: str, done: str
) -> None:
    ids = brought_by_git(home, cli)
    report = screen(home, "heartbeat", "--peek", ALICE_LANG=lang)
    report.until("run make check")
    assert report.end() == 0 and max(cells(line) for line in report.said.splitlines()) <= 80
    terminal = screen(home, "review", ALICE_LANG=lang)
    terminal.until(title)
    terminal.until("[q]")
    assert "use rg" in terminal.said and "run make check" in terminal.said
    terminal.press("2")
    terminal.until("2 ·")
    terminal.press("a")
    terminal.until(done)
    assert terminal.end() == 0
    assert [cli("show", one, "--json").json["approved"] for one in ids] == [True, False, False]


@pytest.mark.parametrize(
    ("pressed", "said"), [("b", "1 decision is in the files again"), ("n", "hold no more")]
)
def test_a_key_puts_back_what_git_took_or_lets_it_go(
    home: Path, cli: Call, screen: Open, git: Git, pressed: str, said: str
) -> None:
    own = cli("remember", "I drink green tea", "--json").json["id"]
    git(home, "reset", "-q", "--hard", "HEAD~1")
    terminal = screen(home, "review")
    terminal.until("decisions of yours that the files lack")
    terminal.until("[q]")
    assert "I drink green tea" in terminal.said
    terminal.press(pressed)
    terminal.until(said)
    assert terminal.end() == 0
    assert (cli("show", own, check=False).code == 0) == (pressed == "b")
    assert cli("heartbeat", "--json").json["lost"] == []


def test_an_edited_candidate_is_shown_anew_before_it_is_decided(
    home: Path, cli: Call, screen: Open, tmp_path: Path
) -> None:
    block_id = cli("memorize", "use grep", "--json").json["id"]
    cli("heartbeat")
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\ngrep -qx "use grep" "$1" && sed -i s/grep/ripgrep/ "$1"\n')
    editor.chmod(0o755)
    terminal = screen(home, "review", EDITOR=str(editor), VISUAL="")
    go_through(terminal, ["e"])
    terminal.until("use ripgrep")
    go_through(terminal, ["a"], start=2)
    terminal.until("1 approved, 0 rejected, 0 left.")
    assert terminal.end() == 0
    shown = cli("show", block_id, "--json").json
    assert (shown["payload"], shown["set"], shown["approved"]) == ("use ripgrep", "universal", True)


def test_of_two_trusted_blocks_that_contradict_each_other_a_key_says_which_one_holds(
    home: Path, cli: Call, screen: Open
) -> None:
    texts = (
        "I am allergic to peanuts",
        "I am not allergic to peanuts",
        "our office is in Leeds",
        "the office moved to York",
    )
    ids = [cli("remember", text, "--json").json["id"] for text in texts]
    terminal = screen(home, "review")
    for number in (1, 2):
        terminal.until("[b]oth", number)
        new = re.findall(r"^  new  (exp-\w+)", terminal.said, re.M)[-1]
        terminal.press("n" if new in (ids[0], ids[3]) else "o")
    assert terminal.end() == 0
    assert [cli("show", one, "--json").json.get("replaces", []) for one in ids] == [
        [ids[1]],
        [],
        [],
        [ids[2]],
    ]
    assert cli("heartbeat", "--json", env={"ALICE_NOW": "2026-02-27T09:00:00Z"}).json["settle"] == []


@pytest.mark.slow
def test_twenty_candidates_are_reviewed_card_by_card_from_start_to_end(
    home: Path, cli: Call, screen: Open, git: Git
) -> None:
    lessons(cli, 20)
    cli("heartbeat")
    before = count(home, git)
    terminal = screen(home, "review")
    go_through(terminal, ["a", "p"] * 10)
    terminal.until("20 approved, 0 rejected, 0 left.")
    assert terminal.end() == 0
    assert (waiting(cli), count(home, git)) == ([], before + 20)


_CARD = re.compile(r"lesson k\d+ on subject s\d+")


@pytest.mark.slow
def test_twenty_are_reviewed_though_it_is_killed_again_and_again(
    home: Path, cli: Call, screen: Open, git: Git
) -> None:
    lessons(cli, 20)
    ids = {item["payload"]: item["id"] for item in cli("heartbeat", "--json").json["items"]}
    before, chance = count(home, git), random.Random(20260220)
    pressed: dict[str, str] = {}
    told: set[str] = set()
    kills = 0
    while left := waiting(cli):
        assert not told & set(left), "a decision that was told is lost"
        terminal, shown = screen(home, "review"), ""
        for position in range(1, len(left) + 1):
            terminal.until("[q]uit", position)
            told |= {shown} - {""}
            card = _CARD.search(terminal.said, terminal.said.rindex("── "))
            assert card is not None
            # Its own text comes before that of its neighbours.
            shown = ids[card[0]]
            assert shown not in told, "a decision is asked for twice"
            pressed[shown] = chance.choice("apr")
            terminal.press(pressed[shown])
            if chance.random() < 0.5:
                time.sleep(chance.uniform(0, 0.06))
                terminal.process.send_signal(signal.SIGKILL)
                terminal.process.wait()
                kills += 1
                break
        else:
            terminal.until(" left.")
            assert terminal.end() == 0
    assert kills > 8
    acts = [act for act in cli("log", "--json").json["commits"] if act["op"] in ("approve", "reject")]
    assert {act["blocks"][0]: act["op"][0] for act in acts} == {
        block_id: "r" if key == "r" else "a" for block_id, key in pressed.items()
    }
    assert len(pressed) == len(acts) == count(home, git) - before == 20, "one commit a decision, none twice"
    places = {block["id"]: block["set"] for block in cli("list", "--json").json["blocks"]}
    assert places == {
        block_id: {"a": "universal", "p": "personal"}[key] for block_id, key in pressed.items() if key != "r"
    }
    assert cli("check").code == 0


def test_after_an_edit_the_card_comes_back_under_its_number_and_the_others_keep_theirs(
    home: Path, cli: Call, screen: Open, tmp_path: Path
) -> None:
    for name in ("alpha", "beta", "gamma"):
        cli("memorize", f"lesson {name}")
    ids = [item["id"] for item in cli("heartbeat", "--json").json["items"]]
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\nsed -i "s/lesson/insight/" "$1"\n')
    editor.chmod(0o755)
    terminal = screen(home, "review", EDITOR=str(editor), VISUAL="")
    go_through(terminal, ["a", "e", "a", "q"])
    assert terminal.end() == 0
    after = terminal.said.partition("changed")[2]
    assert [re.findall(rf"^ +(\d)  .*\n.*\n(?:.*\n)?.*{one}", after, re.M) for one in ids[1:]] == [
        ["2"],
        ["3"],
    ]
    assert re.findall(r"── (\d)/3", after) == ["2", "3"]
    assert "  2  approved into" in after
    (last,) = cli("heartbeat", "--peek", "--json").json["items"]
    assert (last["id"], last["number"]) == (ids[2], 3)


@pytest.mark.parametrize(
    ("language", "words"),
    [("en", ("would be approved", "would be rejected")), ("zh", ("将被同意", "将被拒绝"))],
)
def test_a_dry_run_says_what_would_be(
    sample: Path, cli: Call, git: Git, language: str, words: tuple[str, str]
) -> None:
    cli("heartbeat")
    before = count(sample, git)
    said = cli("reply", "approve 3, reject 2", "--dry-run", "--lang", language).stdout
    lines = said.splitlines()[:2]
    assert [word in line for word, line in zip(words, lines, strict=True)] == [True, True]
    for line, command in zip(lines, (("approve", "3"), ("reject", "2")), strict=True):
        assert cli(*command, "--dry-run", "--lang", language).stdout.strip() == line
    assert count(sample, git) == before


def test_what_changed_before_its_key_is_shown_again_and_waits(home: Path, cli: Call, screen: Open) -> None:
    one = cli("memorize", "restart the cache after a deploy", "--json").json["id"]
    terminal = screen(home, "review")
    terminal.until("[q]uit")
    (pool,) = (home / "experiences/low_value_pool").glob("*.jsonc")
    pool.write_text(pool.read_text().replace("restart the cache", "wipe the cache"))
    # The second key was pressed before the new text was on the screen: it decides nothing.
    terminal.press("aa")
    terminal.until("wipe the cache after a deploy")
    terminal.until("[q]uit", 2)
    time.sleep(0.3)
    assert cli("show", one, "--json").json["set"] == "low_value"
    terminal.press("a")
    terminal.until("1 approved, 0 rejected, 0 left.")
    assert terminal.end() == 0


def test_what_another_process_decided_is_left_out(home: Path, cli: Call, screen: Open) -> None:
    one = cli("memorize", "restart the cache after a deploy", "--json").json["id"]
    cli("memorize", "feed the cat at noon")
    terminal = screen(home, "review")
    terminal.until("[q]uit")
    cli("reject", one)
    go_through(terminal, ["a", "a"])
    terminal.until("1 approved, 0 rejected, 0 left.")
    assert terminal.end() == 0
    assert cli("show", one, "--json").json["set"] == "archive"


def test_a_paste_decides_nothing_and_arrows_in_haste_are_two_keys(
    home: Path, cli: Call, screen: Open
) -> None:
    memorized(cli, "restart the cache after a deploy", "feed the cat at noon", "water the roses")
    terminal = screen(home, "review", TERM="xterm")
    terminal.until("[q]uit")
    terminal.press("\x1b[200~a banana, and a pear\n\x1b[201~")
    terminal.until("what is pasted decides nothing")
    terminal.until("[q]uit", 2)
    terminal.press("\x1b[C\x1b[C")
    terminal.until("3/3")
    terminal.press("q")
    terminal.until("0 approved, 0 rejected, 3 left.")
    assert terminal.end() == 0
    assert terminal.said.index("\x1b[?2004h") < terminal.said.rindex("\x1b[?2004l")


def test_what_contradicts_is_not_merged_by_a_key_that_is_not_offered(
    home: Path, cli: Call, screen: Open
) -> None:
    cli("remember", "never squash the commits", "--when", "merging")
    one = cli("memorize", "always squash the commits", "--when", "merging", "--json").json["id"]
    terminal = screen(home, "review")
    go_through(terminal, ["m", "q"])
    assert terminal.end() == 0
    assert "[n]ew [o]ld [b]oth [x] neither" in terminal.said and "[m]erge" not in terminal.said
    assert cli("show", one, "--json").json["set"] == "low_value"


def test_keys_pressed_before_a_text_was_on_the_screen_decide_nothing_about_it(
    home: Path, cli: Call, screen: Open
) -> None:
    memorized(cli, "feed the cat", "water the roses", "rest")
    ids = waiting(cli)
    terminal = screen(home, "review")
    terminal.press("a")  # before anything was drawn
    terminal.until("decides nothing")
    terminal.until("[q]uit")
    assert waiting(cli) == ids
    # The second was meant for a card that was not there; what follows it goes with it, or u would undo the first.
    terminal.press("aru")
    terminal.until("decides nothing", 2)
    terminal.until("[q]uit", 2)
    # What decides nothing may be typed in haste.
    terminal.press("lq")
    terminal.until("1 approved, 0 rejected, 2 left.")
    assert terminal.end() == 0
    assert len(waiting(cli)) == 2


def test_digits_and_the_key_after_them_may_be_typed_in_haste_but_for_one_page(
    home: Path, cli: Call, screen: Open
) -> None:
    lessons(cli, 30)
    terminal = screen(home, "review")
    terminal.until("[q]uit")
    terminal.press("35aaaq")
    terminal.until("8 approved, 2 rejected, 20 left.")
    assert terminal.end() == 0


def test_a_yes_typed_before_the_question_is_none(home: Path, cli: Call, screen: Open) -> None:
    one = cli("memorize", "tabs, not spaces, in Makefiles", "--json").json["id"]
    terminal = screen(home, "approve", one)
    terminal.press("y\n")
    terminal.until("[y/N]")
    time.sleep(0.2)
    assert terminal.process.poll() is None
    assert waiting(cli) == [one]
    terminal.press("n\n")
    assert terminal.end() == 6


def test_a_review_names_what_expired(home: Path, cli: Call, screen: Open) -> None:
    memorized(cli, "feed the cat at noon")
    cli("heartbeat")
    later = {"ALICE_NOW": "2026-03-02T09:00:00Z"}
    terminal = screen(home, "review", **later)
    terminal.until("feed the cat at noon")
    terminal.until("One candidate expired unanswered.")
    assert terminal.end() == 0
    assert cli("heartbeat", env=later).stdout.count("expired unanswered") == 2


def test_a_card_says_what_differs_and_fits_the_terminal(home: Path, cli: Call, screen: Open) -> None:
    cli("remember", "releases go out on Thursday", "--when", "planning a release")
    cli(
        "memorize",
        "releases go out on Tuesday, the release password is Blue-Harbour-77!",
        "--when",
        "planning a release",
    )
    cli("memorize", "feed the cat at noon")
    terminal = screen(home, "review")
    # Quitting the question of a yes quits the review.
    go_through(terminal, ["l", "b", "a", "q"])
    assert terminal.end() == 0 and terminal.said.count("── 2/2") == 1
    assert terminal.said.count("proposed by you") == 1, "what all share is said once"
    assert "[x] reject" in terminal.said
    assert "alice-exp approve" not in terminal.said, "the key does it"
    assert max(len(line.rstrip()) for line in terminal.said.splitlines()) <= 80
