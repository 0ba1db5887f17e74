"""Taking a statement apart: its keys, each affirmed or denied, its numbers, typed values and opposites (DESIGN 13)."""

from __future__ import annotations

import re
from dataclasses import field
from typing import TYPE_CHECKING

from alice_exp.finding.rules.nearness.vocabulary import IN_A_JOB, THINGS, Meaning, gives_up, vocabulary
from alice_exp.kernel.text.data_files import LazyPattern
from alice_exp.kernel.text.tokens import fingerprint_text, fold, is_cjk, stems
from alice_exp.kernel.value_class import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from alice_exp.model.values.block import Placed

WHEN = ("weekday", "month")
"""The classes of values that say when something holds."""

_OCCASIONS = (*WHEN, "scope: days")

CLAUSE_END = "=;"
"""What stands in a statement's line where a clause ends."""

_CLAUSES = re.compile(r"[,;:。、!?\n]|\.(?=\s|$)|\b(?:but|and then)\b|但是?|而且")
_WHETHER = LazyPattern(r"([^\W\x00-\u2e7f])[不没]\1")
"""能不能, 有没有: a question, which denies nothing."""
NUMERALS = "零一二两三四五六七八九十百千万半"
_UNITS = {
    word: (name, factor)
    for name, factor, words in (
        ("seconds", 0.001, "ms 毫秒 milliseconds"),
        ("seconds", 1, "s sec second seconds 秒 秒钟"),
        ("seconds", 60, "min minute minutes 分钟"),
        ("seconds", 3600, "h hour hours 小时 个小时"),
        ("seconds", 86400, "day days 天"),
        ("seconds", 604800, "week weeks 周 个星期"),
        # A year is twelve months, whatever days these have: values are only compared for being the same.
        ("seconds", 30 * 86400, "month months 个月"),
        ("seconds", 360 * 86400, "year years 年"),
        ("bytes", 1, "b"),
        ("bytes", 1e3, "kb"),
        ("bytes", 1e6, "mb"),
        ("bytes", 1e9, "gb"),
        ("bytes", 1e12, "tb"),
        ("bytes", 1024, "kib"),
        ("bytes", 1024**2, "mib"),
        ("bytes", 1024**3, "gib"),
        ("number", 1e3, "k"),
        ("%", 1, "% percent"),
        ("clock", 60, "点 点半 点钟 am pm"),
        ("age", 1, "岁 周岁"),
    )
    for word in words.split()
}
_TO_TWENTY = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
)
_TENS = "thirty forty fifty sixty seventy eighty ninety"
WORD_NUMBERS = {word: number for number, word in enumerate(_TO_TWENTY.split())} | {
    word: 10 * number for number, word in enumerate(_TENS.split(), start=3)
}
UNIT = "|".join(sorted(map(re.escape, _UNITS), key=len, reverse=True))
_TOKEN = re.compile(
    rf"(?P<clock>\d{{1,2}}:\d\d)"
    rf"|(?P<number>(?:\d+(?:\.\d+)*|[{NUMERALS}]+(?={UNIT}|[个条次名倍位人])))\s?(?P<unit>(?:{UNIT})(?![a-z]))?"
    r"|(?P<latin>/?[a-z][a-z0-9_+#./*-]*[a-z0-9+#*]|[a-z])"
    r"|(?P<cjk>[^\W\d_a-z\x00-\u2e7f]+)"
)
_COUNTED = LazyPattern(
    r"(?P<number>[二两三四五六七八九十百]{1,8}|一(?=个人|个?小时|分钟|秒|个月|年|岁))(?:(?P<unit>点半|点钟?|分钟|个?小时|秒钟?|毫秒|天|个月|年|周?岁)|(?=[个条次名倍位人行页张份杯碗瓶只辆台楼层]))"
)
"""A count or a time within a run of characters. 一个 is as often "a" as "one", and counts before 人 alone; 一点 is
"a little"."""
_DIGITS = {character: value for value, character in enumerate("零一二三四五六七八九")} | {"两": 2}


