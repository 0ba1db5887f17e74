"""The parts of a reply between its marks: what they name of a report, and what they say of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import field

from alice_exp.kernel.text.bilingual_lexicon import same_concept
from alice_exp.kernel.text.tokens import fold, tokens
from alice_exp.kernel.value_class import dataclass
from alice_exp.review.rules.wide_words import Word, positions

_OPEN = ("open", "question", "or", "odd")
_NOUNS = ("rule", "thing", "item", "entry", "point", "fact", "note", "lesson")
"""What stands behind an item's own words: "the backup rule" names one, or is asked for."""
_RELATIVE = ("nobody", "who", "what", "when", "where", "how", "why", "which", "what's", "哪", "怎么", "什么")
"""Words that ask at the beginning of a part, and behind another word only join ("what accounting wants")."""
_ABOUT_USER = ("the user", "user:", "用户")
_DENYING = ("not", "no longer", "不是", "不再", "并不是", "并非")
_VERBS = (["approve"], ["reject"])
_EXCLUDING = ("except", "excep", "apart", "aside", "exclud", "without", "omit", "besides")
"""How no remark begins, lest a slip of the pen hide what is left out."""
_STOPS = (".", ";", "；", "!", "！", "。")


class Unclear(Exception):
    """Nothing may be proposed for this reply."""


@dataclass(slots=True)
class Named:
    """What a verdict is said of: items by their places from 1, ``all`` or the ``rest``, less those that are left out.

    ``count`` is how many "the other three" says, else 0.
    """

    places: set[int] = field(default_factory=set)
    wide: str = ""
    out: set[int] = field(default_factory=set)
    is_by_word: bool = False
    """By an item's own words, not by a number."""
    count: int = 0
    is_apart: bool = False
    """ "1 but not 3" only says that 3 is left as it is."""

    @property
    def is_only_out(self) -> bool:
        """Whether it only says what is left out."""
        return not (self.places or self.wide)


