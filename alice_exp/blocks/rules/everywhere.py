"""Tells whether words say that they hold in every project, not in the one where they were said alone (DESIGN 7)."""

from __future__ import annotations

import re

from alice_exp.kernel.text.lazy_pattern import LazyPattern

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
