"""Summary without a model: the beginning of each message, the least important lines dropped first (B4.7)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from alice_exp.conversations.values import Message

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from alice_exp.conversations.values import Role

_LABELS: dict[bool, dict[Role, str]] = {
    False: {"user": "User: ", "assistant": "Assistant: ", "tool": "Tool: "},
    True: {"user": "用户：", "assistant": "助手：", "tool": "工具："},
}
_RANKS: dict[Role, int] = {"user": 1, "assistant": 2, "tool": 3}
_LEFT_OUT = {False: "({count} more lines left out)", True: "（另有 {count} 行略去）"}
_CJK = re.compile("[\u2e80-\U0010ffff]")
_LATIN = re.compile("[A-Za-z]+")
_LEFT_OUT_BEFORE = re.compile(r"^(?:\((\d+) more lines left out\)|（另有 (\d+) 行略去）)$")
_STEPS = (4000, 1000, 400, 200, 100, 60, 30)
"""Line lengths to try, in characters, longest first."""


@dataclass(frozen=True, slots=True)
class _Line:
    """A line and its rank; the higher the rank, the earlier it is dropped."""

    text: str
    rank: int


def summary_by_rule(
    folded: Sequence[Message], previous: str, budget: int, estimate: Callable[[str], int]
) -> str:
    """The lines of the earlier summary and one line per message, within ``budget`` tokens (R4.9, B4.7).

    All lines are shortened alike until they fit. If even the shortest do not, tool results are dropped first, then the
    assistant's lines, then the user's, oldest first; what users said about themselves is dropped last.
    """
    chinese = _is_chinese([message.content for message in folded] or [previous])
    kept, left_out = _earlier(previous)
    lines = [*kept, *_lines(folded, _LABELS[chinese])]
    for most in _STEPS:
        text = _written([_shortened(line.text, most) for line in lines], left_out, chinese)
        if estimate(text) <= budget:
            return text
    return trimmed(_fewest(lines, left_out, budget, chinese, estimate), budget, estimate)


def trimmed(text: str, budget: int, estimate: Callable[[str], int]) -> str:
    """The longest beginning of a text that fits into ``budget`` tokens."""
    if estimate(text) <= budget:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if estimate(text[:middle] + "…") <= budget else (low, middle - 1)
    return text[:low].rstrip() + "…" if low else ""


def _is_chinese(texts: Sequence[str]) -> bool:
    sample = "\n".join(text[:200] for text in texts[-20:])
    return len(_CJK.findall(sample)) > len(_LATIN.findall(sample))


def _earlier(previous: str) -> tuple[list[_Line], int]:
    """The lines of an earlier summary, and how many lines it had already dropped."""
    lines: list[_Line] = []
    left_out = 0
    for text in filter(None, map(str.strip, previous.splitlines())):
        count = _LEFT_OUT_BEFORE.match(text)
        if count:
            left_out += int(count[1] or count[2])
        else:
            lines.append(_Line(text, _rank_of_text(text)))
    return lines, left_out


def _about_the_user(messages: Sequence[Message]) -> frozenset[int]:
    """Indexes of the messages in which users say something about themselves."""
    # Imported here: compiling the extraction patterns takes 0.1 s, and few conversations are ever compressed.
    from alice_exp.conversations.rules.extraction import extract

    return frozenset(found.index for found in extract(messages).inferences)


def _rank_of_text(text: str) -> int:
    """Rank of a line from an earlier summary; a sentence written by a model ranks like a user's."""
    for labels in _LABELS.values():
        for role, label in labels.items():
            if text.startswith(label):
                said = Message("user", text.removeprefix(label))
                about = role == "user" and _about_the_user([said])
                return 0 if about else _RANKS[role]
    return _RANKS["user"]


def _lines(folded: Sequence[Message], labels: dict[Role, str]) -> list[_Line]:
    about = _about_the_user(folded)
    lines: list[_Line] = []
    for index, message in enumerate(folded):
        said = " ".join(message.content.split()) or ", ".join(call.name for call in message.tool_calls)
        if said and message.role in _RANKS:
            lines.append(_Line(labels[message.role] + said, 0 if index in about else _RANKS[message.role]))
    return lines


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def _written(lines: Sequence[str], left_out: int, chinese: bool) -> str:
    note = [_LEFT_OUT[chinese].format(count=left_out)] if left_out else []
    return "\n".join([*note, *lines])


def _fewest(
    lines: Sequence[_Line], left_out: int, budget: int, chinese: bool, estimate: Callable[[str], int]
) -> str:
    """As many of the shortest lines as fit, by rank and then newest first, printed in their original order."""
    short = [_shortened(line.text, _STEPS[-1]) for line in lines]
    by_worth = sorted(range(len(lines)), key=lambda index: (lines[index].rank, -index))
    note = estimate(_LEFT_OUT[chinese].format(count=left_out + len(lines))) + 1
    kept: set[int] = set()
    used = note
    for index in by_worth:
        cost = estimate(short[index]) + 1
        if used + cost <= budget:
            kept.add(index)
            used += cost
    return _written([short[index] for index in sorted(kept)], left_out + len(lines) - len(kept), chinese)