@dataclass(slots=True)
class Part:
    """What stands between two marks: sets and verdicts ("approve", "reject", "later") in their order."""

    mark: str
    """The mark before it: "comma", "joint", "stop", "but", "reason" or none."""
    row: list[Named | str] = field(default_factory=list)
    pronoun: str = ""
    those: int = 0
    """How many a pronoun means: 这两条."""
    tally: int = 0
    """How many items "two about docker" says."""
    turn: str = ""
    """A negation that turns no verdict: what an item says is denied."""
    is_plain: bool = True
    """No word in it that neither the grammar nor its item knows."""
    is_denied: bool = False
    """The words of an item stand behind its negation."""
    is_leaving_out: bool = False
    """What comes next is left out."""
    is_left_out: bool = False
    """What it names was left out by a word behind it."""
    is_changing: bool = False
    is_also: bool = False
    is_apart: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether nothing stands between two marks that may mean anything."""
        return not (self.row or self.turn or self.is_changing or self.is_leaving_out) and self.is_plain

    @property
    def is_bare(self) -> bool:
        """Whether it only names items: by number, or as "the docker one"."""
        is_named = all(one.out or not one.is_by_word for one in self.sets) or self.pronoun
        return self.is_plain and not self.verbs and not self.turn and bool(is_named)

    @property
    def sets(self) -> list[Named]:
        """What it names, in order."""
        return [one for one in self.row if isinstance(one, Named)]

    @property
    def verbs(self) -> list[str]:
        """Its verdicts, in order."""
        return [one for one in self.row if isinstance(one, str)]

    @property
    def begins_with_set(self) -> bool:
        """Whether a set stands before its verdict."""
        return isinstance(self.row[0], Named)

    @property
    def last_set(self) -> Named | None:
        """The set at its end."""
        last = self.row[-1] if self.row else ""
        return last if isinstance(last, Named) else None


def parts(words: Iterable[Word], numbered: Sequence[str], said: Sequence[str]) -> list[Part]:
    """The parts of a reply. Raises ``Unclear`` for a word that leaves something open."""
    row = [Part("")]
    run: list[str] = []
    own = [{*tokens(one)} for one in said]
    for kind, word in (*words, ("stop", "")):
        part = row[-1]
        if kind == "open" and word in _RELATIVE and (run or part.row or not part.is_plain):
            kind = "name"
        if kind == "name" or (run and kind == "filler" and word != "、"):
            run.append(word)
            continue
        if run:
            before = part.row[-1:]
            is_exact = kind == "one" or (kind == "all" and not word.isascii()) or run[-1] in _NOUNS
            _add_named(part, run, own, is_exact=is_exact)
            is_passed = not part.is_plain and part.row[-1:] == before
            if (
                is_passed
                and not run[0].isascii()
                and (before in _VERBS or (kind == "verb" and len(run) == 1))
            ):
                raise Unclear  # 不用限制, 白要了
            run = []
            if kind in ("number", "both", "rest") and not part.is_plain:
                raise Unclear  # "yeet 4", 比 3 好: nobody knows what is said of it
        if kind in _OPEN:
            raise Unclear
        part.is_apart |= kind == "but not"
        if mark := _mark(kind, word, part):
            row += _marked(row, mark)
        else:
            if kind == "all" and not part.last_set and _is_listed(row, word):
                kind = "it"
            if (
                word == "都"
                and not part.last_set
                and any(one.places or one.wide for each in row[:-1] for one in each.sets)
            ):
                kind = "it"  # these, of which the parts before speak
            _add_word(part, kind, word, numbered, said)
    return [one for one in row if not one.is_empty]


def _is_listed(row: Sequence[Part], word: str) -> bool:
    """Whether "all" means those of which the parts before speak: in this sentence, 都 in any."""
    start = max(at for at, one in enumerate(row) if one.mark == "stop" or not at) if word != "都" else 0
    return any(one.places or one.wide for each in row[start:-1] for one in each.sets)


def _mark(kind: str, word: str, part: Part) -> str:
    """The mark that a word is here, or "except"; empty for any other word."""
    if kind in ("but", "joint") and part.is_leaving_out:
        return "joint"
    if kind == "but" and part.last_set and (part.last_set.wide or not part.verbs):
        return "except"  # "all but 4"
    if word in _STOPS:
        return "stop"
    if (word in (":", "：") and part.sets and part.verbs) or (kind == "subordinate" and part.sets):
        return "comma"
    marks = {"mark": "comma", "explaining": "reason", "but not": "except", "subordinate": ""}
    kind = "joint" if word == "、" else marks.get(kind, kind)
    return kind if kind in ("comma", "stop", "joint", "but", "reason", "except") else ""


def _marked(row: list[Part], mark: str) -> list[Part]:
    """The part that begins at a mark, none where what it leaves out follows; the one before it ends."""
    part = row[-1]
    if mark == "except":
        part.is_leaving_out = True
        return []
    if part.is_leaving_out and part.sets and not part.verbs and not part.sets[-1].out:
        _leave_out(part)  # 8 不包括
    if part.is_leaving_out and not any(one.out for one in part.sets) and mark != "joint":
        raise Unclear  # "all apart from one"
    if part.tally and not any(len(one.places) == part.tally for one in part.sets):
        raise Unclear  # "two of them"
    if part.is_empty:
        row.pop()
        mark = "stop" if "stop" in (mark, part.mark) else mark
    return [Part(mark, is_leaving_out=mark == "joint" and part.is_leaving_out)]


def _add_word(part: Part, kind: str, word: str, numbered: Sequence[str], said: Sequence[str]) -> None:
    """Add one word that is no mark to the part that it stands in."""
    if kind == "number":
        _add_number(part, word, numbered)
    elif kind == "tally" and not part.last_set:
        part.tally = int(word)
    elif kind in ("tally", "those"):
        part.pronoun, part.those = "those", int(word)
    elif kind in ("about user", "about work"):
        places = {
            at
            for at, one in enumerate(said, start=1)
            if fold(one).startswith(_ABOUT_USER) == (kind == "about user")
        }
        _add(part, Named(places, is_by_word=True))
    elif kind in ("all", "rest") or (kind == "both" and len(said) == 2):
        _add(
            part,
            Named(
                wide="rest" if kind == "rest" else "all", count=int(word[5:] or 0) if kind == "rest" else 0
            ),
        )
    elif kind in ("excluded", "outside"):
        _leave_out(part)
    elif kind == "verb":
        part.row += [word] * (part.row[-1:] != [word])
        part.is_leaving_out = False
    elif kind in ("it", "one", "both", "subordinate"):
        part.pronoun, part.those = word, 2 if kind == "both" else 0
    part.is_changing |= kind in ("changing", "relating")
    part.is_also |= kind == "also"
    part.turn = word if kind == "strict" else part.turn


def _add_number(part: Part, word: str, numbered: Sequence[str]) -> None:
    if part.turn:
        raise Unclear  # "not 3"
    if part.is_changing:
        part.is_plain = False  # "changed to 8"
        return
    places = positions(word)
    if word.startswith("exp-"):
        places = [at for at, one in enumerate(numbered, start=1) if one.startswith(word)]
        if len(places) != 1:
            raise Unclear
    _add(part, Named({*places}))


def _add(part: Part, new: Named) -> None:
    """Add a set to a part: to what it leaves out, to the set before it, or by itself."""
    last = part.last_set
    if part.is_leaving_out and not new.wide:
        if last is None:
            part.row.append(last := Named())
        last.out |= new.places
        last.is_apart |= part.is_apart
    elif part.is_leaving_out and not (part.sets and part.sets[-1].out):
        raise Unclear
    elif last is None:
        part.row.append(new)
    elif last.is_only_out:
        new.out |= last.out
        part.row[-1] = new
    elif new.places and last.wide:
        raise Unclear  # "all 3"
    elif last.wide:
        last.wide = new.wide if last.wide == "all" else last.wide
        last.count = last.count or new.count
    elif new.wide == "rest":
        raise Unclear
    elif not new.wide and new.is_by_word == last.is_by_word:
        last.places |= new.places
    elif not new.wide:
        if not (new.places <= last.places or last.places <= new.places):
            raise Unclear  # "number 3, the docker one" are two
        last.places = new.places if last.is_by_word else last.places
    # 4、5 都 is "all" of these.
    part.is_leaving_out = part.is_leaving_out and not new.wide


def _leave_out(part: Part) -> None:
    """2、4 除外: leave out what stands before."""
    if part.is_leaving_out and part.sets and part.sets[-1].out:
        return  # 除了 2 以外
    if part.last_set is None or part.last_set.wide:
        raise Unclear
    part.last_set.out, part.last_set.places = part.last_set.out | part.last_set.places, set()
    part.is_leaving_out, part.is_left_out = False, True


def _add_named(part: Part, run: Sequence[str], own: Sequence[AbstractSet[str]], *, is_exact: bool) -> None:
    """Add the item that a run of unknown words names, by words that no other item says; else pass over them."""
    if any(word.startswith(_EXCLUDING) for word in run):
        raise Unclear
    text = "".join(run) if not run[0].isascii() else " ".join(run)
    wanted = [{one, *same_concept(one)} for one in {*tokens(text)} if len(one) > 1 or len(text) == 1]
    by = [(names, frozenset(at for at, words in enumerate(own) if names & words)) for names in wanted]
    several = {places for _, places in by if part.tally and len(places) == part.tally}
    hits = [sum(at in places for _, places in by) for at in range(len(own))]
    top = {at for _, places in by for at in places if len(places) == 1 and hits[at] == max(hits)}
    is_weak = not is_exact and 3 * max(hits) < len(by)
    if (len(several) == 1 or len(top) == 1) and not is_weak:
        places = min(several) if len(several) == 1 else top
        _add(part, Named({at + 1 for at in places}, is_by_word=True))
        part.is_denied |= part.turn in _DENYING
        part.is_plain &= all(places <= found for _, found in by)
    elif is_exact or part.is_leaving_out or (part.last_set and part.last_set.wide == "all"):
        raise Unclear
    else:
        part.is_plain = False
