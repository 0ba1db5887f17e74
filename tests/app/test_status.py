"""``status``: one screen, at 80 columns, in both languages; it counts what the report counts and starts nothing."""

from pathlib import Path

import pytest

from alice_exp.kernel import VERSION
from alice_exp.kernel.text.display import cells
from tests.conftest import Call, Git


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_it_is_one_screen_of_a_full_home(
    sample: Path, cli: Call, monkeypatch: pytest.MonkeyPatch, lang: str
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for number in range(30):
        cli("memorize", f"第 {number} 条：" + "一句很长的话" * 20)
    (sample / "experiences/universal/broken.jsonc").write_text('{"blocks": [}\n', "utf-8")
    said = cli("status", "--lang", lang).stdout
    assert len(said.splitlines()) <= 24
    assert all(cells(line) <= 80 for line in said.splitlines()[1:])
    assert "alice-exp check" in said and "broken.jsonc:1:" in said
    assert ("waiting" in said) == (lang == "en")


def test_a_connected_host_and_the_last_sync_are_named(home: Path, world: Path, cli: Call, git: Git) -> None:
    cli("connect", "cursor")
    assert [row["host"] for row in cli("status", "--json").json["hosts"]] == ["cursor"]
    git(home, "init", "-q", "--bare", str(world / "far.git"))
    cli("sync", "add", str(world / "far.git"), "--private", "--name", "far", "--yes")
    assert cli("status", "--json").json["sync"]["last"] is None
    assert "far: never" in cli("status").stdout
    cli("sync", env={"ALICE_NOW": "2026-02-20T10:00:00Z"})
    assert cli("status", "--json").json["sync"]["last"] == "2026-02-20T10:00:00Z"
    cli("config", "set", "timezone", "Asia/Shanghai")
    assert "far: 2026-02-20 18:00" in cli("status").stdout


def test_the_version_is_a_document_where_one_is_asked_for(world: Path, cli: Call) -> None:
    for words in (("--version", "--json"), ("--json", "--version")):
        assert cli(*words).json == {"version": VERSION}
