"""What one statement is to another, named only where it is sure: opposed, another value, a rewording (DESIGN 13)."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from itertools import product
from typing import Literal

from alice_exp.finding.rules.nearness.statement import END, NAMES, WHEN, Said, Statement, is_pair
from alice_exp.kernel.text.bilingual_lexicon import same_concept
from alice_exp.kernel.text.tokens import is_cjk
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.rules.rejection import inference
from alice_exp.model.rules.similarity import same_inference

Kind = Literal["identical", "opposes", "replaces", "same", "extends", "near"]

CHARACTER, OTHER_NAME = 0.35, 0.8
"""What a single CJK character, and another name of one concept, weigh beside a word or a pair of characters."""

NEAR, OF_ONE, CLEAR = 0.3, 0.6, 0.75
"""The strength from which two statements are near each other; the topic, or the share, from which they are about one
thing; the share from which they may say the same."""

ONE_OF_PERSON = {"home", "employer", "city", "age", "marital status", "called"}
"""The classes of values of which a person has one, in whatever words it is said."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """What a known statement is to a new one, None where nothing is sure, and how much they share: by mass (``dice``),
    and of their triggers (``topic``), each in [0, 1]; ``differs`` is what differs, on each side."""

    kind: Kind | None
    dice: float
    topic: float
    differs: tuple[str, str] = ("", "")

    @property
    def strength(self) -> float:
        """By which neighbours are ordered: dice + topic / 4, in [0, 1.25]."""
        return self.dice + 0.25 * self.topic


def likeness(one: Statement, two: Statement) -> Likeness:
    """What ``two``, a statement that is known, is to ``one``, a new one."""
    pair = _Pair(one, two)
    kind = pair.kind()
    differs = ("", "") if kind in (None, "identical") else pair.differs()
    return Likeness(kind, round(pair.dice, 3), round(pair.topic, 3), differs)


def _mass(keys: Iterable[str]) -> float:
    return sum(CHARACTER if len(key) == 1 and is_cjk(key) else 1.0 for key in keys)


class _Pair:
    """Two statements compared: what they share, what each has alone, and what of it is opposed or another value."""

    def __init__(self, one: Statement, two: Statement) -> None:
        self.one, self.two = one, two
        both = [subject for subject in one.said if subject in two.said]
        self.opposites = {name for name in both if is_pair(name) and _turned(one.said[name], two.said[name])}
        # "Before" and "after" one thing are opposites; of two things they may put one order.
        anchors = [set().union(*of.order.values()) for of in (one, two)]
        if anchors[0].isdisjoint(anchors[1]) and anchors[0] and anchors[1]:
            self.opposites.discard("<before")
        self.changed = [name for name in both if not is_pair(name) and _is_other(name, one, two)]
        # What is compared on purpose, opposites and values, is no part of what both are about.
        apart = {key for name in (*self.opposites, *self.changed) for of in (one, two) for key in of.said[name].keys}
        self.left, self.right = one.signs.keys() - apart, two.signs.keys() - apart
        named = {key for key in self.left - self.right if not same_concept(key).isdisjoint(self.right)}
        self.shared = (self.left & self.right) | named
        mass = _mass(self.left & self.right) + OTHER_NAME * _mass(named)
        masses = _mass(self.left), _mass(self.right)
        self.dice = min(1.0, 2 * mass / sum(masses)) if mass else 0.0
        self.cover = min(1.0, mass / min(masses)) if mass else 0.0
        union = len(one.trigger | two.trigger)
        is_same = bool(one.trigger_mark) and one.trigger_mark == two.trigger_mark
        self.topic = 1.0 if is_same else len(one.trigger & two.trigger) / union if union else 0.0
        self.of_user = one.of_user and two.of_user
        self.known = {*one.line, *apart}, {*two.line, *apart}

    def kind(self) -> Kind | None:
        """The relation."""
        one, two = self.one.placed.block, self.two.placed.block
        may_be = self.dice >= 0.9 or not (self.left and self.right)
        if may_be and same_inference(inference(one.payload), inference(two.payload)):
            return "identical"
        near: Kind | None = "near" if self.dice + self.topic / 4 >= NEAR or self.topic == 1 else None
        if one.project and two.project and one.project != two.project:
            return near
        are_apart = self._are_apart()
        if not are_apart and self._is_opposed():
            return "replaces" if self._are_values else "opposes"
        is_beside = ("beside" in self.one.roles) != ("beside" in self.two.roles)
        if not (are_apart or is_beside) and (self._is_replaced() or self._is_updated()):
            return "replaces"
        if two.id in one.replaces:
            return "replaces"
        are_apart = are_apart or bool(one.key and two.key and one.key != two.key)
        return (None if are_apart else self._rewording()) or near

    def _are_apart(self) -> bool:
        """Whether both speak of different machines, environments or persons. Of machines and environments one may be
        silent; a sister that only one names is another person, and so is a name in front of what the user does."""
        one, two = self.one, self.two
        scopes = {name for of in (one, two) for name in of.said if name.startswith("scope")}
        sides = ((name, one.values(name), two.values(name)) for name in scopes)
        if any(a.isdisjoint(b) and ((a and b) or name == "scope: person") for name, a, b in sides):
            return True
        own, other = (one, two) if one.is_own else (two, one)
        head = other.line[0]
        is_name = head[0] != "=" and head not in own.line
        return is_name and own.is_own and not other.is_own

    # ------------------------------------------------------------------------------------------------- opposed

    @property
    def _are_values(self) -> bool:
        """Whether what is opposed are two values of one thing (dark, light), rather than "do" and "do not"."""
        return bool(self.opposites) and all(name[0] == "=" for name in self.opposites)

    def _is_opposed(self) -> bool:
        """Whether one affirms what the other denies, of one subject."""
        if len(self.opposites) % 2:
            # "No coffee in the afternoon" and "coffee in the morning" are turned twice, and agree.
            is_odds = all(map(self._agree, self.shared)) and self._are_sides_of_one()
        else:
            is_odds = self._denies()
        if not is_odds or self.exchanged:
            return False
        # Different values of one class, affirmed or denied: green tea, no black tea.
        names = [name for name in self.one.said if name in self.two.said and not is_pair(name)]
        if any(self.one.values(name).isdisjoint(self.two.values(name)) for name in names):
            return False
        pairs = ((self.one, self.two), (self.two, self.one))
        return self._are_values or not any(self._is_exception(*pair) for pair in pairs)

    def _agree(self, key: str) -> bool:
        return self.one.signs[key] * self.two.signs.get(key, 1) >= 0

    def _denies(self) -> bool:
        # "Never send passwords by mail" says nothing about what "the mail password is ..." says: nobody sends there.
        for of, other in ((self.one, self.two), (self.two, self.one)):
            names = {name for key in other.signs for name in (key, *same_concept(key))}
            if (
                of.acts
                and self.dice < CLEAR
                and not self.of_user
                and all(act.isdisjoint(names) for act in of.acts)
            ):
                return False
        # "It is fine", "it is not fine": nearly the same but for one negation, wherever that stands.
        is_one_more = (self.one.negations + self.two.negations) % 2 == 1
        if is_one_more and max(self.dice, self.cover) >= 0.9 and max(self.over) < 0.2:
            return True
        for one, two in product(self.one.clauses, self.two.clauses):
            shared = [key for key in one if key in two]
            mass, denied = _mass(shared), _mass(key for key in shared if one[key] * two[key] < 0)
            general = _mass(one if min(one.values(), default=0) < 0 else two)
            is_whole = mass >= 0.9 * max(_mass(one), _mass(two)) or (self.of_user and mass == general)
            if (mass >= 2 or is_whole) and denied >= 0.5 * mass > 0:
                # Who says of the user that they do not drink coffee denies the three cups a day as well.
                is_general = self.of_user and mass >= 0.65 * general
                if is_general or 2 * mass >= OF_ONE * (_mass(one) + _mass(two)):
                    return True
        return False

    def _are_sides_of_one(self) -> bool:
        """Whether two opposites are said of one thing."""
        says_only_that = not (self.left and self.right)
        is_of_one = self.cover >= (0.2 if self.of_user else 0.3) and (self.of_user or self.dice >= 0.15)
        return is_of_one or (says_only_that and (self.of_user or self.topic >= OF_ONE))

    def _is_exception(self, denies: Statement, affirms: Statement) -> bool:
        """Whether one denies of a part, or on an occasion (no coffee in the afternoon), what the other affirms of all,
        or without naming one."""
        if "quantity" in affirms.roles:
            return False
        is_denied = any(
            (side == "-") != (sign < 0) for pair in self.opposites for side, sign in denies.said[pair].values
        ) or any(denies.signs.get(key, 1) < 0 for key in self.shared)
        occasions = [any(name in of.said for name in WHEN) for of in (denies, affirms)]
        return "denied in part" in denies.roles or (is_denied and occasions == [True, False])

    # ------------------------------------------------------------------------------------------------- replaced

    def _is_replaced(self) -> bool:
        """Whether both state the value of one thing, and another one."""
        one, two, changed = self.one, self.two, self.changed
        if "<like" in one.said and "<like" in two.said:
            return False  # Who likes something likes other things, too.
        if self.of_user and not ONE_OF_PERSON.isdisjoint(changed):
            return not self.opposites
        if not (self.cover >= 0.4 or self.topic >= OF_ONE):
            return False
        if not changed:
            # Both say what one thing is, and differ in one short place alone (名字是张三, 名字是李四).
            spots = [first in one.slots and second in two.slots for first, second, _ in self._places]
            return self.topic >= OF_ONE and one.negations == two.negations and spots == [True]
        if not self.of_user and one.line[0] == two.line[0] in [f"={name}" for name in changed]:
            return False  # What both begin with is what they are about (the Beijing office …, the Shanghai office …).
        is_about_one = bool(self.shared) or not (self.left and self.right)
        return is_about_one and all(map(self._agree, self.shared)) and not self.exchanged

    def _is_updated(self) -> bool:
        """Whether the new one tells that what the known one says was so before: moved, no longer, 换成, 离职."""
        one, two = self.one.line, self.two.line
        is_same = not self.changed and self.over[0] < 0.3
        if is_same or "update" not in self.one.roles - self.two.roles:
            return False
        size = 2 if is_cjk(one[0]) else 1
        is_of_one = (one[:size] == two[:size] and one[0][0] != "=") or not (self.left or self.right)
        if self.changed and is_of_one:
            return True
        return self.cover >= (OF_ONE if self.topic < OF_ONE else 0.15 if self.of_user else 0.3)

    # ---------------------------------------------------------------------------------------------- rewordings

    def _rewording(self) -> Literal["same", "extends"] | None:
        """Whether one says what the other says, or more: with one sign, equal values, and the same order of events."""
        one, two = self.one, self.two
        values = [
            {name: held for name in of.said if not (is_pair(name) or name.startswith("scope")) and (held:=of.values(name, 1))} for of in (one, two)
        ]
        orders = ((one.order[word], two.order[word]) for word in one.order.keys() & two.order.keys())
        agrees = (
            max(self.dice, self.cover) >= CLEAR
            and one.negations == two.negations
            and values[0] == values[1]
            and all(2 * len(left & right) > min(len(left), len(right)) for left, right in orders)
            and not (self.opposites or self.exchanged)
        )
        least, most = sorted(self.over)
        # A prohibition with more words forbids less: "never edit a migration that was merged".
        if agrees and self.dice >= CLEAR and most < (0.3 if one.negations else 1):
            return "same"
        return "extends" if agrees and least < 1 and self.cover >= 0.9 else None

    # ------------------------------------------------------------------------------------------------ what differs

    @property
    def exchanged(self) -> list[tuple[str, str]]:
        """The places where one statement has a word that the other does not have, and the other another one."""
        return [words for _, _, words in self._places]

    @cached_property
    def _places(self) -> list[tuple[int, int, tuple[str, str]]]:
        """Those places: where they begin in each line, and the words."""
        from difflib import SequenceMatcher

        found = []
        for what, a, b, c, d in SequenceMatcher(
            None, self.one.line, self.two.line, autojunk=False
        ).get_opcodes():
            sides = ((self.one.line, a, b, self.known[1]), (self.two.line, c, d, self.known[0]))
            # A clause that shares nothing is another statement, not another word in the place of one.
            if what != "replace" or any(
                known.isdisjoint(_clause(line, start, stop)) for line, start, stop, known in sides
            ):
                continue
            # Of typed values only one that begins the statement is its subject (Python …, Go …).
            left, right = (
                [at for at in range(start, stop) if line[at] not in known and (line[at][0] != "=" or not at)]
                for line, start, stop, known in sides
            )
            words = [self.one.line[at] for at in left], [self.two.line[at] for at in right]
            if not (left and right):
                continue
            if all(same_concept(word).isdisjoint(words[1]) for word in words[0]):
                first, second = (("" if is_cjk(some[0]) else " ").join(some) for some in words)
                found.append((left[0], right[0], (first, second)))
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

    def differs(self) -> tuple[str, str]:
        """What stands in one place of both: the values, the opposites, or the words."""
        for name in (*self.changed, *sorted(self.opposites)):
            one, two = (", ".join(dict.fromkeys(of.said[name].written)) for of in (self.one, self.two))
            return one, two
        return self.exchanged[0] if self.exchanged else ("", "")


def _is_other(name: str, one: Statement, two: Statement) -> bool:
    """Whether two statements affirm values of a subject and have none in common; a name with more words is no other
    one, nor is a time of which one says the hour alone or leaves open which half of the day."""
    left, right = one.values(name, 1), two.values(name, 1)
    if name == "clock":
        roles = one.roles | two.roles
        step, day = 60 if "by the hour" in roles else 1, 720 if "open half" in roles else 1440
        left, right = ({str(float(value) % day // step) for value in of} for of in (left, right))
    is_name = name in NAMES.values() or name.startswith("place")
    words = [[set(value.split() if value.isascii() else value) for value in values] for values in (left, right)]
    is_one = not left.isdisjoint(right) or (is_name and any(a <= b or b <= a for a, b in product(*words)))
    return bool(left and right) and not is_one and not name.startswith(("scope", "label"))


def _turned(one: Said, two: Said) -> bool:
    """Whether two statements take different sides of a pair of opposites; neither may take both. Where both name both
    sides ("tabs over spaces"), their signs tell."""
    left, right = ({(side == "-") == (sign > 0) for side, sign in of.values} for of in (one, two))
    named = [{side for side, _ in of.values} for of in (one, two)]
    is_open = len(named[0] | named[1]) > 1 and not len(named[0]) == len(named[1]) == 2
    return len(left) == len(right) == 1 and left != right and is_open


def _clause(line: list[str], start: int, stop: int) -> list[str]:
    """The words of the clauses in which a part of a line lies, without values."""
    first = next((at + 1 for at in range(start - 1, -1, -1) if line[at] == END), 0)
    last = next((at for at in range(max(start, stop - 1), len(line)) if line[at] == END), len(line))
    return [word for word in line[first:last] if word[0] != "="]
