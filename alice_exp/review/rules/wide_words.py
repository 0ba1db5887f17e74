"""The words of a reply beside the strict grammar's: each with its kind, as ``wide_words.txt`` lists them and
``wide_forms.toml`` says how they are written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from alice_exp.kernel.text.bilingual_lexicon import known_words
from alice_exp.kernel.text.data_files import Patterns, expression, table, word_lists
from alice_exp.kernel.text.tokens import fold, is_cjk
from alice_exp.review.rules import reply_words as strict

Word = tuple[str, str]
"""A kind and its text. Kinds: number (places), tally and count (how many), rest, all, verdicts ("approve", "good",
"soon" …), not, name (an unknown word), mark, open (nothing is proposed)."""

STRONG = ("approve", "reject", "later", "good", "bad", "wish")
VERBS = (*STRONG, "soon", "gone")
_FORMS = "review/rules/data/wide_forms.toml"
FORMS = Patterns(_FORMS)
_FLIPPED = {
    **dict.fromkeys(("approve", "good", "wish"), "reject"),
    "bad": "good",
    "reject": "later",
    "later": "filler",
}
"""What a verdict says behind a negation."""
_STRICT = {"turning": "not", "wrong": "bad", "passed over": "filler", "but not": "except", "joint": "and"}
_LEFT_OUT = (
    *("odd", "passed", "changing", "relating", "comma", "stop", "question"),
    *("it", "or", "about work", "about user"),
)
_ORDINALS = word_lists("review/rules/data/reply_words.txt")["odd"]
_STANDS = frozenset(("mark", "and", "but", "so", "except", "number", "filler", *STRONG))
_ENDS = _STANDS | {"not", "outside", "excluded", "head", "numeral", "rank", "all", "rest", "both", *VERBS}
_INSIDE = frozenset("及并且而全除外均剩")
"""Signs that are often a part of another word."""
SIGNS = frozenset("要记留收批准行好对删扔及并且可全写加不别没是我你他的了有")
_NOES = "n错否坏删×✗✘❌👎"
_MARKS = "()#:.,;!|/、（）：，。；！"
_COMPLEMENTS = "(?!去[掉除])(?:下来|下去|进去|进来|起来|入库|[来去下住着上掉走牢]|干净)"


@cache
def _kinds() -> Mapping[str, str]:
    """The kind of each phrase, the forms of English verbs among them."""
    kinds = {
        word: _STRICT.get(kind, kind)
        for word, kind in strict.KINDS.items()
        if kind not in _LEFT_OUT and word[-1] not in _MARKS and not (kind == "turning" and word > "\x7f")
    }
    for kind, row in word_lists("review/rules/data/wide_words.txt").items():
        kinds |= dict.fromkeys(row, kind)
    for word, kind in [*kinds.items()]:
        is_english = word.isascii() and word.isalpha() and len(word) > 2
        if is_english and kind in ("approve", "good", "reject", "later"):
            stem = word.removesuffix("e")
            forms = [word + "s", stem + "ed", word + word[-1] + "ed"]
            forms += [stem + "ing"] if kind in ("approve", "good") else []
            kinds |= {form: kind for form in forms if form not in kinds}
    return kinds


def is_known(word: str) -> bool:
    """Whether a word decides something, or is passed over; it does not only say when."""
    return _kinds().get(word, "soon") != "soon"


@cache
def _grammar() -> Sequence[tuple[str, re.Pattern[str]]]:
    """The kinds of words with their patterns, in the order in which they are tried."""
    phrase = rf"(?P<base>{strict.either(_kinds())})(?:(?<=[^\x00-\x7f]){_COMPLEMENTS})*"
    rows = [(kind, expression(_FORMS, written)) for kind, written in table(_FORMS)["words"]["spelt"]]
    rows += [("phrase", phrase), ("denial", f"(?P<k>先|暂时?|还)?(?:{FORMS.negation.pattern})")]
    rows += [("name", r"[a-z]+(?:'[a-z]+)?|[^\W\d_]"), ("mark", r"[^\w\s]|_")]
    return [(kind, re.compile(pattern)) for kind, pattern in rows]


@cache
def _plain() -> Sequence[tuple[re.Pattern[str], str]]:
    return [
        (re.compile(expression(_FORMS, written)), new) for new, written in table(_FORMS)["plain"]["spelt"]
    ]


def scanned(text: str, said: Sequence[str]) -> list[Word]:
    """The words of a reply on a report whose items say ``said``; one of kind "open" where the refusal stands."""
    plain = strict.simple(fold(text.replace("’", "'")))
    if FORMS.signed.fullmatch(plain):
        plain = plain.replace("+", "; yes ").replace("-", "; no ")
    votes = FORMS.vote.findall(plain) if FORMS.votes.fullmatch(plain) or FORMS.sheet.fullmatch(plain) else []
    if len(votes) == len(said):
        plain = "; ".join(f"{at} {'no' if one[0] in _NOES else 'yes'}" for at, one in enumerate(votes, 1))
    is_open = FORMS.open.search(plain) is not None
    is_open |= len({one[0] in _NOES for one in votes}) > 1 and len(votes) != len(said)
    if FORMS.letters.search(plain):
        plain = re.sub(r"\bn\b", "no", re.sub(r"\by\b", "yes", plain))
    for pattern, new in _plain():
        plain = pattern.sub(new, plain)
    if is_open or FORMS.open.search(plain):
        return [("open", "")]
    own = fold(" ".join(said))
    words = _placed([*_matched(plain, said, len(said))])
    stays = sum(word == "stays put" for _, word in words)  # "Approve 1, 2 stays": as it is?
    is_open = 0 < stays < sum(kind in ("approve", "good") for kind, _ in words) or any(
        kind == "name" and FORMS.excluding.search(word) and word not in own for kind, word in words
    )
    return [("open", "")] if is_open or _is_range(words) else _turned(words, own)


def _is_range(words: Sequence[Word]) -> bool:
    """Whether a mark between numbers may make them a range, or leave the second out."""
    near = [one for one in words if one[0] not in ("filler", "head")]
    for (verb, _), (before, _), (_, word), (after, _), (kind, then) in zip(
        [("", ""), *near], near, near[1:], near[2:], [*near[3:], ("", "")], strict=False
    ):
        is_own = then == ":" or (then.isascii() and kind in ("name", "and", *VERBS))  # "keep 1, 2; 3 no"
        is_own |= verb in VERBS and kind in VERBS
        is_joint = before == "number" and (
            word in ("to", "到", "至", "through") or (word == ";" and not is_own)
        )
        if after in ("number", "vague") and (word in "-–—~" or is_joint):
            return True
    return False


def _matched(text: str, said: Sequence[str], count: int) -> Iterator[Word]:
    whole = fold(" ".join(said))
    own = {*re.findall("[a-z]+", whole)}
    quoted = _quoted(text, [strict.simple(fold(one)) for one in said])
    at = 0
    while at < len(text):
        start = at
        if text[at].isspace():
            at += 1
            continue
        if quoted[at] > at:
            at = quoted[at]
            yield from (("name", one) for one in re.findall(r"[a-z0-9]+|[^\W\d_a-z]", text[start:at]))
            continue
        kind, match = next(
            ((kind, found) for kind, pattern in _grammar() if (found := pattern.match(text, at))),
            ("open", None),
        )
        at = match.end() if match else len(text)
        word = text[start:at]
        if kind == "phrase":
            assert match is not None
            kind = _kinds()[re.sub(r"\s+", "_", match["base"])]
            if kind not in VERBS or FORMS.negation.fullmatch(match["base"]):
                at = match.end("base")
            word = text[start:at]
            is_left = kind == "except" and not FORMS.named_next.match(text, at)
            is_own = word in own and (is_left or kind in ("good", "bad", "soon", "gone"))
            yield "name" if is_own or _is_part(text, start, at, kind, whole) else kind, word
        elif kind in ("figure", "hyphen"):
            yield _kinds().get(word, "name"), word
        elif kind in ("name", "mark", "head", "filler", "open"):
            yield kind, word
        elif kind == "denial":
            yield "later" if match and match["k"] else "not", word
        elif match is not None:
            # "1: seven is right", where an item says seven
            is_said = kind == "number" and word in own and any(map(str.isdigit, text))
            is_said = is_said or _is_said(text, start, word, whole)
            yield ("name", word) if is_said else _counted(match, kind, count)


def _is_part(text: str, start: int, end: int, kind: str, said: str) -> bool:
    """Whether a sign is a part of a longer word: of the language's (标准, 成都) or of an item's (并行)."""
    word = text[start:end]
    is_sign = kind in STRONG and len(word) == 1 and word > "\x7f" and word.isalpha()
    pair = text[max(start - 1, 0) : end]
    if (is_sign or word == "都") and pair in known_words([pair]):
        return True
    pairs = (one for one in (pair, text[start : end + 1]) if len(one) == 2 and all(map(is_cjk, one)))
    if (is_sign or (word[1:] == "" and kind in ("and", "outside"))) and any(one in said for one in pairs):
        return True
    is_first = FORMS.begun.search(text[:start]) and FORMS.of_one.match(text, end)  # 留影子库那条
    return is_sign and not (is_first or FORMS.edge.match(text, end))


def _is_said(text: str, at: int, number: str, said: str) -> bool:
    """Whether an item says a number behind the word that stands before it: "-n 4"."""
    before = re.search(r"([^\s,;:]*[^\W\d])\s*$", text[:at])
    if not before or before[1] in (*_OF, *_kinds()):
        return False
    return f"{before[0]}{number} " in f"{said} "


def _counted(match: re.Match[str], kind: str, count: int) -> Word:
    """What a rank or a count means among ``count`` items: "the odd ones", "the other three", 中间三条, 倒数第二条."""
    word = match[0]
    written = match.groupdict().get("k") or match.groupdict().get("m") or ""
    is_numeral = written in strict.NAMED or (written and written[0] in "0123456789零一二两三四五六七八九十百")
    many = (strict.number_of(written) or 0) if is_numeral else 0
    if kind == "rest":
        return kind, str(many)
    if kind in ("those", "tally", "all or tally"):
        is_all = many == count and kind != "tally"
        kind = "count" if word[-1] in "条项" and kind != "those" else kind.split()[-1]
        return ("name" if many > count else "all" if is_all else kind), word if is_all else str(many)
    if kind == "onward" or kind.startswith("from"):
        many = many or (2 if written in ("couple", "pair") else 0 if count % 2 else count // 2)
        spans = {"from first": (1, many), "onward": (many, count), "from last": (count + 1 - many, count)}
        where = "number" if 0 < many <= count else "name" if kind == "onward" else "open"
        return where, "-".join(map(str, spans[kind]))
    if kind == "middle":
        many = many or (2 if "ones" in word else 1)
        out, is_odd = divmod(count - many, 2)
        return "open" if is_odd or out < 1 else "number", f"{out + 1}-{count - out}"
    if kind == "rank":
        return kind, str(_ORDINALS.index(written) + 1)
    if kind in ("odd", "even"):
        return "number", " ".join(map(str, range(1 if kind == "odd" else 2, count + 1, 2)))
    if kind in ("back", "last"):
        return "number", str(count + 1 - (many or 1))
    said = written or word
    highest = int((re.findall("[0-9]+", said) or [0])[-1])
    if word.startswith("exp-"):
        return "number", word
    if highest > count:
        is_run = kind == "run" and [*said] == sorted({*said}) and int(said[-1]) <= count
        if word[-1] in "号h" or FORMS.saying.search(match.string[: match.start()]):
            return "name", word
        return ("numeral", " ".join(said)) if is_run else ("over", word)
    is_bare = not written and (said in strict.NAMED or not re.search("[0-9第号条个项样件点句a-z]", said))
    return "numeral" if is_bare else "number", said


def _placed(row: Sequence[Word]) -> list[Word]:
    """With numerals and ranks as numbers where they stand by themselves; elsewhere they count, or an item says them."""
    made: list[Word] = [("mark", "")]
    for (kind, word), after in zip(row, [*row[1:], ("mark", "")], strict=False):
        before = made[-1]
        if word == "one" and before[0] == "number":
            kind = "open" if before[1] in strict.NAMED else "head"
        elif kind in ("numeral", "rank"):
            # "Approve two."
            is_count = kind == "numeral" and word.isascii() and after[0] == "mark" and len(row) < 4
            kind = _numeral(word, before, after) if before[0] not in VERBS or not is_count else "vague"
        elif kind == "over":
            is_said = before[0] in ("name", "gone") or (
                after[0] in ("name", "gone") and before[0] not in VERBS
            )
            is_listed = before[0] in ("number", "and", "except", *VERBS)
            is_verbal = after[0] in VERBS and len(word) < 3
            kind = "open" if (is_listed or is_verbal) and not is_said else "name"
        elif "name" in (before[0], after[0]) and word > "\x7f" and kind != "name":
            kind = "name" if word == "全" or (before[0] == after[0] and word in _INSIDE) else kind
        made.append((kind, word))
    return made[1:]


def _numeral(word: str, before: Word, after: Word) -> str:
    """Whether a numeral or rank is a number, by the words beside it, a name, vague or open."""
    begins = before[0] in _STANDS or before[1] in _LEADING
    is_open = before[0] in ("except", "not") or after[0] in ("excluded", "outside")
    wide = "name" if word == "一" else "open" if is_open else "name" if " " in word else "vague"
    return "number" if begins and (after[0] in _ENDS or after[1] in _VERBALS) else wide


_OF = ("to", "on", "for", "as", "with", "about")
_LEADING = frozenset(("the", "items", "rules", "points", "with", "for", "to", "about"))
_VERBALS = frozenset(
    ("is", "are", "was", "isn", "goes", "can", "i", "it", "也", "嘛", "we", "has", "should", "must")
)


def _turned(words: Sequence[Word], own: str) -> list[Word]:
    """With each negation in its verdict: "isn't right" rejects, "don't drop" leaves."""
    row: list[Word] = []
    words = [*words, ("mark", ""), ("mark", "")]
    at = 0
    while at < len(words) - 2:
        (kind, word), (behind, again) = words[at : at + 2]
        is_no = kind in ("reject", "bad") and FORMS.negation.fullmatch(word) is not None
        is_late = kind == "later" and word[0] in "先暂还"
        if kind in ("approve", "good", "wish") and again == "not" and words[at + 2][0] == "mark":
            kind, at = "reject", at + 1  # "definitely not"
        elif (is_no and not at and (behind, again) == words[at] and words[at + 2][0] == "mark") or (
            word in ("可以", "definitely") and behind in ("not", "reject")
        ):
            at += 1
            continue
        elif (
            kind in VERBS and (behind == "head" or words[at - 1][1] in _LEADING) and word.rstrip("s") in own
        ) or (
            (word == "no" or (kind in VERBS and behind == "name" and len(again) > 3))
            and f" {word} {again}" in f" {own}"
            and again
        ):
            kind = "name"
        elif (word, behind) == ("no", "name") and words[at - 1][0] != "number" and again not in _OF:
            # "No docker rule" names one, "no time" none.
            kind = kind if next((one for one, _ in words[at + 1 :] if one != "name")) == "head" else "vague"
        elif kind == "not" or is_no or is_late:
            if (end := _denied(words, at, row, is_late)) > at:
                at = end
                continue
            behind_it = next(one for one, _ in words[at + 1 :] if one != "filler")
            is_order = kind == "not" and FORMS.order.match(word) is not None
            if word in ("none", "nothing") or (is_order and behind_it in ("mark", "but", "so")):
                kind = "reject"
        row.append((kind, word))
        at += 1
    return row


def _denied(words: Sequence[Word], at: int, row: list[Word], is_late: bool) -> int:
    """Add what a negation says of the verdict behind it, and where that ends; ``at`` where there is none."""
    word = words[at][1]
    is_chinese = word > "\x7f"
    reach = 2 if is_chinese and not FORMS.order.match(word) else 6
    end = next(
        (one for one in range(at + 1, at + 1 + reach) if words[min(one, len(words) - 1)][0] not in _PASSED), 0
    )
    kind, again = words[end] if at < end < len(words) else ("", "")
    if kind not in (VERBS if is_chinese else STRONG) or is_chinese == again.isascii():
        return at
    # "Don't forget 3"
    is_kept = again[0] == "忘" or again.startswith(("forget", "los"))
    row.append(("later" if is_late else "approve" if is_kept else _FLIPPED.get(kind, kind), again))
    end += 1
    if not is_late and words[end + (words[end][1] == "with")][0] == "all":
        row.append(("open", ""))  # "I can't approve all"
    while not (is_late or is_chinese) and words[end][0] in ("approve", "good", "wish", "it", "those"):
        row.append(("reject" if words[end][0] in VERBS else words[end][0], words[end][1]))
        end += 1
    return end


_PASSED = ("name", "filler", "soon", "head", "it", "those")


def _quoted(text: str, said: Sequence[str]) -> list[int]:
    """For each place of a reply the end of what it quotes of an item there: four signs of Chinese or three words at
    least, so that 不要用被动语态 names an item and rejects none."""
    ends = [*range(len(text) + 1)]
    for at in range(len(text)):
        if at and text[at].isascii() and text[at - 1].isalnum() and text[at - 1].isascii():
            continue
        end = at
        while end < len(text) and any(text[at : end + 1] in one for one in said):
            end += 1
        if FORMS.split.match(text, end):
            end = max(text.rfind(" ", at, end), at)
        run = text[at:end]
        if len(run.split()) > 2 or sum(not one.isascii() for one in run) > 3:
            ends[at] = end
    return ends


def positions(word: str) -> list[int]:
    """The places that a number, a range or a few of them name."""
    if re.fullmatch("[一二三四五六七八九]{2,}", word):
        return [strict.number_of(one) or 0 for one in word]
    found: list[int] = []
    for low, high in _range().findall(word):
        first, last = strict.number_of(low), strict.number_of(high or low)
        found += range(first or 0, (last or 0) + 1) if first and last else [999]
    return found or [999]


@cache
def _range() -> re.Pattern[str]:
    return re.compile(expression(_FORMS, r"({n})(?:\s*{each}|\s*号)?(?:{to}第?({n}))?"))
