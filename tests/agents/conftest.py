"""What several tests of hooks begin with."""

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
