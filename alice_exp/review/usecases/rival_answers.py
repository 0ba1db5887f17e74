"""A person's answers beyond one block: which of two rivals holds, or that they say the same; and what a reply that the
strict grammar refuses may mean, by rules, else as a model reads it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from alice_exp.blocks.usecases.lifetime import asked_with, retirement
from alice_exp.caller.acting import Caller, require_person
from alice_exp.finding.rules.nearness import Neighbourhood
from alice_exp.home.file_home import Home
from alice_exp.home.session import Session
from alice_exp.kernel.errors import Hint, ProviderError, RefusedError
from alice_exp.kernel.journal.act import Act, committed
from alice_exp.model import documents
from alice_exp.model.rules.doubt import rested
from alice_exp.model.rules.private_facts import delicate, kinds_of, masked_line
from alice_exp.model.values.block import EVIDENCE_KEPT, PLACES, REVIEWED, Placed
from alice_exp.model.values.snapshot import ChangeSet, Put, Snapshot, resolve
from alice_exp.review.rules.doubts import Answer, Rival, told_rivals, with_answers
from alice_exp.review.usecases import decisions
from alice_exp.review.usecases.decisions import Decided, Seen, shown_only

if TYPE_CHECKING:
    from alice_exp.review.rules.reply import Decision


def answered(
    home: Home, caller: Caller, reference: str, replacing: Sequence[str] = (), both: Sequence[str] = ()
) -> Decided:
    """Say of a trusted block that it takes the place of others, which wait while it is there, or that both hold."""
    require_person(caller, "approve", f"alice-exp approve {reference}")

    def plan(snapshot: Snapshot) -> tuple[ChangeSet, Decided]:
        placed = resolve(snapshot, reference)
        pairs = [[resolve(snapshot, name) for name in names] for names in (replacing, both)]
        if waiting := [one for each in pairs for one in each if one.place == "low_value"]:
            raise RefusedError("{id} is not trusted: nothing can take its place", id=waiting[0].block.id)
        block, others = with_answers(placed.block, *pairs)
        words = zip(("replaces", "beside"), pairs, strict=True)
        said = [f"{word} {one.block.id}" for word, ones in words for one in ones]
        puts = (Put(block, placed.path), *others)
        act = Act("keep", caller.actor, caller.now, tuple(put.block.id for put in puts), ", ".join(said))
        return ChangeSet(act, puts), Decided((replace(placed, block=block),))

    return committed(home.apply(plan, PLACES))


def neither(home: Home, caller: Caller, new: str, old: str, *, seen: Seen = MappingProxyType({})) -> Decided:
    """Say that neither of two rivals holds: in one act what waits, if it was shown, is rejected, the other retired."""
    require_person(caller, "reject", f"alice-exp reject {new} --neither {old}")

    def plan(snapshot: Snapshot) -> tuple[ChangeSet | None, Decided]:
        pair = [resolve(snapshot, one) for one in (new, old)]
        changed = [p for p in pair if p.place == "low_value" and not decisions.is_seen(p.block, seen)]
        if changed:
            return None, Decided((), tuple((p.block.id, "changed") for p in changed))
        gone = (retirement(p, "no longer true", caller.now) for p in pair if p.place != "low_value")
        waiting = (decisions.refused(p, caller.now) for p in pair if p.place == "low_value")
        ended = (*waiting, *(Put(done.block, path) for done, path in gone))
        # To say which one no longer holds answers for the others that were asked about with it.
        group = asked_with(snapshot, *(p.block.id for p in pair))
        puts = (*ended, *(Put(rested(p.block, caller.now), p.path) for p in group))
        act = Act(
            "reject", caller.actor, caller.now, tuple(put.block.id for put in puts), decisions.where_to(ended)
        )
        return ChangeSet(act, puts), Decided(tuple(Placed(put.block, put.path) for put in ended))

    return committed(home.apply(plan, PLACES))


def settle(home: Home, caller: Caller, rival: Rival, answer: Answer, how: dict[str, Any]) -> Decided:
    """Carry out which of two rivals holds, in one act. What an approval is to do (``how``, arguments of ``approve``)
    takes the answer in, for the next rival of the same candidate."""
    if answer == "neither":
        return neither(home, caller, rival.new.block.id, rival.old.block.id, seen=how["seen"])
    winner, loser = (rival.old, rival.new) if answer == "old" else (rival.new, rival.old)
    side = "both" if answer == "both" else "replacing"
    if winner.place != "low_value":
        if loser.place == "low_value":
            return decisions.reject(home, caller, [loser.block.id], how.get("reason", ""), seen=how["seen"])
        return answered(home, caller, winner.block.id, **{side: [loser.block.id]})
    how[side] = [*how.get(side, ()), loser.block.id]
    return decisions.approve(home, caller, [winner.block.id], **how)


def answer_rivals(
    home: Home, caller: Caller, block_id: str, answer: Answer, *, seen: Seen = MappingProxyType({})
) -> Decided:
    """Say of a candidate and its first rival, else the one trusted block that a report shows beside it, which holds, in
    one act; ``RefusedError`` where there is none."""
    return settle(home, caller, _rival(home.read(PLACES), block_id), answer, {"seen": seen})


def _rival(snapshot: Snapshot, reference: str) -> Rival:
    placed = resolve(snapshot, reference)
    rival = told_rivals(snapshot, [placed], asks=True).get(placed.block.id)
    beside = [one.placed for one in Neighbourhood(snapshot).relations(placed)] if rival is None else []
    if len(beside) == 1 and beside[0].block.project in ("", placed.block.project):
        rival = Rival(placed, beside[0], "replaces")
    if rival is None:
        see = Hint("see 'alice-exp why {id}'", id=placed.block.id)
        raise RefusedError("{id} contradicts nothing that is trusted or waits", id=placed.block.id, hint=see)
    return rival


def agreed(home: Home, made: Sequence[Decision], ids: Sequence[str], text: str) -> tuple[Decision, ...]:
    """The decisions of a reply, before any is carried out: an answer about two rivals decides both, so no other turns
    it round (``UsageError``), and "the rest" leaves the second out. ``RefusedError`` where there is no rival."""
    # Imported here: the patterns of replies take a fifth of the time of an approval.
    from alice_exp.review.rules.reply import named
    from alice_exp.review.rules.reply_clauses import unclear

    implied: dict[str, str] = {}
    for decision in (one for one in made if one.also in ("new", "old", "both", "neither")):
        rival = _rival(home.read(PLACES), decision.ids[0])
        if decision.also != "both":
            implied[rival.old.block.id] = "approve" if decision.also == "old" else "reject"
    for one in made:
        other = next((name for name in one.ids if name in implied and not one.is_wide), "")
        if other and (one.also or one.verb != implied[other]):
            what = named([other], ids)
            raise unclear("I read: {reading}; two decisions name {what}", reading=text, what=what)
    return tuple(replace(one, ids=tuple(name for name in one.ids if name not in implied)) for one in made)


def merge(
    home: Home, caller: Caller, block_id: str, into: str, *, seen: Seen = MappingProxyType({})
) -> Decided:
    """Count a candidate, unless it changed since it was shown, as observations of a trusted block that says the same;
    its evidence moves along, the trusted block's own words stay."""
    require_person(caller, "merge", f"alice-exp approve {block_id} --merge {into}")

    def plan(snapshot: Snapshot) -> tuple[ChangeSet | None, Decided]:
        placed, kept = resolve(snapshot, block_id), resolve(snapshot, into)
        if placed.place != "low_value":
            raise decisions.not_open(placed.block.id, placed, "merge")
        if kept.place not in ("personal", "universal"):
            raise RefusedError("{id} is not trusted: nothing can be merged into it", id=kept.block.id)
        if not decisions.is_seen(placed.block, seen):
            return None, Decided((), ((placed.block.id, "changed"),))
        block = replace(
            kept.block,
            observations=kept.block.observations + placed.block.observations + 1,
            evidence=(*kept.block.evidence, *placed.block.evidence)[-EVIDENCE_KEPT:],
        )
        act = Act("merge", caller.actor, caller.now, (placed.block.id, block.id), f"into {block.id}")
        changes = ChangeSet(act, (Put(block, kept.path),), (placed.block.id,))
        return changes, Decided((Placed(block, kept.path),))

    return committed(home.apply(plan, PLACES))


