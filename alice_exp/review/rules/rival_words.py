"""What a refused reply says of a candidate and of the trusted block that it contradicts: the words that one of the two
alone says tell which holds ("3 stick with yarn", 报销还是老李). It is proposed, never acted on."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

from alice_exp.kernel.errors import UsageError
from alice_exp.kernel.text.tokens import tokens
from alice_exp.review.rules.reply import PART, of_rivals, rivals_written
from alice_exp.review.rules.said_clauses import Unclear, refuse
from alice_exp.review.rules.say_back import said_back
from alice_exp.review.rules.wide_words import positions, scanned

_GAP = re.compile(r"(?<=[\u4e00-\u9fff])\s+(?=[\u4e00-\u9fff])")
_NUMBER = re.compile("[0-9]+|第[一二三四五六七八九十]+")
_NEW = re.compile(r"\bnew(?:er)?\b|新的|现在这[个条]", re.IGNORECASE)
_OLD = re.compile(r"\bold\b|what (?:you|we) had|[旧老]的|(?:原来|原先|之前|以前)的|原样", re.IGNORECASE)
_OLD_ONE = re.compile(r"\b(?:old|previous) one\b|[旧老]的(?=\W|$|[对好就那])", re.IGNORECASE)
_VALUE = re.compile(r"\d+$|(?:or|some|half|或者?)$", re.IGNORECASE)
_TWO = re.compile(r"\b(?:both|neither|two of them)\b|两[个条者种]", re.IGNORECASE)
_JOINED = re.compile(r"\band\b|[都和或]", re.IGNORECASE)
_STAYS = re.compile(r"\bas (?:before|always)\b|以前一样|还[是在]|不变", re.IGNORECASE)
_TURNS = re.compile(
    r"\b(?:no longer|now|moved?|switch\w*|chang\w*|replac\w*|used to|from)\b|改|换|搬|不再|从", re.IGNORECASE
)
_WHOLE = re.compile(r"\bcompletely\b|[都也]|取消", re.IGNORECASE)
"""What may be said of both of two."""
_NO = frozenset(("reject", "bad", "not", "gone"))
_SETS = frozenset(("all", "rest", "both", "those", "number", "except", "outside", "excluded", "open"))
_YES = frozenset(("approve", "good", "wish"))
_SAYS = _YES | _NO | _SETS


def meant(text: str, ids: Sequence[str], said: Sequence[str], olds: Mapping[int, str]) -> str:
    """What a refused reply may mean, in plain words for the strict grammar; empty where that is open. ``ids`` are those
    of the report, "" for none to decide on, ``said`` what the candidates say, ``olds`` what the trusted blocks do that
    they contradict, by number."""
    try:
        rest, strict = of_rivals(text, ids)
        done = [one for decision in strict for one in decision.ids]
        open_ = {at: old for at, old in olds.items() if ids[at - 1] not in done}
        left, answers = rivals_said(rest, said, open_)
    except (UsageError, Unclear):
        return ""
    made = {one.ids[0]: one.also for one in strict} | {ids[at - 1]: one for at, one in answers.items()}
    plain = said_back(left, ["" if one in made else one for one in ids], said)
    if not plain and not (made and is_remark(left, said)):
        return ""
    return (rivals_written(made, ids, text) + plain).rstrip(", ，")


def rivals_said(text: str, said: Sequence[str], olds: Mapping[int, str]) -> tuple[str, dict[int, str]]:
    """A reply without the parts, between two marks, that tell which of two rivals holds; and these: "new", "old",
    "both" or "neither" by the candidate's number. ``said`` are the candidates' texts, ``olds`` those of the rivals.
    Raises ``Unclear``."""
    reader = _Reader(said, olds)
    for part in PART.findall(_GAP.sub("，", text)):
        reader.take(part)
    return reader.left(), reader.found


_Sides = tuple[bool, bool]


class _Reader:
    def __init__(self, said: Sequence[str], olds: Mapping[int, str]) -> None:
        self.said, self.whole = said, [*map(_words, said)]
        self.pairs = {at: (self.whole[at - 1], _words(old)) for at, old in olds.items()}
        self.found: dict[int, str] = {}
        # Each part that tells nothing, the pair of which it speaks, and the kinds of its words.
        self.rest: list[tuple[str, int, set[str]]] = []
        self.last = 0
        self.is_behind = self.is_near = False  # the part before told which of a pair holds; it named one

    def take(self, part: str) -> None:
        """Read one part, behind those before it."""
        words, numbers = _words(part), {at for one in _NUMBER.findall(part) for at in positions(one)}
        numbers &= {*range(1, len(self.said) + 1)}
        row = scanned(_OLD.sub(" ", _NEW.sub(" ", part)), self.said)
        # A question and a condition decide nothing; a number or an "or" may be what a rival says.
        kinds = {
            "open" if word == "?" else kind for kind, word in row if kind != "open" or not _VALUE.match(word)
        }
        sides = bool(_NEW.search(part)), bool(_OLD.search(part))
        named = self._named(words, numbers, any(sides))
        theirs = set().union(*(own for at, own in enumerate(self.whole, 1) if at not in named))
        theirs |= set().union(*(old for at, (_, old) in self.pairs.items() if at not in named))
        is_named = bool(named) and numbers <= {*named}
        is_named = is_named and (any(sides) or (len(named) == 1 and bool(numbers or words - theirs)))
        refuse(len(named) > 1 and not (is_named or numbers))
        answer = ""
        if is_named:
            self.last = named[0]
            answer = self._of(named, part, words - theirs, kinds, sides)
        elif self.last and not (numbers or named) and (_TWO.search(part) or (self.is_near and "都" in part)):
            named, answer = [self.last], _answer(part, kinds, sides, (True, True))
        # "Anna took over, yes": what it agrees to was said.
        is_again = _STAYS.search(part) or self.found.get(self.last) in ("both", "neither")
        if answer:
            self.found |= dict.fromkeys(named, answer)
        elif numbers or words & theirs or not self.is_behind or not (is_again or not kinds & _SETS):
            self.rest.append((part, self.last if is_named else 0, kinds))
        self.is_behind, self.is_near = bool(answer), is_named

    def _named(self, words: AbstractSet[str], numbers: AbstractSet[int], is_said: bool) -> list[int]:
        """The pairs that a part speaks of: by number, by words, or the one before."""
        every = self.pairs
        found = [at for at in every if at in numbers or (not numbers and words & set().union(*every[at]))]
        if found or numbers or not is_said:
            return found
        return [self.last] if self.is_behind else []

    def _of(
        self, named: Sequence[int], part: str, words: AbstractSet[str], kinds: AbstractSet[str], sides: _Sides
    ) -> str:
        new, old = self.pairs[named[0]] if len(named) == 1 else (set(), set())
        is_old = bool(words & old - new)
        answer = _answer(part, kinds, sides, (bool(words & new - old), is_old))
        if not answer and is_old and self.found.get(named[0]) == "new":
            return "new"  # "pnpm is right, we moved off yarn"
        # "The squash rule should go completely": which of the two?
        is_open = is_old or any(sides) or "gone" in kinds or (kinds & _NO and _WHOLE.search(part))
        is_other = any(self.found.get(at, answer) != answer for at in named)
        refuse(not answer and is_open, is_other, len(named) > 1 and (kinds & _NO or _TWO.search(part)))
        return answer

    def left(self) -> str:
        """What tells nothing of a pair; what else is said of a decided one has to agree."""
        for _, at, kinds in self.rest:
            against = _NO if self.found.get(at) in ("new", "both") else _YES
            refuse(at in self.found and kinds & against)
        left = "".join(part for part, at, _ in self.rest if at not in self.found)
        refuse(_OLD_ONE.search(left), self.pairs and _TWO.search(left))
        return left


def is_remark(text: str, said: Sequence[str]) -> bool:
    """Whether a part of a reply decides nothing: it names no number, and none of its words does."""
    return not (_NUMBER.search(text) or {kind for kind, _ in scanned(text, said)} & _SAYS)


def _answer(part: str, kinds: AbstractSet[str], sides: _Sides, words: _Sides) -> str:
    """What a part says of a pair, that speaks of "the new" and "the old one" (``sides``), or says a word of them."""
    new, old = (said or word for said, word in zip(sides, words, strict=True))
    is_kept = _STAYS.search(part) is not None
    is_no = not kinds.isdisjoint(_NO - {"gone"}) and not is_kept
    if kinds & {"open", "later", "rest", "except"} or ("soon" in kinds and not is_kept):
        return ""
    if (_TWO.search(part) and sides[0] == sides[1]) or (new and old and _JOINED.search(part)):
        return "neither" if is_no or "neither" in part.lower() else "both"
    if new == old or (_WHOLE.search(part) and not any(sides)):
        return ""
    if old:
        if sides[1]:
            return "new" if is_no or (_TURNS.search(part) and not is_kept) else "old"
        return "" if is_no or "gone" in kinds or _TURNS.search(part) else "old"
    if "gone" in kinds:
        return "new" if _TURNS.search(part) else ""
    return "old" if is_no else "new"


def _words(text: str) -> set[str]:
    """The words of a text, of Chinese the pairs of signs."""
    return {one for one in tokens(text) if len(one) > 1 or one <= "\x7f"}
