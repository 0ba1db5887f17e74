"""Checks text against the grammar and reports the first fault with its position and reason.

Runs only after the fast reader failed, so it is written for exact positions and clear sentences rather than speed. It
keeps its own stack, so that no depth of nesting can exhaust Python's.
"""

from __future__ import annotations

import math
import re
from dataclasses import field
from enum import Enum, auto
from typing import NoReturn

from alice_exp.kernel.errors import Hint
from alice_exp.kernel.jsonc import DIGITS
from alice_exp.kernel.jsonc.scan import ATOM, KEY, skip_trivia, unquote
from alice_exp.kernel.value_class import dataclass

DEPTH = 64
"""The deepest nesting of containers that is read, the root included."""

# For hexadecimal, which Python converts at any length but would not print in decimal.
_TOO_BIG = (10**DIGITS).bit_length()
_ESCAPE = r"\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|0(?![0-9])|\r\n|[\n\r]|[^ux0-9\x00-\x1f])"
_GOOD = {
    '"': re.compile(rf'"[^"\\\x00-\x1f]*(?:{_ESCAPE}[^"\\\x00-\x1f]*)*'),
    "'": re.compile(rf"'[^'\\\x00-\x1f]*(?:{_ESCAPE}[^'\\\x00-\x1f]*)*"),
}
_ESCAPES = re.compile(r"\\(?:u([0-9a-fA-F]{4})|[\s\S])")
_NUMBER = re.compile(
    r"[+-]?(?:0[xX][0-9a-fA-F]+|(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
)
_HEXADECIMAL = re.compile(r"[+-]?0[xX]")
_ENDLESS = re.compile(r"[+-]?(?:NaN|Infinity)")
_NUMERIC = re.compile(r"[+-]?\.?[0-9]")
_BARE_ESCAPE = re.compile(r"\\u[0-9a-fA-F]{4}")
_JOINERS = re.compile("[\u200c\u200d]")
_OTHER_LANGUAGES = {"True": "true", "False": "false", "None": "null", "undefined": "null", "nil": "null"}
_CLOSING = {"{": "}", "[": "]"}


class Fault(Exception):
    """The first fault of a text: its offset in characters, a template sentence with values, and an optional hint."""

    def __init__(self, offset: int, template: str, hint: str = "", **values: object) -> None:
        super().__init__(template)
        self.offset = offset
        self.template = template
        self.values = values
        self.hint = hint


class State(Enum):
    """What the grammar expects next."""

    VALUE = auto()
    ITEM = auto()
    KEY = auto()
    AFTER = auto()


@dataclass(slots=True)
class Frame:
    """An open container: its opening bracket, the offset of that, and the keys so far."""

    opening: str
    offset: int
    keys: set[str] = field(default_factory=set)


