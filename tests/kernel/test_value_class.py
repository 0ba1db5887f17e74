"""``kernel.value_class`` makes what ``dataclasses.dataclass`` makes, for every class of the package."""

import copy
import dataclasses
import hashlib
import pkgutil
import subprocess
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest

import alice_exp
from alice_exp.kernel.value_class import blob_id, dataclass, digest
from alice_exp.model.values.block import Approved, Block, Payload, Placed


def made_here() -> Iterator[type]:
    """Every class of rules, values, ports and use cases that the light decorator made."""
    for module in pkgutil.walk_packages(alice_exp.__path__, "alice_exp."):
        if set(module.name.split(".")) & {
            "cli",
            "store",
            "agents",
            "__main__",
            "value_class",
        }:  # dear to import
            continue
        try:
            loaded = import_module(module.name)
        except ImportError:  # an extra that is missing
            continue
        for found in vars(loaded).values():
            own = isinstance(found, type) and found.__module__ == module.name
            if own and getattr(found.__reduce__, "__module__", "") == "alice_exp.kernel.value_class":
                yield found


def rebuilt(cls: Any) -> Any:
    """The same class by the standard decorator."""
    fields = dataclasses.fields(cls)
    body: dict[str, Any] = {"__annotations__": {one.name: one.type for one in fields}}
    for one in fields:
        if one.default is not dataclasses.MISSING or one.default_factory is not dataclasses.MISSING:
            body[one.name] = dataclasses.field(
                **{
                    name: getattr(one, name)
                    for name in ("default", "default_factory", "compare")
                    if getattr(one, name) is not dataclasses.MISSING
                }
            )
    if hasattr(cls, "__post_init__"):
        body["__post_init__"] = cls.__post_init__
    frozen = cls.__setattr__ is not object.__setattr__
    return dataclasses.dataclass(frozen=frozen, slots=hasattr(cls, "__slots__"))(
        type(cls.__name__, (), {**body, "__qualname__": cls.__qualname__})
    )


class Any_:
    """A value that stands for any: equal to itself alone."""

    def __repr__(self) -> str:
        return "…"


def outcome(work: Any, *given: object) -> Any:
    """What a call gives, or the kind of its error."""
    try:
        return work(*given)
    except Exception as error:
        return type(error)


def test_every_class_is_what_the_standard_decorator_makes() -> None:
    classes = list(made_here())
    assert len(classes) > 120
    for cls in classes:
        _compare(cls, rebuilt(cls))


def _compare(cls: Any, other: Any) -> None:
    names = [one.name for one in dataclasses.fields(cls)]
    assert cls.__match_args__ == other.__match_args__ == tuple(names)
    assert hasattr(cls, "__slots__") == hasattr(other, "__slots__")
    values = [Any_() for _ in names]
    both: list[Any] = [outcome(made, *values) for made in (cls, other)]
    if isinstance(both[0], type):  # its own rule refuses such values
        assert both[0] is both[1]
        return
    ours, theirs = both
    seen = [[getattr(one, name) for name in names] for one in both]
    assert seen[0] == seen[1]
    if "__repr__" not in cls.__dict__ or "value_class" in cls.__repr__.__module__:
        assert repr(ours) == repr(theirs)
    assert ours == cls(*values) and ours != theirs
    for number, one in enumerate(dataclasses.fields(other)):
        changed = [*values[:number], Any_(), *values[number + 1 :]]
        assert (ours == cls(*changed)) == (theirs == other(*changed))
        # The defaults: as many given as stand before this one.
        few: list[Any] = [outcome(made, *values[:number]) for made in (cls, other)]
        if isinstance(few[0], type):
            assert few[0] is few[1], (cls, one.name)
        elif one.default_factory is dataclasses.MISSING:
            assert getattr(few[0], one.name) is getattr(few[1], one.name)
        else:
            assert type(getattr(few[0], one.name)) is type(getattr(few[1], one.name))
            assert getattr(few[0], one.name) is not getattr(cls(*values[:number]), one.name)
    assert outcome(hash, ours) is TypeError or hash(ours) == hash(cls(*values))
    assert (other.__hash__ is None) == (cls.__hash__ is None)
    if other.__setattr__ is not object.__setattr__:
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(ours, names[0], 1)
        with pytest.raises(dataclasses.FrozenInstanceError):
            delattr(ours, names[0])


def test_a_value_is_replaced_copied_and_taken_apart() -> None:
    block = Block("exp-aaaaaaa2", Payload("use rg"))
    other = dataclasses.replace(block, verifications=3)
    assert (other.verifications, other.payload, block.verifications) == (3, block.payload, 0)
    assert copy.deepcopy(other) == other and copy.copy(other) == other
    assert dataclasses.asdict(Approved("2026-01-01T00:00:00Z", "user", "h"))["by"] == "user"
    assert dataclasses.is_dataclass(Placed)
    match block:
        case Block(id=known):
            assert known == "exp-aaaaaaa2"
    with pytest.raises(TypeError):
        dataclasses.replace(block, nonsense=1)
    with pytest.raises(TypeError):
        Block()  # type: ignore[call-arg]


def test_a_field_may_be_hidden_and_bases_are_refused() -> None:
    @dataclass
    class Hidden:
        shown: int
        hidden: int = dataclasses.field(default=1, repr=False)

    assert repr(Hidden(1)).endswith("Hidden(shown=1)")
    with pytest.raises(TypeError, match="bases"):
        dataclass(type("Longer", (Hidden,), {}))


def test_hashes_are_those_of_git_and_of_sha_256() -> None:
    said = subprocess.run(
        ["git", "hash-object", "--stdin"], input=b"x" * 70_000, capture_output=True, check=True
    )
    assert blob_id(b"x" * 70_000) == said.stdout.decode().strip()
    assert digest(b"x" * 70_000) == hashlib.sha256(b"x" * 70_000).hexdigest()[:32]
