"""Secrets and private facts are found in what is learned, and numbers that only look like them are not (DESIGN 7)."""

from __future__ import annotations

import random
from string import ascii_letters, digits

import pytest

from alice_exp.model.rules.private_facts import delicate
from alice_exp.model.values.block import Block, Payload, Trigger

_HEX = "0123456789abcdef"


def key(size: int, signs: str = ascii_letters + digits) -> str:
    """A made-up key: always the same of one size, and no real one, so that no scanner of secrets stops here."""
    return "".join(random.Random(size).choices(signs, k=size))


def kinds(text: str) -> list[str]:
    return [one.kind for one in delicate(Block("exp-aaaaaaaa", Payload(text), Trigger("")))]


FOUND = [
    ("a mobile number", "打用户的电话：186 1234 5678"),
    ("a mobile number", "用户手机 139-1234-5678，微信同号"),
    ("a mobile number", "手机１３８１２３４５６７８"),
    ("a mobile number", "call the user at +49 151 23456789"),
    ("a mobile number", "her number is +1 (415) 555-0132"),
    ("a mobile number", "call (212) 736-5000 before noon"),
    ("a mobile number", "reach me on +44 7700 900123"),
    ("a mobile number", "My cell: +1 646-555-0199"),
    ("an identity number", "身份证 510107197808120016 用于实名"),
    ("an identity number", "SSN 536-22-8741 is used for payroll"),
    ("a bank card", "银行卡 6222 0210 0011 2230"),
    ("a bank card", "Amex 3782 822463 10005"),
    ("an address", "收货地址：浙江省杭州市西湖区文三路478号"),
    ("an address", "家在上海市浦东新区锦绣路 1000 弄 8 号 602 室"),
    ("an address", "The user lives at 221B Baker Street, London"),
    ("an address", "ship to 1600 Amphitheatre Parkway, Mountain View"),
    ("an address", "Lieferung an Lindenstraße 14, 10969 Berlin"),
    ("a private e-mail address", "个人邮箱 xiaoming_1995@126.com"),
    ("an AWS key", "AWS_ACCESS_KEY_ID=AKIA" + key(16, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")),
    ("what looks like a key", "the other one is " + key(40, ascii_letters + digits + "/+")),
    ("a GitHub token", "clone with ghp_" + key(36)),
    ("an API key", "sk-proj-" + key(48)),
    ("an API key", "xoxb-" + key(12, digits) + "-" + key(24)),
    ("a signed token", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0." + key(43)),
    ("a private key", "-----BEGIN RSA PRIVATE" + " KEY-----"),
    ("a password in a URL", "DATABASE_URL=postgres://app:s3cr3t@db.internal:5432/app"),
    ("a password in a URL", "redis://:hunter2@cache:6379/0"),
    ("a password or key", "数据库密码是 Zx9!kd82"),
    ("a password or key", "登录口令为 tiger2024"),
    ("a password or key", "the wifi password is sunflower42"),
    ("a password or key", "curl --user bob:pa55word https://api"),
    ("a password or key", "api_key: " + key(32, _HEX)),
]


@pytest.mark.parametrize(("kind", "text"), FOUND)
def test_it_is_found(kind: str, text: str) -> None:
    assert kind in kinds(text)


INNOCENT = [
    "fixed in commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
    "cherry-pick 1a2b3c4d5e6f7a8b9c0d first",
    "uuid 550e8400-e29b-41d4-a716-446655440000 is the tenant",
    "ULID 01ARZ3NDEKTSV4RRFFQ69G5FAV",
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "npm integrity sha512-" + key(86, ascii_letters + digits + "+/") + "==",
    "trace id 4bf92f3577b34da6a3ce929d0e0e4736",
    "订单号 20260301123456789",
    "流水号 6222020000000000",
    "see issue #13812345678",
    "version 1.2.3-rc.4+build.5678, node v20.11.0",
    "timestamps such as 1700000000000 are in milliseconds",
    "测试编号 TC-13800138，工单 1381234567 已关闭",
    "ISBN 9787111213826, 快递单号 SF1234567890123",
    "write to support@company.com or git@github.com",
    "the token expires after 15 minutes, password reset links after one hour",
    "密码至少 12 位，令牌是一次性的，口令是每个人自己设的",
    "token = refresh_token(); password = os.environ['DB_PASSWORD']",
    "secret=${SECRET}, api_key=<your key>, PASSWORD=changeme",
    "postgres://localhost:5432/app and https://user@host/path",
    "docker run -u 1000:1000 image",
    "class AbstractSingletonProxyFactoryBeanConfigurationTests",
    "用户家在杭州，会议室在 3 号楼，走 318 国道",
    "the secret is to stay calm, the token is v2",
]


@pytest.mark.parametrize("text", INNOCENT)
def test_it_is_left_alone(text: str) -> None:
    assert kinds(text) == []
