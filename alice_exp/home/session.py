"""The session: one process's use of one home. Options and environment decide who acts, when, and on which home.

What a store makes of a session (``once``) is cached here, one object per session.
"""

from __future__ import annotations

import functools
import os
import time
from dataclasses import field, replace
from datetime import UTC, datetime, tzinfo
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from alice_exp.caller.acting import Acting, Caller
from alice_exp.kernel.errors import AliceError, UsageError
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.values.block import REVIEWED, Place, Placed
from alice_exp.model.values.snapshot import Catalogue, Snapshot, resolve

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from alice_exp.caller.heard_queue import HeardQueue
    from alice_exp.caller.project import Here, Projects, Spot
    from alice_exp.home.file_home import Home
    from alice_exp.home.ports import Signer, Team, WrittenFile
    from alice_exp.home.store.git_history import GitHistory
    from alice_exp.kernel.journal.act import Actor
    from alice_exp.kernel.jsonc import Json, Problem
    from alice_exp.kernel.models import Embeddings, Provider
    from alice_exp.model.values.config import Config

T = TypeVar("T")

ALPHABET = "abcdefghijklmnopqrstuvwxyz23456789"
# Translates random bytes to letters. 256 is not a multiple of 34, so 18 letters are slightly likelier.
_LETTERS = "".join(ALPHABET[byte % len(ALPHABET)] for byte in range(256)).encode()
_STAMP = "%Y-%m-%dT%H:%M:%SZ"


