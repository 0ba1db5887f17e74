"""The clauses of a reply between its marks and conjunctions: what each names of a report, and what it says of that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import field
from itertools import chain, pairwise

from alice_exp.finding.rules.concerns import begins_with_user
from alice_exp.kernel.text.bilingual_lexicon import same_concept
from alice_exp.kernel.text.tokens import tokens
from alice_exp.kernel.value_class import dataclass
from alice_exp.review.rules.wide_words import FORMS, SIGNS, VERBS, Word, positions

_MARKS = {**dict.fromkeys(".;!。", 2), **dict.fromkeys(",:-–—(){}[]", 1), **dict.fromkeys("、&/+|", 0)}
"""How much a mark parts: 0 joins, 1 is a comma, 2 a stop. Other marks say nothing."""
_STRENGTH = {"approve": 3, "reject": 3, "later": 3, "good": 2, "bad": 2, "wish": 1}
_SAYS = {"good": "approve", "wish": "approve", "bad": "reject", "soon": "later", "gone": "reject"}
_ABOUT = ("about", "on", "regarding", "concerning")

Verdict = tuple[str, int]
"""What is said, and how strongly: "delete" (3), "wrong" (2), "I need" (1)."""


class Unclear(Exception):
    """Nothing may be proposed for this reply."""


def refuse(*doubts: object) -> None:
    """Raise ``Unclear`` where there is any doubt."""
    if any(doubts):
        raise Unclear


@dataclass(slots=True)
class Named:
    """What a verdict is said of: items by their places from 1, ``all`` or the ``rest``, less what is left out; by an
    item's own words (``is_sure``: for sure). ``count``: how many "the other three" says."""

    places: set[int] = field(default_factory=set)
    wide: str = ""
    out: set[int] = field(default_factory=set)
    by_word: bool = False
    count: int = 0
    is_sure: bool = False

    @property
    def is_only_out(self) -> bool:
        """Whether it only says what is left out."""
        return not (self.places or self.wide)


@dataclass(slots=True)
class Clause:
    """What stands between two marks: sets and verdicts in their order, and what else it says.

    ``flags``: vague (a numeral that may name or count), counted ("these two …"), denied (a negation of nothing), denied
    set (behind its set), order (a negation that asks), leaving (what follows is left out), left out (by a word behind
    it), subject and named first (begins with words of which nobody knows what they name; of Chinese, of both), turned
    (a number behind "not"), listing (behind a colon), joint (behind "and"), run (numbers without a mark between them).
    """

    level: int = 2  # how much the mark before it parts
    opener: str = ""  # but, so or why
    row: list[Named | Verdict] = field(default_factory=list)
    pronoun: int = 0  # how many items "it" (1), "those two" (2) or "those" (-1) mean
    hint: str = ""  # a verdict where nothing else is said: "I will ask" (later), "we moved" (reject)
    unknown: int = 0  # how many words name nothing
    at_set: int = 0  # how many of them stood before its last set
    tally: int = 0  # how many items "two about docker" says
    flags: set[str] = field(default_factory=set)
    text: str = ""  # its words, and those of the clauses without set and verdict beside it in its sentence

    @property
    def sets(self) -> list[Named]:
        """What it names, in order."""
        return [one for one in self.row if isinstance(one, Named)]

    @property
    def verbs(self) -> list[Verdict]:
        """Its verdicts, in order."""
        return [one for one in self.row if not isinstance(one, Named)]

    @property
    def last_set(self) -> Named | None:
        """The set at its end."""
        last = self.row[-1] if self.row else None
        return last if isinstance(last, Named) else None

    @property
    def is_open(self) -> bool:
        """Whether words that nobody knows stand behind its set and may be its verdict."""
        return self.unknown > self.at_set and not self.hint

    @property
    def is_bare(self) -> bool:
        """Whether it only names items."""
        return not (self.verbs or self.unknown or "denied" in self.flags)

    @property
    def is_empty(self) -> bool:
        """Whether nothing in it may mean anything."""
        return not (
            self.row or self.unknown or self.pronoun or self.hint or self.tally or "denied" in self.flags
        )

    def add(self, new: Named) -> None:
        """Add a set: to what is left out, to the set before it, or by itself."""
        last, is_leaving = self.last_set, "leaving" in self.flags
        if is_leaving and not new.wide:
            if last is None:
                last = self.sets[-1] if self.sets else Named()
                self.row += [] if self.sets else [last]
            refuse(last.out & new.places)
            last.out |= new.places
            return
        before, self.at_set = self.at_set, self.unknown
        if last is None:
            self.row.append(new)
        elif last.is_only_out:
            new.out |= last.out
            self.row[-1] = new
        elif new.wide:
            refuse(new.wide == "rest" and not last.wide)
            last.wide = last.wide and ("rest" if "rest" in (new.wide, last.wide) else "all")
            last.count = last.count or new.count
        elif last.wide:
            refuse(not new.by_word)  # "all 3"
            self.row[-1] = new if last.wide == "all" else last
        elif not (new.by_word or last.by_word):
            refuse(new.places & last.places, self.unknown > before)  # "2 wibbled 5 wrong"
            last.places |= new.places
            self.flags |= {"run"}
        else:
            # "Number 3, the docker one" are two; other words behind a number may be a remark.
            refuse(new.places != last.places and (new.is_sure or last.by_word))
            self.row[-1] = last if new.by_word else new

    def reduced(self) -> list[Named | Verdict]:
        """The row with one verdict between two sets: the strongest of those that stand together."""
        row: list[Named | Verdict] = []
        # "Ok, so Mia moved to York like ages ago" says nothing else.
        is_news = self.hint == "reject" and self.unknown > 1 and all(one.by_word for one in self.sets)
        for one in self.row:
            last = row[-1] if row else None
            if is_news and not isinstance(one, Named) and (one[1] == 1 or one is self.row[0]):
                continue
            if isinstance(one, Named):
                refuse(isinstance(last, Named))
                row.append(one)
                continue
            # "I need to ask", 还在想怎么处理比较好
            verdict = ("later", 1) if self.hint == "later" and one[1] < 3 else one
            if last is None or isinstance(last, Named):
                row.append(verdict)
            else:
                is_late = self.hint == last[0] == "later"  # "hold on until they sign off"
                refuse(verdict[1] == last[1] and verdict[0] != last[0] and not is_late)
                row[-1] = max(last, verdict, key=lambda each: each[1])
        last = row[-1] if row else None
        if isinstance(last, Named) and "denied set" in self.flags and not last.wide:
            row.append(("reject", 3))  # "three isn't"
        elif isinstance(last, Named) and last.wide == "rest" and "denied" in self.flags and self.unknown:
            row.append(("later", 1))  # "I have not read the others"
        elif isinstance(last, Named) and len(row) > 2 and self.hint:
            row.append((self.hint, 1))  # 4 5 可以 1 2 3 等下班
        return row


