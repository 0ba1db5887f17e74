"""The clauses of a reply: its one way to give each verb a set, and what a set names and leaves out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from itertools import pairwise

from alice_exp.kernel.errors import UsageError
from alice_exp.kernel.value_class import dataclass
from alice_exp.review.rules.reply_words import Token, Verb

ASKED = {
    "unknown": "I read: {reading}; what is {what}?",
    "odd": "I read: {reading}; which number is {what}?",
    "counted": "I read: {reading}; is {what} how many, or which one?",
    "alone": "I read: {reading}; what does {what} turn round?",
    "heavy": "I read: {reading}; is {what} a reason, or a decision?",
    "question": "I read: {reading}; a reply that asks decides nothing",
}
"""What is asked back about a word, by its kind."""

_UNCLEAR = "I read: {reading}; which verb does which number belong to?"
_NOT_LEFT_OUT = "I read: {reading}; what does {what} leave out?"
_MARKS = ("comma", "stop")
_EDGES = ("comma", "stop", "joint")
ITEMS = ("number", "id", "group")
WIDE = ("all", "both", "it", "rest", "about")
_COUNTED = frozenset((*ITEMS, *WIDE, "except", "but not", "outside", "excluded", "or"))
"""What belongs to exactly one clause."""

_NODS = ("👍", "✅")
"""Behind a set that has its verb, these may only say yes once more."""


@dataclass(frozen=True, slots=True)
class Report:
    """What a reply speaks of: the report's ids, by number from 1, and the ids of its groups and subjects."""

    ids: tuple[str, ...]
    groups: Mapping[str, tuple[str, ...]]
    subjects: Callable[[], Mapping[str, tuple[str, ...]]]


_Item = tuple["Token", tuple[str, ...], bool]
"""A word of a set, the ids that it names, and whether a mark stands between it and the item before."""


@dataclass(slots=True)
class Clause:
    """A verb, its set (``named`` one by one, or ``wide`` by a word), and what is left out: true where it need not be
    part of the set ("but not 3"). ``words`` counts what it was read from; ``fault`` is what makes them unclear."""

    verb: Verb = "later"
    named: list[str] = field(default_factory=list)
    wide: list[Token] = field(default_factory=list)
    excluded: dict[str, bool] = field(default_factory=dict)
    reaches_back: bool = False
    reason: str = ""
    words: int = 0
    fault: UsageError | None = None

    @property
    def has_set(self) -> bool:
        """Whether it names a set, or what may be one."""
        return bool(self.named or self.wide or self.fault)

    def add(self, other: Clause) -> None:
        """Take in what another part of the reply says of the same verb; raises its fault."""
        if other.fault is not None:
            raise other.fault
        self.words += other.words
        self.named += other.named
        self.wide += other.wide
        self.excluded |= other.excluded
        self.reaches_back |= other.reaches_back


EXAMPLE = "for example: alice-exp reply approve 1-3, reject 4"


def unclear(template: str, **values: object) -> UsageError:
    """The error for an unclear reply, with a hint at how to write it."""
    refusal = UsageError(template, hint=EXAMPLE)
    refusal.values = values
    return refusal


def clauses(found: Sequence[Token], report: Report) -> list[Clause]:
    """The clauses of a reply's words; raises ``UsageError`` where there is no way to cut them, or more than one."""
    found = _once(found)
    at = [index for index, token in enumerate(found) if token.kind == "verb"]
    chunks = [_Chunk(found[a + 1 : b], report) for a, b in zip((-1, *at), (*at, len(found)), strict=True)]
    made: list[Clause] = []
    own = chunks[0].set
    for index in range(len(at)):
        clause, own = _clause(
            [found[place] for place in at[index : index + 2]], chunks[index : index + 3], own
        )
        made.append(clause)
        if len(at) > 1 and not clause.has_set:
            raise unclear(_UNCLEAR)
    if not at or sum(clause.words for clause in made) != sum(token.kind in _COUNTED for token in found):
        raise unclear(_UNCLEAR)
    return made


