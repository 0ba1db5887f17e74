"""What an English sentence says about its speaker (R4.19)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from alice_exp.rules.extraction.english_forms import WHEN
from alice_exp.rules.extraction.english_life import LIFE
from alice_exp.rules.extraction.english_orders import (
    ASKING,
    DEICTIC,
    EXPLICIT,
    LATER,
    LEAD,
    MEANT,
    NOT_BUT,
    corrected,
    instruction,
    remembered,
)
from alice_exp.rules.extraction.english_tastes import TASTES
from alice_exp.rules.extraction.english_topics import topical
from alice_exp.rules.extraction.english_ways import WAYS
from alice_exp.rules.extraction.english_work import WORK
from alice_exp.rules.extraction.places import is_english_job
from alice_exp.rules.extraction.third_person import of_user, spelt_out, third_person
from alice_exp.rules.extraction.values import Inference

if TYPE_CHECKING:
    from collections.abc import Iterator

    from alice_exp.core.model import BlockType
    from alice_exp.rules.extraction.values import Concept, Pattern, Slot

_I = re.IGNORECASE

# ---------------------------------------------------------------------------------------- what says nothing

_UNREAL = re.compile(
    r"\b(?:if (?!.*\b(?:tests?|build)\b)|suppose|imagine|pretend|let us say|let's say"
    r"|assume|assuming|what if|i wish|would you say|as if|act as|"
    r"role-?play|hypothetically|translate|how (?:do|would|can) (?:you|i|we) say|write "
    r"(?:me )?(?:a|an|the) (?:short )?(?:story|poem|song|novel|"
    r"letter|essay|dialog\w*|scene|tweet|email|bio)|the (?:hero|character|narrator)|lyrics"
    r"|rephrase|proofread)\b",
    _I,
)
_TRIFLE = re.compile(
    r"^am (?:so |very |a bit |a little |really |just )?(?:tired|hungry|bored|sleepy|cold"
    r"|hot|busy|happy|sad|sick|stuck|confused|lost|excited)\b",
    _I,
)
_SPLIT = re.compile(
    r"\s*[,;]\s*(?:and |but |so |because )?(?=(?:now |these days |today |nowadays |currently )?(?:I|I'm"
    r"|I've|my|we|our|call me)\b)"
    r"|\s+(?:and|but|so|because)\s+(?=(?:now |these days |today |nowadays |currently )?(?:I|I'm|I've|I'd|my|we)\b)"
    r"|\s*,?\s+(?:and|but)\s+(?=(?:work|live|love|like|hate|prefer|enjoy|use|study|am"
    r"|do not|don't|have|speak|never|usually|always)\b)"
)

# ---------------------------------------------------------------------------------------- other subjects


_MY = re.compile(
    r"^my (?P<k>(?:full |first |last |real |current |main |biggest |life |ultimate "
    r"|long-term |short-term |native |primary |favorite |home |work |daily |company )*"
    r"(?:name|nickname|job|occupation|profession|role|work|birthday|age|email|phone"
    r"(?: number)?|address|goal|dream|ambition|plan|hobby|hobbies|interests?|"
    r"editor|laptop|computer|machine|daily driver|setup|main machine|car|bike|camera"
    r"|blood type|height|weight|shoe size|zodiac sign|star sign|nationality|religion"
    r"|commute|gender|username|handle|phone|os|operating system|browser|shell|terminal"
    r"|keyboard|ide|stack|database|language|mother tongue|time ?zone|"
    r"major|university|company|employer|hometown|city|pronouns|diet|allergy|"
    r"(?:\w+ )?(?:color|food|book|movie|film|band|song|artist|author|sport|animal|drink"
    r"|season|city|game|language|editor|dish|show|genre|fruit|subject|team|tool|framework"
    r"|library)))"
    r" (?P<be>is|are|was changed to) (?:now )?(?P<v>.{1,80})$",
    _I,
)
_FAMILY = re.compile(
    r"^my (?:\w+ )?(?:kids?|child(?:ren)?|son|daughter|wife|husband|partner|girlfriend"
    r"|boyfriend|dog|cat|baby|twins)(?:'s (?:name|birthday))? "
    r"(?:is|are) (?P<v>(?:named |called )?(?-i:[A-Z])[\w ]+|on .{3,20}|\d+(?:(?:,| and"
    r"|, and) \d+)*(?: years? old| months? old)?)$",
    _I,
)
_UNLOVED = re.compile(
    r"^(?P<v>.{3,40}) (?:is|are) (?:not|never)(?: really)? my (?:thing|cup of tea|style|taste)$", _I
)
_OUR = re.compile(
    r"^(?:at (?:work|my company),? )?(?:we|our (?P<k>team|company|backend|frontend|stack"
    r"|server|app|database|product|code ?base|services?)) (?P<do>use|uses|run|runs"
    r"|is written in|are written in|is built (?:on|with)|is|deploy to|deploys to|runs on"
    r"|work with) (?P<v>(?-i:[A-Z])[^,]{1,50})$",
    _I,
)
_TIMED = re.compile(
    r"^(?P<t>(?:on (?:mon|tues|wednes|thurs|fri|satur|sun)days?|on weekends|at weekends"
    r"|every (?!time|one|body|thing|single)(?:other )?\w+(?: morning| evening| night"
    r"| afternoon)?|in the (?:mornings?|evenings?)|(?:one|some) ?day|eventually|next year"
    r"|this year|before bed|after work|at night|most (?:days|mornings|nights"
    r"|evenings))),? (?P<rest>i\b.*)$",
    _I,
)
_NAME = re.compile(r"^am (?P<v>(?-i:[A-Z][a-z]+(?: [A-Z][a-z]+)?))$", _I)
_NATIONS = """
American British English Scottish Welsh Irish Canadian Australian German French Italian Spanish
Portuguese Dutch Belgian Swiss Austrian Swedish Norwegian Danish Finnish Polish Czech Hungarian Romanian
Bulgarian Greek Turkish Russian Ukrainian Serbian Croatian Chinese Japanese Korean Taiwanese Vietnamese
Thai Indonesian Malaysian Filipino Singaporean Indian Pakistani Bangladeshi Nepali Iranian Iraqi Israeli
Egyptian Nigerian Kenyan Ghanaian Ethiopian Moroccan Brazilian Mexican Argentinian Chilean Colombian
Peruvian Cuban Jamaican European Asian African Latvian Lithuanian Estonian
"""
_NATION = frozenset(_NATIONS.split())
_STATES = """
Sorry Sure Ok Okay Not Here Back Done Fine Good Great Happy Ready New Lost Stuck Sick Glad Afraid
Christian Catholic Muslim Jewish Buddhist Hindu Monday Tuesday Wednesday Thursday Friday Saturday Sunday
"""
_NOT_NAME = frozenset(_STATES.split())
_A_JOB = re.compile(
    r"^am (?:(?:now|currently|also|still|just) )*(?P<a>an? |the )?(?P<v>[^,]{2,70}?)" + WHEN + "$", _I
)


def read(text: str, asks: bool) -> list[Inference]:
    """The inferences of one sentence (quotations masked, no final mark); empty where it says nothing.

    Quote and index are left to the caller.
    """
    text = spelt_out(" ".join(text.split()))
    if asks or len(text) < 4:
        return _before_question(text) if asks else []
    explicit = EXPLICIT.match(text) or LATER.match(text)
    if explicit:
        return remembered(text, explicit, read)
    meant = MEANT.match(text) or NOT_BUT.match(text)
    if meant:
        return corrected(meant)
    body = _bare(text)
    rule = instruction(body)
    if rule:
        return rule
    if _UNREAL.search(body) or ASKING.match(body):
        return []
    return list(_clauses(body))


def _bare(text: str) -> str:
    """The sentence without greetings and connectives in front."""
    body = text
    while True:
        shorter = LEAD.sub("", body)
        if shorter == body or not shorter:
            return body
        body = shorter


def _before_question(text: str) -> list[Inference]:
    """What a sentence says before it comes to its question: "I'm using Rust, can you help?"."""
    said, comma, _ = text.rpartition(", ")
    starts = re.match(r"(?:\w+, )?(?:I|my|we)\b", said, _I)
    return read(said, False) if comma and starts and not ASKING.match(_bare(said)) else []


def _clauses(body: str) -> Iterator[Inference]:
    mine = False
    for place, part in enumerate(_SPLIT.split(body)):
        clause = _NOWADAYS.sub("", _bare(part.strip()))
        if _ONCE.search(clause):
            continue
        if place and re.match(r"^(?:please|call me|you can call me)\b", clause, _I):
            yield from instruction(clause)
            continue
        own = re.match(r"^I\b", clause, _I)
        if own or (mine and place and not re.match(r"^(?:my|we|our|it|he|she|they|the)\b", clause, _I)):
            found = list(_predicate(re.sub(r"^I\s+", "", clause, flags=_I)))
            yield from found
            mine = bool(found)
        else:
            yield from _other_subject(clause)


def _other_subject(clause: str) -> Iterator[Inference]:
    """Clauses about the speaker that do not begin with "I": my …, we use …, on Fridays I …"""
    timed = _TIMED.match(clause)
    if timed:
        predicate = re.sub(r"^i\s+", "", timed["rest"], flags=_I)
        if re.match(r"^(?:some|one|event|next year|this year)", timed["t"], _I):
            yield from _predicate(predicate)
        elif not DEICTIC.search(predicate):
            time = timed["t"][0].lower() + timed["t"][1:]
            time = re.sub(r"(?<=on )[a-z]", lambda day: day.group().upper(), time) if "day" in time else time
            yield Inference(
                f"The user {third_person(predicate)} {time}", 0.7, "habit", "habit", "", predicate
            )
        return
    ours = _OUR.match(clause)
    if ours and not DEICTIC.search(ours["v"]):
        said = re.sub(r"^(?:at (?:work|my company),? )?we\b", "The user's team", clause, flags=_I)
        said = re.sub(r"^our\b", "The user's", said, flags=_I)
        said = re.sub(r"^(The user's team) (use|run|deploy|work)\b", r"\1 \2s", said)
        yield Inference(of_user(said), 0.7, "fact", "tools", "", ours["v"])
        return
    my = _MY.match(clause)
    if my:
        yield from _mine(my)
    family = _FAMILY.match(clause)
    if family:
        said = re.sub(r"^my\b", "The user's", clause, flags=_I)
        yield Inference(of_user(said), 0.7, "fact", "family", "", family["v"])
    unloved = _UNLOVED.match(clause)
    other = None if (my or family or unloved) else topical(clause)
    if other:
        yield other
    if unloved and not DEICTIC.search(unloved["v"]):
        yield Inference(f"The user says: {of_user(clause)}", 0.7, "preference", "dislikes", "", unloved["v"])


_NOWADAYS = re.compile(r"^(?:now|these days|today|nowadays|currently),? (?=(?:I|my|we)\b)", _I)
_ONCE = re.compile(r"^(?:I|we|my .{2,30}?) (?:have )?used to\b|^.{2,40} used to be\b", _I)


_MINE: tuple[tuple[str, BlockType, Concept, float, Slot], ...] = (
    (r"^(?:full |first |real )*name$", "identity", "name", 0.9, "name"),
    (r"name$|nickname$", "identity", "name", 0.9, ""),
    (r"job$|occupation$|profession$|role$|work$", "identity", "occupation", 0.7, "job"),
    (r"goal$|dream$|ambition$", "goal", "goal", 0.9, ""),
    (r"plan$", "goal", "goal", 0.7, ""),
    (r"favorite", "preference", "likes", 0.8, ""),
    (r"hobb|interest", "preference", "likes", 0.7, ""),
    (r"allergy|diet", "fact", "health", 0.8, ""),
    (r"birthday$", "identity", "person", 0.8, ""),
    (r"hometown$|city$", "identity", "place", 0.7, ""),
    (
        r"^(?:work )?phone$|car$|bike$|camera$|editor|daily driver|setup|laptop|computer|machine|os$|system"
        r"|browser|shell|terminal"
        r"|keyboard|ide$|stack|database|language$",
        "fact",
        "tools",
        0.7,
        "",
    ),
    (r"", "identity", "person", 0.7, ""),
)


def _mine(found: re.Match[str]) -> Iterator[Inference]:
    kind, value = found["k"].lower(), found["v"].strip()
    type_, concept, importance, slot = next(row[1:] for row in _MINE if re.search(row[0], kind))
    replaces = ""
    if concept == "name":
        value, _, old = value.partition(", not ")
        value = value.strip()
        if not value[:1].isupper():
            value = value.title() if re.fullmatch(r"[a-z]{2,15}(?: [a-z]{2,15})?", value) else value
        if not re.fullmatch(r"[\w'. -]{1,40}", value) or value.split()[0].lower() in (
            "not",
            "on",
            "in",
            "the",
            "too",
        ):
            return
        replaces = f"The user's {kind} is {old}" if old else ""
    if DEICTIC.search(value) or re.match(r"^(?:not|being|missing|broken|empty|crash|slow|too)\b", value, _I):
        return
    content = f"The user's {found['k'].lower()} {found['be'].lower()} {of_user(value)}"
    yield Inference(content, importance, type_, concept, slot, value, replaces)


_AFTERTHOUGHT = re.compile(
    r",? (?:but|because|so|since|though|although|while|whereas|so that)\b.*$"
    r"|, (?:and )?(?:it|that|this|which|who|what|he|she|they|you|how|do|does|can|could|is"
    r"|are|was|the|thanks|please|any|especially when)\b.*$",
    _I,
)
_LATELY = re.compile(
    r"(?:,? (?:these days|nowadays|at the moment|right now|lately|by the way|as well|btw|though))+$", _I
)
_ALSO = re.compile(r"\b(?:also|too|just) |,? too$", _I)


def _predicate(predicate: str) -> Iterator[Inference]:
    predicate = re.sub(r"^have got\b(?! to\b)", "have", predicate, flags=_I)
    predicate = _LATELY.sub("", _ALSO.sub("", _AFTERTHOUGHT.sub("", predicate))).strip(" ,")
    if _TRIFLE.match(predicate):
        yield Inference(f"The user {third_person(predicate)}", 0.3, "fact", "other", "", predicate)
        return
    name = _NAME.match(predicate)
    if name and name["v"] not in _NOT_NAME:
        yield _named(name["v"])
        return
    job = _A_JOB.match(predicate)
    if (
        job
        and is_english_job(job["v"])
        and (job["a"] or re.match(r"[A-Z]{2,}|head|vp|lead|director", job["v"]))
        and not DEICTIC.search(job["v"])
    ):
        article = (job["a"] or "").lower()
        what, where = _placed(job["v"])
        yield Inference(f"The user is {article}{of_user(what)}", 0.7, "identity", "occupation", "job", what)
        yield from where
        return
    works = _WORKS_AS.match(predicate)
    if works:
        what, where = _placed(works["v"])
        yield Inference(f"The user works as {of_user(what)}", 0.7, "identity", "occupation", "job", what)
        yield from where
        return
    for pattern in (*LIFE, *TASTES, *WORK, *WAYS):
        found = pattern.says.match(predicate)
        if found:
            one = _filled(pattern, found, predicate)
            if one:
                yield one
            return


def _named(word: str) -> Inference:
    """ "I'm Sarah" is a name, "I'm German" is none."""
    if word in _NATION:
        return Inference(f"The user is {word}", 0.7, "identity", "person", "", word)
    return Inference(f"The user's name is {word}", 0.9, "identity", "name", "name", word)


_WORKS_AS = re.compile(r"^(?:now |currently )?(?:work|am (?:working|employed)) as (?P<v>.{3,60})$", _I)
_IN_PLACE = re.compile(r"^(?P<what>.+) in (?P<v>[A-Z][\w'. -]*(?:, [A-Z][\w ]+)?)$")


def _placed(what: str) -> tuple[str, list[Inference]]:
    """ "a nurse in Boston" is an occupation and a place to work in; the second is empty without one (R4.19)."""
    found = _IN_PLACE.match(what)
    if not found:
        return what, []
    place = found["v"]
    return found["what"], [Inference(f"The user works in {place}", 0.7, "fact", "place", "city", place)]


def _filled(pattern: Pattern, found: re.Match[str], predicate: str) -> Inference | None:
    groups = {name: (value or "").strip() for name, value in found.groupdict().items()}
    value = groups.get("v", "")
    if pattern.narrow and (
        DEICTIC.search(value) or (pattern.concept in ("likes", "dislikes") and _CHOSEN.search(value))
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


_CHOSEN = re.compile(
    r"\b(?:first|second|third|other|last|latter|former|new|old|previous|next|simpler|shorter|longer)"
    r"(?: (?:one|option|approach|version|solution|way|method|design|idea|suggestion|draft))?$|\bones?$",
    _I,
)
_AT_HAND = re.compile(r"^(?:all )?the (?-i:[a-z])(?!olor|olour)", _I)


def _importance(pattern: Pattern, groups: dict[str, str]) -> float:
    """The pattern's own, a little more for what is strong, less for what was said in passing (R4.17)."""
    strength = groups.get("adv", "")
    if pattern.concept == "likes" and re.search(
        r"really|absolutely|truly|especially|huge|most", strength + groups.get("k", "")
    ):
        return 0.8
    if re.search(r"kind of|sort of", strength) or (
        pattern.concept == "likes" and _AT_HAND.match(groups["v"])
    ):
        return 0.5
    return pattern.importance
