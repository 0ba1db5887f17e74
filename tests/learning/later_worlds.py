"""Worlds of episodes written after the rule of ``worlds.py`` was finished, as an agent would write them down.

``FRESH`` and ``LATER`` were looked at when the rule was mended by them (9 of 11 and 5 of 7 found before, two false),
``LAST`` was not.
"""

from __future__ import annotations

from tests.learning.worlds import World, lived, world

FRESH: dict[str, World] = {}
LATER: dict[str, World] = {}
LAST: dict[str, World] = {}

# A condition in the context, no type, tasks in words of their own, conditions that mean nothing beside it.
FRESH["queue"] = (
    world(
        "que",
        "",
        [
            "drain the {x} queue",
            "the {x} queue is backed up, clear it",
            "get rid of {n} stuck messages",
            "dead letters piled up in {x}, sort them out",
            "replay failed jobs of {x}",
        ],
        [
            (
                [
                    "requeued everything in one go",
                    "replayed all messages at once",
                    "moved the whole backlog back at once",
                ],
                {"env": "prod", "broker": "rabbit"},
                0,
                6,
                ["consumers fell over", "memory alarm on the broker"],
            ),
            (
                [
                    "requeued everything in one go",
                    "replayed all messages at once",
                    "moved the whole backlog back at once",
                ],
                {"env": "staging", "broker": "rabbit"},
                5,
                0,
                [""],
            ),
            (
                [
                    "replayed in batches of {n}",
                    "small batches with a pause between",
                    "batch by batch, watching the lag",
                ],
                {"env": "prod", "broker": "rabbit"},
                6,
                0,
                ["lag stayed flat", ""],
            ),
        ],
        51,
        {"shift": ["day", "night"]},
    ),
    [("warning", ["once", "everything", "one go", "backlog"], "prod"), ("advice", ["batch"], "")],
)

# Told in Chinese, with a type; what fails is told only by negation.
FRESH["backup"] = (
    lived(
        "bku",
        "迁移",
        [
            ("把用户库迁到新机房", "没做备份就开始迁", False, {}, "出错后回不去"),
            ("订单表换存储引擎", "没有备份，直接转", False, {}, "丢了半天数据"),
            ("日志库拆分", "未备份就拆", False, {}, "只能从日志里补"),
            ("会员表迁移到分库", "跳过备份直接上", False, {}, ""),
            ("库存表搬家", "没备份，赶时间", False, {}, "回滚不了"),
            ("把报表库迁到云上", "先备份再迁", True, {}, "中途失败一次，恢复很快"),
            ("优惠券表换主键", "备份完整库之后再改", True, {}, ""),
            ("支付流水归档", "先做一次全量备份", True, {}, "安心"),
            ("评论表分区", "做好备份，然后分区", True, {}, ""),
            ("把消息表迁出去", "备份、校验、迁移", True, {}, ""),
            ("地址库合并", "迁之前备份了一份", True, {}, "用上了"),
        ],
        52,
    ),
    [("warning", ["没", "未", "跳过"], ""), ("advice", ["备份"], "")],
)

# A failure lesson alone, and only in one size; a second action is mixed.
FRESH["video"] = (
    world(
        "vid",
        "media",
        [
            "transcode lecture {n}",
            "convert clip {n} to mp4",
            "make a web version of recording {n}",
            "encode the {x} webinar",
        ],
        [
            (
                ["one ffmpeg pass on the laptop", "ffmpeg single pass locally", "local ffmpeg, single pass"],
                {"length": "hours", "codec": "h264"},
                1,
                7,
                ["thermal shutdown", "killed after 40 minutes"],
            ),
            (
                ["one ffmpeg pass on the laptop", "ffmpeg single pass locally", "local ffmpeg, single pass"],
                {"length": "minutes", "codec": "h264"},
                8,
                1,
                [""],
            ),
        ],
        53,
        {"source": ["zoom", "camera", "phone"]},
    ),
    [("warning", ["ffmpeg"], "hours")],
)

