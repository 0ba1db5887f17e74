"""What people type who do not know the commands yet: other tools' names, slips, and which command each means."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from alice_exp.kernel.errors import Names, UsageError
from alice_exp.terminal.language import say

_MEANT: Mapping[str, str] = {
    "list": "ls dir blocks 列表 列出",
    "recall": "search find query ask grep 搜索 查找 回忆 查询",
    "show": "cat view get 查看",
    "why": "explain blame 为什么 解释",
    "log": "history 日志 历史",
    "memorize": "memorise",
    "heartbeat": "today report hb daily inbox pending 报告 今天 日报",
    "init": "setup 初始化",
    "help": "man usage commands 帮助",
    "config": "settings 配置 设置",
    "check": "fsck 检查",
    "--version": "version",
    "status": "状态",
    "review": "审阅",
}
"""By command its other names, which run it: nothing that takes trust or deletes has one."""

_NAMED: Mapping[str, str] = {
    "add new create save store note learn 记住 记下 添加": (
        "'alice-exp remember TEXT' keeps your own word, 'alice-exp memorize TEXT' a candidate"
    ),
    "rm remove delete forget 删除": (
        "'alice-exp reject' turns a candidate down, 'alice-exp retire' takes trust away, 'alice-exp purge' "
        "forgets for good"
    ),
    "set": "'alice-exp config set KEY VALUE' sets a key, 'alice-exp edit ID' opens a block",
    "update": "'alice-exp edit ID' opens a block in your editor; 'alice-exp config set' sets a key",
    "commit": "every act is a commit already; 'alice-exp log' shows them",
    "push": "'alice-exp sync' sends to your own machines; 'alice-exp share' is for other people",
    "pull": "'alice-exp sync' brings in what your other machines did",
    "clone": "'alice-exp init', then 'alice-exp sync add NAME URL --private'",
    "backup": "'alice-exp sync add NAME PATH --private' copies the home to another disk or machine",
    "start": "'alice-exp init' makes a home; 'alice-exp help' shows all commands",
    "login": "there is no account: 'alice-exp init' makes a home on this machine",
    "install": "'alice-exp connect HOST' puts this home into an agent's host",
    "accept": (
        "'alice-exp approve 1 3' trusts what the report numbered; 'alice-exp config accept KEY' takes a "
        "setting"
    ),
    "ok": (
        "'alice-exp approve 1 3' trusts what the report numbered; 'alice-exp outcome ID ok' reports a success"
    ),
    "yes 同意": (
        "'alice-exp approve 1 3' trusts what the report numbered, 'alice-exp reply' answers it in your own "
        "words"
    ),
    "no 拒绝": (
        "'alice-exp reject 2' turns down what the report numbered, 'alice-exp reply' answers it in your "
        "own words"
    ),
    "deny": (
        "'alice-exp reject 2' turns down what the report numbered; 'alice-exp share deny ID' keeps a block "
        "here"
    ),
    "decline": "'alice-exp reject 2' turns down what the report numbered",
    "revert rollback 撤销": "'alice-exp undo' takes acts back, 'alice-exp restore ID' brings a block back",
    "serve server": "'alice-exp mcp' serves an agent, 'alice-exp peer serve' other people's Alices",
    "tag": "'alice-exp edit ID' opens a block in your editor; 'alice-exp list --tag NAME' lists by tag",
    "open": "'alice-exp heartbeat --open' shows the report in the browser, 'alice-exp edit ID' opens a block",
    "quit exit": "nothing runs on: each command ends by itself; 'alice-exp help' shows them all",
    "ui tui": "'alice-exp review' decides with keys; 'alice-exp heartbeat --format html' writes a page",
}
"""By words that could mean several things, which run nothing, what there is."""

MEANT = {name: command for command, names in _MEANT.items() for name in names.split()}
NAMED = {word: told for words, told in _NAMED.items() for word in words.split()}


def meant(context: Any, table: Mapping[str, object], words: list[str]) -> list[str]:
    """The command that the first word stands for; ``UsageError`` with what it may have meant where that is unsure."""
    word = words[0].lower()
    is_root = context.parent is None
    if word in table:
        return [word]
    if is_root and MEANT.get(word) in table:
        return [MEANT[word]]
    hint = say(NAMED[word]) if is_root and word in NAMED else _likely(context, table, word)
    if is_root and word not in NAMED and _is_question(words[0]):
        asked = f"alice-exp recall {shlex.quote(words[0])}"
        hint = say("to ask what is known: {line}", line=asked)
    if context.command_path == "alice-exp import":
        hint = say("say what it is: {names}", names=Names(name for name in table if name))
    if MEANT.get(word) == "--version":
        hint = say("did you mean {names}?", names="'alice-exp --version'")
    raise UsageError("there is no command {name}", name=repr(words[0]), hint=hint)


def _is_question(text: str) -> bool:
    """Whether it is a sentence rather than a word: several words, or more Chinese than a command's name has."""
    return len(text.split()) > 1 or sum(one >= "\u3400" for one in text) > 3


def _likely(context: Any, table: Mapping[str, object], word: str) -> str:
    from difflib import get_close_matches

    path = context.command_path
    inner = {name.rpartition(" ")[2]: name for name in _reachable(table) if " " in name}
    found = [inner[word]] if word in inner else []
    found += get_close_matches(word, [name for name in table if name], n=2, cutoff=0.7)
    if not found:
        found = [inner[name] for name in get_close_matches(word, inner, n=2, cutoff=0.75)]
    if not found:
        return say("see '{path} --help'", path=path)
    return say("did you mean {names}?", names=" · ".join(f"'{path} {name}'" for name in found))


def _reachable(table: Mapping[str, object], before: str = "") -> Iterator[str]:
    for name, target in table.items():
        if name:
            yield f"{before}{name}"
            if isinstance(target, Mapping):
                yield from _reachable(target, f"{before}{name} ")
