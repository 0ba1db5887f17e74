"""Where an English speaker lives and works, what they studied, what ails them, in less usual words (R4.17, R4.19).

Tried behind the tables of who they are and what they like, which are the stricter ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from alice_exp.rules.extraction.english_forms import ADV, PLACE, WHEN, pattern

if TYPE_CHECKING:
    from alice_exp.rules.extraction.values import Pattern

_FIELD = (
    r"(?:marketing|sales|finance|banking|insurance|real estate|construction|consulting|logistics"
    r"|education|healthcare|retail"
    r"|hospitality|tech|it|hr|law|advertising|publishing|academia|research|recruiting|procurement"
    r"|operations|customer support"
    r"|the (?:army|navy|military|police|film industry|music industry|restaurant business|insurance business))"
)
_ILLNESS = (
    r"(?:migraines?|insomnia|arthritis|eczema|hay fever|anxiety|depression|epilepsy|ibs|pcos|tinnitus"
    r"|asthma|adhd|add|autism|dyslexia"
    r"|psoriasis|anaemia|anemia|vertigo|diabetes|hypertension|high blood pressure|low blood pressure"
    r"|high cholesterol|sleep apnea"
    r"|acid reflux|celiac disease|crohn's(?: disease)?|lupus|scoliosis|sciatica|astigmatism|ocd|ptsd"
    r"|bipolar disorder|fibromyalgia"
    r"|a (?:bad|weak|herniated) (?:back|knee|shoulder|hip|disc)|bad (?:knees|eyesight|hearing)|poor "
    r"(?:eyesight|hearing)|a heart condition"
    r"|a pacemaker|a sweet tooth|a fear of [\w ]{3,20}|an? [\w ]{3,20} (?:intolerance|deficiency|phobia"
    r"|disorder|syndrome))"
)
_SPAN = (
    r"(?:for|over) (?:about |almost |nearly |over |more than )?(?:\w+ )?(?:\w+ )?(?:years?|months|decades?)(?: now)?"
    r"|since (?:\d{4}|childhood|i was [\w ]{1,20}|college|university|school|high school|birth|[A-Z]\w+)"
)
_SPAN = f"(?:{_SPAN})"

WORK: tuple[Pattern, ...] = (
    pattern(r"(?:majored|minored|specialized|specialised) in (?P<v>[\w &]{3,40})", "", "fact", "person", 0.7),
    pattern(
        r"(?:have|hold|got|did|earned|finished) (?P<v>(?:a|an|my) (?:bachelor's|master's|doctorate|phd|mba"
        r"|degree|diploma|ba|bsc|msc)(?: degree)?(?: in [\w &]{3,40})?)",
        "",
        "fact",
        "person",
        0.7,
    ),
    pattern(
        r"studied (?P<v>[\w &]{3,30}? (?:at|in) (?:university|college|school|(?-i:[A-Z])[\w ]+))",
        "",
        "fact",
        "person",
        0.7,
    ),
    pattern(
        r"(?P<k>\w+) (?:everything|most things|almost everything|nearly everything) (?:in|on|with|using) "
        r"(?P<v>(?-i:[A-Z])[^,]{1,30})",
        "",
        "fact",
        "tools",
        0.7,
    ),
    pattern(r"have (?P<v>an? (?-i:[A-Z])[\w-]*(?: (?-i:[A-Z0-9])[\w-]*){0,3})", "", "fact", "tools", 0.7),
    pattern(
        r"could (?:eat|drink|watch|listen to|talk about|play|read) (?P<v>.{2,30}?) (?:every day|all day"
        r"|forever|all the time|for hours|day and night)",
        "",
        "preference",
        "likes",
        0.7,
    ),
    pattern(
        r"(?:now |mostly |mainly )*(?:drink|eat|listen to|smoke) (?P<v>(?!lunch|dinner|breakfast|at|too|the"
        r"|out|with|alone|before|after|.*(?:a|per|every|each) (?:day|week))[a-z][a-z' -]{1,30})",
        "",
        "preference",
        "likes",
        0.7,
    ),
    pattern(r"turned (?P<v>\d{1,3})" + WHEN, "The user is {v} years old", "identity", "person", 0.7),
    pattern(
        r"(?:am|study) (?:in|at|doing) (?P<v>my (?:first|second|third|fourth|fifth|final|last|senior|junior"
        r"|freshman|sophomore) year.{0,40}"
        r"|(?:grade|year) \d+|(?:\w+ )?(?:high|middle|medical|law|graduate|grad|business|art|nursing|night"
        r"|film|music) school|college|university|a (?:master's|phd|bootcamp).{0,30})",
        "",
        "identity",
        "occupation",
        0.7,
    ),
    pattern(
        r"am in my (?:early |mid |late |mid-)?(?P<v>twenties|thirties|forties|fifties|sixties|seventies|\d0s)",
        "",
        "identity",
        "person",
        0.7,
    ),
    pattern(
        ADV
        + r"(?:live|reside|am (?:based|located|living|staying)|have (?:lived|been living)) (?:just )?(?P<p>"
        r"(?:in|near|outside|on|by|at) (?:a|an|the|my)? ?"
        r"(?:[a-z-]+ ){0,4}(?:(?:of|in|near|outside|from) )?)" + PLACE + WHEN,
        "The user lives {p} {v}",
        "identity",
        "place",
        0.7,
    ),
    pattern(
        ADV
        + r"live (?P<v>(?:alone|with (?:my|two|three|a) [\w ]{3,30}|(?:in|on) (?:a|an|the) [a-z][\w ]{3,30}|"
        r"(?:in|near|by) (?:downtown|the (?:sea|beach|mountains))))",
        "",
        "identity",
        "place",
        0.7,
    ),
    pattern(
        r"am (?:now )?in " + PLACE + r" (?:now|these days|nowadays|currently)",
        "The user lives in {v} now",
        "identity",
        "place",
        0.7,
        "city",
    ),
    pattern(
        r"(?:now |currently |mostly )*(?:work|am working|am employed|intern|am interning|volunteer|consult"
        r"|freelance) (?P<v>(?:at|for|in|with) (?:an?|the|my) "
        r"(?!code|function|file|test|same|following|new feature|bug|branch|background|moment|next|project"
        r"|script|fix)[\w' -]{3,40})" + WHEN,
        "",
        "fact",
        "occupation",
        0.7,
    ),
    pattern(
        r"(?:(?:am|work) in|do) (?P<v>" + _FIELD + r"(?:[ ,/&]+(?:and )?\w+)?)", "", "fact", "occupation", 0.7
    ),
    pattern(
        r"(?:do|make|sell|fix|build|design|repair|train|clean|drive) (?P<v>.{3,40}?) for a living",
        "",
        "identity",
        "occupation",
        0.7,
        "",
        False,
    ),
    pattern(
        r"(?:make|earn) (?:a|my) living (?P<v>(?:as|by|from|with) .{3,40})", "", "identity", "occupation", 0.7
    ),
    pattern(
        r"am (?:currently |now )?(?P<v>self[- ]employed|unemployed|between jobs|freelancing|on (?:maternity"
        r"|paternity|parental|sick) leave|on a sabbatical"
        r"|a stay-at-home (?:mom|mum|dad|parent)|looking for (?:a (?:new )?job|work)|job hunting|semi-retired)",
        "",
        "identity",
        "occupation",
        0.7,
    ),
    pattern(
        r"(?:manage|lead|supervise|run) (?P<v>(?:a|the|our) (?:\w+ ){0,3}(?:team|department|group|lab|crew"
        r"|kitchen|studio)(?: of [\w ]{2,20})?)",
        "",
        "fact",
        "occupation",
        0.7,
    ),
    pattern(r"have been (?P<v>[a-z][\w' -]{2,40}? " + _SPAN + ")", "", "fact", "person", 0.7),
    pattern(
        r"have (?P<v>(?:worked|taught|played|studied|lived|run|owned|practi[sc]ed|coached|used|driven) .{0,40}?"
        + _SPAN
        + ")",
        "",
        "fact",
        "person",
        0.7,
    ),
    pattern(
        r"(?:suffer from|have been diagnosed with|was diagnosed with|live with|struggle with"
        r"|am being treated for) (?P<v>[\w' -]{3,40})",
        "",
        "fact",
        "health",
        0.9,
    ),
    pattern(
        r"(?:have|get|have had) (?P<v>(?:got )?(?:(?:a|an|some|very|really|quite|chronic|mild|severe|bad"
        r"|terrible|frequent|seasonal|type [12]|slight|serious|occasional) )*" + _ILLNESS + ")" + WHEN,
        "",
        "fact",
        "health",
        0.9,
    ),
    pattern(
        r"am (?!not )(?P<v>(?:\w+[- ])?(?:intolerant(?: to [\w ]{2,30})?|allergic to [\w ]{2,30})|(?:near|short"
        r"|far)-?sighted|deaf"
        r"(?: in [\w ]+)?|legally blind|pregnant|dyslexic|autistic|colou?r-?blind|anemic|hypertensive)",
        "",
        "fact",
        "health",
        0.9,
    ),
    pattern(
        r"take (?P<v>(?:medication|pills|insulin|antidepressants|blood thinners|\w+ medication)(?: for .{3,30})?)",
        "",
        "fact",
        "health",
        0.8,
    ),
)
"""Rows in the order in which they are tried."""
