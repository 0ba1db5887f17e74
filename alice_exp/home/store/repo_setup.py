"""The git settings, hooks and attributes of a home's repository, which make plain git follow the home's rules.

A plain ``git push`` is refused; a plain ``git pull`` between clones merges block by block.
"""

from __future__ import annotations

import shlex
import sys

from alice_exp.kernel.journal.repo_config import RepoConfig

_PRE_PUSH = """#!/bin/sh
echo "alice-exp: this history holds personal experience, so it is not pushed." >&2
echo "Use 'alice-exp share export' or 'alice-exp sync' instead." >&2
exit 1
"""

_POST_MERGE = """#!/bin/sh
# Runs when git has committed a merge, which git itself still calls unfinished.
[ "$1" = 1 ] && exit 0
merged=$(git rev-parse --git-dir)/MERGE_HEAD
[ "$(git rev-parse -q --verify HEAD^2)" = "$(cat "$merged" 2>/dev/null)" ] && rm -f "$merged"
exec {python} -m alice_exp --home "${{PWD%/*}}" sync settle --quiet
"""

OLD_DRIVER = b"alice_exp.store.merging"
"""The module that the merge driver entry of a home of version 0.1 names."""

DRIVER = b'[merge "alice"]'
"""The section of the merge driver in a repository's configuration."""

# Every conversion is off, since a person's global attributes must not change the bytes of a file.
_ATTRIBUTES = "* -text -eol -ident -filter merge=alice -working-tree-encoding\n"
ASIDE = ".git-damaged-"
"""The beginning of the name, before a date, of a repository that ``doctor --fix`` set aside."""

# Our temporary files, and what vim (4913, .swp), emacs (.#, #…#) and macOS leave beside a file.
_EXCLUDES = ".git-*\n.*.alice-tmp-*\n*~\n.*.sw?\n*.swp\n4913\n.#*\n\\#*#\n.DS_Store\n*.tmp\n*.bak\n*.orig\n"


def repo_config() -> RepoConfig:
    """The configuration of a home's repository: settings, hooks, attributes and excludes."""
    return RepoConfig(_settings(), _texts(), "merge.alice.driver", {"commit.gpgSign": "false"})


def _settings() -> dict[str, str]:
    return {
        "core.hooksPath": ".git/hooks",
        "core.autocrlf": "false",
        "core.quotePath": "false",
        "gc.auto": "0",
        "maintenance.auto": "false",
        "merge.alice.name": "blocks by id, in three ways",
        "merge.alice.driver": f"{shlex.quote(sys.executable)} -m alice_exp merge-driver %O %A %B %P",
    }


def _texts() -> dict[str, str]:
    return {
        "info/attributes": _ATTRIBUTES,
        "info/exclude": _EXCLUDES,
        "hooks/pre-push": _PRE_PUSH,
        "hooks/post-merge": _POST_MERGE.format(python=shlex.quote(sys.executable)),
    }
