"""What an English sentence says about its speaker (R4.19)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from alice_exp.core.model import BlockType
from alice_exp.rules.extraction.english_patterns import PATTERNS, WHEN, Pattern
from alice_exp.rules.extraction.places import is_english_job
from alice_exp.rules.extraction.third_person import of_user, spelt_out, third_person
from alice_exp.rules.extraction.values import Concept, Inference, Slot

_I = re.IGNORECASE

# ---------------------------------------------------------------------------------------- what says nothing

_UNREAL = re.compile(
    r"\b(?:if (?!.*\b(?:tests?|build)\b)|suppose|imagine|pretend|let us say|let's say|assume|assuming|what if|i wish|would you say|as if|act as|"
    r"role-?play|hypothetically|translate|how (?:do|would|can) (?:you|i|we) say|write (?:me )?(?:a|an|the) (?:short )?(?:story|poem|song|novel|"
    r"letter|essay|dialog\w*|scene|tweet|email|bio)|the (?:hero|character|narrator)|lyrics|rephrase|proofread|used to be|used to)\b",
    _I,
)
_ASKING = re.compile(
    r"^(?:what|who|whom|whose|which|where|when|why|how|am i|are you|is|do|does|did|can|could|would|will|should|have you|has|may|shall)\b(?!n't| not\b)",
    _I,
)
_LEAD = re.compile(
    r"^(?:(?:hi|hello|hey)(?: there| all| everyone)?|thanks(?: a lot)?|thank you|by the way|btw|fyi|just so you know|actually|also|well|so|oh|"
    r"no|nope|yes|yeah|sure|ok|okay|right|to be clear|for context|honestly|personally|and|but|plus|in fact|sorry|anyway|besides|"
    r"generally speaking|as for me|you know|these days|nowadays|at the moment|currently|right now i am now|correction|"
    r"because|since|first of all)\b[,!.:\s]+",
    _I,
)
_DEICTIC = re.compile(
    r"\b(?:this(?! (?:year|month|week|summer|winter|spring|autumn|fall|season|weekend)\b)|them|him|her|that|it|these|those|you|your|yours|error|errors|bug|issue|problem|exception|here|now i get|the (?:same|above|following|code|"
    r"function|test|tests|file|script|output|result|command|answer|idea|way|wrong|right)|how|what|why|whether)\b",
    _I,
)
_TRIFLE = re.compile(r"^am (?:so |very |a bit |a little |really |just )?(?:tired|hungry|bored|sleepy|cold|hot|busy|happy|sad|sick|stuck|confused|lost|excited)\b", _I)
_SPLIT = re.compile(
    r"\s*[,;]\s*(?:and |but |so |because )?(?=(?:I|I'm|I've|my|we|our|call me)\b)"
    r"|\s+(?:and|but|so|because)\s+(?=(?:I|I'm|I've|I'd|my|we)\b)"
    r"|\s*,?\s+(?:and|but)\s+(?=(?:work|live|love|like|hate|prefer|enjoy|use|study|am|do not|don't|have|speak|never|usually|always)\b)"
)

# ---------------------------------------------------------------------------------------- other subjects


_MY = re.compile(
    r"^my (?P<k>(?:full |first |last |real |current |main |biggest |life |ultimate |long-term |short-term |native |primary |favorite |home |work |daily |company )*"
    r"(?:name|nickname|job|occupation|profession|role|work|birthday|age|email|phone(?: number)?|address|goal|dream|ambition|plan|hobby|hobbies|interests?|"
    r"editor|laptop|computer|machine|daily driver|setup|main machine|car|bike|camera|blood type|height|weight|shoe size|zodiac sign|star sign|nationality|religion|commute|gender|username|handle|phone|os|operating system|browser|shell|terminal|keyboard|ide|stack|database|language|mother tongue|time ?zone|"
    r"major|university|company|employer|hometown|city|pronouns|diet|allergy|"
    r"(?:\w+ )?(?:color|food|book|movie|film|band|song|artist|author|sport|animal|drink|season|city|game|language|editor|dish|show|genre|fruit|subject|team|tool|framework|library)))"
    r" (?P<be>is|are|was changed to) (?:now )?(?P<v>.{1,80})$",
    _I,
)
_FAMILY = re.compile(
    r"^my (?:\w+ )?(?:kids?|child(?:ren)?|son|daughter|wife|husband|partner|girlfriend|boyfriend|dog|cat|baby|twins)(?:'s (?:name|birthday))? "
    r"(?:is|are) (?P<v>(?:named |called )?(?-i:[A-Z])[\w ]+|on .{3,20}|\d+(?:(?:,| and|, and) \d+)*(?: years? old| months? old)?)$",
    _I,
)
_UNLOVED = re.compile(r"^(?P<v>.{3,40}) (?:is|are) (?:not|never)(?: really)? my (?:thing|cup of tea|style|taste)$", _I)
_OUR = re.compile(r"^(?:at (?:work|my company),? )?(?:we|our (?P<k>team|company|backend|frontend|stack|server|app|database|product|code ?base|services?)) (?P<do>use|uses|run|runs|is written in|are written in|is built (?:on|with)|is|deploy to|deploys to|runs on|work with) (?P<v>(?-i:[A-Z])[^,]{1,50})$", _I)
_TIMED = re.compile(
    r"^(?P<t>(?:on (?:mon|tues|wednes|thurs|fri|satur|sun)days?|on weekends|at weekends|every (?!time|one|body|thing|single)(?:other )?\w+(?: morning| evening| night| afternoon)?|in the (?:mornings?|evenings?)|(?:one|some) ?day|eventually|next year|this year|before bed|after work|at night|most (?:days|mornings|nights|evenings))),? (?P<rest>i\b.*)$",
    _I,
)
_NAME = re.compile(r"^am (?P<v>(?-i:[A-Z][a-z]+(?: [A-Z][a-z]+)?))$", _I)
_NATION = re.compile(r"(?:ish|ese|ian|can|ean|nch|man|utch|reek|iss|wedish|lsh|alian|i)$")
_NOT_NAME = frozenset(
    ["Sorry", "Sure", "Ok", "Okay", "Not", "Here", "Back", "Done", "Fine", "Good", "Great", "Happy", "Ready", "New", "Lost", "Stuck", "Sick", "Glad", "Afraid", "Christian", "Catholic", "Muslim", "Jewish", "Buddhist", "Hindu", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
)
_A_JOB = re.compile(r"^am (?:(?:now|currently|also|still|just) )*(?P<a>an? |the )?(?P<v>[^,]{2,70}?)" + WHEN + "$", _I)

# ------------------------------------------------------------------------------------------- standing rules

_VERB = r"(?:use|write|add|keep|make|put|give|include|prefer|run|answer|reply|respond|avoid|always|never|do not|please|start|end|show|explain|call|send|ask|check|format|translate|speak|commit|name|wrap|sort|test|convert|be|stick|cite|skip|tell|remind|suggest|provide)"
_RULE = re.compile(
    r"^(?:please )?(?:(?P<always>always|never)\s+(?!(?:mind|been|really|in|had|seen|here|there|an?|the|so|saw|knew|thought|went|got|did|was|gave|felt|came|give up|quit|stop|lose|too)\b)(?!\w+(?:[^s]s|ed)\b)\w+"
    r"|(?P<on>from now on|in (?:the )?future|going forward|from here on)\b,?\s*" + _VERB
    + r"|(?:when(?:ever)?|every time|each time|before|after) you [^,]{2,50}, (?:please )?" + _VERB + r"\b"
    r"|make sure (?:to always|you always|to never)\b|be sure to always\b)",
    _I,
)
_ON_LATER = re.compile(r"^(?:please )?" + _VERB + r"\b.{3,80}(?:from now on|in (?:the )?future|going forward|every time)$", _I)
_FORBID = re.compile(r"^(?:please )?(?:do not|stop (?=\w+ing\b)|avoid (?=\w+ing\b|\w+s\b))(?P<v>.{3,80})$", _I)
_CHAT = re.compile(
    r"^\s*(?:worry|know|mind|get me wrong|bother|think|care|understand|be (?:sorry|silly|shy)|forget|ask me|laugh|panic|stop|give up|quit|lose|miss|hold|be (?:scared|afraid|so hard)|let|hesitate|remember|want|like|have|need|see|believe|feel|use to)\b",
    _I,
)
_NOW = re.compile(
    r"\b(?:this|that|these|those|it|yet|right now|for now|the (?!code\b|user\b|same\b|main\b|database schema\b)\w+|here|above|below|today|so much|too much)\b", _I
)
_PEP_TALK = re.compile(r"\b(?:yourself|your (?:dreams?|heart|goals?|family|friends?|health)|you need|you've got|believe in|just do it|hope)\b", _I)
_EXPLICIT = re.compile(
    r"^(?:please |can you |could you |just |also )*(?:remember(?! (?:when|how|the time|that time|me\b|that movie))|keep in mind|do not forget|bear in mind|make a note|take note|note to self|for your memory|memorize)"
    r"(?P<to> to)?(?: that| of the fact that| this)?[:,\s]+(?P<v>.{3,})$",
    _I,
)
_LATER = re.compile(r"^(?P<v>.{5,200}?)(?:[,:]| -) (?:please |and |so )*remember (?:it|that|this)$", _I)
_MEANT = re.compile(
    r"^(?:no|nope|sorry|actually|not quite|wrong)[, ]+(?:sorry[, ]+)?(?:i (?:meant|mean)|what i meant (?:was|is)|i was talking about|i was referring to)[:,]? (?P<v>[^,]{2,60})(?:, not (?P<n>[^,]{2,40}))?$"
    r"|^(?:i meant) (?P<w>(?:the|a|my) [^,]{2,60})$",
    _I,
)
_NOT_BUT = re.compile(r"^(?:no, )?(?:it is|that is|i (?:said|meant)) not (?P<o>[^,]{1,30}?)(?:, (?:but )?(?:it is |that is )?| but )(?P<v>[^,]{1,40})$", _I)


def read(text: str, asks: bool) -> list[Inference]:
    """The inferences of one sentence (quotations masked, no final mark); empty where it says nothing.

    Quote and index are left to the caller.
    """
    text = spelt_out(" ".join(text.split()))
    if asks or len(text) < 4:
        return _before_question(text) if asks else []
    explicit = _EXPLICIT.match(text) or _LATER.match(text)
    if explicit:
        return _remembered(text, explicit)
    meant = _MEANT.match(text) or _NOT_BUT.match(text)
    if meant:
        return _corrected(meant)
    body = _bare(text)
    rule = _instruction(body)
    if rule:
        return rule
    if _UNREAL.search(body) or _ASKING.match(body):
        return []
    return list(_clauses(body))


def _bare(text: str) -> str:
    """The sentence without greetings and connectives in front."""
    body = text
    while True:
        shorter = _LEAD.sub("", body)
        if shorter == body or not shorter:
            return body
        body = shorter


def _before_question(text: str) -> list[Inference]:
    """What a sentence says before it comes to its question: "I'm using Rust, can you help?"."""
    said, comma, _ = text.rpartition(", ")
    starts = re.match(r"(?:\w+, )?(?:I|my|we)\b", said, _I)
    return read(said, False) if comma and starts and not _ASKING.match(_bare(said)) else []


def _remembered(text: str, found: re.Match[str]) -> list[Inference]:
    """What the user asked to have remembered: what it says of the user, else the words themselves (B4.18)."""
    said = found["v"].strip()
    if _ASKING.match(said) or _PEP_TALK.search(said):
        return []
    if re.match(r"^note to self\b", text, _I):
        said = re.sub(r",? (?:please )?remember (?:it|that|this)$", "", said)
    known = read(said, False) if not found.groupdict().get("to") else []
    if known:
        return [replace(one, explicit=True, importance=max(one.importance, 0.8)) for one in known]
    to = found.groupdict().get("to") or ""
    content = f"The user asked to remember{to if to else ':'} {of_user(said)}"
    return [Inference(content, 0.8, "rule" if to else "fact", "instruction", "", said, explicit=True)]


def _corrected(found: re.Match[str]) -> list[Inference]:
    groups = found.groupdict()
    value = (groups.get("v") or groups.get("w") or "").strip()
    if _DEICTIC.search(value):
        return []
    if groups.get("o"):
        content = f"The user corrected: {value}, not {groups['o']}"
    else:
        content = f"The user corrected: they meant {of_user(value)}"
    return [Inference(content, 0.6, "fact", "correction", "", value)]


def _instruction(body: str) -> list[Inference]:
    named = re.match(r"^(?:please |you can |just |everyone |people |friends )*(?:may |can )?(?:always )?calls? me (?P<v>(?-i:[A-Z])[\w'. -]{0,30})$", body, _I)
    if named:
        return [Inference(f"The user wants to be called {named['v']}", 0.9, "identity", "name", "", named["v"])]
    standing = _RULE.match(body) or _ON_LATER.match(body)
    forbids = _FORBID.match(body)
    if forbids and (_CHAT.match(forbids["v"]) or _NOW.search(forbids["v"])):
        forbids = None
    if not (standing or forbids) or _PEP_TALK.search(body):
        return []
    order = of_user(re.sub(r"^please ", "", body, flags=_I))
    order = order[0].lower() + order[1:] if not order[:2].isupper() else order
    importance = 0.8 if standing else 0.7
    return [Inference(f"The user's instruction: {order}", importance, "rule", "instruction", "", order)]


def _clauses(body: str) -> Iterator[Inference]:
    mine = False
    for place, part in enumerate(_SPLIT.split(body)):
        clause = _bare(part.strip())
        if place and re.match(r"^(?:please|call me|you can call me)\b", clause, _I):
            yield from _instruction(clause)
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
        elif not _DEICTIC.search(predicate):
            time = timed["t"][0].lower() + timed["t"][1:]
            time = re.sub(r"(?<=on )[a-z]", lambda day: day.group().upper(), time) if "day" in time else time
            yield Inference(f"The user {third_person(predicate)} {time}", 0.7, "habit", "habit", "", predicate)
        return
    ours = _OUR.match(clause)
    if ours and not _DEICTIC.search(ours["v"]):
        whole = clause if not ours["k"] else clause
        said = re.sub(r"^(?:at (?:work|my company),? )?we\b", "The user's team", whole, flags=_I)
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
    if unloved and not _DEICTIC.search(unloved["v"]):
        yield Inference(f"The user says: {of_user(clause)}", 0.7, "preference", "dislikes", "", unloved["v"])


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
    (r"editor|daily driver|setup|laptop|computer|machine|os$|system|browser|shell|terminal|keyboard|ide$|stack|database|language$", "fact", "tools", 0.7, ""),
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
        if not re.fullmatch(r"[\w'. -]{1,40}", value) or value.split()[0].lower() in ("not", "on", "in", "the", "too"):
            return
        replaces = f"The user's {kind} is {old}" if old else ""
    if _DEICTIC.search(value) or re.match(r"^(?:not|being|missing|broken|empty|crash|slow|too)\b", value, _I):
        return
    content = f"The user's {found['k'].lower()} {found['be'].lower()} {of_user(value)}"
    yield Inference(content, importance, type_, concept, slot, value, replaces)


_AFTERTHOUGHT = re.compile(
    r",? (?:but|because|so|since|though|although|while|whereas|so that)\b.*$"
    r"|, (?:and )?(?:it|that|this|which|who|what|he|she|they|you|how|do|does|can|could|is|are|was|the|thanks|please|any|especially when)\b.*$",
    _I,
)
_LATELY = re.compile(r"(?:,? (?:these days|nowadays|at the moment|right now|lately|by the way|as well|btw|though))+$", _I)
_ALSO = re.compile(r"\b(?:also|too|just) |,? too$", _I)


def _predicate(predicate: str) -> Iterator[Inference]:
    predicate = _LATELY.sub("", _ALSO.sub("", _AFTERTHOUGHT.sub("", predicate))).strip(" ,")
    if _TRIFLE.match(predicate):
        yield Inference(f"The user {third_person(predicate)}", 0.3, "fact", "other", "", predicate)
        return
    name = _NAME.match(predicate)
    if name and name["v"] not in _NOT_NAME:
        if _NATION.search(name["v"]) and not re.search(r"^(?:Ian|Brian|Christian|Julian|Adrian|Vivian|Lillian|Duncan|Sean|Jean|Herman|Norman|Naomi|Ravi|Heidi|Levi|Toni)$", name["v"]):
            yield Inference(f"The user is {name['v']}", 0.7, "identity", "person", "", name["v"])
        else:
            yield Inference(f"The user's name is {name['v']}", 0.9, "identity", "name", "name", name["v"])
        return
    job = _A_JOB.match(predicate)
    if job and is_english_job(job["v"]) and (job["a"] or re.match(r"[A-Z]{2,}|head|vp|lead|director", job["v"])) and not _DEICTIC.search(job["v"]):
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
    for pattern in PATTERNS:
        found = pattern.says.match(predicate)
        if found:
            one = _filled(pattern, found, predicate)
            if one:
                yield one
            return


_WORKS_AS = re.compile(r"^(?:now |currently )?(?:work|am (?:working|employed)) as (?P<v>.{3,60})$", _I)
_IN_PLACE = re.compile(r"^(?P<what>.+) in (?P<v>[A-Z][\w'. -]*(?:, [A-Z][\w ]+)?)$")


def _placed(what: str) -> tuple[str, list[Inference]]:
    """"a nurse in Boston" is an occupation and a place to work in; the second is empty without one (R4.19)."""
    found = _IN_PLACE.match(what)
    if not found:
        return what, []
    place = found["v"]
    return found["what"], [Inference(f"The user works in {place}", 0.7, "fact", "place", "city", place)]


def _filled(pattern: Pattern, found: re.Match[str], predicate: str) -> Inference | None:
    groups = {name: (value or "").strip() for name, value in found.groupdict().items()}
    value = groups.get("v", "")
    if pattern.narrow and _DEICTIC.search(value):
        return None
    if pattern.content:
        content = pattern.content.format(**{**groups, "v": of_user(value)})
        if groups.get("o") and pattern.concept == "tools":
            content += f", no longer {groups['o']}"
    else:
        content = f"The user {third_person(predicate)}"
    return Inference(content, _importance(pattern, groups), pattern.type, pattern.concept, pattern.slot, value)


_AT_HAND = re.compile(r"^(?:all )?the (?-i:[a-z])(?!olor|olour)", _I)


def _importance(pattern: Pattern, groups: dict[str, str]) -> float:
    """The pattern's own, a little more for what is strong, less for what was said in passing (R4.17)."""
    strength = groups.get("adv", "")
    if pattern.concept == "likes" and re.search(r"really|absolutely|truly|especially|huge|most", strength + groups.get("k", "")):
        return 0.8
    if re.search(r"kind of|sort of", strength) or (pattern.concept == "likes" and _AT_HAND.match(groups["v"])):
        return 0.5
    return pattern.importance
