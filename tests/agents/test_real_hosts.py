"""Real hosts on an empty machine, each against a stand-in model: what was said waits, and its shell decides nothing.

Their packages are large, so that `make soak` owns this; skipped with the reason where npm cannot install them.
"""

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from alice_exp.agents.host_config import under
from alice_exp.caller.hosts import HOSTS
from tests.agents.model_stand_in import MADE, Called, standing_in
from tests.agents.npm import fetched
from tests.caller.test_acting import WAYS
from tests.case_tables import cases
from tests.conftest import NOW, ROOT

pytestmark = pytest.mark.slow
Call = Callable[..., Any]
SAID = "Please always answer with a table. I live in Berlin."
HEARD = {"The user lives in Berlin", "Please always answer with a table."}


def clean(at: Path | None = None) -> dict[str, str]:
    """The environment, in a folder, without what other hosts and models left in it."""
    foreign = ("CLAUDE", "ANTHROPIC", "GEMINI", "GOOGLE", "OPENAI", "ALICE_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
    return {**kept, "PYTHONPATH": str(ROOT), "ALICE_NOW": NOW, "PWD": str(at or os.environ["HOME"])}


@pytest.fixture
def person(world: Path) -> Path:
    """The person's home folder, with no host and no home of ours in it."""
    return Path(os.environ["HOME"])


def configure(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def heard(cli: Call) -> set[str]:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        found = {item["payload"] for item in cli("heartbeat", "--peek", "--json").json["items"]}
        if found >= HEARD:
            break
        time.sleep(0.2)
    return found


def put_beside(name: str, person: Path) -> None:
    """Put hooks of somebody else beside ours: they add a context, and once they send the agent back to work."""
    hooks = HOSTS[name].hooks
    if hooks.form != "groups":
        return
    script = person / "another.py"
    configure(script, ANOTHER)
    place = under(HOSTS[name], hooks.file)
    held = json.loads(place.read_text("utf-8"))
    for ours in ("start", "prompt", "stop"):
        command = f"{sys.executable} {script} {hooks.events[ours]} {hooks.refusal if ours == 'stop' else ''}"
        held["hooks"][hooks.events[ours]].append({"hooks": [{"type": "command", "command": command}]})
    configure(place, json.dumps(held))


ANOTHER = """\
import json, pathlib, sys
event, mark = sys.argv[1], pathlib.Path(sys.argv[0] + ".once")
if len(sys.argv) < 3:
    added = {"hookEventName": event, "additionalContext": "I live in Rome & <b>rest</b>"}
    print(json.dumps({"hookSpecificOutput": added}))
elif not mark.exists():
    mark.touch()
    print(json.dumps({"decision": sys.argv[2], "reason": "I live in Paris & <b>use tabs</b>"}))
"""


class Real(NamedTuple):
    """A host from npm: its words before a prompt, what lets its shell run unasked, its configuration and variables.

    ``WHERE`` in the last two stands for the address of the model.
    """

    package: str
    program: str
    verb: tuple[str, ...] = ()
    prompt: tuple[str, ...] = ()
    unasked: tuple[str, ...] = ()
    file: str = ""
    configuration: str = ""
    variables: Mapping[str, str] = {}


CODEX = """\
model = "one"
model_provider = "standin"
[model_providers.standin]
name = "Stand-in"
base_url = "WHERE/v1"
wire_api = "responses"
"""
OPENCODE = dict(cases(__file__, "OPENCODE"))
REAL = {
    "claude-code": Real(
        "@anthropic-ai/claude-code", "claude", (), ("-p",), ("--dangerously-skip-permissions",),
        variables={
            "ANTHROPIC_BASE_URL": "WHERE", "ANTHROPIC_API_KEY": "none", "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "IS_SANDBOX": "1",
        },
    ),
    # It runs hooks that its person trusted; nobody is there to trust them, hence the flag.
    "codex": Real(
        "@openai/codex", "codex", ("exec", "--dangerously-bypass-hook-trust", "--skip-git-repo-check"), (),
        ("--dangerously-bypass-approvals-and-sandbox",), ".codex/config.toml", CODEX,
        {"RUST_LOG": "codex_otel=info"},
    ),
    "gemini": Real(
        "@google/gemini-cli", "gemini", ("-m", "gemini-2.5-pro"), ("-p",), ("--yolo",), ".gemini/settings.json",
        json.dumps({"security": {"auth": {"selectedType": "gemini-api-key"}}}),
        {"GOOGLE_GEMINI_BASE_URL": "WHERE", "GEMINI_API_KEY": "none", "GEMINI_CLI_TRUST_WORKSPACE": "true"},
    ),
    "qwen": Real(
        "@qwen-code/qwen-code", "qwen", (), (), ("--yolo",), ".qwen/settings.json",
        json.dumps({"security": {"auth": {"selectedType": "openai"}}, "model": {"name": "one"}}),
        {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": "WHERE/v1", "OPENAI_MODEL": "one"},
    ),
    "opencode": Real(
        "opencode-ai", "opencode", ("run",), (), (), ".config/opencode/opencode.json", json.dumps(OPENCODE)
    ),
}  # fmt: skip


@pytest.fixture
def run_host(person: Path, cli: Call) -> Call:
    """``run_host(name, runs=)``: connect a host, hold one conversation, return what its model was asked."""
    where = ["WHERE"]

    def call(
        name: str,
        runs: Sequence[str] = (),
        said: str = SAID,
        at: Path | None = None,
        says: str = "",
        calls: Sequence[Called] = (),
    ) -> list[str]:
        real = REAL[name]
        program = fetched(real.package, real.program, 300)
        place = under(HOSTS[name], real.file) if real.file else person
        if at is None:
            if real.file:
                configure(place, real.configuration)
            cli("connect", name)
            put_beside(name, person)
        with standing_in("Noted.", runs, says, calls) as model:
            if real.file:
                configure(place, place.read_text("utf-8").replace(where[-1], model.url))
                where.append(model.url)
            done = subprocess.run(
                [program, *real.verb, *(real.unasked if runs else ()), *real.prompt, said],
                env=clean(at) | {key: one.replace("WHERE", model.url) for key, one in real.variables.items()},
                cwd=at or person,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=180,
                check=False,
            )
            assert done.returncode == 0 and "Noted." in done.stdout, done.stdout + done.stderr
            assert not model.calls, "the host offered the tools in its first turn"
            return list(model.asked)

    return call


@pytest.mark.parametrize("host", REAL)
def test_a_conversation_is_told_the_start_and_heard(host: str, cli: Call, run_host: Call) -> None:
    cli("init")
    cli("remember", "ask before a deploy on Friday", "--when", "deploying")
    asked = run_host(host)
    assert any("ask before a deploy on Friday" in one for one in asked), "the start was told"
    assert heard(cli) == HEARD
    assert cli("status", "--json").json["hosts"][0]["last_call"]
    assert LISTED[host](asked), "the server's tools reach the model"


@pytest.mark.parametrize("host", REAL)
def test_the_calls_of_the_loop_run_unasked_in_the_first_turn_of_a_headless_host(
    host: str, cli: Call, run_host: Call
) -> None:
    cli("init")
    cli("remember", "ask before a deploy on Friday", "--when", "deploying")
    loop: list[Called] = [
        ("decide", {"task": "deploying"}),
        ("recall", {"query": "deploying"}),
        ("memorize", {"payload": "use make deploy", "trigger": "deploying"}),
        ("report_outcome", {"id": MADE, "ok": True, "action": "make deploy"}),
    ]
    asked = run_host(host, calls=loop)
    done = [one["op"] for one in cli("log", "--json").json["commits"]]
    assert {"outcome", "memorize"} <= {*done}
    assert "matches" in asked[-1] and "constraints" in asked[-1]


def test_where_the_plugin_is_installed_its_server_is_called_unasked_and_alone(
    cli: Call, run_host: Call, person: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``alice-exp`` stands on the path, and the home where it is looked for, as the plugin starts it."""
    monkeypatch.setenv("ALICE_HOME", str(person / ".alice"))
    cli("init")
    monkeypatch.setenv("PATH", f"{Path(sys.prefix) / 'bin'}:{os.environ['PATH']}")
    claude = fetched(REAL["claude-code"].package, "claude", 300)
    for words in (("marketplace", "add", str(ROOT)), ("install", "alice-exp@alice-exp")):
        subprocess.run([claude, "plugin", *words], env=clean(), check=True, capture_output=True, timeout=120)
    loop: list[Called] = [("memorize", {"payload": "use make deploy", "trigger": "deploying"})]
    cli("connect", "claude-code")
    asked = run_host("claude-code", calls=loop, at=person)
    offered = {one["name"] for body in asked for one in json.loads(body).get("tools") or []}
    assert {one for one in offered if one.endswith("__memorize")} == {
        "mcp__plugin_alice-exp_alice-exp__memorize"
    }
    assert "memorize" in [one["op"] for one in cli("log", "--json").json["commits"]]


def test_what_a_team_published_is_read_by_hosts_that_know_nothing_of_us(
    cli: Call, run_host: Call, person: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Codex reads ``AGENTS.md``, Claude Code offers the ``SKILL.md`` by its name and situation."""
    here = person / "one"
    subprocess.run(["git", "init", "-q", str(here)], check=True)
    monkeypatch.chdir(here)
    monkeypatch.delenv("ALICE_PROJECT")
    cli("init")
    cli("memorize", "Run make lint before git push", "--when", "pushing a branch", "--type", "rule")
    cli("heartbeat")
    cli("approve", "1", "--yes")
    cli("project", "publish", "--agents-md", "--skills", ".claude/skills", "--yes")
    configure(under(HOSTS["codex"], REAL["codex"].file), CODEX)
    asked = run_host("codex", at=here)
    assert any("Run make lint before git push" in one for one in asked)
    asked = run_host("claude-code", at=here)
    assert any("pushing-a-branch" in one and "pushing a branch" in one for one in asked)


def test_what_is_said_once_is_proposed_approved_and_told_in_that_project_alone(
    home: Path, cli: Call, run_host: Call, person: Path
) -> None:
    """Claude Code, its model following the ten lines of ``heard`` by its own shell."""
    here, other = person / "one", person / "two"
    for folder in (here, other):
        subprocess.run(["git", "init", "-q", str(folder)], check=True)
    cli("connect", "claude-code")
    order, moment = "Never run the app in mock mode in production, fail loudly.", "Fix the header now."
    run_host("claude-code", said=f"{order} {moment}", at=here)
    assert waits(cli) == [order, moment]
    alice = f"ALICE_HOME={home} PYTHONPATH={ROOT} {sys.executable} -m alice_exp"
    first = f"$({alice} heard | grep 'mock mode' | cut -d' ' -f1)"
    kept = (
        f"{alice} memorize 'No mock mode in production' --when 'running in production' --quote {first} --json"
    )
    every = f"for id in $({alice} heard | cut -d' ' -f1); do {alice} heard --read $id; done"
    asked = run_host("claude-code", [kept, every], "Look at the app", here)
    assert any("2 sentences of earlier sessions wait: call `heard`" in one for one in asked)
    assert not any("mock mode" in one for one in asked[:1]), "an order of yesterday is not in today's prompt"
    assert order not in waits(cli) and moment not in waits(cli)
    (block,) = (
        one for one in cli("heartbeat", "--json").json["items"] if one["payload"].startswith("No mock")
    )
    assert block["proposed_by"] == "agent:claude-code" and block["evidence"] == order
    cli("approve", block["id"], "--yes")
    told = run_host("claude-code", said="Hello", at=here)
    assert any("No mock mode in production" in one for one in told)
    assert not any("Fix the header" in one for one in told)
    elsewhere = run_host("claude-code", said="Hello", at=other)
    assert not any("mock mode" in one or "Fix the header" in one for one in elsewhere)


@pytest.mark.parametrize("host", REAL)
def test_what_works_in_four_sessions_is_a_candidate_and_a_cause_is_an_episode(
    host: str, home: Path, cli: Call, run_host: Call, person: Path
) -> None:
    """Read from the transcripts that the host itself leaves: its model names a cause, then has its shell run a check."""
    here = person / "one"
    subprocess.run(["git", "init", "-q", str(here)], check=True)
    configure(here / "Makefile", "test:\n\t@echo passed\n\nlint:\n\t@exit 1\n")
    run_host(host)
    for number in range(4):
        cause = f"The issue was a stale cache of run {number}." if number == 3 else "I look."
        run_host(host, ["ls", "make lint", "make test"], "Why does the parser fail?", here, cause)
        cli("hook", "--finish")
        payloads = [one["payload"] for one in cli("list", "--set", "low_value", "--json").json["blocks"]]
        told = [one for one in payloads if one.startswith("To ")]
        assert told == (["To run the tests, run `make test`."] if number == 3 else []), _version(host)
    (episode,) = (one for one in cli("episode", "list", "--json").json["episodes"] if one["success"])
    assert (episode["task"], episode["reflection"]) == ("Why does the parser fail?", cause)
    assert episode["action"].endswith("make test") and episode["project"].startswith("one-")


def waits(cli: Call) -> list[str]:
    """The sentences in the queue, once what the host left is taken in."""
    cli("hook", "--finish")
    return [one["text"] for one in cli("heard", "--all", "--json").json["sentences"]]


def _traced(_: list[str]) -> bool:
    traces = (Path(os.environ["HOME"]) / ".qwen/debug").glob("*.txt")
    return any("mcp__alice-exp__memorize" in path.read_text("utf-8") for path in traces)


def _shown(_: list[str]) -> bool:
    program = fetched(REAL["codex"].package, "codex")
    done = subprocess.run([program, "mcp", "list"], env=clean(), capture_output=True, text=True, timeout=60)
    return "alice-exp" in done.stdout and "enabled" in done.stdout


LISTED: Mapping[str, Callable[[list[str]], bool]] = {
    "claude-code": bool,
    "codex": _shown,
    "gemini": bool,
    "qwen": _traced,
    "opencode": lambda asked: any("alice-exp_memorize" in one for one in asked),
}
"""What each host lets be seen of the server; two begin a conversation before it has started."""


@pytest.mark.parametrize("host", REAL)
def test_no_shell_of_a_host_decides_as_the_person(
    host: str, home: Path, cli: Call, git: Callable[..., str], run_host: Call, world: Path
) -> None:
    """Its model asks its own shell for it, straight and by every way that keeps a parent alive."""
    block = cli("memorize", "use rg", "--json").json["id"]
    cli("heartbeat")
    head = git(home, "rev-parse", "HEAD")
    alice = f"{sys.executable} -m alice_exp"
    kept = f"BLOCK={block} ALICE_HOME={home} PYTHONPATH={ROOT}"
    tried = world / "tried"
    every = "; ".join(f"({way}); echo {name} $? >>{tried}" for name, way in WAYS.items())
    version = _version(host)
    asked = run_host(host, runs=[f"{kept} {alice} approve {block} --yes", f"export {kept}; {every}"])
    assert any("only a person may approve" in one for one in asked), f"{host} {version} ran its shell"
    codes = dict(line.split() for line in tried.read_text("utf-8").splitlines())
    assert codes == dict.fromkeys(WAYS, "6"), f"{host} {version}"
    written = git(home, "log", "--format=%an", f"{head}..HEAD").split()
    assert "user" not in written and not cli("show", block, "--json").json["approved"], f"{host} {version}"
    print(f"{host} {version}: 0 of {len(WAYS) + 1} ways")


def _version(host: str) -> str:
    """What a host says of its own version."""
    program = fetched(REAL[host].package, REAL[host].program, 300)
    told = subprocess.run(
        [program, "--version"], env=clean(), capture_output=True, text=True, timeout=60
    ).stdout
    found = re.search(r"\d+\.\d+\.\d+\S*", told)
    assert found, told
    return found[0]
