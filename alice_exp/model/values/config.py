"""What a home begins with: every configuration key with its default, the namespaces; the configuration as a value.

The commented ``config.jsonc``, its validation, the JSON Schema and ``alice-exp config list`` are made from this table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from datetime import MAXYEAR, datetime
from typing import Literal

from alice_exp.kernel.jsonc import Json
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.values.block import BlockType, Place, path_of

Kind = Literal["count", "share", "days", "flag", "text"]
"""In this order: an integer >= 0; a number in [0, 1]; a number of days > 0; a boolean; a text."""


@dataclass(frozen=True, slots=True)
class Option:
    """One key: dotted name, default, and the comment that stands above it in the file."""

    name: str
    default: bool | int | float | str
    doc: str

    @property
    def kind(self) -> Kind:
        """By its default, days by its name; a float is a share."""
        if isinstance(self.default, bool | str):
            return "text" if isinstance(self.default, str) else "flag"
        return "days" if "_days" in self.name else "share" if isinstance(self.default, float) else "count"


HAND_EDITS_TRUSTED = "hand_edits.trusted"

OPTIONS: tuple[Option, ...] = (
    Option("timezone", "", "Where a day begins, as Asia/Shanghai; empty: the machine's own zone"),
    Option("lang", "", "Language of messages, as en or zh; empty: as the terminal's locale says"),
    Option("thresholds.past", 3, "Verifications that raise a possible block to past"),
    Option("thresholds.reliable", 10, "Verifications that raise a past block to reliable"),
    Option("thresholds.super_reliable", 50, "Verifications that earn a reliable block its badge"),
    Option("thresholds.fits", 0.3, "How likely a block must fit to be an answer; 0: every match is one"),
    Option("heartbeat.expire_days", 7, "Days that an unanswered candidate waits after it was first shown"),
    Option(
        "heartbeat.paused", "", "Holidays in which no candidate's days run, each FROM/UNTIL. Set by 'pause'"
    ),
    Option("heartbeat.auto", True, "Show the report at the first command of a day"),
    Option("review.in_host", True, "Let hosts that were connected ask you in their own dialogs"),
    Option("episodes.capacity", 1000, "Episodes kept in the file; git keeps the rest"),
    Option("episodes.result_limit", 1000, "Characters of a result that are kept"),
    Option("events.model", True, "Whether the chat model, where there is one, sums merged thoughts up"),
    Option("half_life_days.identity", 730, "Days in which the weight of an identity halves"),
    Option("half_life_days.preference", 365, "The same for a preference"),
    Option("half_life_days.habit", 365, "The same for a habit"),
    Option("half_life_days.rule", 365, "The same for a rule"),
    Option("half_life_days.feature", 180, "The same for a feature"),
    Option("half_life_days.fact", 180, "The same for a fact"),
    Option("half_life_days.pattern", 180, "The same for a pattern"),
    Option("half_life_days.solution", 180, "The same for a solution"),
    Option("half_life_days.goal", 90, "The same for a goal"),
    Option("half_life_days.event", 30, "The same for an event"),
    Option("consolidation.frequency", 0.5, "Weight of how often a block was read"),
    Option("consolidation.longevity", 0.2, "Weight of how old a block is"),
    Option("consolidation.recency", 0.3, "Weight of how lately it changed"),
    Option("assess.confidence", 0.35, "Weight of confidence when knowledge is assessed"),
    Option("assess.coverage", 0.25, "Weight of how many blocks there are"),
    Option("assess.recency", 0.20, "Weight of how fresh they are"),
    Option("assess.consolidation", 0.20, "Weight of how settled they are"),
    Option("short_term.enabled", True, "Whether a session keeps its history"),
    Option("short_term.trigger_threshold", 0.8, "Share of the window from which it is compressed"),
    Option("short_term.keep_recent_turns", 5, "Turns that compression leaves whole"),
    Option("short_term.max_context", 128000, "Tokens that the model's window holds"),
    Option("long_term.max_buffer_turns", 5, "User turns after which a conversation is read for candidates"),
    Option("long_term.extract_on_session_end", True, "Read what is left when a session ends"),
    Option("long_term.min_importance", 0.5, "Candidates below this importance are dropped"),
    Option(
        "heard.enabled",
        True,
        "Keep your own sentences of a session for a model to read later. Set by 'heard --off'",
    ),
    Option("heard.across_hosts", False, "Let one vendor's host read what was said in another's, too"),
    Option("sharing.enabled", False, "Whether anything may be offered to peers at all"),
    Option("sharing.name", "", "The name that peers see; empty: a random one"),
    Option("owner.key", "", "The public key whose signature approves; empty: none. Set by 'owner init'"),
    Option("provider.base_url", "", "An OpenAI-compatible server, as http://localhost:11434/v1; empty: none"),
    Option("provider.chat_model", "", "Model for summaries and extraction; empty: rules do it"),
    Option(
        "provider.command",
        "",
        "In place of both, a program: prompt on stdin, answer on stdout, as claude -p; empty: none",
    ),
    Option(
        "provider.embedding_model",
        "",
        "Model for embeddings, which puts the best 64 answers in order; empty: off",
    ),
    Option(
        "provider.key_env",
        "",
        "Variable that holds the server's key; empty: ALICE_API_KEY, else OPENAI_API_KEY",
    ),
    Option(
        "projects.off",
        "",
        "Projects, apart by spaces, in which hooks and MCP learn nothing. Set by 'project off'",
    ),
    Option(
        "projects.folders",
        "",
        "Folders with their projects as STAMP=PROJECT=FOLDER, apart by spaces. Kept by the program",
    ),
    Option(
        "projects.names",
        "",
        "Other names of projects: = its own, ! not its own, @ from .alice-project, ? and ~ asked. Set by 'project is'",
    ),
    Option(
        HAND_EDITS_TRUSTED,
        False,
        "What is typed into a file of personal counts at once, whoever runs as you types it",
    ),
    Option("watch.debounce_ms", 200, "Milliseconds of quiet after which a saved file is read"),
)

BY_NAME: Mapping[str, Option] = {option.name: option for option in OPTIONS}

_HERE = ("provider", "sharing", "owner", "projects", "heard", "hand_edits")

TAKEN: Mapping[str, str] = {"thresholds.match": "thresholds.fits"}
"""Keys that 0.2.0 still read, and what took their place."""

_NOW = "what you approved is told together; 'alice-exp impact' tells what it is worth"
PAST: Mapping[str, str] = {
    **dict.fromkeys(
        ("thresholds.high_confidence", "trial", "trial.share", "decide", "decide.held_out"), _NOW
    ),
    "events.strategy": "a configured model sums merged thoughts up, 'events.model' switches that",
}
"""Keys that 0.2.0 wrote into new files, which nothing reads: what stands in the place of each."""


def is_local(name: str) -> bool:
    """Whether a key decides where data goes, so that it counts only from this machine's ``local.jsonc`` (DESIGN 6)."""
    return name.partition(".")[0] in _HERE