# Every episode in its own words, English, no type: the advice has one word in common, the failures another.
FRESH["estimate"] = (
    lived(
        "est",
        "",
        [
            (
                "estimate the login rework",
                "gave a number off the top of my head",
                False,
                {},
                "off by a factor of 3",
            ),
            (
                "how long for the csv importer?",
                "named a figure off the top of my head",
                False,
                {},
                "took twice as long",
            ),
            ("estimate moving to python 3.12", "answered off the top of my head", False, {}, "far too low"),
            ("guess effort for the audit log", "off the cuff, top of my head number", False, {}, ""),
            ("effort for the new billing page", "top of the head, said two days", False, {}, "it was nine"),
            (
                "estimate the search rewrite",
                "broke it into subtasks and added them up",
                True,
                {},
                "within 10 %",
            ),
            ("how long will SSO take", "split into subtasks first, estimated each", True, {}, ""),
            (
                "estimate the mobile push work",
                "listed the subtasks, summed them, added 20 %",
                True,
                {},
                "spot on",
            ),
            ("effort for the gdpr export", "subtasks on paper first", True, {}, ""),
            ("estimate dark mode", "wrote subtasks down and summed", True, {}, "close"),
            ("how big is the cache change", "decomposed into subtasks", True, {}, ""),
        ],
        54,
    ),
    [("warning", ["top", "head"], ""), ("advice", ["subtask"], "")],
)

# Chinese without a type; the condition is a context entry; nothing else differs.
FRESH["review"] = (
    world(
        "rvw",
        "",
        ["审一下{n}号合并请求", "看看{x}的代码改动", "给{n}号 PR 提意见", "评审{x}模块的补丁"],
        [
            (
                ["一口气看完全部改动", "整个 diff 从头看到尾", "把改动全部一次看完"],
                {"规模": "大", "语言": "go"},
                0,
                6,
                ["漏了并发问题", "线上出了事故"],
            ),
            (
                ["一口气看完全部改动", "整个 diff 从头看到尾", "把改动全部一次看完"],
                {"规模": "小", "语言": "go"},
                7,
                0,
                ["没问题", ""],
            ),
        ],
        55,
        {"作者": ["甲", "乙", "丙"]},
    ),
    [("warning", ["全部", "一口气", "整个"], "大")],
)

# Two actions, neither pure, no condition: seven of nine against two of eight.
FRESH["sales"] = (
    world(
        "sal",
        "outreach",
        ["get a demo with company {n}", "win a call with lead {n}", "reach the buyer at {x}"],
        [
            (
                ["cold call in the morning", "morning cold call", "rang them cold before noon"],
                {},
                1,
                8,
                ["voicemail", "hung up"],
            ),
            (
                [
                    "warm intro through a customer",
                    "asked a customer for an introduction",
                    "intro by an existing customer",
                ],
                {},
                9,
                1,
                ["easy talk"],
            ),
        ],
        56,
        {"tier": ["a", "b"], "weather": ["wet", "dry"]},
    ),
    [("warning", ["cold"], ""), ("advice", ["intro", "customer"], "")],
)

# The condition is a word of the task, not of the context.
FRESH["convert"] = (
    lived(
        "cnv",
        "docs",
        [
            ("convert the budget xlsx to markdown", "pandoc straight through", False, {}, "tables lost"),
            ("turn the salary xlsx into markdown", "used pandoc directly", False, {}, "cells merged"),
            ("xlsx of the inventory as markdown", "pandoc on the file", False, {}, "empty output"),
            ("make markdown from the roster xlsx", "plain pandoc call", False, {}, "unsupported"),
            ("quarterly xlsx to markdown please", "pandoc directly", False, {}, ""),
            ("forecast xlsx, markdown version", "pandoc straight", False, {}, ""),
            ("convert the contract docx to markdown", "pandoc straight through", True, {}, "clean"),
            ("turn the minutes docx into markdown", "used pandoc directly", True, {}, ""),
            ("docx handbook as markdown", "pandoc on the file", True, {}, ""),
            ("make markdown from the policy docx", "plain pandoc call", True, {}, "headings kept"),
            ("letter docx to markdown please", "pandoc directly", True, {}, ""),
            ("thesis docx, markdown version", "pandoc straight", True, {}, ""),
        ],
        57,
    ),
    [("warning", ["pandoc"], "xlsx")],
)

# Chance alone, wide and with many contexts: nothing is to be learned.
FRESH["chores"] = (
    world(
        "cho",
        "",
        [
            "answer mail {n}",
            "file receipt {n}",
            "sort photo set {n}",
            "update contact {n}",
            "clean folder {x}",
        ],
        [
            (
                [
                    "did it in the app",
                    "asked the assistant",
                    "by keyboard macro",
                    "in the browser",
                    "on the phone",
                ],
                {},
                22,
                15,
                ["", "ok"],
            )
        ],
        58,
        {"os": ["mac", "linux"], "mood": ["good", "bad", "so-so"], "day": ["mon", "tue", "wed"]},
    ),
    [],
)

