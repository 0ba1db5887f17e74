"""Formats new values and re-indents text that is moved between documents."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from json.encoder import encode_basestring
from typing import NamedTuple, TypeAlias

from alice_exp.kernel.jsonc import Json
from alice_exp.kernel.jsonc.reader import check_text
from alice_exp.kernel.jsonc.scan import COMMENT, STRING, TRIVIUM, skip_trivia, skip_value
from alice_exp.kernel.value_class import dataclass

WIDTH = 100
"""The most columns that a list or object on one line may reach."""

_TOP_LEVELS = 2
"""Elements down to this depth (blocks, episodes, segments) are written with one key per line."""

_BREAK = re.compile(r"(\r\n|\n|\r)([ \t]*)")
_SHIFTED = re.compile(rf"{STRING}|{COMMENT}|(?:\r\n|\n|\r)[ \t]*")


@dataclass(frozen=True, slots=True)
class Raw:
    """JSONC text to be inserted verbatim as a value: an element with the comments before and after it."""

    text: str


Value: TypeAlias = "Json | Raw"


@dataclass(frozen=True, slots=True)
class Style:
    """A document's layout: indentation unit, line break, and the most columns of a line."""

    unit: str = "  "
    newline: str = "\n"
    width: int = WIDTH


class Item(NamedTuple):
    """A member or element as text: the comments before it, itself, the comments after its comma."""

    lead: str
    body: str
    trail: str


def dump(value: Json, depth: int = 0) -> str:
    """Format a value as an element at ``depth`` (0: the document itself; a block: 2).

    All lines but the first are indented, by ``depth`` steps of two blanks or more. ValueError for NaN, infinities and
    lone surrogates.
    """
    text = render(value, "  " * depth, depth, Style())
    text.encode("utf-8")
    return text


# Tuples as constants: a union written in the call (int | float) is built each time and slower to check.
_NUMBERS, _CONTAINERS = (int, float), (dict, list)
_ENCODE = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def one_line(value: object) -> str:
    """A value on one line (ValueError for NaN and infinities, TypeError for what JSON cannot express)."""
    return _ENCODE(value)


def render(
    value: Json, indent: str, depth: int, style: Style, before: int = 0, is_member: bool = False
) -> str:
    """A value as text with ``indent`` before all lines but the first, on which ``before`` columns are used already."""
    if not isinstance(value, _CONTAINERS) or not value:
        return one_line(value)
    before = before or len(indent)
    if (line := _on_line(value, depth, style.width - before - 1, is_member)) is not None:
        return line
    inner = indent + style.unit
    if isinstance(value, dict):
        items = [make_item(item, key, inner, depth + 1, style) for key, item in value.items()]
        return "{" + lines_of(items, inner, style.newline) + style.newline + indent + "}"
    items = [make_item(item, None, inner, depth + 1, style) for item in value]
    return "[" + lines_of(items, inner, style.newline) + style.newline + indent + "]"


def _on_line(value: dict[str, Json] | list[Json], depth: int, room: int, is_member: bool) -> str | None:
    """A container on one line; None where it wants lines of its own."""
    if isinstance(value, dict):
        if not _is_flat(value) or not (is_member or depth > _TOP_LEVELS):
            return None
        line = one_line(value)
        return line if not is_member or len(line) <= room else None
    for item in value:
        if not _is_flat(item) or (depth < _TOP_LEVELS and isinstance(item, dict)):
            return None
    line = one_line(value)
    return line if len(line) <= room or (len(value) == 1 and isinstance(value[0], dict)) else None


def _is_flat(value: object) -> bool:
    """Whether a value contains nothing but scalars and empty containers."""
    if isinstance(value, Raw):
        return False
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for item in inner:  # noqa: SIM110 - a generator takes three times as long, on each value that is written
        if isinstance(item, Raw) or (isinstance(item, _CONTAINERS) and item):
            return False
    return True


@lru_cache(maxsize=256)
def _name(key: str) -> str:
    return one_line(key) + ": "


def make_item(
    value: Value, key: str | None, indent: str, depth: int, style: Style, tight: bool = False
) -> Item:
    """A member (with a ``key``) or element as text to be placed at ``indent``; ``tight``: all on one line."""
    name = "" if key is None else _name(key)
    # Scalars first and by hand: they are most of what is written.
    if isinstance(value, str):
        return Item("", name + encode_basestring(value), "")
    if value is None or isinstance(value, _NUMBERS):
        return Item("", name + _ENCODE(value), "")
    if isinstance(value, Raw):
        return Item(*raw_parts(value, indent, style))
    if tight:
        return Item("", name + one_line(value), "")
    return Item("", name + render(value, indent, depth, style, len(indent + name), key is not None), "")


def lines_of(items: list[Item], indent: str, newline: str, last_comma: bool = False) -> str:
    """Items on lines of their own, with a line break before each."""
    pieces: list[str] = []
    for number, item in enumerate(items, 1):
        comma = "," if last_comma or number < len(items) else ""
        pieces += (newline, indent, item.lead, item.body, comma, item.trail)
    return "".join(pieces)


def raw_plain(raw: Raw) -> Json:
    """The value of a raw text (ValueError unless it is one value with comments and perhaps a comma)."""
    text, _, end = _raw_span(raw)
    if TRIVIUM.sub("", text[end:]):
        raise ValueError("raw text holds more than one value and comments")
    return check_text(text[:end])


def _raw_span(raw: Raw) -> tuple[str, int, int]:
    text = raw.text.strip()
    start = skip_trivia(text, 0)
    return text, start, skip_value(text, start)


def raw_parts(raw: Raw, indent: str, style: Style) -> tuple[str, str, str]:
    """Leading comments, value and trailing comments, re-indented; ``raw_plain`` must have accepted the text."""
    text, start, end = _raw_span(raw)
    trail = TRIVIUM.sub(lambda piece: "" if piece.lastgroup == "comma" else piece[0], text[end:]).strip()
    last = text.rfind("\n", start, end) + 1 or text.rfind("\n", 0, start) + 1
    text = shift(text[:end], indent_at(text, last), indent, style.newline)
    start = skip_trivia(text, 0)
    return text[:start], text[start:], " " + shift(trail, "", indent, style.newline) if trail else ""


def indent_at(text: str, offset: int) -> str:
    """The indentation of the line that contains ``offset``."""
    begin = text.rfind("\n", 0, offset) + 1
    end = begin
    while text[end : end + 1] in (" ", "\t"):
        end += 1
    return text[begin:end]


def shift(text: str, old: str, new: str, newline: str) -> str:
    """Replace the indentation ``old`` by ``new`` in all lines but the first; line continuations in strings stay."""

    def fixed(gap: re.Match[str]) -> str:
        following = gap.string[gap.end() : gap.end() + 1]
        if following in ("\n", "\r"):
            return newline
        blanks = gap[2]
        kept = blanks[len(old) :] if blanks.startswith(old) else blanks[min(len(old), len(blanks)) :]
        return newline + new + kept

    def piece(match: re.Match[str]) -> str:
        token = match[0]
        if token.startswith("/*"):
            return _BREAK.sub(fixed, token)
        gap = _BREAK.match(text, match.start())
        return fixed(gap) if gap else token

    return _SHIFTED.sub(piece, text)


def ends_in_line_comment(trivia: str) -> bool:
    """Whether anything added on the same line would become part of a line comment."""
    if "//" not in trivia:
        return False
    return [piece.lastgroup for piece in TRIVIUM.finditer(trivia)][-1:] == ["line"]