@dataclass(slots=True)
class Statement:
    """One block's text taken apart. Keys are stems, pairs of CJK characters, typed values and numbers.

    ``signs`` says of each key whether it is affirmed (1), denied (-1) or both (0), ``clauses`` the same of each clause;
    ``values`` what each class of typed values or unit of numbers is, ``old`` what it was; ``sides`` the side (1, -1) of
    each pair of opposites, with its sign; ``line`` the content words in order; ``order`` what stands behind "before"
    and its like.
    """

    placed: Placed
    trigger: frozenset[str] = frozenset()
    trigger_mark: str = ""
    signs: dict[str, int] = field(default_factory=dict)
    values: dict[str, set[str]] = field(default_factory=dict)
    old: dict[str, set[str]] = field(default_factory=dict)
    sides: dict[int, set[tuple[int, int]]] = field(default_factory=dict)
    sided: dict[int, set[str]] = field(default_factory=dict)
    clauses: list[dict[str, int]] = field(default_factory=list)
    line: list[str] = field(default_factory=list)
    order: dict[str, set[str]] = field(default_factory=dict)
    negations: int = 0
    clause: dict[str, int] = field(default_factory=dict)
    """The signs of the clause that is being read."""
    slots: set[int] = field(default_factory=set)
    """The places in ``line`` where a value stands: behind is, named, through, 是, 叫, 通过."""
    is_quantified: bool = False
    """Whether it speaks of all of something."""
    frames: set[str] = field(default_factory=set)
    """What the whole tells: ``update`` that something was otherwise before, ``lives`` and ``employed`` of a person,
    ``at`` and ``moves`` where something is and where it went."""
    denies_whole: bool = False
    """Whether it denies no more than that: "not all columns" leaves some."""
    spelt: dict[str | int, list[str]] = field(default_factory=dict)
    """How each class of values, and each pair of opposites, is written."""

    def written(self, name: str | int) -> str:
        """A class of values, or a pair of opposites, as the text writes it."""
        return ", ".join(dict.fromkeys(self.spelt.get(name, ())))

    @property
    def occasions(self) -> frozenset[object]:
        """When it holds: days, months, the time of day; empty: always."""
        days = (
            (name, value)
            for of in (self.values, self.old)
            for name in _OCCASIONS
            for value in of.get(name, ())
        )
        (part_of_day, _) = vocabulary().latin["morning"].sides[0]
        return frozenset((*days, *self.sides.get(part_of_day, ())))

    @property
    def keys(self) -> frozenset[str]:
        """Every key."""
        return frozenset(self.signs)


@dataclass(frozen=True, slots=True)
class _Word:
    """A piece of a clause: its spelling, what is known of it, and the typed value that a number is."""

    text: str
    meaning: Meaning
    value: tuple[str, str] | None = None


_PLAIN = Meaning()
_END = _Word("", _PLAIN)


def statement(placed: Placed) -> Statement:
    """Take a block apart: the payload's clauses, and the words of its trigger."""
    block = placed.block
    trigger = " ".join((block.trigger.text, *block.trigger.keywords))
    found = Statement(placed, text_keys(trigger), fingerprint_text(block.trigger.text))
    for text in (block.payload.content, *block.payload.steps):
        for clause in _CLAUSES.split(_plain(text)):
            _read(list(_words(clause)), found)
    return found


def text_keys(text: str) -> frozenset[str]:
    """The keys of a text, whatever their sign."""
    found = Statement(None)  # type: ignore[arg-type]
    for clause in _CLAUSES.split(_plain(text)):
        _read(list(_words(clause)), found)
    return found.keys


def _plain(text: str) -> str:
    # "don't" and "dont" are one word in the lists, "user's" and "user" too.
    plain = re.sub(r"['’]s\b", "", fold(text)).replace("'", "").replace("’", "")
    return plain if plain.isascii() else _WHETHER.sub(r"\1", plain)


def _words(clause: str) -> Iterator[_Word]:
    known = vocabulary()
    pieces = list(_TOKEN.finditer(clause))
    at = 0
    while at < len(pieces):
        piece = pieces[at]
        at += 1
        if piece["clock"] or piece["number"]:
            yield _number(piece)
        elif piece["cjk"]:
            yield from _segmented(piece["cjk"])
        else:
            size, text = 1, piece.group()
            for more in (3, 2) if text in known.phrases else ():
                phrase = " ".join(p.group() for p in pieces[at - 1 : at - 1 + more])
                if phrase in known.latin:
                    size, text = more, phrase
                    break
            at += size - 1
            if text in WORD_NUMBERS and size == 1:
                unit = pieces[at].group() if at < len(pieces) and pieces[at].group() in _UNITS else ""
                at += bool(unit)
                yield _Word(f"{text} {unit}".rstrip(), _PLAIN, amount(str(WORD_NUMBERS[text]), unit))
            else:
                yield _Word(text, known.latin.get(text, _PLAIN))


