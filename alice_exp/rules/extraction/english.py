"""What an English sentence says about its speaker (R4.19)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from alice_exp.core.model import BlockType
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
    r"\b(?:this|that|it|these|those|you|your|yours|error|errors|bug|issue|problem|exception|here|now i get|the (?:same|above|following|code|"
    r"function|test|tests|file|script|output|result|command|answer|idea|way|wrong|right)|how|what|why|whether)\b",
    _I,
)
_TRIFLE = re.compile(r"^am (?:so |very |a bit |a little |really |just )?(?:tired|hungry|bored|sleepy|cold|hot|busy|happy|sad|sick|stuck|confused|lost|excited)\b", _I)
_SPLIT = re.compile(
    r"\s*[,;]\s*(?:and |but |so |because )?(?=(?:I|I'm|I've|my|we|our|call me)\b)"
    r"|\s+(?:and|but|so|because)\s+(?=(?:I|I'm|I've|I'd|my|we)\b)"
    r"|\s*,?\s+(?:and|but)\s+(?=(?:work|live|love|like|hate|prefer|enjoy|use|study|am|do not|don't|have|speak|never|usually|always)\b)"
)

# ------------------------------------------------------------------------------------------------ patterns


@dataclass(frozen=True, slots=True)
class _Pattern:
    """A predicate after "I", how it is told (empty: in the third person as it is), and how much it matters."""

    says: re.Pattern[str]
    content: str
    type: BlockType
    concept: Concept
    importance: float
    slot: Slot = ""
    narrow: bool = True


def _p(
    says: str,
    content: str,
    type_: BlockType,
    concept: Concept,
    importance: float,
    slot: Slot = "",
    narrow: bool = True,
) -> _Pattern:
    return _Pattern(re.compile("^" + says + "$", _I), content, type_, concept, importance, slot, narrow)


_ADV = r"(?P<adv>(?:really |absolutely |also |just |mostly |mainly |primarily |usually |always |often |currently |now |still |personally |truly |kind of |sort of |quite |generally |almost always |exclusively |particularly |especially |much |definitely )*)"
_WHEN = r"(?: (?:now|currently|these days|at the moment|today|right now|last \w+|this \w+|recently|already|by the way|anymore|\w+ (?:ago|back)|a (?:few|couple of) \w+ ago|since .{2,12}|for \w+ \w+))*"
_PLACE = r"(?P<v>(?:the )?(?-i:[A-Z])[\w'. -]*(?:, (?-i:[A-Z])[\w ]+)?)"
_LANGUAGES = r"(?:python|java|javascript|typescript|rust|go|golang|c|c\+\+|c#|ruby|php|kotlin|swift|scala|haskell|elixir|clojure|sql|r|perl|lua|dart|zig|ocaml|f#|bash|cobol|fortran|matlab|julia)"
_TOOLISH = r"(?P<v>(?:(?-i:[A-Z])|vim\b|neovim\b|emacs\b|git\b|tmux\b|zsh\b|bash\b|fish\b|vscode\b|docker\b|python\b|java\b|rust\b|go\b|linux\b|macos\b|i3\b|pytest\b|postgres\w*\b|mysql\b|\ue000|" + _LANGUAGES + r"\b)[^,]{0,40})"

_PATTERNS: tuple[_Pattern, ...] = (
    _p(r"am (?:called|known as|named) (?P<v>(?-i:[A-Z])[\w'. -]{0,30})", "The user's name is {v}", "identity", "name", 0.9, "name"),
    _p(r"go by (?P<v>(?-i:[A-Z])[\w'. -]{0,30})", "The user goes by {v}", "identity", "name", 0.9),
    _p(r"am (?:now |already |only )?(?P<v>\d{1,3})(?: years? old| yo)?", "The user is {v} years old", "identity", "person", 0.7),
    _p(r"(?:was born) (?:in|on) (?P<v>.{2,30})", "", "identity", "person", 0.7),
    _p(r"(?:am|come) (?:originally )?from " + _PLACE, "The user is from {v}", "identity", "place", 0.7),
    _p(r"grew up in " + _PLACE, "The user grew up in {v}", "identity", "place", 0.7),
    _p(r"(?:have )?(?:just |recently |finally )*(?:moved|relocated)(?: from [^,]+?)? to " + _PLACE + _WHEN, "The user lives in {v} now", "identity", "place", 0.7, "city"),
    _p(_ADV + r"(?:live|reside|am (?:based|located|living|staying)) (?:in|near|outside) " + _PLACE + _WHEN, "The user lives in {v}", "identity", "place", 0.7, "city"),
    _p(r"(?:now |currently )?(?:work|am (?:working|employed)) (?:as|being) (?:an? |the )?(?P<v>[\w /-]+?)(?P<at> (?:at|for|in|with) (?-i:[A-Z])[\w'. &-]+)?" + _WHEN, "The user works as {a}{v}{at}", "identity", "occupation", 0.7, "job", False),
    _p(r"(?:now |currently )*(?:work|am (?:working|employed)|am) (?:at|for) (?P<v>(?-i:[A-Z])[\w'. &-]+?)" + _WHEN, "The user works at {v}", "fact", "occupation", 0.7),
    _p(r"(?:now |currently )*(?:work|am working) (?:in|from) " + _PLACE + _WHEN, "The user works in {v}", "fact", "place", 0.7, "city"),
    _p(r"(?:work|am working) (?:in|with) (?P<v>[a-z][\w ]{2,30})", "", "fact", "occupation", 0.7),
    _p(r"(?:teach|practice) (?P<v>.{2,40})", "", "identity", "occupation", 0.7),
    _p(r"(?:am studying|study|am majoring in|major in|am doing (?:a|my) (?:phd|master's|degree) in) (?P<v>.{2,50})", "", "identity", "occupation", 0.7),
    _p(r"am (?:not (?:really )?a (?:big |huge )?fan of) (?P<v>.{2,50})", "The user is not a fan of {v}", "preference", "dislikes", 0.7),
    _p(r"am (?P<adv>(?:very |really |a |an |the |quite )*)(?P<k>(?:big |huge )?fan of|fond of|into|interested in|passionate about|crazy about|keen on|obsessed with) (?P<v>.{2,50})", "", "preference", "likes", 0.7),
    _p(r"am (?:severely |very |badly )?(?:allergic to|intolerant to) (?P<v>.{2,40})", "", "fact", "health", 0.9),
    _p(r"have (?P<v>(?:a|an) [\w ]*allergy(?: to [\w ]+)?|celiac disease|diabetes|asthma|adhd|dyslexia)", "", "fact", "health", 0.9),
    _p(r"am (?:a |an )?(?:strict |mostly )?(?P<v>vegetarian|vegan|pescatarian|lactose intolerant|gluten[- ]free|diabetic|celiac|colou?r[- ]?blind|left[- ]handed|dyslexic|an? introvert|introvert|an? extrovert|kosher|halal)", "", "preference", "health", 0.8),
    _p(r"(?P<n>do not|never|no longer|cannot) (?P<do>eat|drink|smoke|consume) (?P<v>.{2,40})", "", "preference", "dislikes", 0.7),
    _p(r"(?:really |absolutely |personally |just )*(?P<n>do not (?:really |particularly )?(?:like|enjoy|love|care for)|dislike|hate|cannot stand|detest|despise|loathe|cannot bear|avoid) (?P<v>.{2,60})", "", "preference", "dislikes", 0.7),
    _p(r"(?:have )?(?:just |recently )*(?:switched|moved|migrated)(?: (?:over|away))?(?: from (?P<o>[^,]+?))? to " + _TOOLISH, "The user uses {v} now", "fact", "tools", 0.7),
    _p(r"(?:do not use|no longer use|stopped using|gave up) (?P<v>[^,]{2,30}?)(?: (?:anymore|any more|any longer))?", "The user no longer uses {v}", "fact", "tools", 0.6),
    _p(_ADV + r"(?:write|code(?: mostly)? in|program in|develop in|script in) (?:mostly |mainly )?(?P<v>" + _LANGUAGES + r"(?:(?:,| and|, and| or|/) ?" + _LANGUAGES + r")*)(?: code)?" + _WHEN, "", "fact", "tools", 0.7),
    _p(r"(?:have been |am )?" + _ADV + r"(?:using|running)(?: mostly| mainly)? " + _TOOLISH, "The user uses {v}", "fact", "tools", 0.7),
    _p(r"am (?:running )?on (?P<v>(?:a )?(?-i:[A-Z])[\w .]*(?:Linux|OS|Windows|Ubuntu|Debian|Fedora|Mac\w*|NixOS|Pixel|Android|iPhone)[\w .]*|(?:Linux|Windows|Ubuntu|Debian|Fedora|Mac\w*|NixOS|macOS|Android)[\w .]*)", "The user is on {v}", "fact", "tools", 0.7),
    _p(_ADV + r"(?:use|run|work (?:in|with)|rely on) " + _TOOLISH, "", "fact", "tools", 0.7),
    _p(r"(?:would|'d) (?:rather|prefer)(?: to)? (?P<v>.{3,60})", "The user would rather {v}", "preference", "likes", 0.7, "", False),
    _p(_ADV + r"(?P<k>like|love|enjoy|prefer|adore) (?!to$|to (?:know|see|ask|have you)|if\b)(?P<v>.{2,70})", "", "preference", "likes", 0.7),
    _p(r"(?:really |still )*(?:want|would (?:like|love)|hope|aim|plan|intend|aspire|am (?:planning|hoping|aiming|going)) to (?P<v>(?:learn|become|be |run a|visit|travel|move|start (?:a|my)|write (?:a|my) (?:book|novel|thesis)|lose|get (?:a|my|into|fit|better)|improve my|build (?:a|my) (?:house|career|business)|read more|buy (?:a|my)|open (?:a|my)|live|study|master|retire|quit|finish|pass|save|graduate|apply|publish|launch|climb|speak|switch careers|change careers).{0,60})", "", "goal", "goal", 0.7, "", False),
    _p(r"am (?:currently |now |also |just )*(?P<k>learning|trying to (?:learn|lose|quit|get (?:fit|in shape|better)|improve my|save|eat|become|read more|exercise|cut|build a habit)|preparing for|training for|saving (?:up )?for|studying for|applying (?:for|to)) ?(?!a (?:lot|ton)|so much|more$)(?P<v>.{0,60})", "", "goal", "goal", 0.7),
    _p(r"am (?:currently |now |also )*(?P<k>working on|building|writing|developing|designing|renovating) (?P<v>(?:a|an|my) [^,]{2,60})", "", "goal", "project", 0.7),
    _p(r"am (?:currently )?(?:responsible for|in charge of) (?P<v>.{2,50})", "", "fact", "occupation", 0.7),
    _p(r"(?:lead|manage|maintain|run|own) (?P<v>(?:a|an|the|my) (?:\w+ ){0,3}(?:team|company|project|library|shop|store|business|department|startup|farm|restaurant))", "", "fact", "occupation", 0.7),
    _p(r"(?:am|got|have been|am now|just got) (?P<v>married|single|divorced|engaged|retired|pregnant|widowed)" + r"(?P<w>.{0,30})", "", "identity", "family", 0.7),
    _p(r"(?:have|own|adopted|have got) (?P<v>(?:an?|one|two|three|four|five|\d) (?:\w+ ){0,2}(?:kids?|child(?:ren)?|sons?|daughters?|dogs?|cats?|rabbits?|parrots?|horses?|hamsters?|puppy|kitten|brothers?|sisters?|twins)(?: (?:named|called) [\w ]+)?)" + _WHEN, "", "fact", "family", 0.7),
    _p(r"(?:can )?speak (?P<v>(?:fluent |some |a little )?(?-i:[A-Z])[^,]{2,50})", "", "identity", "person", 0.7),
    _p(r"graduated from (?P<v>.{3,50})", "", "fact", "person", 0.7),
    _p(r"(?P<adv>usually|always|typically|normally|generally|often|never|rarely|tend to|like to start) (?P<v>.{3,60})", "", "habit", "habit", 0.7),
    _p(r"(?P<v>(?:\w+)(?: [\w']+){0,7} (?:every (?:other )?(?:\w+)|on (?:mon|tues|wednes|thurs|fri|satur|sun)days|on weekends|at weekends|twice a week|once a week|daily|three times a week|each (?:morning|evening|night|day|week))(?: [\w ]{1,30})?)", "", "habit", "habit", 0.7),
)

_MY = re.compile(
    r"^my (?P<k>(?:full |first |last |real |current |main |biggest |life |ultimate |long-term |short-term |native |primary |favorite |home |work |daily |company )*"
    r"(?:name|nickname|job|occupation|profession|role|work|birthday|age|email|phone(?: number)?|address|goal|dream|ambition|plan|hobby|hobbies|interests?|"
    r"editor|laptop|computer|machine|phone|os|operating system|browser|shell|terminal|keyboard|ide|stack|database|language|mother tongue|time ?zone|"
    r"major|university|company|employer|hometown|city|pronouns|diet|allergy|"
    r"(?:\w+ )?(?:color|food|book|movie|film|band|song|artist|author|sport|animal|drink|season|city|game|language|editor|dish|show|genre|fruit|subject|team|tool|framework|library)))"
    r" (?P<be>is|are|was changed to) (?:now )?(?P<v>.{1,80})$",
    _I,
)
_OUR = re.compile(r"^(?:at (?:work|my company),? )?(?:we|our (?P<k>team|company|backend|frontend|stack|server|app|database|product|code ?base|services?)) (?P<do>use|uses|run|runs|is written in|are written in|is built (?:on|with)|is|deploy to|deploys to|runs on|work with) (?P<v>(?-i:[A-Z])[^,]{1,50})$", _I)
_TIMED = re.compile(
    r"^(?P<t>(?:on (?:mon|tues|wednes|thurs|fri|satur|sun)days?|on weekends|at weekends|every (?!time|one|body|thing|single)(?:other )?\w+(?: morning| evening| night| afternoon)?|in the (?:mornings?|evenings?)|before bed|after work|at night|most (?:days|mornings|nights|evenings))),? (?P<rest>i\b.*)$",
    _I,
)
_NAME = re.compile(r"^am (?P<v>(?-i:[A-Z][a-z]+(?: [A-Z][a-z]+)?))$", _I)
_NATION = re.compile(r"(?:ish|ese|ian|can|ean|nch|man|utch|reek|iss|wedish|lsh|alian|i)$")
_NOT_NAME = frozenset(
    "Sorry Sure Ok Okay Not Here Back Done Fine Good Great Happy Ready New Lost Stuck Sick Glad Afraid Christian Catholic Muslim Jewish Buddhist "
    "Hindu Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
)
_A_JOB = re.compile(r"^am (?:(?:now|currently|also|still|just) )*(?P<a>an? |the )?(?P<v>[^,]{2,70}?)" + _WHEN + "$", _I)

# ------------------------------------------------------------------------------------------- standing rules

_VERB = r"(?:use|write|add|keep|make|put|give|include|prefer|run|answer|reply|respond|avoid|always|never|do not|please|start|end|show|explain|call|send|ask|check|format|translate|speak|commit|name|wrap|sort|test|convert|be|stick|cite|skip|tell|remind|suggest|provide)"
_RULE = re.compile(
    r"^(?:please )?(?:(?P<always>always|never)\s+(?!mind|been|really|in|had|seen|here|there|an?|the|so|saw|knew|thought|went|got|did|was|gave|felt|came|give up|quit|stop|lose|too|been\b)(?!\w+(?:[^s]s|ed)\b)\w+"
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
    r"^(?:no|nope|sorry|actually|not quite|wrong)[, ]+(?:sorry[, ]+)?(?:i (?:meant|mean)|what i meant (?:was|is)|i was talking about|i was referring to)[:,]? (?P<v>[^,]{2,60})$"
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
        if not _DEICTIC.search(predicate):
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
    (r"editor|laptop|computer|machine|os$|system|browser|shell|terminal|keyboard|ide$|stack|database|language$", "fact", "tools", 0.7, ""),
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
_ALSO = re.compile(r"\b(?:also|too|just) |,? too$", _I)


def _predicate(predicate: str) -> Iterator[Inference]:
    predicate = _ALSO.sub("", _AFTERTHOUGHT.sub("", predicate)).strip(" ,")
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
        yield Inference(f"The user is {article}{of_user(job['v'])}", 0.7, "identity", "occupation", "job", job["v"])
        return
    for pattern in _PATTERNS:
        found = pattern.says.match(predicate)
        if found:
            one = _filled(pattern, found, predicate)
            if one:
                yield one
            return


def _filled(pattern: _Pattern, found: re.Match[str], predicate: str) -> Inference | None:
    groups = {name: (value or "").strip() for name, value in found.groupdict().items()}
    value = groups.get("v", "")
    if pattern.narrow and _DEICTIC.search(value):
        return None
    if pattern.content:
        article = re.search(r"\b(an? |the )(?=" + re.escape(value) + ")", predicate) if "{a}" in pattern.content else None
        at = " " + groups["at"] if groups.get("at") else ""
        told = {**groups, "v": of_user(value), "a": article.group(1) if article else "", "at": at}
        content = pattern.content.format(**told)
        if groups.get("o") and pattern.concept == "tools":
            content += f", no longer {groups['o']}"
    else:
        content = f"The user {third_person(predicate)}"
    return Inference(content, _importance(pattern, groups), pattern.type, pattern.concept, pattern.slot, value)


_AT_HAND = re.compile(r"^(?:all )?the (?-i:[a-z])(?!olor|olour)", _I)


def _importance(pattern: _Pattern, groups: dict[str, str]) -> float:
    """The pattern's own, a little more for what is strong, less for what was said in passing (R4.17)."""
    strength = groups.get("adv", "")
    if pattern.concept == "likes" and re.search(r"really|absolutely|truly|especially|huge|most", strength + groups.get("k", "")):
        return 0.8
    if re.search(r"kind of|sort of", strength) or (pattern.concept == "likes" and _AT_HAND.match(groups["v"])):
        return 0.5
    return pattern.importance
