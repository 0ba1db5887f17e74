"""What two agents propose to one person in three weeks, in both languages, written for these tests.

``WORD`` is what the person trusts already, ``REFUSED`` what they turned down; ``candidates(count)`` are the proposals:
lessons of ``agent_notes``, among them what opposes, replaces or repeats the person's word, what was turned down in
other words, keys, private facts, and beyond 95 the lessons of further services.
"""

import json
from pathlib import Path
from typing import NamedTuple

from tests.case_tables import cases

AGENTS = ("claude", "codex")

WORD: tuple[tuple[str, str], ...] = tuple(cases(__file__, "WORD"))

REFUSED: tuple[tuple[str, str], ...] = tuple(cases(__file__, "REFUSED"))


class Candidate(NamedTuple):
    """One proposal: what it is, when it applies, what it says, whom it is about."""

    kind: str
    when: str
    text: str
    about: str = "work"

    @property
    def row(self) -> str:
        """The proposal as a line for ``memorize --from``."""
        return json.dumps(
            {"trigger": self.when, "payload": self.text, "about": self.about}, ensure_ascii=False
        )


_SPECIAL = tuple(Candidate(*one) for one in cases(__file__, "_SPECIAL"))

_SERVICES = cases(__file__, "_SERVICES")
_LESSONS = tuple(cases(__file__, "_LESSONS"))


def candidates(count: int) -> tuple[Candidate, ...]:
    """The first ``count`` proposals (at most 305): ordinary lessons, every second or third one of another kind."""
    notes = []
    for line in (Path(__file__).parent / "agent_notes/docs.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        about = "user" if any(word in row["meta"]["trigger"] for word in ("user", "用户")) else "work"
        notes.append(Candidate("note", row["meta"]["trigger"], row["text"], about))
    # English and Chinese by turns: the file has all of the one before the other.
    notes = [note for pair in zip(notes[:30], notes[30:], strict=True) for note in pair]
    special = list(_SPECIAL)
    found: list[Candidate] = []
    while notes or special:
        found += notes[:2] if len(notes) > len(special) or not special else notes[:1]
        del notes[: 2 if len(notes) > len(special) or not special else 1]
        found += special[:1]
        del special[:1]
    further = (
        Candidate("note", when.format(name=name), text.format(name=name, n=3 + 7 * at % 19 + row))
        for at, name in enumerate(_SERVICES)
        for row, (when, text) in enumerate(_LESSONS)
    )
    return (*found, *further)[:count]
