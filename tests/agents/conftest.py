"""What several tests of hooks and hosts begin with."""

import pytest

from alice_exp.agents.cli import hook_command


@pytest.fixture
def inline(monkeypatch: pytest.MonkeyPatch) -> None:
    """No process of its own: what a hook leaves stays until the next command."""
    monkeypatch.setattr(hook_command, "detach", lambda _: None)


@pytest.fixture
def by_folder(monkeypatch: pytest.MonkeyPatch, inline: None) -> None:
    """The same, and the project is that of the folder."""
    monkeypatch.delenv("ALICE_PROJECT")


@pytest.fixture
def tried(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The servers that were to be tried: here each is said to start, which takes half a second to find out."""
    commands: list[list[str]] = []

    def starts(program: str, arguments: list[str]) -> str:
        commands.append([program, *arguments])
        return "ok"

    monkeypatch.setattr("alice_exp.agents.store.try_server", starts)
    return commands
