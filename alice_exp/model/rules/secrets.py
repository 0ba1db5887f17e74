"""Finds what must not leave the machine in any text: home paths, addresses, keys, passwords (DESIGN 6, B2.27).

Known formats are matched by pattern; other keys are recognised as long runs without words. False alarms are preferred
to misses: the person is shown the place and can reword it.
"""

from __future__ import annotations

import re
from ipaddress import ip_address
from typing import TYPE_CHECKING

from alice_exp.kernel.text.lazy_pattern import LazyPattern
from alice_exp.kernel.value_class import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

LONG = 20
"""The length in characters from which a run without words counts as a key."""

GUESSED = "what looks like a key"
"""The kind of such a run: nobody knows whose key it would be."""

ODD = 8
"""The least number of letters and digits in such a run that are not part of a word."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that must not leave: its kind, and its span in the text (characters from 0)."""

    what: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Shape:
    """How one kind is written, whether a match is one, and what a text has that holds one: at least so many
    ``digits``, and one of ``signs`` (in lower case; none: any text).

    Looking for a sign costs a fiftieth of looking for the shape, and few texts have any.
    """

    what: str
    pattern: LazyPattern
    fits: Callable[[re.Match[str]], bool]
    digits: int = 0
    signs: tuple[str, ...] = ()


def likely(shapes: Iterable[Shape], text: str) -> Iterator[Shape]:
    """Those shapes that a text may hold, by its digits and their signs."""
    lower = (text.translate(_LIKE_ASCII) if any(map(text.__contains__, _ODD_LETTERS)) else text).lower()
    digits = len(_DIGIT.findall(text))
    for shape in shapes:
        if digits >= shape.digits and (not shape.signs or any(map(lower.__contains__, shape.signs))):
            yield shape


_DIGIT = LazyPattern(r"\d")
_ODD_LETTERS = "\u017f\u0130\u0131\u212a"
_LIKE_ASCII = str.maketrans(_ODD_LETTERS, "siik")
"""What a pattern that ignores case takes for an ASCII letter, and ``lower`` does not."""


def findings(text: str, without: Collection[str] = ()) -> tuple[Finding, ...]:
    """Everything in a text that must not leave, in order of position; ``without`` are kinds not to look for."""
    found = [
        Finding(shape.what, match.start(), match.end())
        for shape in likely(SHAPES, text)
        if shape.what not in without
        for match in shape.pattern.finditer(text)
        if shape.fits(match)
    ]
    return tuple(sorted(found, key=lambda one: (one.start, one.end)))


def _always(_: re.Match[str]) -> bool:
    return True


def _is_address(match: re.Match[str]) -> bool:
    """Whether a match is an IP address that reveals a place; loopback and the unspecified address do not."""
    try:
        address = ip_address(match[0])
    except ValueError:
        return False
    return not (address.is_loopback or address.is_unspecified) and any(map(str.isdigit, match[0]))


def _is_wordless(match: re.Match[str]) -> bool:
    """Whether enough of a run, a digit included, is left without its words and signs."""
    left = _WORDS.sub("", match[0])
    plain = [character for character in left if character.isalnum()]
    return len(plain) >= ODD and any(map(str.isdigit, plain)) and _is_real(match)


def _is_value(match: re.Match[str]) -> bool:
    """Whether the text assigned to a password or key is a real value rather than a placeholder or prose.

    A plain word after a colon is prose ("token: expired") unless it is quoted.
    """
    value = _STOP.split(match["value"])[0].strip("\"'`,;.)")
    if len(value) < 4 or _TO_FILL.match(value) or _CODE.match(match["value"]):
        return False
    if match["sign"] in _LOOSE:
        is_count = match["sign"] == "to" and _COUNT.fullmatch(value)
        return any(map(str.isdigit, value)) and not value.isdigit() and not is_count
    return match["sign"] == "=" or not value.isalpha() or match["value"][0] in "\"'`"


