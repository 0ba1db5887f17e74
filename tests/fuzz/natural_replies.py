"""Replies as people write them, each made from what its writer wants: ground truth for ``test_replies.py``.

A reply is made from its meaning, never read back from its words, so that nothing here knows how a reply is parsed.
``allowed`` says for every number which acts would do what the writer wants; a number it does not hold is left alone.
"""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

APPROVE, REJECT = "approve", "reject"
ZH_DIGITS = "零一二三四五六七八九"
FULL_WIDTH = str.maketrans("0123456789", "０１２３４５６７８９")

#: The words by language and meaning; a clause is put together from them. ``{}`` is a number that is only talked about.
ROWS = Path(__file__).with_suffix(".txt").read_text("utf-8")
WORDS: dict[str, dict[str, list[str]]] = {"en": {}, "zh": {}}
for row in ROWS.strip("\n").replace("\n|", "|").splitlines():
    head, _, words = row.partition(": ")
    WORDS[head[:2]][head[3:]] = words.replace("\\n", "\n").split("|")


@dataclass
class Reply:
    """A reply to a report, and by number what its writer would call done."""

    text: str
    allowed: dict[int, set[str]]


def chinese(number: int) -> str:
    """``number`` (1 to 99) in Chinese."""
    tens, ones = divmod(number, 10)
    return ("" if tens == 0 else ("十" if tens == 1 else ZH_DIGITS[tens] + "十")) + (
        ZH_DIGITS[ones] if ones else ""
    )


class Writer:
    """One person who answers one report in one language (or mixes both)."""

    def __init__(self, chance: random.Random, ids: list[str]) -> None:
        self.chance = chance
        self.ids = ids
        self.size = len(ids)
        self.main = chance.choice(("en", "zh"))
        self.mixed = chance.random() < 0.15
        self.shape = chance.choices(
            ("digit", "hash", "full", "word", "ordinal", "id", "any"), (60, 6, 6, 8, 8, 5, 7)
        )[0]

    def lang(self) -> str:
        return self.chance.choice(("en", "zh")) if self.mixed else self.main

    def word(self, meaning: str) -> str:
        return self.chance.choice(WORDS[self.lang()][meaning])

    def number(self, number: int, lang: str) -> str:
        shape = (
            self.chance.choice(("digit", "hash", "full", "word", "ordinal", "id"))
            if self.shape == "any"
            else self.shape
        )
        if shape == "hash":
            return self.chance.choice(
                (f"#{number}", f"no. {number}", f"number {number}", f"{number}.", f"({number})", f"{number})")
            )
        if shape == "full":
            return str(number).translate(FULL_WIDTH)
        if shape == "word" and (lang == "zh" or number < 13):
            return chinese(number) if lang == "zh" else WORDS["en"]["digit"][number]
        if shape == "ordinal" and lang == "zh":
            return self.chance.choice(
                (
                    f"第{number}条",
                    f"第{chinese(number)}条",
                    f"第{chinese(number)}",
                    f"{number}号",
                    f"第{number}个",
                )
            )
        if shape == "ordinal" and number < 13:
            tail = {1: "st", 2: "nd", 3: "rd"}.get(number, "th")
            return self.chance.choice(
                (
                    f"the {WORDS['en']['ordinal'][number]}",
                    f"{WORDS['en']['ordinal'][number]}",
                    f"{number}{tail}",
                    f"the {WORDS['en']['ordinal'][number]} one",
                )
            )
        return self.ids[number - 1] if shape == "id" else str(number)

    def numbers(self, numbers: list[int]) -> str:
        """The set in words: a group's name where it has one, ranges where numbers follow each other."""
        lang, chosen = self.lang(), sorted(set(numbers))
        first = chosen == list(range(1, len(chosen) + 1))
        last = chosen == list(range(self.size - len(chosen) + 1, self.size + 1))
        if len(chosen) == self.size and self.chance.random() < 0.5:
            return "both" if self.size == 2 and lang == "en" else self.chance.choice(WORDS[lang]["all"])
        if len(chosen) > 1 and (first or last) and self.chance.random() < 0.3 and len(chosen) < 9:
            count = len(chosen)
            if lang == "zh":
                amount = self.chance.choice((str(count), "两" if count == 2 else chinese(count)))
                return (
                    ("前" if first else self.chance.choice(("后", "最后")))
                    + amount
                    + self.chance.choice(("条", "个"))
                )
            return f"the {'first' if first else 'last'} {self.chance.choice((str(count), WORDS['en']['digit'][count]))}"
        if chosen == [self.size] and self.chance.random() < 0.2:
            return self.chance.choice(("the last one", "the last")) if lang == "en" else "最后一条"
        parts, at, ranged = [], 0, self.chance.random() < 0.7
        while at < len(chosen):
            end = at
            while ranged and end + 1 < len(chosen) and chosen[end + 1] == chosen[end] + 1:
                end += 1
            if end > at + 1 or (end == at + 1 and self.chance.random() < 0.3):
                parts.append(
                    self.number(chosen[at], lang)
                    + self.chance.choice(WORDS[lang]["range"])
                    + self.number(chosen[end], lang)
                )
            else:
                parts += [self.number(number, lang) for number in chosen[at : end + 1]]
            at = end + 1
        if self.chance.random() < 0.1:
            self.chance.shuffle(parts)
        join = self.chance.choice(WORDS[lang]["join"])
        return (
            join.join(parts[:-1])
            + (self.chance.choice(WORDS[lang]["join"]) if len(parts) > 2 else join if len(parts) > 1 else "")
            + parts[-1]
        )

    def some(self, most: int = 6, among: list[int] | None = None) -> list[int]:
        pool = among if among is not None else list(range(1, self.size + 1))
        if among is None and self.chance.random() < 0.4:
            start = self.chance.randint(1, self.size)
            return list(range(start, min(self.size, start + self.chance.randint(1, 6)) + 1))
        return sorted(self.chance.sample(pool, self.chance.randint(1, min(most, len(pool)))))

    def clause(self, act: str, numbers: str) -> str:
        """Verb and set in either order."""
        verb = self.word(act)
        if self.chance.random() < 0.7:
            return verb + self.chance.choice(("", " ") if verb[-1] > "z" else (" ", ": ")) + numbers
        return (
            numbers
            + self.chance.choice((" ", ": ", "都", "") if verb[-1] > "z" else (" ", ": ", " → "))
            + verb
        )

    def joined(self, first: str, second: str) -> str:
        """Two clauses; where numbers would meet, nobody parts them by a blank alone."""
        acts = [word for rows in WORDS.values() for act in (APPROVE, REJECT, "leave") for word in rows[act]]
        meets = not first.endswith(tuple(acts))
        glue = self.word("glue")
        return first + (", " if glue in (" ", " – ", " / ", " | ") and meets else glue) + second


