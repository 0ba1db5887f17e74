"""What an English speaker orders, corrects or asks to have remembered (B4.16, B4.18)."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from alice_exp.rules.extraction.third_person import of_user
from alice_exp.rules.extraction.values import Inference

if TYPE_CHECKING:
    from collections.abc import Callable

_I = re.IGNORECASE

ASKING = re.compile(
    r"^(?:what|who|whom|whose|which|where|when|why|how|am i|are you|is|do|does|did|can"
    r"|could|would|will|should|have you|has|may|shall)\b(?!n't| not\b)",
    _I,
)
LEAD = re.compile(
    r"^(?:(?:hi|hello|hey)(?: there| all| everyone)?|thanks(?: a lot)?|thank you"
    r"|by the way|btw|fyi|just so you know|actually|also|well|so|oh|"
    r"no|nope|yes|yeah|sure|ok|okay|right|to be clear|for context|honestly|personally|and"
    r"|but|plus|in fact|sorry|anyway|besides|"
    r"generally speaking|as for me|you know|these days|nowadays|at the moment|currently"
    r"|right now i am now|correction|"
    r"because|since|first of all|(?:please )?note(?: that)?|for (?:the record|your information"
    r"|reference)|just so you are aware"
    r"|(?:a |one )?(?:little |small |fun )?(?:thing|fact|detail)(?: about me| to know)?(?: is"
    r"(?: that)?)?|to be honest|tbh|truth be told|as you may know|about me"
    r"|i should mention(?: that)?|i should add(?: that)?|you should know(?: that)?|i must admit"
    r"(?: that)?|i have to say(?: that)?|good to know|heads up)\b[,!.:\s]+",
    _I,
)
DEICTIC = re.compile(
    r"\b(?:this(?! (?:year|month|week|summer|winter|spring|autumn|fall|season|weekend)\b)"
    r"|them|him|her|that|it|these|those|you|your|yours|error|errors|bug|issue|problem"
    r"|exception|here|now i get|the (?:same|above|following|code|"
    r"function|test|tests|file|script|output|result|command|answer|idea|way|wrong|right)|how|what|why|whether)\b",
    _I,
)
# ------------------------------------------------------------------------------------------- standing rules

_VERB = (
    r"(?:use|write|add|keep|make|put|give|include|prefer|run|answer|reply|respond|avoid"
    r"|always|never|do not|please|start|end|show|explain|call|send|ask|check|format"
    r"|translate|speak|commit|name|wrap|sort|test|convert|be|stick|cite|skip|tell|remind"
    r"|suggest|provide)"
)
_CALL_ME = re.compile(
    r"^(?:please |you can |just |everyone |people |friends )*(?:may |can )?(?:always )?calls? me "
    r"(?P<v>(?-i:[A-Z])[\w'. -]{0,30})$",
    _I,
)
_RULE = re.compile(
    r"^(?:please )?(?:(?P<always>always|never)\s+(?!(?:mind|been|really|in|had|seen|here"
    r"|there|an?|the|so|saw|knew|thought|went|got|did|was|gave|felt|came|give up|quit|stop"
    r"|lose|too)\b)(?!\w+(?:[^s]s|ed)\b)\w+"
    r"|(?P<on>from now on|in (?:the )?future|going forward|from here on)\b,?\s*"
    + _VERB
    + r"|(?:when(?:ever)?|every time|each time|before|after) you [^,]{2,50}, (?:please )?"
    + _VERB
    + r"\b"
    r"|make sure (?:to always|you always|to never)\b|be sure to always\b)",
    _I,
)
_ON_LATER = re.compile(
    r"^(?:please )?" + _VERB + r"\b.{3,80}(?:from now on|in (?:the )?future|going forward|every time)$", _I
)
_FORBID = re.compile(
    r"^(?:please )?(?:do not|stop (?=\w+ing\b)|avoid (?=\w+ing\b|\w+s\b|\w+(?: \w+){0,2}$))(?P<v>.{3,80})$",
    _I,
)
_CHAT = re.compile(
    r"^\s*(?:worry|know|mind|get me wrong|bother|think|care|understand|be (?:sorry|silly"
    r"|shy)|forget|ask me|laugh|panic|stop|give up|quit|lose|miss|hold|be (?:scared|afraid"
    r"|so hard)|let|hesitate|remember|want|like|have|need|see|believe|feel|use to)\b",
    _I,
)
_NOW = re.compile(
    r"\b(?:this|that|these|those|it|yet|right now|for now|the (?!code\b|user\b|same\b"
    r"|main\b|database schema\b)\w+|here|above|below|today|so much|too much)\b",
    _I,
)
_PEP_TALK = re.compile(
    r"\b(?:yourself|your (?:dreams?|heart|goals?|family|friends?|health)|you need"
    r"|you've got|believe in|just do it|hope)\b",
    _I,
)
EXPLICIT = re.compile(
    r"^(?:please |can you |could you |just |also )*(?:remember(?! (?:when|how|the time"
    r"|that time|me\b|that movie))|keep in mind|do not forget|bear in mind|make a note"
    r"|take note|note to self|for your memory|memorize)"
    r"(?P<to> to)?(?: that| of the fact that| this)?[:,\s]+(?P<v>.{3,})$",
    _I,
)
LATER = re.compile(r"^(?P<v>.{5,200}?)(?:[,:]| -) (?:please |and |so )*remember (?:it|that|this)$", _I)
MEANT = re.compile(
    r"^(?:no|nope|sorry|actually|not quite|wrong)[, ]+(?:sorry[, ]+)?(?:i (?:meant|mean)"
    r"|what i meant (?:was|is)|i was talking about|i was referring to)[:,]? "
    r"(?P<v>[^,]{2,60})(?:, not (?P<n>[^,]{2,40}))?$"
    r"|^(?:i meant) (?P<w>(?:the|a|my) [^,]{2,60}|[^,]{2,40}(?=, not ))(?:, not [^,]{2,40})?$"
    r"|^(?:no|nope|sorry|actually|wrong|oops|correction|my mistake)[,: ]+(?:it is|that is|that should be"
    r"|it should be|should be|make (?:it|that)) "
    r"(?P<x>[^,]{2,60}), not (?P<m>[^,]{2,40})$"
    r"|^(?:no, )?it is (?P<z>(?-i:[A-Z])[\w' -]{1,30}), not (?-i:[A-Z])[\w' -]{1,30}$"
    r"|^(?:sorry|actually|oops|correction|my mistake|on second thought)[,: ]+(?:make (?:it|that)"
    r"|let us say) (?P<y>[^,]{2,40})$",
    _I,
)
NOT_BUT = re.compile(
    r"^(?:no, )?(?:it is|that is|i (?:said|meant)) not (?P<o>[^,]{1,30}?)(?:, (?:but )?"
    r"(?:it is |that is )?| but )(?P<v>[^,]{1,40})$",
    _I,
)


_OUTPUT = (
    r"(?:answers?|responses?|replies|reply|explanations?|summaries|messages|emails|tone|language|writing"
    r"|wording|output|outputs|code|comments"
    r"|commit messages|commits|variable names|function names|names|sentences|paragraphs|examples"
    r"|suggestions|descriptions|documentation|docs|titles|dates|prices|numbers|amounts)"
)
_LASTING = (
    re.compile(
        r"^(?:please )?"
        + _VERB
        + r"\b .{2,60}?\b(?:for everything|in everything|at all times|by default|in (?:all|every|each|any) .{3,30}"
        r"|(?:for|with|on|to|of) (?:all|every|each|any) .{3,30}|(?:whenever|every time|each time"
        r"|any time) .{3,40}|before (?:you|making|doing|deleting|changing|running|sending|committing"
        r"|pushing) .{0,40})$",
        _I,
    ),
    re.compile(
        r"^(?:please )?(?:whenever|every time|each time|any time|when) (?:you|i|we|there)\b[^,]{2,50}, "
        r"(?:please |always |just )*" + _VERB + r"\b.{2,}$",
        _I,
    ),
    re.compile(
        r"^(?:please )?(?:keep|make|write|format|phrase) (?:all |your |the |any |my )*"
        + _OUTPUT
        + r" (?:as )?(?:very |really |nice and |more |in )*(?!me\b)(?:short|brief|concise|simple|formal"
        r"|informal|casual|friendly|clear|plain|direct|under|to|below|within|in|lowercase|readable"
        r"|professional|polite|minimal|consistent|shorter|simpler)\b.{0,40}$",
        _I,
    ),
    re.compile(
        r"^(?:(?:all|your|every|any) (?:of )?(?:the |your )?|(?=answers?|responses?|repl|explanations?"
        r"|summar|dates|prices|numbers|amounts))"
        + _OUTPUT
        + r" (?:should|must|need to|has to|have to|are to|ought to) (?:always |never |not |only )*.{3,60}$",
        _I,
    ),
    re.compile(
        r"^(?:please )?no (?:more )?[\w -]{3,30}(?:,? please|,? ever|,? at all| in (?:your|my|the|any) .{3,30})$",
        _I,
    ),
    re.compile(
        r"^(?:please )?(?:just |only )?(?:answer|reply|respond|talk|speak|write)(?: to me| back| with me)*"
        r"(?: only| just)? (?:in (?:plain |simple |british |american |formal )*"
        r"(?:English|Chinese|Mandarin|French|German|Spanish|Italian|Portuguese|Japanese|Korean|Russian|Dutch"
        r"|Polish|Arabic|Hindi|Turkish|Swedish|bullet points|full sentences|lowercase|markdown|one sentence"
        r"|short sentences)|like .{3,40}|as if .{3,40})(?: only| please|,? please)*$",
        _I,
    ),
    re.compile(
        r"^(?:please )?(?:use|write in|stick to|spell in|indent with) (?:british|american|canadian|metric"
        r"|imperial|24-hour|12-hour|iso|plain|simple|formal|informal|passive voice|active voice"
        r"|gender-neutral|uk|us"
        r"|snake_case|camelcase|tabs|\w+ spaces|spaces|single quotes|double quotes|short sentences"
        r"|bullet points|markdown|lowercase|title case|sentence case)\b(?! (?:here|there|in this)).{0,40}$",
        _I,
    ),
    re.compile(
        r"^(?:please )?(?:skip|omit|drop|leave out|spare me|cut) (?:the|all|any) (?:explanations?|preamble"
        r"|pleasantries|intro\w*|disclaimers?|small talk|fluff|filler|apologies|boilerplate|chit-chat"
        r"|jargon)\b.{0,60}$",
        _I,
    ),
    re.compile(
        r"^(?:please )?(?:ask|check with|confirm with|consult|warn|tell|notify|remind|let) me(?: know"
        r"| first)* (?:before|whenever|every time|each time|if you (?:are|do not)|when you) .{3,60}$",
        _I,
    ),
    re.compile(
        r"^(?:please )?(?:be|stay|remain) (?:more |very |as |always |brutally |completely )*(?:brief|concise"
        r"|direct|honest|blunt|polite|formal|informal|critical|patient|specific|precise|succinct|terse"
        r"|casual)(?: (?:with|in|when|about|and|as) .{2,40})?$",
        _I,
    ),
    re.compile(
        r"^(?:i (?:want|need|expect|would like|would prefer|prefer) you to|i would (?:like|prefer"
        r"|appreciate) it if you|you (?:should|must|need to|have to|are to|can)) (?:please )?(?:always "
        r"|never |only |just |not |stop |keep )+(?!understand|know|see|be able)\w+ .{2,60}$",
        _I,
    ),
    re.compile(
        r"^(?:please )?(?:prefer|use|choose|pick|favou?r|stick (?:to|with)|default to) .{2,40}? (?:over"
        r"|instead of|rather than|and not|not) (?!this|that|it|the (?:\w+ )?(?:one|version"
        r"|file))[\w .'-]{2,40}$",
        _I,
    ),
)


def lasting(body: str) -> re.Match[str] | None:
    """An order for more than this answer: for everything, whenever, all answers, before you …"""
    found = next((each for each in (form.match(body) for form in _LASTING) if each), None)
    return None if found is None or _NOW.search(_WHEN_YOU.sub("", body)) else found


_WHEN_YOU = re.compile(
    r"\b(?:it|the (?:code|user|same|main|end|beginning|top|metric system|imperial system|word|words"
    r"|oxford comma|active voice|passive voice|answers?|result|conclusion))\b",
    _I,
)


def remembered(
    text: str, found: re.Match[str], read: Callable[[str, bool], list[Inference]]
) -> list[Inference]:
    """What the user asked to have remembered: what it says of the user, else the words themselves (B4.18)."""
    said = found["v"].strip()
    if ASKING.match(said) or _PEP_TALK.search(said):
        return []
    if re.match(r"^note to self\b", text, _I):
        said = re.sub(r",? (?:please )?remember (?:it|that|this)$", "", said)
    known = read(said, False) if not found.groupdict().get("to") else []
    if known:
        return [replace(one, explicit=True, importance=max(one.importance, 0.8)) for one in known]
    to = found.groupdict().get("to") or ""
    content = f"The user asked to remember{to if to else ':'} {of_user(said)}"
    return [Inference(content, 0.8, "rule" if to else "fact", "instruction", "", said, explicit=True)]


def corrected(found: re.Match[str]) -> list[Inference]:
    """What a match of ``MEANT`` or ``NOT_BUT`` puts right; nothing where it points at something at hand."""
    groups = found.groupdict()
    value = (
        groups.get("v") or groups.get("w") or groups.get("x") or groups.get("y") or groups.get("z") or ""
    ).strip()
    if DEICTIC.search(value):
        return []
    if groups.get("o"):
        content = f"The user corrected: {value}, not {groups['o']}"
    else:
        content = f"The user corrected: they meant {of_user(value)}"
    return [Inference(content, 0.6, "fact", "correction", "", value)]


def instruction(body: str) -> list[Inference]:
    """A standing instruction, or how the user wants to be called; a single request is neither."""
    named = _CALL_ME.match(body)
    if named:
        return [
            Inference(f"The user wants to be called {named['v']}", 0.9, "identity", "name", "", named["v"])
        ]
    standing = _RULE.match(body) or _ON_LATER.match(body) or lasting(body)
    forbids = _FORBID.match(body)
    if forbids and (_CHAT.match(forbids["v"]) or _NOW.search(forbids["v"])):
        forbids = None
    if not (standing or forbids) or _PEP_TALK.search(body):
        return []
    order = of_user(re.sub(r"^please ", "", body, flags=_I))
    order = order[0].lower() + order[1:] if not order[:2].isupper() else order
    importance = 0.8 if standing else 0.7
    return [Inference(f"The user's instruction: {order}", importance, "rule", "instruction", "", order)]
