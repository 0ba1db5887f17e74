"""The form of a row of the Chinese tables, and the parts that rows share (R4.17, R4.19).

A row is tried on what follows 我, without final particles. Group ``v`` is the value that was said, ``adv`` says how
strongly, ``h`` is a whole habit.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from alice_exp.rules.extraction.values import Pattern

if TYPE_CHECKING:
    from alice_exp.core.model import BlockType
    from alice_exp.rules.extraction.values import Concept, Slot


ADV = (
    r"(?P<adv>(?:现在|目前|平时|一般|主要|一直|经常|通常|基本|也|都|还|真的|其实|就|比较"
    r"|很|特别|非常|最|超级?|挺|太|好|更|有点|还算|真心|从小|尤其|最近|日常|常年?|大多"
    r"|大部分时间)*)"
)
END = r"(?:了)?$"
TOOL = (
    r"(?P<v>(?=[^，]*[A-Za-z]|飞书|钉钉|微信|企业微信|腾讯|支付宝|语雀|印象笔记|石墨|搜狗"
    r"|[^，]*(?:输入法|编辑器|浏览器|数据库|语言|系统|键盘|笔记|手机|电脑|平板|相机|耳机|软件)(?:了)?$)[^，]{1,30}?)"
)


def pattern(
    says: str, content: str, type_: BlockType, concept: Concept, importance: float, slot: Slot = ""
) -> Pattern:
    """A row of the table."""
    return Pattern(re.compile("^" + says + END), content, type_, concept, importance, slot)


WHO = r"(?P<v>(?![了你您他她它大这那不什谁一]|别)[\u3400-\u9fff·]{1,6}|[A-Za-z][\w .'-]{0,30})"

ASKS = re.compile(
    r"什么|怎么|怎样|为何|哪[里儿个些]?|谁|多少|几[个点岁]|是不是|能不能|可不可以|有没有"
    r"|要不要|会不会|如何|吗$|呢$|么$|对吧$"
)
DEICTIC = re.compile(
    r"这|那(?!时)|刚才|刚刚|上面|下面|它|(?<![其吉])他|她|你|您|此|该|一下|报错|错误|失败|出错|问题|bug|BUG|异常|崩溃"
)


def spaced(text: str) -> str:
    """A space between Chinese characters and Latin words, as the source writes it (R4.19)."""
    text = re.sub(r"(?<=[\u3400-\u9fff])(?=[A-Za-z](?![0-9]))", " ", text)
    return re.sub(r"(?<=[A-Za-z+#])(?=[\u3400-\u9fff])", " ", text)


def of_user(text: str) -> str:
    """The text with the speaker in the third person."""
    return re.sub(r"我(?!们)", "用户", text.replace("我们", "用户的团队").replace("我的", "用户的"))
