"""Extract statements about the speaker from an English sentence (R4.19)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from alice_exp.conversations.rules.extraction.english_instructions import (
    corrected,
    instruction,
    remembered,
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
from alice_exp.conversations.rules.extraction.statements import kind_of, kinds, statements
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
    if asks or len(text) < 4:
        return _before_question(text) if asks else []
    explicit = SENTENCES.explicit.match(text) or SENTENCES.later.match(text)
    if explicit:
        return remembered(text, explicit, read)
    meant = SENTENCES.meant.match(text) or SENTENCES.not_but.match(text)
    if meant:
        return corrected(meant)
    body = _bare(text)
    rule = instruction(body)
    if rule:
        return rule
    if SENTENCES.unreal.search(body) or SENTENCES.asking.match(body):
        return []
    return list(_clauses(body))


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
    said, comma, _ = text.rpartition(", ")
    starts = SENTENCES.own_words.match(said)
    return read(said, False) if comma and starts and not SENTENCES.asking.match(_bare(said)) else []


def _clauses(body: str) -> Iterator[Inference]:
    mine = False
    for place, part in enumerate(CASED.clauses.split(body)):
        clause = SENTENCES.nowadays.sub("", _bare(part.strip()))
        if SENTENCES.once.search(clause):
            continue
        if place and SENTENCES.courtesy.match(clause):
            yield from instruction(clause)
            continue
        own = SENTENCES.mine.match(clause)
        if own or (mine and place and not SENTENCES.other.match(clause)):
            found = list(_predicate(re.sub(r"^I\s+", "", clause, flags=_I)))
            yield from found
            mine = bool(found)
        else:
            yield from _other_subject(clause)


def _other_subject(clause: str) -> Iterator[Inference]:
    """Inferences of clauses about the speaker that do not begin with "I": my …, we use …, on Fridays I …"""
    timed = STATEMENTS.timed.match(clause)
    if timed:
        predicate = re.sub(r"^i\s+", "", timed["rest"], flags=_I)
        if SENTENCES.planned_time.match(timed["t"]):
            yield from _predicate(predicate)
        elif not SENTENCES.deictic.search(predicate):
            time = timed["t"][0].lower() + timed["t"][1:]
            time = re.sub(r"(?<=on )[a-z]", lambda day: day.group().upper(), time) if "day" in time else time
            yield Inference(
                f"The user {third_person(predicate)} {time}", 0.7, "habit", "habit", "", predicate
            )
        return
    ours = STATEMENTS.ours.match(clause)
    if ours and not SENTENCES.deictic.search(ours["v"]):
        said = re.sub(r"^(?:at (?:work|my company),? )?we\b", "The user's team", clause, flags=_I)
        said = re.sub(r"^our\b", "The user's", said, flags=_I)
        said = re.sub(r"^(The user's team) (use|run|deploy|work)\b", r"\1 \2s", said)
        yield Inference(of_user(said), 0.7, "fact", "tools", "", ours["v"])
        return
    my = STATEMENTS.mine.match(clause)
    if my:
        yield from _mine(my)
    family = STATEMENTS.family.match(clause)
    if family:
        said = re.sub(r"^my\b", "The user's", clause, flags=_I)
        yield Inference(of_user(said), 0.7, "fact", "family", "", family["v"])
    unloved = STATEMENTS.unloved.match(clause)
    other = None if (my or family or unloved) else topical(clause)
    if other:
        yield other
    if unloved and not SENTENCES.deictic.search(unloved["v"]):
        yield Inference(f"The user says: {of_user(clause)}", 0.7, "preference", "dislikes", "", unloved["v"])


def _mine(found: re.Match[str]) -> Iterator[Inference]:
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
    for pattern in statements(STATEMENTS_FILE):
        found = pattern.says.match(predicate)
        if found:
            one = _filled(pattern, found, predicate)
            if one:
                yield one
            return


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
    if pattern.narrow and (
        SENTENCES.deictic.search(value)
        or (pattern.concept in ("likes", "dislikes") and SENTENCES.chosen.search(value))
    ):
        return None
    if pattern.content:
        content = pattern.content.format(**{**groups, "v": of_user(value)})
        if groups.get("o") and pattern.concept == "tools":
            content += f", no longer {groups['o']}"
    else:
        content = f"The user {third_person(predicate)}"
    return Inference(
        content, _importance(pattern, groups), pattern.type, pattern.concept, pattern.slot, value
    )


def _importance(pattern: Pattern, groups: dict[str, str]) -> float:
    """The pattern's importance, raised for strong wording, lowered for weak wording (R4.17)."""
    strength = groups.get("adv", "")
    if pattern.concept == "likes" and CASED.strong.search(strength + groups.get("k", "")):
        return 0.8
    if CASED.weak.search(strength) or (pattern.concept == "likes" and SENTENCES.at_hand.match(groups["v"])):
        return 0.5
    return pattern.importance
