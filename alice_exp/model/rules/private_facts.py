"""Finds private facts and secrets in what is learned: phone, identity and card numbers, addresses, keys (DESIGN 7).

Numbers are believed by their checksum, so that an order number is not taken for a card.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from alice_exp.kernel.text.data_files import LazyPattern
from alice_exp.kernel.text.display import one_line
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.rules.secrets import GUESSED, SECRETS, Finding, findings
from alice_exp.model.rules.secrets.secret_shape import Shape, always, likely

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from alice_exp.model.values.block import Evidence, Payload, Placed, Trigger


class Saying(Protocol):
    """What a block and a draft share: the words that it would keep."""

    @property
    def payload(self) -> Payload:
        """What to do or to believe."""

    @property
    def trigger(self) -> Trigger:
        """When."""

    @property
    def tags(self) -> Sequence[str]:
        """Words to filter by."""

    @property
    def evidence(self) -> Sequence[Evidence]:
        """Why it is believed."""


@dataclass(frozen=True, slots=True)
class Delicate:
    """Something that a person may not want to keep: its kind, and the field in which it stands (payload, trigger,
    tags, evidence)."""

    kind: str
    at: str


_TOLERATED = (*("a home path", "an IP address", "a network card's address", "an e-mail address"),)
_PUBLIC = "an SSH key"
"""Only the public half of one is ever written like this."""
"""What must not leave the machine, but is no secret on it."""

_PRIVATE_KEY = "a private key"
"""Its shape is the line in front of it."""
_REACHED_BY = ("a phone number", "a private e-mail address", "an address")

_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
_CHECKS = "10X98765432"
_OFFICE = LazyPattern(
    r"^(?:support|no[-_.]?reply|do[-_.]?not[-_.]?reply|info|contact|admin|help(?:desk)?|services?|sales|team|security"
    r"|hello|root|git|postmaster|webmaster|hostmaster|abuse|privacy|legal|billing|accounts?|finance|hr|jobs|careers"
    r"|recruit(?:ing|ment)?|press|media|marketing|news(?:letter)?|office|feedback|notifications?|alerts?|ops|devops|dev"
    r"|it|kefu|mailer-daemon|orders?|mail)@",
    re.IGNORECASE,
)


def is_identity_number(text: str) -> bool:
    """Whether 18 digits (the last may be X) are a mainland identity number by their checksum (GB 11643-1999)."""
    digits = text.upper()
    if not re.fullmatch(
        r"[1-9]\d{5}(?:18|19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{3}[\dX]", digits
    ):
        return False
    return _CHECKS[sum(w * int(d) for w, d in zip(_WEIGHTS, digits, strict=False)) % 11] == digits[17]


def is_card_number(text: str) -> bool:
    """Whether 13 to 19 digits, blanks and hyphens aside, pass the Luhn check and begin like a bank card."""
    digits = [int(character) for character in text if character.isdigit()]
    if not 13 <= len(digits) <= 19 or digits[0] not in (3, 4, 5, 6) or len(set(digits)) == 1:
        return False
    doubled = [digit * 2 - 9 * (digit > 4) if at % 2 else digit for at, digit in enumerate(reversed(digits))]
    return sum(doubled) % 10 == 0


def is_bank_account(text: str) -> bool:
    """Whether a text is an international bank account number by its check digits (ISO 13616, modulo 97)."""
    plain = text.replace(" ", "")
    if not 15 <= len(plain) <= 34:
        return False
    return int("".join(str(int(one, 36)) for one in plain[4:] + plain[:4])) % 97 == 1


def _is_private_mail(text: str) -> bool:
    return not _OFFICE.match(text)


def _is_phone_number(text: str) -> bool:
    return 8 <= sum(map(str.isdigit, text)) <= 15


def _by(holds: Callable[[str], bool]) -> Callable[[re.Match[str]], bool]:
    """Whether what matched is one by its own text."""
    return lambda match: holds(match[0])


def _is_known_sum(text: str, start: int, end: int) -> bool:
    """Whether a run without words is a digest, a commit, a UUID or a ULID, and nothing before it calls it a key."""
    digest = _DIGEST.fullmatch(text[start:end]) or _SUM_BEFORE.search(text, max(0, start - 12), start + 12)
    return bool(digest) and not _CALLED_KEY.search(text, max(0, start - 30), start)


_DIGEST = LazyPattern(
    r"[0-9a-f]{7,64}|[0-9a-f]{96}|[0-9a-f]{128}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
    r"|[0-7][0-9a-hjkmnp-tv-z]{25}",
    re.IGNORECASE,
)
_SUM_BEFORE = LazyPattern(r"\b(?:sha|md)\d{1,3}[-:= ]", re.IGNORECASE)
_CALLED_KEY = LazyPattern(r"key|token|secret|password|auth|密钥|令牌|密码|口令", re.IGNORECASE)


SHAPES = (
    Shape(
        "an identity number",
        LazyPattern(r"(?<![\dA-Za-z])\d{17}[\dXx](?![\dA-Za-z])"),
        _by(is_identity_number),
        17,
    ),
    # As forms part it, 6-8-4, and behind its word, where a digit may be mistyped.
    Shape(
        "an identity number",
        LazyPattern(
            r"(?:身份证|社会保障)(?:号码?|卡号?)?[是为：: ]{0,3}"
            r"[1-9]\d{5} ?(?:(?:18|19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01]) ?\d{3}[\dXx]|\d{9})(?![\dA-Za-z])"
        ),
        always,
        15,
        ("身份证", "社会保障"),
    ),
    Shape(
        "a bank account",
        LazyPattern(
            r"(?:社保|医保|公积金|银行|收款|对公|存折)(?:账号|账户|帐号|卡号|户号)"
            r"[是为：: ]{0,3}[A-Z]?\d(?:[ -]?\d){7,20}(?!\d)"
        ),
        always,
        8,
        ("社保", "医保", "公积金", "银行", "收款", "对公", "存折"),
    ),
    # The United States' social security number, whose parts are never all zero.
    Shape(
        "an identity number",
        LazyPattern(r"(?<![\d-])(?!000|666|9)\d{3}-(?!00)\d\d-(?!0000)\d{4}(?![\d-])"),
        always,
        9,
        ("-",),
    ),
    # Passports have no checksum that a text shows: the word stands before them.
    Shape(
        "an identity number",
        LazyPattern(
            r"(?:\b[Pp]assport\b|护照|通行证)[^\dA-Z\n]{0,16}"
            r"(?:[A-Z]{1,2}\d{7,8}|\d{9}|[A-Z]\d\d[A-Z\d]{6})(?![\dA-Za-z])"
        ),
        always,
        2,
        ("passport", "护照", "通行证"),
    ),
    # The United Kingdom's: account and sort code, National Insurance.
    Shape(
        "a bank account",
        LazyPattern(
            r"(?i:\b(?:sort[ -]code|account (?:number|no\b\.?))\W{0,3}(?:is )?)"
            r"(?:\d\d-\d\d-\d\d(?:\W{1,3}(?i:account) \d{6,10})?|\d{6,12})(?![\w-])"
        ),
        always,
        6,
        ("sort", "account"),
    ),
    Shape(
        "an identity number",
        LazyPattern(
            r"\b(?i:national insurance|ni n(?:umber|o)|nino)\b[^\dA-Z\n]{0,16}[A-Z]{2} ?(?:\d\d ?){3}[A-D]\b"
            r"|\b[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z](?: \d\d){3} [A-D]\b"
        ),
        always,
        6,
    ),
    Shape(
        "a bank account",
        LazyPattern(r"\b[A-Z]{2}\d{2}(?: ?[0-9A-Z]{4}){2,7}(?: ?[0-9A-Z]{1,3})?\b"),
        _by(is_bank_account),
        2,
    ),
    Shape(
        "a bank card",
        LazyPattern(r"(?<![\d.-])\d(?:[ -]?\d){12,18}(?![\dA-Za-z]|[.-][\dA-Za-z])"),
        _by(is_card_number),
        13,
    ),
    # With the word in front of it a number is one though a digit was mistyped.
    Shape(
        "a bank card",
        LazyPattern(
            r"(?i:\b(?:(?:credit|debit|bank|visa|amex)[ -]?card|card (?:number|no\b\.?|#)|visa|mastercard)"
            r"|卡号|信用卡|银行卡|储蓄卡)[^\d\n]{0,20}"
            r"[3-6]\d(?:[ -]?\d){11,17}(?![\dA-Za-z]|[.-][\dA-Za-z])"
        ),
        always,
        13,
        ("card", "visa", "卡"),
    ),
    Shape(
        "a phone number",
        LazyPattern(
            r"(?<![\d.#-])(?:(?:\+|00)86[ -]?)?1[3-9]\d[ -]?\d{4}[ -]?\d{4}(?![\dA-Za-z]|[.-][\dA-Za-z])"
            r"|(?<![\w+])\+\d{1,3}[ -]?(?:\(\d{1,4}\)[ -]?)?\d{2,5}(?:[ -]\d{2,7}){1,4}(?!\d|\.\d)"
            r"|(?<!\w)\(\d{3}\) ?\d{3}-\d{4}(?!\d)|(?<!\d)07\d{3} \d{6}(?!\d)"
            r"|(?<![\w.+-])(?:0\d{2} \d{4} \d{4}|0\d{3} \d{3} \d{4}|0\d{4} \d{6}|0\d{2,3}-\d{7,8})(?![\w-])"
            r"|\b(?i:mobile|cell|(?:tele)?phone|tel|fax|call|ring|dial|text|reach|number)\b\W{1,3}(?:\w+ ){0,4}?"
            r"(?:0\d{2,4}(?:[ -]?\d{3,4}){2}|\d{3}[-.]\d{3}[-.]\d{4})(?![\w-]|\.\d)"
        ),
        _by(_is_phone_number),
        8,
    ),
    Shape(
        "a private e-mail address",
        LazyPattern(
            r"(?<![\w.+-])[\w.+-]+@(?!example\.(?:com|org|net)\b|users\.noreply)[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}",
            re.ASCII,
        ),
        _by(_is_private_mail),
        signs=("@",),
    ),
    Shape(
        "an address",
        LazyPattern(
            r"[\u4e00-\u9fff]{2,12}(?:路|街|大道|胡同|巷|弄)[东西南北中一二三四五六七八九十]{0,2}[段路街]?\s?\d+\s?(?:号|弄)"
            r"|(?<!\d)\d+\s?(?:号楼|栋|幢|单元)\s?\d+\s?(?:室|单元|号)"
        ),
        always,
        1,
        ("号", "弄", "室", "单元"),
    ),
    Shape(
        "an address",
        LazyPattern(
            r"\b\d{1,5}[A-Z]? (?:[A-Z][a-z]+ ){1,3}"
            r"(?:Street|St|Avenue|Ave|Road|Rd|Lane|Ln|Drive|Dr|Boulevard|Blvd|Court|Ct|Parkway|Pkwy|Terrace|Square"
            r"|Highway|Hwy|Crescent|Place)\b"
            r"|\b\d{1,4}(?: bis| ter)?,? (?i:rue|boulevard|avenue|allée|chemin|quai|place) "
            r"(?:d[eu]s? |d'|l'|la |le )*[A-ZÉ]\w+"
            r"|\b[A-Z][a-zäöüß]+(?:straße|strasse|weg|allee|platz) \d{1,4}[a-z]?\b"
        ),
        always,
        1,
        (
            *(" st", " ave", " road", " rd", " lane", " ln", " dr", " boulevard", " blvd", " court", " ct"),
            *(" parkway", " pkwy", " terrace", " square", " highway", " hwy", " crescent", " place", " rue"),
            *(" allée", " chemin", " quai", "straße", "strasse", "weg", "allee", "platz"),
        ),
    ),
)


KINDS = (
    *dict.fromkeys(shape.what for shape in SHAPES),
    *(kind for kind in SECRETS if kind not in _TOLERATED),
)
"""Every kind that ``delicate`` finds."""


_NARROW = {wide: wide - 0xFEE0 for wide in range(0xFF10, 0xFF5B) if chr(wide).isalnum()} | {0xFF20: "@"}
"""Full-width letters and digits, and @, as Chinese input methods write them, to plain ones."""

_SIGN = LazyPattern(
    r"\d|@|://|-----|[!-~]{16}|pass|pwd|secret|token|key|credential|密码|口令|密钥|令牌", re.IGNORECASE
)
"""What a text has in which anything delicate stands: looking for it costs a tenth of looking for each kind."""


def texts_of(saying: Saying) -> dict[str, str]:
    """The texts of a block or draft in which something delicate may stand, by field."""
    trigger = saying.trigger
    surroundings = (f"{key}={value}" for key, value in trigger.context.items())
    return {
        "payload": "\n".join((saying.payload.content, *saying.payload.steps)),
        "trigger": "\n".join((trigger.text, *trigger.keywords, *surroundings)),
        "tags": "\n".join(saying.tags),
        "evidence": "\n".join(piece.quote for piece in saying.evidence),
    }


def delicate(saying: Saying) -> tuple[Delicate, ...]:
    """The secrets and private facts in a block or draft: each kind once a field, in the order of the fields."""
    texts = texts_of(saying)
    if not kinds_of("\n".join(texts.values())):
        return ()
    return tuple(Delicate(kind, at) for at, text in texts.items() for kind in kinds_of(text))


def is_private(saying: Saying) -> bool:
    """Whether what a block says, payload or trigger, holds a secret or a private fact: nobody is told it unasked."""
    return bool(kinds_of("\n".join(map(texts_of(saying).__getitem__, ("payload", "trigger")))))


def masked(text: str) -> str:
    """A text with its secrets and the numbers of cards, accounts and papers cut to their first characters, for who did
    not ask for these; how somebody is reached stays. Of a private key nothing is left."""
    plain = text if text.isascii() else text.translate(_NARROW)
    if not _SIGN.search(plain):
        return text
    known = _secrets(plain)
    if any(one.what == _PRIVATE_KEY for one in known):
        return "…"
    kept, last = [], 0
    for start, end in sorted((*_spans(known), *_spans(_facts(plain, _REACHED_BY)))):
        if start >= last:
            kept += [
                text[last:start],
                _FIRST.match(text[start : start + 4])[0] if end - start > 8 else "",
                "…",
            ]
        last = max(last, end)
    return "".join((*kept, text[last:]))


def masked_line(text: str, width: int = 200) -> str:
    """A prompt or a command as ``masked`` tells it, in one line of at most ``width`` characters."""
    return one_line(masked(text[: 5 * width]), width)


def is_left_behind(before: Saying, after: Saying | None) -> bool:
    """Whether words of a secret or private fact stood in ``before`` and stand nowhere in ``after`` (None: it is gone):
    only its older versions hold them now."""
    said = "\n".join(texts_of(before).values())
    plain = said if said.isascii() else said.translate(_NARROW)
    if not _SIGN.search(plain):
        return False
    spans = (*_spans(_secrets(plain)), *_spans(_facts(plain)))
    now = "\n".join(texts_of(after).values()) if after is not None else ""
    return any(said[start:end] not in now for start, end in spans)


def _spans(found: Iterable[Finding]) -> list[tuple[int, int]]:
    return [(one.start, one.end) for one in found]


def _facts(text: str, without: Collection[str] = ()) -> Iterator[Finding]:
    """The private facts in a text of plain letters."""
    for shape in likely(SHAPES, text):
        if shape.what not in without:
            for found in filter(shape.fits, shape.pattern.finditer(text)):
                yield Finding(shape.what, *found.span())


_FIRST = LazyPattern(r"\S*\s?")
"""What is left of a secret: no more than its first word, which says what it is."""


def masked_block(placed: Placed) -> Placed:
    """A block as ``masked`` tells it: payload and trigger."""
    block = placed.block
    payload = replace(
        block.payload, content=masked(block.payload.content), steps=tuple(map(masked, block.payload.steps))
    )
    trigger = replace(block.trigger, text=masked(block.trigger.text))
    return replace(placed, block=replace(block, payload=payload, trigger=trigger))


def _secrets(text: str) -> list[Finding]:
    """What is secret in a text of plain letters: no public key, no checksum."""
    known = findings(text, _TOLERATED)
    public = [one for one in known if one.what == _PUBLIC]
    return [
        one
        for one in known
        if not any(of.start <= one.start < of.end for of in public)
        and (one.what != GUESSED or not _is_known_sum(text, one.start, one.end))
    ]


def kinds_of(text: str) -> tuple[str, ...]:
    """The kinds of what is secret or private in a text."""
    text = text if text.isascii() else text.translate(_NARROW)
    if not _SIGN.search(text):
        return ()
    found = dict.fromkeys(
        shape.what for shape in likely(SHAPES, text) if any(map(shape.fits, shape.pattern.finditer(text)))
    )
    secrets = dict.fromkeys(one.what for one in _secrets(text))
    # What is known for a token looks like a key, too.
    return (*found, *(kind for kind in secrets if kind != GUESSED or len(secrets) == 1))
