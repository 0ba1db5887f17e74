"""Says a refused reply back in plain words: what it may have meant, for the person to confirm.

The strict grammar of ``reply`` acts; this wide one only proposes. It rewrites what people say beside the strict words
("the first two", "all but the docker one", 2 是错的) into strict words and numbers, and the strict grammar reads those.
A word that exactly one item says names that item. Nothing is proposed for a condition, a "maybe", a number and a name
that disagree, or a word that is neither known nor a name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet

from alice_exp.kernel.errors import UsageError
from alice_exp.kernel.text.bilingual_lexicon import known_words, same_concept
from alice_exp.kernel.text.tokens import fold, tokens
from alice_exp.review.rules.reply import read, written
from alice_exp.review.rules.wide_words import Word, scanned, turned

MOST_CHARACTERS = 400
"""A longer reply is refused as it is: a person does not confirm what they cannot take in at once."""

_BEFORE_ONE = ("the", "that", "this", "an", "other")
_BREAKS = ("mark", "comma", "stop")
_MARKS = (*_BREAKS, "but", "joint")
_BY_NAME = ("filler", "by name")
_EXCLUDING = ("except", "apart", "aside", "exclud", "without", "not")
"""How a remark does not begin, lest a slip of the pen hide what is left out."""
_ACTS = {"approve", "reject", "later"}
_TIGHT = re.compile("[0-9][,;/，；、+&][0-9]")
"""Numbers of one list, whatever stands behind them."""
_UNNAMED = re.compile(
    r"\b(?:\d+|two|three|four|five|six|seven|eight|nine|ten) of (?:the|those|these|them)\b|\W*not [^,;.!?]*[.!]*$",
    re.I,
)
"""How many but not which; or what is meant not, and nothing of what is."""
_SINGULAR = ("it", "item", "that", "this", "那条", "那个", "那一条", "那一个", "它")
_SUBORDINATE = ("that's", "thats", "it's", "they're", "which is", "that is", "those are")


def said_back(text: str, numbered: Sequence[str], said: Sequence[str]) -> str:
    """A reply in plain words that the strict grammar reads, for what ``text`` may mean; empty where that is open.

    ``numbered`` are the ids of the open report, ``said`` what each of them says: trigger and payload.
    """
    words = [] if len(text) > MOST_CHARACTERS or _UNNAMED.match(text.strip()) else scanned(text, said)
    for step in (
        lambda row: [*_its(row)],
        turned,
        _also,
        lambda row: _named(row, said),
        _without_remarks,
        _without_twins,
        _without_pronouns,
        lambda row: [*row] if _TIGHT.search(text) else _ordered(row, len(said)),
        _parted,
    ):
        words = step(words)
    counted = [int(word[5:]) for kind, word in words if kind == "rest" and word[5:].isdigit()]
    try:
        reading = read(" ".join("rest" if kind == "rest" else word for kind, word in words), numbered)
    except UsageError:
        return ""
    if counted and counted != [len(one.ids) for one in reading.decisions if one.is_wide]:
        return ""
    return written(reading.decisions, numbered, is_chinese=not text.isascii())


def _named(words: Sequence[Word], said: Sequence[str]) -> list[Word]:
    """With numbers for names: unknown words, fillers between them passed over, that exactly one item says."""
    row: list[Word] = []
    name: list[str] = []
    for kind, word in (*words, ("", "")):
        if kind == "name":
            name.append(word)
            continue
        if kind in ("filler", "it") and name:
            continue
        if name:
            found = _only("".join(name) if not name[0].isascii() else " ".join(name), said)
            before = [one for one in row if one[0] != "filler"][-2:]
            before = before if before[-1:] and before[-1][0] == "comma" else before[-1:]
            beside = before[0][1] if before and before[0][0] == "number" else found
            behind = word if kind == "number" and row[-1:] != [("comma", word)] else found
            if found:
                is_item = found == beside == behind
                row += [_BY_NAME, ("number", found)] if is_item else [("open", name[0])]
            else:
                row.append(("open", name[0]) if kind == "one" else _aside(name, said))
            name = []
            if kind == "one" or (found and behind is word):
                continue
        if kind == "one" and (not row or (row[-1][0] != "number" and row[-1][1] not in _BEFORE_ONE)):
            row.append(("number", word) if word == "one" else ("it", word))
        elif kind and kind != "one":
            row.append((kind, word))
    return row


def _names(words: Iterable[str]) -> list[AbstractSet[str]]:
    """The names of each word in both languages: stems and Chinese words."""
    return [{one, *same_concept(one)} for one in words]


def _aside(name: Sequence[str], said: Sequence[str]) -> Word:
    """A name that is no item's: about the one item that says a word of it, else a remark; open where several do."""
    text = " ".join(name) if name[0].isascii() else "".join(name)
    if any(word.startswith(_EXCLUDING) for word in name):
        return "open", text
    wanted: set[str] = set().union(*_names(one for one in tokens(text) if len(one) > 1))
    found = [str(at) for at, one in enumerate(said, start=1) if wanted & {*tokens(one)}]
    return ("aside", *found) if len(found) == 1 else ("remark", text)  # type: ignore[return-value]


