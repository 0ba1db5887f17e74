"""The verdict of each item, from the sets of a refused reply and what it says of them."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from alice_exp.review.rules.said_clauses import Named, Verdict, refuse, union

Pair = tuple[Named, str, int]
"""A set with its verdict and how strongly that is said; a hint is 1 of an item's own words."""


def joined(sets: Sequence[Named], verdict: Verdict) -> list[Pair]:
    """The sets of one verdict: what is left out belongs to the set beside it."""
    row: list[Named] = []
    for one in sets:
        if row and row[-1].is_only_out:
            one.out |= row.pop().out
        row.append(one)
    numbers = [one for one in row if not one.by_word]
    refuse(len(row) > 1 and any(one.wide for one in row))
    refuse(sum(len(one.places) for one in numbers) > len(union(numbers)))
    return [(one, *verdict) for one in row]


def verdicts_of(pairs: Sequence[Pair], whole: AbstractSet[int]) -> dict[int, str]:
    """The verdict of each item; ``all`` means what no other verdict names, ``rest`` what nothing else does."""
    verdicts: dict[int, Verdict] = {}
    named = {place for one, _, _ in pairs for place in (*one.places, *one.out)}
    wide = [(one, verb) for one, verb, _ in pairs if one.wide]
    for one, verb, strength in pairs:
        # Partly in its set, partly outside.
        is_partly = one.out and not (one.wide or one.out < one.places or one.out.isdisjoint(one.places))
        refuse(one.is_only_out, is_partly)
        for place in one.places - one.out:
            before, how = verdicts.get(place, (verb, 0))
            refuse(before != verb and 1 not in (how, strength))
            verdicts[place] = (verb, strength) if strength > how else (before, how)
    said = {place: verb for place, (verb, _) in verdicts.items()}
    refuse(any(said.get(place) == verb for one, verb, _ in pairs for place in one.out))
    refuse(len({(one.wide, verb, *one.out) for one, verb in wide}) > 1, not named <= whole)
    for one, verb in wide[:1]:
        refuse(one.wide == "all" and any(verb == v and not o.wide for o, v, _ in pairs))
        places = whole - one.out - (named if one.wide == "rest" else said.keys())
        refuse(one.count not in (0, len(places)), not places)
        said |= dict.fromkeys(places, verb)
    return said
