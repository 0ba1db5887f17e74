"""Chinese statements about the speaker in which the topic comes first: 徒步是我最大的爱好, 香菜我不吃."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from alice_exp.conversations.rules.extraction.chinese_patterns import (
    SENTENCES,
    SENTENCES_FILE,
    of_user,
)
from alice_exp.conversations.rules.extraction.inferences import Inference
from alice_exp.conversations.rules.extraction.places import is_place
from alice_exp.conversations.rules.extraction.statements import kind_of, kinds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from alice_exp.model.values.block import BlockType


def topical(clause: str) -> Iterator[Inference]:
    """The inference of a clause that does not begin with its speaker; nothing if it is not about them."""
    if SENTENCES.asks.search(clause) or SENTENCES.once.search(clause):
        return
    mine = SENTENCES.mine_is.match(clause)
    if mine and not SENTENCES.deictic.search(mine["v"]) and not mine["v"].endswith(("不", "并不", "没")):
        kind = kind_of(mine["k"], kinds(SENTENCES_FILE))
        yield Inference(f"{mine['v']}是用户{mine['k']}", 0.7, kind.type, kind.concept, "", mine["v"])
        return
    topic = SENTENCES.topic.match(clause)
    if (
        topic
        and not SENTENCES.deictic.search(clause)
        and not SENTENCES.no_topic.match(clause)
        and not SENTENCES.done.search(clause)
    ):
        what, said = topic["t"], of_user(topic["p"])
        if said == "过敏":
            yield Inference(f"用户对{what}过敏", 0.9, "fact", "health", "", what)
            return
        content = f"用户{said}{what}" if SENTENCES.bare.search(said) else f"用户{what}{said}"
        against = SENTENCES.against.search(said)
        habit = SENTENCES.habitual.search(said) and not SENTENCES.liking.search(said)
        type_: BlockType = "habit" if habit and not against else "preference"
        yield Inference(content, 0.7, type_, "dislikes" if against else "likes", "", what)


def elsewhere(text: str) -> Iterator[Inference]:
    """Where the speaker is now, in a sentence that first says what they left: 从百度离职了，现在在阿里."""
    found = SENTENCES.elsewhere.search(text)
    if not found or not re.match(r"^(?:我|本人)", text) or SENTENCES.deictic.search(found["v"]):
        return
    where = found["v"]
    if is_place(where) and not found["do"]:
        yield Inference(f"用户现在住在{where}", 0.7, "identity", "place", "city", where)
    else:
        yield Inference(f"用户在{where}{found['do'] or '工作'}", 0.7, "fact", "occupation", "", where)


def with_comma(text: str) -> str:
    """The text with a comma after a comparison: 比起打电话我更愿意发消息 → 比起打电话，我更愿意发消息."""
    return SENTENCES.ellipsis.sub(r"\g<c>，", text)
