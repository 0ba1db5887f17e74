"""Summary without a model: the sentences that later turns need, in the order they were said (B4.7)."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from alice_exp.conversations.values import Message
from alice_exp.kernel.text.data_files import Patterns
from alice_exp.kernel.value_class import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from alice_exp.conversations.values import Role

_LABELS: dict[bool, dict[Role, str]] = {
    False: {"user": "User: ", "assistant": "Assistant: ", "tool": "Tool: "},
    True: {"user": "用户：", "assistant": "助手：", "tool": "工具："},
}
_LEFT_OUT = {False: "({count} more lines left out)", True: "（另有 {count} 行略去）"}
_CJK = re.compile("[\u2e80-\U0010ffff]")
_LATIN = re.compile("[A-Za-z]+")
_LEFT_OUT_BEFORE = re.compile(r"^(?:\((\d+) more lines left out\)|（另有 (\d+) 行略去）)$")
_WORTH = Patterns("conversations/rules/data/worth.toml", flags=re.IGNORECASE)
_CASED = Patterns("conversations/rules/data/worth.toml", "cased")
_SENTENCE = re.compile(r"[^。！？!?；;\n.]+(?:[.](?=\S)[^。！？!?；;\n.]*)*[。！？!?；;.]*\s*|\n")

_NUMBER = re.compile(r"(?<![A-Za-z_])\d+")
_ENDLESS = re.compile(r"[^\s，,、：:]{60}")

WHOLE = 1000
"""Up to so many characters a message is told whole, where everything fits."""

SENTENCES = (240, 120, 60)
"""The most characters that are told of one sentence, cut at a word; the smaller ones only where most are endless."""

AGAIN = 0.6
"""What each later sentence of a kind leaves of the worth of an earlier one."""

_ROLE: dict[Role, float] = {"user": 1.0, "assistant": 0.5, "tool": 0.2}
_ABOUT, _DECIDED, _OPEN, _SPECIFIC, _IDLE = 3.0, 3.0, 2.0, 0.7, 0.8


@dataclass(frozen=True, slots=True)
class _Said:
    """A sentence, the line that it belongs to, and its worth to later turns."""

    line: int
    text: str
    worth: float


def summary_by_rule(
    folded: Sequence[Message], previous: str, budget: int, estimate: Callable[[str], int]
) -> str:
    """The lines of the earlier summary and one line per message, within ``budget`` tokens (R4.9, B4.7).

    Where whole messages do not fit, of each those sentences are told that are worth most by their length: what users
    said of themselves and asked for, decisions, open questions, names and numbers; tool results and courtesies go
    first. No sentence is cut within a word.
    """
    chinese = _is_chinese([message.content for message in folded] or [previous])
    labels = _LABELS[chinese]
    lines, left_out = _earlier(previous)
    lines += [(labels[one.role], _told(one)) for one in folded if one.role in labels and _told(one)]
    whole = _written([label + text for label, text in lines], left_out, chinese)
    if all(len(text) <= WHOLE for _, text in lines) and estimate(whole) <= budget:
        return whole
    return trimmed(_chosen(lines, left_out, budget, chinese, estimate), budget, estimate)


def trimmed(text: str, budget: int, estimate: Callable[[str], int]) -> str:
    """The longest beginning of a text that fits into ``budget`` tokens, ending with a word."""
    if estimate(text) <= budget:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if estimate(text[:middle] + "…") <= budget else (low, middle - 1)
    return _at_a_word(text, low) + "…" if low else ""


def _at_a_word(text: str, most: int) -> str:
    """The beginning of a text of at most ``most`` characters; a Latin word is not cut."""
    head = text[:most]
    if most < len(text) and text[most : most + 1].isascii() and text[most : most + 1].isalnum():
        head = re.sub(r"[A-Za-z0-9_'-]+$", "", head) or head
    return head.rstrip()


def _is_chinese(texts: Sequence[str]) -> bool:
    sample = "\n".join(text[:200] for text in texts[-20:])
    return len(_CJK.findall(sample)) > len(_LATIN.findall(sample))


def _told(message: Message) -> str:
    return " ".join(message.content.split()) or ", ".join(call.name for call in message.tool_calls)


def _earlier(previous: str) -> tuple[list[tuple[str, str]], int]:
    """The lines of an earlier summary as label and text, and how many lines it had already dropped."""
    lines: list[tuple[str, str]] = []
    left_out = 0
    for text in filter(None, map(str.strip, previous.splitlines())):
        count = _LEFT_OUT_BEFORE.match(text)
        if count:
            left_out += int(count[1] or count[2])
            continue
        known = (label for labels in _LABELS.values() for label in labels.values() if text.startswith(label))
        label = next(known, "")
        lines.append((label, text.removeprefix(label)))
    return lines, left_out


def _role(label: str) -> Role:
    """The speaker of a line; a sentence that a model wrote counts as a user's."""
    return next(
        (role for labels in _LABELS.values() for role, name in labels.items() if name == label), "user"
    )


