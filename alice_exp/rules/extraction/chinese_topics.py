"""What a Chinese sentence says of its speaker though another word stands in front: 徒步是我最大的爱好, 香菜我不吃."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from alice_exp.rules.extraction.chinese_forms import ASKS, DEICTIC, of_user
from alice_exp.rules.extraction.places import is_place
from alice_exp.rules.extraction.values import Inference

if TYPE_CHECKING:
    from collections.abc import Iterator

    from alice_exp.core.model import BlockType
    from alice_exp.rules.extraction.values import Concept

_KINDS: tuple[tuple[str, BlockType, Concept], ...] = (
    (r"讨厌|雷区|受不了|反感|害怕|最怕|噩梦|不喜欢", "preference", "dislikes"),
    (r"梦想|目标|理想|愿望|心愿|计划", "goal", "goal"),
    (r"习惯|日常|必修课|惯例", "habit", "habit"),
    (r"职业|工作|本职|主业|副业", "identity", "occupation"),
    (r"家乡|老家|故乡", "identity", "place"),
    (r"母语|专业|强项|弱项|短板|软肋", "fact", "person"),
    (r"", "preference", "likes"),
)
_MINE_IS = re.compile(
    r"^(?P<v>[^，我]{1,16}?)(?:一直|才|就|也|永远|绝对|可以说|应该|算)*是我(?:们?)?(?P<k>(?:的|最|唯一|主要|目前|现在|每天|平时|从小|人生|这辈子)*"
    r"[^，]{0,6}?(?:爱好|兴趣|最爱|心头好|强项|弱项|短板|软肋|梦想|目标|理想|愿望|心愿|职业|工作|本职|主业|副业|专业|母语|家乡|老家|故乡"
    r"|本命|偶像|习惯|底线|雷区|首选|日常|必备|标配|快乐源泉|解压方式|放松方式|噩梦|最(?:喜欢|讨厌|爱|受不了|反感|怕|欣赏)的?[^，]{0,8}))$"
)
_TOPIC = re.compile(
    r"^(?P<t>[^，我]{1,8}?)(?:的话|方面|这块|这方面|上|嘛|呢|[，,])?(?:我(?:个人|自己)?)"
    r"(?P<p>(?:一般|平时|通常|都|还是|也|一直|真的|现在|基本|从来|实在|确实|真的|完全|根本|压根|一点儿?(?:都|也))*"
    r"(?:只|最|更(?![换新改正])|偏|从不|总是|习惯|喜欢|超?爱|讨厌|受不了|不(?:太|怎么|大|能|再)?(?:[吃喝碰]|喜欢|爱|习惯|感兴趣)"
    r"|[吃喝用看碰闻]不[惯了得]|过敏|吃(?!过|了)|喝(?!过|了)|用(?!过|了)|选|戒).*?)$"
)
_NO_TOPIC = re.compile(
    r"^(?:今天|昨天|明天|刚才|上次|这次|有时|虽然|但是?|不过|因为|所以|如果|而且|然后|其实|难道|除了|听说|感觉|觉得|当然|可能|也许|反正|于是|结果|比起"
    r"|如同|像|让|给|把|被|对|跟|和|请|帮|叫|说|问|想|要|能|会|可|怎|为)"
)
_BARE = re.compile(r"(?:[吃喝用看]|喜欢|爱|碰|习惯|讨厌|受不了|不惯|戒了?|不了)$")
_HABITUAL = re.compile(r"一般|平时|通常|都|总是|习惯|基本")
_ELSEWHERE = re.compile(
    r"(?:离职|辞职|跳槽|换了?工作|换了?公司|离开[^，]{0,8}|不在[^，]{1,12}(?:干|做|上班|工作|住)?)了?[，,]\s*(?:我|已经|现在|目前|人|如今)*"
    r"(?:上周|上个?月|刚刚?|最近|去年|今年)?(?:在|去了?|到了?|加入了?|入职了?|跳到了?|住在?)(?P<v>[^，在]{2,12}?)(?P<do>上班|工作|任职|做[^，]{1,8})?(?:了)?$"
)
_ELLIPSIS = re.compile(r"^(?P<c>比起[^，我]{1,15}?)(?=我)")


def topical(clause: str) -> Iterator[Inference]:
    """The inference of a clause that begins with something else than its speaker; none where it is not about them."""
    if ASKS.search(clause) or re.search(r"以前|曾经|过去|从前|小时候|当年|本来|那时|当时", clause):
        return
    mine = _MINE_IS.match(clause)
    if mine and not DEICTIC.search(mine["v"]) and not mine["v"].endswith(("不", "并不", "没")):
        type_, concept = next(row[1:] for row in _KINDS if re.search(row[0], mine["k"]))
        yield Inference(f"{mine['v']}是用户{mine['k']}", 0.7, type_, concept, "", mine["v"])
        return
    topic = _TOPIC.match(clause)
    if (
        topic
        and not DEICTIC.search(clause)
        and not _NO_TOPIC.match(clause)
        and not re.search(r"(?<!不)了$", clause)
    ):
        what, said = topic["t"], of_user(topic["p"])
        if said == "过敏":
            yield Inference(f"用户对{what}过敏", 0.9, "fact", "health", "", what)
            return
        content = f"用户{said}{what}" if _BARE.search(said) else f"用户{what}{said}"
        against = re.search(r"不|讨厌", said)
        habit = _HABITUAL.search(said) and not re.search(r"喜欢|爱|最|更", said)
        kind: BlockType = "habit" if habit and not against else "preference"
        yield Inference(content, 0.7, kind, "dislikes" if against else "likes", "", what)


def elsewhere(text: str) -> Iterator[Inference]:
    """Where the speaker is now, of a sentence that first says what they left: 从百度离职了，现在在阿里."""
    found = _ELSEWHERE.search(text)
    if not found or not re.match(r"^(?:我|本人)", text) or DEICTIC.search(found["v"]):
        return
    where = found["v"]
    if is_place(where) and not found["do"]:
        yield Inference(f"用户现在住在{where}", 0.7, "identity", "place", "city", where)
    else:
        yield Inference(f"用户在{where}{found['do'] or '工作'}", 0.7, "fact", "occupation", "", where)


def with_comma(text: str) -> str:
    """A comparison set apart: 比起打电话我更愿意发消息 → 比起打电话，我更愿意发消息."""
    return _ELLIPSIS.sub(r"\g<c>，", text)
