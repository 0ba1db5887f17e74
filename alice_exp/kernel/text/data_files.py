"""Loads word lists and patterns from data files, compiled on first use: to add a word, nobody has to read Python.

Paths are relative to the package's folder (``kernel/text/data/lexicon.txt``). ``words.md`` lists the files.

- *Text*: words separated by blanks; a line ``[heading]`` starts a list; a line that begins with ``#`` is a comment.
- *Patterns* (``secrets.txt``): a paragraph each, see ``model.rules.secrets.shapes``.
- *TOML*: tables of regular expressions. In an expression, line breaks and the blanks at both ends of a line are
  ignored (write ``[ ]`` for a blank that counts); ``{name}`` is replaced by the entry of that name in ``[parts]``, or
  by an alternation of the words in the list or table of that name.

What is read from word lists is kept (``stored``) as a table that loads in a twentieth of the time, beside the program.
The wheel is built with the tables (``tests/word_tables.py``); where one is missing or of other words, it is made at
first use. A table is believed only where it says the checksums of the data files, of the modules that made it, and the
version of the stemmer; where it cannot be written (installed read-only), the lists are read each time.
"""

from __future__ import annotations

import marshal
import re
from contextlib import suppress
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar, cast
from zlib import crc32

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from importlib.abc import ResourceLoader

    T = TypeVar("T")


def entries(path: str) -> list[str]:
    """The lines of a text file without blank lines and comments."""
    lines = (line.strip() for line in _text(path).splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def paragraphs(path: str) -> list[list[str]]:
    """The lines of a text file without comments, in the groups that blank lines part."""
    lines = (line for line in _text(path).splitlines() if not line.startswith("#"))
    return [group.split("\n") for group in "\n".join(lines).split("\n\n") if group.strip()]


@cache
def word_lists(path: str) -> Mapping[str, tuple[str, ...]]:
    """The words of a text file, in order, by heading; "" for those above the first heading."""
    found: dict[str, list[str]] = {}
    words = found.setdefault("", [])
    for line in entries(path):
        if line[0] == "[" and line[-1] == "]":
            words = found.setdefault(line[1:-1], [])
        else:
            words += line.split()
    return {heading: tuple(words) for heading, words in found.items()}


def words(path: str) -> tuple[str, ...]:
    """The words of a text file that has no headings."""
    return word_lists(path)[""]


@cache
def table(path: str) -> Mapping[str, Any]:
    """The contents of a TOML file."""
    import tomllib

    return tomllib.loads(_text(path))


def expression(path: str, written: str) -> str:
    """A regular expression from a file, joined to one line and with its ``{parts}`` filled in.

    Raises ``KeyError`` for an unknown part.
    """
    whole = table(path)

    def part(named: re.Match[str]) -> str:
        known = whole.get("parts", {}).get(named[1], whole.get(named[1]))
        if known is None:
            raise KeyError(f"{path} has no part {named[1]!r}")
        if isinstance(known, str):
            return expression(path, known)
        # Longest first: of alternatives in a pattern the first that matches wins.
        return "|".join(sorted(known, key=len, reverse=True))

    return re.sub(r"\{([a-z_]+)\}", part, "".join(line.strip() for line in written.splitlines()))


class Patterns:
    """The expressions of a file's ``[patterns]``, by attribute (``PATTERNS.greeting``), compiled on first use."""

    def __init__(self, path: str) -> None:
        self._path = path

    def __getattr__(self, name: str) -> re.Pattern[str]:
        written = table(self._path)["patterns"].get(name)
        if written is None:
            raise AttributeError(f"{self._path} has no {name!r} under [patterns]")
        compiled = re.compile(expression(self._path, written))
        setattr(self, name, compiled)
        return compiled


def package_file(path: str) -> bytes:
    """The bytes of a file of the package; raises ``OSError`` where there is none."""
    loader, folder = _package()
    return loader.get_data(f"{folder}/{path}")


def keep_package_file(path: str, data: bytes) -> None:
    """Write a dispensable file of the package, whole or not at all, as Python writes a compiled module, if it may."""
    loader, folder = _package()
    if hasattr(loader, "set_data"):
        loader.set_data(f"{folder}/{path}", data)


def _package() -> tuple[ResourceLoader, str]:
    # The package's own loader: importlib.resources and pkgutil do the same, but cost milliseconds at start-up.
    package = import_module(__name__.partition(".")[0])
    return cast("ResourceLoader", package.__loader__), package.__path__[0]


def _text(path: str) -> str:
    return package_file(path).decode("utf-8")


class LazyPattern:
    """A drop-in for ``re.compile``: the pattern is compiled when the first of its methods is used."""

    def __init__(self, pattern: str, flags: re.RegexFlag = re.NOFLAG) -> None:
        self._pattern, self._flags = pattern, flags

    def __getattr__(self, name: str) -> Any:
        method = getattr(re.compile(self._pattern, self._flags), name)
        # Kept as an attribute of the instance, so that this function is not called for it again.
        setattr(self, name, method)
        return method


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
