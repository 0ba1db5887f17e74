"""Tells from a block's type and words whether it is about the user where nobody said so (DESIGN 4)."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from alice_exp.kernel.text.data_files import word_lists

if TYPE_CHECKING:
    from alice_exp.model.values.block import About, BlockType

_OF_PERSONS = frozenset({"preference", "habit", "goal", "identity"})
"""Types of block that tell of a person, where their subject is one."""

_SUBJECT = re.compile(
    r"^\s*(?:(?:该|本)?用户(?!名|端|态|表|组|量|群|们?的?(?:界面|体验|手册|登录|注册|数据|输入|反馈|故事|权限|协议|请求|角色|进程|空间))"
    r"|我(?!们|司|校|厂|院|组|部)|I\b|my |(?:the )?user(?:'s)? (?!interface|experience|table|data|input|stor|id|name"
    r"|agent|guide|manual|flow|space|account|permission|group|role|request|session|test))",
    re.IGNORECASE,
)


@cache
def _tells() -> re.Pattern[str]:
    """What tells of a person by its verb or by what it names, whatever its type."""
    any_of = {name: "|".join(words) for name, words in word_lists("blocks/rules/data/about_user.txt").items()}
    person = (
        r"(?:一个|两个|三个|大|小|二)?(?:{kin})(?!账|版|模式)|{of a person}|(?!.*(?:{system}))(?:(?:{when})*(?:{does})"
        r"|(?:现在|一直|平时|从小|最|更|很|特别|非常|比较|不|太)*(?:喜欢|习惯|偏好|偏爱|喜爱|爱|讨厌)|每[天周]|今年)"
    )
    english = r"user\s(?:(?:{english adverbs})\s)*(?:{english does})\b|user's\s(?:{english kin})\b"
    written = rf"^\s*(?:(?:该|本)?用户(?:的|家|家里)?(?:{person})|(?:the\s)?(?:{english}))"
    for name, words in any_of.items():
        written = written.replace(f"{{{name}}}", words)
    return re.compile(written, re.IGNORECASE)


def subject_of(kind: BlockType, payload: str, suggested: str = "") -> About:
    """Whom a candidate is about where nobody said so, unless a place is suggested for it: the user, if its subject is
    them, and its type is one of persons or its verb is."""
    tells = _tells().match(payload) or (kind in _OF_PERSONS and _SUBJECT.match(payload))
    return "user" if tells and not suggested else "work"
