"""Homes to measure on: believable sizes, deterministic, Chinese and English."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_LATIN = (
    "search code repository python test deploy server database index cache build docker branch commit "
    "review config network timeout retry memory file parse token query window model agent tool shell "
    "script format lint type error trace log metric alert schema migrate replica shard queue worker "
    "cron secret certificate proxy cluster node pod"
)
LATIN = _LATIN.split()
HAN = "搜索代码仓库测试部署服务数据库索引缓存构建分支提交评审配置网络超时重试内存文件解析查询窗口模型工具脚本格式错误日志指标告警迁移副本队列证书代理集群节点"


def lines(count: int, seed: int = 1) -> Iterator[dict[str, Any]]:
    """``count`` blocks as JSONL objects, each of its own words."""
    chance = random.Random(seed)
    for number in range(count):
        latin = " ".join(chance.choices(LATIN, k=14))
        payload = latin if number % 2 else "".join(chance.choices(HAN, k=40))
        yield {
            "payload": f"{payload} case {number}",
            "trigger": " ".join(chance.choices(LATIN, k=5)),
            "type": "fact",
            "tags": [chance.choice(LATIN)],
            "evidence": [{"kind": "note", "quote": " ".join(chance.choices(LATIN, k=6))}],
        }


def environment(home: Path) -> dict[str, str]:
    """A process environment that sees this home alone."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "ALICE_"))}
    return {**kept, "ALICE_HOME": str(home), "ALICE_ACTOR": "user", "PYTHONDONTWRITEBYTECODE": ""}


def command(
    home: Path, *arguments: str, stdin: str | None = None, now: str | None = None
) -> subprocess.CompletedProcess[str]:
    """One real command on a home, at ``now`` if it is given."""
    return subprocess.run(
        [sys.executable, "-m", "alice_exp", *arguments],
        env=environment(home) | ({"ALICE_NOW": now} if now else {}),
        input=stdin,
        capture_output=True,
        text=True,
        check=True,
    )


def filled(place: Path, count: int, waiting: int = 20) -> Path:
    """A home with ``count`` blocks: most of them trusted, ``waiting`` in the pool."""
    for name, share in (
        ("universal/tool_usage", 0.5),
        ("universal/system_info", 0.3),
        ("personal/workflow_habits", 0.2),
    ):
        path = place / "experiences" / f"{name}.jsonc"
        path.parent.mkdir(parents=True, exist_ok=True)
        blocks = [
            {**line, "state": "reliable", "verifications": 12}
            for line in lines(int((count - waiting) * share), seed=len(name))
        ]
        body = ",\n    ".join(json.dumps(block, ensure_ascii=False) for block in blocks)
        path.write_text(f'// Made for measuring.\n{{\n  "blocks": [\n    {body}\n  ]\n}}\n', encoding="utf-8")
    command(place, "init")
    pool = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines(waiting, seed=99))
    command(place, "memorize", "--from", "-", stdin=pool)
    return place
