"""A terminal of 80 columns: runs a command on it, keeps what it shows, draws that as SVG."""

import fcntl
import io
import os
import pty
import re
import select
import struct
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from html import escape, unescape
from pathlib import Path

from alice_exp.kernel.text.display import cells

COLUMNS, ROWS = 80, 50
PATIENCE = 30.0
"""Seconds until a program that says nothing more is given up."""

_CONTROL = re.compile(r"\x1b\[(\??[\d;]*)([A-Za-z])")


class Screen:
    """What a terminal shows: lines with their colours (SGR), moved over by the few controls that rich writes."""

    def __init__(self) -> None:
        self.lines = [""]
        self.row = 0

    def write(self, text: str) -> None:
        """Take in what a program wrote."""
        at = 0
        for control in _CONTROL.finditer(text):
            self._plain(text[at : control.start()])
            self._control(control[1], control[2], control[0])
            at = control.end()
        self._plain(text[at:])

    def _control(self, number: str, letter: str, whole: str) -> None:
        if letter == "m":
            self.lines[self.row] += whole
        elif letter == "A":
            self.row = max(0, self.row - int(number or 1))
        elif letter == "K":
            self.lines[self.row] = ""

    def _plain(self, text: str) -> None:
        for part in re.split(r"(\r*\n|\r)", text):
            if part.endswith("\n"):
                self.row += 1
                if self.row == len(self.lines):
                    self.lines.append("")
            elif part != "\r":
                self.lines[self.row] += part

    @property
    def text(self) -> str:
        """All lines, with their colours."""
        return "\n".join(self.lines).rstrip()


class Session:
    """A program on a terminal, as a person uses it."""

    def __init__(self, arguments: Sequence[str], environment: Mapping[str, str], place: Path) -> None:
        self.said = ""
        self._read = 0
        self.process, self.terminal = pty.fork()
        if not self.process:
            os.chdir(place)
            os.execvpe(arguments[0], [*arguments], {**environment, "TERM": "xterm-256color"})
        size = struct.pack("HHHH", ROWS, COLUMNS, 0, 0)
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, size)

    def wait_for(self, words: str) -> None:
        """Read on until the program has said this."""
        self._until(lambda: words in self.said[self._read :], words)
        self._read = self.said.index(words, self._read) + len(words)

    def press(self, key: str) -> None:
        """Press a key once the program awaits one: its terminal does not echo then."""
        self.wait_for("[?] ")
        deadline = time.monotonic() + PATIENCE
        while termios.tcgetattr(self.terminal)[3] & termios.ECHO and time.monotonic() < deadline:
            time.sleep(0.01)
        self.type(key)

    def type(self, keys: str) -> None:
        """Press keys."""
        os.write(self.terminal, keys.encode())

    def end(self) -> str:
        """Read until the program ends; all that it said."""
        self._until(lambda: False, "")
        os.waitpid(self.process, 0)
        os.close(self.terminal)
        return self.said

    def _until(self, done: Callable[[], bool], words: str) -> None:
        raw, deadline = b"", time.monotonic() + PATIENCE
        while not done():
            if not select.select([self.terminal], [], [], max(0.0, deadline - time.monotonic()))[0]:
                raise TimeoutError(f"waited for {words!r} in:\n{self.said}")
            try:
                raw += os.read(self.terminal, 65536)
            except OSError:
                raw = b""
            if not raw:
                if words:
                    raise EOFError(f"ended before {words!r}:\n{self.said}")
                return
            try:
                self.said, raw = self.said + raw.decode(), b""
            except UnicodeDecodeError:
                continue


def svg(title: str, shown: str) -> str:
    """What a terminal showed as a picture; every character stands in its cell, whatever font the reader has."""
    from rich._export_format import CONSOLE_SVG_FORMAT
    from rich.console import Console
    from rich.text import Text

    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True)
    console.print(Text.from_ansi(shown), overflow="crop", no_wrap=True)
    fonts = re.compile(
        r"    @font-face \{\{.*?\}\}\n    \}\}\n|    @font-face \{\{.*?\n    \}\}\n", re.DOTALL
    )
    form = fonts.sub("", CONSOLE_SVG_FORMAT).replace(
        "font-family: Fira Code, monospace",
        "font-family: Fira Code, Menlo, DejaVu Sans Mono, Noto Sans Mono CJK SC, monospace",
    )
    drawn = console.export_svg(title=title, code_format=form, unique_id="alice")
    return "\n".join(line.rstrip() for line in _TEXT.sub(_in_cells, drawn).splitlines()) + "\n"


_TEXT = re.compile(
    r'<text class="([^"]*)" x="([^"]*)" y="([^"]*)" textLength="([^"]*)"([^>]*)>([^<]*)</text>'
)
_RUN = re.compile(r"[\u2e80-\uffff]+|[^\u2e80-\uffff]+")
_CELL = 12.2
"""Units that rich gives to a column: 20 of height by 0.61."""


def _in_cells(found: re.Match[str]) -> str:
    """rich gives a wide character one cell's length: give each run of wide or narrow ones its own place and length."""
    kind, x, y, _, rest, body = found.groups()
    parts, left = [], float(x)
    for run in _RUN.findall(unescape(body)):
        length = cells(run) * _CELL
        if run.strip("\xa0 "):
            text = escape(run).replace("\xa0", "&#160;").replace(" ", "&#160;")
            size = ' font-size="22"' if run > "\u2e7f" else ""
            place = f'x="{left:g}" y="{y}" textLength="{length:g}"{size}'
            parts.append(f'<text class="{kind}" {place}{rest}>{text}</text>')
        left += length
    return "\n".join(parts)
