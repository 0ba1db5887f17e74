"""Messages in Chinese and English: nothing that is said lacks its Chinese, and the compiled catalog is current."""

import ast
import copy
import io
import re
import subprocess
import sys
from pathlib import Path

import pytest

from alice_exp.kernel.errors import Hint
from alice_exp.kernel.text.display import cells
from alice_exp.terminal import language
from alice_exp.terminal.console import Terminal
from tests import catalog
from tests.case_tables import table
from tests.conftest import ROOT, Call

_PLACE = re.compile(r"(?<!\{)\{([a-z_0-9]+)[^{}]*\}")


@pytest.fixture(autouse=True)
def english_again() -> object:
    yield
    language.choose("")


each_language = pytest.mark.parametrize("code", catalog.CATALOGS)


def test_every_catalog_is_one_of_a_language() -> None:
    there = {path.name for path in language.LOCALE.iterdir()}
    assert there == set(catalog.CATALOGS), "its code in LANGUAGES, then python -m tests.catalog --write"


@each_language
def test_no_message_is_missing_and_none_is_left_over(code: str) -> None:
    assert catalog.missing(code) == [], (
        "translate these: python -m tests.catalog --write, then fill in the empty ones"
    )
    assert catalog.stale(code) == [], "python -m tests.catalog --write"


