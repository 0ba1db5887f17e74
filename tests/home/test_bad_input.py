"""Bad input, by hand in a file of the home and as JSONL: a sentence with its place, an exit code, nothing changed."""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.case_tables import cases

Call = Callable[..., Any]

FILE = "universal/tool_usage.jsonc"
GOOD = """// kept
{"blocks": [
  {"id": "exp-gooda222", "trigger": "searching code", "payload": "use ripgrep",
   "created_at": "2026-01-10T08:00:00Z", "updated_at": "2026-01-10T08:00:00Z"}
]}
"""


def block(field: str) -> bytes:
    """A file whose third line is wrong."""
    return f'{{"blocks": [\n  {{"id": "exp-gooda222",\n   "payload": "use grep", {field}}}\n]}}\n'.encode()


MARKERS = b'{"blocks": [\n<<<<<<< HEAD\n{"payload": "a"}\n=======\n{"payload": "b"}\n>>>>>>> other\n]}\n'

BROKEN: dict[str, tuple[bytes, int]] = {
    **dict(cases(__file__, "BROKEN")),
    "duplicate key": (block('"payload": "b"'), 3),
    "NaN": (block('"importance": NaN'), 3),
    "minus Infinity": (block('"importance": -Infinity'), 3),
    "1e999": (block('"importance": 1e999'), 3),
    "5,000 digits": (block('"verifications": ' + "9" * 5000), 3),
    "lone surrogate": (block('"trigger": "\\ud83d"'), 3),
    "raw control character": (block('"trigger": "a\x01b"'), 3),
    "100,000 nested arrays": (b'{"blocks": [\n' + b"[" * 100_000 + b"]" * 100_000 + b"\n]}\n", 2),
    "100,000 unclosed arrays": (b'{"blocks": [\n' + b"[" * 100_000, 2),
    "nesting deeper than 64": (block('"x-a": ' + "[" * 65 + "]" * 65), 3),
    "Latin-1": ('{"blocks": [\n  {"payload": "caf\xe9"}\n]}\n'.encode("latin-1"), 2),
    "UTF-16": (GOOD.encode("utf-16"), 1),
    "conflict markers": (MARKERS, 2),
    "unknown state": (block('"state": "sure"'), 3),
    "a count below 0": (block('"verifications": -1'), 3),
    "something after the end": (GOOD.encode() + b"{}\n", 6),
}


@pytest.fixture
def ready(home: Path, cli: Call) -> Path:
    """A home with one good block in ``FILE``, committed."""
    (home / "experiences" / FILE).write_text(GOOD, encoding="utf-8")
    assert [one["id"] for one in cli("list", "--json").json["blocks"]] == ["exp-gooda222"]
    return home


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_hand_edit_waits_and_every_other_file_works(
    name: str, ready: Path, cli: Call, git: Callable[..., str]
) -> None:
    data, line = BROKEN[name]
    path = ready / "experiences" / FILE
    path.write_bytes(data)
    head = git(ready, "rev-parse", "HEAD")
    found = _timed(lambda: cli("check", "--json", check=False))
    assert found.code == 3
    problem = next(one for one in found.json["problems"] if one["severity"] == "error")
    assert (problem["path"], problem["line"]) == (FILE, line)
    assert problem["column"] >= 1
    assert problem["message"]
    assert "\n" not in problem["message"]
    said = cli("check", check=False).stdout
    assert f"{FILE}:{line}:{problem['column']}: " in said

    shown = _timed(lambda: cli("list", "--json")).json["blocks"]
    assert [(one["id"], one["payload"]) for one in shown] == [("exp-gooda222", "use ripgrep")]
    stale = {one["path"] for one in cli("namespace", "list", "--json").json["namespaces"] if one["stale"]}
    assert stale == {FILE}
    assert git(ready, "rev-parse", "HEAD") == head, "something was committed from a broken file"

    refused = _timed(lambda: cli("outcome", "exp-gooda222", "ok", "--json", check=False))
    assert refused.code == 3
    assert (refused.error["path"], refused.error["line"]) == (FILE, line)
    assert git(ready, "rev-parse", "HEAD") == head
    assert path.read_bytes() == data

    kept = _timed(lambda: cli("remember", "tea, no sugar", "--json"))
    assert git(ready, "log", "--format=%s", f"{head}..") == f"remember {kept.json['id']}"
    assert path.read_bytes() == data
    assert git(ready, "status", "--porcelain") == f"M {FILE}"

    path.write_text(GOOD, encoding="utf-8")
    assert cli("outcome", "exp-gooda222", "ok", "--json").json["verifications"] == 1
    assert git(ready, "status", "--porcelain") == ""


