"""What a refused reply says of a candidate and of the trusted block that it contradicts: the words that one of the two
alone says tell which holds ("3 stick with yarn", 报销还是老李). It is proposed, never acted on."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from alice_exp.finding.rules.statement import agreement
from alice_exp.kernel.errors import UsageError
from alice_exp.kernel.text.tokens import fold, tokens
from alice_exp.review.rules.reply import PART, of_rivals, read, rivals_written
from alice_exp.review.rules.said_clauses import Unclear, refuse
from alice_exp.review.rules.say_back import said_back
from alice_exp.review.rules.wide_words import is_known, positions, scanned

_HAN = "[\u4e00-\u9fff]"
_GAP = re.compile(
    rf"(?<={_HAN})\s+(?={_HAN})"
    rf"|(?:(?<=[0-9]{_HAN})|(?<=[0-9]{_HAN}{{2}})|(?<=[0-9] {_HAN}{{2}}))\s+(?=[1-9] ?{_HAN})"
)
_NUMBER = re.compile("[0-9]+|第[一二三四五六七八九十]+")
_GREETING = re.compile(r"\bgood (?:morning|afternoon|evening)\b|[早晚]上好|[上下]午好|早安", re.IGNORECASE)
_PAIRS = re.compile(
    r"(?:\b(?:both|the|two|all|of)\s+)*\bconflict(?:ing ones?|s)?\b|[两二那]?[个条对]?冲突的?(?:那?[两二]?[条个])?",
    re.IGNORECASE,
)
_REPLACES = re.compile(r"\bnew\b.*\breplac\w+.*\bold\b|新的?.{0,2}(?:替|换|取代|代).{0,2}旧", re.IGNORECASE)
_COUPLE = re.compile(r"\b(?:both|two)\b|[两二]", re.IGNORECASE)
_NEW = re.compile(r"\bnew(?:er)?\b|新[的旧]|(?<=[0-9])新|现在这[个条]", re.IGNORECASE)
_OLD = re.compile(
    r"\bold\b|\b(?:you|we|i) (?:already )?(?:had|trust)\b|[旧老]的|(?<=[0-9])旧|新旧|(?:原来|原先|之前|以前)的|原样",
    re.IGNORECASE,
)
_OLD_ONE = re.compile(
    r"\b(?:old|previous|new|newer) ones?\b|[旧老]的(?=\W|$|[对好就那])|[以按]新|换[成用]?新", re.IGNORECASE
)
_VALUE = re.compile(r"\d+$|(?:or|some|half|或者?)$", re.IGNORECASE)
_TWO = re.compile(
    r"\b(?:both|neither|(?:none|two) of (?:the two|them))\b|两[个条者种](?!人)|并存", re.IGNORECASE
)
_NONE = re.compile(r"\b(?:neither|none)\b", re.IGNORECASE)
_JOINED = re.compile(r"\band\b|\bas well as\b|[都和或]", re.IGNORECASE)
_WIDE = re.compile("[0-9全余]|其他|剩|别的|所有")
_KEPT = re.compile(
    r"[不没][变动改]|照旧|老规矩|\bunchanged\b|\bas it was\b|\bleave .*\balone\b|\bdo(?:n't| not) (?:change|touch)\b",
    re.IGNORECASE,
)
_STAYS = re.compile(rf"\bas (?:before|always)\b|\bstill\b|以前一样|还[是在]|{_KEPT.pattern}", re.IGNORECASE)
_TURNS = re.compile(
    r"\b(?:no longer|now|moved?|switch\w*|chang\w*|replac\w*|used to|from)\b|改|换|搬|不再|从|现在|如今",
    re.IGNORECASE,
)
_TO = re.compile(r"改[成为用]|换[成为]|\b(?:switch|mov|chang)\w* to\b", re.IGNORECASE)
_NOT_TO = re.compile(
    r"[别不没勿][要用能必]?[改换]|\b(?:not|never) (?:switch|mov|chang)|n't (?:switch|mov|chang)",
    re.IGNORECASE,
)
_AND = re.compile(
    r"\s+and (?=(?:please )?(?:approve|accept|keep|reject|drop|delete|remove|leave)\b)", re.IGNORECASE
)
_WHY = re.compile(r"^(?!.*(?:[没不未]|\bnot\b|n't))", re.IGNORECASE | re.DOTALL)
_RATHER = re.compile(r"\s+(?:instead of|rather than)\b[^,.;!?]*", re.IGNORECASE)
_TOO = re.compile(r"\b(?:too|also|as well)\b|也|上次", re.IGNORECASE)
_WHOLE = re.compile(r"\bcompletely\b|[都也]|取消", re.IGNORECASE)
"""What may be said of both of two."""
_MODAL = frozenset(("不可以", "不要", "不行", "别"))
_NO = frozenset(("reject", "bad", "not", "gone"))
_SETS = frozenset(("all", "rest", "both", "those", "number", "except", "outside", "excluded", "open"))
_YES = frozenset(("approve", "good", "wish"))
_SAYS = _YES | _NO | _SETS
_FILLERS = frozenset(("is", "s", "are", "was", "我", "们", "再"))
_DECIDES = (_SAYS | {"later"}) - {"gone"}


def meant(text: str, ids: Sequence[str], said: Sequence[str], olds: Mapping[int, str]) -> str:
    """What a refused reply may mean, in plain words for the strict grammar; empty where that is open. ``ids`` are those
    of the report, "" for none to decide on, ``said`` what the candidates say, ``olds`` what the trusted blocks do that
    they contradict, by number."""
    try:
        left, answers = rivals_said(_GREETING.sub(" ", text), ids, said, olds)
        made = {ids[at - 1]: one for at, one in answers.items()}
        refuse(_OLD_ONE.search(left), made and "都" in left and not _WIDE.search(left))
        plain = said_back(left, ["" if one in made else one for one in ids], said)
        if plain and _TWO.search(left):  # both of a pair?
            decided = {
                one for decision in read(plain, ids) if decision.verb != "later" for one in decision.ids
            }
            refuse(decided & {ids[at - 1] for at in olds})
    except (UsageError, Unclear):
        return ""
    if not plain and not (made and is_remark(left, said)):
        return ""
    return (rivals_written(made, ids, text) + plain).rstrip(", ，")


def rivals_said(
    text: str, ids: Sequence[str], said: Sequence[str], olds: Mapping[int, str]
) -> tuple[str, dict[int, str]]:
    """A reply without the parts that tell which of two rivals holds; and these: "new", "old", "both" or "neither" by
    the candidate's number. Arguments as in ``meant``. Raises ``Unclear`` and ``UsageError``."""
    reader = _Reader(ids, said, olds)
    for part in PART.findall(_AND.sub(", ", _GAP.sub("，", text))):
        reader.take(part)
    return reader.left(), reader.found


