"""Takes a text apart: its words, each affirmed or denied, its values and its sides of opposites (DESIGN 13)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from functools import cache, lru_cache, partial
from typing import Any

from alice_exp.finding.rules.nearness.shelf import begins_with_user, is_of_user
from alice_exp.kernel.text.data_files import LazyPattern, entries, stored, word_lists
from alice_exp.kernel.text.tokens import fingerprint_text, fold, is_cjk, stems
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.values.block import Placed

WHEN = ("weekday", "month")
"""The classes of values that say when something holds."""
END = "=;"
"""What stands in a statement's line where a clause ends."""

_CLAUSE = re.compile(r"[,;。、!?\n](?:\s*不过)?|:(?!\d)|\.(?=\s|$)|\b(?:but|and then)\b|但是?|而且")
_PIECE = LazyPattern(
    r"(?P<clock>\d{1,2}:\d\d)(?!\d)|v?(?P<number>\d+(?:\.\d+)*)(?![a-z]*\d)"
    r"|(?P<latin>/?[a-z][a-z0-9_+#./*-]*[a-z0-9+#*]|[a-z])|(?P<cjk>[^\W\d_a-z\x00-\u2e7f])"
)
_PHRASE = LazyPattern(r"[a-z]+(?: [a-z]+){1,2}")
_COUNT = LazyPattern(r"(?!一点(?![钟半]))[零一二两三四五六七八九十百千万]{1,8}(?!些)")
_COUNTED = LazyPattern(r"[个条次名倍位人行页张份杯碗瓶只辆台楼层号岁种项箱件包袋组批套元](?<!一个(?!人))")
_QUESTION = LazyPattern(r"([^\W\x00-\u2e7f])[不没]\1")
_DIGITS = {character: value for value, character in enumerate("零一二三四五六七八九")} | {"两": 2}
_SCALES = {"十": 10, "百": 100, "千": 1000, "万": 10000}
_FILES = [f"finding/rules/data/{name}.txt" for name in ("nearness_words", "typed_values", "antonyms")]
_NAME_SIZE = 4
"""The most words, or CJK characters, of a home's or an employer's name."""
NAMES = {"lives": "home", "employed": "employer", "works chinese": "employer", "naming": "called"}
"""The words behind which a name follows, and what is named."""


