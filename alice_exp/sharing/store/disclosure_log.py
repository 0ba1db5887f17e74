"""The log of what left this home and its public name: ``identity/shared.jsonl`` and ``identity/name``."""

from __future__ import annotations

import contextlib
import json
from typing import TYPE_CHECKING

from alice_exp.kernel.errors import ProblemError
from alice_exp.kernel.journal.atomic_files import append, replace
from alice_exp.sharing.ports import Disclosure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


class FileShares:
    """Implements ``sharing.ports.Shares``; ``configured`` is ``sharing.name``, else a random name is generated once."""

    def __init__(self, directory: Path, configured: str, new_id: Callable[[str], str]) -> None:
        self._directory = directory
        self._configured = configured
        self._new_id = new_id

    def name(self) -> str:
        """The name bundles are sent under; see ``sharing.ports.Shares.name``."""
        if self._configured:
            return self._configured
        path = self._directory / "name"
        with contextlib.suppress(OSError):
            return path.read_text(encoding="utf-8").strip()
        fresh = self._new_id("alice").replace("-", "_")
        with self._writing():
            replace(path, f"{fresh}\n".encode(), durable=True)
        return fresh

    def record(self, disclosure: Disclosure) -> None:
        """Append one line and fsync, before anything leaves; see ``sharing.ports.Shares.record``."""
        row = {
            "at": disclosure.at,
            "to": disclosure.to,
            "way": disclosure.way,
            "sha256": disclosure.digest,
            "blocks": [{"id": block_id, "hash": digest} for block_id, digest in disclosure.blocks],
        }
        line = json.dumps(row, ensure_ascii=False) + "\n"
        with self._writing():
            append(self._directory / "shared.jsonl", line.encode("utf-8", "replace"))

    def log(self) -> tuple[Disclosure, ...]:
        """All entries, oldest first; malformed lines are skipped."""
        try:
            text = (self._directory / "shared.jsonl").read_text(encoding="utf-8", errors="replace")
        except OSError:
            return ()
        rows = []
        for line in text.splitlines():
            with contextlib.suppress(ValueError, KeyError, TypeError):
                row = json.loads(line)
                blocks = tuple((str(one["id"]), str(one["hash"])) for one in row["blocks"])
                rows.append(Disclosure(row["at"], row["to"], row["way"], row["sha256"], blocks))
        return tuple(rows)

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            yield
        except OSError as error:
            raise ProblemError(
                "nothing left: this cannot be written: {why}",
                why=(error.strerror or str(error)).lower(),
                path=str(error.filename or self._directory),
            ) from error
