"""English in the third person: "I usually get up, and my dog too" → "the user usually gets up, and their dog too"."""

from __future__ import annotations

import re

_FULL = (
    (r"\bI'm\b", "I am"),
    (r"\bI've\b", "I have"),
    (r"\bI'd\b", "I would"),
    (r"\bI'll\b", "I will"),
    (r"\bwe're\b", "we are"),
    (r"\bwe've\b", "we have"),
    (r"\bcan't\b", "cannot"),
    (r"\bwon't\b", "will not"),
    (r"n't\b", " not"),
    (r"(?<=\bname)'s\b", " is"),
    (r"\bIm\b", "I am"),
    (r"\bIve\b", "I have"),
    (r"\bdont\b", "do not"),
    (r"\bit's\b", "it is"),
    (r"\bfavourite\b", "favorite"),
)
_CONTRACTIONS = tuple((re.compile(pattern, re.I), full) for pattern, full in _FULL)

_PERSON = {
    "i": "they",
    "me": "them",
    "my": "their",
    "mine": "theirs",
    "myself": "themselves",
    "we": "they",
    "us": "them",
    "our": "their",
    "ours": "theirs",
    "ourselves": "themselves",
}
_PRONOUN = re.compile(r"\b(?:i am|i|me|my|mine|myself|we|us|our|ours|ourselves)\b", re.I)
_IRREGULAR = {"am": "is", "are": "is", "have": "has", "do": "does", "go": "goes", "was": "was", "were": "was"}
_UNCHANGED = frozenset(
    [
        "will",
        "would",
        "can",
        "cannot",
        "could",
        "should",
        "must",
        "may",
        "might",
        "did",
        "had",
        "got",
        "moved",
        "grew",
        "started",
        "switched",
        "changed",
        "used",
        "went",
        "bought",
        "became",
        "graduated",
        "finished",
        "adopted",
        "joined",
        "quit",
        "left",
        "stopped",
        "majored",
        "minored",
        "specialized",
        "specialised",
        "studied",
        "held",
        "earned",
    ]
)
_ADVERB = re.compile(
    r"(?:\w+ly|always|often|never|sometimes|also|just|still|now|mostly|both|even|currently"
    r"|absolutely|generally|no longer|"
    r"kind of|sort of|rarely|seldom)$",
    re.I,
)


def spelt_out(text: str) -> str:
    """The text without contractions: ``I'm`` is ``I am``, ``don't`` is ``do not``."""
    for pattern, full in _CONTRACTIONS:
        text = pattern.sub(full, text)
    return text


def of_user(text: str) -> str:
    """The text with the speaker's pronouns in the third person: my → their."""

    def person(found: re.Match[str]) -> str:
        word = found.group().lower()
        return "they are" if word == "i am" else _PERSON[word]

    return _PRONOUN.sub(person, text)


def inflected(verb: str) -> str:
    """A verb's form after "the user": like → likes, study → studies, am → is, would → would."""
    low = verb.lower()
    if low in _IRREGULAR:
        return _IRREGULAR[low]
    if low in _UNCHANGED:
        return low
    if re.search(r"[^aeiou]y$", low):
        return low[:-1] + "ies"
    return low + ("es" if re.search(r"(?:s|x|z|ch|sh|o)$", low) else "s")


def third_person(predicate: str) -> str:
    """What follows "I", as it follows "the user": its first verb inflected, pronouns changed."""
    words = predicate.split()
    place = 0
    while place < len(words) - 1 and _ADVERB.match(words[place]):
        if words[place].lower() == "no" and words[place + 1].lower() == "longer":
            place += 1
        place += 1
    if words[:2] and words[0].lower() == "no" and len(words) > 2 and words[1].lower() == "longer":
        place = 2
    words[place] = inflected(words[place])
    # "work and live": a verb joined by "and" to the first one is left to the reader; the sentence stays clear.
    return of_user(" ".join(words))