Meant = tuple[str, dict[int, set[str]]]
Plan = Callable[[Writer], Meant]


def plain(writer: Writer) -> Meant:
    act, chosen = writer.chance.choice((APPROVE, APPROVE, REJECT)), writer.some()
    return writer.clause(act, writer.numbers(chosen)), {number: {act} for number in chosen}


def two_verbs(writer: Writer) -> Meant:
    chosen, acts = writer.some(), [APPROVE, REJECT, "leave"]
    other = [number for number in range(1, writer.size + 1) if number not in chosen]
    if not other:
        return plain(writer)
    second = writer.some(3, other)
    writer.chance.shuffle(acts)
    text = writer.joined(
        writer.clause(acts[0], writer.numbers(chosen)), writer.clause(acts[1], writer.numbers(second))
    )
    done = {
        number: {act}
        for act, numbers in zip(acts, (chosen, second), strict=False)
        for number in numbers
        if act != "leave"
    }
    return text, done


def excepted(writer: Writer) -> Meant:
    """V set but E, in all the orders that people use; E is left alone (or, said with a no, rejected)."""
    chosen = writer.some(8) if writer.chance.random() < 0.6 else list(range(1, writer.size + 1))
    out = writer.some(3, chosen)
    if writer.chance.random() < 0.05:
        out = writer.some(3)
    act = writer.chance.choice((APPROVE, APPROVE, REJECT))
    numbers, less = writer.numbers(chosen), writer.numbers(out)
    shape = writer.chance.randrange(6)
    if shape == 0:
        text = (
            writer.clause(act, numbers)
            + writer.chance.choice((" ", "，", ", "))
            + less
            + " "
            + writer.word("excluded")
        )
    elif shape == 1:
        text = (
            writer.word("except_first")
            + " "
            + less
            + writer.chance.choice((", ", "，", "以外", "之外，"))
            + writer.clause(act, numbers)
        )
    elif shape == 2:
        chosen = list(range(1, writer.size + 1))
        text = (
            writer.word("except_first")
            + less
            + writer.chance.choice((", ", "，", " ", "以外，"))
            + writer.clause(act, writer.word("rest"))
        )
    elif shape == 3:
        text = writer.clause(act, numbers + " " + writer.word("except") + " " + less)
    else:
        text = (
            writer.clause(act, numbers)
            + writer.chance.choice((" ", " ", ""))
            + writer.word("except")
            + " "
            + less
        )
    if writer.chance.random() < 0.25:
        text += writer.word("glue") + writer.clause(
            writer.chance.choice((REJECT, "leave")), writer.numbers(out)
        )
    allowed = {number: {act} for number in chosen if number not in out}
    # 不要 and "no to" are a no as well as an exception: both do what was wanted, an approval does not.
    is_no = act == APPROVE or any(word in text for word in ("要", "去掉", "免了"))
    return text, allowed | {number: {REJECT} for number in out if is_no}


