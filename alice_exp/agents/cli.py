"""``mcp``: the server that agents connect to, and its place in their hosts' configuration."""

from __future__ import annotations

import os
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from alice_exp.kernel.errors import ProblemError, UsageError
from alice_exp.terminal.console import Terminal
from alice_exp.terminal.language import say

if TYPE_CHECKING:
    from alice_exp.agents.host_config import Host


def serve(ctx: typer.Context) -> None:
    """Serve an agent over stdio until it hangs up (needs the extra: pip install 'alice-exp[mcp]').

    In an agent's configuration: {"command": "alice-exp", "args": ["mcp"]}

    Examples: alice-exp mcp · alice-exp mcp install claude-code --print
    """
    if ctx.invoked_subcommand is not None:
        return
    terminal: Terminal = ctx.obj
    if find_spec("mcp") is None:
        raise ProblemError(
            "the package {package} is not installed", package="mcp", hint="pip install 'alice-exp[mcp]'"
        )
    from alice_exp.agents.server import serve as run

    run(terminal.session)


def install(
    ctx: typer.Context,
    host: Annotated[
        str, typer.Argument(metavar="HOST", help="claude-code, cursor, vscode, codex or gemini.")
    ],
    show: Annotated[
        bool, typer.Option("--print", help="Print what the file would be; change nothing.")
    ] = False,
    remove: Annotated[bool, typer.Option("--remove", help="Take our entry out again.")] = False,
    project: Annotated[
        bool, typer.Option("--project", help="For this directory alone, not for every project.")
    ] = False,
    file: Annotated[
        str, typer.Option(metavar="FILE", help="The host's configuration, where it is elsewhere.")
    ] = "",
) -> None:
    """Put this server into an agent's host; everything else in its file stays as it is. Again: changes nothing.

    Example: alice-exp mcp install claude-code --print
    """
    from alice_exp.agents.host_config import HOSTS, installed, removed

    terminal: Terminal = ctx.obj
    known = HOSTS.get(host)
    if known is None:
        raise UsageError(
            "{host} is no host that is known", host=repr(host), hint=f"hosts are {', '.join(HOSTS)}"
        )
    path = Path(file).expanduser() if file else _place(known, project)
    before = _text(path)
    command, arguments = _command(terminal, project)
    after = (
        removed(before, str(path), known)
        if remove
        else installed(before, str(path), known, command, arguments)
    )
    changed = after != before
    if changed and not show:
        _write(path, after)
    document = {"host": host, "path": str(path), "changed": changed and not show, "text": after}

    def text() -> None:
        if show:
            terminal.note(f"{path}:")
            for line in after.splitlines():
                terminal.line(line)
        elif changed:
            terminal.line(say("{path} is written; start {host} anew", path=path, host=host))
        else:
            terminal.line(say("{path} is as it should be", path=path))

    terminal.answer(document, text)


def _place(host: Host, project: bool) -> Path:
    if project:
        if not host.project:
            raise UsageError("{host} has no configuration for one project", host=host.name)
        return Path.cwd() / host.project
    if host.name == "vscode" and sys.platform == "darwin":
        return Path.home() / "Library/Application Support/Code/User/mcp.json"
    if host.name == "codex" and os.environ.get("CODEX_HOME"):
        return Path(os.environ["CODEX_HOME"]) / "config.toml"
    return Path.home() / host.user


def connected() -> tuple[tuple[str, str], ...]:
    """The hosts whose own configuration of this person names our server, each with its file."""
    from alice_exp.agents.host_config import HOSTS, removed

    found = []
    for host in HOSTS.values():
        path = _place(host, False)
        try:
            text = _text(path)
            if text and removed(text, str(path), host) != text:
                found.append((host.name, str(path)))
        except ProblemError:
            continue  # whoever connects the host is told what is wrong with its file
    return tuple(found)


def _command(terminal: Terminal, project: bool) -> tuple[str, list[str]]:
    """How a host starts us: by name in a file that others share, else by the path of this very installation."""
    home = ["--home", str(Path(terminal.home).expanduser().absolute())] if terminal.home else []
    beside = Path(sys.executable).parent / "alice-exp"
    found = str(beside) if beside.exists() else shutil.which("alice-exp")
    if project:
        return "alice-exp", [*home, "mcp"]
    if found:
        return found, [*home, "mcp"]
    return sys.executable, ["-m", "alice_exp", *home, "mcp"]


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode()
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError:
        raise ProblemError("this is not UTF-8 text", path=str(path)) from None
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise ProblemError("this file cannot be read: {why}", why=why, path=str(path)) from error


def _write(path: Path, text: str) -> None:
    """Beside, then in its place, with the mode that it had; where a link stands, its target is written."""
    target = path.resolve()
    temporary = target.with_name(f".{target.name}.alice-{os.getpid()}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as out:
            out.write(text.encode())
        if target.exists():
            shutil.copymode(target, temporary)
        temporary.replace(target)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        why = (error.strerror or str(error)).lower()
        raise ProblemError("this file cannot be written: {why}", why=why, path=str(path)) from error
