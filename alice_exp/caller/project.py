"""What a folder says of its project: its git remote, its ``.alice-project``, what it lies in (DESIGN 7).

Nothing is run: git's configuration is read as text, for a folder may be anybody's.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from alice_exp.caller.project_names import Spot, as_name, is_name, remote_key
from alice_exp.kernel.text.data_files import LazyPattern

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
        spot = replace(spot, path=str(_started_in(folder)))
    return replace(spot, around=tuple(filter(None, around)))


def _started_in(folder: Path) -> Path:
    for name in _ROOTS:
        root = Path(os.path.realpath(os.environ.get(name) or folder))
        if root in folder.parents and str(root) not in (os.path.realpath(Path.home()), "/"):
            return root
    return folder


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
    return any(map(_is_repository, {*file.absolute().parents, *file.resolve().parents}))


def _is_repository(folder: Path) -> bool:
    is_bare = all(os.path.lexists(folder / name) for name in ("HEAD", "objects", "refs"))
    return is_bare or os.path.lexists(folder / ".git")


def _repository(git: Path) -> Spot:
    git = _git_folder(git)
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
        setting = _SETTING.match(line[head.end() :] if head else line)
        if setting:
            parts = (
                found[1] if found[1] is not None else found[2] or "" for found in _VALUE.finditer(setting[2])
            )
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


def _git_folder(git: Path) -> Path:
    """Where a repository is: the folder, or what the file of a worktree or a submodule points to."""
    try:
        if git.is_file():
            git = (git.parent / _text(git).partition("gitdir:")[2].strip()).resolve()
            if common := _text(git / "commondir").strip():
                git = (git / common).resolve()
    # A NUL in what it points to, or a loop of links.
    except (OSError, ValueError, RuntimeError):
        return git
    return git
