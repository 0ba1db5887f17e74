"""Scans JSONC and JSON5 text with regular expressions: trivia, strings, values, children of a container.

The scans do not validate: on malformed text every function returns some offset and raises nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

SPACE = " \\t\\n\\r\\v\\f\\u00a0\\ufeff\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000"
"""The white space of JSON5, for use inside a character class."""

# Each loop has the form a*(?:b a*)* where no b begins like an a: there is one way to match any text, so malformed text
# costs no more than its length. Possessive quantifiers would promise the same, but Python 3.11.0 to 3.11.4 match nested
# ones wrongly. A loop takes up to 1000 rounds at once: each one is kept in memory until its pattern has matched.
_ESCAPED = r"\\(?:\r\n|[\s\S])"
_DOUBLE = rf'"[^"\\\n\r]*(?:{_ESCAPED}[^"\\\n\r]*)*"'
_SINGLE = rf"'[^'\\\n\r]*(?:{_ESCAPED}[^'\\\n\r]*)*'"
STRING = rf"(?:{_DOUBLE}|{_SINGLE})"
COMMENT = r"(?://[^\n\r]*|/\*[\s\S]*?\*/)"
"""Patterns of a quoted text and of a comment, both without groups."""
_SLASH = r"/(?![/*])"

_TRIVIA = re.compile(rf"[{SPACE}]*(?:{COMMENT}[{SPACE}]*){{0,1000}}")

TRIVIUM = re.compile(rf"(?P<space>[{SPACE}]+)|(?P<line>//[^\n\r]*)|(?P<block>/\*[\s\S]*?\*/)|(?P<comma>,)")
"""One piece of the text between two values."""

_QUOTED = re.compile(STRING)
ATOM = re.compile(rf"[^{SPACE},:\[\]{{}}\"'/]+")
KEY = re.compile(rf"{STRING}|[^{SPACE},:\[\]{{}}\"'/]+")

_COMMENTS = re.compile(COMMENT)
_COMMENT_MARKS = frozenset("/*")
_CONTINUATION = re.compile(r"\\[\n\r]")
_TO_COMMENT = re.compile(rf"[^\"'/]*(?:(?:{STRING}|{_SLASH})[^\"'/]*){{0,1000}}")
_LAST_COMMA = re.compile(rf",[{SPACE}]*[\]}}]")
_STRING_OR_LAST_COMMA = re.compile(rf"{STRING}|[\"']|,(?=[{SPACE}]*[\]}}])")
_TO_BRACKET = re.compile(rf"[^\"'/\[\]{{}}]*(?:(?:{STRING}|{COMMENT}|{_SLASH})[^\"'/\[\]{{}}]*){{0,1000}}")
_INK = re.compile(r"[^\n]")
_HALVES = re.compile("[\ud800-\udbff][\udc00-\udfff]")


class Child(NamedTuple):
    """A member or an element: its key, if any, and the offsets of its start, its value and its end."""

    key: str | None
    start: int
    value: int
    end: int


def skip_trivia(text: str, pos: int) -> int:
    """The offset of the first character from ``pos`` on that is neither white space nor part of a comment."""
    return _leap(_TRIVIA, text, pos)


def _leap(pattern: re.Pattern[str], text: str, pos: int) -> int:
    """The end of all that a loop of bounded rounds matches from ``pos`` on."""
    while (match := pattern.match(text, pos)) and match.end() - pos >= 1000:
        pos = match.end()
    return match.end() if match else pos


def without_comments(text: str) -> str:
    """The text with each comment replaced by blanks of equal length, so that offsets, lines and columns stay valid."""
    # A string crosses the end of a line only by a line continuation. Without any, it is enough to scan from the
    # start of the line to tell a comment from a slash in a string.
    has_whole_lines = _CONTINUATION.search(text) is None
    pieces: list[str] = []
    done = at = 0
    while (at := text.find("/", at)) >= 0:
        if text[at + 1 : at + 2] not in _COMMENT_MARKS:
            at += 1
            continue
        line = text.rfind("\n", done, at) + 1 if has_whole_lines else 0
        if not text[line or done : at].isspace():
            at = _leap(_TO_COMMENT, text, line or done)
        comment = _COMMENTS.match(text, at)
        if comment is None:
            break
        blank = " " * len(comment[0]) if comment[0][1] == "/" else _INK.sub(" ", comment[0])
        pieces += (text[done:at], blank)
        at = done = comment.end()
    pieces.append(text[done:])
    return "".join(pieces)


def without_last_commas(text: str) -> str:
    """Replace each trailing comma before a closing bracket by a blank; ``text`` must not contain comments."""
    if _LAST_COMMA.search(text) is None:
        return text
    pieces: list[str] = []
    done = 0
    for found in _STRING_OR_LAST_COMMA.finditer(text):
        at = found.start()
        if found[0] in ("'", '"'):
            break
        if found[0] == "," and not _opens(text, at):
            pieces += (text[done:at], " ")
            done = at + 1
    pieces.append(text[done:])
    return "".join(pieces)


def _opens(text: str, comma: int) -> bool:
    """Whether an opening bracket or a comma precedes this comma: ``[,]`` has to remain a fault."""
    before = comma - 1
    while before >= 0 and (text[before].isspace() or text[before] == "\ufeff"):
        before -= 1
    return before < 0 or text[before] in "[{,"


def skip_value(text: str, pos: int) -> int:
    """The end of the value that begins at ``pos``; the end of the text if it is never closed."""
    char = text[pos : pos + 1]
    if char not in ("[", "{"):
        match = (_QUOTED if char in ("'", '"') else ATOM).match(text, pos)
        return match.end() if match else pos
    depth = 0
    while True:
        pos = _leap(_TO_BRACKET, text, pos)
        char = text[pos : pos + 1]
        if char in ("[", "{"):
            depth += 1
        elif char in ("]", "}"):
            depth -= 1
        else:
            return len(text)
        pos += 1
        if depth == 0:
            return pos


def children(text: str, pos: int) -> Iterator[Child]:
    """The members or elements of the well-formed container that begins at ``pos``; nothing for any other value."""
    opening = text[pos : pos + 1]
    if opening not in ("[", "{"):
        return
    pos = skip_trivia(text, pos + 1)
    while text[pos : pos + 1] not in ("]", "}", ""):
        key, start = None, pos
        if opening == "{":
            token = KEY.match(text, pos)
            if token is None:
                return
            key = unquote(token[0])
            pos = skip_trivia(text, skip_trivia(text, token.end()) + 1)
        end = skip_value(text, pos)
        yield Child(key, start, pos, end)
        pos = skip_trivia(text, end)
        if text[pos : pos + 1] == ",":
            pos = skip_trivia(text, pos + 1)


def unquote(token: str) -> str:
    """The key denoted by a key token: ``"a"``, ``'a'`` or ``a`` (ValueError if the token is not a key)."""
    if "\\" not in token:
        return token[1:-1] if token[:1] in ("'", '"') else token
    import json5

    if token[0] in ("'", '"'):
        return joined(str(json5.loads(token)))
    return joined(str(next(iter(json5.loads("{" + token + ":0}")))))


def joined(text: str) -> str:
    """Combine the surrogate pairs that json5 leaves in a text into the characters that they encode."""
    return _HALVES.sub(lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), text)
