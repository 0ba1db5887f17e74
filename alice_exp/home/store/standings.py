"""The ledger of a home: what holds of each block by the newest decision on it, and the entries that acts write.

The only place where a block that leaves the home gets its entry (``mark``), and where an act's change set becomes
entries (``entries``). The rules are those of ``model.rules.ledger``, the objects those of ``ledger_objects``.
"""

from __future__ import annotations

import contextlib
import os
from dataclasses import replace
from typing import TYPE_CHECKING

from alice_exp.home.ports import OwnedHeads, Unsigned
from alice_exp.kernel.errors import ProblemError
from alice_exp.kernel.journal.act import Act, Commit, LedgerCommit, Message
from alice_exp.kernel.journal.atomic_files import create, read_bytes
from alice_exp.kernel.journal.git_process import Repository
from alice_exp.kernel.journal.ledger_objects import OWNER, LedgerObjects, row_of, text_of
from alice_exp.kernel.jsonc import Problem
from alice_exp.model.formats.block_schema import read_blocks
from alice_exp.model.rules import ledger
from alice_exp.model.values.block import KEYED, MARKS, NONE, PUT_AWAY, Entry, Placed, holds_blocks, place_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from alice_exp.home.ports import SignerOf
    from alice_exp.kernel.journal.transaction import FileChange
    from alice_exp.model.values.block import Block, Standing
    from alice_exp.model.values.config import Config
    from alice_exp.model.values.snapshot import ChangeSet


