"""The words of a reply beside the strict grammar's, of ``review/rules/data/wide_words.txt``: each with its kind."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from alice_exp.kernel.text.data_files import word_lists
from alice_exp.kernel.text.tokens import fold, simplified
from alice_exp.review.rules import reply_words as strict

Word = tuple[str, str]
"""A kind and its text. Kinds: number, name (an unknown word), verb, turn (a negation), it, filler, mark, strict, open:
what nothing is proposed for."""

_VERBS = {"good": "approve", "take": "approve", "wish": "approve", "bad": "reject", "drop": "reject"}
_TURNED = {"good": "reject", "wish": "reject", "sure": "later", "take": "reject", "drop": "later"}
"""What a word says behind a negation. "Not wrong" stays open."""
_WRITTEN = {"rest": "rest", "except": "except"}
_LEAST_SPELT = 4
"""The fewest letters of a word that may lack one: shorter ones are only looked at for two that changed places."""
_PLACES = "through top bottom couple pair half last one ones"
_ORDINALS = word_lists("review/rules/data/reply_words.txt")["odd"][:-1]
"""first to twelfth, without the last."""
_NUMERAL, _EACH, _TO = strict.NUMERAL, "[条个项样件]", r"(?:[-–—~到至]|to\b|through\b|thru\b)"
_VERDICTS = ("approve", "reject", "good", "bad", "take", "drop", "wish", "all", "joint", "but")
_NUMBERS = ("number", "rank", "one", "both")
_SINGLE = frozenset("要记收留批准行好对删扔及并且可全")
"""Signs that are verdicts by themselves, and often a part of another word."""

_PLAIN = (
    (r"\n", ","),
    ("…|\\.\\.+(?=\\s|$)", ";"),
    (r"(?<![a-z])no\.\s?(?=[0-9])", "#"),
    (r"n't\b|(?<=can)not\b|(?:(?<=do)|(?<=is)|(?<=did)|(?<=was)|(?<=does)|(?<=would))nt\b", " not"),
    (" till ", " to "),
    # A request in a question's form.
    (r"(\W*(?:please\s+)?(?:could|can|would|will) (?:you|u)\b.*)\?\s*", r"\1"),
    # What stands in brackets and neither names an item nor turns or leaves out anything.
    (rf"[(（](?![^()（）]*(?:{_NUMERAL}|\bno[tn]?\b|\bbut\b|except|[不别没除但]))[^()（）]*[)）]", " "),
    ("(?<![第后前那这头末有])一[条个项][都也](?=[不没别])", "全部"),
    (r"等(?=[^\s,，。;；]{0,10}(?:确认|决定|通知|回复|答复|出来|再))", "再说"),
    # Numbers of one list.
    ("(?<=[0-9一二三四五六七八九十])[,;/，；+&](?=[0-9一二三四五六七八九十])", "、"),
    *(
        (
            r"([0-9]|\b(?:numbers|items|ones|rest|others|half|them|these|those|all|one|that|just|not|everyone))"
            rf"(?:\s+(?:is|are|goes|go))?\s+{place}(?=\s*(?:[,.;!)]|$|please))",
            rf"\1 {verdict}",
        )
        for place, verdict in (("in", "accepted"), ("out", "rejected"))
    ),
    (r"(?<=.)[ 👍✅]+$", ""),
)
"""What is written in its plainer form first, in this order."""

_OPEN = re.compile(
    r"[→⇒=<>~]\s*[0-9a-z第#]|[0-9]\s*[–—~-]\s*[–—~-]|[0-9]\s+[–—~-]\s*[0-9]|(?<![0-9a-z\s])-[0-9]|[-~]\s*第"
    r"|[0-9] n [0-9]|[!！][0-9#第]|\.\.|\bone of\b|(?:thing|all|ones|what|comes) (?:before|after)\b"
    r"|(?:first|second|third|th) (?:to|through) |\b(?:to|through) [0-9]+(?:st|nd|rd|th)"
)
"""What may name an item or leave it out, in the ways that the strict grammar asks back too."""

_SPLIT = re.compile(r"(?<=[a-z0-9])[.:]?[a-z0-9]")
"""Where a word or a figure would be cut in two."""
_UNITS = (
    r"[天周月年点次页岁秒元块人级米度位行列字期种句般直样定起些下致旦共切回场遍趟眼段番]|分钟|个?小时|号(?=发|前|后|之)|%"
    r"|(?:[ap]m|px|[mck]m|kg|[gmk]b|ms|h|hrs?|hours?|minutes?|mins?|seconds?|days?|weeks?|months?|years?|times?|pages?"
    r"|people|percent|dollars?|euros?|lines?|spaces?|columns?|char(?:acter)?s?|x|(?:st|nd|rd|th)\s+grade)\b"
)
"""What is counted or measured: a number before it names no item."""
_TIMES = "week|month|year|time|night|day|quarter|term|spring|summer|autumn|fall|winter|mon|tues|wed|thur|fri|sat|sun"
_PATTERNS = (
    # Figures and words with marks inside, which an item may say.
    rf"(?P<figure>(?:周|星期|礼拜)[一二三四五六日天]|[0-9]+(?:[.:][0-9]+)+\w*|{_NUMERAL}\s*(?:{_UNITS})"
    r"|\b(?![yn][0-9])[a-z]{1,3}(?<!ok)(?<!no)(?<!as)[0-9]+\b|[0-9]+(?:x[0-9]+|(?![yn])[a-z](?![a-z])))",
    # How many, but not which.
    rf"\b(?:the|these|those)\s+(?!one\b)(?P<tally>{_NUMERAL})(?=\s+[a-z])",
    rf"(?P<some>\b{_NUMERAL}\s+(?:of|things|items|rules|entries|points|facts|suggestions)\b)",
    rf"(?P<among>{_NUMERAL}{_EACH}[里中当][头中]?)",
    rf"[这那](?P<those>{_NUMERAL}(?={_EACH})){_EACH}",
    rf"(?<![第前后头余他下外间])(?P<each>{_NUMERAL}(?=\s*{_EACH}))\s*{_EACH}(?!\s*[都也][不没别])",
    # Places from either end, halves, every second.
    r"\b(?P<end>first|last|top|bottom|up\s+to(?:\s+and\s+including)?|second(?=\s+half))\s+"
    rf"(?P<many>{_NUMERAL}|couple|pair|half)(?![a-z0-9])",
    rf"(?P<front>前|头|最?后|末)面?(?P<of>{_NUMERAL}(?={_EACH})|一?半){_EACH}?",
    rf"(?:\ball|全部)\s*(?:of\s+)?(?:(?:the|these|those)\s+)?(?P<every>{_NUMERAL})(?:{_EACH}|(?![\w,、-]))",
    rf"\bnumber\s+(?P<spelt>{_NUMERAL})\b",
    rf"\b(?!one\b)(?P<sole>{_NUMERAL})(?=\s+is\b)",
    r"(?P<parity>\bodd\b|\beven\b|[单双奇偶])(?:\s*(?:numbers|numbered|ones|items)\b|[数号]的?|条目)+",
    rf"\b(?:the\s+)?(?:other|remaining)\s+(?P<others>{_NUMERAL})(?!\w)",
    rf"(?:其他|其余|另外|别的|剩下|余下)的?(?P<left>{_NUMERAL}(?={_EACH})){_EACH}",
    rf"(?P<mid>中间那?{_EACH}|\bmiddle one\b)",
    r"(?P<inside>中间的|\bin the middle\b|\bmiddle ones\b)",
    rf"中间(?:的)?(?P<amid>{_NUMERAL}(?={_EACH})){_EACH}",
    rf"\bmiddle\s+(?P<inner>{_NUMERAL})(?!\w)",
    r"\b(?P<nth>[0-9]+)(?:st|nd|rd|th)\b",
    r"(?<![0-9])(?P<run>[1-9]{2,9})(?![-0-9.:~–])",
    rf"倒数第(?P<back>{_NUMERAL}){_EACH}?",
    rf"(?P<last>最后[一那]?{_EACH}|末尾[一那]?{_EACH}?|\blast\b(?!\s+(?:{_TIMES})))",
    rf"\b(?P<rank>{'|'.join(_ORDINALS)})\b",
    rf"\b(?P<listed>one)\b(?=\s*(?:,|and\b|&)\s*{_NUMERAL})",
    rf"(?P<one>\bones?\b(?!\s*{_TO}\s*{_NUMERAL})|[那这]一?{_EACH})",
    r"(?P<hyphen>(?![a-z]*exp-)(?:[a-z]+(?:-[a-z]+)+|[a-z]{3,}-[0-9]+))",
    "(?P<phrase>PHRASES)",
    rf"(?P<number>exp-[a-z2-9]+|(?:第\s*|group\s+|#|no\.\s*)?{_NUMERAL}(?:\s*{_EACH}|\s*号)?"
    rf"(?:\s*{_TO}\s*第?{_NUMERAL}{_EACH}?)?(?![a-z]))",
    r"(?P<name>[a-z]+|[^\W\d_])",
    r"(?P<mark>[^\w\s])",
)


def scanned(text: str, said: Sequence[str]) -> list[Word]:
    """The words of a reply on a report whose items say ``said``; one of kind "open" where the strict grammar's asking
    back stands."""
    folded = fold(text.replace("\n", ",").replace("’", "'")).translate(simplified())
    for pattern, plain in _PLAIN:
        folded = re.sub(pattern, plain, folded)
    return [("open", "")] if _OPEN.search(folded) else _scanned(_spelt(folded, said), said)


@cache
def _grammar() -> tuple[re.Pattern[str], Mapping[str, str]]:
    """A pattern of ranks, numerals, phrases and words, and the kind of each phrase."""
    named = {"turning": "turn", "wrong": "bad", "passed over": "filler"}
    kinds = {
        word: named.get(kind, kind)
        for word, kind in strict.KINDS.items()
        if kind not in ("odd", "it", "passed") and word != "第"
    }
    wide = word_lists("review/rules/data/wide_words.txt")
    kinds |= {word: kind for kind, row in wide.items() for word in row}
    return re.compile("|".join(_PATTERNS).replace("PHRASES", strict.either(kinds))), kinds


def _scanned(text: str, said: Sequence[str]) -> list[Word]:
    """The words, where a single Chinese sign inside of an unknown word (全 of 安全, 要 of 要看) is a part of it.

    Open are a numeral inside of one ("first names", 看一眼) and a dash before a number, which may leave it out.
    """
    row: list[Word] = []
    behind, start = "", len(text) + 1
    for kind, word, end in reversed([*_matched(text, said)]):
        beside = next((one for one, _ in row if one not in ("filler", "(")), "")
        if word in _SINGLE and kind in _VERDICTS and behind == "name" and end == start:
            kind = "name"
        elif kind in ("number", "rank") and word.isascii() and word.isalpha():
            kind = "open" if behind == "name" else kind
        elif word in ("-", "–", "—") and beside in _NUMBERS:
            kind = "open"
        behind, start = kind, end - len(word)
        row.insert(0, (kind, word))
    last = "", "a"
    for at, (kind, word) in enumerate(row):
        is_inside = last[0] == "name" and not last[1].isascii() and len(word) == 1 and not word.isascii()
        if is_inside and word != "都" and kind in ("all", "but", "number"):
            kind = "open" if kind == "number" else "name"
        last = kind, word
        if kind == "rank":
            kind, word = "number", str(_ORDINALS.index(word) + 1)
        row[at] = ("verb", kind) if kind in ("approve", "reject", "later") else (kind, word)
    return row


def _matched(text: str, said: Sequence[str]) -> Iterator[tuple[str, str, int]]:
    """Each word with the place where it ends."""
    pattern, kinds = _grammar()
    quoted = _quoted(text, [fold(one).translate(simplified()) for one in said])
    at = 0
    for match in pattern.finditer(text):
        if match.start() < at:
            continue
        if text[at : match.start()].strip():
            yield "open", "", at
        at = max(match.end(), quoted[match.start()])
        if quoted[match.start()] > match.start():
            at = quoted[match.start()]
            words = re.findall(r"[a-z0-9]+|[^\W\d_a-z]", text[match.start() : at])
            yield from (("name", one, at) for one in words)
            continue
        kind, word = _meant(match, kinds, len(said))
        around = text[match.start() - 1 : match.start()] + text[at : at + 1]
        is_tight = word in ("-", "–", "—", "~") and len(around) == 2 and around.isalnum()
        yield "open" if is_tight else kind, word, at


def _meant(match: re.Match[str], kinds: Mapping[str, str], count: int) -> Word:
    """The kind and the text of a match, on a report of ``count`` items."""
    kind, word = match.lastgroup or "", match[0]
    if kind in ("many", "of"):
        return _end(match, kind, count)
    if kind in ("number", "run", "nth"):
        return _number(kind, word, match[kind], count)
    if kind in ("figure", "hyphen"):
        return kinds.get(word, "name").replace("except", "name"), word
    if kind == "phrase":
        heading = kinds[re.sub(r"\s+", "_", word)]
        return heading, _WRITTEN.get(heading, word)
    if kind in ("name", "mark", "rank", "one"):
        return kind, word
    return _counted(match, kind, count)


def _number(kind: str, word: str, said: str, count: int) -> Word:
    """A number of an item; 246 of eight items is three of them, 8080 and the 26th are what an item says, 9 is open."""
    highest = int((re.findall("[0-9]+", word) or [0])[-1])
    if kind == "run" and highest > count and [*said] == sorted({*said}) and int(said[-1]) <= count:
        return "number", " ".join(said)
    if highest > count:
        return ("name", word) if highest > 2 * count + 9 or word[-1] in "号h" else ("open", "")
    return "number", said


def _counted(match: re.Match[str], kind: str, count: int) -> Word:
    """What a rank or a count means among ``count`` items: "the odd ones", "the other three", 中间三条, 倒数第二条."""
    said = (
        strict.number_of(match[kind]) or 0
        if match[kind][0] in "0123456789零一二两三四五六七八九十" or match[kind] in strict.NAMED
        else 0
    )
    if kind in ("tally", "those", "each", "every"):
        is_all = said == count and kind in ("each", "every")
        kind = "open" if not said or kind == "every" else {"each": "tally"}.get(kind, kind)
        return ("all", "all") if is_all else (kind, str(said))
    if kind in ("others", "left"):
        return "rest", f"rest {said}"
    if kind in ("amid", "inner"):
        out, is_odd = divmod(count - said, 2)
        return "open" if is_odd or out < 1 else "number", f"{out + 1}-{count - out}"
    if kind == "parity":
        first = 1 if match[kind] in ("odd", "单", "奇") else 2
        return "number", " ".join(map(str, range(first, count + 1, 2)))
    if kind == "mid":
        return "number" if count % 2 else "open", str(count // 2 + 1)
    if kind in ("some", "among", "inside"):
        return {"some": "open", "among": "filler", "inside": "rest"}[
            kind
        ], "rest" if kind == "inside" else match[0]
    return "number", str({"back": count + 1 - said, "last": count, "listed": 1}.get(kind, said))


def _quoted(text: str, said: Sequence[str]) -> list[int]:
    """For each place of a reply where the end of what it quotes of an item: at least four signs of Chinese or three
    words, so that 不要用被动语态 names an item and rejects none; else the place itself."""
    ends = [*range(len(text) + 1)]
    for at in range(len(text)):
        if at and text[at].isascii() and text[at - 1].isalnum() and text[at - 1].isascii():
            continue
        end = at
        while end < len(text) and any(text[at : end + 1] in one for one in said):
            end += 1
        if _SPLIT.match(text, end):
            end = max(text.rfind(" ", at, end), at)
        run = text[at:end]
        if len(run.split()) > 2 or sum(not one.isascii() for one in run) > 3:
            ends[at] = end
    return ends


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


def _next(words: Sequence[Word], at: int) -> Word:
    return next((one for one in words[at + 1 :] if one[0] != "filler"), ("", ""))


def turned(words: Sequence[Word]) -> list[Word]:
    """With verbs for verdicts; a negation turns the verdict behind it: "isn't right" rejects, "don't drop" leaves."""
    row: list[Word] = []
    at = 0
    while at < len(words):
        kind, word = words[at]
        again, verb = words[at + 1] if at + 1 < len(words) else ("", "")
        if kind == "turn" and at and words[at - 1][0] == again == "name":
            pass  # 周五不部署 is what an item says.
        elif kind in ("turn", "none"):
            at = _turned(words, at, row)
        elif kind == "wish" and _next(words, at) == ("verb", "later"):
            pass  # "I need a bit more time"
        elif (kind, word) == ("verb", "reject"):
            # 不要保存 rejects, 不要删除 and 不要不要 may mean either.
            row.append(("open", word) if again == "drop" or (again, verb) == (kind, word) else (kind, word))
            at += again == "take"
        elif kind in _VERBS:
            row.append(("verb", _VERBS[kind]))
            at += words[at - 1] == ("filler", "a") and (again, verb) == ("one", "one")
        else:
            row.append(("filler" if kind == "sure" else kind, word))
        at += 1
    return row


def _turned(words: Sequence[Word], at: int, row: list[Word]) -> int:
    """Add what a negation says, and go to the last word of it."""
    behind = next((one for one in range(at + 1, len(words)) if words[one][0] not in ("filler", "it")), at)
    kind = words[behind][0]
    if words[at][0] == "none":
        # 4、5 都不对 is about these.
        is_wide = not any(one == "number" for one, _ in row[-2:])
        row += [("verb", "reject"), *[("all", "all")] * is_wide]
        return behind if kind in ("good", "wish") else at
    if kind in _TURNED:
        row.append(("verb", _TURNED[kind]))
        return behind
    if behind == at and {one for one, _ in row[-2:]} == {"number", "filler"}:
        row.append(("verb", "reject"))
    else:
        row.append(("strict" if kind in ("number", "name") else "open", words[at][1]))
    return at


def positions(word: str) -> list[int]:
    """The places that a number, a range or a few of them name."""
    found: list[int] = []
    for low, high in re.findall(rf"({strict.NUMERAL})(?:\s*{_TO}\s*第?({strict.NUMERAL}))?", word):
        first, last = strict.number_of(low), strict.number_of(high or low)
        found += range(first or 0, (last or 0) + 1) if first and last else [999]
    return found or [999]
