"""Memories of mem0: rows of its export or of its own store, as pieces that may become candidates."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping

from alice_exp.blocks.rules.memory_formats import MOST_TEXT, Piece
from alice_exp.kernel.errors import ProblemError
from alice_exp.kernel.jsonc.problem import Json
from alice_exp.kernel.text.times import iso_time
from alice_exp.model.values.block import About

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


def mem0_export(text: str, path: str) -> list[Mapping[str, Json]]:
    """The rows of a mem0 export: a list, an object with ``results`` or ``memories``, or one object a line.

    Raises ``ProblemError`` for a text that is not JSON.
    """
    return [row for _, row in _rows(text, path)]


def mem0_pieces(rows: Iterable[Mapping[str, Json]], today: str) -> tuple[Piece, ...]:
    """The memories in rows of a mem0 export or store, without what an agent said and what expired before ``today``."""
    found = (_memory(row, number, today) for number, row in enumerate(rows, start=1))
    return tuple(piece for piece in found if piece is not None)


def _memory(row: Mapping[str, Json], line: int, today: str) -> Piece | None:
    memory = next(
        (row[key] for key in ("memory", "text", "data", "content") if isinstance(row.get(key), str)), ""
    )
    if not isinstance(memory, str) or not memory.strip():
        return None
    # With infer=False mem0 keeps every message; the agent's own words are no memory of the person.
    if row.get("role") in ("assistant", "system", "tool") or _is_over(row.get("expiration_date"), today):
        return None
    tags = _tags(row)
    is_agents = row.get("agent_id") and not row.get("user_id")
    about: About = "work" if is_agents or row.get("attributed_to") == "assistant" else "user"
    return Piece(
        _whole(memory).strip()[:MOST_TEXT],
        type="preference" if any("preference" in tag for tag in tags) else "fact",
        about=about,
        tags=tags,
        name=_whole(str(row.get("id", ""))),
        at=_time(row.get("created_at")),
        line=line,
    )


def _whole(text: str) -> str:
    """The text with halves of characters, which JSON may spell and no file can contain, joined or replaced."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _tags(row: Mapping[str, Json]) -> tuple[str, ...]:
    own = row.get("metadata")
    named = [row.get("categories"), own.get("category") if isinstance(own, dict) else row.get("category")]
    listed = [one for each in named for one in (each if isinstance(each, list) else [each])]
    return tuple(dict.fromkeys(_whole(one) for one in listed if isinstance(one, str) and one))


def _is_over(date: Json, today: str) -> bool:
    return isinstance(date, str) and bool(_DATE.match(date)) and date[:10] < today


def _time(value: Json) -> str:
    try:
        return iso_time(value) if value else ""
    except ValueError:
        return ""


def _rows(text: str, path: str) -> Iterator[tuple[int, Mapping[str, Json]]]:
    try:
        value = json.loads(text)
    except RecursionError:
        raise ProblemError("this file is nested too deeply", path=path, line=1, column=1) from None
    except ValueError:
        yield from _lines(text, path)
        return
    if isinstance(value, dict):
        value = next(
            (value[key] for key in ("results", "memories") if isinstance(value.get(key), list)), [value]
        )
    rows = value if isinstance(value, list) else []
    yield from ((number, row) for number, row in enumerate(rows, start=1) if isinstance(row, dict))


def _lines(text: str, path: str) -> Iterator[tuple[int, Mapping[str, Json]]]:
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            column = error.colno if isinstance(error, json.JSONDecodeError) else 1
            raise ProblemError("this is not JSON", path=path, line=number, column=column) from None
        if isinstance(row, dict):
            yield number, row
