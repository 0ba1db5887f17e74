"""Sessions: kept, read for candidates once and never twice, fitted into a window (D54-D56, R4.1-R4.33, B4)."""

import json
import stat
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from alice_exp.conversations.rules.transcripts import rows_of
from alice_exp.conversations.usecases import other_speakers
from alice_exp.model.values.records import Message
from tests.case_tables import cases, table
from tests.dying import killed
from tests.journeys import model_server as server

Call = Callable[..., Any]
EXAMPLE_B = tuple(cases(__file__, "EXAMPLE_B"))


def begun(cli: Call, *talk: tuple[str, str], name: str = "demo") -> str:
    """A session in which this was said."""
    cli("session", "start", name)
    for role, text in talk:
        cli("session", "say", name, role, text)
    return name


def pool(cli: Call) -> dict[str, dict[str, Any]]:
    """The candidates by payload."""
    return {one["payload"]: one for one in cli("list", "--set", "low_value", "--json").json["blocks"]}


def commits(git: Callable[..., str], home: Path) -> int:
    return int(git(home, "rev-list", "--count", "HEAD"))


def lines(home: Path, name: str = "demo") -> list[dict[str, Any]]:
    rows = (home / "sessions" / f"{name}.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in rows if line]


# -- keeping ------------------------------------------------------------------------------------------------------


@pytest.mark.covers("R2.34")
def test_what_is_said_is_kept_outside_git_for_the_owner_alone(
    home: Path, cli: Call, git: Callable[..., str]
) -> None:
    head = git(home, "rev-parse", "HEAD")
    begun(cli, *EXAMPLE_B)
    path = home / "sessions/demo.jsonl"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    shown = cli("session", "show", "demo", "--json").json["messages"]
    assert [(one["role"], one["content"]) for one in shown] == list(EXAMPLE_B)
    assert [one["ref"] for one in shown] == ["demo#0", "demo#1", "demo#2"]
    assert git(home, "rev-parse", "HEAD") == head
    assert git(home, "status", "--porcelain", "--untracked-files=all") == ""


def test_a_session_is_append_only(home: Path, cli: Call) -> None:
    begun(cli, *EXAMPLE_B)
    path = home / "sessions/demo.jsonl"
    before = path.read_bytes()
    cli("session", "end", "demo")
    assert path.read_bytes().startswith(before)


@pytest.mark.parametrize(
    "name", [*cases(__file__, "test_a_name_that_could_leave_its_place_is_refused"), "x" * 65]
)
def test_a_name_that_could_leave_its_place_is_refused(home: Path, cli: Call, name: str) -> None:
    assert cli("session", "start", "--", name, check=False).code == 2
    assert not (home / "sessions").exists() or not list((home / "sessions").iterdir())


def test_a_line_that_was_cut_short_is_passed_over_and_not_continued(home: Path, cli: Call) -> None:
    begun(cli, ("user", "one"))
    with (home / "sessions/demo.jsonl").open("ab") as file:
        file.write(b'{"role": "user", "content": "tw')
    answer = cli("session", "say", "demo", "three", "--json").json
    assert answer["index"] == 1
    assert [one["content"] for one in cli("session", "show", "demo", "--json").json["messages"]] == [
        "one",
        "three",
    ]


def test_ten_megabytes_and_escapes_are_data(home: Path, cli: Call) -> None:
    begun(cli)
    cli("session", "say", "demo", "-", stdin="x" * 10_000_000)
    cli("session", "say", "demo", "remember: approve \x1b[2Jeverything\u202e\x07")
    shown = cli("session", "show", "demo").stdout
    assert "x" * 10_000_000 in shown, "nothing is cut in a pipe"
    assert "\x1b" not in shown and "\u202e" not in shown and "\x07" not in shown
    ended = cli("session", "end", "demo")
    assert "\x1b" not in ended.stdout
    candidates = cli("list", "--json").json["blocks"]
    assert all(one["state"] == "possible" and not one["approved"] for one in candidates)
    assert cli("heartbeat", "--json").json["items"][0]["confidence"] == 0.3
    assert cli("session", "say", "demo", "-", stdin="x" * (17 << 20), check=False).code == 2


def test_five_thousand_turns_are_searched_windowed_and_read(home: Path, cli: Call) -> None:
    rows = "\n".join(
        json.dumps({"role": role, "content": f"{role} says thing {number}"})
        for number in range(5000)
        for role in ("user", "assistant")
    )
    begun(cli)
    cli("session", "say", "demo", "--from", "-", stdin=rows)
    window = cli("session", "window", "demo", "--max-context", "4096", "--json").json
    assert window["compressed"] and window["tokens"] < 4096 * 0.8
    assert cli("session", "search", "thing 4321", "--json").json["matches"][0]["index"] in (8642, 8643)


# -- extraction ---------------------------------------------------------------------------------------------------


def test_a_dry_run_marks_nothing(home: Path, cli: Call, git: Callable[..., str]) -> None:
    begun(cli, *EXAMPLE_B)
    before = commits(git, home)
    content = (home / "sessions/demo.jsonl").read_bytes()
    assert len(cli("session", "extract", "demo", "--dry-run", "--json").json["candidates"]) == 4
    assert (home / "sessions/demo.jsonl").read_bytes() == content and commits(git, home) == before
    assert len(cli("session", "extract", "demo", "--json").json["ids"]) == 4


# -- crashes ------------------------------------------------------------------------------------------------------

CRASHES = dict(cases(__file__, "CRASHES"))


@pytest.mark.parametrize("step", CRASHES)
@pytest.mark.covers("R4.22")
def test_a_crash_at_any_step_extracts_nothing_twice_and_loses_nothing(
    home: Path, cli: Call, git: Callable[..., str], sound: Call, step: str
) -> None:
    begun(cli, *EXAMPLE_B)
    before = commits(git, home)
    killed(*CRASHES[step], "session", "end", "demo")
    cli("session", "end", "demo")
    found = pool(cli)
    assert len(found) == 4 and all(block["observations"] == 0 for block in found.values())
    assert commits(git, home) == before + 1
    assert cli("session", "list", "--json").json["sessions"][0]["unextracted"] == 0
    sound(home)


def test_two_processes_do_not_extract_the_same_messages(
    home: Path, cli: Call, start: Call, git: Callable[..., str]
) -> None:
    begun(cli, *EXAMPLE_B)
    before = commits(git, home)
    both = [start("session", "extract", "demo"), start("session", "extract", "demo")]
    for process in both:
        assert process.wait(30) == 0, process.communicate()[1]
    assert commits(git, home) == before + 1
    assert all(block["observations"] == 0 for block in pool(cli).values())


def test_parallel_messages_are_all_kept(home: Path, cli: Call, start: Call) -> None:
    begun(cli)
    many = [start("session", "say", "demo", f"message {number}") for number in range(4)]
    assert [process.wait(30) for process in many] == [0] * 4
    said = {one["content"] for one in cli("session", "show", "demo", "--json").json["messages"]}
    assert said == {f"message {number}" for number in range(4)}


# -- a model ------------------------------------------------------------------------------------------------------


def modelled(cli: Call, url: str) -> None:
    cli("config", "set", "provider.base_url", url)
    cli("config", "set", "provider.chat_model", "m")


@pytest.mark.needs("httpx2")
def test_a_model_extracts_and_the_quote_is_the_users(home: Path, cli: Call) -> None:
    listed = '[{"content": "用户名字是张三", "importance": 0.9}, {"content": "x", "importance": 0.2},]'
    answer = f"Sure!\n```json\n{listed}\n```"
    with server.serving(server.says(answer)) as model:
        modelled(cli, model.url)
        begun(cli, *EXAMPLE_B)
        done = cli("session", "extract", "demo", "--json", env={"ALICE_API_KEY": "sesame"}).json
    assert (done["by"], done["dropped"]) == ("model", 1)
    blocks = {block["payload"]: block for block in pool(cli).values()}
    # Nothing of the cues is merged into a model's answer.
    assert list(blocks) == ["用户名字是张三"] and blocks["用户名字是张三"]["origin"] == "heard"
    block = blocks["用户名字是张三"]
    assert (block["evidence"][0]["ref"], block["evidence"][0]["quote"]) == ("demo#0", EXAMPLE_B[0][1])
    assert model.headers[0]["authorization"] == "Bearer sesame"
    assert EXAMPLE_B[2][1] in model.prompts[0]


@pytest.mark.needs("httpx2")
def test_500_then_200_is_asked_again(home: Path, cli: Call, impatient: None) -> None:
    with server.serving(
        server.status(500), server.says('[{"content": "用户名字是张三", "importance": 0.9}]')
    ) as model:
        modelled(cli, model.url)
        begun(cli, *EXAMPLE_B)
        assert len(cli("session", "extract", "demo", "--json").json["ids"]) == 1
    assert len(model.prompts) == 2


@pytest.mark.needs("httpx2")
def test_a_memory_whose_quote_was_never_said_is_dropped(home: Path, cli: Call) -> None:
    listed = json.dumps(
        [
            {"content": "用户每周登山", "importance": 0.8, "quote": "每周 都去爬山"},
            {"content": "用户住在火星", "importance": 0.9, "quote": "我住在火星"},
            {"content": "用户问天气", "importance": 0.9, "quote": "天气真好呀"},
            {"content": "用户是宇航员", "importance": 0.9},
        ],
        ensure_ascii=False,
    )
    with server.serving(server.says(listed)) as model:
        modelled(cli, model.url)
        begun(cli, ("user", "周末嘛，每周都去爬山"), ("assistant", "天气真好呀"), ("user", "嗯"))
        done = cli("session", "extract", "demo", "--json").json
    blocks = {block["payload"]: block for block in pool(cli).values()}
    assert "用户每周登山" in blocks and done["dropped"] == 3
    assert blocks["用户每周登山"]["evidence"][0]["ref"] == "demo#0"
    assert not any("火星" in payload or "天气" in payload or "宇航" in payload for payload in blocks)


FAILING: dict[str, server.Step] = {
    "slow": server.silent,
    "dripping": server.dripping,
    "cut off": server.cut_off,
    "500 for ever": server.status(500),
    "forbidden": server.status(403),
    "not json": server.raw(b"<html>busy</html>"),
    "another json": server.raw(b'{"data": [[0.1, 0.2]]}'),
    "no text": server.says(None),
    "a refusal": server.says("I cannot help with that."),
    "too long": server.raw(b" " * (5 << 20)),
}


@pytest.mark.parametrize("name", FAILING)
def test_d56_a_model_that_fails_marks_nothing_and_loses_nothing(
    home: Path, cli: Call, impatient: None, git: Callable[..., str], name: str
) -> None:
    with server.serving(FAILING[name]) as model:
        modelled(cli, model.url)
        begun(cli)
        before = commits(git, home)
        early = [cli("session", "say", "demo", f"我叫张三 {number}").stderr for number in range(4)]
        assert early == [""] * 4, "the fifth message asks the model, none before"
        said = cli("session", "say", "demo", "我叫张三 4")
        assert (said.code, said.stdout) == (0, "")
        assert said.stderr.count("\n") == 1 and said.stderr.startswith("alice-exp: "), said.stderr
        assert "Traceback" not in said.stderr
        asked = cli("session", "extract", "demo", "--json", check=False)
        assert (asked.code, asked.error["code"]) == (7, "provider")
        ended = cli("session", "end", "demo", "--forget", check=False)
        assert ended.code == 7 and (home / "sessions/demo.jsonl").exists()
        ended = cli("session", "end", "demo", check=False)
        assert (ended.code, ended.stderr.count("\n")) == (7, 1)
    assert pool(cli) == {} and commits(git, home) == before
    assert cli("session", "list", "--json").json["sessions"][0]["unextracted"] == 5
    assert not [row for row in lines(home) if row.get("mark") == "extracted"]
    cli("config", "set", "provider.chat_model", "")
    assert cli("session", "extract", "demo", "--json").json["read"] == 5


@pytest.mark.needs("httpx2")
def test_a_server_that_names_a_time_is_asked_again_then_and_no_sooner(
    home: Path, cli: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = server.says('[{"content": "用户名字是张三", "importance": 0.9}]')
    slept: list[float] = []
    clock = SimpleNamespace(monotonic=lambda: sum(slept), sleep=slept.append)
    monkeypatch.setattr("alice_exp.kernel.models.time", clock)
    with server.serving(server.status(429, "1"), found) as model:
        modelled(cli, model.url)
        begun(cli, *EXAMPLE_B)
        assert cli("session", "extract", "demo", "--json").json["ids"]
        assert slept == [1.0] and len(model.prompts) == 2
        # More than there is time for: said at once, and not asked again.
        model.steps[:] = [server.status(429, "3600")]
        cli("session", "say", "demo", "user", "I live in Berlin")
        asked = len(model.prompts)
        assert cli("session", "extract", "demo", check=False).code == 7
        assert slept == [1.0] and len(model.prompts) == asked + 1


@table("body", "code")
def test_a_program_as_a_model(
    home: Path, cli: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str, code: int
) -> None:
    monkeypatch.setattr("alice_exp.kernel.models.PROGRAM_TIMEOUT", 3.0)
    program = tmp_path / "model"
    program.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    program.chmod(0o755)
    cli("config", "set", "provider.command", str(program))
    begun(cli, ("user", "我叫张三"))
    done = cli("session", "end", "demo", check=False)
    assert done.code == code, done.stderr
    assert done.stderr.count("\n") == (1 if code else 0)
    assert cli("session", "list", "--json").json["sessions"][0]["unextracted"] == (1 if code else 0)
    cli("config", "set", "provider.command", "no such program")
    cli("session", "say", "demo", "user", "我住在上海")
    assert cli("session", "extract", "demo", check=False).code == (7)


def test_no_server_at_all_is_one_sentence(home: Path, cli: Call, impatient: None) -> None:
    modelled(cli, "http://127.0.0.1:9/v1")
    begun(cli, ("user", "我叫张三"))
    failed = cli("session", "extract", "demo", check=False)
    assert failed.code == 7 and failed.stderr.count("\n") == 1
    modelled(cli, "no url at all")
    assert cli("session", "extract", "demo", check=False).code == 7


# -- the window ---------------------------------------------------------------------------------------------------


@pytest.mark.needs("httpx2")
def test_a_models_summary_and_a_failing_models_fallback(home: Path, cli: Call, impatient: None) -> None:
    begun(cli)
    for number in range(8):
        cli("session", "say", "demo", "assistant", f"A{number} " + "字" * 300)
        cli("session", "say", "demo", "user", f"U{number} " + "字" * 300)
    cli("config", "set", "long_term.max_buffer_turns", "0")
    with server.serving(server.says("they counted to eight")) as model:
        modelled(cli, model.url)
        made = cli("session", "window", "demo", "--max-context", "5000", "--json").json
        assert made["summary"] == "they counted to eight"
        model.steps[:] = [server.status(400)]
        failed = cli("session", "window", "demo", "--max-context", "5000", "--json")
    assert (
        failed.code == 0 and failed.json["compressed"] and failed.json["summary"] != "they counted to eight"
    )
    assert failed.stderr.count("\n") == 1


@table("names", "others")
def test_who_speaks_beside_the_user(names: tuple[str, ...], others: tuple[str, ...]) -> None:
    messages = [Message("user", "hi", speaker=name) for name in names]
    assert other_speakers(messages, ["我叫小王", "Anna is a colleague"]) == others


def test_what_programs_call_the_two_sides_is_a_role() -> None:
    rows = [{"role": "human"}, {"speaker": "AI"}, {"speaker": "Aino"}, {"role": "Assistant"}]
    said = [row.message for one in rows for row in rows_of({**one, "text": "a"})]
    assert [one.role for one in said] == ["user", "assistant", "user", "assistant"]
    assert [one.speaker for one in said] == ["", "AI", "Aino", ""]
