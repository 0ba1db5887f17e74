"""A person's words in a user's row of a host's transcript, without what the host or a hook put beside them.

The tags stand in ``home/hosts.py``, each host's in its row.

Seen in what the hosts themselves wrote: Claude Code 2.1, Codex 0.169, Gemini CLI 0.61, Qwen Code 0.15, opencode 1.18;
Cursor and VS Code by their documents. ``tests/conversations/host_rows.jsonl`` holds a row for each.
"""

from __future__ import annotations

import re

from alice_exp.home.hosts import KNOWN

TAG = "alice-exp"
"""The tag around what our own hooks say, by which it is known again in a transcript."""

_TAGS = " ".join([TAG, *(host.tags for host in KNOWN)]).split()
_OPENING = (
    r"[ \t]*(?P<sign><|&lt;)(?P<tag>permissions instructions|"
    + "|".join(sorted(_TAGS))
    + r")(?:[ \t][^<>\n]*?)?(?:>|&gt;)"
)
_AT_LINE = re.compile(rf"^{_OPENING}", re.MULTILINE)
_NEXT = re.compile(_OPENING)

# A tag around the person's own words: of Cursor, VS Code, and of Claude Code's "#".
_WRAPPED = re.compile(r"^<(user_query|userRequest|user-memory-input)>", re.MULTILINE)
_REQUEST = "## My request for Codex:"
_FILES = "\n--- Content from referenced files ---"

# Whole texts, and lines, that a host writes in plain words.
_TEXT = re.compile(
    r"Caveat: The messages below were generated|# AGENTS\.md instructions|Stop hook feedback:\n|"
    r"This session is being continued from a previous conversation|Base directory for this skill:|"
    r"Another language model started to solve this problem|# Context from my IDE setup:"
)
_LINE = re.compile(r"^\[(?:Request interrupted by user|Image: (?:source|original))[^\]\n]*\]$", re.MULTILINE)


def typed_words(text: str) -> str:
    """What a person typed of a text that a host handed over or kept; empty where nobody typed it.

    A tag counts as a host's where it begins a line and is closed, or where it opens the text on a line of its own; in
    the midst of a line it is the person's. Plain or HTML-escaped. Time is linear in the length of the text.
    """
    if _REQUEST in text:
        text = text.partition(_REQUEST)[2]
    wrapped = _WRAPPED.search(text)
    end = text.rfind(f"</{wrapped[1]}>") if wrapped else -1
    if wrapped and end >= wrapped.end():
        text = text[wrapped.end() : end]
    text = _LINE.sub("", _without_blocks(text)).partition(_FILES)[0].strip()
    return "" if _TEXT.match(text) else text


def _without_blocks(text: str) -> str:
    kept: list[str] = []
    at, is_first = 0, True
    closings = _Closings(text)
    opening = _AT_LINE.search(text)
    while opening is not None:
        kept.append(text[at : opening.start()])
        is_first = is_first and not kept[-1].strip()
        at = closings.behind(opening)
        if at < 0 and is_first and text.startswith("\n", opening.end()):
            return ""
        if at < 0:
            at = opening.start() + len(opening["sign"])
            kept.append(text[opening.start() : at])
            opening = _AT_LINE.search(text, at)
        else:
            opening = _NEXT.match(text, at) or _AT_LINE.search(text, at)
    return "".join([*kept, text[at:]])


class _Closings:
    """Where the tags of a text are closed; each search goes on from the last, so that all take linear time."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._known: dict[str, int] = {}

    def behind(self, opening: re.Match[str]) -> int:
        """Where the block ends that opens there; -1: nowhere.

        One that opens on a line of its own closes on such a line, unless the same tag opens again before.
        """
        sign, tag, start = opening["sign"], opening["tag"], opening.end()
        close = f"{sign}/{tag}{'>' if sign == '<' else '&gt;'}"
        end = self._find(close, start)
        if end >= 0 and self._text.startswith("\n", start):
            alone = self._find(f"\n{close}", start)
            again = self._find(f"\n{sign}{tag}", start)
            if alone >= 0 and not 0 <= again < alone:
                end = alone + 1
        return end + len(close) if end >= 0 else -1

    def _find(self, part: str, start: int) -> int:
        known = self._known.get(part, start - 1)
        if 0 <= known < start:
            known = self._known[part] = self._text.find(part, start)
        return known
