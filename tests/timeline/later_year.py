"""A year of thoughts in two languages that was written after ``years.py`` and the rules that it measures.

Six thoughts of each decide something; the questions are asked in either language, and by time.
"""

from __future__ import annotations

import random

from alice_exp.kernel.text.times import iso_time
from alice_exp.model.values.records import Event

Planted = tuple[int, Event, list[str], str]

ENGLISH: list[Planted] = [
    (
        402,
        Event(
            "",
            "nobody gets root on the db hosts from now on, Kemal's call after Tuesday",
            "",
            "revoked 9 keys",
            "",
        ),
        ["who has root on the db hosts", "root access revoked"],
        "root",
    ),
    (
        1111,
        Event("", "sync with the tax office", "", "filed the Q1 return", "late, 600 fine"),
        ["tax fine", "why did we pay a fine"],
        "600",
    ),
    (
        1987,
        Event("", "we walk away from the Ostrava deal", "", "", ""),
        ["Ostrava deal", "did we take Ostrava"],
        "Ostrava",
    ),
    (
        2750,
        Event(
            "", "the parser can't be saved, starting over with tree-sitter", "", "threw away the branch", ""
        ),
        ["parser rewrite", "tree-sitter why"],
        "tree-sitter",
    ),
    (3600, Event("", "DECISION: drop v1", "", "", ""), ["drop v1", "when was v1 dropped"], "drop v1"),
    (
        4444,
        Event("", "Lise hands in her notice, last day is the 30th", "", "", ""),
        ["Lise leaving", "when does Lise go"],
        "Lise",
    ),
]

CHINESE: list[Planted] = [
    (
        402,
        Event("", "从今往后数据库主机谁都没有 root，凯末尔拍的板", "", "收回九把钥匙", ""),
        ["谁有数据库主机的root", "收回 root"],
        "root",
    ),
    (
        1111,
        Event("", "跟税务局对账", "", "报了一季度的税", "晚了，罚六百"),
        ["税务罚款", "为什么被罚"],
        "罚六百",
    ),
    (
        1987,
        Event("", "奥斯特拉瓦那单我们不做了", "", "", ""),
        ["奥斯特拉瓦 单子", "奥斯特拉瓦那单接了吗"],
        "奥斯特拉瓦",
    ),
    (
        2750,
        Event("", "解析器救不回来，推倒用 tree-sitter 重来", "", "分支扔了", ""),
        ["解析器重写", "tree-sitter 为什么"],
        "tree-sitter",
    ),
    (3600, Event("", "DECISION: drop v1", "", "", ""), ["drop v1", "v1 什么时候停的"], "drop v1"),
    (4444, Event("", "丽丝递了辞呈，做到三十号", "", "", ""), ["丽丝 离职", "丽丝什么时候走"], "丽丝"),
]

ROUTINE = {
    "en": [
        "triaged {n} alerts",
        "coffee chat with {x}",
        "bumped the lockfile",
        "wrote up retro notes",
        "merged {x}'s change",
        "watched the canary for {n} minutes",
        "renamed {n} variables",
        "drafted reply to {x}",
        "wired a flag for {x}",
        "paged through {n} logs",
        "looked into slow query {n}",
        "moved standup notes",
        "updated the runbook of {x}",
        "profiled page {n}",
        "answered a thread from {x}",
        "deleted {n} old branches",
        "checked invoice {n}",
        "booked room {n}",
        "fixed the flaky {x} test",
        "read the RFC on {x}",
        "labelled {n} tickets",
        "rotated staging key {n}",
        "set up laptop for {x}",
        "skimmed the newsletter",
        "verified {n} links",
        "cleaned fixtures",
        "archived channel {n}",
        "posted the weekly numbers, {n} up",
        "first coffee at last",
        "no blockers today",
    ],
    "zh": [
        "处理{n}条告警",
        "和{x}喝咖啡",
        "更新锁文件",
        "写复盘笔记",
        "合了{x}的改动",
        "盯灰度{n}分钟",
        "改了{n}个变量名",
        "给{x}拟回复",
        "给{x}加开关",
        "翻{n}页日志",
        "看{n}号慢查询",
        "搬站会记录",
        "更新{x}的手册",
        "给第{n}页做性能分析",
        "回{x}的帖子",
        "删{n}个旧分支",
        "核对{n}号单据",
        "订{n}号会议室",
        "修{x}的偶发用例",
        "读{x}的提案",
        "给{n}个工单打标签",
        "轮换{n}号测试密钥",
        "帮{x}装电脑",
        "扫一眼简报",
        "验{n}个链接",
        "清理夹具",
        "归档{n}号频道",
        "发本周数据，涨{n}",
        "总算喝上第一杯咖啡",
        "今天没有阻塞",
    ],
}

NAMES = {
    "en": ["Oona", "Piet", "Raj", "Suzu", "core", "edge", "web", "ledger"],
    "zh": ["欧娜", "皮特", "老拉", "苏苏", "核心组", "边缘组", "前端", "账务"],
}

ACROSS = {
    "en": [
        ("谁有数据库主机的 root 权限", 402),
        ("为什么交税被罚款", 1111),
        ("税务局 迟交", 1111),
        ("Ostrava 的生意接了吗", 1987),
        ("解析器为什么重新开始", 2750),
        ("v1 什么时候停的", 3600),
        ("Lise 什么时候离职", 4444),
    ],
    "zh": [
        ("who may be root on the database hosts", 402),
        ("tax fine", 1111),
        ("why did we pay a fine to the tax office", 1111),
        ("root key recall", 402),
        ("parser rewrite with tree-sitter", 2750),
        ("is v1 still there", 3600),
    ],
}
"""Questions in the other language; 10 of the 13 were answered when the rule was first run."""

BY_TIME = [
    ("what happened last March", 1111),
    ("what did we decide in May 2025", 1987),
    ("去年三月出了什么事", 1111),
    ("去年三月 罚款", 1111),
    ("what was in November?", 4444),
]
"""Questions by time, asked on 10 February 2026."""


def year_of(language: str, seed: int, count: int = 5000) -> dict[int, Event]:
    """The thoughts by number."""
    r, planted, found = random.Random(seed), {n: one for n, one, _, _ in PLANTED[language]}, {}
    routine, names = ROUTINE[language], NAMES[language]

    def said() -> str:
        return r.choice(routine).format(n=r.randint(1, 900), x=r.choice(names))

    for n in range(1, count + 1):
        at = iso_time(1_735_689_600 + 6300 * n)
        if n in planted:
            one = planted[n]
            found[n] = Event(at, one.thought, one.context, one.action, one.result or None)
            continue
        thought, action = said(), "" if r.random() < 0.4 else said()
        found[n] = Event(at, thought, "", action, None if r.random() < 0.6 else "ok")
    return found


PLANTED = {"en": ENGLISH, "zh": CHINESE}
