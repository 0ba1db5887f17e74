"""Walking over JSONC and JSON5 text at regular-expression speed: comments, strings, values, children.

Nothing here judges the text: on malformed text every function returns some offset and raises nothing.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

SPACE = " \\t\\n\\r\\v\\f\\u00a0\\ufeff\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000"
"""The white space of JSON5, as the inside of a character class."""

_ESCAPED = r"\\(?:\r\n|[\s\S])"
_DOUBLE = rf'"(?:[^"\\\n\r]++|{_ESCAPED})*+"'
_SINGLE = rf"'(?:[^'\\\n\r]++|{_ESCAPED})*+'"
_STRING = rf"(?:{_DOUBLE}|{_SINGLE})"
_COMMENT = r"(?://[^\n\r]*+|/\*(?:[^*]++|\*(?!/))*+\*/)"
_SLASH = r"/(?![/*])"

TRIVIA = re.compile(rf"(?:[{SPACE}]++|{_COMMENT})*+")
"""White space and comments; matches everywhere, perhaps nothing."""

TRIVIUM = re.compile(rf"(?P<space>[{SPACE}]+)|(?P<line>//[^\n\r]*)|(?P<block>/\*[\s\S]*?\*/)|(?P<comma>,)")
"""One piece of what stands between two values."""

STRING = re.compile(_STRING)
ATOM = re.compile(rf"[^{SPACE},:\[\]{{}}\"'/]++")
KEY = re.compile(rf"{_STRING}|[^{SPACE},:\[\]{{}}\"'/]++")

_COMMENTS = re.compile(_COMMENT)
_COMMENT_MARKS = frozenset("/*")
_CONTINUATION = re.compile(r"\\[\n\r]")
_TO_COMMENT = re.compile(rf"(?:[^\"'/]++|{_STRING}|{_SLASH})*+")
_TO_COMMA = re.compile(rf"(?:[^\"',]++|{_STRING}|,(?![{SPACE}]*+[\]}}]))*+")
_TO_BRACKET = re.compile(rf"(?:[^\"'/\[\]{{}}]++|{_STRING}|{_COMMENT}|{_SLASH})*+")
_INK = re.compile(r"[^\n]")
_HALVES = re.compile("[\ud800-\udbff][\udc00-\udfff]")


class Child(NamedTuple):
    """A member or an element: offsets of its beginning (a member's key), of its key's end, of its value."""

    key: str | None
    start: int
    key_end: int
    value: int
    end: int


def skip_trivia(text: str, pos: int) -> int:
    """The offset of the first character at or after ``pos`` that is neither white space nor comment."""
    match = TRIVIA.match(text, pos)
    return match.end() if match else pos


def without_comments(text: str) -> str:
    """The text with each comment blanked at equal length; offsets, lines and columns stay true."""
    # only a line continuation lets a string cross a line's end; without one, a look at the line is enough
    has_whole_lines = _CONTINUATION.search(text) is None
    pieces: list[str] = []
    done = at = 0
    while (at := text.find("/", at)) >= 0:
        if text[at + 1 : at + 2] not in _COMMENT_MARKS:
            at += 1
            continue
        line = text.rfind("\n", done, at) + 1 if has_whole_lines else 0
        if not text[line or done : at].isspace():
            leap = _TO_COMMENT.match(text, line or done)
            at = leap.end() if leap else at
        comment = _COMMENTS.match(text, at)
        if comment is None:
            break
        pieces += (text[done:at], _blank(comment[0]))
        at = done = comment.end()
    pieces.append(text[done:])
    return "".join(pieces)


def _blank(comment: str) -> str:
    return " " * len(comment) if comment[1] == "/" else _INK.sub(" ", comment)


def without_last_commas(text: str) -> str:
    """Text without comments, with each comma that only a closing bracket follows blanked at equal length."""
    pieces: list[str] = []
    pos = done = 0
    while True:
        leap = _TO_COMMA.match(text, pos)
        at = leap.end() if leap else pos
        if text[at : at + 1] != ",":
            pieces.append(text[done:])
            return "".join(pieces)
        pos = at + 1
        if not _opens(text, at):
            pieces += (text[done:at], " ")
            done = pos


def _opens(text: str, comma: int) -> bool:
    """Whether a bracket or a comma stands before this comma: ``[,]`` has to stay a fault."""
    before = comma - 1
    while before >= 0 and (text[before].isspace() or text[before] == "\ufeff"):
        before -= 1
    return before < 0 or text[before] in "[{,"


def skip_value(text: str, pos: int) -> int:
    """The end of the value that begins at ``pos``; the text's end where it is never closed."""
    char = text[pos : pos + 1]
    if char in ("[", "{"):
        return _skip_container(text, pos)
    match = (STRING if char in ("'", '"') else ATOM).match(text, pos)
    return match.end() if match else pos


def _skip_container(text: str, pos: int) -> int:
    depth = 0
    while True:
        leap = _TO_BRACKET.match(text, pos)
        pos = leap.end() if leap else pos
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
    """The members or elements of the well-formed container that begins at ``pos``; none for another value."""
    opening = text[pos : pos + 1]
    if opening not in ("[", "{"):
        return
    pos = skip_trivia(text, pos + 1)
    while text[pos : pos + 1] not in ("]", "}", ""):
        key, start, key_end = None, pos, pos
        if opening == "{":
            token = KEY.match(text, pos)
            if token is None:
                return
            key, key_end = unquote(token[0]), token.end()
            pos = skip_trivia(text, skip_trivia(text, key_end) + 1)
        end = skip_value(text, pos)
        yield Child(key, start, key_end, pos, end)
        pos = skip_trivia(text, end)
        if text[pos : pos + 1] == ",":
            pos = skip_trivia(text, pos + 1)


def unquote(token: str) -> str:
    """The key that a key token means: ``"a"``, ``'a'`` or ``a`` (ValueError for what is no key at all)."""
    if "\\" not in token:
        return token[1:-1] if token[:1] in ("'", '"') else token
    if token[0] == '"':
        try:
            return str(json.loads(token))
        except ValueError:
            pass
    import json5

    if token[0] in ("'", '"'):
        return joined(str(json5.loads(token)))
    return joined(str(next(iter(json5.loads("{" + token + ":0}")))))


def joined(text: str) -> str:
    """The text with each pair of surrogates, as json5 leaves it, made the one character that it means."""
    return _HALVES.sub(lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), text)
