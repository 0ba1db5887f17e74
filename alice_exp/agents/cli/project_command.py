"""``project``: which project this folder belongs to, under which names, and whether hooks and MCP learn in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from alice_exp.home.caller import require_person
from alice_exp.home.project_names import named
from alice_exp.kernel.errors import UsageError
from alice_exp.review.cli.where_it_holds import answers, asked_about
from alice_exp.review.documents import asked_documents
from alice_exp.terminal.console import Terminal
from alice_exp.terminal.language import say

if TYPE_CHECKING:
    from alice_exp.home.session import Session


def project(
    terminal: Terminal,
    switch: Annotated[
        str, typer.Argument(metavar="[off|on|is|not]", help="Stop or resume learning in it; say its name.")
    ] = "",
    name: Annotated[
        str, typer.Argument(metavar="[NAME]", help="Another project than this folder's; its other name.")
    ] = "",
    of: Annotated[
        str, typer.Argument(metavar="[PROJECT]", help="Whose name it is, or not; else this folder's.")
    ] = "",
) -> None:
    """Say which project this folder belongs to; 'off' keeps hooks and MCP from learning or capturing in it.

    The project is host and path of the git remote, else a name of this machine's, outside of a repository the folder.
    'is' says that it has another name: that in .alice-project, which counts once you said so, or one from before.

    Examples: alice-exp project · alice-exp project off · alice-exp project is web
    """
    session = terminal.session
    _require_sense(switch, name, of)
    if switch:
        words = " ".join(filter(None, (switch, name, of)))
        require_person(session.caller, say("switch learning"), f"alice-exp project {words}")
    if switch in ("is", "not"):
        if not of and not session.spot.path:
            raise UsageError(
                "this folder belongs to no project", hint="name one: alice-exp project is NAME PROJECT"
            )
        session.name_project(of, name, switch == "is")
    elif session.root.exists():
        session.enter()
    other = name if switch not in ("is", "not") and name != "." else ""
    key, names = _named(session, other)
    off = _switched(session, switch, other) if switch in ("off", "on") else _off(session)
    learning = not off.intersection(names if other else session.here.switches)
    asked = [] if other else [one for one in session.asked() if one[0] == session.folder_key]
    document = {
        "project": key or None,
        "names": names[1:],
        "learning": learning,
        "off": sorted(off),
        "asked": asked_documents(asked),
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
        for project, its, held in asked:
            terminal.line(f"  {asked_about(its, held)} {answers(project, its)}")

    terminal.answer(document, text)


def _require_sense(switch: str, name: str, of: str) -> None:
    if switch not in ("", "off", "on", "is", "not"):
        raise UsageError("{switch} is none of off, on, is and not", switch=repr(switch))
    if switch in ("is", "not") and not name:
        raise UsageError("say which name", hint="alice-exp project is NAME")
    for one in filter(None, (name, of)):
        named(one)


def _named(session: Session, other: str) -> tuple[str, list[str]]:
    """The key of another project, or of this folder's, and all its names."""
    return (other, session.named(other).split()) if other else (session.here.key, session.here.names.split())


def _off(session: Session) -> set[str]:
    return set(session.home.config().text("projects.off").split())


def _switched(session: Session, switch: str, other: str) -> set[str]:
    """The projects in which nothing is learned, after a person's word on this folder's, or another."""
    off, (key, names) = _off(session), _named(session, other)
    if not key:
        raise UsageError("this folder belongs to no project", hint="name one: alice-exp project off NAME")
    # What lies around this folder was switched off for more than this folder.
    own = {*names} if other else session.here.switches.difference(session.spot.around) | {*names, key}
    changed = off | {key} if switch == "off" else off - own
    if changed != off:
        session.home.decide_here({"projects.off": " ".join(sorted(changed))})
    return changed