def _number(piece: re.Match[str]) -> _Word:
    if piece["clock"]:
        hours, minutes = piece["clock"].split(":")
        return _Word(piece.group().rstrip(), _PLAIN, ("clock", str(float(int(hours) * 60 + int(minutes)))))
    written, unit = piece["number"], piece["unit"] or ""
    if written.count(".") > 1 or (not unit and "." in written):
        return _Word(piece.group().rstrip(), _PLAIN, ("number", written))
    return _Word(piece.group().rstrip(), _PLAIN, amount(written, unit))


def amount(written: str, unit: str) -> tuple[str, str]:
    """A number with its unit as a typed value, in the unit's normal form."""
    amount = float(written) if written[0].isdigit() else _counted(written)
    name, factor = _UNITS.get(unit, ("number", 1))
    amount = amount * factor + (30 if unit == "点半" else 12 * 60 if unit == "pm" and amount < 12 else 0)
    return name, str(round(amount, 6))


def _counted(numeral: str) -> float:
    total, digit = 0.0, 0
    for character in numeral:
        scale = {"十": 10, "百": 100, "千": 1000, "万": 10000}.get(character)
        if scale:
            total += (digit or 1) * scale
            digit = 0
        elif character != "半":
            digit = _DIGITS[character]
    return total + digit + (0.5 if "半" in numeral else 0)


def _segmented(run: str) -> Iterator[_Word]:
    """A CJK run cut at the known words, the longest first; what lies between stays whole."""
    known, at, start = vocabulary(), 0, 0
    while at < len(run):
        counted = _COUNTED.match(run, at)
        if counted is not None:
            if at > start:
                yield _Word(run[start:at], _PLAIN)
            yield _Word(counted.group(), _PLAIN, amount(counted["number"], counted["unit"] or ""))
            start = at = counted.end()
            continue
        size = min(known.longest, len(run) - at) if run[at] in known.initials else 0
        while size and run[at : at + size] not in known.cjk:
            size -= 1
        if run[at : at + size] == "不过" and at and run[at + 2 : at + 3].strip(NUMERALS):
            size = 1  # Within a clause 不过 is no "but": 对花生不过敏 denies.
        if not size:
            at += 1
            continue
        if at > start:
            yield _Word(run[start:at], _PLAIN)
        yield _Word(run[at : at + size], known.cjk[run[at : at + size]])
        at += size
        start = at
    if at > start:
        yield _Word(run[start:at], _PLAIN)


def _turned(words: Sequence[_Word]) -> int:
    """The place of the last word that says that what stands before it was so, -1 if none: "now" behind all else ("in
    Hamburg now") says that this is so."""
    last = max((i for i, word in enumerate(words) if not word.meaning.filling), default=-1)
    return max((i for i, word in enumerate(words[:last]) if "becoming" in word.meaning.roles), default=-1)


def _read(words: Sequence[_Word], into: Statement) -> None:
    """Add one clause: the sign of each word, then its keys."""
    sign = -1 if sum("prohibition" in word.meaning.roles for word in words) % 2 else 1
    is_forbidden = denies = sign < 0
    forbids = max((i for i, word in enumerate(words) if "prohibition" in word.meaning.roles), default=-1)
    preferring = opens = False
    turned = _turned(words)
    stem_of = stems({word.text for word in words if word.text[0] <= "\u2e7f"})
    for at, word in enumerate(words):
        roles = word.meaning.roles
        preferring = preferring or "preferring" in roles
        if "prohibition" in roles:
            continue
        if "negation" in roles or gives_up(word.text, (*words, _END)[at + 1].text):
            sign, denies = -sign, True
            continue
        if "instead" in roles or (preferring and word.text == "over"):
            sign = -1
            continue
        opens = _opens_slot(word, into) or opens
        _order(word, words, at, into, stem_of)
        start = len(into.line)
        # 下午不要发布 denies the act, not the afternoon, which stands in front of the prohibition.
        own = 1 if at < forbids and word.meaning.sides else sign
        values = (word.value,) if word.value is not None else word.meaning.values
        if values:
            # "Never on Fridays" denies the act, not the day.
            is_when = is_forbidden and sign < 0 and values[0][0] in WHEN
            _valued(word, values, 1 if is_when else sign, into, is_old=at < turned)
        else:
            _content(word, own, into, stem_of)
        if opens and len(into.line) > start and "one value" not in roles and "slot" not in roles:
            into.slots.add(start)
            opens = False
            if at and "place" in words[at - 1].meaning.roles:
                into.frames.add("at")
        for pair, side in word.meaning.sides:
            into.sides.setdefault(pair, set()).add((side, own))
            into.spelt.setdefault(pair, []).append(word.text)
    _closed(words, into, denies=denies)


