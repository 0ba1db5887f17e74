"""Extract statements about the speaker from an English sentence (R4.19)."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from alice_exp.conversations.rules.extraction.english_instructions import (
    bounded,
    corrected,
    instruction,
    is_passing,
    remembered,
    wishes,
)
from alice_exp.conversations.rules.extraction.english_patterns import (
    CASED,
    SENTENCES,
    STATEMENTS,
    STATEMENTS_FILE,
)
from alice_exp.conversations.rules.extraction.english_topic_first import topical
from alice_exp.conversations.rules.extraction.inferences import Inference
from alice_exp.conversations.rules.extraction.places import is_english_job
from alice_exp.conversations.rules.extraction.statements import kind_of, kinds, settle, statements
from alice_exp.conversations.rules.extraction.third_person import of_user, spelt_out, third_person
from alice_exp.kernel.text.data_files import word_lists

if TYPE_CHECKING:
    from collections.abc import Iterator

    from alice_exp.conversations.rules.extraction.statements import Pattern

_I = re.IGNORECASE
_PEOPLE = "conversations/rules/data/english_people.txt"


def read(text: str, asks: bool) -> list[Inference]:
    """The inferences of one sentence (quotations masked, without final punctuation); empty if there are none.

    The caller fills in quote and index.
    """
    text = spelt_out(" ".join(text.split()))
    tag = SENTENCES.tag.search(text) if asks else None
    text, asks = (text[: tag.start()], False) if tag else (text, asks)
    if asks or len(text) < 4:
        return _before_question(text) if asks else []
    explicit = SENTENCES.explicit.match(text) or SENTENCES.later.match(text)
    if explicit:
        return remembered(text, explicit, read)
    meant = SENTENCES.meant.match(text) or SENTENCES.not_but.match(text)
    if meant:
        return corrected(meant)
    body = _bare(text)
    if SENTENCES.reported.search(body) or SENTENCES.joke.match(body):
        return []
    if SENTENCES.unreal.search(body) and not SENTENCES.conditional.match(body):
        return []
    body = SENTENCES.since.sub("", body)
    return [one for one in bounded(body) or _clauses(body) if not is_passing(one, text)]


def _bare(text: str) -> str:
    """The sentence without leading greetings and connectives."""
    body = text
    while True:
        shorter = SENTENCES.lead.sub("", body)
        if shorter == body or not shorter:
            return body
        body = shorter


def _before_question(text: str) -> list[Inference]:
    """The statement in front of a question: "I'm using Rust, can you help?"."""
    asked = SENTENCES.asked.match(text)
    if asked:
        return [one for one in instruction(asked["v"]) if not is_passing(one, text)]
    said, comma, _ = text.rpartition(", ")
    starts = SENTENCES.own_words.match(said)
    return read(said, False) if comma and starts and not SENTENCES.asking.match(_bare(said)) else []


def _clauses(body: str) -> Iterator[Inference]:
    """The inferences of each clause; a clause without a subject has that of the one before."""
    mine, others, condition = True, False, ""
    for part in CASED.clauses.split(body):
        clause = SENTENCES.filler.sub("", SENTENCES.nowadays.sub("", _bare(part.strip(" ,")))).strip(" ,")
        if SENTENCES.condition.match(clause) and not condition:
            ordered = instruction(clause)
            condition = "" if ordered else clause
            yield from ordered
            continue
        if others and SENTENCES.rule.match(clause):
            continue
        if SENTENCES.told_by.match(clause):
            mine, others = False, True
            continue
        ordered = instruction(f"{condition}, {clause}" if condition else clause) or instruction(clause)
        condition, hypothetical = "", SENTENCES.supposed.match(condition)
        ordered = ordered or (wishes(clause) if not others else [])
        if ordered:
            yield from ordered
            continue
        if hypothetical or SENTENCES.once.search(clause) or SENTENCES.asking.match(clause):
            continue
        clause = _with_subject(clause) if mine else clause
        mine = bool(SENTENCES.mine.match(clause))
        others = not mine and bool(SENTENCES.subject.match(clause))
        if mine:
            yield from _predicate(re.sub(r"^I\s+", "", clause, flags=_I))
        else:
            yield from _other_subject(clause)


def _with_subject(clause: str) -> str:
    """The clause with the "I" that talk leaves out: "been there nine years", "can't do dairy"."""
    found = SENTENCES.bare.match(clause)
    if not found:
        return clause
    return (
        ("I have " if found["perfect"] else "I am " if found["progressive"] else "I ")
        + clause[0].lower()
        + clause[1:]
    )


def _other_subject(clause: str) -> list[Inference]:
    """Inferences of clauses about the speaker that do not begin with "I": my …, we use …, on Fridays I …"""
    for reader in (_timed, _ours, _told, _mine, _row, topical):
        found = list(reader(clause))
        if found:
            return found
    return []


def _timed(clause: str) -> Iterator[Inference]:
    """A time in front: a habit ("on Fridays I swim") or a plan ("next year I …")."""
    timed = STATEMENTS.timed.match(clause)
    if not timed:
        return
    predicate = re.sub(r"^i\s+", "", timed["rest"], flags=_I)
    if SENTENCES.planned_time.match(timed["t"]):
        when = of_user(timed["t"][0].lower() + timed["t"][1:])
        yield from (
            replace(one, content=f"{one.content} {when}")
            for one in _predicate(predicate)
            if one.type == "goal"
        )
    elif not SENTENCES.deictic.search(predicate):
        time = of_user(timed["t"][0].lower() + timed["t"][1:])
        time = re.sub(r"(?<=on )[a-z]", lambda day: day.group().upper(), time) if "day" in time else time
        yield Inference(f"The user {third_person(predicate)} {time}", 0.7, "habit", "habit", "", predicate)


def _ours(clause: str) -> Iterator[Inference]:
    """What the speaker's team uses."""
    ours = STATEMENTS.ours.match(clause)
    if ours and not SENTENCES.deictic.search(ours["v"]):
        said = re.sub(r"^(?:at (?:work|my company),? )?we\b", "The user's team", clause, flags=_I)
        said = re.sub(r"^our\b", "The user's", said, flags=_I)
        said = re.sub(r"^(The user's team) (use|run|deploy|work)\b", r"\1 \2s", said)
        yield Inference(of_user(said), 0.7, "fact", "tools", "", ours["v"])


