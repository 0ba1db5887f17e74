"""Whose words: what hosts and hooks put into a user's row is nobody's; what a person typed stays, tags and all.

``host_rows.jsonl`` is the list by host and version, a record each. Those of Claude Code 2.1, Codex 0.169, Gemini CLI 0.61
and Qwen Code 0.15 with hooks were written by these programs, run against a stand-in model.
"""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from alice_exp.caller.hosts import KNOWN
from alice_exp.conversations.rules.transcripts import TAG, read, records, spoken, typed_words
from tests.case_tables import table

Call = Callable[..., Any]
LISTED = [
    json.loads(line) for line in (Path(__file__).parent / "host_rows.jsonl").read_text("utf-8").splitlines()
]


@pytest.mark.parametrize("row", LISTED, ids=[f"{one['host']}: {one['what']}" for one in LISTED])
@pytest.mark.parametrize("indent", [None, 1])
def test_a_record_holds_what_was_said_and_nothing_else(row: Any, indent: int | None) -> None:
    text = json.dumps(row["record"], indent=indent)
    assert [one.message.content for one in spoken(read(records(text)), "s")] == row["said"]


@pytest.mark.parametrize("tag", [TAG, *(tag for host in KNOWN for tag in host.tags.split())])
@pytest.mark.parametrize("sign", [("<", ">"), ("&lt;", "&gt;")])
def test_each_tag_is_nobodys(tag: str, sign: tuple[str, str]) -> None:
    opening, closing = sign
    head, end = f'{opening}{tag} id="1"{closing}', f"{opening}/{tag}{closing}"
    assert typed_words(f"a\n{head}I live in Rome{end}\n  {head}\nI live\n{end}{head}\n\n{end} b") == "a\n\n b"


@table("text", "own")
def test_a_tag_that_a_person_typed_swallows_nothing(text: str, own: str | None) -> None:
    assert typed_words(text) == (text if own is None else own)
    record = json.dumps({"role": "user", "content": text}, ensure_ascii=False)
    (row,) = spoken(read(records(record)), "s") or [None]
    assert (row.message.content if row else "") == (text if own is None else own)


@pytest.mark.parametrize(
    "part", ["<skill>\n", "<skill>\nx</skill>\n", "&lt;skill ", "<user_query>", "\n</skill>"]
)
def test_a_megabyte_of_tags_is_read(part: str) -> None:
    typed_words(part * (1_000_000 // len(part)))


def test_a_record_that_cannot_be_read_hides_no_other() -> None:
    good = json.dumps({"type": "user", "message": {"content": "hello"}, "timestamp": "when?"})
    bad = ['{"role": "user", "c', "[]", '{"role": "user", "text": 7}', '{"messages": [1]}', '{"data": {}}']
    (one,) = spoken(read(records("\n".join([*bad, good, *bad]))), "s")
    assert one.message.content == "hello"
    assert list(records("")) == list(records("nonsense")) == []


def test_hook_and_import_read_alike(home: Path, cli: Call, tmp_path: Path) -> None:
    file = tmp_path / "talk.jsonl"
    file.write_text("".join(json.dumps(one["record"]) + "\n" for one in LISTED), encoding="utf-8")
    cli("session", "import", str(file))
    cli("hook", "claude-code", "end", stdin=json.dumps({"session_id": "heard", "transcript_path": str(file)}))
    cli("heartbeat", "--peek")

    def said(session: str) -> list[str]:
        shown = cli("session", "show", session, "--json").json["messages"]
        return [one["content"] for one in shown if one["role"] in ("user", "assistant")]

    heard = said("claude-code-heard")
    names = {one["id"] for one in cli("session", "list", "--json").json["sessions"]} - {"claude-code-heard"}
    assert sorted(heard) == sorted(text for name in names for text in said(name))
    assert "I live in Berlin" in heard and not any("Rome" in text for text in heard)
    document = tmp_path / "again/talk.json"
    document.parent.mkdir()
    document.write_text(
        json.dumps({"messages": [one["record"] for one in LISTED]}, indent=1), encoding="utf-8"
    )
    assert cli("session", "import", str(document), "--dry-run", "--json").json["messages"] == 0


def test_an_import_belongs_to_the_folder_that_the_host_names(
    home: Path, cli: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = [tmp_path / "work" / name for name in ("web", "api", "here")]
    for one in folders:
        subprocess.run(["git", "init", "-q", str(one)], check=True)
    web, api, here = folders
    monkeypatch.delenv("ALICE_PROJECT")
    monkeypatch.chdir(here)

    def of(session: str, text: str, **more: Any) -> dict[str, Any]:
        return {"type": "user", "sessionId": session, "message": {"role": "user", "content": text}, **more}

    codex = {"type": "session_meta", "payload": {"id": "x", "cwd": str(api)}}
    spoken = {
        "type": "response_item",
        "payload": {"type": "message", "role": "user", "content": "Always use tabs."},
    }
    files = {
        "claude": [
            of("a", "Never use mocks in tests.", cwd=str(web)),
            of("a", "Always pin versions.", cwd=str(api)),
            of("b", "Never push to main.", cwd="/gone/elsewhere"),
            of("c", "Always squash commits."),
        ],
        "codex": [codex, spoken],
    }
    for name, rows in files.items():
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
        cli("session", "import", str(tmp_path / f"{name}.jsonl"))
    for session in ("a", "b", "c", "codex"):
        cli("session", "end", session)

    def heard(folder: Path) -> set[str]:
        monkeypatch.chdir(folder)
        return {one["text"] for one in cli("heard", "--json").json["sentences"]}

    assert heard(web) == {"Never use mocks in tests."}
    assert heard(api) == {"Always pin versions.", "Always use tabs."}
    assert heard(here) == {"Always squash commits."}
    (gone,) = (one for one in cli("heard", "--all", "--json").json["sentences"] if one["session"] == "b")
    assert gone["project"] and gone["text"] == "Never push to main."
