"""A grep of a purged home: every kind of file below it held the words, and afterwards only what the purge names does."""

import codecs
import html
import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest

from alice_exp.agents.store import spool
from alice_exp.app.opening import open_session
from alice_exp.kernel.text.display import WrittenForms
from tests.case_tables import cases, table
from tests.conftest import Call

BLOCKS = dict(cases(__file__, "BLOCKS"))


def forms(text: str) -> set[bytes]:
    """The texts as files may hold them, told apart from the code under test: written out, one after the other."""
    lines = [text, " ".join(text.split())]
    plain = {
        one
        for line in lines
        for one in (line, json.dumps(line)[1:-1], json.dumps(line, ensure_ascii=False)[1:-1])
    }
    coded = {one for line in lines for one in (quote(line), quote_plus(line), quote(line, safe=""))}
    return {
        one.encode() for line in plain for one in (line, html.escape(line), html.escape(line, quote=False))
    } | {one.encode() for one in coded}


def holders(home: Path, text: str) -> set[str]:
    """Whatever below a home holds a text: files by name, inflated objects of any repository as ``FOLDER#objects``."""
    wanted = forms(text)
    found = set()
    for path in home.rglob("*"):
        name = path.relative_to(home).as_posix()
        if path.is_dir() and (path / "HEAD").exists() and (path / "objects").is_dir():
            run = ["git", f"--git-dir={path}", "cat-file", "--batch-all-objects", "--batch", "--unordered"]
            objects = subprocess.run(run, capture_output=True, check=True).stdout
            if any(one in objects for one in wanted):
                found.add(f"{name}#objects")
        elif (
            path.is_file() and "objects" not in path.parts and any(one in path.read_bytes() for one in wanted)
        ):
            found.add(name)
    return found


@pytest.fixture(params=sorted(BLOCKS))
def told(
    request: pytest.FixtureRequest, home: Path, cli: Call, git: Callable[..., str], world: Path
) -> tuple[str, str, str]:
    """A block's id, payload and trigger in a home where every kind of file held its words."""
    payload, trigger = BLOCKS[request.param]
    agent = {"ALICE_ACTOR": "agent:claude"}
    cli("config", "set", "long_term.max_buffer_turns", "0")
    cli("memorize", "an unrelated lesson", "--when", "at another time")
    one = str(cli("memorize", payload, "--when", trigger, "--json", env=agent).json["id"])
    cli("heartbeat", "--unseen")
    shutil.copy(home / "state/report.html", world / "waiting.html")
    cli("heartbeat")
    cli("approve", one, "--yes")
    cli("recall", trigger)
    open_, done = (cli("decide", trigger, "--json", env=agent).json["decision"] for _ in range(2))
    cli("outcome", done, "ok", "--note", f"it said: {payload}", env=agent)
    for _ in range(3):
        cli("outcome", cli("decide", trigger, "--json", env=agent).json["decision"], "ok", env=agent)
    cli("retire", one, "--reason", f"no more of {payload}")
    cli("revive", one, "--yes")
    cli("approve", one, "--yes", check=False)
    cli("decide", f"{trigger} {payload}", env=agent, check=False)
    # The report's page of a candidate; a page in a file that a browser saved beside it would be the person's own.
    shutil.copy(world / "waiting.html", home / "state/report.html")
    (home / f"state/.report.html.alice-tmp-{_dead()}-00").write_text(html.escape(payload))
    (home / f"state/decisions/.{open_}.json.alice-tmp-{_dead()}-00").write_text(trigger)
    _in_git(home, git, payload)
    return one, payload, trigger


def _dead() -> int:
    """The id of a process that is no more."""
    child = os.fork()
    if not child:
        os._exit(0)
    os.waitpid(child, 0)
    return child


def _in_git(home: Path, git: Callable[..., str], payload: str) -> None:
    """The words in whatever git keeps of a history: other lines, messages, logs, packs, and objects of nothing."""
    me = ("-c", "user.name=me", "-c", "user.email=me@x")
    git(home, "branch", "mine", "HEAD~1")
    git(home, *me, "tag", "-a", "-m", f"about {payload}", "noted", "HEAD")
    git(home, "update-ref", "ORIG_HEAD", "HEAD")
    repository = home / "experiences/.git"
    (repository / "COMMIT_EDITMSG").write_text(payload)
    (repository / "logs").mkdir(exist_ok=True)
    (repository / "logs/HEAD").write_text(
        f"{'0' * 40} {git(home, 'rev-parse', 'HEAD')} me <me@x> 0 +0000\t{payload}\n"
    )
    git(home, "repack", "-a", "-d", "-q")
    (next((repository / "objects/pack").glob("*.pack")).with_suffix(".keep")).touch()
    lost = subprocess.run(
        ["git", "hash-object", "-w", "--stdin"], cwd=repository.parent, input=f"lost: {payload}".encode(), check=True,
        capture_output=True,
    )  # fmt: skip
    assert lost.stdout