def _clause(verbs: Sequence[Token], chunks: Sequence[_Chunk], own: Clause) -> tuple[Clause, Clause]:
    """The clause of the first verb, whose ``own`` part stands before it, and the next verb's own part; ``chunks``:
    before the verb, behind it and, before another verb, behind that."""
    verb, before, after, reason = verbs[0], chunks[0], chunks[1], chunks[1].reason
    clause = Clause(verb.value, reason=reason.text if reason is not None else "")  # type: ignore[arg-type]
    clause.add(own)
    gives, own = after.set, after.tail
    # "don't approve 1 and reject 2" may turn both.
    is_clear = not (verb.is_loose and len(verbs) > 1 and after.ends in ("joint", "or"))
    if clause.has_set and gives.has_set:
        # Its set stands before it, and what stands behind it is the next verb's.
        is_clear = is_clear and len(verbs) > 1 and reason is None and after.follows(before)
        gives, own = Clause(), gives
    elif not clause.has_set:
        # 除了 2，1-5 同意 leaves 2 out of 1-5, or 1-5 out of all.
        clause.reaches_back = bool(clause.excluded)
        if len(verbs) > 1 and reason is None and not chunks[2].set.has_set:
            gives, own = after.parts() if verbs[1].text not in _NODS else (Clause(), after.set)
        elif len(verbs) > 1 or reason is not None:
            is_open = reason is not None or after.ends not in _EDGES or after.has_stop
            is_clear = is_clear and not (after.marks and is_open)
        # What a mark parts from its verb may be another's.
        is_clear = is_clear and not (after.starts in _MARKS and len(verbs) > 1)
    if reason is not None and reason.value not in ("", clause.verb):
        raise unclear(ASKED["heavy"], what=repr(reason.text))
    clause.add(gives)
    if not is_clear:
        raise unclear(_UNCLEAR)
    return clause, own


def _once(found: Sequence[Token]) -> Sequence[Token]:
    """The tokens with each "but" as a mark or an "except", one mark between words, no verb twice: 8 重复了，删."""
    row: list[Token] = []
    following = ""
    verb = next((at for at, token in enumerate(found) if token.kind == "verb"), len(found))
    # Backwards, so that what follows is known: "all but 2" excepts, 但 2 不要 goes on with a verb.
    for at in range(len(found) - 1, -1, -1):
        token = found[at]
        if token.kind == "but":
            goes_on = following == "verb" and at > verb
            is_mark = goes_on and (not token.text.isascii() or row[-1].kind in ("verb", *WIDE))
            token = replace(token, kind="stop" if is_mark else "except")
        following = (
            following if token.kind in (*ITEMS, *WIDE, "joint") else token.kind * (token.text not in _NODS)
        )
        if row and token.kind in _EDGES and row[-1].kind in _EDGES:
            row[-1] = max(row[-1], token, key=lambda one: _EDGES.index(one.kind))
        else:
            row.append(token)
    row.reverse()
    said = [at for at, token in enumerate(row) if token.kind == "verb"]
    kinds = [*(token.kind for token in row), "stop"]
    start = 0
    for one, two in pairwise(said):
        if row[one].value != row[two].value:
            continue
        if row[two].text in _NODS and two + 1 == len(row) and (not said[0] or one + 1 == two):
            return row[start:two]
        if one == start and row[one].value == "approve" and kinds[one + 1] in (*_MARKS, "verb"):
            start = one + 1 if kinds[one + 1] == "verb" else one + 2
        elif one and two == one + 2 and kinds[one + 1] in _MARKS and kinds[two + 1] in _MARKS:
            return row[start:two] + row[two + 1 :]
    return row[start:]


class _Chunk:
    """The tokens between two verbs: a set, a reason, and the set behind the reason."""

    def __init__(self, row: Sequence[Token], report: Report) -> None:
        cut = next((at for at, token in enumerate(row) if token.kind == "reason"), len(row))
        self.head, self.report = _stripped(row[:cut]), report
        self.reason = row[cut] if cut < len(row) else None
        self.set, self.tail = _part(self.head, report), _part(_stripped(row[cut + 1 :]), report)
        self.starts, self.ends = (row[at].kind if row else "" for at in (0, -1))
        self.marks = [at for at, token in enumerate(self.head) if token.kind in _MARKS]
        self.has_stop = any(self.head[at].kind == "stop" for at in self.marks)

    def follows(self, earlier: _Chunk) -> bool:
        """Whether it can be the set of the verb behind it, where ``earlier`` is that of the verb before it."""
        # "all, skip 2 approve": what a mark parts from a verb may not be its set.
        is_clear = not self.marks and earlier.ends not in _EDGES
        return is_clear or (self.starts in _EDGES and not self.has_stop)

    def parts(self) -> tuple[Clause, Clause]:
        """The sets of both verbs: parted behind "all", before "the rest", else at its only mark."""
        at = self._cut()
        ours, theirs = _stripped(self.head[:at]), _stripped(self.head[at + 1 :])
        return _part(ours, self.report), _part(theirs, self.report)

    def _cut(self) -> int:
        head, marks = self.head, self.marks
        for wide, token in enumerate(head):
            if token.kind in WIDE and (not wide or not _is_weak(token)):
                named = any(token.kind in ITEMS for token in head[:wide])
                before, behind = ([at for at in marks if (at < wide) is side] for side in (True, False))
                cuts = before[-1:] if named else behind[:1]
                return cuts[0] if cuts else len(head)
        stops = [at for at in marks if head[at].kind == "stop"]
        cuts = stops if stops == marks[-1:] else marks
        # An "and" of English may begin a clause, and an exception holds over marks.
        held = {token.kind for token in head[: sum(cuts[:1])]} | {token.text.lower() for token in head}
        return cuts[0] if len(cuts) == 1 and not held & {"and", "except", "but not"} else len(head)


