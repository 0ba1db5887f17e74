"""The protocol of ``alice-exp mcp``, line by line: what a client may send, in which order, and what comes back."""

import asyncio
import json
import os
import resource
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from alice_exp import Alice
from alice_exp.agents.server import INSTRUCTIONS, MODERN, VERSIONS, listed
from alice_exp.agents.tool_schema import offered
from tests.agents.wire import OURS, Wire

Call = Callable[..., Any]
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
LISTS = {
    **{f"{name}/list": name for name in ("tools", "prompts", "resources")},
    "resources/templates/list": "resourceTemplates",
}
META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
WITH = """
import os, sys, time
from pathlib import Path
import alice_exp.agents.operations as operations
from alice_exp.agents.tool_schema import TOOLS
real = operations.call
def call(connection, name, sent):
{body}
    return real(connection, name, sent)
operations.call = call
sys.argv[1:] = ["mcp"]
from alice_exp.__main__ import main
main()
"""
"""A server whose calls do something more first."""


def with_more(body: str) -> tuple[str, ...]:
    return (sys.executable, "-c", WITH.format(body=body))


def test_the_list_that_is_told_is_the_table_of_operations() -> None:
    """``python -m tests.readme --write`` makes it."""
    assert listed() == offered()
    assert len(json.dumps(listed(), separators=(",", ":"))) <= 9_000, "what every turn pays"


@pytest.mark.parametrize("asked", [*VERSIONS, "1999-01-01"])
def test_a_version_that_it_knows_is_spoken_and_another_is_answered_with_the_newest(
    home: Path, asked: str
) -> None:
    with Wire(version=asked) as server:
        assert server.hello["protocolVersion"] == (asked if asked in VERSIONS else VERSIONS[-1])
        assert server.hello["serverInfo"]["name"] == "alice-exp"
        assert server.hello["instructions"] == INSTRUCTIONS
        assert set(server.hello["capabilities"]) == {"tools", "resources", "prompts"}
        for method, key in LISTS.items():
            assert server.ask(method)[key] and "resultType" not in server.ask(method)


def test_discovery_stands_for_the_beginning_where_each_request_brings_its_version(home: Path) -> None:
    with Wire(version="") as server:
        found = server.ask("server/discover", {"_meta": META})
        assert (found["supportedVersions"], found["resultType"]) == ([MODERN], "complete")
        assert found["ttlMs"] >= 0 and found["cacheScope"] == "private"
        assert server.ask("tools/list", {"_meta": META})["resultType"] == "complete"
        called = server.ask("tools/call", {"name": "recall", "arguments": {"query": "rg"}, "_meta": META})
        assert called["structuredContent"]["matches"] == [] and called["resultType"] == "complete"
        other = {**META, "io.modelcontextprotocol/protocolVersion": "2030-01-01"}
        refused = server.ask("tools/list", {"_meta": other})
        assert (refused["code"], refused["data"]["supported"]) == (-32022, [MODERN])


@pytest.mark.needs("mcp")
@pytest.mark.parametrize("mode", ["legacy", "auto", MODERN])
def test_the_sdks_own_client_is_content_in_both_eras(home: Path, mode: str) -> None:
    import mcp

    async def talk() -> None:
        server = mcp.StdioServerParameters(command=OURS[0], args=[*OURS[1:]], env={**os.environ})
        async with mcp.Client(mcp.stdio_client(server, errlog=sys.__stderr__), mode=mode) as client:
            assert len((await client.list_tools()).tools) == len(listed())
            kept = await client.call_tool("memorize", {"payload": "use rg"})
            assert not kept.is_error and kept.structured_content["state"] == "possible"
            failed = await client.call_tool("recall", {})
            assert failed.is_error and "needs query" in failed.content[0].text
            read = await client.read_resource("alice://namespaces")
            assert json.loads(read.contents[0].text)
            assert "decide" in (await client.get_prompt("use_experience")).messages[0].content.text

    asyncio.run(asyncio.wait_for(talk(), 120))


