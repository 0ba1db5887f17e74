"""Whose a statement is by its first words: the user's, or somebody's with a name (小马住在杭州)."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from alice_exp.finding.rules.nearness.vocabulary import WORDS
from alice_exp.kernel.text.data_files import LazyPattern, word_lists

if TYPE_CHECKING:
    from alice_exp.model.values.block import Block

USER = "the user"
"""What ``whose`` says where the user is meant."""

_OWN = LazyPattern(r"\s*(?:(?:我|本人|用户)(?!们)|I(?=[ '’])|(?:the )?user\b(?!['’]s))", re.IGNORECASE)
_NAMING = LazyPattern(r"(?i:\bcall(?:s|ed|ing)? (?:me|him|her|them|us|you|the user) (?:by |as )?)[A-Z]")
_ORIGIN = LazyPattern(
    r"老家|家乡|故乡|籍贯|出生|生在|长大|来自"
    r"|\b(?:born|grew up|hometown|home town|come from|comes from|am from|is from|originally)\b|\bI['’]m from\b",
    re.IGNORECASE,
)
_TOO = LazyPattern(r"\b(?:too|also|as well)\b|(?<!再)也|还(?:会|用|说|在|有)", re.IGNORECASE)
_OF_OURS = frozenset("们的司校厂院组部")
"""What follows 我 where it is not the speaker alone."""
_ONE_AT_A_TIME = LazyPattern(
    r"(?i:(?:please |just |you can )*call me|the user wants to be called) (?P<called>(?-i:[A-Z])[\w'. -]{0,30})"
    r"|(?i:my|the user's) birthday is (?:on )?(?P<born>(?=.*\d)[\w ,./-]{3,30})"
    r"|(?:以后|请|就|你|可以|大家)*(?:叫我(?![起去来吃喝回做干别不什谁一时的上下开睡])|用户希望被称为)(?P<called_so>\w{1,8}?)(?:就行|就好|吧|即可|就可以)?了?"
    r"|(?:我|用户)的?生日是?(?P<born_on>(?=\w+月)\w{3,12})"
)
"""What a person is called, or when they were born; the group tells which."""


def is_of_user(block: Block) -> bool:
    """Whether a block is about the user: it says so, or its text begins with I or 我."""
    if block.about == "user":
        return True
    text = block.payload.content.lstrip()
    return text.startswith(("I ", "I'", "I’")) or (text[:1] == "我" and text[1:2] not in _OF_OURS)


@cache
def _named() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """A name in front of what a person does: in Chinese, in English."""
    lists = word_lists(WORDS)
    surname, title, no_name, does, english = (
        "|".join(lists[heading])
        for heading in ("surnames", "titles", "no names", "person does chinese", "person does")
    )
    character = "[\u4e00-\u9fff]"
    chinese = (
        rf"\s*(?!{no_name})(?P<name>[小老阿]{character}{{1,2}}?|({character})\2|(?:{surname}){character}{{1,2}}?"
        rf"|{character}{{1,3}}?(?:{title}))(?={does})"
    )
    return re.compile(chinese), re.compile(
        rf"\s*(?P<name>[A-Z][a-z]+(?: [A-Z][a-z]+)?) (?={english.replace('_', ' ')})"
    )


def whose(text: str) -> str:
    """``USER``, the name of whom the text begins with, or "" where neither tells."""
    if _OWN.match(text):
        return USER
    found = next((match for pattern in _named() if (match := pattern.match(text))), None)
    return found["name"] if found else ""


def are_of_two(one: str, two: str) -> bool:
    """Whether one text is the user's and the other somebody's with a name, or each somebody else's."""
    first = whose(one)
    return bool(first) and whose(two) not in ("", first)


def is_renamed(one: str, two: str) -> bool:
    """Whether both texts say no more than what the user is called, or when they were born, and each says it otherwise.

    A name with more words than the other ("Sam or Sammy") is no other one.
    """
    known = [_ONE_AT_A_TIME.fullmatch(text.strip(" .。!！")) for text in (one, two)]
    first, second = (
        (found.lastgroup, set(found.group(found.lastgroup).lower().split())) if found else ("", set())
        for found in known
    )
    return bool(first[0]) and first[0] == second[0] and not (first[1] <= second[1] or second[1] <= first[1])


def tells_beside(one: str, two: str) -> bool:
    """Whether one text alone tells where somebody comes from, or what is so, too: another value beside the other's."""
    return any(bool(says.search(one)) is not bool(says.search(two)) for says in (_ORIGIN, _TOO))


def names_alone(one: str, two: str) -> bool:
    """Whether one text alone tells by what name somebody is called: no word against calls speaks of that."""
    return bool(_NAMING.search(one)) is not bool(_NAMING.search(two))
