"""The agents' hosts: one table of how each is known as it runs, where it keeps what, and how it is spoken to;
and the processes above this one, of which one may be a host's program.

A row for whoever is met: variables, programs and packages. What ``connect`` writes has the rest filled in, too.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Literal

from alice_exp.kernel.errors import Hint, Names, UsageError
from alice_exp.kernel.value_class import dataclass

Event = Literal["start", "prompt", "stop", "end", "compact"]
"""When a host calls us: a session begins, a person asks, the agent has answered, a session ends, its context is about
to be summarised. Claude Code, Codex and Qwen Code tell of the start again behind a summary."""

_CLAUDE: Mapping[Event, str] = {
    "start": "SessionStart",
    "prompt": "UserPromptSubmit",
    "stop": "Stop",
    "end": "SessionEnd",
}
_CAMEL: Mapping[Event, str] = {"start": "sessionStart", "end": "sessionEnd"}

_PRINTING = (
    *("-p", "--print", "--output-format", "--input-format", "--bg"),
    *("--settings", "--setting-sources", "--plugin-dir"),
)
_RUNNING = (
    *("exec", "e", "review", "cloud", "mcp-server", "app-server", "proto"),
    *("-c", "--config", "-p", "--profile"),
    # Codex answers a dialog by itself, with yes or with no, where it asks for no approvals.
    *("-a", "--ask-for-approval", "--yolo", "--dangerously-bypass-approvals-and-sandbox"),
)


@dataclass(frozen=True, slots=True)
class Hooks:
    """Where a host keeps hooks, in which form, what it calls each event, and how it is answered.

    ``groups`` is Claude Code's form (an event holds groups of hooks), ``flat`` Cursor's (an event holds commands);
    ``file`` and ``plugin`` are files of our own, of Copilot and of opencode. ``each_turn``: what was said is taken in
    whenever the agent stops, for not every version and way of running tells of the start and the end. ``refusal`` is
    the word that lets an agent go on (none: a context does); ``asks_trust``: it runs no hook that nobody trusted.
    """

    file: str
    form: Literal["groups", "flat", "file", "plugin"]
    events: Mapping[Event, str]
    each_turn: bool = False
    refusal: str = "block"
    asks_trust: bool = False


@dataclass(frozen=True, slots=True)
class Host:
    """One host. Paths are relative to the project and to the person's home; an empty one does not exist.

    ``variables`` are in the environment of what its agent runs. ``agents`` are the names of programs that run nothing
    but agents, ``packages`` parts of a path (or of ``-m MODULE.``) that only their programs have; a program in which
    people type has neither.

    ``project`` and ``user`` are the files with servers, ``key`` stands above the entries (empty for TOML), ``entry``
    is how one is written. ``folder`` is there where the host is, and so is ``program`` on the path; ``instructions``
    is the file that it reads when a session begins. ``moved``: a variable that names another place for a folder.

    ``listing`` stands in our entry so that a host shows the tools to its model at once, ``unasked`` so that it runs
    them without a dialog (they can neither approve nor destroy); ``permission`` is the rule of the same that Claude
    Code keeps in ``permissions.allow`` beside its hooks; ``plugin`` is the file that names our plugin once a person
    installed it, and that rule for its server (empty: it cannot be said, so that our own entry stays). ``sessions`` is
    the pattern of the files of its sessions; ``unseen`` are words on its command line with which nobody sits before it,
    or it takes settings from elsewhere.

    ``tags`` are around what no person typed in a user's row of its transcripts, as
    ``tests/conversations/host_rows.jsonl`` shows by version; Qwen Code has Claude Code's and Gemini CLI's.
    """

    name: str
    variables: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    project: str = ""
    user: str = ""
    key: str = ""
    entry: Literal["plain", "typed", "command"] = "plain"
    folder: str = ""
    program: str = ""
    instructions: str = ""
    moved: tuple[str, str] = ("", "")
    hooks: Hooks = Hooks("", "groups", {})
    listing: Mapping[str, bool] = field(default_factory=dict)
    unasked: Mapping[str, bool | str] = field(default_factory=dict)
    permission: str = ""
    plugin: tuple[str, str] = ("", "")
    sessions: str = ""
    unseen: frozenset[str] = frozenset()
    tags: str = ""


KNOWN: tuple[Host, ...] = (
    Host(
        "claude-code", ("CLAUDECODE",), ("claude",),
        ("/@anthropic-ai/claude-code/", "/@anthropic-ai/claude-agent-sdk/", "/claude/versions/"), ("claude",),
        ".mcp.json", ".claude.json", "mcpServers", folder=".claude", program="claude",
        instructions=".claude/CLAUDE.md", moved=("CLAUDE_CONFIG_DIR", ".claude/"),
        # A refusal would stand before the person as "Stop hook error".
        hooks=Hooks(".claude/settings.json", "groups", _CLAUDE, refusal=""), listing={"alwaysLoad": True},
        permission="mcp__alice-exp", sessions=".claude/projects/*/*.jsonl",
        plugin=(".claude/plugins/installed_plugins.json", "mcp__plugin_alice-exp_alice-exp"),
        unseen=frozenset(_PRINTING),
        tags=(
            "system-reminder command-name command-message command-args local-command-stdout "
            "local-command-stderr local-command-caveat bash-input bash-stdout bash-stderr bash-exit-code "
            "task-notification ide_opened_file ide_selection new-diagnostics user-prompt-submit-hook "
            "session-start-hook persisted-output teammate-message agent-message cross-session-message channel "
            "tick fork-boilerplate mcp-resource ultraplan remote-review remote-review-progress"
        ),
    ),
    Host(
        "cursor", ("CURSOR_AGENT",), ("cursor-agent",), ("/cursor-agent/versions/",), (),
        ".cursor/mcp.json", ".cursor/mcp.json", "mcpServers", folder=".cursor", program="cursor",
        hooks=Hooks(
            ".cursor/hooks.json", "flat",
            {**_CAMEL, "prompt": "beforeSubmitPrompt", "stop": "stop", "compact": "preCompact"},
        ),
        tags=(
            "system_reminder user_info git_status project_layout attached_files additional_data "
            "open_and_recently_viewed_files agent_transcripts cursor_commands manually_attached_skills "
            "timestamp"
        ),
    ),
    Host(
        "vscode", ("COPILOT_CLI", "COPILOT_AGENT", "VSCODE_AGENT"), ("copilot",), ("/@github/copilot/",),
        ("copilot", "vscode/copilot"), ".vscode/mcp.json", ".config/Code/User/mcp.json", "servers", "typed",
        ".config/Code", "code", ".config/Code/User/prompts/alice-exp.instructions.md",
        # Copilot's names, which VS Code reads as its own; it has none for the end of a session.
        hooks=Hooks(
            ".copilot/hooks/alice-exp.json", "file",
            {**_CAMEL, "prompt": "userPromptSubmitted", "stop": "agentStop"}, each_turn=True,
        ),
        tags=(
            "additional_context attachments editorContext environment_info workspace_info "
            "reminderInstructions reminder current_datetime system_notification conversation-summary"
        ),
    ),
    Host(
        "codex", ("CODEX_SANDBOX", "CODEX_THREAD_ID", "CODEX_CI"),
        (
            "codex", "codex-exec", "codex-linux-sandbox", "codex-app-server", "codex-x86_64-unknown-linux-musl",
            "codex-aarch64-unknown-linux-musl", "codex-x86_64-apple-darwin", "codex-aarch64-apple-darwin",
        ),
        ("/@openai/codex/",), (), "", ".codex/config.toml", "", folder=".codex", program="codex",
        instructions=".codex/AGENTS.md", moved=("CODEX_HOME", ".codex/"),
        # Before 0.160 it told nothing of the end.
        hooks=Hooks(".codex/hooks.json", "groups", _CLAUDE, each_turn=True, asks_trust=True),
        unasked={"default_tools_approval_mode": "approve"}, sessions=".codex/sessions/*/*/*/*.jsonl",
        unseen=frozenset(_RUNNING),
        tags=(
            "hook_prompt environment_context user_instructions INSTRUCTIONS turn_aborted user_shell_command "
            "user_action subagent_notification collaboration_mode skills_instructions plugins_instructions "
            "apps_instructions recommended_plugins context_window_reminder rollout_budget startup_context "
            "realtime_conversation multi_agent_mode multi_agent_role persistent_mode side_conversation "
            "goal_context skill image"
        ),
    ),
    # Qwen Code grew out of Gemini CLI; some versions set both variables.
    Host(
        "qwen", ("QWEN_CODE",), ("qwen",), ("/@qwen-code/qwen-code/",), (),
        ".qwen/settings.json", ".qwen/settings.json", "mcpServers", folder=".qwen", program="qwen",
        # With a prompt on its command line it tells neither of the start nor of the end.
        instructions=".qwen/QWEN.md", hooks=Hooks(".qwen/settings.json", "groups", _CLAUDE, each_turn=True),
        unasked={"trust": True}, sessions=".qwen/projects/*/chats/*.jsonl",
    ),
    Host(
        "gemini", ("GEMINI_CLI",), ("gemini",), ("/@google/gemini-cli/",), (),
        ".gemini/settings.json", ".gemini/settings.json", "mcpServers", folder=".gemini", program="gemini",
        instructions=".gemini/GEMINI.md", plugin=(".gemini/extensions/alice-exp/gemini-extension.json", ""),
        hooks=Hooks(
            ".gemini/settings.json", "groups",
            {**_CLAUDE, "prompt": "BeforeAgent", "stop": "AfterAgent", "compact": "PreCompress"}, refusal="deny",
        ),
        unasked={"trust": True}, sessions=".gemini/tmp/*/chats/*.json*",
        tags=(
            "session_context hook_context extension_context global_context project_context loaded_context "
            "user_project_memory activated_skill untrusted_context available_resources state_snapshot "
            "tool_output_masked"
        ),
    ),
    Host(
        "opencode", ("OPENCODE", "OPENCODE_CLIENT"), ("opencode", "opencode-cli"), ("/opencode-ai/",), (),
        "opencode.json", ".config/opencode/opencode.json", "mcp", "command", ".config/opencode", "opencode",
        ".config/opencode/AGENTS.md", ("XDG_CONFIG_HOME", ".config/"),
        Hooks(".config/opencode/plugins/alice-exp.js", "plugin", {}),
    ),
    Host("cline", ("CLINE_ACTIVE",), ("cline",), ("/node_modules/cline/",)),
    Host("goose", ("GOOSE_TERMINAL",), ("goose", "goosed")),
    Host("amp", ("AMP_CURRENT_THREAD_ID",), ("amp",), ("/@sourcegraph/amp/",)),
    Host("crush", ("CRUSH",), ("crush",), ("/@charmland/crush/",)),
    Host("aider", (), ("aider",), ("-m aider.",)),
    Host("auggie", ("AUGMENT_AGENT",), ("auggie",), ("/@augmentcode/auggie/",)),
    Host("antigravity", ("ANTIGRAVITY_AGENT",)),
    Host("trae", ("TRAE_AI_SHELL_ID",)),
    Host("pi", ("PI_CODING_AGENT",), (), ("/pi-coding-agent/",)),
    # The name that hosts agreed on says that an agent runs, not whose; and what we start, a model's program or an
    # editor, is no person at our own command line.
    Host("", ("AI_AGENT",), ("alice-exp",), ("-m alice_exp.",)),
)  # fmt: skip

HOSTS: Mapping[str, Host] = {host.name: host for host in sorted(KNOWN, key=lambda one: one.name) if host.user}
"""Those that ``connect`` sets up, by name."""


def host_named(name: str) -> Host:
    """The host that ``connect`` knows by this name or another one of it; ``UsageError`` names those that there are."""
    found = next((host for host in HOSTS.values() if name in (host.name, *host.aliases)), None)
    if found is None:
        raise UsageError(
            "unknown host {host}", host=repr(name), hint=Hint("hosts are {names}", names=Names(HOSTS))
        )
    return found


_RUNTIMES = ("node", "nodejs", "bun", "deno", "python")
_TAKES_VALUE = frozenset(
    ("-r", "--require", "--import", "--loader", "--experimental-loader", "-C", "-W", "-X")
)
_CODE = frozenset(("-e", "-p", "-c", "--eval", "--print"))
_VERBS = frozenset(("run", "x", "--"))


@dataclass(frozen=True, slots=True)
class Process:
    """A process: its executable's path and its arguments; empty where they cannot be read."""

    pid: int
    executable: str = ""
    arguments: tuple[str, ...] = ("",)

    @property
    def shown(self) -> str:
        """A few words by which a person knows it."""
        return " ".join(" ".join(self.arguments[:2]).split())[:60] or self.executable