_Sides = tuple[bool, bool]


class _Part(NamedTuple):
    """What stands between two marks: its words that decide nothing, the numbers of items, the kinds of its words,
    whether it speaks of the new and of the old one, and whether it judges or names instead of saying what one does."""

    text: str
    words: AbstractSet[str]
    numbers: AbstractSet[int]
    kinds: AbstractSet[str]
    sides: _Sides
    is_judged: bool
    names: AbstractSet[str]


class _Reader:
    def __init__(self, ids: Sequence[str], said: Sequence[str], olds: Mapping[int, str]) -> None:
        self.ids = ids
        self.said, self.olds, self.whole = said, olds, [*map(_words, said)]
        # A word of a trusted one is a value, too: "stays on Friday".
        self.both = [f"{one} {olds.get(at, '')}".rstrip() for at, one in enumerate(said, 1)]
        self.pairs = {at: (self.whole[at - 1], _words(old)) for at, old in olds.items()}
        self.found: dict[int, str] = {}
        # Each part that tells nothing, the pair of which it speaks, and the kinds of its words.
        self.rest: list[tuple[str, int, AbstractSet[str]]] = []
        # The kinds of a verdict that stands before all else: "No, …".
        self.first: AbstractSet[str] = frozenset()
        self.last = 0
        self.is_open = False  # a condition stands before, in this sentence
        self.is_behind = self.is_near = False  # the part before told which of a pair holds; it named one

    def take(self, text: str) -> None:
        """Read one part, behind those before it."""
        if self._takes_strict(text):
            return
        part = self._read(_RATHER.sub("", text))
        named = self._named(part)
        group = self._group(part)
        if group and part.kinds & {"later", "soon"} and not any(part.sides):
            self.found |= dict.fromkeys(self.pairs, "later")
            return
        if group:
            named, part = [*self.pairs], part._replace(text=text.replace(group, " "))
        theirs = set().union(*(own for at, own in enumerate(self.whole, 1) if at not in named))
        is_named = bool(named) and part.numbers <= {*named}
        own = part.words - theirs
        is_named = is_named and (any(part.sides) or (len(named) == 1 and bool(part.numbers or own)))
        refuse(len(named) > 1 and not (is_named or part.numbers))
        answer = ""
        if is_named:
            self.last = named[0]
            answer = self._of(named, part._replace(words=own))
        elif self.is_near and not (part.numbers or named or part.words & theirs) and _KEPT.search(text):
            named, answer = [self.last], "old"
        elif self.is_near and not (part.numbers or named) and (_TWO.search(text) or "都" in text):
            named, answer = [self.last], _answer(part._replace(sides=(True, True)))
            refuse(answer == "neither" != self.found.get(self.last, answer))
        # "If the client agrees, the new one": a condition holds for its sentence.
        self.is_open |= "open" in part.kinds
        refuse(self.is_open and answer)
        self.is_open &= text.rstrip()[-1:] not in tuple(".;!。；！")
        if answer:
            self.found |= dict.fromkeys(named, answer)
        else:
            self._keep(text if not group else part.text, part, is_named, part.numbers or part.words & theirs)
        is_aside = not (part.numbers or named or part.words & theirs or part.kinds & (_SAYS - {"gone"}))
        self.is_behind, self.is_near = bool(answer) or (self.is_behind and is_aside), is_named

    def _takes_strict(self, text: str) -> bool:
        """Take a part that the strict grammar reads: "2 the old one"."""
        _, strict = of_rivals(text, self.ids)
        for one in strict:
            self.last = self.ids.index(one.ids[0]) + 1
            refuse(one.also != "both" and self.found.get(self.last, one.also) not in (one.also, "both"))
            self.found[self.last] = one.also
            self.is_behind = self.is_near = True
        return bool(strict)

    def _read(self, text: str) -> _Part:
        bare = _OLD.sub(" ", _NEW.sub(" ", text))
        row = scanned(bare, self.both)
        found = [word for kind, word in row if kind == "number" and not word.startswith("exp-")]
        found = _NUMBER.findall(text) if row and row[0][0] == "open" else found
        numbers = {at for one in found for at in positions(one)} & {*range(1, len(self.said) + 1)}
        # A question and a condition decide nothing; a number or an "or" may be what a rival says.
        kinds = {
            "open" if word == "?" else kind for kind, word in row if kind != "open" or not _VALUE.match(word)
        }
        is_no = text.lstrip()[:3].lower() == "no "  # "No spreadsheet"
        kinds = {"reject" if kind == "vague" and is_no else kind for kind in kinds}
        sides = bool(_NEW.search(text)), bool(_OLD.search(text)) and not _REPLACES.search(text)
        # "Accept the naming one" names it; "keep naming by date" says what one of the two does.
        is_judged = any(kind in ("reject", "bad", "head") and word not in _MODAL for kind, word in row)
        names = {word for kind, word in row if kind == "name"}
        return _Part(text, _words(bare), numbers, kinds, sides, is_judged, names)

    def _keep(self, text: str, part: _Part, is_named: bool, is_other: object) -> None:
        """Keep a part that tells nothing, but for one that says again what was said: "Anna took over, yes"."""
        is_again = _STAYS.search(part.text) or self.found.get(self.last) in ("both", "neither")
        is_bare = not (part.numbers or part.words or part.kinds & _SETS) and part.kinds & (_YES | _NO)
        if is_bare and not (self.found or self.rest):
            self.first = part.kinds
            self.rest.append((text, 0, part.kinds))
            return
        # "Monday, the market changed its day" says why.
        is_why = "gone" in part.kinds and not (part.numbers or part.kinds & _DECIDES)
        is_again = (is_again and "rest" not in part.kinds) or not part.kinds & _SETS
        if self.is_behind and ((not is_other and is_again) or (is_why and _WHY.search(part.text))):
            return
        self.rest.append((text, self.last if is_named else 0, part.kinds))

    def _group(self, part: _Part) -> str:
        """The words that name all pairs: "both conflicts"."""
        group = _PAIRS.search(part.text) if self.pairs and not part.numbers else None
        if not group or any(group[0] in one for one in self.said):
            return ""
        refuse(_COUPLE.search(group[0]) and len(self.pairs) != 2)
        return group[0]

    def _named(self, part: _Part) -> list[int]:
        """The pairs that a part speaks of: by number, by words, or the one before."""
        every, numbers = self.pairs, part.numbers
        found = [
            at for at in every if at in numbers or (not numbers and part.words & set().union(*every[at]))
        ]
        if found or numbers or not any(part.sides):
            return found
        return [self.last] if self.is_behind or self.is_near else []

    def _of(self, named: Sequence[int], part: _Part) -> str:
        """What a part says of the pairs that it names; ``words``: those that no other item says."""
        text, words, sides, kinds = part.text, part.words, part.sides, part.kinds
        is_one = len(named) == 1
        new, old = self.pairs[named[0]] if is_one else (set(), set())
        own = bool(words & new - old), bool(words & old - new)
        if is_one and not any(sides) and not part.is_judged and "and not" not in text.lower():
            of_new, of_old = (agreement(text, one) for one in (self.said[named[0] - 1], self.olds[named[0]]))
            if of_new * of_old < 0:  # "No releases on Friday", which one of the two allows
                own, kinds = (of_new > 0, of_old > 0), kinds - {"not"}
        if is_one and "都" in text and kinds & (_YES | _NO) and not any((*sides, *own)):
            own = True, True  # 第1条请都保留
        if not any((*sides, *own)) and _KEPT.search(text):
            return "old"
        answer = _answer(part._replace(kinds=kinds), own)
        is_wrong = own == (False, True) and kinds & _NO and text.lstrip()[:3].lower() != "no "
        pair = fold(self.both[named[0] - 1])
        if is_wrong and not _WHOLE.search(text) and all(one in _FILLERS or one in pair for one in part.names):
            answer = answer or "new"  # "Thursday is wrong"
        # "The squash rule should go completely": which of the two?
        is_open = own[1] or any(sides) or "gone" in kinds or (kinds & _NO and _WHOLE.search(text))
        done = self.found.get(named[0], "")
        is_judged = kinds & (_YES | _NO) and done not in ("both", "neither")
        # "Wednesday was a one-off, so we're still on Friday"
        is_turned = {done, answer} == {"new", "old"} and not _TOO.search(text)
        refuse(is_turned or (done in ("new", "old") and own[0] and "rest" in kinds))
        if done in ("new", "old") and answer == "both" and _TWO.search(text):
            return answer
        if done and not any(sides) and not (answer and is_judged):
            return ""  # why: "Neither for 2, we name datasets by project now"
        is_other = any(self.found.get(at, answer) != answer for at in named)
        is_odd = not is_one and sides[0] != sides[1] and kinds & _NO
        refuse(not answer and is_open, is_other, is_odd)
        return answer

    def left(self) -> str:
        """What tells nothing of a pair; what else is said of a decided one has to agree."""
        for _, at, kinds in self.rest:
            refuse(at in self.found and self._is_against(at, kinds))
        if self.first and self.found:
            # "No, we keep the afternoon" is of that pair alone; "Yes, but 2 stays old" of what?
            refuse(any(self._is_against(at, self.first) for at in self.found))
            self.rest.pop(0)
        return "".join(part for part, at, _ in self.rest if at not in self.found)

    def _is_against(self, at: int, kinds: AbstractSet[str]) -> bool:
        return bool(kinds & (_NO if self.found[at] in ("new", "both") else _YES))


