"""Commit messages: a subject with ids and verbs, and ``Alice-*`` trailers; never what a block says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alice_exp.kernel.journal.act import Commit

if TYPE_CHECKING:
    from alice_exp.kernel.journal.act import Act

COMPLETES = "Completes"
"""Names, in the second act of one stream, the first: both land together."""

_OWN = ("Act", "Op", "Actor", "At", "Block")


def compose(act: Act, act_id: str) -> tuple[Commit, str]:
    """The act as git will know it (its commit id still empty) and the whole message."""
    rows = [("Act", act_id), ("Op", act.op), ("Actor", str(act.actor)), ("At", act.at)]
    rows += [("Block", block_id) for block_id in act.blocks]
    rows += act.trailers
    trailers = "\n".join(f"Alice-{name}: {_one_line(value)}" for name, value in rows)
    commit = Commit("", act.subject, act.op, str(act.actor), act.at, act.blocks, act_id, act.trailers)
    return commit, f"{_one_line(act.subject)}\n\n{trailers}\n"


def read(oid: str, message: str) -> Commit:
    """A commit from its message; one that a person made by hand has no trailers and the op ``git``."""
    subject, _, body = message.partition("\n")
    rows = [
        (name.removeprefix("Alice-"), value)
        for name, colon, value in (line.partition(": ") for line in body.splitlines())
        if colon and name.startswith("Alice-")
    ]
    first = dict(reversed(rows))
    return Commit(
        oid,
        subject,
        first.get("Op", "git"),
        first.get("Actor", "user"),
        first.get("At", ""),
        tuple(value for name, value in rows if name == "Block"),
        first.get("Act", ""),
        tuple(row for row in rows if row[0] not in _OWN),
    )


def _one_line(text: str) -> str:
    return " ".join(text.split())
