"""The names of projects: the key of a git remote, what this machine calls a folder, and under which names its blocks
are heard (DESIGN 7)."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import field, replace
from typing import Literal

from alice_exp.kernel.errors import UsageError
from alice_exp.kernel.text.data_files import LazyPattern
from alice_exp.kernel.value_class import dataclass

NONE = "none"
"""What names no project at all, in an option or a file."""

MOST = 200
"""From so many folders on, those that are gone are forgotten."""

_NAME = re.compile(r"\S{1,512}")
_SCHEME = LazyPattern(r"([a-z][a-z0-9+.-]*)://([^/]*)(.*)", re.IGNORECASE)
_SCP = LazyPattern(r"((?:[^/:@\[]*@)?(?:\[[^\]/]*\]|[^/:\[]+)):(.*)")
_BRACKETS = LazyPattern(r"\[([^\]]*)\](?::\d*)?")
_PORT = LazyPattern(r":\d*$")
_HIDDEN = LazyPattern(r"[%=?!@~\s]")
_WORD = LazyPattern(r"([^=?!@~]+)([=?!@~])([^=?!@~]+)")

Standing = Literal["=", "?", "!", "@", "~"]
"""What a name is to a project: its own, too (``=``), asked about (``?``), not its own (``!``); of the name that a
``.alice-project`` gives it: confirmed (``@``), asked about (``~``)."""


def is_name(text: str) -> bool:
    """Whether a text can name a project: up to 512 characters that can be seen."""
    return _NAME.fullmatch(text) is not None and text.isprintable()


def named(text: str) -> str:
    """A project as a person named it, ``none`` as empty; ``UsageError`` for what cannot name one."""
    if not is_name(text):
        raise UsageError("{name} cannot name a project", name=repr(text), hint="write --project NAME, or .")
    return "" if text == NONE else text


def as_name(text: str) -> str:
    """A path as a name: what cannot be seen in it is written as ``%20``; empty where it is too long."""
    shown = "".join(c if c.isprintable() and not c.isspace() else f"%{ord(c):02X}" for c in text)
    return shown if is_name(shown) else ""


def remote_key(url: str, base: str) -> tuple[str, str]:
    """Host and full path of a git remote, without credentials, port, case and ``.git``, and the name that 0.2.0 gave
    it (its last two parts). A path is this machine's, ``localhost/…``, in its case; a relative one lies in ``base``.

    Both are empty for what names nothing.
    """
    found, scp = _SCHEME.fullmatch(url), _SCP.fullmatch(url)
    if found:
        host, path = ("" if found[1].lower() == "file" else _host(found[2])), found[3]
    elif scp:
        host, path = _host(scp[1]), scp[2]
    else:
        host, path = "", posixpath.join(base, url)
    path = posixpath.normpath(f"/{path}").lstrip("/").removesuffix(".git").rstrip("/")
    if not path:
        return "", ""
    key = f"{host}/{path}".lower() if host else f"localhost/{path}"
    return as_name(key), as_name("/".join(path.split("/")[-2:]))


def _host(text: str) -> str:
    host = text.rpartition("@")[2]
    inner = _BRACKETS.fullmatch(host)
    host = inner[1] if inner else host
    return (host if host.count(":") > 1 else _PORT.sub("", host)).rstrip(".").lower()


@dataclass(frozen=True, slots=True)
class Spot:
    """What a folder says of its project. ``path`` is the repository's or, outside of one, the folder itself (empty:
    no project); ``stamp`` tells a repository from another that took its path; ``named`` is the line in
    ``.alice-project``; ``around`` are the names of what the folder lies in, from the inside."""

    path: str = ""
    is_repository: bool = False
    stamp: str = ""
    remote: str = ""
    older: str = ""
    named: str = ""
    around: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Root:
    """A folder that this machine knows, and the key of its project."""

    path: str
    stamp: str
    key: str


@dataclass(frozen=True, slots=True)
class Here:
    """Where a session works: the project's key (empty: none), all its names apart by spaces, that key first, and
    every name that switches learning off here."""

    key: str = ""
    names: str = ""
    switches: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Projects:
    """What ``local.jsonc`` knows of projects: their folders in the order in which they were met, and their names."""

    roots: tuple[Root, ...] = ()
    standings: Mapping[tuple[str, str], Standing] = field(default_factory=dict)

    @classmethod
    def read(cls, folders: str, names: str) -> Projects:
        """From ``projects.folders`` and ``projects.names``; a word that a person mistyped says nothing."""
        parts = [word.split("=") for word in folders.split()]
        roots = tuple(Root(_shown(p[2]), p[0], _shown(p[1])) for p in parts if len(p) == 3 and p[1] and p[2])
        fits = [_WORD.fullmatch(word) for word in names.split()]
        return cls(roots, {(_shown(f[1]), _shown(f[3])): f[2] for f in fits if f})

    def settings(self) -> dict[str, str]:
        """The two settings, as ``read`` takes them."""
        folders = (f"{one.stamp}={_hidden(one.key)}={_hidden(one.path)}" for one in self.roots)
        names = (f"{_hidden(key)}{how}{_hidden(name)}" for (key, name), how in self.standings.items())
        return {"projects.folders": " ".join(folders), "projects.names": " ".join(names)}

    def met(self, spot: Spot, fresh: str, is_there: Callable[[str], bool]) -> tuple[Projects, str]:
        """With a folder that is worked in, and its key: the remote's, else the name that this machine gave it or now
        gives it (``fresh``), outside of a repository its path.

        The keys that it had before stay its own names. Where another repository took its path they are asked about.
        """
        if not spot.path:
            return self, ""
        before = next((one for one in self.roots if one.path == spot.path), None)
        moved = before is None and spot.stamp and not spot.remote
        # Only what is nowhere else any more has moved: a copy is a project of its own.
        gone = next((r for r in self.roots if moved and r.stamp == spot.stamp and not is_there(r.path)), None)
        is_same = before is not None and _is_same(before, spot)
        known = gone or (before if is_same else None)
        own = known.key if known and known.key != as_name(known.path) else fresh
        key = spot.remote or (own if spot.is_repository else as_name(spot.path))
        if not key:
            return self, ""
        standings = dict(self.standings)
        if before and before.key != key:
            for name in self.names(before.key):
                standings.setdefault((key, name), "=" if is_same else "?")
        if spot.older != spot.older.lower() and self._holds(key, spot.older):
            # The key does not tell in which letters 0.2.0 wrote it.
            standings.setdefault((key, spot.older), "=")
        if spot.named and spot.named != key:
            standings.setdefault((key, spot.named), "~")
        now = Root(spot.path, spot.stamp, key)
        old = gone or before
        # Of many, what is gone and had no name of this machine's need not be known: its remote tells it again.
        kept = [
            one for one in self.roots if len(self.roots) < MOST or "/" not in one.key or is_there(one.path)
        ]
        roots = tuple(now if one is old else one for one in self.roots) if old else (*kept, now)
        return replace(self, roots=roots, standings=standings), key

    def here(self, spot: Spot, key: str) -> Here:
        """The names of a folder that was met: that of ``.alice-project``, once a person confirmed it, comes first."""
        own = self.names(key)
        paired = {name for (of, name) in self.standings if of == key}
        switches = frozenset({*own, *paired, spot.older, spot.named, *spot.around} - {""})
        if self.standings.get((key, spot.named)) != "@":
            return Here(key, " ".join(own), switches)
        if spot.named == NONE:
            return Here(switches=switches)
        names = dict.fromkeys((*self.names(spot.named), *own))
        return Here(spot.named, " ".join(names), frozenset({*names, key, *spot.around}))

    def names(self, key: str) -> tuple[str, ...]:
        """All names under which a project's blocks are heard, its key first. That of 0.2.0, which several remotes may
        share, is the first one's, until a person says otherwise."""
        found = [key] if key else []
        for one in found:
            found += [
                n for (of, n), how in self.standings.items() if of == one and how == "=" and n not in found
            ]
            older = _older(one)
            if older and older not in found and self._holds(one, older):
                found.append(older)
        return tuple(found)

    def _holds(self, key: str, older: str) -> bool:
        holder = next((one.key for one in self.roots if _older(one.key) == older.lower()), key)
        return holder == key and self.standings.get((key, older)) != "!"

    def asked(self, carried: Callable[[], Collection[str]]) -> Iterator[tuple[str, str, str]]:
        """What a person has to say once, as project, name, and whose name it is so far: a name that a folder gives
        itself, and one of ``carried``, the projects of blocks, that two projects might mean."""
        for (key, name), how in self.standings.items():
            if how == "~" or (how == "?" and name in carried()):
                yield key, name, ""
        holders: dict[str, str] = {}
        for key in (one.key for one in self.roots):
            holder = holders.setdefault(_older(key), key)
            for name in carried() if holder != key and _older(key) else ():
                if name.lower() == _older(key) and (key, name) not in self.standings:
                    yield key, name, holder

    def answered(self, key: str, name: str, is_own: bool, is_written: bool = False) -> Projects:
        """With a person's word on whether a project has this name, which its ``.alice-project`` gives it
        (``is_written``) or it had before."""
        held = self.standings.get((key, name))
        yes: Standing = "@" if held in ("@", "~") or is_written else "="
        return replace(self, standings={**self.standings, (key, name): yes if is_own else "!"})


def _is_same(root: Root, spot: Spot) -> bool:
    """Whether the folder is what it was: it has its stamp, or nobody cloned it there since."""
    return root.stamp == spot.stamp if root.stamp else not spot.stamp or not spot.remote


def _older(key: str) -> str:
    """The name that 0.2.0 gave a remote, by its key; empty for what is none."""
    parts = key.split("/")
    return "/".join(parts[-2:]).lower() if parts[0] and len(parts) > 1 else ""


def _hidden(text: str) -> str:
    return str(_HIDDEN.sub(lambda found: f"%{ord(found[0]):X};", text))


def _shown(text: str) -> str:
    return re.sub(r"%([0-9A-F]{1,6});", lambda found: chr(int(found[1], 16)), text)
