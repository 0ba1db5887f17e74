"""A day that a question names brings what was kept on it to the front, and nothing else into the answer."""

import json
from pathlib import Path

import pytest

from tests.case_tables import cases, table
from tests.conftest import Call

KEPT = cases(__file__, "KEPT")


@pytest.fixture
def kept(home: Path, cli: Call) -> Call:
    rows = [{"payload": text, "key": key, "created_at": f"{day}T09:00:00Z"} for day, text, key in KEPT]
    cli("memorize", "--from", "-", stdin="\n".join(json.dumps(row, ensure_ascii=False) for row in rows))
    return cli


@table("query", "first")
def test_the_named_day_comes_first(kept: Call, query: str, first: str) -> None:
    found = kept("recall", query, "--json").json["matches"]
    assert found[0]["key"] == first
    assert all(one["key"] != "walk" for one in found)
