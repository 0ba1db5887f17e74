"""What somebody mistypes who writes Chinese: full-width signs, another dash, a date of here, a name in characters."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from alice_exp.caller.project import spot_at
from alice_exp.kernel.jsonc.reader import parse
from alice_exp.terminal import language
from tests.case_tables import table
from tests.conftest import Call


@pytest.fixture
def zh(home: Path, cli: Call) -> Iterator[Call]:
    """A command in Chinese in a new home, whatever it ends with."""
    yield lambda *arguments: cli("--lang", "zh", *arguments, check=False)
    language.choose("")


@table("text", "column", "said")
def test_a_full_width_sign_in_a_file_is_named_with_the_one_that_belongs_there(
    text: str, column: int, said: str
) -> None:
    problem = parse(text.encode()).problem
    assert problem is not None
    assert problem.column == column
    assert f"{problem.values['char']}写成半角的 {problem.values['plain']}" == said


def test_full_width_signs_within_a_text_are_its_own() -> None:
    assert parse('{"blocks": [{"payload": "甲，“乙”：【丙】"}]}'.encode()).problem is None


def test_a_text_that_a_full_width_quote_was_to_end(home: Path, zh: Call) -> None:
    (home / "experiences/personal/a.jsonc").write_text('{"blocks": [{"payload": "甲”}]}', encoding="utf-8")
    assert '用半角的 " 结束，不是全角的 ”' in zh("check").stdout


def test_a_line_of_jsonl_is_explained_as_a_file_is(zh: Call, tmp_path: Path) -> None:
    (tmp_path / "行.jsonl").write_text("{“payload”: “甲”}\n", encoding="utf-8")
    done = zh("memorize", "--from", str(tmp_path / "行.jsonl"))
    assert done.code == 3
    assert done.stderr.endswith(':1:2: 这一行不是 JSON：“ 是全角符号，请写成半角的 "\n')


@pytest.mark.parametrize("dash", ["—", "——", "－－", "–"])
def test_an_option_behind_another_dash(dash: str, zh: Call) -> None:
    done = zh("recall", "火锅", f"{dash}top", "5")
    assert done.code == 2
    assert "想输入的是 --top 吗" in done.stderr


def test_names_that_cannot_be_say_what_a_name_is(zh: Call) -> None:
    for arguments in (
        ("namespace", "create", "universal/菜谱"),
        ("memorize", "甲", "--namespace", "universal/工具"),
        ("--actor", "agent:小明", "list"),
    ):
        done = zh(*arguments)
        assert (done.code, "小写" in done.stderr) == (2, True), arguments


def test_a_day_is_a_day_of_the_home(zh: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    zh("config", "set", "timezone", "Asia/Shanghai")
    monkeypatch.setenv("ALICE_NOW", "2026-03-01T17:00:00Z")  # one o'clock in the night of 2 March in Shanghai
    zh("remember", "夜里记的")
    for command in ("log", "list"):
        assert zh(command, "--since", "2026-03-02", "--json").stdout.count('"exp-') == 1, command
        assert zh(command, "--since", "2026-03-03", "--json").stdout.count('"exp-') == 0, command
    zh("event", "add", "夜里想的")
    assert "2026-03-02 01:00" in zh("event", "narrative").stdout
    assert "2026-03-02 01:00" in zh("event", "search", "夜里想的").stdout


def test_a_reference_day_that_is_none_is_a_usage_error(zh: Call) -> None:
    assert zh("session", "search", "钢琴", "--now", "随便哪天").code == 2


def test_an_empty_actor_or_home_is_not_the_default(zh: Call) -> None:
    for option in ("--actor", "--home"):
        done = zh(option, "", "list")
        assert (done.code, f"{option} 是空的" in done.stderr) == (2, True)


def test_what_no_hook_left_is_nothing_to_finish(zh: Call) -> None:
    assert zh("hook", "--finish").code == 0


def test_a_role_that_is_none_is_named(zh: Call) -> None:
    assert "'用户' 不是角色" in zh("session", "say", "talk", "用户", "你好").stderr


def test_an_argument_that_is_empty_is_named_as_the_help_names_it(zh: Call) -> None:
    assert "alice-exp: TEXT 是空的" in zh("session", "say", "talk", "").stderr


@table("arguments", "said")
def test_a_mistake_is_said_in_chinese_and_as_it_was_made(
    arguments: tuple[str, ...], said: str, zh: Call
) -> None:
    done = zh(*arguments)
    assert (done.code != 0, said in done.stderr) == (True, True), done.stderr


def test_a_language_behind_an_equals_sign_is_that_of_the_help(home: Path, cli: Call) -> None:
    assert cli("recall", "--lang=zh", "-h").stdout.startswith("用法：")
    language.choose("")


def test_a_branch_may_have_a_name_in_any_script(home: Path, zh: Call) -> None:
    (home / "experiences/.git/HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    head = (home / "experiences/.git/refs/heads/main").read_text()
    (home / "experiences/.git/refs/heads/试验").write_text(head)
    (home / "experiences/.git/HEAD").write_text("ref: refs/heads/试验\n", encoding="utf-8")
    assert zh("remember", "在分支上").code == 0
    assert (home / "experiences/.git/refs/heads/试验").read_text() != head
    (home / "experiences/.git/HEAD").write_text(head)
    assert "HEAD 不在任何分支上" in zh("remember", "游离").stderr


@table("reply", "said")
def test_a_reply_in_traditional_characters_or_signs(reply: str, said: str, zh: Call) -> None:
    zh("memorize", "甲")
    zh("heartbeat")
    assert said in zh("reply", reply, "--dry-run", "--yes").stdout


def test_numbers_are_named_to_approve_as_to_reply(zh: Call) -> None:
    for text in ("甲", "乙", "丙"):
        zh("memorize", text)
    zh("heartbeat")
    assert zh("approve", "1-2,3", "--dry-run", "--yes").stdout.count("将被同意") == 3
    assert zh("reject", "1、3", "--dry-run").stdout.count("将被拒绝") == 2
    assert zh("reject", "9-1").code != 0


def test_words_that_tables_show_may_be_written(zh: Call) -> None:
    assert zh("memorize", "甲", "--type", "规则", "--about", "工作").code == 0
    for arguments in (("--type", "规则"), ("--state", "可能"), ("--set", "低价值")):
        assert "甲" in zh("list", *arguments).stdout, arguments
        assert zh("list", arguments[0], "没有的").code == 2
    zh("heartbeat")
    zh("approve", "1", "--yes")
    found = zh("list", "--json").json["blocks"][0]["id"]
    assert zh("outcome", found, "成功").code == 0


def test_a_list_of_nothing_says_so(zh: Call) -> None:
    for command in (("log", "--op", "purge"), ("episode", "list"), ("namespace", "show", "api_patterns")):
        done = zh(*command)
        assert (done.code, "没有可显示的内容" in done.stderr) == (0, True), command


def test_the_examples_of_help_are_in_the_language_of_the_help(zh: Call) -> None:
    assert "alice-exp remember 我喜欢用表格 --when 比较方案" in zh().stdout
    assert "--reason 我没这么说" in zh("reject", "-h").stdout
    assert '--reason "构建改用 uv 了"' in zh("retire", "exp-22222222").stderr


def test_a_key_of_a_file_is_named_as_it_stands_there(zh: Call, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"payload": "甲", "type": "规则"}\n', encoding="utf-8")
    assert '"type" 应为' in zh("memorize", "--from", str(tmp_path / "a.jsonl")).stderr


def test_the_mark_of_a_project_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    (tmp_path / ".alice-project").write_text("项目甲\n", encoding="utf-8-sig")
    assert spot_at(tmp_path).named == "项目甲"


def test_a_name_that_no_peer_can_have_is_refused_before_anybody_waits(zh: Call) -> None:
    assert "不能作网络上的名字" in zh("config", "set", "sharing.name", "小王").stderr
    for command in (("peer", "invite"), ("peer", "join", "7-k3m-x9p")):
        done = zh(*command, "--as", "小王", "--yes")
        assert (done.code, "不能作同伴的名字" in done.stderr) == (2, True), command


def test_evidence_is_told_in_chinese(zh: Call) -> None:
    found = zh("remember", "甲", "--json").json["id"]
    zh("outcome", found, "ok", "--scenario", "乙")
    for command in ("why", "show"):
        assert "结果  成功  乙" in zh(command, found).stdout, command
