"""The operations and the typed methods of ``Alice`` are two faces of the same use cases: neither knows what the other
lacks."""

import inspect
import types
import typing
from collections.abc import Callable
from pathlib import Path
from typing import Any

from alice_exp import Alice
from alice_exp.agents.operations import TOOLS
from alice_exp.agents.tool_schema import Operation, signature
from tests.case_tables import cases
from tests.conftest import Call

METHODS: dict[str, tuple[str, ...]] = dict(cases(__file__, "METHODS"))
"""The methods that do what an operation does, where the name is another."""

DIFFERENCES: dict[tuple[str, str], str] = dict(cases(__file__, "DIFFERENCES"))
"""Method and the operation's parameter → the method's name for it (empty: it has none), where they differ on purpose."""


def lacking(operation: Operation, method: Callable[..., Any]) -> list[str]:
    """What a method lacks of its operation: each parameter by name, its plain type, and whether it may be left out."""
    found = []
    known = inspect.signature(method, eval_str=False).parameters
    for sent in signature(operation).parameters.values():
        name = DIFFERENCES.get((method.__name__, sent.name), sent.name)
        if name and name not in known:
            found.append(f"{method.__name__} lacks {sent.name}")
        elif (method.__name__, sent.name) not in DIFFERENCES:
            given = known[name]
            if _plain(sent.annotation) not in str(given.annotation):
                found.append(
                    f"{method.__name__}: {sent.name} is {given.annotation}, not {_plain(sent.annotation)}"
                )
            if (sent.default or None) != (given.default or None):
                found.append(f"{method.__name__}: {sent.name} is {given.default!r} by default")
    return found


def _plain(annotation: Any) -> str:
    """The name of ``str``, ``bool``, ``int`` or ``float`` in an annotation; empty for what is richer in a program."""
    if typing.get_origin(annotation) is typing.Annotated:
        annotation = typing.get_args(annotation)[0]
    if typing.get_origin(annotation) in (types.UnionType, typing.Union):
        annotation = next(one for one in typing.get_args(annotation) if one is not types.NoneType)
    return annotation.__name__ if annotation in (bool, int, float) else ""


def test_every_operation_has_a_typed_method_with_all_its_parameters() -> None:
    for name, tool in TOOLS.items():
        for method in METHODS.get(name, (name,)):
            assert lacking(tool.run, getattr(Alice, method)) == []


def test_the_table_of_differences_says_nothing_that_is_not_so() -> None:
    shared = {
        (method, sent)
        for name, tool in TOOLS.items()
        for method in METHODS.get(name, (name,))
        for sent in signature(tool.run).parameters
    }
    assert set(DIFFERENCES) <= shared
    assert [name for name, methods in METHODS.items() if methods == (name,)] == []


def test_a_method_that_lags_behind_is_noticed() -> None:
    def add_event(self: Alice, thought: str, context: str = "", doing: str = "", result: int = 1) -> None:
        """As ``Alice.add_event``, with a parameter renamed, one with another default, and one too few."""

    assert lacking(TOOLS["add_event"].run, add_event) == [
        "add_event lacks action",
        "add_event: result is 1 by default",
        "add_event lacks metadata",
    ]

    def assess(self: Alice, topic: int = 0, top: "str" = "") -> None:
        """Not typed as the operation is."""

    assert lacking(TOOLS["recall"].run, assess) == [
        "assess lacks query",
        "assess: top is str, not int",
        "assess: top is '' by default",
        "assess lacks context",
    ]


def test_reads_of_an_episode_spare_it_whichever_face_records_the_next(home: Path, cli: Call) -> None:
    """The operation once left out what the method passed on: what searches found, which weighs in pruning (B0.8)."""
    alice = Alice(home, "agent:mine")
    cli("config", "set", "episodes.capacity", "6")
    for number in range(6):
        alice.add_episode(f"{number} told alike", {"n": number}, "did it", success=True)
    least = alice.prune().pruning.removed[0].episode
    for _ in range(9):
        assert [one.episode.id for one in alice.similar(least.task, least.context, 1)] == [least.id]
    kept = alice.call("record_episode", {"task": "one more", "success": True})
    assert kept["pruned"]
    assert least.id in [one.id for one in alice.episodes()]
