#!/bin/sh
# A block's whole life by the real command, over a copy of sample_home (REQUIREMENTS D 60). $1 is a place to work in.
# Each act leaves a clean tree; the log at the end tells all of it, and nothing else.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
place=$1
export ALICE_HOME="$place/alice" ALICE_ACTOR=user ALICE_NOW=2026-02-20T09:30:00Z
cp -R "$here/sample_home" "$ALICE_HOME"

fail() { echo "story: $*" >&2; exit 1; }

field() { python3 -c 'import json, sys
value = json.load(sys.stdin)
for key in sys.argv[1].split("."):
    value = value[int(key) if key.isdigit() else key]
print(value)' "$1"; }

is() { [ "$1" = "$2" ] || fail "$3: $1 is not $2"; }

clean() { is "$(git -C "$ALICE_HOME/experiences" status --porcelain)" "" "git status after $1"; }

# act COMMAND…: one command that changes something; its JSON goes to stdout, the tree is clean behind it.
act() { alice-exp "$@" --json; clean "$1"; }

act init >/dev/null

# remember: a person's word is trusted at once.
word=$(act remember "部署之前先通知值班同事" --when "部署支付服务" | field id)
is "$(alice-exp show "$word" --json | field state)" past remember

# talk: what is said becomes candidates.
alice-exp session start story -q
alice-exp session say story user "我叫张三，在北京做程序员" -q
alice-exp session say story assistant "你好张三！程序员工作怎么样？" -q
alice-exp session say story user "还不错，我主要写 Java" -q
found=$(act session end story)
name=$(printf '%s' "$found" | field extraction.ids.0)
is "$(alice-exp show "$name" --json | field payload)" "用户名字是张三" talk
lesson=$(act --actor agent:story memorize "先对一台机器灰度，再全量发布" --when "发布计费网关" --type rule | field id)

# heartbeat and 同意: by the numbers of the report.
report=$(act heartbeat)
number() { printf '%s' "$report" | python3 -c 'import json, sys
print(next(item["number"] for item in json.load(sys.stdin)["items"] if item["id"] == sys.argv[1]))' "$1"; }
act reply "同意 $(number "$name") $(number "$lesson")" --yes >/dev/null
is "$(alice-exp show "$name" --json | field set)" personal 同意
is "$(alice-exp show "$lesson" --json | field set)" universal 同意

# decide and 50 outcomes (which of them raise it, D14 counts).
decided=$(alice-exp decide "发布计费网关" --json) || true
decision=$(printf '%s' "$decided" | field decision)
# A rule that the person marked important stands first, what fits this task besides behind it.
is "$(printf '%s' "$decided" | field applied.0.id)" exp-c78jx2vd decide
told() { python3 -c 'import json, sys
print(sys.argv[1] in [block["id"] for block in json.load(sys.stdin)["applied"]])' "$1"; }
is "$(printf '%s' "$decided" | told "$lesson")" True decide
act outcome "$decision" ok --used "$lesson" >/dev/null
# Where a number means nothing, one interpreter plays the same command lines.
outcomes() { python3 -c 'import sys
from alice_exp.app.main import run
for number in range(int(sys.argv[2]), int(sys.argv[3]) + 1):
    code = run(["outcome", sys.argv[1], "ok", "--scenario", f"release {number}", "-q"])
    if code:
        sys.exit(code)' "$lesson" "$1" "$2"; }
level() { is "$(alice-exp show "$lesson" --json | field level)" "$2" "$1 outcomes"; }
# The yes itself was the first verification.
outcomes 2 48
level 48 reliable
outcomes 49 50
level 50 super_reliable
clean outcomes
is "$(alice-exp decide "发布计费网关" --json | told "$lesson")" True "decide again"

# share: nothing leaves before a person allows it; then this block is in the bundle.
if alice-exp share preview 2>/dev/null | grep -q "$lesson"; then fail "it left before it was allowed"; fi
act share allow "$lesson" --yes >/dev/null
alice-exp share export "$place/bundle.json" --to bob --yes -q
grep -q "$lesson" "$place/bundle.json" || fail "it is not in the bundle"
if grep -q "张三\|值班同事" "$place/bundle.json"; then fail "something personal left"; fi

# retire and revive: only a person, with a reason.
alice-exp --actor agent:story retire "$lesson" --reason x -q 2>/dev/null && fail "an agent retired it"
act retire "$lesson" --reason "网关换代" --yes >/dev/null
is "$(alice-exp show "$lesson" --json | field state)" obsolete retire
act revive "$lesson" --yes >/dev/null
is "$(alice-exp show "$lesson" --json | field state)" possible revive
is "$(alice-exp show "$lesson" --json | field verifications)" 51 revive

# log: every commit is told; and every act of this life, newest first, with nothing of what it says.
told=$(alice-exp log --json | python3 -c 'import json, sys; print(len(json.load(sys.stdin)["commits"]))')
is "$told" "$(git -C "$ALICE_HOME/experiences" rev-list --count HEAD)" log
alice-exp log "$lesson" --json
