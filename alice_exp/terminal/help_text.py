"""Turns a command's docstring into its help: the description, and the examples, each on a line of its own.

Examples come last in a docstring, after ``Example:`` or ``Examples:``, separated by `` · ``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from inspect import cleandoc

_EXAMPLES = re.compile(r"\s*\bExamples?: (alice-exp .*|\w+[=( ].*alice-exp .*)\Z", re.DOTALL)


def parted(documented: str) -> tuple[str, tuple[str, ...]]:
    """The description in a docstring, and its examples."""
    text = cleandoc(documented)
    found = _EXAMPLES.search(text)
    if found is None:
        return text, ()
    return text[: found.start()], tuple(" ".join(one.split()) for one in re.split(r" ·\s+", found[1]))


def laid_out(documented: str, inner: Iterable[str] = ()) -> str:
    """The text for ``--help``: the description, then the examples, one per line and never wrapped.

    A group without examples shows the first example of each of its commands, whose docstrings are ``inner``.
    """
    text, examples = parted(documented)
    examples = examples or tuple(one for each in inner for one in parted(each)[1][:1])
    if not examples:
        return text
    # A line with just \b tells click not to rewrap the paragraph that follows.
    return "\n".join((text, "", "\b", "Examples:", *(f"  {example}" for example in examples)))
