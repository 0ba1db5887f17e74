"""Reads mem0's own store: ``history.db`` (what became of each memory) and the points of its local Qdrant.

Qdrant keeps its points pickled. Unpickling may run code, so only the shell of a point is made, of a class of ours, and
anything else that a pickle asks for is refused.
"""

from __future__ import annotations

import io
import pickle
import sqlite3
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import quote

from alice_exp.kernel.errors import ProblemError
from alice_exp.kernel.jsonc import Json

_MAGIC = b"SQLite format 3\0"
_LINKS = "linked_memory_ids"
_NAMES = ("history.db", "storage.sqlite")
_BROKEN = (sqlite3.Error, pickle.UnpicklingError, EOFError, AttributeError, ValueError, TypeError)


def databases(source: Path) -> tuple[Path, ...]:
    """The SQLite files of a store: the file itself, or those below a folder; empty where there is none."""
    found = sorted(path for name in _NAMES for path in source.rglob(name)) if source.is_dir() else [source]
    return tuple(path for path in found if _is_database(path))


def memories(paths: tuple[Path, ...]) -> list[dict[str, Json]]:
    """What is remembered now, as ``{id, memory, created_at, user_id, role, …}``, oldest first.

    A point says more than the history does and stands in its place. Raises ``ProblemError`` with the path for a
    database that is not mem0's, or cannot be read.
    """
    held: dict[str, dict[str, Json]] = {}
    points: dict[str, dict[str, Json]] = {}
    for path in paths:
        try:
            with sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True) as database:
                tables = {
                    row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type='table'")
                }
                if "history" in tables:
                    _replay(database, held)
                elif "points" in tables:
                    points.update((str(one["id"]), one) for one in _points(database))
                else:
                    raise ProblemError("this is no store of mem0", path=str(path))
            database.close()
        except _BROKEN as error:
            why = str(error).lower()
            raise ProblemError("this store cannot be read: {why}", why=why, path=str(path)) from error
    return sorted((held | points).values(), key=lambda one: str(one.get("created_at") or ""))


def _is_database(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(_MAGIC)) == _MAGIC
    except OSError:
        return False


def _replay(database: sqlite3.Connection, held: dict[str, dict[str, Json]]) -> None:
    """What is left of each memory after all that was done to it, in the order in which it was done."""
    known = {row[1] for row in database.execute("PRAGMA table_info(history)")}
    role = "role" if "role" in known else "NULL"
    rows = database.execute(
        f"SELECT memory_id, new_memory, event, created_at, {role} FROM history ORDER BY rowid"
    )
    for memory, text, event, created_at, said_by in rows:
        if event == "DELETE" or not text:
            held.pop(memory, None)
        else:
            held[memory] = {"id": memory, "memory": text, "created_at": created_at, "role": said_by}


def _points(database: sqlite3.Connection) -> Iterator[dict[str, Json]]:
    for (blob,) in database.execute("SELECT point FROM points"):
        state = getattr(_Shells(io.BytesIO(blob)).load(), "state", None)
        fields = state.get("__dict__", state) if isinstance(state, Mapping) else {}
        payload = fields.get("payload")
        # Beside the memories lie points of mem0's own: the names in them, each with the memories that it links.
        if isinstance(payload, dict) and isinstance(payload.get("data"), str) and _LINKS not in payload:
            yield {**payload, "id": str(fields.get("id")), "memory": payload["data"]}


class _Shell:
    """A point, or a part of one, with its state as it was written."""

    state: object = None

    def __setstate__(self, state: object) -> None:
        self.state = state


class _Shells(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> type[_Shell]:
        if module.startswith("qdrant_client.") and name == "PointStruct":
            return _Shell
        raise pickle.UnpicklingError(f"a point asks for {module}.{name}")