_LOOSE = ("is", "to", " ")
"""What stands in prose, too ("the token is v2"): behind it a value has a digit and more."""


def _is_real(match: re.Match[str]) -> bool:
    """Whether a key is none that documentation shows: ghp_xxxxxxxx…"""
    return not _EXAMPLE.search(match[0])


def _is_real_password(match: re.Match[str]) -> bool:
    """Whether the password in a URL is one: USER:PASSWORD@host shows where it would stand."""
    password = match["password"]
    return not (_TO_FILL.match(password) or _PLACE.fullmatch(password) or _EXAMPLE.search(password))


_WORDS = LazyPattern(
    r"(?<![A-Za-z0-9])(?:[A-Z]?[a-z]+|[A-Z]+)(?![A-Za-z0-9])|(?<![A-Za-z0-9])[A-Za-z]{3}(?=\d)"
    r"|[A-Z]?[a-z]{4,}|[A-Z]{4,}"
    # A day, in a file's name or with its time, is no key.
    r"|(?<!\d)(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?!\d)"
    r"|(?<!\d)(?:19|20)\d\d-[01]\d-[0-3]\d(?:T\d\d(?::?\d\d){0,2}Z?)?"
)
_TO_FILL = LazyPattern(
    r"[<${%*\[(]|x{3,}|\.{3}|(?:your|my|the|none|null|true|false|example|change_?me|redacted|placeholder)\b",
    re.IGNORECASE,
)


def _is_typed(match: re.Match[str]) -> bool:
    """Whether what stands behind the option of a command is a password, and not its place."""
    value = match["value"].strip("\"'")
    return len(value) >= 4 and not (_TO_FILL.match(value) or _PLACE.fullmatch(value))


_CODES = (
    r"pin(?: code)?|puk(?: code)?|otp|pass(?:word|code)"
    r"|(?:unlock|door|gate|entry|garage|access|security|safe|alarm|vault|locker|one-time|login|sign-in|verification"
    r"|confirmation|recovery|2fa|mfa|sms|lock) (?:code|combination)"
)
"""What a number of four to eight digits opens."""
_OWNED = LazyPattern(
    r"\b(?:\w+'s|my|your|our|his|her|the|use|enter|type|with|sim|bank|atm|card|phone|door|safe) $",
    re.IGNORECASE,
)


def _is_code(match: re.Match[str]) -> bool:
    """Whether what stands at a word for a code is one; to pin a version to 2024 is something else."""
    said = (match["word"] or "").lower() != "pin" or match["sign"] != " " or match["word"].isupper()
    return said or bool(_OWNED.search(match.string, max(0, match.start() - 20), match.start()))


_EXAMPLE = LazyPattern(
    r"x{8}|placeholder|your[_-]|your\w{0,8}(?:key|token|secret|pass)|\.{3}|\*{3}", re.IGNORECASE
)
"""What stands for a key in documentation. A key with EXAMPLE in it may still be one."""
_PLACE = LazyPattern(r"PASS(?:WORD|WD)?|PWD|SECRET|TOKEN|密码|口令")
_STOP = LazyPattern("[，。；、！？）]")
_CODE = LazyPattern(r"[A-Za-z_][\w.]*[(\[]|[A-Za-z_]+(?:\.[A-Za-z_]+)+\W*$")
"""An expression that gets the value from elsewhere: os.environ[…], refresh_token(), process.env.KEY."""
_COUNT = LazyPattern(r"\d+-?[a-z]+|[a-z]+\d{1,2}")
"""How long or how many, or which one: 12-character, 7d, step2."""