class Checker:
    """A checker that can start anywhere in a text, in any state. Each public method raises the first ``Fault``."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._stack: list[Frame] = []
        self._state = State.VALUE

    def value(self, pos: int, frames: tuple[Frame, ...] = ()) -> int:
        """Check the value that begins at ``pos`` inside ``frames``; returns its end."""
        self._stack = list(frames)
        self._state = State.VALUE
        return self._run(pos, len(frames))

    def key(self, pos: int, frame: Frame) -> int:
        """Check the key at ``pos`` of the object ``frame`` and add it to that; returns the end of the colon."""
        self._stack = [frame]
        self._comment(pos)
        return self._key(pos, self._text[pos : pos + 1])

    def rest(self, pos: int, frames: tuple[Frame, ...]) -> NoReturn:
        """Raise the fault of what wrongly stands behind a value that ends at ``pos``, inside ``frames``."""
        self._stack = list(frames)
        self._state = State.AFTER
        if frames:
            pos = self._run(pos, 0)
        pos = skip_trivia(self._text, pos)
        self._comment(pos)
        raise Fault(pos, "something stands after the end of the document")

    def _run(self, pos: int, floor: int) -> int:
        steps = {
            State.VALUE: self._value,
            State.ITEM: lambda pos, char: self._close(pos) if char == "]" else self._value(pos, char),
            State.KEY: self._key,
            State.AFTER: self._after,
        }
        while True:
            pos = skip_trivia(self._text, pos)
            self._comment(pos)
            pos = steps[self._state](pos, self._text[pos : pos + 1])
            if self._state is State.AFTER and len(self._stack) == floor:
                return pos

    def _comment(self, pos: int) -> None:
        if self._text.startswith("/*", pos):
            raise Fault(pos, "this comment is never closed", hint="close it with */")

    def _ended(self) -> Fault:
        # The opening bracket is where a person has to look, not the end of the file.
        frame = self._stack[-1]
        hint = Hint("a {bracket} is missing", bracket=_CLOSING[frame.opening])
        return Fault(frame.offset, "this {opening} is never closed", hint, opening=frame.opening)

    def _value(self, pos: int, char: str) -> int:
        if not char:
            raise self._ended()
        if char in "[{":
            if len(self._stack) >= DEPTH:
                raise Fault(pos, "values are nested deeper than {depth} levels", depth=DEPTH)
            self._stack.append(Frame(char, pos))
            self._state = State.KEY if char == "{" else State.ITEM
            return pos + 1
        if char in ",]}:":
            if char == "," and self._stack and self._stack[-1].opening == "[":
                raise Fault(pos, "there is a comma too many")
            raise Fault(pos, "a value is missing before this {char}", char=char)
        self._state = State.AFTER
        if char in "\"'":
            return check_string(self._text, pos)
        return check_atom(self._text, pos)

    def _close(self, pos: int) -> int:
        self._stack.pop()
        self._state = State.AFTER
        return pos + 1

    def _key(self, pos: int, char: str) -> int:
        if not char:
            raise self._ended()
        if char == "}":
            return self._close(pos)
        if char == ",":
            raise Fault(pos, "there is a comma too many")
        end = check_key(self._text, pos)
        key = unquote(self._text[pos:end])
        if key in self._stack[-1].keys:
            hint = "keep one of the two, or give this one another name"
            raise Fault(pos, 'the key "{key}" stands twice in one object', hint, key=key)
        self._stack[-1].keys.add(key)
        self._state = State.VALUE
        colon = skip_trivia(self._text, end)
        self._comment(colon)
        if colon == len(self._text):
            raise self._ended()
        if self._text[colon] != ":":
            raise Fault(colon, 'a colon is missing after the key "{key}"', key=key)
        return colon + 1

    def _after(self, pos: int, char: str) -> int:
        frame = self._stack[-1]
        if not char:
            raise self._ended()
        if char == ",":
            self._state = State.KEY if frame.opening == "{" else State.ITEM
            return pos + 1
        if char == _CLOSING[frame.opening]:
            return self._close(pos)
        if char in "]}":
            said = "this {char} does not match the {opening} before it"
            wanted = _CLOSING[frame.opening]
            hint = Hint("a {bracket} is missing, or this bracket is one too many", bracket=wanted)
            raise Fault(pos, said, hint, char=char, opening=frame.opening)
        if char == ":":
            raise Fault(pos, "a colon is out of place here")
        raise Fault(pos, "a comma is missing before this")


def check_key(text: str, pos: int) -> int:
    """Check the key token that begins at ``pos``; returns its end (``Fault`` if it is not a key)."""
    if text[pos] in "\"'":
        return check_string(text, pos)
    token = KEY.match(text, pos)
    name = _BARE_ESCAPE.sub("x", token[0]).replace("$", "_") if token else ""
    # str.isidentifier is close to ES5's IdentifierName, but knows neither $, escapes, nor zero-width joiners.
    if token is None or not (name[:1] + _JOINERS.sub("", name[1:])).isidentifier():
        shown = _short(token[0] if token else text[pos])
        raise Fault(pos, "a key was expected here, not {shown}", "put keys in quotes", shown=shown)
    _check_surrogates(text, pos, token.end())
    return token.end()


def check_string(text: str, pos: int) -> int:
    """Check the quoted string that begins at ``pos``; returns its end (``Fault`` if it is malformed)."""
    quote = text[pos]
    good = _GOOD[quote].match(text, pos)
    end = good.end() if good else pos
    if text[end : end + 1] != quote:
        raise _string_fault(text, pos, end)
    _check_surrogates(text, pos, end)
    return end + 1


def _string_fault(text: str, pos: int, end: int) -> Fault:
    bad = end + 1 if text[end : end + 1] == "\\" else end
    char = text[bad : bad + 1]
    if char in ("", "\n", "\r"):
        hint = Hint("close it with {value}; a line break inside is written \\n", value=text[pos])
        if wide := re.search("[”“＂]", text[pos:end]):
            hint = Hint(
                "close it with {value}, not with the full-width {char}", value=text[pos], char=wide[0]
            )
        return Fault(pos, "this text is not closed on its line", hint=hint)
    if char < " ":
        escape = {"\t": "\\t", "\b": "\\b", "\f": "\\f"}.get(char, f"\\u{ord(char):04x}")
        hint = Hint("write it as {escape}", escape=escape)
        said = "a raw control character (U+{code}) stands in a text"
        return Fault(bad, said, hint, code=f"{ord(char):04X}")
    helps = "a backslash itself is written \\\\"
    return Fault(end, "the escape {escape} is not one", helps, escape=f"\\{char}")


def _check_surrogates(text: str, pos: int, end: int) -> None:
    high: re.Match[str] | None = None
    for escape in _ESCAPES.finditer(text, pos, end):
        code = int(escape[1], 16) if escape[1] else 0
        if 0xDC00 <= code <= 0xDFFF and high is not None and high.end() == escape.start():
            high = None
            continue
        if high is not None or 0xDC00 <= code <= 0xDFFF:
            raise _half(high or escape)
        high = escape if 0xD800 <= code <= 0xDBFF else None
    if high is not None:
        raise _half(high)


def _half(escape: re.Match[str]) -> Fault:
    said = "the escape {escape} is half a character (a lone surrogate)"
    return Fault(escape.start(), said, "write the character itself", escape=escape[0])


def check_atom(text: str, pos: int) -> int:
    """Check the number or word that begins at ``pos``; returns its end (``Fault`` if it is not a value)."""
    match = ATOM.match(text, pos)
    if match is None:
        raise Fault(pos, "the character {char} is out of place here", char=text[pos])
    token = match[0]
    if token in ("true", "false", "null"):
        return match.end()
    if _ENDLESS.fullmatch(token):
        raise Fault(pos, "{word} is not a value that is kept", "write a number, or null", word=token)
    if not _NUMBER.fullmatch(token):
        raise _atom_fault(pos, token)
    if _HEXADECIMAL.match(token):
        if int(token, 16).bit_length() >= _TOO_BIG:
            raise Fault(pos, "a whole number has over {limit} digits", limit=DIGITS)
    elif not token.lstrip("+-").isdigit():
        if math.isinf(float(token)):
            raise Fault(pos, "the number {number} is too large", number=_short(token))
    elif len(token.lstrip("+-")) > DIGITS:
        raise Fault(pos, "a whole number has over {limit} digits", limit=DIGITS)
    return match.end()


def _atom_fault(pos: int, token: str) -> Fault:
    if token in _OTHER_LANGUAGES:
        hint = Hint("write {names}", names=_OTHER_LANGUAGES[token])
        return Fault(pos, "{word} is not a value", hint, word=token)
    if token[0] == "#":
        return Fault(pos, "a comment does not begin with #", hint="begin it with //")
    if _NUMERIC.match(token):
        helps = "a number does not begin with 0" if re.match(r"[+-]?0[0-9]", token) else ""
        return Fault(pos, "{number} is not a number", helps, number=_short(token))
    return Fault(pos, "{word} is not a value", "put a text in quotes", word=_short(token))


def _short(token: str) -> str:
    return token if len(token) <= 40 else token[:39] + "…"
