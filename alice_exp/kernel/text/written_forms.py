"""Finds texts in files in whatever form they stand there: escaped for JSON, HTML or a URL, wrapped, cut short."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator
from unicodedata import normalize

from alice_exp.kernel.value_class import dataclass

_ESCAPE = re.compile(
    r"\\u([0-9a-fA-F]{4})|\\x([0-9a-fA-F]{2})|\\(.)|(&(?:#\d+|#[xX][0-9a-fA-F]+|[A-Za-z]\w*);)|((?:%[0-9a-fA-F]{2})+)",
    re.DOTALL,
)
_ROUNDS = 8
_BEGINNING = 60
"""The characters of a text that are looked for: pages cut a long one short."""
_LONGEST = 24
"""The most bytes that a character and the white space beside it take in any form."""


def as_read(text: str) -> str:
    """The text as it is read: escapes resolved, however often they were applied, in lower case, each run of white space
    and ``+`` (a blank in a URL) as one blank."""
    for _ in range(_ROUNDS):
        plain = _ESCAPE.sub(_resolved, text)
        if plain == text:
            break
        text = plain
    # Escapes of JSON come as halves of a character.
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return " ".join(normalize("NFKC", whole).casefold().replace("+", " ").split())


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
        begin = end = -1
        for hit in self.probe.finditer(data):
            low, high = max(0, hit.start() - self.width), hit.end() + self.width
            if end >= 0 and low > end:
                yield data[begin:end]
                begin = low
            elif end < 0:
                begin = low
            end = high
        if end >= 0:
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
    if words := re.findall(r"[A-Za-z0-9]{3,}", text):
        return re.compile(re.escape(max(words, key=len)).encode(), re.IGNORECASE)
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
