"""What a rule rests on: sentences of the person as evidence, and which candidate rests on the same (DESIGN 14)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING

from alice_exp.kernel.text.data_files import LazyPattern, word_lists
from alice_exp.kernel.text.tokens import simple, tokens
from alice_exp.model.rules.identity import are_one, marks_of
from alice_exp.model.values.block import CUES, HEARD, About, Block, BlockType, Evidence, Placed

if TYPE_CHECKING:
    from alice_exp.caller.heard_queue import Heard, HeardQueue


def resting_on(queue: HeardQueue, heard: Sequence[Heard]) -> tuple[Evidence, ...]:
    """The evidence of a rule that rests on sentences, the newest last; before them when the same was said in other
    sessions."""
    pieces = [piece for one in heard for piece in queue.again(one)] + [one.evidence for one in heard]
    return tuple(sorted(dict.fromkeys(pieces), key=lambda piece: (bool(piece.quote), piece.at)))


def said_again(blocks: Iterable[Placed]) -> Callable[[Block], Placed | None]:
    """What finds the block that rests on the same order as a draft, said in another session of its project.

    Of one and the same sentence a rule takes the place of what cues found in it, and such a finding joins
    the rule; two rules of one sentence are two.
    """

    @cache
    def told() -> list[tuple[Placed, _Marks]]:
        return [(one, _marks(one.block)) for one in blocks if one.block.origin in (HEARD, CUES)]

    def found(draft: Block) -> Placed | None:
        mine, projects = _marks(draft), draft.project.split() or [""]
        # Only what was heard rests on a sentence, and only for it every block is looked at.
        if not mine:
            return None
        words = set(tokens(draft.payload.content))
        fits = [
            placed
            for placed, theirs in told()
            if placed.block.project in projects
            and _join(mine, theirs, (draft.origin == CUES) != (placed.block.origin == CUES))
        ]
        return max(
            fits, key=lambda one: len(words.intersection(tokens(one.block.payload.content))), default=None
        )

    return found


_Marks = list[tuple[tuple[str, str], frozenset[str]]]


def _join(mine: _Marks, theirs: _Marks, is_one_sided: bool) -> bool:
    return any(
        is_one_sided if said == other else are_one(marks, others)
        for said, marks in mine
        for other, others in theirs
    )


def _marks(one: Block) -> _Marks:
    pieces = [piece for piece in one.evidence if piece.kind == "session" and piece.quote]
    return [((piece.ref, piece.quote), marks_of(piece.quote)) for piece in pieces]


_OF_PERSONS = frozenset({"preference", "habit", "goal", "identity"})
"""Types of block that tell of a person, where their subject is one."""

_MYSELF = re.compile(r"^\s*(?:我(?!们|司|校|厂|院|组|部)|I\b|my )", re.IGNORECASE)
_FIRST = re.compile(r"^\s*(?:(我)|(my)\b|I(?: (am|have|(\w+))\b)?)", re.IGNORECASE)
_CHINESE, _ENGLISH = (
    r"^\s*(?:(?:该|本)?(?:用户|使用者)|本人)",
    r"^\s*(?:(?:the\s)?user|the\sperson(?!\s(?:on|in|with)\b))(?:['’]s)?\s",
)
_USER = re.compile(f"{_CHINESE}|{_ENGLISH}", re.IGNORECASE)


@cache
def _tells() -> tuple[LazyPattern, ...]:
    """What tells that a text is about the person, that it begins with a thing of a program, that it is of somebody's
    life, wherever that stands, and that it is of a program."""
    words = {
        name: "|".join(listed) for name, listed in word_lists("blocks/rules/data/about_user.txt").items()
    }
    person = (
        rf"{_CHINESE}(?:的|家|家里)?"
        rf"(?:(?:一个|两个|三个|大|小|二)?(?:{words['kin']})(?!账|版|模式)|{words['of a person']})"
        rf"|{_ENGLISH}(?:{words['english person']}|(?:{words['english kin']})\b)"
    )
    thing = rf"{_CHINESE}的?(?:{words['compound']})|{_ENGLISH}(?:{words['english compound']})\b"
    life = rf"{words['of a life']}|\b(?:{words['english life']})\b"
    program = rf"{words['program']}|\b(?:{words['english program']})\b"
    return tuple(LazyPattern(written, re.IGNORECASE) for written in (person, thing, life, program))


def subject_of(kind: BlockType, payload: str, suggested: str = "") -> About:
    """Whom a candidate is about where nobody said so, unless a place is suggested for it: the user, if it begins with
    them, and its type is one of persons, or nothing in it is of a program.

    No list holds all that one may tell of a person, and what is theirs is not to be shared: where nothing tells, it is
    theirs. A rule of the work that is taken for theirs waits for a person, who sees it.
    """
    if suggested:
        return "work"
    person, thing, life, program = _tells()
    payload = simple(payload)
    if not _USER.match(payload):
        # An agent says "I" of itself, too: of a fact its words have to be a person's.
        said = _FIRST.sub(_as_user, payload)
        return "user" if _MYSELF.match(payload) and (kind in _OF_PERSONS or person.match(said)) else "work"
    if person.match(payload):
        return "user"
    is_theirs = kind in _OF_PERSONS or life.search(payload) or not program.search(payload)
    return "user" if is_theirs and not thing.match(payload) else "work"


def _as_user(found: re.Match[str]) -> str:
    """The words with which somebody begins to speak of themselves, as said of the user."""
    mine, own, does, verb = found.groups()
    said = f"{verb}s" if verb else {"am": "is", "have": "has"}.get(does or "", "")
    return "用户" if mine else "the user's" if own else f"the user {said}"


_EN = r"(?:projects?|repos?|repositor(?:y|ies)|codebases?)"
_ZH = r"(?:项目|仓库|工程|代码库)"
_SAID = LazyPattern(
    rf"\b(?:in|across|for|on|to|of) (?:all|every|each|any)(?: single)?(?: of)?(?: (?:my|our|the|your))?"
    rf"(?: other)? {_EN}\b"
    rf"|\b(?:no matter|regardless of|independent of)(?: (?:which|what|the))? {_EN}\b"
    rf"|(?:所有|全部|每一?个|任何一?个?|各个|一切)的?{_ZH}|(?:无论|不管|不论)(?:是|在)?(?:哪一?个|什么|何种){_ZH}",
    re.IGNORECASE,
)
_DENIED = LazyPattern(
    # "Not in all projects", "don't do this in every repo"; a "never … in any project" holds in all of them.
    rf"\b(?:not|n[o']t|\w+n['’]t|only some)\b[^,.;:!?]{{0,40}} (?:all|every|each)\b[^,.;:!?]{{0,20}}{_EN}\b"
    rf"|(?:不是|并非|不要|不用|不必|别|未必)(?:在|对|把|让|给)?(?:所有|全部|每一?个|各个|一切)的?{_ZH}",
    re.IGNORECASE,
)


def held_in(project: str, *texts: str) -> str:
    """The project in which texts hold that were said in one: none where one of them says that it holds in all."""
    return "" if any(_SAID.search(one) and not _DENIED.search(one) for one in texts) else project