@dataclass
class Session:
    """One process's use of one home. ``home_option`` and ``actor_option`` come from the command line, or are empty.

    ``folder`` is where a host works; empty: this process. What higher rooms have for a home (``signer``, ``follow``,
    ``catalogued``, ``look_up``, ``team``) is overridden where a session is opened (``app.opening``).
    """

    home_option: str = ""
    actor_option: str = ""
    warn: Callable[[AliceError], None] = field(default=lambda _: None)
    folder: str = ""
    is_dry: bool = False
    _kept: dict[object, Any] = field(default_factory=dict)

    @cached_property
    def root(self) -> Path:
        """The home's directory: ``--home``, else ``ALICE_HOME``, else ``~/.alice``."""
        named = self.home_option or os.environ.get("ALICE_HOME", "")
        return (Path(named).expanduser() if named else Path.home() / ".alice").absolute()

    @cached_property
    def acting(self) -> Acting:
        """Who acts: see ``Acting``."""
        return Acting(self.actor_option)

    @property
    def actor(self) -> Actor:
        """The author of this session's acts; ``UsageError``, ``RefusedError`` as in ``Acting``."""
        return self.acting.actor

    @property
    def projects(self) -> Projects:
        """What this machine knows of projects."""
        return projects_of(self.home.config())

    @cached_property
    def spot(self) -> Spot:
        """What the working folder says of its project."""
        from alice_exp.caller.project import spot_at

        try:
            return spot_at(Path(self.folder) if self.folder else Path.cwd())
        except OSError:
            return spot_at(Path("/"))

    @cached_property
    def _fresh(self) -> str:
        """The name of a repository without a remote that this machine does not know yet."""
        return new_id("".join(filter(str.isalnum, Path(self.spot.path).name))[:32] or "project")

    @property
    def here(self) -> Here:
        """The project of the working folder, with its names. ``ALICE_PROJECT`` wins over this process's folder, not
        over a host's: what a host hears belongs to where it works (DESIGN 7)."""
        met, key = self._met(self.projects)
        found = met.here(self.spot, key)
        named = os.environ.get("ALICE_PROJECT", "") if not self.folder else ""
        if not named:
            return found
        names = self.named("" if named == "none" else named)
        return replace(
            found, key=names.partition(" ")[0], names=names, switches=found.switches.union(names.split())
        )

    def _met(self, known: Projects) -> tuple[Projects, str]:
        return known.met(self.spot, self._fresh, os.path.exists)

    def named(self, project: str) -> str:
        """All names of a project, apart by spaces, its own first; empty for none."""
        return " ".join(self.projects.names(project))

    def names_of(self, project: str, *, learning: bool = False) -> str:
        """All names of a project that somebody named: nothing and ``.`` are the working folder's, which this machine
        knows from then on where something is learned; ``none`` is none. ``UsageError`` for what cannot name one, and
        for ``.`` in a folder of no project."""
        if project not in ("", "."):
            from alice_exp.caller.project import named

            return self.named(named(project))
        found = self.enter() if learning else self.here.names
        if project and not found:
            raise UsageError("this folder belongs to no project", hint="name one: --project NAME")
        return found

    @property
    def project(self) -> str:
        """The key of the working folder's project; empty: none."""
        return self.here.key

    @property
    def is_unnamed(self) -> bool:
        """Whether the working folder is to get a name of this machine's when something is learned there."""
        return self.here.key == self._fresh

    def enter(self) -> str:
        """All names of the working folder's project, which this machine knows from now on, as something is learned;
        a dry run learns none."""
        if self.is_dry:
            return self.here.names
        known = self.projects
        if (self.folder or not os.environ.get("ALICE_PROJECT")) and self._met(known)[0] != known:
            self.home.decide_here(lambda config: self._met(projects_of(config))[0].settings())
        return self.here.names

    @property
    def folder_key(self) -> str:
        """The key of the working folder, whatever name ``.alice-project`` or ``ALICE_PROJECT`` gives it."""
        return self._met(self.projects)[1]

    def name_project(self, project: str, name: str, is_own: bool) -> None:
        """Keep a person's word on whether a project, else the working folder's, has a name."""

        def named(config: Config) -> Mapping[str, Json]:
            known, key = self._met(projects_of(config))
            is_written = project in ("", key) and name == self.spot.named
            return known.answered(project or key, name, is_own, is_written).settings()

        self.home.decide_here(named)

    def asked(self) -> tuple[tuple[str, str, str], ...]:
        """The names that a person has to confirm, of the working folder, too: see ``Projects.asked``."""
        known = self._met(self.projects)[0]
        return tuple(known.asked(lambda: {placed.block.project for placed in self.home.read()}))

    @property
    def learns(self) -> bool:
        """Whether hooks and MCP may learn here: no person switched this project off, under any of its names."""
        return not self.here.switches.intersection(self.home.config().text("projects.off").split())

    # Not cached: a long-running process (watch, MCP) must not stand still.
    @property
    def moment(self) -> datetime:
        """The present time in UTC; ``ALICE_NOW`` overrides it. ``UsageError`` if that is malformed."""
        named = os.environ.get("ALICE_NOW", "")
        if not named:
            return datetime.now(UTC)
        from alice_exp.kernel.text.times import parsed

        try:
            return parsed(named)
        except ValueError:
            raise UsageError(
                "ALICE_NOW is not a time: {name}", name=repr(named), hint="write 2026-02-20T09:00:00Z"
            ) from None

    @cached_property
    def home(self) -> Home:
        """The home on disk."""
        from alice_exp.home.file_home import Home
        from alice_exp.kernel.journal.commit_writer import Sources

        sources = Sources(
            now=lambda: self.moment.strftime(_STAMP),
            epoch=lambda: int(self.moment.timestamp()),
            new_id=new_id,
            warn=self.warn,
        )
        home = Home(self.root, sources, self.signer)
        home.follow, home.catalogued = self.follow, self.catalogued
        return home

    def signer(self) -> Signer | None:
        """The owner key as it is now; None where the home has none."""
        return None

    def follow(self, landed: Sequence[WrittenFile]) -> None:
        """Keeps what is derived from files in step with an act."""

    def catalogued(self, _: Mapping[str, str], /) -> tuple[Collection[str], Catalogue] | None:
        """What is known of the blocks of files (path to blob id), so that these need not be read."""
        return None

    def look_up(self, reference: str) -> Placed:
        """The block that a reference stands for, in any set or the archive; raises like ``resolve``."""
        return resolve(self.home.read(REVIEWED), reference)

    def recorded(self, path: str, places: Collection[Place] = ()) -> Snapshot:
        """A snapshot with the record file at ``path``; if that has a problem, with its last good version (DESIGN 3)."""
        from alice_exp.model.formats.record_schema import EPISODES_PATH, past_episodes, past_timeline

        snapshot = self.home.read(places, records=path)
        if snapshot.record(path) is not None:
            return snapshot
        data = next((text for _, text in self.history.texts(path)), "{}").encode()
        if path == EPISODES_PATH:
            return replace(snapshot, episodes=past_episodes(data))
        return replace(snapshot, timeline=past_timeline(data))

    @property
    def target(self) -> Home:
        """The home that acts go to; in a dry run one that plans them and writes nothing."""
        return self.home.dry() if self.is_dry else self.home

    @property
    def team(self) -> Team | None:
        """What the repositories of this machine carry of their teams; None where nothing looks for it."""
        return None

    @cached_property
    def heard(self) -> HeardQueue:
        """The person's own sentences that wait for a model to read them."""
        from alice_exp.caller.heard_queue import HeardQueue

        return HeardQueue(self.root / "state" / "heard")

    @cached_property
    def history(self) -> GitHistory:
        """The home's git history."""
        from alice_exp.home.store.git_history import GitHistory

        return GitHistory(self.home.repository)

    def apart(self, actor: str = "", folder: str = "") -> Session:
        """A new session on the same home for another thread, actor or working folder, since open handles are
        thread-bound."""
        home, actor = str(self.root), actor or self.actor_option
        return replace(self, home_option=home, actor_option=actor, folder=folder or self.folder, _kept={})

    @cached_property
    def provider(self) -> Provider | None:
        """The model: ``provider.command``, else ``provider.chat_model`` at ``provider.base_url``, or None."""
        if command := self.config.text("provider.command").strip():
            from alice_exp.kernel.models import CommandLine

            return CommandLine(command)
        base_url, model = self.config.text("provider.base_url"), self.config.text("provider.chat_model")
        if not base_url or not model:
            return None
        from alice_exp.kernel.models import ChatCompletions

        return ChatCompletions(base_url, model, self.api_key)

    @cached_property
    def embedder(self) -> Embeddings | None:
        """The model ``provider.embedding_model`` at ``provider.base_url``, with the chat model's key, or None."""
        base_url, model = self.config.text("provider.base_url"), self.config.text("provider.embedding_model")
        if not base_url or not model:
            return None
        from alice_exp.kernel.models import Embeddings

        return Embeddings(base_url, model, self.api_key)

    @property
    def api_key(self) -> str:
        """The key of the configured server: the variable that ``provider.key_env`` names, else the usual two.

        It goes to ``provider.base_url`` alone, which stands beside it in ``local.jsonc``.
        """
        if named := self.config.text("provider.key_env"):
            return os.environ.get(named, "")
        return os.environ.get("ALICE_API_KEY", "") or os.environ.get("OPENAI_API_KEY", "")

    @cached_property
    def config(self) -> Config:
        """The configuration when it was first asked for."""
        return self.home.config()

    @staticmethod
    def new_id(kind: str) -> str:
        """See the function ``new_id``."""
        return new_id(kind)

    @property
    def caller(self) -> Caller:
        """The caller to pass to a use case."""
        moment, _ = self.moment, self.acting.named
        local = moment.astimezone(self.zone)
        return Caller(self.acting, moment.strftime(_STAMP), local.strftime("%Y%m%d"), new_id)

    @property
    def day_began(self) -> str:
        """The start of today in the person's time zone, as ISO-8601 UTC."""
        local = self.moment.astimezone(self.zone)
        return local.replace(hour=0, minute=0, second=0, microsecond=0).astimezone(UTC).strftime(_STAMP)

    def exposed(self) -> tuple[Problem, ...]:
        """Warnings about the home's own place, and the team's file here; none where there is no history to be read."""
        from alice_exp.home.store.list_files import exposed

        if not (self.root / "experiences" / ".git").exists():
            return ()
        return (*exposed(self.root), *self.team_faults())

    def team_faults(self) -> tuple[Problem, ...]:
        """See ``ports.Team.faults``; none where nothing looks for it."""
        return self.team.faults() if self.team is not None else ()

    @property
    def zone(self) -> tzinfo | None:
        """The configured time zone; None for the machine's own (``UsageError`` where that is a day off or more)."""
        name = self.config.text("timezone")
        if not name:
            if abs(time.localtime().tm_gmtoff) >= 86_400:
                name = os.environ.get("TZ", "")
                raise UsageError("TZ is not a time zone: {name}", name=name, hint="write TZ=Europe/Berlin")
            return None
        from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

        try:
            return ZoneInfo(name)
        except (ZoneInfoNotFoundError, ValueError):
            self.warn(
                UsageError("the timezone {name} is not known; the machine's own is used", name=repr(name))
            )
            return None


def projects_of(config: Config) -> Projects:
    """What a configuration knows of projects."""
    from alice_exp.caller.project import Projects

    return Projects.read(config.text("projects.folders"), config.text("projects.names"))


def new_id(kind: str) -> str:
    """A fresh id: ``kind-`` and 8 characters of ``a-z2-9``, from the system's randomness."""
    return f"{kind}-{os.urandom(8).translate(_LETTERS).decode()}"


def once(build: Callable[[Session], T]) -> Callable[[Session], T]:
    """Decorator: compute a function of a session once per session."""

    @functools.wraps(build)
    def kept(session: Session) -> T:
        if build not in session._kept:
            session._kept[build] = build(session)
        made: T = session._kept[build]
        return made

    return kept
