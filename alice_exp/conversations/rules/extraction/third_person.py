"""Put English into the third person: "I usually get up, and my dog too" → "… usually gets up, and their dog too"."""

from __future__ import annotations

import re
from functools import cache

from alice_exp.kernel.text.data_files import Patterns, table

_GRAMMAR = "conversations/rules/data/english_grammar.toml"
_WORDS = Patterns(_GRAMMAR, flags=re.IGNORECASE)


@cache
def _contractions() -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((re.compile(short, re.IGNORECASE), full) for short, full in table(_GRAMMAR)["contractions"])


def spelt_out(text: str) -> str:
    """The text without contractions: ``I'm`` is ``I am``, ``don't`` is ``do not``."""
    for pattern, full in _contractions():
        text = pattern.sub(full, text)
    return text


def of_user(text: str) -> str:
    """The text with the speaker's pronouns in the third person: my → their."""

    def person(found: re.Match[str]) -> str:
        word = found.group().lower()
        return "they are" if word == "i am" else str(table(_GRAMMAR)["person"][word])

    return _WORDS.pronoun.sub(person, text)


def inflected(verb: str) -> str:
    """A verb's form after "the user": like → likes, study → studies, am → is, would → would."""
    low = verb.lower()
    irregular: dict[str, str] = table(_GRAMMAR)["irregular"]
    if low in irregular:
        return irregular[low]
    if _WORDS.unchanged.fullmatch(low):
        return low
    if re.search(r"[^aeiou]y$", low):
        return low[:-1] + "ies"
    return low + ("es" if re.search(r"(?:s|x|z|ch|sh|o)$", low) else "s")


def third_person(predicate: str) -> str:
    """A predicate of "I" as a predicate of "the user": first verb inflected, pronouns changed."""
    words = predicate.split()
    place = 0
    while place < len(words) - 1 and _WORDS.adverb.match(words[place]):
        if words[place].lower() == "no" and words[place + 1].lower() == "longer":
            place += 1
        place += 1
    if words[:2] and words[0].lower() == "no" and len(words) > 2 and words[1].lower() == "longer":
        place = 2
    words[place] = inflected(words[place])
    # A second verb ("I work and live in …") is not inflected; the sentence is still clear.
    return of_user(" ".join(words))
