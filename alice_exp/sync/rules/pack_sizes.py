"""The bounds of a history that arrives: what a pack unfolds to, and how deep its folders go.

A git pack of some kilobytes can unfold into gigabytes, by compression and by deltas; a folder that contains itself ten
times, twelve levels deep, has a million million paths. Both are told from heads and names, before any content is read.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping

OBJECTS = 1_000_000
"""The most objects of one fetch: some 200,000 acts."""
LARGEST, META = 64 << 20, 4 << 20
"""The most bytes of one file, and of one commit, tag or folder."""
DEPTH, PATHS = 16, 20_000
"""The most levels of folders below one another, and paths of one tree."""
_BASE, _BY_DELTAS, _BY_COMPRESSION = 1 << 30, 4096, 64
_CHUNK, _WINDOW = 4096, 1 << 16
_OFS_DELTA, _REF_DELTA = 6, 7


def most(packed: int) -> int:
    """The most bytes to which a pack of ``packed`` bytes may unfold.

    Every act rewrites a namespace file of perhaps megabytes in some 700 bytes of a pack, so that an honest history
    unfolds by the thousand, too: 1 GiB plus 4,096 times its size leaves room for years of acts on files of 3 MB. What
    is no delta is text, which zlib packs to a tenth: its part may be 256 MiB plus 64 times (``PackSizes``).
    """
    return _BASE + _BY_DELTAS * packed


class PackSizes:
    """Adds up what the objects of a git pack unfold to, by their heads, while the pack's bytes arrive.

    Format: gitformat-pack(5). Only a forecast: bytes that are no pack end it, and git says what is wrong with them.
    """

    def __init__(self) -> None:
        self.total = self.whole = self.packed = 0
        self.is_exceeded = False
        self._data, self._at, self._objects = b"", 0, -1
        self._stream: zlib._Decompress | None = None
        self._tail = self._begun = b""
        self._is_delta = False

    def feed(self, data: bytes) -> bool:
        """Take the next bytes; returns whether the pack is known to unfold to more than it may."""
        self.packed += len(data)
        self._data, self._at = self._data[self._at :] + data, 0
        try:
            while not self.is_exceeded and self._step():
                pass
        except (IndexError, zlib.error):
            pass
        return self.is_exceeded

    def _step(self) -> bool:
        """Read one head, or unfold one piece; False if there is nothing to do until more bytes come."""
        if self._objects < 0:
            if len(self._data) < 12:
                return False
            self._objects, self._at = int.from_bytes(self._data[8:12], "big"), 12
            self.is_exceeded = self._objects > OBJECTS
            return True
        return self._head() if self._stream is None else self._unfold()

    def _head(self) -> bool:
        if not self._objects:
            return False
        # An IndexError, where a head is cut off, leaves `_at` where it was.
        first = self._data[self._at]
        kind, at = first >> 4 & 7, self._at + 1
        size, at = (first & 15, at) if first < 128 else _number(self._data, at, first & 15, 4)
        if kind == _OFS_DELTA:
            at = _number(self._data, at, 0, 0)[1]
        elif kind == _REF_DELTA:
            at += 20
        self._at, self._objects = at, self._objects - 1
        self._stream, self._begun = zlib.decompressobj(), b""
        self._is_delta = kind in (_OFS_DELTA, _REF_DELTA)
        self.whole += size
        self._add(size)
        return True

    def _unfold(self) -> bool:
        stream = self._stream
        assert stream is not None
        piece = self._tail or self._data[self._at : self._at + _CHUNK]
        if not piece:
            return False
        out = stream.decompress(piece, _WINDOW)
        if not self._tail:
            self._at += len(piece)
        self._tail = stream.unconsumed_tail
        if self._is_delta:
            self._begun = (self._begun + out)[:24]
            if len(self._begun) == 24 or stream.eof:
                # A delta begins with two numbers: the size of what it is made from, and of what it makes.
                self._is_delta = False
                self._add(_number(self._begun, _number(self._begun, 0, 0, 0)[1], 0, 0)[0])
        if stream.eof:
            self._at -= len(stream.unused_data)
            self._stream, self._tail = None, b""
        return True

    def _add(self, size: int) -> None:
        self.total += size
        whole = _BASE // 4 + _BY_COMPRESSION * self.packed
        self.is_exceeded = self.is_exceeded or self.total > most(self.packed) or self.whole > whole


def _number(data: bytes, at: int, value: int, shift: int) -> tuple[int, int]:
    """A number in groups of seven bits, the lowest first, and where it ends."""
    while True:
        byte = data[at]
        value, shift, at = value | (byte & 127) << shift, shift + 7, at + 1
        if byte < 128:
            return value, at


def is_shallow(folders: Mapping[str, tuple[int, tuple[str, ...]]]) -> bool:
    """Whether no tree is deeper than ``DEPTH`` or has more than ``PATHS`` paths.

    ``folders`` gives, by object id, a tree's number of files and the trees in it; one that is missing counts as empty.
    """
    known: dict[str, tuple[int, int]] = {}

    def measure(oid: str, left: int) -> tuple[int, int]:
        if oid not in known:
            paths, below = folders.get(oid, (0, ()))
            depth = 0
            for child in below if left else ():
                deeper, more = measure(child, left - 1)
                depth, paths = max(depth, deeper), paths + more
            known[oid] = (depth + 1, paths) if left or not below else (DEPTH + 2, paths)
        return known[oid]

    return all(
        depth <= DEPTH + 1 and paths <= PATHS for depth, paths in (measure(one, DEPTH) for one in folders)
    )
