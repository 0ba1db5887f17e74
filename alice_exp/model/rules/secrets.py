"""Finds what must not leave the machine in any text: home paths, addresses, keys, passwords (DESIGN 6, B2.27).

Other keys than those of ``data/secrets.txt`` are long runs without words. False alarms are preferred to misses.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from ipaddress import ip_address

from alice_exp.kernel.text.data_files import LazyPattern, paragraphs
from alice_exp.kernel.text.tokens import simple
from alice_exp.kernel.value_class import dataclass

GUESSED = "what looks like a key"
"""The kind of a long run without words: nobody knows whose key it would be."""

ODD = 8
"""The least number of letters and digits in such a run that are not part of a word."""


@dataclass(frozen=True, slots=True)
class Shape:
    """How one kind is written, whether a match is one, and what a text has that holds one: at least so many
    ``digits``, and one of ``signs`` (in lower case; none: any text), which costs a fiftieth of the shape."""

    what: str
    pattern: LazyPattern
    fits: Callable[[re.Match[str]], bool]
    digits: int = 0
    signs: tuple[str, ...] = ()


def shapes(path: str, checks: Mapping[str, Callable[[re.Match[str]], bool]]) -> tuple[Shape, ...]:
    """The shapes of a data file: ``kind; check NAME; digits NUMBER; flags NAME``, a line ``signs …`` (a blank within
    one is written ·), and the pattern. A kind ``part NAME`` fills ``{NAME}`` in the patterns behind it."""
    parts: dict[str, str] = {}
    found = []
    for title, *lines in paragraphs(path):
        kind, *said = title.split("; ")
        signs = lines.pop(0).split()[1:] if lines[0].startswith("signs ") else []
        pattern = re.sub(
            r"\{([a-z]+)\}", lambda named: parts[named[1]], "".join(line.strip() for line in lines)
        )
        if kind.startswith("part "):
            parts[kind[5:]] = pattern
            continue
        options = dict(one.split(" ") for one in said)
        fits = checks[options["check"]] if "check" in options else lambda _: True
        flags = re.RegexFlag[options.get("flags", "NOFLAG")]
        plain = tuple(sign.replace("·", " ") for sign in signs)
        found.append(Shape(kind, LazyPattern(pattern, flags), fits, int(options.get("digits", 0)), plain))
    return tuple(found)


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


def _is_real(match: re.Match[str]) -> bool:
    """Whether a key is none that documentation shows: ghp_xxxxxxxx…"""
    return not _EXAMPLE.search(match[0])


_EXAMPLE = LazyPattern(
    r"x{8}|placeholder|your[_-]|your\w{0,8}(?:key|token|secret|pass)|\.{3}|\*{3}", re.IGNORECASE
)
"""What stands for a key in documentation. A key with EXAMPLE in it may still be one."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that must not leave: its kind, and its span in the text (characters from 0)."""

    what: str
    start: int
    end: int


def findings(
    text: str, without: Collection[str] = (), among: Iterable[Shape] | None = None
) -> tuple[Finding, ...]:
    """Everything in a text that must not leave (or fits the shapes ``among``), in order of position; ``without`` are
    kinds not to look for."""
    text = simple(text)
    found = [
        Finding(shape.what, *match.span())
        for shape in likely(SHAPES if among is None else among, text)
        if shape.what not in without
        for match in shape.pattern.finditer(text)
        if shape.fits(match)
    ]
    return tuple(sorted(found, key=lambda one: (one.start, one.end)))


def _is_address(match: re.Match[str]) -> bool:
    """Whether a match is an IP address that reveals a place; loopback and the unspecified address do not."""
    try:
        address = ip_address(match[0])
    except ValueError:
        return False
    return not (address.is_loopback or address.is_unspecified) and any(map(str.isdigit, match[0]))


def _is_wordless(match: re.Match[str]) -> bool:
    """Whether enough of a run, a digit included, is left without its words and signs."""
    plain = [character for character in _WORDS.sub("", match[0]) if character.isalnum()]
    return len(plain) >= ODD and any(map(str.isdigit, plain)) and _is_real(match)


_WORDS = LazyPattern(
    r"(?<![A-Za-z0-9])(?:[A-Z]?[a-z]+|[A-Z]+)(?![A-Za-z0-9])|(?<![A-Za-z0-9])[A-Za-z]{3}(?=\d)"
    r"|[A-Z]?[a-z]{4,}|[A-Z]{4,}"
    # A day, in a file's name or with its time, is no key.
    r"|(?<!\d)(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?!\d)"
    r"|(?<!\d)(?:19|20)\d\d-[01]\d-[0-3]\d(?:T\d\d(?::?\d\d){0,2}Z?)?"
)


