"""Prepares text for a terminal: control characters escaped, width measured in columns, cut to one line.

Other people's text is data and must never control the terminal (DESIGN 6).
"""

from __future__ import annotations

import unicodedata
from functools import cache

from alice_exp.kernel.text.lazy_pattern import LazyPattern

_HARMFUL = LazyPattern(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200c\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\ud800-\udfff\U000e0000-\U000e0fff]|"
    "(?<![#*0-9\u00a9\u00ae\u203c-\u329f\U0001f000-\U0001faff])[\ufe00-\ufe0f]|"
    # A joiner makes one picture of two, as of a family; elsewhere it hides.
    "(?<![\ufe0f\u203c-\u329f\U0001f000-\U0001faff])\u200d|\u200d(?![\u203c-\u329f\U0001f000-\U0001faff])"
)


def visible(text: str) -> str:
    r"""The text with control, bidirectional and invisible characters escaped as ``\u{202e}``.

    Escapes rather than a replacement character, so that a person sees what is hidden there and can search for it.
    Newline and tab stay (CR LF becomes a newline); a variation selector stays after the emoji that it belongs to, and
    what joins two emoji between them.
    Idempotent.
    """
    if text.isascii() and text.isprintable():
        return text
    found: str = _HARMFUL.sub(lambda found: f"\\u{{{ord(found.group()):x}}}", text.replace("\r\n", "\n"))
    return found


def escaped_json(text: str) -> str:
    r"""A JSON text in which the characters that ``visible`` escapes stand as ``\u202e``: the same document."""
    escaped: str = _HARMFUL.sub(lambda found: _escape(ord(found.group())), text)
    return escaped


def _escape(code: int) -> str:
    if code < 0x10000:
        return f"\\u{code:04x}"
    return f"\\u{0xD7C0 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"


def cells(text: str) -> int:
    """The number of terminal cells a text takes: two for a wide character, none for a combining or invisible one."""
    if text.isascii():
        return len(text) if text.isprintable() else sum(" " <= char <= "~" for char in text)
    return sum(map(_width, text))


@cache
def _width(char: str) -> int:
    if unicodedata.east_asian_width(char) in "WF":
        return 2
    # The last range are the vowels and finals of Hangul, which combine with the consonant before them.
    return 0 if unicodedata.category(char) in ("Mn", "Me", "Cf", "Cc") or "\u1160" <= char <= "\u11ff" else 1


def one_line(text: str, width: int) -> str:
    """The text on one line of at most ``width`` cells, escaped by ``visible``, with "…" where it is cut."""
    line = visible(" ".join(text.split()))
    if cells(line) <= width:
        return line
    filled = 0
    for index, char in enumerate(line):
        filled += _width(char)
        if filled > width - 1:
            return line[:index].rstrip() + "…" if width > 0 else ""
    return line
