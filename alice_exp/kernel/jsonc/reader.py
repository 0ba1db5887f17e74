"""Parses bytes into a ``Document``: at C speed where the text is JSONC, through json5 where it is JSON5.

``json`` decodes the elements one by one, so that each has a span. At the first one that it cannot decode, it goes on
in a copy of the text with comments and trailing commas blanked at equal length; an element that it still cannot
decode goes to json5 by itself. Faults are noticed here and located by ``grammar``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from json.scanner import make_scanner
from typing import Any

from alice_exp.kernel.jsonc import DECODER, Json, Problem
from alice_exp.kernel.jsonc.document import Document, SharedElements, position
from alice_exp.kernel.jsonc.grammar import DEPTH, Checker, Fault, Frame
from alice_exp.kernel.jsonc.scan import (
    KEY,
    Child,
    children,
    joined,
    skip_trivia,
    skip_value,
    unquote,
    without_comments,
    without_last_commas,
)

LIMIT = 64 * 1024 * 1024
"""The largest file that is read, in bytes."""

_BOM = b"\xef\xbb\xbf"
_WIDE_BOMS = (b"\xff\xfe", b"\xfe\xff")
# What may follow a complete value; anything else means that the C scanner stopped inside a JSON5 token.
_ENDS = frozenset((",", "\n", "]", "}", " ", "\r", "\t", "/", ""))
_PLAIN_COMMA = re.compile(r"[ \r\n\t]*,[ \r\n\t]*(?://[^\n\r]*[\n\r][ \r\n\t]*)*(?=[{\[\"0-9])")
# A comma, perhaps line comments, and the start of a value that the C scanner can read.
_AT_ONCE = 12
# Elements whose brackets are counted together in `_check_depths`.
_HALF = re.compile(r"\\u[dD][89a-fA-F]")
_HALVES = ("\\ud", "\\uD")
_MARKER = re.compile(r"^(?:<{7} |={7}(?=\r?$)|>{7} ).*$", re.MULTILINE)


def parse(data: bytes, path: str = "", spans_of: str = "blocks", was: Document | None = None) -> Document:
    """Parse a file's bytes. Never raises; a fault becomes the document's ``problem``.

    ``path`` is named in problems. ``spans_of`` names the member of the root whose elements' spans are kept; with an
    empty name no spans are kept, which is faster. ``was`` is an earlier document of the same file: elements before
    the first and after the last change since are taken from it.
    """
    bom = data.startswith(_BOM)
    text, unreadable = _decoded(data[3:] if bom else data)
    is_reused = was is not None and was.problem is None and was.spans_of == spans_of
    try:
        if unreadable is not None:
            raise unreadable
        reader = _Reader(text, spans_of, SharedElements(was, text) if was and is_reused else None)
        value = reader.read()
    except Fault as fault:
        if was is not None:
            # The wording of a fault depends on all that was read before it, so read everything.
            return parse(data, path, spans_of)
        problem = _problem(path, text, unreadable or _conflict(text) or fault)
        return Document(path, text, bom, None, problem, (), spans_of)
    return Document(path, text, bom, value, None, tuple(reader.elements), spans_of, reader.members)


def check_text(text: str) -> Json:
    """The value of a text (ValueError with position and reason if it is faulty)."""
    try:
        return _Reader(text, "").read()
    except Fault as fault:
        reason = fault.template.format(**fault.values) if fault.values else fault.template
        line, column = position(text, fault.offset)
        raise ValueError(f"{line}:{column}: {reason}") from None


def _decoded(data: bytes) -> tuple[str, Fault | None]:
    """The text; or what can be decoded of it, and why no more can."""
    if len(data) > LIMIT:
        return "", Fault(0, "the file is over 64 MiB ({size} bytes)", "split it in two", size=len(data))
    # Without a BOM, every other byte of ASCII characters in UTF-16 is zero.
    if data.startswith(_WIDE_BOMS) or data[:4:2] == b"\0\0" or data[1:4:2] == b"\0\0":
        return "", Fault(0, "this is UTF-16 text, not UTF-8", "save the file as UTF-8")
    try:
        return data.decode("utf-8"), None
    except UnicodeDecodeError as error:
        readable, byte = data[: error.start].decode("utf-8"), f"0x{data[error.start]:02X}"
        said = "this is not UTF-8 text (it contains byte {byte})"
        return readable, Fault(len(readable), said, "save the file as UTF-8", byte=byte)


def _conflict(text: str) -> Fault | None:
    """The fault for a merge conflict marker; it is reported first, because it explains whatever else is wrong."""
    # A line of ======= inside a comment is not a conflict.
    marker = _MARKER.search(without_comments(text))
    if marker is None:
        return None
    said = "a git merge conflict is not resolved here ({marker})"
    hint = "keep what is right of both sides and delete the lines of <<<<<<<, ======= and >>>>>>>"
    return Fault(marker.start(), said, hint, marker=marker[0][:7])


def _problem(path: str, text: str, fault: Fault) -> Problem:
    line, column = position(text, fault.offset)
    char = text[fault.offset : fault.offset + 1]
    if char in _PLAIN:
        values = {"char": char, "plain": _PLAIN[char]}
        return Problem(path, line, column, "{char} is a full-width sign: write {plain}", values)
    return Problem(path, line, column, fault.template, fault.values, hint=fault.hint)


# What an input method writes for the signs of JSON; outside of texts none of them means anything.
_PLAIN = {
    **{chr(ord(sign) + 0xFEE0): sign for sign in ',:"[]{}0123456789-'},
    **dict.fromkeys("“”„‘’", '"'),
    **dict.fromkeys("、；", ","),
    "【": "[",
    "】": "]",
    "「": '"',
    "」": '"',
}


# The C scanner itself: JSONDecoder.raw_decode adds a Python frame for each element.
_SCAN: Callable[[str, int], tuple[Any, int]] = make_scanner(DECODER)  # type: ignore[arg-type]


class _Reader:
    """One pass over one text.

    ``_flat`` is what the C scanner reads: the text itself until an element fails, then the copy.
    """

    def __init__(self, text: str, spans_of: str, shared: SharedElements | None = None) -> None:
        self.elements: list[tuple[int, int]] = []
        self.members: dict[str, Child] = {}
        self._text = text
        self._flat = text
        self._spans_of = spans_of
        self._shared = shared
        self._is_plain = False
        self._has_json5 = False
        self._has_halves = shared is not None or ("\\" in text and any(mark in text for mark in _HALVES))

    def read(self) -> Json:
        """The document's value; raises ``Fault``."""
        pos = skip_trivia(self._flat, 0)
        if pos == len(self._flat):
            raise Fault(0, "the file is empty", hint="an empty file of blocks is {}")
        if self._flat[pos] == "{" and self._spans_of:
            value, end = self._root(pos)
        else:
            value, end = self._decode(pos, ())
            self._check_depth(value, pos, ())
        if skip_trivia(self._flat, end) < len(self._flat):
            # On the original text, so that an unclosed comment is named as such.
            Checker(self._text).rest(end, ())
        return value

    def _root(self, start: int) -> tuple[Json, int]:
        root: dict[str, Json] = {}
        frame = Frame("{", start)
        pos = skip_trivia(self._flat, start + 1)
        while self._flat[pos : pos + 1] != "}":
            child, value = self._member(pos, frame)
            root[str(child.key)] = value
            self.members[str(child.key)] = child
            pos = self._next(child.end, "}", (frame,))
        return root, pos + 1

    def _next(self, pos: int, closing: str, frames: tuple[Frame, ...]) -> int:
        """The offset of the next member, element or closing bracket after a value that ends at ``pos``."""
        pos = skip_trivia(self._flat, pos)
        char = self._flat[pos : pos + 1]
        if char == ",":
            return skip_trivia(self._flat, pos + 1)
        if char != closing:
            Checker(self._text).rest(pos, frames)
        return pos

    def _member(self, pos: int, frame: Frame) -> tuple[Child, Json]:
        colon = Checker(self._text).key(pos, frame)
        token = KEY.match(self._flat, pos)
        key = unquote(token[0] if token else "")
        at = skip_trivia(self._flat, colon)
        if key == self._spans_of and self._flat[at : at + 1] == "[":
            value, end = self._array(at, frame)
        else:
            value, end = self._decode(at, (frame,))
            self._check_depth(value, at, (frame,))
        return Child(key, pos, at, end), value

    def _array(self, start: int, root: Frame) -> tuple[Json, int]:
        frames = (root, Frame("[", start))
        shared, tail = self._shared, self._shared.tail if self._shared else len(self._text)
        taken, values, pos = 0, list[Json](), skip_trivia(self._flat, start + 1)
        if shared and (taken := shared.leading(start)):
            self.elements += shared.elements(0, taken)
            values = shared.values(0, taken)
            pos = self._next(self.elements[-1][1], "]", frames)
        try:
            while self._flat[pos : pos + 1] != "]":
                if pos >= tail and shared and (same := shared.trailing(pos)) is not None:
                    self._check_depths(values, frames, taken)
                    values += shared.values(same)
                    self.elements += shared.elements(same)
                    taken = len(values)
                    pos = self._next(self.elements[-1][1], "]", frames)
                    continue
                value, end = self._decode(pos, frames)
                values.append(value)
                self.elements.append((pos, end))
                # The two calls of the general case cost a tenth of the whole parse.
                comma = _PLAIN_COMMA.match(self._flat, end)
                pos = comma.end() if comma else self._next(end, "]", frames)
        finally:
            self._check_depths(values, frames, taken)
        return values, pos + 1

    def _check_depths(self, values: list[Json], frames: tuple[Frame, ...], fresh: int) -> None:
        """Raise the ``Fault`` of an element that is nested too deep, from index ``fresh`` on.

        Fewer brackets than levels cannot be too deep, so counting them clears a dozen elements at once.
        """
        room = DEPTH - len(frames)
        for first in range(fresh, len(values), _AT_ONCE):
            some = range(first, min(first + _AT_ONCE, len(values)))
            start, end = self.elements[some[0]][0], self.elements[some[-1]][1]
            if self._flat.count("[", start, end) + self._flat.count("{", start, end) > room:
                for index in some:
                    self._check_depth(values[index], self.elements[index][0], frames)

    def _check_depth(self, value: Json, pos: int, frames: tuple[Frame, ...]) -> None:
        if is_deeper(value, DEPTH - len(frames)):
            Checker(self._text).value(pos, frames)

    def _decode(self, pos: int, frames: tuple[Frame, ...]) -> tuple[Json, int]:
        """The value at ``pos`` and its end; raises ``Fault``."""
        text = self._flat
        try:
            if self._has_json5:
                # json counts lines from the start for each error that it raises: on the whole text, many JSON5
                # elements would take quadratic time.
                value, length = _SCAN(text[pos : skip_value(text, pos)], 0)
                end = pos + length
            else:
                value, end = _SCAN(text, pos)
        except (StopIteration, ValueError, RecursionError):
            return self._slow(pos, frames)
        # json reads the 0 of 0x10 or the 5 of 5. and stops there.
        if text[end : end + 1] not in _ENDS:
            return self._slow(pos, frames)
        if self._has_halves and _HALF.search(text, pos, end):
            Checker(self._text).value(pos, frames)
        return value, end

    def _slow(self, pos: int, frames: tuple[Frame, ...]) -> tuple[Json, int]:
        if not self._is_plain:
            self._is_plain = True
            self._flat = without_last_commas(without_comments(self._text))
            return self._decode(pos, frames)
        end = Checker(self._text).value(pos, frames)
        self._has_json5 = True
        return tolerant(self._flat, pos, end), end


