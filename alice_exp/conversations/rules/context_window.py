"""Short-term memory: fit a conversation into the model's context window (R4.1-R4.13, B4.1-B4.7).

``before_model`` is the entry point for an agent loop. When the messages reach their share of the window, the older
turns are folded into one summary, inserted after the system messages as a virtual tool call and its result.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from alice_exp.conversations.rules.extractive_summary import summary_by_rule, trimmed
from alice_exp.conversations.values import Message, ToolCall
from alice_exp.kernel.errors import ProviderError
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.values.config import Config

MESSAGE_TOKENS = 4
"""Tokens of overhead per message, in addition to its text (B4.2)."""

TOOL_NAME = "memory_compress"
HEAD, TAIL = "[Previous Conversation Summary]", "[End of Summary]"
"""Name of the virtual tool, and the lines that enclose a summary (R4.10, R4.11)."""

_CALL = ToolCall("call_memory_compress", TOOL_NAME)
_WIDE = re.compile("[\u2e80-\U0010ffff]+")

Estimate = Callable[[str], int]
"""Estimates the tokens of a text, without the per-message overhead."""

Summarise = Callable[[Sequence[Message], str, int], str]
"""(messages to fold, summary so far, token limit) -> new summary. May raise anything."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of R4.4: whether to compress, the trigger as a share of the window, turns kept, window in tokens."""

    enabled: bool = True
    trigger_threshold: float = 0.8
    keep_recent_turns: int = 5
    max_context: int = 128_000

    @classmethod
    def of(cls, config: Config) -> Settings:
        """The settings under ``short_term.*`` of a configuration."""
        return cls(
            config.flag("short_term.enabled"),
            config.number("short_term.trigger_threshold"),
            config.count("short_term.keep_recent_turns"),
            config.count("short_term.max_context"),
        )


@dataclass(frozen=True, slots=True)
class Window:
    """The messages to send, their token count, and the count before compression.

    ``summary`` is the text between ``HEAD`` and ``TAIL``, ``folded`` the number of messages folded into it this time,
    ``notes`` what went wrong.
    """

    messages: tuple[Message, ...]
    tokens: int
    tokens_before: int
    compressed: bool = False
    summary: str = ""
    folded: int = 0
    notes: tuple[ProviderError, ...] = ()


def quarters(text: str) -> int:
    """Estimate a text in quarters of a token, which add up (B4.2): four per CJK character, one per other character.

    CJK is each character from U+2E80 on, punctuation and emoji too.
    """
    return len(text) + (0 if text.isascii() else 3 * sum(map(len, _WIDE.findall(text))))


