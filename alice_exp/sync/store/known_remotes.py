"""The remotes that a person added, and the key by which this machine signs its decisions for the others.

Both stay on this machine: ``identity/remotes.json`` and ``identity/machine.key`` (32 random bytes in hex, 0600).
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from alice_exp.kernel.errors import ProblemError
from alice_exp.kernel.journal import atomic_files as files
from alice_exp.sync.ports import Remote


class FileRemotes:
    """Implements ``sync.ports.Remotes`` by files of the directory ``identity``."""

    def __init__(self, directory: Path) -> None:
        self._path = directory / "remotes.json"
        self._key = directory / "machine.key"

    def all(self) -> tuple[Remote, ...]:
        """See ``sync.ports.Remotes.all``; ``ProblemError`` if the file cannot be read."""
        try:
            return tuple(map(_remote, json.loads(self._path.read_text(encoding="utf-8"))))
        except FileNotFoundError:
            return ()
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            raise ProblemError("the list of remotes cannot be read", path=str(self._path)) from error

    def keep(self, remotes: tuple[Remote, ...]) -> None:
        """See ``sync.ports.Remotes.keep``."""
        rows = [_row(one) for one in sorted(remotes, key=lambda one: one.name)]
        self._write(self._path, json.dumps(rows, ensure_ascii=False, indent=2) + "\n")

    def key(self) -> bytes:
        """See ``sync.ports.Remotes.key``."""
        try:
            seed = bytes.fromhex(self._key.read_text(encoding="ascii"))
        except FileNotFoundError:
            seed = os.urandom(32)
            self._write(self._key, f"{seed.hex()}\n")
        except (OSError, ValueError):
            seed = b""
        if len(seed) != 32:
            raise ProblemError("this machine's key cannot be read", path=str(self._key))
        return seed

    def _write(self, path: Path, text: str) -> None:
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            files.replace(path, text.encode(), durable=True)
        except OSError as error:
            why = (error.strerror or str(error)).lower()
            raise ProblemError("this cannot be written: {why}", why=why, path=str(path)) from error


def _remote(row: dict[str, Any]) -> Remote:
    return Remote(
        row["name"],
        row["address"],
        row["private"] is True,
        row["at"],
        str(row.get("synced", "")),
        tuple(map(str, row.get("machines", ()))),
        int(row.get("head", 0)),
        str(row.get("offered", "")),
    )


def _row(one: Remote) -> dict[str, Any]:
    more = {"synced": one.synced, "machines": [*one.machines], "head": one.head, "offered": one.offered}
    known = {"name": one.name, "address": one.address, "private": one.private, "at": one.at}
    return known | {name: value for name, value in more.items() if value}
