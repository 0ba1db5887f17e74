"""The man page is current, every command has an example, and every example is a command line that parses."""

import re
import shlex
from typing import Any

import pytest

from alice_exp.app.main import command, open_home
from alice_exp.terminal.console import Terminal
from alice_exp.terminal.language import parted
from tests.manual import PAGE, every, page

COMMANDS = dict(every())


def test_the_man_page_is_current() -> None:
    assert PAGE.read_text("utf-8") == page(), "run python -m tests.manual --write"


def test_the_man_page_holds_every_command_and_every_option() -> None:
    text = PAGE.read_text("utf-8").replace("\\-", "-")
    for name, one in COMMANDS.items():
        assert f"\n.SS {name}" in text
        for option in one.params:
            assert all(f"\\fB{each}\\fR" in text for each in option.opts if each.startswith("-")), option.name


@pytest.mark.parametrize("name", COMMANDS)
def test_every_example_parses(name: str) -> None:
    _, examples = parted(COMMANDS[name].help or "")
    assert examples, f"'alice-exp {name} --help' shows no example"
    reached = {_parse(example) for example in examples}
    assert name in reached, f"no example of {name} calls it: {reached}"


def _parse(line: str) -> str:
    """Let the command line read an example down to its last command; that command's name."""
    plain = re.sub(r"^\w+=\$\((.*)\)$", r"\1", line).replace('eval "$(', "").replace(')"', "")
    words = shlex.split(re.sub(r" ([<>] ?\S+|\| .*)$", "", plain))
    assert words.pop(0) == "alice-exp", line
    context: Any = command().make_context("alice-exp", words, obj=Terminal(open_home))
    while hasattr(context.command, "list_commands") and context._protected_args:
        name, one, rest = context.command.resolve_command(context, [*context._protected_args, *context.args])
        context = one.make_context(name, rest, parent=context)
    return str(context.command_path.partition(" ")[2])


def test_examples_are_taken_from_behind_a_description() -> None:
    assert parted("Do it.\n\nExamples: alice-exp one ·\n    alice-exp two --three") == (
        "Do it.",
        ("alice-exp one", "alice-exp two --three"),
    )
    assert parted("Do it.") == ("Do it.", ())


def test_the_help_of_every_group_shows_examples() -> None:
    root: Any = command()
    for name in root.list_commands(None):
        one = root.get_command(None, name)
        context = one.make_context(name, [], resilient_parsing=True)
        assert re.search(r"\n {2,4}.*alice-exp ", one.get_help(context)), name
