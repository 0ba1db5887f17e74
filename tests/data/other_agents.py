"""A second person and two other agents, three weeks: none of its texts was read while a rule was tuned.

The form is that of ``two_agents``. The kinds tell what a candidate is to what is trusted by then: ``repeats`` it word for
word or nearly, ``rewords`` it, ``opposes`` it, ``replaces`` its value; ``refused`` says in other words what was turned
down; ``elsewhere`` is like something trusted, of another project, person or machine, and contradicts nothing.
"""

from tests.data.two_agents import Candidate

AGENTS = ("cursor", "gemini")

WORD: tuple[tuple[str, str], ...] = (
    ("部署到测试环境", "测试环境的域名是 qa.lanhu.cn"),
    ("寄东西给用户", "用户家住在成都高新区"),
    ("reviewing a change", "comments in a review are written in English"),
    ("running database migrations", "migrations run at night, never during the day"),
    ("写接口", "接口返回的时间一律用毫秒时间戳"),
    ("choosing a chart library", "charts are drawn with ECharts"),
    ("安排会议", "周三下午不安排会议，留给写代码"),
    ("ordering lunch", "the user eats no pork"),
    ("提交代码", "提交之前先跑一遍 eslint"),
    ("storing uploaded files", "uploads are kept for 30 days"),
    ("问用户问题", "一次只问一个问题"),
    ("on-call hand-over", "the on-call rota changes every Monday morning"),
    ("起变量名", "布尔变量以 is 或 has 开头"),
    ("a customer complains", "answer a complaint within two hours"),
)

REFUSED: tuple[tuple[str, str], ...] = (
    ("回答问题", "回答时多用表情符号"),
    ("a flaky test", "mark flaky tests as skipped"),
    ("写代码", "每个函数都要写注释"),
    ("planning the week", "the user wants a reminder every morning at seven"),
    ("缓存", "所有接口默认缓存一小时"),
)

_N = Candidate