@dataclass(frozen=True, slots=True)
class Word:
    """A piece of a clause: how it is spelt, what it does there, its values (class, value), its sides (pair, 1 or -1)
    of opposites."""

    text: str
    roles: frozenset[str] = frozenset()
    values: tuple[tuple[str, str], ...] = ()
    sides: tuple[tuple[int, int], ...] = ()
    filling: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether no list knows it."""
        return not (self.roles or self.values or self.sides or self.filling)


_NONE = Word(" ")


class Vocabulary:
    """The known words: what each does, its values and sides; ``attributes`` are the pairs of opposites that are two
    values of one thing (dark, light)."""

    def __init__(self) -> None:
        self.units, self.numerals, self.words, self.sides, self.attributes, unit = _tables()
        self.starts = {word.partition(" ")[0] for word in self.words if " " in word}
        self.longest = max(len(word) for word in self.words if word[0] > "\u2e7f")
        self.unit = re.compile(unit)

    def word(self, text: str) -> Word:
        """What is known of a word."""
        return Word(text, *self.words[text]) if text in self.words else Word(text)


@cache
def vocabulary() -> Vocabulary:
    """The vocabulary of the data files."""
    return Vocabulary()


@stored(*_FILES, "finding/rules/nearness/statement.py", "kernel/text/data_files.py")
def _tables() -> tuple[Any, ...]:
    """Units (class, factor), numerals, and words (roles, values, sides, whether it is filling) by their spelling; the
    sides alone; the pairs of opposites that are values; the pattern of a unit."""
    lists = dict(word_lists(_FILES[0]))
    rows = (row.split(",") for row in lists.pop("unit"))
    units = {name: (kind, float(factor)) for kind, factor, *names in rows for name in names}
    numerals = {name: value for value, _, name in (row.partition(",") for row in lists.pop("number"))}
    filling = {word.replace("_", " ") for name in ("filling", "filling chinese") for word in lists.pop(name)}
    roles, values, sides = (defaultdict[str, list[Any]](list) for _ in range(3))
    for heading, words in lists.items():
        for word in words:
            roles[word.replace("_", " ")].append(heading)
    for heading, listed in word_lists(_FILES[1]).items():
        for names in (row.replace("_", " ").split(",") for row in listed):
            for name in names:
                values[name].append((heading, names[0]))
    lines = entries(_FILES[2])
    for number, line in enumerate(lines):
        for side, half in zip((1, -1), line.lstrip("=").replace("_", " ").split("|"), strict=True):
            for word in half.split(","):
                sides[word].append((number, side))
    known = {
        word: (frozenset(roles[word]), tuple(values[word]), tuple(sides[word]), word in filling)
        for word in dict.fromkeys((*roles, *values, *sides, *filling))
    }
    attributes = {at for at, line in enumerate(lines) if line[0] == "="}
    unit = "|".join(sorted(map(re.escape, units), key=len, reverse=True))
    return units, numerals, known, dict(sides), attributes, rf"\s?({unit})(?![a-z])"


@dataclass(slots=True)
class Statement:
    """One block's text taken apart. Keys are stems, CJK characters and pairs of these, and typed values.

    ``is_own`` says whether it begins with the user, ``of_user`` whether it is about them; ``signs`` of each key whether
    it is affirmed (1), denied (-1) or both (0), ``clauses`` the same of each clause;
    ``values`` what each class of values is, ``old`` what it is not; ``sides`` the sides of each pair of opposites with
    their signs; ``sided`` the keys, and ``spelt`` the words, of each class and pair; ``line`` the words that count, in
    order, ``slots`` the places in it where a value stands; ``order`` what stands behind "before" and its like;
    ``roles`` what its words do; ``acts`` the keys of each word behind a negation or a prohibition: what is denied.
    """

    placed: Placed
    is_own: bool = False
    of_user: bool = False
    trigger: frozenset[str] = frozenset()
    trigger_mark: str = ""
    signs: dict[str, int] = field(default_factory=dict)
    clauses: list[dict[str, int]] = field(default_factory=list)
    values: defaultdict[str, set[str]] = field(default_factory=partial(defaultdict, set))
    old: defaultdict[str, set[str]] = field(default_factory=partial(defaultdict, set))
    sides: defaultdict[int, set[tuple[int, int]]] = field(default_factory=partial(defaultdict, set))
    sided: defaultdict[str | int, set[str]] = field(default_factory=partial(defaultdict, set))
    spelt: defaultdict[str | int, list[str]] = field(default_factory=partial(defaultdict, list))
    line: list[str] = field(default_factory=list)
    slots: set[int] = field(default_factory=set)
    order: defaultdict[str, set[str]] = field(default_factory=partial(defaultdict, set))
    roles: set[str] = field(default_factory=set)
    negations: int = 0
    acts: list[frozenset[str]] = field(default_factory=list)

    def written(self, name: str | int) -> str:
        """A class of values, or a pair of opposites, as the text writes it."""
        return ", ".join(dict.fromkeys(self.spelt.get(name, ())))

    def all(self, name: str) -> set[str]:
        """What a class of values is and is not."""
        return self.values.get(name, set()) | self.old.get(name, set())

    @property
    def has_occasion(self) -> bool:
        """Whether it says when it holds: days, months, the time of day."""
        return _part_of_day() in self.sides or any(map(self.all, (*WHEN, "scope: days")))


def _part_of_day() -> int:
    """The pair of opposites of the day's halves."""
    return int(vocabulary().sides["morning"][0][0])


def _says_when(word: Word) -> bool:
    when = any(name in (*WHEN, "clock") for name, _ in word.values)
    return when or any(pair == _part_of_day() for pair, _ in word.sides)


def statement(placed: Placed) -> Statement:
    """Take a block apart: the payload's clauses, and the words of its trigger."""
    block = placed.block
    trigger = text_keys(" ".join((block.trigger.text, *block.trigger.keywords)))
    found = Statement(
        placed,
        begins_with_user(block.payload.content),
        is_of_user(block),
        trigger,
        fingerprint_text(block.trigger.text),
    )
    for text in (block.payload.content, *block.payload.steps):
        _read(text, found)
    return found


@lru_cache(maxsize=64)
def kinds(text: str) -> frozenset[str | int]:
    """The classes of values, and the pairs of opposites, of which a text has a word."""
    found = [word for clause in _CLAUSE.split(fold(text)) for word in _words(clause)]
    values = {name for word in found for name, _ in word.values}
    return frozenset(values | {pair for word in found for pair, _ in word.sides})