Pauses = tuple[tuple[datetime, datetime], ...]
"""Pauses in which no candidate's days run: when each began and ends (aware, ends after it began), the oldest first."""


def pauses_of(text: str) -> Pauses:
    """The pauses of ``FROM/UNTIL FROM/UNTIL`` (ISO-8601 with an offset); one that a person mistyped stops nothing."""
    found = []
    for one in text.split():
        began, _, until = one.partition("/")
        try:
            pair = datetime.fromisoformat(began), datetime.fromisoformat(until)
            # Days that go on after the last year of the calendar cannot be counted.
            if pair[0] < pair[1] and pair[1].year < MAXYEAR:
                found.append(pair)
        # No time at all, or one of the two without an offset.
        except (ValueError, TypeError):
            continue
    return tuple(sorted(pair for pair in found if pair[0].tzinfo is not None))


@dataclass(frozen=True, slots=True)
class Wait:
    """The days that an unanswered candidate waits, and the pauses in which none of them runs."""

    days: float
    pauses: Pauses = ()

    def paused_until(self, now: str) -> str:
        """The end (ISO-8601, in the zone of the person who set it) of the pause that runs now; empty: none does."""
        at = datetime.fromisoformat(now)
        return next((until.isoformat() for began, until in self.pauses if began <= at < until), "")


