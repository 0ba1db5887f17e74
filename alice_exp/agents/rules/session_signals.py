"""What a session's transcript shows of how a decision ended, by kind: tests, edits and words (DESIGN 12.9).

A signal is no report: it is stored and shown beside the reports, and moves nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from alice_exp.kernel.text.data_files import LazyPattern
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.rules.private_facts import masked_line

if TYPE_CHECKING:
    from alice_exp.conversations.rules.tool_uses import Deed

MOST_ACTIONS = 50
"""The most actions that are kept of a decision or a session, the newest."""

_DECISION = re.compile(r"\bdec-[a-z2-9]{8}\b")
_DECIDES = LazyPattern(r"\balice[-_]exp\b[^\n;|&]*\sdecide\b")
_CHECK = LazyPattern(
    r"(?:^|[;&|(])\s*(?:\w+=\S*\s+)*(?:(?:(?:uv|poetry|pdm|pipenv|hatch|rye|coverage)\s+run|npx|bunx|bundle\s+exec|time"
    r"|timeout\s+\S+|env|xvfb-run|python[\d.]*|-\w)\s+)*(?:\S*/)?"
    r"(?:pytest|py\.test|unittest|tox|nox|jest|vitest|mocha|rspec|phpunit|ctest|tsc|ninja|make"
    r"|(?:npm|pnpm|yarn|bun|deno|cargo|go|dotnet|swift|mix|rake|rails|bazel|mvnw?|gradlew?|sbt|just|task|cmake)\s+"
    r"(?:-[\w-]+\s+)*(?:run\s+)?(?:test|t|check|build|--build|verify|compile|vet|clippy|package))"
    r"(?![\w.-]*\.\w)\b[^;|\n]*"
)
_TAKEN_BACK = LazyPattern(
    r"\bgit\s+(?:-\S+\s+\S+\s+)?(?:checkout\s+(?:[\w/~^@{}.-]+\s+)?(?:--\s|\.(?:\s|$)|\S*\w\.[A-Za-z]\w*(?:\s|$))"
    r"|restore\s(?!.*--staged(?!.*--worktree))|revert\s|reset\s+(?:\S+\s+)*--hard)"
)
_CORRECTS = LazyPattern(
    r"^\W*(?:(?:oh|hm+|well|sorry|wait|please)[,. ]+)*(?:no(?:pe)?(?=[,.!\s]|$)(?!\s+(?:problem|worries|need|rush))"
    r"|wrong\b|not (?:that|what|like that|there)\b|that(?:'s|’s| is| was) (?:still )?(?:not|wrong)\b"
    r"|you (?:broke|forgot|missed|ignored|didn['’]?t|shouldn['’]?t|were(?:n['’]t| not) (?:asked|supposed))\b"
    r"|(?:undo|revert|roll (?:it|that|this) back|put (?:it|that|this) back)\b|still (?:fail|broken|not|wrong|does)"
    r"|(?:it|this|that) (?:still )?(?:(?:does|did)(?:n['’]?t| not) work|fails|broke)"
    r"|i (?:said|told you|asked (?:you )?(?:for|to)|did(?:n['’]?t| not) ask)\b|why did you\b)"
    r"|^\W*(?:不对|不是|错了|不要这|别这|撤销|撤回|还原|回滚|改回|还是不|还是没|没用|你(?:忘|漏|弄错|搞错|改错|又)|我说的是|我没让)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Trace:
    """What followed a decision in its session: the actions, oldest first, and what they seem to say of its end, by kind
    (True: it seemed ok). A kind that shows nothing is missing."""

    decision: str
    actions: tuple[str, ...]
    seemed: Mapping[str, bool]


def actions_of(deeds: Sequence[Deed]) -> tuple[str, ...]:
    """The commands and edits, in words, the newest ``MOST_ACTIONS``."""
    return tuple([told for one in deeds if (told := one.told)][-MOST_ACTIONS:])


def traces(deeds: Sequence[Deed], shown: Sequence[tuple[str, str]]) -> list[Trace]:
    """What followed each decision of a session.

    ``shown`` are the hook's own, oldest first, each with the prompt to which it belongs, as ``masked_line`` tells it;
    those that the agent asked for are known by the answers. One lasts until the next topic: the next prompt to which
    something was shown, and of one that the agent asked for also the next that it asked for.
    """
    prompts = {at for at, one in enumerate(deeds) if one.prompt}
    topics: dict[int, str] = {}
    for decision, prompt in shown:
        at = next(
            (at for at in sorted(prompts - topics.keys()) if masked_line(deeds[at].prompt) == prompt), None
        )
        if at is not None and at > max(topics, default=-1):
            topics[at] = decision
    asked = {
        at: found[0]
        for at, one in enumerate(deeds)
        if _decides(one) and (found := _DECISION.findall(one.answer))
    }
    made = []
    for starts, ends in ((topics, topics), (asked, {**topics, **asked})):
        for at, decision in starts.items():
            end = min((one for one in ends if one > at), default=len(deeds))
            made.append(
                Trace(decision, actions_of(deeds[at:end]), _seemed(deeds[at + 1 : end], deeds[end : end + 1]))
            )
    return made


def _decides(one: Deed) -> bool:
    return bool(_DECIDES.search(one.command)) if one.command else one.tool.endswith("decide")


def _seemed(span: Sequence[Deed], after: Sequence[Deed]) -> dict[str, bool]:
    """What the deeds of a decision, and the prompt behind them, show."""
    found: dict[str, bool] = {}
    checks = [one for one in span if one.failed is not None and _is_check(one.command)]
    if checks:
        found["tests"] = not checks[-1].failed
    done = [one for one in span if not one.failed]
    if any(one.is_edit for one in done):
        found["edits"] = not _is_taken_back(done)
    answers = [one.prompt for one in (*span, *after) if one.prompt]
    if answers:
        found["words"] = not _CORRECTS.search(answers[0])
    return found


def _is_check(command: str) -> bool:
    """Whether a command's exit code is that of a test or a build: nothing behind it hides the code."""
    found = _CHECK.search(command)
    rest = command[found.end() :].strip() if found else ""
    return bool(found) and (not rest or (rest[0] == "|" and rest[1:2] != "|" and "pipefail" in command))


def _is_taken_back(done: Sequence[Deed]) -> bool:
    edits = [one for one in done if one.is_edit]
    swapped = any(
        one.file == other.file and one.changed == other.changed[::-1] and all(one.changed)
        for at, one in enumerate(edits)
        for other in edits[:at]
    )
    first = next(at for at, one in enumerate(done) if one.is_edit)
    return swapped or any(_TAKEN_BACK.search(one.command) for one in done[first:])
