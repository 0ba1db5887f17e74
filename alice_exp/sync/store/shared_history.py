"""Finds what two histories have in common, also where one was written anew, and what either side purged (B2.29).

So it is with the ledger of decisions: which head of a remote counts, what both lead to, who signed it (DESIGN 6).

A purge writes every commit since the purged block anew (DESIGN 6), a person may rebase, and ``sync --over`` keeps what
the remote's acts led to without these. The best common ancestor that git knows lies before all of that, and each act
after it would count once for each side.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from alice_exp.kernel.errors import Hint, PeerError, RefusedError
from alice_exp.kernel.journal.act import Message
from alice_exp.kernel.journal.git_references import LEDGER
from alice_exp.kernel.journal.ledger_objects import LedgerObjects
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.formats.block_schema import ID
from alice_exp.model.rules.ledger import read_shard
from alice_exp.owner.rules import public_key
from alice_exp.sync.rules.merge_homes import Entries, LedgerHead, merge_ledgers, read_head, signing_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from alice_exp.home.file_home import Home
    from alice_exp.kernel.journal.git_process import Repository
    from alice_exp.model.values.block import Entry
    from alice_exp.sync.remotes import Remote
    from alice_exp.sync.store.incoming_history import Incoming


OVER = "Over"
"""Trailer of a sync that put one history over another: the newest act of the other one."""

_KEYS = ("%H", "%P", *(f"%(trailers:key=Alice-{key},valueonly,separator=%x20)" for key in ("Act", OVER)))
_FORMAT = f"--format={'%x00'.join((*_KEYS, '%at %ae %s'))}"


class _Commit(NamedTuple):
    """A commit, its parents, the act that another history's newest was when this one was put over it, and what it is
    under any name: its own act, or when it was made, by whom, and what it says."""

    name: str
    parents: tuple[str, ...]
    over: str
    what: str


def newest_act(repository: Repository, tip: str) -> str:
    """The id of the newest act in a history; empty if there is none."""
    found = _commits(repository, tip, ("-1", "--grep=^Alice-Act: "))
    return found[0].what if found else ""


def shared_past(repository: Repository, one: str, other: str) -> list[str]:
    """The best common ancestors of two commits, none of them an ancestor of another; none without a shared past.

    A commit that the other side has under another name, with all that it grew from, counts as common, and so does what
    the other side was put over.
    """
    bases = repository.run("merge-base", "--all", one, other, check=False).decode().split()
    beyond = [f"^{base}" for base in bases]
    theirs = _commits(repository, other, beyond)
    mine = _commits(repository, one, beyond) if theirs else []
    newest = [*_again(mine, {commit.what for commit in theirs}), *_under(mine, theirs), *_under(theirs, mine)]
    if not newest:
        return bases
    found = repository.run("merge-base", "--independent", *newest, *bases).decode().split()
    # One side may be all that the other has, too.
    return next(([side] for side in (one, other) if side in found), found)


def _again(mine: Sequence[_Commit], theirs: set[str]) -> list[str]:
    """The newest commits that the other side has under another name, with all that they grew from."""
    names = {commit.name for commit in mine}
    again: dict[str, bool] = {}
    for commit in mine:
        if commit.what in theirs and all(parent in again for parent in commit.parents if parent in names):
            again[commit.name] = True
            again.update((parent, False) for parent in commit.parents if parent in again)
    return [name for name, is_newest in again.items() if is_newest]


def _under(mine: Sequence[_Commit], theirs: Sequence[_Commit]) -> list[str]:
    """The commits that the other side was put over."""
    acts = {commit.over for commit in theirs} - {""}
    return [commit.name for commit in mine if commit.what in acts]


def _commits(repository: Repository, tip: str, options: Sequence[str]) -> list[_Commit]:
    """The commits of a history, parents before children."""
    output = repository.run("log", "--topo-order", "--reverse", _FORMAT, tip, *options, "--")
    rows = (line.split("\0") for line in output.decode("utf-8", "replace").splitlines())
    return [
        _Commit(name, tuple(parents.split()), over, act or other)
        for name, parents, act, over, other in (row for row in rows if len(row) == 5)
    ]


GONE = "Purged"
"""Trailer of a sync that put one history over another: an id that was purged in the other one."""


def purged(repository: Repository, *revisions: str) -> tuple[str, ...]:
    """The ids of blocks that were purged in some history, by its tombstones and those it took over (``GONE``)."""
    keys = ",".join(f"key={name}" for name in ("Alice-Block", f"Alice-{GONE}"))
    tombs = ("--grep=^Alice-Op: purge$", f"--grep=^Alice-{GONE}: ")
    output = repository.run("log", *tombs, f"--format=%(trailers:{keys},valueonly)", *revisions, "--")
    # Whatever else stands there was written by another program, and would become part of a pattern.
    return tuple(filter(ID.fullmatch, dict.fromkeys(output.decode("utf-8", "replace").split())))


def refuse_purged(repository: Repository, head: str, there: str, *, over: bool = False) -> None:
    """Raise ``RefusedError`` if what one side purged would come back with the other's history (B2.29).

    ``over``: the remote's history goes, so only what was purged there counts.
    """
    if not over and (block_id := _held(repository, purged(repository, head), there, f"^{head}")):
        raise RefusedError(
            "{id} was purged here, and the remote's history still holds it",
            id=block_id,
            hint="'alice-exp sync --over' puts this history in the place of the remote's and keeps its blocks",
        )
    # Also what both know as purged: a plain git pull joins a history with the tombstone and one with the block.
    if block_id := _held(repository, purged(repository, there), head, f"^{there}"):
        raise RefusedError(
            "{id} was purged on another machine and is still in the history here",
            id=block_id,
            hint=Hint("alice-exp purge {id}", id=block_id),
        )


def _held(repository: Repository, block_ids: Sequence[str], *revisions: str) -> str:
    """The first of the blocks that the commits hold; empty if none does."""
    # All at once first: a home may have many tombstones, and each look reads every version of every file.
    if not block_ids or not _holds(repository, f"({'|'.join(block_ids)})", *revisions):
        return ""
    return next((one for one in block_ids if _holds(repository, one, *revisions)), "")


def _holds(repository: Repository, named: str, *revisions: str) -> bool:
    pattern = rf"[\"']?id[\"']?[[:space:]]*:[[:space:]]*[\"']{named}"
    # ``-m``: what only a merge brought in counts as well.
    found = repository.run(
        "log", "-1", "-m", "--format=%H", "--pickaxe-regex", f"-S{pattern}", *revisions, "--"
    )
    return bool(found.strip())


@dataclass(frozen=True, slots=True)
class Joined:
    """What a remote's ledger and ours lead to: an existing ``commit`` (empty: none), or what ``SharedLedger.write`` has
    to put on top of ours; ``is_handed_on``: the remote's is to be moved there."""

    entries: Entries
    commit: str = ""
    before: int = 0
    changed: tuple[Entry, ...] = ()
    asked: tuple[str, ...] = ()
    merged: str = ""
    is_new: bool = False
    is_handed_on: bool = True


