"""What English predicates say about a speaker: one row a form of words, tried from top to bottom (R4.17, R4.19).

A row is tried on what follows "I", contractions spelt out ("am", "do not"). Group ``v`` is the value that was said,
``adv`` says how strongly, ``o`` is what was given up.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from alice_exp.core.model import BlockType
from alice_exp.rules.extraction.values import Concept, Slot


@dataclass(frozen=True, slots=True)
class Pattern:
    """A predicate after "I", how it is told (empty: in the third person as it is), and how much it matters."""

    says: re.Pattern[str]
    content: str
    type: BlockType
    concept: Concept
    importance: float
    slot: Slot = ""
    narrow: bool = True


def pattern(
    says: str,
    content: str,
    type_: BlockType,
    concept: Concept,
    importance: float,
    slot: Slot = "",
    narrow: bool = True,
) -> Pattern:
    """A row of the table; ``narrow`` refuses values about this very moment."""
    return Pattern(re.compile("^" + says + "$", re.IGNORECASE), content, type_, concept, importance, slot, narrow)


_ADV = r"(?P<adv>(?:really |absolutely |also |just |mostly |mainly |primarily |usually |always |often |currently |now |still |personally |truly |kind of |sort of |quite |generally |almost always |exclusively |particularly |especially |much |definitely )*)"
WHEN = r"(?: (?:with .{2,40}|now|currently|these days|at the moment|today|right now|last \w+|this \w+|recently|already|by the way|anymore|\w+ (?:ago|back)|a (?:few|couple of) \w+ ago|since .{2,12}|for \w+ \w+(?: \w+)?))*"
_PLACE = r"(?P<v>(?:the )?(?-i:[A-Z])[\w'. -]*(?:, (?-i:[A-Z])[\w ]+)?)"
_LANGUAGES = r"(?:python|java|javascript|typescript|rust|go|golang|c|c\+\+|c#|ruby|php|kotlin|swift|scala|haskell|elixir|clojure|sql|r|perl|lua|dart|zig|ocaml|f#|bash|cobol|fortran|matlab|julia)"
_TOOLISH = r"(?P<v>(?:(?-i:[A-Z])|vim\b|neovim\b|emacs\b|git\b|tmux\b|zsh\b|bash\b|fish\b|vscode\b|docker\b|python\b|java\b|rust\b|go\b|linux\b|macos\b|i3\b|pytest\b|postgres\w*\b|mysql\b|\ue000|" + _LANGUAGES + r"\b)[^,]{0,40})"

PATTERNS: tuple[Pattern, ...] = (
    pattern(r"am (?:called|known as|named) (?P<v>(?-i:[A-Z])[\w'. -]{0,30})", "The user's name is {v}", "identity", "name", 0.9, "name"),
    pattern(r"go by (?P<v>(?-i:[A-Z])[\w'. -]{0,30})", "The user goes by {v}", "identity", "name", 0.9),
    pattern(r"am (?:now |already |only )?(?P<v>\d{1,3})(?: years? old| yo)?", "The user is {v} years old", "identity", "person", 0.7),
    pattern(r"(?:was born) (?:in|on) (?P<v>.{2,30})", "", "identity", "person", 0.7),
    pattern(r"(?:am|come) (?:originally )?from " + _PLACE, "The user is from {v}", "identity", "place", 0.7),
    pattern(r"grew up in " + _PLACE, "The user grew up in {v}", "identity", "place", 0.7),
    pattern(r"(?:have )?(?:just |recently |finally )*(?:moved|relocated)(?: from [^,]+?)? to " + _PLACE + WHEN, "The user lives in {v} now", "identity", "place", 0.7, "city"),
    pattern(_ADV + r"(?:live|reside|live just|am (?:based|located|living|staying)) (?:just )?(?:in|near|outside(?: of)?) " + _PLACE + WHEN, "The user lives in {v}", "identity", "place", 0.7, "city"),
    pattern(r"(?:now |currently )*(?:work|am (?:working|employed)|am) (?:at|for) (?P<v>(?-i:[A-Z])[\w'. &-]+?)" + WHEN, "The user works at {v}", "fact", "occupation", 0.7),
    pattern(r"(?:now |currently )*(?:work|am working) (?:in|from) " + _PLACE + WHEN, "The user works in {v}", "fact", "place", 0.7, "city"),
    pattern(r"(?:work|am working) (?:in|with) (?P<v>[a-z][\w ]{2,30})", "", "fact", "occupation", 0.7),
    pattern(r"(?:teach|practice) (?P<v>.{2,40})", "", "identity", "occupation", 0.7),
    pattern(r"(?:am studying|study|am majoring in|major in|am doing (?:a|my) (?:phd|master's|degree) in) (?P<v>.{2,50})", "", "identity", "occupation", 0.7),
    pattern(r"am (?:not (?:really )?a (?:big |huge )?fan of) (?P<v>.{2,50})", "The user is not a fan of {v}", "preference", "dislikes", 0.7),
    pattern(r"am (?P<adv>(?:very |really |a |an |the |quite )*)(?P<k>(?:big |huge )?fan of|fond of|into|interested in|passionate about|crazy about|keen on|obsessed with) (?P<v>.{2,50})", "", "preference", "likes", 0.7),
    pattern(r"am (?:severely |very |badly )?(?:allergic to|intolerant to) (?P<v>.{2,40})", "", "fact", "health", 0.9),
    pattern(r"have (?P<v>(?:a|an) [\w ]*allergy(?: to [\w ]+)?|celiac disease|diabetes|asthma|adhd|dyslexia)", "", "fact", "health", 0.9),
    pattern(r"am (?:a |an )?(?:strict |mostly )?(?P<v>vegetarian|vegan|pescatarian|lactose intolerant|gluten[- ]free|diabetic|celiac|colou?r[- ]?blind|left[- ]handed|dyslexic|an? introvert|introvert|an? extrovert|kosher|halal)", "", "preference", "health", 0.8),
    pattern(r"have (?:lived|been living) in " + _PLACE + WHEN, "The user lives in {v}", "identity", "place", 0.7, "city"),
    pattern(r"have (?:worked|been working) (?P<v>(?:at|for|as) .{2,50})", "", "fact", "occupation", 0.7),
    pattern(r"(?:left (?P<o>.{2,40}?) and )?(?:have )?(?:just |recently )*(?:joined|started (?:a new job )?at|got a job at|got hired by) (?P<v>.{2,50}?)" + WHEN, "The user joined {v}", "fact", "occupation", 0.7),
    pattern(r"(?:have been|was|got) (?:just )?promoted to (?P<v>.{2,40})", "", "identity", "occupation", 0.7),
    pattern(r"work (?P<v>remotely|from home|part[- ]time|full[- ]time|night shifts?|nights|shifts|freelance)(?P<w>.{0,40})", "", "fact", "occupation", 0.7),
    pattern(r"(?:commute|get to work|go to work) (?P<v>by .{2,30})", "", "habit", "habit", 0.7),
    pattern(r"am (?:a |an )?(?P<v>night owl|early bird|morning person|night person|introvert|extrovert|dog person|cat person|coffee person|tea drinker|non-smoker|smoker|heavy sleeper|light sleeper|minimalist|perfectionist|beginner [\w ]+|foodie|bookworm|gamer)", "", "preference", "likes", 0.7),
    pattern(r"am (?:really |very |so )?(?:afraid of|scared of|terrified of|sensitive to) (?P<v>(?!los|mak|say|fail|break)[\w ]{2,30})", "", "fact", "health", 0.7),
    pattern(r"am (?:moving|relocating|going back|getting married|expecting|turning \d+|retiring)(?P<v>.{0,40})", "", "goal", "goal", 0.7),
    pattern(r"(?:cannot|can not|do not) (?:tolerate|digest|handle|have|do) (?P<v>(?:any )?(?:gluten|dairy|lactose|nuts|peanuts|sugar|caffeine|alcohol|spicy food|shellfish|meat|milk)\b.{0,30})", "", "preference", "health", 0.8),
    pattern(r"(?:only|just) (?:use|drink|eat|wear|buy|watch|read|listen to|work|fly|shop) (?P<v>.{2,50})", "", "preference", "likes", 0.7),
    pattern(r"(?:have )?(?:quit|given up|gave up|stopped) (?P<v>(?:smoking|drinking|sugar|coffee|caffeine|alcohol|meat|dairy|social media|gluten|eating \w+|soda)\b.{0,30})", "", "habit", "habit", 0.7),
    pattern(r"do not (?!.*any ?more)(?P<v>(?:work|check|take|answer|drink|have|eat|schedule|do|use) .{0,30}\b(?:after|before|on|at|during|past) .{2,25})", "", "habit", "habit", 0.7),
    pattern(r"(?:do|write) (?:most|all|a lot) of my (?P<k>coding|programming|work|writing|development) in (?P<v>.{2,40})", "", "fact", "tools", 0.7),
    pattern(r"(?P<k>play|collect|practi[cs]e|brew|grow|bake|paint|knit|surf|ski|sing in|dance|volunteer|coach|drive|ride|wear|own|breed|follow) (?P<v>(?:the |a |an |my |at |as |in )?(?!role|devil)[a-z]\w.{2,40}|(?-i:[A-Z])\w+)", "", "preference", "likes", 0.7),
    pattern(r"(?:run|own|manage|lead|co-?own|founded|started) (?P<v>(?:a|an|my own) (?!test|script|command|query|server|program|build|migration|container|job|process|thread|loop|report|check|docker|benchmark|new|conversation|discussion|project called|pull|branch)[\w' -]{3,50})", "", "identity", "occupation", 0.7),
    pattern(r"am (?:bilingual|fluent in|a native speaker of|native in) ?(?P<v>.{0,40})", "", "identity", "person", 0.7),
    pattern(r"(?P<v>meditate|swim|run|jog|cycle|exercise|work out|fast|journal|stretch|lift weights|do yoga|go to the gym|go running|go swimming)(?P<w> .{3,50})", "", "habit", "habit", 0.7),
    pattern(r"(?P<n>do not|never|no longer|cannot) (?P<do>eat|drink|smoke|consume) (?P<v>.{2,40})", "", "preference", "dislikes", 0.7),
    pattern(r"(?:really |absolutely |personally |just )*(?P<n>do not (?:really |particularly )?(?:like|enjoy|love|care for)|dislike|hate|cannot stand|detest|despise|loathe|cannot bear|avoid) (?P<v>.{2,60})", "", "preference", "dislikes", 0.7),
    pattern(r"(?:have )?(?:just |recently )*(?:switched|moved|migrated)(?: (?:over|away))?(?: from (?P<o>[^,]+?))? to " + _TOOLISH, "The user uses {v} now", "fact", "tools", 0.7),
    pattern(r"(?:do not use|no longer use|stopped using|gave up) (?P<v>[^,]{2,30}?)(?: (?:anymore|any more|any longer))?", "The user no longer uses {v}", "fact", "tools", 0.6),
    pattern(_ADV + r"(?:write|code(?: mostly)? in|program in|develop in|script in) (?:mostly |mainly )?(?P<v>" + _LANGUAGES + r"(?:(?:,| and|, and| or|/) ?" + _LANGUAGES + r")*)(?: code)?" + WHEN, "", "fact", "tools", 0.7),
    pattern(r"(?:have been |am )?" + _ADV + r"(?:using|running)(?: mostly| mainly)? " + _TOOLISH, "The user uses {v}", "fact", "tools", 0.7),
    pattern(r"am (?:running )?on (?P<v>(?:a )?(?-i:[A-Z])[\w .]*(?:Linux|OS|Windows|Ubuntu|Debian|Fedora|Mac\w*|NixOS|Pixel|Android|iPhone)[\w .]*|(?:Linux|Windows|Ubuntu|Debian|Fedora|Mac\w*|NixOS|macOS|Android)[\w .]*)", "The user is on {v}", "fact", "tools", 0.7),
    pattern(_ADV + r"(?:use|run|work (?:in|with)|rely on) " + _TOOLISH, "", "fact", "tools", 0.7),
    pattern(r"(?:would|'d) (?:rather|prefer)(?: to)? (?P<v>.{3,60})", "The user would rather {v}", "preference", "likes", 0.7, "", False),
    pattern(_ADV + r"(?P<k>like|love|enjoy|prefer|adore) (?!to$|to (?:know|see|ask|have you)|if\b)(?P<v>.{2,70})", "", "preference", "likes", 0.7),
    pattern(r"(?:really |still )*(?:want|would (?:like|love)|hope|aim|plan|intend|aspire|am (?:planning|hoping|aiming|going)) to (?P<v>(?:learn|become|be |run a|visit|travel|move|start (?:a|my)|write (?:a|my) (?:book|novel|thesis)|lose|get (?:a|my|into|fit|better)|improve my|build (?:a|my) (?:house|career|business)|read more|buy (?:a|my)|open (?:a|my)|live|study|master|retire|quit|finish|pass|save|graduate|apply|publish|launch|climb|speak|switch careers|change careers).{0,60})", "", "goal", "goal", 0.7, "", False),
    pattern(r"am (?:currently |now |also |just )*(?P<k>learning|trying to (?:learn|lose|quit|get (?:fit|in shape|better)|improve my|save|eat|become|read more|exercise|cut|build a habit)|preparing for|training for|saving (?:up )?for|studying for|applying (?:for|to))(?! a (?:lot|ton)| so much| more$) ?(?P<v>.{0,60})", "", "goal", "goal", 0.7),
    pattern(r"am (?:currently |now |also )*(?P<k>working on|building|writing|developing|designing|renovating) (?P<v>(?:a|an|my) [^,]{2,60})", "", "goal", "project", 0.7),
    pattern(r"am (?:currently )?(?:responsible for|in charge of) (?P<v>.{2,50})", "", "fact", "occupation", 0.7),
    pattern(r"(?:lead|manage|maintain|run|own) (?P<v>(?:a|an|the|my) (?:\w+ ){0,3}(?:team|company|project|library|shop|store|business|department|startup|farm|restaurant))", "", "fact", "occupation", 0.7),
    pattern(r"(?:am|got|have been|am now|just got) (?P<v>married|single|divorced|engaged|retired|pregnant|widowed)" + r"(?P<w>.{0,30})", "", "identity", "family", 0.7),
    pattern(r"(?:have|own|adopted|have got) (?P<v>(?:an?|one|two|three|four|five|\d) (?:\w+ ){0,2}(?:kids?|child(?:ren)?|sons?|daughters?|dogs?|cats?|rabbits?|parrots?|horses?|hamsters?|puppy|kitten|brothers?|sisters?|twins)(?: (?:named|called) [\w ]+)?)" + WHEN, "", "fact", "family", 0.7),
    pattern(r"(?:can )?speak (?P<v>(?:fluent |some |a little )?(?-i:[A-Z])[^,]{2,50})", "", "identity", "person", 0.7),
    pattern(r"graduated from (?P<v>.{3,50})", "", "fact", "person", 0.7),
    pattern(r"(?P<adv>usually|always|typically|normally|generally|often|never|rarely|tend to|like to start) (?P<v>.{3,60})", "", "habit", "habit", 0.7),
    pattern(r"(?P<v>(?:\w+)(?: [\w']+){0,7} (?:every (?:other )?(?:\w+)|on (?:mon|tues|wednes|thurs|fri|satur|sun)days|on weekends|at weekends|twice a week|once a week|daily|three times a week|each (?:morning|evening|night|day|week))(?: [\w ]{1,30})?)", "", "habit", "habit", 0.7),
)