def _is_value(match: re.Match[str]) -> bool:
    """Whether the text assigned to a password or key is a real value rather than a placeholder or prose, as a plain
    word after a colon is ("token: expired") unless it is quoted."""
    value = _STOP.split(match["value"])[0].strip("\"'`,;.)")
    if len(value) < 4 or _TO_FILL.match(value) or _CODE.match(match["value"]) or _METHOD.fullmatch(value):
        return False
    if match["value"][0] in "\"'“‘「" and len(_WORD.findall(value)) > 1:
        return True
    if _JUMBLE.match(value):
        return True
    if match["sign"] in _LOOSE:
        is_count = match["sign"] == "to" and _COUNT.fullmatch(value)
        return any(map(str.isdigit, value)) and not value.isdigit() and not is_count
    return match["sign"] == "=" or not value.isalpha() or match["value"][0] in "\"'`"


_JUMBLE = LazyPattern("(?=[A-Za-z-]{8,}$)(?:[A-Za-z]*[A-Z][a-z][A-Z]|.*-[A-Za-z]*[a-z][A-Z])")
"""Letters alone whose case nobody would write in a word or a name: cJgQyVerdK, correct-horse-ZomHFw."""
_LOOSE = ("is", "to", " ")
"""What stands in prose, too ("the token is v2"): behind it a value has a digit and more."""


def _is_real_password(match: re.Match[str]) -> bool:
    """Whether the password in a URL is one: USER:PASSWORD@host shows where it would stand."""
    password = match["password"]
    return not (_TO_FILL.match(password) or _PLACE.fullmatch(password) or _EXAMPLE.search(password))


_TO_FILL = LazyPattern(
    r"[<${%*\[(]|x{3,}|\.{3}|(?:your|my|the|none|null|true|false|example|change_?me|redacted|placeholder)\b",
    re.IGNORECASE,
)


def _is_typed(match: re.Match[str]) -> bool:
    """Whether what stands behind the option of a command is a password, and not its place."""
    value = match["value"].strip("\"'")
    return len(value) >= 4 and not (_TO_FILL.match(value) or _PLACE.fullmatch(value))


_OWNED = LazyPattern(
    r"\b(?:\w+'s|my|your|our|his|her|the|use|enter|type|with|sim|bank|atm|card|phone|door|safe) $",
    re.IGNORECASE,
)


def _is_code(match: re.Match[str]) -> bool:
    """Whether what stands at a word for a code is one; to pin a version to 2024 is something else."""
    said = (match["word"] or "").lower() != "pin" or match["sign"] != " " or match["word"].isupper()
    return said or bool(_OWNED.search(match.string, max(0, match.start() - 20), match.start()))


_METHOD = LazyPattern(
    r"(?:sha|md|base|utf|argon|b?s?crypt|pbkdf|aes|des|rsa|ed|hs|rs|hmac|oauth|auth|totp|v|k)-?\d+|(?:每|至少|最少|不少于|不超过|超过|大于|小于)[\d\u4e00-\u9fff]*",
    re.IGNORECASE,
)
"""How a password is kept, or Chinese prose about it: bcrypt12, 每90天更换."""
_PLACE = LazyPattern(r"PASS(?:WORD|WD)?|PWD|SECRET|TOKEN|密码|口令")
_STOP = LazyPattern("[，。；、！？）]")
_CODE = LazyPattern(r"[A-Za-z_][\w.]*[(\[]|[A-Za-z_]+(?:\.[A-Za-z_]+)+\W*$")
"""An expression that gets the value from elsewhere: os.environ[…], refresh_token(), process.env.KEY."""
_WORD = LazyPattern(r"[^\W\d_]+")
_COUNT = LazyPattern(r"\d+-?[a-z]+|[a-z]+\d{1,2}")
"""How long or how many, or which one: 12-character, 7d, step2."""

# A pattern that would be tried from each character of a run, and read on to its end, takes the square of a long run: so
# a run is entered at its beginning, or what it may hold is bounded.
SHAPES = shapes(
    "model/rules/data/secrets.txt",
    {
        "real": _is_real,
        "wordless": _is_wordless,
        "address": _is_address,
        "password": _is_real_password,
        "value": _is_value,
        "code": _is_code,
        "typed": _is_typed,
    },
)

SECRETS = tuple(dict.fromkeys(shape.what for shape in SHAPES))