class SharedLedger:
    """The ledger of one home as its other machines see it; ``key`` gives this machine's private key."""

    def __init__(self, home: Home, key: Callable[[], bytes]) -> None:
        self._repository = home.repository
        self._standings = home.standings
        self._objects = home.standings.objects
        self._key = key

    def heard(self, incoming: Incoming, remote: Remote | None) -> tuple[str, int, str]:
        """The commit of a remote's ledger that counts here (empty: none), the highest number seen of its heads, and the
        key that signed a head that does not count (empty: it is counted, or nobody signed it).

        ``PeerError`` for a head that is older than one seen before, or wrongly signed.
        """
        if remote is None:
            return "", 0, ""
        number, machine, is_signed = _head(incoming.reader, incoming.ledger)
        if incoming.ledger and machine not in (*remote.machines, self._own()):
            return "", remote.head, machine if is_signed else ""
        if machine and not is_signed:
            raise PeerError("the decisions that {name} sends are not signed as they are", name=remote.name)
        # What was made anew has no past at all.
        if incoming.commit and number < remote.head:
            raise PeerError(
                "{name} sends your decisions as they were before: head {number}, and {head} was seen there",
                name=remote.name,
                number=number,
                head=remote.head,
                hint="if you put back a backup there: 'alice-exp sync remove', then add it again",
            )
        return incoming.ledger, max(number, remote.head), ""

    def joined(self, incoming: Incoming, remote: Remote | None, theirs: str, *, over: bool) -> Joined:
        """Merge a remote's ledger, as far as it counts (``theirs``), and ours; nothing is written. ``over``: nothing of
        the remote's history may become an ancestor of ours."""
        ours, reader = self._objects.head(), incoming.reader
        if not theirs or (ours and reader.contains(ours, theirs)):
            entries = self._entries(reader, ours)
            if remote is None or (incoming.ledger and not theirs):
                return Joined(entries, ours, is_handed_on=False)
            # Where nobody decided yet, an empty one makes this machine's key known there.
            number, machine, is_signed = _head(reader, ours)
            is_known = is_signed and machine in (*remote.machines, self._own())
            return Joined(entries, ours, number, is_new=not is_known)
        is_ahead = not over and (not ours or reader.contains(theirs, ours))
        # Each machine signs once, so that the others can be asked whether they know it.
        if is_ahead and reader.run("log", "-1", f"--grep=^Alice-Machine: {self._own()}$", theirs, "--"):
            return Joined(self._entries(reader, theirs), theirs)
        bases = reader.run("merge-base", "--all", ours, theirs, check=False).decode().split() if ours else []
        here, there = self._entries(reader, ours), self._entries(reader, theirs)
        entries, asked = merge_ledgers([self._entries(reader, one) for one in bases], here, there)
        changed = tuple(one for key, one in entries.items() if here.get(key) != one)
        number = max(_head(reader, one)[0] for one in (ours, theirs))
        return Joined(entries, ours, number, changed, asked, "" if over else theirs, is_new=True)

    def write(self, joined: Joined, message: Message) -> str:
        """The commit of the ledger from now on: written and signed if it is new; the reference stays as it is.

        ``message`` gives author and time; the caller holds the lock and took the remote's objects.
        """
        if not joined.is_new:
            return joined.commit
        shards = self._standings.shards_with(joined.changed)
        number = joined.before + 1
        text = f"sync: {len(joined.changed)} decided\n\nAlice-Number: {number}\n"
        plain = self._objects.composed(Message(message.author, message.when, text), shards, joined.merged)
        parents = [one for one in (joined.commit, joined.merged) if one]
        rows = signing_rows(self._key(), plain.body[5:45].decode(), parents, number)
        made = self._objects.composed(
            Message(message.author, message.when, text + rows), shards, joined.merged
        )
        self._repository.write_ledger(made, moves=False)
        return made.oid

    def point(self, commit: str) -> None:
        """Set the reference to a commit that ``write`` gave; the caller holds the lock."""
        if commit != (ours := self._objects.head()):
            self._repository.point([(LEDGER, commit, ours)])

    def number(self, commit: str) -> int:
        """The number of a head; 0 for none."""
        return _head(self._repository, commit)[0]

    def _own(self) -> str:
        return public_key(self._key()).hex()

    def _entries(self, reader: Repository, commit: str) -> Entries:
        objects = LedgerObjects(reader, Path(os.devnull))  # a copy is of one's own ledger alone
        try:
            shards = objects.shards(objects.tree(commit), commit) if commit else {}
            return {key: one for data in shards.values() for key, one in read_shard(data).items()}
        except (ValueError, TypeError, IndexError) as error:
            raise PeerError("a ledger of decisions holds what is no decision") from error


def _head(repository: Repository, commit: str) -> LedgerHead:
    if not commit:
        return 0, "", False
    ((named, message),) = repository.told("%T %P%n%B", "-1", commit)
    tree, *parents = named.split()
    return read_head(message, tree, parents)
