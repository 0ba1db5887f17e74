"""What two agents propose to one person in three weeks, in both languages, written for these tests.

``WORD`` is what the person trusts already, ``REFUSED`` what they turned down; ``candidates(count)`` are the proposals:
lessons of ``agent_notes``, among them what opposes, replaces or repeats the person's word, what was turned down in
other words, keys, private facts, and beyond 95 the lessons of further services.
"""

import json
from pathlib import Path
from typing import NamedTuple

AGENTS = ("claude", "codex")

WORD: tuple[tuple[str, str], ...] = (
    ("发布计费网关", "周五下午不要发布，留到周一上午"),
    ("merging a pull request", "always squash the commits before merging"),
    ("making screenshots for the docs", "use the dark theme"),
    ("用户的住址", "用户住在北京"),
    ("choosing a drink for the user", "the user drinks coffee in the morning"),
    ("比较方案", "用表格比较方案，不要写长段落"),
    ("connecting to staging", "the staging database is stage-01"),
    ("committing code", "run the linter before every commit"),
    ("安排会议", "会议一律安排在上午"),
    ("writing an incident report", "report all times in UTC"),
)

REFUSED: tuple[tuple[str, str], ...] = (
    ("answering", "the user wants all answers in English"),
    ("写代码注释", "代码注释一律用英文写"),
    ("a build is slow", "skip the tests when the build is slow"),
)


class Candidate(NamedTuple):
    """One proposal: what it is, when it applies, what it says, whom it is about."""

    kind: str
    when: str
    text: str
    about: str = "work"

    @property
    def row(self) -> str:
        """The proposal as a line for ``memorize --from``."""
        return json.dumps(
            {"trigger": self.when, "payload": self.text, "about": self.about}, ensure_ascii=False
        )


_SPECIAL = (
    Candidate("opposes", "发布计费网关", "周五下午可以发布，不用留到周一上午"),
    Candidate("repeats", "committing code", "before every commit, run the linter"),
    Candidate("secret", "调用高德接口", "请求里带 sk-proj-4fK9aQ2LxT7vB1nM8cZ3eR6yW5uH0jD2"),
    Candidate("replaces", "用户的住址", "用户住在上海", "user"),
    Candidate("refused", "answering the user", "all answers shall be in English, the user wants it", "user"),
    Candidate("opposes", "merging a pull request", "never squash the commits before merging"),
    Candidate("private", "联系用户", "用户的手机号是 13812345678", "user"),
    Candidate("replaces", "connecting to staging", "the staging database is stage-02"),
    Candidate("repeats", "比较方案", "比较方案用表格，不要写长段落", "user"),
    Candidate("opposes", "making screenshots for the docs", "do not use the dark theme"),
    Candidate("secret", "pushing to the registry", "log in with ghp_a8Kd3LmQ9xZ2vT7rB5nW1cY6uH4jE0sPqR8f"),
    Candidate("refused", "写注释", "代码里的注释一律写英文"),
    Candidate("private", "实名认证", "用户的身份证号是 11010519491231002X", "user"),
    Candidate("opposes", "安排会议", "会议不要安排在上午", "user"),
    Candidate("replaces", "choosing a drink for the user", "the user drinks tea in the morning", "user"),
    Candidate("repeats", "writing an incident report", "all times are reported in UTC"),
    Candidate("note", "a test run failed", "rerun only the failed tests first: pytest --lf -x"),
    Candidate("note", "a test run failed again", "first rerun only the failed tests, with pytest --lf -x"),
    Candidate("opposes", "choosing a drink for the user", "the user drinks no coffee in the morning", "user"),
    Candidate("private", "booking a trip", "the user's card is 4111 1111 1111 1111", "user"),
    Candidate("refused", "a slow build", "when the build is slow, skip the tests"),
    Candidate("note", "车辆离线超过十分钟", "依次查 SIM 卡流量、终端供电，最后才怀疑服务"),
    Candidate("note", "comparing two JSON files", "sort the keys first: diff <(jq -S . a) <(jq -S . b)"),
    Candidate("repeats", "发布计费网关", "周五下午不发布，留到周一上午"),
    Candidate("private", "写信给用户", "用户的邮箱是 li.ming@example.org", "user"),
    Candidate("note", "周末早上", "用户十点前去湖边跑步，不看消息", "user"),
    Candidate("note", "learning Rust", "the user reads one chapter of the Rust book a week", "user"),
    Candidate("opposes", "writing an incident report", "do not report times in UTC"),
    Candidate("note", "围栏告警反复触发", "按 reported_at 去重，补传的旧点不触发告警"),
    Candidate("replaces", "making screenshots for the docs", "use the light theme"),
    Candidate("note", "提醒买咖啡豆", "提醒只放在上午，下午用户不看", "user"),
    Candidate("note", "merging during a freeze", "only hotfixes, and each needs two approvals"),
    Candidate("note", "planning maintenance", "the nightly backup runs at 02:30"),
    Candidate("repeats", "merging a pull request", "squash the commits always before merging"),
    Candidate("note", "导出报表很慢", "报表走只读副本，不要查主库"),
)

