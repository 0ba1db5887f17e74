"""Two years of thoughts in two languages, written before the rule that is to keep what mattered in them.

Six thoughts of each decide something, in words that no list has; routine is worded in thirty ways, some of which sound
decisive ("decided what to have for lunch"). The rule before kept one of the English six and none of the Chinese.
"""

from __future__ import annotations

import random

from alice_exp.kernel.text.times import iso_time
from alice_exp.model.values.records import Event

ENGLISH = [
    (
        310,
        Event(
            "", "the old billing job gets switched off for good on the first of May", "", "told the team", ""
        ),
        ["old billing job switched off", "when does the billing job stop"],
        "switched off",
    ),
    (
        1280,
        Event(
            "", "Marta from legal: we may not keep passport scans", "", "deleted all scans", "bucket is empty"
        ),
        ["passport scans", "what did legal forbid"],
        "passport",
    ),
    (
        2044,
        Event(
            "",
            "Rust it is for the agent, after comparing all three",
            "compared benchmarks",
            "wrote the design note",
            "",
        ),
        ["which language for the agent", "Rust agent"],
        "Rust",
    ),
    (
        2990,
        Event("", "cleanup", "", "ran the cleanup script on the wrong host", "40 minutes of orders gone"),
        ["orders gone wrong host", "cleanup script accident"],
        "40 minutes",
    ),
    (
        3711,
        Event(
            "", "Haldor & Sons pay for the product as our very first customer", "", "sent the invoice", "paid"
        ),
        ["first customer", "Haldor"],
        "Haldor",
    ),
    (
        4630,
        Event("", "price goes up to 49 euros from June, Ines insists", "", "", ""),
        ["price June", "49 euros"],
        "49 euros",
    ),
]
CHINESE = [
    (
        310,
        Event("", "老的计费任务五月一号起永久关停", "", "通知了团队", ""),
        ["计费任务什么时候停", "老计费 关停"],
        "关停",
    ),
    (
        1280,
        Event("", "法务王律师说护照照片一律不能留", "", "全部删掉", "桶已清空"),
        ["护照照片", "法务不让存什么"],
        "护照",
    ),
    (
        2044,
        Event("", "三种都比过了，代理就用 Rust 写", "", "写了设计说明", ""),
        ["代理用什么语言", "Rust 代理"],
        "Rust",
    ),
    (
        2990,
        Event("", "清理磁盘", "", "清理脚本跑错了机器", "四十分钟的订单没了"),
        ["订单没了", "清理脚本 跑错"],
        "四十分钟",
    ),
    (
        3711,
        Event("", "青禾农业付款了，这是我们头一家付费客户", "", "开了发票", "已到账"),
        ["头一家客户", "青禾农业"],
        "青禾",
    ),
    (4630, Event("", "价格六月起涨到49元，是英子坚持的", "", "", ""), ["六月 涨价", "49元"], "49"),
]
ROUTINE_EN = [
    "read {n} mails",
    "answered {x} about the roadmap",
    "reviewed pull request {n}, approved",
    "ran the tests, {n} passed",
    "cleaned the inbox",
    "had the standup with {x}",
    "wrote {n} lines of the report",
    "looked at dashboard {n}",
    "updated dependency {x}",
    "fixed a typo in page {n}",
    "moved ticket {n} to done",
    "paired with {x} for an hour",
    "searched logs of {x}",
    "restarted the dev server",
    "synced notes with {x}",
    "decided what to have for lunch",
    "finally done with the mails",
    "wrong link in page {n}, corrected",
    "planned the week",
    "drew a sketch for {x}",
    "measured build time: {n} s",
    "tidied branch {n}",
    "asked {x} for access",
    "refreshed certificates of staging",
    "checked backups, all {n} there",
    "read chapter {n} of the book",
    "prepared slides for {x}",
    "translated {n} strings",
    "closed {n} stale issues",
    "called {x}",
]
ROUTINE_ZH = [
    "看了{n}封邮件",
    "回答{x}关于排期的问题",
    "评审了{n}号合并请求，通过",
    "跑测试，{n}个通过",
    "清理收件箱",
    "和{x}开站会",
    "写了{n}行报告",
    "看看板{n}",
    "升级依赖{x}",
    "改了第{n}页的错字",
    "把工单{n}移到完成",
    "和{x}结对一小时",
    "查{x}的日志",
    "重启开发机",
    "和{x}对齐笔记",
    "决定中午吃面",
    "终于看完邮件",
    "第{n}页链接错误，改了",
    "计划这周",
    "给{x}画草图",
    "构建用了{n}秒",
    "整理分支{n}",
    "找{x}要权限",
    "续了测试环境证书",
    "检查备份，{n}份都在",
    "读书第{n}章",
    "给{x}准备幻灯片",
    "翻译{n}条文案",
    "关掉{n}个旧问题",
    "给{x}打电话",
]
NAMES_EN = ["Ann", "Bob", "Carla", "Dev", "Eli", "Fay", "infra", "search", "billing UI", "mobile"]
NAMES_ZH = ["小安", "老鲍", "卡拉", "阿德", "小李", "阿飞", "基础组", "搜索组", "账单页", "移动端"]


def year_of(language: str, seed: int, count: int = 5000) -> dict[int, Event]:
    """The thoughts by number."""
    decisive, routine, names = (
        (ENGLISH, ROUTINE_EN, NAMES_EN) if language == "en" else (CHINESE, ROUTINE_ZH, NAMES_ZH)
    )
    r, planted, found = random.Random(seed), {number: one for number, one, _, _ in decisive}, {}
    for n in range(1, count + 1):
        at = iso_time(1_735_689_600 + 6300 * n)
        if n in planted:
            one = planted[n]
            found[n] = Event(at, one.thought, one.context, one.action, one.result or None)
            continue
        said, share = r.choice(routine).format(n=r.randint(1, 900), x=r.choice(names)), r.random()
        action = "" if share < 0.4 else r.choice(routine).format(n=r.randint(1, 900), x=r.choice(names))
        found[n] = Event(at, said, "", action, None if share < 0.6 else "ok")
    return found