def host_of(process: Process) -> Host | None:
    """The host whose program this is; None for every other.

    Some programs give themselves a title, which then stands in the place of the arguments.
    """
    title = process.arguments[0]
    executable = process.executable.removesuffix(" (deleted)") or title
    told = [executable]
    if _base(executable).lower().rstrip("0123456789.") in _RUNTIMES:
        told += [title.partition(" ")[0], *_script(process.arguments[1:])]
    for host in KNOWN:
        if any(_base(one) in host.agents or any(part in one for part in host.packages) for one in told):
            return host
    return None


def _base(path: str) -> str:
    """The name of a program without its folder, and without what a packager put around it."""
    return path.rpartition("/")[2].removesuffix("-wrapped").lstrip(".")


def _script(arguments: Sequence[str]) -> Iterator[str]:
    """What a runtime was told to run: the path of a script, or ``-m MODULE.``, as the table has it."""
    rest = iter(arguments)
    for argument in rest:
        if argument in _CODE:
            return
        if argument in _TAKES_VALUE:
            next(rest, "")
        elif argument == "-m":
            yield f"-m {next(rest, '')}."
            return
        elif argument not in _VERBS and not argument.startswith("-"):
            yield argument
            return


_PS = "/bin/ps"

Found = tuple[Process, int]
"""A process and the id of its parent; 0: none that can be seen from here."""


