"""Loads word lists and patterns from data files, and compiles on first use, so that a person can add a word without
reading Python.

Paths are relative to the package's folder (``kernel/text/data/lexicon.txt``). ``docs/words.md`` lists the files.

- *Text*: words separated by blanks; a line ``[heading]`` starts a list; a line that begins with ``#`` is a comment.
- *Patterns* (``secrets.txt``): a paragraph each, see ``model.rules.secrets.shapes``.
- *TOML*: tables of regular expressions. In an expression, line breaks and the blanks at both ends of a line are
  ignored (write ``[ ]`` for a blank that counts); ``{name}`` is replaced by the entry of that name in ``[parts]``, or
  by an alternation of the words in the list or table of that name.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Mapping
    from importlib.abc import ResourceLoader


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
    written = "".join(line.strip() for line in written.splitlines())
    return re.sub(r"\{([a-z_]+)\}", lambda named: _part(path, named[1]), written)


def _part(path: str, name: str) -> str:
    whole = table(path)
    part = whole.get("parts", {}).get(name, whole.get(name))
    if part is None:
        raise KeyError(f"{path} has no part {name!r}")
    # Longest first: of alternatives in a pattern the first that matches wins.
    return expression(path, part) if isinstance(part, str) else "|".join(sorted(part, key=len, reverse=True))


class Patterns:
    """The regular expressions of one table of a file, by attribute (``PATTERNS.greeting``), compiled on first use."""

    def __init__(self, path: str, heading: str = "patterns") -> None:
        self._path, self._heading = path, heading

    def __getattr__(self, name: str) -> re.Pattern[str]:
        written = table(self._path)[self._heading].get(name)
        if written is None:
            raise AttributeError(f"{self._path} has no {name!r} under [{self._heading}]")
        compiled = re.compile(expression(self._path, written))
        setattr(self, name, compiled)
        return compiled


def package_file(path: str) -> bytes:
    """The bytes of a file of the package; raises ``OSError`` where there is none."""
    loader, folder = _package()
    return loader.get_data(f"{folder}/{path}")


def keep_package_file(path: str, data: bytes) -> None:
    """Write a dispensable file of the package, whole or not at all, as Python writes a compiled module; does nothing
    where that is not allowed."""
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
