"""A home that holds a secret."""

from pathlib import Path

import pytest

from tests.blocks.conftest import TOOLS
from tests.conftest import Call

SECRET = "我的银行密码是 tulip-4711"
REMARK = "never tell anybody about the tulip"


@pytest.fixture
def secret(world: Path, cli: Call) -> str:
    """A home in which a block with a comment has been moved, edited, retired and revived; its id."""
    root = world / "alice" / "experiences"
    (root / "universal").mkdir(parents=True)
    (root / "universal" / "tool_usage.jsonc").write_text(TOOLS, encoding="utf-8")
    cli("init")
    block_id = cli("remember", SECRET, "--when", "logging in to the tulip bank", "--json").json["id"]
    path = root / "personal" / "user_preferences.jsonc"
    text = path.read_text().replace(f'"id": "{block_id}",', f'"id": "{block_id}", // {REMARK}')
    path.write_text(text)
    cli("outcome", block_id, "ok", "--note", "tulip opened")
    cli("move", block_id, "personal/workflow_habits")
    cli("retire", block_id, "--reason", "changed")
    cli("revive", block_id, "--yes")
    cli("outcome", "exp-aaaaaaa2", "ok")
    return str(block_id)
