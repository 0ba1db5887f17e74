"""``project``: which project this folder belongs to, under which names, and whether hooks and MCP learn in it."""

from __future__ import annotations

from typing import Annotated

import typer

from alice_exp.caller.acting import require_person
from alice_exp.caller.project import named
from alice_exp.home.session import Session
from alice_exp.kernel.errors import UsageError
from alice_exp.review.cli.report_parts import asked_about
from alice_exp.terminal.console import Terminal
from alice_exp.terminal.language import say

_Other = Annotated[str, typer.Argument(metavar="[NAME]", help="Another project than this folder's.")]
_Name = Annotated[str, typer.Argument(metavar="NAME", help="Its other name.")]
_Of = Annotated[
    str, typer.Argument(metavar="[PROJECT]", help="Whose name it is, or not; else this folder's.")
]


def project(terminal: Terminal) -> None:
    """Say which project this folder belongs to, and whether hooks and MCP learn in it.

    The project is host and path of the git remote, else a name of this machine's, outside of a repository the folder.

    Examples: alice-exp project · alice-exp project off · alice-exp project publish
    """
    _say(terminal)


def off(terminal: Terminal, name: _Other = "") -> None:
    """Keep hooks and MCP from learning or capturing in a project.

    Example: alice-exp project off
    """
    _switch(terminal, "off", name)


def on(terminal: Terminal, name: _Other = "") -> None:
    """Let hooks and MCP learn in a project again.

    Example: alice-exp project on
    """
    _switch(terminal, "on", name)


def is_(terminal: Terminal, name: _Name, of: _Of = "") -> None:
    """Say that a project has another name: that in .alice-project, which counts once you said so, or one from before.

    Example: alice-exp project is web
    """
    _call(terminal, "is", name, of)


def not_(terminal: Terminal, name: _Name, of: _Of = "") -> None:
    """Say that a name is not a project's.

    Example: alice-exp project not web
    """
    _call(terminal, "not", name, of)


def _call(terminal: Terminal, word: str, name: str, of: str) -> None:
    session = terminal.session
    for one in filter(None, (name, of)):
        named(one)
    _require(session, word, name, of)
    if not of and not session.spot.path:
        raise UsageError(
            "this folder belongs to no project", hint="name one: alice-exp project is NAME PROJECT"
        )
    session.name_project(of, name, word == "is")
    _say(terminal)


def _switch(terminal: Terminal, word: str, name: str) -> None:
    session = terminal.session
    if name:
        named(name)
    _require(session, word, name)
    session.enter()
    other = name if name != "." else ""
    off, (key, names) = _off(session), _named(session, other)
    if not key:
        raise UsageError("this folder belongs to no project", hint="name one: alice-exp project off NAME")
    # What lies around this folder was switched off for more than this folder.
    own = {*names} if other else session.here.switches.difference(session.spot.around) | {*names, key}
    changed = off | {key} if word == "off" else off - own
    if changed != off:
        session.home.decide_here({"projects.off": " ".join(sorted(changed))})
    _say(terminal, other)


def _require(session: Session, *words: str) -> None:
    require_person(
        session.caller, say("switch learning"), f"alice-exp project {' '.join(filter(None, words))}"
    )


def _say(terminal: Terminal, other: str = "") -> None:
    session = terminal.session
    if session.root.exists():
        session.enter()
    off, (key, names) = _off(session), _named(session, other)
    learning = not off.intersection(names if other else session.here.switches)
    asked = [] if other else [one for one in session.asked() if one[0] == session.folder_key]
    is_here = not other and session.root.exists()
    waits = session.team.waits() if session.team is not None and is_here else 0
    questions = [asked_about(*one) for one in asked]
    document = {
        "project": key or None,
        "names": names[1:],
        "learning": learning,
        "off": sorted(off),
        "asked": [one.document for one in questions],
        "waits": waits,
    }

    def text() -> None:
        if not learning:
            terminal.line(say("{project}: hooks and MCP learn nothing here", project=key))
        elif not key:
            terminal.line(say("no project: what is learned here holds everywhere"))
        else:
            terminal.line(say("{project}: what is learned here holds here", project=key))
        for one in names[1:]:
            terminal.line(say("  told here, too: {name}", name=one))
        for question in questions:
            terminal.line(f"  {question.text} {question.note}")
        if waits:
            template = "{count} things wait to be trusted in this repository: alice-exp project trust"
            terminal.line("  " + say(template, count=waits))

    terminal.answer(document, text)


def _named(session: Session, other: str) -> tuple[str, list[str]]:
    """The key of another project, or of this folder's, and all its names."""
    return (other, session.named(other).split()) if other else (session.here.key, session.here.names.split())


def _off(session: Session) -> set[str]:
    return set(session.home.config().text("projects.off").split())
