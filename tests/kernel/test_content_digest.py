"""The hashes by which contents are known are those of git and of SHA-256."""

import hashlib
import subprocess

from alice_exp.kernel.value_class import blob_id, digest


def test_git_says_the_same() -> None:
    said = subprocess.run(
        ["git", "hash-object", "--stdin"], input=b"x" * 70_000, capture_output=True, check=True
    )
    assert blob_id(b"x" * 70_000) == said.stdout.decode().strip()
    assert digest(b"x" * 70_000) == hashlib.sha256(b"x" * 70_000).hexdigest()[:32]
