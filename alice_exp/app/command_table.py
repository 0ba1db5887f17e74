"""Every command, once: the heading under which the page of all names it, what it is for, and where its functions are.

A row is ``name | sentence | module command …``, with ``command=function`` where the two differ; a name with no command
behind its module is one command, ``=function`` what the name itself does. A module is imported when a command of it is
invoked, so that none pays for another (DESIGN 8).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Table = Mapping[str, "str | Table"]

_ROWS = """
Every day
status | One screen: what waits, is in doubt, changed or is broken. | app.status
heartbeat | Today's report: what is new and waits for your decision. | review.cli.heartbeat_command
review | The same, one thing at a time, with keys. | review.cli.interactive_review
approve | Trust candidates; those about you go to personal. | review.cli.review_commands
reject | Turn candidates down for good. | review.cli.review_commands
reply | Answer the report in your own words. | review.cli.review_commands
pause | While you are away, nothing that waits expires. | maintenance.cli.home_commands
keep | It still holds: end the doubt in a block. | learning.cli.decision_commands
Say and find
remember | Keep your own word: trusted at once. | blocks.cli.capture_commands
recall | Say what is known, best first. | finding.cli
list | List blocks: where they are, what state they have. | finding.cli =list_blocks
show | Show one block with all that it says. | finding.cli
why | Explain a block: evidence, every act, how it is scored. | blocks.cli.provenance_commands
import | Take in what another memory or file holds already. | blocks.cli.import_export alice=import_alice
 blocks.cli.import_export claude-md=claude_md skill mem0 basic-memory=basic_memory jsonl
export | Export blocks: JSONL, JSON or Markdown. | blocks.cli.import_export
Set right
edit | Open a block in your editor; what you save is committed. | blocks.cli.lifetime_commands
move | Move a trusted block into another namespace. | blocks.cli.lifetime_commands
retire | Take trust from a block because the world has changed. | blocks.cli.lifetime_commands
revive | Give an archived block a second chance. | blocks.cli.lifetime_commands
restore | Bring back from history what expired or was deleted. | blocks.cli.provenance_commands
purge | Forget a block for good, in all of history. | blocks.cli.lifetime_commands
log | Show the acts, newest first. | blocks.cli.provenance_commands
diff | Show what one act changed, field by field. | blocks.cli.provenance_commands
undo | Take acts back in one commit. | blocks.cli.provenance_commands
For agents
connect | Make an agent's host use this home. | agents.cli.connect_commands
disconnect | Take this home out of an agent's host. | agents.cli.connect_commands
hook | What a host calls when a session begins, speaks or ends. | agents.cli.hook_command
mcp | Serve an agent over the Model Context Protocol. | agents.cli.connect_commands =serve install
memorize | Keep something learned as a candidate. | blocks.cli.capture_commands
decide | What applies to a task: what you approved, else the pool. | learning.cli.decision_commands
outcome | Report whether it worked. | learning.cli.decision_commands
prime | What an agent should know when a session begins. | conversations.cli.context_commands
context | What is known about the user, for a model's prompt. | conversations.cli.context_commands
assess | Say how well a topic is known, and why. | learning.cli.assess_commands
session | Conversations: kept, searched, read for candidates. | conversations.cli.session_commands start say=tell
 list=list_sessions show window extract end forget import=import_session search
episode | What happened, task by task. | episodes.cli add list=list_episodes show similar reflect
 stats prune restore episodes.cli export import=import_
event | The running diary of thoughts. | timeline.cli add result list=list_events search segments
 narrative=tell stats expand timeline.cli export import=import_
distill | Find what repeats in episodes and propose it. | learning.cli.decision_commands
heard | Your own sentences that wait for an agent to read them. | conversations.cli.context_commands
project | This folder's project: names, learning, what its team knows. | agents.cli.project_command =project off on
 is=is_ not=not_ team.cli publish trust
Upkeep
init | Make the home; again: changes nothing. | maintenance.cli.home_commands
check | Name every problem in the home's files. | maintenance.cli.home_commands
doctor | Look the whole home over: files, history, permissions. | app.status
watch | Take in what you save in an editor, as it happens. | maintenance.cli.watch_command
schedule | Let the day's report come by itself. | maintenance.cli.schedule_commands install remove status
config | Read, set and edit the configuration. | maintenance.cli.home_commands get=config_get set=config_set
 accept=config_accept maintenance.cli.home_commands list=config_list edit=config_edit
namespace | Files of blocks: list them, make a new one. | maintenance.cli.home_commands list=namespace_list
 create=namespace_create show=namespace_show
stats | Count the home: by set, state, type, age and reads. | learning.cli.assess_commands
impact | How tasks went with what you approved, and without. | learning.cli.assess_commands
consolidation | How stable a block is. | learning.cli.assess_commands
owner | The SSH key whose signature approves. | owner.cli init show sign drop
completion | Print what teaches a shell to complete commands. | app.completion
help | Show this page, or that of one command. | app.help_page =help_
Other machines
sync | Your own machines share one memory. | sync.cli =run add list=list_remotes remove confirm watch settle
share | What may leave this machine, and what others shared. | sharing.cli.share_commands allow deny list=list_shared
 preview export import=import_ log
peer | Other people's Alices: pair, find, exchange. | sharing.cli.peer_commands invite join list=list_peers show forget
 discover exchange serve
"""


def _functions(name: str, words: Sequence[str]) -> str | dict[str, str]:
    found: dict[str, str] = {}
    module = ""
    for word in words:
        command, told, function = word.partition("=")
        if "." in word:
            module = f"alice_exp.{word}"
        else:
            found[command] = f"{module}:{function if told else command}"
    return found if any(found) else found.get("", f"{module}:{name}")


def read(rows: str) -> tuple[dict[str, dict[str, str]], dict[str, str | dict[str, str]]]:
    """The headings with their commands' sentences, and where the functions of each command are."""
    groups: dict[str, dict[str, str]] = {}
    commands = {}
    for row in rows.strip().replace("\n ", " ").splitlines():
        name, _, told = row.partition(" | ")
        if told:
            [*groups.values()][-1][name], _, where = told.partition(" | ")
            commands[name] = _functions(name, where.split())
        else:
            groups[name] = {}
    return groups, commands


GROUPS, COMMANDS = read(_ROWS)
"""What every command is for in one line, by name, under the headings of the page of all; every command, and every group
with its commands, by name: the function as ``module:function``."""
