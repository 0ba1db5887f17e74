"""A content's hash is computed once, and is always that of this content."""

from __future__ import annotations

import hashlib
import subprocess

import pytest

from alice_exp.kernel import content_digest
from alice_exp.kernel.content_digest import HUGE, KEPT, SMALL, blob_id, digest


def contents() -> list[bytes]:
    """Contents of one size that differ in one byte each, more than are kept, and some of other sizes."""
    base = bytearray(b"0123456789abcdef" * (SMALL // 16))
    found = [b"", b"a", bytes(base[:-1])]
    for at in range(KEPT + 3):
        base[at * 100] ^= 1
        found.append(bytes(base))
    return found


def test_every_hash_is_that_of_its_content_in_any_order() -> None:
    for content in (*contents(), *reversed(contents()), *contents()):
        whole = b"blob %d\0" % len(content) + content
        assert blob_id(content) == hashlib.sha1(whole, usedforsecurity=False).hexdigest()
        assert digest(content) == hashlib.sha256(content).hexdigest()[:32]
    assert len(content_digest._kept) == KEPT


def test_git_says_the_same() -> None:
    said = subprocess.run(
        ["git", "hash-object", "--stdin"], input=b"x" * SMALL, capture_output=True, check=True
    )
    assert blob_id(b"x" * SMALL) == said.stdout.decode().strip()


@pytest.mark.parametrize(("size", "times"), [(SMALL - 1, 3), (SMALL, 1)])
def test_an_equal_content_is_not_hashed_again(size: int, times: int, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    plain = content_digest._digest
    monkeypatch.setattr(content_digest, "_digest", lambda data: (seen.append(len(data)), plain(data))[1])
    for _ in range(3):
        digest(bytes(bytearray(b"y" * size)))  # another object each time, as a file read again is
    assert seen == [size] * times


def test_what_is_very_large_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(content_digest, "HUGE", SMALL)
    digest(b"z" * (SMALL + 1))
    assert HUGE > SMALL and not any(content[:1] == b"z" for _, content, _ in content_digest._kept)
