"""Tells from a block's type and words whether it is about the user where nobody said so (DESIGN 4)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

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

_STATEMENT = re.compile(
    r"^\s*(?:用户(?:现在|一直|平时|从小|最|更|很|特别|非常|比较)*(?:搬到|搬去|搬家|入职了|离职了|跳槽到|住|叫|姓|喜欢|不喜欢|喜爱|讨厌|爱|不爱|习惯|偏好|偏爱|不吃|不喝|不能[吃喝]|每天|每周|今年"
    r"|对[^，。]{1,12}过敏|的(?:名字|姓名|生日|职业|爱好|口味|家人|家乡|老家|女儿|儿子|孩子|老婆|妻子|老公|丈夫|父亲|母亲|爸爸|妈妈))"
    r"|(?:the )?user(?: (?:really|always|usually|also))? (?:lives?|likes?|dislikes?|prefers?|hates?|loves?|enjoys?"
    r"|is allergic|(?-i:moved to [A-Z]\w*)|works (?:at|as|for)|was born|is married|is called|can't stand)\b)",
    re.IGNORECASE,
)


def subject_of(kind: BlockType, payload: str, suggested: str = "") -> About:
    """Whom a candidate is about where nobody said so, unless a place is suggested for it: the user, if its subject is
    them, and its type is one of persons or its verb is."""
    tells = _STATEMENT.match(payload) or (kind in _OF_PERSONS and _SUBJECT.match(payload))
    return "user" if tells and not suggested else "work"
