"""What the standard library has, at less of a cold command's time: classes of values, of which one makes some sixty;
hashes, for which ``hashlib`` loads OpenSSL, a twentieth of it; work without the collector of garbage."""

from __future__ import annotations

import dataclasses
import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from operator import attrgetter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from dataclasses import dataclass as dataclass  # Who checks types sees the standard one.
    from hashlib import blake2b as blake2b
    from hashlib import sha1 as sha1
    from hashlib import sha256 as sha256
else:
    # As the standard library's ``random`` does, and with its way out where Python is built without it.
    try:
        sha256 = import_module("_sha2" if sys.version_info >= (3, 12) else "_sha256").sha256
        blake2b, sha1 = import_module("_blake2").blake2b, import_module("_sha1").sha1
    except ImportError:
        sha256, blake2b, sha1 = attrgetter("sha256", "blake2b", "sha1")(import_module("hashlib"))

    def dataclass(cls: type | None = None, /, *, frozen: bool = False, slots: bool = False) -> Any:
        """Make a dataclass, as ``dataclasses.dataclass`` does with these two options.

        The standard one writes and compiles up to eight functions a class, 0.4 ms of a start, used or not. Here
        ``__init__`` alone is written, when the class proves to be used much. ``dataclasses.replace``, ``fields`` and
        ``asdict`` take such values. It knows no bases, no ``ClassVar`` and no ``hash`` or ``kw_only`` of a ``field``.
        """
        if cls is None:
            return lambda named: dataclass(named, frozen=frozen, slots=slots)
        types = vars(cls).get("__annotations__", {})
        given = {name: cls.__dict__[name] for name in types if name in cls.__dict__}
        if cls.__bases__ != (object,):
            raise TypeError(f"{cls.__qualname__} has bases: take the standard dataclass")
        dropped = {*types, "__dict__", "__weakref__"}
        members = _members(types, given, frozen)
        members |= {name: value for name, value in cls.__dict__.items() if name not in dropped}
        if slots:
            members["__slots__"] = tuple(types)
        return type(cls.__name__, (), {**members, "__qualname__": cls.__qualname__})


def attributes(value: object, names: str) -> dict[str, Any]:
    """The named attributes of a value, parted by blanks, by their names, as JSON has them: a tuple is a list."""
    found = ((name, getattr(value, name)) for name in names.split())
    return {name: list(one) if isinstance(one, tuple) else one for name, one in found}


_FEW = 12
"""So many values of a class are made before its ``__init__`` is written: a cold command makes a few of most."""


def _members(types: Mapping[str, object], given: Mapping[str, Any], frozen: bool) -> dict[str, Any]:
    names = tuple(types)
    held = [name for name in names if getattr(given.get(name), "compare", True)]
    # Of one name alone attrgetter makes no tuple.
    compared = attrgetter(*held, *held[: len(held) == 1])
    made_so_far = 0

    def __init__(self: Any, *values: Any, **named: Any) -> None:
        nonlocal made_so_far
        made, made_so_far = type(self), made_so_far + 1
        if made_so_far > _FEW or not _filled(self, names, values, named, given):
            made.__init__ = _initializer(names, given, frozen, hasattr(made, "__post_init__"))
            made.__init__(self, *values, **named)
        elif hasattr(made, "__post_init__"):
            self.__post_init__()

    def __eq__(self: Any, other: object) -> Any:
        return compared(self) == compared(other) if other.__class__ is self.__class__ else NotImplemented

    def __hash__(self: Any) -> int:
        return hash(compared(self))

    def __repr__(self: Any) -> str:
        told = [name for name in names if getattr(given.get(name), "repr", True)]
        shown = ", ".join([f"{name}={getattr(self, name)!r}" for name in told])
        return f"{self.__class__.__qualname__}({shown})"

    def __reduce__(self: Any) -> tuple[Any, ...]:
        return self.__class__, tuple([getattr(self, name) for name in names])

    members: dict[str, Any] = {
        "__init__": __init__,
        "__eq__": __eq__,
        "__hash__": __hash__ if frozen else None,
        "__repr__": __repr__,
        "__reduce__": __reduce__,
        "__match_args__": names,
    }
    for one in ("__dataclass_fields__", "__dataclass_params__"):
        members[one] = _Standard(one, types, given, frozen)
    return members | {"__setattr__": _refused, "__delattr__": _refused} if frozen else members


