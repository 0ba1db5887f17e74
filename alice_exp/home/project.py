"""The project of a folder: the line in ``.alice-project``, else ``owner/name`` of its git remote, else none."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

from alice_exp.kernel.errors import UsageError

MARK = ".alice-project"
NONE = "none"
"""What names no project at all, in an option or a file."""

_NAME = re.compile(r"[^\s/][^\s]{0,127}")
_REMOTE = re.compile(r"^\s*\[remote \"([^\"]+)\"\]\s*$")
_URL = re.compile(r"^\s*url\s*=\s*(\S+)\s*$")


def project_at(folder: Path) -> str:
    """The project of a folder; empty for none. What cannot be read names nothing."""
    for above in (folder, *folder.parents):
        named = _first_line(above / MARK)
        if named:
            return "" if named == NONE else named
        if (above / ".git").exists():
            return remote_name(_config(above / ".git"))
    return ""


def is_in_repository(file: Path) -> bool:
    """Whether a file stands, or a link of its path leads, below a folder with ``.git`` (of a work tree and a submodule,
    too) or in a bare repository: what is written there may be published. A file need not exist."""
    # As it is named as well: to git a link is a file of its own, and may be replaced by what it leads to.
    return any(map(_is_repository, {*file.absolute().parents, *file.resolve().parents}))


def _is_repository(folder: Path) -> bool:
    is_bare = all(os.path.lexists(folder / name) for name in ("HEAD", "objects", "refs"))
    return is_bare or os.path.lexists(folder / ".git")


def is_name(text: str) -> bool:
    """Whether a text can name a project: up to 128 characters that can be seen."""
    return _NAME.fullmatch(text) is not None and text.isprintable()


def project_named(text: str) -> str:
    """A project as it was named, ``none`` as empty; ``UsageError`` for what cannot name one."""
    if text and not is_name(text):
        raise UsageError("{name} cannot name a project", name=repr(text), hint="write --project owner/name")
    return "" if text == NONE else text


def remote_name(config: str) -> str:
    """``owner/name`` from a git configuration: of the remote origin, else of the first; empty where there is none."""
    found: dict[str, str] = {}
    remote = ""
    for line in config.splitlines():
        section = _REMOTE.match(line)
        if section:
            remote = section[1]
        elif line.lstrip().startswith("["):
            remote = ""
        elif remote and (url := _URL.match(line)):
            found.setdefault(remote, url[1])
    url_text = found.get("origin") or next(iter(found.values()), "")
    path = re.sub(r"^[a-z+]+://[^/]*|^[^/]*:", "", url_text).strip("/").removesuffix(".git")
    parts = [part for part in path.split("/") if part]
    return "/".join(parts[-2:]) if parts and is_name("/".join(parts[-2:])) else ""


def _first_line(path: Path) -> str:
    line = _text(path).partition("\n")[0].strip()
    return line if is_name(line) else ""


def _text(path: Path) -> str:
    """The first megabyte of a plain file; empty for anything else. A FIFO in a strange folder would never answer."""
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:  # noqa: PTH123
            is_plain = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
            return file.read(1 << 20).decode("utf-8-sig") if is_plain else ""
    except (OSError, UnicodeDecodeError):
        return ""


def _config(git: Path) -> str:
    """The configuration behind ``.git``: of a folder, or of the repository that a worktree's file points to."""
    try:
        if git.is_file():
            git = (git.parent / _text(git).partition("gitdir:")[2].strip()).resolve()
            if common := _text(git / "commondir").strip():
                git = (git / common).resolve()
    # A NUL in what it points to.
    except (OSError, ValueError):
        return ""
    return _text(git / "config")