# A pattern that would be tried from each character of a run, and read on to its end, takes the square of a long run: so
# a run is entered at its beginning, or what it may hold is bounded.
_PLAIN: Mapping[str, tuple[str, str]] = {
    "a private key": (
        "-----begin age-secret-key",
        r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----|AGE-SECRET-KEY-1[0-9A-Z]{10,}",
    ),
    "an AWS key": (
        "akia asia agpa aida aroa aipa anpa anva a3t",
        r"\b(?:AKIA|ASIA|AGPA|AIDA|AROA|AIPA|ANPA|ANVA|A3T[A-Z0-9])[A-Z0-9]{16}\b",
    ),
    "a GitHub token": (
        "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_",
        r"\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}",
    ),
    "an API key": (
        "sk- k_live_ k_test_ aiza hf_ glpat- npm_ xox pypi- sg. ltai akid :aa ya29. 1//0 whsec_ hvs.",
        r"\bsk-[A-Za-z0-9_-]{16,}|\b[sr]k_(?:live|test)_[A-Za-z0-9]{10,}|\bAIza[0-9A-Za-z_-]{30,}"
        r"|\bhf_[A-Za-z0-9]{20,}|\bglpat-[A-Za-z0-9_-]{16,}|\bnpm_[A-Za-z0-9]{30,}|\bxox[abeoprs]-[A-Za-z0-9-]{10,}"
        r"|\bpypi-[A-Za-z0-9_-]{30,}|\bSG\.[\w-]{16,}\.[\w-]{16,}|\bLTAI[A-Za-z0-9]{12,}|\bAKID[A-Za-z0-9]{13,}"
        r"|\b\d{8,10}:AA[\w-]{30,}|\bya29\.[\w-]{20,}|\b1//0[\w-]{20,}|\bwhsec_[A-Za-z0-9+/=]{20,}"
        r"|\bhvs\.[\w-]{20,}",
    ),
    "a webhook address": (
        "https://",
        r"\bhttps://(?:hooks\.slack\.com/(?:services|workflows)/\S{20,}"
        r"|(?:canary\.|ptb\.)?discord(?:app)?\.com/api/webhooks/\d+/\S{20,}"
        r"|open\.(?:feishu\.cn|larksuite\.com)/open-apis/bot/v2/hook/\S{20,}"
        r"|[\w-]+\.webhook\.office\.com/webhookb2/\S{20,}|maker\.ifttt\.com/trigger/[^\s/]{1,99}/with/key/\S+)",
    ),
    "a key in a URL": (
        "http:// https://",
        r"\bhttps?://\S{1,300}?[?&](?:(?:[\w-]{0,60}[_-])?(?:key|token)|api[kK]ey|accessToken|secret|sig|signature|auth)="
        r"(?=[^&\s]{0,99}\d)[A-Za-z0-9%._-]{12,}",
    ),
    "a signed token": (
        "eyj",
        r"(?<![A-Za-z0-9_-])(?>[A-Za-z0-9_-]*?\beyJ)[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]{8,}",
    ),
    "an SSH key": (
        "aaaa",
        r"\b(?:ssh-(?:rsa|dss|ed25519)|ecdsa-sha2-\S{1,40}|sk-ssh-\S{1,40}) +AAAA[A-Za-z0-9+/=]+",
    ),
    "a home path": (
        "/home/ /root/ ~ users",
        r"(?<![\w.])/(?:home|Users)/[\w.-]+|(?<![\w./])/root/\S|~/(?![.\s])\S|~[a-z_][\w-]*/"
        r"|\b[A-Za-z]:[\\/]{1,2}Users[\\/]{1,2}[^\s\\/]+|(?<![\w.])/var/home/[\w.-]+",
    ),
    "an e-mail address": (
        "@",
        r"(?<![\w.+-])[\w.+-]++@(?!example\.(?:com|org|net)\b)[\w-]+(?:\.[\w-]+)+",
    ),
    "a network card's address": (
        ": -",
        r"\b(?:[0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}\b",
    ),
}

