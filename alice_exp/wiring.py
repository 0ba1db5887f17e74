"""The only reader of environment and configuration, the only one that names a concrete edge."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from alice_exp.core.errors import AliceError, UsageError
from alice_exp.core.model import Actor
from alice_exp.usecases.acts import Caller

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import tzinfo

    from alice_exp.core.config import Config
    from alice_exp.core.model import Placed, Snapshot
    from alice_exp.core.nearness import Meanings
    from alice_exp.core.ports import (
        AccessLog,
        Decisions,
        History,
        Inspection,
        Network,
        Peer,
        Provider,
        Reports,
        Shares,
    )
    from alice_exp.core.sync_ports import Exchange, Remotes
    from alice_exp.lan.identity import FileIdentity
    from alice_exp.store.home import FileHome
    from alice_exp.store.owner import SshOwner
    from alice_exp.store.sessions import FileSessions
    from alice_exp.store.watch import Watcher

ALPHABET = "abcdefghijklmnopqrstuvwxyz23456789"
_LETTERS = "".join(ALPHABET[byte % len(ALPHABET)] for byte in range(256)).encode()
_AGENTS = ("CLAUDECODE", "CURSOR_AGENT", "GEMINI_CLI", "CODEX_SANDBOX", "AI_AGENT")
_ACTOR = re.compile(r"(user|agent|editor|peer|system)(?::([a-z0-9][a-z0-9_-]{0,63}))?")
_STAMP = "%Y-%m-%dT%H:%M:%SZ"


@dataclass
class Wiring:
    """One process's use of one home. ``home`` and ``actor`` are what the command line said, or empty."""

    home_option: str = ""
    actor_option: str = ""
    warn: Callable[[AliceError], None] = field(default=lambda _: None)

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
        from alice_exp.store.home import FileHome, Sources

        sources = Sources(
            now=lambda: self.moment.strftime(_STAMP),
            epoch=lambda: int(self.moment.timestamp()),
            new_id=new_id,
            warn=self.warn,
            judge=self.judge,
            is_judged=self.is_judged,
        )
        return FileHome(self.root, sources)

    @cached_property
    def owner(self) -> SshOwner:
        """The owner key of the home, where it has one."""
        from alice_exp.store.owner import SshOwner

        return SshOwner(self.root, self.warn)

    def is_judged(self) -> bool:
        """Whether an owner key decides what is approved: then blocks are looked at one by one."""
        return (self.root / "identity" / "owner.pub").exists() or bool(self.home.config().text("owner.key"))

    def judge(self, seen: Snapshot) -> Snapshot:
        """A snapshot as the owner key has it; as it is where the home has none (nothing is imported for that)."""
        if not seen.config.text("owner.key") and not (self.root / "identity" / "owner.pub").exists():
            return seen
        return self.owner.judge(seen)

    def marking(self) -> Callable[[Placed], Placed]:
        """The same for blocks that an index gives out one by one."""
        configured = self.home.config().text("owner.key")
        if not configured and not (self.root / "identity" / "owner.pub").exists():
            return lambda placed: placed
        return self.owner.marking(configured)

    @cached_property
    def history(self) -> History:
        """The home's past."""
        from alice_exp.store.history import GitHistory

        return GitHistory(self.home.repository)

    @cached_property
    def remotes(self) -> Remotes:
        """The remotes that the person named."""
        from alice_exp.store.syncing import FileRemotes

        return FileRemotes(self.root / "identity")

    @cached_property
    def exchange(self) -> Exchange:
        """Git with these remotes."""
        from alice_exp.store.syncing import GitExchange

        return GitExchange(self.home)

    @cached_property
    def shares(self) -> Shares:
        """The name that others know this home by, and what went to whom."""
        from alice_exp.store.sharing import FileShares

        return FileShares(self.root / "identity", self.config.text("sharing.name"), new_id)

    @cached_property
    def peers(self) -> FileIdentity:
        """Who this Alice is on a network, and whom it trusts."""
        from alice_exp.lan.identity import FileIdentity

        return FileIdentity(self.root, self.shares.name)

    @cached_property
    def network(self) -> Network:
        """The network around this Alice."""
        from alice_exp.lan.network import LanNetwork

        return LanNetwork(self.peers, self.warn)

    def apart(self) -> Wiring:
        """The same home for another thread: what is opened belongs to the thread that opened it."""
        return Wiring(str(self.root), self.actor_option, self.warn)

    def caller_as(self, peer: Peer) -> Caller:
        """A peer that acts on this home, now."""
        return replace(self.caller, actor=Actor("peer", peer.name))

    @cached_property
    def inspection(self) -> Inspection:
        """What ``doctor`` looks at beside the files' content."""
        from alice_exp.store.inspection import HomeInspection

        return HomeInspection(self.home)

    @cached_property
    def reports(self) -> Reports:
        """The open report."""
        from alice_exp.store.recent import acts_after, newest_act
        from alice_exp.store.reports import FileReports, Past

        repository = self.home.repository
        past = Past(partial(newest_act, repository), partial(acts_after, repository))
        return FileReports(self.root / "state" / "report.json", past)

    @cached_property
    def access(self) -> AccessLog:
        """Which blocks were read."""
        from alice_exp.store.access import FileAccess

        return FileAccess(self.root / "state", lambda segment: self.history.carries("Access", segment))

    @cached_property
    def decisions(self) -> Decisions:
        """Decisions that wait for their outcome."""
        from alice_exp.store.decisions import FileDecisions

        return FileDecisions(
            self.root / "state" / "decisions", lambda decision: self.history.carries("Decision", decision)
        )

    @cached_property
    def chats(self) -> FileSessions:
        """The conversations."""
        from alice_exp.store.sessions import FileSessions

        return FileSessions(
            self.root / "sessions",
            lambda token: self.history.carries("Extraction", token),
            lambda: self.moment.timestamp(),
        )

    @cached_property
    def provider(self) -> Provider | None:
        """The model that the configuration names (``provider.base_url`` and ``.chat_model``); None: rules do its work.

        Its key is ``ALICE_API_KEY``, else ``OPENAI_API_KEY``.
        """
        base_url, model = self.config.text("provider.base_url"), self.config.text("provider.chat_model")
        if not base_url or not model:
            return None
        from alice_exp.providers.http import ChatCompletions

        key = os.environ.get("ALICE_API_KEY", "") or os.environ.get("OPENAI_API_KEY", "")
        return ChatCompletions(base_url, model, key)

    @cached_property
    def meanings(self) -> Meanings | None:
        """What the embedder of the configuration says (``provider.embedding_model``); None: words alone.

        It is at ``provider.base_url``, its key the same as the chat model's.
        """
        base_url = self.config.text("provider.base_url")
        model = self.config.text("provider.embedding_model")
        if not base_url or not model:
            return None
        from alice_exp.providers.embedding import Embeddings
        from alice_exp.store.vectors import KeptVectors

        key = os.environ.get("ALICE_API_KEY", "") or os.environ.get("OPENAI_API_KEY", "")
        return KeptVectors(self.root / "state", model, Embeddings(base_url, model, key), self.warn)

    @cached_property
    def config(self) -> Config:
        """The configuration as it is now."""
        return self.home.config()

    def watcher(self, on_change: Callable[[], None]) -> Watcher:
        """Calls ``on_change`` on a thread of its own when files of the home were saved; a context manager."""
        from alice_exp.store.watch import Watcher

        return Watcher(
            self.home.experiences, on_change, debounce=self.config.count("watch.debounce_ms") / 1000
        )

    def reloading(self) -> Watcher:
        """For any long-running process: what a person saves is adopted while it runs; a context manager.

        It reads through a home of its own; the process's own home sees by stamps what is new at its next read.
        """
        apart = Wiring(str(self.root), self.actor_option, self.warn)

        def adopt() -> None:
            try:
                apart.home.read()
                apart.home.ask(lambda _: True)  # the index comes into step here, not while an agent waits
            except AliceError as error:
                self.warn(error)
            if apart.home.waiting:
                watcher.again()

        watcher = self.watcher(adopt)
        return watcher

    @property
    def caller(self) -> Caller:
        """Who acts and when, as a use case wants it."""
        moment = self.moment
        local = moment.astimezone(self.zone)
        return Caller(self.actor, moment.strftime(_STAMP), local.strftime("%Y%m%d"), new_id, self.meanings)

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