def parents() -> Iterator[Process]:
    """This process, its parent and so on; it ends where nothing more can be read."""
    look_up: Callable[[int], Found | None] = _of_proc if sys.platform == "linux" else _of_ps()
    pid, met = os.getpid(), set[int]()
    while pid > 0 and pid not in met:
        met.add(pid)
        found = look_up(pid)
        if found is None:
            return
        yield found[0]
        pid = found[1]


def _of_proc(pid: int) -> Found | None:
    # The name in brackets may hold anything, brackets and blanks too; a program chooses it, so that it tells nothing.
    _, closed, rest = _read(f"/proc/{pid}/stat").rpartition(")")
    if not closed:
        return None
    try:
        executable = os.readlink(f"/proc/{pid}/exe")  # noqa: PTH115
    except OSError:
        executable = ""  # another user's, or the kernel's
    arguments = _read(f"/proc/{pid}/cmdline").rstrip("\0").split("\0")
    return Process(pid, executable, tuple(arguments)), int(rest.split()[1])


def _read(path: str) -> str:
    try:
        return os.fsdecode(Path(path).read_bytes())
    except OSError:
        return ""


def _of_ps() -> Callable[[int], Found | None]:
    """All processes at once. It tells no executable, and parts arguments that hold a blank."""
    import subprocess

    command = (_PS, "-axww", "-o", "pid=,ppid=,args=")
    try:
        told = subprocess.run(
            command, capture_output=True, timeout=5.0, check=False, env={"LC_ALL": "C"}
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        told = b""
    rows = [line.split() for line in os.fsdecode(told).splitlines()]
    found = {int(row[0]): (Process(int(row[0]), "", tuple(row[2:])), int(row[1])) for row in rows if row[1:]}
    return found.get
