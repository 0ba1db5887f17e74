"""Keeps what is read from word lists as a table that loads in a twentieth of the time, beside the program.

The wheel is built with the tables (``tests/word_tables.py``); where one is missing or of other words, it is made at
first use. A table is believed only where it says the checksums of the data files, of the modules that made it, and the
version of the stemmer; where it cannot be written (installed read-only), the lists are read each time.
"""

from __future__ import annotations

import marshal
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar
from zlib import crc32

from alice_exp.kernel.text.data_files import keep_package_file, package_file

if TYPE_CHECKING:
    from collections.abc import Callable

    T = TypeVar("T")

FOLDER = "tables"
"""The folder of the tables in the package; git does not track it."""

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
            path = f"{FOLDER}/{made.__module__.rpartition('.')[2]}.{made.__name__.strip('_')}.marshal"
            try:
                key = _key(sources, stemmed)
            except OSError:  # only compiled modules are installed: nothing to compare
                return made()
            with suppress(OSError):
                head, _, body = package_file(path).partition(b"\n")
                # Compared before it is loaded: marshal trusts what it reads.
                if head == _head(key, body):
                    return marshal.loads(body)  # type: ignore[no-any-return]
            found: Any = made()
            body = marshal.dumps(found, FORMAT)
            keep_package_file(path, _head(key, body) + b"\n" + body)
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