_FRAMES = ("update", "lives", "employed")


def _closed(words: Sequence[_Word], into: Statement, *, denies: bool) -> None:
    """What a whole clause adds, once its words are read."""
    into.negations += denies
    for word, behind in zip(words, (*words[1:], _END), strict=False):
        roles = word.meaning.roles
        # "I work at night" and "I quit smoking" name nobody, "I moved the files" no home.
        is_elsewhere = " " in word.text and (behind.meaning.sides or "no employer" in behind.meaning.roles)
        is_no_job = is_elsewhere or gives_up(word.text, behind.text)
        without = {"employed" if is_no_job else "", "lives" if behind.text in THINGS else ""}
        into.frames.update(name for name in _FRAMES if name in roles and name not in without)
    if _names_employer(words):
        into.frames.add("employed")
    if "lives" in into.frames and any("mover" in word.meaning.roles for word in words):
        into.frames ^= {"lives", "moves"}
    quantified = any("quantity" in word.meaning.roles for word in words)
    into.is_quantified = into.is_quantified or quantified
    into.denies_whole = into.denies_whole or (quantified and denies)
    into.clauses.append(into.clause)
    into.clause = {}
    into.line.append(CLAUSE_END)


def _names_employer(words: Sequence[_Word]) -> bool:
    """Whether somebody works at a place with a name (在腾讯工作, 在美团当经理): not at home, in a city, at night."""
    clause = "".join(word.text for word in words)
    if "在" in clause and IN_A_JOB.search(clause):
        return not any(word.meaning.values for word in words)
    work = next((at for at, word in enumerate(words) if "works chinese" in word.meaning.roles), 0)
    start = next((at for at in range(work - 1, -1, -1) if words[at].text == "在"), work)
    name = words[start + 1 : work]
    is_plain = all(word.value is None and not (word.meaning.values or word.meaning.sides) for word in name)
    return is_plain and not all(word.meaning.filling for word in name)


def _valued(
    word: _Word, values: Sequence[tuple[str, str]], sign: int, into: Statement, *, is_old: bool
) -> None:
    is_old = is_old or sign < 0
    into.line.append(f"={values[0][0]}")
    for name, value in values:
        (into.old if is_old else into.values).setdefault(name, set()).add(value)
        _key(f"={name}:{value}", sign, into)
        if not is_old:
            into.spelt.setdefault(name, []).append(word.text)


def _opens_slot(word: _Word, into: Statement) -> bool:
    """Whether a value follows a word; "in X, …" in front of all else says where something holds, not what it is."""
    roles = word.meaning.roles
    is_in_front = not into.line or into.line[-1] == CLAUSE_END
    if "place" in roles:
        return not is_in_front or (into.placed is not None and into.placed.block.about == "user")
    return "one value" in roles or "slot" in roles or "becoming" in roles


def _content(word: _Word, sign: int, into: Statement, stem_of: dict[str, str]) -> None:
    # "Before" and "after" put two things in order; what they are about are these.
    if word.meaning.filling or not word.meaning.roles.isdisjoint(("becoming", "order", "order chinese")):
        return
    keys: list[str] = []
    if is_cjk(word.text):
        keys = [*word.text, *(word.text[i : i + 2] for i in range(len(word.text) - 1))]
        into.line += word.text
    elif word.text in stem_of:
        keys = [stem_of[word.text]]
        into.line += keys
    for key in keys:
        _key(key, sign, into)
    for pair, _ in word.meaning.sides:
        into.sided.setdefault(pair, set()).update(keys)


def _key(key: str, sign: int, into: Statement) -> None:
    into.clause[key] = sign
    was = into.signs.get(key, sign)
    into.signs[key] = sign if was == sign else 0


def _order(word: _Word, words: Sequence[_Word], at: int, into: Statement, stem_of: dict[str, str]) -> None:
    """Note what an "after" or 之后 puts in second place: in English what follows it, in Chinese what precedes it."""
    roles = word.meaning.roles
    if "order" in roles:
        behind = {stem_of[w.text] for w in words[at + 1 :] if w.text in stem_of and not w.meaning.filling}
        into.order.setdefault(word.text, set()).update(behind)
    elif "order chinese" in roles and at:
        into.order.setdefault(word.text[-1], set()).update(words[at - 1].text[-4:])
