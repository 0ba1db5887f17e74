"""The tokeniser of replies, in Chinese and English; its words stand in ``review/rules/data/reply_words.txt``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

from alice_exp.kernel.text.bilingual_lexicon import DIGITS, chinese_number
from alice_exp.kernel.text.data_files import word_lists
from alice_exp.kernel.text.tokens import simple as simplified
from alice_exp.kernel.value_class import dataclass

Verb = Literal["approve", "reject", "later"]

_LISTS = word_lists("review/rules/data/reply_words.txt")
NAMED = {word: value for value, word in enumerate(_LISTS["one"], start=1)}
_MOST_DIGITS = 9
_HIGHEST = 999
"""The highest number of a report's item."""


def either(words: object) -> str:
    """A pattern of words, longest first, because ``re`` takes the first alternative that matches."""
    written = sorted(words, key=len, reverse=True)  # type: ignore[call-overload]
    return "|".join(
        re.escape(word).replace("_", r"\s+")
        + (r"(?![a-z'])" if word[-1].isascii() and word[-1].isalpha() else "")
        for word in written
    )


KINDS = {
    word: kind
    for kind, words in _LISTS.items()
    if kind not in ("reason", "no number", "one")
    for word in words
}
_ZH = "[零一二两三四五六七八九十百]+"
NUMERAL = rf"(?:[0-9]+|{_ZH}|(?:{either(NAMED)}))"
_CLASSIFIER = "[条个项]"
_TOKEN = re.compile(
    r"(?P<id>exp-[a-z2-9]{1,8}(?![a-z0-9]))"
    rf"|(?:group|第?组)\s*(?P<group>{NUMERAL})|第\s*(?P<nth>{NUMERAL})\s*组"
    rf"|(?P<odd>[0-9]+[.:：][0-9]+|![^\s,，.。;；!！)）]|[~-]\s*{NUMERAL}|\.\.+)"
    rf"|(?:第\s*)?(?P<low>{NUMERAL})(?:\s*{_CLASSIFIER}|\s*号)?"
    rf"(?:(?:-|–|—+|~|\.\.+)\s*|\s+(?:-|–|—+|~)\s+|\s*(?:到|至|to\b|through\b)\s*)(?:第\s*|the\s+)?(?P<high>{NUMERAL})"
    rf"|第\s*(?P<ordinal>{NUMERAL})(?:\s*{_CLASSIFIER})?"
    rf"|(?P<known>{either(word for word in KINDS if word[0] in DIGITS)})"
    rf"|(?P<number>{NUMERAL})(?P<counted>\s*{_CLASSIFIER})?"
    rf"|(?P<no>no\.(?=\s*[0-9]))"
    rf"|(?P<word>{either(KINDS)})"
    r"|(?P<unknown>[a-z]+(?:'[a-z]+)*|\S)",
    re.IGNORECASE,
)
_RUN = re.compile(r"[^\W\da-zA-Z_]{2,40}")
_TIGHT = re.compile(r"[,;./](?=[0-9a-z第#])", re.IGNORECASE)
_BLANKS = re.compile(r"[^\S\n]+")
_REASON = re.compile(rf"[,，]?\s*(?:{'|'.join(_LISTS['reason'])})\s*", re.IGNORECASE)
_NO_NUMBER = re.compile("|".join(_LISTS["no number"]))
_PART = re.compile(r"[^,，;；。.!！\n]*[,，;；。.!！\n]*")
_NOT_PASSED = re.compile(r"不过(?=\s*(?:[，,；;。.！!\n]|$))")
_HINTS = frozenset(("odd", "number", "id", "group", "except", "but not", "excluded", "outside"))
"""What a reason does not hold, since it may belong to a decision."""

# Full-width forms of ASCII become ASCII, except for Chinese punctuation.
_NARROW: dict[int, int | str] = {
    **{code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F) if chr(code) not in "，；：！？（）"},
    **{0x2460 + number: f" {number + 1} " for number in range(20)},  # ① to ⑳
    **dict.fromkeys((0xFE0F, *range(0x1F3FB, 0x1F400)), ""),  # how an emoji is drawn, and its colour
    ord("’"): "'",
    ord("\r"): "\n",
}


@dataclass(frozen=True, slots=True)
class Token:
    """A word that counts: ``kind`` is its list's heading, else number, id, group, reason, or what is odd; ``value`` the
    verb, id, subject or reason. ``is_loose``: a numeral that may count ("two"), or a verb that a negation turned."""

    kind: str
    text: str
    value: str = ""
    numbers: tuple[int, ...] = ()
    is_loose: bool = False


def tokens(text: str) -> list[Token]:
    """The words of a reply that count, in order. Of kind ``unknown``, ``odd`` and the like are those to ask back."""
    found: list[Token] = []
    for token in _raw(text.translate(_NARROW)):
        _join(token, found)
    if found and found[-1].kind == "turning":
        found[-1] = replace(found[-1], kind="alone")
    return found


def simple(text: str) -> str:
    """A text in simplified characters, one for each of its own; 著 is left to 著名 elsewhere."""
    return simplified(text).replace("著", "着")


