"""English statements about the speaker that begin with another subject: "Hiking is my favorite sport"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from alice_exp.conversations.rules.extraction.english_patterns import SENTENCES, SENTENCES_FILE
from alice_exp.conversations.rules.extraction.inferences import Inference
from alice_exp.conversations.rules.extraction.statements import kind_of, kinds
from alice_exp.conversations.rules.extraction.third_person import of_user, third_person

if TYPE_CHECKING:
    from alice_exp.conversations.rules.extraction.inferences import Concept
    from alice_exp.model.values.block import BlockType

_I = re.IGNORECASE


def topical(clause: str) -> list[Inference]:
    """The inference of a clause that does not begin with its speaker; empty if it is not about them."""
    one = _topical(clause)
    return [one] if one else []


def _topical(clause: str) -> Inference | None:
    address = SENTENCES.address.match(clause)
    if address:
        return Inference(
            f"The user wants to be called {address['v']}", 0.9, "identity", "name", "", address["v"]
        )
    this = SENTENCES.this_is.match(clause)
    if this:
        return Inference(f"The user's name is {this['v']}", 0.9, "identity", "name", "name", this["v"])
    mine = SENTENCES.mine_is.match(clause)
    if mine and not SENTENCES.deictic.search(mine["v"]):
        row = kind_of(mine["k"], kinds(SENTENCES_FILE))
        return Inference(_of_the_user(clause), 0.7, row.type, row.concept, "", mine["v"])
    done = SENTENCES.does_to_me.match(clause)
    if done and not SENTENCES.deictic.search(done["v"]):
        felt: Concept = "dislikes" if done["bad"] else "likes"
        said = re.sub(r"\bme\b", "the user", clause, flags=_I)
        return Inference(_of_the_user(said), 0.7, "preference", felt, "", done["v"])
    liked = SENTENCES.nothing_beats.match(clause) or SENTENCES.over.match(clause)
    if liked and not SENTENCES.deictic.search(liked["v"]):
        return Inference(
            f"The user likes best: {of_user(liked['v'])}", 0.7, "preference", "likes", "", liked["v"]
        )
    return _own(clause)


def _own(clause: str) -> Inference | None:
    home = SENTENCES.home.match(clause)
    if home:
        content = f"The user's {home['k'].lower()} is {home['p'].lower()} {home['v']}"
        return Inference(content, 0.7, "identity", "place", "", home["v"])
    chosen = SENTENCES.of_choice.match(clause)
    if chosen and not SENTENCES.deictic.search(chosen["v"]):
        kind = chosen["k"].lower()
        dream = SENTENCES.plan.search(kind)
        liked = SENTENCES.taste.search(kind)
        type_: BlockType = "goal" if dream else "preference" if liked else "fact"
        concept: Concept = "goal" if dream else "likes" if liked else "person"
        content = f"The user's {kind} {chosen['be'].lower()} {of_user(chosen['v'])}"
        return Inference(content, 0.7, type_, concept, "", chosen["v"])
    ours = SENTENCES.ours.match(clause)
    if ours and not SENTENCES.deictic.search(ours["v"]):
        told = re.sub(r"^our\b", "The user's", clause, flags=_I)
        if told == clause:
            told = f"The user's team {third_person(SENTENCES.we.sub('', clause))}"
        return Inference(of_user(told), 0.7, "fact", "tools", "", ours["v"])
    return None


def _of_the_user(text: str) -> str:
    """The text with the first "my" as "the user's", for a clause that does not name the user before it."""
    return of_user(re.sub(r"\bmy\b", "the user's", text, count=1, flags=_I))