def is_remark(text: str, said: Sequence[str]) -> bool:
    """Whether a part of a reply decides nothing: it names no number, and none of its words does; or it leaves all."""
    kinds = {kind for kind, _ in scanned(text, said)}
    if kinds & {"later", "soon"} and not kinds & {*_YES, *_NO, "except", "open"}:
        return True
    return not (_NUMBER.search(text) or kinds & _SAYS)


def _answer(of: _Part, words: _Sides = (False, False)) -> str:
    """What a part says of a pair, that speaks of "the new" and "the old one" (``sides``), or says a word of them."""
    part, kinds, sides = of.text, of.kinds, of.sides
    new, old = (said or word for said, word in zip(sides, words, strict=True))
    is_kept = _STAYS.search(part) is not None
    is_no = not kinds.isdisjoint(_NO - {"gone"}) and not is_kept
    if kinds & {"open", "rest", "except"} or (kinds & {"later", "soon"} and not is_kept):
        return ""
    if (_TWO.search(part) and sides[0] == sides[1]) or (new and old and _JOINED.search(part)):
        return "neither" if is_no or _NONE.search(part) else "both"
    if new == old or (_WHOLE.search(part) and not any(sides)):
        return ""
    if old:
        if sides[1]:
            return "new" if is_no or (_TURNS.search(part) and not is_kept) else "old"
        return "" if is_no or "gone" in kinds or _TURNS.search(part) else "old"
    if words == (True, False) and _TO.search(part):
        return "old" if _NOT_TO.search(part) else "new"
    if "gone" in kinds:
        return "new" if _TURNS.search(part) else ""
    return "old" if is_no else "new"


def _words(text: str) -> set[str]:
    """The words of a text that decide nothing, of Chinese the pairs of signs."""
    return {
        one for one in tokens(_TWO.sub(" ", text)) if (len(one) > 1 or one <= "\x7f") and not is_known(one)
    }
