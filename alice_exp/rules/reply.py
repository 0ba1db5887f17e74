"""The reply language: ``同意 1 3，拒绝 2``, ``approve 1-3, reject 4 because wrong``, ``yes to all except 2``.

A reply is a row of clauses. A clause is a verb (同意, 拒绝, 稍后, or their English words) and what it applies to, before
or after it: numbers of the report, ranges, ids, all, the rest; behind a rejection the reason. A bare verb speaks of
the whole report. What could mean two things is refused: nothing is decided by guessing (R2.41, R2.42, B2.20).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from alice_exp.core.errors import UsageError

Verb = Literal["approve", "reject", "later"]
Kind = Literal["verb", "one", "range", "all", "rest", "except", "separator"]

RANGE_LIMIT = 999
"""The highest number that a report's item can have in a reply."""

_WORDS: dict[tuple[Kind, str], str] = {
    (
        "verb",
        "approve",
    ): "同意 批准 通过 可以 好 好的 行 接受 采纳 确认 留下 保留 approve approved accept accepted agree agreed "
    "keep yes y ok okay sure yep yeah",
    (
        "verb",
        "reject",
    ): "拒绝 不同意 驳回 不要 不行 否 否决 不可以 不批准 不通过 不接受 不采纳 删掉 reject rejected refuse refused "
    "decline declined deny drop discard disagree no n nope",
    ("verb", "later"): "稍后 以后再说 跳过 先放着 later skip postpone defer",
    ("all", ""): "都 全部 全都 所有 所有的 全 all everything each",
    ("rest", ""): "其余 其余的 其他 其他的 其它 其它的 剩下 剩下的 余下 余下的 rest others other remaining",
    ("except", ""): "除了 除去 除 不包括 except excluding besides",
    ("separator", ""): "， , ； ; 。 ！ ! \n",
}
_LEXICON = {word: key for key, words in _WORDS.items() for word in words.split(" ")}
_IGNORED = frozenset(
    "和 与 及 跟 、 还有 以及 并 而 且 第 条 个 项 号 的 请 把 将 我 了 吧 啊 呢 就 也 是 以外 之外 外 谢谢 ： : # ( ) （ ） . "
    "and & to the i please item items number numbers no. nr for them thanks with one ones it".split(" ")
)
_NEGATIONS = frozenset("not never don't dont 别 勿 莫 不 没 cannot can't won't".split())
_ASKING = frozenset("? ？ 吗 么".split())
_CHINESE = sorted(
    (w for w in {*_LEXICON, *_IGNORED, *_NEGATIONS, *_ASKING} if not w.isascii()), key=len, reverse=True
)
_NUMERAL = "[0-9]+|[一二两三四五六七八九十百]+"
_TOKEN = re.compile(
    rf"(?P<id>exp-[a-z2-9]*)"
    rf"|(?P<range>(?:{_NUMERAL})\s*(?:-|–|—|~|到|至|\.\.|\bto\b|\bthrough\b)\s*(?:第\s*)?(?:{_NUMERAL}))"
    rf"|(?P<number>{_NUMERAL})"
    rf"|(?P<word>no\.(?=\s*[0-9])|[a-z]+(?:['’][a-z]+)?|{'|'.join(map(re.escape, _CHINESE))}|\S)"
    rf"|(?P<line>\n)"
)
_REASON = re.compile(
    r"(?:because|since|reason\s*[:：]|理由是?\s*[:：]?|原因是?\s*[:：]?|因为)\s*", re.IGNORECASE
)
_END = re.compile(r"[,，;；。.!！\n]\s*")
_NARROW = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F) if chr(code) not in "，；：！？（）"}
_DIGITS = {character: value for value, character in enumerate("零一二三四五六七八九")} | {"两": 2}


@dataclass(frozen=True, slots=True)
class Decision:
    """One verb with what it names: numbers as texts and ids, in the order of the reply; or everything, or the rest.

    ``excluded`` are left out of everything; ``reason`` is the person's own words, empty where none were given.
    """

    verb: Verb
    named: tuple[str, ...] = ()
    everything: bool = False
    rest: bool = False
    excluded: tuple[str, ...] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True)
class _Token:
    kind: Kind
    value: str
    reason: str = ""


@dataclass(slots=True)
class _Clause:
    """A clause while it is read: its verb once that is known."""

    verb: str = ""
    prefix: bool = True
    named: tuple[str, ...] = ()
    everything: bool = False
    rest: bool = False
    excluded: tuple[str, ...] = ()
    reason: str = ""

    @property
    def is_bare(self) -> bool:
        return not (self.named or self.everything or self.rest)


def parse(text: str) -> tuple[Decision, ...]:
    """What a reply decides; ``UsageError`` (exit 2) with what is unclear and how to say it."""
    folded = text.translate(_NARROW).replace("\r", "\n")
    if not folded.strip():
        raise _unclear("the reply is empty")
    clauses: list[_Clause] = []
    waiting: list[_Token] = []
    for segment in _segments(_tokens(folded)):
        _read_segment(segment, clauses, waiting)
    if waiting:
        raise _unclear("nothing says what to do with {what}", what=_written(waiting))
    return _checked(clauses)


