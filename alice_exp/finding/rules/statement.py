"""Takes a text apart, once: its words, each affirmed or denied, and what it says of values and opposites (DESIGN 13).

A *subject* is a class of which a thing has one value at a time: a class of typed values (``city``), a pair of opposites
by its first word (``<like``; ``=tab`` where both are values of one thing), or what is read behind certain words (where
somebody lives: ``home``).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from functools import cache, lru_cache, partial
from typing import Any, NamedTuple

from alice_exp.finding.rules.concerns import begins_with_user, is_of_user
from alice_exp.kernel.text.data_files import LazyPattern, entries, stored, word_lists
from alice_exp.kernel.text.tokens import fold, is_cjk, stems
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.values.block import Placed

WHEN = ("weekday", "month", "clock", "=morning", "scope: days")
"""The subjects that say when something holds."""
END = "=;"
"""What stands in a statement's line where a clause ends."""
NAMES = {"lives": "home", "employed": "employer", "works chinese": "employer", "naming": "called"}
"""The words behind which a name follows, and its subject."""

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
_SILENT = {"filling", "becoming", "order", "order chinese"}
"""The roles of words that are no key."""
_STATING = {"one value", "slot"}
"""The roles of words behind which a value stands."""


@dataclass(frozen=True, slots=True)
class Word:
    """A piece of a clause: how it is spelt, what it does there, and its values: (subject, value)."""

    text: str
    roles: frozenset[str] = frozenset()
    values: tuple[tuple[str, str], ...] = ()

    def says(self, *subjects: str) -> bool:
        """Whether it is a value of one of some subjects."""
        return any(subject in subjects for subject, _ in self.values)


_NONE = Word(" ")


def is_pair(subject: str) -> bool:
    """Whether a subject is a pair of opposites."""
    return subject[0] in "<="


class Vocabulary(NamedTuple):
    """Units (class, factor), numerals, the known words (roles, values) by spelling, the length of the longest that is
    not Latin, and the pattern of a unit."""

    units: dict[str, tuple[str, float]]
    numerals: dict[str, str]
    words: dict[str, tuple[frozenset[str], tuple[tuple[str, str], ...]]]
    longest: int
    unit: re.Pattern[str]


@cache
def vocabulary() -> Vocabulary:
    """The vocabulary of the data files."""
    units, numerals, words, longest, unit = _tables()
    return Vocabulary(units, numerals, words, longest, re.compile(unit))


@stored(*_FILES, "finding/rules/statement.py", "kernel/text/data_files.py")
def _tables() -> tuple[Any, ...]:
    lists = dict(word_lists(_FILES[0]))
    rows = (row.split(",") for row in lists.pop("unit"))
    units = {name: (kind, float(factor)) for kind, factor, *names in rows for name in names}
    numerals = {name: value for value, _, name in (row.partition(",") for row in lists.pop("number"))}
    lists["filling"] += lists.pop("filling chinese")
    known: defaultdict[str, tuple[list[str], list[tuple[str, str]]]] = defaultdict(lambda: ([], []))
    for heading, words in lists.items():
        for word in words:
            known[word.replace("_", " ")][0].append(heading)
    for heading, words in word_lists(_FILES[1]).items():
        for names in (row.replace("_", " ").split(",") for row in words):
            for name in names:
                known[name][1].append((heading, names[0]))
    for line in entries(_FILES[2]):
        sides = line.lstrip("=").replace("_", " ").split("|")
        subject = ("=" if line[0] == "=" else "<") + sides[0].partition(",")[0]
        for side, half in zip("+-", sides, strict=True):
            for word in half.split(","):
                known[word][1].append((subject, side))
    unit = "|".join(sorted(map(re.escape, units), key=len, reverse=True))
    frozen = {word: (frozenset(roles), tuple(values)) for word, (roles, values) in known.items()}
    longest = max(len(word) for word in frozen if word[0] > "\u2e7f")
    return units, numerals, frozen, longest, rf"\s?({unit})(?![a-z])"


