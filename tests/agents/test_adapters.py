"""The adapters of ``docs/adapters.md``, each run against the real package; skipped where pip cannot install them."""

import re
import subprocess
import sys
import venv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT

pytestmark = pytest.mark.slow
PACKAGES = ("langgraph", "openai-agents", "pydantic-ai-slim")
PLACE = Path(sys.prefix) / "adapters"
USES = {
    "openai": """
import asyncio
tools = {one.name: one for one in alice_tools(alice)}
asyncio.run(tools["memorize"].on_invoke_tool(None, '{"payload": "use rg", "trigger": "searching code"}'))
said = asyncio.run(tools["recall"].on_invoke_tool(None, '{"query": "searching code"}'))
assert "use rg" in said and "approve" not in tools, said
said = asyncio.run(tools["report_outcome"].on_invoke_tool(None, '{"id": "exp-zzzz2222", "ok": true}'))
assert "no block has the id exp-zzzz2222" in said, said
""",
    "pydantic": """
from pydantic_ai import Agent
from pydantic_ai.models.test import TestModel
tools = alice_tools(alice)
assert {one.name for one in tools} == {one["name"] for one in alice.tools()}
model = TestModel(call_tools=["heartbeat_summary", "recall", "report_outcome"], custom_output_text="done")
done = Agent(model, tools=tools).run_sync("what waits?")
told = [part for one in done.all_messages() for part in one.parts if part.part_kind == "tool-return"]
assert {part.tool_name for part in told} == {"heartbeat_summary", "recall", "report_outcome"}, told
assert "waiting" in str(told) and "no block has the id" in str(told)
""",
    "langgraph": """
store = AliceStore(alice)
store.put(("memories",), "rg", {"text": "use rg", "when": "searching code"})
(found,) = store.search(("memories",), query="searching code")
assert (found.key, found.value["text"], found.value["approved"]) == ("rg", "use rg", False)
assert store.get(("memories",), "rg").value["when"] == "searching code"
assert store.get(("memories",), "other") is None
from langgraph.graph import START, StateGraph
def node(state, *, store):
    return {"said": store.search(("memories",), query="searching code")[0].value["text"]}
graph = StateGraph(dict)
graph.add_node("node", node)
graph.add_edge(START, "node")
assert graph.compile(store=store).invoke({"ask": "x"})["said"] == "use rg"
try:
    store.delete(("memories",), "rg")
except NotImplementedError:
    pass
else:
    raise AssertionError("deleting is the person's")
""",
}


@pytest.fixture(scope="session")
def python() -> Path:
    """An interpreter with this package and the frameworks."""
    program = PLACE / "bin" / "python"
    if not (PLACE / ".ready").exists():
        venv.create(PLACE, with_pip=True)
        installed = subprocess.run(
            [program, "-m", "pip", "install", "-q", str(ROOT), *PACKAGES],
            capture_output=True,
            text=True,
            timeout=900,
        )
        if installed.returncode:
            pytest.skip(f"pip cannot install {PACKAGES}: {installed.stderr[-300:]}")
        (PLACE / ".ready").touch()
    return program


@pytest.mark.parametrize("name", USES)
def test_an_adapter_works_with_the_real_package(
    name: str, home: Path, python: Path, run: Callable[..., Any]
) -> None:
    text = (ROOT / "docs/adapters.md").read_text("utf-8")
    (code,) = re.findall(rf"```python\n(# adapter: {name}\n.*?)```", text, re.DOTALL)
    assert len(code.splitlines()) <= 50
    code = f"{code}\nalice = Alice({str(home)!r}, 'agent:mine')\n{USES[name]}"
    done = subprocess.run(
        [python, "-c", code], capture_output=True, text=True, timeout=120, env=_environment()
    )
    assert done.returncode == 0, done.stderr
    kept = run("list", "--json").json["blocks"]
    assert not any(one["approved"] for one in kept) and (name == "pydantic" or kept)


def _environment() -> dict[str, str]:
    import os

    return {**os.environ, "PYTHONPATH": str(ROOT), "OPENAI_API_KEY": "none"}
