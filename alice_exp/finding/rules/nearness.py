"""What one statement is to another, where it is sure: the first condition of ``Pair.kind`` that holds (DESIGN 13)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache
from itertools import product
from typing import Literal, TypeAlias

from alice_exp.finding.rules.statement import END, WHEN, Said, Statement, is_pair
from alice_exp.kernel.text.bilingual_lexicon import same_concept
from alice_exp.kernel.text.tokens import is_cjk
from alice_exp.model.rules.identity import inference
from alice_exp.model.rules.similarity import same_inference

Kind = Literal["identical", "opposes", "replaces", "same", "extends", "near"]

CHARACTER, OTHER_NAME = 0.35, 0.8
"""What a single CJK character, and another name of one concept, weigh beside a word or a pair of characters."""

NEAR, OF_ONE, CLEAR = 0.3, 0.6, 0.75
"""The strength from which two statements are near each other; the topic, or the share, from which they are about one
thing; the share from which they may say the same."""

ONE_OF_PERSON = {"home", "employer", "city", "age", "marital status", "called"}
"""The subjects of which a person has one value, in whatever words it is said."""

_Words: TypeAlias = list[tuple[int, str]]
"""Words, each behind its place in a line."""


def _mass(keys: Iterable[str]) -> float:
    return sum(map(_weight, keys))


@lru_cache(maxsize=4096)
def _weight(key: str) -> float:
    return CHARACTER if len(key) == 1 and is_cjk(key) else 1.0


class Pair:
    """A new statement and a known one compared: what they share, what each has alone, and what of it is opposed or
    another value. ``dice`` and ``topic``, in [0, 1], are how much the texts and the triggers share."""

    def __init__(self, one: Statement, two: Statement) -> None:
        self.one, self.two = one, two
        both = [subject for subject in one.said if subject in two.said]
        self.opposites = [name for name in both if is_pair(name) and _turned(one.said[name], two.said[name])]
        # "Before" and "after" one thing are opposites; of two things they may put one order.
        anchors = [set().union(*of.order.values()) for of in (one, two)]
        if "<before" in self.opposites and all(anchors) and anchors[0].isdisjoint(anchors[1]):
            self.opposites.remove("<before")
        self.values = [name for name in both if not is_pair(name)]
        self.changed = [name for name in self.values if _is_other(name, one, two)]
        # What is compared on purpose, opposites and values, is no part of what both are about.
        apart = {
            key
            for name in (*self.opposites, *self.changed)
            for of in (one, two)
            for key in of.said[name].keys
        }
        left, right = one.signs.keys() - apart, two.signs.keys() - apart
        named = {key for key in left - right if not same_concept(key).isdisjoint(right)}
        self.shared = (left & right) | named
        mass = _mass(left & right) + OTHER_NAME * _mass(named)
        masses = _mass(left), _mass(right)
        self.dice = min(1.0, 2 * mass / sum(masses)) if mass else 0.0
        self.cover = min(1.0, mass / min(masses)) if mass else 0.0
        self.topic = len(one.trigger & two.trigger) / (len(one.trigger | two.trigger) or 1)
        self.is_of_one = self.topic >= OF_ONE
        self.says_only_that = not (left and right)
        self.of_user = one.of_user and two.of_user
        self.agrees = all(one.signs[key] * two.signs.get(key, 1) >= 0 for key in self.shared)
        self.known = {*one.line, *apart}, {*two.line, *apart}
        self.blocks = [of.placed.block for of in (one, two) if of.placed]

    @property
    def strength(self) -> float:
        """By which neighbours are ordered: dice + topic / 4, in [0, 1.25]."""
        return round(self.dice + self.topic / 4, 3)

    @cached_property
    def kind(self) -> Kind | None:
        """What the known one is to the new one: the first that is sure."""
        may_be = self.dice >= OF_ONE or self.says_only_that
        if may_be and same_inference(*(inference(block.payload) for block in self.blocks)):
            return "identical"
        is_of_one_project = len({block.project for block in self.blocks} - {""}) < 2
        is_of_one_scope = is_of_one_project and self._is_of_one_scope()
        if is_of_one_scope and self._is_opposed():
            return "replaces" if self._is_value() else "opposes"
        if is_of_one_scope and (self._is_replaced() or self._is_updated()):
            return "replaces"
        if is_of_one_project and self.blocks[1].id in self.blocks[0].replaces:
            return "replaces"
        if is_of_one_scope and self._is_reworded():
            # A prohibition with more words forbids less: "never edit a merged migration".
            if self.dice >= CLEAR and max(self.over) < (0.3 if self.one.negations else 1):
                return "same"
            if self.cover >= 0.9:
                return "extends"
        return "near" if self.dice + self.topic / 4 >= NEAR or self.topic == 1 else None

    @property
    def differs(self) -> tuple[str, str]:
        """What stands in one place of both: the values, the opposites, or the words."""
        one, two = "", ""
        if self.kind in (None, "identical"):
            pass
        elif names := [*self.changed, *self.opposites]:
            one, two = (", ".join(dict.fromkeys(of.said[names[0]].written)) for of in (self.one, self.two))
        elif self.exchanged:
            one, two = (("" if is_cjk(of[0][1]) else " ").join(w for _, w in of) for of in self.exchanged[0])
        return one, two

    def _is_of_one_scope(self) -> bool:
        """Whether both hold for one thing: of machines and environments one may be silent; a sister that only one names
        is another person, and so is a name in front of what the user does."""
        one, two = self.one, self.two
        for name in {name for of in (one, two) for name in of.said if name.startswith("scope")}:
            a, b = one.values(name), two.values(name)
            if a.isdisjoint(b) and ((a and b) or name == "scope: person"):
                return False
        own, other = (one, two) if one.is_own else (two, one)
        is_name = other.line[0][0] != "=" and other.line[0] not in own.line
        return not (is_name and own.is_own and not other.is_own)

    def _is_value(self) -> bool:
        """Whether what is opposed are two values of one thing (dark, light), rather than "do" and "do not"."""
        return bool(self.opposites) and all(name[0] == "=" for name in self.opposites)

    def _is_opposed(self) -> bool:
        """Whether one affirms what the other denies, of one subject."""
        # "No coffee in the afternoon" and "coffee in the morning" are turned twice, and agree.
        is_turned = len(self.opposites) % 2 == 1
        are_sides = self.agrees and (self.cover >= 0.25 or self.says_only_that)
        if not (are_sides if is_turned else self._denies()) or self.exchanged:
            return False
        # Different values of one subject, affirmed or denied: green tea, no black tea.
        if any(self.one.values(name).isdisjoint(self.two.values(name)) for name in self.values):
            return False
        return not (self._is_exception(self.one, self.two) or self._is_exception(self.two, self.one))

    def _denies(self) -> bool:
        one, two = self.one, self.two
        if not self.of_user and self.dice < CLEAR:
            # "Never send passwords by mail" denies nothing of "the mail password is ...": nobody sends there.
            for of, other in ((one, two), (two, one)):
                names = (name for key in other.signs for name in (key, *same_concept(key)))
                if of.acts and of.acts.isdisjoint(names):
                    return False
        # "It is fine", "it is not fine": nearly the same but for one negation, wherever that stands.
        is_one_more = (one.negations + two.negations) % 2 == 1
        if is_one_more and max(self.dice, self.cover) >= 0.9 and max(self.over) < 0.2:
            return True
        return any(self._denies_clause(*clauses) for clauses in product(one.clauses, two.clauses))

    def _denies_clause(self, one: dict[str, int], two: dict[str, int]) -> bool:
        shared = [key for key in one if key in two]
        denied = _mass(key for key in shared if one[key] * two[key] < 0)
        if not denied or all(key[1:].rpartition(":")[0] in WHEN for key in shared):
            return False  # "Not in the afternoon" of one thing denies nothing of another in the afternoon.
        mass = _mass(shared)
        general = _mass(one if min(one.values(), default=0) < 0 else two)
        # Who says of the user that they do not drink coffee denies the three cups a day as well.
        is_general = self.of_user and mass >= 0.65 * general
        is_of_both = is_general or 2 * mass >= OF_ONE * (_mass(one) + _mass(two))
        return is_of_both and denied >= 0.5 * mass

    def _is_exception(self, denies: Statement, affirms: Statement) -> bool:
        """Whether one denies of a part, or on an occasion (no coffee in the afternoon), what the other affirms of all,
        or without naming one."""
        if "quantity" in affirms.roles:
            return False
        is_denied = any(denies.signs.get(key, 1) < 0 for key in self.shared)
        occasions = [any(name in of.said for name in WHEN) for of in (denies, affirms)]
        return "denied in part" in denies.roles or (is_denied and occasions == [True, False])

    def _is_beside(self) -> bool:
        return ("beside" in self.one.roles) != ("beside" in self.two.roles)

    def _is_replaced(self) -> bool:
        """Whether both state the value of one thing, and another one."""
        one, two, changed = self.one, self.two, self.changed
        if self._is_beside() or ("<like" in one.said and "<like" in two.said):
            return False  # Who likes something likes other things, too.
        if self.of_user and not ONE_OF_PERSON.isdisjoint(changed):
            return not self.opposites
        if not (self.cover >= 0.4 or self.is_of_one):
            return False
        if not changed:
            # Both say what one thing is, and differ in one short place alone (名字是张三, 名字是李四).
            spots = [
                (first[0][0] in one.slots, second[0][0] in two.slots) for first, second in self.exchanged
            ]
            return self.is_of_one and one.negations == two.negations and spots == [(True, True)]
        if not self.of_user and one.line[0] == two.line[0] in [f"={name}" for name in changed]:
            return False  # What both begin with is what they are about (the Beijing office …, the Shanghai office …).
        return bool(self.shared or self.says_only_that) and self.agrees and not self.exchanged

    def _is_updated(self) -> bool:
        """Whether the new one tells that what the known one says was so before: moved, no longer, 换成, 离职."""
        is_of_one = self.cover >= (0.3 if self.is_of_one else OF_ONE) or (
            self.changed and self.says_only_that
        )
        return bool(is_of_one) and "update" in self.one.roles - self.two.roles and not self._is_beside()

    def _is_reworded(self) -> bool:
        """Whether both speak with one sign, of equal values, in the same order of events."""
        one, two = self.one, self.two
        values = [
            {name: held for name in of.said if _is_compared(name) and (held := of.values(name, 1))}
            for of in (one, two)
        ]
        orders = ((one.order[word], two.order[word]) for word in one.order.keys() & two.order.keys())
        return (
            len({block.key for block in self.blocks} - {""}) < 2
            and one.negations == two.negations
            and values[0] == values[1]
            and all(2 * len(left & right) > min(len(left), len(right)) for left, right in orders)
            and not (self.opposites or self.exchanged)
        )

    @cached_property
    def exchanged(self) -> list[list[_Words]]:
        """The words with their places in the line that stand in one clause of one statement alone, and those in the
        same clause of the other."""
        found = []
        for clauses in product(_clauses(self.one.line), _clauses(self.two.line)):
            sides = [*zip(clauses, reversed(self.known), strict=True)]
            # A clause that shares nothing is another statement, not another word in the place of one.
            if any(known.isdisjoint(w for _, w in clause if w[0] != "=") for clause, known in sides):
                continue
            # Of typed values only one that begins the statement is its subject (Python …, Go …).
            alone = [
                [
                    (at, w)
                    for at, w in clause
                    if known.isdisjoint({w, *same_concept(w)}) and (w[0] != "=" or not at)
                ]
                for clause, known in sides
            ]
            if all(alone):
                found.append(alone)
        return found

    @cached_property
    def over(self) -> tuple[float, float]:
        """The weight of what each side has alone, CJK by single characters."""
        pairs = ((self.one, self.two), (self.two, self.one))
        alone = (
            [word for word in {*one.line} - {*two.line} if same_concept(word).isdisjoint(two.signs)]
            for one, two in pairs
        )
        left, right = (sum(CHARACTER / 2 if is_cjk(word) else 1 for word in words) for words in alone)
        return left, right


def _is_compared(subject: str) -> bool:
    return not (is_pair(subject) or subject.startswith("scope"))


def _is_other(name: str, one: Statement, two: Statement) -> bool:
    """Whether two statements affirm values of a subject and have none in common; a time is no other one where one says
    the hour alone, or leaves open which half of the day."""
    left, right = one.values(name, 1), two.values(name, 1)
    if name == "clock":
        roles = one.roles | two.roles
        step, day = 60 if "by the hour" in roles else 1, 720 if "open half" in roles else 1440
        left, right = ({str(float(value) % day // step) for value in of} for of in (left, right))
    return bool(left and right) and left.isdisjoint(right) and _is_compared(name) and name != "label"


def _turned(one: Said, two: Said) -> bool:
    """Whether two statements take different sides of a pair of opposites; neither may take both. Where both name both
    sides ("tabs over spaces"), their signs tell."""
    left, right = ({(side == "-") == (sign > 0) for side, sign in of.values} for of in (one, two))
    named = [{side for side, _ in of.values} for of in (one, two)]
    is_open = len(named[0] | named[1]) > 1 and not len(named[0]) == len(named[1]) == 2
    return len(left) == len(right) == 1 and left != right and is_open


def _clauses(line: list[str]) -> Iterator[_Words]:
    """The words of each clause of a line, with their places."""
    clause: _Words = []
    for at, word in enumerate(line):
        if word == END:
            yield clause
            clause = []
        else:
            clause.append((at, word))
