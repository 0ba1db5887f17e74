"""Two statements compared: what they share, what each has alone, and what of it is opposed or replaced (DESIGN 13)."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from alice_exp.finding.rules.nearness.persons import is_of_user
from alice_exp.finding.rules.nearness.statement import CLAUSE_END, WHEN
from alice_exp.finding.rules.nearness.vocabulary import LIFE, SUBJECTS, vocabulary
from alice_exp.kernel.text.bilingual_lexicon import same_concept
from alice_exp.kernel.text.tokens import is_cjk

if TYPE_CHECKING:
    from alice_exp.finding.rules.nearness.statement import Statement

OTHER_NAME = 0.8
"""What another name of one concept counts, compared with the word itself."""

RARE = 4.8
"""The weight of a word that occurs in one of 200 texts: the least collection that is assumed."""

CLAUSE = 0.6
"""The dice of two clauses from which they are about one thing."""

NARROWER = 1.5
"""The weight of the words that one prohibition has over another from which it forbids less, or news over what was."""

ALIKE = 0.6
"""The dice from which words with other senses (first, last) are opposites of one thing."""

LEAST_DICE = 0.15
"""The dice below which a long text that has the words of a short one somewhere is not about the same."""

SHORT_PLACE = 4
"""The most words, or CJK characters, of a value that no list knows."""

_WHEN = tuple(f"={name}:" for name in WHEN)

Weigh: TypeAlias = Callable[[str], float]
"""The weight of a key, > 0: the rarer, the more."""


class Comparison:
    """Two statements compared: what they share, and what each has alone, by weight."""

    def __init__(self, first: Statement, second: Statement, weigh: Weigh) -> None:
        self.one, self.two, self.weigh = first, second, weigh
        one, two = first.signs, second.signs
        self.opposed_sides = {
            pair
            for pair in self.one.sides.keys() & self.two.sides.keys()
            if _turned(self.one.sides[pair], self.two.sides[pair])
        }
        apart = {
            key
            for pair in self.opposed_sides
            for key in (*self.one.sided.get(pair, ()), *self.two.sided.get(pair, ()))
        }
        self.changed = [
            name
            for name in self.one.values.keys() & self.two.values.keys()
            if not name.startswith("scope") and not self.one.values[name] & self.two.values[name]
        ]
        apart |= {
            f"={name}:{value}"
            for name in self.changed
            for value in self.one.values[name] | self.two.values[name]
        }
        # What is compared on purpose (the opposites, the values) is no part of what both are about.
        self.left = {key: self.weigh(key) for key in one if key not in apart}
        self.right = {key: self.weigh(key) for key in two if key not in apart}
        self.shared = {key: weight for key, weight in self.left.items() if key in self.right}
        for key, weight in self.left.items():
            if key not in self.shared and not same_concept(key).isdisjoint(self.right):
                self.shared[key] = OTHER_NAME * weight
        mass_one, mass_two = sum(self.left.values()), sum(self.right.values())
        together = sum(self.shared.values())
        self.dice = min(1.0, 2 * together / (mass_one + mass_two)) if together else 0.0
        self.cover = min(1.0, together / min(mass_one, mass_two)) if together else 0.0
        self.topic = _topic(self.one, self.two)

    def is_opposed(self) -> bool:
        """Whether one affirms what the other denies, of one subject."""
        return (
            self._is_turned()
            and not self._denies_at_times()
            and not self.has_other_scope()
            and not self._has_other_value()
            and not self.exchanged
            and not (self.are_values() and self._adds_on_both_sides())
        )

    def _adds_on_both_sides(self) -> bool:
        """Whether each says something of its own beside what is opposed, on different occasions (green tea in the
        morning, camomile in the evening)."""
        alone = (self.left.keys() - self.shared, self.right.keys() - self.shared)
        return self.topic < 0.6 and min(sum(map(self.weigh, keys)) for keys in alone) >= RARE

    def _denies_at_times(self) -> bool:
        """Whether one denies on an occasion (no coffee in the afternoon) what the other affirms without naming any."""
        if self.are_values():
            return False
        for denies, affirms in ((self.one, self.two), (self.two, self.one)):
            if denies.occasions and not affirms.occasions and not affirms.is_quantified:
                is_side = any(
                    side * sign < 0 for pair in self.opposed_sides for side, sign in denies.sides[pair]
                )
                return is_side or any(denies.signs.get(key, 1) < 0 for key in self.shared)
        return False

    def _has_other_value(self) -> bool:
        """Whether both speak of different values of one class, affirmed or denied (green tea, no black tea)."""
        one, two = self.one, self.two
        return any(
            (one.values.get(name, set()) | one.old.get(name, set())).isdisjoint(
                two.values.get(name, set()) | two.old.get(name, set())
            )
            for name in {*one.values, *one.old} & {*two.values, *two.old}
        )

    def are_values(self) -> bool:
        """Whether what is opposed are two values of one thing (dark, light), rather than "do" and "do not"."""
        return bool(self.opposed_sides) and self.opposed_sides <= vocabulary().attributes

    def _is_turned(self) -> bool:
        trigger = self.one.trigger | self.two.trigger
        beside = {
            key: weight
            for key, weight in self.shared.items()
            if key not in trigger and not (key.startswith(_WHEN) and self._agree_on(key))
        }
        counted = beside or self.shared
        denied = sum(
            weight for key, weight in counted.items() if self.one.signs[key] * self.two.signs.get(key, 1) < 0
        )
        is_denied = bool(counted) and denied >= 0.3 * sum(counted.values())
        if len(self.opposed_sides) % 2:
            # "no coffee in the afternoon" and "coffee in the morning" are turned twice, and agree.
            return not is_denied and self._are_sides_of_one()
        if self._is_of_a_part():
            return False
        # One shared word is a subject, not a statement about it; if the trigger has it too, it is even less.
        is_enough = (
            len(self.shared) > 1
            or (bool(beside) and (self.topic >= 0.6 or self.cover >= 0.75))
            or max(self.over()) < RARE
        )
        is_about_one = self.topic >= 0.6 or self.dice >= LEAST_DICE
        # Where the trigger alone is shared and each adds its own, both speak of it, and neither of what the other says.
        is_of_same = self.cover >= 0.45 if beside else self.cover >= 0.6 and min(self.over()) < RARE / 2
        if is_denied and is_enough and is_about_one and is_of_same:
            return True
        if any(self._deny(one, two) for one in self.one.clauses for two in self.two.clauses):
            return True
        # "it is fine", "it is not fine": word for word the same but for one negation, wherever that stands.
        is_one_more = (self.one.negations + self.two.negations) % 2 == 1
        is_alike = self.dice >= 0.9 or self.cover >= 0.95
        return is_one_more and is_alike and max(self.over()) < 1

    def _are_sides_of_one(self) -> bool:
        """Whether two opposites are said of one thing."""
        # A trigger is a subject; what is liked and what is not are two things, if nothing else is shared.
        says_only_that = not (self.left and self.right)
        near = (
            (self.topic >= 0.6 and (says_only_that or self.dice >= LEAST_DICE))
            or (self._are_both_about_user() and says_only_that and not self.are_values())
            or (self.cover >= 0.3 and self.dice >= LEAST_DICE)
            or (self._are_both_about_user() and self.cover >= 0.2)
        )
        return near and (self.dice >= ALIKE or not self.opposed_sides <= vocabulary().loose)

    def _agree_on(self, key: str) -> bool:
        """Whether both affirm, or both deny, a key."""
        return self.one.signs[key] * self.two.signs.get(key, 1) >= 0

    def _is_of_a_part(self) -> bool:
        """Whether one denies something of all, and the other affirms it of some ("not all columns")."""
        one, two = self.one, self.two
        return (one.denies_whole and not two.is_quantified) or (two.denies_whole and not one.is_quantified)

    def _deny(self, one: dict[str, int], two: dict[str, int]) -> bool:
        """Whether a clause denies what a clause of the other statement affirms, whatever else the two say."""
        shared = [key for key in one if key in two]
        if len(shared) < 2 or all(one[key] * two[key] > 0 for key in shared):
            return False
        mass = sum(map(self.weigh, shared))
        denied = sum(self.weigh(key) for key in shared if one[key] * two[key] < 0)
        masses = [sum(map(self.weigh, clause)) for clause in (one, two)]
        if denied < 0.5 * mass or mass < 2 * RARE:
            return False
        # Who says of the user that they do not drink coffee denies the three cups a day as well.
        general = masses[min(one.values()) > 0] if self._are_both_about_user() else math.inf
        return 2 * mass >= CLAUSE * sum(masses) or mass >= 0.65 * general

    def is_replaced(self) -> bool:
        """Whether both state the value of one thing, and another one."""
        if not set(self.changed).isdisjoint(LIFE) and self._are_both_about_user():
            return not self.has_other_scope()
        is_bare = self.changed == ["number"] and not self._is_of_one_number()
        if is_bare or not (self.cover >= 0.4 or self.topic >= 0.6):
            return False
        if not self.changed:
            return self._states_another() and not self.has_other_scope()
        # With the same trigger the value may be all that is said; else something has to be of one thing.
        is_about_one = bool(self.shared) or not (self.left and self.right)
        # Another day on which it is not so agrees with the day on which it is.
        are_agreed = all(map(self._agree_on, self.shared)) and not self.exchanged
        return is_about_one and are_agreed and not self.has_other_scope() and not self._are_two_things()

    def _is_of_one_number(self) -> bool:
        """Whether the two differ in a bare number alone, which is said of something: rather than the ports of two
        services, which share a word or two, or two that are numbered (rule 1: …, lesson 3 on subject 21)."""
        is_one = len(self.shared) > 1 and all(len(of.values["number"]) == 1 for of in (self.one, self.two))
        is_said_of = is_one or bool(self.one.slots and self.two.slots)
        return is_said_of and max(self.topic / 2, self.dice) >= 0.3 and max(self.over()) < RARE

    def _are_two_things(self) -> bool:
        """Whether the values are what the statements are about, not what changed: two cities where each begins with its
        own on another occasion (the Beijing office …, the Shanghai office …) or something else differs, too; what else
        both begin with (Python services …, Go services …) where something else differs, too."""
        if self._are_both_about_user():
            return False
        heads = {of.line[0] for of in (self.one, self.two) if of.line}
        begins = (
            {f"={name}" for name in self.changed if name in SUBJECTS} & heads if len(heads) == 1 else set()
        )
        if len(self.changed) > 1:
            return bool(begins) or "city" in self.changed
        return begins == {"=city"} and self.topic < 0.6

    def is_updated(self) -> bool:
        """Whether the new one tells that what the known one says was so before: moved, no longer, 换成, 离职."""
        one, two = self.one, self.two
        told = one.frames - two.frames
        is_of_one_frame = one.frames & two.frames & {"lives", "employed"} and self._are_both_about_user()
        if not is_of_one_frame and "update" not in told:
            return False
        # Who says no more than what is known, with a "now" in it, says the same.
        says_the_same = not self.changed and (self.dice >= 0.9 or self.over()[0] < NARROWER)
        if says_the_same or self.has_other_scope() or self._has_other_subject():
            return False
        says_only_that = not (self.left or self.right)
        is_of_one = says_only_that or self._has_same_subject()
        if "update" in told and is_of_one and (self.changed or self._are_both_located()):
            return True
        # News about the person under one trigger is about one thing, in however other words.
        near = 0.6 if self.topic < 0.6 else 0.15 if self._are_both_about_user() else 0.3
        return bool(is_of_one_frame) or self.cover >= near

    def _has_same_subject(self) -> bool:
        """Whether both begin with the same word (the office …, 公司 …)."""
        one, two = self.one.line, self.two.line
        size = 2 if is_cjk(one[0]) else 1
        is_heading = CLAUSE_END in one[: size + 1]
        return not is_heading and one[0][0] != "=" and one[:size] == two[:size]

    def _are_both_located(self) -> bool:
        """Whether the known one says where something is, and the new one where it went."""
        return "at" in self.two.frames and bool(self.one.frames & {"lives", "moves"})

    def _has_other_subject(self) -> bool:
        """Whether each begins with a word that the other one does not have (Ben …, Ada …)."""
        one, two = self.one.line, self.two.line
        if self._are_both_about_user() or not (one and two) or 0 in (*self.one.slots, *self.two.slots):
            return False
        return one[0] not in two and two[0] not in one and same_concept(one[0]).isdisjoint(two)

    def _states_another(self) -> bool:
        """Whether both say what one thing is, and differ in one short place alone (名字是张三, 名字是李四)."""
        one, two = self.one, self.two
        if self.topic < 0.6 or not (one.slots and two.slots) or one.negations != two.negations:
            return False
        if len(self._places) != 1:
            return False
        alone = set(one.line) ^ set(two.line) - {CLAUSE_END}
        ((first, second, _, _),) = self._places
        return first in one.slots and second in two.slots and len(alone) <= 2 * SHORT_PLACE

    def _are_both_about_user(self) -> bool:
        return is_of_user(self.one.placed.block) and is_of_user(self.two.placed.block)

    def has_other_scope(self) -> bool:
        """Whether both speak of different machines, environments or persons."""
        one, two = self.one, self.two
        for name in {*one.values, *one.old, *two.values, *two.old}:
            if not name.startswith("scope"):
                continue
            left = one.values.get(name, set()) | one.old.get(name, set())
            right = two.values.get(name, set()) | two.old.get(name, set())
            # Of machines and environments one may be silent; a sister that only one names is another person.
            if left.isdisjoint(right) and ((left and right) or name == "scope: person"):
                return True
        return False

    @property
    def exchanged(self) -> list[tuple[str, str]]:
        """The places where one statement has a word that the other does not have, and the other another one."""
        return [(one, two) for _, _, one, two in self._places]

    @cached_property
    def _places(self) -> list[tuple[int, int, str, str]]:
        """Those places: where they begin in each line, and the words."""
        from difflib import SequenceMatcher

        one, two = self.one.line, self.two.line
        # The opposites are what both differ in, not two subjects.
        sided = {
            w for pair in self.opposed_sides for of in (self.one, self.two) for w in of.sided.get(pair, ())
        }
        sided |= {character for word in sided if is_cjk(word) for character in word}
        known_one, known_two = {*one, *sided}, {*two, *sided}
        found = []
        for what, a, b, c, d in SequenceMatcher(None, one, two, autojunk=False).get_opcodes():
            if what != "replace":
                continue
            # Of typed values only one that begins the statement is its subject (Python …, Go …).
            left = [
                one[at] for at in range(a, b) if one[at] not in known_two and (one[at][0] != "=" or not at)
            ]
            right = [
                two[at] for at in range(c, d) if two[at] not in known_one and (two[at][0] != "=" or not at)
            ]
            first = next((at for at in range(a, b) if one[at] in left), a)
            second = next((at for at in range(c, d) if two[at] in right), c)
            # A clause that shares nothing is another statement, not another word in the place of one.
            if known_two.isdisjoint(_clause(one, a, b)) or known_one.isdisjoint(_clause(two, c, d)):
                continue
            if [word[0] for word in (*left[:1], *right[:1])] == ["=", "="]:
                continue  # Two values of one class are a change of it, not another subject.
            if left and right and not any(not same_concept(w).isdisjoint(right) for w in left):
                alone = [("" if is_cjk(words[0]) else " ").join(words) for words in (left, right)]
                found.append((first, second, alone[0], alone[1]))
        return found

    def over(self) -> tuple[float, float]:
        """The weight of what each side has alone, CJK by single characters."""
        return self._alone(self.one, self.two), self._alone(self.two, self.one)

    def _alone(self, one: Statement, two: Statement) -> float:
        other = set(two.line)
        mass = 0.0
        for word in dict.fromkeys(one.line):
            if word not in other and same_concept(word).isdisjoint(two.signs):
                mass += self.weigh(word) * (0.5 if is_cjk(word) else 1)
        return mass

    def agrees(self) -> bool:
        """Whether nothing speaks against their saying the same: sign, number, order, another word in one place."""
        signs = all(map(self._agree_on, self.shared))
        return (
            signs
            and not self.opposed_sides
            and self.one.negations == self.two.negations
            and _numbers(self.one) == _numbers(self.two)
            and all(
                not self.one.order[word].isdisjoint(self.two.order[word])
                for word in self.one.order.keys() & self.two.order.keys()
            )
            and not self.exchanged
        )

    def differs(self) -> tuple[str, str]:
        """What stands in one place of both: the values, the opposites, or the words."""
        keys: list[str | int] = [*self.changed[:1], *self.opposed_sides]
        if keys:
            return self.one.written(keys[0]), self.two.written(keys[0])
        return self.exchanged[0] if self.exchanged else ("", "")


def _turned(one: set[tuple[int, int]], two: set[tuple[int, int]]) -> bool:
    """Whether two statements take different sides of a pair of opposites; neither may take both.

    Where both name both sides ("tabs over spaces"), their signs tell.
    """
    left, right = {side * sign for side, sign in one}, {side * sign for side, sign in two}
    sides = {side for side, _ in one} | {side for side, _ in two}
    names_both = {side for side, _ in one} == sides == {side for side, _ in two}
    return len(left) == len(right) == 1 and left != right and len(sides) > 1 and not names_both


def _topic(one: Statement, two: Statement) -> float:
    if one.trigger_mark and one.trigger_mark == two.trigger_mark:
        return 1.0
    union = len(one.trigger | two.trigger)
    return len(one.trigger & two.trigger) / union if union else 0.0


def _numbers(of: Statement) -> dict[str, set[str]]:
    return {name: values for name, values in of.values.items() if not name.startswith("scope")}


def _clause(line: list[str], start: int, stop: int) -> list[str]:
    """The words of the clauses in which a part of a line lies, without values."""
    first = next((at + 1 for at in range(start - 1, -1, -1) if line[at] == CLAUSE_END), 0)
    last = next((at for at in range(max(start, stop - 1), len(line)) if line[at] == CLAUSE_END), len(line))
    return [word for word in line[first:last] if word[0] != "="]
