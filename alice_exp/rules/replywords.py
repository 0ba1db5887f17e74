"""The words of a reply: verbs, numbers, ranges, ids, all, the rest, except; in Chinese and in English.

What is no word of the language is refused, and so is what may turn a decision round: a negation, a question.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from alice_exp.core.errors import UsageError

Verb = Literal["approve", "reject", "later"]
Kind = Literal["verb", "one", "range", "all", "rest", "except", "separator"]

RANGE_LIMIT = 999
"""The highest number that a report's item can have in a reply."""

_APPROVE = """
同意 批准 通过 可以 好 好的 行 接受 采纳 确认 留下 保留
approve approved accept accepted agree agreed keep yes y ok okay sure yep yeah
"""
_REJECT = """
拒绝 不同意 驳回 不要 不行 否 否决 不可以 不批准 不通过 不接受 不采纳 删掉
reject rejected refuse refused decline declined deny drop discard disagree no n nope
"""
_WORDS: dict[tuple[Kind, str], str] = {
    ("verb", "approve"): _APPROVE,
    ("verb", "reject"): _REJECT,
    ("verb", "later"): "稍后 以后再说 跳过 先放着 later skip postpone defer",
    ("all", ""): "都 全部 全都 所有 所有的 全 all everything each",
    ("rest", ""): "其余 其余的 其他 其他的 其它 其它的 剩下 剩下的 余下 余下的 rest others other remaining",
    ("except", ""): "除了 除去 除 不包括 except excluding besides",
    ("separator", ""): "， , ； ; 。 ！ !",
}
_PASSED_OVER = """
和 与 及 跟 、 还有 以及 并 而 且 第 条 个 项 号 的 请 把 将 我 了 吧 啊 呢 就 也 是
以外 之外 外 谢谢 ： : # ( ) （ ） .
and & to the i please item items number numbers nr for them thanks with one ones it
"""
_TURNING = "not never don't dont 别 勿 莫 不 没 cannot can't won't"
_QUESTION = "? ？ 吗 么"
_LEXICON = {word: key for key, words in _WORDS.items() for word in words.split()}
_IGNORED = frozenset(_PASSED_OVER.split())
_NEGATIONS = frozenset(_TURNING.split())
_ASKING = frozenset(_QUESTION.split())
_NUMBER_MARK = "no."
_CHINESE = sorted(
    (w for w in {*_LEXICON, *_IGNORED, *_NEGATIONS, *_ASKING} if not w.isascii()), key=len, reverse=True
)
_MOST_DIGITS = 9
_NUMERAL = "[0-9]+|[一二两三四五六七八九十百]+"
_TOKEN = re.compile(
    rf"(?P<id>exp-[a-z2-9]*)"
    rf"|(?P<range>(?:{_NUMERAL})\s*(?:-|–|—|~|到|至|\.\.|\bto\b|\bthrough\b)\s*(?:第\s*)?(?:{_NUMERAL}))"
    rf"|(?P<number>{_NUMERAL})"
    rf"|(?P<word>no\.(?=\s*[0-9])|[a-z]+(?:['’][a-z]+)?|{'|'.join(map(re.escape, _CHINESE))}|\S)"
    rf"|(?P<line>\n)",
    re.IGNORECASE,
)
_REASON = re.compile(
    r"(?:because|since|reason\s*[:：]|理由是?\s*[:：]?|原因是?\s*[:：]?|因为)\s*", re.IGNORECASE
)
_END = re.compile(r"[,，;；。.!！\n]\s*")
_NARROW = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F) if chr(code) not in "，；：！？（）"}
_DIGITS = {character: value for value, character in enumerate("零一二三四五六七八九")} | {"两": 2}


@dataclass(frozen=True, slots=True)
class Token:
    """A word that counts: ``value`` is the verb, the number, the id or ``low-high``; ``reason`` a verb's reason."""

    kind: Kind
    value: str
    reason: str = ""


