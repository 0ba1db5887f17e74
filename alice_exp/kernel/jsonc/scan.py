"""Scans JSONC and JSON5 text with regular expressions: trivia, strings, values, children of a container; decodes plain
JSON.

The scans do not validate: on malformed text every function returns some offset and raises nothing.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from typing import Any, Literal, NamedTuple, Self, TypeAlias

from alice_exp.kernel.errors import AliceError, ProblemError
from alice_exp.kernel.value_class import dataclass

Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class Problem:
    """A fault in a person's file. ``line`` and ``column`` are 1-based, 0 if there is no position.

    ``template`` is the English sentence with ``{name}`` placeholders that ``values`` fills. A file with an error is not
    written to; a warning prevents nothing.
    """

    path: str
    line: int
    column: int
    template: str
    values: Mapping[str, object] = field(default_factory=dict)
    severity: Severity = "error"
    hint: str = ""

    @classmethod
    def fault(cls, path: str, template: str, hint: str = "", **values: object) -> Self:
        """An error of a file or a place as a whole."""
        return cls(path, 0, 0, template, values, "error", hint)

    @classmethod
    def warning(cls, path: str, template: str, hint: str = "", **values: object) -> Self:
        """A warning about a file or a place as a whole."""
        return cls(path, 0, 0, template, values, "warning", hint)

    @classmethod
    def told(cls, error: AliceError, path: str = "") -> Self:
        """What an error says, where it says it, or of the file at ``path`` as a whole."""
        line, column = (0, 0) if path else (error.line, error.column)
        return cls(path or error.path, line, column, error.template, error.filling, "error", error.hint)

    @property
    def message(self) -> str:
        """The sentence in English."""
        return self.template.format(**self.values) if self.values else self.template

    def as_error(self, template: str = "{message}", hint: str = "", more: str = "") -> ProblemError:
        """The same as what ends a command; ``hint`` says what helps where the problem does not."""
        said, helps = {"message": self.message, "more": more}, self.hint or hint
        return ProblemError(template, hint=helps, path=self.path, line=self.line, column=self.column, **said)

    @property
    def where(self) -> str:
        """``path:line:column``, the form that editors and terminals turn into a link."""
        return f"{self.path}:{self.line}:{self.column}" if self.line else self.path


def first_error(problems: Iterable[Problem | None], path: str = "") -> Problem | None:
    """The first error among problems, or among those of one file; None where there is none."""
    return next(only_errors(problems, path), None)


def only_errors(problems: Iterable[Problem | None], path: str = "") -> Iterator[Problem]:
    """The errors among problems, or among those of one file."""
    return (p for p in problems if p is not None and p.severity == "error" and path in ("", p.path))


Pointer: TypeAlias = tuple[str | int, ...]
"""The path to a value in a document: keys and indexes from the root."""

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
"""Any JSON value."""


DIGITS = 4300
"""The most digits that an integer may have: Python refuses to convert longer ones (CVE-2020-10735)."""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    # json would keep the last of two equal keys and lose the other silently.
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("duplicate key")
    return members


def _finite(token: str) -> float:
    number = float(token)
    if math.isinf(number):
        raise ValueError("overflow")
    return number


def _short(token: str) -> int:
    if len(token) > DIGITS and len(token.lstrip("-")) > DIGITS:
        raise ValueError("too many digits")
    return int(token)


# NaN and Infinity, which ``int`` refuses as ``parse_constant`` should.
DECODER = json.JSONDecoder(
    object_pairs_hook=_unique, parse_float=_finite, parse_int=_short, parse_constant=int
)


def strict(text: str) -> Json:
    """The value of plain JSON; ``ValueError`` or ``RecursionError`` for anything else, and for what no file may hold:
    equal keys, NaN, a number that is too large, half a character."""
    value: Json = DECODER.decode(text)
    if "\\ud" in text.lower():
        json.dumps(value, ensure_ascii=False).encode()
    return value


def plain(value: object) -> str:
    """A text as it is, any other value as its JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


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
    """A member or an element: its key, if any, and the offsets of its start, its key's end, its value and its end."""

    key: str | None
    start: int
    key_end: int
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
    """The key denoted by a key token: ``"a"``, ``'a'`` or ``a`` (ValueError if the token is not a key)."""
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
    """Combine the surrogate pairs that json5 leaves in a text into the characters that they encode."""
    return _HALVES.sub(lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), text)
