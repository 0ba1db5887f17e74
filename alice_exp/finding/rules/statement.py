"""Takes a text apart, once: its words, each affirmed or denied, and what it says of values and opposites (DESIGN 13).

A *subject* is a class of typed values (``city``), a pair of opposites by its first word (``<like``; ``=tab`` where both
are values of one thing), or what is read behind certain words (where somebody lives: ``home``).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import field
from functools import cache, cached_property, lru_cache, partial
from itertools import chain, combinations, dropwhile, pairwise, takewhile
from typing import Any, NamedTuple

from alice_exp.finding.rules.concerns import begins_with_user
from alice_exp.kernel.text.bilingual_lexicon import chinese_number, same_concept
from alice_exp.kernel.text.data_files import LazyPattern, stored, word_lists
from alice_exp.kernel.text.tokens import fold, is_cjk, stems
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.values.block import Block

WHEN = ("weekday", "month", "clock", "=morning", "scope: days")
"""The subjects that say when something holds."""
NAMES = {
    "lives": ("home", "thing"),
    "naming": ("called", "filling"),
    "named": ("name", "filling"),
    "employed": ("employer", "no employer"),
    "joins": ("employer", ""),
    "works chinese": ("employer", ""),
}
"""What the words are of which a role says that a name follows: its subject, and the role of those that begin none."""

_CLAUSE = re.compile(r"[,;。、!?\n](?:\s*不过)?|:(?!\d)|\.(?=\s|$)|\b(?:but|and then)\b|但是?|而且")
_PIECE = LazyPattern(
    r"(?P<clock>\d{1,2}:\d\d)(?!\d)|v?(?P<number>\d+(?:\.\d+)*)(?![a-z]*\d)"
    r"|(?P<latin>/?[a-z][a-z0-9_+#./*-]*[a-z0-9+#*]|[a-z])|(?P<cjk>[^\W\d_a-z\x00-\u2e7f])"
)
_PHRASE = LazyPattern(r"[a-z]+(?: [a-z]+){1,2}")
_COUNT = LazyPattern(r"(?!一点(?![钟半]))[零一二两三四五六七八九十百千万]{1,8}(?!些)")
_COUNTED = LazyPattern(r"[个条次名倍位人行页张份杯碗瓶只辆台楼层号岁种项箱件包袋组批套元](?<!一个(?!人))")
_FILES = [f"finding/rules/data/{name}.txt" for name in ("nearness_words", "typed_values")]
_SILENT = {"filling", "becoming", "order", "order chinese"}
"""The roles of words that are no key."""


class Word(NamedTuple):
    """A piece of a clause: how it is spelt, what it does there, and its values: (subject, value)."""

    text: str
    roles: frozenset[str] = frozenset()
    values: tuple[tuple[str, str], ...] = ()


class Said(NamedTuple):
    """What a statement says of a subject: a value, its sign, the keys of the words that say so, and these as spelt."""

    value: str
    sign: int
    keys: Collection[str]
    written: str


class Vocabulary(NamedTuple):
    """Units (class, factor), numerals, the known words (roles, values) by spelling, those of each subject, the length
    of the longest that begins with a Chinese character, and the pattern of a unit."""

    units: dict[str, tuple[str, float]]
    numerals: dict[str, str]
    words: dict[str, tuple[frozenset[str], tuple[tuple[str, str], ...]]]
    of_subject: dict[str, list[str]]
    longest: dict[str, int]
    unit: re.Pattern[str]


@cache
def vocabulary() -> Vocabulary:
    """What the data files say."""
    made = Vocabulary(*_tables())
    return made._replace(unit=re.compile(made.unit))


@stored(*_FILES, "finding/rules/statement.py", "kernel/text/data_files.py")
def _tables() -> tuple[Any, ...]:
    lists = dict(word_lists(_FILES[0]))
    unit_rows = (row.split(",") for row in lists.pop("unit"))
    units = {name: (kind, float(factor)) for kind, factor, *names in unit_rows for name in names}
    numerals = {name: value for value, _, name in (row.partition(",") for row in lists.pop("number"))}
    known: defaultdict[str, tuple[list[str], list[tuple[str, str]]]] = defaultdict(lambda: ([], []))
    for heading, words in lists.items():
        for word in words:
            known[word.replace("_", " ")][0].append(heading)
    for heading, rows in word_lists(_FILES[1]).items():
        for sides in ([names.split(",") for names in row.replace("_", " ").split("|")] for row in rows):
            # Of opposites the subject is the first word, and its value the side.
            subject = heading + sides[0][0] if heading in "<=" else heading
            for side, names in zip("+-", sides, strict=False):
                value = names[0] if subject == heading else side
                for name in names:
                    known[name][1].append((subject, value))
    unit = "|".join(sorted(map(re.escape, units), key=len, reverse=True))
    frozen = {word: (frozenset(roles), tuple(values)) for word, (roles, values) in known.items()}
    longest = {word[0]: len(word) for word in sorted(frozen, key=len) if is_cjk(word)}
    of_subject: dict[str, list[str]] = {}
    for word, (roles, values) in known.items():
        for subject in (*dict(values), *(NAMES[role][0] for role in roles if role in NAMES)):
            of_subject.setdefault(subject, []).append(word)
    return units, numerals, frozen, of_subject, longest, rf"\s?({unit})(?![a-z])"


@dataclass()
class Statement:
    """A text taken apart. Keys are stems, CJK characters and pairs of these, and typed values.

    ``signs`` says of each key whether it is affirmed (1), denied (-1) or both (0), ``clauses`` the same of each clause;
    ``parts`` are each clause's words, values and subjects, ``lines`` the words that count, in order, by clause, each
    with whether a value stands there; ``said`` is what it says, by subject, ``order`` what stands behind "before" …,
    ``roles`` what its words do, ``negations`` how many clauses deny; ``is_own`` whether it begins with the user.
    """

    is_own: bool = False
    signs: dict[str, int] = field(default_factory=dict)
    clauses: list[dict[str, int]] = field(default_factory=list)
    parts: list[set[object]] = field(default_factory=list)
    lines: list[list[tuple[str, bool]]] = field(default_factory=list)
    said: defaultdict[str, list[Said]] = field(default_factory=partial(defaultdict, list))
    order: defaultdict[str, set[str]] = field(default_factory=partial(defaultdict, set))
    roles: set[str] = field(default_factory=set)
    negations: int = 0

    @cached_property
    def names(self) -> set[str]:
        """The keys, and the other names of their concepts."""
        return {*self.signs}.union(*map(same_concept, self.signs))

    @cached_property
    def words(self) -> set[str]:
        """The words that count."""
        return {word for line in self.lines for word, _ in line}

    @cached_property
    def spellings(self) -> set[str]:
        """The words that count, and the other names of their concepts."""
        return self.words.union(*map(same_concept, self.words))

    @property
    def denied(self) -> set[str]:
        """The keys that it denies somewhere."""
        return {key for key, sign in self.signs.items() if sign < 1}

    @cached_property
    def affirmed(self) -> dict[str, set[str]]:
        """The values that it affirms of one thing, by subject: neither opposites nor what it holds for."""
        subjects = (name for name in self.said if name[0] not in "<=" and not name.startswith("scope"))
        values = {name: {one.value for one in self.said[name] if one.sign > 0} for name in subjects}
        return {name: found for name, found in values.items() if found}

    @property
    def first(self) -> str:
        """The first word that counts; of 第 5 号 and 第 5 台, which name a thing, the number; "" where none does."""
        words = [word for line in self.lines for word, _ in line]
        return words[words[:1] == ["第"] and words[2:3] in (["号"], ["台"])] if words else ""

    def values(self, subject: str) -> set[str]:
        """What a subject is said to be, or not to be."""
        return {one.value for one in self.said.get(subject, ())}

    def is_other(self, subject: str, known: Statement) -> bool:
        """Whether both affirm values of a subject and have none in common; a time is no other one where one says the
        hour alone, or leaves open which half of the day."""
        left, right = self.affirmed.get(subject), known.affirmed.get(subject)
        if not left or not right or subject == "label":
            return False
        if subject == "clock":
            roles = self.roles | known.roles
            step, day = 60 if "by the hour" in roles else 1, 720 if "open half" in roles else 1440
            left, right = ({str(float(value) % day // step) for value in of} for of in (left, right))
        return left.isdisjoint(right)

    def alone(self, known: Set[str]) -> Iterator[list[tuple[str, bool]]]:
        """Those of its words that are not among known ones, of each clause that shares some with these."""
        for line in self.lines:
            # Of typed values only one that begins a clause is its subject (Python …, Go …).
            words = [word for at, word in enumerate(line) if word[0][0] != "=" or not at]
            alone = [word for word in words if word[0] not in known]
            if 0 < len(alone) < len(words):
                yield alone

    def is_reversed(self, known: Statement) -> bool:
        """Whether one puts last what the other puts first; of two directions both may be taken."""
        words = [at for at in self.order.keys() & known.order if "direction" not in vocabulary().words[at][0]]
        sides = ((self.order[word], known.order[word]) for word in words)
        return any(one and two and one.isdisjoint(two) for one, two in sides)

    def is_crossed(self, known: Statement) -> bool:
        """Whether two clauses of one kind pair their words the other way round: handouts before class and answers after
        it, or the reverse. "The title, the date and the author" are no clauses: they share nothing."""
        mine, theirs = (Counter(chain(*of.parts)) for of in (self, known))
        sole = {key for key in mine if mine[key] == theirs[key] == 1}
        places = [{at for at, other in enumerate(known.parts) if sole & part & other} for part in self.parts]
        pairs = combinations(zip(self.parts, places, strict=True), 2)
        return any(a & b and len(one & two) > 1 for (a, one), (b, two) in pairs)

    def is_turned(self, subject: str, known: Statement) -> bool:
        """Whether a subject is a pair of opposites of which both take different sides; neither may take both, and where
        both name both ("tabs over spaces"), what they deny tells."""
        if subject[0] not in "<=":
            return False
        # "Before" one thing and "after" another may put one order.
        behind = [set().union(*of.order.values()) for of in (self, known)]
        if subject == "<before" and all(behind) and behind[0].isdisjoint(behind[1]):
            return False
        both = self.said[subject], known.said[subject]
        left, right = ({(said.value == "-") == (said.sign > 0) for said in of} for of in both)
        return left.isdisjoint(right) and self.values(subject) != known.values(subject)


def mass(keys: Iterable[str]) -> float:
    """How much some keys count: a Chinese word of two characters has three."""
    return sum(1 / 3 if is_cjk(key) else 1 for key in keys)


def statement(block: Block) -> Statement:
    """A block's payload taken apart."""
    return _read(block.payload.content, *block.payload.steps)


