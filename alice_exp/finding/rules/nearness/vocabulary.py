"""The words by which a statement is taken apart: negations, opposites, typed values, filling words (DESIGN 13)."""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from typing import TYPE_CHECKING, Any

from alice_exp.kernel.text.data_files import LazyPattern, entries, word_lists
from alice_exp.kernel.text.stored_tables import stored
from alice_exp.kernel.text.tokens import is_cjk, stems
from alice_exp.kernel.value_class import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

WORDS = "finding/rules/data/nearness_words.txt"
"""The file of words by which a statement is taken apart."""
_VALUES = "finding/rules/data/typed_values.txt"
_ANTONYMS = "finding/rules/data/antonyms.txt"
_ROLES = (
    "negation",
    "prohibition",
    "no negation",
    "instead",
    "preferring",
    "becoming",
    "update",
    "lives",
    "employed",
    "no employer",
    "works chinese",
    "mover",
    "one value",
    "slot",
    "place",
    "quantity",
)
"""The lists of words whose names are the roles of these words."""

THINGS = frozenset(("the", "a", "an", "my", "our", "your", "this", "that", "these", "all", "it", "them"))
"""Behind "moved" these begin what was moved, and no home."""


def gives_up(word: str, behind: str) -> bool:
    """Whether somebody quits a habit, not a job: "quit smoking"."""
    return word == "quit" and behind.endswith("ing")


SUBJECTS = ("city", "programming language", "database", "cloud", "framework", "browser", "language")
"""The classes of values that a statement may be about."""

_EXCLUSIVE = ("city", "package manager", "editor", "shell", "browser")
"""The classes of values of which a person has one: another one is found by each, whatever else is said."""

LIFE = ("age", "marital status")
"""The classes of values of which a person has one, in whatever words it is said."""

IN_A_JOB = LazyPattern(
    r"在(?!家|这|那|线)\w{2,10}?(?:当(?![前时天地])|担任|做(?=运营|销售|开发|测试|设计|产品|财务|\w{1,6}[师员]$))"
)
"""Where somebody has an occupation (在美团当产品经理): 当, or 做 with a word for one."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a known word does: its roles, its typed values (class, value), its side (1, -1) in pairs of opposites."""

    roles: frozenset[str] = frozenset()
    values: tuple[tuple[str, str], ...] = ()
    sides: tuple[tuple[int, int], ...] = ()
    filling: bool = False


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Known words by their spelling: Latin words and phrases (parted by one blank), Chinese words, and the length of
    the longest Chinese one."""

    latin: Mapping[str, Meaning]
    cjk: Mapping[str, Meaning]
    longest: int
    phrases: frozenset[str]
    """The words with which a known phrase of several words begins."""
    initials: frozenset[str]
    """The characters with which a known Chinese word begins."""
    attributes: frozenset[int]
    """The pairs of opposites that are two values of one thing (dark, light), not "do" and "do not"."""
    loose: frozenset[int]
    """The pairs of opposites whose words have other senses, too (first, last)."""


@cache
def vocabulary() -> Vocabulary:
    """The vocabulary of the data files."""
    rows, latin, cjk, *others = _known()
    meanings = [Meaning(*row) for row in rows]
    return Vocabulary(
        {word: meanings[row] for word, row in latin.items()},
        {word: meanings[row] for word, row in cjk.items()},
        max(map(len, cjk)),
        frozenset(word.partition(" ")[0] for word in latin if " " in word),
        frozenset(word[0] for word in cjk),
        *others,
    )


@stored(WORDS, _VALUES, _ANTONYMS, "finding/rules/nearness/vocabulary.py", "kernel/text/data_files.py")
def _known() -> tuple[list[tuple[Any, ...]], dict[str, int], dict[str, int], frozenset[int], frozenset[int]]:
    """The meanings, of each Latin and each Chinese word which of them, and what ``Vocabulary`` says of opposites."""
    lists = word_lists(WORDS)
    roles: dict[str, set[str]] = {}
    for heading in _ROLES:
        for word in lists[heading]:
            roles.setdefault(_spelt(word), set()).add(heading)
    for heading in ("order", "order chinese"):
        for word in lists[heading]:
            roles.setdefault(word, set()).add(heading)
    values = _typed_values()
    sides, attributes, loose = _opposites()
    filling = {_spelt(word): True for word in (*lists["filling"], *lists["filling chinese"])}
    rows: dict[tuple[Any, ...], int] = {}  # most words of a list mean the same
    known = {
        word: rows.setdefault(
            (frozenset(roles.get(word, ())), values.get(word, ()), sides.get(word, ()), word in filling),
            len(rows),
        )
        for word in dict.fromkeys((*roles, *values, *sides, *filling))
    }
    cjk = {word: row for word, row in known.items() if is_cjk(word[0]) or is_cjk(word[-1])}
    latin = {word: row for word, row in known.items() if word not in cjk}
    return list(rows), latin, cjk, attributes, loose


@cache
def exclusive() -> tuple[frozenset[str], ...]:
    """The names of cities, and of each kind of tool of which a person uses one, as blocks are looked up by them."""
    known = vocabulary()
    words: defaultdict[str, list[str]] = defaultdict(list)
    for word, meaning in (*known.latin.items(), *known.cjk.items()):
        for name, _ in meaning.values:
            if name in _EXCLUSIVE:
                words[name].append(word)
    kinds = (stems(listed) for listed in words.values())
    return tuple(
        frozenset(stem_of.get(word, word) for word in listed)
        for listed, stem_of in zip(words.values(), kinds, strict=True)
    )


def _typed_values() -> dict[str, tuple[tuple[str, str], ...]]:
    """Of each name its values: "black" is a colour and a formatter."""
    values: dict[str, tuple[tuple[str, str], ...]] = {}
    for heading, rows in word_lists(_VALUES).items():
        for row in rows:
            value = (heading, _spelt(row.partition(",")[0]))
            for name in map(_spelt, row.split(",")):
                values[name] = (*values.get(name, ()), value)
    return values


def _opposites() -> tuple[dict[str, tuple[tuple[int, int], ...]], frozenset[int], frozenset[int]]:
    """Of each word its sides in pairs of opposites; which pairs are values of one thing, and which are loose."""
    sides: dict[str, tuple[tuple[int, int], ...]] = {}
    attributes, loose = set(), set()
    for number, line in enumerate(entries(_ANTONYMS)):
        if line.startswith("="):
            attributes.add(number)
        if line.startswith("~"):
            loose.add(number)
        for side, half in zip((1, -1), line.lstrip("=~").split("|"), strict=True):
            for word in half.split(","):
                sides[_spelt(word)] = (*sides.get(_spelt(word), ()), (number, side))
    return sides, frozenset(attributes), frozenset(loose)


def _spelt(word: str) -> str:
    return word.replace("_", " ")
