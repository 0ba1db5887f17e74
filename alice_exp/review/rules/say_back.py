"""Says a refused reply back in plain words: what it may have meant, for the person to confirm.

The strict grammar of ``reply`` acts; this one only proposes. A clause names items and has a verdict; what it lacks it
takes from its neighbours. Nothing is proposed where a number or an item is left without a verdict, where words that
nobody knows may be one, where two verdicts meet on one item, or where a condition or a question stands.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import cast

from alice_exp.finding.rules.statement import contradicts
from alice_exp.review.rules.reply import Decision, written
from alice_exp.review.rules.reply_words import Verb
from alice_exp.review.rules.said_clauses import Clause, Named, Unclear, Verdict, clauses, refuse, union
from alice_exp.review.rules.said_verdicts import Pair, joined, verdicts_of
from alice_exp.review.rules.wide_words import scanned

MOST_CHARACTERS = 1000
"""A longer reply is refused as it is: a person does not confirm what they cannot take in at once."""

_FROM = re.compile(r"^(?!.*\bapart from).*\b(?:from|by) [a-z]")


def said_back(text: str, numbered: Sequence[str], said: Sequence[str]) -> str:
    """What ``text`` may mean, in plain words for the strict grammar; empty where that is open. ``numbered``: the open
    report's ids, "" for none to decide on; ``said``: the trigger and payload of each."""
    if len(text) > MOST_CHARACTERS or not any(numbered):
        return ""
    reader = _Reader(said)
    try:
        reader.read(clauses(scanned(text, said), numbered, said))
        verdicts = verdicts_of(reader.pairs, {at for at, one in enumerate(numbered, start=1) if one})
    except Unclear:
        return ""
    decisions = [
        Decision(verb, tuple(one for at, one in enumerate(numbered, start=1) if verdicts.get(at) == verb))
        for verb in dict.fromkeys(cast(Verb, verb) for _, verb, _ in reader.pairs)
        if verb in verdicts.values() and verb != "later"
    ]
    # √√× is of no language: that of most items is the person's.
    of = text if any(map(str.isalpha, text)) else sorted(said, key=str.isascii)[(len(said) - 1) // 2]
    return written(decisions, numbered, of) if decisions else ""


class _Reader:
    """Gives each set of a reply its verdict: a clause that has both is whole; a set alone waits for the verdict
    behind it, or goes on with the one before it; a verdict alone is of what waits, was named last, or comes."""

    def __init__(self, said: Sequence[str]) -> None:
        self.said = said
        self.others: set[str] = set()  # what is said of something that names no item
        self.pairs: list[Pair] = []
        self.waiting: list[tuple[Named, Clause]] = []
        self.fresh = self.begun = 0
        """Which of those that wait stand first in the sentence, behind its last verdict."""
        self.header: Verdict | None = None  # a verdict that waits for its sets: "Accept: 2, 4."
        self.is_of_one = False  # it is said of "that one"
        self.goes_on = self.is_list = False  # the last verdict stands before its sets; it has gone on
        self.is_ended = False  # by "and" and its last set
        self.begins: list[Named] = []  # the sets behind that, which may have a verdict of their own

    def read(self, row: Sequence[Clause]) -> None:
        """Fill ``pairs``. Raises ``Unclear``."""
        for at, clause in enumerate(row):
            if clause.level == 2:
                refuse(self.header and self.is_of_one and clause.sets)  # "No to that one. 1 and 5 always"
                self.goes_on, self.fresh, self.begun = False, len(self.waiting), len(self.pairs)
            is_loose = "rest" in [one.wide for one in clause.sets] and not (self.pairs or self.waiting)
            sets = [*(one for one, _ in self.waiting[self.fresh :]), *clause.sets]
            is_count = clause.tally in (len(union(sets)), *(len(one.places) for one in clause.sets))
            refuse("counted" in clause.flags and not is_count)
            refuse(is_loose and any(one.unknown for one in row[:at]))  # "I had a steak. The rest is fine"
            refuse("turned" in clause.flags and "reject" in [verb for _, verb, _ in self.pairs])
            before = row[at - 1]
            refuse("listing" in clause.flags and not clause.sets and at and before.unknown and not before.row)
            # "…, but 4 and 5 are fine"
            ahead = next((one for one in row[at + 1 :] if one.level or not one.is_bare), Clause())
            if clause.opener == "but" and clause.is_bare and not ahead.level and ahead.sets and ahead.verbs:
                clause.opener, self.goes_on = "", False
            self._clause(clause, clause.reduced(), row[at + 1 :])
        if self.header:
            self._close(row)
        is_plain = not any("denied" in one.flags for one in row)
        is_plain = is_plain and not any(clause.level == 2 for _, clause in self.waiting[1:])
        is_plain = is_plain and all(one.is_sure or not one.by_word for one, _ in self.waiting)
        if not self.pairs and is_plain and all(one.is_bare or one.hint == "later" for _, one in self.waiting):
            # "Only the first one", "all but the docker one" answer a report that asks what to approve.
            self.pairs = [(one, clause.hint or "approve", 3) for one, clause in self.waiting]
            self.waiting = []
        self._settle()
        refuse(self.others - {verb for one, verb, _ in self.pairs if one.wide == "all"})

    def _close(self, row: Sequence[Clause]) -> None:
        """A verdict that found no set: "looks good to me" is of all, "no, it is port 8080" of what is named."""
        assert self.header is not None
        refuse(self.pairs, self.waiting[1:], any(not (x.by_word or x.is_only_out) for x, _ in self.waiting))
        if not self.waiting:
            refuse(sum(one.unknown for one in row) > 1, any(one.pronoun > 0 for one in row))
            refuse(row[0].unknown and row[0].text.count(" ") == 2 and len(row) == 1)  # "reject codex"
            refuse(any(one.flags & {"vague", "named first"} for one in row))  # "take six", "polars no"
            refuse(any(map(str.isdigit, "".join(one.text for one in row))))
        one, clause = self.waiting.pop() if self.waiting else (Named(wide="all"), Clause())
        if clause.opener == "but" and clause.hint == "reject" and self.header[0] == "approve":
            self.pairs.append((one, "reject", 1))  # "All right, but the port moved"
            one = Named(wide="rest")
        one.wide = "all" if one.is_only_out else one.wide  # "Approved, save for 3"
        self.pairs.append((one, *self.header))

    def _settle(self) -> None:
        """What still waits: a hint decides, an item that another clause decides needs nothing."""
        verbs = [(one.wide, verb) for one, verb, _ in self.pairs]
        for one, clause in self.waiting:
            done = union(each for each, _, _ in self.pairs)
            out = {at for each, _, _ in self.pairs for at in each.out}
            is_but = clause.opener == "but" and (clause.hint == "reject" or clause.unknown)
            refuse(is_but and one.places & union(each for each, verb, _ in self.pairs if verb == "approve"))
            item = "".join(self.said[at - 1] for at in one.places)
            is_wrong = len(one.places) == 1 and contradicts(clause.text, item)
            is_other = clause.opener == "but" and clause.is_open and ("all", "approve") in verbs
            if one.by_word and (is_wrong or is_other):
                clause.hint = "reject"  # "All fine, but the port is 8080"
            elif (one.wide and one.out) or (
                clause.is_bare and {("rest", "reject"), ("rest", "later")} & {*verbs}
            ):
                clause.hint = clause.hint or "approve"  # "Just 1 and 3, ditch the other two"
            if not (one.by_word and (one.places <= done or (one.places <= out and not is_wrong))):
                refuse(not clause.hint, "denied" in clause.flags and not one.by_word)
                self.pairs.append((one, clause.hint, 1 if one.by_word else 2))

    def _clause(self, clause: Clause, row: list[Named | Verdict], behind: Sequence[Clause]) -> None:
        sets = [one for one in row if isinstance(one, Named)]
        verbs = [one for one in row if not isinstance(one, Named)]
        fresh = self.waiting[self.fresh :]
        if "also" in clause.flags and sets and not verbs and self.pairs:
            verbs = [self.pairs[-1][1:]]
            row = [sets[0], verbs[0]]  # "and the docker one, too"
        if not row:
            self._aside(clause, behind)
        elif not verbs:
            # "Quiz no, that was just for one test" speaks of the quiz.
            is_own = "denied" in clause.flags or sets[0].out or any(map(str.isdigit, clause.text))
            if is_own or clause.level != 1 or not (clause.pronoun and self.pairs):
                self._only_set(clause, sets[0])
        elif sets and not (clause.level == 1 and clause.unknown > 1 and self._is_of_last(sets)):
            self._whole(clause, row, behind)
        elif sets:
            return  # "Polars no, the team stuck with pandas"
        elif behind and "listing" in behind[0].flags and behind[0].sets and not (self.header or fresh):
            self.header = verbs[0]
        else:
            self._only_verdict(clause, verbs[0])

    def _is_rejected(self) -> bool:
        """Whether the last verdict of this sentence rejects."""
        return len(self.pairs) > self.begun and self.pairs[-1][1] == "reject"

    def _is_approved(self) -> bool:
        return len(self.pairs) > self.begun and self.pairs[-1][1] == "approve" and not self.pairs[-1][0].wide

    def _is_of_last(self, sets: Sequence[Named]) -> bool:
        """Whether words name again, and nothing else, what its sentence has decided last."""
        last = self.pairs[-1][0] if len(self.pairs) > self.begun else Named()
        return len(sets) == 1 and sets[0].by_word and bool(last.places) and sets[0].places == last.places

    def _aside(self, clause: Clause, behind: Sequence[Clause]) -> None:
        """A clause without a set and a verdict is passed over, where it holds nothing that may be one."""
        fresh = self.waiting[self.fresh :]
        if fresh and not (fresh[-1][1].hint or fresh[-1][0].out):
            fresh[-1][1].hint = clause.hint  # "Milo had his birthday, he is 7 now"
        elif clause.level == 1:
            self._takes_reason(clause)
        is_part = behind and behind[0].level == 0 and behind[0].sets
        refuse(
            "order" in clause.flags and clause.unknown and not (fresh or self._is_rejected()),  # 次数不用限制
            clause.opener == "but" and (clause.pronoun or (clause.unknown and self._is_approved())),
            "vague" in clause.flags and not (clause.unknown and self._is_rejected()),
            clause.text[:2] in ("这条", "那条") and 0 < clause.unknown < 3 and not clause.hint,
            0 < clause.unknown < 3 and is_part and not clause.opener,
        )

    def _only_set(self, clause: Clause, one: Named) -> None:
        fresh = self.waiting[self.fresh :]
        last, before = fresh[-1] if fresh else (Named(), Clause())
        if before.is_bare and not clause.level:
            before.hint = before.hint or clause.hint  # "5 and 7 tomorrow"
        is_bare = clause.is_bare and not clause.hint
        is_near = clause.level < 2
        if clause.opener == "but" and clause.is_bare and self.pairs and self.pairs[-1][0].wide:
            self.pairs[-1][0].out |= one.places  # "all fine but 6"
            self.goes_on = True
            return
        refuse(clause.opener == "but" and not (one.by_word or one.out))
        is_other = one.places and last.places and one.by_word != last.by_word
        if before.is_bare and clause.level == 1 and is_other:
            refuse(one.places != last.places, "denied" in clause.flags)  # "number 2, the docker one"
        elif one.is_only_out:
            self._leave_out(clause, one)
        elif is_bare and self.header and not self.waiting:
            self.pairs.append((one, *self.header))
            self.header, self.goes_on, self.is_list = None, True, False
        elif (
            (is_bare or (one.is_sure and not clause.level and not clause.hint))
            and is_near
            and self.goes_on
            and not (one.wide or fresh)
        ):
            self._go_on(clause, one)
        elif is_near and one.by_word and not one.is_sure:
            is_reason = before.hint == "reject" and clause.unknown > 1
            refuse(is_reason and last.by_word)
            self.waiting += [] if is_reason or self._takes_reason(clause) else [(one, clause)]
        else:
            self.waiting.append((one, clause))

    def _go_on(self, clause: Clause, one: Named) -> None:
        """A set that goes on with the verdict before it."""
        said, *verdict = self.pairs[-1]
        self.is_list = True
        # "And" ends a list: "approve 1 and 2, 3 no"; but "reject 8 and 4, 5 are fine"?
        is_begun = self.begins or (self.is_ended and clause.level)
        self.begins = [*self.begins, one] if is_begun else []
        is_on = not said.by_word and max(said.places, default=0) < min(one.places, default=0)
        self.is_ended = "joint" in clause.flags and not clause.level and is_on
        if said.out:
            said.out |= one.places
        else:
            # "Approve 3, the docker one"
            refuse(clause.level and one.by_word != said.by_word and "joint" not in clause.flags)
            self.pairs.append((one, *cast(Verdict, verdict)))

    def _takes_reason(self, clause: Clause) -> bool:
        """Take a clause for why its sentence rejects a number, or why it leaves one out, and reject that."""
        said, verb, _ = self.pairs[-1] if len(self.pairs) > self.begun else (Named(by_word=True), "", 0)
        if clause.hint == "reject" and said.out:
            self.pairs.append((Named({*said.out}, by_word=True), "reject", 1))
            return True
        return verb == clause.hint == "reject" and not said.by_word

    def _leave_out(self, clause: Clause, one: Named) -> None:
        """What is left out of the set before it, or of one that comes."""
        before = self.waiting[-1][0] if self.waiting else self.pairs[-1][0] if self.pairs else Named()
        refuse("left out" in clause.flags and not before.wide)
        if before.wide == "all" or (one.out < before.places):
            before.out |= one.out
        else:
            refuse(before.places & one.out)
            self.waiting.append((one, clause))

    def _only_verdict(self, clause: Clause, verdict: Verdict) -> None:
        if clause.level == 1 and clause.unknown > 3 and not clause.pronoun and len(self.pairs) > self.begun:
            return  # why: 8 别留，审计要求日志保留180天
        refuse("denied" in clause.flags)
        now = self.waiting[self.fresh if clause.level < 2 and clause.pronoun < 2 else 0 :]
        now = now if clause.level < 2 or clause.pronoun else []
        if now:
            self._of_waiting(clause, verdict, now)
        else:
            refuse(clause.flags & {"vague", "counted"})
            is_other = "subject" in clause.flags and clause.unknown < 3 and not clause.pronoun
            if is_other:
                is_remark = len(self.pairs) > self.begun and verdict != ("approve", 3)
                is_remark |= verdict[0] == "later"
                # "All fine, no addresses"
                refuse(
                    verdict == ("reject", 3)
                    and clause.level == 1
                    and any(one.wide and verb == "approve" for one, verb, _ in self.pairs[-1:])
                )
                self.others |= set() if is_remark else {verdict[0]}
                self.goes_on, self.fresh = False, len(self.waiting)
                return
            if self.pairs:
                self._again(clause, verdict)
            elif clause.unknown < 2 or verdict[1] == 3 or clause.pronoun == 1:
                refuse(self.header and self.header[0] != verdict[0])
                self.header, self.is_of_one = verdict, clause.pronoun == 1

    def _of_waiting(self, clause: Clause, verdict: Verdict, now: Sequence[tuple[Named, Clause]]) -> None:
        """A verdict of what waits for one: "both are wrong", "that one is"."""
        last, places = now[-1][0], union(one for one, _ in now)
        is_odd = any(other.unknown and not (other.hint or one.by_word) for one, other in now)
        refuse(
            not clause.pronoun
            and clause.unknown
            and (not clause.level or (is_odd and verdict[0] != "later")),
            not clause.pronoun and any(one.is_open and then.level for (_, one), (_, then) in pairwise(now)),
            is_odd and verdict[1] == 1,
            any(one.wide == "all" and other.is_open for one, other in now),
        )
        if clause.pronoun and last.out:
            self.pairs.append((Named({*last.out}), *verdict))  # "All but the docker one. It is wrong"
            return
        now = now[-1:] if clause.pronoun == 1 else now
        refuse(clause.pronoun > 1 and clause.pronoun != len(places))
        refuse(len(now) > 1 and clause.pronoun < 2 and any("denied" in one.flags for _, one in now))
        self.pairs += joined([one for one, _ in now], verdict)
        self.waiting = [one for one in self.waiting if one not in now]

    def _again(self, clause: Clause, verdict: Verdict) -> None:
        """A verdict behind another: of what that left out, the same again, or a stronger one of the same."""
        last, said, how = self.pairs[-1]
        verb, strength = verdict
        is_near = clause.level < 2
        of_same = union(one for one, each, _ in self.pairs if each == verb)
        is_free = clause.pronoun == 1 or not clause.unknown
        is_decided = strength == 3 and is_free and (how < 3 or said == "later")
        if last.out and (clause.pronoun or is_near):
            self.pairs.append((Named({*last.out}), *verdict))
        elif verb == said or (verb == "later" and clause.unknown > 2):
            refuse(clause.pronoun > 1 and clause.pronoun != len(of_same))
        elif said == "reject" and verb == "later" and is_near and clause.pronoun:
            return  # "too rigid, skip that rule"
        elif is_near and is_decided:
            self.pairs[-1] = (last, *verdict)
        else:
            is_other = is_near and said == "approve" and verb == "reject" and how == strength == 2
            refuse(is_other and clause.opener != "but", strength > 1 and clause.opener == "so")
            refuse(clause.pronoun, strength == 3)

    def _listed(self, clause: Clause, *, is_rest: bool) -> list[Named]:
        """The sets that wait for the verdict of a clause: of "just 7, the rest later" none."""
        waiting = self.waiting[self.fresh :]
        levels = [*(other.level for _, other in waiting[1:]), clause.level]
        return [
            one
            for (one, other), level in zip(waiting, levels, strict=False)
            if one.is_only_out
            or (
                not (other.hint or (level and not other.is_bare) or (is_rest and clause.level))
                and (other.is_bare or not ((one.by_word and not one.is_sure) or other.unknown > other.at_set))
            )
        ]

    def _whole(self, clause: Clause, row: list[Named | Verdict], behind: Sequence[Clause]) -> None:
        """Sets with their verdicts, and those that waited for the first of these."""
        is_first = isinstance(row[0], Named)
        first = cast(Named, row[0] if is_first else row[1])
        listed = self._listed(clause, is_rest=first.wide == "rest")
        # "approve 3-5, 1 reject" is clear, but "approve 3, 1 reject, 2" is not.
        is_followed = bool(row[2:]) or any(one.level < 2 and one.sets and not one.verbs for one in behind[:1])
        is_followed |= "run" in clause.flags
        is_loose = clause.level < 2 - self.is_ended if self.is_list else is_followed and not clause.level
        if is_first and self.begins and not clause.level:
            self.pairs = [pair for pair in self.pairs if pair[0] not in self.begins]
            listed, self.goes_on = [*self.begins, *listed], False  # "approve 1 and 2, 3 and 4 no"
        refuse(clause.opener == "but" and first.wide == "all")
        refuse(
            first.wide == "all"
            and ((is_first and "named first" in clause.flags) or _FROM.search(clause.text))
        )
        refuse(is_first and self.goes_on and (listed or (is_loose and not (first.wide or first.by_word))))
        first.wide = first.wide or "all" * (first.is_only_out and not (self.pairs or self.waiting))
        pairs = [
            cast(tuple[Named, Verdict], pair if is_first else pair[::-1])
            for pair in zip(row[::2], row[1::2], strict=False)
        ]
        if clause.opener == "but" and self.pairs and first.places < self.pairs[-1][0].places:
            self.pairs[-1][0].out |= first.places  # "keep 3-7 but throw out 6"
        self.pairs += joined([*listed * is_first, first], pairs[0][1])
        self.pairs += [(one, *verdict) for one, verdict in pairs[1:]]
        if len(row) % 2:
            odd = row[-1]
            is_named = isinstance(odd, Named) and odd.by_word and odd.places <= union(clause.sets[:-1])
            refuse(not (is_named if isinstance(odd, Named) else odd[0] == self.pairs[-1][1]))
        if self.header and clause.opener == "but" and self.header[0] == "approve" != self.pairs[-1][1]:
            self.pairs.insert(0, (Named(wide="rest"), *self.header))  # "Ok, but 5 is wrong"
            self.header = None
        refuse(self.header and self.header[0] not in (self.pairs[-1][1], "" if first.wide else "later"))
        self.waiting = [one for one in self.waiting if not (is_first and one[0] in listed)]
        self.header, self.fresh, self.goes_on = None, len(self.waiting), not is_first
        self.is_list, self.is_ended, self.begins = "run" in clause.flags, False, []
