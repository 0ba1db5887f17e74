"""Prepares text for a terminal: control characters escaped, width measured in columns, cut or wrapped.

Other people's text is data and must never control the terminal (DESIGN 6).
"""

from __future__ import annotations

import unicodedata
from functools import cache
from typing import TYPE_CHECKING

from alice_exp.kernel.text.data_files import LazyPattern

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterator


_HARMFUL = LazyPattern(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200c\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\ud800-\udfff\U000e0000-\U000e0fff]|"
    "(?<![#*0-9\u00a9\u00ae\u203c-\u329f\U0001f000-\U0001faff])[\ufe00-\ufe0f]|"
    # A joiner makes one picture of two, as of a family; elsewhere it hides.
    "(?<![\ufe0f\u203c-\u329f\U0001f000-\U0001faff])\u200d|\u200d(?![\u203c-\u329f\U0001f000-\U0001faff])"
)

# Letters of Cyrillic, Greek and Armenian that look like Latin ones in any word, and Greek ones that do between two.
_TWINS = "аԁеһіјӏорԛсѕԝхуѵАВЕЅІЈКМНОРСТУХҮԚԜѴӀοΑΒΕΖΗΙΚΜΝΟΡΤΥΧհոսօ"
_LIKENESS = "αγικνρστυ"
_FALSE_LATIN = LazyPattern(rf"[{_TWINS}]|(?<=[A-Za-z{_LIKENESS}])[{_LIKENESS}](?=[A-Za-z{_LIKENESS}])")
_OF_THEIR_OWN = LazyPattern(rf"(?![{_TWINS}])[\u0370-\u058f]")
# In JSON the letter behind a backslash belongs to no word.
_WORD = LazyPattern(r"\\.|[^\W\d_]+")
_LATIN = LazyPattern("[A-Za-z]")


def visible(text: str) -> str:
    r"""The text with control, bidirectional and invisible characters escaped as ``\u{202e}``.

    So is a Cyrillic, Greek or Armenian letter that looks like a Latin one (``p\u{430}ypal``) in a word with Latin
    letters, and a word of such letters alone in a text in Latin letters without any other of their script.

    Escapes rather than a replacement character, so that a person sees what is hidden there and can search for it.
    Newline and tab stay (CR LF becomes a newline); a variation selector stays after the emoji that it belongs to, and
    what joins two emoji between them.
    Idempotent.
    """
    if text.isascii() and text.isprintable():
        return text
    return _escaped(text.replace("\r\n", "\n"), lambda found: f"\\u{{{ord(found[0]):x}}}")


def escaped_json(text: str) -> str:
    r"""A JSON text in which the characters that ``visible`` escapes stand as ``\u202e``: the same document."""
    return _escaped(text, lambda found: _escape(ord(found[0])))


def _escaped(text: str, escape: Callable[[re.Match[str]], str]) -> str:
    shown: str = _HARMFUL.sub(escape, text)
    if _FALSE_LATIN.search(shown) is None or _LATIN.search(shown) is None:
        return shown
    is_latin = _OF_THEIR_OWN.search(shown) is None

    def word(found: re.Match[str]) -> str:
        alone = is_latin and len(found[0]) > 1
        marked: str = _FALSE_LATIN.sub(escape, found[0]) if alone or _LATIN.search(found[0]) else found[0]
        return marked

    marked: str = _WORD.sub(word, shown)
    return marked


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


def wrapped(text: str, width: int) -> list[str]:
    """The escaped text in lines of at most ``width`` cells, broken at spaces or between CJK characters."""
    lines: list[str] = []
    for paragraph in visible(text).replace("\t", " ").split("\n"):
        line, used = "", 0
        for piece in _pieces(paragraph):
            size = cells(piece)
            if used + size > width and line.strip():
                lines.append(line.rstrip())
                piece = piece.lstrip()
                line, used, size = "", 0, cells(piece)
            while size > width:
                # `one_line` ends what it cuts with an ellipsis, which takes the extra cell and is dropped again.
                head = one_line(piece, width + 1)[:-1] or piece[:1]
                lines.append(head)
                piece = piece[len(head) :]
                size = cells(piece)
            line, used = line + piece, used + size
        lines.append(line.rstrip())
    return lines


_CLOSING = "，。；：！？、）」』”’》"
_OPENING = "（「『“‘《"
"""Marks that begin no line, and that end none."""


def _pieces(text: str) -> Iterator[str]:
    """Split into unbreakable pieces: words with the space before them, CJK characters with the marks that open
    before them and that close after them.

    A command in quotes is one piece, so that it can be copied from one line.
    """
    piece, is_command = "", False
    for character in text:
        is_wide = character > "\u2e7f"
        if is_command:
            is_command = character != "'"
        elif (
            piece
            and character not in _CLOSING
            and piece[-1] not in _OPENING
            and (character == " " or is_wide or piece[-1] > "\u2e7f")
        ):
            yield piece
            piece = ""
        piece += character
        is_command = is_command or piece.lstrip() == "'alice-exp"
    if piece:
        yield piece


class Markup(str):
    """A text in the notation of a page, which a template takes as it is."""

    __slots__ = ()


def filling(escaped: Callable[[str], str]) -> Callable[..., Markup]:
    """A function that fills a template: whatever is no markup is a text, and escaped; a list is joined."""

    def fill(template: str, *values: object, between: str = "") -> Markup:
        rows = (one if isinstance(one, list) else [one] for one in values)
        told = ([each if isinstance(each, Markup) else escaped(str(each)) for each in row] for row in rows)
        return Markup(template.format(*map(between.join, told)))

    return fill
