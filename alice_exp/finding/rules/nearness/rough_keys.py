"""The keys by which a block is looked up among many before it is compared: stems, and pairs of CJK characters."""

from __future__ import annotations

import re
from collections import Counter
from operator import concat
from typing import TYPE_CHECKING, cast

from alice_exp.finding.rules.nearness.vocabulary import vocabulary
from alice_exp.kernel.text.data_files import LazyPattern
from alice_exp.kernel.text.tokens import fingerprint_text, stems
from alice_exp.model.rules.rejection import inference

if TYPE_CHECKING:
    from collections.abc import Callable

    from alice_exp.model.values.block import Block

FIRST, LAST, TRIGGER = "<", ">", "="
"""What stands before a character of which a ``Counter`` says in how many pairs of a block it comes first, and last, and
before the mark of a trigger. No key begins with one of these."""

_joined = cast("Callable[[str, str], str]", concat)
_LATIN = re.compile("[a-z0-9][a-z0-9_+#-]*")
_CJK = LazyPattern(r"[^\x00-\u2e7f]{2,}")
_MARKS = str.maketrans(dict.fromkeys("'\"`,.;:!?()[]{}<>=/\\|，。；：！？（）「」’“”、", " "))


class RoughKeys:
    """Takes texts apart; each distinct word of all of them is stemmed once."""

    def __init__(self) -> None:
        self._stems: dict[str, str] = {}

    def of(self, text: str) -> frozenset[str]:
        """The keys of a text: stems that are no filling words, and pairs of CJK characters."""
        # Plain string methods instead of the patterns of a statement, because this runs on every known block.
        lowered = text.lower()
        words = lowered.translate(_MARKS).split() if text.isascii() else _LATIN.findall(lowered)
        new = [word for word in words if word not in self._stems]
        if new:
            stem_of = stems(new)
            known = vocabulary().latin
            for word in new:
                meaning = known.get(word)
                is_light = meaning is not None and meaning.filling and not meaning.sides
                self._stems[word] = "" if is_light else stem_of.get(word, "")
        found = {self._stems[word] for word in words}
        if not text.isascii():
            for run in _CJK.findall(lowered):
                found.update(map(_joined, run, run[1:]))
        found.discard("")
        return frozenset(found)

    def counted(self, block: Block) -> Counter[str]:
        """What an index of blocks holds of one: its keys, its trigger's mark, and how often a character begins and
        ends one of its pairs."""
        keys = self.of(looked_up(block))
        found = Counter(dict.fromkeys(keys, 1))
        for key in keys:
            if is_pair(key):
                found[FIRST + key[0]] += 1
                found[LAST + key[1]] += 1
        mark = fingerprint_text(block.trigger.text)
        if mark:
            found[TRIGGER + mark] = 1
        return found


def looked_up(block: Block) -> str:
    """The text by which a block is looked up: its trigger, and what it claims."""
    return f"{block.trigger.text}\n{inference(block.payload)}"


def is_pair(key: str) -> bool:
    """Whether a key is a pair of CJK characters."""
    return len(key) == 2 and key > "\u2e7f"


def is_character(key: str) -> bool:
    """Whether a key is a single CJK character: of the text's keys none is, its holders are counted by pairs."""
    return len(key) == 1 and key > "\u2e7f"