def estimate_tokens(text: str) -> int:
    """Estimate tokens without a tokenizer (B4.2): one per CJK character, one per four other characters, rounded up."""
    return -(-quarters(text) // 4)


def message_tokens(message: Message, estimate: Estimate = estimate_tokens) -> int:
    """Tokens of one message: its text, its tool calls, and the per-message overhead (B4.2)."""
    calls = sum(estimate(call.name) + estimate(call.arguments) for call in message.tool_calls)
    return estimate(message.content) + calls + MESSAGE_TOKENS


def count_tokens(messages: Sequence[Message], estimate: Estimate = estimate_tokens) -> int:
    """Total tokens of the messages."""
    return sum(message_tokens(message, estimate) for message in messages)


def trigger_tokens(settings: Settings) -> int:
    """Token count from which compression starts: max_context · threshold, rounded up (R4.6)."""
    # 0.07 * 100 is 7.000000000000001 in floating point: without rounding first, ceil would give 8.
    return math.ceil(round(settings.max_context * settings.trigger_threshold, 6))


def summary_tokens(max_context: int) -> int:
    """Maximum length of a summary: min(4000, max(500, max_context // 10)) tokens (R4.9, B4.5)."""
    return min(4000, max(500, max_context // 10))


def summary_pair(summary: str) -> tuple[Message, Message]:
    """The virtual tool call and tool result that carry a summary (R4.10, R4.11)."""
    answer = Message("tool", f"{HEAD}\n{summary}\n{TAIL}", tool_call_id=_CALL.id)
    return Message("assistant", "", tool_calls=(_CALL,)), answer


def before_model(
    messages: Sequence[Message],
    settings: Settings = Settings(),
    summarise: Summarise | None = None,
    estimate: Estimate = estimate_tokens,
) -> Window:
    """The messages to send to the model, compressed once they reach their share of the window (R4.5-R4.13).

    Order: all system messages, the summary pair, then the latest turns, or only the current turn if the latest ones
    alone reach the limit. If ``summarise`` is missing, fails or returns nothing, a rule writes the summary. If there
    is nothing to fold, the messages are returned unchanged with a note.
    """
    before = count_tokens(messages, estimate)
    given = Window(tuple(messages), before, before)
    trigger = trigger_tokens(settings)
    if not settings.enabled or before < trigger:
        return given
    system, summaries, body = _split(messages)
    fixed = count_tokens((*system, *summary_pair("")), estimate)
    least = min(summary_tokens(settings.max_context), max(1, trigger // 20))
    cut = _cut(body, settings.keep_recent_turns, trigger - fixed - least, estimate)
    folded, kept = body[:cut], body[cut:]
    if not (folded or len(summaries) > 1):
        said = "the conversation holds {tokens} tokens of {trigger} and no earlier turn to compress"
        return replace(given, notes=(ProviderError(said, tokens=before, trigger=trigger),))
    room = trigger - 1 - fixed - count_tokens(kept, estimate)
    budget = min(summary_tokens(settings.max_context), max(room, least))
    summary, notes = _summary(folded, "\n".join(summaries), budget, summarise, estimate)
    sent = (*system, *summary_pair(summary), *kept)
    after = count_tokens(sent, estimate)
    if after >= trigger:
        said = "the current turn alone fills the window: {tokens} tokens of {trigger}"
        notes = (*notes, ProviderError(said, tokens=after, trigger=trigger))
    return Window(sent, after, before, True, summary, len(folded), notes)


def _split(messages: Sequence[Message]) -> tuple[list[Message], list[str], list[Message]]:
    """System messages, texts of earlier summaries, and all other messages in order."""
    system: list[Message] = []
    summaries: list[str] = []
    body: list[Message] = []
    for message in messages:
        if message.role == "system":
            system.append(message)
        # The call decides, as a real tool may return a text that looks alike.
        elif message.role == "tool" and body and [call.name for call in body[-1].tool_calls] == [TOOL_NAME]:
            body.pop()
            summaries.append(_unwrapped(message.content))
        else:
            body.append(message)
    return system, summaries, body


def _unwrapped(content: str) -> str:
    return content.strip().removeprefix(HEAD).removesuffix(TAIL).strip()


def _cut(body: Sequence[Message], turns: int, room: int, estimate: Estimate) -> int:
    """Index of the first kept message of the body, always a user message; 0 if nothing can be folded (R4.7, R4.8).

    Keeps the latest ``turns`` if they take less than ``room`` tokens, else only the current one (B4.3); more, where a
    tool's result would lose its call.
    """
    starts = [index for index, message in enumerate(body) if message.role == "user"]

    def whole(turns: int) -> int:
        # A user can write between a tool call and its result, so not every user message is a clean cut (B4.4).
        wanted = starts[-min(max(turns, 1), len(starts))]
        clean = (at for at in reversed(starts) if at <= wanted and not _has_orphan(body[at:]))
        return next(clean, wanted)

    if not starts:
        return 0
    wanted = whole(turns)
    return wanted if wanted and count_tokens(body[wanted:], estimate) < room else whole(1)


def _has_orphan(messages: Sequence[Message]) -> bool:
    called: set[str] = set()
    for message in messages:
        called.update(call.id for call in message.tool_calls)
        if message.role == "tool" and (
            message.tool_call_id not in called if message.tool_call_id else not called
        ):
            return True
    return False


def _summary(
    folded: Sequence[Message],
    previous: str,
    budget: int,
    summarise: Summarise | None,
    estimate: Estimate,
) -> tuple[str, tuple[ProviderError, ...]]:
    """The summary in at most ``budget`` tokens, and a note if the model failed to write one."""
    if summarise is None:
        return summary_by_rule(folded, previous, budget, estimate), ()
    # Any exception of the caller's model: the conversation has to go on (B4.7).
    try:
        text = summarise(folded, previous, budget).strip()
        note = ProviderError("the model wrote an empty summary, so a rule did")
    except Exception as error:
        why = str(error) or type(error).__name__
        text, note = "", ProviderError("the model wrote no summary ({reason}), so a rule did", reason=why)
    if text:
        return trimmed(_unwrapped(text), budget, estimate), ()
    return summary_by_rule(folded, previous, budget, estimate), (note,)
