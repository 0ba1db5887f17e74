"""Finds what must not leave the machine in any text: home paths, addresses, keys, passwords (DESIGN 6, B2.27).

Known formats are matched by pattern; other keys are recognised as long runs without words. False alarms are preferred
to misses: the person is shown the place and can reword it.
"""

from __future__ import annotations

import re
from ipaddress import ip_address
from typing import TYPE_CHECKING

from alice_exp.kernel.text.data_files import LazyPattern
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.rules.secrets.secret_shape import Shape, always, is_real, likely
from alice_exp.model.rules.secrets.spoken_passwords import PASSWORDS

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

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
        Finding(shape.what, match.start(), match.end())
        for shape in likely(SHAPES, text)
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
    left = _WORDS.sub("", match[0])
    plain = [character for character in left if character.isalnum()]
    return len(plain) >= ODD and any(map(str.isdigit, plain)) and is_real(match)


_WORDS = LazyPattern(
    r"(?<![A-Za-z0-9])(?:[A-Z]?[a-z]+|[A-Z]+)(?![A-Za-z0-9])|(?<![A-Za-z0-9])[A-Za-z]{3}(?=\d)"
    r"|[A-Z]?[a-z]{4,}|[A-Z]{4,}"
    # A day, in a file's name or with its time, is no key.
    r"|(?<!\d)(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?!\d)"
    r"|(?<!\d)(?:19|20)\d\d-[01]\d-[0-3]\d(?:T\d\d(?::?\d\d){0,2}Z?)?"
)

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
        r"(?<![A-Za-z0-9_-])(?=[A-Za-z0-9_-]*?\beyJ[A-Za-z0-9_-]{8})[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{8,}",
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
        r"(?<![\w.+-])[\w.+-]+@(?!example\.(?:com|org|net)\b)[\w-]+(?:\.[\w-]+)+",
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
            is_real if "key" in what or "token" in what else always,
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
    *PASSWORDS,
    Shape(GUESSED, LazyPattern(rf"[A-Za-z0-9+/=_-]{{{LONG},}}"), _is_wordless),
)


SECRETS = tuple(dict.fromkeys(shape.what for shape in SHAPES))
"""Every kind that ``findings`` finds."""
