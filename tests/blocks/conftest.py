"""What several tests of single blocks begin with: a home with two approved blocks, and an act as a program sees it."""

from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Call

TOOLS = Path(__file__).with_name("tools.jsonc").read_text("utf-8")


def act(cli: Call, *arguments: str, **named: Any) -> Any:
    """What the command tells a program."""
    return cli(*arguments, "--json", **named).json


@pytest.fixture
def tools(world: Path, cli: Call) -> Path:
    """A home with two approved blocks of universal; the path of their file."""
    path = world / "alice" / "experiences" / "universal" / "tool_usage.jsonc"
    path.parent.mkdir(parents=True)
    path.write_text(TOOLS, encoding="utf-8")
    cli("init")
    return path