def _told(clause: str) -> Iterator[Inference]:
    """An event with its time in front ("last Friday I …"), or where the speaker lives with others."""
    events = SENTENCES.at_a_time.match(clause)
    if events:
        yield from _predicate(events["rest"])
    elif SENTENCES.we_live.match(clause):
        yield from _predicate(re.sub(r"^we (are\b)?", lambda we: "am" if we[1] else "", clause, flags=_I))


def _row(clause: str) -> Iterator[Inference]:
    """What the first row of whole clauses that fits says."""
    for row in kinds(STATEMENTS_FILE, "clauses"):
        found = row.says.match(clause)
        if row.concept == "any" and _of_someone(clause):
            continue
        if found and not SENTENCES.deictic.search(found["v"]):
            said = {name: of_user(value or "") for name, value in found.groupdict().items()}
            told = row.content.format(**said) if row.content else _of_the_user(clause)
            one = Inference(told, row.importance, row.type, row.concept, "", found["v"])
            yield settle(one, STATEMENTS_FILE)
            return


def _of_someone(clause: str) -> bool:
    """Whether the subject is a person known by work or by name: "my dentist is in Leeds", "our paralegal Dana is …"."""
    subject = CASED.known_person.match(clause)
    return bool(
        subject and (subject["name"] or (not subject["who"].endswith("s") and is_english_job(subject["who"])))
    )


def _of_the_user(clause: str) -> str:
    """A whole clause told of the user: "my students are juniors" becomes "The user's students are juniors"."""
    told = re.sub(r"^(?:all |most of )?(?:my|our)\b", "The user's", clause, flags=_I)
    told = re.sub(r"\bme\b", "the user", told) if told == clause else told
    we = re.match(r"we\b", told, _I)
    return (
        f"The user says: {told}"
        if we
        else of_user(re.sub(r"\b(?<!')my\b", "the user's", told, count=told == clause, flags=_I))
    )


def _mine(clause: str) -> Iterator[Inference]:
    """What "my … is" says of one of the kinds of the table."""
    found = STATEMENTS.mine.match(clause)
    if not found:
        return
    kind, value = found["k"].lower(), found["v"].strip()
    row = kind_of(kind, kinds(STATEMENTS_FILE, "mine"))
    replaces = ""
    if row.concept == "name":
        value, _, old = value.partition(", not ")
        value = value.strip()
        if not value[:1].isupper():
            value = value.title() if re.fullmatch(r"[a-z]{2,15}(?: [a-z]{2,15})?", value) else value
        if not re.fullmatch(r"[\w'. -]{1,40}", value) or SENTENCES.no_name.match(value):
            return
        replaces = f"The user's {kind} is {old}" if old else ""
    if SENTENCES.deictic.search(value) or SENTENCES.fault.match(value):
        return
    content = f"The user's {found['k'].lower()} {found['be'].lower()} {of_user(value)}"
    yield Inference(content, row.importance, row.type, row.concept, row.slot, value, replaces)


