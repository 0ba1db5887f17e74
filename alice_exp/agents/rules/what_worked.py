"""What agents ran and found in a session that is worth knowing in a later one: commands that work, causes that held."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from alice_exp.kernel.text.data_files import LazyPattern
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.rules.private_facts import kinds_of, masked_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from alice_exp.conversations.rules.tool_uses import Deed

SESSIONS = 4
"""Sessions of a project in which a command has to succeed before it is proposed."""

_MOST_CAUSES = 3
_RUNNER = r"(?:(?:uv|poetry|pdm|hatch|rye|coverage)\s+run|npx|bunx|bundle\s+exec|python[\d.]*\s+-m)\s+"
_RUN = (
    r"(?:npm|pnpm|yarn|bun|deno|cargo|go|dotnet|swift|mix|rake|bazel|mvnw?|gradlew?|sbt|just|task|make)"
    r"\s+(?:-\S+\s+)*(?:run\s+)?"
)
_KINDS = {
    "format": rf"ruff\s+format|black|prettier|gofmt|rustfmt|biome\s+format|{_RUN}(?:fmt|format)",
    "lint": r"ruff|mypy|pyright|eslint|flake8|pylint|golangci-lint|shellcheck|biome|tsc|"
    rf"{_RUN}(?:lint|check|clippy|vet|typecheck)",
    "test": rf"pytest|py\.test|tox|nox|jest|vitest|mocha|rspec|phpunit|ctest|{_RUN}(?:tests?|t|verify)",
    "build": rf"ninja|vite\s+build|webpack|{_RUN}(?:build|compile|package|all)",
}
_SHAPES = {
    kind: LazyPattern(rf"^(?:{_RUNNER})?(?:\S*/)?(?:{shape})(?![\w.-])") for kind, shape in _KINDS.items()
}
_PARTS = re.compile(r"\s*(?:&&|;|\n)\s*")
_TAIL = re.compile(r"\s*(?:\d?>|\|).*$")
_SETTING = re.compile(r"^(?:\w+=\S*\s+)+")
_PATH = re.compile(r"\s+(?!-)\S*(?:/|\.\w{1,4}\b|::)\S*")
# The sentence around a cause is found from it outwards: a shape that begins before it takes seconds of a long talk.
_CAUSE = LazyPattern(
    r"\bthe (?:issue|problem|bug|culprit|root cause|cause) (?:was|is)\b|\bturns out\b|\broot cause:|"
    r"根本原因|问题(?:出)?在于|原因是|原来是",
    re.IGNORECASE,
)
_ENDS = re.compile(r"[!?。！？]|\.(?!\w)|\n")


@dataclass(frozen=True, slots=True)
class Cause:
    """What an agent named as the cause of a task's trouble, what it did then, and that a check passed behind it."""

    task: str
    cause: str
    action: str
    at: str


def command_of(line: str) -> tuple[str, str]:
    """Of a shell's line the command that builds, tests, lints or formats, without the files it names, and its kind;
    empty where there is none, or where it holds a secret."""
    for part in _PARTS.split(line.strip()):
        plain = _PATH.sub("", _TAIL.sub("", _SETTING.sub("", part))).strip()
        for kind, shape in _SHAPES.items():
            if shape.search(plain) and len(plain) <= 80 and not kinds_of(part):
                return plain, kind
    return "", ""


def working_commands(deeds: Sequence[Deed]) -> dict[str, str]:
    """The commands that ran successfully, each with its kind. A line whose code a pipe or "or" hides says nothing."""
    found = {}
    for one in deeds:
        command, kind = command_of(one.command) if one.failed is False else ("", "")
        if command and not ("|" in one.command and "pipefail" not in one.command) and "||" not in one.command:
            found[command] = kind
    return found


def causes(deeds: Sequence[Deed]) -> list[Cause]:
    """What the agent named as a cause, where a check succeeded later in the session: at most the last three."""
    passed = [at for at, one in enumerate(deeds) if working_commands([one])]
    named = []
    task = ""
    for at, one in enumerate(deeds[: passed[-1]] if passed else ()):
        task = one.prompt or task
        if task and one.said and (cause := _cause_in(one.said)):
            named.append((at, task, cause))
    found = []
    for at, trouble, cause in named[-_MOST_CAUSES:]:
        end = next(one for one in passed if one > at)
        done = [told for one in deeds[at : end + 1] if (told := one.told)]
        found.append(Cause(masked_line(trouble), cause, "\n".join(done), deeds[at].at))
    return found


def _cause_in(said: str) -> str:
    """The first sentence that names a cause, without its secrets; empty where none does."""
    found = _CAUSE.search(said)
    if not found:
        return ""
    start = max(said.rfind(sign, 0, found.start()) for sign in ".!?。！？\n") + 1
    end = _ENDS.search(said, found.end())
    return masked_line(said[start : end.end() if end else None].strip())
