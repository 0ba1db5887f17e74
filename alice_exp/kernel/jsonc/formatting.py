"""How freshly written values look, and how text that is moved is re-indented."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from json.encoder import encode_basestring
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from alice_exp.kernel.jsonc.reader import check_text
from alice_exp.kernel.jsonc.scan import TRIVIUM, skip_trivia, skip_value

if TYPE_CHECKING:
    from collections.abc import Iterable

    from alice_exp.kernel.jsonc.problem import Json

WIDTH = 100
"""Columns that a short list or object may reach on one line."""

_TOP_LEVELS = 2
"""Elements down to this depth (blocks, episodes, segments) are written one key a line."""

_BREAK = re.compile(r"(\r\n|\n|\r)([ \t]*)")
_SHIFTED = re.compile(
    r'"(?:[^"\\\n\r]|\\(?:\r\n|[\s\S]))*"|'
    r"'(?:[^'\\\n\r]|\\(?:\r\n|[\s\S]))*'|//[^\n\r]*|/\*[\s\S]*?\*/|(?:\r\n|\n|\r)[ \t]*"
)


@dataclass(frozen=True, slots=True)
class Raw:
    """JSONC text to be put in verbatim as a value: an element with the comments before and behind it."""

    text: str


Value: TypeAlias = "Json | Raw"


@dataclass(frozen=True, slots=True)
class Style:
    """What a document's own lines look like."""

    unit: str = "  "
    newline: str = "\n"
    width: int = WIDTH


class Item(NamedTuple):
    """A member or element as text: comments before it, itself, comments behind its comma."""

    lead: str
    body: str
    trail: str

    @property
    def has_comments(self) -> bool:
        """Whether it needs lines of its own."""
        return bool(self.lead or self.trail)


def dump(
    value: Json,
    indent_unit: str = "  ",
    depth: int = 0,
    newline: str = "\n",
    width: int = WIDTH,
) -> str:
    """A freshly written value, as an element at ``depth`` (0: the document itself; a block: 2).

    The first line is not indented, the others are, by ``depth`` units and more. ``width`` is in columns.
    ValueError for NaN, infinities and lone surrogates.
    """
    text = render(value, indent_unit * depth, depth, Style(indent_unit, newline, width))
    text.encode("utf-8")
    return text


# A union of types is made anew, and asked more slowly, each time that it is written out.
_NUMBERS, _CONTAINERS = (int, float), (dict, list)
_ENCODE = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def one_line(value: object) -> str:
    """A value on one line (ValueError for NaN and infinities, TypeError for what JSON has no word for)."""
    return _ENCODE(value)


def render(
    value: Value, indent: str, depth: int, style: Style, before: int = 0, is_member: bool = False
) -> str:
    """A value as text whose further lines begin with ``indent``; ``before`` columns of its line are taken."""
    if isinstance(value, Raw):
        return raw_value(value, indent, style)
    if not isinstance(value, _CONTAINERS) or not value:
        return one_line(value)
    before = before or len(indent)
    if _stays_on_line(value, depth, style.width - before - 1, is_member):
        return one_line(value)
    inner = indent + style.unit
    if isinstance(value, dict):
        items = [make_item(item, key, inner, depth + 1, style) for key, item in value.items()]
        return "{" + lines_of(items, inner, style.newline) + style.newline + indent + "}"
    items = [make_item(item, None, inner, depth + 1, style) for item in value]
    return "[" + lines_of(items, inner, style.newline) + style.newline + indent + "]"


def _stays_on_line(value: Json, depth: int, room: int, is_member: bool) -> bool:
    if isinstance(value, dict):
        if not _is_flat(value):
            return False
        return len(one_line(value)) <= room if is_member else depth > _TOP_LEVELS
    if not isinstance(value, list):
        return True
    if not all(_is_flat(item) and (depth >= _TOP_LEVELS or not isinstance(item, dict)) for item in value):
        return False
    return (len(value) == 1 and isinstance(value[0], dict)) or len(one_line(value)) <= room


