"""Word lists and tables that lie beside the code as files, so that a person adds a word without reading Python.

A path counts from the package's folder (``finding/rules/data/lexicon.txt``). ``docs/words.md`` tells what lies where.

- *Text*: words parted by blanks; ``[heading]`` alone on a line begins a list; a line that begins with ``#`` is a
  comment.
- *TOML*: tables of regular expressions. In them a line break and the blanks at either end of a line count for nothing
  (write ``[ ]`` for one that counts); ``{name}`` stands for what ``[parts]`` has under that name, or for any of the
  words of a list or table so called.
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
    """The lines of a text file that say something."""
    lines = (line.strip() for line in _text(path).splitlines())
    return [line for line in lines if line and not line.startswith("#")]


@cache
def word_lists(path: str) -> Mapping[str, tuple[str, ...]]:
    """The words of a text file, in order, by the heading they stand under; "" for those above the first."""
    found: dict[str, list[str]] = {}
    words = found.setdefault("", [])
    for line in entries(path):
        if line[0] == "[" and line[-1] == "]":
            words = found.setdefault(line[1:-1], [])
        else:
            words += line.split()
    return {heading: tuple(words) for heading, words in found.items()}


def words(path: str) -> tuple[str, ...]:
    """The words of a text file without headings."""
    return word_lists(path)[""]


@cache
def table(path: str) -> Mapping[str, Any]:
    """What a TOML file holds."""
    import tomllib

    return tomllib.loads(_text(path))


def expression(path: str, written: str) -> str:
    """A regular expression as a file writes it, whole: on one line, its parts filled in."""
    written = "".join(line.strip() for line in written.splitlines())
    return re.sub(r"\{([a-z_]+)\}", lambda named: _part(path, named[1]), written)


def _part(path: str, name: str) -> str:
    whole = table(path)
    part = whole.get("parts", {}).get(name, whole.get(name))
    if part is None:
        raise KeyError(f"{path} has no part {name!r}")
    return expression(path, part) if isinstance(part, str) else "|".join(sorted(part, key=len, reverse=True))


class Patterns:
    """The regular expressions of one table of a file, by name (``PATTERNS.greeting``): compiled when first used."""

    def __init__(self, path: str, heading: str = "patterns", flags: re.RegexFlag = re.NOFLAG) -> None:
        self._path, self._heading, self._flags = path, heading, flags

    def __getattr__(self, name: str) -> re.Pattern[str]:
        written = table(self._path)[self._heading].get(name)
        if written is None:
            raise AttributeError(f"{self._path} has no {name!r} under [{self._heading}]")
        compiled = re.compile(expression(self._path, written), self._flags)
        setattr(self, name, compiled)
        return compiled


def _text(path: str) -> str:
    # The package's own loader: importlib.resources and pkgutil do the same and cost a cold start milliseconds.
    package = import_module(__name__.partition(".")[0])
    loader = cast("ResourceLoader", package.__loader__)
    return loader.get_data(f"{package.__path__[0]}/{path}").decode("utf-8")
