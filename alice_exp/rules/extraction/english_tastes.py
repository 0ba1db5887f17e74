"""What an English speaker likes, uses, plans and does (R4.17, R4.19)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alice_exp.rules.extraction.english_forms import ADV, LANGUAGES, TOOLISH, WHEN, pattern

if TYPE_CHECKING:
    from alice_exp.rules.extraction.values import Pattern

TASTES: tuple[Pattern, ...] = (
    pattern(
        r"(?P<n>do not|never|no longer|cannot) (?P<do>eat|drink|smoke|consume) (?P<v>.{2,40})",
        "",
        "preference",
        "dislikes",
        0.7,
    ),
    pattern(
        r"(?:really |absolutely |personally |just )*(?P<n>do not (?:really |particularly )?"
        r"(?:like|enjoy|love|care for)|dislike|hate|cannot stand|detest|despise|loathe"
        r"|cannot bear|avoid) (?P<v>.{2,60})",
        "",
        "preference",
        "dislikes",
        0.7,
    ),
    pattern(
        r"(?:have )?(?:just |recently )*(?:switched|moved|migrated)(?: (?:over|away))?(?: from (?P<o>[^,]+?))? to "
        + TOOLISH,
        "The user uses {v} now",
        "fact",
        "tools",
        0.7,
    ),
    pattern(
        r"(?:do not use|no longer use|stopped using|gave up) (?P<v>[^,]{2,30}?)(?: (?:anymore|any more|any longer))?",
        "The user no longer uses {v}",
        "fact",
        "tools",
        0.6,
    ),
    pattern(
        ADV
        + r"(?:write|code(?: mostly)? in|program in|develop in|script in) (?:mostly |mainly )?(?P<v>"
        + LANGUAGES
        + r"(?:(?:,| and|, and| or|/) ?"
        + LANGUAGES
        + r")*)(?: code)?"
        + WHEN,
        "",
        "fact",
        "tools",
        0.7,
    ),
    pattern(
        r"(?:have been |am )?" + ADV + r"(?:using|running)(?: mostly| mainly)? " + TOOLISH,
        "The user uses {v}",
        "fact",
        "tools",
        0.7,
    ),
    pattern(
        r"am (?:running )?on (?P<v>(?:a )?(?-i:[A-Z])[\w .]*(?:Linux|OS|Windows|Ubuntu|Debian"
        r"|Fedora|Mac\w*|NixOS|Pixel|Android|iPhone)[\w .]*|(?:Linux|Windows|Ubuntu|Debian"
        r"|Fedora|Mac\w*|NixOS|macOS|Android)[\w .]*)",
        "The user is on {v}",
        "fact",
        "tools",
        0.7,
    ),
    pattern(
        ADV + r"(?:use|run|work (?:in|with|on(?= (?:an? |my )(?-i:[A-Z])))|rely on) (?:an? |my )?" + TOOLISH,
        "",
        "fact",
        "tools",
        0.7,
    ),
    pattern(
        r"(?:would|'d) (?:rather|prefer)(?: to)? (?P<v>.{3,60})",
        "The user would rather {v}",
        "preference",
        "likes",
        0.7,
        "",
        False,
    ),
    pattern(
        ADV + r"(?P<k>like|love|enjoy|prefer|adore) (?!to$|to (?:know|see|ask|have you)|if\b)(?P<v>.{2,70})",
        "",
        "preference",
        "likes",
        0.7,
    ),
    pattern(
        r"(?:really |still )*(?:want|would (?:like|love)|hope|aim|plan|intend|aspire|am "
        r"(?:planning|hoping|aiming|going)) to (?P<v>(?:learn|become|be |run a|visit|travel"
        r"|move|start (?:a|my)|write (?:a|my) (?:book|novel|thesis)|lose|get (?:a|my|into|fit"
        r"|better)|improve my|build (?:a|my) (?:house|career|business)|read more|buy (?:a|my)"
        r"|open (?:a|my)|live|study|master|retire|quit|finish|pass|save|graduate|apply|publish"
        r"|launch|climb|speak|switch careers|change careers).{0,60})",
        "",
        "goal",
        "goal",
        0.7,
        "",
        False,
    ),
    pattern(
        r"am (?:currently |now |also |just )*(?P<k>learning|trying to (?:learn|lose|quit|get "
        r"(?:fit|in shape|better)|improve my|save|eat|become|read more|exercise|cut"
        r"|build a habit)|preparing for|training for|saving (?:up )?for|studying for|applying "
        r"(?:for|to))(?! a (?:lot|ton)| so much| more$) ?(?P<v>.{0,60})",
        "",
        "goal",
        "goal",
        0.7,
    ),
    pattern(
        r"am (?:currently |now |also )*(?P<k>working on|building|writing|developing|designing"
        r"|renovating) (?P<v>(?:a|an|my) [^,]{2,60})",
        "",
        "goal",
        "project",
        0.7,
    ),
    pattern(
        r"am (?:currently )?(?:responsible for|in charge of) (?P<v>.{2,50})", "", "fact", "occupation", 0.7
    ),
    pattern(
        r"(?:lead|manage|maintain|run|own) (?P<v>(?:a|an|the|my) (?:\w+ ){0,3}(?:team|company"
        r"|project|library|shop|store|business|department|startup|farm|restaurant))",
        "",
        "fact",
        "occupation",
        0.7,
    ),
    pattern(
        r"(?:am|got|have been|am now|just got) (?P<v>married|single|divorced|engaged|retired|pregnant|widowed)"
        + r"(?P<w>.{0,30})",
        "",
        "identity",
        "family",
        0.7,
    ),
    pattern(
        r"(?:have|own|adopted|have got) (?P<v>(?:an?|one|two|three|four|five|\d) (?:\w+ ){0,2}"
        r"(?:kids?|child(?:ren)?|sons?|daughters?|dogs?|cats?|rabbits?|parrots?|horses?"
        r"|hamsters?|puppy|kitten|brothers?|sisters?|twins)(?: (?:named|called) [\w ]+)?)" + WHEN,
        "",
        "fact",
        "family",
        0.7,
    ),
    pattern(
        r"(?:can )?speak (?P<v>(?:fluent |some |a little )?(?-i:[A-Z])[^,]{2,50})",
        "",
        "identity",
        "person",
        0.7,
    ),
    pattern(r"graduated from (?P<v>.{3,50})", "", "fact", "person", 0.7),
    pattern(
        r"(?P<adv>usually|always|typically|normally|generally|often|never|rarely|tend to"
        r"|like to start) (?P<v>.{3,60})",
        "",
        "habit",
        "habit",
        0.7,
    ),
    pattern(
        r"(?!(?:could|would|should|am|have|had|was|can|will|cannot|need|want|think)\b)"
        r"(?P<v>(?:\w+)(?: [\w']+){0,7} (?:every (?!time\b|single time)(?:other )?(?:\w+)|on (?:mon|tues|wednes"
        r"|thurs|fri|satur|sun)days|on weekends|at weekends|twice a week|once a week|daily"
        r"|three times a week|each (?:morning|evening|night|day|week))(?: [\w ]{1,30})?)",
        "",
        "habit",
        "habit",
        0.7,
    ),
)
"""Rows in the order in which they are tried."""
