"""Makes bare repositories out of objects that no git command would make, as a hostile remote would hold them."""

import hashlib
import subprocess
import zlib
from pathlib import Path

_KINDS = {"commit": 1, "tree": 2, "blob": 3}

Entry = tuple[str, bytes, bytes]
"""Mode, name and raw id of an entry of a tree."""


def object_id(kind: str, *data: bytes) -> bytes:
    """The raw id of an object of which the content is given in pieces."""
    digest = hashlib.sha1(f"{kind} {sum(map(len, data))}\0".encode(), usedforsecurity=False)
    for piece in data:
        digest.update(piece)
    return digest.digest()


class CraftedPack:
    """A pack under construction; ``add`` and ``delta`` return where an object begins."""

    def __init__(self) -> None:
        self._rows: list[bytes] = []
        self._at = 12

    def add(self, kind: str, data: bytes) -> int:
        return self._put(head(_KINDS[kind], len(data)) + zlib.compress(data, 9))

    def delta(self, base: int, size: int, tail: bytes) -> int:
        """An object that repeats the first ``size`` bytes of the one that begins at ``base``, and adds ``tail``."""
        told = _seven(size) + _seven(size + len(tail))
        for start in range(0, size, 0xFFFF):
            told += b"\xb7" + start.to_bytes(3, "little") + min(0xFFFF, size - start).to_bytes(2, "little")
        told += bytes([len(tail)]) + tail
        return self._put(head(6, len(told)) + _offset(self._at - base) + zlib.compress(told, 9))

    def tree(self, entries: list[Entry]) -> bytes:
        data = b"".join(f"{mode} ".encode() + name + b"\0" + oid for mode, name, oid in entries)
        self.add("tree", data)
        return object_id("tree", data)

    def blob(self, data: bytes) -> bytes:
        self.add("blob", data)
        return object_id("blob", data)

    def commit(self, tree: bytes, *parents: bytes) -> bytes:
        who = "x <x@x> 1700000000 +0000"
        above = "".join(f"parent {one.hex()}\n" for one in parents)
        data = f"tree {tree.hex()}\n{above}author {who}\ncommitter {who}\n\nx\n".encode()
        self.add("commit", data)
        return object_id("commit", data)

    def bytes(self) -> bytes:
        data = b"PACK" + (2).to_bytes(4, "big") + len(self._rows).to_bytes(4, "big") + b"".join(self._rows)
        return data + hashlib.sha1(data, usedforsecurity=False).digest()

    def serve(self, at: Path, tip: bytes) -> Path:
        """A bare repository with these objects, of which the branch is ``tip``."""
        subprocess.run(["git", "init", "-q", "--bare", "--initial-branch=main", at], check=True)
        put = ["git", f"--git-dir={at}", "index-pack", "--stdin"]
        subprocess.run(put, input=self.bytes(), capture_output=True, check=True)
        subprocess.run(["git", f"--git-dir={at}", "update-ref", "refs/heads/main", tip.hex()], check=True)
        return at

    def _put(self, row: bytes) -> int:
        self._rows.append(row)
        self._at += len(row)
        return self._at - len(row)


def head(kind: int, size: int) -> bytes:
    """The head of an object in a pack: its kind, and the size to which it unfolds."""
    out, byte, size = b"", kind << 4 | size & 15, size >> 4
    while size:
        out, byte, size = out + bytes([byte | 128]), size & 127, size >> 7
    return out + bytes([byte])


def _seven(number: int) -> bytes:
    out = b""
    while number >= 128:
        out, number = out + bytes([number & 127 | 128]), number >> 7
    return out + bytes([number])


def _offset(distance: int) -> bytes:
    out = [distance & 127]
    while distance := distance >> 7:
        distance -= 1
        out.insert(0, 128 | distance & 127)
    return bytes(out)
