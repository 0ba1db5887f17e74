"""Query-term correction: splitting, joining and one-edit typos, for words of the query that occur in no text.

The variants are looked up through ``postings`` like any other token, so that the answer is the same with and without
an index (``finding.ports``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from alice_exp.finding.ports import Posting
from alice_exp.finding.rules.spelling import cased_parts, in_one, is_one_edit, one_slip
from alice_exp.kernel.text.tokens import stems
from alice_exp.kernel.value_class import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

MOST = 4
"""With more unknown words than this none is taken for a typo: such a query is about something else."""


SHORT = 4
"""The length from which a stem is taken for what was meant though its own letters differ by more than one slip."""


@dataclass(frozen=True, slots=True)
class Correction:
    """The readings of an unknown word, in the order tried: texts that contain all of its ``parts``, the first of the
    ``wholes`` (joined with neighbours) that occurs, or the most frequent of the words one typo away (``meant``)."""

    parts: tuple[str, ...]
    wholes: tuple[str, ...]
    meant: frozenset[str]

    @property
    def tokens(self) -> frozenset[str]:
        """Every token whose posting is needed."""
        return frozenset((*self.parts, *self.wholes, *self.meant))

    def found(self, postings: Mapping[str, Posting]) -> Posting | None:
        """The posting list of the first reading that occurs; ``None`` if none does."""
        if self.parts and all(part in postings for part in self.parts):
            first, *rest = (postings[part].indexes for part in self.parts)
            shared = set(first).intersection(*rest)
            return Posting(sorted(shared), bytes([1]) * len(shared)) if shared else None
        for token in self.wholes:
            if token in postings:
                return postings[token]
        held = [token for token in self.meant if token in postings]
        # The token itself breaks ties, because the order of a set differs between processes.
        best = min(held, key=lambda token: (-len(postings[token].indexes), token), default=None)
        return postings[best] if best else None


def corrected_postings(
    text: str,
    words: Mapping[str, str],
    correct: Collection[str],
    found: Mapping[str, Posting],
    postings: Callable[[frozenset[str]], Mapping[str, Posting]],
) -> Mapping[str, Posting]:
    """The postings ``found`` for the query ``text``, completed by those of a correction for each unknown word.

    ``words`` are its folded Latin words in order, each with its token; ``correct`` are the tokens of words known to be
    spelt correctly, which are no typos even if they occur nowhere.
    """
    unknown = {word: token for word, token in words.items() if token not in found}
    if not unknown:
        return found
    slips = [word for word, token in unknown.items() if token not in correct]
    near = {word: one_slip(word) for word in slips} if len(slips) <= MOST else {}
    strange = _corrections(unknown, cased_parts(text), in_one(tuple(words)), near)
    more = postings(frozenset().union(*(one.tokens for one in strange.values())))
    known = ((token, one.found(more)) for token, one in strange.items()) if more else ()
    return {**found, **{token: posting for token, posting in known if posting}}


def _corrections(
    unknown: Mapping[str, str],
    parts: Mapping[str, tuple[str, ...]],
    wholes: Mapping[str, tuple[str, ...]],
    near: Mapping[str, Collection[str]],
) -> dict[str, Correction]:
    """The possible corrections of each unknown word, by its token."""
    # All variants are stemmed in one call: a long word has about a thousand of them.
    others = {word: (parts.get(word, ()), wholes.get(word, ()), near.get(word, ())) for word in unknown}
    stem_of = stems({other for kinds in others.values() for kind in kinds for other in kind})

    def tokens(listed: Iterable[str]) -> tuple[str, ...]:
        return tuple(stem_of[word] for word in listed if word in stem_of)

    def meant(word: str, listed: Iterable[str]) -> frozenset[str]:
        """What a slip may stand for; a short stem is a slip away itself: "sales" is no slip for "says"."""
        own = unknown[word]
        return frozenset(one for one in tokens(listed) if len(one) >= SHORT or is_one_edit(one, own))

    return {
        unknown[word]: Correction(tokens(split), tokens(joined), meant(word, slips))
        for word, (split, joined, slips) in others.items()
    }
