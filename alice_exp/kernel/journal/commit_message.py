"""Composes and parses commit messages: a subject line and ``Alice-*`` trailers, never the text of a block."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alice_exp.kernel.journal.act import Commit

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from alice_exp.kernel.journal.act import Act

COMPLETES = "Completes"
"""Trailer of the second of two commits that land together; its value is the first one's act id."""

FOREIGN, SINCE = "Foreign", "Since"
"""Trailers of an act that adopted foreign commits: each one's id, and the head of this home before them."""

AUTHOR = "Author"

OVERRULED = "Overruled"
"""Trailer of a sync: a block on which two machines had decided, each otherwise; the later decision holds."""

_OWN = ("Act", "Op", "Actor", "At")
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
    return Commit(
        oid,
        subject,
        first.get("Op", "git"),
        first.get("Actor", "editor"),
        first.get("At", ""),
        tuple(blocks),
        first.get("Act", ""),
        tuple(row for row in rows if row[0] not in _OWN),
    )


def disclaimed(acts: Iterable[Commit]) -> Iterator[Commit]:
    """``acts`` (newest first) in which commits that were adopted as foreign have lost what their trailers claim."""
    foreign: set[str] = set()
    for act in acts:
        if act.op in ("adopt", "sync") and act.commit not in foreign:
            foreign.update(value for name, value in act.trailers if name == FOREIGN)
        yield Commit(act.commit, act.subject, "git", "editor", "") if act.commit in foreign else act


def _one_line(text: str) -> str:
    return " ".join(text.split())
