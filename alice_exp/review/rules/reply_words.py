"""Tokeniser of replies, in Chinese and English: verbs, numbers, ranges, ids, all, the rest, except.

The words are in ``review/rules/data/reply_words.txt``. Unknown words are refused, and so are negations and questions,
because they may reverse a decision.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Literal

from alice_exp.kernel.errors import UsageError
from alice_exp.kernel.text.data_files import word_lists
from alice_exp.kernel.value_class import dataclass

Verb = Literal["approve", "reject", "later"]
Kind = Literal["verb", "one", "range", "all", "rest", "except", "separator", "about", "group"]

RANGE_LIMIT = 999
"""The highest item number in a range of a reply."""

_LISTS = word_lists("review/rules/data/reply_words.txt")
_VERBS: tuple[Verb, ...] = ("approve", "reject", "later")
_PARTS: tuple[Kind, ...] = ("all", "rest", "except", "separator")
_LEXICON: dict[str, tuple[Kind, str]] = {
    **{word: ("verb", verb) for verb in _VERBS for word in _LISTS[verb]},
    **{word: (part, "") for part in _PARTS for word in _LISTS[part]},
    **{word: ("about", who) for who in ("user", "work") for word in _LISTS[f"about {who}"]},
}
_JOINTS = tuple(_LISTS["joint"])
_IGNORED = frozenset((*_LISTS["passed over"], *_JOINTS))
_BESIDE = frozenset(_LISTS["beside"])
_NEGATIONS = frozenset(_LISTS["turning"])
_ASKING = frozenset(_LISTS["question"])
_CHANGING = frozenset(_LISTS["changing"])
_RELATING = frozenset(_LISTS["relating"])
_WRONG = frozenset(_LISTS["wrong"])
_NUMBER_MARK = "no."
_LEFT_OUT = "除外"
_PASS = "过"
_WHEN = (
    "明天|后天|大后天|周末|下周[一二三四五六日末]?|下个?月|月底|下次|改天|回头|晚点|晚些时候"
    "|过几天|过两天|过一阵|周[一二三四五六日]|以后|之后"
)
"""When something is decided later: 推迟到下周, 等我周末再看."""
# Longest first, because `re` takes the first alternative that matches.
_CHINESE = sorted(
    (
        w
        for w in {
            *_LEXICON,
            *_LISTS["but"],
            *_IGNORED,
            *_BESIDE,
            *_NEGATIONS,
            *_ASKING,
            *_CHANGING,
            *_RELATING,
            *_WRONG,
            _PASS,
        }
        if not w.isascii()
    ),
    key=len,
    reverse=True,
)
_MOST_DIGITS = 9
_QUOTED = 40
_NEAR = 12
"""How many characters before a word are looked at for an "and"."""
_NUMERAL = "[0-9]+|[一二两三四五六七八九十百]+"
_TOKEN = re.compile(
    rf"(?P<id>exp-[a-z2-9]*)"
    rf"|(?:group|第?[组組])\s*(?P<group>{_NUMERAL})|第\s*(?P<nth>{_NUMERAL})\s*[组組]"
    rf"|(?P<about>about (?:me|work)\b)"
    rf"|(?P<range>(?:{_NUMERAL})\s*(?:-|–|—|~|到|至|\.\.|\bto\b|\bthrough\b)\s*(?:第\s*)?(?:{_NUMERAL}))"
    rf"|(?P<postponed>(?:等我?|先)?(?:{_WHEN})再(?:看看?|说|定|处理|决定)|(?:推迟|推|延|放|留|拖|挪)到(?:{_WHEN})(?:再(?:看看?|说|定|处理|决定))?)"
    rf"|(?P<unclear>[0-9]+[.:：][0-9]+)"
    rf"|(?P<number>(?!一[律概])(?:{_NUMERAL}))"
    rf"|(?P<except>but\s+not(?=\s+(?:no\.?\s*)?(?:[0-9]|exp-)))"
    rf"|(?P<word>no\.(?=\s*[0-9])|[a-z]+(?:['’][a-z]+)?|{'|'.join(map(re.escape, _CHINESE))}|\S)"
    rf"|(?P<line>\n)",
    re.IGNORECASE,
)
# 两条 is how many, 第两条 is nothing that anybody says; 3条 may be either, unless another number stands beside it.
_COUNT = re.compile(
    rf"(?<![第0-9一二三四五六七八九十百、,，和及与到至~.-])(?:两|(?:{_NUMERAL})(?=[条條]))\s*[条條个個项項](?!\s*[0-9、,，和及与到至~-]*\s*[0-9一二三四五六七八九])"
)
# 一个都不要 takes none, and is no word on the first; 1条也不要 and 一个不留 may be either, 第一条都不要 is the first.
_UNORDERED = "(?<![第0-9一二三四五六七八九十百两这那前后後面边最末头、和及与])"
_NONE = re.compile(rf"(?:{_UNORDERED}[一1]|[0-9]一)\s*[条條个個项項]\s*[都也不别別没沒]")
_NOT_ONE = re.compile(rf"{_UNORDERED}一[条條个個项項](?=[都也][不别別没沒])")
# 那一条 is no word on the first.
_THAT_ONE = re.compile("(?<=那)一(?=[条條个個项項](?![都也]))")
_PLACE = re.compile(
    rf"(?:最[前后後]|[前后後](?:面|边)?|开头|末尾|倒数|头)(?:的|第)?\s*(?:{_NUMERAL})\s*[条條个個项項]"
)
# 都同意，但 2 不要: what stands between 但 and its verb.
_TARGETS = re.compile(rf"^(?:[\s、和与及是第条條个個项項号號的]|{_NUMERAL})+")
_REASON = re.compile(rf"(?:{'|'.join(_LISTS['reason'])})\s*", re.IGNORECASE)
# What is not understood is quoted up to the next blank, mark or number.
_KNOWN_AGAIN = re.compile(r"[\W0-9a-zA-Z]")
# "拒绝 2，因为太旧；4 也是": the second half may be a decision.
_NUMBER_AFTER = re.compile(rf"[;；。\n]\s*(?:第\s*)?(?:[0-9]+|(?:{_NUMERAL})\s*[条條个個项項号號])")
_LAST_VERB = re.compile(
    rf"({'|'.join(w for w in _CHINESE if len(w) > 1 and _LEXICON.get(w, ('',))[0] == 'verb')})[吧了啦]?[\s.。!！]*\Z"
)
_END = re.compile(r"[,，;；。.!！\n]\s*")
_CHANGES = re.compile("|".join(word for word in _CHANGING if len(word) > 1))
_JUDGING = _WRONG | {_PASS}
_NOT_PASSED = ("不过", "不過")
_ENDS = re.compile(r"\s*(?:[，,；;。.！!\n]|了?$)")
# Full-width forms of ASCII become ASCII, except for Chinese punctuation, which separates clauses.
_NARROW: dict[int, int | str] = {
    **{code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F) if chr(code) not in "，；：！？（）"},
    **{0x2460 + number: f" {number + 1} " for number in range(20)},  # ① to ⑳
    **dict.fromkeys((0xFE0F, *range(0x1F3FB, 0x1F400)), ""),  # how an emoji is drawn, and its colour
}
_DIGITS = {character: value for value, character in enumerate("零一二三四五六七八九")} | {"两": 2}


@dataclass(frozen=True, slots=True)
class Token:
    """A significant word: ``value`` is the verb, the number, the id or ``low-high``; ``reason`` a verb's reason.

    ``is_joined``: an "and" stands directly before it.
    """

    kind: Kind
    value: str
    reason: str = ""
    is_joined: bool = False


def unclear(template: str, **values: object) -> UsageError:
    """The error for an unclear reply, with a hint at how to write it."""
    refusal = UsageError(template, hint="write alice-exp reply approve 1-3, reject 4")
    refusal.values = values
    return refusal


def tokens(text: str) -> list[Token]:
    """The significant words, in order; raises ``UsageError`` for what is not understood."""
    text = text.translate(_NARROW).replace("\r", "\n")
    reason = _REASON.search(text)
    end = reason.start() if reason else len(text)
    if place := _PLACE.search(text, 0, end):
        raise unclear("{place} is a place in a list; name the numbers", place=repr(place[0]))
    text = _THAT_ONE.sub(" ", _NOT_ONE.sub("  ", text[:end])) + text[end:]
    counted = _COUNT.search(text, 0, end) or _NONE.search(text, 0, end)
    if counted and _CHANGES.search(text, 0, counted.start()):
        raise _no_change()
    if counted:
        raise unclear("{number} may be how many or which one", number=repr(counted[0].strip()))
    found: list[Token] = []
    at = 0
    while at < len(text):
        reason = _REASON.match(text, at)
        at = _take_reason(text, reason.end(), found) if reason else _take_word(text, at, found)
    return found


def _take_word(text: str, at: int, found: list[Token]) -> int:
    match = _TOKEN.match(text, at)
    # Only blanks match nothing.
    if match is None:
        return at + 1
    if match["word"] in _BESIDE:
        start = len(found)
        # Backwards, so that the clauses before cost nothing.
        while start and found[start - 1].kind != "separator":
            start -= 1
        clause = [token.kind for token in found[start:]]
        # 除了 2 以外 closes what 除了 began; 2 除外 says it alone, if nothing but numbers stands before it.
        if "except" not in clause:
            if match["word"] != _LEFT_OUT or not clause or not {"one", "range"}.issuperset(clause):
                raise unclear("{word} needs an except before what is left out", word=repr(match["word"]))
            found.insert(start, Token("except", ""))
        return match.end()
    is_joined = text[max(0, match.start() - _NEAR) : match.start()].rstrip().lower().endswith(_JOINTS)
    found += (
        replace(token, is_joined=is_joined) for token in _token(match, text, found[-1] if found else None)
    )
    return match.end()


def _token(match: re.Match[str], text: str, before: Token | None) -> list[Token]:
    word = match.group().lower()
    if match["id"]:
        return [Token("one", word)]
    group = match["group"] or match["nth"]
    if group:
        return [Token("group", str(_number(group)))]
    if match["about"]:
        return [Token("about", "user" if match["about"].endswith("me") else "work")]
    if match["range"]:
        low, high = (_number(part) for part in re.findall(_NUMERAL, word))
        if low > high or high > RANGE_LIMIT:
            raise unclear("{range} is not a range", range=word)
        return [Token("range", f"{low}-{high}")]
    if match["unclear"]:
        # 1.5 is no item of a list, and neither surely 1 and 5 nor 1 to 5.
        raise unclear("{number} is not a number", number=word)
    if match["postponed"]:
        return [Token("verb", "later")]
    if match["number"]:
        return [Token("one", str(number)) for number in _numbers(word)]
    if match["except"]:
        return [Token("except", "not")]
    if match["line"]:
        return [Token("separator", "")]
    return _word(word, text[match.end() :], before)


def _word(word: str, following: str, before: Token | None) -> list[Token]:
    word = word.replace("’", "'")
    behind = before is not None and before.kind in ("one", "range")
    if word in _JUDGING and behind:
        # 4过，5不过; elsewhere 不过 is a but.
        return [Token("verb", "approve" if word == _PASS else "reject")]
    if word in _NOT_PASSED and behind and _ENDS.match(following):
        return [Token("verb", "reject")]
    # "all but 2" excludes, "approve 1 but reject 2" goes on with another verb.
    if word in _LISTS["but"]:
        leads_to_verb = _leads_to_verb(following if word.isascii() else _TARGETS.sub("", following, count=1))
        return [Token("separator" if leads_to_verb else "except", "")]
    if word == _NUMBER_MARK:
        # "approve no. 3" is a number; elsewhere "no" may be an answer.
        if before is None or before.kind != "verb":
            raise unclear("{word} can mean a number or a no", word=repr(word))
        return []
    if word in _LEXICON:
        kind, value = _LEXICON[word]
        return [Token(kind, word if kind == "all" else value)]
    if word in _IGNORED:
        return []
    if word in _NEGATIONS:
        raise unclear("{word} can mean reject or leave it be", word=repr(word))
    if word in _ASKING:
        raise unclear("this reads like a question")
    if word in _CHANGING:
        raise _no_change()
    if word in _RELATING:
        raise UsageError(
            "a reply decides, it replaces and merges nothing",
            hint="'alice-exp approve NUMBER --replace ID' does, or --merge ID",
        )
    rest = "" if word.isascii() else _KNOWN_AGAIN.split(following, maxsplit=1)[0]
    raise unclear("{word} is not understood", word=repr((word + rest)[:_QUOTED]))


def _no_change() -> UsageError:
    return UsageError("a reply decides, it changes no text", hint="'alice-exp review' does, with the key e")


def _leads_to_verb(text: str) -> bool:
    match = _TOKEN.match(text.lstrip())
    word = (match["word"] or "").lower() if match else ""
    return word in _LEXICON and _LEXICON[word][0] == "verb"


def _numbers(text: str) -> tuple[int, ...]:
    """The numbers of a run of numerals: 四六七 are three, since they rise and none counts tens."""
    digits = [_DIGITS.get(character, 0) for character in text]
    if len(text) > 1 and all(digits) and not text.isdigit() and digits == sorted(set(digits)):
        return tuple(digits)
    return (_number(text),)


def _number(text: str) -> int:
    """A whole number in digits or Chinese numerals up to 九百九十九."""
    if text.isdigit():
        if len(text) > _MOST_DIGITS:
            raise unclear("{number} is not a number", number=f"{text[:_MOST_DIGITS]}…")
        return int(text)
    total, digit = 0, 0
    for character in text:
        if character in "十百":
            total += (digit or 1) * (10 if character == "十" else 100)
            digit = 0
        elif digit:
            raise unclear("{number} is not a number", number=text)
        else:
            digit = _DIGITS[character]
    return total + digit


def _take_reason(text: str, start: int, found: list[Token]) -> int:
    """Attach a reason to the last verb: the text up to the next clause that begins with a verb, or to the end."""
    end = next((m.start() for m in _END.finditer(text, start) if _begins_clause(text[m.end() :])), len(text))
    verb = next((i for i in range(len(found) - 1, -1, -1) if found[i].kind == "verb"), -1)
    clause = [token.kind for token in found[verb + 1 :]]
    # "同意 1，4 因为过期所以拒绝": 4 has a reason, but its verb comes behind it.
    if verb < 0 or "separator" in clause[:-1]:
        raise unclear("the reason stands before what it is for")
    if found[verb].reason:
        raise unclear("there are two reasons for one decision")
    if _NUMBER_AFTER.search(text, start, end):
        raise unclear("behind the reason stands a number, and nothing says what to do with it")
    last = _LAST_VERB.search(text, start, end)
    if last and _LEXICON[last[1]] != ("verb", found[verb].value):
        raise unclear("the reason stands before what it is for")
    words = text[start:end].strip(" \t\n,，;；。.!！")
    found[verb] = replace(found[verb], reason=words)
    return end


def _begins_clause(text: str) -> bool:
    """Whether a text after a separator starts a new clause: a verb together with a number, an id or all."""
    first: list[Token] = []
    kinds: set[Kind] = set()
    at = 0
    # A verb alone may be part of the reason ("because I reject such things"), and so may words unknown here.
    try:
        while at < len(text) and "separator" not in kinds:
            at = _take_word(text, at, first)
            kinds.update(token.kind for token in first[-1:])
            if "verb" in kinds and not kinds.isdisjoint(("one", "range", "all", "rest")):
                return True
    except UsageError:
        return False
    return False
