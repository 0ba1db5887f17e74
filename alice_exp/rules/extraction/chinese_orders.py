"""What a Chinese speaker orders, corrects or asks to have remembered (B4.16, B4.18)."""

from __future__ import annotations

import re

from alice_exp.rules.extraction.chinese_forms import ASKS, DEICTIC, of_user
from alice_exp.rules.extraction.values import Inference

_CALL_ME = re.compile(
    r"^(?:(?:以后|今后|从现在开始|从今以后|往后|就|请|您|你|大家|朋友们?|同事们?|同学们?|家里人|家人|身边的?人|别人"
    r"|都|可以|直接|平时|一般|通常|习惯)*)(?:叫我|喊我|管我叫|称呼我为?)"
    r"(?P<v>(?!什么|谁|去|来|起|做|干|吃|不)[\w·. ]{1,12}?)(?:就行了?|就好了?|就可以了?|即可|好了|吧)*$"
)
_STANDING = re.compile(
    r"^(?:请|麻烦)?(?:你|您)?(?:以后|今后|从现在开始|从今天开始|从现在起|从今以后|往后"
    r"|每次(?![^，]*会)|永远(?![^，]*不了)|始终|一直(?!在|都在|没)|务必|总是|凡是|任何时候|一律|回复时|回答时)"
)
_STANDING_OWN = re.compile(r"^(?:以后|今后|每次|永远|始终|一直|总是|任何时候)(?P<rest>我(?!们).*)$")
_STANDING_PLEASE = re.compile(
    r"^(?:请|麻烦)?(?:你|您)?(?:始终|总是|一直|每次|永远|务必|尽量|都)?(?:用|使用"
    r"|以)[\u3400-\u9fffA-Za-z]{1,8}(?:来)?(?:回答|回复|交流|和我说话|跟我说话|输出|解释)"
    r"|^(?:请|麻烦)(?:你|您)?(?:分步骤?|分点|逐条|逐点|简短地?|简洁地?)(?:来)?(?:回答|回复)"
)
_BY_OCCASION = re.compile(
    r"^(?:请)?(?:回答|写代码|解释|输出|提交|回复|总结|写[^，]{1,6}|改[^，]{1,6}"
    r"|给我[^，]{1,6})[^，我这那]{0,6}?(?:的时候|时|之前|之后|前|后)[，,]?(?:请|要|先|都|多用|少用|不|别|用"
    r"|给|直接|尽量|必须|务必)"
    r"|^(?:请|你)?(?:在)?(?:动|改|删|提交|执行|运行|修改|发布|部署|推送|发送|合并|重构|写|做|给|回|遇到|碰到)[^，我]{0,10}"
    r"(?:之前|以前|之后|前|后|的时候|时)[，,]?(?:[^，我]{0,6})(?:请|一定|务必|都|必须|先|别|不要|记得|尽量)(?!能|是|会|有)[^，]{1,20}"
    r"|^(?:请)?(?:不确定|拿不准|没把握|有疑问|有歧义|不懂|不知道|信息不够|不清楚)(?:的?时候|时|的地方)?[，,]?(?:就|请|要|先|直接|务必)[^，]{2,20}"
    r"|^(?:请)?(?:跟|和|对|给)我(?:说话|聊天|讲话|交流|解释|回复|讲解)(?:的时候|时)?(?:请|要|都|尽量|直接|用|别|不用|不要)[^，]{1,20}$"
)
_OUTPUT = re.compile(
    r"^(?:请|麻烦|希望|你的?|给我的?)*(?P<t>所有|每个|每次|任何|凡是|全部)?(?:的)?"
    r"(?P<n>回复|回答|答案|答复|代码|注释|变量名?|函数名?|输出|结果|总结|摘要|报告|邮件|文档|日期|时间|金额|数据|数字|单位|格式"
    r"|标题|语气|消息|提交信息|提交说明|测试|解释|说明|内容|文章|图表|列表|表格|例子|术语|专有名词|步骤|命令|文件名|路径|建议|方案)"
    r"(?:里面?|中|时|的时候|上|后面|前面|末尾|开头)?(?P<a>(?:请|也|都|就|一定|最好|尽量|统一|全部|一律|务必|必须|始终|永远|应该?|需要|得|要)*)"
    r"(?P<v>(?:别|不要|不许|不用|不能|用|带|加|附|写|保持|控制|简[短单洁]|详细|精简|具体|直接|短|长|先|分|按|给|使用|以|尽可能|越|保留|写成|译成|精确到|大写|小写|标|不(?:要)?超过|不"
    r"(?:要)?少于|不(?:要)?多于).{0,30})$"
)
_CITED = re.compile(
    r"^(?!我)[^，我你您他她这那]{2,10}(?:的时候|时)?(?:都|必须|务必|一定)?要(?:注明|标明|写明|附上|带上|标注|给出|列出|写清楚|讲清楚|遵循)[^，这那]{0,12}$"
)
_REPLIES = re.compile(
    r"回复|回答|答案|答复|语气|解释|说明|术语|专有名词|变量名|函数名|日期|金额|单位|提交信息|注释"
)
_FORBID = re.compile(
    r"^(?:请|麻烦|千万|绝对|你|您|也|都|拜托)*(?:不要再?|不许|禁止|请勿|勿|别再?(?!人|的|处))(?P<v>[^，]{2,40})"
)
_CHAT = re.compile(
    r"^(?:担心|着急|急|紧|客气|生气|这样|闹|怕|哭|难过|忘|走|介意|说了|想太多|误会|理|管|开玩笑|骗|动(?!不动))"
)
EXPLICIT = re.compile(
    r"^(?:请你?|帮我|麻烦你?|你要?|一定要?|务必|好好|对了|都|给我)*(?:记住|记一下|记下来?"
    r"|牢记|别忘了?|不要忘了?|记得(?!吗|不|我|你|上|那|以前))(?:一下|了|：|:|，|,|、|\s)*"
    r"(?P<v>.{2,})$"
)
_MEANT = re.compile(
    r"^(?:不对?|不是|错了|你?(?:理解|搞|弄)错了|你误会了)?[，,、\s]*(?:我的意思是"
    r"|我想说的是|我说的是|我指的是|我是说|我要的是)[：:，,]?(?P<v>[^，]{2,40})(?:[，,]\s*(?:而)?不是[^，]{1,20})?$"
)
_NOT_BUT = re.compile(
    r"^(?:不对?[，,]\s*)?(?:我?(?:说的|指的|要的|用的)?)?不是(?P<o>[^，]{1,20}?)[，,]\s*(?:而)?是(?P<v>[^，]{1,20})"
)


