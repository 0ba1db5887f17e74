"""Split a message into sentences, leaving out code and quoted lines and masking quotations."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from alice_exp.conversations.rules.pasted import own_words
from alice_exp.kernel.value_class import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_TEXT = 20_000
MOST_SENTENCE = 400
"""Limits in characters of a message and of a sentence; longer text was pasted rather than said."""

_FENCE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.S)
_SET_APART = re.compile(
    r"`[^`\n]{0,300}`|“[^”\n]{0,300}”|「[^」\n]{0,300}」|『[^』\n]{0,300}』|\"[^\"\n]{0,300}\""
    r"|(?<!\w)'[^'\n]{0,300}'(?!\w)"
)
_SKIPPED_LINE = re.compile(
    r"^(?:\s*>|\t| {4}|\s*(?:\$|>>>|//|/\*|#include|import |from \w+ import|def |class |function |const |let |var "
    r"|at \w+\.|File \"|Traceback|\[?\d{4}-\d\d-\d\d[T ]))|[{};]$|=>|==|\w\([^()]{0,200}\)$"
)
_SENTENCE = re.compile(r"[^。！？!?；;\n.]+(?:\.(?!\s|$|[\u2e80-\uffff])[^。！？!?；;\n.]*)*[。！？!?；;.]*")
_ABBREVIATION = re.compile(
    r"\b(Dr|Mr|Mrs|Ms|Prof|St|vs|etc|incl|approx|max|min|e\.g|i\.e|[A-HJ-Z](?=\.\s[A-Z][a-z]))\.(?=\s)"
)
_CJK = re.compile("[\u3400-\u9fff]")

MASK = "\ue000"
"""Placeholder for a quotation while patterns are matched, so that quoted words are not taken for the user's own."""

_DOT = "\ue001"


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence: verbatim (``quote``), and with quotations masked and without final punctuation (``text``)."""

    quote: str
    text: str
    asks: bool
    chinese: bool
    quoted: tuple[str, ...]

    def behind(self, place: int) -> Sentence:
        """The sentence with the text from a place on; its quote stays whole."""
        count = self.text[:place].count(MASK)
        rest = self.text[place:].lstrip(" ,，。:：!！;；—…～~)）")
        return replace(self, text=rest, quoted=self.quoted[count:])

    def restored(self, text: str) -> str:
        """A part of the masked text with its quotations restored."""
        return restored(text, self.text, self.quoted)


def restored(text: str, whole: str, quoted: tuple[str, ...]) -> str:
    """A part of the masked text ``whole`` with its quotations restored, counted by the masks before it."""
    if MASK not in text:
        return text
    at = whole.find(text)
    waiting = list(quoted[whole[: max(at, 0)].count(MASK) :])
    return re.sub(MASK, lambda _: waiting.pop(0) if waiting else "", text)


def sentences(text: str) -> Iterator[Sentence]:
    """The sentences of a message, without code, quoted lines, overlong sentences and what somebody else wrote in it."""
    plain = _FENCE.sub("\n", text[:MOST_TEXT].replace("’", "'").replace(MASK, "").replace(_DOT, ""))
    for line in own_words(plain).splitlines():
        if _SKIPPED_LINE.search(line.rstrip()):
            continue
        aside = tuple(_SET_APART.findall(line))
        masked = _ABBREVIATION.sub(rf"\1{_DOT}", _SET_APART.sub(MASK, line))
        waiting = list(aside)
        for found in _SENTENCE.findall(masked):
            said = found.strip().replace(_DOT, ".")
            count = said.count(MASK)
            quoted, waiting = tuple(waiting[:count]), waiting[count:]
            if 1 < len(said) <= MOST_SENTENCE:
                body = said.rstrip("。！？!?；;. ")
                quote = restored(said, said, quoted)
                yield Sentence(quote, body, said[-1] in "?？", bool(_CJK.search(body)), quoted)
