"""Finds private facts and secrets in what is learned: phone, identity and card numbers, addresses, keys (DESIGN 7).

Numbers are believed by their checksum, so that an order number is not taken for a card.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any

from alice_exp.kernel.text.data_files import LazyPattern
from alice_exp.kernel.text.display import one_line
from alice_exp.kernel.text.tokens import simple
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.rules.secrets import GUESSED, SECRETS, Finding, findings, likely, shapes
from alice_exp.model.values.block import HELD, Block, Place, Placed, path_of
from alice_exp.model.values.config import namespace_for


@dataclass(frozen=True, slots=True)
class Delicate:
    """Something that a person may not want to keep: its kind, and the field in which it stands (payload, trigger,
    tags, names, evidence)."""

    kind: str
    at: str


_TOLERATED = ("a home path", "an IP address", "a network card's address", "an e-mail address")
"""What must not leave the machine, but is no secret on it."""
_PUBLIC = "an SSH key"
"""Only the public half of one is ever written like this."""

_PRIVATE_KEY = "a private key"
"""Its shape is the line in front of it."""
_ADDRESS = "an address"
_REACHED_BY = ("a phone number", "a private e-mail address", _ADDRESS)

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
_CALLED_KEY = LazyPattern(r"key|token|secret|password|auth|bearer|密钥|令牌|密码|口令", re.IGNORECASE)

SHAPES = shapes(
    "model/rules/data/private_facts.txt",
    {
        "identity": lambda match: is_identity_number(match[0]),
        "card": lambda match: is_card_number(match[0]),
        "account": lambda match: is_bank_account(match[0]),
        "phone": lambda match: 8 <= sum(map(str.isdigit, match[0])) <= 15,
        "mail": lambda match: not _OFFICE.match(match[0]),
    },
)

KINDS = (
    *dict.fromkeys(shape.what for shape in SHAPES),
    *(kind for kind in SECRETS if kind not in _TOLERATED),
)

_NARROW = {wide: wide - 0xFEE0 for wide in range(0xFF10, 0xFF5B) if chr(wide).isalnum()} | {0xFF20: "@"}
"""Full-width letters and digits, and @, as Chinese input methods write them, to plain ones."""

_SIGN = LazyPattern(
    r"\d|@|://|-----|[!-~]{16}|pass|pwd|secret|token|key|credential|phrase|mnemonic|密码|口令|密钥|令牌|助记词",
    re.IGNORECASE,
)
"""What a text has in which anything delicate stands: looking for it costs a tenth of looking for each kind."""


_UNSEEN = _NARROW | dict.fromkeys((0xAD, *range(0x200B, 0x2010), 0x2060, 0xFEFF))
"""The same, and nothing for signs of no width, which part a word unseen."""


def texts_of(block: Block) -> dict[str, str]:
    """The texts of a block or draft in which something delicate may stand, by field."""
    trigger = block.trigger
    names = (block.key, block.project, block.suggested, block.origin, *(one.ref for one in block.evidence))
    surroundings = (f"{key}={value}" for key, value in trigger.context.items())
    return {
        "payload": "\n".join((block.payload.content, *block.payload.steps)),
        "trigger": "\n".join((trigger.text, *trigger.keywords, *surroundings)),
        "tags": "\n".join(block.tags),
        "names": "\n".join(filter(_names_a_secret, names)),
        "evidence": "\n".join(text for one in block.evidence for text in (one.quote, one.scenario)),
    }


def _names_a_secret(text: str) -> bool:
    # An id or a hash in a name looks like a key; most names are too short for any, and are not looked at.
    return len(text) > 15 and kinds_of(text) not in ((), (GUESSED,))


def delicate(block: Block) -> tuple[Delicate, ...]:
    """The secrets and private facts in a block or draft: each kind once a field, in the order of the fields."""
    texts = texts_of(block) if kinds_of("\n".join(texts_of(block).values())) else {}
    return tuple(Delicate(kind, at) for at, text in texts.items() for kind in kinds_of(text))


def pool_path(block: Block, day: str) -> str:
    """Where a new candidate waits: in the pool's file of a ``day`` (YYYYMMDD), outside of git if a secret or a private
    fact is in it."""
    return HELD if delicate(block) else path_of("low_value", f"pending_{day}")


def destination(block: Block) -> str:
    """The path to which approval takes a candidate: personal if about the user or delicate, as universal may be shared;
    else as suggested or by type (B2.17, B2.18)."""
    place: Place = "personal" if block.about == "user" or delicate(block) else "universal"
    named, _, name = block.suggested.partition("/")
    return path_of(place, name if name and named == place else namespace_for(place, block.type))


def is_private(block: Block) -> bool:
    """Whether what a block says, payload or trigger, holds a secret or a private fact: nobody is told it unasked."""
    return bool(kinds_of("\n".join(map(texts_of(block).__getitem__, ("payload", "trigger")))))


def masked(text: str, *, is_name: bool = False) -> str:
    """A text with its secrets and the numbers of cards, accounts and papers cut to their first characters; how somebody
    is reached stays. Of a private key nothing is left. A name that only looks like a key stays, or two would be one."""
    if is_name and not _names_a_secret(text):
        return text
    found = _private(text, _REACHED_BY)
    if any(one.what == _PRIVATE_KEY for one in found):
        return "…"
    kept, last = [], 0
    for one in sorted(found, key=lambda one: (one.start, one.end)):
        if one.start >= last:
            first = _FIRST.match(text[one.start : one.start + 4])[0] if one.end - one.start > 8 else ""
            kept += [text[last : one.start], first, "…"]
        last = max(last, one.end)
    return "".join((*kept, text[last:]))


def masked_record(value: Any, *, is_name: bool = False) -> Any:
    """A record with its texts as ``masked`` tells them, whichever field they stand in; JSON with something secret or
    private in it, keys included, is emptied."""
    if isinstance(value, str):
        return masked(value, is_name=is_name)
    if isinstance(value, tuple):
        return tuple(map(masked_record, value))
    if is_dataclass(value):
        told = {one.name: getattr(value, one.name) for one in fields(value)}
        return replace(value, **{at: masked_record(of, is_name=at == "project") for at, of in told.items()})  # type: ignore[type-var]
    return type(value)() if kinds_of(str(value)) else value


def masked_line(text: str) -> str:
    """A prompt or a command as ``masked`` tells it, in one line of at most 200 characters."""
    return one_line(masked(text[:1000]), 200)


def is_left_behind(before: Block, after: Block | None) -> bool:
    """Whether words of a secret or private fact stood in ``before`` and stand nowhere in ``after`` (None: it is gone):
    only its older versions hold them now."""
    now = "\n".join(texts_of(after).values()) if after is not None else ""
    return any(word not in now for word in private_words(texts_of(before).values()))


def secrets_alone(texts: Iterable[str]) -> list[str]:
    """The secrets and private facts in texts, those of four signs or more without what names them ("hunter2")."""
    return [alone if len(alone) > 3 else words for words, alone in _worded(texts)]


def private_words(texts: Iterable[str]) -> list[str]:
    """The secrets and private facts in texts, as these say them."""
    return [words for words, _ in _worded(texts)]


def _worded(texts: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Each of them as it stands, and without what leads to it. A blank between digits is part of a number, and every
    blank of an address, which is known by its street wherever its city is left out."""
    said = "\n".join(texts)
    for one in _private(said):
        words = said[one.start : one.end]
        yield words, (_TO_STREET if one.what == _ADDRESS else _TO_VALUE).split(words)[-1].strip()


_TO_VALUE = LazyPattern(r"(?<!\d)\s|\s(?!\d)|[:：=是为為]")
_TO_STREET = LazyPattern("[:：=是为為在到市区區县縣]")


def _private(text: str, without: Collection[str] = ()) -> list[Finding]:
    plain = simple(text).translate(_NARROW)
    return [*_secrets(plain), *findings(plain, without, SHAPES)] if _SIGN.search(plain) else []


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
    text = simple(text).translate(_UNSEEN)
    if not _SIGN.search(text):
        return ()
    found = dict.fromkeys(
        shape.what for shape in likely(SHAPES, text) if any(map(shape.fits, shape.pattern.finditer(text)))
    )
    secrets = dict.fromkeys(one.what for one in _secrets(text))
    # What is known for a token looks like a key, too.
    return (*found, *(kind for kind in secrets if kind != GUESSED or len(secrets) == 1))
