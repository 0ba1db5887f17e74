"""One ledger of the person's machines: which head of a remote counts, what both lead to, who signed it (DESIGN 6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alice_exp.kernel.errors import PeerError
from alice_exp.kernel.journal.act import Message
from alice_exp.kernel.journal.git_references import LEDGER
from alice_exp.kernel.journal.ledger_objects import LedgerObjects
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.rules.ledger import read_shard
from alice_exp.owner.rules.ssh_signature import public_key
from alice_exp.sync.rules.merge_homes import Entries, LedgerHead, merge_ledgers, read_head, signing_rows

if TYPE_CHECKING:
    from collections.abc import Callable

    from alice_exp.home.file_home import Home
    from alice_exp.kernel.journal.git_process import Repository
    from alice_exp.model.values.block import Entry
    from alice_exp.sync.remotes import Remote
    from alice_exp.sync.store.incoming_history import Incoming


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
        objects = LedgerObjects(reader, reader.git_dir / "ledger")
        try:
            shards = objects.shards(objects.names(commit), commit) if commit else {}
            return {key: one for data in shards.values() for key, one in read_shard(data).items()}
        except (ValueError, TypeError, IndexError) as error:
            raise PeerError("a ledger of decisions holds what is no decision") from error


def _head(repository: Repository, commit: str) -> LedgerHead:
    if not commit:
        return 0, "", False
    told = repository.run("log", "-1", "--format=%T%x00%P%x00%B", commit, "--").decode("utf-8", "replace")
    tree, parents, message = told.split("\0", 2)
    return read_head(message, tree, parents.split())