SHAPES = (
    *(
        Shape(
            what,
            LazyPattern(pattern),
            _is_real if "key" in what or "token" in what else _always,
            signs=tuple(signs.split()),
        )
        for what, (signs, pattern) in _PLAIN.items()
    ),
    # Words may begin like these keys, and do not go on like them.
    Shape(
        "an API key",
        LazyPattern(
            r"\b(?:dop_v1|shp(?:at|ca|pa|ss)|dckr_pat|lin_api|gsk|r8|figd|sbp|key|glptt|ntn)[_-][A-Za-z0-9_-]{20,}"
        ),
        _is_wordless,
        signs=(
            *("dop_v1", "shpat", "shpca", "shppa", "shpss", "dckr_pat", "lin_api", "gsk", "r8"),
            *("figd", "sbp", "key_", "key-", "glptt", "ntn"),
        ),
    ),
    Shape(
        "a password in a URL",
        LazyPattern(
            r"(?:\b[A-Za-z][A-Za-z0-9+.-]{0,30}://[^\s/@:]*:|\bjdbc:oracle:\w+:\w+/)(?P<password>[^\s/@]+)@"
        ),
        _is_real_password,
        signs=("@",),
    ),
    Shape(
        "an IP address",
        LazyPattern(r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w]|\.\d)"),
        _is_address,
        4,
        (".",),
    ),
    Shape(
        "an IP address",
        LazyPattern(r"(?<![\w:.])(?:[0-9A-Fa-f]{0,4}:){2,7}[0-9A-Fa-f]{0,4}(?![\w:])"),
        _is_address,
        signs=(":",),
    ),
    Shape(
        "a password or key",
        LazyPattern(
            r"(?:pass(?:word|wd|phrase)?|pwd|secret|token|(?:api|access|secret|private)[_ -]?key|credentials?"
            r"|密码|口令|密钥|私钥|令牌|授权码|(?:wpa\d?|wi-?fi) key)(?:[\"'`]?| (?:of|for|to|on) [\w' -]{1,40}?)\s*"
            r"(?P<sign>[=:：]|[改换设变][成为]|内容是|是|为|叫|\bis\b|\bto\b)\s*(?P<value>[^\s]+)",
            re.IGNORECASE,
        ),
        _is_value,
        signs=(
            *("pass", "pwd", "secret", "token", "key", "credential"),
            *("密码", "口令", "密钥", "私钥", "令牌", "授权码"),
        ),
    ),
    # 账号 admin/密码 Kp82hx!q, 门锁密码 259317, 授权码 abcdxyzwqrstuvmn
    Shape(
        "a password or key",
        LazyPattern(r"(?:密码|口令)(?P<sign> )(?P<value>[!-~]{6,})"),
        _is_value,
        0,
        ("密码", "口令"),
    ),
    Shape(
        "a password or key",
        LazyPattern(
            r"(?:密码|口令|(?:验证|动态|登录|确认|恢复|门禁|门锁|开门|开锁|解锁|取款|安全)码|\b(?:PIN|PUK|OTP) ?码?)"
            r" ?(?:[=:：是为叫]\s?)?\d{4,8}(?![\d.-]| ?[位个次天年月条秒分张行字毫kKmM%])"
            r"|安全码 ?[是为]? ?\d{3}(?!\d)|授权码 ?[a-z]{16}\b"
            r"|(?<![\d.-])\d{4,8}(?=\)? ?是(?:[你您我]的)?[^\s，。；]{0,8}(?:密码|口令|验证码|动态码|PIN))"
        ),
        _always,
        signs=("码", "口令", "pin", "puk", "otp"),
    ),
    # root:toor99X
    Shape(
        "a password or key",
        LazyPattern(
            r"(?<![\w./-])(?<!chown )(?:root|admin|administrator):"
            r"(?=[A-Za-z]{0,99}\d)(?=\d{0,99}[A-Za-z])[A-Za-z0-9]{6,}(?![\w./(-])",
            re.IGNORECASE,
        ),
        _is_real,
        1,
        (":",),
    ),
    # root:x9K!28vv
    Shape(
        "a password or key",
        LazyPattern(
            r"\b(?:root|admin|administrator|sa|postgres|oracle|ubuntu) ?[:/] ?"
            r"(?=\S{0,99}\d)(?=\S{0,99}[A-Za-z])(?=\S{0,99}[!@#$%^&*?])[!-~]{6,}",
            re.IGNORECASE,
        ),
        _is_real,
        1,
        (":", "/"),
    ),
    # PIN 4711, the door code is 5512#, 493021 is your login code
    Shape(
        "a password or key",
        LazyPattern(
            rf"\b(?P<word>{_CODES})(?: (?:of|for|to|at|in|on) [\w' -]{{1,40}}?)?"
            r"(?P<sign>\s*[=:：]\s*| (?:is|was) | ?[(#]| )(?:\d{4,8}[#*]?|\d{2,3}(?:-\d{1,3}){2,3})(?![\w-]|\.\d"
            r"| (?:digits?|char\w*|letters?|numbers?|bytes|bits|times|lines|rows|tries|\w+(?:ages|pts|ions|nds|tes))\b)"
            rf"|(?<![\w.-])\d{{4,8}}(?= is (?:my|your|our|his|her|their|the)(?: [\w']+){{0,3}}? (?:{_CODES})\b)"
            r"|\bcv[vc]2?(?: code)?(?: is |[ :=]{1,2})\d{3,4}(?!\w)",
            re.IGNORECASE,
        ),
        _is_code,
        3,
        ("pin", "puk", "otp", "pass", " code", " combination", "cvv", "cvc"),
    ),
    # ssh in with password hunter2; log in as admin with s3cr3t!pass
    Shape(
        "a password or key",
        LazyPattern(
            r"(?:^|[,;(/] ?|\b(?:with|and|use|using|enter|type|try|is|by) (?:the |its )?)"
            r"(?:pass(?:word|phrase|code)|pwd)(?P<sign> )(?!(?:19|20)\d\d-\d|\d+-?[a-z]+\b"
            r"|(?:sha|md|base|utf|argon|scrypt|bcrypt|pbkdf|aes|oauth|v)-?\d)(?P<value>[!-~]{6,})",
            re.IGNORECASE,
        ),
        _is_value,
        1,
        ("pass", "pwd"),
    ),
    Shape(
        "a password or key",
        LazyPattern(
            r"\b(?:log|sign) ?in (?:\S{1,40} ){0,3}?as \S{1,40} (?:with|using) "
            r"(?=\S{0,99}\d)(?=\S{0,99}[A-Za-z])(?=\S{0,99}[!#$%^&*?])[!-~]{6,}",
            re.IGNORECASE,
        ),
        _is_real,
        1,
        ("log", "sign"),
    ),
    Shape(
        "a password or key",
        LazyPattern(
            r"\b(?:(?:mysql|mariadb)\w*\b[^\n|;]{0,200}? -p(?P<sign>)"
            r"|(?:sshpass|docker login|redis-cli|mongo\w*|ldap\w+)\b[^\n|;]{0,200}?"
            r" (?:-p|-a|-w|--pass(?:word)?)(?:[ =]))(?P<value>[^\s-]\S*)"
        ),
        _is_typed,
        signs=(" -",),
    ),
    Shape(
        "a password or key",
        LazyPattern(r"(?<!\S)(?:-u|--user)(?P<sign>[ =])[\w.@-]+:(?![\d:]+(?!\S))(?P<value>\S+)"),
        _is_value,
        signs=("-u",),
    ),
    Shape(GUESSED, LazyPattern(rf"[A-Za-z0-9+/=_-]{{{LONG},}}"), _is_wordless),
)


SECRETS = tuple(dict.fromkeys(shape.what for shape in SHAPES))
"""Every kind that ``findings`` finds."""
