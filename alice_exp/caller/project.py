"""Projects: what a folder says of its own (its git remote, its ``.alice-project``, what it lies in), and what this
machine knows of their names (DESIGN 7).

Nothing is run: git's configuration is read as text, for a folder may be anybody's.
"""

from __future__ import annotations

import os
import posixpath
import re
import stat
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import field, replace
from pathlib import Path
from typing import Literal

from alice_exp.kernel.errors import UsageError
from alice_exp.kernel.text.data_files import LazyPattern
from alice_exp.kernel.value_class import dataclass

MARK = ".alice-project"

TEAM_FILE = ".alice/experience.jsonc"
"""What a repository carries of its team, below its folder."""

_ROOTS = ("CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "QWEN_PROJECT_DIR")
"""Where hosts say which folder they were started in, whatever folder the agent went to since."""

_SECTION = LazyPattern(r"\s*\[\s*([A-Za-z0-9.-]+)(?:\s+\"((?:[^\"\\]|\\.)*)\")?\s*\]")
_SETTING = LazyPattern(r"\s*([A-Za-z][A-Za-z0-9-]*)\s*=\s*(.*)")
_VALUE = LazyPattern(r"\"((?:[^\"\\]|\\.)*)\"|([^\"#;]+)|[#;].*")
_DEEPEST = 3
"""So many levels of included configuration files are read."""

Settings = dict[tuple[str, str], dict[str, str]]
"""Of a git configuration, by section and what stands behind its name, each key's last value."""


def spot_at(folder: Path) -> Spot:
    """What a folder says; nothing for ``~`` and ``/``, and for what cannot be read."""
    try:
        top = {os.path.realpath(Path.home()), "/"}
        folder = Path(os.path.realpath(folder))
    # No home, or a NUL in the name.
    except (RuntimeError, ValueError, OSError):
        return Spot()
    inside = []
    for one in (folder, *folder.parents):
        if str(one) in top:
            break
        inside.append(one)
    spot = Spot()
    around: list[str] = []
    for one in inside:
        named = "" if spot.is_repository else spot.named or _first_line(one / MARK)
        spot = spot if spot.is_repository else replace(spot, named=named)
        if (one / ".git").exists():
            found = _repository(one / ".git")
            spot = spot if spot.is_repository else replace(found, named=named)
            around += [found.remote, found.older]
        around.append(as_name(str(one)))
    if inside and not spot.is_repository:
        hosts = (Path(os.path.realpath(os.environ.get(name) or folder)) for name in _ROOTS)
        spot = replace(spot, path=str(next((one for one in hosts if one in inside[1:]), folder)))
    return replace(spot, around=tuple(filter(None, around)))


def root_of(folder: Path) -> Path | None:
    """The repository's folder in which a folder lies: the innermost with ``.git``; None if it lies in none."""
    try:
        here = folder.resolve()
        return next((one for one in (here, *here.parents) if os.path.lexists(one / ".git")), None)
    except (OSError, RuntimeError, ValueError):
        return None


def is_in_repository(file: Path) -> bool:
    """Whether a file stands, or a link of its path leads, below a folder with ``.git`` (of a work tree and a submodule,
    too) or in a bare repository: what is written there may be published. A file need not exist."""
    # As it is named as well: to git a link is a file of its own, and may be replaced by what it leads to.
    folders = {*file.absolute().parents, *file.resolve().parents}
    forms = ((".git",), ("HEAD", "objects", "refs"))
    return any(all(os.path.lexists(one / name) for name in names) for one in folders for names in forms)


def _repository(git: Path) -> Spot:
    # A NUL in what the file of a worktree or a submodule points to, or a loop of links.
    with suppress(OSError, ValueError, RuntimeError):
        if git.is_file():
            git = (git.parent / _text(git).partition("gitdir:")[2].strip()).resolve()
            if common := _text(git / "commondir").strip():
                git = (git / common).resolve()
    path = git.parent if git.name == ".git" else git
    remote, older = remote_key(url, str(path)) if (url := _remote_url(git)) else ("", "")
    try:
        # What git lays into a new repository and nothing writes again; a move keeps it.
        stamp = str((git / "description").stat().st_mtime_ns)
    except OSError:
        stamp = ""
    return Spot(str(path), True, stamp, remote, older if remote else "")


def _remote_url(git: Path) -> str:
    """The address of the remote origin, else of the first one, with ``insteadOf`` carried out; empty without any."""
    own = _settings(git / "config")
    remotes = {name: of["url"] for (section, name), of in own.items() if section == "remote" and "url" in of}
    url = remotes.get("origin") or next(iter(remotes.values()), "")
    if not url:
        return ""
    config = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")  # noqa: PTH111
    named = os.environ.get("GIT_CONFIG_GLOBAL")
    everywhere = [named] if named else [f"{config}/git/config", os.path.expanduser("~/.gitconfig")]  # noqa: PTH111
    prefixes: dict[str, str] = {}
    for path in (os.environ.get("GIT_CONFIG_SYSTEM") or "/etc/gitconfig", *everywhere):
        prefixes |= _prefixes(_settings(Path(path)))
    prefixes |= _prefixes(own)
    longest = max((one for one in prefixes if url.startswith(one)), key=len, default="")
    return prefixes[longest] + url[len(longest) :] if longest else url


def _prefixes(settings: Settings) -> dict[str, str]:
    found = ((of.get("insteadof"), base) for (section, base), of in settings.items() if section == "url")
    return {prefix: base for prefixes, base in found if prefixes for prefix in prefixes.split("\n")}


def _settings(path: Path, depth: int = 0) -> Settings:
    found: Settings = {}
    for section, name, key, value in _lines(_text(path)):
        if section == "include" and key == "path" and depth < _DEEPEST:
            for of, more in _settings(path.parent / os.path.expanduser(value), depth + 1).items():  # noqa: PTH111
                found.setdefault(of, {}).update(more)
        held = found.setdefault((section, name), {})
        if key == "insteadof" and key in held:
            value = f"{held[key]}\n{value}"
        # The first address of a remote is the one that is fetched from.
        if key != "url" or key not in held:
            held[key] = value
    return found


def _lines(text: str) -> Iterator[tuple[str, str, str, str]]:
    section = name = ""
    for line in text.replace("\\\n", "").splitlines():
        head = _SECTION.match(line)
        if head:
            section, name = head[1].lower(), re.sub(r"\\(.)", r"\1", head[2] or "")
        if setting := _SETTING.match(line[head.end() :] if head else line):
            parts = (one[1] if one[1] is not None else one[2] or "" for one in _VALUE.finditer(setting[2]))
            yield section, name, setting[1].lower(), re.sub(r"\\(.)", r"\1", "".join(parts)).strip()


def _first_line(path: Path) -> str:
    line = _text(path).partition("\n")[0].strip()
    return line if is_name(line) else ""


def _text(path: Path) -> str:
    """The first megabyte of a plain file; empty for anything else. A FIFO in a strange folder would never answer."""
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:  # noqa: PTH123
            is_plain = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
            return file.read(1 << 20).decode("utf-8-sig") if is_plain else ""
    except (OSError, ValueError):
        return ""


NONE = "none"
"""What names no project at all, in an option or a file."""

MOST = 200
"""From so many folders on, those that are gone are forgotten."""

_NAME = re.compile(r"\S{1,512}")
_SCHEME = LazyPattern(r"([a-z][a-z0-9+.-]*)://([^/]*)(.*)", re.IGNORECASE)
_SCP = LazyPattern(r"((?:[^/:@\[]*@)?(?:\[[^\]/]*\]|[^/:\[]+)):(.*)")
_BRACKETS = LazyPattern(r"\[([^\]]*)\](?::\d*)?")
_PORT = LazyPattern(r":\d*$")
_HIDDEN = LazyPattern(r"[%=?!@~\s\ud800-\udfff]")
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
        # The folder is what it was where it has its stamp, or nobody cloned it there since.
        is_same = before and (
            before.stamp == spot.stamp if before.stamp else not (spot.stamp and spot.remote)
        )
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
        kept = [r for r in self.roots if len(self.roots) < MOST or "/" not in r.key or is_there(r.path)]
        roots = tuple(now if one is old else one for one in self.roots) if old else (*kept, now)
        return replace(self, roots=roots, standings=standings), key

    def here(self, spot: Spot, key: str) -> Here:
        """The names of a folder that was met: that of ``.alice-project``, once a person confirmed it, comes first."""
        own = self.names(key)
        # What any of these was called before switches learning off, too, whether or not it is a name any more.
        met = [*own, spot.older, spot.named]
        for one in met:
            met += [name for (of, name) in self.standings if of == one and name not in met]
        switches = frozenset((*met, *spot.around)) - {""}
        if self.standings.get((key, spot.named)) != "@":
            return Here(key, " ".join(own), switches)
        if spot.named == NONE:
            return Here(switches=switches)
        names = dict.fromkeys((*self.names(spot.named), *own))
        return Here(spot.named, " ".join(names), switches.union(names))

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


def _older(key: str) -> str:
    """The name that 0.2.0 gave a remote, by its key; empty for what is none."""
    parts = key.split("/")
    return "/".join(parts[-2:]).lower() if parts[0] and len(parts) > 1 else ""


def _hidden(text: str) -> str:
    return str(_HIDDEN.sub(lambda found: f"%{ord(found[0]):X};", text))


def _shown(text: str) -> str:
    return re.sub(r"%([0-9A-F]{1,6});", lambda found: chr(int(found[1], 16)), text)
