"""What an English sentence says of its speaker though another word stands in front: "Hiking is my favorite sport"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from alice_exp.rules.extraction.english_orders import DEICTIC
from alice_exp.rules.extraction.third_person import of_user, third_person
from alice_exp.rules.extraction.values import Inference

if TYPE_CHECKING:
    from alice_exp.core.model import BlockType
    from alice_exp.rules.extraction.values import Concept

_I = re.IGNORECASE
_NOT_THINGS = (
    r"(?!(?:this|that|it|there|here|he|she|they|what|who|where|why|how|when|you|your|one|everything"
    r"|nothing|something|no|not|my|his|her|their|its|the (?:code|test|bug|error|same|problem))\b)"
)
_MINE_IS = re.compile(
    r"^"
    + _NOT_THINGS
    + r"(?P<v>[\w'&. -]{2,40}?) (?:is|are|has (?:always )?been|will always be) (?:definitely |probably "
    r"|by far |still |hands down |easily |one of )*"
    r"my (?P<k>(?:(?:all-time|absolute|biggest|main|number one|primary|favorite|current|native|second"
    r"|least|daily|true|real|lifelong|own|top) )*"
    r"(?:favorite|favorites|passions?|hobby|hobbies|first love|go-to|guilty pleasure|weakness|obsession"
    r"|dream|goal|ambition|specialty|speciality|strength|weak spot|strong suit"
    r"|native language|mother tongue|comfort food|pet peeve|nightmare|happy place|jam|cup of tea|thing"
    r"|hometown|home town|home|profession|job|occupation|major|first language|language|team|drink|dish"
    r"|food|sport|preference"
    r"|daily driver|editor|shell|browser|way)(?: (?:of|to|for|in|on|with|when|is)\b.{2,40}| \w+)?)$",
    _I,
)
_KINDS: tuple[tuple[str, BlockType, Concept], ...] = (
    (r"pet peeve|nightmare|least", "preference", "dislikes"),
    (r"dream|goal|ambition", "goal", "goal"),
    (r"hometown|home town|home\b", "identity", "place"),
    (r"profession|job|occupation", "identity", "occupation"),
    (r"native|mother tongue|first language|major|strength|weak spot|strong suit|special", "fact", "person"),
    (r"daily driver|editor|shell|browser", "fact", "tools"),
    (r"", "preference", "likes"),
)
_DOES_TO_ME = re.compile(
    r"^" + _NOT_THINGS + r"(?P<v>[\w'& -]{3,40}?) (?:really |always |just |totally |absolutely )*(?P<k>"
    r"(?:makes? me (?:happy|calm|relaxed|smile|feel (?:alive|good|calm|better|at home))|relax(?:es)? me"
    r"|fascinates? me|excites? me|inspires? me|helps? me (?:relax|focus|think|sleep|unwind|wind down))"
    r"|(?P<bad>makes? me (?:sick|nervous|anxious|uncomfortable|ill|sleepy|sneeze|itch|miserable)"
    r"|bores? me|annoys? me|drives? me (?:crazy|mad|nuts|insane|up the wall)|irritates? me|stress"
    r"(?:es)? me(?: out)?|gives? me (?:a headache|headaches|migraines|hives|anxiety|the creeps"
    r"|heartburn)|gross(?:es)? me out|scares? me|disgusts? me|upsets? my stomach|turns? me off"
    r"|triggers? my [\w ]+))$",
    _I,
)
_NOTHING_BEATS = re.compile(r"^(?:nothing beats|there is nothing (?:like|better than)) (?P<v>.{3,50})$", _I)
_OVER = re.compile(
    r"^(?P<v>[\w' -]{2,25} over [\w' -]{2,25}?)(?:,? (?:any ?(?:day|time)|always|every time|for me))$", _I
)
_OF_CHOICE = re.compile(
    r"^my (?P<k>[\w ]{3,20} of choice|go-to [\w ]{3,20}|usual [\w ]{3,20}|favorite (?!part of the "
    r"(?:code|file))[\w' ]{3,30}|(?:day|side|second) job|side (?:project|hustle|business)|dream (?:job"
    r"|car|house|home|trip|vacation|holiday)"
    r"|(?:sleep|work|morning|evening|exercise|gym|training) (?:schedule|routine|hours|days?)"
    r"|working hours|office hours|days? off|comfort food|specialty|field|area of expertise|thesis"
    r"|dissertation|research|family|ancestors|parents|heritage|background|degree|blood pressure|eyesight"
    r"|budget|t-?shirt size|ring size|preferred [\w ]{3,25}|pet peeve|biggest (?:fear|weakness|strength"
    r"|regret|pet peeve|dream|passion)|passion|motto|current (?:project|goal|role|position))"
    r" (?P<be>is|are|comes? from|runs? from|focus(?:es)? on|starts? at) (?P<v>(?!not\b|missing|broken"
    r"|empty|too\b|wrong).{1,60})$",
    _I,
)
_OURS = re.compile(
    r"^(?:at (?:work|my company|our company),? )?(?:we|our (?P<k>team|company|backend|frontend|stack"
    r"|servers?|apps?|database|product|code ?base|services?|infra(?:structure)?|pipelines?|site|website"
    r"|data|docs?|tickets|code))"
    r" (?:currently |now |mostly |all |mainly |still |always |both )*(?P<do>(?:(?:keep|store|track|host"
    r"|deploy|write|manage|build|test|run|ship|document|monitor|develop) (?:all |most of )?(?:our |the "
    r"|everything|it )?[\w ]{0,20}? ?(?:in|on|with|using|to|via)"
    r"|(?:runs?|lives?|is hosted|are hosted|is deployed|are deployed|is stored|are stored|is|are"
    r"|is managed|is built|are built|is powered|are tracked) (?:on|in|with|by|using|at)"
    r"|standardi[sz]ed on|settled on|rely on|relies on|moved to|migrated to|switched to|communicate "
    r"(?:via|over|on|through)))"
    r" (?P<v>(?-i:[A-Z])[^,]{1,40})$",
    _I,
)
_WE = re.compile(r"^(?:at (?:work|my company|our company),? )?we ", _I)
_ADDRESS = re.compile(
    r"^(?:everyone|everybody|people|my (?:friends|family|colleagues|coworkers)|most people|folks|they)"
    r"(?: just| all| usually)? (?:calls?|knows?) me (?:as )?(?P<v>(?-i:[A-Z])[\w'. -]{0,30})$",
    _I,
)


_HOME = re.compile(
    r"^my (?P<k>apartment|flat|house|home|place|office|family|workplace|company|school|university|shop"
    r"|studio) (?:is|are) (?:located |based |right )?"
    r"(?P<p>in|near|outside) (?P<v>(?:downtown )?(?-i:[A-Z])[\w'. -]*(?:, (?-i:[A-Z])[\w ]+)?)$",
    _I,
)
_THIS_IS = re.compile(
    r"^this is (?P<v>(?-i:[A-Z][a-z]+))(?: here| speaking|,? from (?:the )?(?-i:[A-Z])[\w ]+)$", _I
)


def topical(clause: str) -> Inference | None:
    """The inference of a clause that begins with something else than its speaker; None where it is not about them."""
    address = _ADDRESS.match(clause)
    if address:
        return Inference(
            f"The user wants to be called {address['v']}", 0.9, "identity", "name", "", address["v"]
        )
    this = _THIS_IS.match(clause)
    if this:
        return Inference(f"The user's name is {this['v']}", 0.9, "identity", "name", "name", this["v"])
    mine = _MINE_IS.match(clause)
    if mine and not DEICTIC.search(mine["v"]):
        type_, concept = next(row[1:] for row in _KINDS if re.search(row[0], mine["k"], _I))
        return Inference(_of_the_user(clause), 0.7, type_, concept, "", mine["v"])
    done = _DOES_TO_ME.match(clause)
    if done and not DEICTIC.search(done["v"]):
        concept = "dislikes" if done["bad"] else "likes"
        said = re.sub(r"\bme\b", "the user", clause, flags=_I)
        return Inference(_of_the_user(said), 0.7, "preference", concept, "", done["v"])
    liked = _NOTHING_BEATS.match(clause) or _OVER.match(clause)
    if liked and not DEICTIC.search(liked["v"]):
        return Inference(
            f"The user likes best: {of_user(liked['v'])}", 0.7, "preference", "likes", "", liked["v"]
        )
    return _own(clause)


def _own(clause: str) -> Inference | None:
    home = _HOME.match(clause)
    if home:
        content = f"The user's {home['k'].lower()} is {home['p'].lower()} {home['v']}"
        return Inference(content, 0.7, "identity", "place", "", home["v"])
    chosen = _OF_CHOICE.match(clause)
    if chosen and not DEICTIC.search(chosen["v"]):
        kind = chosen["k"].lower()
        dream = re.search(r"goal|dream|project", kind)
        liked = re.search(r"favorite|go-to|choice|comfort|passion|usual|peeve|preferred", kind)
        type_: BlockType = "goal" if dream else "preference" if liked else "fact"
        concept: Concept = "goal" if dream else "likes" if liked else "person"
        content = f"The user's {kind} {chosen['be'].lower()} {of_user(chosen['v'])}"
        return Inference(content, 0.7, type_, concept, "", chosen["v"])
    ours = _OURS.match(clause)
    if ours and not DEICTIC.search(ours["v"]):
        told = re.sub(r"^our\b", "The user's", clause, flags=_I)
        if told == clause:
            told = f"The user's team {third_person(_WE.sub('', clause))}"
        return Inference(of_user(told), 0.7, "fact", "tools", "", ours["v"])
    return None


def _of_the_user(text: str) -> str:
    """The text with "my" as "the user's", for a clause in which nothing names the user before."""
    return of_user(re.sub(r"\bmy\b", "the user's", text, count=1, flags=_I))