def waiting(session: Session, ids: Sequence[str]) -> dict[str, Placed]:
    """Those of a report on which a reply may decide, by id."""
    shown, _ = shown_only(session.home, ids)
    snapshot = session.home.read(REVIEWED)
    return {one: placed for one in shown if (placed := snapshot.find(one)) is not None}


def wording(session: Session, text: str, ids: Sequence[str], waits: Mapping[str, Placed]) -> str:
    """The plain sentence for a reply on a report (``ids`` by number, ``waits`` as ``waiting`` gives them); empty where
    nobody reads one. A model is told no word of what is secret or private, nor a reply that holds such a thing."""
    # Imported here: the patterns of replies take a fifth of the time of an approval.
    from alice_exp.review.rules.reply import model_decisions, model_prompt, written
    from alice_exp.review.rules.rival_words import meant

    numbered = [one if one in waits else "" for one in ids]
    said = [one and _said(waits[one]) for one in numbered]
    known = session.home.read(REVIEWED)
    rivals = told_rivals(known, [*waits.values()], asks=True)
    trusted = {one: _said(rival.old) for one, rival in rivals.items() if rival.old.place != "low_value"}
    olds = {at: trusted[one] for at, one in enumerate(ids, 1) if one in trusted}
    if plain := meant(text, numbered, said, olds):
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
    both = told_rivals(known, [waits[one] for one in approved])
    if approved & {*secret, *(rival.old.block.id for rival in both.values())}:
        return ""
    is_decided = any(decision.verb != "later" for decision in made)
    return written(made, numbered, text) if is_decided else ""


def _said(placed: Placed) -> str:
    return f"{'the user: ' if placed.block.about == 'user' else ''}{documents.said(placed)}"
