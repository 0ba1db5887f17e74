"""A block of our own in somebody's Markdown file, between two marker lines; nothing outside of them is touched."""

from __future__ import annotations

import re

OURS, TEAMS = "alice-exp", "alice-exp team"
"""Whose a block is: what ``connect`` and ``prime`` write for one person, what ``project publish`` writes for all."""

_BEGIN = "<!-- {whose}: begin (written by alice-exp; edit outside of these two lines) -->"
_END = "<!-- {whose}: end -->"


def _block(whose: str) -> re.Pattern[str]:
    return re.compile(
        rf"(?P<gap>(?:\r?\n)?)^<!-- {whose}: begin[^\n]*-->\r?\n.*?^<!-- {whose}: end -->(?:\r?\n|\Z)",
        re.DOTALL | re.MULTILINE,
    )


def with_block(text: str, body: str, whose: str = OURS) -> str:
    """The file with ``body`` between the markers: in its old place, else at the end."""
    ending = "\r\n" if "\r\n" in text else "\n"
    # A comment that a text opens would hide what stands behind it from whoever sees the file drawn.
    lines = (line.replace("<!--", "&lt;!--") for line in body.splitlines())
    block = ending.join([_BEGIN.format(whose=whose), *lines, _END.format(whose=whose)]) + ending
    if found := _block(whose).search(text):
        return text[: found.start()] + found["gap"] + block + text[found.end() :]
    # The line break before it is ours, and goes with it: so a file that ends without one is as it was.
    return text + (ending if text else "") + block


def without_block(text: str, whose: str = OURS) -> str:
    """The file without our block and without the line break that was put before it."""
    return _block(whose).sub("", text)


def blank_block(text: str) -> str:
    """The file with empty lines in the place of our blocks, so that every other line keeps its number."""
    for whose in (OURS, TEAMS):
        text = blanked(text, f"<!-- {whose}: begin", _END.format(whose=whose))
    return text


def blanked(text: str, first: str, last: str) -> str:
    """The text without what stands from ``first`` to ``last``, these included, but with the line breaks in it."""
    parts, at = [], 0
    while (begin := text.find(first, at)) >= 0 and (end := text.find(last, begin + len(first))) >= 0:
        parts += [text[at:begin], "\n" * text.count("\n", begin, end)]
        at = end + len(last)
    return "".join([*parts, text[at:]])
