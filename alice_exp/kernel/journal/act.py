"""Who did what: all that a commit's message says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Actor:
    """Who acts: ``user``, ``agent[:name]``, ``editor``, ``peer:name``, ``system``."""

    kind: Literal["user", "agent", "editor", "peer", "system"]
    name: str = ""

    @property
    def is_person(self) -> bool:
        """Whether the acts that only a person may do are open to this actor."""
        return self.kind == "user"

    def __str__(self) -> str:
        return f"{self.kind}:{self.name}" if self.name else self.kind


@dataclass(frozen=True, slots=True)
class Act:
    """Who did what to which blocks: all that a commit message says. Subjects carry ids and verbs, never content.

    ``at`` is ISO-8601 UTC; ``trailers`` are further ``Alice-*`` lines, in order.
    """

    op: str
    actor: Actor
    at: str
    blocks: tuple[str, ...] = ()
    detail: str = ""
    trailers: tuple[tuple[str, str], ...] = ()

    @property
    def subject(self) -> str:
        """The commit's first line, as ``outcome exp-7k2m9q4x: past → reliable (10 verified)``."""
        target = (
            self.blocks[0] if len(self.blocks) == 1 else f"{len(self.blocks)} blocks" if self.blocks else ""
        )
        head = f"{self.op} {target}".rstrip()
        return f"{head}: {self.detail}" if self.detail else head


@dataclass(frozen=True, slots=True)
class Commit:
    """An act as git knows it."""

    commit: str
    subject: str
    op: str
    actor: str
    at: str
    blocks: tuple[str, ...] = ()
    act_id: str = ""
    trailers: tuple[tuple[str, str], ...] = ()


def commit_id(commit: Commit | None) -> str | None:
    """A commit's id, as answers give it; None where nothing was committed."""
    return commit.commit if commit is not None else None
