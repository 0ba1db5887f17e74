"""A rejected inference is known again on every way in (R2.19, D26; DESIGN 6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from alice_exp.rules.similarity import same_inference
from alice_exp.text.words import bag, fingerprint_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from alice_exp.core.model import Payload, Placed


@dataclass(frozen=True, slots=True)
class Rejections:
    """Rejected blocks by what they say: letter for letter after folding, and by their words in any order."""

    by_text: dict[str, Placed]
    by_words: dict[tuple[str, ...], Placed]

    @classmethod
    def of(cls, rejected: Iterable[Placed]) -> Rejections:
        """Index the rejected archive; a later rejection of the same words wins."""
        by_text: dict[str, Placed] = {}
        by_words: dict[tuple[str, ...], Placed] = {}
        for placed in rejected:
            text = inference(placed.block.payload)
            by_text[_mark(text)] = placed
            words = bag(text)
            if words:
                by_words[words] = placed
        return cls(by_text, by_words)

    def find(self, payload: Payload) -> Placed | None:
        """The rejected block that says the same, whatever its trigger was; None where nothing does."""
        if not self.by_text:
            return None
        text = inference(payload)
        known = self.by_text.get(_mark(text))
        if known is not None:
            return known
        words = bag(text)
        likely = self.by_words.get(words) if words else None
        return likely if likely and same_inference(inference(likely.block.payload), text) else None


def inference(payload: Payload) -> str:
    """What a block claims: its content and steps as one text."""
    return " ".join((payload.content, *payload.steps))


def _mark(text: str) -> str:
    """What is left of a text that cannot be worded otherwise; where that is nothing ("!!!"), the text itself."""
    return fingerprint_text(text) or f"={text}"