def text_keys(text: str) -> Set[str]:
    """The keys of a text, whatever their sign."""
    return _read(text).signs.keys()


@lru_cache(maxsize=4096)
def _read(*texts: str) -> Statement:
    found = Statement(begins_with_user(texts[0]))
    for text in texts:
        # "don't" and "dont" are one word in the lists, "user's" and "user" too.
        plain = re.sub(r"['’]s\b", "", fold(text)).replace("'", "").replace("’", "")
        for clause in _CLAUSE.split(plain):
            words = [*_words(clause)]
            known = (word for word in words if "filling" not in word.roles)
            found.parts.append({x for one in known for x in (one.text, *one.values, *dict(one.values))})
            _read_clause(words, found)
    return found


def _words(clause: str) -> Iterator[Word]:
    """The words of a clause: known ones as long as possible, numbers with units, other CJK characters one by one."""
    known, at = vocabulary(), 0
    unit_of = known.unit
    while piece := _PIECE.search(clause, at):
        start, at, text, is_chinese = piece.start(), piece.end(), piece.group(), piece.lastgroup == "cjk"
        is_more = at < len(clause) and clause[start : at + 1] in known.words  # 3月
        number = "" if is_more else known.numerals.get(text, piece["number"] or piece["clock"])
        counted = _COUNT.match(clause, start) if is_chinese else None
        if counted and (unit_of.match(clause, counted.end()) or _COUNTED.match(clause, counted.end())):
            value = chinese_number(counted.group())
            number, at = (number, at) if value is None else (str(value), counted.end())
        if number:
            unit = unit_of.match(clause, at)
            at = unit.end() if unit else at
            yield _amount(clause[start:at].strip(), number, unit[1] if unit else "")
            continue
        if is_chinese:
            longer = [clause[start : start + size] for size in range(known.longest.get(text, 1), 1, -1)]
        else:
            phrase = _PHRASE.match(clause, start)
            longer = [phrase.group(), phrase.group().rpartition(" ")[0]] if phrase else []
            longer += [clause[start : at + 1]] * is_more
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
        roles = {"by the hour" if not minutes else "", "open half" if unit[:1] == "点" else ""}
        return Word(written, frozenset(roles), (("clock", str(time)),))
    value = number if number.count(".") > bool(unit) else str(round(float(number) * factor, 6))
    return Word(written, values=((name, value),))


