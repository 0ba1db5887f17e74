"""A commit before git writes it, and its lines in a stream for ``git fast-import``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from alice_exp.kernel.journal.git_references import PENDING
from alice_exp.kernel.value_class import dataclass

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
    stream, changes = list[bytes](), list[bytes]()
    for name, data in made.shards.items():
        mark = next(marks)
        stream.append(b"blob\nmark :%d\ndata %d\n%s\n" % (mark, len(data), data))
        changes.append(b"M 100644 :%d %s\n" % (mark, name.encode()))
    parents = ((b"from", made.parent), (b"merge", made.merged))
    origin = b"".join(b"%s %s\n" % (word, oid.encode()) for word, oid in parents if oid)
    stream += commit_lines(next(marks), made.message, origin, ref)
    return [*stream, *changes, b"\n"]


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
