"""A block of our own in somebody's Markdown file, between two marker lines; nothing outside of them is touched."""

from __future__ import annotations

import re

_BEGIN = "<!-- alice-exp: begin (written by alice-exp; edit outside of these two lines) -->"
_OURS = "<!-- alice-exp: begin"
_END = "<!-- alice-exp: end -->"
_BLOCK = re.compile(
    r"(?P<gap>(?:\r?\n)?)^<!-- alice-exp: begin[^\n]*-->\r?\n.*?^<!-- alice-exp: end -->(?:\r?\n|\Z)",
    re.DOTALL | re.MULTILINE,
)


def with_block(text: str, body: str) -> str:
    """The file with ``body`` between the markers: in its old place, else at the end."""
    ending = "\r\n" if "\r\n" in text else "\n"
    # A comment that a text opens would hide what stands behind it from whoever sees the file drawn.
    lines = (line.replace("<!--", "&lt;!--") for line in body.splitlines())
    block = ending.join([_BEGIN, *lines, _END]) + ending
    found = _BLOCK.search(text)
    if found:
        return text[: found.start()] + found["gap"] + block + text[found.end() :]
    # The line break before it is ours, and goes with it: so a file that ends without one is as it was.
    return text + (ending if text else "") + block


def without_block(text: str) -> str:
    """The file without our block and without the line break that was put before it."""
    return _BLOCK.sub("", text)


def blank_block(text: str) -> str:
    """The file with empty lines in the place of our block, so that every other line keeps its number."""
    parts, at = [], 0
    while (begin := text.find(_OURS, at)) >= 0 and (end := text.find(_END, begin)) >= 0:
        parts += [text[at:begin], "\n" * text.count("\n", begin, end)]
        at = end + len(_END)
    return "".join([*parts, text[at:]])
