"""One recorded act: who did what to which blocks, and the commit message that says so, never the text of a block."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Literal, TypeVar, get_args

from alice_exp.kernel.journal.git_references import PENDING
from alice_exp.kernel.value_class import dataclass

Op = Literal[
    "adopt",
    "approve",
    "config",
    "delete",
    "distill",
    "doctor",
    "edit",
    "episode",
    "event",
    "extract",
    "forget",
    "git",
    "heartbeat",
    "import",
    "init",
    "keep",
    "memorize",
    "merge",
    "move",
    "namespace",
    "outcome",
    "owner",
    "purge",
    "refuse",
    "reject",
    "remember",
    "restore",
    "retire",
    "revive",
    "seen",
    "share",
    "sign",
    "sync",
    "trust",
    "undo",
]
OPS: tuple[Op, ...] = get_args(Op)
"""The operations that commits are named by; ``git``: a commit that no act made."""


@dataclass(frozen=True, slots=True)
class Actor:
    """The author of an act: ``user``, ``agent[:name]``, ``editor``, ``peer:name`` or ``system``."""

    kind: Literal["user", "agent", "editor", "peer", "system"]
    name: str = ""

    @property
    def is_person(self) -> bool:
        """Whether this actor may do what is reserved for a person."""
        return self.kind == "user"

    def __str__(self) -> str:
        return f"{self.kind}:{self.name}" if self.name else self.kind


@dataclass(frozen=True, slots=True)
class Act:
    """What one commit message records. Subjects carry ids and verbs, never the content of blocks.

    ``at`` is ISO-8601 UTC; ``trailers`` are additional ``Alice-*`` lines, in order. ``act_id`` is set where the act was
    composed before, for its signature.
    """

    op: Op
    actor: Actor
    at: str
    blocks: tuple[str, ...] = ()
    detail: str = ""
    trailers: tuple[tuple[str, str], ...] = ()
    act_id: str = ""

    @property
    def subject(self) -> str:
        """The commit's first line, e.g. ``outcome exp-7k2m9q4x: past → reliable (10 verified)``."""
        target = (
            self.blocks[0] if len(self.blocks) == 1 else f"{len(self.blocks)} blocks" if self.blocks else ""
        )
        head = f"{self.op} {target}".rstrip()
        return f"{head}: {self.detail}" if self.detail else head


@dataclass(frozen=True, slots=True)
class Commit:
    """An act as read from, or written to, git history."""

    commit: str
    subject: str
    op: str
    actor: str
    at: str
    blocks: tuple[str, ...] = ()
    act_id: str = ""
    trailers: tuple[tuple[str, str], ...] = ()
    is_from_elsewhere: bool = False
    """Whether a sync brought it from another machine; known for the acts of a report only."""


def commit_id(commit: Commit | None) -> str | None:
    """The commit's id; None if nothing was committed."""
    return commit.commit if commit is not None else None


T = TypeVar("T")


def committed(done: tuple[Commit | None, T]) -> T:
    """The answer of an act with its commit in the field ``commit``, of what ``Home.apply`` gives."""
    answer: Any = done[1]
    made: T = replace(answer, commit=done[0])
    return made


COMPLETES = "Completes"
"""Trailer of the second of two commits that land together; its value is the first one's act id."""

LEDGER = "Ledger"
"""Trailer of a commit that lands with the ledger: the ledger's new commit."""

FOREIGN = "Foreign"
"""Trailer of an act that took in foreign commits: each one's id."""

AUTHOR = "Author"

SIGNED_BY = "Signed"
"""Trailer of a purge: the owner key's signature over the ledger that it begins."""

CHANNEL = "Channel"
"""Trailer of a person's act that no command of theirs made: by what they spoke, as ``dialog of claude-code``."""

_OWN = ("Act", "Op", "Actor", "At", LEDGER)
_BLOCK = "Alice-Block: "


def compose(act: Act, act_id: str) -> tuple[Commit, str]:
    """The act as a ``Commit`` (its commit id still empty) and the complete message."""
    rows = [("Act", act_id), ("Op", act.op), ("Actor", str(act.actor)), ("At", act.at)]
    rows += [("Block", block_id) for block_id in act.blocks]
    rows += act.trailers
    trailers = "\n".join(f"Alice-{name}: {_one_line(value)}" for name, value in rows)
    commit = Commit("", act.subject, act.op, str(act.actor), act.at, act.blocks, act_id, act.trailers)
    return commit, f"{_one_line(act.subject)}\n\n{trailers}\n"


