"""What a reply that the strict grammar refuses may mean, in plain words: by rules, else as a model reads it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from alice_exp.home.session import Session
from alice_exp.kernel.errors import ProviderError
from alice_exp.model import documents
from alice_exp.model.rules.private_facts import delicate, kinds_of, masked_line
from alice_exp.model.values.block import REVIEWED, Placed
from alice_exp.review.rules.doubts import told_rivals
from alice_exp.review.rules.reply import model_decisions, model_prompt, written
from alice_exp.review.rules.say_back import said_back
from alice_exp.review.usecases.decisions import shown_only


def waiting(session: Session, ids: Sequence[str]) -> dict[str, Placed]:
    """Those of a report on which a reply may decide, by id."""
    shown, _ = shown_only(session.home, ids)
    snapshot = session.home.read(REVIEWED)
    return {one: placed for one in shown if (placed := snapshot.find(one)) is not None}


def wording(session: Session, text: str, ids: Sequence[str], waits: Mapping[str, Placed]) -> str:
    """The plain sentence for a reply on a report (``ids`` by number, ``waits`` as ``waiting`` gives them); empty where
    nobody reads one. A model is told no word of what is secret or private, nor a reply that holds such a thing."""
    numbered = [one if one in waits else "" for one in ids]
    said = [one and _said(waits[one]) for one in numbered]
    if plain := said_back(text, numbered, said):
        return plain
    provider = session.provider
    if provider is None or not waits or kinds_of(text):
        return ""
    secret = {one for one, placed in waits.items() if delicate(placed.block)}
    items = [
        "secret" if one in secret else masked_line(line) for one, line in zip(numbered, said, strict=True)
    ]
    try:
        made = model_decisions(provider.chat(model_prompt(text, items)), numbered)
    except ProviderError:
        return ""
    approved = {one for decision in made if decision.verb == "approve" for one in decision.ids}
    rivals = told_rivals(session.home.read(REVIEWED), [waits[one] for one in approved])
    if approved & {*secret, *(rival.old.block.id for rival in rivals.values())}:
        return ""
    is_decided = any(decision.verb != "later" for decision in made)
    return written(made, numbered, is_chinese=not text.isascii()) if is_decided else ""


def _said(placed: Placed) -> str:
    return f"{'the user: ' if placed.block.about == 'user' else ''}{documents.said(placed)}"
