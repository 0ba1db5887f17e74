"""Our hooks in a host's configuration: put in, taken out, everything else as it was."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from alice_exp.agents.host_config import Bare, read_object, without
from alice_exp.caller.hosts import Event, Hooks
from alice_exp.kernel.jsonc import Append, Remove, Set, edit, parse
from alice_exp.kernel.jsonc.edits import Edit
from alice_exp.kernel.jsonc.problem import Pointer

_OURS = re.compile(r"alice[-_]exp\S*\s(?:.*\s)?hook\s")

CommandOf = Callable[[Event], str]


def hooked(text: str, path: str, hooks: Hooks, command_of: CommandOf) -> str:
    """The file with a hook for each of the host's events; as it is where they stand there already."""
    if hooks.form == "file":
        rows = {
            theirs: [{"type": "command", "bash": command_of(ours)}] for ours, theirs in hooks.events.items()
        }
        return json.dumps({"version": 1, "hooks": rows}, indent=2) + "\n"
    if hooks.form == "plugin":
        return _PLUGIN.replace("COMMAND", json.dumps(command_of("start").rpartition(" ")[0]))
    held = read_object(text, path, "hooks")
    edits: list[Edit] = []
    if hooks.form == "flat" and not text.strip():
        edits.append(Set(("version",), 1))
    for ours, theirs in hooks.events.items():
        entries = held.get(theirs)
        known = entries if isinstance(entries, list) else []
        wanted = _entry(hooks, command_of(ours))
        mine = [index for index, one in enumerate(known) if _is_ours(one)]
        if not mine:
            edits.append(Append(("hooks", theirs), (wanted,)))
        elif known[mine[0]] != wanted:
            edits.append(Set(("hooks", theirs, mine[0]), wanted))
        edits += [Remove(("hooks", theirs, index)) for index in mine[1:]]
    return edit(parse((text if text.strip() else "{}\n").encode(), path), edits).decode() if edits else text


def unhooked(text: str, path: str, hooks: Hooks, bare: Bare = MappingProxyType({})) -> str:
    """The file without our hooks; empty where it held nothing else."""
    if hooks.form in ("file", "plugin"):
        return ""
    held = read_object(text, path, "hooks")
    ours: list[Pointer] = [
        ("hooks", theirs, index)
        for theirs, entries in held.items()
        if isinstance(entries, list)
        for index, one in enumerate(entries)
        if _is_ours(one)
    ]
    return without(text, path, ours, bare)


def _entry(hooks: Hooks, command: str) -> dict[str, Any]:
    return (
        {"command": command} if hooks.form == "flat" else {"hooks": [{"type": "command", "command": command}]}
    )


def _is_ours(entry: object) -> bool:
    """Whether all that an event's entry runs is ours; a group that a person put something beside is the person's."""
    commands = _commands(entry)
    return bool(commands) and all(map(_OURS.search, commands))


def _commands(entry: object) -> list[str]:
    inner = entry.get("hooks", [entry]) if isinstance(entry, Mapping) else []
    rows = [one for one in inner if isinstance(one, Mapping)] if isinstance(inner, list) else []
    return [str(one.get("command", one.get("bash", ""))) for one in rows]


def our_commands(text: str, path: str, hooks: Hooks) -> list[str]:
    """The commands of ours that a host's file of hooks runs; none for a plugin, which is a program."""
    if hooks.form == "plugin":
        return []
    held = read_object(text, path, "hooks").values()
    entries = (entry for listed in held if isinstance(listed, list) for entry in listed)
    return [line for entry in entries for line in _commands(entry) if _OURS.search(line)]


_PLUGIN = """\
// Written by alice-exp: what a person approved reaches the agent, and what was said reaches the person's review.
// `alice-exp disconnect opencode` takes it out.
import { spawn } from "node:child_process"

const command = COMMAND
const told = new Map()
const said = new Map()
const delegated = new Map()
const running = new Set()

function call(event, input) {
  return new Promise((done) => {
    const child = spawn("/bin/sh", ["-c", `${command} ${event}`], { stdio: ["pipe", "pipe", "ignore"] })
    let text = ""
    child.stdout.on("data", (part) => (text += part))
    child.on("error", () => done(""))
    child.on("close", () => {
      try {
        done(JSON.parse(text).context ?? "")
      } catch {
        done("")
      }
    })
    child.stdin.on("error", () => {})
    child.stdin.end(JSON.stringify(input))
  })
}

function note(session, id, role, text) {
  if (!said.has(session)) said.set(session, new Map())
  const rows = said.get(session)
  if (!rows.has(id)) rows.set(id, { id, role, at: new Date().toISOString(), content: "" })
  rows.get(id).content = [rows.get(id).content, text].filter(Boolean).join("\\n")
}

// `opencode run "words"` hands them over in quotes.
function plain(text) {
  return /^"(?:[^"\\\\]|\\\\.)*"$/s.test(text) ? text.slice(1, -1).replaceAll('\\\\"', '"') : text
}

export const AliceExp = async ({ client, directory }) => {
  // What an agent tells its own helper is not the person's word.
  async function isDelegated(session) {
    if (!delegated.has(session)) {
      const found = await client.session.get({ path: { id: session } }).catch(() => ({}))
      delegated.set(session, Boolean(found.data?.parentID))
    }
    return delegated.get(session)
  }
  return {
    "experimental.chat.system.transform": async (input, output) => {
      const session = input.sessionID ?? ""
      if (!told.has(session)) told.set(session, call("start", { session_id: session, cwd: directory }))
      const text = await told.get(session)
      if (text) output.system.push(text)
    },
    "chat.message": async (input, output) => {
      const session = input.sessionID
      if (await isDelegated(session)) return
      const typed = output.parts.filter((part) => part.type === "text" && !part.synthetic)
      const prompt = typed.map((part) => plain(part.text.trim())).join("\\n")
      note(session, output.message.id, "user", prompt)
      const text = await call("prompt", { session_id: session, cwd: directory, prompt })
      const last = typed.at(-1)
      if (text && last) output.parts.push({ ...last, id: `${last.id}z`, text, synthetic: true })
    },
    "experimental.text.complete": async (input, output) => {
      if (said.has(input.sessionID)) note(input.sessionID, input.messageID, "assistant", output.text)
    },
    "tool.execute.before": async (input, output) => {
      if (!said.has(input.sessionID)) return
      const at = new Date().toISOString()
      const row = { type: "tool", callID: input.callID, tool: input.tool, at, state: { input: output.args } }
      said.get(input.sessionID).set(input.callID, row)
    },
    "tool.execute.after": async (input, output) => {
      const row = said.get(input.sessionID)?.get(input.callID)
      if (!row) return
      const answer = String(output.output ?? "").slice(0, 4000)
      row.state = { ...row.state, status: "completed", output: answer, metadata: { exit: output.metadata?.exit } }
    },
    event: async ({ event }) => {
      const session = event.properties?.sessionID
      // What was told is told again behind a summary.
      if (event.type === "session.compacted") told.delete(session)
      if (event.type !== "session.idle" || !said.has(session)) return
      const messages = [...said.get(session).values()]
      const ending = call("end", { session_id: session, cwd: directory, messages })
      running.add(ending)
      await ending
      running.delete(ending)
    },
    // `opencode run` goes at once: what still runs is waited for.
    dispose: async () => {
      await Promise.all(running)
    },
  }
}
"""