def text_keys(text: str) -> frozenset[str]:
    """The keys of a text, whatever their sign."""
    found = Statement(None)  # type: ignore[arg-type]
    _read(text, found)
    return frozenset(found.signs)


def _read(text: str, into: Statement) -> None:
    # "don't" and "dont" are one word in the lists, "user's" and "user" too; 能不能 denies nothing.
    plain = re.sub(r"['’]s\b", "", fold(text)).replace("'", "").replace("’", "")
    plain = plain if plain.isascii() else _QUESTION.sub(r"\1", plain)
    for clause in _CLAUSE.split(plain):
        _read_clause(list(_words(clause)), into)


def _words(clause: str) -> Iterator[Word]:
    """The words of a clause: known ones as long as possible, numbers with their units, other CJK characters one by
    one."""
    known, at = vocabulary(), 0
    while piece := _PIECE.search(clause, at):
        start, at, text = piece.start(), piece.end(), piece.group()
        number = known.numerals.get(text, piece["number"] or piece["clock"])
        counted = _COUNT.match(clause, start) if piece["cjk"] else None
        if counted and (known.unit.match(clause, counted.end()) or _COUNTED.match(clause, counted.end())):
            number, at = _numeral(counted.group()), counted.end()
        if number:
            unit = known.unit.match(clause, at)
            at = unit.end() if unit else at
            yield _amount(clause[start:at].strip(), number, unit[1] if unit else "")
            continue
        if piece["cjk"]:
            size = next(
                (size for size in range(known.longest, 1, -1) if clause[start : start + size] in known.words),
                1,
            )
            text = clause[start : start + size]
        elif text in known.starts and (phrase := _PHRASE.match(clause, start)):
            text = next(
                (
                    words
                    for words in (phrase.group(), phrase.group().rpartition(" ")[0])
                    if words in known.words
                ),
                text,
            )
        at = start + len(text)
        yield known.word(text)


def _amount(written: str, number: str, unit: str) -> Word:
    """A number as a typed value, in its unit's normal form; of a version as it stands."""
    name, factor = vocabulary().units.get(unit, ("number", 1))
    hours, _, minutes = number.partition(":")
    if name == "clock" or minutes:
        later = 720 if unit == "pm" and float(hours) < 12 else 0
        time = 60 * float(hours) + float(minutes or 30 * (unit == "点半")) + later
        roles = {"by the hour"} if not minutes and unit != "点半" else set[str]()
        roles |= {"open half"} if unit[:1] == "点" and time <= 780 else set()
        return Word(written, frozenset(roles), (("clock", str(time)),))
    if number.count(".") > 1 or (not unit and "." in number):
        return Word(written, values=((name, number),))
    return Word(written, values=((name, str(round(float(number) * factor, 6))),))


def _numeral(text: str) -> str:
    total = digit = 0
    for character in text:
        scale = _SCALES.get(character)
        total, digit = (total + (digit or 1) * scale, 0) if scale else (total, _DIGITS[character])
    return str(total + digit)


def _read_clause(words: Sequence[Word], into: Statement) -> None:
    """Give each word of a clause its sign, then add its keys."""
    stem_of = stems({word.text for word in words if not is_cjk(word.text)})
    bans = [at for at, word in enumerate(words) if "prohibition" in word.roles]
    sign = -1 if len(bans) % 2 else 1
    denies, prefers, opens, mover, before, is_act = sign < 0, False, False, "", _NONE, False
    into.clauses.append({})
    for at, word in enumerate(words):
        roles = word.roles
        into.roles |= roles
        prefers = prefers or "preferring" in roles
        mover = word.text if "mover" in roles else mover
        if "negation" in roles:
            sign, denies = -sign, True
        elif "instead" in roles or (prefers and word.text == "over"):
            sign = -1
        elif "prohibition" not in roles:
            opens = (
                opens
                or not roles.isdisjoint(("one value", "slot", "becoming"))
                or ("place" in roles and at > 0)
            )
            start, held = len(into.line), len(into.clauses[-1])
            _order(words, at, into, stem_of)
            # 下午不要发布 and "never on Fridays" deny the act, not when it is.
            is_when = bool(word.values and word.values[0][0] in WHEN) or (
                bool(word.sides) and bans[-1:] > [at]
            )
            _add(word, before, 1 if is_when else sign, into, stem_of)
            _name(words, at, mover, into)
            if is_act and len(into.clauses[-1]) > held:
                into.acts.append(frozenset([*into.clauses[-1]][held:]))
                is_act = False
            if opens and len(into.line) > start and roles.isdisjoint(("one value", "slot")):
                into.slots.add(start)
                opens = False
        is_act = is_act or not roles.isdisjoint(("negation", "prohibition"))
        before = word
    into.negations += denies
    if denies and any("quantity" in word.roles for word in words):
        into.roles.add("denied in part")
    into.line.append(END)


