"""`why` finds its block by the index where there is one, and says the same without."""

from pathlib import Path

import pytest

from alice_exp.kernel.jsonc.reader import parse
from alice_exp.model.formats.block_schema import state_in
from tests.case_tables import table
from tests.conftest import Call

FILE = b"""{"blocks": [
  {"id": "exp-aaaaaaa2", "payload": "use rg", "state": "reliable"},
  {"id": "exp-bbbbbbb2", "payload": "use fd"},
  {"id": "exp-ccccccc2", "payload": 7, "state": "past"}
]}"""


def test_the_index_and_the_files_say_the_same_of_every_block(home: Path, cli: Call) -> None:
    living = cli("memorize", "use rg", "--when", "searching code", "--json").json["id"]
    gone = cli("memorize", "use grep", "--when", "searching text", "--json").json["id"]
    cli("heartbeat")
    cli("approve", living, "--yes")
    cli("reject", gone)
    index = home / "state" / "index.sqlite"
    asked = (living, living[:9], gone)
    index.unlink(missing_ok=True)
    cli("recall", "searching")
    assert index.exists()
    by_index = [cli("why", one, "--json").json for one in asked]
    index.unlink()
    # In its place something that no index can be opened at, so that the files are read.
    (index / "not an index").mkdir(parents=True)
    assert [cli("why", one, "--json").json for one in asked] == by_index
    assert [told["id"] for told in by_index] == [living, living, gone]
    assert by_index[2]["block"]["archived"]["reason"] == "rejected"
    failed = cli("why", "exp-22222222", check=False)
    assert (failed.code, "no block ever had the id exp-22222222" in failed.stderr) == (4, True)
    mistyped = living[:-1] + ("a" if living[-1] != "a" else "b")
    for command in ("why", "show"):
        assert f"did you mean {living}?" in cli(command, mistyped, check=False).stderr
    assert f"alice-exp revive {gone} --from-rejected" in cli("restore", gone, check=False).stderr


@table("path", "block_id", "state")
def test_a_state_is_read_without_the_other_blocks(path: str, block_id: str, state: str) -> None:
    assert state_in(parse(FILE, path), block_id) == state


@pytest.mark.parametrize("data", [b"[]", b'{"blocks": 3}', b"{", b""])
def test_what_is_no_namespace_file_has_no_state(data: bytes) -> None:
    assert state_in(parse(data, "universal/a.jsonc"), "exp-aaaaaaa2") == ""