class Standings:
    """The ledger of the home at ``root``. Reading needs no lock; who writes holds the writer lock."""

    def __init__(self, repository: Repository, root: Path, signer: SignerOf = lambda: None) -> None:
        self.objects = LedgerObjects(repository, root / "state" / "ledger")
        self._repository = repository
        self.owner = OwnedHeads(self.objects, signer)
        self._secret = root / "state" / "rejected.key"
        self.head = ""
        """The commit of the ledger that was read last; empty: none."""
        self.moved = ("", "")
        """The ``state`` before and after the last act of this process."""
        self.decided: tuple[str, ...] = ()
        """The ids on which that act decided."""
        self._made: tuple[LedgerCommit, tuple[str, ...]] | None = None
        self._shards: dict[str, bytes] = {}
        self._marked: dict[str, tuple[str, Sequence[Block], tuple[Block, ...]]] = {}
        self._entries: dict[str, Entry] = {}
        self._lost: bool | None = None

    def follow(self) -> None:
        """Read what the reference leads to now; entries that were looked up before may be older."""
        head = self.objects.head()
        if self.owner.follow(head) or head != self.head:
            self.head, self._shards, self._entries, self._lost = head, {}, {}, None
        if not self.head and self.objects.has_copy():
            self.objects.set_aside()

    @property
    def state(self) -> str:
        """By what the entries hold: the ledger's commit, the owner key if there is one, and copies set aside."""
        return " ".join(filter(None, (self.head, self.owner.key, "lost" if self._has_lost() else "")))

    @property
    def is_signed(self) -> bool:
        """Whether the home has an owner key, so that only what it signed raises a standing."""
        return bool(self.owner.key)

    def entry(self, block_id: str) -> Entry:
        """The newest entry of an id; ``NONE`` if nobody decided. ``ProblemError`` if the ledger cannot be read."""
        known = self._entries.get(block_id)
        if known is None:
            name = ledger.shard_of(block_id)
            if name not in self._shards:
                self._shards[name] = self.objects.shards((name,), self.head).get(name, b"")
            known = ledger.found(self._shards[name], block_id) or NONE
            if self.is_signed and known.id:
                known = ledger.signed_for(known, self.owner.entries(block_id))
            # Of a copy only what lowers a block is believed: what a person took back stays so, whoever reset git.
            for shard in self.objects.copies(name) if self._has_lost() else ():
                copied = ledger.found(shard, block_id)
                if copied is not None and copied.standing in PUT_AWAY and ledger.may_follow(copied, known):
                    known = copied
            self._entries[block_id] = known
        return known

    def standings(self) -> Iterator[tuple[str, Standing]]:
        """See ``snapshot.Decisions``."""
        for shard in self._all().values():
            yield from ledger.standings_in(shard)

    def asked(self) -> tuple[str, ...]:
        """See ``snapshot.Decisions``."""
        return tuple(
            sorted(block_id for shard in self._all().values() for block_id in ledger.asked_in(shard))
        )

    def _all(self) -> dict[str, bytes]:
        return self.objects.shards(self.objects.tree(self.head), self.head)

    def _every(self) -> list[Entry]:
        return [one for data in self._all().values() for one in ledger.read_shard(data).values()]

    def copied(self) -> list[Entry]:
        """See ``snapshot.Decisions``."""
        newest: dict[str, Entry] = {}
        own = self._all() if self._has_lost() else {}
        for shard in self.objects.copies():
            with contextlib.suppress(ValueError, TypeError, IndexError):
                for one in ledger.read_shard(shard).values():
                    held = ledger.found(own.get(ledger.shard_of(one.id), b""), one.id) or NONE
                    if ledger.may_follow(one, newest.get(one.id, NONE)) and ledger.may_follow(one, held):
                        newest[one.id] = one
        return [one for one in newest.values() if one.standing in ("trusted", "rejected", "retired")]

    def let_go(self) -> None:
        """See ``snapshot.Decisions``."""
        import shutil

        shutil.rmtree(self.objects.lost, ignore_errors=True)
        self._lost = None

    def _has_lost(self) -> bool:
        if self._lost is None:
            self._lost = self.objects.lost.exists()
        return self._lost

    def rejection(self, text: str) -> Entry | None:
        """See ``snapshot.Decisions``. What was purged stays rejected as far as nobody can guess it."""
        # Loaded where something is compared with what was rejected.
        from alice_exp.model.rules.identity import fingerprints

        key = self._key()
        try:
            for mark in (*fingerprints(text), *(fingerprints(text, key) if key else ())):
                row = self.entry(mark)
                held = self.entry(row.content).standing if row.standing == "rejected" else "waiting"
                if held == "rejected" or (held == "forgotten" and mark[0] == KEYED):
                    return replace(row, id=row.content)
        except ProblemError:
            # As ``mark``: ``problems`` says so.
            return None
        return None

    def mark(self, block: Block) -> Block:
        """The block with the entry that holds for it."""
        try:
            entry = self.entry(block.id)
        except ProblemError:
            # Fails closed: what cannot be looked up is trusted by nobody, and ``problems`` says so.
            entry = NONE
        return ledger.with_entry(block, entry)

    def marked(self, path: str, blocks: Sequence[Block]) -> tuple[Block, ...]:
        """A file's blocks with their entries; the same values as last time if neither they nor the ledger changed."""
        known = self._marked.get(path)
        if known is None or known[0] != self.state or known[1] is not blocks:
            known = self._marked[path] = (self.state, blocks, tuple(map(self.mark, blocks)))
        return known[2]

    def problems(self, config: Config) -> tuple[Problem, ...]:
        """What is wrong with the ledger, so that nothing counts as trusted, and with its owner key."""
        keyed = self.owner.problems(config)
        try:
            self.objects.tree(self.head)
        except ProblemError as error:
            return (Problem.told(error, ".git"), *keyed)
        return keyed

    def entries(self, changes: ChangeSet, find: Callable[[str], Placed | None]) -> tuple[Entry, ...]:
        """The entries that a change set writes; ``find`` gives the blocks before the act."""
        act = changes.act
        if act.op == "undo":
            return self._undone(act)
        made = [
            ledger.decided(act, find(put.block.id), put, self.entry(put.block.id)) for put in changes.puts
        ]
        # What an act takes out of the files, though it was trusted there, waits.
        gone = (one for one in changes.removes if self.entry(one).standing == "trusted")
        made += [Entry(one, "waiting") for one in gone]
        rejected = {one.id for one in made if one is not None and one.standing == "rejected"}
        made += changes.decided
        marks = (m for put in changes.puts if put.block.id in rejected for m in self.rejecting(put.block))
        return (*(one for one in made if one is not None), *marks)

    def rejecting(self, block: Block) -> Iterator[Entry]:
        """The entries by which a rejected text is known again when no file holds it."""
        from alice_exp.model.rules.identity import fingerprints, inference
        from alice_exp.model.rules.private_facts import delicate

        key = self._key(is_made=True) if delicate(block) else b""
        for mark in fingerprints(inference(block.payload), key):
            yield Entry(mark, "rejected", block.id)

    def _key(self, *, is_made: bool = False) -> bytes:
        """The secret of this machine by which fingerprints of secrets are hashed; empty if there is none."""
        if is_made and not self._secret.exists():
            with contextlib.suppress(FileExistsError):
                create(self._secret, os.urandom(32))
        with contextlib.suppress(OSError):
            return read_bytes(self._secret)[0]
        return b""

    def _undone(self, act: Act) -> tuple[Entry, ...]:
        """What held before the acts that are taken back, of the blocks that still stand as these left them."""
        acts = [value for name, value in act.trailers if name in ("Undoes", "Undoes-In-Part")]
        # What an undo wrote is what an older act had left.
        decided = [now for now in map(self.entry, act.blocks) if now.act in acts or now.op == "undo"]
        back = {now.id: now for now in decided}
        for commit, before in self._steps(acts) if decided else ():
            left, was = self._held(back, commit), self._held(back, before)
            for i, now in back.items():
                if left[i] != was[i] and (now.act == left[i].act or ledger.agree(now, left[i])):
                    back[i] = was[i]
        # Of an act that no step tells of, as after a purge, nothing is known that held before it.
        gone = {
            now.id: replace(NONE, id=now.id) for now in decided if now.act in acts and back[now.id] is now
        }
        made = (ledger.undone(now, (back | gone)[now.id]) for now in decided)
        return tuple(one for one in made if one is not None)

    def _held(self, ids: Collection[str], commit: str) -> dict[str, Entry]:
        shards = self.objects.shards({*map(ledger.shard_of, ids)}, commit) if commit else {}
        return {i: ledger.found(shards.get(ledger.shard_of(i), b""), i) or replace(NONE, id=i) for i in ids}

    def _steps(self, acts: Collection[str]) -> Iterator[tuple[str, str]]:
        """The commits of the ledger by some acts, newest first, each with the one before it (empty: none).

        The walk ends at the last of them: an undo that takes back the newest act looks at one commit.
        """
        named = [f"--grep=^Alice-Act: {act}$" for act in acts]
        walk = ("log", "--first-parent", f"--max-count={len(acts)}", "--format=%H %P")
        rows = self._repository.run(*walk, *named, self.head, "--").decode("ascii", "replace")
        for row in rows.splitlines():
            commit, *before = row.split()
            yield commit, before[0] if before else ""

    def copies(
        self,
        blocks: Iterable[Block],
        path: str,
        others: Mapping[str, Mapping[str, Block]],
        before: Mapping[str, Placed],
    ) -> set[str]:
        """The ids of a file's blocks that stand in one of the ``others``, count there, and say something else here; a
        copy in another set says something else."""
        found = set()
        for block in blocks:
            there = {other: held[block.id] for other, held in others.items() if block.id in held}
            last = before[block.id].path if block.id in before else ""
            place = ledger.keeper(self.entry(block.id), last, (path, *there)) if there else path
            if place != path and (
                place_of(place) != place_of(path)
                or not ledger.is_same(Placed(block, path), Placed(there[place], path))
            ):
                found.add(block.id)
        return found

    def typed(self, path: str, data: bytes | None, ids: Collection[str]) -> tuple[Entry, ...]:
        """The entries that trust what was typed into a file, where a person set that it counts at once."""
        blocks = _blocks(path, data)
        return tuple(ledger.bound("trusted", block, path) for block in blocks if block.id in ids)

    def founding(self, act: Act, files: Mapping[str, FileChange]) -> tuple[Entry, ...]:
        """The entries of the act that makes a home of files that are there: a person's trusts what they set so; not
        where a copy remembers decisions, which are offered while the files wait."""
        self.follow()  # which keeps the copy from being overwritten
        if not act.actor.is_person or self.objects.has_copy():
            return ()
        return tuple(
            ledger.bound("trusted", block, path)
            for path, change in files.items()
            if holds_blocks(path) and place_of(path) in ("personal", "universal")
            for block in _blocks(path, change.new)
        )

    def composing(
        self, entries: Sequence[Entry], *, anew: bool = False, signs: bool = False
    ) -> Callable[[Commit, int], LedgerCommit | None]:
        """What makes the commit of some entries, given their act and the time (epoch seconds); of none only a ledger
        that is begun (``anew``). ``signs``: an owner key signs what raises a standing, else ``Unsigned``."""

        def compose(commit: Commit, when: int) -> LedgerCommit | None:
            if not entries and not anew:
                return None
            is_reply = any(name == "Reply" for name, _ in commit.trailers)
            channel = "files" if commit.actor.startswith("editor") else "reply" if is_reply else "terminal"
            whole = [ledger.completed(one, commit, channel, self.entry(one.id)) for one in entries]
            if signs and self.is_signed and any(ledger.raises(one, self.entry(one.id)) for one in whole):
                made = self._composed_signed(commit, when, whole)
            else:
                made = self.objects.composed(self._message(commit, when, whole), self.shards_with(whole))
            self._made = (made, tuple(one.id for one in entries))
            return made

        return compose

    def _composed_signed(self, commit: Commit, when: int, whole: Sequence[Entry]) -> LedgerCommit:
        """A commit with the signature of its tree, in which nothing stands that the key did not sign before."""
        others = [self.entry(one.id) for one in self._every() if self.entry(one.id) != one]
        message, changed = self._message(commit, when, whole), self.shards_with([*others, *whole])
        text = text_of(self.objects.composed(message, changed).body)
        if self.owner.signature[0] != text:
            raise Unsigned(text)
        signed = replace(message, text=f"{message.text}{OWNER}{self.owner.signature[1]}\n")
        return self.objects.composed(signed, changed)

    def write(self, entries: Sequence[Entry], commit: Commit, when: int, *, anew: bool = False) -> None:
        """Write entries that no act of the branch carries; ``when`` is in epoch seconds. ``anew``: a ledger that says
        nothing is written, too."""
        self.follow()
        if (made := self.composing(entries, anew=anew)(commit, when)) is not None:
            self._repository.write_ledger(made)
        self.catch_up()

    def forget(self, block_id: str, act: str, when: int, signed: str = "") -> None:
        """Begin the ledger anew without what an id's entries bound, whose content may be guessed by its hash: what was
        purged is forgotten for good. Doing it again changes nothing. ``signed`` is the owner key's signature, or
        empty."""
        self.follow()
        self.objects.rewrite_copies(lambda data: ledger.without(data, block_id))
        if self.entry(block_id) == Entry(block_id, "forgotten"):
            return
        message = self._message(Commit("", "", "purge", "user", "", act_id=act), when, ())
        if signed:
            message = replace(message, text=f"{message.text}{OWNER}{signed}\n")
        made = self.objects.composed(message, self._without(block_id), anew=True)
        self._repository.write_ledger(made)
        self._made = (made, (block_id,))
        self.catch_up()

    def signed_without(self, block_id: str) -> str:
        """What an owner key signs of the ledger that ``forget`` begins; empty without a key, or where the ledger says
        anything that the key did not sign."""
        self.follow()
        said = self._every() if self.is_signed else []
        if not said or any(self.entry(one.id) != one for one in said):
            return ""
        return text_of(self.objects.composed(Message("", 0, ""), self._without(block_id), anew=True).body)

    def _without(self, block_id: str) -> dict[str, bytes]:
        name = ledger.shard_of(block_id)
        shards = {one: ledger.without(data, block_id, guesses=True) for one, data in self._all().items()}
        return shards | {name: ledger.with_entries(shards.get(name, b""), (Entry(block_id, "forgotten"),))}

    def catch_up(self) -> None:
        """Bring the copy and this process up to what an act wrote, once its commit landed."""
        was, self.decided = self.state, ()
        if self._made is not None:
            made, self.decided = self._made
            self.objects.keep(made)
        self._made = None
        self.follow()
        if self._has_lost() and all(one.id[0] in MARKS for one in self.copied()):
            self.let_go()
        self.moved = (was, self.state)

    def shards_with(self, entries: Iterable[Entry]) -> dict[str, bytes]:
        """The shards that newer entries change, as they are with these."""
        groups: dict[str, list[Entry]] = {}
        for one in entries:
            groups.setdefault(ledger.shard_of(one.id), []).append(one)
        present = self.objects.shards(groups)
        return {name: ledger.with_entries(present.get(name, b""), group) for name, group in groups.items()}

    def _message(self, commit: Commit, when: int, entries: Sequence[Entry]) -> Message:
        number = int(row_of(self.objects.message(), "Alice-Number: ") or 0)
        text = (
            f"{commit.op}: {len(entries)} decided\n\nAlice-Act: {commit.act_id}\nAlice-Number: {number + 1}\n"
        )
        return Message(f"{commit.actor} <{commit.actor.partition(':')[0]}@alice>", when, text)


def _blocks(path: str, data: bytes | None) -> Sequence[Block]:
    # Loaded where a file is read: lists come from the index.
    from alice_exp.kernel.jsonc.reader import parse

    return read_blocks(parse(data or b"", path))[0]
