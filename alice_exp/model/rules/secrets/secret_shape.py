"""How one kind of secret or private fact is written: its pattern, and the signs without which no text holds one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from alice_exp.kernel.text.data_files import LazyPattern
from alice_exp.kernel.value_class import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator


@dataclass(frozen=True, slots=True)
class Shape:
    """How one kind is written, whether a match is one, and what a text has that holds one: at least so many
    ``digits``, and one of ``signs`` (in lower case; none: any text).

    Looking for a sign costs a fiftieth of looking for the shape, and few texts have any.
    """

    what: str
    pattern: LazyPattern
    fits: Callable[[re.Match[str]], bool]
    digits: int = 0
    signs: tuple[str, ...] = ()


def likely(shapes: Iterable[Shape], text: str) -> Iterator[Shape]:
    """Those shapes that a text may hold, by its digits and their signs."""
    lower = (text.translate(_LIKE_ASCII) if any(map(text.__contains__, _ODD_LETTERS)) else text).lower()
    digits = len(_DIGIT.findall(text))
    for shape in shapes:
        if digits >= shape.digits and (not shape.signs or any(map(lower.__contains__, shape.signs))):
            yield shape


_DIGIT = LazyPattern(r"\d")
_ODD_LETTERS = "\u017f\u0130\u0131\u212a"
_LIKE_ASCII = str.maketrans(_ODD_LETTERS, "siik")
"""What a pattern that ignores case takes for an ASCII letter, and ``lower`` does not."""


def always(_: re.Match[str]) -> bool:
    """Whether a match is one: whatever matches is."""
    return True


def is_real(match: re.Match[str]) -> bool:
    """Whether a key is none that documentation shows: ghp_xxxxxxxx…"""
    return not EXAMPLE.search(match[0])


EXAMPLE = LazyPattern(
    r"x{8}|placeholder|your[_-]|your\w{0,8}(?:key|token|secret|pass)|\.{3}|\*{3}", re.IGNORECASE
)
"""What stands for a key in documentation. A key with EXAMPLE in it may still be one."""