_CONTAINERS = (dict, list)


def is_deeper(value: Json, room: int) -> bool:
    """Whether containers in ``value`` are nested more than ``room`` levels deep. Iterative, level by level."""
    level: list[Json] = [value]
    for _ in range(room):
        inner: list[Json] = []
        for item in level:
            if isinstance(item, dict):
                inner.extend(item.values())
            elif isinstance(item, list):
                inner.extend(item)
        level = [item for item in inner if isinstance(item, _CONTAINERS)]
        if not level:
            return False
    return True


def tolerant(text: str, pos: int, end: int) -> Json:
    """The JSON5 value between two offsets of checked text (``Fault`` if json5 disagrees with the check)."""
    import json5

    try:
        return _joined(json5.loads(text[pos:end], allow_duplicate_keys=False))
    except RecursionError:
        # Too deep for json5's recursion: child by child.
        parts = [(child.key, tolerant(text, child.value, child.end)) for child in children(text, pos)]
        return (
            {str(key): value for key, value in parts} if text[pos] == "{" else [value for _, value in parts]
        )
    except ValueError as error:
        raise Fault(pos, "json5 cannot read this ({reason})", reason=str(error)) from None


def _joined(value: Json) -> Json:
    if isinstance(value, str):
        return joined(value)
    if isinstance(value, list):
        return [_joined(item) for item in value]
    if isinstance(value, dict):
        return {joined(key): _joined(item) for key, item in value.items()}
    return value
