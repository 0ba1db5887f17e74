"""Every command, once, as a table; the tree that is made of it, and the options that all share.

A row is ``name | sentence | module command …``, with ``command=function`` where the two differ; a name with no command
behind its module is one command, ``=function`` what the name itself does. Its heading is that under which the page of
all names it. A module is imported when a command of it is invoked, so that none pays for another (DESIGN 8).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from importlib import import_module
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption

from alice_exp.kernel.errors import AliceError
from alice_exp.terminal import language
from alice_exp.terminal.language import sentence_of
from alice_exp.terminal.options import guard, named

if TYPE_CHECKING:
    from alice_exp.home.session import Session

Table = Mapping[str, "str | Table"]

_ROWS = """
Every day
status | One screen: what waits, is in doubt, changed or is broken. | app.status
heartbeat | Today's report: what is new and waits for your decision. | review.cli.heartbeat_command
review | The same, one thing at a time, with keys. | review.cli.interactive_review
approve | Trust candidates; those about you go to personal. | review.cli.review_commands
reject | Turn candidates down for good. | review.cli.review_commands
reply | Answer the report in your own words. | review.cli.review_commands
pause | While you are away, nothing that waits expires. | maintenance.cli.home_commands
keep | It still holds: end the doubt in a block. | learning.cli.decision_commands
Say and find
remember | Keep your own word: trusted at once. | blocks.cli.capture_commands
recall | Say what is known, best first. | finding.cli
list | List blocks: where they are, what state they have. | finding.cli =list_blocks
show | Show one block with all that it says. | finding.cli
why | Explain a block: evidence, every act, how it is scored. | blocks.cli.provenance_commands
import | Take in what another memory or file holds already. | blocks.cli.import_export alice=import_alice
 blocks.cli.import_export claude-md=claude_md skill mem0 basic-memory=basic_memory jsonl
export | Export blocks: JSONL, JSON or Markdown. | blocks.cli.import_export
Set right
edit | Open a block in your editor; what you save is committed. | blocks.cli.lifetime_commands
move | Move a trusted block into another namespace. | blocks.cli.lifetime_commands
retire | Take trust from a block because the world has changed. | blocks.cli.lifetime_commands
revive | Give an archived block a second chance. | blocks.cli.lifetime_commands
restore | Bring back from history what expired or was deleted. | blocks.cli.provenance_commands
purge | Forget a block for good, in all of history. | blocks.cli.lifetime_commands
log | Show the acts, newest first. | blocks.cli.provenance_commands
diff | Show what one act changed, field by field. | blocks.cli.provenance_commands
undo | Take acts back in one commit. | blocks.cli.provenance_commands
For agents
connect | Make an agent's host use this home. | agents.cli.connect_commands
disconnect | Take this home out of an agent's host. | agents.cli.connect_commands
hook | What a host calls when a session begins, speaks or ends. | agents.cli.hook_command
mcp | Serve an agent over the Model Context Protocol. | agents.cli.connect_commands =serve
memorize | Keep something learned as a candidate. | blocks.cli.capture_commands
decide | What applies to a task: what you approved, else the pool. | learning.cli.decision_commands
outcome | Report whether it worked. | learning.cli.decision_commands
prime | What an agent should know when a session begins. | agents.cli.context_commands
context | What is known about the user, for a model's prompt. | agents.cli.context_commands
assess | Say how well a topic is known, and why. | learning.cli.assess_commands
session | Conversations: kept, searched, read for candidates. | conversations.cli start say=tell
 list=list_sessions show window extract end forget import=import_session search
episode | What happened, task by task. | episodes.cli add list=list_episodes show similar reflect
 stats prune restore episodes.cli export import=import_
event | The running diary of thoughts. | timeline.cli add result list=list_events search segments
 narrative=tell stats expand timeline.cli export import=import_
distill | Find what repeats in episodes and propose it. | learning.cli.decision_commands
heard | Your own sentences that wait for an agent to read them. | agents.cli.context_commands
project | This folder's project: names, learning, what its team knows. | agents.cli.project_command =project off on
 is=is_ not=not_ team.cli publish trust