LATER["cert"] = (
    world(
        "crt",
        "",
        [
            "renew the certificate of {x}",
            "{x} cert expires in {n} days",
            "new TLS cert for {x}",
            "rotate certificates on {x}",
        ],
        [
            (
                ["certbot with the http challenge", "http-01 via certbot", "certbot http challenge"],
                {"network": "internal"},
                0,
                6,
                ["validation timed out"],
            ),
            (
                ["certbot with the http challenge", "http-01 via certbot", "certbot http challenge"],
                {"network": "public"},
                6,
                0,
                [""],
            ),
            (
                ["dns challenge with the api token", "used the dns-01 challenge", "dns challenge"],
                {"network": "internal"},
                5,
                0,
                ["works behind the firewall"],
            ),
        ],
        61,
        {"os": ["debian", "alpine"]},
    ),
    [("warning", ["http", "certbot"], "internal"), ("advice", ["dns"], "")],
)
LATER["interview"] = (
    lived(
        "itv",
        "",
        [
            ("约用户做访谈，了解下单流程", "直接问要不要这个功能", False, {}, "都说要，没人用"),
            ("访谈老客户对报表的看法", "直接问喜不喜欢", False, {}, "全是客套话"),
            ("和新用户聊注册", "上来就直接问想要什么功能", False, {}, ""),
            ("调研配送时效", "直接问觉得快不快", False, {}, "没有信息量"),
            ("了解商家怎么对账", "直接问满意不满意", False, {}, ""),
            ("访谈退订用户", "请他讲上一次退订的经过", True, {}, "找到真正原因"),
            ("聊聊客服怎么查单", "让她讲最近一次查单的经过", True, {}, ""),
            ("了解财务月结", "请对方复述上个月结账的经过", True, {}, "细节很多"),
            ("访谈骑手", "让他讲昨天一单的经过", True, {}, ""),
            ("跟仓管聊盘点", "请他讲一次盘点的经过", True, {}, "发现漏洞"),
        ],
        62,
    ),
    [("warning", ["直接问", "直接"], ""), ("advice", ["经过"], "")],
)
LATER["cache"] = (
    lived(
        "cch",
        "ops",
        [
            (
                "release 4.1",
                "deployed without warming the cache",
                False,
                {"day": "mon"},
                "5 s pages for an hour",
            ),
            ("release 4.2", "no cache warmup, just deployed", False, {"day": "thu"}, "timeouts"),
            ("hotfix for carts", "shipped, never warmed the cache", False, {"day": "tue"}, ""),
            ("release 4.3", "skipped warming the cache", False, {"day": "wed"}, "db overloaded"),
            ("roll out the new header", "went live and forgot to warm the cache", False, {"day": "mon"}, ""),
            ("release 4.4", "warmed the cache, then deployed", True, {"day": "thu"}, "smooth"),
            ("release 5.0", "cache warmup first", True, {"day": "tue"}, ""),
            ("hotfix for search", "warmed caches before the switch", True, {"day": "wed"}, ""),
            ("roll out ratings", "deploy after warming the cache", True, {"day": "mon"}, ""),
            ("release 5.1", "ran the cache warmer and deployed", True, {"day": "thu"}, "no spike"),
        ],
        63,
    ),
    [("warning", ["without", "no ", "never", "skipped", "forgot"], ""), ("advice", ["warm"], "")],
)
LATER["invoice"] = (
    world(
        "inv",
        "财务",
        ["给{x}公司开票", "开{n}号合同的发票", "补开{n}月的发票"],
        [
            (
                ["按合同金额直接开", "照合同金额开票", "合同金额一次开完"],
                {"付款": "分期"},
                0,
                6,
                ["客户退票", "金额不符"],
            ),
            (["按合同金额直接开", "照合同金额开票", "合同金额一次开完"], {"付款": "一次"}, 7, 0, [""]),
        ],
        64,
        {"城市": ["沪", "深", "蓉"]},
    ),
    [("warning", ["合同金额"], "分期")],
)
LATER["idle"] = (
    world(
        "idl",
        "home",
        ["plan dinner {n}", "choose a film for {x}", "find a present under {n}", "decide where to walk"],
        [
            (
                ["tossed a coin", "asked the family", "read reviews", "went with the first idea"],
                {},
                18,
                12,
                ["", "nice"],
            )
        ],
        65,
        {"season": ["summer", "winter"], "rain": ["yes", "no"]},
    ),
    [],
)

