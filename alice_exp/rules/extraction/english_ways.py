"""How an English speaker lives, in less usual words: tastes, belongings, plans, days (R4.17, R4.19).

Tried behind the tables of who they are and what they like, which are the stricter ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from alice_exp.rules.extraction.english_forms import WHEN, pattern

if TYPE_CHECKING:
    from alice_exp.rules.extraction.values import Pattern

_NOT_NOW = (
    r"(?!(?:am|was|were|had|have|will|would|could|should|can|cannot|might|may|must|did|do not|need|want"
    r"|think|know|guess|just|got|went|saw"
    r"|found|made|took|came|said|told|tried|ran|wrote|read that|mean|hope|wonder|see|agree|appreciate"
    r"|understand|believe|suppose|am sorry)\b"
    r"|\w+ed\b)"
)
_OFTEN = (
    r"(?:(?:on|during) (?:weekdays?|weekends|week nights|\w+days)|(?:most|all) (?:days|mornings|evenings"
    r"|nights|weekends)|(?:a|per|each|every) "
    r"(?:single )?(?:day|week|month|year|morning|night|evening)|every (?!time|single)(?:other )?\w+|at \d{1,2}"
    r"(?::\d\d)? ?(?:am|pm|o'clock)?(?: sharp)?"
    r"|(?:in|during) the (?:mornings?|evenings?|afternoons?|winter|summer)|(?:before|after"
    r"|whenever) I .{3,30}|(?:before|after) (?:bed|work"
    r"|lunch|dinner|breakfast|school|class|\w+ing)"
    r"|first thing(?: in the morning)?|at night|regularly|religiously|around (?:\d{1,2}|noon"
    r"|midnight)\S*|on the weekend)"
)

WAYS: tuple[Pattern, ...] = (
    pattern(
        r"am (?P<v>(?:an? )(?:(?:very|really|pretty|big|huge|massive|lifelong|die-?hard|avid|total|complete"
        r"|proud|devout|practi[sc]ing|strict|keen|hardcore|serious) )*"
        r"(?:[\w'&-]+ ){0,3}(?:fan|enthusiast|lover|buff|nerd|geek|addict|junkie|supporter|reader|collector"
        r"|hiker|runner|cyclist|climber|swimmer|gardener"
        r"|christian|muslim|jew|catholic|buddhist|hindu|atheist|procrastinator|extrovert|introvert"
        r"|vegetarian|vegan|morning person|visual learner"
        r"|slow reader|picky eater|homebody|[ie]n[tf][jp]|only child|twin|single (?:mom|mum|dad|parent"
        r"|mother|father)|mother of .{3,20}|father of .{3,20}|grandmother|grandfather|widow|widower))",
        "",
        "preference",
        "likes",
        0.7,
    ),
    pattern(
        r"(?:really |simply |just )*(?P<k>cannot live without|could not live without|cannot get enough of"
        r"|am addicted to|am hooked on|am a sucker for|have a soft spot for"
        r"|have a weakness for|have a thing for|am partial to|swear by|am big on|am all about"
        r"|am in love with|am fascinated by|am drawn to|look forward to|live for|gravitate towards?"
        r"|lean towards?|favou?r|go for|have always loved|have always liked|have always wanted) "
        r"(?P<v>.{2,50})",
        "",
        "preference",
        "likes",
        0.7,
    ),
    pattern(
        r"(?:would )?(?:always )?(?:take|pick|choose|go for) (?P<v>.{2,25} over .{2,25}?)(?: any ?(?:day|time))?",
        "The user would choose {v}",
        "preference",
        "likes",
        0.7,
    ),
    pattern(
        r"(?:really |just |simply |kind of )*(?P<k>cannot (?:take|tolerate|abide|deal with)|do not "
        r"(?:really |much )?(?:care (?:much )?for|get along with|fancy|trust|want any)|am (?:so |really "
        r"|pretty )?(?:sick of"
        r"|tired of|fed up with|bored (?:of|by)|annoyed by|bothered by|put off by|turned off by|not "
        r"(?:really |much )?(?:a (?:big |huge )?(?:\w+ )?(?:fan|person|drinker|eater)|into|big on|keen on"
        r"|fond of|interested in|crazy about)|no fan of)|have no (?:interest in|patience for|time for)"
        r"|refuse to|find) "
        r"(?P<v>(?<!find )(?:of )?.{2,50}|(?<=find ).{2,40} (?:boring|annoying|disgusting|tedious|irritating"
        r"|overrated|exhausting|stressful|gross))",
        "",
        "preference",
        "dislikes",
        0.7,
    ),
    pattern(
        r"am not (?:really )?(?P<v>an? (?:\w+ )?(?:morning|dog|cat|people|night|coffee|tea|beach) person|a "
        r"(?:big |huge )?(?:\w+ )?(?:drinker|eater|fan))",
        "",
        "preference",
        "dislikes",
        0.7,
    ),
    pattern(
        r"(?:have|own|adopted|rescued|got) (?P<v>(?:an?|one|two|three|four|\d|my) .{2,30}? (?:named|called) "
        r"(?-i:[A-Z])[\w ]+)" + WHEN,
        "",
        "fact",
        "family",
        0.7,
    ),
    pattern(
        r"(?:have|am raising|am expecting) (?P<v>(?:an?|one|two|three|four|five|six|\d)(?: [\w-]+){0,3} "
        r"(?:kids?|child(?:ren)?|sons?|daughters?|girls|boys|grandkids|grandchildren|siblings?|brothers?"
        r"|sisters?|dogs?|cats?"
        r"|toddlers?|teenagers?|babies|baby|chickens|goldfish|retriever|poodle|labrador|corgi|beagle|husky"
        r"|terrier|tabby|turtle|tortoise|snake|budgie))",
        "",
        "fact",
        "family",
        0.7,
    ),
    pattern(
        r"(?:own|drive|ride|bought|fly) (?P<v>(?:an? |my )?(?:\d{4} )?(?-i:[A-Z])[\w -]{2,30})",
        "",
        "fact",
        "person",
        0.7,
    ),
    pattern(
        r"(?:own|drive|ride|have) (?P<v>(?:an? |two )(?:\w+ ){0,3}(?:car|truck|van|motorcycle|motorbike|bike"
        r"|e-bike|house|apartment|flat|cabin|boat|piano|guitar|violin|drum kit|telescope|3d printer|camera"
        r"|allotment|garden|degree(?: in .{3,30})?"
        r"|phd(?: in .{3,30})?|master's(?: degree)?(?: in .{3,30})?|mba|driver's license|green card|passport))",
        "",
        "fact",
        "person",
        0.7,
    ),
    pattern(
        r"(?:mostly |usually |always )?(?:do|write|take|keep|draw|edit|track|manage|store|make) (?:most of "
        r"|almost all |all )?(?:of )?my (?P<k>[\w ]{3,25}?) (?:in|with|on|using) (?P<v>"
        r"(?-i:[A-Z])[^,]{1,30})",
        "The user does their {k} with {v}",
        "fact",
        "tools",
        0.7,
    ),
    pattern(
        r"(?:cycle|bike|walk|drive|commute|take the (?:bus|train|subway|tube|metro|tram|ferry)) (?P<v>(?:to"
        r"|into) (?:work|school|the office|campus|town|the city|college)(?: .{2,30})?)",
        "",
        "habit",
        "habit",
        0.7,
    ),
    pattern(
        r"(?:wake up|get up|rise|go to (?:bed|sleep)|start work(?:ing)?|finish work(?:ing)?|log off|have "
        r"(?:breakfast|lunch|dinner)|eat (?:breakfast|lunch|dinner)|leave (?:the office|work)|start my day)"
        r" (?P<v>(?:very |really |quite )?(?:early|late|(?:at|around|by|before|after|with) (?!the same).{1,30}))",
        "",
        "habit",
        "habit",
        0.7,
    ),
    pattern(
        r"am (?P<v>(?:not |un)?(?:available|free|off|busy|working|in the office|out of (?:the )?office"
        r"|offline|online|away|reachable) (?:on|after|before|until|from|between|during) (?!\d+ (?:min"
        r"|sec)).{3,40})",
        "",
        "habit",
        "habit",
        0.7,
    ),
    pattern(
        _NOT_NOW + r"(?P<v>\w+(?: [\w'-]+){0,8}? " + _OFTEN + r"(?: [\w ]{1,30})?)", "", "habit", "habit", 0.7
    ),
    pattern(
        r"(?P<v>(?:make (?:it )?a point of|am in the habit of|have a habit of|make sure to|stick to"
        r"|religiously|hardly ever|seldom|occasionally|sometimes|regularly|frequently) .{3,50})",
        "",
        "habit",
        "habit",
        0.7,
    ),
    pattern(
        r"(?:really |still |eventually |definitely |some ?day )*(?:plan|intend|aim|aspire|am (?:planning"
        r"|hoping|aiming|determined|set|aspiring|working hard|saving(?: up)?)) (?:on|to) "
        r"(?P<v>(?!(?:change|book|cancel|modify|update|fix|get|return|exchange|check|find|use|upgrade|add|remove|know"
        r"|see|ask|switch|send|merge|deploy|push|commit|test|debug|refund|order|pay)\b).{3,60})",
        "",
        "goal",
        "goal",
        0.7,
    ),
    pattern(
        r"(?:really |still |eventually |some ?day |one day )*(?:want|would (?:love|like)|hope|dream|wish"
        r"|am dreaming) (?:to|of) (?P<v>(?:\w+ ){1,7}?(?:some ?day|one day|next (?:year|month|summer|spring"
        r"|fall|winter)|this (?:year|summer|winter)|before (?:i turn|christmas|summer|the end of).*|by "
        r"(?:the end of|next|christmas|\d{4}|summer|january|june|december).*|in (?:two|three|five|ten"
        r"|the next) .*))",
        "",
        "goal",
        "goal",
        0.7,
        "",
        False,
    ),
    pattern(
        r"(?:really |still )*(?:want|hope|would (?:love|like)) to (?P<v>(?:run|join|own|earn|make more"
        r"|spend (?:more|less) time|eat (?:healthier|less|better)|drink less|sleep (?:more|better)|exercise"
        r"|work out|quit|give up|cut (?:down|back)|get (?:married|promoted|certified|fitter|healthy)|pay off"
        r"|have (?:a|kids|children)|adopt a|raise|hike|swim|cycle|compete|become|win|double|teach"
        r"|relocate|settle|emigrate|declutter|practi[sc]e)\b.{0,60})",
        "",
        "goal",
        "goal",
        0.7,
    ),
    pattern(
        r"am (?:currently |now |also |just |slowly )*(?P<k>working (?:toward|towards)|taking (?:a course"
        r"|classes|lessons|evening classes)|getting (?:into|back into|ready for)|dieting|trying to|saving"
        r"|writing|working on|translating|recording|restoring|organi[sz]ing|finishing|pursuing"
        r"|teaching myself)"
        r" (?P<v>(?:(?<=trying to )(?:stop|start|drink|sleep|walk|run|get|find a|gain|reduce|wake|spend"
        r"|practi[sc]e|stay|stick|be|buy)\b|(?<!trying to )(?:an?|my|for|in|to|on|up|\w+)\b).{2,60})",
        "",
        "goal",
        "goal",
        0.7,
    ),
)
"""Rows in the order in which they are tried."""
