"""``export`` and ``import alice``: nothing lost, nothing trusted that was not (DESIGN 7)."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from alice_exp import Alice

Call = Callable[..., Any]
SAMPLE = Path(__file__).parents[2] / "sample_home"


@pytest.fixture
def rows(home: Path, cli: Call, tmp_path: Path) -> Path:
    """The sample home, exported."""
    shutil.copytree(SAMPLE, tmp_path / "sample")
    cli("--home", str(tmp_path / "sample"), "init")
    file = tmp_path / "blocks.jsonl"
    file.write_text(cli("--home", str(tmp_path / "sample"), "export").stdout, encoding="utf-8")
    return file


def exported(cli: Call, *options: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in cli("export", *options).stdout.splitlines()]


def test_as_mine_everything_comes_back_as_it_was(
    home: Path, cli: Call, rows: Path, sound: Callable[[Path], None]
) -> None:
    assert cli("import", "alice", str(rows), "--as-mine", check=False).code == 6
    assert cli("--actor", "agent", "import", "alice", str(rows), "--as-mine", "--yes", check=False).code == 6
    assert exported(cli) == []
    done = cli("import", "alice", str(rows), "--as-mine", "--yes", "--json").json
    assert cli("export").stdout == rows.read_text("utf-8") and len(done["ids"]) > 80
    again = cli("import", "alice", str(rows), "--as-mine", "--yes", "--json").json
    assert (again["ids"], again["known"], again["commit"]) == ([], len(done["ids"]), None)
    # An approval in a file decides nothing here: each is a question, of which an agent is told.
    said = Alice(home, actor="agent:ci").call("heartbeat_summary", {})["summary"]
    assert said.startswith("11 candidates and 70 questions about what is trusted wait for")
    sound(home)


def test_without_it_nothing_is_trusted_and_nothing_of_it_is_lost(
    home: Path, cli: Call, rows: Path, sound: Callable[[Path], None]
) -> None:
    told = {row["id"]: row for row in map(json.loads, rows.read_text("utf-8").splitlines())}
    tried = cli("import", "alice", str(rows), "--dry-run", "--json").json
    done = cli("--actor", "agent", "import", "alice", str(rows), "--json").json
    living = [row for row in told.values() if row["set"] != "archive"]
    assert len(done["ids"]) == len(living) and done["archived"] == tried["archived"] == len(told) - len(
        living
    )
    for row in exported(cli):
        was = told[row["id"]]
        assert (row["set"], row["origin"]) == ("low_value", "import:alice")
        assert not {"state", "verifications", "approved", "shareable"} & set(row)
        for key in ("payload", "trigger", "type", "tags", "related", "importance", "created_at"):
            assert row.get(key) == was.get(key), key
        assert row["evidence"][:-1] == was.get("evidence", [])[-19:]
        claim = row["evidence"][-1]
        assert (
            claim["kind"] == "claim"
            and f"{was.get('verifications', claim['quote'].split()[0])} verified" in (claim["quote"])
        )
    assert "verified there" in cli("why", living[0]["id"]).stdout
    assert cli("import", "alice", str(rows), "--json").json["ids"] == []
    sound(home)


def test_references_follow_a_block_whose_id_is_taken(home: Path, cli: Call, tmp_path: Path) -> None:
    mine = cli("remember", "tabs", "--json").json["id"]
    made = [
        {"set": "universal", "namespace": "tool_usage", "id": mine, "payload": "use rg"},
        {
            "set": "universal",
            "namespace": "tool_usage",
            "id": "exp-aaaaaaaa",
            "payload": "fd",
            "replaces": [mine],
            "both": [mine],
        },
    ]
    file = tmp_path / "b.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in made), encoding="utf-8")
    cli("import", "alice", str(file))
    found = {row["payload"]: row for row in exported(cli)}
    assert found["use rg"]["id"] not in (mine, "exp-aaaaaaaa") and found["tabs"]["id"] == mine
    assert found["fd"]["replaces"] == [found["use rg"]["id"]]
    # What another home's person said of two blocks is nobody's word here.
    assert "both" not in found["fd"]


@pytest.mark.parametrize("as_mine", [True, False])
def test_rows_without_an_id_or_with_the_same_one_get_their_own(
    home: Path, cli: Call, tmp_path: Path, as_mine: bool
) -> None:
    place = {"set": "personal", "namespace": "user_preferences"}
    named = [{"id": "exp-aaaa2222", "payload": text} for text in ("tea", "coffee")]
    rows = [place | row for row in (*named, {"payload": "rg"}, {"payload": "jq"}, {"payload": "tea"})]
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows))
    done = cli("import", "alice", str(path), "--json", *(["--as-mine", "--yes"] if as_mine else [])).json
    assert len(set(done["ids"])) == 4 and "exp-aaaa2222" in done["ids"]
    assert cli("check").code == 0


def test_the_formats(home: Path, cli: Call, tmp_path: Path) -> None:
    assert cli("export").stdout == "" and cli("export", "--format", "markdown").stdout == ""
    cli("remember", "tabs,\nnever spaces", "--when", "writing code")
    page = cli("export", "--format", "markdown").stdout
    assert page.startswith("## personal/") and "- **writing code**: tabs, never spaces (exp-" in page
    file = tmp_path / "b.json"
    file.write_text(cli("export", "--format", "json").stdout, encoding="utf-8")
    assert json.loads(file.read_text("utf-8")) == cli("export", "--json").json
    assert cli("import", "alice", str(file), "--json").json["known"] == 1
    assert cli("export", "--format", "yaml", check=False).code == 2
    for bad in ("{}", '{"set": "personal", "namespace": "../x", "payload": "a"}', "[]", "nonsense",
                '{"set": "personal", "namespace": "x", "id": "exp-1"}'):  # fmt: skip
        file.write_text(bad + "\n", encoding="utf-8")
        failed = cli("import", "alice", str(file), check=False)
        assert failed.code == 3 and ":1:" in failed.stderr