def _only(name: str, said: Sequence[str]) -> str:
    """The number of the only item that says every word of a name, in either language; empty where none does, or
    several."""
    wanted = _names(tokens(name) if name.isascii() else known_words([name]))
    found = [
        at
        for at, one in enumerate(said, start=1)
        if (not name.isascii() and name in fold(one))
        or (wanted and all(names & {*tokens(one)} for names in wanted))
    ]
    return str(found[0]) if len(found) == 1 else ""


def _without_pronouns(words: Sequence[Word]) -> list[Word]:
    """Without fillers and pronouns: "6 is a duplicate, get rid of it" says once more what was said of 6, "all but 5,
    reject that one" names 5.

    None of the words is left where a word is open, or a pronoun may mean anything else.
    """
    kinds = {kind for kind, _ in words}
    verbs = {word for kind, word in words if kind == "verb"}
    if kinds & {"open", "aside", "question", "changing", "relating"}:
        return []
    words = _of_all(words, kinds, verbs)
    row: list[Word] = []
    skipped = ""
    for at, (kind, word) in enumerate(words):
        if kind in _MARKS:
            skipped = ""
        if kind == "filler" or (kind == "verb" and word == skipped):
            continue
        if kind != "it":
            row.append((kind, word))
            continue
        clause = [words[one] for one in _clause(words, at)]
        if {one for one, _ in clause} & {"all", "number", "rest", "both"}:
            continue
        own = {one for kind, one in clause if kind == "verb"}
        if len(own) != 1 or not (meant := _meant(row, min(own))):
            return []
        row, again, is_said = meant
        row += again
        if is_said and row[-1:] == [("verb", min(own))]:
            row.pop()
        elif is_said:
            skipped = min(own)
    # "All but the docker one" answers a report that asks what to approve.
    return row if verbs or not row else [("verb", "approve"), *row]


def _without_remarks(words: Sequence[Word]) -> list[Word]:
    """Without the clauses that decide nothing and name no item, beside others that do: "we never said so, drop 4"."""
    row: list[Word] = []
    at = 0
    while at < len(words):
        end = next((one for one in range(at, len(words)) if words[one][0] in _BREAKS), len(words) - 1)
        kinds = {kind for kind, _ in words[at : end + 1]}
        is_remark = "remark" in kinds and kinds <= {"remark", "aside", "filler", "strict", "it", *_BREAKS}
        clause = [("open" if kind == "remark" else kind, word) for kind, word in words[at : end + 1]]
        row += [one for one in clause if one[0] in ("aside", *_BREAKS[:-2])] if is_remark else clause
        at = end + 1
    return row if len(row) == len(words) or any(kind == "verb" for kind, _ in row) else []


def _of_all(words: Sequence[Word], kinds: AbstractSet[str], verbs: AbstractSet[str]) -> Sequence[Word]:
    """Two replies on all: one verb, however often, beside nothing that is left out; "fine, but drop 4" of the rest."""
    if len(verbs) == 1 and not kinds - {"verb", "all", "it", "filler", "joint", *_BREAKS}:
        is_one = any(kind == "it" and word in _SINGULAR for kind, word in words)
        return [] if is_one and "all" not in kinds else [("verb", min(verbs)), ("all", "all")]
    if [kind for kind, _ in words if kind not in ("filler", "comma")][:2] == ["verb", "but"] and len(
        verbs
    ) > 1:
        at = next(at for at, (kind, _) in enumerate(words) if kind == "but")
        first = next(word for kind, word in words if kind == "verb")
        return [("verb", first), ("rest", "rest"), ("mark", ","), *words[at + 1 :]]
    return words


def _its(words: Sequence[Word]) -> Iterator[Word]:
    """With a mark before what says why something is left out: "all but 8, that's old"."""
    is_out = False
    last = ""
    for kind, word in words:
        is_out = (
            (is_out and kind not in ("mark", "stop", "but", "joint"))
            or kind == "except"
            or (kind == "but" and last == "all")
        )
        last = kind
        if is_out and word in _SUBORDINATE:
            yield from (("mark", ","), ("it", "it"))
        elif kind == "explaining":
            yield "comma", ","
        else:
            yield kind, word


def _also(words: Sequence[Word]) -> list[Word]:
    """With the verdict before it for an "also": "5 is right, 1 too"."""
    row: list[Word] = []
    for kind, word in words:
        said = [one for one in row if one[0] == "verb"]
        is_again = word in ("also", "too", "也是", "也一样") and said and row[-1][0] == "number"
        row.append(said[-1] if is_again else (kind, word))
    return row


