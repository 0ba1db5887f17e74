"""Whether a block shares nothing with a task but what is done: "edit the video" is no ground to edit a photo.

What is done to weighs more than the verb. A verb alone is enough where the condition of a rule has nothing else, where
the task has nothing else, and where it is so special that it is the subject: deploy, rebase. The words are in
``finding/rules/data/verb_phrases.txt``; ``object_kinds.txt`` has what a condition names as a kind.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from alice_exp.finding.rules.bm25 import matches_in
from alice_exp.finding.rules.corpus import block_text
from alice_exp.finding.rules.stop_words import is_light, is_task_verb
from alice_exp.kernel.text.data_files import entries, word_lists
from alice_exp.kernel.text.tokens import fold, is_cjk, pieces, stems, tokens
from alice_exp.kernel.value_class import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable

    from alice_exp.finding.rules.ranking import Match
    from alice_exp.model.values.block import Block

_WORDS = "finding/rules/data/verb_phrases.txt"
_KINDS = "finding/rules/data/object_kinds.txt"
_WHEN = frozenset({"when", "whenever", "while", "before", "after", "once", "if"})
_TOPIC = 40
"""The most characters of a head that names what a text is about: "deploying: …"."""

_AROUND = "\"'.,:;!?()[]{}<>*_`“”‘’，。：；！？"
_PARTS = str.maketrans(dict.fromkeys(",;/|、，；", "\n"))

SHORTENED = 3
"""The fewest letters by which a word is known that is written in full elsewhere."""


@dataclass(frozen=True, slots=True)
class Act:
    """The stem of the verb at the head of a text, and whether it is a verb for sure (``edit the``, ``to edit``) or may
    be the name of a thing (``billing``)."""

    stem: str
    certain: bool


def fits_by_verb_alone(match: Match, task: str) -> bool:
    """Whether a block shares with a task nothing but the verb of either, and is about something else."""
    if not match.clear or match.context_match is not None or match.cosine is not None:
        return False
    block = match.placed.block
    condition = condition_of(block)
    verbs = _shared_verbs(task, condition or block.payload.content, block_text(block))
    if not verbs or any(_is_enough(verb, condition) for verb in verbs):
        return False
    rest = _without(task, verbs)
    asked = [token for token in tokens(rest) if not is_light(token)]
    about = tokens(condition)
    if not asked or _is_shortened(asked, about) or _is_of_kind(asked, about):
        return False
    found = matches_in([block_text(block)], rest)
    return not found.subject.coverage(0) and not found.translated


def condition_of(block: Block) -> str:
    """When a block holds: its trigger, or else the head of its payload ("when you deploy, …", "deploying: …").

    "" if it always does.
    """
    if block.trigger.text:
        return "\n".join((block.trigger.text, *block.trigger.keywords))
    # No regular expression: to compile one takes longer than all the rest.
    text = fold(block.payload.content).lstrip()
    end = min((at for at in map(text.find, ",:;.\n") if at > 0), default=0)
    first, _, rest = text[:end].partition(" ")
    if first in _WHEN and text[end] in ",:;":
        return rest.strip()
    return text[:end] if end <= _TOPIC and text[end : end + 2] == ": " else ""


def act_of(text: str) -> Act | None:
    """The verb with which a text begins, after words that open it (``please``, ``when you``)."""
    lists = _lists()
    words = [word for part in fold(text).replace("/", " ").split() if (word := part.strip(_AROUND))]
    at = next((at for at, word in enumerate(words) if word not in lists["openings"]), None)
    if at is None or is_cjk(words[at]) or words[at] in lists["no verbs"]:
        return None
    word, follows = words[at], words[at + 1 : at + 2]
    stem = stems([word]).get(word, "")
    is_told = bool(at) and words[at - 1] in lists["certain openings"]
    certain = is_told or stem in _stems("verbs") or bool(follows and follows[0] in lists["determiners"])
    return Act(stem, certain) if stem and (certain or word.endswith("ing")) else None


def _shared_verbs(task: str, condition: str, text: str) -> frozenset[str]:
    """The stems of the verbs of a task and of a condition that the other has too."""
    asked, ruled = act_of(task), act_of(condition)
    if asked and ruled and asked.stem == ruled.stem:
        return frozenset({asked.stem})
    found = set()
    if asked and asked.certain and asked.stem in tokens(text):
        found.add(asked.stem)
    if ruled and ruled.certain and ruled.stem in tokens(task):
        found.add(ruled.stem)
    return frozenset(found)


def _is_enough(verb: str, condition: str) -> bool:
    """Whether a verb says what a condition is about; a rule without one is about each of its words."""
    if verb in _stems("subjects"):
        return True
    if not condition:
        return is_task_verb(verb)
    alone = _stems("of any subject") | {verb}
    parts = [set(tokens(part)) for part in fold(condition).translate(_PARTS).split("\n")]
    return any(verb in part and all(token in alone or is_light(token) for token in part) for part in parts)


def _without(task: str, verbs: Iterable[str]) -> str:
    """A task without the words of these stems."""
    runs = pieces(fold(task))
    stem_of = stems(run for run in runs if not is_cjk(run))
    return " ".join(run for run in runs if stem_of.get(run, "") not in verbs)


def _is_shortened(some: Iterable[str], others: Iterable[str]) -> bool:
    """Whether a word of one begins with a word of the other: docs and documentation."""
    known = [other for other in others if len(other) >= SHORTENED]
    return any(
        one.startswith(other) or other.startswith(one)
        for one in some
        for other in known
        if len(one) >= SHORTENED
    )


def _is_of_kind(some: Iterable[str], others: Iterable[str]) -> bool:
    """Whether a word of one and a word of the other are of one kind: code and a function."""
    return any(not kind.isdisjoint(some) and not kind.isdisjoint(others) for kind in _kinds())


@lru_cache(maxsize=1)
def _kinds() -> tuple[frozenset[str], ...]:
    return tuple(frozenset(tokens(line)) for line in entries(_KINDS))


@lru_cache(maxsize=1)
def _lists() -> dict[str, frozenset[str]]:
    return {heading: frozenset(words) for heading, words in word_lists(_WORDS).items()}


@lru_cache(maxsize=4)
def _stems(heading: str) -> frozenset[str]:
    return frozenset(stems(word_lists(_WORDS)[heading]).values())
