"""``mcp``: the server that agents connect to, and its place in their hosts' configuration."""

from __future__ import annotations

import typer

from alice_exp.cli.terminal import Terminal
from alice_exp.core.errors import UsageError


def serve(ctx: typer.Context) -> None:
    """Serve an agent over stdio until it hangs up (needs the extra: pip install 'alice-exp[mcp]').

    Example, in an agent's configuration: {"command": "alice-exp", "args": ["mcp"]}
    """
    terminal: Terminal = ctx.obj
    try:
        import mcp.server  # noqa: F401
    except ImportError:
        raise UsageError("the mcp package is not installed", hint="pip install 'alice-exp[mcp]'") from None
    from alice_exp.mcp.server import serve as run

    run(terminal.wiring)