@dataclass(slots=True)
class Said:
    """What a statement says of a subject: values with their signs, the keys of the words that say so, and these words
    as they are written."""

    values: set[tuple[str, int]] = field(default_factory=set)
    keys: set[str] = field(default_factory=set)
    written: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Statement:
    """One block's text taken apart. Keys are stems, CJK characters and pairs of these, and typed values.

    ``is_own`` says whether it begins with the user, ``of_user`` whether it is about them; ``signs`` of each key whether
    it is affirmed (1) or denied (-1), ``clauses`` the same of each clause; ``said`` what it says, by subject;
    ``line`` the words that count, in order, ``slots`` the places in it where a value stands; ``order`` what stands
    behind "before" and its like; ``roles`` what its words do; ``negations`` how many clauses deny; ``acts`` the keys of
    each word behind a negation or a prohibition: what is denied.
    """

    placed: Placed | None = None
    is_own: bool = False
    of_user: bool = False
    trigger: frozenset[str] = frozenset()
    signs: dict[str, int] = field(default_factory=dict)
    clauses: list[dict[str, int]] = field(default_factory=list)
    said: defaultdict[str, Said] = field(default_factory=partial(defaultdict, Said))
    line: list[str] = field(default_factory=list)
    slots: set[int] = field(default_factory=set)
    order: defaultdict[str, set[str]] = field(default_factory=partial(defaultdict, set))
    roles: set[str] = field(default_factory=set)
    negations: int = 0
    acts: set[str] = field(default_factory=set)

    def values(self, subject: str, *signs: int) -> set[str]:
        """What a subject is said to be (1), not to be (-1), or either."""
        said = self.said[subject].values if subject in self.said else ()
        return {value for value, sign in said if not signs or sign in signs}


def statement(placed: Placed) -> Statement:
    """Take a block apart: the payload's clauses, and the words of its trigger."""
    block = placed.block
    found = Statement(
        placed,
        begins_with_user(block.payload.content),
        is_of_user(block),
        text_keys(" ".join((block.trigger.text, *block.trigger.keywords))),
    )
    for text in (block.payload.content, *block.payload.steps):
        _read(text, found)
    return found


@lru_cache(maxsize=4096)
def text_keys(text: str) -> frozenset[str]:
    """The keys of a text, whatever their sign."""
    found = Statement()
    _read(text, found)
    return frozenset(found.signs)


def _read(text: str, into: Statement) -> None:
    # "don't" and "dont" are one word in the lists, "user's" and "user" too; 能不能 denies nothing.
    plain = re.sub(r"['’]s\b", "", fold(text)).replace("'", "").replace("’", "")
    plain = plain if plain.isascii() else _QUESTION.sub(r"\1", plain)
    for clause in _CLAUSE.split(plain):
        _read_clause(list(_words(clause)), into)


# ------------------------------------------------------------------------------------------------------------ words


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
            longer = [clause[start : start + size] for size in range(known.longest, 1, -1)]
        else:
            phrase = _PHRASE.match(clause, start)
            longer = [phrase.group(), phrase.group().rpartition(" ")[0]] if phrase else []
        text = next((words for words in longer if words in known.words), text)
        at = start + len(text)
        yield Word(text, *known.words.get(text, ()))


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
    is_version = number.count(".") > 1 or (not unit and "." in number)
    value = number if is_version else str(round(float(number) * factor, 6))
    return Word(written, values=((name, value),))


def _numeral(text: str) -> str:
    total = digit = 0
    for character in text:
        scale = _SCALES.get(character)
        total, digit = (total + (digit or 1) * scale, 0) if scale else (total, _DIGITS[character])
    return str(total + digit)


# ---------------------------------------------------------------------------------------------------------- clauses


def _read_clause(words: Sequence[Word], into: Statement) -> None:
    """Give each word of a clause its sign, then add its keys."""
    stem_of = stems({word.text for word in words if not is_cjk(word.text)})
    sign = (-1) ** sum("prohibition" in word.roles for word in words)
    denies, prefers, opens, is_act, mover = sign < 0, False, False, False, ""
    into.clauses.append({})
    for at, word in enumerate(words):
        roles = word.roles
        into.roles |= roles
        prefers = prefers or "preferring" in roles
        mover = word.text if "mover" in roles else mover
        if "negation" in roles:
            sign, denies, is_act = -sign, True, True
        elif "prohibition" in roles:
            is_act = True
        elif "instead" in roles or (prefers and word.text == "over"):
            sign = -1
        else:
            opens = opens or not roles.isdisjoint(_STATING) or ("place" in roles and at > 0)
            start = len(into.line)
            _order(words, at, into, stem_of)
            # 下午不要发布 and "never on Fridays" deny the act, not when it is.
            is_when = word.says("weekday", "month")
            keys = _add(word, words[at - 1] if at else _NONE, 1 if is_when else sign, into, stem_of)
            _name(words, at, mover, into)
            if is_act and keys:
                into.acts.update(keys)
                is_act = False
            if opens and len(into.line) > start and roles.isdisjoint(_STATING):
                into.slots.add(start)
                opens = False
    into.negations += denies
    if denies and any("quantity" in word.roles for word in words):
        into.roles.add("denied in part")
    into.line.append(END)