def _unclear(template: str, **values: object) -> UsageError:
    return UsageError(
        template,
        hint="write alice-exp reply 同意 1 3，拒绝 2 or alice-exp reply approve 1-3, reject 4",
        **values,
    )


# ------------------------------------------------------------------------------------------------------ tokens


def _tokens(text: str) -> list[_Token]:
    found: list[_Token] = []
    at = 0
    while at < len(text):
        reason = _REASON.match(text, at)
        if reason:
            at = _take_reason(text, reason.end(), found)
            continue
        match = _TOKEN.match(text.lower(), at)
        if match is None:
            at += 1
            continue
        found += _token(match, text)
        at = match.end()
    return found


def _token(match: re.Match[str], text: str) -> list[_Token]:
    word = match.group()
    if match["id"]:
        return [_Token("one", word)]
    if match["range"]:
        low, high = (_number(part) for part in re.findall(_NUMERAL, word))
        if low > high or high > RANGE_LIMIT:
            raise _unclear("{range} is not a range", range=word)
        return [_Token("range", f"{low}-{high}")]
    if match["number"]:
        return [_Token("one", str(_number(word)))]
    if match["line"]:
        return [_Token("separator", "")]
    return _word(word, text[match.end() :])


def _word(word: str, following: str) -> list[_Token]:
    word = word.replace("’", "'")
    if word in ("but", "但", "但是"):
        leads_to_verb = _leads_to_verb(following)
        return [_Token("separator" if leads_to_verb else "except", "")]
    if word in _LEXICON:
        kind, value = _LEXICON[word]
        return [_Token(kind, value)]
    if word in _IGNORED:
        return []
    if word in _NEGATIONS:
        raise _unclear("{word} can mean reject or leave it be", word=repr(word))
    if word in _ASKING:
        raise _unclear("this reads like a question")
    raise _unclear("{word} is not understood", word=repr(word))


def _leads_to_verb(text: str) -> bool:
    match = _TOKEN.match(text.lower().lstrip())
    return match is not None and _LEXICON.get(match["word"] or "", ("", ""))[0] == "verb"


def _number(text: str) -> int:
    """A whole number in digits or Chinese numerals up to 九百九十九."""
    if text.isdigit():
        return int(text)
    total, digit = 0, 0
    for character in text:
        if character in "十百":
            total += (digit or 1) * (10 if character == "十" else 100)
            digit = 0
        elif digit:
            raise _unclear("{number} is no number", number=text)
        else:
            digit = _DIGITS[character]
    return total + digit


def _take_reason(text: str, start: int, found: list[_Token]) -> int:
    """Give the last verb its reason: up to where the next clause begins with a verb, or to the end."""
    end = next((m.start() for m in _END.finditer(text, start) if _begins_clause(text[m.end() :])), len(text))
    verb = next((i for i in range(len(found) - 1, -1, -1) if found[i].kind == "verb"), -1)
    if verb < 0:
        raise _unclear("the reason stands before what it is for")
    if found[verb].reason:
        raise _unclear("there are two reasons for one decision")
    words = text[start:end].strip(" \t\n,，;；。.!！")
    found[verb] = _Token("verb", found[verb].value, words)
    return end


def _begins_clause(text: str) -> bool:
    """Whether a text after a separator starts a clause of its own: a verb and then a number, an id or all."""
    try:
        tokens = [token for token in _tokens_until(text, 2) if token.kind != "separator"]
    except UsageError:
        return False
    kinds = [token.kind for token in tokens]
    targets = ("one", "range", "all", "rest")
    return len(kinds) == 2 and "verb" in kinds and any(kind in targets for kind in kinds)


def _tokens_until(text: str, count: int) -> list[_Token]:
    found: list[_Token] = []
    at = 0
    while at < len(text) and len(found) < count:
        match = _TOKEN.match(text.lower(), at)
        if match is None:
            at += 1
            continue
        found += _token(match, text)
        at = match.end()
    return found


# ----------------------------------------------------------------------------------------------------- clauses


def _segments(tokens: Sequence[_Token]) -> list[list[_Token]]:
    """The tokens between separators, cut again where verb and targets follow one another regularly."""
    rows: list[list[_Token]] = [[]]
    for token in tokens:
        if token.kind == "separator":
            rows.append([])
        else:
            rows[-1].append(token)
    return [part for row in rows if row for part in _cut(row)]


def _cut(row: list[_Token]) -> list[list[_Token]]:
    verbs = [index for index, token in enumerate(row) if token.kind == "verb"]
    if len(verbs) < 2:
        return [row]
    if verbs[0] == 0:
        ends = [*verbs[1:], len(row)]
    elif verbs[-1] == len(row) - 1:
        ends = [index + 1 for index in verbs]
    else:
        raise _unclear("it is not clear which verb {what} belongs to", what=_written(row))
    starts = [0, *ends[:-1]]
    return [row[start:end] for start, end in zip(starts, ends, strict=True)]


