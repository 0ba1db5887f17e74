"""The index of what was said, ``state/sessions.sqlite``, in step with the files, and the search in it (DESIGN 10).

A turn also has the words of the turns beside it in its session, for less: an answer seldom repeats the words of its
question. What a person said counts more than what an assistant said, unless the question asks for the latter.

A cache: where it cannot be used the sessions are read into memory. The next question takes in what was added, some
thousand turns a transaction, so that a process may end at any moment. A deleted session is taken out at once; where one
is gone or was written anew otherwise, all is made again, so that no word stays.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar

from alice_exp.finding.rules.concerns import NO_NOISE, SAMPLE, B, Noise, learn_noise
from alice_exp.finding.rules.parsed_query import Query
from alice_exp.finding.rules.scorer import Statistics, score
from alice_exp.finding.store.database import AMONG, Connection, Database, in_memory
from alice_exp.kernel.errors import AliceError
from alice_exp.kernel.text.data_files import LazyPattern
from alice_exp.kernel.text.named_dates import Span, asks_only_of_days, day_of
from alice_exp.kernel.text.tokens import STOP_WORDS, fold, thirds, tokens_many, words
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.values.records import ChatRecord, Signature, as_dict, message_of

R = TypeVar("R")

STRIDE = 1 << 20
"""By how much the numbers of two sessions' first turns differ: a session's turns stand one behind the other, and
the last of one and the first of the next do not."""

LOT, SEARCHED, READ = 2_000, 64 << 10, 20_000
"""How many turns are taken in by one transaction, how many characters of a message are searched, and how many postings
are read for the words of a question, the rarest first; more only of its rarest word."""

_SCHEMA = """
CREATE TABLE files (
    number INTEGER PRIMARY KEY, session TEXT NOT NULL UNIQUE, rows INTEGER NOT NULL,
    inode INTEGER NOT NULL, size INTEGER NOT NULL, time INTEGER NOT NULL
);
CREATE TABLE turns (
    id INTEGER PRIMARY KEY, role TEXT NOT NULL, speaker TEXT NOT NULL, at TEXT NOT NULL, length INTEGER NOT NULL,
    tokens TEXT NOT NULL, body TEXT NOT NULL
);
CREATE INDEX turns_at ON turns (at) WHERE at > '';
CREATE INDEX turns_by ON turns (speaker) WHERE speaker > '';
CREATE TABLE terms (term TEXT PRIMARY KEY, turns INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE measures (total INTEGER NOT NULL, length INTEGER NOT NULL, short REAL NOT NULL, long REAL NOT NULL);
INSERT INTO measures VALUES (0, 0, 0, 0);
CREATE VIRTUAL TABLE words USING fts5 (
    tokens, content = 'turns', content_rowid = 'id',
    tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* S* Co' tokenchars '#'"
)
"""


@dataclass(frozen=True, slots=True)
class Turn:
    """What ranking needs of a turn; ``length`` in thirds of a word, ``counts`` of the tokens that were asked for."""

    role: str
    speaker: str
    at: str
    length: int
    counts: Mapping[str, int]


class IndexedTurns:
    """The turns of a database by their numbers, as long as its transaction lasts."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def record(self, number: int) -> ChatRecord:
        """The message with a number."""
        query = "SELECT session, body FROM turns JOIN files ON number = id / ? WHERE id = ?"
        ((session, body),) = self._asked(query, STRIDE, number)
        row, index = json.loads(body), number % STRIDE
        return ChatRecord(session, message_of(row), row["key"], row["project"], index)

    def statistics(self, tokens: Collection[str]) -> Statistics:
        """The statistics of all turns, and how many hold each of some tokens."""
        ((total, length, short, long),) = self._asked("SELECT * FROM measures")
        noise = Noise(short, long) if short else NO_NOISE
        held = self._asked(f"SELECT term, turns FROM terms WHERE term IN {AMONG}", json.dumps([*tokens]))
        return Statistics(total, length / max(1, total), noise, dict.fromkeys(tokens, 0) | dict(held))

    def likely(self, holders: Mapping[str, int], days: Sequence[Span], most: int) -> set[int]:
        """The turns that may be the best by their words, of which so many turns hold each, and those of some days; at
        most ``most`` of each."""
        chosen, read = list[str](), 0
        for token, count in sorted(holders.items(), key=lambda one: (one[1], one[0])):
            if count and (not chosen or read + count <= READ):
                chosen.append('"' + token.replace('"', '""') + '"')
                read += count
        match = "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?"
        best = self._numbers(match, " OR ".join(chosen), most) if chosen else ()
        found = self._numbers(f"SELECT id FROM turns WHERE id IN {AMONG}", _beside(best))
        for day in days:
            # Of a day in any year, the latest years first.
            of, form = ("substr(at, 6, 5)", "%m-%d") if day.every_year else ("at", "%Y-%m-%d")
            first, after = f"{day.start:{form}}", f"{day.end:{form}}"
            within = f"{of} >= ? AND {of} < ?" if first < after else f"({of} >= ? OR {of} < ?)"
            query = f"SELECT id FROM turns WHERE at > '' AND {within} ORDER BY at DESC, id LIMIT ?"
            found |= self._numbers(query, first, after, most)
        return found

    def beside(self, numbers: Collection[int], tokens: Collection[str]) -> Mapping[int, Turn]:
        """These turns and those beside them, with the counts of some tokens."""
        query = f"SELECT id, role, speaker, at, length, tokens FROM turns WHERE id IN {AMONG}"
        spelt = [(token, f" {token} ") for token in tokens]
        return {
            number: Turn(
                role, speaker, at, length, {one: text.count(part) for one, part in spelt if part in text}
            )
            for number, role, speaker, at, length, text in self._asked(query, _beside(numbers))
        }

    def newest(self) -> str:
        """The latest time of a turn; "" if none is known."""
        ((at,),) = self._asked("SELECT max(at) FROM turns WHERE at > ''")
        return at or ""

    def named(self, question: str) -> set[str]:
        """Those who spoke and are named by a question."""
        asked, folded = set(words(question)), fold(question)
        return {
            name
            for (name,) in self._asked("SELECT DISTINCT speaker FROM turns WHERE speaker > ''")
            if not asked.isdisjoint(set(words(name)) - STOP_WORDS)
            or (not name.isascii() and len(name) > 1 and fold(name) in folded)
        }

    def _asked(self, query: str, *values: object) -> list[Any]:
        return self._connection.execute(query, values).fetchall()

    def _numbers(self, query: str, *values: object) -> set[int]:
        return {number for (number,) in self._asked(query, *values)}


class _Talk(Protocol):
    session: str
    rows: list[ChatRecord]


class _Chats(Protocol):
    def signatures(self) -> Mapping[str, Signature]: ...
    def talks(self) -> Sequence[_Talk]: ...
    def read(self, session: str) -> _Talk: ...


class TurnIndex:
    """The index of all sessions of a home, kept in step with their files."""

    def __init__(self, path: Path, chats: _Chats, warn: Callable[[AliceError], None]) -> None:
        self._database = Database(path, _SCHEMA, warn)
        self._chats = chats
        self._at_hand: tuple[Mapping[str, Signature], IndexedTurns] | None = None

    def ask(self, question: Callable[[IndexedTurns], R], among: Collection[str] | None = None) -> R:
        """The answer to a question about the turns as they are now: all, or those ``among`` some sessions alone. These,
        and all where the index cannot be used, are kept in memory until another choice or a change."""
        found = self._database.answered(lambda: question(self._current())) if among is None else None
        if found is not None:
            return found
        files = {name: at for name, at in self._chats.signatures().items() if among is None or name in among}
        if self._at_hand is None or self._at_hand[0] != files:
            talks = (one for one in self._chats.talks() if one.session in files)
            self._at_hand = files, turns_of((one.session, one.rows) for one in talks)
        return question(self._at_hand[1])

    def drop(self, session: str) -> None:
        """Take a deleted conversation out, so that no word of it stays in the file."""
        if self._database.exists() and not self._database.answered(lambda: self._dropped(session)):
            self._database.forget()

    def _dropped(self, session: str) -> bool:
        connection = self._database.begin(lambda _: True, lambda one: _take_out(one, session))
        connection.rollback()
        # What was deleted stands in free pages and in the log until both are written anew.
        connection.execute("VACUUM")
        [(busy, *_)] = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return not busy

    def _current(self) -> IndexedTurns:
        files = self._chats.signatures()
        while True:
            connection = self._database.begin()
            known = _signatures(connection)
            if known == files:
                return IndexedTurns(connection)
            connection.rollback()
            # Where every known session is in the same file, which was only added to, what is new is taken in.
            if all(
                name in files and files[name][0] == inode and files[name][1] >= size
                for name, (inode, size, _) in known.items()
            ):
                self._database.begin(
                    lambda one: _signatures(one) != files, lambda one: self._refresh(one, files)
                ).rollback()
            else:
                self._database.forget()

    def _refresh(self, connection: Connection, files: Mapping[str, Signature]) -> None:
        """Take in ``LOT`` turns of what is new; what is left stays behind, with a file of no size."""
        known = {row[1]: row for row in connection.execute("SELECT * FROM files")}
        left = LOT
        for session, (inode, *state) in files.items():
            number, _, rows, *old = known.get(session, (None, session, 0))
            if old == [inode, *state] or not left:
                continue
            records = self._chats.read(session).rows
            fresh = records[rows : rows + left]
            left -= len(fresh)
            rows += len(fresh)
            insert = "INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?)"
            told = number, session, rows, inode, *(state if rows == len(records) else (0, 0))
            _add(connection, int(connection.execute(insert, told).lastrowid or 0) * STRIDE, fresh)


def _beside(numbers: Iterable[int]) -> str:
    """Some turns and those that stand beside them, as one value; there need not be such."""
    return json.dumps([*{number + step for number in numbers for step in LENT}])


def turns_of(said: Iterable[tuple[str, Sequence[ChatRecord]]]) -> IndexedTurns:
    """The turns of some sessions, by their names, in memory."""
    connection = in_memory(_SCHEMA)
    for number, (session, records) in enumerate(said, start=1):
        connection.execute("INSERT INTO files VALUES (?, ?, 0, 0, 0, 0)", (number, session))
        _add(connection, number * STRIDE, records)
    return IndexedTurns(connection)


def _signatures(connection: Connection) -> dict[str, Signature]:
    rows = connection.execute("SELECT session, inode, size, time FROM files")
    return {name: (inode, size, time) for name, inode, size, time in rows}


def _take_out(connection: Connection, session: str) -> None:
    """Take out a session's turns, and merge the index of words, which keeps a deleted one's until then."""
    execute = connection.execute
    for (number,) in execute("SELECT number FROM files WHERE session = ?", (session,)).fetchall():
        its = f"id >= {number * STRIDE} AND id < {(number + 1) * STRIDE}"
        rows = execute(f"SELECT id, tokens, length FROM turns WHERE {its}").fetchall()
        execute(
            f"INSERT INTO words (words, rowid, tokens) SELECT 'delete', id, tokens FROM turns WHERE {its}"
        )
        _count(connection, [(text.split(), -length) for _, text, length in rows], -1)
        execute("DELETE FROM terms WHERE turns <= 0")
        execute(f"DELETE FROM turns WHERE {its}")
        execute("DELETE FROM files WHERE number = ?", (number,))
        execute("INSERT INTO words (words) VALUES ('optimize')")
        _measure_noise(connection)


def _count(connection: Connection, turns: Sequence[tuple[Sequence[str], int]], sign: int) -> None:
    """Count turns in (``sign`` 1) or out (-1) by their tokens and lengths."""
    terms = Counter(token for row, _ in turns for token in set(row))
    connection.executemany(
        "INSERT INTO terms VALUES (?, ?) ON CONFLICT (term) DO UPDATE SET turns = turns + excluded.turns",
        ((term, sign * count) for term, count in terms.items()),
    )
    more = sign * len(turns), sum(length for _, length in turns)
    connection.execute("UPDATE measures SET total = total + ?, length = length + ?", more)


def _add(connection: Connection, start: int, records: Sequence[ChatRecord]) -> None:
    """Take in some messages of a session whose turns are numbered from ``start``."""
    said = [one for one in records if one.message.content.strip() and one.message.role != "system"]
    # The speaker's name is searched, too: a question may say it.
    texts = ((one.message.content[:SEARCHED], one.message.speaker) for one in said)
    rows = tokens_many([text if text.startswith(name) else f"{name}: {text}" for text, name in texts])
    turns = [(row, sum(map(thirds, row))) for row in rows]
    told = []
    for one, (row, length) in zip(said, turns, strict=True):
        message, number, text = one.message, start + one.index, f" {' '.join(row)} "
        body = json.dumps({**as_dict(message), "key": one.name, "project": one.project}, ensure_ascii=False)
        told.append((number, message.role, message.speaker, message.at, length, text, body))
    connection.executemany("INSERT INTO turns VALUES (?, ?, ?, ?, ?, ?, ?)", told)
    words = ((row[0], row[5]) for row in told)
    connection.executemany("INSERT INTO words (rowid, tokens) VALUES (?, ?)", words)
    ((before, short),) = connection.execute("SELECT total, short FROM measures")
    _count(connection, turns, 1)
    if before < SAMPLE or not short:
        _measure_noise(connection)


def _measure_noise(connection: Connection) -> None:
    """Measure the noise anew, of the first turns."""
    sample = connection.execute("SELECT tokens FROM turns ORDER BY id LIMIT ?", (SAMPLE,))
    noise = learn_noise([text.split() for (text,) in sample])
    connection.execute("UPDATE measures SET short = ?, long = ?", (noise.short, noise.long))


LENT, LENDERS = {0: 1.0, -1: 0.5, 1: 0.5, -2: 0.25, 2: 0.25}, 0.2
"""What a word counts that stands so many turns away; one of a larger share of the turns counts nothing there."""

PERSON, DAY, SPEAKER = 1.5, 0.3, 0.3
"""What a person's turn counts beside an assistant's, what one gains on a day that the question names, as a share of the
best score, and by a speaker whom it names, as a share of its own."""

LIKELY, LOOKED_AT = 64, 10
"""The most turns that are scored for their words, and the most for their day; the best, of which one has to fit."""

_ASKS_ASSISTANT = LazyPattern(
    r"\byou(?:['’]ve| have| had)? (?:sa(?:y|id)|t(?:ell|old)|suggest|recommend|mention|propos|g[ai]ve|list|explain"
    r"|advis|wrote|write|provid|answer)|\byour (?:answer|suggestion|advice|reply|recommendation|explanation|list)"
    r"|\b(?:assistant|agent|ai|bot|chatbot)\b|助手|智能体|[你您]的(?:建议|回答|推荐|解释)"
    r"|[你您](?:之前|上次|当时|刚才|曾经?)?(?:都|是|有没有|怎么|还)?(?:说|讲|建议|推荐|提到|给|列|回答|解释|告诉)"
)
"""What asks for words of the assistant."""


@dataclass(frozen=True, slots=True)
class Found:
    """A matching message, its score (> 0; comparable within one search only), the match of its words in [0, 1], whether
    the question named its day (``by_day``) or who spoke (``by_speaker``), and whether it is an answer by itself."""

    record: ChatRecord
    score: float
    by_words: float
    by_day: bool
    by_speaker: bool
    fits: bool = True


def search(turns: IndexedTurns, question: str, now: str | None, top: int, gate: float = 0.0) -> list[Found]:
    """The best matching turns, best first; equal ones in their order.

    ``now`` is the reference for "yesterday"; None: the newest turn's time. A question that only names a day finds what
    was said that day. Empty where none of the best has words that fit with probability ``gate``, unless it was said on
    a day that the question names.
    """
    newest = turns.newest()
    now = newest if now is None or not newest else now
    query = Query.of(question, now)
    known = turns.statistics(query.tokens)
    chosen = turns.likely(known.holders, query.days, LIKELY)
    found = turns.beside(chosen, query.tokens)
    lengths = {number: turn.length for number, turn in found.items()}
    matches = score(query, known, _lent(found, chosen, known, LENT), lengths, {}).matches
    times = {number: found[number].at for number in chosen if found[number].at}
    on_day = {number for number, at in times.items() if any(span.covers(day_of(at)) for span in query.days)}
    named = turns.named(question)
    person = 1.0 if _ASKS_ASSISTANT.search(fold(question)) else PERSON
    scores = {
        number: matches.get(number, 0.0)
        * (person if found[number].role == "user" else 1.0)
        * (1 + SPEAKER * (found[number].speaker in named))
        for number in on_day.union(matches)
    }
    # 3月12号说了什么: 什么 and 说 are no words of a subject, so the day comes before all others.
    lift = (2.0 if asks_only_of_days(question) else DAY) * (max(scores.values(), default=0.0) or 1.0)
    for number in on_day:
        scores[number] += lift
    best = sorted(scores, key=lambda number: (-round(scores[number], 6), number))[: max(top, LOOKED_AT)]
    own = score(query, known, _lent(found, best, known, {0: 1.0}), lengths, {})
    fitting = on_day.union(number for number in best if own.probability(number) >= gate)
    if fitting.isdisjoint(best):
        return []
    return [
        Found(
            turns.record(number),
            round(scores[number], 6),
            round(matches.get(number, 0.0), 6),
            number in on_day,
            found[number].speaker in named,
            number in fitting,
        )
        for number in best[: max(0, top)]
    ]


def _lent(
    found: Mapping[int, Turn], chosen: Collection[int], known: Statistics, steps: Mapping[int, float]
) -> Mapping[str, Mapping[int, float]]:
    """How often each chosen turn has each token, with what the turns some ``steps`` away lend it: no common word."""
    held: defaultdict[str, dict[int, float]] = defaultdict(dict)
    common = {token for token, holders in known.holders.items() if holders > max(2.0, LENDERS * known.total)}
    damp = {number: 1 - B + B * turn.length / (known.average or 1.0) for number, turn in found.items()}
    for number in chosen:
        for step, share in steps.items():
            # A word of a long turn says as much less beside it as it does there.
            part = share * damp[number] / damp[number + step] if number + step in found else 0.0
            for token, count in found[number + step].counts.items() if part else ():
                if not step or token not in common or " " in token:
                    held[token][number] = held[token].get(number, 0.0) + part * count
    return held