def _join(token: Token, found: list[Token]) -> None:
    """Add a token to those before it: a negation turns a verb, "first one" is one number, 3 错了 is a verdict."""
    before = found[-1] if found else None
    kind = before.kind if before is not None else ""
    if token.kind in ("verb", "wrong", "passed") and (
        # 不要 3 rejects 3, 不要删 3 leaves it alone.
        kind in ("turning", "but not") or (before is not None and before.text == "不要")
    ):
        if token.text.lower() == "keep":
            # "Don't keep 3" may leave it alone, and more likely rejects it.
            found[-1:] = [Token("alone", f"{before.text if before else ''} keep")]
            return
        found[-1:] = [Token("but", "but")] * (kind == "but not")
        found.append(Token("verb", f"{before.text if before else ''} {token.text}", "later", is_loose=True))
        return
    if kind == "turning":
        # "approve 1-5, not 3" leaves out 3; any other negation is asked back.
        named = token.kind in ("number", "id", "group") and found[-1].text.lower() == "not"
        found[-1] = replace(found[-1], kind="except" if named else "alone")
    if token.kind in ("wrong", "passed"):
        is_verdict = kind in ("number", "id")
        verb = "reject" if token.kind == "wrong" else "approve"
        found.append(Token("verb", token.text, verb) if is_verdict else replace(token, kind="unknown"))
    elif token.text.lower() == "to" and kind == "verb":
        return
    elif token.kind == "no":
        found += [] if kind == "verb" else [replace(token, kind="odd")]
    elif token.kind in ("number", "counted"):
        at = len(found) - 1 - (kind == "joint")
        beside = at >= 0 and found[at].kind in ("number", "counted")
        if beside:
            # 3条 may be how many; 3条和5条 are two numbers; 3 两条 says how many.
            found[at] = replace(found[at], kind="number")
        found.append(replace(token, kind="odd" if token.text[0] == "两" else "number") if beside else token)
    else:
        found.append(token)


def _raw(written: str) -> Iterator[Token]:
    text = simple(written)
    at = 0
    while at < len(text):
        if blank := _BLANKS.match(text, at):
            at = blank.end()
        elif reason := _REASON.match(text, at):
            at, why = _reason(text, reason.end(), written)
            yield why
        elif text[at] == "\n":
            yield Token("stop", "")
            at += 1
        elif passed := _NOT_PASSED.match(text, at):
            yield Token("wrong", passed[0])
            at = passed.end()
        elif tight := _TIGHT.match(text, at):
            # "1,2" is one list, whatever stands behind it.
            yield Token("joint", tight[0])
            at += 1
        else:
            match = _TOKEN.match(text, at)
            assert match is not None
            # What is not understood is quoted up to the next blank, mark or number.
            run = _RUN.match(text, at) if match["unknown"] else None
            if (token := _token(match)) is not None:
                yield replace(token, text=written[at : run.end()]) if run else token
            at = (run or match).end()


def _token(match: re.Match[str]) -> Token | None:
    text = match[0].strip()
    kind = match.lastgroup or ""
    if kind == "counted" or kind == "number":
        return _numbers(text, match["number"], "counted" if match["counted"] else "number")
    if kind in ("group", "nth"):
        return _numbers(text, match["group"] or match["nth"], "group")
    if kind == "ordinal":
        return _numbers(text, match["ordinal"], "number", is_nth=True)
    if kind == "high":
        low, high = number_of(match["low"]), number_of(match["high"])
        if low is None or high is None or low >= high or high > _HIGHEST:
            return Token("odd", text)
        return Token("number", f"{low}-{high}", numbers=tuple(range(low, high + 1)))
    if kind == "id":
        return Token("id", text, text.lower())
    return _word(text) if kind in ("word", "known") else Token(kind, text)


def _word(text: str) -> Token | None:
    heading = KINDS.get(re.sub(r"\s+", "_", text.lower()), "unknown")
    if heading == "passed over":
        return None
    if heading in ("approve", "reject", "later"):
        return Token("verb", text, heading)
    kind, _, value = heading.partition(" ") if heading.startswith("about") else (heading, "", "")
    return Token(kind, text, value)


def _numbers(text: str, numeral: str, kind: str, *, is_nth: bool = False) -> Token:
    value = number_of(numeral)
    digits = [DIGITS.get(character, 0) for character in numeral]
    if len(numeral) > 1 and all(digits) and digits == sorted(set(digits)):
        # 四六七 are three, since they rise and none counts tens.
        return Token(kind, " ".join(map(str, digits)), numbers=tuple(digits))
    if value is None:
        return Token("odd", text[: _MOST_DIGITS + 1])
    is_loose = not is_nth and (numeral.lower() in NAMED or numeral == "两")
    return Token(kind, text if kind != "number" else str(value), numbers=(value,), is_loose=is_loose)


def number_of(numeral: str) -> int | None:
    """A whole number in digits, English words up to twelve, or Chinese numerals up to 999; None where it is none."""
    if numeral.isdigit():
        return int(numeral) if len(numeral) <= _MOST_DIGITS else None
    return NAMED[numeral.lower()] if numeral.lower() in NAMED else chinese_number(numeral)


def _reason(text: str, start: int, written: str) -> tuple[int, Token]:
    """Where a reason that begins at ``start`` ends, and its token: it goes on over marks up to a part that names or
    decides something. What holds a number, an exception or another decision is asked back."""
    end = start
    held: list[Token] = []
    while end < len(text):
        part = _PART.match(text, end)
        assert part is not None
        inside = tuple(token for token in map(_token, _TOKEN.finditer(_NO_NUMBER.sub("", part[0]))) if token)
        kinds = {token.kind for token in inside}
        if end > start and (kinds & _HINTS or ("verb" in kinds and kinds & {"all", "rest"})):
            break
        held += inside
        end = part.end()
    said = written[start:end].strip(" \t\n,，;；。.!！")
    verbs = [token.value for token in held if token.kind == "verb"]
    says = [token for token in held if token.kind not in ("comma", "stop")][-1:]
    is_verdict = bool(says) and says[0].kind == "verb"
    is_odd = not said or any(token.kind in _HINTS or token.kind == "counted" for token in held)
    return end, Token("heavy" if is_odd else "reason", said, verbs[-1] if is_verdict else "")
