"""Whether a process is the program of an agent's host: by its executable and its arguments, never by a mere word."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from alice_exp.home.hosts import KNOWN

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from alice_exp.home.hosts import Host

_RUNTIMES = ("node", "nodejs", "bun", "deno", "python")
_TAKES_VALUE = frozenset(
    ("-r", "--require", "--import", "--loader", "--experimental-loader", "-C", "-W", "-X")
)
_CODE = frozenset(("-e", "-p", "-c", "--eval", "--print"))
_VERBS = frozenset(("run", "x", "--"))


class Process(NamedTuple):
    """A process: its executable's path and its arguments; empty where they cannot be read."""

    pid: int
    executable: str = ""
    arguments: tuple[str, ...] = ("",)

    @property
    def shown(self) -> str:
        """A few words by which a person knows it."""
        return " ".join(" ".join(self.arguments[:2]).split())[:60] or self.executable


def host_of(process: Process) -> Host | None:
    """The host whose program this is; None for every other.

    Some programs give themselves a title, which then stands in the place of the arguments.
    """
    title = process.arguments[0]
    executable = process.executable.removesuffix(" (deleted)") or title
    told = [executable]
    if _base(executable).lower().rstrip("0123456789.") in _RUNTIMES:
        told += [title.partition(" ")[0], *_script(process.arguments[1:])]
    return next((host for host in KNOWN if any(_is_of(host, one) for one in told)), None)


def _is_of(host: Host, told: str) -> bool:
    return _base(told) in host.agents or any(part in told for part in host.packages)


def _base(path: str) -> str:
    """The name of a program without its folder, and without what a packager put around it."""
    return path.rpartition("/")[2].removesuffix("-wrapped").lstrip(".")


def _script(arguments: Sequence[str]) -> Iterator[str]:
    """What a runtime was told to run: the path of a script, or ``-m MODULE.``, as the table has it."""
    rest = iter(arguments)
    for argument in rest:
        if argument in _CODE:
            return
        if argument in _TAKES_VALUE:
            next(rest, "")
        elif argument == "-m":
            yield f"-m {next(rest, '')}."
            return
        elif argument not in _VERBS and not argument.startswith("-"):
            yield argument
            return