def test_what_is_wrong_is_an_error_and_the_next_request_is_answered(home: Path) -> None:
    with Wire() as server:
        for line, code in (
            (b"nonsense", -32700),
            (b"\xff\xfe", -32700),
            (b"[" * 100_000, -32700),
            (b"{}", -32600),
            (b"[]", -32600),
            (b'{"id": true, "method": "ping"}', -32600),
            (b'{"id": null, "method": "ping"}', -32600),
            (b'{"id": 1.5, "method": "ping"}', -32600),
            (b'{"id": 5, "method": ["ping"]}', -32600),
            (b'{"id": 5, "method": "ping", "params": [1]}', -32602),
            (b'{"id": 5, "method": "no/such"}', -32601),
            (b'{"id": 5, "method": "tools/call", "params": {}}', -32602),
            (b'{"id": 5, "method": "prompts/get", "params": {"name": "other"}}', -32602),
            (b'{"id": 5, "method": "resources/read", "params": {"uri": "alice://x"}}', -32002),
            (b'{"id": 5, "method": "resources/read", "params": {}}', -32002),
        ):
            server.send(line)
            answer = server.read()
            assert answer["error"]["code"] == code, (line[:80], answer)
            assert answer["id"] in (None, 5)
        server.send(b"\n")
        server.send(b'{"method": "notifications/nothing"}')
        server.send(b'{"method": "notifications/cancelled", "params": {"requestId": [1]}}')
        server.send(b'{"id": 5, "result": {}}')
        server.send(b'[{"id": "a", "method": "ping"}, 1, {"method": "x"}, {"id": "b", "method": "ping"}]')
        assert [server.read()["id"] for _ in range(3)] == ["a", None, "b"], (
            "a list of messages, an answer none"
        )
        unknown = server.ask("tools/call", {"name": "approve", "arguments": {"id": "exp-1"}})
        assert unknown["isError"] and "no operation" in unknown["content"][0]["text"]
        wrong = server.ask("tools/call", {"name": "recall", "arguments": [1]})
        assert wrong["isError"] and "object" in wrong["content"][0]["text"]


def test_a_failure_of_ours_is_a_result_too_and_no_traceback(home: Path) -> None:
    with Wire(with_more("    raise ValueError('of ours')")) as server:
        failed = server.ask("tools/call", {"name": "recall", "arguments": {"query": "rg"}})
        assert failed["isError"] and "bug of alice-exp" in failed["content"][0]["text"]
        assert "Traceback" not in failed["content"][0]["text"] and server.ask("ping") == {}


def test_what_anything_else_prints_or_reads_never_meets_the_stream(home: Path) -> None:
    noise = (
        "    print('stray'); sys.stdout.flush(); os.write(1, b'stray\\n')\n"
        "    os.system('echo stray; head -c 99'); assert sys.stdin.read() == ''"
    )
    with Wire(with_more(noise)) as server:
        assert server.call("recall", query="rg")["matches"] == []
        assert server.ask("ping") == {}


def test_a_client_that_cancels_gets_no_answer_whether_it_waits_or_runs(
    home: Path, git: Callable[..., str], tmp_path: Path
) -> None:
    begun, go = tmp_path / "begun", tmp_path / "go"
    slow = f"    Path({str(begun)!r}).touch()\n    while not Path({str(go)!r}).exists(): time.sleep(0.02)"
    with Wire(with_more(slow)) as server:
        running, waiting = (
            server.begin("tools/call", {"name": "memorize", "arguments": {"payload": payload}})
            for payload in ("it runs", "it waits")
        )
        last = server.begin("tools/call", {"name": "heartbeat_summary", "arguments": {}})
        while not begun.exists():
            assert server.ask("ping") == {}, "answered while a call runs"
        for cancelled in (running, waiting):
            note = {"requestId": cancelled, "reason": "no longer wanted"}
            server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": note})
        assert server.ask("ping") == {}
        go.touch()
        answer = server.read()
        assert answer["id"] == last, "neither of the two is answered"
        assert answer["result"]["structuredContent"]["waiting"] == 1, "what ran is done, what waited is not"


def test_what_was_asked_before_the_client_hung_up_is_done(home: Path) -> None:
    asked = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call",
         "params": {"name": "memorize", "arguments": {"payload": "use rg"}}},
    ]  # fmt: skip
    done = subprocess.run(
        OURS, input="\n".join(map(json.dumps, asked)), capture_output=True, text=True, timeout=60, check=True
    )
    first, second = map(json.loads, done.stdout.splitlines())
    assert (first["id"], second["id"]) == (1, 2) and not second["result"].get("isError")
    assert done.stderr == ""