def _add(word: Word, before: Word, sign: int, into: Statement, stem_of: Mapping[str, str]) -> list[str]:
    """Add a word behind another one with its sign; its keys."""
    keys: list[str] = []
    if "counted off" in before.roles and word.says("number"):
        into.said["label"].values.add((word.text, 1))
        return keys
    if not word.roles.isdisjoint(_SILENT):
        pass
    elif word.values:
        into.line.append(f"={word.values[0][0]}")
        keys = [f"={subject}:{value}" for subject, value in word.values]
    elif is_cjk(word.text):
        # A pair of characters that no list knows and that stand beside each other is a key of its own.
        is_run = is_cjk(before.text) and not any((before.roles, before.values, word.roles, word.values))
        run = before.text + word.text if is_run else word.text
        keys = [*word.text, *(run[i : i + 2] for i in range(len(run) - 1))]
        into.line += word.text
    elif word.text in stem_of:
        keys = [stem_of[word.text]]
        into.line += keys
    for key in keys:
        into.clauses[-1][key] = sign
        into.signs[key] = sign
    for subject, value in word.values:
        said = into.said[subject]
        said.values.add((value, sign))
        said.keys.update(keys)
        said.written.append(word.text)
    return keys


def _order(words: Sequence[Word], at: int, into: Statement, stem_of: Mapping[str, str]) -> None:
    """Note what an "after" or 之后 puts in second place: in English what follows it, in Chinese what precedes it."""
    text, roles = words[at].text, words[at].roles
    if not roles.isdisjoint(("order", "direction")):
        behind = [stem_of.get(one.text, one.text) for one in words[at + 1 :] if "filling" not in one.roles]
        into.order[text].update(behind if "order" in roles else behind[:1])
    elif "order chinese" in roles:
        into.order[text[-1]].update("".join(one.text for one in words[:at])[-4:])


def _name(words: Sequence[Word], at: int, mover: str, into: Statement) -> None:
    """Note where somebody lives or works, or something is, as a value: what follows "lives", "moved to", 跳槽到, stands
    in 在 … 工作."""
    roles, behind = words[at].roles, words[at + 1] if at + 1 < len(words) else _NONE
    subject = next((NAMES[role] for role in roles if role in NAMES), "")
    if mover and (subject == "home" or "place" in roles):
        subject = f"place of {mover}"
    is_none = (
        (" " in words[at].text and (any(map(is_pair, dict(behind.values))) or "no employer" in behind.roles))
        or (subject == "called" and "filling" in behind.roles)
        or (subject == "home" and "thing" in behind.roles)
    )
    if not subject or is_none:
        return
    if "works chinese" in roles:
        start = next((i + 1 for i in range(at - 1, -1, -1) if words[i].text == "在"), at)
        value = _name_in(words[start:at])
    else:
        value = _name_in(words[at + 1 :]) or "?" * (subject == "employer")
    if value:
        # A city in its one form, whatever the language; as it is written where it is shown.
        known, said = vocabulary().words.get(value, ((), ()))[1], into.said[subject]
        said.values.add((known[0][1] if known and not is_pair(known[0][0]) else value, 1))
        said.keys.update(text_keys(value))
        said.written.append(value)


def _name_in(words: Sequence[Word]) -> str:
    """The name with which some words begin, behind what says nothing; "" where there is none."""
    found: list[str] = []
    for word in words:
        is_filling = "filling" in word.roles
        is_other = found if is_filling else word.roles
        if is_other or word.says(*WHEN):
            break
        if not is_filling:
            found.append(word.text)
    return "".join(found) if found and is_cjk(found[0]) else " ".join(found)
