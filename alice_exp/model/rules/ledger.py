"""The rules of the ledger: which entry an act writes, which copy counts, and how rows and shards are written.

A block is trusted if and only if the newest entry of its id stands at ``trusted`` and binds what the file says; of
several copies the one at the entry's path counts (``block.is_approved``, DESIGN 6).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any, Final
from zlib import crc32

from alice_exp.kernel.journal.act import Act, Commit
from alice_exp.kernel.jsonc import Json
from alice_exp.kernel.value_class import sha256
from alice_exp.model.values.block import (
    ASKED,
    BOUND,
    MARKS,
    NONE,
    STANDINGS,
    Block,
    Entry,
    Placed,
    Standing,
    content_hash,
    is_approved,
)
from alice_exp.model.values.snapshot import Put

_BEGINNING = re.compile(rb'\n\["([^"\\]+)","([a-z]+)",')
SHARDS = 256
"""The most blobs of a ledger; an act writes those that hold its blocks, and one tree."""


def shard_of(name: str) -> str:
    """The shard that holds an id (or a fingerprint): two hex digits, of a checksum, since most ids begin alike."""
    return f"{crc32(name.encode('utf-8', 'surrogatepass')) % SHARDS:02x}"


def row(entry: Entry) -> str:
    """An entry as one line of a shard: a JSON array of the fields in their order."""
    fields = [getattr(entry, name) for name in Entry.__match_args__]
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":"))


def entry_of(line: str | bytes) -> Entry:
    """The entry of a line; ``ValueError`` for what ``row`` did not write."""
    return entry_from(json.loads(line))


def entry_from(values: Json) -> Entry:
    """The entry of a row that was read as JSON; ``ValueError`` as ``entry_of``."""
    if not isinstance(values, list) or len(values) != len(Entry.__match_args__) or values[1] not in STANDINGS:
        raise ValueError("no entry of a ledger")
    fields: list[Any] = values
    fields[7], fields[8] = tuple(fields[7]), tuple(fields[8])
    return Entry(*fields)


def digest(entry: Entry) -> str:
    """The first 16 hex digits of the SHA-256 of an entry's row, by which its successor names it."""
    return sha256(row(entry).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def found(shard: bytes, block_id: str) -> Entry | None:
    """The entry of one id in a shard, reading no other."""
    start = shard.find(b"\n[" + _quoted(block_id) + b",")
    if start < 0:
        return None
    return entry_of(shard[start + 1 : shard.index(b"\n", start + 1)])


def read_shard(shard: bytes) -> dict[str, Entry]:
    """Every entry of a shard, by id; ``ValueError`` as ``entry_of``."""
    return {entry.id: entry for entry in map(entry_of, filter(None, shard.split(b"\n")))}


def with_entries(shard: bytes, entries: Iterable[Entry]) -> bytes:
    """The shard with newer entries in the place of those of the same ids, in the order of the ids."""
    rows = {line[1 : line.index(b",")]: line for line in filter(None, shard.split(b"\n"))}
    rows |= {_quoted(one.id): row(one).encode("utf-8", "surrogatepass") for one in entries}
    return b"\n" + b"".join(rows[key] + b"\n" for key in sorted(rows))


def asked_in(shard: bytes) -> list[str]:
    """The ids of a shard that two machines decided otherwise, until the person decides again."""
    mark = _quoted(ASKED)
    rows = (entry_of(line) for line in shard.split(b"\n") if mark in line)
    return [entry.id for entry in rows if entry.channel == ASKED]


_AGAIN: Final = {
    "trusted": "'alice-exp keep {id}'",
    "waiting": "'alice-exp approve {id}'",
    "rejected": "'alice-exp reject {id}' / 'alice-exp revive {id} --from-rejected'",
    "retired": "'alice-exp retire {id} --reason …' / 'alice-exp revive {id}'",
}


def deciding_again(entry: Entry) -> str:
    """The commands by which a person ends that two machines decided otherwise: what stands holds / or not."""
    return _AGAIN.get(entry.standing, "").format(id=entry.id)


def standings_in(shard: bytes) -> Iterator[tuple[str, Standing]]:
    """Each id of a shard but for fingerprints, with its standing, much sooner than by reading the entries."""
    for name, standing in _BEGINNING.findall(shard):
        if name[:1].decode("latin-1") not in MARKS:
            yield name.decode("utf-8", "surrogatepass"), standing.decode()


def agree(one: Entry, other: Entry) -> bool:
    """Whether two entries say the same of a block, whoever decided it when."""
    return all(getattr(one, name) == getattr(other, name) for name in Entry.__match_args__[:9])


def may_follow(one: Entry, other: Entry) -> bool:
    """Whether an entry says another thing of a block and may be newer: by what the later one replaced, else by
    time."""
    if other.standing == "forgotten" or agree(one, other) or other.replaced == digest(one):
        return False
    return one.at >= other.at


def without(shard: bytes, block_id: str, *, guesses: bool = False) -> bytes:
    """The shard without all that it says of an id; ``guesses``: without the fingerprints of its text alone that anybody
    could try texts against."""
    said = b'","rejected",' + _quoted(block_id) + b"," if guesses else _quoted(block_id)
    begins = b'["~' if guesses else b""
    kept = (one for one in shard.split(b"\n") if one and not (one.startswith(begins) and said in one))
    return b"\n" + b"".join(line + b"\n" for line in kept)


def _quoted(name: str) -> bytes:
    return json.dumps(name, ensure_ascii=False).encode("utf-8", "surrogatepass")


def with_entry(block: Block, entry: Entry) -> Block:
    """The block with the entry that holds for it."""
    if block.entry is None:
        # Nobody was handed this value yet, and 10,000 copies would be a tenth of a second.
        object.__setattr__(block, "entry", entry)
        return block
    return block if block.entry == entry else replace(block, entry=entry)


def bound(standing: Standing, block: Block, path: str) -> Entry:
    """An entry that binds a block as it stands at a path, without what the act adds."""
    return Entry(
        block.id, standing, content_hash(block), path, **{name: getattr(block, name) for name in BOUND}
    )


def keeper(entry: Entry, last: str, paths: Iterable[str]) -> str:
    """Which of several files with copies of a block counts: the entry's, else that of the ``last`` commit, else the
    first."""
    there = sorted(paths)
    return next((path for path in (entry.path, last) if path in there), there[0])


def is_same(one: Placed, other: Placed) -> bool:
    """Whether two versions of a block agree in everything that an entry binds, and in their file."""
    return one.path == other.path and _bound(one.block) == _bound(other.block)


_bound = attrgetter("payload", "trigger", "type", "about", *BOUND)


def decided(act: Act, was: Placed | None, put: Put, entry: Entry) -> Entry | None:
    """The entry that an act writes of a block that it puts somewhere; None: what holds goes on to hold.

    ``was`` is the block before the act (None: new), ``entry`` the newest of its id (``NONE``: none).
    """
    now = Placed(put.block, put.path)
    if now.place == "archive":
        reason = now.block.archived.reason if now.block.archived is not None else ""
        return _put_away("rejected" if reason == "rejected" else "retired", act, was, now, entry)
    if now.place == "low_value":
        return replace(NONE, id=now.block.id) if entry.standing != "waiting" else None
    # What was trusted when it was retired, and says the same.
    was_trusted = entry.standing == "retired" and entry.content == content_hash(now.block)
    is_back = act.op == "revive" and was_trusted
    if act.actor.is_person and (put.decided or is_back):
        return bound("trusted", now.block, now.path)
    # Looked at first: a fold of reads puts thousands of blocks.
    if was is None or is_same(was, now) or not is_approved(was):
        return None
    # What a person wrote into universal anew waits, as what is new there does.
    is_new = content_hash(was.block) != content_hash(now.block)
    is_kept = act.actor.is_person and not (act.op == "edit" and is_new)
    return bound("trusted" if is_kept else "waiting", now.block, now.path)


def after(act: Act, was: Placed | None, put: Put) -> Placed:
    """A block as the act leaves it, with the entry that holds for it then."""
    known = was.block.entry if was is not None else None
    return Placed(replace(put.block, entry=decided(act, was, put, known or NONE) or known), put.path)


def _put_away(standing: Standing, act: Act, was: Placed | None, now: Placed, entry: Entry) -> Entry | None:
    holds = entry.standing == standing and entry.channel != ASKED
    if holds or not (act.actor.is_person or entry.standing == "trusted"):
        return None
    if was is not None and is_approved(was):
        return bound(standing, was.block, was.path)
    return Entry(now.block.id, standing)


def undone(entry: Entry, back: Entry) -> Entry | None:
    """The entry that an undo writes: what held before the act, whatever that is; None if that is what holds."""
    same = all(getattr(entry, name) == getattr(back, name) for name in ("standing", "content", "path", "at"))
    return None if same or entry.standing == "forgotten" else back


def completed(entry: Entry, act: Commit, channel: str, old: Entry) -> Entry:
    """An entry with the act that wrote it, its time where it has none, and the digest of the one that it replaces."""
    before, at = digest(old) if old.id else "", entry.at or act.at
    return replace(entry, op=act.op, act=act.act_id, by=act.actor, channel=channel, at=at, replaced=before)


def raises(entry: Entry, old: Entry) -> bool:
    """Whether an entry says more than another, so that an owner key has to sign it: it trusts what that does not trust
    or lets it leave, or takes back that a person put it away."""
    if entry.standing != "trusted":
        return old.standing in ("rejected", "forgotten") and entry.standing not in ("rejected", "forgotten")
    names = ("standing", "content", "path", "project", "importance", "replaces", "both")
    is_same = all(getattr(entry, name) == getattr(old, name) for name in names)
    return not is_same or (entry.shareable and not old.shareable)


def signed_for(entry: Entry, signed: Sequence[Entry]) -> Entry:
    """What holds of an id in a home with an owner key: its newest entry, unless that says more than each of those that
    the key signed last (``NONE``: it signed none); then the lowest of these."""
    if any(not raises(entry, one) for one in signed or (NONE,)):
        return entry
    lowest = min(signed or (NONE,), key=lambda one: one.standing == "trusted")
    # What the key never saw waits as what it was, so that the person can sign it.
    return lowest if lowest.id else replace(entry, standing="waiting")
