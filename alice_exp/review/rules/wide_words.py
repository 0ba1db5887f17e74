"""The words of a reply beside the strict grammar's, of ``review/rules/data/wide_words.txt``: each with its kind."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from alice_exp.kernel.text.data_files import word_lists
from alice_exp.kernel.text.tokens import fold
from alice_exp.review.rules import reply_words as strict

Word = tuple[str, str]
"""A kind and its text. Kinds: number, name (an unknown word), verb, turn (a negation), it, filler, mark, strict, open:
what nothing is proposed for."""

_VERBS = {"good": "approve", "take": "approve", "wish": "approve", "bad": "reject", "drop": "reject"}
_TURNED = {"good": "reject", "wish": "reject", "sure": "later", "take": "later", "drop": "later"}
"""What a word says behind a negation. "Not wrong" stays open."""
_WRITTEN = {"rest": "rest", "except": "except", "joint": "and"}
_NOT = re.compile(r"n't\b|(?<=can)not\b|(?<=do)nt\b|(?<=is)nt\b")
_NUMBER = re.compile(r"(?<![a-z])no\.\s?(?=[0-9])")
_POLITE = re.compile(r"(\W*(?:please\s+)?(?:could|can|would|will) (?:you|u)\b.*)\?\s*")
"""A request in a question's form."""
_ASIDE = re.compile(r"[(（](?![^()（）]*(?:[0-9]|\bno[tn]?\b|\bbut\b|except|[不别没除但]))[^()（）]*[)）]")
"""What stands in brackets and neither names an item nor turns or leaves out anything."""
_LEAST_SPELT = 4
"""The fewest letters of a word that may lack one: shorter ones are only looked at for two that changed places."""
_PLACES = "through top bottom couple pair half last one ones"
_ORDINALS = word_lists("review/rules/data/reply_words.txt")["odd"][:-1]
"""first to twelfth, without the last."""
_OPEN = re.compile(
    r"[0-9] n [0-9]|[!！][0-9a-z#第]|[0-9][.:：][0-9]|[0-9]\s*\.\.|\.\.\s*[0-9]|\bone of\b"
    r"|(?:first|second|third|th) (?:to|through) |\b(?:to|through) [0-9]+(?:st|nd|rd|th)|[-~]\s*第"
)
"""What may name an item or leave it out, in the ways that the strict grammar asks back too."""
_NUMERAL, _EACH = strict.NUMERAL, "[条條个個项項]"


def scanned(text: str, said: Sequence[str]) -> list[Word]:
    """The words of a reply on a report whose items say ``said``; none where the strict grammar's asking back stands."""
    folded = _NOT.sub(" not", _NUMBER.sub("#", fold(text))).replace(" till ", " to ")
    folded = _ASIDE.sub(" ", _POLITE.sub(r"\1", folded))
    folded = folded.rstrip(" 👍✅") or folded
    return [] if _OPEN.search(folded) else [*_scanned(_spelt(folded, said), len(said))]


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
        rf"\b(?P<end>first|last|top|bottom|up\s+to|second(?=\s+half))\s+(?P<many>{_NUMERAL}|couple|pair|half)(?![a-z0-9])"
        rf"|(?P<front>前|头|最?后|末)面?(?P<of>{_NUMERAL}(?={_EACH})|一?半){_EACH}?"
        rf"|(?:\ball|全部)\s*(?:of\s+)?(?:(?:the|these|those)\s+)?(?P<every>{_NUMERAL})(?:{_EACH}|(?![\w,、-]))"
        rf"|\bnumber\s+(?P<spelt>{_NUMERAL})\b|\b(?!one\b)(?P<sole>{_NUMERAL})(?=\s+is\b)"
        r"|(?P<parity>\bodd\b|\beven\b|[单双奇偶])(?:\s*(?:numbers|numbered|ones|items)\b|[数号]的?)+"
        rf"|\b(?:the\s+)?other\s+(?P<others>{_NUMERAL})(?!\w)"
        rf"|(?:其他|其余|另外|别的|剩下|余下)的?(?P<left>{_NUMERAL}(?={_EACH})){_EACH}"
        rf"|中间(?:的)?(?P<amid>{_NUMERAL}(?={_EACH})){_EACH}|\bmiddle\s+(?P<inner>{_NUMERAL})(?!\w)"
        r"|\b(?P<nth>[0-9]+)(?:st|nd|rd|th)\b|(?<![0-9])(?P<run>[1-9]{2,9})(?![-0-9.:~–])"
        rf"|倒数第(?P<back>{_NUMERAL}){_EACH}?|(?P<last>最后[一那]?{_EACH}|\blast\b)|\b(?P<rank>{'|'.join(_ORDINALS)})\b"
        rf"|(?P<one>\bones?\b|[那这]一?{_EACH})"
        rf"|(?P<phrase>{strict.either(kinds)})"
        rf"|(?P<number>exp-[a-z2-9]+|(?:第|group\s+|#|no\.\s*)?{_NUMERAL}(?:{_EACH}|号)?"
        rf"(?:\s*(?:[-–~到至]|to\b|through\b)\s*第?{_NUMERAL}{_EACH}?)?(?![a-z]))"
        r"|(?P<word>[a-z]+|[^\W\d_])|(?P<mark>[^\w\s])"
    ), kinds