def _predicate(predicate: str) -> Iterator[Inference]:
    predicate = re.sub(r"^have got\b(?! to\b)", "have", predicate, flags=_I)
    predicate = SENTENCES.lately.sub(
        "", SENTENCES.also.sub("", SENTENCES.afterthought.sub("", predicate))
    ).strip(" ,")
    if SENTENCES.at_this_hour.match(predicate):
        return
    if SENTENCES.trifle.match(predicate):
        yield Inference(f"The user {third_person(predicate)}", 0.3, "fact", "other", "", predicate)
        return
    name = STATEMENTS.name.match(predicate)
    if name and name["v"] not in word_lists(_PEOPLE)["no names"]:
        yield _named(name["v"])
        return
    job = STATEMENTS.occupation.match(predicate)
    if (
        job
        and is_english_job(job["v"])
        and (job["a"] or CASED.without_article.match(job["v"]))
        and not SENTENCES.deictic.search(job["v"])
    ):
        article = (job["a"] or "").lower()
        what, where = _placed(job["v"])
        yield Inference(f"The user is {article}{of_user(what)}", 0.7, "identity", "occupation", "job", what)
        yield from where
        return
    works = STATEMENTS.works_as.match(predicate)
    if works:
        what, where = _placed(works["v"])
        yield Inference(f"The user works as {of_user(what)}", 0.7, "identity", "occupation", "job", what)
        yield from where
        return
    one = _stated(predicate)
    # What points at something at hand is cut off behind the statement: "I want to help people who went through this".
    cut = SENTENCES.pointing.match(predicate) if one is None else None
    one = _stated(cut["v"].strip(" ,")) if cut else one
    if one:
        yield one


def _stated(predicate: str) -> Inference | None:
    """What the first row that fits says of a predicate."""
    for pattern in statements(STATEMENTS_FILE):
        found = pattern.says.match(predicate)
        if found:
            one = _filled(pattern, found, predicate)
            if one:
                return one
    return None


def _named(word: str) -> Inference:
    """ "I'm Sarah" states a name, "I'm German" a nationality."""
    if word in word_lists(_PEOPLE)["nations"]:
        return Inference(f"The user is {word}", 0.7, "identity", "person", "", word)
    return Inference(f"The user's name is {word}", 0.9, "identity", "name", "name", word)


def _placed(what: str) -> tuple[str, list[Inference]]:
    """Split "a nurse in Boston" into occupation and place of work; the list is empty without a place (R4.19)."""
    found = CASED.in_place.match(what)
    if not found:
        return what, []
    place = found["v"]
    return found["what"], [Inference(f"The user works in {place}", 0.7, "fact", "place", "city", place)]


def _filled(pattern: Pattern, found: re.Match[str], predicate: str) -> Inference | None:
    groups = {name: (value or "").strip() for name, value in found.groupdict().items()}
    value = groups.get("v", "")
    if pattern.narrow and (SENTENCES.deictic.search(value) or SENTENCES.chosen.search(value)):
        return None
    if pattern.slot == "city" and _is_product(value):
        return Inference(f"The user uses {value} now", 0.7, "fact", "tools", "", value)
    if pattern.content:
        content = pattern.content.format(**{**groups, "v": of_user(value)})
        if groups.get("o") and pattern.concept == "tools":
            content += f", no longer {groups['o']}"
    else:
        content = f"The user {third_person(predicate)}"
    found_one = Inference(
        content, _importance(pattern, groups), pattern.type, pattern.concept, pattern.slot, value
    )
    return settle(found_one, STATEMENTS_FILE)


def _is_product(value: str) -> bool:
    """Whether what was moved to is a thing to work with (Linear, GitLab, Python 3) rather than a place."""
    first = value.split()[0] if value else ""
    return first in word_lists(_PEOPLE)["products"] or bool(re.search(r"[a-z][A-Z]|\d", value))


def _importance(pattern: Pattern, groups: dict[str, str]) -> float:
    """The pattern's importance, raised for strong wording, lowered for weak wording (R4.17)."""
    strength = groups.get("adv", "")
    if pattern.concept == "likes" and CASED.strong.search(strength + groups.get("k", "")):
        return 0.8
    if CASED.weak.search(strength) or (pattern.concept == "likes" and SENTENCES.at_hand.match(groups["v"])):
        return 0.5
    return pattern.importance