Upkeep
init | Make the home; again: changes nothing. | maintenance.cli.home_commands
check | Name every problem in the home's files. | maintenance.cli.home_commands
doctor | Look the whole home over: files, history, permissions. | app.status
watch | Take in what you save in an editor, as it happens. | maintenance.cli.watch_command
schedule | Let the day's report come by itself. | maintenance.cli.schedule_commands install remove status
config | Read, set and edit the configuration. | maintenance.cli.home_commands get=config_get set=config_set
 accept=config_accept maintenance.cli.home_commands list=config_list edit=config_edit
namespace | Files of blocks: list them, make a new one. | maintenance.cli.home_commands list=namespace_list
 create=namespace_create show=namespace_show
stats | Count the home: by set, state, type, age and reads. | learning.cli.assess_commands
impact | How tasks went with what you approved, and without. | learning.cli.assess_commands
consolidation | How stable a block is. | learning.cli.assess_commands
owner | The SSH key whose signature approves. | owner.cli init show sign drop
completion | Print what teaches a shell to complete commands. | app.completion
help | Show this page, or that of one command. | app.help_page =help_
Other machines
sync | Your own machines share one memory. | sync.cli =run add list=list_remotes remove confirm watch settle
share | What may leave this machine, and what others shared. | sharing.cli.share_commands allow deny list=list_shared
 preview export import=import_ log
peer | Other people's Alices: pair, find, exchange. | sharing.cli.peer_commands invite join list=list_peers show forget
 discover exchange serve
"""


def _functions(name: str, words: Sequence[str]) -> str | dict[str, str]:
    found: dict[str, str] = {}
    module = ""
    for word in words:
        command, told, function = word.partition("=")
        if "." in word:
            module = f"alice_exp.{word}"
        else:
            found[command] = f"{module}:{function if told else command}"
    return found if any(found) else found.get("", f"{module}:{name}")


def read(rows: str) -> tuple[dict[str, dict[str, str]], dict[str, str | dict[str, str]]]:
    """The headings with their commands' sentences, and where the functions of each command are."""
    groups: dict[str, dict[str, str]] = {}
    commands = {}
    for row in rows.strip().replace("\n ", " ").splitlines():
        name, _, told = row.partition(" | ")
        if told:
            [*groups.values()][-1][name], _, where = told.partition(" | ")
            commands[name] = _functions(name, where.split())
        else:
            groups[name] = {}
    return groups, commands


GROUPS, COMMANDS = read(_ROWS)
"""What every command is for in one line, by name, under the headings of the page of all; every command, and every group
with its commands, by name: the function as ``module:function``."""

QUIET: dict[str, Any] = {"rich_markup_mode": None, "add_completion": False, "pretty_exceptions_enable": False}

_SHARED = (
    ("--home", "DIR", "The home's directory (else ALICE_HOME, else ~/.alice)."),
    ("--actor", "WHO", "Who acts: user, agent[:name] … (else ALICE_ACTOR)."),
    ("--lang", "|".join(language.LANGUAGES), "Language of messages."),
    ("--json", "", "Print one JSON document and nothing else."),
    ("--quiet -q", "", "Print no answer; the exit code tells."),
    ("--yes -y", "", "Confirm; needed where there is no terminal."),
    ("--fields", "A,B", "Of each row, or of the answer, these fields alone."),
    ("--format", "tsv|csv|json", "A table for other programs."),
    ("--debug", "", "Show a traceback where alice-exp itself fails."),
)
"""The options that every command has: their names, what their value is called (empty: none), what they do."""


def open_home(home: str, actor: str, warn: Callable[[AliceError], None]) -> Session:
    """The home that a command works on; loaded by the first that needs one."""
    from alice_exp.app.opening import open_session

    return open_session(home, actor, warn)


def _store(context: typer.Context, parameter: Any, value: Any) -> Any:
    """Put a shared option where the command finds it; one given at the root holds unless it is given again."""
    named(context, parameter, value)
    if parameter.name == "lang":
        if value:
            language.require("--lang", value)
            language.choose(value)
    elif parameter.name == "format" and value:
        context.obj.write_as(value)
    elif value:
        setattr(context.obj, parameter.name, value)
    return value


