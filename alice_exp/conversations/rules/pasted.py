"""Leave out of a message what somebody else wrote in it: a mail, a letter, a chat, a speech, a part that is played."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise

from alice_exp.kernel.text.data_files import Patterns
from alice_exp.kernel.value_class import dataclass

FILE = "conversations/rules/data/pasted.toml"
SIGNS = Patterns(FILE, flags=re.IGNORECASE)
"""By what a part that somebody else wrote is known (``pasted.toml``)."""

_LEAD = 300
"""Characters of a line's end by which it is known to lead to a text."""

_SIGNATURE = 45
"""Characters of a line that may still belong to a signature."""

_GREETS_ON = re.compile(r"(?<=[:：?？])[ ]+(?=(?:Hi|Hello|Hey|Dear) [A-ZÀ-Þ][\w.' -]{0,30},)")
_OPENING = re.compile(r"^[^\"“]{0,200}?(?:^|[:：]\s*)([\"“])[^\"“”]*$")


def own_words(text: str) -> str:
    """The lines of a message that its sender wrote, as far as signs tell; the others are empty.

    A letter reaches from its head or greeting to its sign-off, else to the end of the message. In doubt a line is not
    the sender's: what is missed can be said again. Time is linear in the length of the text.
    """
    text = SIGNS.text_of.sub(r"\g<0>\n", _before_play(text))
    lines = _GREETS_ON.sub("\n", text).splitlines()
    theirs = _talk(lines) | _quotations(lines)
    ends = _Ends.of(lines)
    at, led, asked = 0, False, False
    while at < len(lines):
        line = lines[at].strip()
        if not line or at in theirs:
            led = led and at not in theirs
            at += 1
        elif led or _is_head(lines, at) or _greets_another(lines, at, ends, asked):
            end = _letter_end(lines, at)
            theirs.update(range(at, end))
            at, led = end, False
        else:
            lines[at], led = _own_line(lines[at].rstrip(), at + 1 < len(lines) and not lines[at + 1].strip())
            asked = asked or led or bool(SIGNS.asks_about.search(line[-_LEAD:]))
            at += 1
    return "\n".join("" if at in theirs else line for at, line in enumerate(lines))


def _own_line(line: str, parted: bool) -> tuple[str, bool]:
    """A line without a text that is given on it, and whether a text follows below; ``parted``: below a blank line."""
    on = SIGNS.leads_on.search(line)
    if on and not SIGNS.own_text.search(on["lead"]):
        return on["lead"], False
    end = line[-_LEAD:]
    if SIGNS.own_text.search(end):
        return line, False
    return line, bool(SIGNS.leads.search(end)) or (parted and bool(SIGNS.announces.search(end)))


def _before_play(text: str) -> str:
    """The text before a part is played, without the paragraphs in which a character of a story speaks."""
    found = SIGNS.played.search(text)
    text = text[: found.start()] if found else text
    kept, at = "", 0
    while found := SIGNS.character.search(text, at):
        kept += text[at : found.start()]
        # What is said stands on the line of the colon, or in the paragraph below.
        said = found.end() + len(text[found.end() :]) - len(text[found.end() :].lstrip())
        at = text.find("\n\n", said)
        if at < 0:
            return kept
    return kept + text[at:]


def _is_head(lines: list[str], at: int) -> bool:
    """Whether the head of a mail begins at this line."""
    line = lines[at].strip()
    if SIGNS.forwarded.search(line):
        return True
    near = [SIGNS.header.match(one.strip()) for one in lines[at : at + 4]]
    fields = {found["field"].lower() for found in near if found}
    return near[0] is not None and len(fields) > 1 and any(map(SIGNS.sender.match, fields))


def _greets_another(lines: list[str], at: int, ends: _Ends, asked: bool) -> bool:
    """Whether a letter begins with a greeting at this line that is not for the agent.

    ``asked``: a text was announced above.
    """
    line = lines[at].strip()
    greeting = SIGNS.greeting.match(line)
    if not greeting:
        return False
    named = next(
        (greeting[name].strip() for name in ("who", "dear", "named", "title", "hi") if greeting[name]), ""
    )
    if named and SIGNS.agent.match(named):
        return False
    if ends.first < at < ends.last and greeting.end() == len(line):
        return bool(named) or asked or ends.parting > at
    return bool(named) and (asked or ends.signed >= at or ends.asked > at)


