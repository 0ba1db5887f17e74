"""Summary without a model: the sentences that later turns need, in the order they were said (B4.7)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence

from alice_exp.conversations.values import Message, Role

_LABELS: dict[Role, tuple[str, str]] = {
    "user": ("User: ", "用户："),
    "assistant": ("Assistant: ", "助手："),
    "tool": ("Tool: ", "工具："),
}
_ROLES = {label: role for role, labels in _LABELS.items() for label in labels}
_CJK = re.compile("[\u2e80-\U0010ffff]")
_LATIN = re.compile("[A-Za-z]+")
_SENTENCE = re.compile(r"[^。！？!?；;\n.]+(?:[.](?=\S)[^。！？!?；;\n.]*)*[。！？!?；;.]*\s*|\n")
_NUMBER = re.compile(r"(?<![A-Za-z_])\d+")
_ENDLESS = re.compile(r"[^\s，,、：:]{60}")
# A thing by name or number: a number, a path, code, a quotation, a name in the midst of a sentence.
_SPECIFIC = re.compile(
    r"\d[\d.,:/%-]*|`[^`]+`|\"[^\"]{2,40}\"|“[^”]{2,40}”|「[^」]{1,40}」|《[^》]{1,40}》|\b\w+[@/_.]\w[\w@/_.-]*"
    r"|(?<=[a-z,;:] )[A-Z][\w'-]+|\b[A-Z]{2,}\b|(?<=[\u3400-\u9fff，：、])[A-Za-z][\w.+#-]*"
    r"|[一二三四五六七八九十百千万两]+[个天月年点块元人次台号周日楼层]"
)

WHOLE = 1000
"""Up to so many characters a message is told whole, where everything fits."""

LONGEST, ENDLESS = 240, 20
"""The most characters that are told of one sentence, cut at a word, and of one without words and clauses."""

AGAIN = 0.6
"""What each later sentence of a kind leaves of the worth of an earlier one."""

_ROLE: dict[Role, float] = {"user": 1.0, "assistant": 0.5, "tool": 0.2}
_CUE, _STRONG, _THING, _ASKS = 1.0, 2.5, 0.7, 0.4


def summary_by_rule(
    folded: Sequence[Message], previous: str, budget: int, estimate: Callable[[str], int]
) -> str:
    """The lines of the earlier summary and one line per message, within ``budget`` tokens (R4.9, B4.7).

    Where whole messages do not fit, of each those sentences are told that are worth most by their length: what the
    queue of the person's sentences would keep, names and numbers; tool results and courtesies go first. No sentence is
    cut within a word.
    """
    sample = "\n".join(one.content[:200] for one in folded[-20:]) or previous
    chinese = len(_CJK.findall(sample)) > len(_LATIN.findall(sample))
    lines = []
    for line in filter(None, map(str.strip, previous.splitlines())):
        label = next(filter(line.startswith, _ROLES), "")
        lines.append((label, line.removeprefix(label)))
    for one in folded:
        text = " ".join(one.content.split()) or ", ".join(call.name for call in one.tool_calls)
        if text and one.role in _LABELS:
            lines.append((_LABELS[one.role][chinese], text))
    whole = "\n".join(label + text for label, text in lines)
    if all(len(text) <= WHOLE for _, text in lines) and estimate(whole) <= budget:
        return whole
    return trimmed(_chosen(lines, budget, "" if chinese else " ", estimate), budget, estimate)


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


def _chosen(lines: Sequence[tuple[str, str]], budget: int, joint: str, estimate: Callable[[str], int]) -> str:
    """The sentences worth most by their length, as many as fit, in their order, those of one message on one line."""
    said = _weighed(lines)
    left = budget
    told: dict[int, list[int]] = {}
    for at in sorted(said, key=lambda at: (-said[at][2] / (8 + estimate(said[at][1])) ** 0.6, -at)):
        line, text, worth = said[at]
        cost = estimate(f"{text} ") if line in told else estimate(f"{lines[line][0]}{text} ") + 1
        if worth > 0 and cost <= left:
            told.setdefault(line, []).append(at)
            left -= cost
    return "\n".join(
        lines[line][0] + joint.join(said[at][1] for at in sorted(told[line])) for line in sorted(told)
    )


def _weighed(lines: Sequence[tuple[str, str]]) -> dict[int, tuple[int, str, float]]:
    """Every sentence of the lines by its number: its line, its text, and what it is worth to later turns."""
    found: dict[int, tuple[int, str, float]] = {}
    seen: set[str] = set()
    alike = Counter(_NUMBER.sub("0", each.strip()) for _, text in lines for each in _SENTENCE.findall(text))
    for line, (label, text) in enumerate(lines):
        for sentence in map(str.strip, _SENTENCE.findall(text)):
            core = sentence.casefold().rstrip("。！？!?；;. ")
            if core and core not in seen:
                seen.add(core)
                # Of sentences that differ in their numbers alone ("12 passed") the newest tells most.
                kind = _NUMBER.sub("0", sentence)
                alike[kind] -= 1
                # A sentence that a model wrote counts as a user's.
                worth = _worth(sentence, _ROLES.get(label, "user"), (line + 1) / len(lines))
                most = ENDLESS if _ENDLESS.search(sentence) else LONGEST
                shown = sentence if len(sentence) <= most else _at_a_word(sentence, most - 1) + "…"
                found[len(found)] = (line, shown, worth * AGAIN ** min(5, alike[kind]))
    return found


def _worth(sentence: str, role: Role, later: float) -> float:
    """What a sentence is worth by its words: who says it, how late, the cues of the queue, names and numbers."""
    # Imported here: few conversations are ever compressed.
    from alice_exp.conversations.rules.own_sentences import words_of

    words, low = words_of(sentence), sentence.lower()
    if words.idle.fullmatch(low.strip("。！？!?；;.,， ~～")):
        return 0.0
    things = min(4, len(_SPECIFIC.findall(sentence)))
    worth = _ROLE[role] + 0.3 * later + _THING * things * (1.0 if role == "user" else 0.8)
    worth += _CUE * bool(words.cue.search(low)) + _STRONG * bool(words.strong.search(low))
    asks = bool(words.asks.search(low))
    if asks and role == "user" and later > 0.8:
        return worth + 2
    return worth * (_ASKS if asks else 1.0)
