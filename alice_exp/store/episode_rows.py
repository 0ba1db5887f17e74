"""What the episodes' index keeps, row by row, and how it is brought in step: see ``store.episode_search``."""

from __future__ import annotations

import json
from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING

from alice_exp.core.collection import Posting
from alice_exp.rules.episode_index import Traits, entries_of, grouped, with_places
from alice_exp.rules.episode_words import Counted, learned_from, text_of, tokens_of
from alice_exp.rules.matching import posting_of
from alice_exp.store.index import hash_of, is_certain
from alice_exp.store.indexed import posting_data, posting_from
from alice_exp.text.words import keywords, tokens_many

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from alice_exp.core.problem import Json
    from alice_exp.core.records import Episode
    from alice_exp.store.files import Signature
    from alice_exp.store.index import Connection

SCHEMA = """
CREATE TABLE parts (name TEXT PRIMARY KEY, data BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE episodes (place INTEGER PRIMARY KEY, body TEXT NOT NULL, said TEXT NOT NULL);
CREATE TABLE keywords (token TEXT PRIMARY KEY, data BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE tokens (token TEXT PRIMARY KEY, data BLOB NOT NULL) WITHOUT ROWID
"""

"""The tables: columns and what was learned, the episodes, and where keywords and tokens stand."""

ID = 11
"""Characters of an episode's id."""

KINDS = {
    "times": "q",
    "rewards": "d",
    "successes": "b",
    "types": "I",
    "sizes": "I",
    "groups": "I",
    "lengths": "I",
}
"""The columns, a number an episode, by the type code of ``array``."""

Rows = Sequence[tuple[str, "Episode"]]
"""Each episode with the text that it stands in its file as."""


def write(connection: Connection, rows: Rows) -> None:
    """Bring the rows in step: those that were added where nothing else changed, else all."""
    texts = [text for text, _ in rows]
    first = len(part(connection, "ids")) // ID
    if not first or part(connection, "texts") != _mark(texts[:first]):
        for table in ("parts", "episodes", "keywords", "tokens"):
            connection.execute(f"DELETE FROM {table}")
        first = 0
    added = [episode for _, episode in rows[first:]]
    said = [text_of(episode) for episode in added]
    connection.executemany(
        "INSERT INTO episodes VALUES (?, ?, ?)",
        zip(range(first, len(rows)), texts[first:], said, strict=True),
    )
    words = [keywords(episode.task) for episode in added]
    _add_places(connection, words, first)
    put(connection, {"texts": _mark(texts), **_columns(connection, added, words)})
    if first and is_counted(connection):
        _count_more(connection, said, first)


def _columns(
    connection: Connection, added: Sequence[Episode], words: Sequence[frozenset[str]]
) -> dict[str, bytes]:
    """The columns with what was added."""
    names: list[str] = json.loads(part(connection, "names") or b"[]")
    numbers = {name: number for number, name in enumerate(names)}
    types = [numbers.setdefault(episode.task_type, len(numbers)) for episode in added]
    contexts: list[Mapping[str, Json]] = json.loads(part(connection, "contexts") or b"[]")
    known = [Traits(frozenset(), entries_of(one), frozenset(one)) for one in contexts]
    groups = grouped((episode.context for episode in added), known)
    for episode, group in zip(added, groups, strict=True):
        if group == len(contexts):
            contexts.append(episode.context)
    fresh: dict[str, Sequence[float]] = {
        "times": [episode.timestamp for episode in added],
        "rewards": [episode.reward for episode in added],
        "successes": [episode.success for episode in added],
        "types": types,
        "sizes": list(map(len, words)),
        "groups": groups,
    }
    columns = {
        name: part(connection, name) + array(KINDS[name], values).tobytes() for name, values in fresh.items()
    }
    ids = part(connection, "ids") + "".join(episode.id for episode in added).encode()
    return columns | {"ids": ids, "names": _json(list(numbers)), "contexts": _json(contexts)}


def _add_places(connection: Connection, words: Sequence[frozenset[str]], first: int) -> None:
    fresh = with_places({}, words, first)
    held = rows_of(connection, "keywords", fresh.keys()) if first else {}
    grown = ((word, held.get(word, b"") + array("I", places).tobytes()) for word, places in fresh.items())
    connection.executemany("INSERT OR REPLACE INTO keywords VALUES (?, ?)", sorted(grown))


def count(connection: Connection) -> None:
    """Count the words of all that was said."""
    said = [text for (text,) in connection.execute("SELECT said FROM episodes ORDER BY place")]
    counted = Counted.of(said)
    rows = ((token, posting_data(posting_of(places))) for token, places in counted.places.items())
    connection.execute("DELETE FROM tokens")
    connection.executemany("INSERT INTO tokens VALUES (?, ?)", sorted(rows))
    learned = [counted.near, counted.noise.short, counted.noise.long]
    put(connection, {"lengths": counted.lengths.tobytes(), "learned": _json(learned)})


def _count_more(connection: Connection, said: Sequence[str], first: int) -> None:
    """Count what was added; where it teaches anything new, all is counted again at the next search that asks."""
    if learned_from(first) != learned_from(first + len(said)):
        connection.execute("DELETE FROM parts WHERE name IN ('lengths', 'learned')")
        return
    rows = tokens_many(said)
    fresh = with_places({}, map(tokens_of, rows), first)
    held = rows_of(connection, "tokens", fresh.keys())
    grown = []
    for token, places in fresh.items():
        more = posting_of(places)
        was = posting_from(held.get(token, b""))
        both = Posting([*was.indexes, *more.indexes], bytes(was.counts) + bytes(more.counts))
        grown.append((token, posting_data(both)))
    connection.executemany("INSERT OR REPLACE INTO tokens VALUES (?, ?)", sorted(grown))
    lengths = part(connection, "lengths") + array("I", map(len, rows)).tobytes()
    put(connection, {"lengths": lengths})


def part(connection: Connection, name: str) -> bytes:
    """One part; empty where it was never written."""
    row = connection.execute("SELECT data FROM parts WHERE name = ?", (name,)).fetchone()
    return bytes(row[0]) if row else b""


def put(connection: Connection, parts: Mapping[str, bytes]) -> None:
    """Write some parts."""
    connection.executemany("INSERT OR REPLACE INTO parts VALUES (?, ?)", parts.items())


_AT_ONCE = 500
"""Values of one query: older versions of the database take no more than 999."""


def rows_of(connection: Connection, table: str, tokens: Iterable[str]) -> dict[str, bytes]:
    """The rows of some tokens in ``keywords`` or ``tokens``."""
    asked = sorted(tokens)
    found: dict[str, bytes] = {}
    for start in range(0, len(asked), _AT_ONCE):
        some = asked[start : start + _AT_ONCE]
        query = f"SELECT token, data FROM {table} WHERE token IN ({','.join('?' * len(some))})"
        found.update(connection.execute(query, some).fetchall())
    return found


def is_in_step(connection: Connection, signature: Signature) -> bool:
    """Whether the rows are certainly those of the file as it is."""
    stored, _, taken = part(connection, "signature").decode().partition(" ")
    return bool(stored) and is_certain(signature, stored, int(taken))


def is_counted(connection: Connection) -> bool:
    """Whether the words of what was said are counted."""
    return bool(part(connection, "learned"))


def _mark(texts: Sequence[str]) -> bytes:
    return hash_of("\0".join(texts).encode("utf-8", "surrogatepass"))


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=True).encode()
