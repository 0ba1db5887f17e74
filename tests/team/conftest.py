"""Two people with a home each, and their clones of one repository."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

Call = Callable[..., Any]


@dataclass
class Person:
    """One person: their home, their clone, and the command line as they use it there."""

    name: str
    home: Path
    clone: Path
    cli: Call
    chdir: Callable[[Path], None]
    now: str = ""

    def __call__(self, *words: str, check: bool = True, **env: str) -> Any:
        self.chdir(self.clone)
        more = {"ALICE_NOW": self.now} if self.now else {}
        return self.cli(*words, env={"ALICE_HOME": str(self.home), **more, **env}, check=check)

    def json(self, *words: str, check: bool = True) -> Any:
        return json.loads(self(*words, "--json", check=check).stdout)

    def git(self, *words: str, check: bool = True) -> str:
        done = subprocess.run(
            ["git", "-c", "commit.gpgSign=false", "-C", str(self.clone), *words],
            capture_output=True,
            text=True,
            check=False,
        )
        assert not check or done.returncode == 0, done.stderr
        return done.stdout + done.stderr

    def knows(self, text: str, when: str = "pushing a branch", **more: str) -> str:
        """Something that an agent proposed here and the person approved."""
        options = [part for name, value in more.items() for part in (f"--{name}", value)]
        made = self.json("memorize", text, "--when", when, "--type", "rule", "--about", "work", *options)
        assert made["id"] in self("approve", made["id"], "--yes", "--to", "universal/tool_usage").stdout
        return str(made["id"])

    def pushed(self, message: str = "Lessons") -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)
        self.git("push", "-q", "origin", "HEAD:main")

    @property
    def file(self) -> Path:
        return self.clone / ".alice" / "experience.jsonc"

    def told(self, task: str = "push a branch") -> list[str]:
        """What an agent is told of a task, in order."""
        made = self.json("decide", task, check=False)
        return [one["payload"] for one in (*made["constraints"], *made["steps"])]


@pytest.fixture
def people(
    home: Path, tmp_path: Path, cli: Call, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., list[Person]]:
    """``people("ann", "bob")``: each with a home of their own and a clone of one bare repository."""
    monkeypatch.delenv("ALICE_PROJECT", raising=False)
    hub = tmp_path / "hub.git"
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(hub)], check=True)

    def made(*names: str) -> list[Person]:
        found = []
        for name in names:
            clone = tmp_path / name / "web"
            subprocess.run(["git", "clone", "-q", str(hub), str(clone)], check=True, capture_output=True)
            one = Person(name, tmp_path / name / "home", clone, cli, monkeypatch.chdir)
            one.git("checkout", "-q", "-B", "main")
            one.git("config", "user.name", name.title())
            one.git("config", "user.email", f"{name}@example.org")
            one("init")
            found.append(one)
        return found

    return made
