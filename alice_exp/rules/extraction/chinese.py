"""What a Chinese sentence says about its speaker (R4.19, R4.24)."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from alice_exp.rules.extraction.chinese_forms import ASKS, DEICTIC, TOOL, of_user, spaced
from alice_exp.rules.extraction.chinese_life import LIFE
from alice_exp.rules.extraction.chinese_orders import EXPLICIT, whole_sentence
from alice_exp.rules.extraction.chinese_tastes import TASTES
from alice_exp.rules.extraction.chinese_topics import elsewhere, topical, with_comma
from alice_exp.rules.extraction.chinese_ways import WAYS
from alice_exp.rules.extraction.places import is_job, is_place
from alice_exp.rules.extraction.values import Inference

if TYPE_CHECKING:
    from collections.abc import Iterator

    from alice_exp.rules.extraction.values import Concept, Pattern, Slot

# ---------------------------------------------------------------------------------------- what says nothing

_UNREAL = re.compile(
    r"如果|假如|假设|要是|倘若|若是|假装|想象一下|扮演|要不是|的话$|就好了$|模拟|比如说?我|例如"
    r"|翻译|造句|写一?[首个篇段封]|故事|小说里|主角|台词|作文|歌词|怎么说$|的口吻|的身份|用.{0,12}开头"
)
_REPORTED = re.compile(
    r"(?:他|她|它|他们|她们|朋友|同事|老板|妈妈?|爸爸?|有人|别人|大家|人家)(?:们)?(?:总是?"
    r"|常|都|跟我|对我)?(?:说|告诉|问|觉得|以为)"
)
_TAG_QUESTION = re.compile(
    r"^(?:对[吗吧]|是[吗吧]|对不对|是不是|没错吧|你?[还]?记得吗?|你知道吗?|好[吗吧]|可以吗|行吗)$"
)
_PAST = re.compile(r"以前|曾经?|过去|从前|小时候|当年|原来|本来|那时|当时|差点")
_TRIFLE = re.compile(
    r"^(?:今天|现在|刚才?|最近|昨天)?(?:有点|好|很|太|真|非常|特别|都快)?(?:累|困|饿|渴|冷"
    r"|热|忙|烦|开心|高兴|难过|无聊|生病|感冒|头疼)(?:死|坏)?$"
)

_OTHER = re.compile(
    r"^我(?:们)?的?(?:一个|一位|有个|那个)?(?:好|大|小|老)?(?:朋友|同事|老板|领导|妈|爸|父"
    r"|母|哥|姐|弟|妹|老公|老婆|丈夫|妻子|爱人|"
    r"女友|男友|女朋友|男朋友|儿子|女儿|孩子|同学|室友|邻居|老师|爷爷|奶奶|外公|外婆|姥"
    r"|客户|家人|猫|狗|表|堂|舅|姑|姨|叔)"
    r"|^(?:他|她|它|他们|她们|小\w{1,2}|老\w|\w{1,4}先生|\w{1,4}女士|别人|有人|很多人|大家都)(?!我)"
)
_LEAD = re.compile(
    r"^(?:对了|顺便说一?下?|顺便提一下|顺便|另外|还有|其实|嗯+|那个|哦|噢|啊|谢谢你?|感谢"
    r"|你好|您好|大家好|嗨|好的|好|是的|没错|说实话|"
    r"老实说|总之|所以|因为|因此|而且|但是?|不过|然后|并且|同时|首先|其次|补充一下"
    r"|更正一下|纠正一下|抱歉|对不起|不好意思)+(?=我|叫|请|[：:\s]|$)[：:\s]*"
)
_TIME = re.compile(
    r"^(?P<t>每(?:天|日|周|月|年|晚|个?(?:星期|周末|月|早上|晚上))\w{0,6}?"
    r"|周[一二三四五六日末]|工作日|平时|平常|周末|早上|晚上|睡前|饭后|通常|一般|"
    r"从去年开始|今年|明年|后年|下个?月|下半年|上个?月|上周|去年|前年|昨天|最近|现在|目前|如今|"
    r"(?:前端|后端|工作上|工作中|生活中|数据库|编辑器|手机|电脑|开发|写代码|编程)(?:时"
    r"|的时候|上|方面)?)(?P<rest>我(?!们)\w.*)$"
)
_CARRIED = re.compile(
    r"^(?:现在|目前|平时|也|都|还|就|今年|主要|一直|特别|非常|很|最|不|经常|每|来自|家在"
    r"|家住|老家|已经|刚|从|在|是|叫|住|做|当|喜欢|爱|改|换|入职|加入|转行|只|更|比较|超|读|学|"
    r"讨厌|用|改用|换成|养|有|会|负责|想|打算|计划|准备|正在?|搬|毕业|从事|习惯|通常|一般|对|今年)"
)
_COMMA = re.compile(r"[，,：:]\s*(?=[\u3400-\u9fffA-Za-z])")
_SPACE = re.compile(
    r"(?<=[\u3000-\u9fff])[ \t]+(?=[A-Za-z0-9\ue000])|(?<=[A-Za-z0-9\ue000])[ \t]+(?=[\u3000-\u9fff])"
)
_TAIL = re.compile(r"(?:了啦|啦|啊|呀|哦|哈|嘛|哟|的哦|的啦|来着|～|~|\s)+$")

_COMPARED = re.compile(r"^(?:比起|相比于?|与其|跟?和?[^，]{1,10}相比)")


_NOT = re.compile(r"^(?:而)?不(?:是|叫)(?P<o>[^，]{1,20})$")


def read(text: str, asks: bool) -> list[Inference]:
    """The inferences of one sentence (quotations masked, no final mark); empty where it says nothing.

    Quote and index are left to the caller.
    """
    text = _SPACE.sub("", text.strip())
    if _UNREAL.search(text) or len(text) < 2:
        return []
    explicit = EXPLICIT.match(text)
    if explicit and not asks and not ASKS.search(explicit["v"]):
        return _remembered(explicit["v"].strip())
    if _REPORTED.search(text):
        return []
    found = whole_sentence(_LEAD.sub("", text), asks) or list(_clauses(text, asks))
    return [replace(one, content=spaced(one.content), replaces=spaced(one.replaces)) for one in found]


def _remembered(said: str) -> list[Inference]:
    """What the user asked to have remembered: what it says of the user, else the words themselves (B4.18)."""
    known = read(said, False)
    if known:
        return [replace(one, explicit=True, importance=max(one.importance, 0.8)) for one in known]
    content = f"用户要求记住：{of_user(said)}"
    return [Inference(spaced(content), 0.8, "fact", "instruction", value=said, explicit=True)]


def _clauses(text: str, asks: bool) -> Iterator[Inference]:
    moved = list(elsewhere(_LEAD.sub("", text)))
    if moved:
        yield from moved
        return
    parts = [part.strip() for part in _COMMA.split(with_comma(text))]
    if asks and _TAG_QUESTION.match(parts[-1]):
        return
    mine, left, gone = False, "", ""
    for place, part in enumerate(parts):
        if asks and place == len(parts) - 1:
            return
        clause = _LEAD.sub("", part)
        mine = _is_mine(clause, mine)
        if _COMPARED.match(clause):
            left = of_user(clause) + "，"
            mine = True
            continue
        if not mine:
            yield from topical(_TAIL.sub("", clause))
            continue
        for found in _clause(clause):
            if found.importance == 0.0:
                gone = found.value
                continue
            content = found.content
            if gone and found.concept == "tools":
                content = f"{content}，不再使用{gone}"
            swapped = _NOT.match(parts[place + 1]) if place + 1 < len(parts) else None
            old = found.content.replace(found.value, swapped["o"].strip()) if swapped and found.slot else ""
            yield replace(found, content=left + content, replaces=old)
        left = ""


def _is_mine(clause: str, before: bool) -> bool:
    """Whether the clause speaks of the speaker: by its own subject, or by the one before it."""
    if _OTHER.match(clause) and not clause.startswith(("我表示", "我老家", "小时")):
        return False
    if re.match(r"^(?:我(?!们)|本人|俺|咱(?!们)|家里(?:还|也|现在)*[养有])", clause) or _TIME.match(clause):
        return True
    if re.match(r"^我们|^咱们", clause):
        return True
    return before and bool(_CARRIED.match(clause))


def _clause(clause: str) -> Iterator[Inference]:
    """What one clause about the speaker says."""
    clause = _TAIL.sub("", clause)
    if ASKS.search(clause) or _PAST.search(clause):
        return
    timed = _TIME.match(clause)
    time = timed["t"] if timed else ""
    if timed:
        clause = timed["rest"]
    ours = re.match(
        r"^(?:我们|咱们|我)(?P<who>(?<=们)的?[\u3400-\u9fff]{0,6}?|的?(?:公司|团队|组|部门|项目|学校|单位|服务|后端|前端|网站|博客|服务器))"
        r"(?:现在|目前|都|一直|主要|统一|全|里|内部|是|也)*(?:用(?:的)?(?:都)?(?:是)?|(?:部署|跑|托管|放|存)在|基于)"
        + TOOL
        + r"(?:办公|沟通|写的?|开发的?|管理[^，]{0,4}|部署的?|协作|搭的?|实现的?|做[^，]{1,6}|上|里)?$",
        clause,
    )
    if ours:
        who = ours["who"].removeprefix("的") or "团队"
        yield Inference(f"用户的{who}使用{ours['v']}", 0.7, "fact", "tools", "", ours["v"].strip())
        return
    if re.match(r"^(?:我们|咱们)", clause):
        return
    predicate = re.sub(r"^(?:我|本人|俺|咱)(?:自己|个人|这个人)?\s*", "", clause)
    if _TRIFLE.match(predicate):
        yield Inference(f"用户{predicate}", 0.3, "fact", "other", "", predicate)
        return
    found = list(_predicate(predicate, time))
    bare = _LATELY.sub("", predicate)
    yield from found or (_predicate(bare, time) if bare != predicate else ())


_LATELY = re.compile(
    r"^(?:现在|目前|最近|已经|早就|刚刚?|一直|其实|真的|确实|上个?月|去年|前年|今年|平时|平常|主要|大概|应该算?|算是"
    r"|这[几两]年|近[几两]年|从小就?|也|还|就|都|又)+(?=[^了着过的])"
)

_WORK = re.compile(
    r"^(?:现在|目前|一直)?在(?P<p>(?!这|那|哪|你|学|做|用|写)[^，]{2,15}?)(?P<do>工作|上班"
    r"|任职|就职|实习|做|当|从事|担任|搞|教书|开店)(?P<j>[^，]{0,15}?)(?:的)?(?:了)?$"
)
_JOB = re.compile(
    r"^(?:现在|目前|就|也|还|一直)*(?:是(?:一?[名个位])?|的(?:职业|工作|岗位|职位|身份)"
    r"(?:现在)?是|(?:是)?(?:做|当|搞|干|担任|从事))(?:一?[名个位])?(?:新来的|新入职的)?"
    r"(?P<v>[^，]{2,16}?)(?P<de>的|工作|这一行|行业)?(?:了)?$"
)
_DURATION = re.compile(
    r"(?:已经|有|大概|快)*(?:[\d一二三四五六七八九十几两好多]+个?[年月](?:多)?)(?:了|以上)*$"
)
_I_AM = re.compile(
    r"^是(?P<v>(?:欧阳|司马|上官|诸葛"
    r"|[王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤])"
    r"(?![是的了在])[\u3400-\u9fff]{1,2})$"
)
_BORN = re.compile(r"^是(?:地道的|土生土长的)?(?P<v>[^，]{2,6})人$")


def _predicate(predicate: str, time: str) -> Iterator[Inference]:
    predicate = _DURATION.sub("", predicate)
    work = _WORK.match(predicate)
    if work:
        made = list(_work(work["p"], work["do"], work["j"]))
        if made:
            yield from made
            return
    born = _BORN.match(predicate)
    if born and is_place(born["v"]):
        yield Inference(f"用户是{born['v']}人", 0.7, "identity", "place", "", born["v"])
        return
    named = _I_AM.match(predicate)
    if named and not is_job(named["v"]):
        yield Inference(f"用户名字是{named['v']}", 0.9, "identity", "name", "name", named["v"])
        return
    job = _JOB.match(predicate)
    if (
        job
        and (is_job(job["v"]) or (predicate.startswith("从事") and job["de"]))
        and not re.search(r"这|那|你|他|她", job["v"])
    ):
        verb = "从事" if job["de"] and not re.search(r"[师员家生者]$", job["v"]) else "是"
        yield Inference(f"用户{verb}{job['v']}", 0.7, "identity", "occupation", "job", job["v"])
        return
    for pattern in (*LIFE, *TASTES, *WAYS):
        found = pattern.says.match(predicate)
        if found:
            one = _filled(pattern, found, time)
            if one:
                yield one
            return
    if time.startswith(("每", "周", "早", "晚", "睡前", "饭后", "通常", "一般", "平")) and len(predicate) > 2:
        if not DEICTIC.search(predicate):
            yield Inference(f"用户{time}{of_user(predicate)}", 0.7, "habit", "habit", "", predicate)
        return
    if re.match(r"^[^，]{1,8}总(?:是|要|会)", predicate) and not DEICTIC.search(predicate):
        yield Inference(f"用户{of_user(predicate)}", 0.7, "habit", "habit", "", predicate)


def _work(place: str, verb: str, job: str) -> Iterator[Inference]:
    """ "在北京做程序员" is a place and an occupation, "在医院当护士" an occupation there (R4.19)."""
    if DEICTIC.search(place + job):
        return
    if verb in ("工作", "上班", "任职", "就职", "实习"):
        done = "实习" if verb == "实习" else "工作"
        slot: Slot = "city" if is_place(place) else ""
        yield Inference(f"用户在{place}{done}", 0.7, "fact", "place" if slot else "occupation", slot, place)
        return
    if not (job and is_job(job)) and verb not in ("教书", "开店"):
        return
    if is_place(place):
        yield Inference(f"用户在{place}工作", 0.7, "fact", "place", "city", place)
        said = f"用户是{job}" if re.search(r"[师员家生者]$", job) else f"用户做{job}"
        yield Inference(said, 0.7, "identity", "occupation", "job", job)
    else:
        yield Inference(f"用户在{place}{verb}{job}", 0.7, "identity", "occupation", "job", job or verb)


def _filled(pattern: Pattern, found: re.Match[str], time: str) -> Inference | None:
    groups = {name: of_user((value or "").strip()) for name, value in found.groupdict().items()}
    groups["adv"] = re.sub(r"[也还就]|其实|真的(?=很|非常|特别)", "", groups.get("adv", ""))
    value = groups.get("v") or groups.get("h") or groups.get("o") or ""
    if _refused(pattern, groups, value):
        return None
    if pattern.concept == "tools":
        value = value.strip()
    groups["v"] = _food(groups.get("v", ""), pattern.concept)
    content = pattern.content.format(**{"adv": "", **groups})
    if (time and pattern.type == "habit") or time in ("明年", "今年", "后年", "下个月", "下月", "下半年"):
        content = content.replace("用户", "用户" + time, 1)
    return Inference(
        content, _importance(pattern, groups), pattern.type, pattern.concept, pattern.slot, value
    )


def _refused(pattern: Pattern, groups: dict[str, str], value: str) -> bool:
    """Whether what was said is about this very moment, or about someone else."""
    if pattern.concept in ("likes", "dislikes", "habit", "goal", "project", "tools") and DEICTIC.search(
        value
    ):
        return True
    if pattern.content.startswith("用户毕业于") and "毕业" not in "".join(groups.values()) + value:
        return not re.search(r"大学|学院|中学|学校", value)
    if pattern.concept == "place" and re.search(r"[的了着]$|这|那|你|他|她|里$", value):
        return True
    return pattern.concept == "tools" and value.startswith("了")


def _importance(pattern: Pattern, groups: dict[str, str]) -> float:
    """The pattern's own, a little more for what is strong, less for what was said in passing (R4.17)."""
    strength = groups.get("adv", "")
    if pattern.concept == "likes" and re.search(r"最|特别|非常|超|热爱", strength + groups.get("k", "")):
        return 0.8
    if re.search(r"有点|还算|挺", strength):
        return 0.5
    return pattern.importance


def _food(value: str, concept: Concept) -> str:
    """ "吃辣" is said of food: the sentence stands alone with it (R4.24)."""
    if concept == "likes" and re.fullmatch(r"吃(?:麻)?[辣甜酸咸苦淡](?:的)?|吃清淡(?:的)?", value):
        return value.removesuffix("的") + "的食物"
    return value
