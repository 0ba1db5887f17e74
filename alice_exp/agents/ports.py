"""Protocol of what hooks leave to be done, and when hosts last called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from alice_exp.kernel.value_class import dataclass


@dataclass(frozen=True, slots=True)
class Left:
    """One thing to be done, under the name of its file: ``{host, event, session, transcript, cwd, project, messages,
    failed}``, the project as all its names.

    ``age``: seconds since a hook left it.
    """

    name: str
    fields: Mapping[str, Any]
    age: float = 0.0

    @property
    def tries(self) -> int:
        """How often it was begun and neither finished nor failed."""
        value = self.fields.get("tries")
        return value if isinstance(value, int) else 0

    def text(self, key: str) -> str:
        """A field as text; empty where there is none."""
        value = self.fields.get(key)
        return value if isinstance(value, str) else ""


class Spool(Protocol):
    """What hooks leave to be done; durable before a hook answers."""

    def leave(self, left: Mapping[str, Any]) -> None:
        """Write down what is to be done; ``ProblemError`` where the disk refuses, or the transcript is no file."""
        ...

    def left(self, idle: float = 0.0) -> tuple[Left, ...]:
        """What is to be done: what no process died of first, then oldest first.

        With ``idle``, without what rests: what failed, was begun by a process that lives, or twice by ones that died,
        within so many seconds.
        """
        ...

    def begin(self, left: Left) -> None:
        """Note that this process works on it now."""
        ...

    def done(self, left: Left) -> None:
        """Drop what is done."""
        ...

    def failed(self, left: Left, why: str) -> None:
        """Note that it was tried now, why it failed, and that it stays."""
        ...

    def size(self, left: Left) -> int:
        """Bytes of what is to be read: the transcript, or what was handed over."""
        ...

    def transcript(self, path: str) -> str:
        """A host's transcript; empty where it is gone or no file, ``ProblemError`` where it cannot be read."""
        ...

    def first(self, name: str) -> bool:
        """Whether this is done for the first time, as asking for a decision's outcome; the next time it is not."""
        ...

    def known(self, name: str) -> bool:
        """Whether ``first`` was asked of this before."""
        ...

    def ran(self, project: Sequence[str], session: str, commands: Sequence[str]) -> Mapping[str, int]:
        """Note that commands succeeded in a session of a project (its names); in how many sessions of it each did."""
        ...

    def called(self, host: str) -> None:
        """Note that a host calls now."""
        ...

    def keep(self, host: str, facts: Mapping[str, Any]) -> None:
        """Keep what to know of a connected host: ``at``, when it was connected; ``bare`` by file, see
        ``host_config.Bare``; ``own``, that its permission was the person's before; ``program``, its program then.
        Empty: it is connected no more."""
        ...

    def kept(self, host: str) -> Mapping[str, Any]:
        """What was kept of a host; empty where nothing was."""
        ...

    def last_call(self, host: str) -> str:
        """When a host last called, ISO-8601 UTC; empty where it never did."""
        ...