def shared_options(*, hidden: bool) -> list[Any]:
    """The options that every command takes; hidden where the page of all commands names them once for all."""
    return [
        TyperOption(
            param_decls=names.split(),
            default="" if metavar else False,
            is_flag=not metavar,
            metavar=metavar or None,
            help=told,
            hidden=hidden,
            expose_value=False,
            callback=_store,
        )
        for names, metavar, told in _SHARED
    ]


class LazyGroup(TyperGroup):
    """A group that imports a command's module only when that command is asked for."""

    table: Table
    headings = GROUPS
    is_alone = False
    """Whether the group does something itself where no command follows."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002
        """The names, in the table's order; ``""`` is what the group itself does."""
        return [name for name in self.table if name]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002
        """One command, built now; ``None`` where there is none of that name."""
        target = self.table.get(cmd_name) if cmd_name else None
        if target is None:
            return None
        if isinstance(target, str):
            return command_of(cmd_name, target)
        told = next(rows[cmd_name] for rows in GROUPS.values() if cmd_name in rows)
        group = LazyGroup(name=cmd_name, help=told, rich_markup_mode=None)
        group.table = target
        if isinstance(function := target.get(""), str):
            # A group that does something itself, unless one of its commands follows.
            own = command_of(cmd_name, function)
            group.invoke_without_command = group.is_alone = True
            group.params += own.params
            group.callback = own.callback
            group.help = f"{told}\n\n{own.help}"
        return group

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that the words mean; ``UsageError`` with the right one where there is none of that name."""
        if args[0] not in self.table and not args[0].startswith("-"):
            from alice_exp.app.help_page import meant

            args = [*meant(ctx, self.table, args), *args[1:]]
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Do what the words say; without any, show the group's page."""
        if ctx._protected_args or self.is_alone:
            return super().invoke(ctx)
        from alice_exp.app.help_page import show

        return show(ctx.obj, ctx)

    def get_help(self, ctx: Any) -> str:
        """The group's page; that of the root names every command."""
        from alice_exp.app import help_page

        return help_page.root_page(self) if self.name == "alice-exp" else help_page.group_page(ctx, self)


def command_of(name: str, target: str) -> Any:
    """One command of the table, built of ``module:function``."""
    module, _, function = target.partition(":")
    carrier = typer.Typer(**QUIET)
    carrier.command(name, cls=OwnCommand)(_on_terminal(getattr(import_module(module), function)))
    command = typer.main.get_command(carrier)
    parameter: Any
    for parameter in command.params:
        if parameter.metavar is None:
            parameter.metavar = _METAVARS.get(parameter.type.name)
        if not parameter.help:
            said = sentence_of(f"{module.split('.')[1]}.{function}", parameter.name)
            many = getattr(parameter, "multiple", False)
            parameter.help = said.removesuffix(".") + "; may be repeated." if many else said
    guard(command)
    own = {parameter.name for parameter in command.params}
    command.params += [one for one in shared_options(hidden=True) if one.name not in own]
    return command


_UsageError: Any = typer.BadParameter.__mro__[1]


class OwnCommand(TyperCommand):
    """A command with our page, and with what goes with each command besides."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """The parser's own complaint about an option without a value names no command: it is this one."""
        try:
            return super().parse_args(ctx, args)
        except _UsageError as error:
            error.ctx = error.ctx or ctx
            raise

    def invoke(self, ctx: Any) -> Any:
        """Do it, once the first command of a day has shown what waits."""
        from alice_exp.app.opening import after_the_report

        return after_the_report(super().invoke, ctx)

    def get_help(self, ctx: Any) -> str:
        """The command's page."""
        from alice_exp.app.help_page import command_page

        return command_page(ctx, self)


def _on_terminal(function: Callable[..., None]) -> Callable[..., None]:
    """A command's function as typer takes it: typer's context stands for the ``terminal`` that it works on.

    What a group does itself is not done where a command of the group follows.
    """
    if "terminal" not in function.__annotations__:
        return function
    function.__annotations__["terminal"] = typer.Context

    @wraps(function)
    def command(terminal: Any, **values: Any) -> None:
        if not terminal.invoked_subcommand:
            function(terminal.obj, **values)

    return command


_METAVARS = {
    **dict.fromkeys(("str", "text"), "TEXT"),
    **dict.fromkeys(("int", "integer", "int range", "integer range"), "N"),
    "float": "X",
}
"""How a page writes a value of a type that the option gives no name of its own."""