def _scanned(text: str, count: int) -> Iterator[Word]:
    pattern, kinds = _grammar()
    at = 0
    for match in pattern.finditer(text):
        if text[at : match.start()].strip():
            yield "open", ""
        at = match.end()
        kind, word = match.lastgroup or "", match[0]
        if kind in ("many", "of"):
            yield _end(match, kind, count)
        elif kind in _COUNTED:
            yield _counted(match, kind, count)
        elif kind == "run" and int(word) > count:
            # 246 of eight items are three of them.
            is_run = count < 10 and [*word] == sorted({*word})
            yield ("number", " ".join(word)) if is_run else ("open", "")
        elif kind == "run":
            yield "number", word
        elif kind == "phrase":
            heading = kinds[re.sub(r"\s+", "_", word)]
            is_verb = heading in ("approve", "reject", "later")
            kind = {"turning": "turn", "wrong": "bad", "passed over": "filler"}.get(heading, heading)
            word = "都" if kind == "all" and not word.isascii() else _WRITTEN.get(kind, word)
            yield ("verb", heading) if is_verb else (kind, word)
        else:
            yield {"word": "name"}.get(kind, kind), word


_COUNTED = {
    *["every", "nth", "spelt", "sole", "parity", "others", "left", "amid", "inner", "back", "last", "rank"]
}


def _counted(match: re.Match[str], kind: str, count: int) -> Word:
    """What a rank or a count means among ``count`` items: "the odd ones", "the other three", 中间三条, 倒数第二条."""
    said = strict.number_of(match[kind]) or 0 if kind not in ("parity", "last", "rank") else 0
    if kind == "every":
        return ("all", "all") if said == count else ("open", "")
    if kind in ("others", "left"):
        return "rest", f"rest {said}"
    if kind in ("amid", "inner"):
        out, is_odd = divmod(count - said, 2)
        return "open" if is_odd or out < 1 else "number", f"{out + 1}-{count - out}"
    if kind == "parity":
        first = 1 if match[kind] in ("odd", "单", "奇") else 2
        return "number", " ".join(map(str, range(first, count + 1, 2)))
    ranks = {"back": count + 1 - said, "last": count}
    return "number", str(_ORDINALS.index(match[0]) + 1 if kind == "rank" else ranks.get(kind, said))


def _end(match: re.Match[str], kind: str, count: int) -> Word:
    """The numbers of "the first three" or 后一半, of ``count`` items."""
    said = match[kind]
    if said in ("half", "半", "一半"):
        many = 0 if count % 2 else count // 2
    else:
        many = 2 if said in ("couple", "pair") else strict.number_of(said) or 0
    is_front = (match["end"] or match["front"]) in ("first", "top", "up to", "前", "头")
    low, high = (1, many) if is_front else (count + 1 - many, count)
    return "number" if 0 < many <= count else "open", f"{low}-{high}" if low != high else str(low)


def _spelt(text: str, said: Sequence[str]) -> str:
    """The text with each misspelt word of the grammar as it is written: an unknown word, said by no item, that is one
    slip away from words of one meaning."""
    kinds = {word: _VERBS.get(kind, kind) for word, kind in _grammar()[1].items()}
    known = [word for word in kinds if word.isascii() and len(word) > 2 and word.isalpha()]
    right = {
        *re.findall(
            "[a-z]+", fold(" ".join((*said, *kinds, *strict.KINDS, *_ORDINALS, *strict.NAMED, _PLACES)))
        )
    }

    def corrected(match: re.Match[str]) -> str:
        word = match[0]
        if word in right:
            return word
        near = [one for one in known if _is_slip(word, one)]
        return min(near) if len({kinds[one] for one in near}) == 1 else word

    return re.sub("[a-z]{3,}", corrected, text)


def _is_slip(word: str, meant: str) -> bool:
    """Whether a word lacks a letter, has one too many, or two that changed places; another letter is another word."""
    is_short = min(len(word), len(meant)) < _LEAST_SPELT
    while word and meant and word[0] == meant[0]:
        word, meant = word[1:], meant[1:]
    while word and meant and word[-1] == meant[-1]:
        word, meant = word[:-1], meant[:-1]
    return (len(word) == 2 and word == meant[::-1]) or ({len(word), len(meant)} == {0, 1} and not is_short)


def turned(words: Sequence[Word]) -> list[Word]:
    """With verbs for verdicts; a negation turns the verdict behind it: "isn't right" rejects, "don't drop" leaves."""
    row: list[Word] = []
    at = 0
    while at < len(words):
        kind, word = words[at]
        if kind == "turn" and [one for one, _ in words[at - 1 : at + 2 : 2]] == ["name", "name"] and at:
            # 周五不部署 is what an item says.
            at += 1
            continue
        if kind in ("turn", "none"):
            behind = next(
                (one for one in range(at + 1, len(words)) if words[one][0] not in ("filler", "it")), at
            )
            turned = words[behind][0]
            if kind == "none":
                # 4、5 都不对 is about these.
                is_wide = not any(one == "number" for one, _ in row[-2:])
                row += [("verb", "reject"), *[("all", "all")] * is_wide]
                at = behind if turned in ("good", "wish") else at
            elif turned in _TURNED:
                row.append(("verb", _TURNED[turned]))
                at = behind
            elif behind in (at, len(words)) and {kind for kind, _ in row[-2:]} == {"number", "filler"}:
                row.append(("verb", "reject"))
            else:
                row.append(("strict" if turned in ("number", "name") else "open", word))
        elif kind == "sure":
            row.append(("filler", word))
        elif kind == "wish" and words[at + 1 : at + 3] == [("filler", "to"), ("verb", "later")]:
            at += 1
        else:
            row.append(("verb", _VERBS[kind]) if kind in _VERBS else (kind, word))
            at += (
                kind in _VERBS
                and words[at - 1] == ("filler", "a")
                and words[at + 1 : at + 2] == [("one", "one")]
            )
        at += 1
    return row