def the_rest(writer: Writer) -> Meant:
    chosen = writer.some()
    act, other = writer.chance.choice(((APPROVE, REJECT), (REJECT, APPROVE), (APPROVE, "leave")))
    text = (
        writer.clause(act, writer.numbers(chosen))
        + writer.word("glue")
        + writer.clause(other, writer.word("rest"))
    )
    allowed = {
        number: {act if number in chosen else other} - {"leave"} for number in range(1, writer.size + 1)
    }
    return text, allowed


def excepted_then_rest(writer: Writer) -> Meant:
    """V set but E, the rest W: whether E belongs to the rest is the reader's guess, that it is not V is not."""
    text, allowed = excepted(writer)
    act = next((min(acts) for acts in allowed.values() if APPROVE in acts), REJECT)
    other = REJECT if act == APPROVE else "leave"
    text += writer.word("glue") + writer.clause(other, writer.word("rest"))
    return (
        text,
        {
            number: allowed.get(number, set()) | ({other} if number not in allowed else set())
            for number in range(1, writer.size + 1)
        },
    )


def negated(writer: Writer) -> Meant:
    chosen = writer.some(3)
    act = writer.chance.choice((APPROVE, APPROVE, REJECT))
    lang = writer.lang()
    verb = writer.chance.choice(WORDS[lang][act])
    no = writer.chance.choice(WORDS[lang]["not"]) + ("" if lang == "zh" else " ") + verb
    text = (
        f"{no} {writer.numbers(chosen)}" if writer.chance.random() < 0.7 else f"{writer.numbers(chosen)} {no}"
    )
    allowed = {number: {REJECT} if act == APPROVE else set[str]() for number in chosen}
    other = [number for number in range(1, writer.size + 1) if number not in chosen]
    if other and writer.chance.random() < 0.6:
        second, clause = writer.some(3, other), writer.chance.choice((APPROVE, REJECT))
        parts = [text, writer.clause(clause, writer.numbers(second))]
        writer.chance.shuffle(parts)
        text = writer.joined(*parts)
        allowed |= {number: {clause} for number in second}
        chosen = chosen + second
    return text, allowed


def with_an_aside(writer: Writer) -> Meant:
    """A number that is only talked about: in a reason, a question, a condition, a correction."""
    chosen = writer.some()
    aside = writer.chance.randint(1, writer.size)
    lang = writer.lang()
    text = writer.clause(APPROVE, writer.numbers(chosen))
    template = writer.chance.choice(WORDS[lang]["aside"])
    text += template.format(writer.number(aside, lang))
    allowed = {number: {APPROVE} for number in chosen if number != aside}
    return text, allowed | {aside: {REJECT}}


def loose(writer: Writer) -> Meant:
    """What decides nothing that a reader may be sure of, or decides no number of the report."""
    number = writer.number(writer.chance.randint(1, writer.size), writer.main)
    text = writer.word("loose").format(number)
    nos = (
        "can't",
        "cannot",
        "disapprove",
        "unapprove",
        "none",
        "nothing",
        "没有",
        "不",
        "无法",
        "hardly",
        "难以",
        "not ",
    )
    is_no = any(word in text for word in nos)
    return text, {number: {REJECT} for number in range(1, writer.size + 1)} if is_no else {}


PLANS: tuple[tuple[Plan, int], ...] = (
    (plain, 20), (two_verbs, 15), (excepted, 30), (the_rest, 10), (excepted_then_rest, 5), (negated, 10), (with_an_aside, 12), (loose, 4),
)  # fmt: skip


def replies(seed: int, count: int) -> Iterator[tuple[Reply, list[str]]]:
    """``count`` replies with the ids of the report each answers."""
    chance = random.Random(seed)
    for _ in range(count):
        size = chance.choice((2, 3, 5, 5, 6, 8, 12, 25))
        ids = ["exp-" + "".join(chance.choices("abcdefghijkmnpqrstuvwxyz23456789", k=8)) for _ in range(size)]
        writer = Writer(chance, ids)
        plan = chance.choices([plan for plan, _ in PLANS], [weight for _, weight in PLANS])[0]
        text, allowed = plan(writer)
        text += chance.choice(WORDS[writer.main]["sigh"])
        if chance.random() < 0.05:
            text = text.upper() if chance.random() < 0.5 else text.replace(",", " ,").replace("，", "， ")
        yield Reply(text, allowed), ids
