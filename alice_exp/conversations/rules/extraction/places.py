"""Recognise nouns that name a place or an occupation, in Chinese and English."""

from __future__ import annotations

import re
from functools import cache

from alice_exp.kernel.text.data_files import Patterns, word_lists

_OCCUPATIONS = "conversations/rules/data/occupations.toml"
_JOBS = Patterns(_OCCUPATIONS)
_ENGLISH_JOBS = Patterns(_OCCUPATIONS, "english", re.IGNORECASE)


@cache
def _places() -> tuple[frozenset[str], tuple[str, ...]]:
    lists = word_lists("conversations/rules/data/chinese_places.txt")
    return frozenset(lists["places"]), lists["endings"]


def is_place(text: str) -> bool:
    """Whether a Chinese noun is a city, a region or a country."""
    places, endings = _places()
    return text.endswith(endings) or not places.isdisjoint((text, text[:2], text[:3]))


def is_job(text: str) -> bool:
    """Whether a Chinese noun names an occupation."""
    return len(text) <= 16 and bool(_JOBS.chinese.search(text)) and not _JOBS.not_chinese.search(text)


def is_english_job(phrase: str) -> bool:
    """Whether the head of an English noun phrase names an occupation ("nurse" in "senior nurse at a clinic")."""
    head = _ENGLISH_JOBS.head.split(phrase)[0].strip()
    return bool(_ENGLISH_JOBS.ending.search(head)) and not _ENGLISH_JOBS.not_ending.search(head)
