"""Takes a command's docstring apart for its help: the description, in the person's language, and the examples.

Examples come last in a docstring, after ``Example:`` or ``Examples:``, separated by `` · ``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from inspect import cleandoc

from alice_exp.terminal.language import say

_EXAMPLES = re.compile(r"\s*\bExamples?: (alice-exp .*|\w+[=( ].*alice-exp .*)\Z", re.DOTALL)


def parted(documented: str) -> tuple[str, tuple[str, ...]]:
    """The description in a docstring, and its examples."""
    text = cleandoc(documented)
    found = _EXAMPLES.search(text)
    if found is None:
        return text, ()
    return text[: found.start()], tuple(" ".join(one.split()) for one in re.split(r" ·\s+", found[1]))


def paragraphs(documented: str) -> Iterator[str]:
    """The paragraphs of a docstring's description, or of an option's help, each one on one line."""
    for paragraph in parted(documented)[0].split("\n\n"):
        if joined := " ".join(paragraph.split()):
            yield joined


def in_language(documented: str) -> str:
    """A description in the person's language, with its paragraphs apart."""
    return "\n\n".join(say(paragraph) for paragraph in paragraphs(documented))
