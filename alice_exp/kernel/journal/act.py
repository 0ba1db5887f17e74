"""Values for one recorded act: who did what to which blocks."""

from __future__ import annotations

from typing import Literal, get_args

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

    ``at`` is ISO-8601 UTC; ``trailers`` are additional ``Alice-*`` lines, in order.
    """

    op: Op
    actor: Actor
    at: str
    blocks: tuple[str, ...] = ()
    detail: str = ""
    trailers: tuple[tuple[str, str], ...] = ()

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