def clauses(words: Sequence[Word], numbered: Sequence[str], said: Sequence[str]) -> list[Clause]:
    """The clauses of a reply. Raises ``Unclear`` for a word that leaves something open."""
    return _Builder(numbered, said).read(words)


class _Builder:
    def __init__(self, numbered: Sequence[str], said: Sequence[str]) -> None:
        self.numbered, self.said = numbered, said
        self.own = [{*tokens(one)} for one in said]
        self.row = [Clause()]
        self.run: list[str] = []  # unknown words that may name an item
        self.must = False  # they do so: "the one about …"

    def read(self, words: Sequence[Word]) -> list[Clause]:
        for (kind, word), (behind, behind_word) in pairwise([*words, ("", "")]):
            clause = self.row[-1]
            clause.text += word if word > "\x7f" else f"{word} "
            is_why = clause.opener == "why"
            if kind in ("soon", "gone") and not is_why:
                clause.hint = clause.hint or _SAYS[kind]
            clause.flags |= {"vague"} if kind == "vague" else set()
            refuse(kind == "open", is_why and (kind in ("vague", "number") or word == "one"))
            is_odd = (word, behind) == ("the other", "name") and behind_word[
                -1:
            ] not in "se"  # "the other way"
            if is_odd or (kind in ("name", "soon", "vague") and word != "no"):
                self.run.append(word)
            elif kind == "head":
                self._add_head(clause, word, behind_word)
            elif kind == "also":
                self._name(clause)
                is_said = any(one.by_word or not clause.is_open for one in clause.sets) or " " in word
                clause.flags |= {"also"} if is_said else set()
            elif kind == "those" and word == str(
                len(self._found("".join(self.run), int(word.isdigit() and word), False)[0])
            ):
                self._name(clause, int(word))  # mq 那两条
            elif kind in ("tally", "count"):
                clause.tally = int(word)
                clause.flags |= {"counted"} if kind == "count" or behind != "name" else set()
                self._name(clause, clause.tally)
            elif kind not in ("filler", "gone", "vague") and (
                kind != "mark" or word in _MARKS or word == "?"
            ):
                self._name(clause, -(word == "都"))
                self._add(clause, kind, word, behind)
        self._name(self.row[-1])
        self._cut(2)
        for clause, after in pairwise(self.row):
            after.text = after.text if clause.row or after.level == 2 else f"{clause.text}, {after.text}"
        return self.row[:-1]

    def _cut(self, level: int, opener: str = "") -> None:
        clause = self.row[-1]
        is_leaving = "leaving" in clause.flags
        refuse(is_leaving and level and not any(one.out for one in clause.sets))
        if clause.is_empty:
            clause.level, clause.opener = max(level, clause.level), opener or clause.opener
            return
        keeps = "why" if clause.opener == "why" and not level else ""
        flags = {"leaving"} if is_leaving and not level else set()
        self.row.append(Clause(level, opener or keeps, flags=flags))

    def _add_head(self, clause: Clause, word: str, behind: str) -> None:
        """The noun behind an item's own words, or a pronoun: "the docker one", "that one"."""
        is_plural = (word.endswith("s") and word.isascii()) or word == "stuff"
        if tokens(" ".join(self.run)) and not (word in ("那个", "这个") and len(self.run) < 3):
            self._name(clause, -is_plural, must=True)
        elif not (clause.last_set or clause.pronoun):
            self.must = behind in _ABOUT
            if self.must or behind.startswith("about"):
                return
            if word == "one" and clause.verbs and clause.verbs[-1][1] == 2:
                return  # "is a good one"
            refuse(word == "one")
            clause.pronoun = -1 if is_plural else 1

    def _name(self, clause: Clause, many: int = 0, *, must: bool = False) -> None:
        """Add the item that the run of unknown words names, by words that no other item says; ``many`` if it may be
        several, ``must`` if it names one for sure."""
        run, self.run = self.run, []
        if not run:
            return
        must, self.must = must or self.must, False
        many = many or -bool(len(run) == 1 and FORMS.plural.match(run[0])) or max(clause.pronoun, 0) // 2 * 2
        last = clause.last_set
        is_all = last is not None and last.wide == "all" and run[0] in _ABOUT
        text = "".join(one if one > "\x7f" else f" {one} " for one in run)
        places, unknown = self._found(text, max(many, 0) or clause.tally or many or -is_all, must)
        refuse("leaving" in clause.flags and not places and unknown)
        if clause.opener != "why":
            refuse((must or is_all) and not places and tokens(text))
            clause.flags |= {"subject"} if not (clause.row or places) and run[-1] > "\x7f" else set()
            clause.flags |= {"named first"} if unknown and not (clause.row or places) else set()
            if places and must and {"denied", "joint"} <= clause.flags and not (clause.unknown or clause.row):
                clause.row.append(("reject", 2))  # "and not the docker one"
                clause.flags ^= {"denied"}
            if places:
                clause.add(Named(places, by_word=True, is_sure=must))
        clause.unknown += unknown

    def _found(self, text: str, many: int, must: bool) -> tuple[set[int], int]:
        """The items that a text names, and how many of its words do not."""
        words = [one for one in dict.fromkeys(tokens(text)) if len(one) > 1 or one <= "\x7f"]
        words = [one for one in words if one not in _ABOUT]  # "the one about Priya"
        every = {*chain(*self.own)}  # docker of the Dockerfile
        near = {one: {x for x in every if one not in every and x.startswith(one)} for one in words if one[3:]}
        alike = [{one, *same_concept(one), *near.get(one, ())} for one in words]
        by = [frozenset(at for at, own in enumerate(self.own, start=1) if names & own) for names in alike]
        unknown = sum(not one for one in by)
        groups = {one for one in by if (len(one) == many if many > 0 else len(one) > 1)}
        if many and len(groups) == 1 and not any(len(one) == 1 for one in by):
            return {*min(groups)}, unknown
        score: Counter[int] = Counter()
        for one in by:
            score.update(dict.fromkeys(one, 3 if len(one) == 1 else int(len(one) < 4)))
        if must and [*score.values()].count(max(score.values(), default=0)) != 1:
            # 出卷子 says some signs of 出试卷.
            signs = {one for one in text if one > "\x7f"} - SIGNS
            weight = 2 if len(signs) < 3 else 1
            shared = {at: weight * len(signs & own) for at, own in enumerate(self.own, start=1)}
            score = Counter({at: many for at, many in shared.items() if many > 1})
        top = [at for at, value in score.items() if value == max(score.values())]
        return ({*top}, unknown) if len(top) == 1 and score[top[0]] > 1 else (set(), len(by))

    def _add(self, clause: Clause, kind: str, word: str, behind: str) -> None:
        """Add a word that names no item by itself to the clause that it stands in."""
        last = clause.last_set
        if kind in VERBS and clause.opener != "why":
            refuse("leaving" in clause.flags and not any(one.out for one in clause.sets))
            clause.row.append((_SAYS.get(kind, kind), _STRENGTH[kind]))
        elif kind == "mark" and word == "?":
            refuse("a question")
        elif kind in ("mark", "and"):
            self._cut(_MARKS[word] if kind == "mark" else 0)
            self.row[-1].flags |= {"listing"} if word == ":" else {"joint"} if kind == "and" else set()
        elif kind == "except" or (kind == "but" and last and last.wide and behind not in VERBS):
            clause.flags |= {"leaving"}
        elif kind in ("but", "so", "why"):
            self._cut(1, kind)
        elif kind == "not":
            refuse(clause.verbs and behind in ("mark", "filler", ""))  # 同意不了
            is_order = FORMS.order.match(word) is not None
            is_behind = last is not None and (word.isascii() or word == "不是")
            clause.flags |= {"denied", *["order"] * is_order, *["denied set"] * is_behind}
        elif kind in ("excluded", "outside") and ("leaving" in clause.flags or clause.row or len(word) > 1):
            self._leave_out(clause)
        else:
            self._add_set(clause, kind, word)

    def _add_set(self, clause: Clause, kind: str, word: str) -> None:
        """Add a set, or a word for one that was named."""
        if "denied" in clause.flags and kind == "number" and not (clause.unknown or clause.row):
            clause.row.append(("reject", 2))  # "not 2"
            clause.flags ^= {"denied", "turned"}
        is_weak = word == "都" and "order" not in clause.flags  # 别都同意
        refuse("denied" in clause.flags and kind in ("number", "all", "both") and not is_weak)
        if kind == "number":
            is_id = word.startswith("exp-")
            ids = {at for at, one in enumerate(self.numbered, start=1) if is_id and one.startswith(word)}
            places = ids if is_id else {*positions(word)}
            refuse(not places <= {*range(1, len(self.said) + 1)}, is_id and len(places) != 1)
            clause.add(Named(places))
        elif kind in ("about user", "about work"):
            # "nothing medical about me"
            refuse(clause.unknown and (clause.verbs or "denied" in clause.flags))
            is_own = kind == "about user"
            about = {at for at, one in enumerate(self.said, 1) if begins_with_user(one) is is_own}
            clause.add(Named(about, by_word=True))
            clause.flags |= {"about"}
        elif kind == "both" and (clause.sets or len(self.said) != 2):
            clause.pronoun = 2
        elif kind == "all" and self._is_listed(clause, word):
            clause.pronoun = clause.pronoun or -1
        elif kind in ("all", "rest", "both"):
            count = int(word) if kind == "rest" and word.isdigit() else 0
            wide = "rest" if kind == "rest" else "all"
            clause.add(Named(wide=wide, count=count or clause.pronoun * (clause.pronoun > 1)))
        elif kind == "those":
            clause.pronoun = int(word) if word.isdigit() else -1
            refuse(clause.pronoun not in (-1, len(self.said)) and not any(one.sets for one in self.row))
            # "The two about me", where it is one
            refuse("about" in clause.flags and clause.pronoun not in (-1, len(union(clause.sets))))
        elif kind == "it":
            clause.pronoun = clause.pronoun or 1

    def _is_listed(self, clause: Clause, word: str) -> bool:
        """Whether "all" means those of which the clauses before speak."""
        if word == "都" or clause.pronoun:
            return any(one.places and not one.out for each in self.row for one in each.sets)
        for one in reversed(self.row):
            if any(each.places and not each.out for each in one.sets) and not (
                one is not clause and one.verbs
            ):
                return True
            if one.level == 2 or one.verbs:
                return False
        return False

    def _leave_out(self, clause: Clause) -> None:
        """2、4 除外: leave out what stands before."""
        last = clause.last_set
        if not ("leaving" in clause.flags and last and last.out):
            refuse(last is None, last and last.wide)
            assert last is not None
            last.out, last.places = last.out | last.places, set()
            clause.flags |= {"left out"}


def union(sets: Iterable[Named]) -> set[int]:
    """The places of all the sets."""
    return {place for one in sets for place in one.places}