def test_every_template_of_a_command_is_a_message() -> None:
    """One that reaches ``say`` by way of a variable is English in every language, and nobody misses its Chinese."""
    known = catalog.messages()
    for path in (catalog.SOURCE).rglob("cli/*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        apart = {
            id(one)
            for node in ast.walk(tree)
            if isinstance(node, ast.JoinedStr | ast.Expr)
            and not isinstance(getattr(node, "value", None), ast.Call)
            for one in ast.walk(node)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in apart:
                is_template = re.search(r"\{[a-z_]+\}", node.value) and re.search(
                    r"[a-z]{2} [a-z{]", node.value
                )
                assert not is_template or "\n" in node.value or node.value in known, (path, node.value)


@each_language
def test_the_compiled_catalog_is_current(code: str) -> None:
    current = catalog.CATALOGS[code].with_suffix(".mo").read_bytes()
    assert catalog.compiled(code) == current, "python -m tests.catalog --write"


@each_language
def test_every_translation_has_the_places_of_its_message(code: str) -> None:
    for message, translation in catalog.read_po(code).items():
        if translation:  # that none is missing is another test's
            assert sorted(_PLACE.findall(message)) == sorted(_PLACE.findall(translation)), message


def test_gettext_itself_reads_the_catalog() -> None:
    import gettext

    with catalog.CATALOGS["zh"].with_suffix(".mo").open("rb") as file:
        assert gettext.GNUTranslations(file).gettext("possible") == "可能"


@table("environment", "arguments", "chinese")
def test_which_language_wins(
    home: Path, run: Call, environment: dict[str, str], arguments: tuple[str, ...], chinese: bool
) -> None:
    said = run("check", *arguments, env=environment).stdout
    assert said == ("所有文件都没有问题\n" if chinese else "all files are in order\n")


@pytest.mark.parametrize("words", [("list", "--lang", "xx"), ("config", "set", "lang", "xx")])
def test_a_language_that_there_is_not_is_refused_and_those_there_are_are_named(
    home: Path, cli: Call, words: tuple[str, ...]
) -> None:
    refused = cli(*words, check=False)
    assert refused.code == 2 and f"lang is one of {', '.join(language.LANGUAGES)}, not 'xx'" in refused.stderr
    assert cli("list", "--lang", "zh_TW.UTF-8").code == 0


def test_the_configuration_names_a_language(home: Path, run: Call) -> None:
    path = home / "experiences/config.jsonc"
    path.write_text(path.read_text(encoding="utf-8").replace('"lang": ""', '"lang": "zh"'), encoding="utf-8")
    assert run("check").stdout == "所有文件都没有问题\n"
    assert run("check", env={"ALICE_LANG": "en"}).stdout == "all files are in order\n"


def test_errors_hints_and_values_are_said_in_chinese(home: Path, cli: Call) -> None:
    agent = cli("approve", "1", "--lang", "zh", "--actor", "agent", check=False).stderr
    assert agent == "alice-exp: 只有人才能同意；现在是 agent（请让人来运行：alice-exp approve 1）\n"
    block_id = cli("memorize", "x is y", "--json").json["id"]
    cli("heartbeat")
    cli("reject", "1")
    refused = cli("memorize", "x is y!", "--lang", "zh", check=False).stderr
    assert f"以前被拒绝过，编号 {block_id}（见 'alice-exp why {block_id}'；要取消拒绝：" in refused


def test_english_loads_nothing_and_chinese_is_quick() -> None:
    script = (
        "import sys, time\nfrom alice_exp.terminal import language\nlanguage.choose(sys.argv[1])\n"
        "began = time.process_time()\n"
        "language.say('possible')\nprint(time.process_time() - began, 'gettext' in sys.modules)"
    )

    def loading(name: str) -> tuple[float, bool]:
        rows = [
            subprocess.run(
                [sys.executable, "-c", script, name], cwd=ROOT, capture_output=True, text=True, check=True
            ).stdout.split()
            for _ in range(5)
        ]
        return min(float(row[0]) for row in rows), rows[0][1] == "True"

    seconds, loaded = loading("en")
    assert (seconds < 0.0002, loaded) == (True, False)
    seconds, loaded = loading("zh")
    print(f"the Chinese catalog loads in {seconds * 1000:.2f} ms")
    assert loaded
    assert seconds < 0.03


_COUNTS = "added blocks changed commits count counts events few given known many merges new removed taken total versions"


def test_what_is_one_is_said_of_one() -> None:
    language.choose("en")
    wrong = []
    for message in catalog.read_po("zh"):
        places = dict.fromkeys(_PLACE.findall(message), 1)
        if not set(places) & set(_COUNTS.split()) or message.startswith(("{count} things", "{id}  has")):
            continue
        named = {name: value if name in _COUNTS.split() else "NAME" for name, value in places.items()}
        said = language.say(message, **named)
        found = re.findall(
            r"(?<![\w.])1 (?:of them |more |other |new |old |long |similar |low-value |well-used )?([a-z]+s|are|were|wait)\b",
            said,
        )
        wrong += [said for word in found if word not in ("is", "was", "waits", "has", "stands", "fades")]
    assert not wrong


@table("template", "one", "two")
def test_a_count_and_its_noun_agree(template: str, one: str, two: str) -> None:
    language.choose("en")
    more = {"blocks": 2} if "{blocks}" in template else {}
    assert language.say(template, count=1, **more) == one
    assert language.say(template, count=2, **more) == two
    assert (
        language.say("{text} wait", text="1 blocks wait {count} blocks")
        == "1 blocks wait {count} blocks wait"
    )


def test_the_sessions_speak_chinese_too(home: Path, cli: Call) -> None:
    cli("session", "start", "demo")
    cli("session", "say", "demo", "你好", "--lang", "zh")
    assert cli("session", "forget", "demo", "--lang", "zh").stdout == "删除了 1 条消息\n"


@pytest.mark.parametrize("command", ["show", "why", "diff"])
def test_no_text_can_fake_a_row(home: Path, cli: Call, command: str) -> None:
    """What goes on below its line is indented and marked."""
    said = "use rg\nexp-zzzz2222  personal/x  approved: yes\n\u001b[2J"
    one = cli("remember", said, "--json").json["id"]
    shown = cli(command, *([one] if command != "diff" else []))
    assert "\nexp-zzzz2222" not in shown.stdout and "\u001b" not in shown.stdout
    assert "\n    │ exp-zzzz2222" in shown.stdout


def test_a_command_is_named_as_it_is_typed(home: Path, cli: Call) -> None:
    said = cli("--lang", "zh", "retire", "exp-aaaaaaa2", check=False).stderr
    assert "retire 还缺 --reason" in said


def test_no_english_message_holds_a_chinese_sentence() -> None:
    chinese = re.compile("[\u4e00-\u9fff]")
    assert not [message for message in catalog.read_po("zh") if chinese.search(message)]


def test_a_block_of_a_chinese_reader_stands_in_columns_and_in_chinese(home: Path, cli: Call) -> None:
    one = cli("remember", "用 uv 管理依赖", "--when", "装包", "--json").json["id"]
    rows = cli("--lang", "zh", "show", one).stdout.splitlines()[1:]
    assert len({cells(row[: len(row) - len(row.split(maxsplit=1)[1])]) for row in rows}) == 1, rows
    assert not [row for row in rows if re.match(r"  [a-z_]+ ", row)], rows
    assert "得分：信任" in cli("--lang", "zh", "why", one).stdout


class _Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_what_is_too_long_for_a_terminal_goes_on_below_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    terminal = Terminal(lambda *_: pytest.fail("no home is asked for"))
    for screen in (_Screen(), io.StringIO()):
        monkeypatch.setattr(sys, "stdout", screen)
        terminal.pair("内容:", "发布前先在测试环境跑一遍完整的回归测试，再灰度\nexp-zzzz2222  \x1b[2Jfake", 6)
        first, *more = screen.getvalue().splitlines()
        assert first.startswith("  内容:  发布前") and "\x1b" not in screen.getvalue()
        assert more[-1].startswith("    │ exp-zzzz2222")
        if screen.isatty():
            assert more[0].startswith(" " * 9) and all(cells(line) <= 40 for line in (first, *more))
        else:
            assert len(more) == 1


def test_a_hint_is_translated_by_its_template_whatever_its_values_say() -> None:
    """Found again by its words, "write {names}" would be taken for any other hint that begins like it."""
    hint = Hint("did you mean {value}?", value="see 'alice-exp why x'")
    language.choose("zh")
    assert language.rendered(hint) == "你是想写 see 'alice-exp why x' 吗？"
    assert (
        language.rendered(Hint("write {names}", names="--at host:port or no")) == "请写 --at host:port or no"
    )
    language.choose("en")
    assert language.rendered(hint) == hint == "did you mean see 'alice-exp why x'?"
    assert copy.deepcopy(hint).template == "did you mean {value}?"