def _refused(self: Any, name: str, value: object = None) -> None:  # noqa: ARG001
    raise dataclasses.FrozenInstanceError(f"cannot assign to or delete field {name!r}")


def _filled(
    self: Any,
    names: tuple[str, ...],
    values: tuple[Any, ...],
    named: dict[str, Any],
    given: Mapping[str, Any],
) -> bool:
    """Set the fields one by one; False where the values do not fit, which the written ``__init__`` says best."""
    unused = len(values) + len(named)
    if len(values) > len(names):
        return False
    for name, value in zip(names, values, strict=False):
        if name in named:
            return False
        object.__setattr__(self, name, value)
    for name in names[len(values) :]:
        if name in named:
            value = named[name]
        else:
            value, unused = given.get(name, dataclasses.MISSING), unused + 1
            if isinstance(value, dataclasses.Field):
                made = value.default_factory
                value = value.default if made is dataclasses.MISSING else made()
            if value is dataclasses.MISSING:
                return False
        object.__setattr__(self, name, value)
    return unused == len(names)


def _initializer(
    names: tuple[str, ...], given: Mapping[str, Any], frozen: bool, is_followed: bool
) -> Callable[..., None]:
    # Capitals: no field is called like that.
    scope: dict[str, Any] = {"NEW": object(), "SET": object.__setattr__}
    head, body = ["self"], []
    for number, name in enumerate(names):
        default, value = given.get(name, dataclasses.MISSING), name
        if isinstance(default, dataclasses.Field):
            if default.default_factory is not dataclasses.MISSING:
                scope[f"MAKE{number}"] = default.default_factory
                default, value = scope["NEW"], f"MAKE{number}() if {name} is NEW else {name}"
            else:
                default = default.default
        scope[f"DEFAULT{number}"] = default
        head.append(name if default is dataclasses.MISSING else f"{name}=DEFAULT{number}")
        body.append(f" SET(self, {name!r}, {value})" if frozen else f" self.{name} = {value}")
    body += [" self.__post_init__()"] * is_followed
    exec("\n".join([f"def __init__({', '.join(head)}):", *body]), scope)
    written: Callable[..., None] = scope["__init__"]
    return written


class _Standard:
    """What ``dataclasses`` keeps of a class, made when a function of that module first asks for it."""

    def __init__(
        self, name: str, types: Mapping[str, object], given: Mapping[str, Any], frozen: bool
    ) -> None:
        self._name, self._frozen, self._members = name, frozen, {"__annotations__": types, **given}

    def __get__(self, value: object, owner: type) -> Any:
        # Of a frozen class the standard one writes two functions more, which nobody calls.
        frozen = self._frozen and self._name == "__dataclass_params__"
        # Of a class without a docstring the standard one writes its signature, for milliseconds.
        made: Any = dataclasses.dataclass(frozen=frozen, init=False, repr=False, eq=False)(
            type("_", (), {"__doc__": "_", **self._members})
        )
        found = getattr(made, self._name)
        setattr(owner, self._name, found)
        return found


def object_id(kind: str, data: bytes) -> str:
    """The id that git gives an object."""
    hashed = sha1(f"{kind} {len(data)}\0".encode(), usedforsecurity=False)
    hashed.update(data)
    return hashed.hexdigest()


def blob_id(data: bytes) -> str:
    """The id that git gives a file's bytes."""
    return object_id("blob", data)


def digest(data: bytes) -> str:
    """The first half of a content's SHA-256, in hex: by it a displaced file is recognised."""
    return sha256(data).hexdigest()[:32]


@contextmanager
def gc_paused() -> Iterator[None]:
    """Disable the cyclic garbage collector for a ``with`` block or a decorated function.

    For code that creates many objects and no cycles: reading 10,000 episodes takes a third of the time, because the
    collector would walk all live objects again and again.
    """
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        # Somebody outside, perhaps an enclosing pause, may have disabled it already.
        if was:
            gc.enable()
