"""``mcp``: the server that agents connect to, and its place in their hosts' configuration."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from alice_exp.terminal.console import Terminal
from alice_exp.terminal.editor import text_of, write_text
from alice_exp.terminal.language import say


def serve(terminal: Terminal) -> None:
    """Serve an agent over stdio until it hangs up.

    In an agent's configuration: {"command": "alice-exp", "args": ["mcp"]}

    Examples: alice-exp mcp · alice-exp mcp install claude-code --print
    """
    from alice_exp.agents import server

    session = terminal.session
    session.home.read(())
    session.acting.named  # noqa: B018  a wrong name is said at the start, too
    server.serve(lambda: session)


def install(
    terminal: Terminal,
    host: Annotated[
        str,
        typer.Argument(metavar="HOST", help="claude-code, codex, cursor, gemini, opencode, qwen or vscode."),
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
    from alice_exp.agents import host_config
    from alice_exp.agents.host_config import installed, removed
    from alice_exp.home.hosts import host_named

    known = host_named(host)
    path = Path(file).expanduser() if file else host_config.place(known, project)
    before = text_of(path)
    command, arguments = host_config.command(terminal.home, shared=project)
    arguments = [*arguments, "mcp"]
    after = (
        removed(before, str(path), known)
        if remove
        else installed(before, str(path), known, command, arguments)
    )
    changed = after != before
    if changed and not show:
        write_text(path, after)
    document = {"host": host, "path": str(path), "changed": changed and not show, "text": after}

    def text() -> None:
        if show:
            terminal.note(f"{path}:")
            for line in after.splitlines():
                terminal.line(line)
        elif changed:
            terminal.line(say("{path} is written; start {host} anew", path=path, host=host))
        else:
            terminal.line(say("{path} is set up already", path=path))

    terminal.answer(document, text)
