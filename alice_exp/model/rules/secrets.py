"""Finds what must not leave the machine in any text: home paths, addresses, keys, passwords (DESIGN 6, B2.27).

Known formats are matched by pattern; other keys are recognised as long runs without words. False alarms are preferred
to misses: the person is shown the place and can reword it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import ip_address
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

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


def findings(text: str, without: Collection[str] = ()) -> tuple[Finding, ...]:
    """Everything in a text that must not leave, in order of position; ``without`` are kinds not to look for."""
    found = [
        Finding(what, match.start(), match.end())
        for what, pattern, fits in _KINDS
        if what not in without
        for match in pattern.finditer(text)
        if fits(match)
    ]
    return tuple(sorted(found, key=lambda one: (one.start, one.end)))


def masked(text: str, finding: Finding) -> str:
    """The first characters of what was found: enough to search for it, too little to read it."""
    found = text[finding.start : finding.end]
    return f"{found[:4]}…" if len(found) > 8 else "…"


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
    return len(plain) >= ODD and any(map(str.isdigit, plain))


def _is_value(match: re.Match[str]) -> bool:
    """Whether the text assigned to a password or key is a real value rather than a placeholder or prose.

    A plain word after a colon is prose ("token: expired") unless it is quoted.
    """
    value = _STOP.split(match["value"])[0].strip("\"'`,;.)")
    if len(value) < 4 or _TO_FILL.match(value) or _CODE.match(match["value"]):
        return False
    if match["sign"] == "is":
        return any(map(str.isdigit, value)) and not value.isdigit()
    return match["sign"] == "=" or not value.isalpha() or match["value"][0] in "\"'`"


_WORDS = re.compile(
    r"(?<![A-Za-z0-9])(?:[A-Z]?[a-z]+|[A-Z]+)(?![A-Za-z0-9])|(?<![A-Za-z0-9])[A-Za-z]{3}(?=\d)"
    r"|[A-Z]?[a-z]{4,}|[A-Z]{4,}"
)
_TO_FILL = re.compile(
    r"[<${%*\[(]|x{3,}|\.{3}|(?:your|my|the|none|null|true|false|example|change_?me|redacted|placeholder)\b",
    re.IGNORECASE,
)
_STOP = re.compile("[，。；、！？）]")
_CODE = re.compile(r"[A-Za-z_][\w.]*[(\[]")
"""An expression that gets the value from elsewhere: os.environ[…], refresh_token()."""

_SHAPES: Mapping[str, str] = {
    "a private key": r"-----BEGIN [A-Z0-9 ]+-----|AGE-SECRET-KEY-1[0-9A-Z]{10,}",
    "an AWS key": r"\b(?:AKIA|ASIA|AGPA|AIDA|AROA|AIPA|ANPA|ANVA|A3T[A-Z0-9])[A-Z0-9]{16}\b",
    "a GitHub token": r"\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}",
    "an API key": r"\bsk-[A-Za-z0-9_-]{16,}|\b[sr]k_(?:live|test)_[A-Za-z0-9]{10,}|\bAIza[0-9A-Za-z_-]{30,}"
    r"|\bhf_[A-Za-z0-9]{20,}|\bglpat-[A-Za-z0-9_-]{16,}|\bnpm_[A-Za-z0-9]{30,}|\bxox[abeoprs]-[A-Za-z0-9-]{10,}"
    r"|\bpypi-[A-Za-z0-9_-]{30,}",
    "a signed token": r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}",
    "an SSH key": r"\b(?:ssh-(?:rsa|dss|ed25519)|ecdsa-sha2-\S+|sk-ssh-\S+) +AAAA[A-Za-z0-9+/=]+",
    "a password in a URL": r"\b[A-Za-z][A-Za-z0-9+.-]*://[^\s/@:]*:[^\s/@]+@",
    "a home path": r"(?<![\w.])/(?:home|Users)/[\w.-]+|(?<![\w./])/root/\S|~/(?![.\s])\S|~[a-z_][\w-]*/"
    r"|\b[A-Za-z]:[\\/]{1,2}Users[\\/]{1,2}[^\s\\/]+|(?<![\w.])/var/home/[\w.-]+",
    "an e-mail address": r"[\w.+-]+@(?!example\.(?:com|org|net)\b)[\w-]+(?:\.[\w-]+)+",
    "a network card's address": r"\b(?:[0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}\b",
}

_KINDS: tuple[tuple[str, re.Pattern[str], Callable[[re.Match[str]], bool]], ...] = (
    *((what, re.compile(pattern), _always) for what, pattern in _SHAPES.items()),
    ("an IP address", re.compile(r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w]|\.\d)"), _is_address),
    (
        "an IP address",
        re.compile(r"(?<![\w:.])(?:[0-9A-Fa-f]{0,4}:){2,7}[0-9A-Fa-f]{0,4}(?![\w:])"),
        _is_address,
    ),
    (
        "a password or key",
        re.compile(
            r"(?:pass(?:word|wd|phrase)?|pwd|secret|token|(?:api|access|secret|private)[_ -]?key|credentials?"
            r"|密码|口令|密钥|令牌)[\"'`]?\s*(?P<sign>[=:：]|是|为|\bis\b)\s*(?P<value>[^\s]+)",
            re.IGNORECASE,
        ),
        _is_value,
    ),
    (
        "a password or key",
        re.compile(r"(?<!\S)(?:-u|--user)(?P<sign>[ =])[\w.@-]+:(?![\d:]+(?!\S))(?P<value>\S+)"),
        _is_value,
    ),
    (GUESSED, re.compile(rf"[A-Za-z0-9+/=_-]{{{LONG},}}"), _is_wordless),
)


SECRETS = tuple(dict.fromkeys(what for what, _, _ in _KINDS))
"""Every kind that ``findings`` finds."""


def texts(value: object, place: str = "") -> Iterator[tuple[str, str]]:
    """Every text in a JSON value with its place, e.g. ``payload.steps[2]``; keys of objects are texts too."""
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            below = f"{place}.{key}" if place else str(key)
            yield below, str(key)
            yield from texts(inner, below)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from texts(inner, f"{place}[{index}]")