@dataclass(frozen=True, slots=True)
class Config:
    """The configuration at the time of one read: the values of the files over the defaults of the table.

    ``shared`` are the local keys of the tracked file, which other machines write too: they do not count.
    """

    values: Mapping[str, Json] = field(default_factory=dict)
    shared: Mapping[str, Json] = field(default_factory=dict)

    def value(self, name: str) -> Json:
        """An option as it counts: what is set, else the default."""
        return self.values.get(name, BY_NAME[name].default)

    def number(self, name: str) -> float:
        """A numeric option."""
        value = self.value(name)
        return float(value) if isinstance(value, int | float) else 0.0

    def count(self, name: str) -> int:
        """An integer option."""
        return int(self.number(name))

    def flag(self, name: str) -> bool:
        """A true-or-false option."""
        return bool(self.value(name))

    def text(self, name: str) -> str:
        """A text option."""
        return str(self.value(name))

    @property
    def proposed(self) -> dict[str, Json]:
        """What the tracked file would have local keys be, where it says anything, and else than what counts here."""
        return {
            name: value
            for name, value in self.shared.items()
            if value not in (BY_NAME[name].default, self.values.get(name))
        }

    @property
    def wait(self) -> Wait:
        """How long an unanswered candidate waits; of pauses, those that can be read."""
        return Wait(self.number("heartbeat.expire_days"), pauses_of(self.text("heartbeat.paused")))

    def numbers(self, group: str) -> dict[str, float]:
        """The numbers of a group of keys, each by the last part of its name."""
        parts = (option.name.rpartition(".") for option in OPTIONS)
        return {name: self.number(f"{group}.{name}") for head, _, name in parts if head == group}

    @property
    def half_life_days(self) -> dict[str, float]:
        """The half-life in days, by type."""
        return self.numbers("half_life_days")


def joined(tracked: Config, local: Config) -> Config:
    """What counts of both files: local keys from ``local.jsonc``, all others from ``config.jsonc`` (DESIGN 3, 6)."""
    here = {name: value for name, value in local.values.items() if is_local(name)}
    values = {name: value for name, value in tracked.values.items() if not is_local(name)} | here
    return Config(values, {name: value for name, value in tracked.values.items() if is_local(name)})


@dataclass(frozen=True, slots=True)
class Founded:
    """A namespace of a new home: its set, name, the comment at the top of its file, and the types that belong there."""

    place: Place
    name: str
    comment: str
    types: tuple[BlockType, ...]

    @property
    def path(self) -> str:
        """The file's path in the home's repository."""
        return path_of(self.place, self.name)


NAMESPACES: tuple[Founded, ...] = (
    Founded(
        "universal",
        "system_info",
        "What holds for the systems at work here, whoever sits in front of them.",
        ("fact", "preference", "goal", "identity"),
    ),
    Founded("universal", "tool_usage", "Which tool to use for what, and how.", ("rule", "solution", "habit")),
    Founded(
        "universal",
        "api_patterns",
        "How interfaces behave, and what works with them.",
        ("pattern", "feature"),
    ),
    Founded(
        "personal",
        "user_preferences",
        "What you like and who you are. Shared with nobody.",
        ("preference", "fact", "goal", "identity", "feature"),
    ),
    Founded(
        "personal",
        "workflow_habits",
        "How you work. Shared with nobody.",
        ("habit", "rule", "solution", "pattern"),
    ),
)
"""In each set every type belongs to exactly one namespace (``tests/model/test_namespaces.py`` checks this)."""

_NAMES = {(one.place, type_): one.name for one in NAMESPACES for type_ in one.types}


def namespace_for(place: Place, type_: BlockType) -> str:
    """The namespace of ``personal`` or ``universal`` to which a type of block belongs."""
    return _NAMES[place, type_]
