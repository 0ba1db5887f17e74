"""How a text is written down: for a terminal, control characters escaped, measured in columns, cut or wrapped; in a
file, found in whatever form it stands there (escaped for JSON, HTML or a URL, cut short).

Other people's text is data and must never control the terminal (DESIGN 6). A block of our own stands between two marker
lines of somebody's Markdown file.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from unicodedata import normalize

from alice_exp.kernel.errors import Names, ProblemError
from alice_exp.kernel.text.data_files import LazyPattern
from alice_exp.kernel.value_class import dataclass

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
    Newline and tab stay (CR LF becomes a newline), a variation selector after its emoji, and what joins two emoji
    between them. Idempotent.
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


_ESCAPE = re.compile(
    r"\\u([0-9a-fA-F]{4})|\\x([0-9a-fA-F]{2})|\\(.)|(&(?:#\d+|#[xX][0-9a-fA-F]+|[A-Za-z]\w*);)|((?:%[0-9a-fA-F]{2})+)",
    re.DOTALL,
)
_LOOSE = LazyPattern(r"(?<=\d)[ -](?=\d)|(?<=[^\0-\x7f]) | (?=[^\0-\x7f])")
"""What is written or left out as one likes: 138-0013 8000, 漕溪北路 88 号."""
_ROUNDS = 8
_BEGINNING = 60
"""The characters of a text that are looked for: pages cut a long one short."""
_LONGEST = 24
"""The most bytes that a character and the white space beside it take in any form."""


def as_read(text: str) -> str:
    """The text as it is read: escapes resolved, however often they were applied, in lower case, each run of white space
    and ``+`` (a blank in a URL) as one blank, none of it (nor a dash) between digits or beside Chinese."""
    for _ in range(_ROUNDS):
        plain = _ESCAPE.sub(_resolved, text)
        if plain == text:
            break
        text = plain
    # Escapes of JSON come as halves of a character.
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    read: str = _LOOSE.sub("", " ".join(normalize("NFKC", whole).casefold().replace("+", " ").split()))
    return read


def _resolved(found: re.Match[str]) -> str:
    code, plain, entity, bytes_ = found[1] or found[2], found[3], found[4], found[5]
    if code:
        return chr(int(code, 16))
    if plain:
        return " " if plain in "bfnrt" else plain
    if entity:
        from html import unescape

        return unescape(entity)
    return bytes.fromhex(bytes_.replace("%", "")).decode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class _Needle:
    read: str
    probe: re.Pattern[bytes]
    width: int

    def stretches(self, data: bytes) -> Iterator[bytes]:
        """The parts of some data in which the text could stand."""
        begin = end = 0
        for hit in self.probe.finditer(data):
            if (low := hit.start() - self.width) > end:
                yield data[begin:end]
                begin = low
            end = hit.end() + self.width
        yield data[begin:end]


class WrittenForms:
    """Texts to look for; those of fewer than ``shortest`` characters (half of it for other scripts than Latin) are left
    out, since they match too much by chance."""

    def __init__(self, texts: Iterable[str], shortest: int = 4) -> None:
        self._needles = tuple(
            _Needle(read, _probe(text[:_BEGINNING]), _LONGEST * len(text[:_BEGINNING]))
            for text in sorted(set(texts))
            if (read := as_read(text[:_BEGINNING]))
            and len(read) >= (shortest if read.isascii() else (shortest + 1) // 2)
        )

    def stand_in(self, data: bytes) -> bool:
        """Whether any of the texts stands in a file's bytes (UTF-8, or UTF-16 with its mark)."""
        if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            data = data.decode("utf-16", "replace").encode()
        return any(
            one.read in as_read(part.decode("utf-8", "replace"))
            for one in self._needles
            for part in one.stretches(data)
        )


def _probe(text: str) -> re.Pattern[bytes]:
    """What is in the data wherever the text is, in any form: its longest Latin word, else its first other sign."""
    if words := re.findall(r"[A-Za-z0-9]{3,}", _LOOSE.sub("", text)):
        longest = max(words, key=len)
        return re.compile(re.sub(r"(?<=\d)(?=\d)", "[ -]?", longest).encode(), re.IGNORECASE)
    other = next((char for char in text if not char.isascii() and not char.isspace()), "")
    if not other:
        return re.compile(rb"(?s).+")
    unit = int.from_bytes(other.encode("utf-16-be", "surrogatepass")[:2])
    forms = [
        re.escape(other.encode("utf-8", "surrogatepass")),
        *(form.encode() for form in (f"u{unit:04x}", f"#{ord(other)};", f"#x0*{ord(other):x};")),
        b"".join(b"%%(?:25)*%02x" % byte for byte in other.encode("utf-8", "replace")),
    ]
    from html.entities import codepoint2name

    if named := codepoint2name.get(ord(other)):
        forms.append(named.encode())
    return re.compile(b"|".join(forms), re.IGNORECASE)


OURS, TEAMS = "alice-exp", "alice-exp team"
"""Whose a block is: what ``connect`` and ``prime`` write for one person, what ``project publish`` writes for all."""

_BEGIN = "<!-- {whose}: begin (written by alice-exp; edit outside of these two lines) -->"
_END = "<!-- {whose}: end -->"


def _block(text: str, whose: str, path: str) -> re.Match[str] | None:
    """Our block in a file, with its markers; ``ProblemError`` unless these are one pair or none: of what stands
    between others, nobody knows whose it is."""
    marks = [*re.finditer(rf"^[^\S\n]*<!-- {whose}: (?:begin|end)\b", text, re.MULTILINE)]
    pattern = rf"(?P<gap>(?:\r?\n)?)^<!-- {whose}: begin[^\n]*-->\r?\n.*?^<!-- {whose}: end -->(?:\r?\n|\Z)"
    found = re.search(pattern, text, re.DOTALL | re.MULTILINE)
    if len(marks) != 2 * bool(found):
        lines = [text.count("\n", 0, one.start()) + 1 for one in marks]
        raise ProblemError(
            "the marker lines of alice-exp are not one begin and one end here: {few}",
            few=Names(map(str, lines)),
            path=path,
            line=lines[0],
            hint="make them one pair around what alice-exp wrote, or take that out with them",
        )
    return found


def with_block(text: str, body: str, whose: str = OURS, *, path: str = "") -> str:
    """The file with ``body`` between the markers: in its old place, else at the end. ``ProblemError`` as ``_block``."""
    ending = "\r\n" if "\r\n" in text else "\n"
    # A comment that a text opens would hide what stands behind it from whoever sees the file drawn.
    lines = (line.replace("<!--", "&lt;!--") for line in body.splitlines())
    block = ending.join([_BEGIN.format(whose=whose), *lines, _END.format(whose=whose)]) + ending
    if found := _block(text, whose, path):
        return text[: found.start()] + found["gap"] + block + text[found.end() :]
    # The line break before it is ours, and goes with it: so a file that ends without one is as it was.
    return text + (ending if text else "") + block


def without_block(text: str, whose: str = OURS, *, path: str = "") -> str:
    """The file without our block and without the line break that was put before it. ``ProblemError`` as ``_block``."""
    found = _block(text, whose, path)
    return text[: found.start()] + text[found.end() :] if found else text


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