def unclear(template: str, **values: object) -> UsageError:
    """The refusal of a reply that could mean two things, with how to say it."""
    refusal = UsageError(
        template, hint="write alice-exp reply 同意 1 3，拒绝 2 or alice-exp reply approve 1-3, reject 4"
    )
    refusal.values = values
    return refusal


def tokens(text: str) -> list[Token]:
    """The words that count, in order; ``UsageError`` for what is not understood."""
    text = text.translate(_NARROW).replace("\r", "\n")
    found: list[Token] = []
    at = 0
    while at < len(text):
        reason = _REASON.match(text, at)
        at = _take_reason(text, reason.end(), found) if reason else _take_word(text, at, found)
    return found


def _take_word(text: str, at: int, found: list[Token]) -> int:
    match = _TOKEN.match(text, at)
    if match is None:
        return at + 1
    found += _token(match, text, found[-1] if found else None)
    return match.end()


def _token(match: re.Match[str], text: str, before: Token | None) -> list[Token]:
    word = match.group().lower()
    if match["id"]:
        return [Token("one", word)]
    if match["range"]:
        low, high = (_number(part) for part in re.findall(_NUMERAL, word))
        if low > high or high > RANGE_LIMIT:
            raise unclear("{range} is not a range", range=word)
        return [Token("range", f"{low}-{high}")]
    if match["number"]:
        return [Token("one", str(_number(word)))]
    if match["line"]:
        return [Token("separator", "")]
    return _word(word, text[match.end() :], before)


def _word(word: str, following: str, before: Token | None) -> list[Token]:
    word = word.replace("’", "'")
    if word in ("but", "但", "但是"):
        leads_to_verb = _leads_to_verb(following)
        return [Token("separator" if leads_to_verb else "except", "")]
    if word == _NUMBER_MARK:
        if before is None or before.kind != "verb":
            raise unclear("{word} can mean a number or a no", word=repr(word))
        return []
    if word in _LEXICON:
        kind, value = _LEXICON[word]
        return [Token(kind, value)]
    if word in _IGNORED:
        return []
    if word in _NEGATIONS:
        raise unclear("{word} can mean reject or leave it be", word=repr(word))
    if word in _ASKING:
        raise unclear("this reads like a question")
    raise unclear("{word} is not understood", word=repr(word))


def _leads_to_verb(text: str) -> bool:
    match = _TOKEN.match(text.lstrip())
    word = (match["word"] or "").lower() if match else ""
    return word in _LEXICON and _LEXICON[word][0] == "verb"


def _number(text: str) -> int:
    """A whole number in digits or Chinese numerals up to 九百九十九."""
    if text.isdigit():
        if len(text) > _MOST_DIGITS:
            raise unclear("{number} is no number", number=f"{text[:_MOST_DIGITS]}…")
        return int(text)
    total, digit = 0, 0
    for character in text:
        if character in "十百":
            total += (digit or 1) * (10 if character == "十" else 100)
            digit = 0
        elif digit:
            raise unclear("{number} is no number", number=text)
        else:
            digit = _DIGITS[character]
    return total + digit


def _take_reason(text: str, start: int, found: list[Token]) -> int:
    """Give the last verb its reason: up to where the next clause begins with a verb, or to the end."""
    end = next((m.start() for m in _END.finditer(text, start) if _begins_clause(text[m.end() :])), len(text))
    verb = next((i for i in range(len(found) - 1, -1, -1) if found[i].kind == "verb"), -1)
    if verb < 0:
        raise unclear("the reason stands before what it is for")
    if found[verb].reason:
        raise unclear("there are two reasons for one decision")
    words = text[start:end].strip(" \t\n,，;；。.!！")
    found[verb] = Token("verb", found[verb].value, words)
    return end


def _begins_clause(text: str) -> bool:
    """Whether a text after a separator starts a clause of its own: a verb and then a number, an id or all."""
    first: list[Token] = []
    at = 0
    try:
        while at < len(text) and len(first) < 2:
            at = _take_word(text, at, first)
    except UsageError:
        return False
    kinds = {token.kind for token in first}
    return "verb" in kinds and not kinds.isdisjoint(("one", "range", "all", "rest"))