def _meant(row: list[Word], verb: str) -> tuple[list[Word], list[Word], bool] | None:
    """The words before a pronoun whose verb is ``verb``, the numbers to write for it, and whether the verb was said of
    them already; None where it means anything else."""
    last = max((at for at, (kind, _) in enumerate(row) if kind == "number"), default=-1)
    if last < 0:
        return None
    first = last
    while first and row[first - 1][0] in ("number", "joint", "comma"):
        first -= 1
    clause = [at for at in _clause(row, last) if at >= first or not {*range(at, first)} & {*_marks(row)}]
    said = {word for kind, word in row[min(*clause, first) : max(clause) + 1] if kind == "verb"}
    before = row[first - 1] if first else ("", "")
    if before[0] in ("except", "but") and verb == "later":
        return row, [], True
    if before[0] in ("except", "but") and row[last + 1 : last + 2] == [("verb", verb)]:
        return row, [], True
    if before[0] in ("except", "but"):
        is_bare = not any(kind == "verb" for kind, _ in row)
        return [("verb", "approve")] * is_bare + row, row[first : last + 1], False
    if before[0] == "strict" and verb == "reject" and not said:
        # "I don't live in Hamburg, drop that."
        row = row[: first - 1] + row[first:]
        last -= 1
    if said:
        return (row, [], True) if said == {verb} else None
    return row[: last + 1] + [one for one in row[last + 1 :] if one[0] not in _MARKS], [], False


def _ordered(words: Sequence[Word], count: int) -> list[Word]:
    """Each clause with its verb in front, where every one has a verb and a set of its own: "1-5 yes, 6 no, 7 later"."""
    parts: list[list[Word]] = [[]]
    for kind, word in words:
        if kind in _BREAKS:
            parts.append([])
        elif (kind, word) != ("all", "都") or not any(one == "number" for one, _ in parts[-1]):
            parts[-1].append((kind, word))
    row: list[Word] = []
    if [kind for kind, _ in words if kind not in _BREAKS] == ["verb"] * max(3, count):
        # "Yes, yes, no" of three.
        verbs = [one for one in words if one[0] == "verb"]
        parts = [[one, ("number", str(at))] for at, one in enumerate(verbs, start=1)]
    parts = [part for part in parts if part]
    for part in parts:
        if part[0][0] == "except" and ("verb", "later") in part:
            # "All but 4, that can wait."
            return [one for one in words if one != ("verb", "later")]
        kinds = [kind for kind, _ in part]
        if kinds == ["verb"] and [one for one in row if one[0] == "verb"][-1:] == part:
            continue
        if (
            kinds[0] == "joint"
            or kinds.count("verb") != 1
            or not {"verb"} < {*kinds} <= {"verb", "number", "joint", "rest"}
        ):
            return [*words]
        row += [*sorted(part, key=lambda one: one[0] != "verb"), ("mark", ";")]
    return row if len(parts) > 1 else [*words]


def _parted(words: Sequence[Word]) -> list[Word]:
    """With a mark where one decision ends and another begins: before "the rest", and for "but" before "3 reject"."""
    row: list[Word] = []
    for at, (kind, word) in enumerate(words):
        before = [one for one, _ in row if one not in _MARKS][-2:]
        behind = [*words[at + 1 :]]
        is_whole = before in (["number", "verb"], ["verb", "number"], ["all", "verb"])
        if (
            kind == "rest"
            and is_whole
            and row[-1][0] not in _MARKS
            and any(one == "verb" for one, _ in behind)
        ):
            row.append(("mark", ","))
        is_next = kind == "but" and is_whole and row[-1][0] in ("comma", "verb")
        if (
            is_next
            and next((one for one, _ in behind if one not in ("number", "joint", "comma")), "") == "verb"
        ):
            kind, word = "mark", ","
        # 不要否决 turns; "take, approve" and "decide on the rest later" say a thing twice.
        again = [one for one in row[-2:] if one[0] not in ("rest", "all")][-1:] == [(kind, word)]
        if kind == "verb" and word != "reject" and again:
            continue
        if row or kind not in _MARKS:
            row.append((kind, word))
    return row


def _without_twins(words: Sequence[Word]) -> list[Word]:
    """Without the clauses that only name what another decides: "I don't live in Hamburg, 8 can go"."""
    parts: list[list[Word]] = [[]]
    for kind, word in words:
        parts[-1].append((kind, word))
        if kind in _BREAKS:
            parts.append([])
    row: list[Word] = []
    for part in parts:
        numbers = {word for kind, word in part if kind in ("number", "aside")}
        decided = [one for one in parts if one is not part and numbers & {*(word for _, word in one)}]
        verbs = {word for one in decided for kind, word in one if kind == "verb"}
        verbs |= {kind for one in decided for kind, _ in one if kind in ("except", "but")}
        kinds = {kind for kind, _ in part}
        is_twin = (
            len(numbers) == 1
            and (_BY_NAME in part or "number" not in kinds)
            and kinds <= {"number", "aside", "filler", "strict", *_BREAKS}
        )
        if not (is_twin and verbs <= _ACTS and verbs and ("strict" not in kinds or verbs == {"reject"})):
            row += part
    return row


def _marks(words: Sequence[Word]) -> list[int]:
    return [at for at, (kind, _) in enumerate(words) if kind in _MARKS]


def _clause(words: Sequence[Word], at: int) -> range:
    """The places of the words between the marks around a word."""
    marks = [-1, *_marks(words), len(words)]
    return range(max(one for one in marks if one < at) + 1, min(one for one in marks if one > at))
