"""A person at a terminal, in this process: what they read, and the keys that they press."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable

import pytest

from alice_exp.review.cli import interactive_review, review_pages
from alice_exp.terminal import editor, language


class _Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


class Screen:
    """Stands for the terminal while it is entered. ``press`` says from all that was printed which key comes next."""

    def __init__(
        self,
        monkeypatch: pytest.MonkeyPatch,
        press: Callable[[str], str] | None = None,
        *,
        columns: int = 80,
        term: str = "dumb",
    ) -> None:
        self._columns, self._term = columns, term
        self._patch, self._press = monkeypatch, press
        self._out = _Terminal()
        self.keys = 0

    @property
    def text(self) -> str:
        """All that was printed."""
        return self._out.getvalue()

    @property
    def lines(self) -> int:
        """How many lines with anything on them the person read."""
        return sum(bool(line.strip()) for line in self.text.splitlines())

    def _key(self, prompt: str, ahead: object = None) -> str:
        del ahead  # They read before they press.
        assert self._press is not None, "nobody is there to press a key"
        self._out.write(prompt)
        pressed = self._press(self.text)
        self._out.write(pressed + "\n")
        self.keys += 1
        return pressed

    def __enter__(self) -> Screen:
        self._context = self._patch.context()
        patch = self._context.__enter__()
        for name, value in (("COLUMNS", str(self._columns)), ("TERM", self._term), ("PAGER", "cat")):
            patch.setenv(name, value)
        patch.delenv("NO_COLOR", raising=False)
        for name in ("stdin", "stdout", "stderr"):
            patch.setattr(sys, name, self._out)
        for module in (interactive_review, review_pages, editor):
            patch.setattr(module, "key", self._key)
        language.choose("")
        return self

    def __exit__(self, *error: object) -> None:
        self._context.__exit__(None, None, None)
