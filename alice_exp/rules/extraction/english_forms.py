"""The form of a row of the English tables, and the parts that rows share (R4.17, R4.19).

A row is tried on what follows "I", contractions spelt out ("am", "do not"). Group ``v`` is the value that was said,
``adv`` says how strongly, ``o`` is what was given up.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from alice_exp.rules.extraction.values import Pattern

if TYPE_CHECKING:
    from alice_exp.core.model import BlockType
    from alice_exp.rules.extraction.values import Concept, Slot


def pattern(
    says: str,
    content: str,
    type_: BlockType,
    concept: Concept,
    importance: float,
    slot: Slot = "",
    narrow: bool = True,
) -> Pattern:
    """A row of the table; ``narrow`` refuses values about this very moment."""
    return Pattern(
        re.compile("^" + says + "$", re.IGNORECASE), content, type_, concept, importance, slot, narrow
    )


ADV = (
    r"(?P<adv>(?:really |absolutely |also |just |mostly |mainly |primarily |usually "
    r"|always |often |currently |now |still |personally |truly |kind of |sort of |quite "
    r"|generally |almost always |exclusively |particularly |especially |much "
    r"|definitely )*)"
)
WHEN = (
    r"(?: (?:with .{2,40}|now|currently|these days|at the moment|today|right now|last \w+"
    r"|this \w+|recently|already|by the way|anymore|\w+ (?:ago|back)|a (?:few"
    r"|couple of) \w+ ago|since .{2,12}|for \w+ \w+(?: \w+)?))*"
)
PLACE = r"(?P<v>(?:the )?(?-i:[A-Z])[\w'. -]*(?:, (?-i:[A-Z])[\w ]+)?)"
LANGUAGES = (
    r"(?:python|java|javascript|typescript|rust|go|golang|c|c\+\+|c#|ruby|php|kotlin|swift"
    r"|scala|haskell|elixir|clojure|sql|r|perl|lua|dart|zig|ocaml|f#|bash|cobol|fortran"
    r"|matlab|julia)"
)
TOOLISH = (
    r"(?P<v>(?:(?-i:[A-Z])|vim\b|neovim\b|emacs\b|git\b|tmux\b|zsh\b|bash\b|fish\b"
    r"|vscode\b|docker\b|python\b|java\b|rust\b|go\b|linux\b|macos\b|i3\b|pytest\b"
    r"|postgres\w*\b|mysql\b|\ue000|" + LANGUAGES + r"\b)[^,]{0,40})"
)
