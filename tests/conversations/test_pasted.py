"""What somebody else wrote in a message is not the user's; what stands around it, and what only looks like it, is.

``talks/pasted.txt`` and ``talks/own.txt`` tell how they were written. Of the messages that were held back, when first
run: of 44 pasted ones 2 gave something false (5 facts; before the rules 42 messages and 130 facts), and of 81 facts in
own ones 75 were found (before the rules 77). Those from 81 on were written with the rules' weak places in mind.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from alice_exp.conversations.rules.extraction import extract
from alice_exp.conversations.rules.pasted import own_words
from alice_exp.conversations.values import Message

TALKS = Path(__file__).parent / "talks"


def said(text: str) -> list[str]:
    return [one.content for one in extract([Message("user", text)]).inferences]


def messages(name: str) -> list[tuple[str, list[str], list[str]]]:
    """Number and text of each message, what must be found in it, and what may be."""
    found: list[tuple[str, list[str], list[str]]] = []
    for part in (TALKS / f"{name}.txt").read_text("utf-8").split("\n@ ")[1:]:
        number, *lines = part.splitlines()
        text = "\n".join(line for line in lines if line[:2] not in ("+ ", "? "))
        must, may = ([line[2:] for line in lines if line[:2] == mark] for mark in ("+ ", "? "))
        found.append((f"{number}: {text.strip()}", must, may))
    return found


@pytest.mark.parametrize("name", ["pasted", "own"])
def test_what_the_user_says_of_themselves_is_found(name: str) -> None:
    lost = [
        (text, word)
        for text, must, _ in messages(name)
        for word in must
        if not any(word in content for content in said(text.partition(": ")[2]))
    ]
    assert lost == []


def test_what_somebody_else_wrote_is_not_the_users() -> None:
    false = [
        (text, content)
        for text, must, may in messages("pasted")
        for content in said(text.partition(": ")[2])
        if not any(word in content for word in (*must, *may))
    ]
    assert false == []


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("I'm a nurse.\nDear Ms Ek,\nI own a farm.\nBest,\nJo\n\nI live in Oslo.", ["nurse", "Oslo"]),
        ("I'm a nurse.\n\nFrom: Jo\nTo: Bea\nI own a farm.", ["nurse"]),
        ("I'm a nurse. Let's role-play: I'm a king. I own a farm.", ["nurse"]),
        ("My character says: I'm a king. I own a farm.\n\nI live in Oslo.", ["Oslo"]),
        ('He wrote: "Hi,\nI own a farm. I live in Rome.\nJo"\nI live in Oslo.', ["Oslo"]),
        ("[14:02] Jo: I own a farm\n[14:03] Bea: I hate it\n\nI live in Oslo.", ["Oslo"]),
        ("The speaker said that I should always wear a hat.", []),
        ("Can you reply to this? Hi Tom, I own a farm. I live in Rome. Cheers, Jo", []),
        ("Dear Mr Ek, I own a farm. Yours sincerely, Jo Poe", []),
        ("我是护士。\n\n王老师：您好！\n我住在通州。\n此致\n敬礼\n李强\n\n我住在苏州。", ["护士", "苏州"]),
        ("She texted: I own a farm. I live in Rome.", []),
        ("My sister said: come at noon. I live in Oslo.", ["Oslo"]),
        ("Rewrite in plain English:\n\nhey, I own a farm, I live in Rome", []),
        ("Dear Sam,\nI own a farm.\nYour loving aunt,\nRose", []),
        ("陈总：\n您好！我住在通州。\n此致\n敬礼\n孙浩", []),
        ("她说：我对狗过敏。我住在通州。", []),
        ("王老师，您好！\n我住在通州。\n此致\n敬礼\n李强", []),
    ],
)
def test_the_users_words_around_it_stay(text: str, own: list[str]) -> None:
    found = said(text)
    assert len(found) == len(own) and all(word in one for word, one in zip(own, found, strict=True)), found


@pytest.mark.parametrize("text", ["Hi Claude,\n\tI'm a nurse.\n", "  indented\nHello,\n\nlast", ""])
def test_own_lines_stay_as_they_are(text: str) -> None:
    assert own_words(text).splitlines() == text.splitlines()