def _read_segment(row: list[_Token], clauses: list[_Clause], waiting: list[_Token]) -> None:
    verbs = [index for index, token in enumerate(row) if token.kind == "verb"]
    if not verbs:
        _read_targets(row, clauses, waiting)
        return
    at = verbs[0]
    before, after = row[:at], row[at + 1 :]
    main = [token for token in _outside_exception(before)]
    if main and _outside_exception(after):
        raise _unclear("it is not clear which verb {what} belongs to", what=_written(row))
    clause = _Clause(row[at].value, prefix=not main, reason=row[at].reason)
    if waiting and clause.prefix and any(token.kind != "except" for token in waiting[:1]):
        raise _unclear("nothing says what to do with {what}", what=_written(waiting))
    for part in (waiting, before, after):
        _add(clause, part)
    waiting.clear()
    clauses.append(clause)


def _read_targets(row: list[_Token], clauses: list[_Clause], waiting: list[_Token]) -> None:
    """Targets without a verb of their own: they go on with the clause before, or wait for the verb to come."""
    last = clauses[-1] if clauses else None
    goes_on = last is not None and (row[0].kind == "except" or (last.prefix and not last.is_bare))
    if last is not None and goes_on and not waiting:
        _add(last, row)
    else:
        waiting += row


def _outside_exception(row: Sequence[_Token]) -> list[_Token]:
    """The targets that no "except" stands before; "all" and "rest" always count."""
    found, inside = [], False
    for token in row:
        inside = inside or token.kind == "except"
        if token.kind in ("all", "rest") or (not inside and token.kind != "except"):
            found.append(token)
    return found


def _add(clause: _Clause, row: Sequence[_Token]) -> None:
    inside = False
    for token in row:
        if token.kind == "except":
            inside = True
        elif token.kind == "all":
            clause.everything = True
        elif token.kind == "rest":
            clause.rest = True
        elif inside:
            clause.excluded += _spread(token)
        else:
            clause.named += _spread(token)


def _spread(token: _Token) -> tuple[str, ...]:
    if token.kind == "one":
        return (token.value,)
    low, high = map(int, token.value.split("-"))
    return tuple(str(number) for number in range(low, high + 1))


def _checked(clauses: Sequence[_Clause]) -> tuple[Decision, ...]:
    if not clauses:
        raise _unclear("the reply holds no decision")
    decisions = []
    seen: dict[str, str] = {}
    for clause in clauses:
        if clause.is_bare and len(clauses) > 1:
            raise _unclear("it is not clear what {verb} applies to", verb=clause.verb)
        if clause.named and (clause.everything or clause.rest or clause.excluded):
            raise _unclear("one decision names both everything and single items")
        for name in clause.named:
            if seen.setdefault(name, clause.verb) != clause.verb:
                raise _unclear(
                    "{name} is both {first} and {second}", name=name, first=seen[name], second=clause.verb
                )
        everything = clause.everything or clause.is_bare
        decisions.append(
            Decision(
                clause.verb,  # type: ignore[arg-type]
                tuple(dict.fromkeys(clause.named)),
                everything and not clause.rest,
                clause.rest,
                clause.excluded,
                clause.reason,
            )
        )
    wide = [decision for decision in decisions if decision.everything or decision.rest]
    if len(wide) > 1 or (wide and wide[0].everything and len(decisions) > 1):
        raise _unclear("one decision takes everything, and another one too")
    return tuple(decisions)


def settle(
    decisions: Sequence[Decision], numbered: Sequence[str]
) -> tuple[tuple[Decision, tuple[str, ...]], ...]:
    """Each decision with what it comes to: ``numbered`` are the open report's ids, numbers start at 1.

    Ids and prefixes that the person wrote stay as written. ``UsageError`` where a number is not in the report.
    """
    named = [[_reference(name, numbered) for name in decision.named] for decision in decisions]
    taken = {reference for row in named for reference in row}
    settled = []
    for decision, row in zip(decisions, named, strict=True):
        excluded = {_reference(name, numbered) for name in decision.excluded}
        if decision.everything:
            row = [block_id for block_id in numbered if block_id not in excluded]
        elif decision.rest:
            row = [block_id for block_id in numbered if block_id not in taken | excluded]
        settled.append((decision, tuple(row)))
    return tuple(settled)


def _reference(name: str, numbered: Sequence[str]) -> str:
    if not name.isdigit():
        return name
    if not 1 <= int(name) <= len(numbered):
        raise UsageError(
            "the open report has no number {number}", number=name, hint="see 'alice-exp heartbeat --peek'"
        )
    return numbered[int(name) - 1]


def _written(tokens: Sequence[_Token]) -> str:
    return " ".join(token.value or token.kind for token in tokens)