def _add(word: Word, before: Word, sign: int, into: Statement, stem_of: Mapping[str, str]) -> None:
    keys: list[str] = []
    if word.values and "counted off" in before.roles and word.values[0][0] == "number":
        into.values["label"].add(word.text)
    elif word.values:
        into.line.append(f"={word.values[0][0]}")
        for name, value in word.values:
            (into.old if sign < 0 else into.values)[name].add(value)
            into.spelt[name].append(word.text)
            keys.append(f"={name}:{value}")
            into.sided[name].add(keys[-1])
    elif word.filling or not word.roles.isdisjoint(("becoming", "order", "order chinese")):
        pass
    elif is_cjk(word.text):
        # A pair of characters that no list knows and that stand beside each other is a key of its own.
        is_run = before.is_plain and word.is_plain and is_cjk(before.text)
        run = before.text + word.text if is_run else word.text
        keys = [*word.text, *(run[i : i + 2] for i in range(len(run) - 1))]
        into.line += word.text
    elif word.text in stem_of:
        keys = [stem_of[word.text]]
        into.line += keys
    for key in keys:
        into.clauses[-1][key] = sign
        into.signs[key] = sign if into.signs.get(key, sign) == sign else 0
    for pair, side in word.sides:
        into.sides[pair].add((side, sign))
        into.sided[pair].update(keys)
        into.spelt[pair].append(word.text)


def _order(words: Sequence[Word], at: int, into: Statement, stem_of: Mapping[str, str]) -> None:
    """Note what an "after" or 之后 puts in second place: in English what follows it, in Chinese what precedes it."""
    text, roles = words[at].text, words[at].roles
    if not roles.isdisjoint(("order", "direction")):
        behind = [stem_of.get(one.text, one.text) for one in words[at + 1 :] if not one.filling]
        into.order[text].update(behind if "order" in roles else behind[:1])
    elif "order chinese" in roles:
        into.order[text[-1]].update("".join(one.text for one in words[:at])[-4:])


def _name(words: Sequence[Word], at: int, mover: str, into: Statement) -> None:
    """Note where somebody lives or works, or something is, as a value: what follows "lives", "moved to", 跳槽到, stands
    in 在 … 工作."""
    roles, behind = words[at].roles, words[at + 1] if at + 1 < len(words) else _NONE
    name = next((NAMES[role] for role in roles if role in NAMES), "")
    if mover and (name == "home" or "place" in roles):
        name = f"place of {mover}"
    is_none = (" " in words[at].text and (behind.sides or "no employer" in behind.roles)) or (
        name == "called" and behind.filling
    )
    if not name or is_none or (name == "home" and "thing" in behind.roles):
        return
    if "works chinese" in roles:
        start = next((i + 1 for i in range(at - 1, -1, -1) if words[i].text == "在"), at)
        value = _name_in(words[start:at])
    else:
        value = _name_in(words[at + 1 :]) or ("?" if name == "employer" else "")
    if value:
        # A city in its one form, whatever the language; as it is written where it is shown.
        known = vocabulary().word(value).values
        into.values[name].add(known[0][1] if known else value)
        into.spelt[name].append(value)
        into.sided[name].update(text_keys(value))


def _name_in(words: Sequence[Word]) -> str:
    """The name with which some words begin, behind what says nothing; "" where there is none."""
    found: list[str] = []
    for word in words:
        is_other = (word.filling and found) or (word.roles and not word.filling) or _says_when(word)
        if is_other or len(found) == _NAME_SIZE:
            break
        if not word.filling:
            found.append(word.text)
    return "".join(found) if found and is_cjk(found[0]) else " ".join(found)
