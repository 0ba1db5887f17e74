"""One process's use of one home: who acts, when, on which home; the only reader of the environment.

What a room builds on it (``ROOM/wiring.py``) is kept here, one object a session.
"""

from __future__ import annotations

import functools
import os
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from alice_exp.home.caller import Caller
from alice_exp.home.judge import Judge
from alice_exp.kernel.errors import AliceError, UsageError
from alice_exp.kernel.journal.act import Actor

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import tzinfo

    from alice_exp.home.ports import History
    from alice_exp.home.store.doors import FileHome
    from alice_exp.kernel.providers.ports import Provider
    from alice_exp.model.values.config import Config

T = TypeVar("T")

ALPHABET = "abcdefghijklmnopqrstuvwxyz23456789"
_LETTERS = "".join(ALPHABET[byte % len(ALPHABET)] for byte in range(256)).encode()
_AGENTS = ("CLAUDECODE", "CURSOR_AGENT", "GEMINI_CLI", "CODEX_SANDBOX", "AI_AGENT")
_ACTOR = re.compile(r"(user|agent|editor|peer|system)(?::([a-z0-9][a-z0-9_-]{0,63}))?")
_STAMP = "%Y-%m-%dT%H:%M:%SZ"


@dataclass
class Session:
    """One process's use of one home. ``home`` and ``actor`` are what the command line said, or empty.

    ``judge_of`` gives the home its judge of signatures: a later room's, so it is handed in.
    """

    home_option: str = ""
    actor_option: str = ""
    warn: Callable[[AliceError], None] = field(default=lambda _: None)
    judge_of: Callable[[Session], Judge] = field(default=lambda _: Judge())
    _kept: dict[object, Any] = field(default_factory=dict)

    def once(self, build: Callable[[Session], T]) -> T:
        """What ``build`` makes of this session, made at the first call."""
        if build not in self._kept:
            self._kept[build] = build(self)
        kept: T = self._kept[build]
        return kept

    @cached_property
    def root(self) -> Path:
        """The home's directory: ``--home``, else ``ALICE_HOME``, else ``~/.alice``."""
        named = self.home_option or os.environ.get("ALICE_HOME", "")
        return (Path(named).expanduser() if named else Path.home() / ".alice").absolute()

    @cached_property
    def actor(self) -> Actor:
        """Who acts: ``--actor``, else ``ALICE_ACTOR``, else an agent's environment, else the user (DESIGN 6)."""
        named = self.actor_option or os.environ.get("ALICE_ACTOR", "")
        if not named:
            return Actor("agent" if any(os.environ.get(name) for name in _AGENTS) else "user")
        fits = _ACTOR.fullmatch(named)
        if not fits:
            raise UsageError(
                "{name} is not an actor",
                name=repr(named),
                hint="actors are user, agent[:name], editor, peer:name, system",
            )
        return Actor(fits[1], fits[2] or "")  # type: ignore[arg-type]

    @property
    def moment(self) -> datetime:
        """Now, in UTC; ``ALICE_NOW`` sets it."""
        named = os.environ.get("ALICE_NOW", "")
        if not named:
            return datetime.now(UTC)
        try:
            moment = datetime.fromisoformat(named)
        except ValueError:
            raise UsageError(
                "ALICE_NOW is {name}, which is no time", name=repr(named), hint="write 2026-02-20T09:00:00Z"
            ) from None
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)

    @cached_property
    def home(self) -> FileHome:
        """The home's two doors."""
        from alice_exp.home.store.doors import FileHome, Sources

        sources = Sources(
            now=lambda: self.moment.strftime(_STAMP),
            epoch=lambda: int(self.moment.timestamp()),
            new_id=new_id,
            warn=self.warn,
        )
        return FileHome(self.root, sources, self.judge_of(self))

    @cached_property
    def history(self) -> History:
        """The home's past."""
        from alice_exp.home.store.git_history import GitHistory

        return GitHistory(self.home.repository)

    def apart(self, actor: str = "") -> Session:
        """The same home for another thread, or another actor: what is opened belongs to who opened it."""
        return Session(str(self.root), actor or self.actor_option, self.warn, self.judge_of)

    @cached_property
    def provider(self) -> Provider | None:
        """The configured model (``provider.base_url``, ``provider.chat_model``); None: rules do its work."""
        base_url, model = self.config.text("provider.base_url"), self.config.text("provider.chat_model")
        if not base_url or not model:
            return None
        from alice_exp.kernel.providers.chat import ChatCompletions

        return ChatCompletions(base_url, model, self.api_key)

    @property
    def api_key(self) -> str:
        """The key of the configured server: ``ALICE_API_KEY``, else ``OPENAI_API_KEY``."""
        return os.environ.get("ALICE_API_KEY", "") or os.environ.get("OPENAI_API_KEY", "")

    @cached_property
    def config(self) -> Config:
        """The configuration as it is now."""
        return self.home.config()

    @staticmethod
    def new_id(kind: str) -> str:
        """A fresh id of a kind; see ``new_id``."""
        return new_id(kind)

    @property
    def caller(self) -> Caller:
        """Who acts and when, as a use case wants it."""
        moment = self.moment
        local = moment.astimezone(self.zone)
        return Caller(self.actor, moment.strftime(_STAMP), local.strftime("%Y%m%d"), new_id)

    @property
    def day_began(self) -> str:
        """The moment at which today began where the person lives, in UTC."""
        local = self.moment.astimezone(self.zone)
        began = local.replace(hour=0, minute=0, second=0, microsecond=0)
        return began.astimezone(UTC).strftime(_STAMP)

    @property
    def zone(self) -> tzinfo | None:
        """The configured time zone; ``None``: the machine's own."""
        name = self.config.text("timezone")
        if not name:
            return None
        from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

        try:
            return ZoneInfo(name)
        except (ZoneInfoNotFoundError, ValueError):
            self.warn(
                UsageError("the timezone {name} is not known; the machine's own is used", name=repr(name))
            )
            return None


def new_id(kind: str) -> str:
    """A fresh id: ``kind-`` and 8 characters of ``a-z2-9``, from the system's randomness."""
    return f"{kind}-{os.urandom(8).translate(_LETTERS).decode()}"


def once(build: Callable[[Session], T]) -> Callable[[Session], T]:
    """Make of a function of a session one that makes its value once for each."""

    @functools.wraps(build)
    def kept(session: Session) -> T:
        return session.once(build)

    return kept