def test_half_of_a_character_is_answered_by_each_tool_wherever_it_stands(home: Path) -> None:
    half, tools = "x\ud83d", Alice(home, "agent").tools()
    with Wire() as server:
        watch = threading.Timer(60, lambda: os.kill(server.pid, signal.SIGKILL))
        watch.start()
        for tool in tools:
            texts = {
                name: half
                for name, one in tool["parameters"]["properties"].items()  # type: ignore[index, call-overload, union-attr]
                if one.get("type") == "string"
            }
            for name, arguments in (
                (tool["name"], texts),
                (tool["name"], {half: 1}),
                (f"{tool['name']}{half}", {}),
            ):
                assert server.ask("tools/call", {"name": name, "arguments": arguments})["content"][0]["text"]
        for sent, whole in (
            ("\\ud83d\\ude00", "😀"),
            ("\\ud83d", "�"),
            ("\\uDE00\\uD83Dx", "��x"),
            ("\\ud83d\\ud83d\\ude00", "�😀"),
            ("\\\\ud83d \\n\\u4e2d", "\\ud83d \n中"),
        ):
            call = f'{{"name": "recall", "arguments": {{"query": "{sent}"}}}}'
            server.send(f'{{"id": "h", "method": "tools/call", "params": {call}}}'.encode())
            assert server.read()["result"]["structuredContent"]["query"] == whole
        watch.cancel()


def test_it_stops_at_once_when_the_agent_hangs_up_and_leaves_no_process(home: Path) -> None:
    with Wire() as server:
        children = Path(f"/proc/{server.pid}/task/{server.pid}/children")
        assert not children.exists() or children.read_text() == ""


@pytest.mark.parametrize(
    "words", [(), ("--actor", "agent:codex"), ("--actor", "agent", "--home", "elsewhere")]
)
def test_without_a_home_it_says_what_to_do(world: Path, run: Call, words: tuple[str, ...]) -> None:
    failed = run(*words, "mcp", check=False, stdin="")
    assert failed.code == 3 and "init" in failed.stderr and failed.stdout == ""


def test_a_wrong_command_line_is_refused_at_the_start(home: Path, run: Call) -> None:
    for words in (("--actor", "nobody", "mcp"), ("mcp", "--nonsense"), ("--home",)):
        assert run(*words, check=False, stdin="").code == 2
    assert "stdio" in run("mcp", "--help").stdout


def test_the_list_is_told_before_the_home_or_the_command_line_is_loaded(home: Path) -> None:
    code = (
        "import sys\nfrom alice_exp.agents import server\n"
        "asked = server.Request(1, 'tools/list', {}, False)\n"
        "assert server._at_once(asked)['tools'] and server.plain(['mcp']) is not None\n"
        "print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    ours = {name for name in done.stdout.split() if name.startswith("alice_exp.")}
    assert ours == {
        "alice_exp.agents", "alice_exp.agents.server", "alice_exp.kernel",
    }  # fmt: skip
    assert not {"typer", "rich", "click", "mcp", "asyncio"} & set(done.stdout.split())


def test_the_list_costs_no_more_than_a_command_line_costs_to_load(home: Path) -> None:
    """CPU of both in turn; the work that follows an answered list is not counted, for the client hangs up before it."""

    def cost(*command: str, stdin: str = "") -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, input=stdin, capture_output=True, text=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    asked = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    ]
    # What would be loaded behind the list is not: the thread that does it is not there.
    alone = "import alice_exp.agents.server as s; s.Server._work = lambda self: None; from alice_exp.__main__ import main; import sys; sys.argv[1:] = ['mcp']; main()"
    stdin = "\n".join(map(json.dumps, asked)) + "\n"
    pairs = [
        (cost(sys.executable, "-c", alone, stdin=stdin), cost(sys.executable, "-c", "import typer, rich"))
        for _ in range(7)
    ]
    ours, theirs = (sorted(times)[3] for times in zip(*pairs, strict=True))
    assert ours <= 1.25 * theirs, f"{ours * 1e3:.0f} ms against {theirs * 1e3:.0f}"