def _read_clause(words: Sequence[Word], into: Statement) -> None:
    """Give each word of a clause its sign, then add its keys."""
    stem_of = stems({word.text for word in words if not is_cjk(word.text)})
    double = ["prohibition" in a.roles and "negation" in b.roles for a, b in pairwise([Word(""), *words])]
    sign = (-1) ** (sum("prohibition" in word.roles for word in words) + sum(double))
    prefers = any("preferring" in word.roles for word in words)
    opens, mover = False, ""
    into.clauses.append({})
    into.lines.append([])
    for at, word in enumerate(words):
        roles = word.roles
        into.roles |= roles
        mover = word.text if "mover" in roles else mover
        if at and "counted off" in words[at - 1].roles and "number" in dict(word.values):
            into.said["label"].append(Said(word.text, 1, (), word.text))
        elif "negation" in roles:
            sign *= 1 if double[at] else -1  # 不要不用 turns nothing
        elif "instead" in roles or (prefers and word.text == "over"):
            sign = -1
        elif "prohibition" not in roles:
            states = "stating" in roles
            opens = opens or states or ("place" in roles and at > 0)
            if not roles.isdisjoint(("order", "direction")):
                # What stands in second place: behind "after" all, behind "from" one word.
                behind = [stem_of.get(w.text, w.text) for w in words[at + 1 :] if "filling" not in w.roles]
                into.order[word.text].update(behind if "order" in roles else behind[:1])
            elif "order chinese" in roles:
                into.order[word.text[-1]].update("".join(one.text for one in words[:at])[-4:])
            # 下午不要发布 and "never on Fridays" deny the act, not when it is.
            keys, line = _keys(word, words[at - 1] if at else Word(" "), stem_of)
            sign_here = 1 if dict(word.values).keys() & {"weekday", "month"} else sign
            into.clauses[-1].update(dict.fromkeys(keys, sign_here))
            into.lines[-1] += ((one, opens and not states and not place) for place, one in enumerate(line))
            opens = opens and (states or not line)
            for subject, value in word.values:
                into.said[subject].append(Said(value, sign_here, keys, word.text))
            if roles:
                _name(words, at, mover, into)
    for key, said in into.clauses[-1].items():
        into.signs[key] = said * (into.signs.get(key, said) == said)
    into.negations += any(word.roles & {"negation", "prohibition"} for word in words)


