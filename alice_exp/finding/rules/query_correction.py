"""Words of a question that no text has, read as words that some have: written in parts, in one, or with one slip.

Asked of the collection as any word is, so that it answers the same however it is kept (``finding.ports``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from alice_exp.finding.ports import Posting
from alice_exp.finding.rules.spelling import cased_parts, in_one, one_slip
from alice_exp.kernel.text.tokens import stems

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

MOST = 4
"""Of more unknown words none is taken for a slip: such a question is about something else."""


@dataclass(frozen=True, slots=True)
class Strange:
    """What an unknown word may stand for: texts that have all of its parts, one of the words that it is written in one
    with, the first first, or the commonest of the words that it may have been meant as."""

    parts: tuple[str, ...]
    wholes: tuple[str, ...]
    meant: frozenset[str]

    @property
    def tokens(self) -> frozenset[str]:
        """Every token whose posting is needed."""
        return frozenset((*self.parts, *self.wholes, *self.meant))

    def found(self, postings: Mapping[str, Posting]) -> Posting | None:
        """The texts that have what it stands for; ``None`` where no text has."""
        if self.parts and all(part in postings for part in self.parts):
            first, *rest = (postings[part].indexes for part in self.parts)
            shared = set(first).intersection(*rest)
            return Posting(sorted(shared), bytes([1]) * len(shared)) if shared else None
        for token in self.wholes:
            if token in postings:
                return postings[token]
        held = [token for token in self.meant if token in postings]
        best = min(held, key=lambda token: (-len(postings[token].indexes), token), default=None)
        return postings[best] if best else None


def mended(
    text: str,
    words: Mapping[str, str],
    correct: Collection[str],
    found: Mapping[str, Posting],
    postings: Callable[[frozenset[str]], Mapping[str, Posting]],
) -> Mapping[str, Posting]:
    """The postings ``found`` for the query ``text``, and for each unknown word of it those of what it stands for.

    ``words`` are its folded Latin words in their order, each with its token; ``correct`` tokens are of words that are
    known to be written so, and no slip.
    """
    unknown = {word: token for word, token in words.items() if token not in found}
    if not unknown:
        return found
    slips = [word for word, token in unknown.items() if token not in correct]
    near = {word: one_slip(word) for word in slips} if len(slips) <= MOST else {}
    strange = _strange(unknown, cased_parts(text), in_one(tuple(words)), near)
    more = postings(frozenset().union(*(one.tokens for one in strange.values())))
    known = ((token, one.found(more)) for token, one in strange.items()) if more else ()
    return {**found, **{token: posting for token, posting in known if posting}}


def _strange(
    unknown: Mapping[str, str],
    parts: Mapping[str, tuple[str, ...]],
    wholes: Mapping[str, tuple[str, ...]],
    near: Mapping[str, Collection[str]],
) -> dict[str, Strange]:
    """By token what each unknown word may stand for."""
    others = {word: (parts.get(word, ()), wholes.get(word, ()), near.get(word, ())) for word in unknown}
    stem_of = stems({other for kinds in others.values() for kind in kinds for other in kind})

    def tokens(listed: Iterable[str]) -> tuple[str, ...]:
        return tuple(stem_of[word] for word in listed if word in stem_of)

    return {
        unknown[word]: Strange(tokens(split), tokens(joined), frozenset(tokens(meant)))
        for word, (split, joined, meant) in others.items()
    }
