"""Converts model values to the JSON documents of DESIGN 7 and to short texts for tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from alice_exp.kernel.journal.act import Commit
from alice_exp.kernel.jsonc import Problem
from alice_exp.kernel.value_class import attributes
from alice_exp.model.values.block import Evidence, Placed, is_of_team


def trigger_text(placed: Placed) -> str:
    """A block's trigger as one text: its text, keywords and context."""
    trigger = placed.block.trigger
    context = ", ".join(f"{key}={value}" for key, value in trigger.context.items())
    return " · ".join(part for part in (trigger.text, ", ".join(trigger.keywords), context) if part)


def payload_text(placed: Placed) -> str:
    """A block's payload as one text: its content and numbered steps."""
    payload = placed.block.payload
    steps = " ".join(f"{number}. {step}" for number, step in enumerate(payload.steps, start=1))
    return " ".join(part for part in (payload.content, steps) if part)


def said(placed: Placed) -> str:
    """What a block says, with its situation, as one text."""
    return ": ".join(filter(None, texts(placed).values()))


def texts(placed: Placed) -> dict[str, str]:
    """A block's trigger and payload, each as one text."""
    return {"trigger": trigger_text(placed), "payload": payload_text(placed)}


def brief(placed: Placed) -> dict[str, Any]:
    """A block's id, set, namespace and state."""
    block = placed.block
    return {
        "id": block.id,
        "set": "team" if is_of_team(placed) else placed.place,
        "namespace": placed.namespace,
        "state": block.state,
    }


def evidence_line(placed: Placed, word_of: Callable[[str], str] = str) -> str:
    """The newest quotation among a block's evidence, on one line, what was said in a conversation before what somebody
    noted; without any, each kind with what came of it and how often, as ``outcome ok 3, outcome fail``."""
    if quoted := [piece for piece in placed.block.evidence if piece.quote]:
        best = max(quoted[::-1], key=lambda piece: piece.kind == "session")
        return " ".join((word_of(best.quote) if best.kind in _OURS else best.quote).split())
    said = [
        " ".join(map(word_of, filter(None, (piece.kind, piece.effect)))) for piece in placed.block.evidence
    ]
    return ", ".join(
        one if said.count(one) == 1 else f"{one} {said.count(one)}" for one in dict.fromkeys(said)
    )


def effect_word(effect: str) -> str:
    """What came of an outcome as a person reads it, for the reader's language to say."""
    return "the same failure again, counted once" if effect == "debounced" else effect


_OURS = ("claim", "conflict", "revoked")
"""Kinds of evidence whose quotation is a sentence of ours."""


def evidence_whole(
    piece: Evidence, time_of: Callable[[str], str] = str, word_of: Callable[[str], str] = str
) -> str:
    """One piece of evidence in full: time (as ``time_of`` writes it), kind, reference, effect, scenario, quotation.

    ``word_of`` says kind and effect in the reader's language.
    """
    said = word_of(piece.quote) if piece.kind in _OURS else piece.quote
    quote = f"“{said}”" if said else ""
    at = time_of(piece.at) if piece.at else ""
    return "  ".join(
        filter(
            None,
            (at, word_of(piece.kind), piece.ref, word_of(effect_word(piece.effect)), piece.scenario, quote),
        )
    )


def problem(fault: Problem) -> dict[str, Any]:
    """One problem of a file."""
    return attributes(fault, "path line column message severity hint")


def commit(act: Commit) -> dict[str, Any]:
    """One act of the log."""
    return {
        "commit": act.commit,
        "act": act.act_id,
        **attributes(act, "at op actor blocks subject"),
        "trailers": [{"name": name, "value": value} for name, value in act.trailers],
    }
