"""The remotes that a person added, what an exchange with one led to, and the key by which this machine signs its
decisions for the others.

Both stay on this machine: ``identity/remotes.json`` and ``identity/machine.key`` (32 random bytes in hex, 0600).
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path

from alice_exp.home.session import Session, once
from alice_exp.kernel.errors import ProblemError, refused_as
from alice_exp.kernel.journal import atomic_files as files
from alice_exp.kernel.journal.act import Commit
from alice_exp.kernel.value_class import dataclass


@dataclass(frozen=True, slots=True)
class Remote:
    """A git repository that a person added at ``at`` (ISO-8601 UTC). ``private``: everything tracked may go there.

    ``synced`` is when a sync with it last succeeded; empty: never. ``machines`` are the public keys (hex) of the
    person's other machines there, whose decisions count; ``offered`` is one that nobody confirmed yet (empty: none).
    ``head`` is the number of the newest head of the ledger seen there.
    """

    name: str
    address: str
    private: bool
    at: str
    synced: str = ""
    machines: tuple[str, ...] = ()
    head: int = 0
    offered: str = ""


@dataclass(frozen=True, slots=True)
class Exchanged:
    """The result of an exchange with a private remote.

    ``taken`` and ``given`` count acts; ``commit`` joined two histories (None if none was needed); ``conflicts`` are the
    ids of blocks whose text both sides had changed, ``asked`` of those that both had decided on, each otherwise and
    unseen. ``head`` and ``offered`` are what ``Remote`` keeps of that name.
    """

    taken: int = 0
    given: int = 0
    commit: Commit | None = None
    conflicts: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    head: int = 0
    offered: str = ""


class Remotes:
    """The remotes and the machine's key, in files of the directory ``identity``."""

    def __init__(self, directory: Path) -> None:
        self._path = directory / "remotes.json"
        self._key = directory / "machine.key"

    def all(self) -> tuple[Remote, ...]:
        """All remotes, ordered by name; ``ProblemError`` if the file cannot be read."""
        try:
            rows = json.loads(self._path.read_text(encoding="utf-8"))
            typed = (
                {"private": row["private"] is True, "machines": (*row.get("machines", ()),)} for row in rows
            )
            return tuple(Remote(**row | own) for row, own in zip(rows, typed, strict=True))
        except FileNotFoundError:
            return ()
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            raise ProblemError("the list of remotes cannot be read", path=str(self._path)) from error

    def keep(self, remotes: tuple[Remote, ...]) -> None:
        """Replace the list; ``ProblemError`` if it cannot be written."""
        told = (asdict(one).items() for one in sorted(remotes, key=lambda one: one.name))
        rows = [{name: value for name, value in row if value or name == "private"} for row in told]
        self._write(self._path, json.dumps(rows, ensure_ascii=False, indent=2) + "\n")

    def key(self) -> bytes:
        """This machine's private key (32 bytes), made when it is first asked for; ``ProblemError`` if unreadable."""
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
        with refused_as("this cannot be written: {why}", path):
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            files.replace(path, text.encode(), durable=True)


@once
def remotes(session: Session) -> Remotes:
    """The session's list of remotes."""
    return Remotes(session.root / "identity")
