"""Passwords, codes and whom they let in, as people write them: "the password is …", "PIN 4711", 账号 lily/Qw8#rain."""

from __future__ import annotations

import re

from alice_exp.kernel.text.data_files import LazyPattern
from alice_exp.model.rules.secrets.secret_shape import EXAMPLE, Shape, always, is_real


def _is_value(match: re.Match[str]) -> bool:
    """Whether the text assigned to a password or key is a real value rather than a placeholder or prose.

    A plain word after a colon is prose ("token: expired") unless it is quoted.
    """
    value = _STOP.split(match["value"])[0].strip("\"'`,;.)")
    if len(value) < 4 or _TO_FILL.match(value) or _CODE.match(match["value"]) or _METHOD.fullmatch(value):
        return False
    if match["value"][0] in "\"'“‘「" and len(_WORD.findall(value)) > 1:
        return True
    if match["sign"] in _LOOSE:
        is_count = match["sign"] == "to" and _COUNT.fullmatch(value)
        return any(map(str.isdigit, value)) and not value.isdigit() and not is_count
    return match["sign"] == "=" or not value.isalpha() or match["value"][0] in "\"'`"


_LOOSE = ("is", "to", " ")
"""What stands in prose, too ("the token is v2"): behind it a value has a digit and more."""


def _is_real_password(match: re.Match[str]) -> bool:
    """Whether the password in a URL is one: USER:PASSWORD@host shows where it would stand."""
    password = match["password"]
    return not (_TO_FILL.match(password) or _PLACE.fullmatch(password) or EXAMPLE.search(password))


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
_CHOSEN = (
    r"(?!(?-i:[A-Z]+-?\d+\b)|\S*://|\S+[=(])(?=[!-~]*\d)(?=[!-~]*[A-Za-z])(?=[!-~]*[!#$%^&*@~_-])"
    r"[^\s()\[\]<>{}/|，。；、\u4e00-\u9fff]{6,}"
)
"""A password that somebody chose: letters, a digit and a sign."""


def _is_code(match: re.Match[str]) -> bool:
    """Whether what stands at a word for a code is one; to pin a version to 2024 is something else."""
    said = (match["word"] or "").lower() != "pin" or match["sign"] != " " or match["word"].isupper()
    return said or bool(_OWNED.search(match.string, max(0, match.start() - 20), match.start()))


_ALGORITHM = "sha|md|base|utf|argon|b?s?crypt|pbkdf|aes|des|rsa|ed|hs|rs|hmac|oauth|auth|totp|v|k"
_TOLD = (
    r"(?:(?:我妈|我爸|我们?|你|他|她|用户|已经?|现在|暂时|还|一直|统一|都|就|今天|刚刚?|后来){0,4}"
    r"(?:(?:[改换设定变]|重置|更新|修改|定死)(?:成|为|的?是)了?|[换改]了|[改换]过?(?:来|后)?是"
    r"|是|叫|为|用的是|给你|发你|如下)[:：]? ?| )?"
)
"""What stands between the word for a password and the password, where somebody tells that it is so."""
_METHOD = LazyPattern(
    rf"(?:{_ALGORITHM})-?\d+|(?:每|至少|最少|不少于|不超过|超过|大于|小于)[\d\u4e00-\u9fff]*", re.IGNORECASE
)
"""How a password is kept, or Chinese prose about it: bcrypt12, 每90天更换."""
_PLACE = LazyPattern(r"PASS(?:WORD|WD)?|PWD|SECRET|TOKEN|密码|口令")
_STOP = LazyPattern("[，。；、！？）]")
_CODE = LazyPattern(r"[A-Za-z_][\w.]*[(\[]|[A-Za-z_]+(?:\.[A-Za-z_]+)+\W*$")
"""An expression that gets the value from elsewhere: os.environ[…], refresh_token(), process.env.KEY."""
_WORD = LazyPattern(r"[^\W\d_]+")
_COUNT = LazyPattern(r"\d+-?[a-z]+|[a-z]+\d{1,2}")
"""How long or how many, or which one: 12-character, 7d, step2."""