def test_no_file_that_the_program_derives_holds_a_word(
    home: Path, cli: Call, told: tuple[str, str, str], sound: Callable[[Path], None]
) -> None:
    one, payload, trigger = told
    before = holders(home, payload) | holders(home, trigger)
    # The index holds them too, but a page of SQLite may end in the middle of a text.
    derived = {"state/report.html", "experiences/.git#objects", "experiences/.git/COMMIT_EDITMSG"}
    assert derived | {"experiences/.git/logs/HEAD", "experiences/records/episodes.jsonc"} <= before
    assert {"experiences/records/events.jsonc"} <= before and {"json", "done"} <= {
        path.suffix[1:]
        for path in (home / "state/decisions").iterdir()
        if f"state/decisions/{path.name}" in before
    }
    counted = cli("episode", "stats", "--json").json
    done = cli("purge", one, "--yes", "--json").json
    assert (holders(home, payload), holders(home, trigger)) == (set(), set())
    assert (done["elsewhere"], done["trigger"]) == ([], [])
    assert set(done["named"]) >= {"git log", "records/episodes.jsonc"}
    sound(home)
    # What the outcomes counted stays, and the next report reads as before.
    assert cli("episode", "stats", "--json").json == counted
    assert [row["task"] for row in cli("episode", "list", "--json").json["episodes"]] == ["(purged)"] * 4
    assert cli("event", "list", check=False).code == 0
    cli("heartbeat")
    assert one not in cli("list", "--json").stdout


def test_what_is_not_the_blocks_is_named_and_stays(
    home: Path, cli: Call, told: tuple[str, str, str], git: Callable[..., str], world: Path
) -> None:
    """A twin, a talk, a person's records, a backup, a history set aside, and files outside that the home wrote."""
    one, payload, trigger = told
    cli("remember", f"as I said: {payload}")
    cli("session", "start", "talk")
    cli("session", "say", "talk", "user", payload)
    cli("episode", "add", "--task", payload, "--success")
    cli("event", "add", payload)
    cli("episode", "add", "--task", trigger, "--action", f"trial: {one}, as I noted myself", "--failed")
    cli("episode", "export", str(world / "mine.json"))
    outside = world / "person/AGENTS.md"
    cli("prime", "--into", str(outside))
    queue = spool(open_session())
    queue.leave({"host": "opencode", "event": "stop", "messages": [{"role": "user", "content": payload}]})
    (left,) = queue.left()
    queue.failed(left, "no model")
    (home / "experiences/personal/notes.jsonc~").write_bytes(
        codecs.BOM_UTF16_LE + payload.encode("utf-16-le")
    )
    (home / "experiences/.git/notes.txt").write_text(quote(payload))
    shutil.copytree(home / "experiences/.git", home / "experiences/.git-damaged-20260220")
    copied = {
        f"experiences/.git-damaged-20260220/{name}" for name in ("notes.txt", "COMMIT_EDITMSG", "logs/HEAD")
    }
    done = cli("purge", one, "--yes", "--json")
    named = set(done.json["elsewhere"])
    objects = {name for name in named if re.fullmatch(r"experiences/\.git-damaged-20260220 \(\w+\)", name)}
    history = {name for name in named if name.endswith(" (in history)")}
    assert objects
    assert named - objects - history == {
        "personal/user_preferences.jsonc",
        "records/episodes.jsonc",
        "records/events.jsonc",
        "sessions/talk.jsonl",
        f"state/hooks/{left.name}",
        "experiences/personal/notes.jsonc~",
        "experiences/.git/notes.txt",
        str(world / "mine.json"),
        str(outside),
        *copied,
    }
    kept = {
        name if name.startswith(("sessions", "state", "experiences")) else f"experiences/{name}"
        for name in named
    }
    assert {name.replace("#objects", "") for name in holders(home, payload)} <= kept | {
        "experiences/.git", "experiences/.git-damaged-20260220"
    }  # fmt: skip
    assert all(f"alice-exp: {name} still says the same" in done.stderr for name in named)


# -- texts in any form -----------------------------------------------------------------------------------------------


def _written(text: str) -> Iterator[tuple[str, bytes]]:
    yield "plain", text.encode()
    yield "utf-16", codecs.BOM_UTF16_BE + text.encode("utf-16-be")
    yield "json", json.dumps(text).encode()
    yield "json in json", json.dumps(json.dumps({"a": text})).encode()
    yield "html", html.escape(text).encode()
    yield (
        "numbers",
        "".join(
            f"&#{ord(char)};" if not char.isalnum() or ord(char) > 126 else char for char in text
        ).encode(),
    )
    yield "hexadecimal", "".join(f"&#x{ord(char):X};" if ord(char) > 126 else char for char in text).encode()
    yield "url", quote(text, safe="").encode()
    yield "query", b"https://x.example/?q=" + quote_plus(text).encode()
    yield "json of a url", json.dumps(quote_plus(text)).encode()
    yield "html of json", html.escape(json.dumps(text)).encode()
    yield "wrapped", "\n        ".join(text.split(" ")).encode()
    yield "cut short", text[:62].encode() + "…".encode()


@pytest.mark.parametrize("text", [text for pair in BLOCKS.values() for text in pair])
def test_a_text_is_found_in_every_form_and_nowhere_else(text: str) -> None:
    sought = WrittenForms([text])
    for name, data in _written(text):
        padded = b"x" * 5_000 + b" \\ %4 & " + data + b" & \\" + b"y" * 5_000
        assert sought.stand_in(data) and (name == "utf-16" or sought.stand_in(padded)), name
    for other in BLOCKS.values():
        assert text in other or not any(sought.stand_in(one.encode()) for one in other)


@table("text", "data", "is_there")
def test_what_is_too_short_is_not_looked_for(text: str, data: str, is_there: bool) -> None:
    assert WrittenForms([text]).stand_in(data.encode()) is is_there
