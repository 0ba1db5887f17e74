"""A person's comments, order and layout survive every act, on their own block and on others."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Call = Callable[..., Any]

MINE = """\ufeff// at the head of the file, 第一行\r
{\r
\t"$schema": "../.schema/namespace.json", // beside the schema\r
\t/* above the list */\r
\t"blocks": [ // beside the bracket\r
\t\t// above one\r
\t\t{ // within one, first\r
\t\t\t'id': 'exp-oneone22', // beside the id\r
\t\t\ttrigger: "one", /* within a line */ payload: "what one says",\r
\t\t\tverifications: 2,\r
\t\t\t// above a field\r
\t\t\t"created_at": "2026-01-10T08:00:00Z",\r
\t\t\t"updated_at": "2026-01-10T08:00:00Z", // within one, last\r
\t\t}, // beside one\r
\r
\t\t// above two\r
\t\t{"id": "exp-twotwo22", "payload": "what two says", /* inside two */ "created_at": "2026-01-10T08:00:00Z",\r
\t\t "updated_at": "2026-01-10T08:00:00Z"},\r
\t\t/* above three,\r
\t\t   over two lines */\r
\t\t{\r
\t\t\t"id": "exp-three222", "payload": "what three says", // 说明\r
\t\t\t"created_at": "2026-01-10T08:00:00Z", "updated_at": "2026-01-10T08:00:00Z"\r
\t\t}\r
\t\t// after the last block\r
\t] // beside the end of the list\r
}\r
// at the end of the file"""

OF_TWO = ("// above two", "/* inside two */")
"""What moves with the second block when it is archived."""


@pytest.fixture
def commented(home: Path, cli: Call) -> Path:
    """A universal file with comments everywhere, JSON5, CRLF, a BOM and no final newline; approved where it stands."""
    path = home / "experiences/universal/tool_usage.jsonc"
    path.write_bytes(MINE.encode())
    cli("list")
    cli("approve", "exp-oneone22", "exp-three222", "--yes")
    return path


def comments(text: str) -> list[str]:
    """Every comment of ``MINE`` that ``text`` still holds, in the order of ``text``."""
    known = [
        line[line.index(mark) :].split("*/")[0].strip()
        for line in MINE.split("\r\n")
        for mark in ("//", "/*")
        if mark in line
    ]
    return sorted((part for part in known if part in text), key=text.index)


def survived(path: Path, without: tuple[str, ...] = ()) -> None:
    """All comments are there in their order, and line endings, BOM and the end of the file are as they were."""
    data = path.read_bytes()
    text = data.decode()
    gone = {part.split("*/")[0].strip() for part in without}
    assert comments(text) == [part for part in comments(MINE) if part not in gone]
    assert text.startswith("\ufeff//")
    assert "\n" not in text.replace("\r\n", "")
    assert text.endswith("// at the end of the file")


def test_adopting_keeps_them(commented: Path) -> None:
    survived(commented)


@pytest.mark.parametrize("block", ["exp-oneone22", "exp-twotwo22", "exp-three222"])
@pytest.mark.parametrize("verdict", ["ok", "fail"])
@pytest.mark.covers("B2.31")
def test_outcome_and_its_undo_keep_them(
    block: str, verdict: str, commented: Path, cli: Call, sound: Callable[[Path], None]
) -> None:
    before = commented.read_bytes()
    head = cli("outcome", block, verdict, "--json").json["commit"]
    if verdict == "ok":
        survived(commented)
    cli("undo", head, "--yes")
    survived_in_any_order(commented)
    if verdict == "ok":
        assert commented.read_bytes() == before, "undo gives the very bytes back"
    sound(commented.parents[2])


def test_an_archived_block_takes_its_comments_along_and_brings_them_back(commented: Path, cli: Call) -> None:
    archive = commented.parents[1] / "archive/obsolete.jsonc"
    act = cli("retire", "exp-twotwo22", "--reason", "over", "--json").json
    survived(commented, without=OF_TWO)
    there = archive.read_text(encoding="utf-8")
    assert all(part in there for part in OF_TWO)
    cli("undo", act["commit"], "--yes")
    survived_in_any_order(commented)
    left = archive.read_text(encoding="utf-8") if archive.exists() else ""
    assert not any(part in left for part in OF_TWO), "the comments stand twice"


def survived_in_any_order(path: Path) -> None:
    """All comments are there once (a block that came back may stand at the end)."""
    text = path.read_text(encoding="utf-8")
    assert sorted(comments(text)) == sorted(comments(MINE))
    assert [text.count(part) for part in comments(MINE)] == [MINE.count(part) for part in comments(MINE)]


def test_approving_into_the_file_keeps_them(commented: Path, cli: Call, git: Callable[..., str]) -> None:
    made = cli("memorize", "four", "--namespace", "universal/tool_usage", "--json").json["id"]
    pool = commented.parents[1] / "low_value_pool/pending_20260220.jsonc"
    text = pool.read_text(encoding="utf-8")
    head, brace, tail = text.partition(f'"id": "{made}"')
    pool.write_text(
        f"// 池\n{head}{brace}{tail}".replace('"payload"', '/* my note */ "payload"'), encoding="utf-8"
    )
    act = cli("approve", made, "--yes", "--json").json
    survived(commented)
    assert "/* my note */" in commented.read_text(encoding="utf-8")
    cli("undo", act["commit"], "--yes")
    survived(commented)
    assert "/* my note */" not in commented.read_text(encoding="utf-8")
    assert "/* my note */" in pool.read_text(encoding="utf-8")
    assert git(commented.parents[2], "status", "--porcelain") == ""


def test_a_row_of_acts_on_all_blocks_leaves_no_trace_in_layout(commented: Path, cli: Call) -> None:
    cli("outcome", "exp-oneone22", "ok")
    cli("outcome", "exp-three222", "ok")
    cli("approve", "exp-twotwo22", "--both", "exp-oneone22", "--both", "exp-three222", "--yes")
    cli("outcome", "exp-twotwo22", "ok")
    survived(commented)
    changed = commented.read_bytes().decode().split("\r\n")
    kept = [line for line in MINE.split("\r\n") if line in changed]
    assert len(kept) >= len(MINE.split("\r\n")) - 5, "lines that no act had to touch were touched"


def test_acts_on_the_sample_home_keep_every_comment(sample: Path, cli: Call) -> None:
    def notes() -> list[str]:
        root = sample / "experiences"
        texts = [path.read_text(encoding="utf-8") for path in sorted(root.glob("[!.]*/*.jsonc"))]
        return sorted(
            line.strip()
            for text in texts
            for line in text.splitlines()
            if line.strip().startswith(("//", "/*"))
        )

    before = notes()
    assert len(before) > 20
    trusted = [
        one["id"] for one in cli("list", "--set", "universal", "--set", "personal", "--json").json["blocks"]
    ]
    for block in trusted[::4]:
        cli("outcome", block, "ok")
    cli("heartbeat")
    cli("approve", "1", "--both", "exp-c78jx2vd", "--yes")
    cli("approve", "3", "--yes")
    cli("reject", "2")
    assert [line for line in before if line not in notes()] == []
