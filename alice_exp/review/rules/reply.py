"""Parser of replies to a report, such as ``同意 1 3，拒绝 2`` or ``approve 1-3, reject 4 because wrong``.

A reply is a sequence of clauses. A clause is a verb (同意, 拒绝, 稍后, or their English words) with its targets before
or after it: numbers of the report, ranges, ids, all, the rest; a reason may follow. A bare verb applies to the whole
report. An ambiguous reply is refused: nothing is decided by guessing (R2.41, R2.42, B2.20).
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import zip_longest
from types import MappingProxyType
from typing import TYPE_CHECKING

from alice_exp.kernel.errors import UsageError
from alice_exp.kernel.value_class import dataclass
from alice_exp.review.rules.reply_words import tokens, unclear

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from alice_exp.review.rules.reply_words import Token, Verb


_GROUP = "group "
"""What stands before the number of a group that is left out."""


@dataclass(frozen=True, slots=True)
class Decision:
    """One verb with its targets: numbers (as texts) and ids, in the order of the reply; or everything, or the rest.

    ``excluded`` are left out of everything or the rest; ``about`` (user, work) narrows everything to what is about
    that, ``groups`` are numbers of groups; ``reason`` is in the person's own words, empty if not given. ``is_one``: the
    words mean one thing and do not say which, as in "approve it".
    """

    verb: Verb
    named: tuple[str, ...] = ()
    everything: bool = False
    rest: bool = False
    excluded: tuple[str, ...] = ()
    reason: str = ""
    about: str = ""
    groups: tuple[str, ...] = ()
    is_one: bool = False

    @property
    def is_wide(self) -> bool:
        """Whether it names candidates by what they share, rather than one by one."""
        return self.everything or self.rest or bool(self.about or self.groups)


@dataclass(slots=True)
class _Clause:
    """A clause being parsed; ``prefix`` tells that the verb comes before its targets, ``spares`` that what is left out
    need not be named before: "1 and 2 but not 3"."""

    verb: str = ""
    prefix: bool = True
    named: tuple[str, ...] = ()
    everything: bool = False
    rest: bool = False
    excluded: tuple[str, ...] = ()
    reason: str = ""
    about: str = ""
    groups: tuple[str, ...] = ()
    spares: bool = False

    @property
    def is_bare(self) -> bool:
        return not (self.named or self.everything or self.rest or self.about or self.groups)

    @property
    def says_no_more(self) -> bool:
        """Whether it is a verb alone, which leaves nothing out and gives no reason."""
        return self.is_bare and not (self.excluded or self.reason)


def parse(text: str) -> tuple[Decision, ...]:
    """The decisions in a reply; raises ``UsageError`` (exit 2) that names what is unclear and how to write it."""
    if not text.strip():
        raise unclear("the reply is empty")
    clauses: list[_Clause] = []
    waiting: list[Token] = []
    for segment in _segments(tokens(text)):
        _read_segment(segment, clauses, waiting)
    if waiting:
        raise unclear("nothing says what to do with {what}", what=_written(waiting))
    decisions = _checked(_in_front(clauses))
    first = decisions[0]
    said = text.replace(first.reason, " ") if first.reason else text
    is_one = len(decisions) == 1 and first.everything and _ONE.search(said) and not _EVERY.search(said)
    return (replace(first, is_one=True),) if is_one else decisions


_ONE = re.compile(r"\b(?:it|one|item)\b|那\s*一?[条條个個项項]", re.IGNORECASE)
_EVERY = re.compile(r"\b(?:all|every\w*|both|them)\b|[全都]|所有", re.IGNORECASE)
"""What says of a decision without a number that one thing is meant, and what says that all are."""


def _segments(tokens: Sequence[Token]) -> list[list[Token]]:
    """The tokens between separators, split again if they hold several verbs with their targets.

    A verb behind an "and" that has targets behind it begins its own: "approve 1, 2 and reject 3".
    """
    rows: list[list[Token]] = [[]]
    for token, following in zip_longest(tokens, tokens[1:]):
        if token.kind == "separator":
            rows.append([])
        elif token.kind == "verb" and token.is_joined and following is not None and _is_target(following):
            rows.append([token])
        else:
            rows[-1].append(token)
    return [part for row in rows if row for part in _cut(row)]


def _is_target(token: Token) -> bool:
    return token.kind not in ("verb", "separator", "except")


def _cut(row: list[Token]) -> list[list[Token]]:
    verbs = [index for index, token in enumerate(row) if token.kind == "verb"]
    if len(verbs) < 2:
        return [row]
    # With a verb at the start each verb precedes its targets, with one at the end it follows them; else either could
    # be meant.
    if verbs[0] == 0:
        ends = [*verbs[1:], len(row)]
    elif verbs[-1] == len(row) - 1:
        ends = [index + 1 for index in verbs]
    else:
        raise unclear("it is not clear which verb {what} belongs to", what=_written(row))
    starts = [0, *ends[:-1]]
    return [row[start:end] for start, end in zip(starts, ends, strict=True)]


def _read_segment(row: list[Token], clauses: list[_Clause], waiting: list[Token]) -> None:
    verbs = [index for index, token in enumerate(row) if token.kind == "verb"]
    if row[-1].kind == "except":
        raise unclear("it is not clear what {verb} applies to", verb="except")
    if not verbs:
        _read_targets(row, clauses, waiting)
        return
    at = verbs[0]
    before, after = row[:at], row[at + 1 :]
    main = _outside_exception(before)
    if main and _outside_exception(after):
        raise unclear("it is not clear which verb {what} belongs to", what=_written(row))
    clause = _Clause(row[at].value, prefix=not main, reason=row[at].reason)
    if waiting and clause.prefix and any(token.kind != "except" for token in waiting[:1]):
        raise unclear("nothing says what to do with {what}", what=_written(waiting))
    for part in (waiting, before, after):
        _add(clause, part)
    waiting.clear()
    clauses.append(clause)


def _read_targets(row: list[Token], clauses: list[_Clause], waiting: list[Token]) -> None:
    """Targets without a verb: they continue the clause before, or wait for the next verb."""
    last = clauses[-1] if clauses else None
    goes_on = last is not None and (row[0].kind == "except" or (last.prefix and not last.is_bare))
    if last is not None and goes_on and not waiting:
        _add(last, row)
    else:
        waiting += row


def _outside_exception(row: Sequence[Token]) -> list[Token]:
    """The targets before any "except"; "all" and "rest" always count."""
    found, inside = [], False
    for token in row:
        inside = inside or token.kind == "except"
        if token.kind in ("all", "rest", "about") or (not inside and token.kind != "except"):
            found.append(token)
    return found


def _add(clause: _Clause, row: Sequence[Token]) -> None:
    inside = False
    for token in row:
        if inside and token.kind == "about":
            raise unclear("what is left out is named by numbers or ids")
        if token.kind == "except":
            inside = True
            clause.spares = clause.spares or bool(token.value)
        elif token.kind == "all":
            # 1、2、3 都同意: 都 behind numbers speaks of them.
            clause.everything = clause.everything or token.value.isascii() or not clause.named
        elif token.kind == "rest":
            clause.rest = True
        elif token.kind == "about":
            clause.about = token.value
        elif token.kind == "group" and inside:
            clause.excluded += (f"{_GROUP}{token.value}",)
        elif token.kind == "group":
            clause.groups += (token.value,)
        elif inside:
            clause.excluded += _spread(token)
        else:
            clause.named += _spread(token)


def _spread(token: Token) -> tuple[str, ...]:
    if token.kind == "one":
        return (token.value,)
    low, high = map(int, token.value.split("-"))
    return tuple(str(number) for number in range(low, high + 1))


def _checked(clauses: Sequence[_Clause]) -> tuple[Decision, ...]:
    if not clauses:
        raise unclear("the reply holds no decision")
    decisions = []
    seen: dict[str, str] = {}
    left_out: set[str] = set()
    for clause in clauses:
        if clause.is_bare and len(clauses) > 1:
            raise unclear("it is not clear what {verb} applies to", verb=clause.verb)
        is_wide = clause.everything or clause.rest or clause.about or clause.groups
        if clause.named and is_wide:
            raise unclear("one decision names both everything and single items")
        if clause.named and clause.excluded:
            left_out |= _leave_out(clause)
        for name in clause.named:
            if seen.setdefault(name, clause.verb) != clause.verb:
                raise unclear(
                    "{name} is both {first} and {second}", name=name, first=seen[name], second=clause.verb
                )
        everything = (clause.everything or clause.is_bare) and not clause.about and not clause.groups
        decisions.append(
            Decision(
                clause.verb,  # type: ignore[arg-type]
                tuple(dict.fromkeys(clause.named)),
                everything and not clause.rest,
                clause.rest,
                clause.excluded,
                clause.reason,
                clause.about,
                clause.groups,
            )
        )
    _check_wide(decisions, seen.keys(), left_out)
    return tuple(decisions)


def _check_wide(decisions: Sequence[Decision], named: AbstractSet[str], left_out: set[str]) -> None:
    """Refuse decisions on everything, the rest or a subject that contradict each other."""
    wide = [decision for decision in decisions if decision.everything or decision.rest]
    about = [decision.about for decision in decisions if decision.about]
    if about and (len(set(about)) < len(about) or any(one.is_wide and not one.about for one in decisions)):
        raise unclear("what is about you or about work stands alone in a reply")
    if any(decision.rest for decision in decisions) and not left_out <= named:
        raise unclear("it is not clear whether {name} belongs to the rest", name=min(left_out - named))
    # "除了 2 都同意，2 拒绝": what everything leaves out may have a decision of its own.
    if len(wide) > 1 or (wide and wide[0].everything and not named <= {*wide[0].excluded}):
        raise unclear("one decision takes everything, and another one too")


def _in_front(clauses: Sequence[_Clause]) -> Sequence[_Clause]:
    """The clauses without a yes that only begins the reply (好的，都同意); where everything is decided first, what has
    another decision behind it is taken out of everything (全部同意，2 不要)."""
    if not clauses:
        return clauses
    # 8 重复了，删: the verb is only said again.
    clauses = [
        one
        for at, one in enumerate(clauses)
        if not (at and one.says_no_more and clauses[at - 1].verb == one.verb)
    ]
    first, behind = clauses[0], clauses[1:]
    if first.says_no_more and behind and behind[0].verb == first.verb:
        return _in_front(behind)
    if first.everything and not (first.excluded or first.named):
        other = (clause for clause in behind if clause.verb != first.verb)
        first.excluded = tuple(name for clause in other for name in clause.named)
    return clauses


def _leave_out(clause: _Clause) -> set[str]:
    """Take what is left out from what is named, as in "1-5 except 3"; returns it."""
    named, excluded = clause.named, clause.excluded
    stray = [name for name in excluded if name not in named and not clause.spares]
    # Nothing left is not everything.
    if stray or set(named) <= set(excluded):
        raise unclear("{name} is left out, but of what is not clear", name=(stray or excluded)[0])
    clause.named = tuple(name for name in named if name not in excluded)
    # What was not named may be so by its id: "approve exp-… but not 1".
    clause.excluded = tuple(name for name in excluded if name not in named)
    return set(excluded)


def settle(
    decisions: Sequence[Decision],
    numbered: Sequence[str],
    groups: Mapping[str, tuple[str, ...]] = MappingProxyType({}),
    subjects: Mapping[str, tuple[str, ...]] = MappingProxyType({}),
) -> tuple[tuple[Decision, tuple[str, ...]], ...]:
    """Each decision with the references that it covers; ``numbered`` are the open report's ids, numbers start at 1.

    ``groups`` are the ids of the groups that it showed whole, by number, ``subjects`` those about the user and about
    work. Ids and prefixes in the reply stay as written. Raises ``UsageError`` for a number that is not in the report.
    """
    named = [
        [
            *(_reference(name, numbered) for name in decision.named),
            *(block_id for group in decision.groups for block_id in _group(group, groups)),
        ]
        for decision in decisions
    ]
    taken = {reference for row in named for reference in row}
    settled = []
    verbs: dict[str, str] = {}
    for decision, row in zip(decisions, named, strict=True):
        excluded = _left_out(decision, numbered, groups)
        if decision.is_one and len(numbered) > 1:
            raise unclear("several things wait, and it is not clear which one is meant")
        if decision.everything or decision.rest:
            row = [block_id for block_id in numbered if block_id not in taken]
        elif decision.about:
            about = subjects.get(decision.about, ())
            row = [block_id for block_id in numbered if block_id in about and block_id not in taken]
        if decision.named and set(row) <= excluded:
            raise unclear("{name} is left out, but of what is not clear", name=decision.excluded[0])
        row = [reference for reference in row if reference not in excluded]
        for reference in row:
            if verbs.setdefault(reference, decision.verb) != decision.verb:
                raise unclear(
                    "{name} is both {first} and {second}",
                    name=reference,
                    first=verbs[reference],
                    second=decision.verb,
                )
        settled.append((decision, tuple(row)))
    return tuple(settled)


def _left_out(decision: Decision, numbered: Sequence[str], groups: Mapping[str, tuple[str, ...]]) -> set[str]:
    """The references that a decision leaves out."""
    found: set[str] = set()
    for name in decision.excluded:
        group = name.removeprefix(_GROUP)
        found.update((_reference(name, numbered),) if group == name else _group(group, groups))
    return found


def _group(number: str, groups: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    if number not in groups:
        raise UsageError(
            "the open report did not show all of group {number}",
            number=number,
            hint="see 'alice-exp heartbeat --peek'",
        )
    return groups[number]


def _reference(name: str, numbered: Sequence[str]) -> str:
    if not name.isdigit():
        return name
    if not 1 <= int(name) <= len(numbered):
        raise UsageError(
            "the open report has no number {number}", number=name, hint="see 'alice-exp heartbeat --peek'"
        )
    return numbered[int(name) - 1]


def _written(tokens: Sequence[Token]) -> str:
    return " ".join(token.value or token.kind for token in tokens)