def whole_sentence(text: str, asks: bool) -> list[Inference]:
    """Standing instructions and corrections, which take the sentence as a whole."""
    if asks or ASKS.search(text):
        return []
    named = _CALL_ME.match(text)
    if named:
        return [Inference(f"用户希望被称为{named['v']}", 0.9, "identity", "name", "", named["v"])]
    meant = _MEANT.match(text)
    if meant and not DEICTIC.search(meant["v"]):
        return [Inference(f"用户更正：意思是{meant['v']}", 0.6, "fact", "correction", "", meant["v"])]
    swapped = _NOT_BUT.match(text)
    if swapped and not DEICTIC.search(swapped["v"]):
        content = f"用户更正：是{swapped['v']}，不是{swapped['o']}"
        return [Inference(content, 0.6, "fact", "correction", "", swapped["v"])]
    return _instruction(text)


def _instruction(text: str) -> list[Inference]:
    forbids = _FORBID.match(text)
    if forbids and (
        DEICTIC.search(_OF_ADDRESS.sub("", forbids["v"]))
        or _CHAT.match(forbids["v"])
        or forbids["v"].endswith("了")
    ):
        forbids = None
        if not _STANDING.match(text) and not re.match(r"^(?:请|千万)*别再", text):
            return []
    forbids = forbids or re.match(r"^(?:请|千万)*别再给我(?P<v>.{2,30})", text)
    if _STANDING_OWN.match(text):
        return []
    standing = _STANDING.match(text)
    # A time with nothing behind it, or one that belongs to the speaker's own habit, orders nothing.
    if standing and (len(text) - standing.end() < 3 or re.search(r"我(?:都|会|也|就|总(?!结))", text)):
        standing = None
    standing = standing or _about_output(text) or _CITED.match(text)
    uniform = re.match(
        r"^(?!我|用户)[^，]{2,20}(?:请|都要|都)?(?:一律|统一|务必|必须|始终|永远)(?:用(?!不)|使用|要"
        r"|写|加|放|不|按|保持|采用)",
        text,
    )
    if uniform and not DEICTIC.search(text):
        standing = standing or uniform
    please = _STANDING_PLEASE.match(text) or _BY_OCCASION.match(text)
    if not (standing or forbids or please) or (text.startswith("我") and not forbids):
        return []
    order = of_user(re.sub(r"^(?:请|麻烦)|(?<=以后)请|(?<=开始)请", "", text)).strip("，, ")
    importance = 0.8 if standing else 0.7
    return [Inference(f"用户要求：{order}", importance, "rule", "instruction", "", order)]


_OF_ADDRESS = re.compile(r"^(?:再)?(?:称呼|叫)(?:我|用户)(?:为|做)?[您你]?")


def _about_output(text: str) -> re.Match[str] | None:
    """What holds for every answer, not for this one: 回复里别用 emoji, 所有数据都要带上单位."""
    found = _OUTPUT.match(text)
    if not found or DEICTIC.search(text):
        return None
    lasting = found["t"] or re.search(r"都|统一|一律|全部|始终|永远|尽量|最好", found["a"])
    forbidding = found["v"].startswith(("别", "不要", "不许"))
    manner = _REPLIES.match(found["n"]) and len(found["v"]) > 1 and not found["v"].startswith(("在", "不能"))
    return found if lasting or forbidding or manner else None
