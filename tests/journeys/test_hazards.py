"""What finding must stand: a clock that jumps back, 100,000 blocks in one file, two writers and a reader (issue 4)."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from docs.bench.homes import lines

Call = Callable[..., Any]


def test_two_writers_and_a_reader_at_once(home: Path, start: Call, cli: Call) -> None:
    cli("remember", "the vault needs two keys")
    pool = home.parent / "many.jsonl"
    pool.write_text("".join(json.dumps(line) + "\n" for line in lines(40)), encoding="utf-8")
    writers = [start("memorize", "--from", str(pool)), start("memorize", "a canary goes first")]
    while any(writer.poll() is None for writer in writers):
        assert (
            cli("recall", "vault keys", "--json").json["matches"][0]["payload"] == "the vault needs two keys"
        )
    assert [writer.wait() for writer in writers] == [0, 0]
    assert len(cli("list", "--json").json["blocks"]) == 42
    assert cli("recall", "canary", "--json").json["matches"][0]["payload"] == "a canary goes first"
    assert cli("doctor").code == 0


@pytest.mark.slow
def test_a_hundred_thousand_blocks_in_one_file(home: Path, run: Call) -> None:
    source = home.parent / "many.jsonl"
    with source.open("w", encoding="utf-8") as file:
        for line in lines(100_000):
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
        file.write('{"payload": "the vault needs two keys"}\n')
    run("memorize", "--from", str(source), timeout=600)
    assert len(list((home / "experiences/low_value_pool").glob("*.jsonc"))) == 1
    run("recall", "vault keys", timeout=600)
    found = run("recall", "vault keys", "--json", timeout=30).json["matches"]
    assert found[0]["payload"] == "the vault needs two keys"
    assert run("decide", "open the vault with keys", "--json").json["tier"] == "low_value"


def test_any_number_of_lines_goes_in(home: Path, cli: Call) -> None:
    """501 is one more than what is read back whole, and the last of it is one of every twentieth."""
    given = "".join(json.dumps({"payload": f"thing number {n}"}) + "\n" for n in range(501))
    assert len(cli("memorize", "--from", "-", "--json", stdin=given).json["ids"]) == 501
    assert len(cli("list", "--json").json["blocks"]) == 501