# ------------------------------------------------------------------------------------------- not looked at
LAST["mob"] = (
    lived(
        "mob",
        "",
        [
            (
                "ship ios build 210",
                "uploaded the archive by hand from xcode",
                False,
                {"store": "apple"},
                "wrong entitlements",
            ),
            (
                "new testflight for beta testers",
                "manual upload out of xcode",
                False,
                {"store": "apple"},
                "missing symbols",
            ),
            (
                "ios hotfix to the store",
                "exported and uploaded manually",
                False,
                {"store": "apple"},
                "rejected: signing",
            ),
            (
                "release candidate for ipad",
                "hand upload through the organizer",
                False,
                {"store": "apple"},
                "",
            ),
            ("put build 215 on testflight", "uploaded by hand", False, {"store": "apple"}, "expired profile"),
            ("ship ios build 216", "fastlane lane release", True, {"store": "apple"}, "all signed"),
            ("testflight build for qa", "ran fastlane", True, {"store": "apple"}, ""),
            ("ios hotfix 217", "let fastlane build and upload", True, {"store": "apple"}, ""),
            ("ipad release 218", "fastlane, release lane", True, {"store": "apple"}, "10 minutes"),
            ("put build 219 on testflight", "used fastlane", True, {"store": "apple"}, ""),
        ],
        71,
    ),
    [("warning", ["hand", "manual"], ""), ("advice", ["fastlane"], "")],
)
LAST["sms"] = (
    world(
        "sms",
        "营销",
        ["给{n}位会员发活动通知", "提醒{x}店老客户领券", "通知用户新品上架", "群发{n}月促销"],
        [
            (["群发短信", "短信群发一遍", "用短信群发"], {"人群": "沉睡"}, 1, 7, ["没人点", "退订一片"]),
            (["群发短信", "短信群发一遍", "用短信群发"], {"人群": "活跃"}, 7, 0, ["转化不错"]),
            (["一对一打电话", "挨个电话回访", "人工打电话"], {"人群": "沉睡"}, 6, 1, ["聊出了原因"]),
        ],
        72,
        {"渠道商": ["A", "B"]},
    ),
    [("warning", ["短信"], "沉睡"), ("advice", ["电话"], "")],
)
LAST["flaky"] = (
    lived(
        "flk",
        "ci",
        [
            ("checkout spec fails on CI", "reran the job", False, {}, "red again"),
            ("payment test is flaky", "hit rerun", False, {}, "passed once, then red"),
            ("timeouts in the e2e suite", "rerun the pipeline", False, {}, ""),
            ("screenshot test differs", "just reran it", False, {}, ""),
            ("login spec red since noon", "rerun twice", False, {}, "no change"),
            (
                "search spec fails sometimes",
                "froze the clock and seeded the data",
                True,
                {},
                "stable for a week",
            ),
            ("cart test is flaky", "seeded the random data", True, {}, ""),
            ("date picker test fails at midnight", "froze the clock", True, {}, "gone"),
            ("reports spec red on mondays", "seeded data, froze time", True, {}, ""),
            ("invoice spec differs by a cent", "fixed the seed of the data", True, {}, ""),
        ],
        73,
    ),
    [("warning", ["rer"], ""), ("advice", ["seed", "froze"], "")],
)
LAST["trans"] = (
    lived(
        "trs",
        "",
        [
            ("翻译产品说明书第一章", "没有术语表，直接译", False, {}, "前后不一致"),
            ("把用户协议译成英文", "未准备术语表就译", False, {}, "法务退回"),
            ("翻译安装指南", "没查术语表", False, {}, ""),
            ("译一份检测报告", "跳过术语表", False, {}, "客户投诉"),
            ("翻译培训教材", "没建术语表就分给三个人", False, {}, "要返工"),
            ("翻译维修手册", "先建术语表再译", True, {}, "统一"),
            ("译技术白皮书", "对照术语表翻译", True, {}, ""),
            ("翻译标书", "术语表定稿后开工", True, {}, "中标了"),
            ("译操作规程", "用术语表过一遍", True, {}, ""),
            ("翻译质保条款", "先统一术语表", True, {}, ""),
        ],
        74,
    ),
    [("warning", ["没", "未", "跳过"], ""), ("advice", ["术语表"], "")],
)
LAST["coin"] = (
    world(
        "coi",
        "",
        [
            "pick a name for {x}",
            "write the intro of post {n}",
            "reply to review {n}",
            "draft slogan {n}",
            "tidy page {n}",
        ],
        [
            (
                ["wrote it at once", "made three drafts", "slept on it", "copied an old one"],
                {},
                17,
                13,
                ["", "fine"],
            )
        ],
        75,
        {"length": ["short", "long"], "hour": ["am", "pm"]},
    ),
    [],
)