def _is_weak(token: Token) -> bool:
    """Whether it is a 都 or the like: behind numbers it speaks of them."""
    return token.kind == "all" and not token.text.isascii()


def _stripped(row: Sequence[Token]) -> Sequence[Token]:
    kept = [at for at, token in enumerate(row) if token.kind not in _EDGES]
    return row[kept[0] : kept[-1] + 1] if kept else ()


def _part(row: Sequence[Token], report: Report) -> Clause:
    clause = Clause(words=sum(token.kind in _COUNTED for token in row))
    try:
        _fill(clause, row, report)
    except UsageError as fault:
        clause.fault = fault
    return clause


def _fill(clause: Clause, row: Sequence[Token], report: Report) -> None:
    """Read a set: what is named, and behind an "except", up to "all" or "the rest", what is left out."""
    items: list[_Item] = []
    run: list[_Item] = []
    inside: Token | None = None
    last = ""
    for token in row:
        kind = token.kind
        if inside is not None and kind in (*WIDE, "except", "but not", "outside", "excluded"):
            _close(inside, run, kind)
        if kind in ITEMS:
            ids = _ids(token, report)
            into = items if inside is None else run
            into.append((token, ids, last in _MARKS and bool(into)))
            if inside is not None:
                # 除了 3 1-5 都同意: a number twice is not one list.
                if not clause.excluded.keys().isdisjoint(ids):
                    raise unclear(_NOT_LEFT_OUT, what=repr(inside.text))
                clause.excluded |= dict.fromkeys(ids, inside.kind == "but not")
        elif kind in ("except", "but not"):
            inside, run = token, []
        elif kind in WIDE:
            # 1、2、3 都同意: 都 behind numbers speaks of them; behind one, of what?
            is_of_them = sum(len(ids) for _, ids, _ in items) > 1 and _is_weak(token)
            clause.wide += [] if is_of_them else [token]
            inside = None
        elif kind in ("outside", "excluded"):
            # "2, both left out" leaves out more than its numbers.
            ends = items if kind == "excluded" and last not in WIDE else []
            _reach_back(clause, ends, token, is_closed=inside is not None)
            inside = None
        elif kind == "reason" or (kind == "or" and inside is None):
            raise unclear(ASKED["unknown"], what=repr(token.text))
        last = kind
    if inside is not None:
        _close(inside, run, "")
    if len(items) == 1 and items[0][0].is_loose:
        raise unclear(ASKED["counted"], what=repr(items[0][0].text))
    clause.named = [one for _, ids, _ in items for one in ids]


def _close(inside: Token, run: Sequence[_Item], by: str) -> None:
    """Refuse an exception of nothing. 但不包括 is one exception; 除了 4，2-5 都同意 may take all, or 2-5."""
    is_open = by == "all" and any(is_marked for _, _, is_marked in run)
    is_loose = len(run) == 1 and run[0][0].is_loose
    if (not run and by != "except") or is_open or is_loose:
        raise unclear(_NOT_LEFT_OUT, what=repr(inside.text))


def _reach_back(clause: Clause, items: list[_Item], word: Token, *, is_closed: bool) -> None:
    """Leave out the last items, as far as those before them hold them: 2 and 4 of ``1-5，2，4除外``; else all items."""
    if is_closed:
        return
    seen: set[str] = set()
    start = 0
    for at, (_, ids, _) in enumerate(items):
        start = start if seen.issuperset(ids) and at else at + 1
        seen.update(ids)
    start %= max(1, len(items))
    # Behind "1-2, 4, 1" it may begin at the 4; a list of single numbers that ascends ends where it begins again.
    single = [token.numbers[0] if len(token.numbers) == 1 else 0 for token, _, _ in items[:start]]
    if not items or (start > 1 and (0 in single or single != sorted(single))):
        raise unclear(_NOT_LEFT_OUT, what=repr(word.text))
    clause.reaches_back = clause.reaches_back or not start
    clause.excluded |= {one: False for _, ids, _ in items[start:] for one in ids}
    del items[start:]


def _ids(token: Token, report: Report) -> tuple[str, ...]:
    """The ids that an item names; raises ``UsageError`` for what the report does not have."""
    if token.kind == "id":
        fitting = [one for one in report.ids if one.startswith(token.value)]
        return (fitting[0],) if len(fitting) == 1 else (token.value,)
    is_group = token.kind == "group"
    for number in token.numbers:
        if is_group and str(number) not in report.groups:
            raise _absent("the open report did not show all of group {number}", number)
        if not is_group and not (1 <= number <= len(report.ids) and report.ids[number - 1]):
            raise _absent("the open report has no number {number}", number)
    if is_group:
        return report.groups[str(token.numbers[0])]
    return tuple(report.ids[number - 1] for number in token.numbers)


def _absent(template: str, number: int) -> UsageError:
    return UsageError(template, number=number, hint="see 'alice-exp heartbeat --peek'")
