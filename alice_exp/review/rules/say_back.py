"""Says a refused reply back in plain words: what it may have meant, for the person to confirm.

The strict grammar of ``reply`` acts; this wide one only proposes. It cuts a reply into parts at its marks, and each
part into verdicts ("looks good", 不用记) and what they are said of: numbers, ranks, all, the rest, or an item's own
words. Other words are passed over. Nothing is proposed where a number, an item or a negation is left without a verdict,
where two verdicts meet on one item, or where a condition or a "maybe" stands.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import cast

from alice_exp.review.rules.reply import Decision, written
from alice_exp.review.rules.reply_words import Verb
from alice_exp.review.rules.said_parts import Named, Part, Unclear, parts
from alice_exp.review.rules.wide_words import scanned, turned

MOST_CHARACTERS = 400
"""A longer reply is refused as it is: a person does not confirm what they cannot take in at once."""

_SINGULAR = ("it", "item", "that", "this", "one", "那条", "那个", "那一条", "那一个", "这条", "这个", "它")


def said_back(text: str, numbered: Sequence[str], said: Sequence[str]) -> str:
    """A reply in plain words that the strict grammar reads, for what ``text`` may mean; empty where that is open.

    ``numbered`` are the ids of the open report, "" where there is none to decide on, ``said`` what each of them says:
    trigger and payload.
    """
    if len(text) > MOST_CHARACTERS:
        return ""
    reader = _Reader()
    try:
        reader.read(parts(turned(scanned(text, said)), numbered, said))
        verdicts = _verdicts(reader.pairs, {at for at, one in enumerate(numbered, start=1) if one})
    except Unclear:
        return ""
    decisions = [
        Decision(verb, tuple(one for at, one in enumerate(numbered, start=1) if verdicts.get(at) == verb))
        for verb in dict.fromkeys(cast(Verb, verb) for _, verb in reader.pairs if verb)
        if verb in verdicts.values() and verb != "later"
    ]
    if not decisions:
        return ""
    return written(decisions, numbered, is_chinese=not text.isascii())


class _Reader:
    """Gives each set of a reply its verdict: a part that has both is whole; of others a set waits for the verdict
    behind it, or belongs to the one before it.
    """

    def __init__(self) -> None:
        self.pairs: list[tuple[Named, str]] = []
        """Sets with their verdicts; a topic of which nothing is said has none."""
        self.header = ""
        """A verdict that waits for its sets: "Accept. 2, 4." """
        self.waiting: list[Part] = []
        self.is_verb_first = False
        """The last whole part names its sets behind the verdict, so that "approve 1, 2" goes on."""
        self.leaving: Named | None = None
        """The set whose exceptions go on: "all except 2, 4"."""

    def read(self, row: Sequence[Part]) -> None:
        """Fill ``pairs``. Raises ``Unclear``."""
        starts = [at for at, one in enumerate(row) if one.mark == "stop" and at] + [len(row)]
        for start, end in zip([0, *starts], starts, strict=False):
            self._sentence(row[start:end])
        if self.header and self.pairs:
            raise Unclear
        if self.header:
            self.pairs.append((Named(wide="all"), self.header))
        # "All but the docker one. It is wrong": the first of these approves.
        self.pairs = [(one, verb or ("approve" if one.wide and one.out else "")) for one, verb in self.pairs]
        if any(one.is_changing for one in row) and "reject" not in {verb for _, verb in self.pairs}:
            raise Unclear
        if all(one.is_bare for one in row):
            # "Only the first one", "all but the docker one" answer a report that asks what to approve.
            self.pairs = [(one, "approve") for one in _joined([one for one, _ in self.pairs])]

    def _sentence(self, row: Sequence[Part]) -> None:
        self.waiting, self.is_verb_first, self.leaving = [], False, None
        before = len(self.pairs)
        for at, part in enumerate(row):
            if part.mark not in ("comma", "joint") or part.verbs:
                self.leaving = None
            if part.is_changing and (part.verbs or any(not one.is_by_word for one in part.sets)):
                raise Unclear
            if part.sets and part.verbs:
                self._whole(part)
            elif part.sets:
                self._add_set(part, part.sets[0], row[at + 1 :])
            elif part.verbs:
                self._add_verdict(part, _one(part.verbs), row[at + 1 :])
            elif part.turn and part.is_plain:
                raise Unclear
        topics = {place for one in self.waiting for place in one.sets[0].places if one.sets[0].is_by_word}
        is_unlike = not all(one.is_plain for one in row) and not any(one.verbs for one in row)
        is_refuted = self.header == "reject" and len(self.pairs) == before
        if len(topics) == 1 and (is_refuted or (is_unlike and any(one.is_denied for one in row))):
            # "We use Chicago, not APA", "no, it is port 8080": what the item says is wrong.
            self.pairs.append((Named(topics, is_by_word=True), "reject"))
            self.header = ""
            return
        self.pairs += [(one.sets[0], "") for one in self.waiting]

    def _whole(self, part: Part) -> None:
        """Sets with their verdicts, and those that waited for the first of these."""
        is_open = part.turn and not all(one.is_by_word or one.wide for one in part.sets)
        if is_open or part.those not in (0, len(_places(part.sets))):
            raise Unclear
        if part.begins_with_set and part.sets[0].places and not part.sets[0].is_by_word:
            leaving = any(one.sets[0].out for one in self.waiting)
            if leaving or (self.is_verb_first and (part.mark == "joint" or self.waiting)):
                raise Unclear  # "approve 1 and 2 reject", "all minus 1, 2 reject"
        found = _paired(part)
        waiting = [one.sets[0] for one in self.waiting]
        for one in waiting:
            found[0][0].out |= one.out if one.is_only_out else set()
        waiting = [one for one in waiting if not one.is_only_out]
        is_joined = (
            part.begins_with_set and not part.sets[0].wide and all(one.is_plain for one in self.waiting)
        )
        verb = part.verbs[0] if is_joined else ""
        self.pairs += [(one, verb) for one in waiting]
        if self.header and {verb for _, verb in found} != {self.header}:
            raise Unclear
        self.pairs += found
        self.header, self.waiting, self.is_verb_first = (
            "",
            [],
            not part.begins_with_set and part.last_set is not None,
        )
        self.leaving = found[-1][0] if part.last_set and found[-1][0].out else None

    def _add_set(self, part: Part, new: Named, behind: Sequence[Part]) -> None:
        """A set without a verdict in its part."""
        is_listed = part.mark in ("comma", "joint")
        if new.places and not new.is_by_word and (part.mark == "reason" or part.turn):
            raise Unclear  # "because 4 says the same", "the last not though"
        if new.is_only_out:
            self._leave_out(part, new)
        elif is_listed and self.leaving and part.is_plain and not new.is_by_word and not new.wide:
            self.leaving.out |= new.places
        elif part.is_also and self.pairs:
            self.pairs.append((new, self.pairs[-1][1]))
        elif part.is_plain and not new.wide and not self.waiting and self._goes_on(part, new, behind):
            if not self.header and part.mark == "comma" and new.is_by_word != self.pairs[-1][0].is_by_word:
                raise Unclear  # "approve 3, the docker one"
            self.pairs.append((new, self.header or self.pairs[-1][1]))
            self.header, self.is_verb_first = "", True
        elif (
            self.waiting
            and part.mark == "comma"
            and new.places
            and self.waiting[-1].sets[0].is_by_word != new.is_by_word
        ):
            if self.waiting[-1].sets[0].places != new.places:
                raise Unclear  # "number 2, the docker one"
        else:
            self.waiting.append(part)
            self.leaving = new if new.out else None

    def _goes_on(self, part: Part, new: Named, behind: Sequence[Part]) -> bool:
        """Whether a set belongs to the verdict before it: one stands there, and none behind may claim the set."""
        if not (self.header or (self.is_verb_first and part.mark in ("comma", "joint"))):
            return False
        first = next((one for one in behind if one.verbs or one.is_left_out), None)
        if first is None or (part.mark == "joint" and not first.is_left_out):
            return True
        is_list = not first.sets or first.is_left_out or (first.begins_with_set and not first.sets[0].wide)
        return not (is_list and (not first.sets or first.sets[0].is_by_word == new.is_by_word))

    def _leave_out(self, part: Part, new: Named) -> None:
        """What is left out of the set before it, or of one that comes."""
        if part.is_left_out and part.mark in ("comma", "joint"):
            # 2、4 除外 leaves out both.
            listed = [one for one in self.waiting if one.sets[0].places and not one.sets[0].is_by_word]
            new.out |= _places(one.sets[0] for one in listed)
            self.waiting = [one for one in self.waiting if one not in listed]
        before = [*(one for one, _ in self.pairs), *(one.sets[0] for one in self.waiting)][-1:]
        if before and before[0].wide != "rest":
            before[0].out |= new.out
            self.leaving = before[0]
        elif self.header:
            self.leaving = Named(wide="all", out=new.out)
            self.pairs.append((self.leaving, self.header))
            self.header = ""
        else:
            self.waiting.append(part)
            self.leaving = new

    def _add_verdict(self, part: Part, verb: str, behind: Sequence[Part]) -> None:
        """A verdict without a set in its part: of what waited, of what was named last, or of what comes."""
        if part.those and not self.waiting and self.pairs:
            self.waiting = [Part("", [self.pairs.pop()[0]])]
        many = len(_places(one.sets[0] for one in self.waiting))
        if (
            part.those not in (0, many)
            or (part.is_also and not part.is_plain)
            or (self.waiting and self.header)
        ):
            raise Unclear
        last, said = self.pairs[-1] if self.pairs else (Named(), "")
        if self.waiting:
            self.pairs += _with_out(self.waiting, verb, part)
            self.waiting = []
        elif part.pronoun and self.pairs:
            self._again(last, said, verb)
        elif self.header == verb or (
            self.pairs and verb in (said, "later") and (last.wide, said) != ("all", "reject")
        ):
            return
        elif self.header or self.pairs:
            raise Unclear
        elif behind and behind[0].mark == "but":
            self.pairs.append((Named(wide="all"), verb))
        elif not part.is_plain or part.pronoun in _SINGULAR:
            raise Unclear
        else:
            self.header = verb

    def _again(self, last: Named, said: str, verb: str) -> None:
        """A verdict on what was named last: its first, the same again, or one on what was left out."""
        if last.out:
            self.pairs[-1:] = [(last, said or "approve"), (Named({*last.out}), verb)]
        elif not said:
            self.pairs[-1] = (last, verb)
        elif said != verb:
            raise Unclear


def _one(verbs: Iterable[str]) -> str:
    found = {*verbs}
    if len(found) != 1:
        raise Unclear
    return min(found)


def _places(sets: Iterable[Named]) -> set[int]:
    return {place for one in sets for place in (*one.places, *one.out)}


def _with_out(waiting: Sequence[Part], verb: str, part: Part) -> list[tuple[Named, str]]:
    """The sets that waited, with the verdict behind them: "all but 4, that one is wrong" approves and rejects."""
    sets = _joined([one.sets[0] for one in waiting])
    if len(waiting) > 1 and not all(one.is_plain for one in waiting):
        raise Unclear
    if part.pronoun and sets[-1].wide and sets[-1].out:
        return [(sets[-1], "approve"), (Named({*sets[-1].out}), verb)]
    return [(one, verb) for one in sets]


def _paired(part: Part) -> list[tuple[Named, str]]:
    """The sets of a whole part with their verdicts: in front of them or behind them throughout."""
    if len({*part.verbs}) == 1:
        sets = _joined(part.sets)
        if not all(one.is_by_word and one.places <= sets[0].places for one in sets[1:]):
            raise Unclear  # "4 yes 5": a verdict is missing
        return [(sets[0], part.verbs[0])]
    kinds = [isinstance(one, Named) for one in part.row]
    if kinds[0] == kinds[-1] or any(one == other for one, other in pairwise(kinds)):
        raise Unclear
    step = 1 if kinds[0] else -1
    return [
        (one, cast(str, part.row[at + step])) for at, one in enumerate(part.row) if isinstance(one, Named)
    ]


def _joined(sets: Sequence[Named]) -> list[Named]:
    """The sets of one verdict: what is left out belongs to the set beside it."""
    row: list[Named] = []
    for one in sets:
        if row and one.is_only_out:
            row[-1].out |= one.out
            continue
        if row and row[-1].is_only_out:
            one.out |= row.pop().out
        row.append(one)
    if len(row) > 1 and any(one.wide for one in row):
        raise Unclear
    return row


def _verdicts(pairs: Sequence[tuple[Named, str]], whole: set[int]) -> dict[int, str]:
    """The verdict of each item; ``all`` means what no other verdict names, ``rest`` what nothing else does."""
    verdicts: dict[int, str] = {}
    named = _places(one for one, _ in pairs)
    left = {place for one, _ in pairs for place in one.out}
    wide = [(one, verb) for one, verb in pairs if one.wide]
    for one, verb in pairs:
        for place in one.places - one.out if verb and not one.wide else ():
            if verdicts.setdefault(place, verb) != verb:
                raise Unclear
    for one, verb in pairs:
        # An exception outside of its set, or one that another clause takes back.
        is_outside = not one.wide and not one.out < one.places and (verb or one.is_only_out)
        is_outside = is_outside and not (one.is_apart and not one.out & one.places)
        if is_outside or any(verdicts.get(place) == verb for place in one.out):
            raise Unclear
    open_ = [one for one, verb in pairs if not verb and not one.wide]
    topics = _places(one for one in open_ if one.is_by_word) - verdicts.keys()
    numbers = _places(one for one in open_ if not one.is_by_word)
    if len(wide) > 1 or not named <= whole or numbers - left:
        raise Unclear
    if topics - left and not (wide and wide[0][0].wide == "all"):
        raise Unclear
    for one, verb in wide:
        places = whole - one.out - (named if one.wide == "rest" else verdicts.keys())
        if one.count not in (0, len(places)) or not verb or not places:
            raise Unclear
        verdicts |= dict.fromkeys(places, verb)
    if not verdicts:
        raise Unclear
    return verdicts