_SERVICES = [
    "orders",
    "search",
    "billing",
    "catalog",
    "session",
    "geofence",
    "invoice",
    "payout",
    "mail",
    "audit",
    "import",
    "export",
    "stock",
    "price",
]
_LESSONS = (
    ("the {name} service answers 503", "restart its {name}-worker first: it holds the lease for {n} seconds"),
    ("{name} 服务上线", "{name} 先放 {n}% 流量，看二十分钟错误率再放开"),
    ("a {name} migration", "the {name} tables are locked for about {n} s per million rows"),
    ("查 {name} 的慢请求", "{name} 的慢日志阈值是 {n} 毫秒，先看连接池再看索引"),
    ("testing {name}", "seed {name} with {n} rows: below that the planner scans"),
    ("{name} 报警太多", "{name} 的报警合并窗口设为 {n} 分钟"),
    ("{name} cache is cold", "warm {name} with the top {n} keys before the switch"),
    ("备份 {name}", "{name} 的备份保留 {n} 天，恢复前先核对校验和"),
    ("{name} rate limits", "clients of {name} get {n} requests per second, bursts of twice that"),
    ("{name} 的日志", "{name} 的日志按 {n} 小时切分，归档在对象存储里"),
    ("upgrading {name}", "{name} needs its sidecar at version 1.{n} or it refuses the handshake"),
    ("{name} 重试", "{name} 失败后最多重试 {n} 次，间隔翻倍"),
    ("load on {name}", "one {name} pod takes {n} connections; scale out, not up"),
    ("{name} 配额", "{name} 每个租户的配额是 {n} GB，超出后只读"),
    ("debugging {name} locally", "start {name} with its port {n}00 and the fake clock"),
)


def candidates(count: int) -> tuple[Candidate, ...]:
    """The first ``count`` proposals (at most 305): ordinary lessons, every second or third one of another kind."""
    notes = []
    for line in (Path(__file__).parent / "agent_notes/docs.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        about = "user" if any(word in row["meta"]["trigger"] for word in ("user", "用户")) else "work"
        notes.append(Candidate("note", row["meta"]["trigger"], row["text"], about))
    # English and Chinese by turns: the file has all of the one before the other.
    notes = [note for pair in zip(notes[:30], notes[30:], strict=True) for note in pair]
    special = list(_SPECIAL)
    found: list[Candidate] = []
    while notes or special:
        found += notes[:2] if len(notes) > len(special) or not special else notes[:1]
        del notes[: 2 if len(notes) > len(special) or not special else 1]
        found += special[:1]
        del special[:1]
    further = (
        Candidate("note", when.format(name=name), text.format(name=name, n=3 + 7 * at % 19 + row))
        for at, name in enumerate(_SERVICES)
        for row, (when, text) in enumerate(_LESSONS)
    )
    return (*found, *further)[:count]
