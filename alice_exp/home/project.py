"""The project of a folder: the line in ``.alice-project``, else ``owner/name`` of its git remote, else none."""

from __future__ import annotations

import re
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


def is_name(text: str) -> bool:
    """Whether a text can name a project: up to 128 characters without white space."""
    return _NAME.fullmatch(text) is not None


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
    try:
        with path.open(encoding="utf-8-sig") as file:
            line = file.readline(256).strip()
    except (OSError, UnicodeDecodeError):
        return ""
    return line if is_name(line) else ""


def _config(git: Path) -> str:
    """The configuration behind ``.git``: of a folder, or of the repository that a worktree's file points to."""
    try:
        if git.is_file():
            pointed = git.read_text(encoding="utf-8").partition("gitdir:")[2].strip()
            git = (git.parent / pointed).resolve()
            common = git / "commondir"
            if common.exists():
                git = (git / common.read_text(encoding="utf-8").strip()).resolve()
        return (git / "config").read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""
