"""Secrets and private facts are found in what is learned, and numbers that only look like them are not (DESIGN 7)."""

import random
import re
from dataclasses import replace
from string import ascii_letters, digits
from time import process_time

import pytest

from alice_exp.model.rules.private_facts import (
    delicate,
    is_left_behind,
    kinds_of,
    masked,
    masked_record,
    secrets_alone,
)
from alice_exp.model.rules.secrets import findings
from alice_exp.model.values.block import Block, Payload, Trigger
from alice_exp.model.values.records import Episode
from tests.case_tables import cases, table

_HEX = "0123456789abcdef"


def key(size: int, signs: str = ascii_letters + digits) -> str:
    """A made-up key: always the same of one size, and no real one, so that no scanner of secrets stops here."""
    return "".join(random.Random(size).choices(signs, k=size))


def kinds(text: str) -> list[str]:
    return [one.kind for one in delicate(Block("exp-aaaaaaaa", Payload(text), Trigger("")))]


FOUND = [
    *cases(__file__, "FOUND"),
    ("an AWS key", "AWS_ACCESS_KEY_ID=AKIA" + key(16, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")),
    ("what looks like a key", "the other one is " + key(40, ascii_letters + digits + "/+")),
    ("a GitHub token", "clone with ghp_" + key(36)),
    ("an API key", "sk-proj-" + key(48)),
    ("an API key", "xoxb-" + key(12, digits) + "-" + key(24)),
    ("a signed token", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0." + key(43)),
    ("a private key", "-----BEGIN RSA PRIVATE" + " KEY-----"),
    ("a password or key", "api_key: " + key(32, _HEX)),
    ("an API key", "mails go out with SG." + key(22) + "." + key(43)),
    ("an API key", "阿里云 LTAI5t" + key(18)),
    ("a webhook address", "https://open.feishu.cn/open-apis/bot/v2/hook/" + key(32, _HEX)),
    ("a webhook address", "https://hooks.slack.com/services/T02AB3CD4/B05EF6/" + key(24)),
    ("a key in a URL", "GET https://api.corp.cn/v1/data?api_key=" + key(20, _HEX)),
]


@pytest.mark.parametrize(("kind", "text"), FOUND)
def test_it_is_found(kind: str, text: str) -> None:
    assert kind in kinds(text)


INNOCENT = [
    *cases(__file__, "INNOCENT"),
    "npm integrity sha512-" + key(86, ascii_letters + digits + "+/") + "==",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI" + key(43) + " lin@laptop",
]


@pytest.mark.parametrize("text", INNOCENT)
def test_it_is_left_alone(text: str) -> None:
    assert kinds(text) == []


CODES = cases(__file__, "CODES")
"""Numbers that open something, beside their word."""

NUMBERS = cases(__file__, "NUMBERS")
"""Numbers of the same length that open nothing."""


def test_a_code_is_told_from_a_number_by_the_word_beside_it() -> None:
    assert [text for text in CODES if kinds(text) != ["a password or key"]] == []
    assert [text for text in NUMBERS if kinds(text)] == []


SPOKEN = cases(__file__, "SPOKEN")
"""Passwords, accounts and numbers as they are written in prose."""

PROSE = cases(__file__, "PROSE")
"""What speaks of passwords, and tells none."""


def test_what_is_said_in_prose_is_a_secret_where_it_tells_one() -> None:
    assert [text for text in SPOKEN if not kinds(text)] == []
    assert [text for text in PROSE if kinds(text)] == []


@pytest.mark.parametrize("text", CODES)
def test_no_code_is_told_to_whom_did_not_ask(text: str) -> None:
    number = max(re.findall(r"\d+", text), key=len)
    assert number not in masked(text)


@table("text", "told")
def test_what_nobody_asked_for_is_cut_to_its_first_characters(text: str, told: str | None) -> None:
    assert masked(text) == (told or text)


@table("text")
def test_a_day_in_a_name_is_no_key(text: str) -> None:
    assert findings(text, without=("a home path",)) == ()


def test_a_text_of_nothing_but_beginnings_takes_no_longer_than_its_length() -> None:
    began = process_time()
    findings("http://x?key=" * 1_500)
    assert process_time() - began < 2


PASSWORD = f"the password is {key(14)}"


@pytest.mark.parametrize(
    ("before", "after", "left"),
    [
        (PASSWORD, "ask for the password", True),
        (PASSWORD, f"the password is {key(15)}", True),
        (PASSWORD, None, True),
        (PASSWORD, f"{PASSWORD} and it is new", False),
        ("my phone is 13912345678", "my phone is in the book", True),
        ("my phone is 139１２３45678", "my phone is in the book", True),
        ("I like tea", "I like coffee", False),
        ("I like tea", None, False),
    ],
)
def test_what_an_edit_takes_out_is_known(before: str, after: str | None, left: bool) -> None:
    one, other = (
        Block("exp-aaaaaaaa", Payload(text), Trigger("")) if text is not None else None
        for text in (before, after)
    )
    assert one is not None and is_left_behind(one, other) is left


def test_a_secret_is_looked_for_without_its_name_unless_it_is_a_short_word() -> None:
    told = ["password: hunter2x", "我的身份证是110101199003077758", "password is 'ab c'"]
    assert [secrets_alone([text])[-1] for text in told] == ["hunter2x", "110101199003077758", told[2]]
    # A blank does not cut a number or an address, which others tell with or without their city.
    told = ["我的地址是上海市徐汇区漕溪北路 88 号", "我的電話是 138 0013 8000", "I live at 12 Baker Street"]
    assert [secrets_alone([text])[-1] for text in told] == [
        "漕溪北路 88 号",
        "138 0013 8000",
        "12 Baker Street",
    ]


def test_a_name_that_only_looks_like_a_key_stays() -> None:
    told = Episode("", "a", project="localhost/home/web-g52ib23b")
    assert kinds_of(told.project) and masked_record(told) == told
    secret = "acme/ghp_16C7e42F292c6912E7710c838347Ae178B4a"
    cut = masked_record(replace(told, project=secret, context={secret: 1, "os": "linux"}))
    assert (cut.project, cut.context) == ("acme…", {})
    learned = Block("exp-a", Payload("use rg"), project=told.project, key="distill-0123456789abcdef")
    assert not delicate(learned)
