"""What of a person's turns may hold beyond the day: their own sentences, those with a cue first (DESIGN 14)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

from alice_exp.conversations.values import Message
from alice_exp.kernel.text.data_files import Patterns
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.rules.private_facts import kinds_of, masked

MOST, LONGEST = 12, 600
"""Sentences kept of a session, and characters of one."""

_READ, _LEAST = 20_000, 8
FILES = ("conversations/rules/data/cues_en.toml", "conversations/rules/data/cues_zh.toml")
_EN, _ZH = map(Patterns, FILES)
_CJK = re.compile("[\u3400-\u9fff]")

# Ten shapes of what nobody typed as their own. A block reaches to its end, a line is left out by itself.
_FENCE = re.compile(r"(?:```|~~~).*?(?:```|~~~|\Z)|“[^”]{80,}”|「[^」]{80,}」", re.DOTALL)
_PLAN = re.compile(
    r"^[^\n]{0,80}\bfollowing (?:plan|content|text|info\w*)\b[^\n]{0,40}:|"
    r"^#{1,6} [^\n]+$(?=(?:\n[^\n]*){1,40}?\n#{1,6} )",
    re.MULTILINE | re.IGNORECASE,
)
_LETTER = re.compile(
    r"^(?:(?:From|To|Subject|Sent|发件人|收件人|主题)[:：]|-{3,} ?(?:Original|Forwarded)|On .{4,80} wrote:|"
    r"(?:Dear|Hi|Hello) (?!Claude|Codex|Gemini|there|all)[A-Z][\w. ]{0,30},$|尊敬的)",
    re.MULTILINE,
)
_LEAD = re.compile(
    r"(?:\b(?:below|following|pasted|transcript|wrote|says?|said|error|logs?|output|content|translate\b.{0,40}|"
    r"proofread.{0,20}|summari[sz]e.{0,20})|以下|下面|如下|翻译.{0,8}|原文|内容|报错|错误|说)[^\n.。]{0,40}[:：]$",
    re.IGNORECASE,
)
_TURN = re.compile(
    r"^(?:\[?\d{1,2}:\d\d(?::\d\d)?\]?\s+\S|\*{0,2}(?!Note|注意)[A-Z\u4e00-\u9fff][\w ]{0,14}\*{0,2}[:：]\s*\S)"
)
_LINE = re.compile(
    r"^\s*(?:>|\||[│├└┌─╭╰✓✗×❯⎯⚠●]|\+{3} |-{3}|@@|diff --git|index [0-9a-f]{6}|[+-]\s{0,8}[\w\"'.]+[(=]|</?[a-zA-Z!]|"
    r"[{}\[\]\"]|[$%] \w|>>>|//|/\*|#!|File \"|Traceback|\[?\d{4}-\d\d-\d\d[T ]|\d\d:\d\d:\d\d|"
    r"(?:import|from|def|class|function|const|let|var|return|export|at) [\w{(.\[]+[({.:=;]|"
    r"\[?(?:INFO|WARN\w*|ERROR|DEBUG|FAIL|PASS)\b|\w*(?:Error|Exception):|\d+[|:]\s|"
    r"(?:https?:/|~|\.{0,2})?/\S+$|@?[A-Za-z]:\\\S+$|\[Image)|^(?: {4,}|\t+)(?![-*\d])|\s\|\s.*\s\||[{};]$|=>|</\w+>|"
    r"^\s*[-*] \(?\d+\)? ⚠"
)
_BULLET = re.compile(r"^\s*(?:[-*•]|\d{1,2}[.)、]|#{1,6})\s+")
_SENTENCE = re.compile(
    r"(?:[^。！？!?；\n.]|\.(?=[^\s])|(?<=\b[A-Z])\.|(?<=e\.g)\.|(?<=i\.e)\.|(?<=etc)\.|\.{2,})+(?:[。！？!?；]+|\.+|$)"
)


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence of the person, word for word, the index of its message, and which of its sentences it is (from 0)."""

    index: int
    text: str
    strength: int = 0
    asks: bool = False
    place: int = 0


def words_of(text: str) -> Patterns:
    """The cues of the language of a text (Chinese where it has a Chinese character, else English), for text in small
    letters: that takes a quarter of the time of ``re.IGNORECASE``."""
    return _ZH if _CJK.search(text) else _EN


def own_sentences(text: str, answered: str = "") -> list[str]:
    """The sentences of a message that its sender typed, as far as shapes tell, each of at most ``LONGEST`` characters,
    word for word; ``answered`` is what the agent said before.

    In doubt a line is not theirs: what is missed can be said again.
    """
    text = _FENCE.sub("\n", text[:_READ])
    ends = [found.start() for shape in (_PLAN, _LETTER) if (found := shape.search(text))]
    lines = text[: min(ends, default=len(text))].splitlines()
    turns = [at for at, line in enumerate(lines) if _TURN.match(line)]
    if len(turns) > 2:
        lines = lines[: turns[0]]
    kept: list[str] = []
    for line in lines:
        if _LINE.search(line) or (len(line) > 40 and line.strip() in answered):
            continue
        if line.rstrip().endswith((":", "：")) and _LEAD.search(line.rstrip()):
            break
        kept += map(str.strip, _SENTENCE.findall(_BULLET.sub("", line).strip()))
    return [
        one[:LONGEST]
        for one in kept
        if len(one) + 2 * len(_CJK.findall(one)) >= _LEAST and not words_of(one).idle.fullmatch(one.lower())
    ]


def but_unrecorded(messages: Sequence[Message]) -> list[Message]:
    """The messages, without the text of those whose speaker asks that it be kept nowhere ("off the record", 别记).

    Where that is asked of what was said before, the speaker's message before is left out, too.
    """
    left, last = list(messages), -1
    for index, message in enumerate(messages):
        if message.role == "user":
            low = message.content.lower()
            for words in (_ZH, _EN):
                if words.unrecorded.search(low):
                    left[index] = replace(message, content="")
                    if last >= 0 and words.unsaid.search(low):
                        left[last] = replace(messages[last], content="")
            last = index
    return left


def said(messages: Sequence[Message]) -> list[Said]:
    """Every sentence of the user in these messages, each once, in order; what is to be kept nowhere is not there."""
    found, answered = dict[str, Said](), ""
    for index, message in enumerate(but_unrecorded(messages)):
        if message.role != "user":
            answered = message.content
            continue
        for place, one in enumerate(own_sentences(message.content, answered)):
            if one not in found:
                words, low = words_of(one), one.lower()
                strength = bool(words.cue.search(low)) + bool(words.strong.search(low))
                found[one] = Said(index, one, strength, bool(words.asks.search(low)), place)
    return list(found.values())


def queued(sentences: Sequence[Said], messages: Sequence[Message]) -> list[Said]:
    """At most ``MOST`` sentences, in order: those with cues first, statements before questions, none that is secret."""
    told = (one for one in sentences if one.strength or not one.asks)
    ranked = sorted(told, key=lambda one: (not one.strength, one.asks, -one.strength))
    # Not one that holds a secret or a private fact, or a part of one that its message holds.
    open_ones = (
        one
        for one in ranked
        if not kinds_of(one.text) and one.text in masked(messages[one.index].content[:_READ])
    )
    return sorted(islice(open_ones, MOST), key=lambda one: (one.index, one.place))
