"""Who an English speaker is: name, age, places, work, health (R4.17, R4.19)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alice_exp.rules.extraction.english_forms import ADV, PLACE, WHEN, pattern

if TYPE_CHECKING:
    from alice_exp.rules.extraction.values import Pattern

LIFE: tuple[Pattern, ...] = (
    pattern(
        r"am (?:called|known as|named) (?P<v>(?-i:[A-Z])[\w'. -]{0,30})",
        "The user's name is {v}",
        "identity",
        "name",
        0.9,
        "name",
    ),
    pattern(r"go by (?P<v>(?-i:[A-Z])[\w'. -]{0,30})", "The user goes by {v}", "identity", "name", 0.9),
    pattern(
        r"am (?:now |already |only )?(?P<v>\d{1,3})(?: years? old| yo)?|am an? (?P<o>\d{1,3})[- ]year[- ]old"
        r"(?: [a-z]+)?",
        "The user is {v}{o} years old",
        "identity",
        "person",
        0.7,
    ),
    pattern(r"(?:was born) (?:in|on) (?P<v>.{2,30})", "", "identity", "person", 0.7),
    pattern(r"(?:am|come) (?:originally )?from " + PLACE, "The user is from {v}", "identity", "place", 0.7),
    pattern(r"grew up in " + PLACE, "The user grew up in {v}", "identity", "place", 0.7),
    pattern(
        r"(?:have )?(?:just |recently |finally )*(?:moved|relocated)(?: from [^,]+?)? to " + PLACE + WHEN,
        "The user lives in {v} now",
        "identity",
        "place",
        0.7,
        "city",
    ),
    pattern(
        ADV
        + r"(?:live|reside|live just|am (?:based|located|living|staying)) (?:just )?(?:in|near|outside(?: of)?) "
        + PLACE
        + WHEN,
        "The user lives in {v}",
        "identity",
        "place",
        0.7,
        "city",
    ),
    pattern(
        r"(?:now |currently )*(?:work|am (?:working|employed)|am) (?:at|for) (?P<v>(?-i:[A-Z])[\w'. &-]+?)"
        + WHEN,
        "The user works at {v}",
        "fact",
        "occupation",
        0.7,
    ),
    pattern(
        r"(?:now |currently )*(?:work|am working) (?:in|from) " + PLACE + WHEN,
        "The user works in {v}",
        "fact",
        "place",
        0.7,
        "city",
    ),
    pattern(r"(?:work|am working) (?:in|with) (?P<v>[a-z][\w ]{2,30})", "", "fact", "occupation", 0.7),
    pattern(r"(?:teach|practice) (?P<v>.{2,40})", "", "identity", "occupation", 0.7),
    pattern(
        r"(?:am studying(?! for\b)|study(?! for\b)|am majoring in|major in|am doing (?:a|my) (?:phd|master's"
        r"|degree) in) (?P<v>.{2,50})",
        "",
        "identity",
        "occupation",
        0.7,
    ),
    pattern(
        r"am (?:not (?:really )?a (?:big |huge )?fan of) (?P<v>.{2,50})",
        "The user is not a fan of {v}",
        "preference",
        "dislikes",
        0.7,
    ),
    pattern(
        r"am (?P<adv>(?:very |really |a |an |the |quite )*)(?P<k>(?:big |huge )?fan of|fond of"
        r"|into|interested in|passionate about|crazy about|keen on|obsessed with) "
        r"(?P<v>.{2,50})",
        "",
        "preference",
        "likes",
        0.7,
    ),
    pattern(
        r"am (?:severely |very |badly )?(?:allergic to|intolerant to) (?P<v>.{2,40})",
        "",
        "fact",
        "health",
        0.9,
    ),
    pattern(
        r"have (?P<v>(?:a|an) [\w ]*allergy(?: to [\w ]+)?|celiac disease|diabetes|asthma|adhd|dyslexia)",
        "",
        "fact",
        "health",
        0.9,
    ),
    pattern(
        r"am (?:a |an )?(?:strict |mostly )?(?P<v>vegetarian|vegan|pescatarian"
        r"|lactose intolerant|gluten[- ]free|diabetic|celiac|colou?r[- ]?blind|left[- ]handed"
        r"|dyslexic|an? introvert|introvert|an? extrovert|kosher|halal)",
        "",
        "preference",
        "health",
        0.8,
    ),
    pattern(
        r"have (?:lived|been (?:living|based|located|staying)) in " + PLACE + WHEN,
        "The user lives in {v}",
        "identity",
        "place",
        0.7,
        "city",
    ),
    pattern(r"have (?:worked|been working) (?P<v>(?:at|for|as) .{2,50})", "", "fact", "occupation", 0.7),
    pattern(
        r"(?:left (?P<o>.{2,40}?) and )?(?:have )?(?:just |recently )*(?:joined|started "
        r"(?:a new job )?at|got a job at|got hired by) (?P<v>.{2,50}?)" + WHEN,
        "The user joined {v}",
        "fact",
        "occupation",
        0.7,
    ),
    pattern(r"(?:have been|was|got) (?:just )?promoted to (?P<v>.{2,40})", "", "identity", "occupation", 0.7),
    pattern(
        r"work (?P<v>remotely|from home|part[- ]time|full[- ]time|night shifts?|nights|shifts"
        r"|freelance)(?P<w>.{0,40})",
        "",
        "fact",
        "occupation",
        0.7,
    ),
    pattern(r"(?:commute|get to work|go to work) (?P<v>by .{2,30})", "", "habit", "habit", 0.7),
    pattern(
        r"am (?:a |an )?(?P<v>night owl|early bird|morning person|night person|introvert"
        r"|extrovert|dog person|cat person|coffee person|tea drinker|non-smoker|smoker"
        r"|heavy sleeper|light sleeper|minimalist|perfectionist|beginner [\w ]+|foodie"
        r"|bookworm|gamer)",
        "",
        "preference",
        "likes",
        0.7,
    ),
    pattern(
        r"am (?:really |very |so )?(?:afraid of|scared of|terrified of|sensitive to) (?P<v>"
        r"(?!los|mak|say|fail|break)[\w ]{2,30})",
        "",
        "fact",
        "health",
        0.7,
    ),
    pattern(
        r"am (?:moving|relocating|going back|getting married|expecting|turning \d+|retiring)(?P<v>.{0,40})",
        "",
        "goal",
        "goal",
        0.7,
    ),
    pattern(
        r"(?:cannot|can not|do not) (?:tolerate|digest|handle|have|do) (?P<v>(?:any )?"
        r"(?:gluten|dairy|lactose|nuts|peanuts|sugar|caffeine|alcohol|spicy food|shellfish"
        r"|meat|milk)\b.{0,30})",
        "",
        "preference",
        "health",
        0.8,
    ),
    pattern(
        r"(?:only|just) (?:use|drink|eat|wear|buy|watch|read|listen to|work|fly|shop) (?P<v>.{2,50})",
        "",
        "preference",
        "likes",
        0.7,
    ),
    pattern(
        r"(?:have )?(?:quit|given up|gave up|stopped) (?P<v>(?:smoking|drinking|sugar|coffee"
        r"|caffeine|alcohol|meat|dairy|social media|gluten|eating \w+|soda)\b.{0,30})",
        "",
        "habit",
        "habit",
        0.7,
    ),
    pattern(
        r"do not (?!.*any ?more|.*\bon (?:me|hand)\b)(?P<v>(?:work|check|take|answer|drink|have|eat|schedule|do"
        r"|use) .{0,30}\b(?:after|before|on|at|during|past) .{2,25})",
        "",
        "habit",
        "habit",
        0.7,
    ),
    pattern(
        r"(?:do|write) (?:most|all|a lot) of my (?P<k>coding|programming|work|writing|development) in (?P<v>.{2,40})",
        "",
        "fact",
        "tools",
        0.7,
    ),
    pattern(
        r"(?P<k>play|collect|practi[cs]e|brew|grow|bake|paint|knit|surf|ski|sing in|dance"
        r"|volunteer|coach|drive|ride|wear|breed|follow) (?P<v>(?:the |a |an |my |at |as "
        r"|in )?(?!role|devil)[a-z]\w.{2,40}|(?-i:[A-Z])\w+)",
        "",
        "preference",
        "likes",
        0.7,
    ),
    pattern(
        r"(?:run|own(?=.*\b(?:business|shop|store|company|restaurant|caf[eé]|bakery|farm|salon|studio|gym"
        r"|bar|hotel|clinic|agency|startup|practice|garage|brewery|firm)\b)|manage|lead|co-?own|founded"
        r"|started) (?P<v>(?:a|an|my own) (?!test|script"
        r"|command|query|server|program|build|migration|container|job|process|thread|loop"
        r"|report|check|docker|benchmark|new|conversation|discussion|project called|pull"
        r"|branch)[\w' -]{3,50})",
        "",
        "identity",
        "occupation",
        0.7,
    ),
    pattern(
        r"am (?:bilingual|fluent in|a native speaker of|native in) ?(?P<v>.{0,40})",
        "",
        "identity",
        "person",
        0.7,
    ),
    pattern(
        r"(?P<v>meditate|swim|run|jog|cycle|exercise|work out|fast|journal|stretch"
        r"|lift weights|do yoga|go to the gym|go running|go swimming)(?P<w> (?!(?:the|a|an|this|that|my|our"
        r"|into|out|npm|make|git)\b).{3,50})",
        "",
        "habit",
        "habit",
        0.7,
    ),
)
"""Rows in the order in which they are tried."""