def read(oid: str, message: str) -> Commit:
    """Parse a commit's message; one without an act's trailers gets the op ``git`` and the actor ``editor``.

    Who made it is not known: a person with plain git, or a tool that committed by itself.
    """
    subject, _, body = message.partition("\n")
    rows, blocks = list[tuple[str, str]](), list[str]()
    for line in body.splitlines():
        # A home that was taken over names thousands of them in one commit, and each report reads it.
        if line.startswith(_BLOCK):
            blocks.append(line[len(_BLOCK) :])
        elif line.startswith("Alice-"):
            name, colon, value = line[len("Alice-") :].partition(": ")
            rows += [(name, value)] if colon else []
    # Reversed, so that of repeated trailers the first one wins.
    first = dict(reversed(rows))
    told = first.get("Op", "git"), first.get("Actor", "editor"), first.get("At", "")
    others = tuple(row for row in rows if row[0] not in _OWN)
    return Commit(oid, subject, *told, tuple(blocks), first.get("Act", ""), others)


def disclaimed(acts: Iterable[Commit]) -> Iterator[Commit]:
    """``acts`` (newest first) in which commits that were adopted as foreign have lost what their trailers claim."""
    foreign: set[str] = set()
    for act in acts:
        if act.op in ("adopt", "sync") and act.commit not in foreign:
            foreign.update(value for name, value in act.trailers if name == FOREIGN)
        yield Commit(act.commit, act.subject, "git", "editor", "") if act.commit in foreign else act


def _one_line(text: str) -> str:
    return " ".join(text.split())


COMMITTER = "alice-exp <alice-exp@localhost>"


@dataclass(frozen=True, slots=True)
class Message:
    """A commit's metadata. ``author`` is ``Name <mail>``, ``when`` epoch seconds."""

    author: str
    when: int
    text: str


@dataclass(frozen=True, slots=True)
class LedgerCommit:
    """A commit of the ledger that is not written yet: its ``oid``, its first parent (empty: none) and other parent,
    the shards that it writes (name to bytes), and the bytes of the commit and its tree."""

    oid: str
    parent: str
    message: Message
    shards: Mapping[str, bytes]
    body: bytes
    tree: bytes
    merged: str = ""


def ledger_lines(marks: Iterator[int], made: LedgerCommit, ref: str) -> list[bytes]:
    """A commit of the ledger on a reference; on the pending one the act's own commit takes over."""
    stream, changes = file_lines(marks, made.shards)
    parents = ((b"from", made.parent), (b"merge", made.merged))
    origin = b"".join(b"%s %s\n" % (word, oid.encode()) for word, oid in parents if oid)
    stream += commit_lines(next(marks), made.message, origin, ref)
    return [*stream, *changes, b"\n"]


def file_lines(marks: Iterator[int], files: Mapping[str, bytes | None]) -> tuple[list[bytes], list[bytes]]:
    """The blobs of a fast-import stream, and the lines by which its next commit changes these files (None: removed)."""
    blobs, changes = list[bytes](), list[bytes]()
    for path, data in files.items():
        if data is None:
            changes.append(b"D %s\n" % path.encode())
            continue
        mark = next(marks)
        blobs.append(b"blob\nmark :%d\ndata %d\n%s\n" % (mark, len(data), data))
        changes.append(b"M 100644 :%d %s\n" % (mark, path.encode()))
    return blobs, changes


def commit_lines(mark: int, message: Message, origin: bytes, ref: str = PENDING) -> list[bytes]:
    """One commit's header in a fast-import stream; without ``origin`` its parent is the stream's previous commit."""
    text = message.text.encode("utf-8", "replace")
    stamp = b"%d +0000" % message.when
    return [
        b"commit %s\nmark :%d\n" % (ref.encode(), mark),
        b"author %s %s\ncommitter %s %s\n" % (message.author.encode(), stamp, COMMITTER.encode(), stamp),
        b"data %d\n%s\n" % (len(text), text),
        origin,
    ]
