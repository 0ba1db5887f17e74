"""The log of reads is read on where it was left, whoever writes to it or folds it meanwhile (R3.4-R3.6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from alice_exp.blocks.store import FileAccess
from alice_exp.model.values.block import Reads

if TYPE_CHECKING:
    from pathlib import Path


def counts(log: FileAccess) -> dict[str, int]:
    return {name: reads.count for name, reads in log.pending().items()}


@pytest.fixture
def log(tmp_path: Path) -> FileAccess:
    return FileAccess(tmp_path, lambda segment: False)


def test_what_another_process_reads_is_counted_by_this_one(log: FileAccess, tmp_path: Path) -> None:
    assert counts(log) == {}
    for at in range(1, 4):
        FileAccess(tmp_path, lambda segment: False).record(["exp-a", "exp-b"], f"2026-02-20T09:00:0{at}Z")
        assert counts(log) == {"exp-a": at, "exp-b": at}
    assert counts(log) == counts(FileAccess(tmp_path, lambda segment: False)) == {"exp-a": 3, "exp-b": 3}
    assert log.pending()["exp-a"].last_at == "2026-02-20T09:00:03Z"


def test_a_line_that_is_being_written_is_counted_when_it_is_whole(log: FileAccess, tmp_path: Path) -> None:
    log.record(["exp-a"], "2026-02-20T09:00:00Z")
    file = tmp_path / "access.jsonl"
    with file.open("ab") as more:
        more.write(b'{"at": "2026-02-20T09:00:01Z", ')
        more.flush()
        assert counts(log) == {"exp-a": 1}
        more.write(b'"ids": ["exp-b"]}\n')
    assert counts(log) == {"exp-a": 1, "exp-b": 1}


def test_a_new_log_is_counted_from_its_beginning(log: FileAccess, tmp_path: Path) -> None:
    log.record(["exp-a"], "2026-02-20T09:00:00Z")
    assert counts(log) == {"exp-a": 1}
    FileAccess(tmp_path, lambda segment: False).seal("rep-one")
    assert counts(log) == {"exp-a": 1}, "sealed, not folded yet"
    (tmp_path / "access-rep-one.jsonl").unlink()
    assert counts(log) == {}
    # As long as the old one, so that its size does not tell.
    log.record(["exp-b"], "2026-02-20T09:00:01Z")
    assert counts(log) == {"exp-b": 1}


def test_nobody_who_was_given_the_counts_sees_them_change(log: FileAccess) -> None:
    log.record(["exp-a"], "2026-02-20T09:00:00Z")
    given = log.pending()
    log.record(["exp-a"], "2026-02-20T09:00:01Z")
    assert (given["exp-a"].count, log.pending()["exp-a"].count) == (1, 2)


def test_the_last_read_is_the_latest_in_whatever_order_the_lines_come(
    log: FileAccess, tmp_path: Path
) -> None:
    for day in ("2026-02-19", "2026-02-20", "2026-02-18"):
        log.record(["exp-a"], f"{day}T09:00:00Z")
    # A segment that a crash left is older than the log.
    (tmp_path / "access-seg.jsonl").write_text('{"at": "2026-02-17T09:00:00Z", "ids": ["exp-a"]}\n')
    assert log.pending()["exp-a"] == Reads(4, "2026-02-20T09:00:00Z")
