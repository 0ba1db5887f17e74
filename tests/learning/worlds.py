"""Worlds of episodes with planted lessons, written before the rule that is to find them was changed.

Tasks and actions are worded in many ways, with and without a type; each world names its lessons: the direction, words of
which the advice has one, and the condition. ``WORKED`` was looked at while the rule was made, ``HELD`` and the first run
over ``LIVED`` were not: 12 of 12, 14 of 14 and 7 of 9 are found, where the rule before found 3, 6 and 1.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from alice_exp.kernel.text.times import iso_time
from alice_exp.model.values.records import Episode

Deed = tuple[list[str], dict[str, str], int, int, list[str]]
"""Wordings of an action, the context, successes, failures, reflections."""

Lesson = tuple[str, list[str], str]
World = tuple[list[Episode], list[Lesson]]


def world(
    name: str,
    type_: str,
    tasks: list[str],
    deeds: Sequence[Deed],
    seed: int,
    extra: Mapping[str, list[str]] | None = None,
) -> list[Episode]:
    """The episodes of a world in a shuffled order; ``extra`` adds context that means nothing."""
    r = random.Random(seed)
    rows = [
        (wordings[k % len(wordings)], context, k < ok, reflections)
        for wordings, context, ok, bad, reflections in deeds
        for k in range(ok + bad)
    ]
    r.shuffle(rows)
    out = []
    for n, (action, context, ok, reflections) in enumerate(rows):
        c = dict(context)
        for key, values in (extra or {}).items():
            c[key] = r.choice(values)
        task = tasks[(n * 7 + seed) % len(tasks)].format(
            n=r.randint(2, 400), x=r.choice(["alpha", "billing", "hr", "north", "beta"])
        )
        out.append(
            Episode(
                f"ep-{name}{n:03}",
                task,
                c,
                action.format(n=r.randint(2, 90)),
                "ok" if ok else "error",
                ok,
                round(r.uniform(0.7, 0.95) if ok else r.uniform(0.05, 0.3), 2),
                iso_time(1_760_000_000 + seed * 50_000 + n * 7000),
                r.choice(reflections) if reflections else "",
                type_,
            )
        )
    return out


def lived(
    name: str, type_: str, rows: Sequence[tuple[str, str, bool, dict[str, str], str]], seed: int
) -> list[Episode]:
    """Episodes each of which has its own words: (task, action, success, context, reflection)."""
    shuffled = list(rows)
    random.Random(seed).shuffle(shuffled)
    return [
        Episode(
            f"ep-{name}{n:03}",
            task,
            dict(context),
            action,
            "",
            ok,
            0.9 if ok else 0.1,
            iso_time(1_761_000_000 + seed * 40_000 + n * 5000),
            reflection,
            type_,
        )
        for n, (task, action, ok, context, reflection) in enumerate(shuffled)
    ]


WORKED: dict[str, World] = {}
HELD: dict[str, World] = {}
LIVED: dict[str, World] = {}
WORKED["ocr"] = (
    world(
        "ocr",
        "",
        [
            "read the totals from scanned invoice {n}",
            "get the amounts out of the scan of invoice {n}",
            "extract totals from a photographed invoice",
            "pull line items off invoice scan {n}",
            "digitise supplier invoice {n}",
        ],
        [
            (
                [
                    "ran tesseract straight on the scan",
                    "tesseract on the raw image",
                    "OCR the raw scan using tesseract",
                ],
                {},
                1,
                6,
                ["digits were garbled", "numbers came out wrong"],
            ),
            (
                [
                    "upscale 2x, then tesseract",
                    "first upscale the scan, then OCR it",
                    "upscale to 300 dpi before OCR",
                ],
                {},
                6,
                0,
                ["clean digits", ""],
            ),
        ],
        1,
        {"host": ["m1", "m2"]},
    ),
    [("warning", ["raw", "tesseract"], ""), ("advice", ["upscale"], "")],
)
WORKED["restart"] = (
    world(
        "rst",
        "运维",
        ["重启{x}服务", "把{x}服务重启一下", "线上服务卡住了，恢复它", "{x}进程无响应，处理一下"],
        [
            (
                ["直接 kill -9 进程", "用 kill -9 强杀", "kill -9 掉再拉起来"],
                {"env": "prod"},
                0,
                6,
                ["请求丢了一批"],
            ),
            (["直接 kill -9 进程", "用 kill -9 强杀", "kill -9 掉再拉起来"], {"env": "test"}, 6, 0, [""]),
            (
                ["先摘流量再滚动重启", "摘掉流量后逐台重启", "把流量切走，一台台重启"],
                {"env": "prod"},
                6,
                0,
                ["没人察觉"],
            ),
        ],
        2,
    ),
    [("warning", ["kill"], "prod"), ("advice", ["流量"], "")],
)
WORKED["notify"] = (
    world(
        "ntf",
        "",
        ["通知大家填{n}月的考勤", "提醒全员提交报销", "催大家交周报", "告诉各组停机安排"],
        [
            (["在群里@所有人", "群里艾特全员", "发群消息，@所有人"], {"时段": "深夜"}, 0, 6, ["没人看"]),
            (
                ["在群里@所有人", "群里艾特全员", "发群消息，@所有人"],
                {"时段": "上午"},
                7,
                0,
                ["半小时都交了"],
            ),
        ],
        3,
        {"组": ["一组", "二组"]},
    ),
    [("warning", ["群"], "深夜")],
)
WORKED["npm"] = (
    world(
        "npm",
        "build",
        ["build the {x} frontend", "compile the {x} web client", "make a release build of {x}"],
        [
            (
                ["npm ci in the default shell", "plain npm ci", "npm ci && npm run build"],
                {"os": "windows"},
                1,
                6,
                ["path too long"],
            ),
            (
                ["npm ci in the default shell", "plain npm ci", "npm ci && npm run build"],
                {"os": "linux"},
                7,
                0,
                [""],
            ),
            (
                ["npm ci inside WSL", "build inside WSL with npm ci"],
                {"os": "windows"},
                5,
                0,
                ["paths are fine there"],
            ),
        ],
        4,
    ),
    [("warning", ["npm"], "windows"), ("advice", ["WSL"], "")],
)
WORKED["chat"] = (
    world(
        "cht",
        "",
        [
            "answer a question about opening hours",
            "say when shop {n} opens",
            "reply to a visitor asking for directions",
            "tell a guest where to park",
            "respond to a question about refunds",
            "explain our return policy to a customer",
        ],
        [
            (
                [
                    "looked it up in the handbook",
                    "checked the handbook",
                    "asked a colleague",
                    "answered from memory",
                    "searched the wiki",
                ],
                {},
                16,
                9,
                ["", "fine"],
            )
        ],
        5,
        {"channel": ["web", "phone"]},
    ),
    [],
)
WORKED["crawl"] = (
    world(
        "crw",
        "",
        ["抓取{x}网站的价格", "爬一下竞品{n}的商品列表", "采集店铺{n}的评论", "把{x}页面上的价格拿下来"],
        [
            (
                ["用 requests 直接抓", "requests 裸请求", "直接 requests.get"],
                {},
                0,
                6,
                ["被 403 了", "拿到的是空壳页面"],
            ),
            (
                ["换成 playwright 渲染", "用无头浏览器 playwright 打开", "playwright 渲染后取 DOM"],
                {},
                6,
                0,
                ["数据齐了"],
            ),
        ],
        6,
    ),
    [("warning", ["requests"], ""), ("advice", ["playwright"], "")],
)
WORKED["mail"] = (
    world(
        "eml",
        "email",
        [
            "follow up with customer {n}",
            "write to lead {n} about the offer",
            "send the renewal notice to client {n}",
        ],
        [
            (
                [
                    "send the English template",
                    "used the English template",
                    "mail the standard English template",
                ],
                {"language": "de"},
                0,
                6,
                ["no reply"],
            ),
            (
                [
                    "send the English template",
                    "used the English template",
                    "mail the standard English template",
                ],
                {"language": "en"},
                7,
                1,
                [""],
            ),
        ],
        7,
        {"segment": ["smb", "ent"]},
    ),
    [("warning", ["English template"], "de")],
)
WORKED["index"] = (
    world(
        "idx",
        "",
        [
            "speed up the slow query on table {n}",
            "make lookups on the {x} table faster",
            "the {x} report is slow, fix its query",
        ],
        [
            (
                ["create index plainly", "plain CREATE INDEX", "CREATE INDEX without options"],
                {"rows": "many"},
                0,
                6,
                ["writes blocked for minutes"],
            ),
            (
                ["create index plainly", "plain CREATE INDEX", "CREATE INDEX without options"],
                {"rows": "few"},
                6,
                0,
                [""],
            ),
            (
                ["CREATE INDEX CONCURRENTLY", "build the index concurrently"],
                {"rows": "many"},
                6,
                0,
                ["no locks"],
            ),
        ],
        8,
    ),
    [("warning", ["index"], "many"), ("advice", ["concurrently"], "")],
)
WORKED["book"] = (
    world(
        "bok",
        "采购",
        ["订{n}把椅子", "给{x}部门买显示器", "采购打印纸"],
        [(["在京东下单", "找老供应商询价", "比价后下单", "让行政代买"], {}, 13, 8, ["还行", ""])],
        9,
        {"金额": ["大", "小"]},
    ),
    [],
)
HELD["img"] = (
    world(
        "img",
        "",
        [
            "shrink the photos of album {n}",
            "resize product pictures for shop {x}",
            "make thumbnails of the {x} gallery",
            "prepare {n} images for the web",
        ],
        [
            (
                [
                    "convert everything at once with ImageMagick",
                    "one ImageMagick call over the whole folder",
                    "mogrify the whole folder with ImageMagick",
                ],
                {},
                1,
                6,
                ["killed: out of memory"],
            ),
            (
                [
                    "vips in chunks of {n}",
                    "process chunk by chunk with vips",
                    "chunks of {n} files through vips",
                ],
                {},
                7,
                0,
                ["steady"],
            ),
        ],
        11,
        {"host": ["a", "b", "c"]},
    ),
    [("warning", ["imagemagick"], ""), ("advice", ["vips"], "")],
)
HELD["care"] = (
    world(
        "car",
        "客服",
        ["回复客户{n}的来信", "处理工单{n}", "给客户{n}一个答复"],
        [
            (
                ["直接发标准话术", "套用标准话术回复", "标准话术复制过去"],
                {"客户": "投诉"},
                0,
                6,
                ["客户更生气了"],
            ),
            (
                ["直接发标准话术", "套用标准话术回复", "标准话术复制过去"],
                {"客户": "咨询"},
                7,
                0,
                ["客户满意"],
            ),
            (
                ["先致歉再打电话", "致歉并电话回访", "打电话致歉，问清原因"],
                {"客户": "投诉"},
                6,
                0,
                ["撤诉了"],
            ),
        ],
        12,
    ),
    [("warning", ["标准话术"], "投诉"), ("advice", ["致歉"], "")],
)
HELD["dump"] = (
    world(
        "dmp",
        "",
        ["备份{x}库", "把{x}数据库备份到对象存储", "给订单库做一次全量备份", "数据库存个档"],
        [
            (
                ["直接 mysqldump 全库", "mysqldump 导出全库", "跑 mysqldump"],
                {"时间": "白天"},
                0,
                6,
                ["主库卡顿，业务告警"],
            ),
            (["直接 mysqldump 全库", "mysqldump 导出全库", "跑 mysqldump"], {"时间": "凌晨"}, 7, 0, [""]),
        ],
        13,
        {"机房": ["东", "西"]},
    ),
    [("warning", ["mysqldump"], "白天")],
)
HELD["merge"] = (
    world(
        "mrg",
        "review",
        ["land pull request {n}", "get change {n} into main", "finish PR {n}"],
        [
            (
                [
                    "merge as soon as CI is green",
                    "merged on green CI alone",
                    "green CI, merged without review",
                ],
                {},
                1,
                6,
                ["reverted the next day"],
            ),
            (
                [
                    "ask the code owner for a review first",
                    "wait for the code owner's review",
                    "code owner review, then merge",
                ],
                {},
                6,
                0,
                ["caught a bug"],
            ),
        ],
        14,
        {"size": ["s", "m", "l"]},
    ),
    [("warning", ["green"], ""), ("advice", ["owner"], "")],
)
HELD["tf"] = (
    world(
        "tfm",
        "",
        [
            "roll out the new network rules",
            "apply the {x} infrastructure change",
            "change the instance size of {x}",
            "update firewall set {n}",
        ],
        [
            (
                [
                    "terraform apply -auto-approve",
                    "ran terraform apply -auto-approve",
                    "apply with -auto-approve",
                ],
                {"env": "prod"},
                0,
                6,
                ["it destroyed the old volume"],
            ),
            (
                [
                    "terraform apply -auto-approve",
                    "ran terraform apply -auto-approve",
                    "apply with -auto-approve",
                ],
                {"env": "dev"},
                7,
                0,
                [""],
            ),
        ],
        15,
        {"region": ["eu", "us"]},
    ),
    [("warning", ["auto-approve"], "prod")],
)
HELD["none1"] = (
    world(
        "nn1",
        "",
        [
            "plan the team lunch",
            "find a room for {n} people",
            "pick a date for the offsite",
            "book a table for {n}",
        ],
        [(["sent a poll", "asked around", "chose it myself", "proposed two dates"], {}, 14, 8, ["", ""])],
        16,
        {"season": ["w", "s"]},
    ),
    [],
)
HELD["none2"] = (
    world(
        "nn2",
        "",
        ["整理{n}号文件夹", "把资料归档", "清理桌面文件"],
        [(["按日期分类", "按项目分类", "全部打包", "先删重复"], {}, 12, 9, [""])],
        17,
        {"盘": ["C", "D"]},
    ),
    [],
)
HELD["paper"] = (
    world(
        "ppr",
        "",
        ["排版第{n}章", "把论文格式改成期刊要求", "调整学位论文的目录和页码", "按模板排好投稿稿件"],
        [
            (
                ["用 Word 手动排版", "Word 里手工调格式", "在 Word 中逐段改样式"],
                {},
                1,
                6,
                ["目录全乱了", "编号错位"],
            ),
            (["套 LaTeX 模板", "改用 LaTeX 模板编译", "LaTeX 官方模板直接编译"], {}, 6, 0, ["一次过"]),
        ],
        18,
    ),
    [("warning", ["word"], ""), ("advice", ["latex"], "")],
)
HELD["flaky"] = (
    world(
        "flk",
        "test",
        ["fix the failing test {n}", "find out why {x} tests are red", "make the suite green again"],
        [
            (
                ["rerun the whole suite", "run the full suite again", "rerun all tests of the suite"],
                {},
                1,
                6,
                ["an hour lost"],
            ),
            (
                [
                    "run the failing test alone with -x",
                    "only the failing test, alone, verbose",
                    "isolate the failing test and run it alone",
                ],
                {},
                7,
                0,
                ["saw the cause at once"],
            ),
        ],
        19,
    ),
    [("warning", ["suite"], ""), ("advice", ["alone"], "")],
)
HELD["api"] = (
    world(
        "api",
        "",
        [
            "fetch the profiles of {n} users",
            "download all orders since March",
            "sync contacts from the CRM",
            "pull {n} tickets out of the helpdesk",
        ],
        [
            (
                [
                    "call the API with 50 parallel workers",
                    "50 workers in parallel",
                    "parallel requests with {n} workers",
                ],
                {},
                0,
                6,
                ["429 too many requests"],
            ),
            (
                [
                    "one request at a time with backoff",
                    "sequential requests and exponential backoff",
                    "slow sequential loop with backoff",
                ],
                {},
                6,
                0,
                ["finished"],
            ),
        ],
        20,
    ),
    [("warning", ["parallel", "workers"], ""), ("advice", ["backoff"], "")],
)
big = {"size": "large", "db": "pg"}
small = {"size": "small", "db": "pg"}
LIVED["mig"] = (
    lived(
        "mig",
        "",
        [
            (
                "add a nullable column to orders",
                "altered the table directly in one transaction",
                False,
                big,
                "lock held 4 min",
            ),
            (
                "users needs a new phone column",
                "ran ALTER TABLE straight on production data",
                False,
                big,
                "users could not log in",
            ),
            (
                "extend invoices with a currency field",
                "direct ALTER TABLE during the day",
                False,
                big,
                "table locked",
            ),
            ("new flag on payments", "plain alter table, no tooling", False, big, "timeouts everywhere"),
            ("add index column to events", "altered table directly", False, big, "blocked writers"),
            ("add a comment column to tags", "altered the table directly", True, small, ""),
            ("put a colour field on labels", "direct alter table", True, small, "instant"),
            ("settings table: new column theme", "ran ALTER TABLE straight away", True, small, ""),
            ("add note to coupons", "plain alter table", True, small, "quick"),
            ("roles needs a description", "altered table directly", True, small, ""),
            ("add status to shipments", "used gh-ost to copy in the background", True, big, "nobody noticed"),
            ("sessions: add device column", "gh-ost migration overnight", True, big, ""),
            ("add locale to customers", "let gh-ost do the change online", True, big, "zero downtime"),
            ("carts get a source field", "online change with gh-ost", True, big, ""),
            ("add score to reviews", "gh-ost online schema change", True, big, ""),
        ],
        31,
    ),
    [("warning", ["alter"], "large"), ("advice", ["gh-ost"], "")],
)
LIVED["meet"] = (
    lived(
        "met",
        "日程",
        [
            ("约张总开会", "周五下午发的邀请邮件", False, {"星期": "五"}, "没回"),
            ("和设计组定评审时间", "周五傍晚发邮件约时间", False, {"星期": "五"}, "周一才看到"),
            ("约供应商面谈", "发了邮件邀请对方挑时间", False, {"星期": "五"}, "石沉大海"),
            ("安排季度复盘", "邮件群发了邀请", False, {"星期": "五"}, "一半人没看"),
            ("约法务过合同", "发邮件请法务定时间", False, {"星期": "五"}, ""),
            ("定项目启动会", "发邮件邀请各组", True, {"星期": "二"}, "当天都确认了"),
            ("约HR聊招聘", "写邮件约了时间", True, {"星期": "三"}, ""),
            ("跟财务对预算", "邮件里给了两个时间段", True, {"星期": "二"}, "选了第一个"),
            ("组织读书会", "发邮件邀请大家报名", True, {"星期": "三"}, ""),
            ("约产品经理过需求", "邮件约的", True, {"星期": "二"}, ""),
        ],
        32,
    ),
    [("warning", ["邮件"], "五")],
)
LIVED["deb"] = (
    lived(
        "deb",
        "",
        [
            (
                "login page crashes on submit",
                "guessed at the cause and patched the form handler",
                False,
                {},
                "wrong place",
            ),
            ("checkout returns 500", "guessed it was the cache and cleared it", False, {}, "came back"),
            ("search shows stale results", "made a guess and changed the TTL", False, {}, "no effect"),
            ("image upload hangs", "patched the uploader on a guess", False, {}, "still hangs"),
            ("export job dies at night", "guessed memory and doubled it", False, {}, "died again"),
            (
                "profile picture missing",
                "reproduced it with a failing test first, then fixed",
                True,
                {},
                "clear at once",
            ),
            ("report totals are off by one", "wrote a failing test, then the fix", True, {}, ""),
            (
                "mails are sent twice",
                "failing test to reproduce, then patched the queue",
                True,
                {},
                "sure it is gone",
            ),
            ("timezone bug in calendar", "reproduced with a test before touching code", True, {}, ""),
            ("pagination skips a row", "test that fails, fix, test passes", True, {}, ""),
            ("session expires early", "started with a failing test that reproduces it", True, {}, ""),
        ],
        33,
    ),
    [("warning", ["guess"], ""), ("advice", ["test"], "")],
)
LIVED["doc"] = (
    lived(
        "dok",
        "",
        [
            ("总结这份三十页的合同", "整篇一次性丢给模型", False, {}, "漏了违约条款"),
            ("读一下招标文件并列出要求", "把全文一次性贴进去让模型总结", False, {}, "后半截没看"),
            ("整理会议录音的要点", "一次性把全部文字稿给模型", False, {}, "张冠李戴"),
            ("概括这本手册", "全文一次性输入", False, {}, "太泛"),
            ("提炼年报重点", "整份年报一次性输入模型", False, {}, "数字错了"),
            ("总结租赁协议", "按章节分段总结再合并", True, {}, "条款齐全"),
            ("梳理技术方案", "分段处理，每段先摘要", True, {}, ""),
            ("摘要这篇论文", "分成小段逐段摘要，最后汇总", True, {}, "准确"),
            ("把访谈记录归纳一下", "分段读，逐段记要点", True, {}, ""),
            ("归纳用户反馈", "先分段再归纳", True, {}, ""),
            ("浓缩这份白皮书", "切成段落分段摘要", True, {}, ""),
        ],
        34,
    ),
    [("warning", ["一次性"], ""), ("advice", ["分段"], "")],
)
LIVED["nul"] = (
    lived(
        "nul",
        "",
        [
            (t, a, i % 5 not in (1, 3), {"m": "ab"[i % 2]}, "")
            for i, (t, a) in enumerate(
                [
                    ("water roses", "by can"),
                    ("mow the lawn", "electric mower"),
                    ("trim the hedge", "shears"),
                    ("plant tulips", "dug by hand"),
                    ("rake leaves", "rake"),
                    ("weed the path", "by hand"),
                    ("water the lawn", "sprinkler"),
                    ("prune the apple tree", "saw"),
                    ("sow carrots", "in rows"),
                    ("repot the fern", "new soil"),
                    ("water tomatoes", "by can"),
                    ("cut the grass", "electric mower"),
                    ("clean the pond", "net"),
                    ("feed the birds", "seeds"),
                    ("trim the ivy", "shears"),
                ]
            )
        ],
        35,
    ),
    [],
)
LIVED["lint"] = (
    lived(
        "lnt",
        "code",
        [
            ("tidy module a", "ran the formatter before editing", True, {"lang": "go"}, ""),
            ("refactor b", "formatter first and then the edit", True, {"lang": "go"}, ""),
            ("clean c", "formatted before the edit", True, {"lang": "go"}, ""),
            ("rework d", "formatter before anything else", True, {"lang": "go"}, ""),
            ("simplify e", "formatter ran first", True, {"lang": "go"}, ""),
            ("tidy f", "edited by hand and skipped the formatter", False, {"lang": "go"}, "CI red"),
            ("refactor g", "edit without formatter", False, {"lang": "go"}, "CI complained"),
            ("clean h", "hand edit, no formatter", False, {"lang": "go"}, "style check failed"),
            ("rework i", "edited, forgot the formatter", False, {"lang": "go"}, ""),
            ("simplify j", "plain hand edit without formatting", False, {"lang": "go"}, ""),
        ],
        36,
    ),
    [("advice", ["format"], ""), ("warning", ["edit"], "")],
)


def noise() -> list[Episode]:
    """Sixty episodes that teach nothing."""
    r = random.Random(99)
    tasks = [
        "water the plants",
        "call the plumber about unit {n}",
        "translate page {n}",
        "整理会议纪要",
        "write a haiku for {n}",
        "tidy the backlog",
        "给{n}号楼换灯泡",
        "review the budget of May",
        "draw a logo sketch",
        "查一下{n}路公交",
        "convert {n} miles",
        "sing a song",
        "约牙医",
    ]
    actions = [
        "did it by hand",
        "asked for help",
        "wrote a small script",
        "打电话问的",
        "looked it up",
        "used a spreadsheet",
        "按老办法",
    ]
    return [
        Episode(
            f"ep-noise{n:03}",
            r.choice(tasks).format(n=n),
            {"day": r.choice(["mon", "tue", "wed"])},
            r.choice(actions),
            "",
            r.random() < 0.65,
            round(r.random(), 2),
            iso_time(1_760_300_000 + n * 9000),
            "",
            r.choice(["", "", "chores"]),
        )
        for n in range(60)
    ]


def nothing(seed: int) -> list[Episode]:
    """A world whose outcomes are chance."""
    r = random.Random(seed)
    share, number, place = r.choice([0.4, 0.5, 0.6, 0.7, 0.8]), r.randint(15, 40), seed % 3
    tasks = (
        ["answer a question about {n}", "reply to visitor {n}", "tell guest {n} the way"],
        ["处理工单{n}", "回复来信{n}", "整理资料{n}"],
        ["tidy the table {n}", "clean up report {n}", "update sheet {n}"],
    )
    actions = (
        [
            "looked it up in the handbook",
            "checked the handbook",
            "asked a colleague",
            "answered from memory",
            "searched the wiki",
        ],
        ["打电话问的", "按老办法", "查手册", "问同事", "自己琢磨"],
        ["ran the script", "used the script again", "did it by hand", "manual edit", "let the tool do it"],
    )
    return [
        Episode(
            f"ep-{k:03}",
            r.choice(tasks[place]).format(n=r.randint(2, 99)),
            {"a": r.choice("xy"), "b": r.choice("pqr")},
            r.choice(actions[place]),
            "",
            r.random() < share,
            0.5,
            iso_time(1_760_000_000 + k * 5000),
            "",
            "t" if seed % 2 else "",
        )
        for k in range(number)
    ]