LINES: dict[str, tuple[bytes, int]] = {
    **dict(cases(__file__, "LINES")),
    "5,000 digits": (b'{"payload": "a", "importance": ' + b"9" * 5000 + b"}", 2),
    "100,000 nested arrays": (b'{"payload": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", 2),
    "100,000 unclosed arrays": (b"[" * 100_000, 2),
    "nesting in a context": (
        b'{"payload": "a", "trigger": {"context": {"a": ' + b"[" * 500 + b"]" * 500 + b"}}}",
        2,
    ),
    "Latin-1": ('{"payload": "caf\xe9"}'.encode("latin-1"), 2),
    "a line of 2 MiB": (b'{"payload": "' + b"a" * (2 << 20) + b'"}', 2),
}


@pytest.mark.parametrize("way", ["file", "stdin"])
@pytest.mark.parametrize("name", LINES)
def test_a_bad_line_stops_the_whole_bulk_before_anything_changes(
    name: str, way: str, ready: Path, cli: Call, git: Callable[..., str]
) -> None:
    raw, line = LINES[name]
    data = b'{"payload": "fine"}\n' + raw + b'\n{"payload": "fine too"}\n'
    head, before = git(ready, "rev-parse", "HEAD"), _tree(ready)
    source = ready.parent / "lessons.jsonl"
    source.write_bytes(data)
    given = "-" if way == "stdin" else str(source)
    result = _timed(lambda: cli("memorize", "--from", given, "--json", stdin=data, check=False))
    assert result.code == 3
    assert result.stdout == ""
    assert (result.error["path"], result.error["line"]) == (given, line)
    assert result.error["column"] >= 1
    assert git(ready, "rev-parse", "HEAD") == head
    assert _tree(ready) == before
    plain = cli("memorize", "--from", given, stdin=data, check=False).stderr
    assert plain.startswith(f"alice-exp: {given}:{line}:{result.error['column']}: ")
    assert plain.count("\n") == 1


@pytest.mark.parametrize("data", [GOOD.encode("utf-16"), GOOD.encode("utf-32")], ids=["UTF-16", "UTF-32"])
def test_jsonl_in_another_encoding_is_named(data: bytes, ready: Path, cli: Call) -> None:
    result = cli("memorize", "--from", "-", "--json", stdin=data, check=False)
    assert (result.code, result.error["line"]) == (3, 1)


def test_a_source_that_is_no_plain_file_is_refused_at_once(ready: Path, cli: Call) -> None:
    fifo = ready.parent / "fifo"
    os.mkfifo(fifo)
    for source, code in ((fifo, 3), (ready, 3), (ready.parent / "nowhere.jsonl", 4)):
        result = _timed(lambda source=source: cli("memorize", "--from", str(source), check=False))
        assert result.code == code
        assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("kind", ["symlink", "dangling symlink", "fifo", "directory", "socket"])
def test_what_is_no_plain_file_is_named_and_never_opened(
    kind: str, ready: Path, cli: Call, git: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = ready / "experiences" / FILE
    secret = ready.parent / "secret.jsonc"
    secret.write_text(GOOD.replace("use ripgrep", "a stranger's file"), encoding="utf-8")
    path.unlink()
    _put(kind, path, secret, monkeypatch)
    head = git(ready, "rev-parse", "HEAD")
    found = _timed(lambda: cli("check", "--json", check=False))
    assert found.code == 3
    assert FILE in {one["path"] for one in found.json["problems"] if one["severity"] == "error"}
    shown = _timed(lambda: cli("list", "--json")).json["blocks"]
    assert [one["payload"] for one in shown] == ["use ripgrep"], "the last good version answers"
    refused = _timed(lambda: cli("outcome", "exp-gooda222", "ok", "--json", check=False))
    assert (refused.code, refused.error["path"]) == (3, FILE)
    added = _timed(lambda: cli("memorize", "a", "--namespace", "universal/tool_usage", "--json"))
    approving = _timed(lambda: cli("approve", added.json["id"], "--yes", "--json", check=False))
    assert (approving.code, approving.error["path"]) == (3, FILE)
    assert git(ready, "log", "--format=%s", f"{head}..") == f"memorize {added.json['id']}"
    assert secret.read_text(encoding="utf-8") == GOOD.replace("use ripgrep", "a stranger's file")
    assert not path.is_file() or path.is_symlink()


def _put(kind: str, path: Path, secret: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if kind == "symlink":
        path.symlink_to(secret)
    elif kind == "dangling symlink":
        path.symlink_to("nowhere")
    elif kind == "fifo":
        os.mkfifo(path)
    elif kind == "directory":
        path.mkdir()
    else:
        import socket

        monkeypatch.chdir(path.parent)
        socket.socket(socket.AF_UNIX).bind(path.name)


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads every file")
def test_an_unreadable_file_is_named_and_the_rest_works(ready: Path, cli: Call) -> None:
    path = ready / "experiences" / FILE
    path.chmod(0)
    try:
        found = cli("check", "--json", check=False)
        assert (found.code, found.json["problems"][0]["path"]) == (3, FILE)
        assert [one["payload"] for one in cli("list", "--json").json["blocks"]] == ["use ripgrep"]
        assert cli("outcome", "exp-gooda222", "ok", check=False).code == 3
        assert cli("remember", "tea").code == 0
    finally:
        path.chmod(0o600)


NAMES = [*cases(__file__, "NAMES"), "a" * 5000]
COMMANDS: list[tuple[str, ...]] = cases(__file__, "COMMANDS")


@pytest.mark.parametrize("command", COMMANDS, ids=lambda words: " ".join(words))
def test_names_from_outside_never_become_paths_or_options(
    command: tuple[str, ...], ready: Path, cli: Call, git: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = ready.parent / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    head, before = git(ready, "rev-parse", "HEAD"), _tree(ready)
    for name in NAMES:
        if name == "exp-" and "namespace" in " ".join(command):
            continue  # a namespace may be called so
        if not name and command[0] in ("log", "diff", "undo", "list", "memorize"):
            continue  # an empty name there is none given
        words = [name if word == "ID" else word for word in command]
        for arguments in (words, [words[0], *_guarded(words[1:], name)]):
            result = _timed(lambda arguments=arguments: cli(*arguments, check=False))
            if command[:2] == ("list", "--namespace"):
                assert result.code in (0, 2, 4)
                continue
            assert result.code in (2, 4), (
                f"{arguments} ended with {result.code}: {result.stdout}{result.stderr}"
            )
            assert result.stderr.startswith("alice-exp: ")
            assert result.stderr.count("\n") == 1
            assert "\x1b" not in result.stderr
    assert git(ready, "rev-parse", "HEAD") == head
    assert _tree(ready) == before
    assert list(elsewhere.iterdir()) == []


def _guarded(words: list[str], name: str) -> list[str]:
    """The same words with the name behind ``--``, where options end."""
    rest = [word for word in words if word != name or word.startswith("--namespace")]
    return [*rest, "--", name] if "--namespace" not in words and "--set" not in words else words


def _timed(call: Callable[[], Any]) -> Any:
    began = time.process_time()
    result = call()
    assert time.process_time() - began < 20, "it took longer than 20 s of the processor"
    return result


def _tree(home: Path) -> dict[str, bytes]:
    root = home / "experiences"
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and ".git" not in path.parts
    }
