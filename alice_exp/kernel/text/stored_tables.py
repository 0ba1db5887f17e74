"""Keeps what is read from word lists as a table that loads in a twentieth of the time, beside the program.

The wheel is built with the tables (``tests/word_tables.py``); where one is missing or of other words, it is made at
first use. A table is believed only where it says the checksums of the data files, of the modules that made it, and the
version of the stemmer; where it cannot be written (installed read-only), the lists are read each time.
"""

from __future__ import annotations

import marshal
import os
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from zlib import crc32

from alice_exp.kernel.text.data_files import package_file

if TYPE_CHECKING:
    from collections.abc import Callable

    T = TypeVar("T")

FOLDER = Path(__file__).parents[2] / "tables"
"""The folder of the tables; git does not track it."""

FORMAT = 4
"""The version of marshal's format, which Python 3.4 and every later one reads."""


def stored(*sources: str, stemmed: bool = False) -> Callable[[Callable[[], T]], Callable[[], T]]:
    """Makes of a function that reads ``sources`` one that asks its table first, and that answers once a process.

    ``sources`` are files of the package: the word lists and the modules that read them. With ``stemmed`` the words are
    stemmed, too. The function returns what marshal knows: strings, numbers, tuples, lists, dicts and sets.
    """

    def of(made: Callable[[], T]) -> Callable[[], T]:
        @cache
        def answer() -> T:
            path = FOLDER / f"{made.__module__.rpartition('.')[2]}.{made.__name__.strip('_')}.marshal"
            try:
                key = _key(sources, stemmed)
                head, _, body = path.read_bytes().partition(b"\n")
                # Compared before it is loaded: marshal trusts what it reads.
                if head == _head(key, body):
                    return marshal.loads(body)  # type: ignore[no-any-return]
            except FileNotFoundError:
                pass
            except OSError:  # no files that could be compared, as where only compiled modules are installed
                return made()
            found: Any = made()
            _keep(path, key, marshal.dumps(found, FORMAT))
            return found  # type: ignore[no-any-return]

        return answer

    return of


def _key(sources: tuple[str, ...], stemmed: bool) -> bytes:
    files = [package_file(source) for source in sources]
    version = ""
    if stemmed:
        import Stemmer

        version = Stemmer.version()
    return f"{version} {' '.join(f'{len(file)}:{crc32(file):x}' for file in files)}".encode()


def _head(key: bytes, body: bytes) -> bytes:
    return b"%s %d:%x" % (key, len(body), crc32(body))


def _keep(path: Path, key: bytes, body: bytes) -> None:
    """Write a table whole or not at all."""
    beside = path.with_suffix(f".{os.getpid()}")
    try:
        path.parent.mkdir(exist_ok=True)
        beside.write_bytes(_head(key, body) + b"\n" + body)
        beside.replace(path)
    except OSError:
        beside.unlink(missing_ok=True)
