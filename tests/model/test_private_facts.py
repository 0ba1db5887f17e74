"""Secrets and private facts are found in what is learned, and numbers that only look like them are not (DESIGN 7)."""

import random
import re
from string import ascii_letters, digits
from time import process_time

import pytest

from alice_exp.model.rules.private_facts import delicate, is_left_behind, masked
from alice_exp.model.rules.secrets import findings
from alice_exp.model.values.block import Block, Payload, Trigger
from tests.case_tables import cases

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


SPOKEN = """\
ssh root@box password Kestrel99
use user tess with pw Marsh-Tit-88
passphrase: correct horse battery staple
the portal login is tlindqvist / Wq7!mountainRiver
log in with tlindqvist:Wq7!mountainRiver
the credentials are admin and Wagtail!7
the VPN secret is "blue-heron-dusk"
the wifi code at the office is Otter_2291
sort code 20-00-00 account 55779911
my National Insurance number is QQ 12 34 56 C
ring her on 01225 331616
tel 020 7946 0018
The user's GP is Dr Bowen, ring 01225 331616
user: tess pass: Marsh-Tit-88
Netflix login: tess@mail.example / grebe!Diver2
账号 tess 密码 Marsh88!
用 tess/Marsh88! 登录后台
工号 1024，初始密码 Abc@2026
psql -h db with user app and password Tern_44x
the router admin pass is Curlew!19
my passphrase is "seven wet stones rolling"
sign in as jo with pw R3dshank!
credentials for staging: deploy / Dunlin-77
the guest wifi code is plover4451
our Wi-Fi password is simply grebelake7
account number 30918244, sort code 60-83-71
NI number AB 34 56 78 D
NINO: JG103759A
call the surgery on 0117 496 0102
phone 07700 900461 after six
fax: 0161 496 0550
the hidden secret is 'low tide at dawn'
login kestrel, password Fen!land22
user admin, pass Heron#2026
pw: snipe2snipe
测试账号 lily / Qw8#rain 只读
后台登录：admin，Sand!piper5
Wi-Fi 暗号 heron2026
数据库账户 app，口令 Tern_44x
办公室无线密码 grebe7788
密码：绿水青山99
口令是 "芝麻开门2026\
""".splitlines()
"""Passwords, accounts and numbers as they are written in prose."""

PROSE = """\
log in with github:oauth
the password field is required, the login page is slow
password managers are allowed
the secret is out, the credentials are stored in vault
use the login / logout buttons
sort code by date, sort code 3 ways
call the function on line 20000
ring buffer of 04096 entries
passphrase: ask Tom
the wifi code is in the drawer
the credentials are read-only and short-lived
login is slow on Mondays
the password is rotated every 90 days
the pass rate is 93.5
pass -- to git, pass --force2
use user tests with pytest-8
the secret is rotation, not length
log in with SSO
log in with user/password and 2FA
password hashing uses argon2id
the credentials are in .env and config.yml
account number formats differ by country
NI myDAQ 6009 driver
the phone number is optional
call 3 services on port 01883
tel: links open the dialer
login: required, email: optional
the code at the office is owned by Ana
wifi code is written in Rust
pass: 12, fail: 3
test pass 1203/1203
密码长度 12 位
登录后台要用 SSO
账号和密码分开存
口令是每个人自己设的
工号 1024 是测试人员
passphrase: optional, default none
the key to success is practice42
the login is shared / rotated
""".splitlines()
"""What speaks of passwords, and tells none."""


def test_what_is_said_in_prose_is_a_secret_where_it_tells_one() -> None:
    assert [text for text in SPOKEN if not kinds(text)] == []
    assert [text for text in PROSE if kinds(text)] == []


@pytest.mark.parametrize("text", CODES)
def test_no_code_is_told_to_whom_did_not_ask(text: str) -> None:
    number = max(re.findall(r"\d+", text), key=len)
    assert number not in masked(text)


@pytest.mark.parametrize(
    ("text", "told"),
    cases(__file__, "test_what_nobody_asked_for_is_cut_to_its_first_characters"),
)
def test_what_nobody_asked_for_is_cut_to_its_first_characters(text: str, told: str | None) -> None:
    assert masked(text) == (told or text)


@pytest.mark.parametrize(
    "text",
    cases(__file__, "test_a_day_in_a_name_is_no_key"),
)
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