PASSWORDS = (
    Shape(
        "a password in a URL",
        LazyPattern(
            r"(?:\b[A-Za-z][A-Za-z0-9+.-]{0,30}://[^\s/@:]*:|\bjdbc:oracle:\w+:\w+/)(?P<password>[^\s/@]+)@"
        ),
        _is_real_password,
        signs=("@",),
    ),
    Shape(
        "a password or key",
        LazyPattern(
            r"(?:pass(?:word|wd|phrase)?|pwd|\bpw\b|secret|token|(?:api|access|secret|private)[_ -]?key|credentials?"
            r"|密码|口令|密钥|私钥|令牌|授权码|(?:wpa\d?|wi-?fi|network|hotspot) (?:code|key))"
            r"(?:[\"'`]?| (?:of|for|to|on|at|in) [\w' -]{1,40}?)\s*"
            r"(?P<sign>[=:：]|[改换设变][成为]|内容是|是|为|叫|\bis\b|\bto\b)\s*(?:(?:just|simply|still|now) )?"
            r"(?P<value>\"[^\"\n]{4,80}\"|'[^'\n]{4,80}'|“[^”\n]{2,80}”|[^\s]+)",
            re.IGNORECASE,
        ),
        _is_value,
        signs=(
            *("pass", "pw", "secret", "token", "key", "credential", " code"),
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
        always,
        signs=("码", "口令", "pin", "puk", "otp"),
    ),
    # 密码我设成了 Zhu1234@ab, 口令一直是heron2026x, 新密码Zhu1234@ab, 门禁码改成4096了, 手机PIN 0923
    Shape(
        "a password or key",
        LazyPattern(
            rf"(?:密码|口令|密钥|密匙|授权码|暗号){_TOLD}(?!(?:{_ALGORITHM})-?\d|\d\w*[位个次天]|[\w./-]*://|1password)"
            r"(?=[!-~]{0,40}\d)(?=[!-~]{0,40}[a-z])[!-~]{6,40}"
            r"|(?:密码|口令|(?:门禁|门锁|开门|开锁|解锁|取款|开机|支付|锁屏)码?"
            rf"|[\u4e00-\u9fff](?-i:PIN) ?码?|(?-i:PIN) ?码){_TOLD}"
            r"\d{4,8}(?![\d.-]| ?[位个次天年月条秒分张行字毫kmg%号])",
            re.IGNORECASE,
        ),
        is_real,
        1,
        ("密码", "口令", "密钥", "密匙", "授权码", "暗号", "门", "锁", "取款", "开机", "支付", "pin"),
    ),
    # password Kestrel99, pw Marsh-Tit-88, wifi code plover4451, Wi-Fi 暗号 heron2026
    Shape(
        "a password or key",
        LazyPattern(
            r"(?:(?:\b(?:pass(?:word|phrase|code|wd)|pwd?)\b|\b(?:user|login|admin)\b[^\n.;]{0,30}?\bpass\b)"
            r"(?: (?:of|for|to|on|at|in) [\w'-]{1,20})?(?P<sign> )(?=[!-~]*(?-i:[A-Z]|[!#$%^&*@~]))"
            r"|\b(?:wpa\d?|wi-?fi|network|hotspot) (?:code|key|pass)(?: is)? |(?:暗号|wi-?fi ?码|口令)[是为]? ?)"
            r"(?!(?-i:[A-Z]+-?\d+\b)|(?:sha|md|base|utf|argon|b?s?crypt|pbkdf|aes|oauth|v)-?\d|\d+-?[a-z]+\b|[a-z+-]*=|-)"
            r"(?=[!-~]*\d)(?=[!-~]*[A-Za-z])[^\s()\[\]<>{}/|，。；、\u4e00-\u9fff]{6,}",
            re.IGNORECASE,
        ),
        is_real,
        1,
        ("pass", "pw", "wpa", "wifi", "wi-fi", "network", "hotspot", "暗号", "口令"),
    ),
    # the login is lena / Wq7!mountain, 用 lena/Marsh88! 登录
    Shape(
        "a password or key",
        LazyPattern(
            rf"(?:\b(?:credentials?|log(?:ged)? ?in|sign(?:ed)? ?in|user(?:name)?|account)\b|账号|账户|登录)"
            rf"[^\n.;。；]{{0,30}}?\b[\w.@-]{{2,40}}(?: ?[:/：，] ?| and |, ){_CHOSEN}"
            rf"|用 ?[\w.@-]{{2,40}} ?/ ?{_CHOSEN} ?登录",
            re.IGNORECASE,
        ),
        is_real,
        1,
        ("credential", "login", "log in", "logged", "sign", "user", "account", "账号", "账户", "登录"),
    ),
    # passphrase: correct horse battery staple
    Shape(
        "a password or key",
        LazyPattern(
            r"\bpassphrase(?: (?:of|for|to|on) [\w' -]{1,40}?)?(?: is |\s*[:=]\s*)"
            r"(?!(?:[a-z]+ ){0,7}?(?:a|an|the|to|for|of|in|on|and|or|is|not|be|by|with|at|from|as|it|you|must|only)\b)"
            r"(?:[a-z]+[ -]){2,7}[a-z]+(?=[.,;\"']?(?:$|\n))",
            re.IGNORECASE,
        ),
        always,
        signs=("passphrase",),
    ),
    # root:toor99X
    Shape(
        "a password or key",
        LazyPattern(
            r"(?<![\w./-])(?<!chown )(?:root|admin|administrator):"
            r"(?=[A-Za-z]{0,99}\d)(?=\d{0,99}[A-Za-z])[A-Za-z0-9]{6,}(?![\w./(-])",
            re.IGNORECASE,
        ),
        is_real,
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
        is_real,
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
            r"\b(?:with|and|use|using|enter|type|try|is|by) (?:the |its )?"
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
        is_real,
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
)
"""How passwords and codes are written."""