def _keys(word: Word, before: Word, stem_of: Mapping[str, str]) -> tuple[list[str], Sequence[str]]:
    """The keys of a word behind another one, and what stands for it in the line."""
    if not word.roles.isdisjoint(_SILENT):
        return [], ""
    if word.values:
        return [f"={subject}:{value}" for subject, value in word.values], [f"={word.values[0][0]}"]
    if is_cjk(word.text):
        # A pair of characters that no list knows and that stand beside each other is a key of its own.
        is_run = is_cjk(before.text) and not any((before.roles, before.values, word.roles))
        run = before.text + word.text if is_run else word.text
        return [*word.text, *map("".join, pairwise(run))], word.text
    stem = [stem_of[word.text]] if word.text in stem_of else []
    return stem, stem


def _name(words: Sequence[Word], at: int, mover: str, into: Statement) -> None:
    """Note where somebody lives or works, or something is, as a value: what follows "lives", "moved to", 跳槽到, stands
    in 在 … 工作."""
    roles, behind = words[at].roles, words[at + 1] if at + 1 < len(words) else Word(" ")
    subject, nameless = next((NAMES[role] for role in roles if role in NAMES), ("", ""))
    if mover and (subject == "home" or "place" in roles):
        subject = f"place of {mover}"
    elif not subject or nameless in behind.roles:
        return
    if "works chinese" in roles:
        start = next((i + 1 for i in range(at - 1, -1, -1) if words[i].text == "在"), at)
        value = _name_in(words[start:at])
    else:
        value = _name_in(words[at + 1 :]) or "?" * (subject == "employer")
    if value:
        # A city in its one form, whatever the language; as it is written where it is shown.
        known = vocabulary().words.get(value, ((), ()))[1]
        into.said[subject].append(Said(known[0][1] if known else value, 1, text_keys(value), value))


def _name_in(words: Sequence[Word]) -> str:
    """The name with which some words begin, behind what says nothing; "" where there is none."""
    lasting = list(takewhile(lambda word: dict(word.values).keys().isdisjoint(WHEN), words))
    behind = dropwhile(lambda word: "filling" in word.roles, lasting)
    return joined([word.text for word in takewhile(lambda word: not word.roles, behind)])


def joined(words: Sequence[str]) -> str:
    """Words as one writes them: Chinese ones without blanks."""
    return ("" if words and is_cjk(words[0]) else " ").join(words)


def agreement(text: str, known: str) -> int:
    """How many more keys a text and the clause of a known one that shares most with it both affirm or both deny than
    one affirms and the other denies, but for what says when."""
    one = {key: sign for key, sign in _read(text).signs.items() if key[1:].rpartition(":")[0] not in WHEN}
    best: list[int] = []
    for clause in _read(known).clauses:
        products = [one[key] * clause[key] for key in one.keys() & clause.keys()]
        best = max(products, best, key=len)
    return sum(best)


def contradicts(text: str, known: str) -> bool:
    """Whether a text that speaks of what a known one says tells a change, another value, or what holds instead."""
    one, two = _read(text), _read(known)
    denied = [two.signs[key] for key, sign in one.signs.items() if sign < 0 and key in two.signs]
    is_instead = any(sign > 0 and key not in two.signs for key, sign in one.signs.items())
    is_changed = any(one.is_other(name, two) for name in one.said) or "update" in one.roles - two.roles
    return is_changed or (is_instead and min(denied, default=0) > 0)