STORY: tuple[Candidate, ...] = (
    _N("note", "打包很慢", "vite 打包慢先看是不是有循环依赖，用 madge 查"),
    _N("note", "a pod keeps restarting", "look at the previous log first: kubectl logs -p"),
    _N("repeats", "提交代码", "提交之前，先跑一遍 ESLint。"),
    _N("note", "用户的作息", "用户晚上十一点以后不回消息", "user"),
    _N("note", "writing SQL", "name every column instead of using select star"),
    # 2
    _N("opposes", "reviewing a change", "comments in a review are not written in English"),
    _N("secret", "调用短信平台", "短信平台的 appSecret 是 9d8f7a6b5c4e3d2f1a0b"),
    _N("note", "小程序白屏", "真机白屏多半是基础库版本太低，先看 2.19 以下的用户占比"),
    _N("note", "reading a stack trace", "start at the lowest frame that is ours"),
    # 3
    _N("replaces", "部署到测试环境", "测试环境的域名换成 qa2.lanhu.cn 了"),
    _N("note", "用户的喜好", "用户喝手冲咖啡，不加奶", "user"),
    _N("elsewhere", "reviewing a change", "commit messages are written in Chinese"),
    _N("note", "压测", "压测前先关掉限流，压完记得打开"),
    _N("refused", "回复用户", "回答里要多放一些表情符号", "user"),
    # 4
    _N("rewords", "提问", "不要一下子抛出好几个问题，一个一个来", "user"),
    _N("note", "docker compose fails to start", "remove the orphaned volume: docker compose down -v"),
    _N("note", "写正则", "复杂的正则拆成几步，写上例子"),
    _N("private", "联系用户", "用户的手机是 177 6512 0938", "user"),
    # 5
    _N("opposes", "running database migrations", "migrations may run during the day"),
    _N("note", "用户的家人", "用户的女儿叫小米，今年上三年级", "user"),
    _N("note", "comparing two branches", "use git range-diff after a rebase"),
    _N("note", "图片太大", "首屏图片转成 webp，超过 200 KB 的不许进仓库"),
    # 6
    _N("repeats", "on-call hand-over", "The on-call rota changes each Monday morning"),
    _N("elsewhere", "storing uploaded files", "logs are kept for 14 days"),
    _N("note", "接口报 413", "413 是 nginx 的 client_max_body_size，改到 20m"),
    _N("note", "the build cache is stale", "delete the .turbo folder, not node_modules"),
    _N("note", "用户的运动", "用户周末早上骑车，九点以后才看手机", "user"),
    # 7
    _N("replaces", "storing uploaded files", "uploads are kept for 90 days"),
    _N("note", "写文档", "文档里的命令都要能直接复制执行"),
    _N("secret", "pushing images", "docker login with token dckr_pat_Zk3vXq9TnB7mLw2RcY5dP8sJf1H"),
    _N("note", "a slow page", "check the waterfall for blocking fonts before touching the code"),
    # 8
    _N("opposes", "起变量名", "布尔变量不要以 is 或 has 开头"),
    _N("refused", "dealing with a flaky test", "skip tests that are flaky"),
    _N("note", "数据导出", "导出超过五万行走异步，完成后发邮件"),
    _N("note", "用户的语言", "用户读英文文档没问题，但要中文总结", "user"),
    _N("elsewhere", "部署到测试环境", "测试环境的数据库是 pg-qa-01"),
    # 9
    _N("rewords", "a customer complains", "complaints have to be answered in at most two hours"),
    _N(
        "note",
        "java.lang.OutOfMemoryError",
        "dump the heap first, then restart; a restart loses the evidence",
    ),
    _N("note", "跨域报错", "预检请求 OPTIONS 要放过鉴权"),
    _N("note", "reading logs", "filter by the request id, never by time alone"),
    # 10
    _N("replaces", "寄东西给用户", "用户搬家了，现在住在重庆渝北区", "user"),
    _N("note", "改表结构", "加字段先允许为空，回填完再加约束"),
    _N("note", "mocking time", "inject a clock; do not patch datetime"),
    _N("elsewhere", "ordering lunch", "the user's wife eats no beef", "user"),
    _N("note", "用户的书", "用户在读《置身事内》，聊经济的时候可以提", "user"),
    # 11
    _N("repeats", "压测", "压测之前先关掉限流，压完要记得打开"),
    _N("private", "报销", "用户的银行卡号是 6217 0010 1234 5678 906", "user"),
    _N(
        "note",
        "a websocket drops",
        "the load balancer cuts idle connections after 60 s: send a ping every 25",
    ),
    _N("note", "发邮件", "给领导的邮件先写结论", "user"),
    # 12
    _N("opposes", "ordering lunch", "the user eats pork", "user"),
    _N("note", "iOS 上日期不对", "Safari 不认 2026-03-01 10:00 这种写法，要换成斜杠或 ISO"),
    _N("note", "npm audit", "fix what is reachable from production code, ignore dev tools"),
    _N("refused", "写注释", "函数都得带上注释"),
    _N("note", "旧接口下线", "先返回 Deprecation 头，观察两周没人调再删"),
    # 13
    _N("replaces", "choosing a chart library", "charts are drawn with D3 now instead of ECharts"),
    _N("rewords", "writing SQL", "avoid select star, list the columns that you need"),
    _N("note", "用户的电脑", "用户的笔记本是 M2 的 MacBook Air，只有 16G 内存", "user"),
    _N(
        "note",
        "a cron job did not run",
        "the pod's time zone is UTC, the schedule was meant as Shanghai time",
    ),
    # 14
    _N("elsewhere", "写接口", "接口的金额一律用分，整数"),
    _N("repeats", "mocking time", "inject a clock, do not patch datetime!"),
    _N("note", "灰度", "先给内部账号开，再按用户尾号 5% 放量"),
    _N("note", "用户的会议", "用户的例会在腾讯会议开", "user"),
    # 15
    _N("secret", "连生产库", "生产库连接串 postgres://ops:Kj8!wq2Lm@10.2.0.7:5432/main"),
    _N("opposes", "改表结构", "加字段不要允许为空"),
    _N("note", "a package fails to install", "clear the pip cache for that one package, not all"),
    _N("note", "内存泄漏", "先看定时器有没有清掉"),
    _N("elsewhere", "用户的家人", "用户的侄子叫小麦，今年上五年级", "user"),
    # 16
    _N("rewords", "旧接口下线", "下线老接口前要先标记废弃，确认两周内没有调用", "work"),
    _N("note", "choosing a date picker", "the user prefers native inputs on phones", "user"),
    _N("note", "kafka lag grows", "look at the slowest partition, one key is usually hot"),
    _N("note", "写测试", "一个测试只断言一件事"),
    _N("note", "写周报", "周报里写数字，不写形容词", "user"),
    # 17
    _N("replaces", "用户的电脑", "用户换了新笔记本，是 M4 的 MacBook Pro", "user"),
    _N("refused", "planning", "remind the user each morning at 7", "user"),
    _N("note", "nginx 502", "upstream 的 keepalive 要小于后端的空闲超时"),
    _N("note", "translating", "keep product names in English", "user"),
    # 18
    _N("opposes", "reading logs", "it is fine to filter logs by time alone"),
    _N("note", "前端埋点", "埋点放在路由守卫里，不要写进组件"),
    _N("elsewhere", "a customer complains", "answer a press inquiry within one day"),
    _N("note", "a deploy hangs", "check for a pending migration lock first"),
    _N("private", "办签证", "用户的身份证号 510104199003077516", "user"),
    # 19
    _N("repeats", "写测试", "一个测试只断言一件事情"),
    _N("replaces", "on-call hand-over", "the on-call rota changes every Wednesday morning"),
    _N("note", "接口分页", "分页用游标，不要用 offset"),
    _N("note", "用户的饮食", "用户胃不好，别推荐辣的", "user"),
    # 20
    _N(
        "rewords",
        "a pod keeps restarting",
        "when a pod restarts again and again, read the log of the previous container",
    ),
    _N("opposes", "接口分页", "分页可以用 offset"),
    _N("note", "renaming a column", "add the new one, copy, switch the readers, drop the old one"),
    _N("refused", "缓存策略", "接口默认都缓存一个小时"),
    _N("elsewhere", "灰度", "安卓包先给内部账号开，再按机型放量"),
    # 21
    _N("replaces", "用户的会议", "用户的例会改到飞书开了", "user"),
    _N("note", "a memory limit is hit", "raise the limit only after a profile"),
    _N("note", "合并冲突", "锁文件冲突就删掉重新生成"),
    _N("rewords", "翻译", "产品名保留英文", "user"),
    _N("opposes", "写周报", "周报里不要写数字", "user"),
)
