"""What a command imports before it answers: nobody adds 50 ms unseen (DESIGN 8, 9)."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.case_tables import cases

NEVER = tuple(cases(__file__, "NEVER"))
"""What no daily command loads: each of these costs 5 to 440 ms, and belongs to a command that asks for it."""

TERMINAL = ("rich.console", "rich.table", "rich.markdown", "rich.traceback", "pygments")
"""What only a terminal shows."""

COMMANDS = {
    "--version": ((), 120),
    "recall": (("searching code",), 241),
    "list": ((), 215),
    "show": (("exp-aaaaaaa2",), 216),
    "episode similar": (("searching code",), 253),
    "memorize": (("use fd", "--when", "finding files"), 253),
    "decide": (("searching code",), 262),
    "approve": (("exp-aaaaaaa2", "--yes"), 300),
}
"""Each command's arguments, and how many modules it may load (209 for recall, 188 for a list on 3.11)."""

INDEXED = ("recall", "list", "show", "decide", "approve")
"""Commands that ask an index; no other loads sqlite3."""

SPARED = {
    "recall": "kernel.jsonc.edits",
    "list": "kernel.jsonc.scan",
    "show": "kernel.jsonc.scan",
    "decide": "timeline.rules.digest",
    "approve": "review.rules.reply_words",
}
"""What each does without: the recall here reads an episode, the first three write nothing, a decision tells no thought,
and an approval reads no sentence."""

_PROBE = """
import json, sys
before = set(sys.modules)
from alice_exp.__main__ import main
try:
    main()
except SystemExit as ended:
    code = ended.code
sys.stderr.write("\\n" + json.dumps([code, sorted(set(sys.modules) - before)]))
"""


def loaded(home: Path, *command: str) -> set[str]:
    """The modules that one command loads in a process of its own, beside those that Python starts with."""
    done = subprocess.run(
        [sys.executable, "-c", _PROBE, *command],
        cwd=home,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    code, names = json.loads(done.stderr.splitlines()[-1])
    assert code in (0, 4), done.stderr
    return set(names)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_imports_what_it_needs_and_no_more(name: str, home: Path) -> None:
    path = home / "experiences" / "universal" / "tool_usage.jsonc"
    path.write_text(
        '{"blocks": [{"id": "exp-aaaaaaa2", "payload": "use rg", "trigger": "searching code"}]}\n'
    )
    arguments, most = COMMANDS[name]
    if name != "--version":
        loaded(home, "list")
        loaded(home, "episode", "add", "--task", "searching code", "--success")
    found = loaded(home, *name.split(), *arguments)
    above = [one for one in (*NEVER, *TERMINAL) if one in found]
    assert above == [], f"{name} loads {above}"
    assert ("sqlite3" in found) == (name in INDEXED)
    assert f"alice_exp.{SPARED.get(name)}" not in found
    assert len(found) <= most, f"{name} loads {len(found)} modules"


def test_the_version_loads_nothing_of_the_home(home: Path) -> None:
    found = loaded(home, "--version")
    assert [
        one for one in found if one.startswith(("alice_exp.home", "alice_exp.usecases", "alice_exp.rules"))
    ] == []


def test_an_approval_is_checked_without_loading_openssl() -> None:
    code = "import sys, alice_exp.finding.rules.ranking; sys.exit('_hashlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


_LEAVING = """
import atexit, sys, threading
from alice_exp.__main__ import process
class Value:
    def __del__(self):
        print("freed")
kept = Value()
atexit.register(print, "registered")
if sys.argv.pop(1) == "busy":
    threading.Thread(target=lambda: (threading.main_thread().join(), print("a thread"))).start()
process()
"""


@pytest.mark.parametrize(
    ("how", "said"), [("idle", ["registered"]), ("busy", ["a thread", "registered", "freed"])]
)
def test_a_process_leaves_without_freeing_but_does_what_is_registered(how: str, said: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _LEAVING, how, "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[1:] == said and done.stderr == ""


def test_a_process_leaves_its_index_closed(home: Path) -> None:
    for command in (("memorize", "use fd", "--when", "finding files"), ("list",)):
        subprocess.run(
            [sys.executable, "-m", "alice_exp", *command], cwd=home, check=True, capture_output=True
        )
    assert [path.name for path in (home / "state").glob("index.sqlite*")] == ["index.sqlite"]


def test_a_heavy_import_is_seen(home: Path) -> None:
    """The probe itself tells what is loaded: diff reads history through GitPython."""
    assert {"git", "gitdb"} <= loaded(home, "diff") and "git" not in loaded(home, "log")


def test_every_entry_of_the_command_table_imports() -> None:
    """The table names modules by strings, which no tool follows when one moves."""
    from importlib import import_module

    from alice_exp.app.command_tree import COMMANDS as TABLE

    def entries(table: object) -> Iterator[str]:
        for target in table.values() if isinstance(table, dict) else ():
            yield from [target] if isinstance(target, str) else entries(target)

    named = [entry.partition(":") for entry in entries(TABLE)]
    assert len(named) > 90
    for module, _, function in named:
        assert callable(getattr(import_module(module), function)), module
