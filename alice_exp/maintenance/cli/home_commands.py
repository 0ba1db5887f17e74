"""The commands ``init``, ``check`` and ``namespace``."""

from __future__ import annotations

from typing import Annotated

import typer

from alice_exp.finding import documents as finding_documents
from alice_exp.finding.usecases import Filters, listing
from alice_exp.finding.wiring import finding
from alice_exp.home.caller import require_person
from alice_exp.home.references import namespace_name
from alice_exp.kernel.errors import ProblemError
from alice_exp.kernel.journal.act import commit_id
from alice_exp.maintenance.usecases import settings
from alice_exp.model import documents
from alice_exp.terminal.console import Terminal, short
from alice_exp.terminal.language import aside, rendered, say


def init(
    terminal: Terminal,
) -> None:
    """Make the home; files that are there already are taken in as they are. Again: changes nothing.

    Examples: alice-exp init · alice-exp --home ~/other-alice init
    """
    session = terminal.session
    require_person(session.caller, say("make a home"), "alice-exp init")
    commit, blocks = session.home.create(session.actor, settings.default_files())
    document = {"home": str(session.root), "commit": commit_id(commit), "adopted": blocks}

    def text() -> None:
        if commit is None:
            terminal.line(say("{root}  is there already; nothing changed", root=session.root))
        elif blocks:
            terminal.line(
                say(
                    "{root}  is ready; {count} blocks were taken in unchanged",
                    root=session.root,
                    count=blocks,
                )
            )
        else:
            terminal.line(say("{root}  is ready", root=session.root))

    terminal.answer(document, text)
    if commit is not None and not terminal.json:
        for line in _next():
            terminal.note(line)


def _next() -> tuple[str, ...]:
    """What to do first in a new home; beside the answer, since it is none."""
    rows = (
        ('alice-exp remember "…"', say("keeps your own word")),
        ("alice-exp connect HOST", say("lets an agent learn and recall here")),
        ("alice-exp heartbeat", say("each day: what was learned, for you to decide")),
    )
    return (say("Next:"), *(f"  {command:<27} {what}" for command, what in rows))


def check(terminal: Terminal) -> None:
    """Name every problem in the home's files with its place; exit 3 where one stops a file from being used.

    Examples: alice-exp check · alice-exp check --json
    """
    session = terminal.session
    problems = (
        *settings.check(session.home, session.caller.now),
        *session.exposed(),
        *session.unread(),
    )

    def text() -> None:
        for problem in problems:
            hint = aside(rendered(problem.hint))
            terminal.line(
                f"{problem.where}: {say(problem.severity)}: {say(problem.template, **problem.values)}{hint}"
            )
        if not problems:
            terminal.line(say("all files are in order"))

    terminal.answer({"problems": [documents.problem(problem) for problem in problems]}, text)
    if any(problem.severity == "error" for problem in problems):
        terminal.exit_code = ProblemError.exit_code


def _namespace(one: settings.Namespace) -> dict[str, object]:
    return {
        "set": one.place,
        "namespace": one.name,
        "path": one.path,
        "blocks": one.blocks,
        "stale": one.stale,
    }


def namespace_list(terminal: Terminal) -> None:
    """List the namespaces with their sets and how many blocks each holds.

    Example: alice-exp namespace list
    """
    found = settings.namespaces(terminal.session.home)
    rows = [
        [one.place, one.name, str(one.blocks), say("has a problem") if one.stale else ""] for one in found
    ]
    document = {"namespaces": [_namespace(one) for one in found]}
    terminal.answer(document, lambda: terminal.table([say("set"), say("namespace"), say("blocks"), ""], rows))


def namespace_show(
    terminal: Terminal,
    name: Annotated[str, typer.Argument(metavar="SET/NAME", help="As universal/tool_usage.")],
) -> None:
    """Show one namespace: where its file is, and the blocks in it.

    Example: alice-exp namespace show universal/tool_usage
    """
    session = terminal.session
    one = settings.namespace(session.home, name)
    shown = listing(finding(session), Filters((one.place,), one.name))
    document = {**_namespace(one), "blocks": [finding_documents.block(block) for block in shown]}

    def text() -> None:
        state = f"  {say('has a problem')}" if one.stale else ""
        terminal.line(f"{namespace_name(one.path)}  {session.root / 'experiences' / one.path}{state}")
        rows = [
            [block.placed.block.id, block.level, short(documents.payload_text(block.placed), 80)]
            for block in shown
        ]
        terminal.table([say("id"), say("state"), say("what is known")], rows)

    terminal.answer(document, text)


def namespace_create(
    terminal: Terminal,
    name: Annotated[str, typer.Argument(metavar="SET/NAME", help="As universal/recipes.")],
    comment: Annotated[str, typer.Option(help="What it is for: the file's head comment.")] = "",
) -> None:
    """Make a new, empty namespace file.

    Example: alice-exp namespace create universal/recipes --comment "What cooks well."
    """
    path, commit = settings.create_namespace(terminal.session.home, terminal.session.caller, name, comment)
    document = {"path": path, "commit": commit_id(commit)}
    terminal.answer(document, lambda: terminal.line(say("{name}  is ready", name=namespace_name(path))))
