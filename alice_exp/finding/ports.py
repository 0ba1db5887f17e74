"""Protocols of search: the index and the embedder, and what a search needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from alice_exp.kernel.value_class import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from alice_exp.blocks.store.access_log import FileAccess
    from alice_exp.home.caller import Caller
    from alice_exp.home.ports import Home
    from alice_exp.model.values.block import Place, Placed

R = TypeVar("R")


class Known(Protocol):
    """What lists blocks, including archived and obsolete ones, without reading their files."""

    def within(self, places: Collection[Place]) -> Iterator[Placed]:
        """All blocks of the given sets or the archive, in the order of paths and within each file."""
        ...

    def starting_with(self, prefix: str, most: int = 10) -> list[Placed]:
        """At most ``most`` blocks whose id starts with ``prefix``, by id."""
        ...

    def concerned(self, concern: str) -> list[Placed]:
        """The blocks with a concern (``rules.concerns``)."""
        ...


class Meanings(Protocol):
    """Likeness of meaning. Never raises when the embedder fails: it warns, and words alone answer."""

    def cosines(self, query: str, texts: Sequence[str]) -> list[float] | None:
        """The cosine in [-1, 1] of the query with each text; ``None``: words alone."""
        ...


class Index(Protocol):
    """Answers questions about all blocks without reading their files; derived, and deletable at any time."""

    def ask(self, question: Callable[[Known], R]) -> R | None:
        """Call ``question`` with the index and return its answer; ``None`` when the files have to be read instead.

        What is passed to the question is a ``rules.corpus.Searchable`` too, and valid only during the call.
        """
        ...


@dataclass(frozen=True, slots=True)
class Finding:
    """What a search needs: the home, its index, the log of reads, the caller with the time, the embedder (``None``:
    words alone), and what the working folder's repository brings of its team."""

    home: Home
    index: Index
    access: FileAccess
    caller: Caller
    meanings: Meanings | None = None
    team: Callable[[], Sequence[Placed]] = tuple
