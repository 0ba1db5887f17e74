"""Ctrl-C while the program is still loading ends it as it does later: exit 130, and no traceback."""

import sys
from typing import Any

import pytest

from alice_exp import __main__ as entry


class _Pressed:
    """A finder of modules that is interrupted at ``alice_exp.app.main``."""

    def find_spec(self, name: str, *_: Any) -> None:
        if name == "alice_exp.app.main":
            raise KeyboardInterrupt


def test_an_interruption_while_it_loads_is_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "alice_exp.app.main", raising=False)
    monkeypatch.setattr(sys, "meta_path", [_Pressed(), *sys.meta_path])
    monkeypatch.setattr(sys, "argv", ["alice-exp", "list"])
    with pytest.raises(SystemExit) as ended:
        entry.main()
    assert ended.value.code == 130
