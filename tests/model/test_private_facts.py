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
    ("a phone number", "打用户的电话：186 1234 5678"),
    ("a phone number", "用户手机 139-1234-5678，微信同号"),
    ("a phone number", "手机１３８１２３４５６７８"),
    ("a phone number", "call the user at +49 151 23456789"),
    ("a phone number", "her number is +1 (415) 555-0132"),
    ("a phone number", "call (212) 736-5000 before noon"),
    ("a phone number", "reach me on +44 7700 900123"),
    ("a phone number", "My cell: +1 646-555-0199"),
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
    ("a password or key", "宠医云的密码我设成了 Zhu1234@ab，别告诉别人"),
    ("a password or key", "口令已经换成 sesame88open"),
    ("a password or key", "WiFi密码给你：Zhu1234@ab"),
    ("a password or key", "新密码Zhu1234@ab，以后用这个登录"),
    ("a password or key", "门禁码改成4096了"),
    ("a password or key", "电脑PIN码是0923"),
    ("an identity number", "身份证 510107 19880312 4522"),
    ("an identity number", "社会保障号 510107880312452"),
    ("a bank account", "公积金账号是0280123456789"),
    ("a bank account", "收款账户 4402 2390 0910 0012 345"),
    ("a password or key", "the wifi password is sunflower42"),
    ("a password or key", "curl --user bob:pa55word https://api"),
    ("a password or key", "api_key: " + key(32, _HEX)),
    ("a password or key", "mysql -uroot -pZx9kQ2pLm shop"),
    ("a password or key", "docker login -u bot -p Tz83kkQm"),
    ("a password or key", "sshpass -p 'Gh7$kLm2' ssh deploy@web"),
    ("a password or key", "VPN 的密码改成 Sunny2024! 了"),
    ("a password or key", "the password for staging is nightowl88"),
    ("a password or key", "后台账号 admin/密码 Kp82hx!q"),
    ("a password or key", "门锁密码 259317"),
    ("a password or key", "企业邮箱授权码 abcdxyzwqrstuvmn 用来发信"),
    ("a password or key", "The pin of the office safe is 482915"),
    ("a password or key", "root:x9K!28vv on the NAS"),
    ("a password or key", "the gate code for my building: 90210#"),
    ("a password or key", "the safe combination is 12-34-56"),
    ("a password or key", "ssh into the box with password hunter2"),
    ("a password or key", "use the passphrase blue-horse-77 there"),
    ("a password or key", "log in as admin with s3cr3t!pass"),
    ("a password or key", "WPA2 key: tulip-garden-77"),
    ("a password in a URL", "jdbc:oracle:thin:scott/tiger@//db:1521/orcl"),
    ("an API key", "mails go out with SG." + key(22) + "." + key(43)),
    ("an API key", "阿里云 LTAI5t" + key(18)),
    ("a webhook address", "https://open.feishu.cn/open-apis/bot/v2/hook/" + key(32, _HEX)),
    ("a webhook address", "https://hooks.slack.com/services/T02AB3CD4/B05EF6/" + key(24)),
    ("a key in a URL", "GET https://api.corp.cn/v1/data?api_key=" + key(20, _HEX)),
    ("an identity number", "his passport is E12345678"),
    ("an identity number", "护照号 EA1234567"),
    ("an identity number", "my passport is C01X00T47"),
    ("an identity number", "passport number is 488839271"),
    ("a bank account", "IBAN DE89 3704 0044 0532 0130 00"),
    ("a bank card", "the card is 4111 1111 1111 1111."),
    ("a phone number", "老板的电话：13512345678."),
    ("a phone number", "mobile: 0412 345 678"),
    ("an address", "地址：成都市武侯区天府大道中段666号"),
    ("an address", "il habite 12 rue de Rivoli, Paris"),
    ("a password or key", "ssh in as root:toor99X"),
    ("a password or key", "use pwd hunter22x on the old box"),
    ("a bank card", "my card number is 4111 1111 1111 1112"),
    ("a bank card", "信用卡 6222 0212 3456 7890 123"),
]


@pytest.mark.parametrize(("kind", "text"), FOUND)
def test_it_is_found(kind: str, text: str) -> None:
    assert kind in kinds(text)


INNOCENT = [
    "密码改为每90天更换",
    "密码是 bcrypt12 算的",
    "密码都存1Password里",
    "密钥对用 ed25519，门禁系统升级到 v3.2",
    "银行接口版本 20250101，锁屏改成 3000 秒",
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
    "ghp_xxxxxxxxxxxxxxxxxxxxxxxx in tests, sk-your-api-key-goes-here",
    "amqp://USER:PASSWORD@host, mongodb://app:${PW}@db",
    "-----BEGIN PUBLIC KEY-----, -----BEGIN CERTIFICATE----- and -----BEGIN PGP SIGNATURE-----",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI" + key(43) + " lin@laptop",
    "邮件到 hr@company.com，notifications@shop.cn 只发不收",
    "版本 13812345678abc，13812345678.html 是测试文件",
    "set the password to 12-character minimum, pass the token to step2",
    "密码 3 次错误就锁定，密码 8 位起，授权码模式是 OAuth 的一种",
    "api_key=process.env.API_KEY, mysql -u root -p$MYSQL_PASSWORD, mysql -p prompts",
    "docker run -p 8080:80 nginx, pin numpy to 1.26",
    "https://maps.example.com/?key=YOUR_API_KEY_HERE https://shop.com/list?monkey=bananabananas",
    "key-value-store-benchmark-results r8_helper_functions_for_rendering_pages",
    "root:x:0:0:root:/root:/bin/bash, admin/dashboard2 is slow",
    "DE44 5001 0517 5407 3249 30 is no account, DE 2024 0001 0002 is a contract",
    "place 3 servers in zone B, 人民大道中段在修路",
    "hash it with password sha256-based, use password 12-character minimum, with password base64",
    "log in as guest with no password, sign in as root with sudo2, the exit code for the vault is 130",
    "use passport.js 0.4.1, passport authentication version 10203040 fails",
    "chown root:staff2 file",
    "image postgres:16-alpine, admin:8080",
    "use pwd to print the folder",
    "SIM card 8986012345678901234",
    "order 4111111111111112",
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
    [
        ("the wifi password is hunter22!x for guests", "the wifi pass… for guests"),
        ("card number 4111 1111 1111 1111, call +44 20 7946 0958", "card…, call +44 20 7946 0958"),
        ("PIN 4711, password hunter22!x", "…, pass…"),
        ("路由器密码是 abc12345，别外传", "路由器密码是 …"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END", "…"),
        ("use rg in commit 9fceb02d0ae598e95dc970b74767f19372d61af8", None),
    ],
)
def test_what_nobody_asked_for_is_cut_to_its_first_characters(text: str, told: str | None) -> None:
    assert masked(text) == (told or text)


@pytest.mark.parametrize(
    "text",
    [
        "0 verified there, possible in low_value/pending_20260301",
        "run tests/test_billing_v2_20260101.py first",
        "set ALICE_NOW=1900-01-01T00:00:00Z before the run",
        "see reports/2026-03-01/weekly-summary",
    ],
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