def _chosen(
    lines: Sequence[tuple[str, str]],
    left_out: int,
    budget: int,
    chinese: bool,
    estimate: Callable[[str], int],
) -> str:
    """The sentences worth most by their length, as many as fit, in their order."""
    whole = _weighed(lines)
    # Where most have no words and no clauses, a little of each says more than a lot of a few.
    endless = 2 * sum(bool(_ENDLESS.search(one.text)) for one in whole) > len(whole)
    for most in SENTENCES if endless else ():
        said = [replace(one, text=_shortened(one.text, most)) for one in whole]
        text = _put_together(said, range(len(said)), lines, left_out, chinese)
        if estimate(text) <= budget:
            return text
    said = [replace(one, text=_shortened(one.text, SENTENCES[0])) for one in whole]
    note = estimate(_LEFT_OUT[chinese].format(count=left_out + len(lines))) + 1
    by_worth = sorted(
        range(len(said)), key=lambda at: (-said[at].worth / (8 + estimate(said[at].text)) ** 0.6, -at)
    )
    kept: set[int] = set()
    begun: set[int] = set()
    used = note
    for at in by_worth:
        one = said[at]
        label = lines[one.line][0] if one.line not in begun else ""
        cost = estimate(f"{label}{one.text} ") + (one.line not in begun)
        if one.worth > 0 and used + cost <= budget:
            kept.add(at)
            begun.add(one.line)
            used += cost
    return _put_together(said, sorted(kept), lines, left_out, chinese)


def _put_together(
    said: Sequence[_Said], kept: Iterable[int], lines: Sequence[tuple[str, str]], left_out: int, chinese: bool
) -> str:
    """The kept sentences, those of one message on one line, behind how many lines are left out."""
    told: dict[int, list[str]] = {}
    for at in kept:
        told.setdefault(said[at].line, []).append(said[at].text)
    joint = "" if chinese else " "
    written = [lines[line][0] + joint.join(texts) for line, texts in told.items()]
    return _written(written, left_out + len(lines) - len(told), chinese)


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else _at_a_word(text, most - 1) + "…"


def _weighed(lines: Sequence[tuple[str, str]]) -> list[_Said]:
    """Every sentence of the lines with what it is worth to later turns."""
    # Imported here: few conversations are ever compressed.
    from alice_exp.conversations.rules.cues import extract

    told = extract([Message(_role(label), text[:20_000]) for label, text in lines]).inferences
    quotes: dict[int, list[tuple[str, float]]] = {}
    for one in told:
        quotes.setdefault(one.index, []).append((one.quote.rstrip("。！？!?；;. "), one.importance))
    found: list[_Said] = []
    seen: set[str] = set()
    alike = Counter(_NUMBER.sub("0", each.strip()) for _, text in lines for each in _SENTENCE.findall(text))
    for line, (label, text) in enumerate(lines):
        role = _role(label)
        for match in _SENTENCE.findall(text):
            sentence = match.strip()
            core = sentence.casefold().rstrip("。！？!?；;. ")
            if not core or core in seen:
                continue
            seen.add(core)
            about = max(
                (1 + share for quote, share in quotes.get(line, ()) if quote and quote in sentence),
                default=0.0,
            )
            later = (line + 1) / len(lines)
            worth = _worth(sentence, role, later) + _ABOUT * about / 2
            # Of sentences that differ in their numbers alone ("12 passed") the newest tells most.
            kind = _NUMBER.sub("0", sentence)
            alike[kind] -= 1
            found.append(_Said(line, sentence, worth * AGAIN ** min(5, alike[kind])))
    return found


def _worth(sentence: str, role: Role, later: float) -> float:
    """What a sentence is worth by its words: who says it, how late, decisions, open questions, names and numbers."""
    if _WORTH.courtesy.fullmatch(sentence.strip("。！？!?；;.,， ~～")):
        return 0.0
    worth = _ROLE[role] + 0.3 * later
    if _WORTH.decided.search(sentence):
        worth += _DECIDED
    if _WORTH.open.search(sentence) or (role == "user" and later > 0.8 and sentence[-1:] in "?？"):
        worth += _OPEN
    specific = len(_CASED.specific.findall(sentence))
    worth += _SPECIFIC * min(4, specific) * (1.0 if role == "user" else 0.8)
    asks = sentence[-1:] in "?？" or bool(_WORTH.asks.match(sentence))
    return worth * (_IDLE / 2 if asks and later <= 0.8 else 1.0)


def _written(lines: Sequence[str], left_out: int, chinese: bool) -> str:
    note = [_LEFT_OUT[chinese].format(count=left_out)] if left_out else []
    return "\n".join([*note, *lines])
