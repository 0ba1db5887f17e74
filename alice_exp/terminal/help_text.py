"""A command's docstring as its page of the manual: what it does, and its examples, each on a line of its own.

The examples stand last in a docstring, behind ``Example:`` or ``Examples:``, parted by `` · ``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from inspect import cleandoc

_EXAMPLES = re.compile(r"\s*\bExamples?: (alice-exp .*|\w+[=( ].*alice-exp .*)\Z", re.DOTALL)


def parted(documented: str) -> tuple[str, tuple[str, ...]]:
    """What a command does, and its examples."""
    text = cleandoc(documented)
    found = _EXAMPLES.search(text)
    if found is None:
        return text, ()
    return text[: found.start()], tuple(" ".join(one.split()) for one in re.split(r" ·\s+", found[1]))


def laid_out(documented: str, inner: Iterable[str] = ()) -> str:
    """The help of ``--help``: the examples below the text, one a line and never wrapped.

    A group without any of its own shows the first example of each of its commands, whose docstrings are ``inner``.
    """
    text, examples = parted(documented)
    examples = examples or tuple(one for each in inner for one in parted(each)[1][:1])
    if not examples:
        return text
    return "\n".join((text, "", "\b", "Examples:", *(f"  {example}" for example in examples)))
