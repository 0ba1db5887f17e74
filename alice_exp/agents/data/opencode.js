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
  rows.get(id).content = [rows.get(id).content, text].filter(Boolean).join("\n")
}

// `opencode run "words"` hands them over in quotes.
function plain(text) {
  return /^"(?:[^"\\]|\\.)*"$/s.test(text) ? text.slice(1, -1).replaceAll('\\"', '"') : text
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
      const prompt = typed.map((part) => plain(part.text.trim())).join("\n")
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