def _is_flat(value: object) -> bool:
    """Whether nothing but single values and empty containers lie in a value."""
    if isinstance(value, Raw):
        return False
    inner: Iterable[object] = ()
    if isinstance(value, Mapping):
        inner = value.values()
    elif isinstance(value, list):
        inner = value
    return not any(isinstance(item, Raw) or (isinstance(item, _CONTAINERS) and item) for item in inner)


@lru_cache(maxsize=256)
def _name(key: str) -> str:
    return one_line(key) + ": "


def make_item(
    value: Value, key: str | None, indent: str, depth: int, style: Style, tight: bool = False
) -> Item:
    """A member (``key``) or element as text to stand at ``indent``; ``tight``: all on one line."""
    name = "" if key is None else _name(key)
    if isinstance(value, str):
        return Item("", name + encode_basestring(value), "")
    if value is None or isinstance(value, _NUMBERS):
        return Item("", name + _ENCODE(value), "")
    if isinstance(value, Raw):
        lead, body, trail = raw_parts(value, indent, style)
        return Item("", name + lead + body, trail) if name else Item(lead, body, trail)
    if tight:
        return Item("", name + one_line(value), "")
    return Item("", name + render(value, indent, depth, style, len(indent + name), key is not None), "")


def lines_of(items: list[Item], indent: str, newline: str, last_comma: bool = False) -> str:
    """Items on lines of their own, each line with the line break before it."""
    pieces: list[str] = []
    for number, item in enumerate(items, 1):
        comma = "," if last_comma or number < len(items) else ""
        pieces += (newline, indent, item.lead, item.body, comma, item.trail)
    return "".join(pieces)


def raw_plain(raw: Raw) -> Json:
    """What a raw text means (ValueError where it is not one value with comments and perhaps a comma)."""
    text, _, end = _raw_span(raw)
    if TRIVIUM.sub("", text[end:]):
        raise ValueError("raw text holds more than one value and comments")
    return check_text(text[:end])


def _raw_span(raw: Raw) -> tuple[str, int, int]:
    text = raw.text.strip()
    start = skip_trivia(text, 0)
    return text, start, skip_value(text, start)


def raw_parts(raw: Raw, indent: str, style: Style) -> tuple[str, str, str]:
    """Comments before, value, comments behind, re-indented; the text was judged by ``raw_plain``."""
    text, start, end = _raw_span(raw)
    trail = TRIVIUM.sub(_but_commas, text[end:]).strip()
    text = shift(text[:end], _own_indent(text, start, end), indent, style.newline)
    start = skip_trivia(text, 0)
    return text[:start], text[start:], " " + shift(trail, "", indent, style.newline) if trail else ""


def _but_commas(piece: re.Match[str]) -> str:
    return "" if piece.lastgroup == "comma" else piece[0]


def raw_value(raw: Raw, indent: str, style: Style) -> str:
    """A raw value where a comma may follow at once: a trailing line comment moves above the value."""
    lead, body, trail = raw_parts(raw, indent, style)
    if ends_in_line_comment(trail):
        return lead + trail.strip() + style.newline + indent + body
    return lead + body + trail


def _own_indent(text: str, start: int, end: int) -> str:
    last = text.rfind("\n", start, end) + 1
    line = last if last else text.rfind("\n", 0, start) + 1
    return indent_at(text, line)


def indent_at(text: str, offset: int) -> str:
    """The blanks and tabs that the line of ``offset`` begins with."""
    begin = text.rfind("\n", 0, offset) + 1
    end = begin
    while text[end : end + 1] in (" ", "\t"):
        end += 1
    return text[begin:end]


def shift(text: str, old: str, new: str, newline: str) -> str:
    """Text whose lines after the first lose the indentation ``old`` and gain ``new``; strings stay."""

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
    """Whether what follows these comments on the same line would be swallowed."""
    if "//" not in trivia:
        return False
    kinds = [piece.lastgroup for piece in TRIVIUM.finditer(trivia)]
    return kinds[-1:] == ["line"]
