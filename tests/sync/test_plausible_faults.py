"""Faults that a careful reader could still write, each held by one test."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from alice_exp.kernel.journal import atomic_files
from alice_exp.kernel.journal.derived_file import keep_derived, load_derived
from alice_exp.model.rules.lifecycle import DEFAULT
from alice_exp.model.values.block import Approved, Block, Payload, Placed, content_hash
from alice_exp.sync.rules.merge_blocks import merge

PATH = "universal/tool_usage.jsonc"


def approved(at: str) -> Placed:
    block = Block("exp-aaaa2222", Payload("use rg"), created_at="2026-01-01T00:00:00Z", updated_at=at)
    return Placed(replace(block, approved=Approved(at, "user", content_hash(block))), PATH)


def test_a_merge_keeps_the_later_of_two_approvals() -> None:
    early, late = approved("2026-02-01T00:00:00Z"), approved("2026-02-02T00:00:00Z")
    for one, other in ((early, late), (late, early)):
        merged = merge({}, {"exp-aaaa2222": one}, {"exp-aaaa2222": other}, DEFAULT)
        (kept,) = merged.blocks.values()
        assert kept.block.approved == late.block.approved


def test_a_durable_file_is_on_the_disk_with_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The content before the rename, the directory after it; leave either out, and a power cut takes the file."""
    steps: list[str] = []
    real_sync, real_replace = os.fsync, Path.replace

    def synced(handle: int) -> None:
        steps.append("directory" if Path(f"/proc/self/fd/{handle}").is_dir() else "content")
        real_sync(handle)

    def replaced(self: Path, target: Path) -> Path:
        steps.append("rename")
        return real_replace(self, target)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(Path, "replace", replaced)
    atomic_files.replace(tmp_path / "a", b"x", durable=True)
    assert steps == ["content", "rename", "directory"]
    steps.clear()
    atomic_files.replace(tmp_path / "a", b"x", durable=False)
    assert steps == ["rename"]


def test_a_derived_file_that_differs_by_one_bit_is_a_missing_one(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    keep_derived(path, {"a": [1, 2, 3]})
    assert load_derived(path) == {"a": [1, 2, 3]}
    data = path.read_bytes()
    for at in range(len(data)):
        path.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        assert load_derived(path) is None
    path.write_bytes(b"[" * 200_000)
    assert load_derived(path) is None
