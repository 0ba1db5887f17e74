"""Says a refused reply back in plain words: what it may have meant, for the person to confirm.

The strict grammar of ``reply`` acts; this wide one only proposes. It rewrites what people say beside the strict words
("the first two", "all but the docker one", 2 是错的) into strict words and numbers, and the strict grammar reads those.
A word that exactly one item says names that item. Nothing is proposed for a condition, a "maybe", a number and a name
that disagree, or a word that is neither known nor a name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from alice_exp.kernel.errors import UsageError
from alice_exp.kernel.text.data_files import word_lists
from alice_exp.kernel.text.tokens import fold, tokens
from alice_exp.review.rules import reply_words as strict
from alice_exp.review.rules.reply import read, written

MOST_CHARACTERS = 400
"""A longer reply is refused as it is: a person does not confirm what they cannot take in at once."""

_Word = tuple[str, str]
"""A kind and its text. Kinds: number, name (an unknown word), verb, turn (a negation), it, filler, mark, strict."""

_VERBS = {"good": "approve", "take": "approve", "wish": "approve", "bad": "reject", "drop": "reject"}
_TURNED = {"good": "reject", "wish": "reject", "sure": "later", "take": "later", "drop": "later"}
"""What a word says behind a negation. "Not wrong" stays open."""
_WRITTEN = {"rest": "rest", "except": "except", "joint": "and"}
_BEFORE_ONE = ("the", "that", "this", "an", "other")
_NOT = re.compile(r"n't\b|(?<=can)not\b|(?<=do)nt\b|(?<=is)nt\b")
_ORDINALS = word_lists("review/rules/data/reply_words.txt")["odd"][:-1]
"""first to twelfth, without the last."""
_OPEN = re.compile(r"[!！]\S|[0-9][.:：][0-9]|\.\.|\bone of\b|(?:first|second|third|th) (?:to|through) ")
"""What may name an item or leave it out, in the ways that the strict grammar asks back too."""
_NUMERAL, _EACH = strict.NUMERAL, "[条條个個项項]"


def said_back(text: str, numbered: Sequence[str], said: Sequence[str]) -> str:
    """A reply in plain words that the strict grammar reads, for what ``text`` may mean; empty where that is open.

    ``numbered`` are the ids of the open report, ``said`` what each of them says: trigger and payload.
    """
    folded = _NOT.sub(" not", fold(text)).replace("no. ", "#")
    folded = folded.rstrip(" 👍✅") or folded
    if len(text) > MOST_CHARACTERS or _OPEN.search(folded):
        return ""
    words = [*_scanned(folded, len(said))]
    for step in (_turned, lambda row: _named(row, said), _without_pronouns):
        words = step(words)
    try:
        reading = read(" ".join(word for _, word in words), numbered)
    except UsageError:
        return ""
    return written(reading.decisions, numbered, is_chinese=not text.isascii())


@cache
def _grammar() -> tuple[re.Pattern[str], Mapping[str, str]]:
    """A pattern of ranks, numerals, phrases and words, and the kind of each phrase."""
    wide = word_lists("review/rules/data/wide_words.txt")
    kinds = {
        word: kind
        for word, kind in strict.KINDS.items()
        if kind not in ("odd", "it", "passed") and word != "第"
    }
    kinds |= {word: kind for kind, row in wide.items() for word in row}
    return re.compile(
        rf"\b(?P<end>first|last)\s+(?P<many>{_NUMERAL}|couple|pair)(?![a-z0-9])|(?P<front>前|最?后|末)面?(?P<of>{_NUMERAL}){_EACH}"
        rf"|倒数第(?P<back>{_NUMERAL}){_EACH}?|(?P<last>最后[一那]?{_EACH}|\blast\b)|\b(?P<rank>{'|'.join(_ORDINALS)})\b"
        rf"|(?P<one>\bones?\b|[那这]一?{_EACH})"
        rf"|(?P<phrase>{strict.either(kinds)})"
        rf"|(?P<number>exp-[a-z2-9]+|(?:第|group\s+|#|no\.\s*)?{_NUMERAL}(?:{_EACH}|号)?"
        rf"(?:\s*(?:[-–~到至]|to\b|through\b)\s*第?{_NUMERAL}{_EACH}?)?(?![a-z]))"
        r"|(?P<word>[a-z]+|[^\W\d_])|(?P<mark>[^\w\s])"
    ), kinds


def _scanned(text: str, count: int) -> Iterator[_Word]:
    pattern, kinds = _grammar()
    at = 0
    for match in pattern.finditer(text):
        if text[at : match.start()].strip():
            yield "open", ""
        at = match.end()
        kind, word = match.lastgroup or "", match[0]
        if kind in ("many", "of"):
            many = strict.number_of(match[kind]) if match[kind] not in ("couple", "pair") else 2
            low, high = (
                (1, many)
                if (match["end"] or match["front"]) in ("first", "前")
                else (count + 1 - (many or 0), count)
            )
            yield "number" if many and many <= count else "open", f"{low}-{high}" if low != high else str(low)
        elif kind == "back":
            yield "number", str(count + 1 - (strict.number_of(match["back"]) or 0))
        elif kind in ("last", "rank"):
            yield "number", str(count if kind == "last" else _ORDINALS.index(word) + 1)
        elif kind == "phrase":
            heading = kinds[re.sub(r"\s+", "_", word)]
            is_verb = heading in ("approve", "reject", "later")
            kind = {"turning": "turn", "wrong": "bad", "passed over": "filler"}.get(heading, heading)
            yield ("verb", heading) if is_verb else (kind, _WRITTEN.get(kind, word))
        else:
            yield {"word": "name"}.get(kind, kind), word


def _turned(words: Sequence[_Word]) -> list[_Word]:
    """With verbs for verdicts; a negation turns the verdict behind it: "isn't right" rejects, "don't drop" leaves."""
    row: list[_Word] = []
    at = 0
    while at < len(words):
        kind, word = words[at]
        if kind in ("turn", "none"):
            behind = next(
                (one for one in range(at + 1, len(words)) if words[one][0] not in ("filler", "it")), at
            )
            turned = words[behind][0]
            if kind == "none":
                row += [("verb", "reject"), ("all", "all")]
                at = behind if turned in ("good", "wish") else at
            elif turned in _TURNED:
                row.append(("verb", _TURNED[turned]))
                at = behind
            else:
                row.append(("strict" if turned in ("number", "name") else "open", word))
        elif kind == "sure":
            row.append(("filler", word))
        else:
            row.append(("verb", _VERBS[kind]) if kind in _VERBS else (kind, word))
        at += 1
    return row


def _named(words: Sequence[_Word], said: Sequence[str]) -> list[_Word]:
    """With numbers for names: unknown words, fillers between them passed over, that exactly one item says."""
    row: list[_Word] = []
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
            row += [("number", found)] if found and found == beside else [("open", name[0])]
            name = []
            if kind == "one":
                continue
        if kind == "one" and (not row or (row[-1][0] != "number" and row[-1][1] not in _BEFORE_ONE)):
            row.append(("number", word) if word == "one" else ("it", word))
        elif kind and kind != "one":
            row.append((kind, word))
    return row


def _only(name: str, said: Sequence[str]) -> str:
    """The number of the only item that says every word of a name; empty where none does, or several."""
    wanted = {*tokens(name)}
    found = [
        at
        for at, one in enumerate(said, start=1)
        if (wanted and wanted <= {*tokens(one)} if name.isascii() else name in fold(one))
    ]
    return str(found[0]) if len(found) == 1 else ""


def _without_pronouns(words: Sequence[_Word]) -> list[_Word]:
    """Without fillers and pronouns: "6 is a duplicate, get rid of it" says once more what was said of 6.

    None of the words is left where a word is open, or a pronoun may mean anything else.
    """
    row: list[_Word] = []
    verbs = [word for kind, word in words if kind == "verb"]
    done = 0
    for at, (kind, word) in enumerate(words):
        done += kind == "verb"
        if kind in ("open", "question", "changing", "relating"):
            return []
        if kind != "it":
            row += [(kind, word)] * (kind != "filler")
            continue
        clause = _clause(words, at)
        if clause & {"all", "number", "rest", "both"}:
            continue
        is_named = any(one == "number" for one, _ in words[:at])
        if not is_named or len({*verbs[: done + 1]}) > 1:
            return []
        if done > 1 and row and row[-1][0] == "verb":
            row.pop()
    # "All but the docker one" answers a report that asks what to approve.
    return row if verbs or not row else [("verb", "approve"), *row]


def _clause(words: Sequence[_Word], at: int) -> set[str]:
    """The kinds of the words between the marks around a word."""
    marks = [
        -1,
        *(one for one, (kind, _) in enumerate(words) if kind in ("mark", "comma", "stop", "but", "joint")),
        len(words),
    ]
    start = max(one for one in marks if one < at)
    end = min(one for one in marks if one > at)
    return {kind for kind, _ in words[start + 1 : end]}
