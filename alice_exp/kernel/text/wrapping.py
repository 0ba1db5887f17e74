"""Wraps text to a terminal's width, counting CJK characters as two cells."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alice_exp.kernel.text.display import cells, one_line, visible

if TYPE_CHECKING:
    from collections.abc import Iterator


def wrapped(text: str, width: int) -> list[str]:
    """The escaped text in lines of at most ``width`` cells, broken at spaces or between CJK characters."""
    lines: list[str] = []
    for paragraph in visible(text).replace("\t", " ").split("\n"):
        line, used = "", 0
        for piece in _pieces(paragraph):
            size = cells(piece)
            if used + size > width and line.strip():
                lines.append(line.rstrip())
                piece = piece.lstrip()
                line, used, size = "", 0, cells(piece)
            while size > width:
                # `one_line` ends what it cuts with an ellipsis, which takes the extra cell and is dropped again.
                head = one_line(piece, width + 1)[:-1] or piece[:1]
                lines.append(head)
                piece = piece[len(head) :]
                size = cells(piece)
            line, used = line + piece, used + size
        lines.append(line.rstrip())
    return lines


_CLOSING = "，。；：！？、）」』”’》"
_OPENING = "（「『“‘《"
"""Marks that begin no line, and that end none."""


def _pieces(text: str) -> Iterator[str]:
    """Split into unbreakable pieces: words with the space before them, CJK characters with the marks that open
    before them and that close after them.

    A command in quotes is one piece, so that it can be copied from one line.
    """
    piece, is_command = "", False
    for character in text:
        is_wide = character > "\u2e7f"
        if is_command:
            is_command = character != "'"
        elif (
            piece
            and character not in _CLOSING
            and piece[-1] not in _OPENING
            and (character == " " or is_wide or piece[-1] > "\u2e7f")
        ):
            yield piece
            piece = ""
        piece += character
        is_command = is_command or piece.lstrip() == "'alice-exp"
    if piece:
        yield piece