@dataclass(frozen=True, slots=True)
class _Ends:
    """Of the lines with a text the first and the last, and the last that parts, parts with a name, or asks about a text
    above; -1: none."""

    first: int = -1
    last: int = -1
    parting: int = -1
    signed: int = -1
    asked: int = -1

    @classmethod
    def of(cls, lines: list[str]) -> _Ends:
        """The ends of a message."""
        told = [at for at, line in enumerate(lines) if line.strip()]
        parting = signed = asked = -1
        for at, after in pairwise([*told, -1]):
            line = lines[at].strip()
            if found := SIGNS.sign_off.match(line):
                parting = at
                if (
                    found["by"]
                    or found["dash"]
                    or found["zh"]
                    or (after >= 0 and len(lines[after]) < _SIGNATURE)
                ):
                    signed = at
            elif SIGNS.parts_on.search(line):
                parting = signed = at
            elif SIGNS.asked_below.search(line[:_LEAD]):
                asked = at
        return cls(told[0], told[-1], parting, signed, asked) if told else cls()


def _letter_end(lines: list[str], start: int) -> int:
    """The line behind a letter: behind its sign-off, signature and postscript, else behind the last."""
    at = start + (not SIGNS.parts_on.search(lines[start].strip()))
    while (
        at < len(lines)
        and not SIGNS.parts_on.search(lines[at].strip())
        and not SIGNS.sign_off.match(lines[at].strip())
    ):
        at += 1
    at += 1
    while at < len(lines) and lines[at].strip():
        line = lines[at].strip()
        if (len(line) > _SIGNATURE or line[-1] in "?？") and not SIGNS.postscript.match(line):
            return at
        at += 1
    following = next((one for one in range(at, len(lines)) if lines[one].strip()), len(lines))
    if following < len(lines) and SIGNS.postscript.match(lines[following].strip()):
        return _paragraph_end(lines, following)
    return min(at, len(lines))


def _paragraph_end(lines: list[str], at: int) -> int:
    return next((one for one in range(at, len(lines)) if not lines[one].strip()), len(lines))


def _talk(lines: list[str]) -> set[int]:
    """The lines of talk that somebody took down, from its first turn to its last one's end."""
    stamped = [at for at, line in enumerate(lines) if SIGNS.stamped.match(line.strip())]
    said = [at for at in stamped if at + 1 not in stamped and "".join(lines[at + 1 : at + 2]).strip()]
    if len(said) > 1:
        return set(range(stamped[0], _paragraph_end(lines, stamped[-1])))
    found = (
        (at, SIGNS.turn.match(line.strip()))
        for at, line in enumerate(lines)
        if not SIGNS.header.match(line.strip())
    )
    turns = {at: turn for at, turn in found if turn and not SIGNS.label.match(turn["who"])}
    names = Counter(turn["who"].lower() for turn in turns.values())
    taken_down = (
        sum(bool(turn["time"]) for turn in turns.values()) > 1
        or sum(count for name, count in names.items() if SIGNS.role.match(name)) > 1
        or (
            len(names) > 1
            and (
                max(names.values()) > 1
                or bool(SIGNS.chat.search("\n".join(lines)))
                or (any(map(SIGNS.self.match, names)) and any(map(_speaks, turns.values())))
            )
        )
    )
    return set(range(min(turns), _paragraph_end(lines, max(turns)))) if taken_down else set()


def _speaks(turn: re.Match[str]) -> bool:
    """Whether a turn is somebody's who is not the user and speaks in the first person or to somebody."""
    said = turn.string[turn.end() - 1 :]
    return not SIGNS.self.match(turn["who"]) and bool(SIGNS.in_person.search(said[:_LEAD]))


def _quotations(lines: list[str]) -> set[int]:
    """The lines of quotations of several lines, whose first keeps what stands in front."""
    inside: set[int] = set()
    opened, front = -1, ""
    for at, line in enumerate(lines):
        if opened >= 0:
            if '"' in line or "”" in line:
                inside.update(range(opened + 1, at + 1))
                lines[opened] = front
                opened = -1
        elif found := _OPENING.match(line):
            opened, front = at, line[: found.start(1)]
    return inside
